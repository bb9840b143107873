package payload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"demi.network/contract/jsontext"
)

func TestIssuesOfSchemas(t *testing.T) {
	for _, tc := range []struct{ schema, pointer, text string }{
		{`5`, "", "a schema must be an object, not number"},
		{`{"properties":{"a":true}}`, "/properties/a", "a schema must be an object, not boolean"},
		{`{"Type":"object"}`, "/Type", `keyword "Type" is not supported`},
		{`{"frobnicate":1}`, "/frobnicate", `keyword "frobnicate" is not supported`},
		{`{"type":"int"}`, "/type", "this is not a type"},
		{`{"type":5}`, "/type", "this is not a type"},
		{`{"type":[]}`, "/type", "type lists no types"},
		{`{"type":["string","text"]}`, "/type/1", "this is not a type"},
		{`{"type":["string","null","string"]}`, "/type/2", `"string" is listed twice`},
		{`{"type":["null","null","null","null","null","null","null","null"]}`, "/type", "type lists more types than there are"},
		{`{"minimum":"0"}`, "/minimum", "this must be a number, not string"},
		{`{"exclusiveMinimum":true}`, "/exclusiveMinimum", "this must be a number, not boolean"},
		{`{"maximum":9007199254740993}`, "/maximum", "a double cannot hold this integer exactly"},
		{`{"type":"number","minimum":2,"maximum":1}`, "/minimum", "no number lies between the minimum and the maximum"},
		{`{"type":"number","exclusiveMinimum":1,"maximum":1}`, "/exclusiveMinimum", "no number lies between the minimum and the maximum"},
		{`{"type":"integer","minimum":0.2,"maximum":0.8}`, "/minimum", "no number lies between the minimum and the maximum"},
		{`{"maxLength":-1}`, "/maxLength", "maxLength must be a whole number from 0 on"},
		{`{"maxItems":1.5}`, "/maxItems", "maxItems must be a whole number from 0 on"},
		{`{"minLength":3,"maxLength":2}`, "/minLength", "minLength is above maxLength"},
		{`{"minItems":3,"maxItems":2}`, "/minItems", "minItems is above maxItems"},
		{`{"items":[{}]}`, "/items", "a schema must be an object, not array"},
		{`{"properties":[]}`, "/properties", "properties must be an object of schemas, not array"},
		{`{"additionalProperties":1}`, "/additionalProperties", "additionalProperties must be true, false or a schema, not number"},
		{`{"required":"a"}`, "/required", "required must be an array of names, not string"},
		{`{"required":[1]}`, "/required/0", "required must list names, not number"},
		{`{"required":["a","a"]}`, "/required/1", `"a" is listed twice`},
		{`{"required":["a"],"additionalProperties":false}`, "/required/0", `"a" is required, but not declared and additional properties are not allowed`},
		{`{"enum":[]}`, "/enum", "enum must be an array of values"},
		{`{"enum":{}}`, "/enum", "enum must be an array of values"},
		{`{"enum":[1,1.0]}`, "/enum/1", "the value is listed twice"},
		{`{"enum":[[]]}`, "/enum/0", "arrays and objects cannot be listed as values"},
		{`{"const":{}}`, "/const", "arrays and objects cannot be listed as values"},
		{`{"type":"string","enum":[1,2]}`, "/enum", "the other rules of this schema forbid every value listed"},
		{`{"type":"integer","maximum":3,"const":4}`, "/const", "the other rules of this schema forbid every value listed"},
		{`{"enum":["a","b"],"const":"c"}`, "/const", "the other rules of this schema forbid every value listed"},
		{`{"$defs":5}`, "/$defs", "$defs must be an object of schemas, not number"},
		{`{"$defs":{"unused":{"type":"int"}}}`, "/$defs/unused/type", "this is not a type"},
		{`{"$ref":5}`, "/$ref", "$ref must be a string, not number"},
		{`{"$ref":"#/$defs/a"}`, "/$ref", "the reference leads nowhere"},
		{`{"$ref":"#a"}`, "/$ref", "the reference is not # and a JSON pointer"},
		{`{"$ref":"#/%zz"}`, "/$ref", "the reference is not # and a JSON pointer"},
		{`{"properties":{"a":{"$ref":"#/properties"}}}`, "/properties/a/$ref", "the reference does not lead to a schema"},
		{`{"properties":{"a":{"$ref":"#/required"}},"required":["a"]}`, "/properties/a/$ref", "the reference does not lead to a schema"},
		{`{"$ref":"#/$defs/a","type":"string","$defs":{"a":{}}}`, "/type", `"type" beside $ref is not supported`},
		{`{"items":{"type":["string","null"]}}`, "/items", "an array cannot hold null: for a script it would be a hole"},
		{`{"items":{"$ref":"#/$defs/n"},"$defs":{"n":{"enum":[1,null]}}}`, "/items", "an array cannot hold null: for a script it would be a hole"},
	} {
		p, issues := compile(tc.schema)
		if p != nil {
			t.Errorf("%s compiles", tc.schema)
		}
		issues = slices.DeleteFunc(issues, func(i Issue) bool { return i.Warning })
		if len(issues) != 1 || issues[0].Pointer != tc.pointer || issues[0].Text != tc.text || issues[0].Pos.Line != 1 {
			t.Errorf("%s:\n got %+v\nwant %s at %q", tc.schema, issues, tc.text, tc.pointer)
		}
	}
}

