package replica

import (
	"cmp"
	"slices"

	"demi.network/internal/wire"
	"demi.network/runtime/world"
)

const (
	// ringSize is how many sent bodies a Sender remembers. Acknowledgements of
	// older ones come too late to be of use.
	ringSize = 64
	// slowAfter is how many ticks without a new acknowledgement make a Sender
	// slow down, so that a peer that hears but cannot answer is not flooded
	// with the same rows; slowEvery is how slow.
	slowAfter = 32
	slowEvery = 4
)

// SenderCounts counts what a Sender did.
type SenderCounts struct {
	Bodies     uint64
	Bytes      uint64 // of bodies
	Rows       uint64
	Deferred   uint64 // rows that did not fit a body
	ForgedAcks uint64 // acknowledgements of bodies that were never sent
}

// Sender writes the bodies for one peer and remembers what the peer has
// acknowledged. A Sender belongs to one connection in one epoch.
type Sender struct {
	Counts SenderCounts

	layout *world.Layout
	dir    Direction
	peer   uint32
	tables []progress
	ring   [ringSize]sentBody
	sent   bool   // anything yet
	last   uint32 // tick of the newest body
	heard  uint32 // tick of the newest body that was acknowledged, or of the first sent
	rows   []pending
	order  []uint64 // of choose
	trial  []byte
}

// progress is what is known of a table's rows, parallel to its heads.
type progress struct{ now, old []entry }

type entry struct {
	id    uint32
	acked uint64 // the version that the peer is known to hold
	tried uint32 // tick of the newest body that held the row
}

type sentBody struct {
	tick  uint32
	used  bool
	count uint64 // of the Tracker
	rows  []sentRow
}

// sentRow is kept small: a Sender remembers up to some ten thousand of them.
type sentRow struct {
	typ uint32
	id  uint32
	age uint32 // count of the body less the row's version
}

type pending struct {
	typ, row int
	tried    uint32
	chosen   bool
	version  uint64
}

// NewSender returns a Sender to peer (Down), or of the client peer (Up).
func NewSender(l *world.Layout, d Direction, peer uint32) *Sender {
	return &Sender{layout: l, dir: d, peer: peer, tables: make([]progress, len(l.Types))}
}

// Due says whether a body should be written for tick. It always should, unless
// the peer has acknowledged nothing for long.
func (s *Sender) Due(tick uint32) bool {
	return !s.sent || tick-s.heard <= slowAfter || tick-s.last >= slowEvery
}

// Write appends the body for tick to dst: every row whose version the peer has
// not acknowledged, as far as the budget goes, and the acknowledgement of what
// r has read. tr must have seen w as it is. complete says that nothing waits:
// a peer that applies this body holds all it must hold.
func (s *Sender) Write(dst []byte, w *world.World, tr *Tracker, r *Receiver, tick uint32) (body []byte, complete bool) {
	start := len(dst)
	s.collect(w, tr, tick)
	complete = s.choose(w, tick)
	h := header{tick: tick, complete: complete}
	r.acknowledge(&h)
	c := wire.Writer(dst)
	h.code(&c)
	slot := &s.ring[tick%ringSize]
	slot.tick, slot.used, slot.count, slot.rows = tick, true, tr.count, slot.rows[:0]
	var prev rowHead
	for i := range s.rows {
		p := &s.rows[i]
		rh := s.writeRow(&c, w, p, &prev)
		s.tables[p.typ].now[p.row].tried = tick
		slot.rows = append(slot.rows, sentRow{uint32(p.typ), rh.id, uint32(tr.count - p.version)})
		prev = rh
	}
	if !s.sent {
		s.sent, s.heard = true, tick
	}
	s.last = tick
	body = c.Written()
	s.Counts.Bodies++
	s.Counts.Rows += uint64(len(s.rows))
	s.Counts.Bytes += uint64(len(body) - start)
	return body, complete
}

