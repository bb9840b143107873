// Package hosttest owns a lossless transport.Host in memory, for tests of what
// stands above a Host, and the conformance test that every Host is put
// through. It never loses, delays or reorders a message, never reads a clock
// and never starts a goroutine.
package hosttest

import (
	"net/netip"
	"time"

	"demi.network/runtime/transport"
)

// ConnectData is the connect data of a new Host: what the accepting side reads
// in Event.Code. It is the number by which the session recognises its peers.
const ConnectData uint32 = 0x444E0001

// Limits of a Host.
const (
	MaxPeers   = 4095     // connections a host has at once; one more Dial from elsewhere times out
	MaxMessage = 32 << 20 // bytes in a message; larger: ErrTooLarge
	MaxQueued  = 65536    // messages sent to a peer and not polled there; one more: ErrBacklog
)

// Network is a set of Hosts that reach each other. What a Host sends arrives,
// whole and in order, in the inbox of the other as soon as the sender calls
// Flush. A Network and its Hosts belong to one goroutine.
type Network struct {
	hosts map[netip.AddrPort]*Host // never ranged over
}

// NewNetwork returns a network without hosts.
func NewNetwork() *Network { return &Network{hosts: map[netip.AddrPort]*Host{}} }

// Host returns a new host at addr, with ConnectData and four channels. An
// address that is in use is a caller's mistake and panics.
func (n *Network) Host(addr netip.AddrPort) *Host {
	addr = unmap(addr)
	if n.hosts[addr] != nil {
		panic("hosttest: BUG: " + addr.String() + " is in use")
	}
	h := &Host{ConnectData: ConnectData, Channels: 4, net: n, addr: addr}
	n.hosts[addr] = h
	return h
}

func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// link is one side of a connection.
type link struct {
	peer   transport.Peer // our handle of it
	host   *Host          // the other host
	far    *link          // its side; nil once it is gone
	stats  transport.Stats
	queued int // messages of ours that the other side has not polled
	open   bool
}

// parcel is an event on its way: to is the link it belongs to.
type parcel struct {
	to *link
	ev transport.Event
}

// Host is one end of any number of connections. The exported fields may be set
// before the first Dial; afterwards they are read only.
type Host struct {
	ConnectData uint32 // Event.Code of Connected at the other end
	Channels    int    // channels of every connection of this host; the smaller of both ends counts

	net    *Network
	addr   netip.AddrPort
	slots  []*link
	uses   []uint64 // connections each slot has had
	inbox  []parcel
	next   int      // inbox[:next] has been polled
	outbox []parcel // gathered until Flush
	closed bool
}

var _ transport.Host = (*Host)(nil)

func (h *Host) find(p transport.Peer) *link {
	slot := int(p & 0xffff)
	if p == 0 || slot >= len(h.slots) || h.slots[slot] == nil || h.slots[slot].peer != p {
		return nil
	}
	return h.slots[slot]
}

// attach takes a slot for a new link, or returns nil when all are in use.
func (h *Host) attach(other *Host) *link {
	slot := -1
	for i, l := range h.slots {
		if l == nil {
			slot = i
			break
		}
	}
	if slot < 0 {
		if len(h.slots) == MaxPeers {
			return nil
		}
		slot = len(h.slots)
		h.slots = append(h.slots, nil)
		h.uses = append(h.uses, 0)
	}
	h.uses[slot]++
	l := &link{peer: transport.Peer(h.uses[slot]<<16 | uint64(slot)), host: other}
	h.slots[slot] = l
	return l
}

func (h *Host) detach(l *link) {
	h.slots[l.peer&0xffff] = nil
	if l.far != nil {
		l.far.far = nil
		l.far = nil
	}
}

// Dial connects at once. Where nobody listens, or nobody has room, the next
// Poll returns Disconnected with TimedOut.
func (h *Host) Dial(now time.Time, to netip.AddrPort) (transport.Peer, error) {
	if h.closed {
		return 0, transport.ErrClosed
	}
	other := h.net.hosts[unmap(to)]
	l := h.attach(other)
	if l == nil {
		return 0, transport.ErrFull
	}
	l.stats.LastHeard = now
	if other == nil || other == h {
		l.host = &Host{addr: unmap(to)}
		h.post(l, transport.Event{Kind: transport.Disconnected, Reason: transport.TimedOut, Peer: l.peer})
		return l.peer, nil
	}
	far := other.attach(h)
	if far == nil {
		h.post(l, transport.Event{Kind: transport.Disconnected, Reason: transport.TimedOut, Peer: l.peer})
		return l.peer, nil
	}
	l.far, far.far = far, l
	far.stats.LastHeard = now
	h.post(l, transport.Event{Kind: transport.Connected, Peer: l.peer})
	other.post(far, transport.Event{Kind: transport.Connected, Peer: far.peer, Code: h.ConnectData})
	return l.peer, nil
}

