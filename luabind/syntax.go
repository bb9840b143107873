package luabind

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// syntaxFault is what makes a script no Lua of ours.
type syntaxFault struct {
	offset int // in the source
	text   string
}

// scan reads a script token by token before the parser does. It reports syntax
// of Lua 5.4 that this machine lacks, in words that say so, and spells the
// string escapes \xHH and \u{H}, which the parser would silently misread, in
// decimal. Comments and strings are skipped otherwise. It returns the source
// to parse; lines stay where they are.
//
// It does not check that a script is Lua: what it does not understand it leaves
// to the parser.
func scan(src string) (string, *syntaxFault) {
	sc := scanner{src: src}
	for sc.fault == nil && sc.pos < len(src) {
		sc.token()
	}
	if sc.fault != nil {
		return "", sc.fault
	}
	if sc.out.Len() == 0 {
		return src, nil
	}
	sc.out.WriteString(src[sc.copied:])
	return sc.out.String(), nil
}

type scanner struct {
	src    string
	pos    int
	fault  *syntaxFault
	out    strings.Builder // the changed source up to copied, when anything changed
	copied int
	local  int // tokens since the word local: 1 = its name follows, 2 = an attribute may
}

func (sc *scanner) fail(at int, format string, args ...any) {
	if sc.fault == nil {
		sc.fault = &syntaxFault{at, fmt.Sprintf(format, args...)}
	}
}

const dialect = "scripts are Lua 5.1 with goto"

