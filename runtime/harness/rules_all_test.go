package harness

import (
	"fmt"
	"testing"
	"time"

	"demi.network/contract"
)

// A field that everybody may write is written by the host and the owner of an
// entity; every other client is shown what they wrote, as it is of any field.
func TestOthersAreShownAFieldThatAllMayWrite(t *testing.T) {
	const spot = "A.spot"
	p := newPlay(t, 1, badLink)
	host := p.Host()
	list := p.join("a", "b")
	a, b := list[0], list[1]
	id := p.spawn(host, "player", "", "peer1")
	p.Step(300 * time.Millisecond)
	mine, _ := a.LocalEntity(id)
	a.Scene.Write(mine, spot, contract.FieldValue{4.25})
	p.must(a.UpdateEntity(id, 1))
	p.Step(time.Second)
	theirs, _ := b.LocalEntity(id)
	if v, _ := b.Scene.Read(theirs, spot); v[0] != 4.25 {
		t.Errorf("b's scene shows %v of what the owner wrote, want 4.25", v[0])
	}
	hosts, _ := host.LocalEntity(id)
	host.Scene.Write(hosts, spot, contract.FieldValue{7.5})
	p.must(host.UpdateEntity(id, 1))
	p.Step(time.Second)
	for _, c := range list {
		at, _ := c.LocalEntity(id)
		if v, _ := c.Scene.Read(at, spot); v[0] != 7.5 {
			t.Errorf("%s's scene shows %v of what the host wrote, want 7.5", c.Name, v[0])
		}
	}
}

// Whose body is simulated where: everybody presents what another owns.
func TestAnEntityIsForeignToAllButItsOwner(t *testing.T) {
	p := newPlay(t, 1, "")
	host := p.Host()
	list := p.join("a", "b")
	a, b := list[0], list[1]
	id := p.spawn(host, "player", "", "peer1")
	p.Step(200 * time.Millisecond)
	foreign := func() (list []bool) {
		for _, q := range []*Peer{host, a, b} {
			entity, _ := q.LocalEntity(id)
			list = append(list, q.Foreign(entity))
		}
		return list
	}
	if got := fmt.Sprint(foreign()); got != "[true false true]" {
		t.Errorf("host, a, b: %s, and a owns it", got)
	}
	p.must(host.Transfer(id, "server"))
	p.Step(200 * time.Millisecond)
	if got := fmt.Sprint(foreign()); got != "[false true true]" {
		t.Errorf("host, a, b: %s, and the host owns it", got)
	}
	if host.Foreign("nobody") {
		t.Error("what is not replicated is nobody else's")
	}
}

// A transfer to the owner that an entity has changes nothing, also not what a
// script has just done to it and not yet published.
func TestATransferToItsOwnerLeavesTheSceneAlone(t *testing.T) {
	p := newPlay(t, 1, "")
	host := p.Host()
	a := p.join("a")[0]
	id := p.spawn(host, "crate", "", "server")
	p.Step(200 * time.Millisecond)
	entity, _ := host.LocalEntity(id)
	host.Scene.Write(entity, position, contract.FieldValue{3})
	p.must(host.Transfer(id, "server"))
	if v, _ := host.Scene.Read(entity, position); v[0] != 3 {
		t.Errorf("the transfer moved the entity back to %v", v[0])
	}
	p.must(host.UpdateEntity(id, 1))
	p.Step(200 * time.Millisecond)
	theirs, _ := a.LocalEntity(id)
	if v, _ := a.Scene.Read(theirs, position); v[0] != 3 {
		t.Errorf("a is shown %v, want what the host published", v[0])
	}
}
