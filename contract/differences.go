package contract

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"demi.network/contract/jsontext"
)

// Difference is one value that two contracts do not share. Here and There are
// canonical JSON; "" = that side does not have it.
type Difference struct {
	Section string // "messages"
	Key     string // "shot"; "" = the section has no keys
	Path    string // "rate_limit"; "" = the whole definition
	Here    string // "12"
	There   string // "10"
}

// String returns "messages/shot/rate_limit: 12 here, 10 there", on one line and
// without characters that cannot be seen: a peer may have sent it.
func (d Difference) String() string {
	at := d.Section
	if d.Key != "" {
		at += "/" + d.Key
	}
	if d.Path != "" {
		at += "/" + d.Path
	}
	return fmt.Sprintf("%s: %s here, %s there", visible(at), sideText(d.Here), sideText(d.There))
}

// visible spells what cannot be printed as an escape.
func visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func sideText(s string) string {
	const most = 80
	switch {
	case s == "":
		return "absent"
	case len(s) > most:
		cut := most
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
		return visible(s[:cut]) + "…"
	}
	return visible(s)
}

// MaxDifferences is how many differences of one section are returned at most.
const MaxDifferences = 100

// Differences compares the keys of one section, here against there, and
// returns what differs in byte order of keys and paths, at most
// MaxDifferences. There may come from a peer: only its Name, Digest and
// Definition are looked at, nothing is assumed of their order, and a
// Definition that is not JSON is compared as a whole.
func Differences(section string, here, there []Key) []Difference {
	return sectionDifferences(section, here, there, MaxDifferences)
}

func sectionDifferences(section string, here, there []Key, most int) []Difference {
	a, b := slices.Clone(here), slices.Clone(there)
	byName := func(x, y Key) int { return strings.Compare(x.Name, y.Name) }
	slices.SortStableFunc(a, byName)
	slices.SortStableFunc(b, byName)
	var out []Difference
	for (len(a) > 0 || len(b) > 0) && len(out) < most {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Name < b[0].Name:
			out = append(out, Difference{Section: section, Key: a[0].Name, Here: a[0].Definition})
			a = a[1:]
		case len(a) == 0 || b[0].Name < a[0].Name:
			out = append(out, Difference{Section: section, Key: b[0].Name, There: b[0].Definition})
			b = b[1:]
		default:
			if a[0].Digest != b[0].Digest {
				out = append(out, definitionDifferences(section, a[0], b[0], most)...)
			}
			a, b = a[1:], b[1:]
		}
	}
	return out[:min(len(out), most)]
}

// definitionDifferences compares two definitions of one key.
func definitionDifferences(section string, here, there Key, most int) []Difference {
	whole := []Difference{{Section: section, Key: here.Name, Here: here.Definition, There: there.Definition}}
	a, _ := jsontext.Parse([]byte(here.Definition))
	b, _ := jsontext.Parse([]byte(there.Definition))
	if a == nil || b == nil {
		return whole
	}
	var out []Difference
	compare(a, b, "", func(path, x, y string) bool {
		out = append(out, Difference{section, here.Name, strings.TrimPrefix(path, "/"), x, y})
		return len(out) < most
	})
	if len(out) == 0 {
		return whole // the digests differ although the texts do not: say so
	}
	return out
}

// compare calls report for each place where two values differ, deepest first
// in byte order of keys, until report returns false.
func compare(a, b *jsontext.Node, path string, report func(path, here, there string) bool) bool {
	switch {
	case a == nil && b == nil:
		return true
	case a == nil || b == nil || a.Kind != b.Kind:
		return report(path, nodeText(a), nodeText(b))
	case a.Kind == jsontext.KindObject:
		x, y := members(a), members(b)
		for _, key := range unionKeys(x, y) {
			if !compare(x[key], y[key], path+"/"+jsontext.EscapeToken(key), report) {
				return false
			}
		}
		return true
	case a.Kind == jsontext.KindArray && plainItems(a) && plainItems(b):
		return compareSets(a, b, path, report)
	case a.Kind == jsontext.KindArray:
		return compareItems(a, b, path, report)
	}
	if x, y := nodeText(a), nodeText(b); x != y {
		return report(path, x, y)
	}
	return true
}

// compareItems compares arrays item by item.
func compareItems(a, b *jsontext.Node, path string, report func(path, here, there string) bool) bool {
	for i := range max(len(a.Items), len(b.Items)) {
		var x, y *jsontext.Node
		if i < len(a.Items) {
			x = a.Items[i]
		}
		if i < len(b.Items) {
			y = b.Items[i]
		}
		if !compare(x, y, path+"/"+strconv.Itoa(i), report) {
			return false
		}
	}
	return true
}

func plainItems(n *jsontext.Node) bool {
	for _, item := range n.Items {
		if item.Kind == jsontext.KindArray || item.Kind == jsontext.KindObject {
			return false
		}
	}
	return true
}

// compareSets compares arrays of plain values, such as required and enum, by
// what they hold; if only the order differs, the arrays are reported.
func compareSets(a, b *jsontext.Node, path string, report func(path, here, there string) bool) bool {
	here, there := textsOf(a), textsOf(b)
	same := true
	for i, item := range a.Items {
		if text := nodeText(item); !there[text] {
			same = false
			if !report(path+"/"+strconv.Itoa(i), text, "") {
				return false
			}
		}
	}
	for i, item := range b.Items {
		if text := nodeText(item); !here[text] {
			same = false
			if !report(path+"/"+strconv.Itoa(i), "", text) {
				return false
			}
		}
	}
	if x, y := nodeText(a), nodeText(b); same && x != y {
		return report(path, x, y)
	}
	return true
}

func textsOf(n *jsontext.Node) map[string]bool {
	texts := make(map[string]bool, len(n.Items))
	for _, item := range n.Items {
		texts[nodeText(item)] = true
	}
	return texts
}

func unionKeys(a, b map[string]*jsontext.Node) []string {
	keys := sortedNames(a)
	for _, k := range sortedNames(b) {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

func nodeText(n *jsontext.Node) string {
	if n == nil {
		return ""
	}
	return string(canonical(plain(n)))
}

// Changes returns every difference in meaning between two contracts, in the
// order of the sections: old is here, new is there.
func Changes(old, new *Contract) []Difference {
	var out []Difference
	for i := range old.Sections {
		a, b := &old.Sections[i], &new.Sections[i]
		if a.Digest != b.Digest {
			out = append(out, sectionDifferences(a.Name, a.Keys, b.Keys, math.MaxInt)...)
		}
	}
	return out
}
