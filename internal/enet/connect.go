package enet

import (
	"net/netip"
	"time"

	"demi.network/runtime/transport"
)

// Dial implements transport.Host. It fails with ErrFull when the host has
// all the connections it may have, and with the link's error when that cannot
// reach the address. The Connected event's Code is Config.ConnectData on both
// sides; without an answer a Disconnected follows, after 31.5 s by default.
func (h *Host) Dial(now time.Time, to netip.AddrPort) (transport.Peer, error) {
	h.clock.set(now)
	if h.slots.live >= h.cfg.MaxPeers {
		return 0, transport.ErrFull
	}
	addr, err := h.link.Open(now, to)
	if err != nil {
		return 0, err
	}
	p := h.slots.take()
	if p == nil {
		// Only unfinished handshakes can have filled the table.
		h.evict(h.slots.handshakes.head)
		p = h.slots.take()
	}
	h.begin(p, stateConnecting, addr, noPeerID, h.cfg.Channels)
	p.id.broadcast = to.Addr().Unmap() == netip.AddrFrom4([4]byte{255, 255, 255, 255})
	p.id.data = h.cfg.ConnectData
	be.PutUint32(p.id.connectID[:], h.cfg.Random())
	c := p.out.addControl(&h.pools, kindConnect, flagAcknowledge)
	offer := connectCommand{
		peerID: p.slot, inSession: p.id.inSession, outSession: p.id.outSession,
		mtu: uint32(p.wire.mtu), window: uint32(windowFor(h.band.outgoing, 0)), channels: uint32(h.cfg.Channels),
		inBand: h.band.incoming, outBand: h.band.outgoing,
		throttle: p.path.throttle.conf, connectID: p.id.connectID, data: p.id.data,
	}
	offer.put(c.bytes)
	p.out.window = int(offer.window)
	h.mark(p)
	return p.handle, nil
}

// onConnect is § 6.2: the commands of a datagram for no peer, of size bytes.
// Only a CONNECT may come first, and nothing after it is looked at.
func (h *Host) onConnect(from transport.Addr, b []byte, size int) {
	if len(b) < fixedSize[kindConnect] || getHeader(b).kind() != kindConnect {
		h.counters.Unknown++
		return
	}
	offer := getConnect(b)
	if offer.channels < 1 || offer.channels > MaxChannels || offer.peerID >= noPeerID {
		h.counters.Commands++
		return
	}
	before := h.slots.byRemote[remoteSlot{from, offer.peerID}]
	for p := before; p != nil; p = p.id.older {
		if p.id.connectID == offer.connectID {
			p.traffic.bytesReceived += uint64(size)
			return // sent again: the answer has its own timer
		}
	}
	p := h.admit(from, before)
	if p == nil {
		h.counters.Connects++
		return
	}
	h.begin(p, stateAcceptingConnect, from, offer.peerID, min(int(offer.channels), h.cfg.Channels))
	h.slots.handshakes.add(p)
	p.traffic.bytesReceived, p.traffic.packetsReceived = uint64(size), 1
	p.life.expires = h.handshakeDeadline()
	p.id.connectID = offer.connectID
	p.id.data = offer.data
	p.path.throttle.conf = offer.throttle
	p.wire.set(min(h.cfg.MTU, clampMTU(offer.mtu)), h.cfg.Checksum)
	p.id.outSession = p.unlikeOlder(nextSession(offer.inSession, p.id.outSession))
	p.id.inSession = nextSession(offer.outSession, p.id.inSession)
	h.setPeerBandwidth(p, bandwidthCommand{offer.inBand, offer.outBand})
	c := p.out.addControl(&h.pools, kindVerifyConnect, flagAcknowledge)
	reply := connectCommand{
		peerID: p.slot, inSession: p.id.outSession, outSession: p.id.inSession,
		mtu: uint32(p.wire.mtu), window: min(uint32(windowFor(h.band.incoming, 0)), clampWindow(offer.window)),
		channels: uint32(len(p.channels)), inBand: h.band.incoming, outBand: h.band.outgoing,
		throttle: offer.throttle, connectID: offer.connectID,
	}
	reply.put(c.bytes)
	h.mark(p)
	h.timers.hint(p, p.deadline())
}

