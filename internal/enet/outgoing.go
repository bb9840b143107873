package enet

import (
	"encoding/binary"

	"demi.network/runtime/transport"
)

// outCommand is a reliable command from its queueing to its acknowledgement,
// encoded once.
type outCommand struct {
	next, prev *outCommand
	list       *commandList
	bytes      []byte // header and data as sent
	data       int    // bytes of data; 0 for control commands
	order      uint32 // when it was queued, among all commands of the peer
	firstSent  millis
	sentAt     millis
	timeout    millis // 0: not sent yet
	attempts   uint16
	seq        uint16
	channel    uint8
	kind       kind
}

func (c *outCommand) key() uint32 { return flightKey(c.channel, c.seq) }

func flightKey(channel uint8, seq uint16) uint32 { return uint32(channel)<<16 | uint32(seq) }

// commandList is a queue of commands that can lose one from its middle.
type commandList struct{ head, tail *outCommand }

func (l *commandList) push(c *outCommand) {
	c.list, c.prev, c.next = l, l.tail, nil
	if l.tail == nil {
		l.head = c
	} else {
		l.tail.next = c
	}
	l.tail = c
}

func (l *commandList) remove(c *outCommand) {
	if c.prev == nil {
		l.head = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		l.tail = c.prev
	} else {
		c.next.prev = c.prev
	}
	c.list, c.prev, c.next = nil, nil, nil
}

// outChannel numbers what leaves on a channel and knows which windows of
// sequence numbers are still unacknowledged.
type outChannel struct {
	rel     uint16 // last number given to a reliable command
	unrel   uint16 // last number given to an unreliable one since
	used    uint16 // bit w: window w has unacknowledged commands
	windows [windowCount]uint16
}

// blocked says whether the first command of a window must wait, because the
// receiver could not tell it from an old one (wire.md § 11).
func (c *outChannel) blocked(seq uint16) bool {
	if seq%windowSeqs != 0 {
		return false
	}
	w := int(seq / windowSeqs)
	if c.windows[(w+windowCount-1)%windowCount] >= windowSeqs {
		return true
	}
	ahead := uint32(1<<(freeWindows+2)-1) << w
	return c.used&uint16(ahead|ahead>>windowCount) != 0
}

func (c *outChannel) enter(seq uint16) {
	w := seq / windowSeqs
	c.windows[w]++
	c.used |= 1 << w
}

func (c *outChannel) leave(seq uint16) {
	w := seq / windowSeqs
	if c.windows[w] > 0 {
		if c.windows[w]--; c.windows[w] == 0 {
			c.used &^= 1 << w
		}
	}
}

// outgoing is everything that waits to be sent to a peer or to be acknowledged
// by it. Reliable commands live in exactly one of four lists; unreliable ones
// are bytes in line for the next Flush.
type outgoing struct {
	control commandList // unsent and timed-out control commands
	resend  commandList // timed-out data
	queue   commandList // unsent data
	sent    commandList // in flight, by time of sending
	flight  index[*outCommand]

	count       int // reliable commands held
	inTransit   int // bytes of data in flight
	window      int // bytes of data that may be in flight
	nextTimeout millis

	loose     []byte // unreliable commands, each behind a looseHeader
	looseNext int    // offset of the first unsent one

	order  uint32
	ctlSeq uint16
	group  uint16
}

// looseHeader is what precedes an unreliable command in outgoing.loose: its
// order and its length.
const looseHeader = 6

// maxKeptLoose is the most memory that an idle peer keeps for them.
const maxKeptLoose = 128 << 10

func (o *outgoing) reset(seed uint32) {
	*o = outgoing{flight: o.flight, loose: o.loose[:0], window: maxWindow}
	o.flight.clear()
	o.flight.seed = seed
}

