package replica

import (
	"errors"
	"testing"

	"demi.network/internal/wire"
	"demi.network/runtime/world"
)

func TestPublicationRules(t *testing.T) {
	l := testLayout(t)
	body := l.Type("body")
	for _, c := range []struct {
		why    string
		change func(h *world.Head) // of the publisher's head against the truth
		want   ReceiverCounts
		moved  bool
	}{
		{"an owner's row is written", func(*world.Head) {}, ReceiverCounts{Rows: 1}, true},
		{"a generation that is over", func(h *world.Head) { h.OwnGen-- }, ReceiverCounts{Stale: 1}, false},
		{"a generation to come", func(h *world.Head) { h.OwnGen++ }, ReceiverCounts{Early: 1}, false},
		{"an entity that is not there", func(h *world.Head) { h.ID = 99 }, ReceiverCounts{Early: 1}, false},
		{"the server has overruled", func(h *world.Head) { h.Force++ }, ReceiverCounts{Forced: 1}, false},
	} {
		truth := world.New(l)
		truth.Insert(l, body, world.Head{ID: 1, OwnGen: 5, Owner: 1}, nil)
		h := *truth.Head(body, 0)
		c.change(&h)
		mine := world.New(l)
		mine.Insert(l, body, h, []int32{9, 9, 9, 200, 400})
		tr, send, recv := NewTracker(l, Up), NewSender(l, Up, 1), NewReceiver(l, Up, 1)
		tr.Update(mine)
		b, _ := send.Write(nil, mine, tr, nil, 1)
		if _, err := recv.Read(truth, b); err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		got := recv.Counts
		got.Bodies, got.Bytes, got.Complete = 0, 0, 0
		row := truth.Row(l, body, 0)
		if got != c.want || (row[posX] == 200) != c.moved {
			t.Errorf("%s: counts %+v, want %+v; row %v", c.why, got, c.want, row)
		}
		if row[hp] != 0 || row[ammo] != 0 || row[secret] != 0 {
			t.Errorf("%s: server columns were written: %v", c.why, row)
		}
	}
}

// A client cannot even spell a column that it may not write; what it can forge
// is whose entity it is, values out of range, and bytes that are no row.
func TestForgedPublications(t *testing.T) {
	l := testLayout(t)
	body := l.Type("body")
	row := func(owner uint32, cells []byte) []byte {
		c := wire.Writer(nil)
		h := header{tick: 1, complete: true}
		h.code(&c)
		rh := rowHead{typ: body, id: 1, gen: 1, owner: owner}
		rh.code(&c, &rowHead{}, len(l.Types))
		return append(c.Written(), cells...)
	}
	for _, c := range []struct {
		why         string
		truth       uint32
		b           []byte
		err         error
		unowned     int
		wantRefused uint64
	}{
		{"another's entity, as oneself", 2, row(1, []byte{2, 2}), nil, 1, 0},
		{"another's entity, as the other", 2, row(2, []byte{}), nil, 1, 0},
		{"the server's entity", 0, row(0, []byte{}), nil, 1, 0},
		{"all columns of a row", 1, row(1, []byte{2, 2, 2, 2, 2}), wire.ErrRange, 0, 1},
		{"no columns", 1, row(1, nil), wire.ErrTruncated, 0, 1},
		{"a value out of range", 1, row(1, []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}), wire.ErrRange, 0, 1},
		{"nothing at all", 1, nil, wire.ErrTruncated, 0, 1},
		{"too much", 1, make([]byte, MaxBody+1), ErrOversized, 0, 1},
	} {
		truth := world.New(l)
		truth.Insert(l, body, world.Head{ID: 1, OwnGen: 1, Owner: c.truth}, nil)
		before := world.New(l)
		before.CopyFrom(truth)
		recv := NewReceiver(l, Up, 1)
		o, err := recv.Read(truth, c.b)
		if !errors.Is(err, c.err) || o.Unowned != c.unowned || recv.Counts.Refused != c.wantRefused {
			t.Errorf("%s: %v, unowned %d, refused %d; want %v, %d, %d", c.why, err, o.Unowned, recv.Counts.Refused, c.err, c.unowned, c.wantRefused)
		}
		if !world.Equal(truth, before) {
			t.Errorf("%s: the truth was changed", c.why)
		}
	}
}

func TestAdoptedRowsAreNewsOnlyOnceTheyChange(t *testing.T) {
	l := testLayout(t)
	mine, tr, send := world.New(l), NewTracker(l, Up), NewSender(l, Up, 1)
	empty, _ := send.Write(nil, mine, tr, nil, 1)
	mine.Insert(l, 0, world.Head{ID: 4, OwnGen: 2, Owner: 1}, []int32{0, 0, 0, 840, 0})
	tr.Update(mine)
	send.Adopt(mine, tr, []uint32{4})
	tr.Update(mine)
	if b, _ := send.Write(nil, mine, tr, nil, 2); len(b) != len(empty) {
		t.Error("a row that the host has just handed over must not be published")
	}
	mine.Row(l, 0, 0)[posX] = 841
	tr.Update(mine)
	if b, _ := send.Write(nil, mine, tr, nil, 3); len(b) == len(empty) {
		t.Error("a row that has changed must be published")
	}
}

// A publication of entities that there are not costs the host their bytes and
// no row each: a hundred clients that make some up do not fill its memory.
func TestMadeUpRowsCostNoMemory(t *testing.T) {
	l := testLayout(t)
	c := wire.Writer(nil)
	(&header{tick: 1}).code(&c)
	prev := rowHead{}
	for id := uint32(1); id <= 2000; id++ {
		rh := rowHead{typ: l.Type("body"), id: id, gen: 1, owner: 7}
		rh.code(&c, &prev, len(l.Types))
		prev = rh
	}
	r := NewReceiver(l, Up, 1)
	out, err := r.Read(world.New(l), c.Written())
	if err != nil || out.Whole || r.Counts.Early != 2000 {
		t.Fatalf("%+v, %v, %d early: want 2000 rows left out", out, err, r.Counts.Early)
	}
	if n := cap(r.cells); n > 64 {
		t.Errorf("cells of %d numbers are kept for rows that do not exist", n)
	}
}
