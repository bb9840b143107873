package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/transport/hosttest"
	"demi.network/session"
)

// Field-log rows of session lifecycle and reconnect, named by id.

func TestFieldLogB10SilentConnectionsHoldNoPlaceAndGetNothing(t *testing.T) {
	s := newStage(t)
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) { c.MaxPlayers = 4 })
	if err := s.server.StartSession(s.now, text(t, `{"map":"dunes"}`)); err != nil {
		t.Fatal(err)
	}
	s.frames = true
	for i := range 4 {
		s.stranger(fmt.Sprintf("mute%d", i), session.ConnectData)
	}
	s.run(time.Second)
	if n := s.joined("ann"); n.client.Phase() != session.PhaseActive {
		t.Fatal("a player must get in beside silent connections")
	}
	s.run(6 * time.Second)
	s.joined("ben")
	out := s.log.String()
	if n := strings.Count(out, "E_NET_TIMEOUT: it connected and said nothing"); n != 4 {
		t.Errorf("%d timeouts in the log, want one for each silent connection", n)
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "mute") && !strings.Contains(line, "goodbye") && !strings.Contains(line, "connection over") {
			t.Errorf("a silent connection got %q", line)
		}
	}
	if strings.Count(out, "peer_joined") != 2 || strings.Contains(out, "peer_left") {
		t.Errorf("the game must hear of players only:\n%s", out)
	}
}

func TestFieldLogB11HostStopHostAgain(t *testing.T) {
	s := newStage(t)
	s.host(load(t, "arena.json"), nil)
	epochs := map[uint32]bool{}
	var old string
	for i := range 20 {
		if i > 0 {
			s.open(nil)
		}
		if epochs[s.server.Epoch()] {
			t.Fatalf("round %d has the epoch of an earlier one", i)
		}
		epochs[s.server.Epoch()] = true
		if s.server.CurrentSession() != nil || s.truth.Len() != 0 || s.server.Diagnostics().Rejected != 0 {
			t.Fatalf("round %d starts with something of the one before", i)
		}
		if err := s.server.StartSession(s.now, text(t, fmt.Sprintf(`{"scene_id":"a","seed":%d}`, i))); err != nil {
			t.Fatal(err)
		}
		n, r := s.server.Spawn(s.now, 0, 0, nil)
		if r != nil || n != 1 {
			t.Fatalf("round %d: entity %d, %v: ids start at 1 in every session", i, n, r)
		}
		if old != "" {
			if err := s.server.Send(s.now, "push", old, nil); err == nil || err.(*session.Refusal).Reason != session.ReasonStaleEpoch {
				t.Fatalf("an id of an older session: %v, want stale_epoch", err)
			}
		}
		old = s.id(n)
		c := s.joined(fmt.Sprint("c", i))
		s.server.Shutdown(s.now, "next round")
		s.server.Shutdown(s.now, "twice is no harm")
		s.run(50 * time.Millisecond)
		if c.client.Phase() != session.PhaseClosed || s.server.Phase() != session.PhaseClosed {
			t.Fatal("both sides must be closed")
		}
		for what, err := range map[string]error{
			"send":  s.server.Send(s.now, "over", "", nil),
			"start": s.server.StartSession(s.now, nil),
		} {
			if r, ok := err.(*session.Refusal); !ok || r.Reason != session.ReasonInvalidOperation {
				t.Errorf("%s after the end: %v, want invalid_operation", what, err)
			}
		}
	}
}

func TestFieldLogB12B13SilenceEndsAPeerOnBothSidesOnce(t *testing.T) {
	s, net := newLossyStage(t, 3, "rtt=40")
	s.ports = 200
	s.host(load(t, "arena.json"), nil)
	var dead []*node
	for _, name := range []string{"a", "b", "c"} {
		n := s.joined(name)
		if _, r := s.server.Spawn(s.now, layoutOf(s.con).Type("player"), n.client.Sender(), nil); r != nil {
			t.Fatal(r)
		}
		dead = append(dead, n)
	}
	s.run(time.Second)
	s.log.Reset()
	for _, n := range dead { // killed at the same moment, without a word
		net.Cut(at(n.port), at(s.port), true)
	}
	s.turn = 250 * time.Millisecond // the host looks rarely, and has nothing to send
	s.run(6 * time.Second)
	out := s.log.String()
	for i := range dead {
		who := session.Sender(i + 1).String()
		if strings.Count(out, "host: peer_left "+who+" ") != 1 || !strings.Contains(out, "host: peer_left "+who+` "`+dead[i].label+`" E_NET_TIMEOUT`) {
			t.Errorf("%s must be reported gone, for silence, once and within 6 s:\n%s", who, out)
		}
	}
	if s.truth.Len() != 0 || s.server.Diagnostics().Peers != 0 {
		t.Error("the policy must have run and the places be free")
	}
	for _, n := range dead {
		if n.seen(session.EventDisconnected) != 1 {
			t.Errorf("%s must hear that the connection is over, with a reason, not silence", n.label)
		}
		for _, ev := range n.events {
			if ev.Kind == session.EventDisconnected && ev.Code != fault.Timeout {
				t.Errorf("%s: %s, want E_NET_TIMEOUT", n.label, ev.Code)
			}
		}
	}
	s.log.Reset()
	s.run(5 * time.Second)
	if strings.Contains(s.log.String(), "host: peer_left") {
		t.Error("a peer left twice")
	}
}

