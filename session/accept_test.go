package session_test

import (
	"fmt"
	"testing"
	"time"

	"demi.network/session"
)

// asking is Rules that look at the session before they look at the message.
type asking struct {
	s    *stage
	seen []string
}

func (a *asking) Admit(session.Applicant) error { return nil }

func (a *asking) Accept(_ session.Sender, m *session.Event) error {
	explained := a.s.server.Diagnostics().LastError != ""
	a.seen = append(a.seen, fmt.Sprintf("%s, explained %t", m.Data, explained))
	return nil
}

// A game may ask for diagnostics while it judges a message: that explains an
// older message, and leaves this one as it is.
func TestRulesMayAskForDiagnostics(t *testing.T) {
	s := newStage(t)
	rules := &asking{s: s}
	s.rules = rules
	s.host(load(t, "arena.json"), nil)
	ann := s.join("ann", s.con, func(c *session.ClientConfig) { c.Unchecked = true })
	s.run(100 * time.Millisecond)
	for _, js := range []string{`{"text":7}`, `{"text":"hi"}`} {
		if err := ann.client.Send(s.now, "chat", "", text(t, js)); err != nil {
			t.Fatal(err)
		}
		s.run(50 * time.Millisecond)
	}
	if got, want := fmt.Sprint(rules.seen), `[{"text":"hi"}, explained true]`; got != want {
		t.Errorf("the game saw %s, want %s", got, want)
	}
}
