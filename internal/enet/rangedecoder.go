package enet

// decode is the reverse of encode. It fails on bytes that no encoder makes and
// on output that dst cannot hold; it never reads past src, whose missing bytes
// are zero.
func (m *rangeModel) decode(dst, src []byte) (n int, ok bool) {
	m.reset()
	d := rangeDecoder{scale: ^uint32(0), in: src}
	for range 4 {
		d.shift()
	}
	for {
		v, end, ok := m.decodeSymbol(&d)
		if end || !ok {
			return n, ok
		}
		if n == len(dst) {
			return n, false
		}
		dst[n] = v
		n++
		m.finish()
	}
}

func (m *rangeModel) decodeSymbol(d *rangeDecoder) (v uint8, end, ok bool) {
	ctx := m.pred
	var node uint16
	for ; ctx != 0; ctx = m.nodes[ctx].parent {
		c := &m.nodes[ctx]
		if c.esc == 0 || c.esc >= c.total {
			continue
		}
		at := d.read(c.total)
		if at < c.esc {
			d.take(0, c.esc, c.total)
			continue
		}
		if v, ok = m.find(c.sub, at-c.esc, 0); !ok {
			return 0, false, false
		}
		var under, count uint16
		node, under, count = m.hit(ctx, v, contextDelta, 0)
		d.take(c.esc+under, count, c.total)
		m.bump(ctx, count, contextDelta, 0)
		break
	}
	if ctx == 0 {
		c := &m.nodes[0]
		at := d.read(c.total)
		if at < c.esc {
			return 0, true, true
		}
		if v, ok = m.find(c.sub, at-c.esc, rootMinimum); !ok {
			return 0, false, false
		}
		var under, count uint16
		node, under, count = m.hit(0, v, rootDelta, rootMinimum)
		d.take(c.esc+under, count, c.total)
		m.bump(0, count, rootDelta, rootMinimum)
	}
	// Longer contexts than the one that knew the symbol learn it, too.
	for longer := m.pred; longer != ctx; longer = m.nodes[longer].parent {
		n, _, count := m.hit(longer, v, contextDelta, 0)
		m.note(n)
		if count == 0 {
			m.escape(longer)
		}
		m.bump(longer, count, contextDelta, 0)
	}
	m.note(node)
	return v, false, true
}

// find returns the symbol at position at of a context's summed frequencies,
// where every symbol has its count and minimum more.
func (m *rangeModel) find(tree, at, minimum uint16) (v uint8, ok bool) {
	at32, base := uint32(at), uint32(0)
	for i := tree; i != 0; {
		n := &m.nodes[i]
		begin := base + uint32(n.under) - uint32(n.count) + uint32(n.value)*uint32(minimum)
		switch {
		case at32 < begin:
			i = n.left
		case at32 < begin+uint32(n.count)+uint32(minimum):
			return n.value, true
		default:
			base += uint32(n.under)
			i = n.right
		}
	}
	// Not in the tree: only a context with a minimum has other symbols.
	symbol := at32 - base
	return uint8(symbol), minimum != 0 && at32 >= base && symbol < 256
}

type rangeDecoder struct {
	low, scale, code uint32
	in               []byte
	pos              int
}

func (d *rangeDecoder) shift() {
	d.code <<= 8
	if d.pos < len(d.in) {
		d.code |= uint32(d.in[d.pos])
		d.pos++
	}
}

func (d *rangeDecoder) read(total uint16) uint16 {
	d.scale /= uint32(total)
	return uint16((d.code - d.low) / d.scale)
}

func (d *rangeDecoder) take(under, count, _ uint16) {
	d.low += uint32(under) * d.scale
	d.scale *= uint32(count)
	for {
		if d.low^(d.low+d.scale) >= rangeTop {
			if d.scale >= rangeBottom {
				return
			}
			d.scale = -d.low & (rangeBottom - 1)
		}
		d.shift()
		d.scale <<= 8
		d.low <<= 8
	}
}

// compress returns the packed commands, which lie in coder.packed behind room
// for a header, or nil when the datagram goes as it is. Datagrams with an
// empty message are never compressed, because C ENet crashes when it does so.
func (h *Host) compress(commands []byte, hollow bool) []byte {
	if h.coder == nil || hollow {
		return nil
	}
	n, ok := h.coder.model.encode(h.coder.packed[maxHeader:], commands)
	if !ok {
		return nil
	}
	return h.coder.packed[maxHeader : maxHeader+n]
}

// maxHandshakePlain is what a stranger's datagram may unpack to: a CONNECT and
// nothing after it.
const maxHandshakePlain = 48

// unpack returns the commands of a compressed datagram, or nil. Strangers pay
// for their datagram before we do much for it.
func (h *Host) unpack(b []byte, stranger bool) []byte {
	if h.coder == nil {
		return nil
	}
	dst := h.coder.plain[:]
	if stranger {
		dst = dst[:maxHandshakePlain]
	}
	n, ok := h.coder.model.decode(dst, b)
	if !ok || n == 0 {
		return nil
	}
	return dst[:n]
}
