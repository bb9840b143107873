package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The oracle is jsonschema v5 in draft 2020-12, over random schemas and random
// values that are mostly near to what the schema asks for. The differences, all
// documented in doc.go, are kept out of its sight:
//   - it counts code points where we count bytes, so it is shown every string
//     with one code point per byte;
//   - it accepts nulls in arrays, which we never do;
//   - it panics on NaN and infinities, which are never generated, and has no
//     opinion on whole numbers that no double equals.
//
// Enums and consts of arrays and objects, which are issues here, are not generated.

// dice makes random schemas and values.
type dice struct{ *rand.Rand }

func (d dice) pick(s ...string) string { return s[d.IntN(len(s))] }
func (d dice) often() bool             { return d.IntN(4) > 0 }
func (d dice) seldom() bool            { return d.IntN(6) == 0 }

var (
	diceNames   = []string{"a", "b", "c", "kids", "é", "x y", ""}
	diceStrings = []string{"", "a", "b", "ab", "é", "日本", "😀", "hello", "12345678901234567890123456789012345", "a\x00b", "q\"\\"}
	diceNumbers = []string{"0", "1", "-1", "2", "3", "5", "-0.0", "0.5", "1.5", "2.0", "5e0", "100", "127", "128", "-64", "-65", "255", "256", "1000", "-1000", "0.1",
		"1e3", "1e21", "9007199254740992", "-9007199254740992", "9007199254740994", "3.25", "70000", "1e-7"}
)

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (d dice) scalar() string {
	switch d.IntN(6) {
	case 0:
		return "null"
	case 1:
		return d.pick("true", "false")
	case 2, 3:
		return d.pick(diceNumbers...)
	}
	return quote(d.pick(diceStrings...))
}

// schema makes a schema at most depth levels deep.
func (d dice) schema(depth int, defs []string) string {
	if d.seldom() && len(defs) > 0 {
		return `{"$ref":"` + d.pick(defs...) + `"}`
	}
	var words []string
	word := func(name, value string) { words = append(words, quote(name)+":"+value) }
	types := []string{"integer", "number", "string", "boolean", "null"}
	if depth > 0 {
		types = append(types, "array", "object", "array", "object", "object")
	}
	t := d.pick(types...)
	switch d.IntN(8) {
	case 0:
		t = "" // untyped, with the keywords of a random one
		word("title", `"any"`)
	case 1:
		other := d.pick("string", "integer", "number", "object", "boolean", "null")
		if other == t {
			other = "array"
		}
		word("type", `["`+t+`","`+other+`"]`)
	default:
		word("type", quote(t))
	}
	if t == "" {
		t = d.pick(types...)
	}
	switch t {
	case "integer", "number":
		d.bounds(word)
	case "string":
		d.range2(word, "minLength", "maxLength", 8)
	case "array":
		d.range2(word, "minItems", "maxItems", 4)
		if d.often() {
			word("items", d.schema(depth-1, defs))
		}
	case "object":
		d.object(word, depth, defs)
	}
	if d.seldom() && t != "array" && t != "object" {
		list := map[string]bool{}
		var values []string
		for range 1 + d.IntN(4) {
			v := d.scalar()
			if n := normal(v); !list[n] {
				list[n] = true
				values = append(values, v)
			}
		}
		word("enum", "["+strings.Join(values, ",")+"]")
	}
	d.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return "{" + strings.Join(words, ",") + "}"
}

// normal spells equal numbers equally.
func normal(text string) string {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	if f, ok := v.(float64); ok {
		return fmt.Sprint(f + 0)
	}
	return text
}

func (d dice) bounds(word func(name, value string)) {
	lows, highs := []string{"0", "-1", "-100", "0.5", "1", "-9007199254740992"}, []string{"2", "5", "100", "255", "256", "1.5", "1000", "9007199254740992", "1e21"}
	if d.often() {
		word(d.pick("minimum", "minimum", "exclusiveMinimum"), d.pick(lows...))
	}
	if d.often() {
		word(d.pick("maximum", "maximum", "exclusiveMaximum"), d.pick(highs...))
	}
}

