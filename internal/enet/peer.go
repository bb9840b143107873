package enet

import (
	"net/netip"
	"slices"

	"demi.network/runtime/transport"
)

// state is where a connection stands (wire.md § 5). C's CONNECTION_PENDING and
// CONNECTION_SUCCEEDED do not exist here: events always have room.
type state uint8

const (
	// stateFree: the slot has no connection.
	stateFree state = iota
	// stateConnecting: we sent CONNECT.
	stateConnecting
	// stateAcceptingConnect: we sent VERIFY_CONNECT (ACKNOWLEDGING_CONNECT).
	stateAcceptingConnect
	// stateConnected: both sides know each other.
	stateConnected
	// stateDisconnectLater: we leave once everything queued is acknowledged.
	stateDisconnectLater
	// stateDisconnecting: we sent DISCONNECT and wait for its acknowledgement.
	stateDisconnecting
	// stateAckDisconnect: the other side left; our acknowledgement is queued.
	stateAckDisconnect
	// stateZombie: over, and the application does not know yet.
	stateZombie
	stateCount
)

var stateNames = [stateCount]string{
	"free", "connecting", "accepting", "connected", "disconnect-later", "disconnecting", "ack-disconnect", "zombie",
}

// String returns the state's name.
func (s state) String() string {
	if s >= stateCount {
		return "invalid"
	}
	return stateNames[s]
}

type stateSet uint16

func states(list ...state) (s stateSet) {
	for _, st := range list {
		s |= 1 << st
	}
	return s
}

func (s stateSet) has(st state) bool { return s>>st&1 != 0 }

// transitions holds, for each state, where it may lead.
var transitions = [stateCount]stateSet{
	stateFree:             states(stateConnecting, stateAcceptingConnect),
	stateConnecting:       states(stateConnected, stateZombie, stateFree),
	stateAcceptingConnect: states(stateConnected, stateFree),
	stateConnected:        states(stateDisconnectLater, stateDisconnecting, stateAckDisconnect, stateZombie, stateFree),
	stateDisconnectLater:  states(stateDisconnecting, stateAckDisconnect, stateZombie, stateFree),
	stateDisconnecting:    states(stateZombie, stateFree),
	stateAckDisconnect:    states(stateZombie, stateFree),
	stateZombie:           states(stateFree),
}

// Sets of states that commands and calls ask for.
var (
	takesData = states(stateConnected, stateDisconnectLater)
	hears     = states(stateConnecting, stateAcceptingConnect, stateConnected, stateDisconnectLater, stateDisconnecting, stateAckDisconnect)
	acksAll   = states(stateConnecting, stateConnected, stateDisconnectLater)
)

// peer is one slot and the connection in it. It belongs to its Host.
type peer struct {
	slot   uint16
	state  state
	muted  bool // the application dropped it and hears nothing more
	dirty  bool // in Host.dirty
	live   bool // counted in slotTable.live
	timer  int  // place in timers, -1: none
	handle transport.Peer
	id     identity
	life   lifecycle
	wire   framing

	channels []channel
	out      outgoing
	acks     ackQueue
	path     path
	in       receiving
	band     peerBandwidth
	traffic  traffic
}

// identity is who is at the other end, and how each side recognises the other.
type identity struct {
	addr       transport.Addr
	ip         netip.Addr // unmapped, without port: what limits count by
	prevAtAddr *peer      // other connections with the same addr, newest first
	nextAtAddr *peer
	older      *peer  // accepted before with the same addr and remoteID
	remoteID   uint16 // the other side's slot; noPeerID while unknown
	inSession  uint8  // expected in datagrams to us; outlives the connection
	outSession uint8  // written into datagrams to them; outlives the connection
	connectID  [4]byte
	timeOrigin uint16 // random; added to every sent time, so that it says nothing of other connections
	data       uint32 // of CONNECT
	dialled    bool   // by us
	broadcast  bool   // dialled to 255.255.255.255: the first answer decides addr
}

// lifecycle holds the deadlines of beginnings and ends.
type lifecycle struct {
	expires  millis // an unfinished incoming handshake; never: not one
	dropAt   millis // Host.Drop gives up; never: not dropped
	hurry    millis // how long a resend waits at most until then
	dropCode uint32 // what our DISCONNECT says once the queues are empty
	code     uint32 // what their DISCONNECT said
	proof    proof
	prev     *peer // unfinished handshakes, oldest first
	next     *peer
}

// proof is how a dialler proves that he receives at his address: he repeats the
// sent time of a VERIFY_CONNECT, which nobody else has seen.
type proof struct {
	// The host's side: the sent times of its last answers, as on the wire.
	times [4]uint16
	n     int
	// The dialler's side: the acknowledgement, which goes before all that is
	// sent until the host has acknowledged something. Lost, it would have the
	// host throw away what is said meanwhile.
	ack    pendingAck
	repeat bool
}

func (f *proof) note(sent uint16) {
	f.times[f.n%len(f.times)] = sent
	f.n++
}

