package session_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/session"
)

// Field-log rows of rate limits, queues and names, named by id.

func TestFieldLogB45AGameThatNeverPolls(t *testing.T) {
	s := newStage(t)
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) {
		c.MaxPlayers = 10
		c.Contract.Limits.MessagesPerSecond = 10000
		c.Contract.Message("echo").RateLimit = 10000
	})
	host := s.server
	var names []string
	for _, label := range []string{"a", "b", "c", "d"} {
		s.join(label, s.con, func(c *session.ClientConfig) { c.Unchecked = true })
		names = append(names, label)
	}
	deaf := func(d time.Duration) { // everybody but the host's game looks
		for end := s.now.Add(d); s.now.Before(end); {
			s.now = s.now.Add(s.turn)
			s.pump(s.link, "host", func(ev transport.Event) { host.Handle(s.now, ev) })
			host.Advance(s.now)
			_, _ = s.link.Flush(s.now)
			for _, n := range s.nodes {
				if n.link != nil {
					s.pump(n.link, n.label, func(ev transport.Event) { n.client.Handle(s.now, ev) })
					n.client.Advance(s.now)
					n.deaf = true
					_, _ = n.link.Flush(s.now)
				}
			}
		}
	}
	deaf(200 * time.Millisecond)
	src := text(t, `["`+strings.Repeat("x", 98)+`","`+strings.Repeat("y", 98)+`"]`)
	const rounds = 300 // of 80 messages; the row's 12 500 would only take longer
	sent := 0
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	full := int64(0)
	for i := range rounds {
		if i == rounds/2 { // every inbox has long been full
			full = heap()
		}
		for _, n := range s.nodes {
			for range 20 {
				if n.client.Send(s.now, "echo", "", src) == nil {
					sent++
				}
			}
		}
		deaf(10 * time.Millisecond)
	}
	if grown := heap() - full; grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes while nobody polled full inboxes: memory must stay flat", grown)
	}
	s.node("a").client.Leave(s.now, fault.Left, "")
	s.node("b").client.Leave(s.now, fault.Left, "")
	deaf(50 * time.Millisecond)
	_ = s.node("c").link.Close()
	s.node("c").link = nil
	deaf(50 * time.Millisecond)

	var joins, leaves []string
	messages := 0
	for ev, ok := host.Poll(); ok; ev, ok = host.Poll() {
		switch ev.Kind {
		case session.EventPeerJoined:
			joins = append(joins, ev.Name)
		case session.EventPeerLeft:
			leaves = append(leaves, ev.Name)
		case session.EventMessage:
			messages++
		}
	}
	d := host.Diagnostics()
	if fmt.Sprint(joins) != fmt.Sprint(names) || fmt.Sprint(leaves) != "[a b c]" {
		t.Errorf("joins %v, leaves %v: all of them, in order", joins, leaves)
	}
	if messages != session.MaxMessages || d.Dropped != d.Received-session.MaxMessages {
		t.Errorf("%d messages polled and %d dropped of %d: the newest %d must be there and the others be counted", messages, d.Dropped, d.Received, session.MaxMessages)
	}
	if d.Received < uint64(sent)*9/10 {
		t.Errorf("%d of %d messages arrived: the test does not flood", d.Received, sent)
	}
}

