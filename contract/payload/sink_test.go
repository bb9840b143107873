package payload

import (
	"slices"
	"strings"
	"testing"
)

func TestRefusalsSayWhereAndWhy(t *testing.T) {
	const schema = `{"type":"object","required":["n"],"properties":{
		"n":{"type":"integer","minimum":1,"exclusiveMaximum":10},
		"s":{"type":"string","minLength":2,"maxLength":4},
		"a~/b":{"type":"array","minItems":1,"maxItems":2,"items":{"$ref":"#/$defs/pos"}},
		"e":{"enum":["x",2]}, "c":{"const":true},
		"o":{"type":["object","null"],"additionalProperties":false,"properties":{"k":{}}}},
		"$defs":{"pos":{"type":"number","exclusiveMinimum":0}}}`
	p := mustCompile(t, schema)
	for _, tc := range []struct{ value, want, rule string }{
		{`5`, "schema_violation: expected object, got integer", "/type"},
		{`{}`, `schema_violation: "n" is required`, "/required"},
		{`{"n":0}`, "schema_violation: /n: must be at least 1", "/properties/n/minimum"},
		{`{"n":10}`, "schema_violation: /n: must be less than 10", "/properties/n/exclusiveMaximum"},
		{`{"n":1.5}`, "schema_violation: /n: expected integer, got number", "/properties/n/type"},
		{`{"n":"1"}`, "schema_violation: /n: expected integer, got string", "/properties/n/type"},
		{`{"n":1,"s":"a"}`, "schema_violation: /s: 1 bytes of text, at least 2 are asked for", "/properties/s/minLength"},
		{`{"n":1,"s":"abcde"}`, "schema_violation: /s: 5 bytes of text, at most 4 are allowed", "/properties/s/maxLength"},
		{`{"n":1,"a~/b":[]}`, "schema_violation: /a~0~1b: 0 items, at least 1 are asked for", "/properties/a~0~1b/minItems"},
		{`{"n":1,"a~/b":[1,1,1]}`, "schema_violation: /a~0~1b/2: more than 2 items", "/properties/a~0~1b/maxItems"},
		{`{"n":1,"a~/b":[1,0]}`, "schema_violation: /a~0~1b/1: must be greater than 0", "/$defs/pos/exclusiveMinimum"},
		{`{"n":1,"e":"y"}`, "schema_violation: /e: not one of the values that the schema lists", "/properties/e/enum"},
		{`{"n":1,"e":[]}`, "schema_violation: /e: not one of the values that the schema lists", "/properties/e/enum"},
		{`{"n":1,"c":false}`, "schema_violation: /c: not one of the values that the schema lists", "/properties/c/const"},
		{`{"n":1,"o":{"j":1}}`, "schema_violation: /o/j: the schema does not allow this name", "/properties/o/additionalProperties"},
		{`{"n":1,"o":1}`, "schema_violation: /o: expected null or object, got integer", "/properties/o/type"},
		{`{"n":1,"o":{"k":[{"x":[null]}]}}`, "schema_violation: /o/k/0/x/0: an array cannot hold null", ""},
		{`{"n":1,"n":1}`, "malformed: /n: the name is given twice", ""},
		{`{"n":1,"o":{"k":1,"k":1}}`, "malformed: /o/k: the name is given twice", ""},
		{`{"n":1,"z":1,"y":2,"z":{}}`, "malformed: /z: the name is given twice", ""},
		{`{"n":1,"z":{"y":1e999}}`, "non_finite: /z/y: the number is not finite", ""},
		{`{"n":9007199254740993}`, "schema_violation: /n: a double cannot hold this integer exactly", "/properties/n"},
		{`{"n":1,"z":"` + strings.Repeat("x", 1025) + `"}`, "string_too_long: /z: 1025 bytes of text, the limit is 1024", ""},
		{`{"n":1,"` + strings.Repeat("x", 1025) + `":1}`, "string_too_long: 1025 bytes of text, the limit is 1024", ""},
		{`{"n":1,"z":[[[[[[[[[[[[1]]]]]]]]]]]]}`, "excessive_depth: /z/0/0/0/0/0/0/0/0/0/0/0: more than 12 levels of nesting", ""},
		{`{"n":1,"z":[` + strings.Repeat("1,", 255) + `1]}`, "excessive_elements: /z/254: more than 256 items and members", ""},
		{`{"n":1`, "truncated: not JSON at byte 6: the text ends before the value does", ""},
		{`{"n":1,"z":tru}`, "malformed: /z: not JSON at byte 14: this character cannot stand here", ""},
		{"\xef\xbb\xbf{}", "malformed: not JSON at byte 0: this character cannot stand here", ""},
	} {
		var v Value
		err := p.DecodeJSON([]byte(tc.value), Limits{}, &v)
		if err == nil {
			t.Errorf("%.60s is accepted as %s", tc.value, &v)
			continue
		}
		if err.Error() != tc.want {
			t.Errorf("%.60s:\n got %v\nwant %s", tc.value, err, tc.want)
		}
		if rule := err.(*Refusal).SchemaPath(); tc.rule != "" && rule != tc.rule {
			t.Errorf("%.60s: broke %q, want %q", tc.value, rule, tc.rule)
		}
	}
}

