package session

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"demi.network/runtime/fault"
)

// MaxName is the most code points of a player's name.
const MaxName = 32

// NormalName returns the name as everybody will see it: without spaces at its
// ends. A name has 1 to 32 code points; it is printable: letters, marks, digits,
// punctuation, symbols and plain spaces, at least one of which can be seen
// without the others. Control, format, direction and invisible characters,
// private ones, other spaces and invalid UTF-8 are refused with E_NET_NAME.
func NormalName(name string) (string, error) {
	if !utf8.ValidString(name) {
		return "", fault.New(fault.Name, "the name is not UTF-8")
	}
	name = strings.Trim(name, " ")
	n, seen := 0, false
	for _, r := range name {
		if n++; n > MaxName {
			return "", fault.New(fault.Name, "the name has more than %d characters", MaxName)
		}
		if !nameRune(r) {
			return "", fault.New(fault.Name, "the name holds U+%04X, which cannot be seen or changes what can", r)
		}
		seen = seen || !unicode.IsMark(r) && r != ' '
	}
	if !seen {
		return "", fault.New(fault.Name, "the name is empty")
	}
	return name, nil
}

func nameRune(r rune) bool {
	return (unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r) || r == ' ') &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && r != '\uFFFD' && r != '\u2800'
}

// uniqueName gives name a suffix when somebody else is called the same, upper
// and lower case aside.
func uniqueName(name string, taken func(string) bool) string {
	if !taken(name) {
		return name
	}
	for i := 2; ; i++ {
		suffix := "-" + strconv.Itoa(i)
		runes := []rune(name)
		if keep := MaxName - len(suffix); len(runes) > keep {
			runes = runes[:keep]
		}
		if try := strings.TrimRight(string(runes), " ") + suffix; !taken(try) {
			return try
		}
	}
}

// cleanText makes a text of a peer safe to print: one line, no control or
// format character, at most most bytes.
func cleanText(s string, most int) string {
	ok := len(s) <= most
	for _, r := range s {
		ok = ok && (unicode.IsGraphic(r) && r != '\uFFFD')
	}
	if ok {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !unicode.IsGraphic(r) {
			r = '\uFFFD'
		}
		if b.Len()+utf8.RuneLen(r) > most {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
