package tool

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"demi.network/contract"
	"demi.network/contract/jsontext"
	"demi.network/runtime/fault"
	"demi.network/schemas"
)

// Explanation says a rule of one contract in words.
type Explanation struct {
	Pointer  string
	Place    fault.Place
	Words    []string // sentences
	Value    string   // canonical JSON of what holds, defaults included
	Default  string   // as JSON; "" = none
	Range    string   // "an integer, 1 … 10000"; "" for a place that holds others
	Refusals []Refusal
}

// Refusal is what is refused because of a rule.
type Refusal struct {
	Reason string // as counters and last_error spell it, or an E_NET_* code
	Key    string // the key that causes it
	Words  string
}

// Explain prints what the rule at a JSON pointer means, where it stands, what
// holds when it is left out, and what is refused because of it. A pointer may
// lack its first slash; "" is the whole contract.
func Explain(w io.Writer, r Request, pointer string) error {
	c, err := loaded(r)
	if err != nil {
		return err
	}
	x, err := ExplainRule(c, pointer)
	if err != nil {
		return err
	}
	p := printer{w: w}
	if r.Style != Text {
		var refusals []map[string]any
		for _, f := range x.Refusals {
			refusals = append(refusals, map[string]any{"reason": f.Reason, "key": f.Key, "words": f.Words})
		}
		p.json(map[string]any{
			"event": "report", "pointer": x.Pointer, "path": x.Place.Path, "line": x.Place.Line, "column": x.Place.Column,
			"words": x.Words, "value": x.Value, "default": x.Default, "range": x.Range, "refusals": refusals,
		})
		return p.failure()
	}
	head := x.Pointer
	if head == "" {
		head = c.ID
	}
	if at := x.Place.String(); at != "" {
		head += "  (" + at + ")"
	}
	p.line("%s", head)
	for _, s := range x.Words {
		p.line("  %s", s)
	}
	if x.Range != "" {
		value := x.Value
		if value == "" {
			value = "not given"
		}
		p.line("  here: %s", value)
		text := x.Range
		if x.Default != "" {
			text += "; default " + x.Default
		}
		p.line("  allowed: %s", text)
	}
	for _, f := range x.Refusals {
		p.line("  refuses %s (%s): %s", f.Reason, f.Key, f.Words)
	}
	return p.failure()
}

// ExplainRule is Explain without printing.
func ExplainRule(c *contract.Contract, pointer string) (Explanation, error) {
	pointer = strings.TrimSuffix(strings.TrimPrefix(pointer, "#"), "/") // no name is empty
	if pointer != "" && pointer[0] != '/' {
		pointer = "/" + pointer
	}
	if rest, ok := strings.CutPrefix(pointer, "/prefabs"); ok && (rest == "" || rest[0] == '/') {
		pointer = "/replicated_prefabs" + rest
	}
	document, _ := jsontext.Parse([]byte(c.Document))
	x := Explanation{Pointer: pointer, Place: placeOf(c, pointer)}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	value := document.At(pointer)
	rule, known := ruleAt(tokens)
	if value == nil && !(known && (!strings.Contains(rule.Pattern, "*") || document.At(parent(pointer)) != nil)) {
		return x, nothingAt(document, pointer)
	}
	if value != nil {
		x.Value = c.Document[value.Pos.Offset:value.End]
	}
	x.fill(c, tokens, rule, value)
	return x, nil
}

// fill says what stands at a place that exists or may exist: rule is empty
// where no rule of the format speaks of the place itself.
func (x *Explanation) fill(c *contract.Contract, tokens []string, rule contract.Rule, value *jsontext.Node) {
	inner := contractRules()
	name := jsontext.UnescapeToken(tokens[len(tokens)-1])
	switch way := strings.Join(tokens[:len(tokens)-1], "/"); {
	case x.Pointer == "":
		x.Words = overview(c)
	case way == "messages" && value != nil:
		x.Words, x.Refusals = messageWords(c.Message(name)), refusalsOf(inner, "/messages/*/", value)
	case way == "replicated_prefabs" && value != nil:
		x.Words, x.Refusals = prefabWords(c.Prefab(name)), refusalsOf(inner, "/replicated_prefabs/*/", value)
	case way == "lockstep/commands" && value != nil:
		x.Words, x.Refusals = commandWords(c, name), refusalsOf(inner, "/lockstep/commands/*/", value)
	case way == "simulation/inputs" && value != nil:
		x.Words = inputWords(c, name)
	case fieldAt(c, tokens) != nil:
		f := fieldAt(c, tokens)
		x.Words, x.Refusals = fieldWords(f), refusalsOf(inner, "/replicated_prefabs/*/components/*/*/", value)
	case rule.Pattern != "":
		x.Words = []string{rule.Doc}
		if rule.Kind != "an object" {
			x.Range, x.Default = allowed(rule), rule.Default
		}
		for _, reason := range rule.Refusals {
			x.Refusals = append(x.Refusals, refusal(reason, lastKey(rule.Pattern)))
		}
		x.Refusals = append(x.Refusals, refusalsOf(inner, rule.Pattern+"/", value)...)
	case x.schema(tokens):
	case tokens[0] == "components" && value.Get("type") != nil:
		x.Words = []string{fmt.Sprintf("Declares a field of the type %s, for the rules of prefabs.", value.Get("type").Text)}
	default:
		x.Words = []string{"Part of " + parent(x.Pointer) + "."}
	}
}