func TestFieldLogB45ALatePollerMissesNothingBelowTheBound(t *testing.T) {
	s := newStage(t)
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) {
		c.Contract.Message("over").RateLimit = 1000
		c.Contract.Message("push").RateLimit = 1000
	})
	ann := s.join("ann", s.con, nil)
	ann.deaf = true
	s.run(100 * time.Millisecond)
	if err := s.server.StartSession(s.now, text(t, `{"map":"dunes"}`)); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		n := s.spawned("crate", 0)
		if err := s.server.Send(s.now, "push", s.id(n), nil); err != nil {
			t.Fatal(err)
		}
	}
	for range 450 {
		if err := s.server.Send(s.now, "over", "", nil); err != nil {
			t.Fatal(err)
		}
	}
	s.run(10 * time.Second)
	ann.deaf = false
	s.run(20 * time.Millisecond)
	known := map[uint32]bool{}
	for _, ev := range ann.events {
		switch ev.Kind {
		case session.EventSpawned:
			known[ev.N] = true
		case session.EventMessage:
			if ev.N != 0 && !known[ev.N] {
				t.Fatalf("a message about %d before its spawn", ev.N)
			}
		}
	}
	if ann.seen(session.EventSessionStarted) != 1 || ann.seen(session.EventSpawned) != 50 || ann.seen(session.EventMessage) != 500 || ann.client.Diagnostics().Dropped != 0 {
		t.Errorf("%d starts, %d spawns, %d messages, %d dropped; want 1, 50, 500 and none", ann.seen(session.EventSessionStarted), ann.seen(session.EventSpawned), ann.seen(session.EventMessage), ann.client.Diagnostics().Dropped)
	}
}

// TestFieldLogB47B48FloodsOfEveryKind lets a client send 20 000 frames a
// second of one kind, active or before it has joined. It is shown the door
// with a reason, memory stays flat, and another client's chat is not delayed.
func TestFieldLogB47B48FloodsOfEveryKind(t *testing.T) {
	for _, tc := range []struct {
		name  string
		ready bool
		where string
		frame func(s *stage) []byte
	}{
		{"unknown message", true, "0", func(s *stage) []byte { return []byte{12, byte(s.epoch), 200, 1} }},
		{"schema violation", true, "0", func(s *stage) []byte {
			return append([]byte{12, byte(s.epoch), byte(s.con.Message("chat").Index), 65}, strings.Repeat("a", 65)...)
		}},
		{"wrong epoch", true, "0", func(s *stage) []byte { return []byte{12, byte(s.epoch + 1), 0, 0} }},
		{"publications", true, "1", func(s *stage) []byte { return []byte{14, byte(s.epoch), 0, 0} }},
		{"an entity of another's", true, "3", func(s *stage) []byte {
			return []byte{12, byte(s.epoch), byte(s.con.Message("shot").Index), 99, 1, 0, 0x41, 0x40}
		}},
		{"no rate in the contract", true, "0", func(s *stage) []byte { return []byte{12, byte(s.epoch), byte(s.con.Message("echo").Index), 0} }},
		{"garbage", true, "3", func(s *stage) []byte { return []byte{255, 255, 255} }},
		{"hello, again and again", false, "0", func(s *stage) []byte { return []byte{1, 0, 1, 0} }},
		{"readiness of another session", false, "0", func(s *stage) []byte { return []byte{5, byte(s.epoch), 9, 9, 9, 9} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStage(t)
			s.host(load(t, "arena.json"), nil)
			ben := s.joined("ben")
			eve := s.join("eve", s.con, func(c *session.ClientConfig) { c.HoldReady, c.Unchecked = !tc.ready, true })
			s.run(100 * time.Millisecond)
			for range 500 { // a world worth of retained spawns
				s.spawned("crate", 0)
			}
			s.run(100 * time.Millisecond)
			s.log.Reset()
			frame := tc.frame(s)
			ch, mode := channel(t, tc.where)
			in, over, answered := 0, false, uint64(0)
			before := s.link.Stats(peerLink(s, 2)).BytesSent
			for i := 0; i < 300 && !over; i++ {
				for range 200 {
					_ = eve.link.Send(eve.peer, ch, mode, frame) // fails once she is out
					in += len(frame)
				}
				if i%100 == 0 {
					if err := ben.client.Send(s.now, "chat", "", text(t, `{"text":"hi"}`)); err != nil {
						t.Fatal(err)
					}
					_, _ = ben.link.Flush(s.now)
					s.run(10 * time.Millisecond)
					if !strings.Contains(s.log.String(), "host: message chat from peer1") {
						t.Fatal("ben's chat must not wait for eve's flood")
					}
				}
				_, _ = eve.link.Flush(s.now)
				s.run(10 * time.Millisecond)
				over = eve.client.Phase() == session.PhaseClosed
				if n := s.link.Stats(peerLink(s, 2)).BytesSent; n > before {
					answered = n - before
				}
			}
			out := s.log.String()
			if !strings.Contains(out, "eve: disconnected E_NET_FLOOD: ") {
				t.Errorf("eve must be told why she was dropped:\n%.2000s", out)
			}
			if !tc.ready && answered > uint64(3*in) {
				t.Errorf("%d bytes out for %d in", answered, in)
			}
			if lines := strings.Count(out, "host: refused peer2"); lines > 4 {
				t.Errorf("%d lines about one flooder in about a second", lines)
			}
		})
	}
}

