package enet

import (
	"cmp"
	"slices"

	"demi.network/runtime/transport"
)

// What each piece of received data costs beyond its bytes, in the accounts of
// Limits.Waiting: a message in the inbox, and one, or a fragment of one, that
// must wait for others. Without it empty messages would be free.
const (
	eventCost = 64
	pieceCost = 192
)

// maxWaitingUnreliable is how many unreliable messages of a channel may wait
// for a reliable one that was sent before them; further ones are dropped.
const maxWaitingUnreliable = 1024

// receiving is what a peer's incoming data shares over all channels.
type receiving struct {
	held   int // cost of incomplete and early messages
	queued int // cost of messages in the inbox
	unseq  unsequenced
}

func (r *receiving) reset() { *r = receiving{} }

// unsequenced remembers which unsequenced groups have arrived (wire.md § 12.4).
type unsequenced struct {
	base uint16 // first group of the window
	seen [unsequencedWin / 32]uint32
}

// take says whether group g is new, and remembers it.
func (u *unsequenced) take(g uint16) bool {
	i := g % unsequencedWin
	ahead := uint32(g)
	if g < u.base {
		ahead += 0x10000
	}
	if ahead >= uint32(u.base)+freeUnseqWins*unsequencedWin {
		return false
	}
	if base := g - i; base != u.base {
		u.base = base
		u.seen = [unsequencedWin / 32]uint32{}
	} else if u.seen[i/32]>>(i%32)&1 != 0 {
		return false
	}
	u.seen[i/32] |= 1 << (i % 32)
	return true
}

// inPacket is a message that cannot be delivered yet: incomplete, or ahead of
// its turn.
type inPacket struct {
	next *inPacket // in the pool

	seq    uint16 // reliable number: its own, or the one it follows
	number uint16 // unreliable packets: their own
	kind   kind
	data   []byte // of an unfragmented one

	count   uint32 // fragments; 0: not fragmented
	have    uint32
	total   uint32
	fragLen uint32 // of every fragment but the last
	parts   index[[]byte]
	cost    int
}

func (p *inPacket) complete() bool { return p.have == p.count }

// span is how many reliable numbers it takes.
func (p *inPacket) span() uint16 { return uint16(max(p.count, 1)) }

// inChannel puts what arrives on a channel in order.
type inChannel struct {
	rel        uint16 // last reliable number delivered
	unrel      uint16 // last unreliable number delivered since
	incomplete int
	pending    index[*inPacket] // reliable packets by number
	waiting    []*inPacket      // unreliable packets in order
}

func (c *inChannel) drop(pools *pools) {
	for i := range c.pending.slots {
		if c.pending.n > 0 && c.pending.slots[i].key != 0 {
			pools.freePacket(c.pending.slots[i].value)
		}
	}
	c.pending.clear()
	for i, w := range c.waiting {
		pools.freePacket(w)
		c.waiting[i] = nil
	}
	c.waiting = c.waiting[:0]
	c.incomplete = 0
}

// windowsAhead returns how many reliable windows seq is ahead of what was
// delivered; 16 and more count from the window before.
func (c *inChannel) windowsAhead(seq uint16) int {
	w := int(seq / windowSeqs)
	if seq < c.rel {
		w += windowCount
	}
	return w - int(c.rel/windowSeqs)
}

// inWindow is the window test of wire.md § 12.
func (c *inChannel) inWindow(seq uint16) bool {
	w := c.windowsAhead(seq)
	return w >= 0 && w < freeWindows-1
}

// acks says whether a command with this number is acknowledged: not if the
// sender is so far ahead that its data was thrown away (§ 8).
func (c *inChannel) acks(seq uint16) bool {
	w := c.windowsAhead(seq)
	return w < freeWindows-1 || w > freeWindows
}

// verdict is what became of a command.
type verdict uint8

const (
	// refused: an error of the sender or a full buffer. The rest of the
	// datagram is dropped and the command not acknowledged.
	refused verdict = iota
	// handled: applied, or recognised as old. Acknowledged if the window of its
	// number allows it.
	handled
	// stored: kept. Always acknowledged.
	stored
)

