package session

import (
	"slices"
	"sort"

	"demi.network/runtime/world"
)

// MaxEntities is the most live entities of a session. A host that wants more
// is refused (entity_limit); a client that is told of more leaves.
const MaxEntities = 1 << 17

// registry is which entities exist, whose they are, and at which generation:
// the heads of the World's rows, and beside them the largest id so far, which
// tells an entity that has gone from one that never was.
type registry struct {
	layout *world.Layout
	world  *world.World
	last   uint32         // ids above were never given out, or never heard of
	live   int            // entities
	owned  map[Sender]int // live entities of each owner; no entry for none

	defaults [][]int32 // rows as the contract gives them, by type
}

func newRegistry(l *world.Layout, w *world.World) registry {
	w.Reset(l)
	r := registry{layout: l, world: w, owned: map[Sender]int{}, defaults: make([][]int32, len(l.Types))}
	for i := range l.Types {
		r.defaults[i] = l.Types[i].Default()
	}
	return r
}

// find returns where an entity's row is.
func (r *registry) find(n uint32) (typ, row int, ok bool) {
	if n == 0 || n > r.last {
		return 0, 0, false
	}
	return r.world.Find(n)
}

// gone says that n existed once.
func (r *registry) gone(n uint32) bool {
	_, _, ok := r.find(n)
	return n != 0 && n <= r.last && !ok
}

// insert adds a new entity; its id is larger than every one before it.
func (r *registry) insert(typ int, h world.Head, cells []int32) {
	r.world.Insert(r.layout, typ, h, cells)
	r.last = h.ID
	r.live++
	r.count(Sender(h.Owner), 1)
}

// remove takes an entity out.
func (r *registry) remove(typ, row int) {
	h := *r.world.Head(typ, row)
	r.world.Remove(h.ID)
	r.live--
	r.count(Sender(h.Owner), -1)
}

// give changes an entity's owner and generation. Force starts again: it
// belongs to the writes of one owner.
func (r *registry) give(typ, row int, owner Sender, gen uint32) {
	h := r.world.Head(typ, row)
	r.count(Sender(h.Owner), -1)
	r.count(owner, 1)
	h.Owner, h.OwnGen, h.Force = uint32(owner), gen, 0
}

func (r *registry) count(owner Sender, by int) {
	if n := r.owned[owner] + by; n != 0 {
		r.owned[owner] = n
	} else {
		delete(r.owned, owner)
	}
}

// after returns the entity with the smallest id above n.
func (r *registry) after(n uint32) (typ, row int, ok bool) {
	best := uint32(0)
	for t := range r.world.Tables {
		heads := r.world.Tables[t].Heads
		i := sort.Search(len(heads), func(i int) bool { return heads[i].ID > n })
		if i < len(heads) && (best == 0 || heads[i].ID < best) {
			best, typ, row = heads[i].ID, t, i
		}
	}
	return typ, row, best != 0
}

// of returns the ids of an owner's entities, in rising order.
func (r *registry) of(owner Sender) []uint32 {
	if r.owned[owner] == 0 {
		return nil
	}
	ids := make([]uint32, 0, r.owned[owner])
	for t := range r.world.Tables {
		for i := range r.world.Tables[t].Heads {
			if h := &r.world.Tables[t].Heads[i]; h.Owner == uint32(owner) {
				ids = append(ids, h.ID)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// appendRow appends what a peer may see of a row.
func (r *registry) appendRow(dst []byte, typ, row int, peer Sender) []byte {
	h := r.world.Head(typ, row)
	mask := r.layout.Types[typ].VisibleTo(h.Owner, uint32(peer))
	return r.layout.AppendRow(dst, typ, r.world.Row(r.layout, typ, row), mask)
}

// readRow reads what the host wrote with appendRow for me, onto cells.
func (r *registry) readRow(b []byte, typ int, owner, me Sender, cells []int32) bool {
	mask := r.layout.Types[typ].VisibleTo(uint32(owner), uint32(me))
	rest, err := r.layout.ReadRow(b, typ, mask, cells)
	return err == nil && len(rest) == 0
}