func peerLink(s *stage, p session.Sender) transport.Peer {
	info, _ := s.server.Peer(p)
	return info.Link
}

func TestFieldLogB49ABurstAfterAStallCostsMessagesAtMost(t *testing.T) {
	s, net := newLossyStage(t, 21, "rtt=40")
	s.ports = 100
	s.quiet = true
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) {
		c.Contract.Limits.Violations = contract.Violations{Warn: 50, Throttle: 100, Kick: 200}
		c.Contract.Message("echo").RateLimit = 60
	})
	ann := s.joined("ann")
	src := text(t, "1")
	for range 5 {
		for i := range 600 { // 10 s at 60 Hz, the link holds everything for 1.5 s of it
			if i == 300 {
				net.CutPath(at(ann.port), at(s.port), true)
			}
			if i == 390 {
				net.CutPath(at(ann.port), at(s.port), false)
			}
			_ = ann.client.Send(s.now, "echo", "", src)
			s.turn = time.Second / 60
			s.run(s.turn)
		}
	}
	d := s.server.Diagnostics()
	if p, ok := s.server.Peer(1); !ok || p.Phase != session.PhaseActive {
		t.Fatalf("a stalled link must not cost the connection: %+v", d)
	}
	if n := countOf(d, session.ReasonRateLimited); n > 5*30 {
		t.Errorf("%d messages were refused: more than what exceeded the burst", n)
	}
	if d.Received < 5*500 {
		t.Errorf("only %d of 3000 messages came through", d.Received)
	}
}

func TestFieldLogB60BacklogIsRefusedOrEndsThePeer(t *testing.T) {
	s, net := newLossyStage(t, 22, "rtt=40")
	s.ports = 100
	s.quiet = true
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) {
		c.Contract.Message("echo").RateLimit = 10000
		c.Contract.Limits.MessagesPerSecond = 10000
	})
	ann, ben := s.joined("ann"), s.joined("ben")
	net.CutPath(at(ann.port), at(s.port), true) // ann acknowledges nothing, but is heard of: no
	line := `"` + strings.Repeat("x", 120) + `"`
	src := text(t, "["+strings.Repeat(line+",", 7)+line+"]") // 1 kB
	heard := ben.seen(session.EventMessage)
	for range 500 { // 1000 a second for 5 s
		for range 10 {
			if err := s.server.Send(s.now, "echo", "", src); err != nil {
				t.Fatalf("the host's send is not to blame for one peer: %v", err)
			}
		}
		s.run(10 * time.Millisecond)
	}
	s.run(time.Second)
	if len(s.left) != 1 || s.left[0].Sender != 1 || s.left[0].Code != fault.Backlog {
		t.Errorf("a peer that takes no reliable frames must go, for its backlog: %v", s.left)
	}
	if got := ben.seen(session.EventMessage) - heard; got != 5000 {
		t.Errorf("ben got %d of 5000: others must not suffer", got)
	}
	// And at a client: send turns false.
	net.CutPath(at(s.port), at(ben.port), true)
	refused := 0
	for range 6000 {
		if err := ben.client.Send(s.now, "echo", "", src); err != nil {
			if err.(*session.Refusal).Reason == session.ReasonBacklog {
				refused++
			}
		}
		if ben.client.Phase() == session.PhaseClosed {
			break
		}
		s.now = s.now.Add(time.Millisecond / 2)
	}
	if refused == 0 {
		t.Error("a client's send must be refused with backlog")
	}
}

