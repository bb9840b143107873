package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strings"

	"demi.network/contract/jsontext"
	"demi.network/schemas"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxStructureProblems is how many faults of structure one file reports; the
// last of them says that there are more.
const maxStructureProblems = 500

// rules are the JSON Schemas: compiled for the validator, and as text trees
// for codes, hints, defaults and words. They are made once for each Load and
// do not change.
type rules struct {
	trees    map[string]*jsontext.Node
	compiled map[string]*jsonschema.Schema
}

// newRules compiles the embedded schemas. That they are sound is tested; a
// fault here is a broken build.
func newRules() *rules {
	r := &rules{trees: map[string]*jsontext.Node{}, compiled: map[string]*jsonschema.Schema{}}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is ever loaded") }
	names := []string{schemas.NetworkContract, schemas.DataSchema, schemas.Asset, schemas.Project}
	for _, name := range names {
		b, err := fs.ReadFile(schemas.FS, name)
		if err == nil {
			err = c.AddResource(schemas.Base+name, bytes.NewReader(b))
		}
		if err != nil {
			panic("contract: BUG: schema " + name + ": " + err.Error())
		}
		r.trees[name], _ = jsontext.Parse(b)
	}
	for _, name := range names {
		r.compiled[name] = c.MustCompile(schemas.Base + name)
	}
	return r
}

// finding is one fault of structure, not yet in words.
type finding struct {
	schema   string // file of the rule
	rule     string // pointer of the keyword in that file
	instance string // pointer of the value
	name     bool   // it is the value's key that is wrong
	message  string // the validator's words
}

// check validates value, which is plain(at), against a schema file. Problems
// are placed in d, whose node at is where value came from; bad lists the
// pointers, below at, of what must not be looked at any more.
func (r *rules) check(schema string, d document, at *jsontext.Node, value any) (problems Problems, bad []string) {
	err := r.compiled[schema].Validate(value)
	if err == nil {
		return nil, nil
	}
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return Problems{problem(CodeSchemaInvalid, d.place(at), err.Error(), "")}, []string{""}
	}
	var found []finding
	leaves(failed, &found)
	for _, f := range found {
		ps, pointers := r.explain(f, d, at)
		problems, bad = append(problems, ps...), append(bad, pointers...)
	}
	problems = problems.sorted()
	if len(problems) > maxStructureProblems {
		last := &problems[maxStructureProblems-1]
		last.Text = fmt.Sprintf("%s; and %d more faults", last.Text, len(problems)-maxStructureProblems)
		problems = problems[:maxStructureProblems]
	}
	return problems, bad
}

// leaves collects the errors that have no causes: the keywords that failed.
func leaves(e *jsonschema.ValidationError, found *[]finding) {
	for _, cause := range e.Causes {
		leaves(cause, found)
	}
	if len(e.Causes) > 0 {
		return
	}
	file, rule, _ := strings.Cut(strings.TrimPrefix(e.AbsoluteKeywordLocation, schemas.Base), "#")
	*found = append(*found, finding{
		schema: file, rule: unescapeURL(rule), instance: unescapeURL(e.InstanceLocation),
		name: strings.Contains(e.KeywordLocation, "/propertyNames"), message: e.Message,
	})
}

// unescapeURL turns a URL fragment into a JSON pointer.
func unescapeURL(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// explain puts one finding into words and says which values are spoilt.
func (r *rules) explain(f finding, d document, at *jsontext.Node) (Problems, []string) {
	cut := strings.LastIndexByte(f.rule, '/')
	if cut < 0 {
		return Problems{problem(CodeSchemaInvalid, d.place(at), f.message, "")}, []string{""}
	}
	keyword, owner := f.rule[cut+1:], f.rule[:cut]
	schema := r.trees[f.schema].At(owner)
	code := r.code(f.schema, f.rule)
	value := at.At(f.instance)
	switch {
	case value == nil || schema == nil:
		return Problems{problem(code, d.place(at), f.message, "")}, []string{""}
	case f.name:
		if keyword == "minLength" { // the validator's place of an empty name is the object's own
			f.instance += "/"
			value = at.At(f.instance)
		}
		p := problem(code, d.keyPlace(value), nameText(value, keyword, schema.Get(keyword)), "")
		return Problems{p}, []string{f.instance}
	case keyword == "additionalProperties":
		return r.unknownKeys(f, d, schema, value)
	case keyword == "required":
		return r.missingKeys(f, d, schema, value)
	}
	text, hint := valueText(keyword, schema, value, f.message)
	return Problems{problem(code, d.place(value), text, hint)}, []string{f.instance}
}

// code returns the problem code of a rule: that of the innermost schema on the
// way to it that has one.
func (r *rules) code(file, pointer string) Code {
	n := r.trees[file]
	code := CodeInvalidJSON
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if c := n.Get("x-demi-code"); c != nil {
			code = Code(c.Text)
		}
		if n = n.At("/" + token); n == nil {
			break
		}
	}
	return code
}

// unknownKeys makes a problem of each key that the schema does not know.
func (r *rules) unknownKeys(f finding, d document, schema, object *jsontext.Node) (problems Problems, bad []string) {
	known := schema.Get("properties")
	for i := range object.Members {
		m := &object.Members[i]
		if known.Get(m.Key) != nil {
			continue
		}
		code, text := CodeUnknownKey, fmt.Sprintf("unknown key %q", m.Key)
		right, how := nearestKey(schema, m.Key)
		switch {
		case f.schema == schemas.DataSchema:
			code, text = CodeSchemaInvalid, fmt.Sprintf("keyword %q is not supported", m.Key)
		case how == matchCase:
			code = CodeWrongCaseKey
		}
		problems = append(problems, problem(code, d.keyPlace(m.Value), text, keyHint(schema, right, how)))
		bad = append(bad, f.instance+"/"+jsontext.EscapeToken(m.Key))
	}
	return problems, bad
}

// missingKeys makes a problem of each required key that is absent.
func (r *rules) missingKeys(f finding, d document, schema, object *jsontext.Node) (problems Problems, bad []string) {
	for _, name := range schema.Get("required").Items {
		if object.Get(name.Text) != nil {
			continue
		}
		owner := f.rule[:strings.LastIndexByte(f.rule, '/')]
		code := r.code(f.schema, owner+"/properties/"+jsontext.EscapeToken(name.Text)+"/type")
		hint := ""
		for i := range object.Members {
			if right, how := nearestKey(schema, object.Members[i].Key); how != matchNone && right == name.Text {
				hint = fmt.Sprintf("is %q meant to be it?", object.Members[i].Key)
			}
		}
		problems = append(problems, problem(code, d.place(object), fmt.Sprintf("%q is missing", name.Text), hint))
	}
	return problems, []string{f.instance}
}
