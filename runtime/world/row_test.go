package world

import (
	"errors"
	"math/rand/v2"
	"testing"

	"demi.network/internal/wire"
)

// randomRow fills a row with legal cells.
func randomRow(r *rand.Rand, ty *Type) []int32 {
	row := ty.Default()
	for c := range row {
		col := &ty.Columns[c]
		span := int64(col.Maximum) - int64(col.Minimum) + 1
		row[c] = int32(int64(col.Minimum)+r.Int64N(span)) << col.SubBits
		if r.IntN(3) == 0 {
			row[c] = 0
		}
	}
	return row
}

func TestRowsRoundTripUnderEveryMask(t *testing.T) {
	l := testLayout(t)
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < 2000; i++ {
		typ := r.IntN(len(l.Types))
		ty := &l.Types[typ]
		m := Mask(r.Uint64()) & ty.All()
		row, got := randomRow(r, ty), randomRow(r, ty)
		kept := append([]int32(nil), got...)
		b := l.AppendRow([]byte("x"), typ, row, m)[1:]
		if len(b) > MaxRowBytes {
			t.Fatalf("a row of %d bytes is over MaxRowBytes", len(b))
		}
		rest, err := l.ReadRow(append(b, "tail"...), typ, m, got)
		if err != nil || string(rest) != "tail" {
			t.Fatalf("reading a row: %v, rest %q: what follows a row must be left alone", err, rest)
		}
		if !l.SameRow(typ, row, got, m) || !l.SameRow(typ, kept, got, ty.All()&^m) {
			t.Fatalf("mask %b: wrote %v over %v, got %v: selected fields must arrive, others stay", m, row, kept, got)
		}
		for n := range b {
			if _, err := l.ReadRow(b[:n], typ, m, got); !errors.Is(err, wire.ErrTruncated) {
				t.Fatalf("%d of %d bytes: %v, want ErrTruncated", n, len(b), err)
			}
		}
	}
}

func TestReadRowRefusesWhatAWriterNeverWrites(t *testing.T) {
	l := testLayout(t)
	typ := l.Type("body")
	ty := &l.Types[typ]
	hp := Mask(1) << uint(ty.Field("A.hp"))
	for _, c := range []struct {
		why string
		b   []byte
	}{
		{"101 is over the maximum", []byte{0xca, 0x01}},
		{"-1 is under the minimum", []byte{0x01}},
		{"a longer spelling of 2", []byte{0x84, 0x00}},
		{"more than 32 bits", []byte{0xff, 0xff, 0xff, 0xff, 0x1f}},
		{"a varint without end", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
	} {
		if _, err := l.ReadRow(c.b, typ, hp, ty.Default()); !errors.Is(err, wire.ErrRange) {
			t.Errorf("%s: %v, want ErrRange", c.why, err)
		}
	}
}

// A column finer than the wire keeps its cell when the wire value is the one
// that it has: else every echo would shave the fine bits off.
func TestReadRowKeepsFinerCells(t *testing.T) {
	l := testLayout(t)
	typ := l.Type("body")
	ty := &l.Types[typ]
	f := ty.Field("A.fine")
	m, col := Mask(1)<<uint(f), ty.Fields[f].Column
	truth, mine := ty.Default(), ty.Default()
	truth[col], mine[col] = 3<<8+5, 3<<8-7
	if _, err := l.ReadRow(l.AppendRow(nil, typ, truth, m), typ, m, mine); err != nil || mine[col] != 3<<8-7 {
		t.Errorf("an equal wire value must leave the cell %d, got %d, %v", 3<<8-7, mine[col], err)
	}
	truth[col] = 4<<8 + 5
	if _, err := l.ReadRow(l.AppendRow(nil, typ, truth, m), typ, m, mine); err != nil || mine[col] != 4<<8 {
		t.Errorf("a correction writes wire value << sub_bits, want %d, got %d, %v", 4<<8, mine[col], err)
	}
}

func TestHashSeesEveryCellOwnerAndGeneration(t *testing.T) {
	l := testLayout(t)
	typ := l.Type("body")
	ty := &l.Types[typ]
	h := Head{ID: 7, OwnGen: 2, Owner: 3}
	row := ty.Default()
	base := l.HashEntity(typ, &h, row, ty.All())
	for c := range row {
		flipped := ty.Default()
		flipped[c] ^= 1 << ty.Columns[c].SubBits
		if l.HashEntity(typ, &h, flipped, ty.All()) == base {
			t.Errorf("column %d flipped by one step and the hash stayed", c)
		}
	}
	for _, other := range []Head{{8, 2, 3, 0, 0}, {7, 3, 3, 0, 0}, {7, 2, 4, 0, 0}} {
		if l.HashEntity(typ, &other, row, ty.All()) == base {
			t.Errorf("head %+v has the hash of %+v", other, h)
		}
	}
	same := h
	same.Force, same.Flags = 9, 9
	if l.HashEntity(typ, &same, row, ty.All()) != base {
		t.Error("Force and Flags are not state: they must not count")
	}
	fine := ty.Fields[ty.Field("A.fine")].Column
	row[fine]++
	if l.HashEntity(typ, &h, row, ty.All()) != base {
		t.Error("bits finer than the wire must not count: only wire values are compared between peers")
	}
}

func FuzzReadRow(f *testing.F) {
	l := testLayout(f)
	r := rand.New(rand.NewPCG(3, 4))
	for i := 0; i < 8; i++ {
		typ := i % len(l.Types)
		m := l.Types[typ].VisibleTo(1, 1)
		f.Add(uint8(typ), uint64(m), l.AppendRow(nil, typ, randomRow(r, &l.Types[typ]), m))
	}
	f.Fuzz(func(t *testing.T, kind uint8, mask uint64, b []byte) {
		typ := int(kind) % len(l.Types)
		m := Mask(mask) & l.Types[typ].All()
		row := l.Types[typ].Default()
		rest, err := l.ReadRow(b, typ, m, row)
		if err != nil {
			return
		}
		used := b[:len(b)-len(rest)]
		if again := l.AppendRow(nil, typ, row, m); string(again) != string(used) {
			t.Fatalf("%x was accepted but is written %x: a row has one spelling", used, again)
		}
	})
}
