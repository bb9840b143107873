package jsontext

import (
	"math"
	"strconv"
	"unicode/utf8"
)

func (s *Scanner) word(w string, e Event) Event {
	for i := range len(w) {
		if s.pos+i >= len(s.b) {
			return s.fail(FaultTruncated, s.pos+i)
		}
		if s.b[s.pos+i] != w[i] {
			return s.fail(FaultSyntax, s.pos+i)
		}
	}
	s.pos += len(w)
	return e
}

func (s *Scanner) digits(p int) int {
	for p < len(s.b) && s.b[p]-'0' <= 9 {
		p++
	}
	return p
}

func (s *Scanner) number() Event {
	p := s.pos
	if s.b[p] == '-' {
		p++
	}
	from := p
	p = s.digits(p)
	if p == from {
		return s.noDigit(p)
	}
	if p-from > 1 && s.b[from] == '0' {
		return s.fail(FaultNumber, from)
	}
	s.integer = true
	if p < len(s.b) && s.b[p] == '.' {
		s.integer = false
		from = p + 1
		if p = s.digits(from); p == from {
			return s.noDigit(p)
		}
	}
	if p < len(s.b) && s.b[p]|0x20 == 'e' {
		s.integer = false
		p++
		if p < len(s.b) && (s.b[p] == '+' || s.b[p] == '-') {
			p++
		}
		from = p
		if p = s.digits(from); p == from {
			return s.noDigit(p)
		}
	}
	s.pos = p
	return Num
}

func (s *Scanner) noDigit(p int) Event {
	if p >= len(s.b) {
		return s.fail(FaultTruncated, p)
	}
	return s.fail(FaultNumber, p)
}

// text scans a string, quotes included, from s.pos on.
func (s *Scanner) text() bool {
	s.escaped = false
	for p := s.pos + 1; p < len(s.b); {
		switch c := s.b[p]; {
		case c == '"':
			s.pos = p + 1
			return true
		case c == '\\':
			s.escaped = true
			n, f := escape(s.b[p:])
			if f != FaultNone {
				at := p
				if f == FaultTruncated {
					at = len(s.b)
				}
				s.fail(f, at)
				return false
			}
			p += n
		case c < 0x20:
			s.fail(FaultControl, p)
			return false
		case c < utf8.RuneSelf:
			p++
		default:
			r, n := utf8.DecodeRune(s.b[p:])
			if r == utf8.RuneError && n == 1 {
				s.fail(FaultUTF8, p)
				return false
			}
			p += n
		}
	}
	s.fail(FaultTruncated, len(s.b))
	return false
}

// escape checks the escape that b begins with and returns its length; a
// surrogate pair is one escape.
func escape(b []byte) (int, Fault) {
	if len(b) < 2 {
		return 0, FaultTruncated
	}
	if b[1] != 'u' {
		if unescape(b[1]) == 0 {
			return 0, FaultEscape
		}
		return 2, FaultNone
	}
	u, f := hex4(b[2:])
	switch {
	case f != FaultNone:
		return 0, f
	case u >= 0xdc00 && u < 0xe000:
		return 0, FaultSurrogate
	case u < 0xd800 || u >= 0xe000:
		return 6, FaultNone
	}
	for i, c := range []byte(`\u`) {
		if 6+i >= len(b) {
			return 0, FaultTruncated
		}
		if b[6+i] != c {
			return 0, FaultSurrogate
		}
	}
	low, f := hex4(b[8:])
	if f != FaultNone {
		return 0, f
	}
	if low < 0xdc00 || low >= 0xe000 {
		return 0, FaultSurrogate
	}
	return 12, FaultNone
}

func hex4(b []byte) (rune, Fault) {
	var u rune
	for i := range 4 {
		if i >= len(b) {
			return 0, FaultTruncated
		}
		d := hexDigit(b[i])
		if d < 0 {
			return 0, FaultEscape
		}
		u = u<<4 | d
	}
	return u, FaultNone
}

func hexDigit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// unescape returns the byte a one-letter escape stands for, 0 for none.
func unescape(c byte) byte {
	switch c {
	case '"', '\\', '/':
		return c
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// escaped returns the character that a checked escape stands for.
func escaped(b []byte) rune {
	switch len(b) {
	case 2:
		return rune(unescape(b[1]))
	case 6:
		u, _ := hex4(b[2:])
		return u
	}
	hi, _ := hex4(b[2:])
	lo, _ := hex4(b[8:])
	return (hi-0xd800)<<10 | (lo - 0xdc00) + 0x10000
}

// AppendText appends the Key or Text last returned, unescaped. What it appends
// is never longer than Raw.
func (s *Scanner) AppendText(dst []byte) []byte {
	b := s.b[s.start+1 : s.pos-1]
	if !s.escaped {
		return append(dst, b...)
	}
	for len(b) > 0 {
		if b[0] != '\\' {
			dst = append(dst, b[0])
			b = b[1:]
			continue
		}
		n, _ := escape(b)
		dst = utf8.AppendRune(dst, escaped(b[:n]))
		b = b[n:]
	}
	return dst
}

// TextLen returns how many bytes AppendText appends.
func (s *Scanner) TextLen() int {
	b := s.b[s.start+1 : s.pos-1]
	if !s.escaped {
		return len(b)
	}
	total := len(b)
	for i := 0; i < len(b); {
		if b[i] != '\\' {
			i++
			continue
		}
		n, _ := escape(b[i:])
		total += utf8.RuneLen(escaped(b[i:i+n])) - n
		i += n
	}
	return total
}

// Number returns the value of the Num last returned. ok is false when no
// double can hold it; one that is merely not exact is rounded to the nearest.
func (s *Scanner) Number() (n Number, ok bool) {
	return classify(s.Raw(), s.integer)
}

// classify reads a spelling that the scanner accepted.
func classify(raw []byte, integer bool) (Number, bool) {
	if integer && len(raw) <= 18 { // cannot overflow: the common case, without an allocation
		var v int64
		digits, negative := raw, raw[0] == '-'
		if negative {
			digits = raw[1:]
		}
		for _, c := range digits {
			v = v*10 + int64(c-'0')
		}
		if negative {
			return Number{Form: Signed, Int: -v, Float: float64(-v)}, true
		}
		return Number{Form: Unsigned, Int: v, Uint: uint64(v), Float: float64(v)}, true
	}
	text := string(raw)
	if integer {
		if raw[0] == '-' {
			if v, err := strconv.ParseInt(text, 10, 64); err == nil {
				return Number{Form: Signed, Int: v, Float: float64(v)}, true
			}
		} else if v, err := strconv.ParseUint(text, 10, 64); err == nil {
			n := Number{Form: Unsigned, Uint: v, Float: float64(v)}
			if v <= math.MaxInt64 {
				n.Int = int64(v)
			}
			return n, true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	return Number{Form: Double, Float: f}, err == nil
}
