package luabind

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable spells what could steer a terminal, or look like another line of a
// log, by its number: scripts print what strangers have sent them. Tabs stay.
func printable(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t', unicode.IsGraphic(r), isJoiner(r):
			b.WriteString(s[:size])
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// isPlain reports printable ASCII, which most texts are.
func isPlain(s string) bool {
	for i := range len(s) {
		if (s[i] < ' ' || s[i] > '~') && s[i] != '\t' {
			return false
		}
	}
	return true
}

// isJoiner reports the two joiners, which emoji and some scripts need.
func isJoiner(r rune) bool { return r == '\u200C' || r == '\u200D' }

// logLines logs a text line by line.
func logLines(text string, log func(string)) {
	for line := range strings.SplitSeq(text, "\n") {
		log(printable(line))
	}
}