// schema explains a place inside a payload schema; false for any other place.
func (x *Explanation) schema(tokens []string) bool {
	at := slices.Index(tokens, "schema")
	if at < 0 || !(at == 2 && tokens[0] == "messages" || at == 3 && tokens[1] == "commands") {
		return false
	}
	word, rest := schemaKeyword(tokens[at+1:])
	for _, r := range contract.Reference(schemas.DataSchema) {
		switch {
		case r.Pattern != "/"+word:
		case len(rest) == 0:
			x.Words, x.Range = []string{r.Doc}, allowed(r)
		case word == "properties":
			x.Words, x.Range = []string{fmt.Sprintf("The member %q of an object.", jsontext.UnescapeToken(rest[0]))}, "a schema"
		case word == "$defs":
			x.Words, x.Range = []string{fmt.Sprintf("The schema %q, for $ref to name.", jsontext.UnescapeToken(rest[0]))}, "a schema"
		default:
			x.Words, x.Range = []string{"One of a list: " + r.Doc}, "a value"
		}
	}
	x.Refusals = []Refusal{refusal("schema_violation", word)}
	return x.Words != nil
}

func parent(pointer string) string { return pointer[:strings.LastIndexByte(pointer, '/')] }

func contractRules() []contract.Rule { return contract.Reference(schemas.NetworkContract) }

// ruleAt finds the rule of a place. Below a component, objects between the
// component and the rule are one name with dots.
func ruleAt(tokens []string) (contract.Rule, bool) {
	for _, r := range contractRules() {
		pattern := strings.Split(r.Pattern[1:], "/")
		inComponent := len(pattern) == 6 && pattern[2] == "components"
		if len(pattern) != len(tokens) && !(inComponent && len(tokens) > len(pattern)) {
			continue
		}
		match := pattern[len(pattern)-1] == tokens[len(tokens)-1]
		for i := range pattern[:len(pattern)-1] {
			match = match && (pattern[i] == "*" || pattern[i] == tokens[i])
		}
		if match {
			return r, true
		}
	}
	return contract.Rule{}, false
}

// refusalsOf lists what the rules directly below a place refuse.
func refusalsOf(rules []contract.Rule, pattern string, value *jsontext.Node) []Refusal {
	var out []Refusal
	for _, r := range rules {
		rest, ok := strings.CutPrefix(r.Pattern, pattern)
		if !ok || strings.Contains(rest, "*") || len(r.Refusals) == 0 {
			continue
		}
		if value != nil && value.At("/"+rest) == nil {
			continue // an absent schema refuses nothing
		}
		for _, reason := range r.Refusals {
			out = append(out, refusal(reason, rest))
		}
	}
	return out
}

// refusalWords say what each reason means.
var refusalWords = map[string]string{
	"oversized":           "the payload has more bytes than allowed",
	"rate_limited":        "the sender sends more often than allowed",
	"entity_limit":        "the peer would own more entities than allowed",
	"excessive_depth":     "the payload is nested too deeply",
	"excessive_elements":  "the payload has too many values",
	"string_too_long":     "a text in the payload is too long",
	"unauthorized_sender": "the sender may not send or write this",
	"unauthorized_target": "the message names no entity, the wrong one, or one it must not name",
	"stale_generation":    "the target changed hands since the message was sent",
	"schema_violation":    "the payload is not what the schema says",
	"unknown_prefab":      "spawn names a prefab that is not declared",
	"not_server":          "only the server may spawn and transfer",
	"invalid_owner":       "spawn names no owner where one is needed, or one that is not connected",
}

func refusal(reason, key string) Refusal {
	words := refusalWords[reason]
	if e, ok := fault.Lookup(fault.Code(reason)); ok {
		words = e.Doc
	}
	return Refusal{reason, key, words}
}

func allowed(r contract.Rule) string {
	if r.Range == "" {
		return r.Kind
	}
	return r.Kind + ", " + r.Range
}

func lastKey(pattern string) string { return pattern[strings.LastIndexByte(pattern, '/')+1:] }

// nothingAt says what there is instead.
func nothingAt(document *jsontext.Node, pointer string) error {
	err := fault.New(fault.Config, "the contract has nothing at %q", pointer)
	err.Place.Pointer = pointer
	for at := pointer; at != ""; {
		at = at[:strings.LastIndexByte(at, '/')]
		n := document.At(at)
		if n == nil {
			continue
		}
		var names []string
		for i := range n.Members {
			names = append(names, n.Members[i].Key)
		}
		if len(names) > 0 {
			err.Hint = fmt.Sprintf("at %q there is %s", at, strings.Join(names, ", "))
		}
		break
	}
	return err
}

// placeOf is where a place stands in the file, or the nearest definition.
func placeOf(c *contract.Contract, pointer string) fault.Place {
	var best fault.Place
	length := -1
	for i := range c.Sections {
		for j := range c.Sections[i].Keys {
			at := c.Sections[i].Keys[j].Place
			if (pointer == at.Pointer || strings.HasPrefix(pointer, at.Pointer+"/")) && len(at.Pointer) > length && at.Line > 0 {
				best, length = at, len(at.Pointer)
			}
		}
	}
	for i := range c.Prefabs {
		for j := range c.Prefabs[i].Fields {
			at := c.Prefabs[i].Fields[j].Place
			if pointer == at.Pointer || strings.HasPrefix(pointer, at.Pointer+"/") {
				best = at
			}
		}
	}
	return best
}

// fieldAt finds the field whose rule stands at a place.
func fieldAt(c *contract.Contract, tokens []string) *contract.Field {
	if len(tokens) < 5 || tokens[0] != "replicated_prefabs" || tokens[2] != "components" {
		return nil
	}
	p := c.Prefab(jsontext.UnescapeToken(tokens[1]))
	if p == nil {
		return nil
	}
	path := jsontext.UnescapeToken(strings.Join(tokens[3:], "."))
	for i := range p.Fields {
		if p.Fields[i].Path == path {
			return &p.Fields[i]
		}
	}
	return nil
}
