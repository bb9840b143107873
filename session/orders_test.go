package session_test

import (
	"fmt"
	"testing"
	"time"

	"demi.network/runtime/fault"
	"demi.network/session"
)

// TestTransferDespawnAndLeaveInEveryOrder does what can happen to an entity in
// one tick in every order, for every policy: the others always end with what
// the host has, generations only rise, and the leaver's policy runs once.
func TestTransferDespawnAndLeaveInEveryOrder(t *testing.T) {
	ops := []string{"transfer to ben", "transfer to the host", "despawn", "ann leaves", "ben is kicked", "spawn"}
	con := load(t, "arena.json")
	for _, prefab := range []string{"player", "crate", "flag"} {
		permute(len(ops), func(order []int) {
			if session.RaceDetector && order[0]%2 == 1 {
				return // half of them
			}
			s := newStage(t)
			s.quiet = true
			s.host(con, nil)
			ann := s.joinedFast("ann")
			s.joinedFast("ben")
			cid := s.joinedFast("cid")
			n := s.spawned(prefab, 1)
			s.once()
			s.once()
			for _, i := range order {
				switch i {
				case 0:
					_ = s.server.Transfer(s.now, n, 2)
				case 1:
					_ = s.server.Transfer(s.now, n, 0)
				case 2:
					_ = s.server.Despawn(s.now, n)
				case 3:
					ann.client.Leave(s.now, fault.Left, "")
					_, _ = ann.link.Flush(s.now)
					for ev, ok := s.link.Poll(s.now); ok; ev, ok = s.link.Poll(s.now) {
						s.server.Handle(s.now, ev)
					}
				case 4:
					_ = s.server.Kick(s.now, 2, "")
				case 5:
					_, _ = s.server.Spawn(s.now, 0, 2, nil)
				}
			}
			for range 4 {
				s.now = s.now.Add(10 * time.Millisecond)
				s.once()
			}
			name := ""
			for _, i := range order {
				name += ops[i] + ", "
			}
			if want, got := heads(entities(s.truth, layoutOf(s.con))), heads(entities(cid.world, layoutOf(s.con))); want != got {
				t.Fatalf("%s %s: cid has\n%s, the host\n%s", prefab, name, got, want)
			}
			if cid.client.Diagnostics().Rejected != 0 || s.server.Diagnostics().Peers != 1 {
				t.Fatalf("%s %s: %+v", prefab, name, cid.client.Diagnostics())
			}
			gens := map[uint32]uint32{}
			for _, ev := range cid.events {
				switch ev.Kind {
				case session.EventSpawned, session.EventOwnership, session.EventDespawned:
					if ev.Gen <= gens[ev.N] {
						t.Fatalf("%s %s: %s after generation %d", prefab, name, ev, gens[ev.N])
					}
					gens[ev.N] = ev.Gen
				}
			}
			for typ := range s.truth.Tables {
				for _, h := range s.truth.Tables[typ].Heads {
					if h.Owner != 0 {
						t.Fatalf("%s %s: entity %d belongs to %s, who has left", prefab, name, h.ID, session.Sender(h.Owner))
					}
				}
			}
		})
	}
}

// permute calls f with every order of 0…n-1.
func permute(n int, f func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var rec func(int)
	rec = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			rec(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	rec(0)
}

func TestPermuteIsWhole(t *testing.T) {
	seen := map[string]bool{}
	permute(4, func(o []int) { seen[fmt.Sprint(o)] = true })
	if len(seen) != 24 {
		t.Errorf("%d orders of four, want 24", len(seen))
	}
}
