package contract

import "fmt"

// Difference is one definition that two contracts do not share. Here and
// There are canonical JSON; "" = that side does not have it.
type Difference struct {
	Section string // "messages"
	Key     string // "shot"
	Path    string // "rate_limit"; "" = the whole definition
	Here    string // "12"
	There   string // "10"
}

// String returns "messages/shot/rate_limit: 12 here, 10 there".
func (d Difference) String() string {
	at := d.Section
	if d.Key != "" {
		at += "/" + d.Key
	}
	if d.Path != "" {
		at += "/" + d.Path
	}
	return fmt.Sprintf("%s: %s here, %s there", at, sideText(d.Here), sideText(d.There))
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
		return s[:cut] + "…"
	}
	return s
}

// Differences compares the keys of one section, here against there, and
// returns what differs in byte order of keys and paths. There may come from a
// peer: only its Name, Digest and Definition are looked at, and a Definition
// that is not JSON is compared as a whole.
func Differences(section string, here, there []Key) []Difference {
	return differences(section, here, there)
}
