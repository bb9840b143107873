package wire

import (
	"bytes"
	"errors"
	"math"
	"testing"
)

type sample struct {
	a    uint8
	b    bool
	h    uint16
	u    uint32
	v    uint32
	q    uint64
	s    int64
	f    float64
	raw  []byte
	text string
	fix  [3]byte
}

func (m *sample) code(c *Coder) {
	c.U8(&m.a)
	c.Bool(&m.b)
	c.U16(&m.h)
	c.U32(&m.u)
	c.V32(&m.v)
	c.U64(&m.q)
	c.Varint(&m.s)
	c.F64(&m.f)
	c.Bytes(&m.raw, 16)
	c.Text(&m.text, 16)
	c.Fixed(m.fix[:])
}

func TestEveryPrefixIsRefusedAndTheWholeRoundTrips(t *testing.T) {
	in := sample{7, true, 0x1234, 0xdeadbeef, 300, 1 << 60, -12345, -0.5, []byte{1, 2, 0}, "héllo", [3]byte{9, 8, 7}}
	w := Writer([]byte("x"))
	in.code(&w)
	b := w.Written()[1:]
	var out sample
	r := Reader(b)
	out.code(&r)
	if err := r.End(); err != nil {
		t.Fatalf("reading what was written: %v", err)
	}
	if out.a != in.a || out.b != in.b || out.h != in.h || out.u != in.u || out.v != in.v || out.q != in.q ||
		out.s != in.s || out.f != in.f || !bytes.Equal(out.raw, in.raw) || out.text != in.text || out.fix != in.fix {
		t.Errorf("got %+v, want %+v", out, in)
	}
	for n := range b {
		p := in // what a reader is given may hold an older message
		r := Reader(b[:n])
		p.code(&r)
		if p.fix != [3]byte{} || n < 20 && (p.text != "" || p.raw != nil || p.f != 0) {
			t.Errorf("prefix of %d bytes: what comes behind the fault is not zero: %+v", n, p)
		}
		if !errors.Is(r.End(), ErrTruncated) {
			t.Errorf("prefix of %d bytes: %v, want truncated", n, r.End())
		}
	}
	var p sample
	r = Reader(append(b[:len(b):len(b)], 0))
	p.code(&r)
	if !errors.Is(r.End(), ErrTrailing) {
		t.Errorf("one byte more: %v, want trailing", r.End())
	}
}

func TestHostileSpellingsAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		b    []byte
		code func(*Coder)
		want error
	}{
		"overlong varint":            {[]byte{0x80, 0x00}, func(c *Coder) { var v uint32; c.V32(&v) }, ErrRange},
		"varint of 11 bytes":         {bytes.Repeat([]byte{0xff}, 11), func(c *Coder) { var v uint64; c.Uvarint(&v, math.MaxUint64) }, ErrRange},
		"33 bits into 32":            {[]byte{0xff, 0xff, 0xff, 0xff, 0x1f}, func(c *Coder) { var v uint32; c.V32(&v) }, ErrRange},
		"bool 2":                     {[]byte{2}, func(c *Coder) { var v bool; c.Bool(&v) }, ErrRange},
		"NaN":                        {[]byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, func(c *Coder) { var v float64; c.F64(&v) }, ErrRange},
		"infinity":                   {[]byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f}, func(c *Coder) { var v float64; c.F64(&v) }, ErrRange},
		"length beyond the input":    {[]byte{0xff, 0x7f}, func(c *Coder) { var v []byte; c.Bytes(&v, 1<<20) }, ErrTruncated},
		"length over the limit":      {[]byte{0x05, 1, 2, 3, 4, 5}, func(c *Coder) { var v []byte; c.Bytes(&v, 4) }, ErrRange},
		"count the bytes can't hold": {[]byte{0x03, 1, 2}, func(c *Coder) { n := 0; c.Count(&n, 100, 4) }, ErrTruncated},
		"invalid UTF-8":              {[]byte{2, 0xc3, 0x28}, func(c *Coder) { var v string; c.Text(&v, 9) }, ErrText},
	} {
		r := Reader(tc.b)
		tc.code(&r)
		if !errors.Is(r.Err(), tc.want) {
			t.Errorf("%s: %v, want %v", name, r.Err(), tc.want)
		}
	}
}

func TestCodingAllocatesNothing(t *testing.T) {
	in := sample{raw: []byte{1}, f: 2.5}
	buf := make([]byte, 0, 128)
	if n := testing.AllocsPerRun(100, func() {
		w := Writer(buf)
		in.code(&w)
		r := Reader(w.Written())
		var out sample
		out.code(&r)
	}); n != 0 {
		t.Errorf("%v allocations a round trip, want 0", n)
	}
}

// FuzzCoder holds that whatever reads without a fault writes back as the same
// bytes: one value, one spelling.
func FuzzCoder(f *testing.F) {
	w := Writer(nil)
	(&sample{raw: []byte{1, 2}, text: "a"}).code(&w)
	f.Add(w.Written())
	f.Fuzz(func(t *testing.T, b []byte) {
		var m sample
		r := Reader(b)
		m.code(&r)
		if r.End() != nil {
			return
		}
		w := Writer(nil)
		m.code(&w)
		if !bytes.Equal(w.Written(), b) {
			t.Errorf("% x reads, and writes back as % x", b, w.Written())
		}
	})
}
