package luabind

import (
	"math"
	"strconv"
	"strings"
)

// formatNumber spells a number so that tonumber gives the same number back:
// whole numbers up to 2^63 in digits, others in the shortest form that
// round-trips, infinities and NaN as C spells them.
func formatNumber(n float64) string {
	switch {
	case n != n:
		return "nan"
	case math.IsInf(n, 1):
		return "inf"
	case math.IsInf(n, -1):
		return "-inf"
	case n == 0 && math.Signbit(n):
		return "-0"
	case n == math.Trunc(n) && math.Abs(n) < 1<<63:
		return strconv.FormatInt(int64(n), 10)
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// isSpace is C's isspace.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// trimSpace removes what C's strtod skips.
func trimSpace(s string) string {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// maxDigits is the longest text that is read as a number, spaces included: what
// is longer costs nothing to refuse.
const maxDigits = 4096

// parseNumber reads a number as Lua's tonumber does: decimal with an optional
// exponent, or hexadecimal (with an optional binary exponent, as in 5.4).
// Underscores, other prefixes, "inf" and "nan" are no numbers.
func parseNumber(s string) (float64, bool) {
	if len(s) > maxDigits {
		return 0, false
	}
	s = trimSpace(s)
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || digits == "" {
		return 0, false
	}
	hex := len(digits) > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')
	for i := range len(digits) {
		c := digits[i]
		switch {
		case c >= '0' && c <= '9', c == '.', c == '+', c == '-':
		case !hex && (c == 'e' || c == 'E'):
		case hex && (c|0x20 >= 'a' && c|0x20 <= 'f' || c|0x20 == 'p' || i == 1):
		default:
			return 0, false
		}
	}
	if hex && !strings.ContainsAny(digits, "pP") {
		s += "p0"
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

// parseInteger reads digits of a base, as tonumber(s, base) does.
func parseInteger(s string, base int) (float64, bool) {
	if len(s) > maxDigits {
		return 0, false
	}
	s = strings.ToLower(trimSpace(s))
	negative := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		s = s[1:]
	}
	if base == 16 && strings.HasPrefix(s, "0x") {
		s = s[2:]
	}
	if s == "" {
		return 0, false
	}
	n := 0.0
	for i := range len(s) {
		d := 99
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			d = int(c - '0')
		case c >= 'a' && c <= 'z':
			d = int(c-'a') + 10
		}
		if d >= base {
			return 0, false
		}
		n = float64(n*float64(base)) + float64(d)
	}
	if negative {
		n = -n
	}
	return n, true
}

// wholeNumber converts to an integer; ok is false for fractions, NaN and what
// lies beyond 2^53.
func wholeNumber(n float64) (int64, bool) {
	if n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		return 0, false
	}
	return int64(n), true
}

// clampInt converts to an int the way the library's positions need it:
// fractions are cut, NaN is 0, and far numbers stop at ±2^53.
func clampInt(n float64) int {
	switch {
	case n != n:
		return 0
	case n > 1<<53:
		return 1 << 53
	case n < -(1 << 53):
		return -(1 << 53)
	}
	return int(n)
}
