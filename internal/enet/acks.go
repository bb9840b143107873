package enet

import "demi.network/runtime/transport"

// maxAcks is how many acknowledgements wait for a peer. A command beyond it is
// not acknowledged, as if its datagram had been lost.
const maxAcks = 8192

// ackQueue holds the acknowledgements for the next datagrams.
type ackQueue struct {
	list []pendingAck
	head int
}

type pendingAck struct {
	ackCommand
	of kind
}

// maxKeptAcks is the most room that an idle peer keeps for them.
const maxKeptAcks = 4096

func (q *ackQueue) reset() {
	q.list, q.head = q.list[:0], 0
	if cap(q.list) > maxKeptAcks {
		q.list = nil
	}
}

func (q *ackQueue) empty() bool { return q.head == len(q.list) }

func (q *ackQueue) add(a pendingAck) bool {
	if len(q.list)-q.head >= maxAcks {
		return false
	}
	q.list = append(q.list, a)
	return true
}

func (q *ackQueue) pop() pendingAck {
	a := q.list[q.head]
	if q.head++; q.head == len(q.list) {
		q.reset()
	}
	return a
}

// acknowledge queues the acknowledgement of a command, if the state of the
// connection and the window of the command allow one (wire.md § 8).
func (h *Host) acknowledge(p *peer, hd header, sent uint16, v verdict) {
	switch {
	case acksAll.has(p.state):
	case p.state == stateAckDisconnect && hd.kind() == kindDisconnect:
	default:
		return
	}
	if v != stored && int(hd.channel) < len(p.channels) && !p.channels[hd.channel].in.acks(hd.seq) {
		return
	}
	a := pendingAck{ackCommand{hd.channel, hd.seq, sent}, hd.kind()}
	if p.acks.add(a) {
		h.mark(p)
	}
	if a.of == kindVerifyConnect && p.life.proof.repeat {
		p.life.proof.ack = a
	}
}

// onAck takes an acknowledgement of ours (wire.md § 8). One that acknowledges
// nothing in flight is a sign of life but measures nothing.
func (h *Host) onAck(p *peer, a ackCommand) verdict {
	if p.state == stateAcceptingConnect && !p.life.proof.holds(a.sent) {
		return refused
	}
	now, low := h.clock.now, a.sent-p.id.timeOrigin
	sent := now&^0xFFFF | millis(low)
	if low&0x8000 != 0 && now&0x8000 == 0 {
		sent -= 0x10000
	}
	if sent > now {
		return handled
	}
	c := h.settle(p, a.channel, a.seq)
	switch c {
	case kindNone:
	case kindVerifyConnect:
		p.path.glimpse(now - sent)
	default:
		p.life.proof.repeat = false
		p.path.sample(now-sent, now)
	}
	p.path.silence.acknowledged(now)
	p.path.loss.update(now)
	if p.out.unsent() {
		h.mark(p)
	}
	switch p.state {
	case stateAcceptingConnect:
		if c != kindVerifyConnect {
			return refused
		}
		h.accepted(p)
	case stateDisconnecting:
		if c != kindDisconnect {
			return refused
		}
		h.end(p, transport.Closed, 0)
	case stateDisconnectLater:
		if p.out.empty() {
			h.mark(p)
		}
	}
	return handled
}

// settle takes an acknowledged command out of the queues and returns its kind,
// or kindNone for a number that is not in flight.
func (h *Host) settle(p *peer, channel uint8, seq uint16) kind {
	c, ok := p.out.flight.remove(flightKey(channel, seq))
	if !ok {
		return kindNone
	}
	if int(channel) < len(p.channels) {
		p.channels[channel].out.leave(seq)
	}
	if c.list == &p.out.sent {
		p.out.inTransit -= c.data
	}
	c.list.remove(c)
	p.out.count--
	k := c.kind
	h.pools.freeCommand(c)
	return k
}

// checkTimeouts moves what was not acknowledged in time back to the front of
// the queues (wire.md § 10.2). It says whether the connection is over.
func (h *Host) checkTimeouts(p *peer) (over bool) {
	o, now := &p.out, h.clock.now
	if o.sent.head == nil || now < o.nextTimeout {
		return false
	}
	late, lateControl := &h.scratch.data, &h.scratch.control
	next := never
	for c := o.sent.head; c != nil; {
		following := c.next
		if now-c.sentAt < c.timeout {
			next = min(next, c.sentAt+c.timeout)
			c = following
			continue
		}
		over = p.path.silence.over(c, p.traffic.heard, now) || over
		if h.overReplies(p, maxHeader+len(c.bytes)) {
			c.sentAt = now // not now: perhaps when more has come
			next = min(next, now+c.timeout)
			c = following
			continue
		}
		p.path.loss.lost++
		c.timeout = p.path.retry(c, p.traffic.heard)
		if p.muted {
			c.timeout = p.path.resendAfter() // Host.Drop has a second: what it is to deliver cannot wait ever longer
		}
		o.inTransit -= c.data
		o.sent.remove(c)
		if c.channel == controlChannel {
			lateControl.push(c)
		} else {
			late.push(c)
		}
		c = following
	}
	o.nextTimeout = next
	o.control.prepend(lateControl)
	o.resend.prepend(late)
	if o.unsent() {
		h.mark(p)
	}
	return over
}

// prepend puts all of front, which it empties, before l.
func (l *commandList) prepend(front *commandList) {
	if front.head == nil {
		return
	}
	for c := front.head; c != nil; c = c.next {
		c.list = l
	}
	front.tail.next = l.head
	if l.head == nil {
		l.tail = front.tail
	} else {
		l.head.prev = front.tail
	}
	l.head = front.head
	*front = commandList{}
}