func (f *proof) holds(sent uint16) bool {
	return slices.Contains(f.times[:min(f.n, len(f.times))], sent)
}

// framing is how datagrams to a peer are cut.
type framing struct {
	mtu     int // bytes of a datagram, everything counted
	fragLen int // bytes of data in a fragment
}

func (f *framing) set(mtu int, checksum bool) {
	f.mtu = mtu
	f.fragLen = mtu - 4 - fragmentSize
	if checksum {
		f.fragLen -= checksumSize
	}
}

// traffic counts what a connection sent and received.
type traffic struct {
	bytesSent, bytesReceived, packetsSent, packetsReceived, throttled uint64

	heard millis // when a datagram last arrived; 0: never
}

// channel is one ordered stream, both ways.
type channel struct {
	out outChannel
	in  inChannel
}

// setState is the only writer of a peer's state.
func (p *peer) setState(s state) {
	if !transitions[p.state].has(s) {
		panic("enet: BUG: " + p.state.String() + " → " + s.String())
	}
	p.state = s
}

// deadline returns when this peer needs attention if nothing arrives.
func (p *peer) deadline() millis {
	if p.state == stateFree || p.state == stateZombie {
		return never
	}
	at := min(p.life.expires, p.life.dropAt)
	if p.state == stateConnected {
		at = min(at, p.pingDue())
	}
	if p.out.sent.head != nil {
		at = min(at, p.out.nextTimeout)
	}
	return at
}

func (p *peer) pingDue() millis {
	return p.path.silence.pingDue(p.out.sent.head != nil, p.traffic.heard)
}

// begin makes an empty connection of the slot, with the slot remoteID of the
// other side. Its handle is new.
func (h *Host) begin(p *peer, s state, addr transport.Addr, remoteID uint16, channels int) {
	p.setState(s)
	h.slots.handles++
	p.handle = transport.Peer(h.slots.handles<<16 | uint64(p.slot))
	remote := h.link.Remote(addr)
	p.id.addr, p.id.ip = addr, remote.Addr().Unmap()
	p.id.remoteID = remoteID
	p.id.dialled, p.id.broadcast = s == stateConnecting, false
	p.id.timeOrigin = uint16(h.cfg.Random())
	p.muted = false
	p.life = lifecycle{expires: never, dropAt: never, hurry: never}
	p.wire.set(h.cfg.MTU, h.cfg.Checksum)
	p.setChannels(channels, h.pools.seed)
	p.out.reset(h.pools.seed)
	p.acks.reset()
	p.path.reset(&h.cfg, h.clock.now)
	p.in.reset()
	p.band = peerBandwidth{}
	p.traffic = traffic{}
	h.slots.enter(p)
}

// setChannels gives the connection n empty channels.
func (p *peer) setChannels(n int, seed uint32) {
	if cap(p.channels) < n {
		p.channels = make([]channel, n)
	}
	p.channels = p.channels[:n]
	for i := range p.channels {
		p.channels[i].reset(seed)
	}
}

func (c *channel) reset(seed uint32) {
	c.out = outChannel{}
	c.in.pending.clear()
	c.in.pending.seed = seed
	c.in = inChannel{pending: c.in.pending, waiting: c.in.waiting[:0]}
}

// dropQueues forgets everything unsent, unacknowledged, incomplete or out of
// order. Messages that were complete and in order are with the application or
// in its inbox, and stay there.
func (h *Host) dropQueues(p *peer) {
	p.out.drop(&h.pools)
	p.acks.reset()
	for i := range p.channels {
		p.channels[i].in.drop(&h.pools)
	}
	h.held -= p.in.held
	p.in.held = 0
}

// leaveHandshakes takes p out of the unfinished incoming handshakes.
func (h *Host) leaveHandshakes(p *peer) {
	if p.life.expires != never {
		h.slots.handshakes.remove(p)
		p.life.expires = never
	}
}

// free ends a connection without an event. Its handle is void from now on.
func (h *Host) free(p *peer) {
	h.leaveHandshakes(p)
	h.dropQueues(p)
	if p.state != stateZombie {
		h.partWith(p)
	}
	h.timers.remove(p)
	p.dirty = false
	p.handle = 0
	gone := h.slots.leave(p)
	p.setState(stateFree)
	if gone {
		h.link.Forget(p.id.addr)
	}
}

// end is free for a connection that the application knows: it hears of the
// end, once.
func (h *Host) end(p *peer, reason transport.Reason, code uint32) {
	if p.muted || p.state == stateAcceptingConnect {
		h.free(p)
		return
	}
	h.dropQueues(p)
	h.partWith(p)
	h.timers.remove(p)
	p.dirty = false
	p.setState(stateZombie)
	h.inbox.push(transport.Event{Kind: transport.Disconnected, Reason: reason, Peer: p.handle, Code: code})
}

// mark puts p on the list of peers that Flush looks at.
func (h *Host) mark(p *peer) {
	if !p.dirty {
		p.dirty = true
		h.dirty = append(h.dirty, p)
	}
}
