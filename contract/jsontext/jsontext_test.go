package jsontext

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestFaultsHaveTheirKindAndPlace(t *testing.T) {
	for _, tc := range []struct {
		text  string
		fault Fault
		line  int
		col   int
	}{
		{``, FaultTruncated, 1, 1},
		{" \n ", FaultTruncated, 2, 2},
		{`[1`, FaultTruncated, 1, 3},
		{`{"a"`, FaultTruncated, 1, 5},
		{`{"a":`, FaultTruncated, 1, 6},
		{`"abc`, FaultTruncated, 1, 5},
		{`tru`, FaultTruncated, 1, 4},
		{`1.`, FaultTruncated, 1, 3},
		{`{}{}`, FaultTrailing, 1, 3},
		{`1 x`, FaultTrailing, 1, 3},
		{`[1,]`, FaultSyntax, 1, 4},
		{`{"a":1,}`, FaultSyntax, 1, 8},
		{`{"a"::1}`, FaultSyntax, 1, 6},
		{`{"a" 1}`, FaultSyntax, 1, 6},
		{`{,}`, FaultSyntax, 1, 2},
		{`[1 2]`, FaultSyntax, 1, 4},
		{`[1}`, FaultSyntax, 1, 3},
		{`{"a":1]`, FaultSyntax, 1, 7},
		{`{a:1}`, FaultSyntax, 1, 2},
		{`// x`, FaultSyntax, 1, 1},
		{`trux`, FaultSyntax, 1, 4},
		{`]`, FaultSyntax, 1, 1},
		{`:`, FaultSyntax, 1, 1},
		{`[:1]`, FaultSyntax, 1, 2},
		{`01`, FaultNumber, 1, 1},
		{`-x`, FaultNumber, 1, 2},
		{`+1`, FaultNumber, 1, 1},
		{`.5`, FaultNumber, 1, 1},
		{`1.e5`, FaultNumber, 1, 3},
		{`1e+x`, FaultNumber, 1, 4},
		{`NaN`, FaultNumber, 1, 1},
		{`Infinity`, FaultNumber, 1, 1},
		{`[1, 1e999]`, FaultRange, 1, 5},
		{"\"a\nb\"", FaultControl, 1, 3},
		{`"\x"`, FaultEscape, 1, 2},
		{`"\u12g4"`, FaultEscape, 1, 2},
		{`"\ud800"`, FaultSurrogate, 1, 2},
		{`"\udc00"`, FaultSurrogate, 1, 2},
		{`"\ud800\u0041"`, FaultSurrogate, 1, 2},
		{`"\ud800\n"`, FaultSurrogate, 1, 2},
		{"\"é\xff\"", FaultUTF8, 1, 3},
		{"\"\xed\xa0\x80\"", FaultUTF8, 1, 2},
		{"\"\xc0\x80\"", FaultUTF8, 1, 2},
		{"\r\n\r[\n\n é", FaultSyntax, 5, 2},
		{"{\"a\":1,\n \"é\":2, \"a\":3}", FaultDuplicate, 2, 9},
		{"\xef\xbb\xbf{}", FaultBOM, 1, 1},
		{strings.Repeat("[", MaxDepth+1), FaultDepth, 1, MaxDepth + 1},
	} {
		n, problems := Parse([]byte(tc.text))
		if len(problems) != 1 {
			t.Errorf("%.40q: problems %v, want one", tc.text, problems)
			continue
		}
		p := problems[0]
		if p.Fault != tc.fault || p.Pos.Line != tc.line || p.Pos.Column != tc.col {
			t.Errorf("%.40q: %v at %d:%d, want %v at %d:%d", tc.text, p.Fault, p.Pos.Line, p.Pos.Column, tc.fault, tc.line, tc.col)
		}
		if (n == nil) != p.Fatal() {
			t.Errorf("%.40q: node %v although Fatal is %v", tc.text, n, p.Fatal())
		}
	}
}

func TestPlacesAndPointers(t *testing.T) {
	n, problems := Parse([]byte("\xef\xbb\xbf{\n  \"é/~\": [1,\t{\"k\": \"v\"}],\r\n  \"x\": -0.0}"))
	if n == nil || len(problems) != 1 || problems[0].Fault != FaultBOM {
		t.Fatalf("%v", problems)
	}
	for _, tc := range []struct {
		pointer string
		pos     Pos
		key     Pos
		kind    Kind
	}{
		{"", Pos{3, 1, 1}, Pos{3, 1, 1}, KindObject},
		{"/é~1~0", Pos{15, 2, 10}, Pos{7, 2, 3}, KindArray},
		{"/é~1~0/0", Pos{16, 2, 11}, Pos{16, 2, 11}, KindNumber},
		{"/é~1~0/1", Pos{19, 2, 14}, Pos{19, 2, 14}, KindObject},
		{"/é~1~0/1/k", Pos{25, 2, 20}, Pos{20, 2, 15}, KindString},
		{"/x", Pos{40, 3, 8}, Pos{35, 3, 3}, KindNumber},
	} {
		at := n.At(tc.pointer)
		if at == nil {
			t.Errorf("nothing at %q", tc.pointer)
			continue
		}
		if at.Pointer() != tc.pointer || at.Pos != tc.pos || at.KeyPos() != tc.key || at.Kind != tc.kind {
			t.Errorf("%q: pointer %q, place %v, key %v, %v; want %v, %v, %v", tc.pointer, at.Pointer(), at.Pos, at.KeyPos(), at.Kind, tc.pos, tc.key, tc.kind)
		}
	}
	for _, p := range []string{"x", "/y", "/x/0", "/é~1~0/2", "/é~1~0/00", "/é~1~0/-1"} {
		if n.At(p) != nil {
			t.Errorf("something at %q", p)
		}
	}
	if end := n.At("/é~1~0/1").End; end != 29 {
		t.Errorf("the inner object ends at %d, want 29", end)
	}
}