func (d dice) range2(word func(name, value string), low, high string, most int) {
	n := d.IntN(most)
	if d.often() {
		word(high, fmt.Sprint(n))
	}
	if d.IntN(2) == 0 {
		word(low, fmt.Sprint(d.IntN(n+1)))
	}
}

func (d dice) object(word func(name, value string), depth int, defs []string) {
	var props, required []string
	names := d.Perm(len(diceNames))[:d.IntN(5)]
	for _, i := range names {
		props = append(props, quote(diceNames[i])+":"+d.schema(depth-1, defs))
		if d.IntN(2) == 0 {
			required = append(required, quote(diceNames[i]))
		}
	}
	closed := d.IntN(2) == 0
	if !closed && d.seldom() {
		required = append(required, `"undeclared"`)
	}
	word("properties", "{"+strings.Join(props, ",")+"}")
	if len(required) > 0 {
		word("required", "["+strings.Join(required, ",")+"]")
	}
	switch {
	case closed:
		word("additionalProperties", "false")
	case d.seldom():
		word("additionalProperties", d.schema(depth-1, defs))
	case d.seldom():
		word("additionalProperties", "true")
	}
}

// document makes a whole schema, with definitions that may refer to one another.
func (d dice) document() string {
	if d.often() {
		return d.schema(3, nil)
	}
	defs := []string{"#/$defs/one", "#/$defs/two", "#"}
	body := d.schema(2, defs)
	return strings.TrimSuffix(body, "}") + `,"$defs":{"one":` + d.schema(1, nil) + `,"two":` + d.schema(2, defs[:1]) + `}}`
}

// value makes a value near to what a decoded schema asks for.
func (d dice) value(schema, root map[string]any, depth int) string {
	if ref, ok := schema["$ref"].(string); ok {
		target := root
		if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
			target = root["$defs"].(map[string]any)[name].(map[string]any)
		}
		schema = target
	}
	if list, ok := schema["enum"].([]any); ok && d.often() {
		b, _ := json.Marshal(list[d.IntN(len(list))])
		return string(b)
	}
	t, _ := schema["type"].(string)
	if list, ok := schema["type"].([]any); ok {
		t = list[d.IntN(len(list))].(string)
	}
	if t == "" || d.IntN(12) == 0 {
		t = d.pick("string", "number", "array", "object", "boolean", "null")
	}
	switch {
	case t == "array" && depth > 0:
		items, _ := schema["items"].(map[string]any)
		var list []string
		for range d.IntN(4) {
			list = append(list, d.value(items, root, depth-1))
		}
		return "[" + strings.Join(list, ",") + "]"
	case t == "object" && depth > 0:
		return d.members(schema, root, depth)
	case t == "array":
		return "[]"
	case t == "object":
		return "{}"
	case t == "string":
		return quote(d.pick(diceStrings...))
	case t == "boolean":
		return d.pick("true", "false")
	case t == "null":
		return "null"
	}
	return d.pick(diceNumbers...)
}

func (d dice) members(schema, root map[string]any, depth int) string {
	props, _ := schema["properties"].(map[string]any)
	extra, _ := schema["additionalProperties"].(map[string]any)
	var list []string
	for _, name := range append(diceNames[:len(diceNames):len(diceNames)], "undeclared", "zz") {
		p, declared := props[name].(map[string]any)
		switch {
		case declared && d.IntN(8) > 0:
			list = append(list, quote(name)+":"+d.value(p, root, depth-1))
		case !declared && d.IntN(10) == 0 || name == "undeclared" && d.IntN(2) == 0 && schema["additionalProperties"] != false:
			list = append(list, quote(name)+":"+d.value(extra, root, depth-1))
		}
	}
	d.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return "{" + strings.Join(list, ",") + "}"
}

