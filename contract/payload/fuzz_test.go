package payload

import (
	"bytes"
	"encoding/hex"
	"testing"
)

// fuzzPlans are schemas that between them have every form.
func fuzzPlans(t testing.TB) []*Plan {
	plans := []*Plan{Any(), mustCompile(t, benchSchema)}
	for _, tc := range forms {
		plans = append(plans, mustCompile(t, tc.schema))
	}
	return plans
}

// FuzzDecodeWire holds that no bytes make the decoder panic or keep more than
// the limits allow, that what decodes encodes to the same bytes, and that JSON
// gives the same value back.
func FuzzDecodeWire(f *testing.F) {
	plans := fuzzPlans(f)
	for i, tc := range forms {
		wire, _ := hex.DecodeString(tc.wire)
		f.Add(uint8(i+2), wire)
		f.Add(uint8(0), wire)
	}
	f.Add(uint8(0), []byte{tagMembers + 2, 1, 'a', tagItems + 2, 0x41, tagTrue, 2, 'b', 'c', tagFloat32, 0, 0, 0, 0x3f})
	lim := Limits{Depth: 5, Elements: 40, StringBytes: 48, Bytes: 300}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		p := plans[int(which)%len(plans)]
		var v, w Value
		err := p.DecodeWire(b, lim, &v)
		if len(v.nodes) > 2*lim.Elements+1 || len(v.text) > lim.Bytes {
			t.Fatalf("%d nodes and %d bytes of text under %+v", len(v.nodes), len(v.text), lim)
		}
		if err != nil {
			if r := err.(*Refusal); !v.Empty() || r.Error() == "" || r.Text() == "refused" {
				t.Fatalf("% x: %v, value %s", b, err, &v)
			}
			return
		}
		if got := p.AppendWire(nil, &v); !bytes.Equal(got, b) {
			t.Fatalf("% x decodes to %s, which is % x", b, &v, got)
		}
		if err := p.DecodeJSON([]byte(v.String()), lim, &w); err != nil || !v.Equal(&w) || w.String() != v.String() {
			t.Fatalf("% x is %s, which reads as %s, %v", b, &v, &w, err)
		}
	})
}

// FuzzDecodeJSON holds the same from the other side.
func FuzzDecodeJSON(f *testing.F) {
	plans := fuzzPlans(f)
	for i, tc := range forms {
		f.Add(uint8(i+2), []byte(tc.value))
		f.Add(uint8(0), []byte(tc.value))
	}
	f.Add(uint8(0), []byte(`{"b":[1,{"z":"\ud83d\ude00","a\n":-0.0}],"a":{}}`))
	lim := Limits{Depth: 5, Elements: 40, StringBytes: 48, Bytes: 300}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		p := plans[int(which)%len(plans)]
		var v, w Value
		err := p.DecodeJSON(b, lim, &v)
		if len(v.nodes) > 2*lim.Elements+1 || len(v.text) > lim.Bytes+lim.StringBytes {
			t.Fatalf("%d nodes and %d bytes of text under %+v", len(v.nodes), len(v.text), lim)
		}
		if err != nil {
			if r := err.(*Refusal); !v.Empty() || r.Error() == "" || r.Text() == "refused" {
				t.Fatalf("%q: %v, value %s", b, err, &v)
			}
			return
		}
		wire := p.AppendWire(nil, &v)
		if err := p.DecodeWire(wire, Limits{Depth: 5, Elements: 40, StringBytes: 48, Bytes: 1000}, &w); err != nil || !v.Equal(&w) {
			t.Fatalf("%q is % x, which reads as %s, %v", b, wire, &w, err)
		}
	})
}