// roomToQueue says whether a message of n bytes may go to the inbox.
func (h *Host) roomToQueue(p *peer, n int) bool {
	return h.room(n+eventCost, p.in.queued, h.queued, h.cfg.Limits.WaitingTotal)
}

// roomToHold says whether a piece of n bytes may be kept until its turn comes.
// A piece of the message that is due next is what the others wait for: it may
// use as much again.
func (h *Host) roomToHold(p *peer, n int, due bool) bool {
	if due {
		return h.room(n+pieceCost, 0, h.held, 2*h.cfg.Limits.WaitingTotal)
	}
	return h.room(n+pieceCost, p.in.held, h.held, h.cfg.Limits.WaitingTotal)
}

func (h *Host) room(cost, ofPeer, ofHost, total int) bool {
	ok := ofPeer+cost <= h.cfg.Limits.Waiting && ofHost+cost <= total
	if !ok {
		h.counters.Overflow++
	}
	return ok
}

func (h *Host) hold(p *peer, pk *inPacket, cost int) {
	pk.cost += cost
	p.in.held += cost
	h.held += cost
}

// discard gives up a packet that is in no list any more.
func (h *Host) discard(p *peer, pk *inPacket) {
	p.in.held -= pk.cost
	h.held -= pk.cost
	h.pools.freePacket(pk)
}

// deliver hands a message to the application's inbox.
func (h *Host) deliver(p *peer, ch uint8, mode transport.Mode, data []byte) {
	h.charge(p, len(data))
	h.inbox.push(transport.Event{
		Kind: transport.Message, Channel: transport.Channel(ch), Mode: mode, Peer: p.handle, Data: data,
	})
}

func (h *Host) charge(p *peer, n int) {
	p.in.queued += n + eventCost
	h.queued += n + eventCost
}

// deliverPacket is deliver for a packet that had to wait; it gives it up.
func (h *Host) deliverPacket(p *peer, ch uint8, pk *inPacket) {
	mode := transport.Reliable
	if pk.kind == kindUnreliable || pk.kind == kindUnreliableFragment {
		mode = transport.Sequenced
	}
	if pk.count == 0 {
		h.deliver(p, ch, mode, pk.data)
	} else {
		h.charge(p, int(pk.total))
		to := h.inbox.reserve(transport.Event{
			Kind: transport.Message, Channel: transport.Channel(ch), Mode: mode, Peer: p.handle,
		}, int(pk.total))
		for i := range pk.count {
			part, _ := pk.parts.get(i)
			copy(to[i*pk.fragLen:], part)
		}
	}
	h.discard(p, pk)
}

// onReliable is § 12.1.
func (h *Host) onReliable(p *peer, hd header, data []byte) verdict {
	c := &p.channels[hd.channel].in
	if !c.inWindow(hd.seq) || hd.seq == c.rel {
		return handled
	}
	if _, dup := c.pending.get(uint32(hd.seq)); dup {
		return handled
	}
	if hd.seq == c.rel+1 {
		if !h.roomToQueue(p, len(data)) {
			return refused
		}
		h.deliver(p, hd.channel, transport.Reliable, data)
		h.advance(p, hd.channel, c, 1)
		return handled
	}
	if !h.roomToHold(p, len(data), false) {
		return refused
	}
	pk := h.pools.packet()
	pk.kind, pk.seq = kindReliable, hd.seq
	pk.data = h.pools.buffer(len(data))
	copy(pk.data, data)
	h.hold(p, pk, len(data)+pieceCost)
	c.pending.put(uint32(hd.seq), pk)
	return stored
}

// advance moves the channel on by span reliable numbers, and delivers what
// that makes deliverable.
func (h *Host) advance(p *peer, ch uint8, c *inChannel, span uint16) {
	for {
		h.skip(p, c, span)
		c.rel += span
		c.unrel = 0
		if c.pending.n == 0 {
			break
		}
		pk, ok := c.pending.get(uint32(c.rel + 1))
		if !ok || !pk.complete() {
			break
		}
		c.pending.remove(uint32(pk.seq))
		span = pk.span()
		h.deliverPacket(p, ch, pk)
	}
	if len(c.waiting) > 0 {
		h.release(p, ch, c)
	}
}

