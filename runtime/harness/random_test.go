package harness

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/session"
)

// Random games: the host spawns, hands over and despawns, owners move what they
// own, players come, leave, are kicked, cut off and come back, on a link that
// changes. When it heals everybody has the host's entities, owners and values,
// and nobody ever held, at any tick that could be compared, anything else than
// what the host says.
func TestRandomGamesConverge(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() || raceEnabled {
		seeds = 8
	}
	for seed := uint64(1); seed <= seeds && !t.Failed(); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomGame(t, seed) })
	}
}

// gambler is a random game.
type gambler struct {
	*play
	r       *rand.Rand
	host    *Peer
	clients []*Peer
	ids     []string
	named   int
}

func randomGame(t *testing.T, seed uint64) {
	g := &gambler{play: newPlay(t, seed, "rtt=60,jitter=20,loss=3%,duplicate=0.01,reorder=0.02"), r: rand.New(rand.NewPCG(seed, 99))}
	g.host = g.Host()
	for i := range 4 {
		g.clients = append(g.clients, g.Peer(fmt.Sprint("c", i), nil))
	}
	for _, p := range append(g.clients, g.host) {
		p.OnTick = func() { g.fidget(p) }
	}
	for range 120 {
		g.act()
		g.Step(time.Duration(g.r.IntN(120)) * time.Millisecond)
	}
	g.settle()
}

// fidget moves what a peer owns, sometimes.
func (g *gambler) fidget(p *Peer) {
	for _, id := range g.ids {
		local, ok := p.LocalEntity(id)
		switch {
		case !ok || g.r.IntN(3) > 0:
			continue
		case p == g.host && !p.HasAuthority(id) && g.r.IntN(5) == 0:
			p.Scene.Write(local, "A.spot", contract.FieldValue{-float64(g.r.IntN(100))}) // overrules its owner
		case !p.HasAuthority(id):
			continue
		default:
			p.Scene.Write(local, position, contract.FieldValue{float64(g.r.IntN(2000)) / 10, float64(g.r.IntN(50))})
			p.Scene.Write(local, "A.spot", contract.FieldValue{float64(g.r.IntN(100))}) // crates and flags have none
		}
		if err := p.UpdateEntity(id, 1); err != nil {
			g.t.Errorf("%s owns %s and may not publish it: %v", p.Name, id, err)
		}
		if p == g.host {
			p.Scene.Write(local, "A.hp", contract.FieldValue{float64(g.r.IntN(100))})
		}
	}
}

func (g *gambler) act() {
	switch g.r.IntN(12) {
	case 0, 1, 2:
		g.named++
		id, err := g.host.Spawn([]string{"player", "crate", "flag"}[g.r.IntN(3)], fmt.Sprint("e", g.named), g.someone())
		if err == nil {
			g.ids = append(g.ids, id)
		}
	case 3, 4:
		if len(g.ids) > 0 {
			_ = g.host.Transfer(g.ids[g.r.IntN(len(g.ids))], g.someone()) // may have gone, or nobody be there
		}
	case 5:
		if len(g.ids) > 0 {
			at := g.r.IntN(len(g.ids))
			_ = g.host.Despawn(g.ids[at]) // may have gone with its owner
			g.ids = append(g.ids[:at], g.ids[at+1:]...)
		}
	case 6, 7:
		if c := g.clients[g.r.IntN(4)]; c.Mode() == runtime.Offline {
			g.Harness.Cut(c, g.host, false)
			if err := c.Connect(g.HostAddr()); err != nil {
				g.t.Error(err)
			}
		}
	case 8:
		if c := g.clients[g.r.IntN(4)]; g.r.IntN(3) == 0 {
			c.Close(fault.Left, "bored")
		}
	case 9:
		if g.r.IntN(6) == 0 {
			_ = g.host.Kick(g.someone(), "no reason")
		}
	case 10:
		if c := g.clients[g.r.IntN(4)]; c.addr.IsValid() {
			g.Harness.Cut(c, g.host, g.r.IntN(3) == 0)
		}
	case 11:
		link := []string{"rtt=60,jitter=20,loss=3%", "rtt=200,jitter=40,loss=10%", "rtt=20", "loss=20%,burst=3,rtt=60"}[g.r.IntN(4)]
		if err := g.Impair(link); err != nil {
			g.t.Fatal(err)
		}
	}
}

// someone is an owner, not always one who is here.
func (g *gambler) someone() string {
	if g.r.IntN(3) == 0 {
		return "server"
	}
	if id := g.clients[g.r.IntN(4)].SenderID(); id != "client" {
		return id
	}
	return "peer1"
}

// settle heals the link, lets everybody in, and compares.
func (g *gambler) settle() {
	if err := g.Impair("rtt=40"); err != nil {
		g.t.Fatal(err)
	}
	for _, c := range g.clients {
		if c.addr.IsValid() {
			g.Harness.Cut(c, g.host, false)
		}
	}
	g.Step(7 * time.Second) // who was cut off too long is dropped by now, on both sides
	all := g.Until(20*time.Second, func() bool {
		for _, c := range g.clients {
			if c.Mode() == runtime.Offline {
				if err := c.Connect(g.HostAddr()); err != nil {
					g.t.Fatal(err)
				}
			}
			if c.Phase() != session.PhaseActive {
				return false
			}
		}
		return true
	})
	if !all {
		g.t.Fatal("on a perfect link everybody must be in")
	}
	g.Step(2 * time.Second)
	for _, p := range append(g.clients, g.host) {
		p.OnTick = nil
	}
	g.Step(time.Second)
	hw, l := g.host.World()
	for _, c := range g.clients {
		w, _ := c.World()
		who, _ := session.ParseSender(c.SenderID())
		me := uint32(who)
		if !sameEntities(g.host, c) || l.Hash(hw, me) != l.Hash(w, me) {
			g.t.Errorf("%s does not hold what the host says", c.Name)
		}
		if c.Scene.Len() != w.Len() {
			g.t.Errorf("%s has %d entities in the scene and %d rows", c.Name, c.Scene.Len(), w.Len())
		}
		g.shown(c, me)
	}
	g.converge(20, g.host, g.clients...)
}

// shown compares what a client's scene shows with the rows: its own entities as
// it left them, those of others as they came.
func (g *gambler) shown(c *Peer, me uint32) {
	w, l := c.World()
	for typ := range w.Tables {
		ty := &l.Types[typ]
		for row := range w.Tables[typ].Heads {
			h := w.Head(typ, row)
			local, _ := c.LocalEntity(session.NetworkID(c.Epoch(), h.ID))
			see, cells := ty.VisibleTo(h.Owner, me), ty.Default()
			for f := range ty.Fields {
				v, _ := c.Scene.Read(local, ty.Fields[f].Path)
				if ty.Quantise(f, v, cells); see.Has(f) && !l.SameRow(typ, cells, w.Row(l, typ, row), 1<<f) {
					g.t.Errorf("%s (peer %d): entity %d of peer %d shows %v as its %s, the row has %v", c.Name, me, h.ID, h.Owner, v, ty.Fields[f].Path, ty.Value(f, w.Row(l, typ, row)))
				}
			}
		}
	}
}
