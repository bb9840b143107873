package enet

import (
	"hash/crc32"

	"demi.network/runtime/transport"
)

// builder is the datagram under construction. Commands are written where they
// will be sent from; the header is put in front of them at the end.
type builder struct {
	buf      [maxHeader + MaxMTU]byte
	end      int // of what is written
	limit    int // of what may be
	commands int
	timed    bool // holds a command that asks for an acknowledgement
	hollow   bool // holds an empty message: C's range coder crashes on those
}

func (b *builder) start(mtu int, checksum bool) {
	b.end, b.commands, b.timed, b.hollow = maxHeader, 0, false, false
	b.limit = maxHeader + mtu - 4
	if checksum {
		b.limit -= checksumSize
	}
}

func (b *builder) fits(n int) bool { return b.commands < maxCommands && b.end+n <= b.limit }

// grow returns the next n bytes, which must fit.
func (b *builder) grow(n int) []byte {
	b.end += n
	b.commands++
	return b.buf[b.end-n : b.end]
}

func (b *builder) add(cmd []byte) {
	k := kind(cmd[0] & kindMask)
	b.hollow = b.hollow || hasData[k] && len(cmd) == fixedSize[k]
	copy(b.grow(len(cmd)), cmd)
}

// flushPeer sends everything that p may send now, datagram by datagram. What the
// link refuses is lost like what is lost on the way; its last error is returned.
func (h *Host) flushPeer(p *peer) (err error) {
	pings := p.state == stateConnected && h.clock.now >= p.pingDue()
	if p.life.proof.repeat && p.acks.empty() && (pings || p.out.unsent()) {
		p.acks.add(p.life.proof.ack)
	}
	for hears.has(p.state) {
		more := h.fill(p)
		if h.out.commands > 0 {
			if e := h.seal(p); e != nil {
				h.counters.LinkRefused++
				err = e
			}
		}
		if p.state == stateAckDisconnect && p.acks.empty() {
			h.end(p, transport.Closed, p.life.code)
			return err
		}
		if p.state == stateDisconnectLater && p.out.empty() {
			h.sayDisconnect(p, p.life.dropCode)
			continue
		}
		if !more {
			break
		}
	}
	if hears.has(p.state) {
		h.timers.hint(p, p.deadline())
	}
	return err
}

// fill builds one datagram: acknowledgements, then control commands, resends,
// and the two queues merged by age (wire.md § 11). It says whether something
// is left that only lacked space.
func (h *Host) fill(p *peer) (more bool) {
	b, o := &h.out, &p.out
	b.start(p.wire.mtu, h.cfg.Checksum)
	for !p.acks.empty() {
		if !b.fits(fixedSize[kindAcknowledge]) {
			return true
		}
		p.acks.pop().put(b.grow(fixedSize[kindAcknowledge]))
	}
	for c := o.control.head; c != nil; c = o.control.head {
		if !b.fits(len(c.bytes)) {
			return true
		}
		h.dispatch(p, c)
	}
	budget := max(p.wire.mtu, int(p.path.throttle.value)*o.window/throttleScale)
	blocked := false
	for !blocked && o.resend.head != nil {
		c := o.resend.head
		if blocked = o.inTransit+c.data > budget; blocked {
			break
		}
		if !b.fits(len(c.bytes)) {
			return true
		}
		h.dispatch(p, c)
	}
	if h.merge(p, budget, blocked) {
		return true
	}
	if p.state == stateConnected && h.clock.now >= p.pingDue() && b.fits(fixedSize[kindPing]) {
		h.dispatch(p, o.addControl(&h.pools, kindPing, flagAcknowledge))
	}
	return false
}

// merge sends from the unsent reliable and unreliable commands, oldest first.
// Reliable data that is held back holds back no unreliable data.
func (h *Host) merge(p *peer, budget int, blocked bool) (more bool) {
	b, o := &h.out, &p.out
	for {
		order, loose := o.peekLoose()
		c := o.queue.head
		if c != nil && !blocked {
			blocked = o.inTransit+c.data > budget || p.channels[c.channel].out.blocked(c.seq)
		}
		switch {
		case c != nil && !blocked && (loose == nil || int32(c.order-order) < 0):
			if !b.fits(len(c.bytes)) {
				return true
			}
			p.channels[c.channel].out.enter(c.seq)
			h.dispatch(p, c)
		case loose != nil:
			if !b.fits(len(loose)) {
				return true
			}
			b.add(loose)
			o.popLoose(len(loose))
		default:
			return false
		}
	}
}

// dispatch writes a reliable command into the datagram and puts it in flight.
func (h *Host) dispatch(p *peer, c *outCommand) {
	o, now := &p.out, h.clock.now
	h.out.add(c.bytes)
	c.list.remove(c)
	if c.kind == kindDisconnect && c.bytes[0]&flagAcknowledge == 0 {
		o.count--
		h.pools.freeCommand(c)
		return
	}
	h.out.timed = true
	if c.attempts == 0 {
		o.flight.put(c.key(), c)
		c.timeout = min(p.path.resendAfter(), p.life.hurry)
		c.firstSent = now
	}
	c.attempts++
	c.sentAt = now
	p.path.silence.lastAsk = now
	if o.sent.head == nil || now+c.timeout < o.nextTimeout {
		o.nextTimeout = now + c.timeout
	}
	o.inTransit += c.data
	o.sent.push(c)
	p.path.loss.sent++
}

// seal puts header and checksum before the commands, compresses them if that
// makes them shorter, and sends the datagram (wire.md § 2, 13).
func (h *Host) seal(p *peer) error {
	b := &h.out
	d := datagramHeader{peerID: p.id.remoteID, hasTime: b.timed, time: uint16(h.clock.now) + p.id.timeOrigin}
	if d.peerID != noPeerID {
		d.session = p.id.outSession
	}
	if p.state == stateAcceptingConnect {
		p.life.proof.note(d.time)
	}
	commands := b.buf[maxHeader:b.end]
	packed := h.compress(commands, b.hollow)
	d.compressed = packed != nil
	size := d.size()
	if h.cfg.Checksum {
		size += checksumSize
	}
	head := b.buf[maxHeader-size : maxHeader]
	d.put(head)
	if h.cfg.Checksum {
		h.sign(p, b.buf[maxHeader-size:b.end], d.size())
	}
	datagram := b.buf[maxHeader-size : b.end]
	if packed != nil {
		datagram = h.coder.packed[maxHeader-size : maxHeader+len(packed)]
		copy(datagram, head)
	}
	p.traffic.bytesSent += uint64(len(datagram))
	p.traffic.packetsSent++
	return h.link.Send(h.clock.exact, p.id.addr, datagram)
}

// sign writes the checksum of an uncompressed datagram at offset at.
func (h *Host) sign(p *peer, datagram []byte, at int) {
	seed := [checksumSize]byte{}
	if p.id.remoteID != noPeerID {
		seed = p.id.connectID
	}
	copy(datagram[at:], seed[:])
	be.PutUint32(datagram[at:], crc32.ChecksumIEEE(datagram))
}