func TestFieldLogB92Names(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"ann", "ann"},
		{" ann ", "ann"},
		{"Jürgen 🚗", "Jürgen 🚗"},
		{"../../x", "../../x"},
		{"%s%n", "%s%n"},
		{strings.Repeat("ä", 32), strings.Repeat("ä", 32)},
		{"e\u0301", "e\u0301"},
		{"", ""}, {"   ", ""}, {"\u0301", ""},
		{strings.Repeat("a", 33), ""}, {strings.Repeat("a", 10000), ""},
		{"a\nERROR fake", ""}, {"\x1b[2J", ""}, {"\u202ebob", ""}, {"\u200bann", ""}, {"a\u00a0b", ""},
		{"\u3164", ""}, {"a\u034fb", ""}, {"a\ufe0f", ""}, {"a\u2028b", ""}, {"\u2800", ""},
		{"\xff\xfe", ""}, {"a\ufffdb", ""}, {"\ue000", ""}, {"\u0000", ""},
	} {
		got, err := session.NormalName(tc.in)
		if got != tc.want || (err == nil) != (tc.want != "") || err != nil && fault.CodeOf(err) != fault.Name {
			t.Errorf("%q: %q, %v; want %q", tc.in, got, err, tc.want)
		}
	}
	s := newStage(t)
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) { c.MaxPlayers = 20 })
	long := strings.Repeat("n", 32)
	for i, name := range []string{"ann", "Ann", "ANN ", long, long} {
		s.join(fmt.Sprint(i), s.con, func(c *session.ClientConfig) { c.PlayerName = name })
		s.run(50 * time.Millisecond)
	}
	var got []string
	for p := range s.server.Peers {
		got = append(got, p.Name)
	}
	if want := []string{"ann", "Ann-2", "ANN-3", long, long[:30] + "-2"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("names %q, want %q: no two that read the same", got, want)
	}
}

func TestOnViolationBudgets(t *testing.T) {
	s := newStage(t)
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) {
		c.Contract.Limits.Violations = contract.Violations{Warn: 2, Throttle: 4, Kick: 6}
	})
	eve := s.join("eve", s.con, func(c *session.ClientConfig) { c.Unchecked = true })
	s.run(100 * time.Millisecond)
	s.log.Reset()
	bad := []byte{12, byte(s.epoch), 200, 1}
	for range 6 {
		s.raw(eve, "0", bad)
		s.run(100 * time.Millisecond)
	}
	if p, ok := s.server.Peer(1); !ok || p.Phase != session.PhaseActive {
		t.Fatal("six violations are within a budget of six")
	}
	// Older ones are forgotten after ten seconds.
	s.run(11 * time.Second)
	for range 7 {
		s.raw(eve, "0", bad)
		s.run(100 * time.Millisecond)
	}
	want := []string{"warn", "throttle", "warn", "throttle", "kick"}
	var got []string
	for _, line := range strings.Split(s.log.String(), "\n") {
		if rest, ok := strings.CutPrefix(line, "host: violation peer1 "); ok {
			level, _, _ := strings.Cut(rest, ":")
			got = append(got, level)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("levels %v, want %v", got, want)
	}
	if eve.seen(session.EventDisconnected) != 1 || eve.events[len(eve.events)-1].Code != fault.Flood || !strings.Contains(eve.events[len(eve.events)-1].Text, "unknown_message") {
		t.Errorf("the kick must say why: %v", eve.events)
	}
}
