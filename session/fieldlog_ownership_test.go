package session_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime/world"
	"demi.network/session"
)

// Field-log rows of ownership, named by id.

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
	// A frame of a client has no place for a sender; one that has is the host's.
	ben := s.node("ben")
	ben.events = nil
	was, received := s.server.Diagnostics().Rejected, s.server.Diagnostics().Received
	over, chat, shot := s.con.Message("over"), s.con.Message("chat"), s.con.Message("shot")
	lies := 0
	lie := func(why, where string, kind byte, m *contract.Message, head []byte, js string, want session.Reason) {
		t.Helper()
		lies++
		s.raw(eve, where, append(append([]byte{kind, byte(s.epoch), byte(m.Index)}, head...), wireOf(t, m, js)...))
		s.run(20 * time.Millisecond)
		if d := s.server.Diagnostics(); d.Rejected != was+uint64(lies) || !strings.HasPrefix(d.LastError, want.String()+": ") {
			t.Errorf("%s: %d refused of %d, the last for %q, want %s", why, d.Rejected-was, lies, d.LastError, want)
		}
	}
	for _, sender := range [][]byte{{0}, {1}, {2}, {77}} { // the host, eve, ben, nobody
		lie("chat as a relay", "0", 13, chat, sender, `{"text":"x"}`, session.ReasonUnauthorizedSender)
		lie("over as a relay", "0", 13, over, sender, `{}`, session.ReasonUnauthorizedSender)
	}
	lie("over", "0", 12, over, nil, `{}`, session.ReasonUnauthorizedSender)
	lie("a shot of ben's crate", "3", 12, shot, []byte{2, 1, 0}, `{"dir":[1,0]}`, session.ReasonUnauthorizedTarget)
	if len(ben.events) != 0 || s.server.Diagnostics().Received != received {
		t.Errorf("a lie got through: ben heard %v, the host %d messages", ben.events, s.server.Diagnostics().Received-received)
	}
}

func TestFieldLogB20TheHostRelaysNothingUnasked(t *testing.T) {
	s, eve := tableStage(t)
	ben := s.node("ben")
	ben.events = nil
	over, chat, poke := s.con.Message("over"), s.con.Message("chat"), s.con.Message("poke")
	frame := func(kind byte, m *contract.Message, head []byte, js string) []byte {
		b := append([]byte{kind, byte(s.epoch), byte(m.Index)}, head...)
		return append(b, wireOf(t, m, js)...)
	}
	was := s.server.Diagnostics().Rejected
	s.raw(eve, "0", frame(13, over, []byte{1}, `{"winner":"peer1"}`)) // as if it were relayed already
	s.raw(eve, "0", append(frame(12, chat, nil, `{"text":""}`), make([]byte, 10<<10)...))
	s.raw(eve, "0", frame(12, poke, []byte{77, 1}, `{}`))
	s.run(100 * time.Millisecond)
	if len(ben.events) != 0 {
		t.Errorf("ben heard %v", ben.events)
	}
	if got := s.server.Diagnostics().Rejected - was; got != 3 {
		t.Errorf("%d rejections, want 3", got)
	}
}
