package netsim

import (
	"net/netip"
	"time"

	"demi.network/runtime/transport"
)

// parcel is a datagram on its way. seq breaks ties of due, so that the order
// never depends on anything but the calls made.
type parcel struct {
	due  time.Time
	seq  uint64
	from netip.AddrPort // in a Network
	to   netip.AddrPort
	addr transport.Addr // in a Wrapped
	b    []byte
}

func (p *parcel) before(q *parcel) bool {
	if p.due.Equal(q.due) {
		return p.seq < q.seq
	}
	return p.due.Before(q.due)
}

// queue is a binary heap of parcels, the earliest first, and the free list of
// their buffers.
type queue struct {
	heap []parcel
}

func (q *queue) len() int { return len(q.heap) }

// next returns when the earliest parcel is due, or the zero time.
func (q *queue) next() time.Time {
	if len(q.heap) == 0 {
		return time.Time{}
	}
	return q.heap[0].due
}

func (q *queue) push(p parcel) {
	q.heap = append(q.heap, p)
	h, i := q.heap, len(q.heap)-1
	for i > 0 {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// pop removes the earliest parcel if it is due by now.
func (q *queue) pop(now time.Time) (parcel, bool) {
	if len(q.heap) == 0 || q.heap[0].due.After(now) {
		return parcel{}, false
	}
	h := q.heap
	p, n := h[0], len(h)-1
	h[0] = h[n]
	h[n] = parcel{}
	h = h[:n]
	q.heap = h
	for i := 0; ; {
		kid := 2*i + 1
		if kid >= n {
			break
		}
		if kid+1 < n && h[kid+1].before(&h[kid]) {
			kid++
		}
		if !h[kid].before(&h[i]) {
			break
		}
		h[i], h[kid] = h[kid], h[i]
		i = kid
	}
	return p, true
}

// pool keeps buffers for reuse, so that a warm network allocates nothing.
type pool struct{ free [][]byte }

// poolLimit bounds what the free list keeps.
const poolLimit = 4096

func (p *pool) copy(b []byte) []byte {
	n := len(p.free)
	if n == 0 {
		return append(make([]byte, 0, max(len(b), 256)), b...)
	}
	buf := p.free[n-1]
	p.free = p.free[:n-1]
	return append(buf[:0], b...)
}

func (p *pool) put(b []byte) {
	if len(p.free) < poolLimit {
		p.free = append(p.free, b)
	}
}