// collect brings progress in line with w's rows and lists what is pending.
func (s *Sender) collect(w *world.World, tr *Tracker, tick uint32) {
	s.rows = s.rows[:0]
	for typ := range w.Tables {
		t, p := &w.Tables[typ], &s.tables[typ]
		p.now, p.old = p.old[:0], p.now
		at := 0
		for row := range t.Heads {
			h := &t.Heads[row]
			for at < len(p.old) && p.old[at].id < h.ID {
				at++
			}
			e := entry{id: h.ID, tried: tick - 1}
			if at < len(p.old) && p.old[at].id == h.ID {
				e = p.old[at]
			}
			p.now = append(p.now, e)
			v := tr.version(typ, row).of(h.Owner, s.peer)
			if v == e.acked || s.dir == Up && h.Owner != s.peer {
				continue
			}
			s.rows = append(s.rows, pending{typ: typ, row: row, tried: e.tried, version: v})
		}
	}
}

// Adopt notes that the peer holds the rows of w with these ids as they are: what
// a publisher does with rows that the host has just handed over, so that they
// are news only once they change. tr must have seen w as it is.
func (s *Sender) Adopt(w *world.World, tr *Tracker, ids []uint32) {
	s.collect(w, tr, s.last)
	for _, id := range ids {
		if typ, row, ok := w.Find(id); ok {
			s.tables[typ].now[row].acked = tr.version(typ, row).of(w.Head(typ, row).Owner, s.peer)
		}
	}
}

// choose cuts the pending rows down to what the budget holds, the longest
// waiting first, and reports whether all fit. The rows stay in their order.
func (s *Sender) choose(w *world.World, tick uint32) bool {
	all := len(s.rows)
	size := all * 20
	for i := range s.rows {
		size += s.layout.Types[s.rows[i].typ].Stride * 5
	}
	if size <= Budget {
		return true // even if every number is as long as it can be
	}
	s.order = s.order[:0] // ticks not waited, then place: plain numbers sort fast
	for i := range s.rows {
		s.order = append(s.order, uint64(^(tick-s.rows[i].tried))<<32|uint64(i))
	}
	slices.Sort(s.order)
	size = 0
	for _, key := range s.order {
		r := &s.rows[uint32(key)]
		c := wire.Writer(s.trial[:0])
		s.writeRow(&c, w, r, &rowHead{})
		s.trial = c.Written()
		if size += len(s.trial); size > Budget {
			break
		}
		r.chosen = true
	}
	kept := s.rows[:0]
	for _, r := range s.rows {
		if r.chosen {
			kept = append(kept, r)
		}
	}
	s.rows = kept
	s.Counts.Deferred += uint64(all - len(kept))
	return all == len(kept)
}

func (s *Sender) writeRow(c *wire.Coder, w *world.World, p *pending, prev *rowHead) rowHead {
	h := w.Head(p.typ, p.row)
	rh := rowHead{typ: p.typ, id: h.ID, gen: h.OwnGen, owner: h.Owner, force: h.Force}
	rh.code(c, prev, len(s.layout.Types))
	m := s.dir.mask(&s.layout.Types[p.typ], h.Owner, s.peer)
	*c = wire.Writer(s.layout.AppendRow(c.Written(), p.typ, w.Row(s.layout, p.typ, p.row), m))
	return rh
}

// Acked takes note of an acknowledgement that a Receiver returned. One of a
// body that was never sent is ignored and counted.
func (s *Sender) Acked(a Ack) {
	if !a.Valid {
		return
	}
	if !s.sent || after(a.Newest, s.last) {
		s.Counts.ForgedAcks++
		return
	}
	if s.last-a.Newest >= ringSize {
		return // older than anything remembered
	}
	forged := !s.ackOne(a.Newest)
	for i := uint32(0); i < ackWindow; i++ {
		if tick := a.Newest - 1 - i; a.Bits>>i&1 == 1 && s.last-tick < ringSize {
			forged = !s.ackOne(tick) || forged
		}
	}
	if forged {
		s.Counts.ForgedAcks++
	}
}

// ackOne reports whether a body of that tick was sent.
func (s *Sender) ackOne(tick uint32) bool {
	b := &s.ring[tick%ringSize]
	if !b.used || b.tick != tick {
		return false
	}
	if after(tick, s.heard) {
		s.heard = tick
	}
	for i := range b.rows {
		r := &b.rows[i]
		p := s.tables[r.typ].now
		at, ok := slices.BinarySearchFunc(p, r.id, func(e entry, id uint32) int { return cmp.Compare(e.id, id) })
		if version := b.count - uint64(r.age); ok && p[at].acked < version {
			p[at].acked = version
		}
	}
	b.rows = b.rows[:0]
	return true
}
