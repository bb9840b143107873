package contract

import (
	"strings"

	"demi.network/contract/jsontext"
	"demi.network/schemas"
)

// Rule documents one key of a file format, as its JSON Schema states it.
type Rule struct {
	Pattern  string // JSON pointer with "*" for names that the author chooses
	Doc      string // sentences; "" for a place that only holds others
	Kind     string // "an integer", "one of a, b, c", "an object", …
	Range    string // "1 … 240"; "" = none
	Default  string // as JSON; "" = none, or one that Doc tells
	Required bool
	Code     Code     // of problems with it
	Refusals []string // what is refused at run time because of it
	Synonyms []string // what people write in place of this key
}

// Reference returns the rules of one of the schema files, in the order of the
// file: a place before what is in it.
func Reference(file string) []Rule {
	r := newRules()
	w := ruleWalk{r: r, file: file}
	w.object("", r.trees[file], "")
	return w.out
}

type ruleWalk struct {
	r    *rules
	file string
	out  []Rule
}

// object lists what an object with that schema may hold. code is that of the
// nearest place around it.
func (w *ruleWalk) object(pattern string, schema *jsontext.Node, code Code) {
	parts := w.resolve(schema)
	code = codeOf(parts, code)
	for _, part := range parts {
		required := map[string]bool{}
		if list := part.Get("required"); list != nil {
			for _, item := range list.Items {
				required[item.Text] = true
			}
		}
		if known := part.Get("properties"); known != nil {
			for i := range known.Members {
				name, rule := known.Members[i].Key, known.Members[i].Value
				if isNote(name) {
					continue
				}
				w.add(pattern+"/"+name, rule, required[name], synonymsOf(part, name), code)
			}
		}
		if more := part.Get("additionalProperties"); more != nil && more.Kind == jsontext.KindObject {
			w.object(pattern+"/*", more, code)
		}
	}
}

// resolve is parts for reading: of a condition it takes the branch that is
// not a group of fields.
func (w *ruleWalk) resolve(schema *jsontext.Node) []*jsontext.Node {
	return w.r.parts(w.file, schema, map[string]any{})
}

func (w *ruleWalk) add(pattern string, schema *jsontext.Node, required bool, synonyms []string, code Code) {
	parts := w.resolve(schema)
	rule := Rule{Pattern: pattern, Required: required, Synonyms: synonyms, Code: codeOf(parts, code)}
	for _, part := range parts {
		if n := part.Get("description"); n != nil && rule.Doc == "" {
			rule.Doc = n.Text
		}
		if n := part.Get("default"); n != nil && rule.Default == "" {
			rule.Default = nodeText(n)
		}
		if n := part.Get("x-demi-refusals"); n != nil && rule.Refusals == nil {
			for _, item := range n.Items {
				rule.Refusals = append(rule.Refusals, item.Text)
			}
		}
		if rule.Kind == "" {
			rule.Kind = kindWords(part)
		}
		if part.Get("minimum") != nil || part.Get("maximum") != nil || part.Get("exclusiveMinimum") != nil {
			rule.Range = rangeText(part)
		}
	}
	w.out = append(w.out, rule)
	if w.file != schemas.DataSchema { // there, a schema inside a schema is the same again
		w.object(pattern, schema, rule.Code)
	}
}

// codeOf returns the problem code of one place, else that of the place around.
func codeOf(parts []*jsontext.Node, around Code) Code {
	for _, part := range parts {
		if n := part.Get("x-demi-code"); n != nil {
			return Code(n.Text)
		}
	}
	return around
}

func kindWords(schema *jsontext.Node) string {
	switch {
	case schema.Get("enum") != nil:
		return "one of " + showList(schema.Get("enum"))
	case schema.Get("const") != nil:
		return show(schema.Get("const"))
	case schema.Get("pattern") != nil:
		return "text that starts with " + strings.TrimSuffix(strings.TrimPrefix(schema.Get("pattern").Text, "^"), ".")
	case schema.Get("type") != nil:
		return typeWords(schema.Get("type"))
	}
	return ""
}

func synonymsOf(schema *jsontext.Node, name string) []string {
	synonyms := schema.Get("x-demi-synonyms")
	if synonyms == nil {
		return nil
	}
	var out []string
	for i := range synonyms.Members {
		if synonyms.Members[i].Value.Text == name {
			out = append(out, synonyms.Members[i].Key)
		}
	}
	return out
}