func (h *Host) post(l *link, ev transport.Event) {
	h.inbox = append(h.inbox, parcel{l, ev})
}

// Poll returns the next event in the order of arrival.
func (h *Host) Poll(now time.Time) (transport.Event, bool) {
	for h.next < len(h.inbox) {
		p := h.inbox[h.next]
		h.inbox[h.next] = parcel{}
		h.next++
		if h.find(p.ev.Peer) != p.to {
			continue // dropped by this side since
		}
		switch p.ev.Kind {
		case transport.Connected:
			p.to.open = true
		case transport.Message:
			p.to.stats.BytesReceived += uint64(len(p.ev.Data))
			p.to.stats.PacketsRecv++
			if p.to.far != nil {
				p.to.far.queued--
				p.to.far.stats.Queued = p.to.far.queued
			}
		case transport.Disconnected:
			h.detach(p.to)
		}
		return p.ev, true
	}
	h.inbox, h.next = h.inbox[:0], 0
	return transport.Event{}, false
}

// Send queues a copy of b until Flush.
func (h *Host) Send(p transport.Peer, ch transport.Channel, mode transport.Mode, b []byte) error {
	l := h.find(p)
	switch {
	case l == nil || !l.open:
		return transport.ErrUnknownPeer
	case int(ch) >= min(h.Channels, l.host.Channels):
		return transport.ErrChannel
	case len(b) > MaxMessage:
		return transport.ErrTooLarge
	case l.queued >= MaxQueued:
		return transport.ErrBacklog
	}
	l.queued++
	l.stats.Queued = l.queued
	l.stats.BytesSent += uint64(len(b))
	l.stats.PacketsSent++
	h.outbox = append(h.outbox, parcel{l, transport.Event{
		Kind: transport.Message, Channel: ch, Mode: mode, Data: append([]byte(nil), b...),
	}})
	return nil
}

// Drop delivers what was sent before it, then Disconnected with Closed. This
// side forgets the peer at once.
func (h *Host) Drop(p transport.Peer, code uint32) {
	l := h.find(p)
	if l == nil {
		return
	}
	h.outbox = append(h.outbox, parcel{l, transport.Event{Kind: transport.Disconnected, Reason: transport.Closed, Code: code}})
	h.slots[p&0xffff] = nil
}

// Stats returns counters; RTT and loss are always 0, and LastHeard is the last
// Flush of the other host.
func (h *Host) Stats(p transport.Peer) transport.Stats {
	if l := h.find(p); l != nil {
		return l.stats
	}
	return transport.Stats{}
}

// Remote returns the other host's address.
func (h *Host) Remote(p transport.Peer) netip.AddrPort {
	if l := h.find(p); l != nil {
		return l.host.addr
	}
	return netip.AddrPort{}
}

// Flush delivers everything sent since the last one. Nothing is ever due
// later, so next is zero.
func (h *Host) Flush(now time.Time) (next time.Time, err error) {
	if h.closed {
		return time.Time{}, transport.ErrClosed
	}
	for i, p := range h.outbox {
		if far := p.to.far; far != nil {
			p.ev.Peer = far.peer
			p.to.host.post(far, p.ev)
			if p.ev.Kind == transport.Disconnected {
				far.far, p.to.far = nil, nil
			}
		}
		h.outbox[i] = parcel{}
	}
	h.outbox = h.outbox[:0]
	for _, l := range h.slots {
		if l != nil && l.far != nil {
			l.far.stats.LastHeard = now
		}
	}
	return time.Time{}, nil
}

// LocalAddr is the address given to Network.Host.
func (h *Host) LocalAddr() netip.AddrPort { return h.addr }

// Close ends the host without a word: its peers see Disconnected with
// TimedOut, and the address is free again.
func (h *Host) Close() error {
	if h.closed {
		return nil
	}
	h.closed = true
	delete(h.net.hosts, h.addr)
	for _, l := range h.slots {
		h.abandon(l)
	}
	for _, p := range h.outbox { // links that Drop has taken out of slots
		h.abandon(p.to)
	}
	h.slots, h.inbox, h.outbox = nil, nil, nil
	return nil
}

// abandon lets the other side of l time out.
func (h *Host) abandon(l *link) {
	if l != nil && l.far != nil {
		l.host.post(l.far, transport.Event{Kind: transport.Disconnected, Reason: transport.TimedOut, Peer: l.far.peer})
		l.far.far, l.far = nil, nil
	}
}