// A Lua source asks for the members that the schema declares and hands over
// the rest by name; the order never shows.
func TestMembersInAnyOrderGiveOneForm(t *testing.T) {
	p := mustCompile(t, `{"type":"object","required":["m"],"properties":{"m":{"type":"integer"},"b":{"type":"boolean"}}}`)
	members := []string{"m", "b", "z", "a", "c"}
	var want []byte
	d := []int{0, 1, 2, 3, 4}
	var permute func(n int)
	permute = func(n int) {
		if n > 0 {
			for i := range n {
				d[i], d[n-1] = d[n-1], d[i]
				permute(n - 1)
				d[i], d[n-1] = d[n-1], d[i]
			}
			return
		}
		var s Sink
		var v Value
		s.Reset(p, Limits{}, &v)
		s.BeginObject()
		for _, i := range d {
			s.Name(members[i])
			switch members[i] {
			case "b":
				s.Bool(true)
			case "z":
				s.BeginArray()
				s.Int(1)
				s.End()
			default:
				s.Int(int64(i))
			}
		}
		s.End()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got := v.String(); got != `{"b":true,"m":0,"a":3,"c":4,"z":[1]}` {
			t.Fatalf("order %v gives %s", d, got)
		}
		b := p.AppendWire(nil, &v)
		if want == nil {
			want = b
		}
		if !slices.Equal(b, want) {
			t.Fatalf("order %v gives % x, another gave % x", d, b, want)
		}
	}
	permute(len(d))
}

func TestFieldsOfTheOpenObject(t *testing.T) {
	p := mustCompile(t, `{"type":"object","additionalProperties":false,"properties":{"y":{"type":"string"},"x":{"type":["array","null"]}}}`)
	var s Sink
	var v Value
	s.Reset(p, Limits{}, &v)
	if k := s.Kinds(); !k.Has(Object) || k.Has(Array) {
		t.Errorf("root kinds %b", k)
	}
	s.BeginObject()
	if s.Fields() != 2 || s.Open() || s.Kinds() != 0 {
		t.Errorf("%d fields, open %v, kinds %b between members", s.Fields(), s.Open(), s.Kinds())
	}
	for i, want := range []string{"x", "y"} {
		if got := p.Strings()[s.FieldID(i)]; got != want {
			t.Errorf("field %d is %q, want %q", i, got, want)
		}
	}
	s.Field(1)
	s.String("t")
	s.Field(0)
	if k := s.Kinds(); !k.Has(Array) || !k.Has(Null) || k.Has(Object) {
		t.Errorf("kinds of x %b", k)
	}
	s.Empty()
	s.End()
	if err := s.Close(); err != nil || v.String() != `{"x":[],"y":"t"}` {
		t.Fatalf("%v %s", err, &v)
	}
	x := v.Root().First()
	if p.Strings()[x.KeyID()] != "x" || x.Next().TextID() != -1 || v.Root().KeyID() != -1 {
		t.Errorf("KeyID %d, TextID %d", x.KeyID(), x.Next().TextID())
	}
	s.Reset(p, Limits{}, &v)
	if s.BeginArray(); s.Kinds() != 0 {
		t.Errorf("kinds %b after a refusal", s.Kinds())
	}
}

func TestAnEmptyTableIsWhatTheSchemaSays(t *testing.T) {
	for schema, want := range map[string]string{
		`{}`:                            `{}`,
		`{"type":"array"}`:              `[]`,
		`{"type":"object"}`:             `{}`,
		`{"type":["array","object"]}`:   `{}`,
		`{"type":["array","string"]}`:   `[]`,
		`{"type":"string"}`:             "",
		`{"type":"array","minItems":1}`: "",
	} {
		var s Sink
		var v Value
		s.Reset(mustCompile(t, schema), Limits{}, &v)
		s.Empty()
		if err := s.Close(); (err == nil) != (want != "") || err == nil && v.String() != want {
			t.Errorf("%s: %v, %s", schema, err, &v)
		}
	}
}