func TestFieldLogB14RecordedFramesOfAnOldSessionDoNothing(t *testing.T) {
	s := newStage(t)
	s.host(load(t, "arena.json"), nil)
	ann := s.joined("ann")
	if _, r := s.server.Spawn(s.now, layoutOf(s.con).Type("player"), 1, nil); r != nil {
		t.Fatal(r)
	}
	s.run(50 * time.Millisecond)
	// What a recorder on ann's way to the host would have.
	old := [][]byte{
		append([]byte{12, byte(s.epoch), byte(s.con.Message("chat").Index)}, wireOf(t, s.con.Message("chat"), `{"text":"old"}`)...),
		{14, byte(s.epoch), 0, 0, 1, 2, 3},
		{5, byte(s.epoch), byte(s.epoch), 0, 0, 0},
	}
	first := s.epoch
	s.server.Shutdown(s.now, "again")
	s.run(50 * time.Millisecond)
	_ = ann.link.Close()
	ann.link = nil
	s.open(nil)
	if s.epoch&0xff == first&0xff {
		t.Fatal("the new epoch must differ in the byte that every frame carries")
	}
	ben := s.joined("ben")
	was := s.server.Diagnostics()
	s.log.Reset()
	for _, b := range old {
		where := "0"
		if b[0] == 14 {
			where = "1"
		}
		s.raw(ben, where, b)
	}
	s.run(50 * time.Millisecond)
	d := s.server.Diagnostics()
	if d.Received != was.Received || d.Rejected != was.Rejected+3 || strings.Contains(s.log.String(), "message") {
		t.Errorf("replayed frames must be refused, each of them: %+v", d.Refusals)
	}
}

func TestFieldLogB50RejoinBeforeTheOldConnectionTimedOut(t *testing.T) {
	s, net := newLossyStage(t, 5, "rtt=40")
	s.ports = 300
	s.host(load(t, "arena.json"), nil)
	ann := s.joined("ann")
	if _, r := s.server.Spawn(s.now, layoutOf(s.con).Type("player"), 1, nil); r != nil {
		t.Fatal(r)
	}
	s.run(200 * time.Millisecond)
	net.Cut(at(ann.port), at(s.port), true)
	s.run(500 * time.Millisecond)
	again := s.join("ann-again", s.con, func(c *session.ClientConfig) { c.PlayerName = "ann" })
	s.run(time.Second)
	if again.client.Phase() != session.PhaseActive || again.client.Sender() != 2 || again.client.Name() != "ann-2" {
		t.Fatalf("a player who comes back is let in within a second, under a new number: %s %s %q", again.client.Phase(), again.client.Sender(), again.client.Name())
	}
	s.run(3 * time.Second)
	net.Cut(at(ann.port), at(s.port), false) // the old process wakes up
	s.log.Reset()
	s.run(8 * time.Second)
	if n := strings.Count(s.log.String(), "host: peer_left peer1 "); n > 1 {
		t.Errorf("the old connection ended %d times", n)
	}
	if s.server.Diagnostics().Peers == 2 {
		// It came back in time: then it is alive, and still owns its player.
		if s.truth.Len() != 1 {
			t.Error("one player, one entity")
		}
	} else if s.truth.Len() != 0 || ann.client.Phase() != session.PhaseClosed {
		t.Error("when the old connection is over its entity goes, and its client knows")
	}
}

// killed ends a client's process: nothing more is heard of it, not even that.
func (s *stage) killed(net *netsim.Network, n *node) {
	net.Cut(at(n.port), at(s.port), true)
	_ = n.link.Close()
	n.link = nil
	net.Cut(at(n.port), at(s.port), false)
}

