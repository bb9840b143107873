package luabind

// matcher matches one pattern against one text.
type matcher struct {
	*pattern
	src   string
	spend func(steps int64) // told of work done; may panic to end it
	steps int64
	depth int
	caps  [maxCaptures]capture
}

// capture is a part of the text; position captures have length -1.
type capture struct{ start, length int }

const positionCapture = -1

// step counts work and passes it on now and then.
func (m *matcher) step(n int64) {
	if m.steps += n; m.steps >= 256 {
		m.spend(m.steps)
		m.steps = 0
	}
}

// done passes on what is left.
func (m *matcher) done() {
	if m.steps > 0 {
		m.spend(m.steps)
		m.steps = 0
	}
}

// find looks for the first match at or after init. It returns where it begins
// and ends, or a negative start.
func (m *matcher) find(init int) (start, end int) {
	for at := init; at <= len(m.src); at++ {
		if end := m.match(at, 0); end >= 0 {
			m.done()
			return at, end
		}
		if m.anchored {
			break
		}
	}
	m.done()
	return -1, -1
}

// tooComplex ends a match whose recursion is too deep.
type tooComplex struct{}

// match matches the items from i on at offset s and returns where that ends,
// or -1.
func (m *matcher) match(s, i int) int {
	if m.depth++; m.depth > maxPatternDepth {
		panic(tooComplex{})
	}
	end := m.run(s, i)
	m.depth--
	return end
}

func (m *matcher) run(s, i int) int {
	for ; i < len(m.items); i++ {
		m.step(1)
		switch it := &m.items[i]; it.op {
		case itemSingle:
			if it.rep != 0 {
				end, on := m.repeat(it, s, i)
				if !on {
					return end
				}
				continue // ? that took nothing
			}
			if s >= len(m.src) || !it.has(m.src[s]) {
				return -1
			}
			s++
		case itemOpen:
			return m.captured(it.n, capture{s, 0}, s, i)
		case itemPosition:
			return m.captured(it.n, capture{s, positionCapture}, s, i)
		case itemClose:
			return m.captured(it.n, capture{m.caps[it.n].start, s - m.caps[it.n].start}, s, i)
		case itemBack:
			c := m.caps[it.n]
			n := max(c.length, 0)
			m.step(int64(n / 16))
			if len(m.src)-s < n || m.src[c.start:c.start+n] != m.src[s:s+n] {
				return -1
			}
			s += n
		case itemBalance:
			if s = m.balance(it, s); s < 0 {
				return -1
			}
		case itemFrontier:
			var before, after byte
			if s > 0 {
				before = m.src[s-1]
			}
			if s < len(m.src) {
				after = m.src[s]
			}
			if it.has(before) || !it.has(after) {
				return -1
			}
		case itemEnd:
			if s != len(m.src) {
				return -1
			}
		}
	}
	return s
}

// captured sets a capture for the rest of the match, and restores it when that
// fails.
func (m *matcher) captured(n int, c capture, s, i int) int {
	old := m.caps[n]
	m.caps[n] = c
	end := m.match(s, i+1)
	if end < 0 {
		m.caps[n] = old
	}
	return end
}

// repeat matches a repeated single item and the rest. on reports that the item
// is optional, was not there, and the caller may go on behind it.
func (m *matcher) repeat(it *item, s, i int) (end int, on bool) {
	switch it.rep {
	case '?':
		if s < len(m.src) && it.has(m.src[s]) {
			if end := m.match(s+1, i+1); end >= 0 {
				return end, false
			}
		}
		return 0, true
	case '-':
		for {
			if end := m.match(s, i+1); end >= 0 {
				return end, false
			}
			if s >= len(m.src) || !it.has(m.src[s]) {
				return -1, false
			}
			s++
		}
	}
	n := 0
	for s+n < len(m.src) && it.has(m.src[s+n]) {
		n++
	}
	m.step(int64(n / 8))
	least := 0
	if it.rep == '+' {
		least = 1
	}
	if i+1 == len(m.items) { // nothing follows: the longest one is the match
		if n < least {
			return -1, false
		}
		return s + n, false
	}
	for ; n >= least; n-- {
		if end := m.match(s+n, i+1); end >= 0 {
			return end, false
		}
	}
	return -1, false
}

// balance matches %bxy at s and returns where it ends, or -1.
func (m *matcher) balance(it *item, s int) int {
	if s >= len(m.src) || m.src[s] != it.open {
		return -1
	}
	level := 1
	for i := s + 1; i < len(m.src); i++ {
		if (i-s)&63 == 0 {
			m.step(8)
		}
		switch m.src[i] {
		case it.close:
			if level--; level == 0 {
				return i + 1
			}
		case it.open:
			level++
		}
	}
	return -1
}
