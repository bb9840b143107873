package enet

// tiles says whether a fragment is one of those that cutting total bytes into
// count equal parts (the last may be shorter) gives, and how long the parts
// are. So a packet can have neither holes nor overlaps, whatever its sender
// claims.
func (f *fragmentCommand) tiles() (size uint32, ok bool) {
	if f.count == 0 || f.number >= f.count || f.total < f.count || f.length == 0 {
		return 0, false
	}
	last := f.count - 1
	length := uint32(f.length)
	switch {
	case f.number < last:
		size = length
	case last == 0:
		size = f.total
	default:
		size = f.offset / last
	}
	// 64 bits: count and size are the sender's.
	begin := uint64(last) * uint64(size)
	if begin >= uint64(f.total) || uint64(f.total)-begin > uint64(size) {
		return 0, false
	}
	want := size
	if f.number == last {
		want = f.total - uint32(begin)
	}
	return size, length == want && uint64(f.offset) == uint64(f.number)*uint64(size)
}

// onFragment is § 12.2.
func (h *Host) onFragment(p *peer, hd header, f fragmentCommand, data []byte) verdict {
	c := &p.channels[hd.channel].in
	if !c.inWindow(f.start) || f.start == c.rel {
		return handled
	}
	size, ok := f.tiles()
	if !ok || f.count > maxSentFragments || int64(f.total) > int64(h.cfg.Limits.Packet) || hd.seq != f.start+uint16(f.number) {
		return refused
	}
	pk, found := c.pending.get(uint32(f.start))
	due := f.start == c.rel+1
	if !found {
		if !due && c.incomplete >= h.cfg.Limits.Incomplete || !h.roomToHold(p, len(data), due) {
			return refused
		}
		pk = h.newFragmented(p, c, kindFragment, f, size)
		pk.seq = f.start
		c.pending.put(uint32(f.start), pk)
	}
	if !pk.matches(kindFragment, f, size) {
		return refused
	}
	if _, dup := pk.parts.get(f.number); dup || pk.complete() {
		return stored
	}
	if !h.roomToHold(p, len(data), due) {
		return refused
	}
	if h.addPart(p, c, pk, f.number, data); !pk.complete() {
		return stored
	}
	if due {
		c.pending.remove(uint32(f.start))
		span := pk.span()
		h.deliverPacket(p, hd.channel, pk)
		h.advance(p, hd.channel, c, span)
	}
	return stored
}

// onUnreliableFragment is § 12.6.
func (h *Host) onUnreliableFragment(p *peer, hd header, f fragmentCommand, data []byte) verdict {
	c := &p.channels[hd.channel].in
	if c.stale(hd.seq, f.start) {
		return handled
	}
	size, ok := f.tiles()
	if !ok || f.count > maxFragments || int64(f.total) > int64(h.cfg.Limits.Packet) {
		return refused
	}
	if !h.roomToHold(p, len(data), false) {
		return handled
	}
	at, found := c.place(hd.seq, f.start)
	if !found {
		if len(c.waiting) >= maxWaitingUnreliable {
			return handled
		}
		if c.incomplete >= h.cfg.Limits.Incomplete {
			if !h.dropOldestIncomplete(p, c) {
				return handled
			}
			at, _ = c.place(hd.seq, f.start)
		}
		pk := h.newFragmented(p, c, kindUnreliableFragment, f, size)
		pk.seq, pk.number = hd.seq, f.start
		c.insert(at, pk)
	}
	pk := c.waiting[at]
	if !pk.matches(kindUnreliableFragment, f, size) {
		return refused
	}
	if _, dup := pk.parts.get(f.number); dup || pk.complete() {
		return handled
	}
	if h.addPart(p, c, pk, f.number, data); pk.complete() {
		h.release(p, hd.channel, c)
	}
	return handled
}

func (h *Host) newFragmented(p *peer, c *inChannel, k kind, f fragmentCommand, size uint32) *inPacket {
	pk := h.pools.packet()
	pk.kind, pk.count, pk.total, pk.fragLen = k, f.count, f.total, size
	h.hold(p, pk, pieceCost)
	c.incomplete++
	return pk
}

func (pk *inPacket) matches(k kind, f fragmentCommand, size uint32) bool {
	return pk.kind == k && pk.count == f.count && pk.total == f.total && pk.fragLen == size
}

// addPart keeps a copy of a fragment: memory grows with what was received, not
// with what was announced.
func (h *Host) addPart(p *peer, c *inChannel, pk *inPacket, number uint32, data []byte) {
	part := h.pools.buffer(len(data))
	copy(part, data)
	pk.parts.put(number, part)
	pk.have++
	h.hold(p, pk, len(data)+pieceCost)
	if pk.complete() {
		c.incomplete--
	}
}

// dropOldestIncomplete makes room for another unreliable reassembly. It fails
// when all incomplete packets are reliable.
func (h *Host) dropOldestIncomplete(p *peer, c *inChannel) bool {
	for i, w := range c.waiting {
		if !w.complete() {
			c.forget(w)
			h.discard(p, w)
			copy(c.waiting[i:], c.waiting[i+1:])
			c.waiting[len(c.waiting)-1] = nil
			c.waiting = c.waiting[:len(c.waiting)-1]
			return true
		}
	}
	return false
}