// nextSession chooses the session id of a direction: one that the last
// connection between the two slots did not use.
func nextSession(offered, own uint8) uint8 {
	base := offered
	if base == noSession {
		base = own
	}
	s := (base + 1) & 3
	if s == own {
		s = (s + 1) & 3
	}
	return s
}

// unlikeOlder returns session id s, or the next one that no older connection
// with the same remote slot sends with: what such a connection still sends must
// not be taken for the new one's.
func (p *peer) unlikeOlder(s uint8) uint8 {
	taken := [4]bool{}
	for q := p.id.older; q != nil; q = q.id.older {
		taken[q.id.outSession&3] = true
	}
	for i := range uint8(4) {
		if !taken[(s+i)&3] {
			return (s + i) & 3
		}
	}
	return s
}

func clampMTU(v uint32) int {
	return int(min(max(v, MinMTU), MaxMTU))
}

func clampWindow(v uint32) uint32 { return min(max(v, minWindow), maxWindow) }

// onVerify is § 6.3: the answer to our CONNECT.
func (h *Host) onVerify(p *peer, a connectCommand) verdict {
	if p.state != stateConnecting {
		return handled
	}
	if a.connectID != p.id.connectID {
		return refused // the answer to an earlier Dial of this slot, or a stranger's
	}
	if a.channels < 1 || a.channels > MaxChannels || a.throttle != p.path.throttle.conf || a.peerID >= noPeerID {
		h.end(p, transport.Closed, 0)
		return handled
	}
	if c, ok := p.out.flight.get(flightKey(controlChannel, 1)); ok {
		p.path.glimpse(h.clock.now - c.sentAt)
	}
	h.settle(p, controlChannel, 1)
	p.life.proof.repeat = true
	p.setChannels(min(len(p.channels), int(a.channels)), h.pools.seed)
	p.id.remoteID = a.peerID
	p.id.inSession, p.id.outSession = a.inSession&3, a.outSession&3
	p.wire.set(min(p.wire.mtu, clampMTU(a.mtu)), h.cfg.Checksum)
	h.setPeerBandwidth(p, bandwidthCommand{a.inBand, a.outBand})
	p.out.window = min(p.out.window, int(clampWindow(a.window)))
	h.establish(p)
	return handled
}

// accepted is § 6.4: the client has answered, so its address is its own.
func (h *Host) accepted(p *peer) {
	h.leaveHandshakes(p)
	if !h.replace(p) && h.slots.live >= h.cfg.MaxPeers {
		// Others were faster.
		h.counters.Connects++
		h.goodbye(p, 0)
		h.free(p)
		return
	}
	h.slots.promote(p)
	h.establish(p)
}

// replace ends the connections that p's remote slot had before p: its owner has
// left them without a word, for a slot has one connection at a time. It says
// whether one of them makes room for p.
func (h *Host) replace(p *peer) (room bool) {
	for q := p.id.older; q != nil; q = p.id.older {
		p.id.older = q.id.older // a zombie leaves the list for good when its end is polled
		room = room || q.live
		if hears.has(q.state) {
			h.end(q, transport.TimedOut, 0)
		}
	}
	return room
}

func (h *Host) establish(p *peer) {
	p.setState(stateConnected)
	p.path.silence.lastAsk = 0 // the first ping, which measures the way, goes at once
	h.band.announce = h.band.announce || h.band.incoming != 0
	h.mark(p)
	h.inbox.push(transport.Event{Kind: transport.Connected, Peer: p.handle, Code: p.id.data})
}

// rebind gives a broadcast dial the address of the first who answered.
func (h *Host) rebind(p *peer, from transport.Addr) {
	if h.slots.unlink(p) {
		h.link.Forget(p.id.addr)
	}
	p.id.addr, p.id.broadcast = from, false
	p.id.ip = h.link.Remote(from).Addr().Unmap()
	h.slots.link(p)
}
