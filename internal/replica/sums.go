package replica

import (
	"cmp"
	"slices"

	"demi.network/runtime/world"
)

// Sums are the hashes of a World at a tick as each kind of viewer must see it.
// A hash of state is a wrapping sum over entities, so one pass serves every
// peer: who owns nothing sees Other, and an owner sees Other with the hashes
// of its own entities exchanged. Everything is computed from the rows anew.
type Sums struct {
	Server uint64 // all columns
	other  uint64
	owned  []ownedSum // in rising order of peer
}

type ownedSum struct {
	peer  uint32
	delta uint64 // Σ owner's hash − other's hash
}

// Update takes the sums of w.
func (s *Sums) Update(l *world.Layout, w *world.World) {
	s.Server, s.other, s.owned = 0, 0, s.owned[:0]
	for typ := range w.Tables {
		ty := &l.Types[typ]
		seeAll, seeOwner, seeOther := ty.All(), ty.VisibleTo(1, 1), ty.VisibleTo(1, 2)
		for row := range w.Tables[typ].Heads {
			h, cells := w.Head(typ, row), w.Row(l, typ, row)
			all := l.HashEntity(typ, h, cells, seeAll)
			other := all
			if seeOther != seeAll {
				other = l.HashEntity(typ, h, cells, seeOther)
			}
			s.Server += all
			s.other += other
			if h.Owner == 0 || seeOwner == seeOther {
				continue
			}
			owner := all
			if seeOwner != seeAll {
				owner = l.HashEntity(typ, h, cells, seeOwner)
			}
			s.add(h.Owner, owner-other)
		}
	}
}

func (s *Sums) add(peer uint32, delta uint64) {
	at, ok := s.search(peer)
	if !ok {
		s.owned = slices.Insert(s.owned, at, ownedSum{peer: peer})
	}
	s.owned[at].delta += delta
}

func (s *Sums) search(peer uint32) (at int, ok bool) {
	return slices.BinarySearchFunc(s.owned, peer, func(o ownedSum, peer uint32) int { return cmp.Compare(o.peer, peer) })
}

// For returns what peer must hold.
func (s *Sums) For(peer uint32) uint64 {
	if at, ok := s.search(peer); ok {
		return s.other + s.owned[at].delta
	}
	return s.other
}
