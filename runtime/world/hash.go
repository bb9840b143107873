package world

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// HashEntity hashes one entity: its id, type, ownership generation and owner,
// and the wire values of the selected fields. It depends on nothing else: not
// on Force and Flags, not on bits finer than the wire.
func (l *Layout) HashEntity(typ int, h *Head, cells []int32, m Mask) uint64 {
	var buf [16 + MaxFields*4*4]byte
	t := &l.Types[typ]
	binary.LittleEndian.PutUint32(buf[0:], h.ID)
	binary.LittleEndian.PutUint32(buf[4:], uint32(typ))
	binary.LittleEndian.PutUint32(buf[8:], h.OwnGen)
	binary.LittleEndian.PutUint32(buf[12:], h.Owner)
	n := 16
	for i := range t.Fields {
		if !m.Has(i) {
			continue
		}
		f := &t.Fields[i]
		for c := f.Column; c < f.Column+f.Width; c++ {
			binary.LittleEndian.PutUint32(buf[n:], uint32(t.Columns[c].wire(cells[c])))
			n += 4
		}
	}
	return xxh3.Hash(buf[:n])
}

// Hash is the wrapping sum of the hashes of all entities, each over the fields
// that peer sees (0 = the server, which sees all). Being a sum, it can be
// taken over a part of a World, and a difference narrowed to an entity.
func (l *Layout) Hash(w *World, peer uint32) uint64 {
	var sum uint64
	for typ := range w.Tables {
		t := &w.Tables[typ]
		for row := range t.Heads {
			h := &t.Heads[row]
			sum += l.HashEntity(typ, h, w.Row(l, typ, row), l.Types[typ].VisibleTo(h.Owner, peer))
		}
	}
	return sum
}
