package luabind_test

import (
	"strings"
	"testing"
	"time"

	"demi.network/examples/arena"
	"demi.network/luabind"
	"demi.network/session"
)

// TestTheArenaPlays is the product's main job in one process: a host and two
// players, then a late one, over a bad link, twenty seconds of the example game.
func TestTheArenaPlays(t *testing.T) {
	p := newPlay(t, arena.Project, "rtt=80,jitter=4,loss=2%")
	host := p.must("host", luabind.OpenedHost)
	one := p.must("one", luabind.OpenedClient)
	two := p.must("two", luabind.OpenedClient)
	p.run(12 * time.Second)
	late := p.must("late", luabind.OpenedClient)
	p.run(8 * time.Second)
	p.clean()
	for _, n := range p.nodes {
		if n.Phase() != session.PhaseActive {
			t.Errorf("%s is %s after 20 s: everybody must be in the game", n.name, n.Phase())
		}
	}
	r := host.Report()
	transfers := 0
	for _, o := range r.Ownerships {
		if strings.HasPrefix(o.Owner, "peer") {
			transfers++
		}
	}
	if transfers == 0 {
		t.Error("no prop has changed hands in 20 s: bots must grab crates and flags")
	}
	if r.Messages.ByName["shot"].Received == 0 {
		t.Error("nobody has shot in 20 s")
	}
	for _, n := range []*node{one, two, late} {
		if want := n.SenderID(); len(n.said("arena: playing as "+want)) != 1 {
			t.Errorf("%s is %s, and its script says: %v", n.name, want, n.log)
		}
	}
}