// skip drops packets that claim numbers inside a fragmented one: no honest
// sender makes them, and nobody would ever ask for them.
func (h *Host) skip(p *peer, c *inChannel, span uint16) {
	for i := uint16(2); i <= span && c.pending.n > 0; i++ {
		if pk, ok := c.pending.remove(uint32(c.rel + i)); ok {
			if !pk.complete() {
				c.incomplete--
			}
			h.discard(p, pk)
		}
	}
}

// onUnreliable is § 12.3.
func (h *Host) onUnreliable(p *peer, hd header, number uint16, data []byte) verdict {
	c := &p.channels[hd.channel].in
	if c.stale(hd.seq, number) {
		return handled
	}
	if len(c.waiting) == 0 && hd.seq == c.rel {
		if !h.roomToQueue(p, len(data)) {
			return handled
		}
		c.unrel = number
		h.deliver(p, hd.channel, transport.Sequenced, data)
		return handled
	}
	at, dup := c.place(hd.seq, number)
	if dup || len(c.waiting) >= maxWaitingUnreliable || !h.roomToHold(p, len(data), false) {
		return handled
	}
	pk := h.pools.packet()
	pk.kind, pk.seq, pk.number = kindUnreliable, hd.seq, number
	pk.data = h.pools.buffer(len(data))
	copy(pk.data, data)
	h.hold(p, pk, len(data)+pieceCost)
	c.insert(at, pk)
	h.release(p, hd.channel, c)
	return handled
}

// stale says that an unreliable packet is too late, or too far ahead.
func (c *inChannel) stale(seq, number uint16) bool {
	return !c.inWindow(seq) || seq == c.rel && number <= c.unrel
}

// turn orders the unreliable packets of a channel.
func (c *inChannel) turn(seq, number uint16) uint32 { return uint32(seq-c.rel)<<16 | uint32(number) }

// place finds where an unreliable packet belongs among the waiting ones, or
// the one that it repeats. Most come last.
func (c *inChannel) place(seq, number uint16) (at int, dup bool) {
	key, n := c.turn(seq, number), len(c.waiting)
	if n == 0 || c.turn(c.waiting[n-1].seq, c.waiting[n-1].number) < key {
		return n, false
	}
	return slices.BinarySearchFunc(c.waiting, key, func(w *inPacket, key uint32) int {
		return cmp.Compare(c.turn(w.seq, w.number), key)
	})
}

func (c *inChannel) insert(at int, pk *inPacket) {
	c.waiting = append(c.waiting, nil)
	copy(c.waiting[at+1:], c.waiting[at:])
	c.waiting[at] = pk
}

// release delivers the waiting unreliable packets whose turn it is (§ 12.5).
func (h *Host) release(p *peer, ch uint8, c *inChannel) {
	done, kept := 0, 0 // waiting[:kept] stays, waiting[done:] is not looked at
	for ; done < len(c.waiting); done++ {
		w := c.waiting[done]
		ahead := int16(w.seq - c.rel)
		if ahead > 0 {
			break
		}
		switch {
		case ahead < 0 || w.number <= c.unrel:
			c.forget(w)
			h.discard(p, w)
		case w.complete():
			// Incomplete ones before it are late from now on.
			for _, late := range c.waiting[:kept] {
				c.forget(late)
				h.discard(p, late)
			}
			kept = 0
			c.unrel = w.number
			h.deliverPacket(p, ch, w)
		default:
			c.waiting[kept] = w
			kept++
		}
	}
	n := kept + copy(c.waiting[kept:], c.waiting[done:])
	clear(c.waiting[n:])
	c.waiting = c.waiting[:n]
}

// forget uncounts a packet that is dropped before it was complete.
func (c *inChannel) forget(pk *inPacket) {
	if !pk.complete() {
		c.incomplete--
	}
}
