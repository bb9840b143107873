package harness

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime"
	"demi.network/session"
)

// Field log B25: a world of 2000 entities with a row of 200 bytes each, and one
// who joins while it changes.
func TestFieldLogB25LateJoinIntoALargeWorld(t *testing.T) {
	p := newPlay(t, 25, "rtt=80,loss=2%")
	entities := 2000
	if raceEnabled {
		entities = 300
	}
	const wide = 17 // fields of three columns, four bytes each
	fields := strings.TrimSuffix(strings.Repeat(`"fN": {"type": "vec3", "step": 1},`, wide), ",")
	for i := range wide {
		fields = strings.Replace(fields, "fN", fmt.Sprint("f", i), 1)
	}
	p.cfg.Contract = loadContract(t, strings.Replace(testContract, `"A": {"hp": {"type": "int"}}}}`, `"A": {`+fields+`}}}`, 1))
	host := p.Host()
	client := func(name string) *Peer { // without a scene, which would cost more than the network
		c := p.Peer(name, func(c *runtime.Config) { c.Scene = nil })
		p.must(c.Connect(p.HostAddr()))
		return c
	}
	ann := client("ann")
	p.Step(300 * time.Millisecond)
	var ids []string
	for i := range entities {
		name := fmt.Sprint("k", i)
		ids = append(ids, p.spawn(host, "crate", name, "server"))
		for f := range wide {
			x := float64(1<<26 + wide*i + f)
			host.Scene.Write(name, fmt.Sprint("A.f", f), contract.FieldValue{x, x + 1, x + 2})
		}
	}
	p.Step(3 * time.Second)
	n, from := 0, p.Elapsed()
	host.OnTick = func() {
		if n++; n <= 100 {
			if err := host.Despawn(ids[n*2]); err != nil {
				t.Error(err)
			}
			p.spawn(host, "crate", fmt.Sprint("new", n), "server")
		}
	}
	var worst time.Duration
	ann.OnEvent = func(ev session.Event) {
		if ev.Kind == session.EventMessage {
			worst = max(worst, p.Elapsed()-sentAt(ev))
		}
	}
	tick := host.OnTick
	host.OnTick = func() {
		tick()
		if n%6 == 0 {
			if err := host.Send("chat", "", text(fmt.Sprint(int64(p.Elapsed())))); err != nil {
				t.Error(err)
			}
		}
	}
	ben := client("ben")
	if !p.Until(10*time.Second, func() bool {
		return n > 110 && ben.Phase() == session.PhaseActive && sameEntities(host, ben)
	}) {
		t.Errorf("after %v the newcomer does not have the host's entities", p.Elapsed()-from)
	}
	if got := ben.Report().Bytes.Down; got < uint64(entities)*200 {
		t.Errorf("the newcomer received %d bytes: the world is smaller than it should be", got)
	}
	if worst > 40*time.Millisecond+2*33*time.Millisecond+100*time.Millisecond+80*time.Millisecond {
		t.Errorf("a message to another client took %v while somebody joined", worst)
	}
	p.Step(3 * time.Second)
	p.converge(60, host, ann, ben)
}

func sentAt(ev session.Event) time.Duration {
	var ns int64
	_, _ = fmt.Sscanf(ev.Data.String(), `{"text":"%d"}`, &ns)
	return time.Duration(ns)
}

func sameEntities(a, b *Peer) bool {
	x, _ := a.World()
	y, _ := b.World()
	for typ := range x.Tables {
		if len(x.Tables[typ].Heads) != len(y.Tables[typ].Heads) {
			return false
		}
		for row := range x.Tables[typ].Heads {
			if *x.Head(typ, row) != *y.Head(typ, row) {
				return false
			}
		}
	}
	return true
}

// Field log B27: entities spawned in the very moment in which clients join, each
// exactly once at each client: a hundred seeds of a second, and some with the
// whole five seconds at 60 Hz and eight clients.
func TestFieldLogB27SpawnsDuringJoins(t *testing.T) {
	seeds, long := uint64(100), uint64(5)
	if testing.Short() || raceEnabled {
		seeds, long = 10, 1
	}
	con := loadContract(t, strings.Replace(testContract, `"limits"`, `"simulation": {"tick_rate": 60}, "limits"`, 1))
	for seed := uint64(1); seed <= seeds && !t.Failed(); seed++ {
		spawnsDuringJoins(t, con, seed, 60, 4)
	}
	for seed := uint64(1); seed <= long && !t.Failed(); seed++ {
		spawnsDuringJoins(t, con, seed, 300, 8)
	}
}

// spawnsDuringJoins spawns one entity a tick while clients join.
func spawnsDuringJoins(t *testing.T, con *contract.Contract, seed uint64, spawns, players int) {
	p := newPlay(t, seed, "rtt=60,jitter=10,loss=3%")
	p.cfg.Contract = con
	r := rand.New(rand.NewPCG(seed, 27))
	host := p.Host()
	n := 0
	host.OnTick = func() {
		if n++; n <= spawns {
			p.spawn(host, "crate", fmt.Sprint("k", n), "server")
		}
	}
	var clients []*Peer
	for i := range players {
		p.Step(time.Duration(r.IntN(16*spawns/players)) * time.Millisecond)
		c := p.Join(fmt.Sprint("c", i))
		seen := map[uint32]bool{}
		c.OnEvent = func(ev session.Event) {
			if ev.Kind == session.EventSpawned {
				if seen[ev.N] {
					t.Errorf("seed %d: %s heard of entity %d twice", seed, c.Name, ev.N)
				}
				seen[ev.N] = true
			}
		}
		clients = append(clients, c)
	}
	p.Until(6*time.Second, func() bool { // a handshake that is lost three times takes 4 s
		for _, c := range clients {
			if c.Scene.Len() != spawns {
				return false
			}
		}
		return true
	})
	for _, c := range clients {
		if !sameEntities(host, c) || c.Scene.Len() != spawns {
			t.Errorf("seed %d: %s has %d entities in the scene, want %d, as the host", seed, c.Name, c.Scene.Len(), spawns)
		}
	}
}