func (sc *scanner) byteAt(i int) byte {
	if i < len(sc.src) {
		return sc.src[i]
	}
	return 0
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// token consumes one token.
func (sc *scanner) token() {
	c := sc.src[sc.pos]
	switch {
	case isSpace(c):
		sc.pos++
		return
	case c == '-' && sc.byteAt(sc.pos+1) == '-':
		sc.comment()
		return
	case c >= '0' && c <= '9' || c == '.' && isDigit(sc.byteAt(sc.pos+1)):
		sc.number()
	case isWord(c):
		start := sc.pos
		for isWord(sc.byteAt(sc.pos)) {
			sc.pos++
		}
		switch word := sc.src[start:sc.pos]; {
		case word == "local":
			sc.local = 1
			return
		case sc.local == 1 && word != "function":
			sc.local = 2
			return
		}
	case c == '"' || c == '\'':
		sc.str(c)
	case c == '[' && sc.longBracket(sc.pos) >= 0:
		sc.long(sc.pos, sc.longBracket(sc.pos))
	case c == ',' && sc.local == 2:
		sc.local = 1
		sc.pos++
		return
	default:
		sc.operator(c)
	}
	sc.local = 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// operator consumes one operator and reports those of 5.4.
func (sc *scanner) operator(c byte) {
	at, next := sc.pos, sc.byteAt(sc.pos+1)
	sc.pos++
	switch {
	case c == '/' && next == '/':
		sc.fail(at, "Lua 5.4 integer division `//` is not available: %s; write math.floor(a / b)", dialect)
	case c == '~' && next == '=', c == '<' && next == '=', c == '>' && next == '=', c == '=' && next == '=':
		sc.pos++
	case c == '~':
		sc.fail(at, "Lua 5.4 bitwise `~` is not available: %s; not equal is `~=`", dialect)
	case c == '&' || c == '|':
		sc.fail(at, "Lua 5.4 bitwise `%c` is not available: %s; `and`, `or` are the logical operators", c, dialect)
	case c == '<' && next == '<' || c == '>' && next == '>':
		sc.fail(at, "Lua 5.4 bit shift `%c%c` is not available: %s; multiply or divide by a power of two", c, c, dialect)
	case c == '<' && sc.local == 2:
		end := strings.IndexByte(sc.src[at:], '>')
		if end > 0 && end < 32 {
			sc.fail(at, "Lua 5.4 attribute `%s` is not available: %s; write a plain local", sc.src[at:at+end+1], dialect)
		}
	case c == '!' && next == '=':
		sc.fail(at, "`!=` is no operator of Lua; not equal is `~=`")
	}
}

// number consumes a number and reports what a double cannot be.
func (sc *scanner) number() {
	start := sc.pos
	hex := sc.src[start] == '0' && sc.byteAt(start+1)|0x20 == 'x'
	for {
		c := sc.byteAt(sc.pos)
		if (c == '+' || c == '-') && sc.pos > start {
			if e := sc.src[sc.pos-1] | 0x20; !(e == 'e' && !hex || e == 'p' && hex) {
				break
			}
		} else if !isWord(c) && c != '.' {
			break
		}
		if c == '.' && sc.byteAt(sc.pos+1) == '.' {
			break
		}
		sc.pos++
	}
	text := sc.src[start:sc.pos]
	if !hex {
		return
	}
	if strings.ContainsAny(text, ".pP") {
		sc.fail(start, "Lua 5.4 hexadecimal fraction `%s` is not available: %s", clip(text, 40), dialect)
		return
	}
	if u, err := strconv.ParseUint(text[2:], 16, 64); err != nil || uint64(float64(u)) != u || u > 1<<62 {
		if len(text) > 2 && strings.Trim(text[2:], "0123456789abcdefABCDEF") == "" {
			sc.fail(start, "integer `%s` is not exact: numbers are doubles, whole up to 2^53 (Lua 5.4 has 64-bit integers, %s)", clip(text, 40), dialect)
		}
	}
}

// comment consumes a comment.
func (sc *scanner) comment() {
	if n := sc.longBracket(sc.pos + 2); n >= 0 {
		sc.long(sc.pos+2, n)
		return
	}
	if end := strings.IndexAny(sc.src[sc.pos:], "\r\n"); end >= 0 {
		sc.pos += end
		return
	}
	sc.pos = len(sc.src)
}

// longBracket returns the level of the long bracket that opens at i, or -1.
func (sc *scanner) longBracket(i int) int {
	if sc.byteAt(i) != '[' {
		return -1
	}
	n := 0
	for sc.byteAt(i+1+n) == '=' {
		n++
	}
	if sc.byteAt(i+1+n) == '[' {
		return n
	}
	return -1
}

// long consumes a long string or comment whose bracket of level n opens at i.
func (sc *scanner) long(i, n int) {
	closing := "]" + strings.Repeat("=", n) + "]"
	if end := strings.Index(sc.src[i+n+2:], closing); end >= 0 {
		sc.pos = i + n + 2 + end + len(closing)
		return
	}
	sc.pos = len(sc.src) // unfinished: the parser says so
}

// str consumes a quoted string.
func (sc *scanner) str(quote byte) {
	sc.pos++
	for sc.pos < len(sc.src) {
		switch c := sc.src[sc.pos]; c {
		case quote:
			sc.pos++
			return
		case '\n', '\r':
			return // unfinished: the parser says so
		case '\\':
			sc.escape()
		default:
			sc.pos++
		}
	}
}

// escape consumes an escape sequence.
func (sc *scanner) escape() {
	at := sc.pos
	switch sc.byteAt(at + 1) {
	case 'x':
		if at+4 <= len(sc.src) {
			if v, err := strconv.ParseUint(sc.src[at+2:at+4], 16, 8); err == nil {
				sc.replace(at, at+4, []byte{byte(v)})
				return
			}
		}
		sc.fail(at, "a `\\x` escape needs two hexadecimal digits")
	case 'u':
		end := strings.IndexByte(sc.src[at:min(at+16, len(sc.src))], '}')
		if sc.byteAt(at+2) == '{' && end > 0 {
			if v, err := strconv.ParseUint(sc.src[at+3:at+end], 16, 32); err == nil && v <= utf8.MaxRune {
				sc.replace(at, at+end+1, appendUTF8(nil, rune(v)))
				return
			}
		}
		sc.fail(at, "a `\\u{…}` escape needs a hexadecimal code point up to 10FFFF")
	case 'z':
		sc.fail(at, "the Lua 5.4 escape `\\z` is not available: %s; join strings with `..`", dialect)
	}
	sc.pos += 2
}

// replace spells bytes as decimal escapes in the place of src[from:to].
func (sc *scanner) replace(from, to int, with []byte) {
	sc.out.WriteString(sc.src[sc.copied:from])
	for _, b := range with {
		fmt.Fprintf(&sc.out, "\\%03d", b)
	}
	sc.copied, sc.pos = to, to
}

// appendUTF8 encodes a code point; surrogates too, as Lua does.
func appendUTF8(b []byte, r rune) []byte {
	if r >= 0xD800 && r < 0xE000 {
		return append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(b, r)
}

// position returns line and column of an offset, both from 1, the column in
// code points. A line ends as Lua counts it: \n, \r, \r\n or \n\r.
func position(src string, offset int) (line, column int) {
	offset = min(offset, len(src))
	line, start := 1, 0
	for i := 0; i < offset; i++ {
		if c := src[i]; c == '\n' || c == '\r' {
			if i+1 < offset && (src[i+1] == '\n' || src[i+1] == '\r') && src[i+1] != c {
				i++
			}
			line, start = line+1, i+1
		}
	}
	return line, utf8.RuneCountInString(src[start:offset]) + 1
}
