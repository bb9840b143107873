package session_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/session"
)

// Field-log rows of spawn and late join, named by id.

func TestFieldLogB22IdsAreNeverReused(t *testing.T) {
	s, _ := newLossyStage(t, 12, "rtt=200")
	s.ports = 100
	s.host(load(t, "arena.json"), nil)
	ann := s.joined("ann")
	s.run(time.Second)
	seen := map[uint32]bool{}
	for range 5000 {
		n := s.spawned("crate", 0)
		if seen[n] {
			t.Fatalf("id %d came twice", n)
		}
		seen[n] = true
		if r := s.server.Despawn(s.now, n); r != nil {
			t.Fatal(r)
		}
		if len(seen)%500 == 0 {
			s.quiet = true
			s.run(300 * time.Millisecond)
		}
	}
	s.quiet = false
	id := s.spawned("player", 1)
	s.run(time.Second)
	for range 20 {
		if err := ann.client.Send(s.now, "push", s.id(id), nil); err != nil {
			t.Fatal(err)
		}
	}
	if r := s.server.Despawn(s.now, id); r != nil {
		t.Fatal(r)
	}
	next := s.spawned("player", 1)
	s.log.Reset()
	s.run(time.Second)
	d := s.server.Diagnostics()
	if strings.Contains(s.log.String(), "host: message push") || countOf(d, session.ReasonStaleGeneration) != 20 {
		t.Errorf("what was meant for entity %d must not reach %d: %+v\n%s", id, next, d.Refusals, s.log.String())
	}
	if p, _ := s.server.Peer(1); p.Phase != session.PhaseActive {
		t.Error("messages about what has just gone are no offence")
	}
}

func TestFieldLogB23SpawnAndDespawnInOneTick(t *testing.T) {
	s, _ := newLossyStage(t, 13, "rtt=100,loss=5%")
	s.ports = 100
	s.host(load(t, "arena.json"), nil)
	ann, ben := s.joined("ann"), s.joined("ben")
	s.run(time.Second)
	for i := range 100 {
		n := s.spawned("crate", 1)
		s.put(n, "Transform2D.position", 10)
		if i%3 == 1 {
			if r := s.server.Transfer(s.now, n, 2); r != nil {
				t.Fatal(r)
			}
		}
		if r := s.server.Despawn(s.now, n); r != nil {
			t.Fatal(r)
		}
		if i%3 == 2 {
			if r := s.server.Despawn(s.now, s.spawned("flag", 0)); r != nil {
				t.Fatal(r)
			}
		}
		if i%10 == 0 {
			s.run(20 * time.Millisecond)
		}
	}
	s.run(2 * time.Second)
	for _, n := range []*node{ann, ben} {
		alive := map[uint32]bool{}
		for _, ev := range n.events {
			switch ev.Kind {
			case session.EventSpawned:
				alive[ev.N] = true
			case session.EventOwnership, session.EventDespawned:
				if !alive[ev.N] {
					t.Fatalf("%s: %s before the spawn", n.label, ev)
				}
				if ev.Kind == session.EventDespawned {
					delete(alive, ev.N)
				}
			}
		}
		if len(alive) != 0 || n.world.Len() != 0 || n.client.Diagnostics().Rejected != 0 {
			t.Errorf("%s ends with %d entities and %d refusals", n.label, n.world.Len(), n.client.Diagnostics().Rejected)
		}
	}
}

func TestFieldLogB24MessagesAboutWhatHasJustGoneAreQuiet(t *testing.T) {
	s, _ := newLossyStage(t, 14, "rtt=200")
	s.ports = 100
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) {
		c.Contract.Limits.Violations = contract.Violations{Warn: 1, Throttle: 2, Kick: 3}
	})
	ann := s.joined("ann")
	s.run(time.Second)
	n := s.spawned("crate", 0)
	s.run(time.Second)
	s.log.Reset()
	for i := range 60 {
		if i == 30 {
			if r := s.server.Despawn(s.now, n); r != nil {
				t.Fatal(r)
			}
		}
		_ = ann.client.Send(s.now, "poke", s.id(n), nil)
		s.run(30 * time.Millisecond)
	}
	s.run(time.Second)
	out := s.log.String()
	if strings.Contains(out, "violation") || strings.Contains(out, "peer_left") {
		t.Errorf("an honest race must not count:\n%s", out)
	}
	if n := strings.Count(out, "host: refused"); n == 0 || n > 2 {
		t.Errorf("%d lines about it in about a second, want one or two", n)
	}
	if strings.Count(out, "host: message poke") < 25 {
		t.Error("what came before the despawn must be delivered")
	}
}