func (o *outgoing) drop(pools *pools) {
	for _, l := range [...]*commandList{&o.control, &o.resend, &o.queue, &o.sent} {
		for c := l.head; c != nil; {
			next := c.next
			pools.freeCommand(c)
			c = next
		}
		*l = commandList{}
	}
	o.flight.clear()
	o.count, o.inTransit = 0, 0
	o.emptyLoose()
}

// empty says that nothing is unsent or unacknowledged.
func (o *outgoing) empty() bool { return o.count == 0 && o.looseNext == len(o.loose) }

// unsent says that something could be sent if nothing held it back.
func (o *outgoing) unsent() bool {
	return o.control.head != nil || o.resend.head != nil || o.queue.head != nil || o.looseNext < len(o.loose)
}

// add queues a reliable command of n bytes, of which the last data are data.
// The caller fills in its bytes.
func (o *outgoing) add(pools *pools, l *commandList, k kind, n, data int) *outCommand {
	c := pools.command()
	c.bytes = pools.buffer(n)
	c.kind, c.data = k, data
	c.order = o.order
	o.order++
	o.count++
	l.push(c)
	return c
}

// addControl queues a control command and numbers it.
func (o *outgoing) addControl(pools *pools, k kind, flags byte) *outCommand {
	c := o.add(pools, &o.control, k, fixedSize[k], 0)
	o.ctlSeq++
	c.channel, c.seq = controlChannel, o.ctlSeq
	header{byte(k) | flags, c.channel, c.seq}.put(c.bytes)
	return c
}

// addLoose returns n bytes in line for the next Flush.
func (o *outgoing) addLoose(n int) []byte {
	at := len(o.loose)
	need := at + looseHeader + n
	if need > cap(o.loose) {
		grown := make([]byte, at, max(2*cap(o.loose), need, 1024))
		copy(grown, o.loose)
		o.loose = grown
	}
	o.loose = o.loose[:need]
	binary.LittleEndian.PutUint32(o.loose[at:], o.order)
	binary.LittleEndian.PutUint16(o.loose[at+4:], uint16(n))
	o.order++
	return o.loose[at+looseHeader : need]
}

// peekLoose returns the first unreliable command in line, or nil.
func (o *outgoing) peekLoose() (order uint32, b []byte) {
	if o.looseNext == len(o.loose) {
		return 0, nil
	}
	at := o.loose[o.looseNext:]
	n := int(binary.LittleEndian.Uint16(at[4:]))
	return binary.LittleEndian.Uint32(at), at[looseHeader : looseHeader+n]
}

// popLoose takes it out of the line.
func (o *outgoing) popLoose(n int) {
	o.looseNext += looseHeader + n
	if o.looseNext == len(o.loose) {
		o.emptyLoose()
	}
}

func (o *outgoing) emptyLoose() {
	o.loose, o.looseNext = o.loose[:0], 0
	if cap(o.loose) > maxKeptLoose {
		o.loose = nil
	}
}

// Send implements transport.Host. Its errors are transport.ErrUnknownPeer,
// ErrChannel, ErrTooLarge and ErrBacklog; nothing is queued then.
//
// The mode a receiver reports differs in two cases: an Unsequenced message
// larger than a datagram arrives as Sequenced, and a Sequenced one goes
// reliably when 65 535 of them followed each other on the channel without a
// reliable one between them (wire.md § 4). With Config.RawFragments a large
// message of any mode goes reliably.
func (h *Host) Send(id transport.Peer, ch transport.Channel, mode transport.Mode, b []byte) error {
	p := h.slots.find(id)
	if p == nil || p.state != stateConnected || p.muted {
		return transport.ErrUnknownPeer
	}
	if int(ch) >= len(p.channels) {
		return transport.ErrChannel
	}
	if len(b) > h.cfg.Limits.Packet {
		return transport.ErrTooLarge
	}
	c := &p.channels[ch].out
	large := len(b) > p.wire.fragLen
	exhausted := c.unrel == 0xFFFF && (large || mode == transport.Sequenced)
	if mode == transport.Reliable || exhausted || large && h.cfg.RawFragments {
		return h.sendReliable(p, uint8(ch), c, b)
	}
	if len(p.out.loose)-p.out.looseNext+len(b) > h.cfg.Limits.Unreliable {
		return transport.ErrBacklog
	}
	h.mark(p)
	p.band.queued += uint64(len(b))
	pass := p.path.pass()
	if !pass {
		p.traffic.throttled++
	}
	switch {
	case large:
		c.unrel++
		if pass {
			h.sendLooseFragments(p, uint8(ch), c, b)
		}
	case mode == transport.Unsequenced:
		p.out.group++
		if pass {
			h.sendLoose(p, header{byte(kindUnsequenced) | flagUnsequenced, uint8(ch), 0}, p.out.group, b)
		}
	default:
		c.unrel++
		if pass {
			h.sendLoose(p, header{byte(kindUnreliable), uint8(ch), c.rel}, c.unrel, b)
		}
	}
	return nil
}

