package payload

import (
	"bytes"
	"encoding/hex"
	"testing"
)

// forms has, for each form of doc.go, a schema, a value as JSON and its bytes.
var forms = []struct{ name, schema, value, wire string }{
	{"null", `{"type":"null"}`, `null`, ``},
	{"one integer", `{"type":"integer","minimum":7,"maximum":7}`, `7`, ``},
	{"one integer between exclusive bounds", `{"type":"integer","exclusiveMinimum":6,"exclusiveMaximum":8}`, `7`, ``},
	{"one integer between fractions", `{"type":"integer","minimum":6.5,"maximum":7.5}`, `7`, ``},
	{"const", `{"const":"x"}`, `"x"`, ``},
	{"enum, first", `{"enum":["b","a",3,null,true]}`, `"b"`, `00`},
	{"enum, number", `{"enum":["b","a",3,null,true]}`, `3.0`, `02`},
	{"enum, null", `{"enum":["b","a",3,null,true]}`, `null`, `03`},
	{"enum, only what the type allows counts", `{"type":"string","enum":[1,"b","a"]}`, `"a"`, `01`},
	{"bool", `{"type":"boolean"}`, `true`, `01`},
	{"byte", `{"type":"integer","minimum":-100,"maximum":155}`, `155`, `ff`},
	{"offset", `{"type":"integer","minimum":1000}`, `1300`, `ac02`},
	{"offset at 2^53", `{"type":"integer","minimum":0}`, `9007199254740992`, `8080808080808010`},
	{"offset beyond 2^53", `{"type":"integer","minimum":0}`, `9007199254740994`, `81808080808080100100000000004043`},
	{"zigzag", `{"type":"integer"}`, `-2`, `03`},
	{"zigzag at -2^53", `{"type":"integer"}`, `-9007199254740992`, `ffffffffffffff1f`},
	{"zigzag beyond 2^53", `{"type":"integer"}`, `1e300`, `81808080808080209c7500883ce4377e`},
	{"zigzag though bounded above", `{"type":"integer","maximum":5}`, `5`, `0a`},
	{"number, small", `{"type":"number"}`, `-64`, `00`},
	{"number, small, most", `{"type":"number"}`, `127`, `bf`},
	{"number, one byte more", `{"type":"number"}`, `128`, `c20001`},
	{"number, -65", `{"type":"number"}`, `-65`, `c181`},
	{"number, seven bytes", `{"type":"number"}`, `-9007199254740992`, `c7ffffffffffff3f`},
	{"number, single", `{"type":"number"}`, `0.5`, `c80000003f`},
	{"number, double", `{"type":"number"}`, `0.1`, `c99a9999999999b93f`},
	{"number, smallest", `{"type":"number"}`, `5e-324`, `c90100000000000000`},
	{"number, largest", `{"type":"number"}`, `1.7976931348623157e308`, `c9ffffffffffffef7f`},
	{"number, negative zero", `{"type":"number"}`, `-0.0`, `40`},
	{"string", `{"type":"string"}`, `"a\u0000é"`, `046100c3a9`},
	{"array", `{"type":"array","items":{"type":"boolean"}}`, `[true,false]`, `020100`},
	{"fixed array", `{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer","minimum":0}}`, `[1,2]`, `0102`},
	{"array of nothing to say", `{"type":"array","items":{"const":1}}`, `[1,1,1]`, `03`},
	{"closed object of required members has no header", `{"type":"object","additionalProperties":false,"required":["b","a"],"properties":{"b":{"type":"integer"},"a":{"type":"integer"}}}`,
		`{"b":1,"a":2}`, `0402`},
	{"header: presence, then the value of a bool", `{"type":"object","additionalProperties":false,"required":["d"],"properties":{"a":{"type":"boolean"},"b":{"type":"integer"},"c":{"type":"boolean"},"d":{"type":"boolean"}}}`,
		`{"d":true,"a":true,"b":3}`, `2706`},
	{"header, all absent", `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"boolean"},"b":{"type":"integer"}}}`, `{}`, `00`},
	{"open object, others sorted", `{"type":"object","required":["m"],"properties":{"m":{"type":"integer"}}}`,
		`{"z":1,"m":1,"a":"s"}`, `02020161d173017a41`},
	{"object of others with a schema", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"3":30,"1":10}`, `0201311401333c`},
	{"untyped null", `{}`, `null`, `ca`},
	{"untyped bools", `{}`, `[false,true]`, `f2cbcc`},
	{"untyped string of 31", `{}`, `"1234567890123456789012345678901"`, `ef` + hex.EncodeToString([]byte("1234567890123456789012345678901"))},
	{"untyped string of 32", `{}`, `"12345678901234567890123456789012"`, `cf20` + hex.EncodeToString([]byte("12345678901234567890123456789012"))},
	{"untyped array of 8", `{}`, `[1,1,1,1,1,1,1,1]`, `cd084141414141414141`},
	{"untyped object of 8", `{}`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}`, `ce08` + `016141` + `016241` + `016341` + `016441` + `016541` + `016641` + `016741` + `016841`},
	{"untyped, with declared members", `{"properties":{"a":{"type":"integer"},"b":{"type":"boolean"}}}`, `{"b":true,"c":2,"a":1}`, `f90702016342`},
	{"two types", `{"type":["integer","null"]}`, `null`, `ca`},
	{"two types, number", `{"type":["integer","null"]}`, `5`, `45`},
	{"reference", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`, `1`, `02`},
	{"recursion", `{"type":"object","additionalProperties":false,"properties":{"kids":{"type":"array","items":{"$ref":"#"}}}}`,
		`{"kids":[{},{"kids":[]}]}`, `0102000100`},
}

func TestWireForms(t *testing.T) {
	for _, tc := range forms {
		t.Run(tc.name, func(t *testing.T) {
			p := mustCompile(t, tc.schema)
			want, err := hex.DecodeString(tc.wire)
			if err != nil {
				t.Fatal(err)
			}
			var v, w Value
			if err := p.DecodeJSON([]byte(tc.value), Limits{}, &v); err != nil {
				t.Fatalf("JSON source: %v", err)
			}
			if got := p.AppendWire(nil, &v); !bytes.Equal(got, want) {
				t.Fatalf("wire form % x, want % x", got, want)
			}
			if err := p.DecodeWire(want, Limits{}, &w); err != nil {
				t.Fatalf("wire source: %v", err)
			}
			if !v.Equal(&w) || v.String() != w.String() {
				t.Errorf("the wire gives %s, JSON gave %s", w.String(), v.String())
			}
			if n, ok := p.MinBytes(); !ok || n > len(want) {
				t.Errorf("MinBytes is %d, %v; this form has %d bytes", n, ok, len(want))
			}
			for n := range want {
				if ReasonOf(p.DecodeWire(want[:n], Limits{}, &w)) != Truncated {
					t.Errorf("the first %d bytes of % x: %v, want truncated", n, want, p.DecodeWire(want[:n], Limits{}, &w))
				}
				if !w.Empty() {
					t.Errorf("a refused payload left a value behind")
				}
			}
			if err := p.DecodeWire(append(want[:len(want):len(want)], 0), Limits{}, &w); ReasonOf(err) != Malformed {
				t.Errorf("a byte behind the value: %v, want malformed", err)
			}
		})
	}
}

// One value has one form: each of these says something that a shorter or
// ordered form says too, or nothing at all.
func TestOtherSpellingsAreMalformed(t *testing.T) {
	for _, tc := range []struct{ name, schema, wire string }{
		{"varint with a zero on top", `{"type":"integer"}`, `8000`},
		{"varint over 64 bits", `{"type":"integer"}`, `ffffffffffffffffff7f`},
		{"integer beyond 2^53 as zigzag", `{"type":"integer"}`, `8280808080808020`},
		{"small integer as a large one", `{"type":"integer"}`, `8180808080808020000000000000f03f`},
		{"fraction as a large integer", `{"type":"integer"}`, `8180808080808020000000000000e03f`},
		{"infinity as a large integer", `{"type":"integer"}`, `8180808080808020000000000000f07f`},
		{"word over the range", `{"type":"integer","minimum":0,"maximum":1000}`, `e907`},
		{"bool 2", `{"type":"boolean"}`, `02`},
		{"small integer in a byte", `{"type":"number"}`, `c102`},
		{"integer with a zero on top", `{"type":"number"}`, `c3000100`},
		{"integer beyond 2^53", `{"type":"number"}`, `c7ffffffffffff7f`},
		{"integer of no bytes", `{"type":"number"}`, `c0`},
		{"whole number as single", `{"type":"number"}`, `c80000803f`},
		{"negative zero as single", `{"type":"number"}`, `c800000080`},
		{"negative zero as double", `{"type":"number"}`, `c90000000000000080`},
		{"single as double", `{"type":"number"}`, `c9000000000000e03f`},
		{"no number's tag", `{"type":"number"}`, `ca`},
		{"short string with a long tag", `{}`, `cf0161`},
		{"short array with a long tag", `{}`, `cd00`},
		{"short object with a long tag", `{}`, `ce00`},
		{"names not rising", `{}`, `fa0162410161` + `41`},
		{"name twice", `{}`, `fa0161410161` + `41`},
		{"declared name among the others", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `00010161` + `41`},
		{"spare header bit", `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"integer"}}}`, `02`},
		{"value bit of an absent bool", `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"boolean"}}}`, `02`},
		{"text that is not UTF-8", `{"type":"string"}`, `02c328`},
		{"name that is not UTF-8", `{}`, `f902c32841`},
	} {
		p := mustCompile(t, tc.schema)
		b, err := hex.DecodeString(tc.wire)
		if err != nil {
			t.Fatal(err)
		}
		var v Value
		if err := p.DecodeWire(b, Limits{}, &v); ReasonOf(err) != Malformed {
			t.Errorf("%s: % x under %s: %v, want malformed; value %s", tc.name, b, tc.schema, err, v.String())
		}
	}
}

// A warm value takes a payload, and a refusal, without allocating.
func TestWarmValuesCostNoAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	p := mustCompile(t, benchSchema)
	var v Value
	if err := p.DecodeJSON([]byte(benchValue), Limits{}, &v); err != nil {
		t.Fatal(err)
	}
	wire := p.AppendWire(nil, &v)
	buf := make([]byte, 0, 2*len(wire))
	bad := bytes.Clone(wire)
	bad[1] = 0xff
	open := Any()
	var o Value
	if err := open.DecodeJSON([]byte(`{"z":{"k":[1,"x"]},"a":1.5}`), Limits{}, &o); err != nil {
		t.Fatal(err)
	}
	endless := bytes.Repeat([]byte{tagItems + 1}, 100)
	openWire := open.AppendWire(nil, &o)
	for _, tc := range []struct {
		what string
		do   func()
	}{
		{"decoding", func() { _ = p.DecodeWire(wire, Limits{}, &v) }},
		{"encoding", func() { buf = p.AppendWire(buf[:0], &v) }},
		{"decoding an untyped payload", func() { _ = open.DecodeWire(openWire, Limits{}, &o) }},
		{"refusing a cut payload", func() { _ = p.DecodeWire(wire[:9], Limits{}, &v) }},
		{"refusing a wrong payload", func() { _ = p.DecodeWire(bad, Limits{}, &v) }},
		{"refusing an endless payload", func() { _ = open.DecodeWire(endless, Limits{}, &o) }},
		{"building and sorting by hand", func() {
			var s = v.sink
			s.Reset(open, Limits{}, &o)
			_ = s.BeginObject() && s.Name("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz") && s.String("b") && s.Name("a") && s.Num(1) && s.End()
			if s.Close() != nil {
				t.Error(s.Err())
			}
		}},
	} {
		tc.do()
		if n := testing.AllocsPerRun(100, tc.do); n != 0 {
			t.Errorf("%s: %v allocations, want 0", tc.what, n)
		}
	}
}