func TestIssuesComeAllAtOnceInOrder(t *testing.T) {
	_, issues := compile(`{"pattern":"x","properties":{"b":{"type":"int"},"a":{"oneOf":[]}},"maxlength":3,"definitions":{}}`)
	var got []string
	for _, i := range issues {
		got = append(got, i.Pointer+" "+i.Hint)
	}
	want := []string{
		"/pattern bound the length with maxLength, or list the values with enum; the game checks the rest",
		"/properties/b/type write integer",
		"/properties/a/oneOf write the rules in one schema; type may list several types",
		"/maxlength write maxLength",
		"/definitions write $defs",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestKeywordsWithoutEffectAreWarnings(t *testing.T) {
	for _, tc := range []struct{ schema, pointer string }{
		{`{"type":"integer","maxLength":3}`, "/maxLength"},
		{`{"type":"string","maximum":3}`, "/maximum"},
		{`{"type":"string","items":{}}`, "/items"},
		{`{"type":"array","properties":{}}`, "/properties"},
		{`{"type":"string","enum":["a",1]}`, "/enum/1"},
	} {
		p, issues := compile(tc.schema)
		if p == nil || len(issues) != 1 || !issues[0].Warning || issues[0].Pointer != tc.pointer {
			t.Errorf("%s: %v %+v, want a plan and one warning at %s", tc.schema, p != nil, issues, tc.pointer)
		}
	}
}

// A schema inside a contract is a document of its own: its pointers and its
// references begin at the schema, its places are those of the file.
func TestInlineSchemasAreDocumentsOfTheirOwn(t *testing.T) {
	doc, _ := jsontext.Parse([]byte("{\"messages\": {\"m\": {\"schema\":\n {\"items\": {\"$ref\": \"#/$defs/v\"}, \"$defs\": {\"v\": {\"type\": \"int\"}}}}}}"))
	_, issues := Compile(doc.At("/messages/m/schema"))
	if len(issues) != 1 || issues[0].Pointer != "/$defs/v/type" || issues[0].Pos.Line != 2 {
		t.Errorf("%+v", issues)
	}
}

func TestAnnotationsMeanNothing(t *testing.T) {
	p := mustCompile(t, `{"$schema":"https://json-schema.org/draft/2020-12/schema","$comment":"c","title":"t","description":"d","default":5,"format_version":1,"type":"string"}`)
	if n := p.schemas[p.root]; n.form != formString {
		t.Errorf("form %d", n.form)
	}
}

func TestMinBytes(t *testing.T) {
	for _, tc := range []struct {
		schema string
		want   int
		ok     bool
	}{
		{`{}`, 1, true},
		{`{"const":1}`, 0, true},
		{`{"type":"string","minLength":200}`, 202, true},
		{`{"type":"array","minItems":3,"items":{"type":"integer"}}`, 4, true},
		{`{"type":"array","minItems":3,"maxItems":3,"items":{"type":"boolean"}}`, 3, true},
		{`{"type":"object","required":["a","b"],"properties":{"a":{"type":"boolean"},"b":{"type":"number"},"c":{}}}`, 3, true},
		{`{"type":["string","array"],"minLength":5,"minItems":2,"items":{"type":"integer"}}`, 3, true},
		// A list that must have another link in each link never ends.
		{`{"type":"object","required":["next"],"properties":{"next":{"$ref":"#"}}}`, 0, false},
		{`{"type":"object","required":["next"],"properties":{"next":{"$ref":"#/$defs/maybe"}},"$defs":{"maybe":{"type":["object","null"],"required":["next"],"properties":{"next":{"$ref":"#"}}}}}`, 2, true},
		{`{"type":"array","minItems":1,"items":{"$ref":"#"}}`, 0, false},
	} {
		n, ok := mustCompile(t, tc.schema).MinBytes()
		if ok != tc.ok || ok && n != tc.want {
			t.Errorf("%s: %d, %v; want %d, %v", tc.schema, n, ok, tc.want, tc.ok)
		}
	}
}

// Work at load is in proportion to the document, whatever its references
// do. Each of these is exponential, quadratic or endless for a compiler that
// follows every reference anew.
func TestCompilingIsLinear(t *testing.T) {
	chain := func(n int, def func(i int) string) string {
		var b strings.Builder
		fmt.Fprintf(&b, `{"$ref":"#/$defs/l%d","$defs":{"l0":{"type":"string"}`, n)
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, `,"l%d":%s`, i, def(i))
		}
		b.WriteString("}}")
		return b.String()
	}
	doubling := chain(MaxSchemas/4, func(i int) string {
		return fmt.Sprintf(`{"properties":{"a":{"$ref":"#/$defs/l%d"},"b":{"$ref":"#/$defs/l%d"}}}`, i-1, i-1)
	})
	p := mustCompile(t, doubling)
	if len(p.schemas) > MaxSchemas {
		t.Errorf("%d places", len(p.schemas))
	}
	mustCompile(t, chain(MaxSchemas-10, func(i int) string { return fmt.Sprintf(`{"$ref":"#/$defs/l%d"}`, i-1) }))
	if p, issues := compile(chain(MaxSchemas, func(int) string { return `{}` })); p != nil || len(issues) != 1 {
		t.Errorf("more than MaxSchemas places: %v, %d issues, want one", p != nil, len(issues))
	}
}

