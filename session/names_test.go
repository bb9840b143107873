package session_test

import (
	"strings"
	"testing"
	"time"

	"demi.network/runtime/fault"
	"demi.network/session"
)

// A name that cannot be had is refused as a name, whatever it is made of: not
// as a hello that does not parse.
func TestAWrongNameIsRefusedAsAName(t *testing.T) {
	s := newStage(t)
	s.host(load(t, "arena.json"), nil)
	for what, name := range map[string]string{
		"invalid UTF-8":         "an\xffn",
		"long":                  strings.Repeat("a", 2000),
		"long, of three bytes":  strings.Repeat("字", 700),
		"long, of four bytes":   "a" + strings.Repeat("😀", 700),
		"long, and not UTF-8":   strings.Repeat("\xe5", 700),
		"a replacement already": "\uFFFD",
	} {
		n := s.join("x", s.con, func(c *session.ClientConfig) { c.PlayerName = name })
		s.run(50 * time.Millisecond)
		if end := n.client.Ended(); end == nil || end.Code != fault.Name {
			t.Errorf("%s: the client ends with %v, want %s", what, end, fault.Name)
		}
	}
}