// TestFieldLogB50B51BackFromTheSamePort: the host has not noticed that a
// connection died, and its only place is held by it, when the same address
// comes again. The old connection makes room, once, and its entities meet their
// policy, once.
func TestFieldLogB50B51BackFromTheSamePort(t *testing.T) {
	const rounds = 50
	s, net := newLossyStage(t, 7, "rtt=40")
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) { c.MaxPlayers = 1 })
	player := layoutOf(s.con).Type("player")
	for i := range rounds {
		s.ports = 350
		n := s.join("ann", s.con, nil)
		for range 100 { // turns of 10 ms
			if n.client.Phase() == session.PhaseActive {
				break
			}
			s.now = s.now.Add(s.turn)
			s.once()
		}
		if n.client.Phase() != session.PhaseActive || s.server.Diagnostics().Peers != 1 {
			t.Fatalf("round %d: after a second the client is %s and the host has %d players, want active and 1\n%s", i, n.client.Phase(), s.server.Diagnostics().Peers, s.log.String())
		}
		if _, r := s.server.Spawn(s.now, player, n.client.Sender(), nil); r != nil {
			t.Fatal(r)
		}
		if s.truth.Len() != 1 {
			t.Fatalf("round %d: %d live players of one who plays", i, s.truth.Len())
		}
		s.run(100 * time.Millisecond)
		s.killed(net, n)
		s.now = s.now.Add(s.turn)
	}
	if got := strings.Count(s.log.String(), "host: peer_left "); got != rounds-1 {
		t.Errorf("%d leaves of %d connections that were replaced", got, rounds-1)
	}
	s.run(6 * time.Second)
	s.joined("ben") // from another port, once the last is gone
	if got := strings.Count(s.log.String(), "host: peer_left "); got != rounds || s.truth.Len() != 0 {
		t.Errorf("%d leaves and %d entities at the end, want %d and none", got, s.truth.Len(), rounds)
	}
}

func TestFieldLogB52ARejoinedClientHasExactlyWhatIsThere(t *testing.T) {
	s, net := newLossyStage(t, 6, "rtt=40")
	s.ports = 400
	s.host(load(t, "arena.json"), nil)
	crate := layoutOf(s.con).Type("crate")
	for range 10 {
		if _, r := s.server.Spawn(s.now, crate, 0, nil); r != nil {
			t.Fatal(r)
		}
	}
	ann := s.joined("ann")
	set := map[uint32]bool{} // a plain script: add, remove, clear
	play := func(n *node) {
		for _, ev := range n.events {
			switch ev.Kind {
			case session.EventSpawned:
				set[ev.N] = true
			case session.EventDespawned:
				delete(set, ev.N)
			case session.EventDisconnected:
				clear(set)
			}
		}
	}
	net.Cut(at(ann.port), at(s.port), true)
	s.run(7 * time.Second)
	for n := uint32(1); n <= 5; n++ {
		if r := s.server.Despawn(s.now, n); r != nil {
			t.Fatal(r)
		}
	}
	for range 2 {
		if _, r := s.server.Spawn(s.now, crate, 0, nil); r != nil {
			t.Fatal(r)
		}
	}
	play(ann)
	if len(set) != 0 {
		t.Errorf("after the disconnect a script that clears has %d crates", len(set))
	}
	back := s.joined("ann-again")
	play(back)
	if len(set) != 7 || back.world.Len() != 7 {
		t.Errorf("%d crates in the script, %d in the World, want the 7 that are there", len(set), back.world.Len())
	}
	if _, _, ok := back.world.Find(3); ok {
		t.Error("an entity that went meanwhile is known")
	}
}

func TestAHostThatIsNotThere(t *testing.T) {
	s, _ := newLossyStage(t, 8, "rtt=40")
	s.port, s.ports = 9999, 500
	s.con = load(t, "arena.json")
	n := s.join("ann", s.con, nil)
	s.run(4100 * time.Millisecond)
	if n.seen(session.EventDisconnected) != 1 || n.events[0].Code != fault.Timeout {
		t.Errorf("a dial that nobody answers fails within 4 s: %v", n.events)
	}
}

func TestClientWithoutAnAnswerToItsHello(t *testing.T) {
	net := hosttest.NewNetwork()
	mute := net.Host(at(1))
	s := newStage(t)
	s.dial = func(port uint16) transport.Host { return net.Host(at(port)) }
	s.con, s.port, s.ports = load(t, "arena.json"), 1, 10
	n := s.join("ann", s.con, nil)
	s.gone = append(s.gone, mute)
	s.run(5100 * time.Millisecond)
	if n.seen(session.EventDisconnected) != 1 || n.events[0].Code != fault.Timeout {
		t.Errorf("a host that neither lets in nor refuses is left after 5 s: %v", n.events)
	}
}

// TestAConnectionThatIsClosedBeforeTheWelcome: a host that goes while somebody
// joins has no session to say goodbye in, and neither has a stranger's server.
// That is no clean end of a session that never was.
func TestAConnectionThatIsClosedBeforeTheWelcome(t *testing.T) {
	net := hosttest.NewNetwork()
	mute := net.Host(at(1))
	s := newStage(t)
	s.dial = func(port uint16) transport.Host { return net.Host(at(port)) }
	s.con, s.port, s.ports = load(t, "arena.json"), 1, 10
	n := s.join("ann", s.con, nil)
	s.run(100 * time.Millisecond)
	for ev, ok := mute.Poll(s.now); ok; ev, ok = mute.Poll(s.now) {
		mute.Drop(ev.Peer, 0) // what closing an enet.Host says
	}
	if _, err := mute.Flush(s.now); err != nil {
		t.Fatal(err)
	}
	s.run(100 * time.Millisecond)
	if n.seen(session.EventDisconnected) != 1 || n.events[0].Code != fault.Refused {
		t.Errorf("the client hears %v, want %s at once", n.events, fault.Refused)
	}
}
