package replica

import (
	"slices"

	"demi.network/runtime/world"
)

// Version counts the changes of a row: it is the number of the Update that saw
// the newest one. Two kinds of viewers see different fields, so each has a
// version of its own, and a change that a peer cannot see costs it nothing and
// tells it nothing.
type Version struct{ Owner, Other uint64 }

func (v Version) of(owner, peer uint32) uint64 {
	if owner == peer {
		return v.Owner
	}
	return v.Other
}

// Tracker finds out, once a tick and for all Senders of a World, which rows
// have changed: a row has when a wire value of it, its owner, its generation
// or its Force has. One Tracker per World; not safe for concurrent use.
type Tracker struct {
	layout *world.Layout
	dir    Direction
	count  uint64
	prev   *world.World
	tables []versions
}

type versions struct{ now, old []Version }

// NewTracker returns a Tracker of an empty World.
func NewTracker(l *world.Layout, d Direction) *Tracker {
	return &Tracker{layout: l, dir: d, prev: world.New(l), tables: make([]versions, len(l.Types))}
}

// Update compares w with what it was at the last Update.
func (t *Tracker) Update(w *world.World) {
	t.count++
	for typ := range w.Tables {
		t.update(typ, &w.Tables[typ], &t.prev.Tables[typ])
	}
	t.prev.CopyFrom(w)
}

func (t *Tracker) update(typ int, cur, prev *world.Table) {
	ty, v := &t.layout.Types[typ], &t.tables[typ]
	v.now, v.old = v.old[:0], v.now
	n, at := ty.Stride, 0
	owner, other := t.dir.mask(ty, 1, 1), t.dir.mask(ty, 1, 2)
	for row := range cur.Heads {
		h := &cur.Heads[row]
		for at < len(prev.Heads) && prev.Heads[at].ID < h.ID {
			at++
		}
		next := Version{t.count, t.count}
		if at < len(prev.Heads) && prev.Heads[at] == *h {
			a, b := cur.Cells[row*n:(row+1)*n], prev.Cells[at*n:(at+1)*n]
			if slices.Equal(a, b) {
				next = v.old[at]
			} else {
				if t.layout.SameRow(typ, a, b, owner) {
					next.Owner = v.old[at].Owner
				}
				if t.layout.SameRow(typ, a, b, other) {
					next.Other = v.old[at].Other
				}
			}
		}
		v.now = append(v.now, next)
	}
}

// version returns the version of a row of the World of the last Update.
func (t *Tracker) version(typ, row int) Version { return t.tables[typ].now[row] }
