// Package world owns the state of a session as data: rows of quantised
// integers in tables, one table per replicated prefab, described by a Layout
// compiled from the contract. It also owns the one coding of a row, the hash
// of state, and the Simulation interface, a function from a World to the next.
//
// It never knows a session, a network or a clock: who may do a thing is not
// what a thing is. Nothing here is safe for concurrent use; a Layout never
// changes and may be shared.
package world

import "sort"

// World is the replicated state after Tick steps. It holds no floats,
// pointers, strings or maps, so that copying it is saving it. Which rows
// exist, and whose they are, is written by the session only; columns are
// written by the runtime (publications, snapshots) or by a Simulation.
type World struct {
	Tick   uint32
	Rand   uint64  // state of the world's random numbers
	Tables []Table // by type id (contract.Prefab.Index)
}

// Table holds the entities of one prefab, in rising order of ids. Row i is
// Cells[i*stride : (i+1)*stride].
type Table struct {
	Heads []Head
	Cells []int32
}

// Head is what a row has beside its columns.
type Head struct {
	ID     uint32 // the n of net:<epoch>:<n>; from 1, never reused in an epoch
	OwnGen uint32 // ownership generation, from 1
	Owner  uint32 // 0 = the server, n = peer n
	Force  uint8  // counts server writes that beat the owner's; modulo 256
	Flags  uint8  // markers of the row's newest change; 0 today
}

// New returns an empty World with a table for each type of l.
func New(l *Layout) *World {
	return &World{Tables: make([]Table, len(l.Types))}
}

// Reset empties w and makes it a World of l, keeping what memory it can.
func (w *World) Reset(l *Layout) {
	w.Tick, w.Rand = 0, 0
	if cap(w.Tables) < len(l.Types) {
		w.Tables = make([]Table, len(l.Types))
	}
	w.Tables = w.Tables[:len(l.Types)]
	for i := range w.Tables {
		t := &w.Tables[i]
		t.Heads, t.Cells = t.Heads[:0], t.Cells[:0]
	}
}

// CopyFrom makes w equal to src; they share no memory afterwards. It does not
// allocate once w has grown to src's size.
func (w *World) CopyFrom(src *World) {
	w.Tick, w.Rand = src.Tick, src.Rand
	if cap(w.Tables) < len(src.Tables) {
		w.Tables = make([]Table, len(src.Tables))
	}
	w.Tables = w.Tables[:len(src.Tables)]
	for i := range src.Tables {
		d, s := &w.Tables[i], &src.Tables[i]
		d.Heads = append(d.Heads[:0], s.Heads...)
		d.Cells = append(d.Cells[:0], s.Cells...)
	}
}

// Len returns the number of entities.
func (w *World) Len() int {
	n := 0
	for i := range w.Tables {
		n += len(w.Tables[i].Heads)
	}
	return n
}

// search returns the row at which id is, or belongs.
func (t *Table) search(id uint32) (row int, found bool) {
	n := len(t.Heads)
	if n == 0 || t.Heads[n-1].ID < id {
		return n, false
	}
	row = sort.Search(n, func(i int) bool { return t.Heads[i].ID >= id })
	return row, t.Heads[row].ID == id
}

// Find returns the type and row of an entity. The row is good until the next
// Insert or Remove.
func (w *World) Find(id uint32) (typ, row int, ok bool) {
	for typ = range w.Tables {
		if row, ok = w.Tables[typ].search(id); ok {
			return typ, row, true
		}
	}
	return 0, 0, false
}

// FindIn is Find in the table of one type.
func (w *World) FindIn(typ int, id uint32) (row int, ok bool) { return w.Tables[typ].search(id) }

// Head returns the head of a row, for reading and writing. It is valid until
// the next Insert or Remove.
func (w *World) Head(typ, row int) *Head { return &w.Tables[typ].Heads[row] }

// Row returns the columns of a row, for reading and writing. They are valid
// until the next Insert or Remove.
func (w *World) Row(l *Layout, typ, row int) []int32 {
	n := l.Types[typ].Stride
	return w.Tables[typ].Cells[row*n : (row+1)*n : (row+1)*n]
}

// Insert adds an entity at its place in the order of ids and returns its row.
// cells are copied; nil means the type's defaults. An id that is already in w,
// the id 0, or a row of another width is a caller's mistake and panics.
func (w *World) Insert(l *Layout, typ int, h Head, cells []int32) (row int) {
	ty, t := &l.Types[typ], &w.Tables[typ]
	if cells == nil {
		cells = ty.defaults
	}
	if _, _, dup := w.Find(h.ID); dup || h.ID == 0 || len(cells) != ty.Stride {
		panic("world: BUG: Insert of a known or zero id, or of a row of another width")
	}
	row, _ = t.search(h.ID)
	t.Heads = append(t.Heads, Head{})
	copy(t.Heads[row+1:], t.Heads[row:])
	t.Heads[row] = h
	at := row * ty.Stride
	t.Cells = append(t.Cells, cells...)
	if tail := len(t.Cells) - ty.Stride; at < tail {
		copy(t.Cells[at+ty.Stride:], t.Cells[at:tail])
		copy(t.Cells[at:at+ty.Stride], cells)
	}
	return row
}

// Remove takes an entity out and says whether it was there.
func (w *World) Remove(id uint32) bool {
	typ, row, ok := w.Find(id)
	if !ok {
		return false
	}
	t := &w.Tables[typ]
	n := len(t.Cells) / len(t.Heads) // the stride
	t.Heads = append(t.Heads[:row], t.Heads[row+1:]...)
	t.Cells = append(t.Cells[:row*n], t.Cells[(row+1)*n:]...)
	return true
}
