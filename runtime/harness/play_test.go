package harness

import (
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"demi.network/contract"
	"demi.network/runtime"
	"demi.network/session"
)

const testContract = `{"format_version": 1, "id": "network-contract://t/harness",
 "limits": {"maximum_owned_entities_per_peer": 64},
 "replicated_prefabs": {
  "player": {"prefab": "prefab://player", "ownership": {"on_disconnect": "despawn"}, "components": {
   "Transform2D": {"position": {"write_by": "owner"}},
   "A": {"hp": {"type": "int", "minimum": 0, "maximum": 100}, "ammo": {"type": "int", "visible_to": "owner"},
         "secret": {"type": "int", "visible_to": "server"}, "spot": {"type": "float", "step": 0.01, "write_by": "all"}}}},
  "crate": {"prefab": "prefab://crate", "ownership": {"on_disconnect": "return_to_server"}, "components": {
   "Transform2D": {"position": {"write_by": "owner"}}, "A": {"hp": {"type": "int"}}}},
  "flag": {"prefab": "prefab://flag", "ownership": {"on_disconnect": "transfer_by_game_policy"}, "components": {
   "Transform2D": {"position": {"write_by": "owner"}}}}},
 "messages": {
  "chat": {"from": "all", "to": "all", "schema": {"type": "object", "properties": {"text": {"type": "string"}}}},
  "over": {"from": "server", "to": "all", "schema": {"type": "object"}}}}`

func loadContract(t testing.TB, text string) *contract.Contract {
	t.Helper()
	c, problems := contract.LoadFile(fstest.MapFS{"c.json": {Data: []byte(text)}}, "c.json")
	if c == nil {
		t.Fatalf("the test's contract must load:\n%v", problems)
	}
	return c
}

const (
	position = "Transform2D.position"
	badLink  = "rtt=80,jitter=4,loss=2%"
)

// shared is the contract of most tests: compiling it takes longer than some of
// them. Who changes rules loads one of his own.
var shared struct {
	sync.Once
	con *contract.Contract
}

// play is a harness whose faults end the test.
type play struct {
	*Harness
	t testing.TB
}

func newPlay(t testing.TB, seed uint64, link string) *play {
	t.Helper()
	shared.Do(func() { shared.con = loadContract(t, testContract) })
	h, err := New(Config{Contract: shared.con, Seed: seed, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	return &play{h, t}
}

// join adds players and waits until they are active.
func (p *play) join(names ...string) []*Peer {
	p.t.Helper()
	var list []*Peer
	for _, name := range names {
		list = append(list, p.Join(name))
		last := list[len(list)-1]
		if !p.Until(4*time.Second, func() bool { return last.Phase() == session.PhaseActive }) {
			p.t.Fatalf("%s must be active within 4 s, is %s: %v", name, last.Phase(), last.Diagnostics().LastError)
		}
	}
	return list
}

func (p *play) spawn(host *Peer, prefab, entity, owner string) string {
	p.t.Helper()
	id, err := host.Spawn(prefab, entity, owner)
	if err != nil {
		p.t.Fatalf("spawn %s %s for %s: %v", prefab, entity, owner, err)
	}
	return id
}

// see returns a field of a network entity in a peer's scene.
func see(p *Peer, id, field string) string {
	entity, ok := p.LocalEntity(id)
	if !ok {
		return "unbound"
	}
	v, ok := p.Scene.Read(entity, field)
	if !ok {
		return "absent"
	}
	return fmt.Sprint(v[0])
}

// walk makes a peer move an entity it owns by dx a tick, and publish it.
func walk(p *Peer, id string, dx float64) {
	before := p.OnTick
	p.OnTick = func() {
		if before != nil {
			before()
		}
		entity, ok := p.LocalEntity(id)
		if !ok || !p.HasAuthority(id) {
			return
		}
		v, _ := p.Scene.Read(entity, position)
		v[0] += dx
		p.Scene.Write(entity, position, v)
		if err := p.UpdateEntity(id, p.TickInterval().Seconds()); err != nil {
			panic(err)
		}
	}
}

// converge compares reports and wants at least so many hashes of each client.
func (p *play) converge(atLeast int, host *Peer, clients ...*Peer) {
	p.t.Helper()
	var reports []runtime.Report
	for _, c := range clients {
		reports = append(reports, c.Report())
	}
	c := runtime.Converged(host.Report(), reports...)
	if !c.OK(atLeast) {
		p.t.Errorf("not converged with at least %d compared: %+v", atLeast, c)
	}
}

func TestRowsConvergeOverABadLink(t *testing.T) {
	p := newPlay(t, 1, badLink)
	host := p.Host()
	c := p.join("ann", "ben")
	a := p.spawn(host, "player", "a", "peer1")
	b := p.spawn(host, "player", "b", "peer2")
	k := p.spawn(host, "crate", "k", "server")
	walk(c[0], a, 0.1)
	walk(c[1], b, -0.2)
	walk(host, k, 0.05)
	p.Step(12 * time.Second)
	p.converge(300, host, c[0], c[1])
	for _, id := range []string{a, b, k} {
		if see(c[0], id, position) == "0" || see(host, id, position) == "0" {
			t.Errorf("%s must have moved everywhere: host %s, ann %s", id, see(host, id, position), see(c[0], id, position))
		}
	}
	if err := p.Err(); err != nil {
		t.Error(err)
	}
	for _, peer := range append(c, host) {
		honest(t, peer)
	}
}

// honest checks that a peer refused nothing of honest others, not even
// quietly: loss and delay of frames alone must leave no trace in counters.
func honest(t testing.TB, p *Peer) {
	t.Helper()
	if d := p.Diagnostics(); d.RejectedMessages != 0 {
		t.Errorf("%s refused %d things of honest peers: %s", p.Name, d.RejectedMessages, d.LastError)
	}
}