// TestFieldLogB25B27LateJoinersMissNothing spawns and despawns without pause
// while clients join at random times: in the end everybody has what the host
// has, and heard of every id once.
func TestFieldLogB25B27LateJoinersMissNothing(t *testing.T) {
	seeds := uint64(20)
	if session.RaceDetector {
		seeds = 4
	}
	for seed := range seeds {
		s, _ := newLossyStage(t, seed, "rtt=80,jitter=10,loss=2%,duplicate=1%")
		s.quiet = true
		s.ports = 100
		s.host(load(t, "arena.json"), func(c *session.ServerConfig) { c.MaxPlayers = 20 })
		rng := rand.New(rand.NewPCG(seed, 1))
		for range 2000 {
			s.spawned("crate", 0)
		}
		for i := range 120 {
			s.spawned("flag", 0)
			s.spawned("crate", 0)
			if r := s.server.Despawn(s.now, s.anyEntity(rng)); r != nil {
				t.Fatal(r)
			}
			if i%15 == 0 {
				s.join(fmt.Sprint("c", i), s.con, nil)
			}
			if p := s.somePlayer(rng); p != 0 {
				_ = s.server.Transfer(s.now, s.anyEntity(rng), p) // may be refused: the limit
			}
			s.run(17 * time.Millisecond)
		}
		s.run(5 * time.Second)
		want := heads(entities(s.truth, layoutOf(s.con)))
		for _, n := range s.nodes {
			if n.client.Phase() != session.PhaseActive || heads(entities(n.world, layoutOf(s.con))) != want {
				t.Fatalf("seed %d: %s (%s) does not have what the host has", seed, n.label, n.client.Phase())
			}
			once := map[uint32]bool{}
			for _, ev := range n.events {
				if ev.Kind == session.EventSpawned {
					if once[ev.N] {
						t.Fatalf("seed %d: %s heard twice of %d", seed, n.label, ev.N)
					}
					once[ev.N] = true
				}
			}
			p, _ := s.server.Peer(n.client.Sender())
			if p.Records != n.client.Records() {
				t.Fatalf("seed %d: %s applied %d records of %d", seed, n.label, n.client.Records(), p.Records)
			}
		}
	}
}

func (s *stage) anyEntity(rng *rand.Rand) uint32 {
	t := &s.truth.Tables[rng.IntN(2)] // crates and flags
	return t.Heads[rng.IntN(len(t.Heads))].ID
}

func (s *stage) somePlayer(rng *rand.Rand) session.Sender {
	var list []session.Sender
	for p := range s.server.Peers {
		if p.Joined {
			list = append(list, p.Sender)
		}
	}
	if len(list) == 0 {
		return 0
	}
	return list[rng.IntN(len(list))]
}

func TestFieldLogB26NothingIsPublishedBeforeTheRetainedState(t *testing.T) {
	s, _ := newLossyStage(t, 15, "rtt=100")
	s.ports = 100
	s.host(load(t, "arena.json"), nil)
	n := s.spawned("crate", 0)
	s.put(n, "Transform2D.position", 42)
	ann := s.join("ann", s.con, nil)
	published := 0
	for range 200 {
		if r := ann.client.SendPublication(s.now, []byte{1}); r == nil {
			published++
			if x := ann.get(s, n, "Transform2D.position"); x != 42 {
				t.Fatalf("a publication before the retained state: x is %v", x)
			}
		}
		s.once()
		s.now = s.now.Add(s.turn)
	}
	if published == 0 {
		t.Error("an active client may publish")
	}
}

func TestFieldLogB28RepetitionUnderLossIsNormal(t *testing.T) {
	s, net := newLossyStage(t, 16, "rtt=40,duplicate=100%")
	s.ports = 100
	s.host(load(t, "arena.json"), nil)
	ann := s.joined("ann")
	s.spawned("crate", 0)
	net.CutPath(at(ann.port), at(s.port), true) // nothing of ann's arrives
	s.spawned("crate", 1)
	s.run(time.Second)
	net.CutPath(at(ann.port), at(s.port), false)
	s.spawned("crate", 0)
	s.run(2 * time.Second)
	if ann.seen(session.EventSpawned) != 3 || ann.client.Phase() != session.PhaseActive || ann.client.Diagnostics().Rejected != 0 {
		t.Errorf("%d spawns, %s, %d refusals; want 3, active, none", ann.seen(session.EventSpawned), ann.client.Phase(), ann.client.Diagnostics().Rejected)
	}
}