// bytesAsRunes gives every string one code point per UTF-8 byte, and says whether
// an array holds a null.
func bytesAsRunes(v any) (shown any, hole bool) {
	switch v := v.(type) {
	case string:
		r := make([]rune, len(v))
		for i := range len(v) {
			r[i] = rune(v[i])
		}
		return string(r), false
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var h bool
			list[i], h = bytesAsRunes(v[i])
			hole = hole || h || v[i] == nil
		}
		return list, hole
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			name, _ := bytesAsRunes(k)
			var h bool
			m[name.(string)], h = bytesAsRunes(e)
			hole = hole || h
		}
		return m, hole
	}
	return v, false
}

// compare puts one random schema and some random values to both.
func compare(t *testing.T, seed uint64) (compiled, accepted, refused int) {
	d := dice{rand.New(rand.NewPCG(seed, 7))}
	text := d.document()
	p, issues := compile(text)
	if p == nil {
		for _, i := range issues {
			// Only contradictions and nulls in arrays may be generated.
			if !i.Warning && !strings.Contains(i.Text, "lies between") && !strings.Contains(i.Text, "forbid") &&
				!strings.Contains(i.Text, "cannot hold null") && !strings.Contains(i.Text, "circle") {
				t.Fatalf("seed %d: %s: %+v", seed, text, i)
			}
		}
		return
	}
	var schema map[string]any
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	shown, _ := bytesAsRunes(schema)
	shownText, _ := json.Marshal(shown)
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource("schema.json", bytes.NewReader(shownText)); err != nil {
		t.Fatal(err)
	}
	oracle, err := c.Compile("schema.json")
	if err != nil {
		t.Fatalf("seed %d: the oracle does not compile %s: %v", seed, text, err)
	}
	var v, w Value
	for range 8 {
		value := d.value(schema, schema, 4)
		var decoded any
		if err := json.Unmarshal([]byte(value), &decoded); err != nil {
			t.Fatal(err)
		}
		ours := p.DecodeJSON([]byte(value), Limits{}, &v)
		shown, hole := bytesAsRunes(decoded)
		if hole {
			if ours == nil {
				t.Fatalf("seed %d: %s under %s: a null in an array is accepted", seed, value, text)
			}
			continue
		}
		theirs := oracle.Validate(shown)
		if (ours == nil) != (theirs == nil) {
			t.Fatalf("seed %d: %s\nunder %s\nours:   %v\noracle: %v", seed, value, text, ours, theirs)
		}
		if ours != nil {
			refused++
			r := ours.(*Refusal)
			if r.Reason() != SchemaViolation || r.Text() == "refused" || !strings.HasPrefix(r.SchemaPath()+"/", r.schema.pointer+"/") {
				t.Fatalf("seed %d: %s under %s: %v at %s", seed, value, text, ours, r.SchemaPath())
			}
			continue
		}
		accepted++
		b := p.AppendWire(nil, &v)
		if err := p.DecodeWire(b, Limits{}, &w); err != nil || !v.Equal(&w) || v.String() != w.String() {
			t.Fatalf("seed %d: %s under %s: % x comes back as %v, %s", seed, value, text, b, err, &w)
		}
		if n, ok := p.MinBytes(); !ok || n > len(b) {
			t.Fatalf("seed %d: %s under %s takes %d bytes, MinBytes is %d, %v", seed, value, text, len(b), n, ok)
		}
	}
	return 1, accepted, refused
}

func TestSameVerdictsAsTheOracle(t *testing.T) {
	compiled, accepted, refused := 0, 0, 0
	for seed := range uint64(2000) {
		c, a, r := compare(t, seed)
		compiled, accepted, refused = compiled+c, accepted+a, refused+r
	}
	t.Logf("%d schemas, %d values accepted, %d refused by both", compiled, accepted, refused)
	if compiled < 1000 || accepted < 2000 || refused < 2000 {
		t.Errorf("%d schemas, %d accepted, %d refused: the generator does not try enough", compiled, accepted, refused)
	}
}

func FuzzOracle(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { compare(t, seed) })
}
