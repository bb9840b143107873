package harness

import (
	"fmt"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/session"
)

// Field log B11: host, stop, host again on one port, twenty times in a process.
func TestFieldLogB11HostStopHost(t *testing.T) {
	p := newPlay(t, 11, "")
	host := p.Peer("host", nil)
	epochs := map[uint32]bool{}
	var old string
	for i := 0; i < 20; i++ {
		if err := host.Peer.Host(0); err != nil {
			t.Fatalf("round %d: a port that this process has just closed must be free: %v", i, err)
		}
		p.host = host.LocalAddr()
		d := host.Diagnostics()
		if epochs[d.SessionEpoch] || d.SessionEpoch == 0 {
			t.Fatalf("round %d: epoch %d again: every session has its own", i, d.SessionEpoch)
		}
		epochs[d.SessionEpoch] = true
		if d.SentMessages != 0 || d.RejectedMessages != 0 || host.Tick() != 0 {
			t.Errorf("round %d: counters must start again: %+v", i, d)
		}
		if err := host.StartSession(text("a")); err != nil {
			t.Fatal(err)
		}
		id := p.spawn(host, "player", fmt.Sprint("e", i), "server")
		if want := session.NetworkID(d.SessionEpoch, 1); id != want {
			t.Errorf("round %d: the first entity is %s, want %s", i, id, want)
		}
		if i%5 == 0 {
			p.join(fmt.Sprint("c", i))
		}
		if err := host.Peer.Host(0); fault.CodeOf(err) != fault.AlreadyHosting {
			t.Errorf("round %d: hosting twice: %v, want %s", i, err, fault.AlreadyHosting)
		}
		if err := host.Connect(host.LocalAddr()); fault.CodeOf(err) != fault.AlreadyHosting {
			t.Errorf("round %d: joining while hosting: %v", i, err)
		}
		host.Close(fault.Shutdown, "round over")
		host.Close(fault.Shutdown, "twice")
		if _, ok := host.Owner(id); ok || host.CurrentSession() != nil || host.Phase() != session.PhaseClosed || host.Diagnostics().SessionEpoch != 0 {
			t.Errorf("round %d: something of the session is left after Close", i)
		}
		if host.Scene.Len() != 0 {
			t.Errorf("round %d: %d scene entities are left after Close", i, host.Scene.Len())
		}
		if host.Send("chat", "", text("x")) == nil || host.Despawn(id) == nil || host.UpdateEntity(id, 1) == nil {
			t.Errorf("round %d: acts after Close must be refused", i)
		}
		old = id
	}
	if _, ok := host.Owner(old); ok {
		t.Error("ids of a session that is over mean nothing")
	}
}

// Field log B16: who becomes the owner starts from what is true, not from
// defaults: a later publication must not overwrite it.
func TestFieldLogB16NewOwnerStartsFromTheTruth(t *testing.T) {
	p := newPlay(t, 16, badLink)
	host := p.Host()
	c := p.join("ann", "ben")
	id := p.spawn(host, "crate", "k", "peer1")
	p.Step(300 * time.Millisecond)
	local, _ := c[0].LocalEntity(id)
	c[0].Scene.Write(local, position, contract.FieldValue{3.5})
	if err := c[0].UpdateEntity(id, 1); err != nil {
		t.Fatal(err)
	}
	p.Step(5 * time.Second)
	low := 3.5
	watch := func(who *Peer) {
		if _, ok := who.Owner(id); ok {
			low = min(low, row(who, id, position))
		}
	}
	host.OnTick = func() { watch(host) }
	c[0].OnTick = func() { watch(c[0]) }
	bound := false
	c[1].OnTick = func() {
		if !c[1].HasAuthority(id) {
			return
		}
		if !bound {
			bound = true
			if err := c[1].Scene.Create("prefab://crate", "mine"); err != nil {
				t.Error(err)
			}
			if err := c[1].BindLocalEntity(id, "mine"); err != nil {
				t.Error(err)
			}
			if got := see(c[1], id, position); got != "3.5" {
				t.Errorf("at the moment of authority the new owner sees %s, want 3.5", got)
			}
		}
		if err := c[1].UpdateEntity(id, 1); err != nil {
			t.Error(err)
		}
	}
	if err := host.Transfer(id, "peer2"); err != nil {
		t.Fatal(err)
	}
	p.Step(2 * time.Second)
	if !bound || low != 3.5 {
		t.Errorf("bound %v; some peer saw %v, want never less than 3.5", bound, low)
	}
	p.converge(100, host, c[0], c[1])
}

// row returns a field of a network entity as a peer's row has it.
func row(p *Peer, id, field string) float64 {
	_, n, _ := session.ParseNetworkID(id)
	w, l := p.World()
	typ, at, _ := w.Find(n)
	return l.Types[typ].Value(l.Types[typ].Field(field), w.Row(l, typ, at))[0]
}

