package luabind

import "fmt"

// pattern is a compiled Lua pattern. Compiling finds every fault of the pattern
// beforehand; matching then only counts steps.
type pattern struct {
	items    []item
	anchored bool // began with ^
	captures int
}

// item is one element of a pattern.
type item struct {
	op    itemOp
	rep   byte      // of itemSingle: 0 (once), * + - ?
	n     int       // of captures and back references: which
	open  byte      // of itemBalance
	close byte      // of itemBalance
	set   [4]uint64 // of itemSingle and itemFrontier: the bytes that match
}

type itemOp uint8

const (
	itemSingle   itemOp = iota // a byte of a set, repeated
	itemOpen                   // a capture begins
	itemClose                  // a capture ends
	itemPosition               // a position capture
	itemBack                   // what a capture holds, again
	itemBalance                // %bxy
	itemFrontier               // %f[set]
	itemEnd                    // $ at the end of the pattern
)

const (
	maxCaptures     = 32
	maxPatternDepth = 220 // of the recursion: one level a capture or repetition
)

func (it *item) has(c byte) bool { return it.set[c>>6]>>(c&63)&1 == 1 }
func (it *item) add(c byte)      { it.set[c>>6] |= 1 << (c & 63) }

// invert turns the set into its complement.
func (it *item) invert() {
	for i := range it.set {
		it.set[i] = ^it.set[i]
	}
}

// compilePattern reads a pattern. With anchors false a leading ^ is an ordinary
// character, as in gmatch.
func compilePattern(p string, anchors bool) (*pattern, error) {
	out := &pattern{}
	if anchors && len(p) > 0 && p[0] == '^' {
		out.anchored = true
		p = p[1:]
	}
	var open []int // captures not closed yet
	closed := [maxCaptures]bool{}
	for i := 0; i < len(p); {
		switch c := p[i]; {
		case c == '(':
			if out.captures >= maxCaptures {
				return nil, fmt.Errorf("too many captures")
			}
			it := item{op: itemOpen, n: out.captures}
			if i+1 < len(p) && p[i+1] == ')' {
				it.op = itemPosition
				closed[out.captures] = true
				i++
			} else {
				open = append(open, out.captures)
			}
			out.captures++
			out.items = append(out.items, it)
			i++
			continue
		case c == ')':
			if len(open) == 0 {
				return nil, fmt.Errorf("invalid pattern capture")
			}
			n := open[len(open)-1]
			open = open[:len(open)-1]
			closed[n] = true
			out.items = append(out.items, item{op: itemClose, n: n})
			i++
			continue
		case c == '$' && i == len(p)-1:
			out.items = append(out.items, item{op: itemEnd})
			i++
			continue
		case c == '%' && i+1 < len(p) && p[i+1] == 'b':
			if i+3 >= len(p) {
				return nil, fmt.Errorf("malformed pattern (missing arguments to '%%b')")
			}
			out.items = append(out.items, item{op: itemBalance, open: p[i+2], close: p[i+3]})
			i += 4
			continue
		case c == '%' && i+1 < len(p) && p[i+1] == 'f':
			if i+2 >= len(p) || p[i+2] != '[' {
				return nil, fmt.Errorf("missing '[' after '%%f' in pattern")
			}
			it := item{op: itemFrontier}
			next, err := it.class(p, i+2)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, it)
			i = next
			continue
		case c == '%' && i+1 < len(p) && isDigit(p[i+1]):
			n := int(p[i+1]) - '1'
			if n < 0 || n >= out.captures || !closed[n] {
				return nil, fmt.Errorf("invalid capture index %%%c", p[i+1])
			}
			out.items = append(out.items, item{op: itemBack, n: n})
			i += 2
			continue
		}
		it := item{op: itemSingle}
		next, err := it.class(p, i)
		if err != nil {
			return nil, err
		}
		if next < len(p) {
			switch p[next] {
			case '*', '+', '-', '?':
				it.rep = p[next]
				next++
			}
		}
		out.items = append(out.items, it)
		i = next
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("unfinished capture")
	}
	return out, nil
}

// class fills the set from the single character class at p[i] and returns where
// it ends.
func (it *item) class(p string, i int) (int, error) {
	switch p[i] {
	case '%':
		if i+1 >= len(p) {
			return 0, fmt.Errorf("malformed pattern (ends with '%%')")
		}
		it.escape(p[i+1])
		return i + 2, nil
	case '.':
		it.invert()
		return i + 1, nil
	case '[':
		return it.bracket(p, i+1)
	}
	it.add(p[i])
	return i + 1, nil
}

// bracket reads a set after its [.
func (it *item) bracket(p string, i int) (int, error) {
	negated := i < len(p) && p[i] == '^'
	if negated {
		i++
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return 0, fmt.Errorf("malformed pattern (missing ']')")
		}
		switch c := p[i]; {
		case c == ']' && !first:
			if negated {
				it.invert()
			}
			return i + 1, nil
		case c == '%':
			if i+1 >= len(p) {
				return 0, fmt.Errorf("malformed pattern (missing ']')")
			}
			it.escape(p[i+1])
			i += 2
		case i+2 < len(p) && p[i+1] == '-' && p[i+2] != ']':
			for b := int(c); b <= int(p[i+2]); b++ {
				it.add(byte(b))
			}
			i += 3
		default:
			it.add(c)
			i++
		}
	}
}

// escape adds what % and a letter mean; of other characters, themselves.
func (it *item) escape(c byte) {
	is := classOf(c | 0x20)
	if is == nil || c|0x20 < 'a' || c|0x20 > 'z' {
		it.add(c)
		return
	}
	upper := c&0x20 == 0
	for b := range 256 {
		if is(byte(b)) != upper {
			it.add(byte(b))
		}
	}
}

// classOf returns the predicate of a class letter, or nil. The classes are
// those of the C locale.
func classOf(letter byte) func(byte) bool {
	switch letter {
	case 'a':
		return isLetter
	case 'c':
		return func(c byte) bool { return c < 32 || c == 127 }
	case 'd':
		return isDigit
	case 'g':
		return func(c byte) bool { return c > 32 && c < 127 }
	case 'l':
		return func(c byte) bool { return c >= 'a' && c <= 'z' }
	case 'p':
		return func(c byte) bool { return c > 32 && c < 127 && !isLetter(c) && !isDigit(c) }
	case 's':
		return isSpace
	case 'u':
		return func(c byte) bool { return c >= 'A' && c <= 'Z' }
	case 'w':
		return func(c byte) bool { return isLetter(c) || isDigit(c) }
	case 'x':
		return func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
	case 'z':
		return func(c byte) bool { return c == 0 }
	}
	return nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

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