func (h *Host) sendReliable(p *peer, ch uint8, c *outChannel, b []byte) error {
	count := 1
	if len(b) > p.wire.fragLen {
		count = (len(b) + p.wire.fragLen - 1) / p.wire.fragLen
	}
	if count > maxSentFragments {
		return transport.ErrTooLarge
	}
	if p.out.count+count > h.cfg.Limits.Queue {
		return transport.ErrBacklog
	}
	h.mark(p)
	p.band.queued += uint64(len(b))
	c.unrel = 0
	if count == 1 {
		c.rel++
		cmd := p.out.add(&h.pools, &p.out.queue, kindReliable, fixedSize[kindReliable]+len(b), len(b))
		cmd.channel, cmd.seq = ch, c.rel
		header{byte(kindReliable) | flagAcknowledge, ch, c.rel}.put(cmd.bytes)
		putReliable(cmd.bytes, len(b))
		copy(cmd.bytes[fixedSize[kindReliable]:], b)
		return nil
	}
	f := fragmentCommand{start: c.rel + 1, count: uint32(count), total: uint32(len(b))}
	for ; f.number < f.count; f.number++ {
		part := f.cut(b, p.wire.fragLen)
		c.rel++
		cmd := p.out.add(&h.pools, &p.out.queue, kindFragment, fragmentSize+len(part), len(part))
		cmd.channel, cmd.seq = ch, c.rel
		header{byte(kindFragment) | flagAcknowledge, ch, c.rel}.put(cmd.bytes)
		f.put(cmd.bytes)
		copy(cmd.bytes[fragmentSize:], part)
	}
	return nil
}

// maxSentFragments keeps a message within half of the sequence numbers.
const maxSentFragments = 32768

// cut returns the data of fragment f.number and sets where it belongs.
func (f *fragmentCommand) cut(b []byte, size int) []byte {
	at := int(f.number) * size
	part := b[at:min(at+size, len(b))]
	f.offset, f.length = uint32(at), uint16(len(part))
	return part
}

func (h *Host) sendLoose(p *peer, hd header, number uint16, b []byte) {
	cmd := p.out.addLoose(fixedSize[kindUnreliable] + len(b))
	hd.put(cmd)
	putNumbered(cmd, number, len(b))
	copy(cmd[fixedSize[kindUnreliable]:], b)
}

func (h *Host) sendLooseFragments(p *peer, ch uint8, c *outChannel, b []byte) {
	size := p.wire.fragLen
	f := fragmentCommand{start: c.unrel, count: uint32((len(b) + size - 1) / size), total: uint32(len(b))}
	for ; f.number < f.count; f.number++ {
		part := f.cut(b, size)
		cmd := p.out.addLoose(fragmentSize + len(part))
		header{byte(kindUnreliableFragment), ch, c.rel}.put(cmd)
		f.put(cmd)
		copy(cmd[fragmentSize:], part)
	}
}