// The engine's hash depends on how its JSON library keeps a number.
func TestNumbersKeepTheirForm(t *testing.T) {
	for _, tc := range []struct {
		text  string
		want  Number
		exact bool
	}{
		{"0", Number{Form: Unsigned}, true},
		{"-0", Number{Form: Signed}, true},
		{"-0.0", Number{Form: Double, Float: math.Copysign(0, -1)}, true},
		{"9007199254740993", Number{Unsigned, 9007199254740993, 9007199254740993, 9007199254740992}, false},
		{"9007199254740992", Number{Unsigned, 1 << 53, 1 << 53, 1 << 53}, true},
		{"9007199254740994", Number{Unsigned, 1<<53 + 2, 1<<53 + 2, 1<<53 + 2}, true},
		{"-9007199254740993", Number{Form: Signed, Int: -9007199254740993, Float: -9007199254740992}, false},
		{"9223372036854775807", Number{Unsigned, math.MaxInt64, math.MaxInt64, 1 << 63}, false},
		{"9223372036854775808", Number{Form: Unsigned, Uint: 1 << 63, Float: 1 << 63}, true},
		{"18446744073709551615", Number{Form: Unsigned, Uint: math.MaxUint64, Float: 1 << 64}, false},
		{"18446744073709551616", Number{Form: Double, Float: 1 << 64}, true},
		{"18446744073709551617", Number{Form: Double, Float: 1 << 64}, false},
		{"-9223372036854775808", Number{Form: Signed, Int: math.MinInt64, Float: -1 << 63}, true},
		{"-9223372036854775809", Number{Form: Double, Float: -1 << 63}, false},
		{"5.0", Number{Form: Double, Float: 5}, true},
		{"1E5", Number{Form: Double, Float: 1e5}, true},
		{"1e300", Number{Form: Double, Float: 1e300}, true},
		{"5e-324", Number{Form: Double, Float: 5e-324}, true},
		{"1e-999", Number{Form: Double}, true},
	} {
		n, problems := Parse([]byte(tc.text))
		if n == nil {
			t.Fatalf("%s: %v", tc.text, problems)
		}
		if n.Number != tc.want || math.Signbit(n.Number.Float) != math.Signbit(tc.want.Float) {
			t.Errorf("%s: %+v, want %+v", tc.text, n.Number, tc.want)
		}
		if n.Text != tc.text {
			t.Errorf("%s: spelling kept as %q", tc.text, n.Text)
		}
		if got := n.Number.Exact([]byte(n.Text)); got != tc.exact {
			t.Errorf("%s: Exact is %v", tc.text, got)
		}
	}
}

func TestDuplicatesAreAllKeptAndTheLastCounts(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"k":0`)
	for i := range 40 {
		b.WriteString(`,"x` + string(rune('a'+i%20)) + `":` + string(rune('0'+i/20)))
	}
	b.WriteString(`}`)
	n, problems := Parse([]byte(b.String()))
	if len(n.Members) != 41 || len(problems) != 20 {
		t.Fatalf("%d members, %d problems; want 41, 20", len(n.Members), len(problems))
	}
	if got := n.Get("xa").Text; got != "1" {
		t.Errorf("Get returns %s, not the last of two", got)
	}
	if !strings.Contains(problems[0].Text, `"xa", first at 1:8`) {
		t.Errorf("the problem does not say where the first is: %s", problems[0].Text)
	}
}

// Hostile documents end, with a bounded list of problems. A parser that looked
// back over all it has read for each key or place would not end in test time.
func TestLargeDocumentsEnd(t *testing.T) {
	keys := func(n int) []byte {
		var b strings.Builder
		b.WriteByte('{')
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.Repeat("k", i%7) + string(rune(0x4e00+i%20000)) + `":1`)
		}
		b.WriteByte('}')
		return []byte(b.String())
	}
	for _, text := range [][]byte{
		keys(50_000),
		[]byte("[" + strings.Repeat(`"",`, 100_000) + `""]`),
		[]byte(`{` + strings.Repeat(`"a":1,`, 50_000) + `"a":1}`),
	} {
		n, problems := Parse(text)
		if n == nil {
			t.Fatalf("%.20s…: %v", text, problems)
		}
		if len(problems) > MaxProblems+1 {
			t.Errorf("%d problems, the bound is %d", len(problems), MaxProblems+1)
		}
	}
}