// Field log B26: a late joiner that publishes from its first frame must not
// reset what it is handed.
func TestFieldLogB26LateJoinerDoesNotReset(t *testing.T) {
	p := newPlay(t, 26, badLink)
	host := p.Host()
	ann := p.join("ann")[0]
	id := p.spawn(host, "crate", "k", "peer1")
	p.Step(300 * time.Millisecond)
	local, _ := ann.LocalEntity(id)
	ann.Scene.Write(local, position, contract.FieldValue{42})
	if err := ann.UpdateEntity(id, 1); err != nil {
		t.Fatal(err)
	}
	p.Step(time.Second)
	ann.Close(fault.Left, "bye")
	p.Step(time.Second)
	host.OnEvent = func(ev session.Event) {
		if ev.Kind == session.EventPeerJoined {
			if err := host.Transfer(id, ev.Sender.String()); err != nil {
				t.Error(err)
			}
		}
	}
	seen := map[string]bool{}
	host.OnTick = func() { seen[see(host, id, position)] = true }
	cat := p.Join("cat")
	cat.OnTick = func() {
		_ = cat.UpdateEntity(id, 1) // refused until it is cat's: that is the point
		if got := see(cat, id, position); got != "unbound" {
			seen[got] = true
		}
	}
	p.Step(3 * time.Second)
	if len(seen) != 1 || !seen["42"] || !cat.HasAuthority(id) {
		t.Errorf("values seen: %v, want 42 and nothing else; authority %v", seen, cat.HasAuthority(id))
	}
}

// Field log B23: made, set up and gone within one tick, a hundred times, in
// every way a script may do it. A client hears nothing at all, or of the spawn,
// with the values that were set, and then of the end.
func TestFieldLogB23SpawnAndDespawnInOneTick(t *testing.T) {
	for _, c := range []struct {
		why    string
		owner  string
		script func(p *play, host *Peer, id, entity string) // after the spawn and the scene write
		heard  int                                          // spawns that each client hears of
	}{
		{"despawn", "peer1", func(p *play, host *Peer, id, entity string) { p.must(host.Despawn(id)) }, 0},
		{"despawn of the host's own", "server", func(p *play, host *Peer, id, entity string) { p.must(host.Despawn(id)) }, 0},
		{"update_entity, despawn", "peer1", func(p *play, host *Peer, id, entity string) {
			p.must(host.UpdateEntity(id, 1))
			p.must(host.Despawn(id))
		}, 0},
		{"transfer, despawn", "peer1", func(p *play, host *Peer, id, entity string) {
			p.must(host.Transfer(id, "peer2"))
			if see(host, id, position) != "10" {
				p.t.Error("a transfer must not write over what the script has set up")
			}
			p.must(host.Despawn(id))
		}, 0},
		{"despawn, spawn of another", "peer1", func(p *play, host *Peer, id, entity string) {
			p.must(host.Despawn(id))
			other := p.spawn(host, "crate", entity, "server")
			host.Scene.Write(entity, position, contract.FieldValue{10})
			p.must(host.Despawn(other))
		}, 0},
		{"a message, despawn", "peer1", func(p *play, host *Peer, id, entity string) {
			p.must(host.Send("over", "", nil))
			p.must(host.Despawn(id))
		}, 100},
		{"bound to another, a message, despawn", "peer1", func(p *play, host *Peer, id, entity string) {
			p.must(host.Scene.Create("prefab://crate", entity+"'"))
			p.must(host.BindLocalEntity(id, entity+"'"))
			p.must(host.Send("over", "", nil))
			p.must(host.Despawn(id))
			host.Scene.Destroy(entity + "'")
		}, 100},
		{"nothing more this tick", "peer1", func(p *play, host *Peer, id, entity string) {}, 100},
		{"update_entity", "peer2", func(p *play, host *Peer, id, entity string) { p.must(host.UpdateEntity(id, 1)) }, 100},
		{"transfer", "peer1", func(p *play, host *Peer, id, entity string) { p.must(host.Transfer(id, "peer2")) }, 100},
	} {
		t.Run(c.why, func(t *testing.T) {
			p := newPlay(t, 23, "rtt=100,loss=5%")
			host := p.Host()
			clients := p.join("ann", "ben")
			last, n := "", 0
			host.OnTick = func() {
				if _, ok := host.Owner(last); ok { // those that the script has left
					p.must(host.Despawn(last))
				}
				if n++; n > 100 {
					return
				}
				entity := fmt.Sprint("k", n)
				last = p.spawn(host, "crate", entity, c.owner)
				host.Scene.Write(entity, position, contract.FieldValue{10})
				c.script(p, host, last, entity)
			}
			for _, peer := range clients {
				alive, heard := map[uint32]bool{}, 0
				peer.OnEvent = func(ev session.Event) {
					switch ev.Kind {
					case session.EventSpawned:
						alive[ev.N] = true
						heard++
						if got := see(peer, session.NetworkID(peer.Epoch(), ev.N), position); got != "10" {
							t.Errorf("%s hears of the spawn of %d and sees x=%s, want 10", peer.Name, ev.N, got)
						}
					case session.EventDespawned:
						if !alive[ev.N] {
							t.Errorf("%s hears of the end of %d before its spawn", peer.Name, ev.N)
						}
						delete(alive, ev.N)
					}
				}
				defer func() {
					if w, _ := peer.World(); w.Len() != 0 || peer.Scene.Len() != 0 || len(alive) != 0 || heard != c.heard {
						t.Errorf("%s: %d rows, %d scene entities, %d entities by events, %d spawns heard: want none, none, none and %d",
							peer.Name, w.Len(), peer.Scene.Len(), len(alive), heard, c.heard)
					}
					honest(t, peer)
				}()
			}
			p.Step(6 * time.Second)
			if host.Scene.Len() != 0 {
				t.Errorf("%d scene entities are left at the host", host.Scene.Len())
			}
			honest(t, host)
			p.converge(100, host, clients...)
		})
	}
}

// must ends the test for an act that has to succeed.
func (p *play) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}
