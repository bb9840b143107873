package session_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime/world"
	"demi.network/session"
)

// Field-log rows of ownership and of spawn and late join, named by id.

// spawned makes an entity or fails the test.
func (s *stage) spawned(prefab string, owner session.Sender) uint32 {
	s.t.Helper()
	n, r := s.server.Spawn(s.now, layoutOf(s.con).Type(prefab), owner, nil)
	if r != nil {
		s.t.Fatal(r)
	}
	return n
}

// put writes a value into the host's row of n.
func (s *stage) put(n uint32, path string, v float64) {
	l := layoutOf(s.con)
	typ, row, ok := s.truth.Find(n)
	if !ok {
		s.t.Fatalf("no entity %d", n)
	}
	l.Types[typ].Quantise(l.Types[typ].Field(path), contract.FieldValue{v}, s.truth.Row(l, typ, row))
}

// get reads a value from a client's row of n.
func (n *node) get(s *stage, id uint32, path string) float64 {
	l := layoutOf(s.con)
	typ, row, ok := n.world.Find(id)
	if !ok {
		s.t.Fatalf("%s knows no entity %d", n.label, id)
	}
	return l.Types[typ].Value(l.Types[typ].Field(path), n.world.Row(l, typ, row))[0]
}

func TestFieldLogB16ANewOwnerStartsFromTheTruth(t *testing.T) {
	s := newStage(t)
	s.host(load(t, "arena.json"), nil)
	s.joined("ann")
	ben := s.joined("ben")
	crate := s.spawned("crate", 1)
	s.run(50 * time.Millisecond)
	s.put(crate, "Transform2D.position", 3.5)
	s.put(crate, "Sprite.flip_x", 1) // which only an owner may see
	s.run(5 * time.Second)
	if got := ben.get(s, crate, "Sprite.flip_x"); got != 0 {
		t.Fatalf("ben, who is not the owner, sees flip_x = %v", got)
	}
	if r := s.server.Transfer(s.now, crate, 2); r != nil {
		t.Fatal(r)
	}
	s.run(50 * time.Millisecond)
	if x, flip := ben.get(s, crate, "Transform2D.position"), ben.get(s, crate, "Sprite.flip_x"); x != 3.5 || flip != 1 {
		t.Errorf("at the moment of the transfer ben has x = %v, flip_x = %v; want 3.5 and 1", x, flip)
	}
}

func TestFieldLogB17EveryEntityOfALeaverMeetsItsPolicy(t *testing.T) {
	s, net := newLossyStage(t, 11, "rtt=40")
	s.ports = 100
	s.host(load(t, "arena.json"), func(c *session.ServerConfig) {
		c.Contract.Limits.OwnedEntities = 10
	})
	ann, ben := s.joined("ann"), s.joined("ben")
	player := s.spawned("player", 1)
	var crates []uint32
	for range 3 {
		crates = append(crates, s.spawned("crate", 1))
	}
	last := s.spawned("crate", 2)
	s.run(200 * time.Millisecond)
	if r := s.server.Transfer(s.now, last, 1); r != nil {
		t.Fatal(r)
	}
	s.once() // a tick later
	net.Cut(at(ann.port), at(s.port), true)
	s.run(6 * time.Second)
	crates = append(crates, last)
	s.run(2 * time.Second)
	cid := s.joined("cid")
	for _, w := range []*world.World{s.truth, ben.world, cid.world} {
		if _, _, ok := w.Find(player); ok || w.Len() != 4 {
			t.Errorf("the player must be gone and the four crates there: %s", entities(w, layoutOf(s.con)))
		}
		for i, n := range crates {
			typ, row, ok := w.Find(n)
			want := uint32(2)
			if i == 3 {
				want = 3 // it had changed hands before
			}
			if h := w.Head(typ, row); !ok || h.Owner != 0 || h.OwnGen != want {
				t.Errorf("crate %d: owner %d generation %d, want the host and %d", n, h.Owner, h.OwnGen, want)
			}
		}
	}
}

func TestFieldLogB18TheLeaversEntitiesInTheHandlerOfTheLeave(t *testing.T) {
	s := newStage(t)
	s.host(load(t, "arena.json"), nil)
	ann := s.joined("ann")
	s.joined("ben")
	cid := s.joined("cid")
	flag := s.spawned("flag", 1)
	s.run(50 * time.Millisecond)
	cid.events = nil
	ann.client.Leave(s.now, "E_NET_LEFT", "")
	_, _ = ann.link.Flush(s.now)
	for ev, ok := s.link.Poll(s.now); ok; ev, ok = s.link.Poll(s.now) {
		s.server.Handle(s.now, ev)
	}
	handled := false
	for ev, ok := s.server.Poll(); ok; ev, ok = s.server.Poll() {
		if ev.Kind != session.EventPeerLeft {
			continue
		}
		handled = true
		if !slices.Equal(ev.Entities, []uint32{flag}) {
			t.Errorf("the leave must name the leaver's entities: %v", ev.Entities)
		}
		for i, step := range []struct {
			r    *session.Refusal
			want session.Reason
		}{
			{s.server.Transfer(s.now, flag, 1), session.ReasonInvalidOwner},
			{s.server.Transfer(s.now, flag, 77), session.ReasonInvalidOwner},
			{s.server.Transfer(s.now, 0, 2), session.ReasonUnknownEntity},
			{s.server.Transfer(s.now, flag, 2), session.ReasonNone},
			{s.server.Transfer(s.now, flag, 2), session.ReasonNone}, // no jump of the generation
			{s.server.Despawn(s.now, flag), session.ReasonNone},
			{s.server.Despawn(s.now, flag), session.ReasonUnknownEntity},
		} {
			got := session.ReasonNone
			if step.r != nil {
				got = step.r.Reason
			}
			if got != step.want {
				t.Errorf("step %d: %s, want %s", i, got, step.want)
			}
		}
	}
	if !handled {
		t.Fatal("no leave")
	}
	s.run(50 * time.Millisecond)
	var got []string
	for _, ev := range cid.events {
		got = append(got, ev.String())
	}
	want := []string{"ownership_changed 1 owner=server gen=2", "ownership_changed 1 owner=peer2 gen=3", "entity_despawned 1 type=1 gen=4"}
	if !slices.Equal(got, want) {
		t.Errorf("the others must see to the host (the policy), to ben, the end: %q", got)
	}
}

func TestFieldLogB19TheSenderIsTheConnection(t *testing.T) {
	s, eve := tableStage(t)
	// An open schema lets the payload say what it likes; it does not matter.
	if err := eve.client.Send(s.now, "echo", "", text(t, `{"text":"x","sender_id":"peer2"}`)); err != nil {
		t.Fatal(err)
	}
	s.run(50 * time.Millisecond)
	out := s.log.String()
	if !strings.Contains(out, `host: message echo from peer1 `) || !strings.Contains(out, `ben: message echo from peer1 `) {
		t.Errorf("the sender must be the connection's:\n%s", out)
	}
}

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
	for range 10 {
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
	if strings.Contains(s.log.String(), "host: message push") || countOf(d, session.ReasonStaleGeneration) != 10 {
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

// TestFieldLogB25And27LateJoinersMissNothing spawns and despawns without pause
// while clients join at random times: in the end everybody has what the host
// has, and heard of every id once.
func TestFieldLogB25And27LateJoinersMissNothing(t *testing.T) {
	for seed := range uint64(20) {
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