// FuzzCompile holds that no document makes the compiler panic, that it says
// something about each it refuses, and that a plan takes and gives values.
func FuzzCompile(f *testing.F) {
	for _, tc := range forms {
		f.Add([]byte(tc.schema), []byte(tc.value))
	}
	f.Add([]byte(benchSchema), []byte(benchValue))
	f.Add([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`), []byte(`1`))
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		doc, _ := jsontext.Parse(schema)
		if doc == nil {
			return
		}
		p, issues := Compile(doc)
		if p == nil {
			if len(issues) == 0 {
				t.Fatal("refused without an issue")
			}
			return
		}
		var v, w Value
		if p.DecodeJSON(value, Limits{}, &v) != nil {
			return
		}
		b := p.AppendWire(nil, &v)
		if err := p.DecodeWire(b, Limits{Bytes: len(b) + 1}, &w); err != nil || !v.Equal(&w) {
			t.Fatalf("%s under %s: % x comes back as %v, %s", value, schema, b, err, w.String())
		}
		if n, ok := p.MinBytes(); !ok || n > len(b) {
			t.Fatalf("%s under %s takes %d bytes, MinBytes is %d, %v", value, schema, len(b), n, ok)
		}
	})
}

// TestIssuesAreBounded: a schema that is nothing but faults does not fill
// memory, and warnings never crowd out the fault that refuses the schema.
func TestIssuesAreBounded(t *testing.T) {
	p, issues := compile(`{"required":[` + strings.Repeat(`"a",`, 100_000) + `"a"]}`)
	if p != nil || len(issues) != MaxIssues || !strings.HasSuffix(issues[MaxIssues-1].Text, "more follow") {
		t.Errorf("plan %v, %d issues, the last %+v", p != nil, len(issues), issues[len(issues)-1])
	}
	idle := strings.Repeat(`{"type":"integer","maxLength":3},`, 300)
	text := `{"properties":{`
	for i, s := range strings.SplitAfter(idle, "},") {
		if s != "" {
			text += fmt.Sprintf(`"p%d":`, i) + s
			if i == 250 {
				break
			}
		}
	}
	p, issues = compile(text + `"z":{"type":"int"}}}`)
	if p != nil || len(issues) != MaxIssues+1 || issues[MaxIssues].Warning {
		t.Errorf("plan %v, %d issues: 251 warnings hide the error behind them", p != nil, len(issues))
	}
	p, issues = compile(text + `"z":{}}}`)
	if p == nil || len(issues) != MaxIssues {
		t.Errorf("plan %v, %d issues: warnings alone refuse nothing", p != nil, len(issues))
	}
}
