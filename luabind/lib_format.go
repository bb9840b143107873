package luabind

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// verb is one conversion of a format: %-08.3f.
type verb struct {
	minus, plus, space, alt, zero bool
	width, precision              int // precision -1 = not given
	letter                        byte
}

// parseVerb reads a conversion after its %, and returns its length, 0 when it
// is malformed.
func parseVerb(f string) (v verb, n int) {
	v.precision = -1
	for n < len(f) && strings.IndexByte("-+ #0", f[n]) >= 0 {
		switch f[n] {
		case '-':
			v.minus = true
		case '+':
			v.plus = true
		case ' ':
			v.space = true
		case '#':
			v.alt = true
		case '0':
			v.zero = true
		}
		if n++; n > 5 {
			return v, 0
		}
	}
	number := func() (value int, ok bool) {
		for digits := 0; n < len(f) && isDigit(f[n]); digits++ {
			if digits == 2 {
				return 0, false
			}
			value = value*10 + int(f[n]-'0')
			n++
		}
		return value, true
	}
	var ok bool
	if v.width, ok = number(); !ok {
		return v, 0
	}
	if n < len(f) && f[n] == '.' {
		n++
		if v.precision, ok = number(); !ok {
			return v, 0
		}
	}
	if n >= len(f) {
		return v, 0
	}
	v.letter = f[n]
	return v, n + 1
}

// pad fits a converted value into the width. Zeros go behind sign and prefix.
func (v verb) pad(text string, zeros bool) string {
	n := v.width - len(text)
	switch {
	case n <= 0:
		return text
	case v.minus:
		return text + strings.Repeat(" ", n)
	case zeros && v.zero:
		head := 0
		if len(text) > 0 && strings.IndexByte("+- ", text[0]) >= 0 {
			head = 1
		}
		if len(text) > head+1 && text[head] == '0' && text[head+1]|0x20 == 'x' {
			head += 2
		}
		return text[:head] + strings.Repeat("0", n) + text[head:]
	}
	return strings.Repeat(" ", n) + text
}

// sign puts the sign that the flags ask for before a number that is not
// negative.
func (v verb) sign(text string) string {
	switch {
	case strings.HasPrefix(text, "-"):
	case v.plus:
		return "+" + text
	case v.space:
		return " " + text
	}
	return text
}

func (s *State) strFormat(a Args) int {
	f := a.text(1)
	out := builder{s: s, L: a.L}
	defer out.free()
	arg := 1
	s.meter.charge(a.L, int64(len(f)/8))
	for {
		i := strings.IndexByte(f, '%')
		if i < 0 {
			out.add(f)
			break
		}
		out.add(f[:i])
		f = f[i+1:]
		if strings.HasPrefix(f, "%") {
			out.add("%")
			f = f[1:]
			continue
		}
		v, n := parseVerb(f)
		if n == 0 {
			a.L.RaiseError("invalid conversion '%%%s' to 'format'", clip(f, 10))
		}
		arg++
		text := s.convert(a, v, arg)
		s.meter.charge(a.L, int64(4+len(text))) // the digits of a number are dear
		out.add(text)
		f = f[n:]
	}
	a.L.Push(out.value())
	return 1
}

// convert spells one argument.
func (s *State) convert(a Args, v verb, arg int) string {
	switch v.letter {
	case 'd', 'i':
		n := formatInteger(a, arg)
		if n < 0 && a.num(arg) > 0 { // only the unsigned conversions hold it
			a.Fail(arg, "number has no integer representation")
		}
		return v.pad(v.digits(v.sign(strconv.FormatInt(n, 10))), v.precision < 0)
	case 'c':
		return v.pad(string([]byte{byte(formatInteger(a, arg))}), false)
	case 'x', 'X', 'o', 'u':
		return v.pad(v.unsigned(uint64(formatInteger(a, arg))), v.precision < 0)
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		return v.float(a.num(arg))
	case 's':
		if arg > a.n {
			a.Fail(arg, "no value")
		}
		text := s.toString(a.L, a.Get(arg))
		if v.precision >= 0 && v.precision < len(text) {
			text = text[:v.precision]
		}
		return v.pad(text, false)
	case 'q':
		return s.quoted(a, a.text(arg))
	}
	a.L.RaiseError("invalid conversion '%%%c' to 'format'", v.letter)
	return ""
}

// formatInteger cuts a number to an integer, as C's cast does where that is
// defined.
func formatInteger(a Args, arg int) int64 {
	n := math.Trunc(a.num(arg))
	if n >= 1<<63 && n < 1<<64 {
		return int64(uint64(n))
	}
	if !(n >= -1<<63 && n < 1<<63) {
		a.Fail(arg, "number has no integer representation")
	}
	return int64(n)
}

// digits brings an integer to the precision with leading zeros.
func (v verb) digits(text string) string {
	head := 0
	if strings.IndexByte("+- ", text[0]) >= 0 {
		head = 1
	}
	if n := v.precision - (len(text) - head); n > 0 {
		return text[:head] + strings.Repeat("0", n) + text[head:]
	}
	return text
}

func (v verb) unsigned(u uint64) string {
	base := 16
	switch v.letter {
	case 'o':
		base = 8
	case 'u':
		base = 10
	}
	text := v.digits(strconv.FormatUint(u, base))
	switch {
	case !v.alt || u == 0:
	case base == 16:
		text = "0x" + text
	case base == 8:
		text = "0" + text
	}
	if v.letter == 'X' {
		text = strings.ToUpper(text)
	}
	return text
}

func (v verb) float(n float64) string {
	upper := v.letter < 'a'
	text := ""
	switch {
	case math.IsInf(n, 0) || n != n:
		text = v.sign(formatNumber(n))
		if upper {
			text = strings.ToUpper(text)
		}
		return v.pad(text, false)
	case v.letter|0x20 == 'a':
		text = strconv.FormatFloat(n, 'x', v.precision, 64)
	default:
		precision := v.precision
		if precision < 0 {
			precision = 6
		}
		if v.alt {
			text = fmt.Sprintf("%#."+strconv.Itoa(precision)+string(v.letter|0x20), n)
			break
		}
		if v.letter|0x20 == 'g' {
			text = shortFloat(n, max(precision, 1))
			break
		}
		text = strconv.FormatFloat(n, v.letter|0x20, precision, 64)
	}
	text = v.sign(text)
	if upper {
		text = strings.ToUpper(text)
	}
	return v.pad(text, true)
}

// shortFloat is C's %.Pg: an exponent when it is below -4 or at least P, and no
// trailing zeros.
func shortFloat(n float64, precision int) string {
	e := strconv.FormatFloat(n, 'e', precision-1, 64)
	mark := strings.IndexByte(e, 'e')
	exponent, _ := strconv.Atoi(e[mark+1:])
	if exponent < -4 || exponent >= precision {
		return trimZeros(e[:mark]) + e[mark:]
	}
	return trimZeros(strconv.FormatFloat(n, 'f', precision-1-exponent, 64))
}

func trimZeros(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// quoted is %q: a string as Lua source.
func (s *State) quoted(a Args, text string) string {
	out := builder{s: s, L: a.L}
	defer out.free()
	s.meter.charge(a.L, int64(len(text)/8))
	out.add(`"`)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			out.add(`\` + text[i:i+1])
		case c == '\n':
			out.add("\\\n")
		case c == '\r':
			out.add(`\r`)
		case c == 0:
			out.add(`\000`)
		default:
			out.add(text[i : i+1])
		}
	}
	out.add(`"`)
	return string(out.value())
}
