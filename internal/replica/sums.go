package replica

import "demi.network/runtime/world"

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
	at := len(s.owned)
	for at > 0 && s.owned[at-1].peer >= peer {
		at--
	}
	if at < len(s.owned) && s.owned[at].peer == peer {
		s.owned[at].delta += delta
		return
	}
	s.owned = append(s.owned, ownedSum{})
	copy(s.owned[at+1:], s.owned[at:])
	s.owned[at] = ownedSum{peer, delta}
}

// For returns what peer must hold.
func (s *Sums) For(peer uint32) uint64 {
	for i := range s.owned {
		if s.owned[i].peer == peer {
			return s.other + s.owned[i].delta
		}
	}
	return s.other
}
