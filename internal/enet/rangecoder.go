package enet

// rangeCoder is ENet's optional compression: an adaptive model of order 2
// with a carry-less range coder, fresh for every datagram (wire.md § 14). It
// belongs to one Host and keeps its memory from one datagram to the next.
type rangeCoder struct {
	model  rangeModel
	packed [maxHeader + MaxMTU]byte // room for a header before the output
	plain  [MaxMTU]byte
}

const (
	rangeTop      = 1 << 24
	rangeBottom   = 1 << 16
	rangeNodes    = 4096
	rangeOrder    = 2
	contextDelta  = 2 // by which a symbol's frequency grows in a context …
	rootDelta     = 3 // … and in the root context,
	rootMinimum   = 1 // where every symbol has at least this frequency
	escapeDelta   = 5
	escapeMinimum = 1 // of the root: it marks the end of the data
	totalMaximum  = rangeBottom - 0x100
)

// rangeNode is a symbol in its context's tree and the context that it leads
// to. Nodes refer to each other by number; 0, the root context, is in no tree
// and so means none.
type rangeNode struct {
	value, count uint8
	under        uint16 // summed counts of this node and its left subtree
	left, right  uint16
	sub          uint16 // tree of the context
	esc, total   uint16 // frequencies of the context: of escape, and in all
	parent       uint16 // the context one symbol shorter
}

type rangeModel struct {
	nodes [rangeNodes]rangeNode
	used  int
	pred  uint16 // longest context of the next symbol
	order int
	path  [rangeOrder + 1]uint16 // the last symbol's node in each context, longest first
	steps int
}

func (m *rangeModel) reset() {
	m.nodes[0] = rangeNode{esc: escapeMinimum, total: escapeMinimum + 256*rootMinimum}
	m.used, m.pred, m.order, m.steps = 1, 0, 0, 0
}

func (m *rangeModel) add(value uint8, count uint16) uint16 {
	i := m.used
	m.used++
	m.nodes[i] = rangeNode{value: value, count: uint8(count), under: count}
	return uint16(i)
}

// hit counts a symbol in a context, adding it if need be. It returns the
// symbol's node, the summed frequency of smaller symbols, and the symbol's own
// before it was counted.
func (m *rangeModel) hit(ctx uint16, value uint8, delta, minimum uint16) (node, under, count uint16) {
	under, count = uint16(value)*minimum, minimum
	link := &m.nodes[ctx].sub
	for *link != 0 {
		n := &m.nodes[*link]
		switch {
		case value < n.value:
			n.under += delta
			link = &n.left
		case value > n.value:
			under += n.under
			link = &n.right
		default:
			count += uint16(n.count)
			under += n.under - uint16(n.count)
			n.under += delta
			n.count += uint8(delta)
			return *link, under, count
		}
	}
	*link = m.add(value, delta)
	return *link, under, count
}

// bump grows a context's total after a hit, and halves all frequencies of the
// context before one of them outgrows its type.
func (m *rangeModel) bump(ctx uint16, count, delta, minimum uint16) {
	c := &m.nodes[ctx]
	c.total += delta
	if count <= 0xFF-2*delta+minimum && c.total <= totalMaximum {
		return
	}
	sum := uint16(0)
	if c.sub != 0 {
		sum = m.halve(c.sub)
	}
	c.esc -= c.esc >> 1
	c.total = sum + c.esc + 256*minimum
}

// halve halves a tree and returns the sum of its counts.
func (m *rangeModel) halve(i uint16) (sum uint16) {
	for {
		n := &m.nodes[i]
		n.count -= n.count >> 1
		n.under = uint16(n.count)
		if n.left != 0 {
			n.under += m.halve(n.left)
		}
		sum += n.under
		if n.right == 0 {
			return sum
		}
		i = n.right
	}
}

// escape makes the escape of a context likelier: the symbol was new there.
func (m *rangeModel) escape(ctx uint16) {
	m.nodes[ctx].esc += escapeDelta
	m.nodes[ctx].total += escapeDelta
}

// note remembers the node of the current symbol in the next shorter context.
func (m *rangeModel) note(node uint16) {
	m.path[m.steps] = node
	m.steps++
}

// finish links the nodes of the symbol and moves on to the next.
func (m *rangeModel) finish() {
	for i := 1; i < m.steps; i++ {
		m.nodes[m.path[i-1]].parent = m.path[i]
	}
	m.pred = m.path[0]
	m.steps = 0
	if m.order >= rangeOrder {
		m.pred = m.nodes[m.pred].parent
	} else {
		m.order++
	}
	if m.used >= rangeNodes-rangeOrder {
		m.reset()
	}
}

// encode compresses src to the start of dst. It fails when the result is not
// shorter than src or than dst can hold.
func (m *rangeModel) encode(dst, src []byte) (n int, ok bool) {
	m.reset()
	e := rangeEncoder{scale: ^uint32(0), out: dst[:min(len(dst), len(src))]}
	for _, v := range src {
		m.encodeSymbol(&e, v)
	}
	for e.low != 0 {
		e.emit()
	}
	return e.n, !e.full && e.n < len(src)
}

func (m *rangeModel) encodeSymbol(e *rangeEncoder, v uint8) {
	for ctx := m.pred; ctx != 0; ctx = m.nodes[ctx].parent {
		node, under, count := m.hit(ctx, v, contextDelta, 0)
		m.note(node)
		c := &m.nodes[ctx]
		if count > 0 {
			e.put(c.esc+under, count, c.total)
			m.bump(ctx, count, contextDelta, 0)
			m.finish()
			return
		}
		if c.esc > 0 && c.esc < c.total {
			e.put(0, c.esc, c.total)
		}
		m.escape(ctx)
		m.bump(ctx, 0, contextDelta, 0)
	}
	node, under, count := m.hit(0, v, rootDelta, rootMinimum)
	m.note(node)
	e.put(m.nodes[0].esc+under, count, m.nodes[0].total)
	m.bump(0, count, rootDelta, rootMinimum)
	m.finish()
}

// rangeEncoder narrows a range and writes the bytes that are settled.
type rangeEncoder struct {
	low, scale uint32
	out        []byte
	n          int
	full       bool
}

func (e *rangeEncoder) put(under, count, total uint16) {
	e.scale /= uint32(total)
	e.low += uint32(under) * e.scale
	e.scale *= uint32(count)
	for {
		if e.low^(e.low+e.scale) >= rangeTop {
			if e.scale >= rangeBottom {
				return
			}
			e.scale = -e.low & (rangeBottom - 1)
		}
		e.emit()
		e.scale <<= 8
	}
}

func (e *rangeEncoder) emit() {
	if e.n < len(e.out) {
		e.out[e.n] = byte(e.low >> 24)
		e.n++
	} else {
		e.full = true
	}
	e.low <<= 8
}
