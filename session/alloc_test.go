package session_test

import (
	"testing"
	"time"

	"demi.network/runtime/transport"
	"demi.network/session"
)

// sinkHost is a transport that takes everything and keeps nothing: what it
// costs is nothing, so that what the session costs can be seen.
type sinkHost struct {
	transport.Host
	now  time.Time
	sent int
}

func (h *sinkHost) Send(transport.Peer, transport.Channel, transport.Mode, []byte) error {
	h.sent++
	return nil
}
func (h *sinkHost) Drop(transport.Peer, uint32) {}
func (h *sinkHost) Stats(transport.Peer) transport.Stats {
	return transport.Stats{LastHeard: h.now}
}

// quietStage is a host with two active clients on sinkHosts: eve (peer1) owns
// player 1, ben (peer2) owns crate 2.
func quietStage(t testing.TB) (*stage, *node, *sinkHost) {
	s := newStage(t)
	sink := &sinkHost{now: s.now}
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) {
		sink.Host = c.Host
		c.Contract.Limits.MessagesPerSecond = 10000
		c.Contract.Message("shot").RateLimit = 10000
		c.Contract.Message("chat").RateLimit = 10000
	})
	eve := s.joined("eve")
	s.joined("ben")
	s.spawned("player", 1)
	s.spawned("crate", 2)
	s.run(100 * time.Millisecond)
	return s, eve, sink
}

// replaceHost makes the server send into a sink from now on.
func replaceHost(s *stage, sink *sinkHost) { session.SwapHost(s.server, sink) }

func TestAllocRefusals(t *testing.T) {
	session.SkipAllocs(t)
	con := load(t, "arena.json")
	for _, tc := range theTable(t, con) {
		if tc.toClient {
			continue
		}
		s, eve := tableStage(t)
		sink := &sinkHost{now: s.now}
		replaceHost(s, sink)
		ch, mode := channel(t, tc.channel)
		ev := transport.Event{Kind: transport.Message, Peer: peerLink(s, 1), Channel: ch, Mode: mode, Data: tc.bytes(s)}
		now := s.now
		turn := func() {
			now = now.Add(20 * time.Millisecond)
			sink.now = now
			s.server.Handle(now, ev)
		}
		for range 50 {
			turn()
		}
		if n := testing.AllocsPerRun(200, turn); n != 0 {
			t.Errorf("%s: refusing it (%s) makes %v allocations, want none", tc.name, tc.want, n)
		}
		_ = eve
	}
}

func TestAllocAcceptedMessagesAndOpaqueFrames(t *testing.T) {
	session.SkipAllocs(t)
	s, eve, sink := quietStage(t)
	replaceHost(s, sink)
	sink.now = s.now
	con := s.con
	shot := append([]byte{12, byte(s.epoch), byte(con.Message("shot").Index), 1, 1, 0}, wireOf(t, con.Message("shot"), `{"dir":[1,0.5]}`)...)
	chat := append([]byte{12, byte(s.epoch), byte(con.Message("chat").Index)}, wireOf(t, con.Message("chat"), `{"text":"hello there"}`)...)
	publication := []byte{14, byte(s.epoch), 0, 0, 1, 2, 3}
	now := s.now
	step := func() {
		now = now.Add(10 * time.Millisecond)
		sink.now = now
		link := peerLink(s, 1)
		s.server.Handle(now, transport.Event{Kind: transport.Message, Peer: link, Channel: 3, Mode: transport.Sequenced, Data: shot})
		s.server.Handle(now, transport.Event{Kind: transport.Message, Peer: link, Channel: 0, Mode: transport.Reliable, Data: chat})
		s.server.Handle(now, transport.Event{Kind: transport.Message, Peer: link, Channel: 1, Mode: transport.Sequenced, Data: publication})
		_ = s.server.SendSnapshot(now, 1, chat)
		s.server.Advance(now)
		for _, ok := s.server.Poll(); ok; _, ok = s.server.Poll() {
		}
	}
	for range 100 {
		step()
	}
	before := s.server.Diagnostics().Received
	if n := testing.AllocsPerRun(500, step); n != 0 {
		t.Errorf("two messages, relayed, polled, a publication and a snapshot make %v allocations, want none", n)
	}
	if got := s.server.Diagnostics().Received - before; got != 2*501 {
		t.Errorf("%d messages were accepted, want all 1002: the figure means nothing", got)
	}
	if sink.sent == 0 {
		t.Error("nothing was relayed")
	}

	client := &sinkHost{Host: eve.link, now: now}
	session.SwapClientHost(eve.client, client)
	relay := append([]byte{13, byte(s.epoch), byte(con.Message("chat").Index), 2}, chat[3:]...)
	snapshot := []byte{15, byte(s.epoch), 0, 0, 1, 2, 3}
	src := text(t, `{"dir":[1,0.5]}`)
	id := s.id(1)
	play := func() {
		now = now.Add(100 * time.Millisecond)
		client.now = now
		eve.client.Handle(now, transport.Event{Kind: transport.Message, Peer: eve.peer, Channel: 0, Mode: transport.Reliable, Data: relay})
		eve.client.Handle(now, transport.Event{Kind: transport.Message, Peer: eve.peer, Channel: 2, Mode: transport.Sequenced, Data: snapshot})
		if err := eve.client.Send(now, "shot", id, src); err != nil {
			t.Fatal(err)
		}
		eve.client.SendPublication(now, chat)
		eve.client.Advance(now)
		for _, ok := eve.client.Poll(); ok; _, ok = eve.client.Poll() {
		}
	}
	for range 100 {
		play()
	}
	if n := testing.AllocsPerRun(500, play); n != 0 {
		t.Errorf("a client's turn makes %v allocations, want none", n)
	}
}

// BenchmarkAcceptAndRelay is a chat message accepted and relayed to one other
// client, polled by the game.
func BenchmarkAcceptAndRelay(b *testing.B) {
	s, _, sink := quietStage(b)
	replaceHost(s, sink)
	chat := append([]byte{12, byte(s.epoch), byte(s.con.Message("chat").Index)}, wireOf(b, s.con.Message("chat"), `{"text":"hello there"}`)...)
	ev := transport.Event{Kind: transport.Message, Peer: peerLink(s, 1), Channel: 0, Mode: transport.Reliable, Data: chat}
	now := s.now
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		s.server.Handle(now, ev)
		for _, ok := s.server.Poll(); ok; _, ok = s.server.Poll() {
		}
	}
}

// BenchmarkRefuse is a message refused for its target.
func BenchmarkRefuse(b *testing.B) {
	s, _, sink := quietStage(b)
	replaceHost(s, sink)
	ev := transport.Event{Kind: transport.Message, Peer: peerLink(s, 1), Channel: 3, Mode: transport.Sequenced,
		Data: []byte{12, byte(s.epoch), byte(s.con.Message("shot").Index), 2, 1, 0, 0x41, 0x40}}
	now := s.now
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		s.server.Handle(now, ev)
	}
}