func TestScanningAllocatesNothing(t *testing.T) {
	text := []byte(`{"a": [1, 2.5, "x\n\u00e9\ud83d\ude00", true, null], "b": {}}`)
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		var s Scanner
		s.Reset(text)
		for e := s.Next(); e != EOF; e = s.Next() {
			switch e {
			case Invalid:
				t.Fatal(s.Fault())
			case Text, Key:
				buf = s.AppendText(buf[:0])
				if len(buf) != s.TextLen() {
					t.Fatalf("TextLen %d for %q", s.TextLen(), buf)
				}
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// plain turns a node into what encoding/json makes of the same text.
func plain(n *Node) any {
	switch n.Kind {
	case KindBool:
		return n.Bool
	case KindNumber:
		return n.Number.Float
	case KindString:
		return n.Text
	case KindArray:
		v := []any{}
		for _, item := range n.Items {
			v = append(v, plain(item))
		}
		return v
	case KindObject:
		v := map[string]any{}
		for _, m := range n.Members {
			v[m.Key] = plain(m.Value)
		}
		return v
	}
	return nil
}

// FuzzParse holds that nothing panics, that what we accept the standard
// library reads as the same value, and that what it refuses we refuse.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5e3,-0,"x\u00e9\ud83d\ude00\n",true,false,null,{}],"a":1}`, `[1`, `{}{}`, `"\ud800"`, "\xef\xbb\xbf1",
		`1e999`, `[[[[]]]]`, `{"":{"":[]}}`, "\"\xff\"", `-`, `{"a":1,}`, "[\r\n1\r,2]", `"\/\b\f"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, problems := Parse(b)
		if n == nil && len(problems) == 0 {
			t.Fatal("refused without a problem")
		}
		for _, p := range problems {
			if p.Pos.Line < 1 || p.Pos.Column < 1 || p.Pos.Offset > len(b) || p.Text == "" {
				t.Errorf("problem without a place or text: %+v", p)
			}
			if (n == nil) != problems[len(problems)-1].Fatal() {
				t.Errorf("document %v with problems %v", n, problems)
			}
		}
		rest, _ := TrimBOM(b)
		var std any
		err := json.Unmarshal(rest, &std)
		if n != nil && len(problems) == 0 {
			if err != nil {
				t.Fatalf("%q is accepted; encoding/json says %v", b, err)
			}
			if got := plain(n); !reflect.DeepEqual(got, std) {
				t.Fatalf("%q: %#v, encoding/json has %#v", b, got, std)
			}
		}
	})
}

// TestLongNamesAboveManyValuesAreRefused: pointers of values are made by all
// who check a document, so their length in all is bounded, not only the file's.
func TestLongNamesAboveManyValuesAreRefused(t *testing.T) {
	name := strings.Repeat("k", 1<<20)
	values := func(n int) string { return `{"` + name + `": [` + strings.Repeat("1,", n-1) + `1]}` }
	if n, problems := Parse([]byte(values(20))); n == nil {
		t.Errorf("a long name above a few values: %v", problems)
	}
	n, problems := Parse([]byte(values(200)))
	if n != nil || len(problems) != 1 || problems[0].Fault != FaultPaths || problems[0].Pos.Line != 1 {
		t.Errorf("200 values below a name of a megabyte: %v", problems)
	}
	if problems[0].Pointer != "" {
		t.Error("the problem must not carry the long name itself")
	}
	wide := "{" + strings.Repeat(`"name": {"type": "object", "more": [1, 2, 3]}, `, 20_000) + `"x": 1}`
	if n, problems := Parse([]byte(strings.ReplaceAll(wide, "name", "a_name_as_people_write_them"))); n == nil {
		t.Errorf("a large file with names that people write: %v", problems)
	}
}

// TestAFatalFaultIsReportedBehindMany: Parse's node is nil if, and only if, a
// problem is fatal, also when more faults came before than are listed.
func TestAFatalFaultIsReportedBehindMany(t *testing.T) {
	n, problems := Parse([]byte("{" + strings.Repeat(`"a": 1, `, MaxProblems+50) + "!"))
	last := problems[len(problems)-1]
	if n != nil || !last.Fatal() || len(problems) > MaxProblems+2 {
		t.Errorf("node %v, %d problems, the last %v", n, len(problems), last)
	}
}

func TestNumbersAreSpeltAsPeopleWriteThem(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 100: "100", 1e6: "1000000", -2147483647: "-2147483647", 0.005: "0.005", 1.0 / 3: "0.3333333333333333",
		1e15: "1e+15", 5e-324: "5e-324", 0.000001: "0.000001", -1e-7: "-1e-07", math.MaxFloat64: "1.7976931348623157e+308",
	} {
		if got := Spell(f); got != want {
			t.Errorf("%v is spelt %s, want %s", f, got, want)
		}
	}
}
