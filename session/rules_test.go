package session_test

import (
	"fmt"
	"testing"
	"time"

	"demi.network/runtime/fault"
	"demi.network/session"
)

// curious is Rules that write down what they are asked.
type curious struct {
	asked []string
	admit error
}

func (c *curious) Admit(a session.Applicant) error {
	c.asked = append(c.asked, fmt.Sprintf("admit %q build=%q observer=%t ticket=%x from %s", a.Name, a.Build, a.Observer, a.Ticket, a.Remote))
	return c.admit
}

func (c *curious) Accept(from session.Sender, m *session.Event) error {
	c.asked = append(c.asked, fmt.Sprintf("accept %s from %s about %d: %s", m.Message.Name, from, m.N, m.Data))
	return nil
}

func TestRulesAreAskedLastAndSeeEverything(t *testing.T) {
	s := newStage(t)
	rules := &curious{}
	s.rules = rules
	s.host(load(t, "arena.json"), nil)
	s.join("other", load(t, "arena-faster.json"), nil) // refused before the game is asked
	s.run(50 * time.Millisecond)
	ann := s.join("ann", s.con, func(c *session.ClientConfig) {
		c.PlayerName, c.Ticket, c.Build, c.Unchecked = " ann ", []byte{1, 2}, "v7", true
	})
	s.run(100 * time.Millisecond)
	crate := s.spawned("crate", 1)
	s.run(50 * time.Millisecond)
	for _, send := range []struct{ name, target, js string }{
		{"push", s.id(crate), `{"by":1}`}, {"over", "", `{}`}, {"chat", "", `{"text":"hi"}`},
	} {
		if err := ann.client.Send(s.now, send.name, send.target, text(t, send.js)); err != nil {
			t.Fatal(err)
		}
	}
	s.run(50 * time.Millisecond)
	want := []string{
		`admit "ann" build="v7" observer=false ticket=0102 from 10.0.0.1:3`,
		`accept push from peer1 about 1: {"by":1}`,
		`accept chat from peer1 about 0: {"text":"hi"}`,
	}
	if fmt.Sprint(rules.asked) != fmt.Sprint(want) {
		t.Errorf("asked\n%q, want\n%q", rules.asked, want)
	}
	rules.admit = fault.New(fault.Full, "the lobby is full")
	ben := s.join("ben", s.con, nil)
	s.run(50 * time.Millisecond)
	if len(ben.events) != 1 || ben.events[0].Code != fault.Full || ben.events[0].Text != "the lobby is full" {
		t.Errorf("a code that travels must travel: %v", ben.events)
	}
}

// TestFieldLogB12ALoopThatStandsStill: keep-alives run when the loop runs. A
// client that loads for three seconds misses nothing; one that stands still
// for eight is gone, and hears why.
func TestFieldLogB12ALoopThatStandsStill(t *testing.T) {
	for _, tc := range []struct {
		still time.Duration
		alive bool
	}{{3 * time.Second, true}, {8 * time.Second, false}} {
		s, _ := newLossyStage(t, 41, "rtt=40")
		s.ports = 100
		s.host(load(t, "arena.json"), func(c *session.ServerConfig) { c.Contract.Message("over").RateLimit = 100 })
		ann := s.joined("ann")
		link := ann.link
		ann.link = nil // nobody turns its loop
		s.run(tc.still / 2)
		for i := range 50 {
			if err := s.server.Send(s.now, "over", "", text(t, fmt.Sprintf(`{"n":%d}`, i))); err != nil {
				t.Fatal(err)
			}
		}
		s.run(tc.still / 2)
		ann.link = link
		s.run(2 * time.Second)
		if tc.alive {
			got := 0
			for _, ev := range ann.events {
				if ev.Kind == session.EventMessage {
					if n := ev.Data.Root().Lookup("n").Int(); n != int64(got) {
						t.Fatalf("message %d came as %d", n, got)
					}
					got++
				}
			}
			if got != 50 || ann.client.Phase() != session.PhaseActive {
				t.Errorf("after %s: %d of 50 messages, %s", tc.still, got, ann.client.Phase())
			}
			continue
		}
		if ann.seen(session.EventDisconnected) != 1 || ann.events[len(ann.events)-1].Code != fault.Timeout {
			t.Errorf("after %s a client must hear that it timed out: %v", tc.still, ann.events)
		}
	}
}
