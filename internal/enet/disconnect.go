package enet

import "demi.network/runtime/transport"

// Drop implements transport.Host: it is DisconnectLater for at most
// Timeouts.Drop, then DisconnectNow. Meanwhile resends do not wait longer and
// longer, and what is said last is said three times: nobody will ask for it
// again. The handle is void for Send from now on and no event of the peer
// follows.
func (h *Host) Drop(id transport.Peer, code uint32) {
	p := h.slots.find(id)
	if p == nil || p.muted {
		return
	}
	p.muted = true
	p.life.dropAt = h.clock.now + ms(h.cfg.Timeouts.Drop)
	p.life.dropCode = code
	switch p.state {
	case stateConnecting, stateZombie:
		h.free(p)
		return
	case stateConnected:
		h.leave(p)
	}
	p.makeHaste(ms(h.cfg.Timeouts.Drop))
	h.timers.hint(p, p.deadline())
}

const (
	dropTries = 10 // sends of a command while its connection is being dropped, if round trips are short enough
	lastWords = 3  // unanswered DISCONNECTs at the end of it
)

// makeHaste shortens the waits of what is in flight, and of what will be, for a
// connection that has only so much time left.
func (p *peer) makeHaste(left millis) {
	p.life.hurry = max(millis((p.path.rtt+minRTTSlack+999)/1000), left/dropTries)
	for c := p.out.sent.head; c != nil; c = c.next {
		c.timeout = min(c.timeout, p.life.hurry)
		p.out.nextTimeout = min(p.out.nextTimeout, c.sentAt+c.timeout)
	}
}

// Disconnect ends a connection: what is queued is lost, the other side is
// told, and a Disconnected event with code 0 follows when it has answered, or
// when it did not in time. In mid-handshake nobody is told and no event
// follows. It does nothing on a connection that is already ending.
func (h *Host) Disconnect(id transport.Peer, code uint32) {
	p := h.slots.find(id)
	if p == nil {
		return
	}
	switch p.state {
	case stateConnecting:
		h.free(p)
	case stateConnected, stateDisconnectLater:
		h.sayDisconnect(p, code)
	}
}

// DisconnectLater is Disconnect once everything queued was acknowledged. From
// now on nothing can be sent and what arrives is thrown away. Called again it
// changes the code.
func (h *Host) DisconnectLater(id transport.Peer, code uint32) {
	p := h.slots.find(id)
	switch {
	case p == nil:
	case p.state == stateConnected:
		p.life.dropCode = code
		h.leave(p)
	case p.state == stateDisconnectLater:
		p.life.dropCode = code
	default:
		h.Disconnect(id, code)
	}
}

// DisconnectNow tells the other side once, without waiting for an answer, and
// forgets the connection. No event follows.
func (h *Host) DisconnectNow(id transport.Peer, code uint32) {
	p := h.slots.find(id)
	if p == nil {
		return
	}
	if takesData.has(p.state) {
		h.goodbye(p, code)
	}
	h.free(p)
}

// Reset forgets a connection and tells nobody: the other side finds out by
// timeout. No event follows.
func (h *Host) Reset(id transport.Peer) {
	if p := h.slots.find(id); p != nil {
		h.free(p)
	}
}

// leave starts disconnecting a connected peer, with life.dropCode, when its
// queues are empty.
func (h *Host) leave(p *peer) {
	for i := range p.channels {
		p.channels[i].in.drop(&h.pools)
	}
	h.held -= p.in.held
	p.in.held = 0
	if p.out.empty() {
		h.sayDisconnect(p, p.life.dropCode)
		return
	}
	p.setState(stateDisconnectLater)
}

// sayDisconnect drops the queues and sends a DISCONNECT that wants an answer.
func (h *Host) sayDisconnect(p *peer, code uint32) {
	h.dropQueues(p)
	p.setState(stateDisconnecting)
	c := p.out.addControl(&h.pools, kindDisconnect, flagAcknowledge)
	be.PutUint32(c.bytes[4:], code)
	h.mark(p)
}

// goodbye sends a DISCONNECT that wants no answer, at once. It drops the
// queues; the caller frees the slot.
func (h *Host) goodbye(p *peer, code uint32) {
	h.dropQueues(p)
	c := p.out.addControl(&h.pools, kindDisconnect, flagUnsequenced)
	be.PutUint32(c.bytes[4:], code)
	h.out.start(p.wire.mtu, h.cfg.Checksum)
	h.dispatch(p, c)
	if h.seal(p) != nil {
		h.counters.LinkRefused++
	}
}

// onDisconnect is § 7. The flag decides whether the sender waits for an
// answer.
func (h *Host) onDisconnect(p *peer, hd header, code uint32) verdict {
	switch p.state {
	case stateAckDisconnect:
	case stateConnected, stateDisconnectLater:
		if hd.op&flagAcknowledge == 0 {
			h.end(p, transport.Closed, code)
			break
		}
		h.dropQueues(p)
		p.setState(stateAckDisconnect)
		p.life.code = code
		h.mark(p)
	default:
		h.end(p, transport.Closed, code)
	}
	return handled
}
