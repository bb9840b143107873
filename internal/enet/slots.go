package enet

import (
	"math/bits"
	"net/netip"

	"demi.network/runtime/transport"
)

// slotTable holds a Host's peers by slot and by address. Slots are made when
// first needed, so that a large limit costs nothing.
type slotTable struct {
	peers      []*peer // by slot; nil: never used
	vacant     []uint64
	byAddr     map[transport.Addr]*peer // newest of the peers at that address
	byRemote   map[remoteSlot]*peer     // newest of the accepted connections with that slot
	perIP      map[netip.Addr]int       // accepted connections and handshakes
	handshakes handshakeList
	live       int // connections, without unfinished incoming handshakes
	used       int // slots in use
	handles    uint64
}

// remoteSlot is a slot of a host that dialled us. Of one such slot only the
// newest connection can be alive.
type remoteSlot struct {
	addr transport.Addr
	slot uint16
}

func (t *slotTable) init(n int) {
	t.peers = make([]*peer, n)
	t.vacant = make([]uint64, (n+63)/64)
	for i := range n {
		t.vacant[i/64] |= 1 << (i % 64)
	}
	t.byAddr = make(map[transport.Addr]*peer)
	t.byRemote = make(map[remoteSlot]*peer)
	t.perIP = make(map[netip.Addr]int)
}

// take returns the first free slot, still free, or nil.
func (t *slotTable) take() *peer {
	for i, w := range t.vacant {
		if w == 0 {
			continue
		}
		slot := i*64 + bits.TrailingZeros64(w)
		p := t.peers[slot]
		if p == nil {
			p = &peer{slot: uint16(slot), timer: -1}
			p.id.inSession, p.id.outSession = noSession, noSession
			t.peers[slot] = p
		}
		return p
	}
	return nil
}

// at returns the peer in a slot, or nil.
func (t *slotTable) at(slot uint16) *peer {
	if int(slot) >= len(t.peers) {
		return nil
	}
	return t.peers[slot]
}

// find returns the peer of a handle, or nil when it is gone.
func (t *slotTable) find(handle transport.Peer) *peer {
	p := t.at(uint16(handle))
	if p == nil || handle == 0 || p.handle != handle {
		return nil
	}
	return p
}

// enter records that p, whose id is set, is in use.
func (t *slotTable) enter(p *peer) {
	t.vacant[p.slot/64] &^= 1 << (p.slot % 64)
	t.used++
	t.link(p)
	if p.state == stateConnecting {
		t.promote(p)
	} else {
		t.perIP[p.id.ip]++
		key := remoteSlot{p.id.addr, p.id.remoteID}
		p.id.older = t.byRemote[key]
		t.byRemote[key] = p
	}
}

// link adds p to the peers at its address.
func (t *slotTable) link(p *peer) {
	next := t.byAddr[p.id.addr]
	p.id.prevAtAddr, p.id.nextAtAddr = nil, next
	if next != nil {
		next.id.prevAtAddr = p
	}
	t.byAddr[p.id.addr] = p
}

// unlink takes p out of the peers at its address and says whether it was the
// last one.
func (t *slotTable) unlink(p *peer) (last bool) {
	prev, next := p.id.prevAtAddr, p.id.nextAtAddr
	p.id.prevAtAddr, p.id.nextAtAddr = nil, nil
	if next != nil {
		next.id.prevAtAddr = prev
	}
	switch {
	case prev != nil:
		prev.id.nextAtAddr = next
	case next != nil:
		t.byAddr[p.id.addr] = next
	default:
		delete(t.byAddr, p.id.addr)
		return true
	}
	return false
}

// unname takes p, which was accepted, out of the connections with its remote
// slot. There are no more of them than unfinished handshakes of one address.
func (t *slotTable) unname(p *peer) {
	key := remoteSlot{p.id.addr, p.id.remoteID}
	older := p.id.older
	p.id.older = nil
	newest := t.byRemote[key]
	switch {
	case newest != p:
		for q := newest; q != nil; q = q.id.older {
			if q.id.older == p {
				q.id.older = older
				return
			}
		}
	case older == nil:
		delete(t.byRemote, key)
	default:
		t.byRemote[key] = older
	}
}

// promote counts p among the connections.
func (t *slotTable) promote(p *peer) {
	if !p.live {
		p.live = true
		t.live++
	}
}

// leave records that p's slot is free, and says whether nobody is left at its
// address. The state must still be the one it had in use.
func (t *slotTable) leave(p *peer) (gone bool) {
	t.vacant[p.slot/64] |= 1 << (p.slot % 64)
	t.used--
	if p.live {
		p.live = false
		t.live--
	}
	if !p.id.dialled {
		t.unname(p)
		if n := t.perIP[p.id.ip] - 1; n > 0 {
			t.perIP[p.id.ip] = n
		} else {
			delete(t.perIP, p.id.ip)
		}
	}
	return t.unlink(p)
}

// handshakeList is the unfinished incoming handshakes, oldest first.
type handshakeList struct {
	head, tail *peer
	n          int
}

func (l *handshakeList) add(p *peer) {
	p.life.prev, p.life.next = l.tail, nil
	if l.tail == nil {
		l.head = p
	} else {
		l.tail.life.next = p
	}
	l.tail = p
	l.n++
}

func (l *handshakeList) remove(p *peer) {
	if p.life.prev == nil {
		l.head = p.life.next
	} else {
		p.life.prev.life.next = p.life.next
	}
	if p.life.next == nil {
		l.tail = p.life.prev
	} else {
		p.life.next.life.prev = p.life.prev
	}
	p.life.prev, p.life.next = nil, nil
	l.n--
}

// oldestOf returns the oldest handshake of an address, and how many it has.
func (l *handshakeList) oldestOf(ip netip.Addr) (oldest *peer, n int) {
	for p := l.head; p != nil; p = p.life.next {
		if p.id.ip == ip {
			if oldest == nil {
				oldest = p
			}
			n++
		}
	}
	return oldest, n
}