func TestMistakesOfASourcePanic(t *testing.T) {
	p := Any()
	for name, do := range map[string]func(s *Sink){
		"two values":                func(s *Sink) { s.Null(); s.Null() },
		"a name in an array":        func(s *Sink) { s.BeginArray(); s.Name("a") },
		"a name at the root":        func(s *Sink) { s.Name("a") },
		"a member without name":     func(s *Sink) { s.BeginObject(); s.Null() },
		"two names":                 func(s *Sink) { s.BeginObject(); s.Name("a"); s.Name("b") },
		"an end too many":           func(s *Sink) { s.BeginArray(); s.End(); s.End() },
		"an end without the member": func(s *Sink) { s.BeginObject(); s.Name("a"); s.End() },
	} {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, "payload: BUG: ") {
					t.Errorf("%s: panics with %q", name, r)
				}
			}()
			var s Sink
			var v Value
			s.Reset(p, Limits{}, &v)
			do(&s)
		}()
	}
	var s Sink
	var v Value
	s.Reset(p, Limits{}, &v)
	s.BeginArray()
	if err := s.Close(); ReasonOf(err) != Malformed {
		t.Errorf("an open container at the end: %v", err)
	}
}

func TestAValueIsASourceOfItsOwn(t *testing.T) {
	const text = `{"a":[1,2.5,"xy",true,{"k":{}}],"b":null,"e":"two"}`
	p := mustCompile(t, `{"properties":{"e":{"enum":["one","two"]},"b":{"type":["null","string"]}}}`)
	var v, w Value
	if err := Any().DecodeJSON([]byte(text), Limits{}, &v); err != nil {
		t.Fatal(err)
	}
	var s Sink
	s.Reset(p, Limits{}, &w)
	if !v.Root().Describe(&s) || s.Close() != nil || !w.Equal(&v) || w.Plan() != p || w.Root().Lookup("e").TextID() < 0 {
		t.Errorf("%v: %s", s.Err(), &w)
	}
	s.Reset(mustCompile(t, `{"type":"object","properties":{"a":{"items":{"type":"number"}}}}`), Limits{}, &w)
	if v.Root().Describe(&s) || s.Close() == nil || s.Err().(*Refusal).Path() != "/a/2" {
		t.Errorf("%v", s.Err())
	}
}

func TestCursors(t *testing.T) {
	var v Value
	if v.Root().Valid() || v.Root().Kind() != Null || v.String() != "null" || !v.Empty() {
		t.Error("an empty value is something")
	}
	if err := Any().DecodeJSON([]byte(`{"a":[1,2.5,"x",true,null2]}`), Limits{}, &v); err == nil {
		t.Error("null2 is accepted")
	}
	if err := Any().DecodeJSON([]byte(`{"a":[1,2.5,"xy",true,{"k":{}}],"b":null}`), Limits{}, &v); err != nil {
		t.Fatal(err)
	}
	a := v.Root().Lookup("a")
	switch {
	case v.Root().Len() != 2, a.Len() != 5, a.At(0).Int() != 1, a.At(0).Float() != 1, a.At(1).Float() != 2.5, a.At(1).Int() != 0,
		string(a.At(2).Text()) != "xy", a.At(2).Len() != 2, !a.At(3).Bool(), a.At(5).Valid(), a.At(-1).Valid(),
		a.At(4).Lookup("k").Kind() != Object, a.At(4).Lookup("k").First().Valid(), a.Lookup("x").Valid(), v.Root().Lookup("c").Valid(),
		v.Root().Lookup("b").Kind() != Null, !v.Root().Lookup("b").Valid(), string(a.Next().Key()) != "b", a.Next().Next().Valid(), a.At(0).Key() != nil:
		t.Errorf("a cursor misreads %s", &v)
	}
	c := v.Clone()
	var set Value
	set.Set(&v)
	before := v.String()
	if err := Any().DecodeJSON([]byte(`{"a":"overwritten entirely"}`), Limits{}, &v); err != nil {
		t.Fatal(err)
	}
	if c.String() != before || set.String() != before || !c.Equal(&set) || c.Equal(&v) {
		t.Errorf("copies share memory: %s, %s", c, &set)
	}
	// The same value under another plan has another order of members, and is equal.
	other := mustCompile(t, `{"properties":{"b":{}}}`)
	var w Value
	if err := other.DecodeJSON([]byte(before), Limits{}, &w); err != nil || !w.Equal(c) || !c.Equal(&w) || w.String() == before {
		t.Errorf("%v: %s and %s", err, &w, before)
	}
	for _, text := range []string{`{"a":1}`, `{"a":[1],"b":null}`, `[]`, `{"b":null,"c":1}`} {
		if err := other.DecodeJSON([]byte(text), Limits{}, &w); err != nil || w.Equal(c) || c.Equal(&w) {
			t.Errorf("%s equals %s", text, before)
		}
	}
}
