package enet

import "math/bits"

// index finds values by a number that a peer may have chosen: commands in
// flight by channel and sequence number, packets by start number, fragments by
// their own. It is an open-addressing table with a secret multiplier, so that
// nobody can choose numbers that collide, and it grows with what it holds.
// The zero index is empty; set its seed before the first put.
type index[V any] struct {
	slots []indexSlot[V]
	n     int
	shift uint8 // 32 - log2(len(slots))
	seed  uint32
}

type indexSlot[V any] struct {
	key   uint32 // key + 1; 0 = free
	value V
}

const minIndex = 16

func (x *index[V]) home(key uint32) int {
	return int(((key + 1) * (x.seed | 1)) >> x.shift)
}

// get returns the value of key.
func (x *index[V]) get(key uint32) (v V, ok bool) {
	if x.n == 0 {
		return v, false
	}
	mask := len(x.slots) - 1
	for i := x.home(key); x.slots[i].key != 0; i = (i + 1) & mask {
		if x.slots[i].key == key+1 {
			return x.slots[i].value, true
		}
	}
	return v, false
}

// put stores v under key, which must not be there.
func (x *index[V]) put(key uint32, v V) {
	if 2*(x.n+1) > len(x.slots) {
		x.grow()
	}
	x.insert(key+1, v)
	x.n++
}

func (x *index[V]) insert(stored uint32, v V) {
	mask := len(x.slots) - 1
	i := x.home(stored - 1)
	for x.slots[i].key != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = indexSlot[V]{stored, v}
}

func (x *index[V]) grow() {
	old := x.slots
	size := max(minIndex, 2*len(old))
	x.slots = make([]indexSlot[V], size)
	x.shift = uint8(32 - bits.TrailingZeros(uint(size)))
	for _, s := range old {
		if s.key != 0 {
			x.insert(s.key, s.value)
		}
	}
}

// remove takes key out and closes the gap it leaves.
func (x *index[V]) remove(key uint32) (v V, ok bool) {
	if x.n == 0 {
		return v, false
	}
	mask := len(x.slots) - 1
	i := x.home(key)
	for x.slots[i].key != key+1 {
		if x.slots[i].key == 0 {
			return v, false
		}
		i = (i + 1) & mask
	}
	v = x.slots[i].value
	x.n--
	for j := i; ; {
		j = (j + 1) & mask
		if x.slots[j].key == 0 {
			break
		}
		if home := x.home(x.slots[j].key - 1); (j-home)&mask >= (j-i)&mask {
			x.slots[i] = x.slots[j]
			i = j
		}
	}
	x.slots[i] = indexSlot[V]{}
	return v, true
}

// clear empties the index. A large table is given back, a small one kept.
func (x *index[V]) clear() {
	if len(x.slots) > 1024 {
		x.slots = nil
	} else if x.n > 0 {
		clear(x.slots)
	}
	x.n = 0
}
