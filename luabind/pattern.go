package luabind

import (
	"errors"
	"fmt"
	"unsafe"
)

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
	maxPatternSize  = 8192 // bytes; each may take an item
	maxPatternDepth = 220  // of the recursion: one level a capture or repetition
)

// bytes is about what the pattern takes in memory.
func (p *pattern) bytes() int64 { return int64(cap(p.items)) * int64(unsafe.Sizeof(item{})) }

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
	if len(p) > maxPatternSize {
		return nil, fmt.Errorf("pattern of %d bytes, at most %d are allowed", len(p), maxPatternSize)
	}
	c := patternReader{src: p, out: &pattern{}}
	if anchors && len(p) > 0 && p[0] == '^' {
		c.out.anchored = true
		c.pos = 1
	}
	for c.pos < len(p) {
		it, err := c.item()
		if err != nil {
			return nil, err
		}
		c.out.items = append(c.out.items, it)
	}
	if len(c.open) > 0 {
		return nil, errors.New("unfinished capture")
	}
	return c.out, nil
}

// patternReader reads a pattern item by item.
type patternReader struct {
	src    string
	pos    int
	out    *pattern
	open   []int // captures not closed yet
	closed [maxCaptures]bool
}

// next returns the byte i places further, 0 behind the end.
func (c *patternReader) next(i int) byte {
	if c.pos+i < len(c.src) {
		return c.src[c.pos+i]
	}
	return 0
}

// item reads one item.
func (c *patternReader) item() (item, error) {
	switch ch, next := c.src[c.pos], c.next(1); {
	case ch == '(':
		return c.openCapture()
	case ch == ')':
		if len(c.open) == 0 {
			return item{}, errors.New("invalid pattern capture")
		}
		n := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.closed[n] = true
		c.pos++
		return item{op: itemClose, n: n}, nil
	case ch == '$' && c.pos == len(c.src)-1:
		c.pos++
		return item{op: itemEnd}, nil
	case ch == '%' && next == 'b':
		if c.pos+3 >= len(c.src) {
			return item{}, errors.New("malformed pattern (missing arguments to '%b')")
		}
		it := item{op: itemBalance, open: c.next(2), close: c.next(3)}
		c.pos += 4
		return it, nil
	case ch == '%' && next == 'f':
		if c.next(2) != '[' {
			return item{}, errors.New("missing '[' after '%f' in pattern")
		}
		c.pos += 2
		return c.set(itemFrontier)
	case ch == '%' && isDigit(next):
		n := int(next) - '1'
		if n < 0 || n >= c.out.captures || !c.closed[n] {
			return item{}, fmt.Errorf("invalid capture index %%%c", next)
		}
		c.pos += 2
		return item{op: itemBack, n: n}, nil
	}
	it, err := c.set(itemSingle)
	switch rep := c.next(0); rep {
	case '*', '+', '-', '?':
		it.rep = rep
		c.pos++
	}
	return it, err
}

func (c *patternReader) openCapture() (item, error) {
	n := c.out.captures
	if n >= maxCaptures {
		return item{}, errors.New("too many captures")
	}
	c.out.captures++
	if c.next(1) == ')' {
		c.closed[n] = true
		c.pos += 2
		return item{op: itemPosition, n: n}, nil
	}
	c.open = append(c.open, n)
	c.pos++
	return item{op: itemOpen, n: n}, nil
}

// set reads a character class.
func (c *patternReader) set(op itemOp) (item, error) {
	it := item{op: op}
	end, err := it.class(c.src, c.pos)
	c.pos = max(end, c.pos)
	return it, err
}

// class fills the set from the single character class at p[i] and returns where
// it ends.
func (it *item) class(p string, i int) (int, error) {
	switch p[i] {
	case '%':
		if i+1 >= len(p) {
			return 0, errors.New("malformed pattern (ends with '%')")
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
			return 0, errors.New("malformed pattern (missing ']')")
		}
		switch c := p[i]; {
		case c == ']' && !first:
			if negated {
				it.invert()
			}
			return i + 1, nil
		case c == '%':
			if i+1 >= len(p) {
				return 0, errors.New("malformed pattern (missing ']')")
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
