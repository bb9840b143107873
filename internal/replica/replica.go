// Package replica owns worlds across the network: which rows a peer has
// acknowledged, what a body with rows looks like, and the proof that both
// sides hold the same. It never knows a session, a connection or a clock: it
// turns a World into the bytes of a body, and a body into rows.
//
// Today a row is sent whole, until it is acknowledged. The seam is built for
// more: Sender decides what a body holds, Receiver what it meant, and both
// already know what the other has; deltas against the newest acknowledged row,
// per-field rates and relevance belong into those two.
package replica

import (
	"demi.network/internal/wire"
	"demi.network/runtime/world"
)

// Direction is which way rows travel.
type Direction uint8

const (
	// Down is from the host to a client: the fields that the client sees.
	Down Direction = iota
	// Up is from a client to the host: the fields that the client writes, of
	// the entities it owns.
	Up
)

// mask selects the fields that travel, for an entity of owner and the client
// peer at the other end (Down) or at this end (Up).
func (d Direction) mask(t *world.Type, owner, peer uint32) world.Mask {
	if d == Up {
		return t.WritableBy(owner, peer)
	}
	return t.VisibleTo(owner, peer)
}

const (
	// Budget is the most bytes of a body. Rows that do not fit wait for a
	// later body, the longest waiting first.
	Budget = 8 << 10
	// MaxBody is what a Receiver accepts; more is refused unread.
	MaxBody = 2 * Budget
	// ackWindow is how many bodies before the newest an acknowledgement names.
	ackWindow = 32
)

// header begins every body.
type header struct {
	tick     uint32
	complete bool   // no row waits for a later body
	acked    bool   // ack and ackBits mean something
	ack      uint32 // tick of the newest body of the other direction that was applied whole
	ackBits  uint32 // bit i: the body of tick ack-1-i was, too
}

func (h *header) code(c *wire.Coder) {
	c.U32(&h.tick)
	var flags uint8
	if h.complete {
		flags |= 1
	}
	if h.acked {
		flags |= 2
	}
	c.U8(&flags)
	if flags > 3 {
		c.Fail(wire.ErrRange)
	}
	h.complete, h.acked = flags&1 != 0, flags&2 != 0
	if h.acked {
		c.U32(&h.ack)
		c.U32(&h.ackBits)
	}
}

// rowHead begins every row. Rows are in rising order of type, then id: what is
// written is the difference to the row before.
type rowHead struct {
	typ   int
	id    uint32
	gen   uint32
	owner uint32
	force uint8
}

// code codes a row's head after prev (the zero rowHead before the first row).
// types is the number of types; a reader refuses heads out of order, ids and
// generations of 0.
func (r *rowHead) code(c *wire.Coder, prev *rowHead, types int) {
	step, id := uint64(r.typ-prev.typ), uint64(r.id)
	if !c.Reading() && step == 0 {
		id -= uint64(prev.id)
	}
	c.Uvarint(&step, uint64(types))
	c.Uvarint(&id, 1<<32-1)
	if c.Reading() {
		r.typ = prev.typ + int(step)
		full := id
		if step == 0 {
			full += uint64(prev.id)
		}
		if r.typ >= types || id == 0 || full > 1<<32-1 {
			c.Fail(wire.ErrRange)
			return
		}
		r.id = uint32(full)
	}
	c.V32(&r.gen)
	c.V32(&r.owner)
	c.U8(&r.force)
	if r.gen == 0 {
		c.Fail(wire.ErrRange)
	}
}

// after reports whether tick a is later than b, across the wrap of a counter.
func after(a, b uint32) bool { return int32(a-b) > 0 }
