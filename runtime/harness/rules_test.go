package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/internal/netsim"
	"demi.network/runtime"
	"demi.network/runtime/fault"
	"demi.network/session"
)

func TestSceneConforms(t *testing.T) {
	s := NewScene(loadContract(t, testContract))
	if err := runtime.Conform(s, "prefab://player", position, contract.FieldValue{1, 2}); err != nil {
		t.Error(err)
	}
}

// A column that a peer may not see leaves no byte of it on the wire to that
// peer: not in spawn and ownership records, not in snapshots.
func TestHiddenColumnsNeverTravel(t *testing.T) {
	p := newPlay(t, 5, "")
	host := p.Host()
	c := p.join("ann", "ben")
	const secret, ammo, hp = 123456789, 87654321, 98
	heard := map[string][]byte{}
	p.net.Tap = func(r netsim.Record) {
		for _, peer := range c {
			if r.To == peer.addr && r.From == host.addr {
				heard[peer.Name] = append(heard[peer.Name], r.Bytes...)
			}
		}
	}
	if err := host.Scene.Create("prefab://player", "a"); err != nil {
		t.Fatal(err)
	}
	write := func(extra float64) {
		host.Scene.Write("a", "A.secret", contract.FieldValue{secret + extra})
		host.Scene.Write("a", "A.ammo", contract.FieldValue{ammo + extra})
		host.Scene.Write("a", "A.hp", contract.FieldValue{hp + extra})
	}
	write(0)
	id := p.spawn(host, "player", "a", "peer1")
	p.Step(300 * time.Millisecond)
	write(1)
	if err := host.UpdateEntity(id, 1); err != nil {
		t.Fatal(err)
	}
	p.Step(300 * time.Millisecond)
	if err := host.Transfer(id, "server"); err != nil {
		t.Fatal(err)
	}
	p.Step(300 * time.Millisecond)
	varint := func(v uint64) []byte {
		var b []byte
		for u := v << 1; ; u >>= 7 {
			if u < 0x80 {
				return append(b, byte(u))
			}
			b = append(b, byte(u)|0x80)
		}
	}
	for _, extra := range []uint64{0, 1} {
		if !bytes.Contains(heard["ann"], varint(ammo+extra)) {
			t.Errorf("the owner must receive ammo+%d, else this test cannot see anything", extra)
		}
		if bytes.Contains(heard["ben"], varint(ammo+extra)) {
			t.Errorf("ammo+%d is the owner's, and was sent to another client", extra)
		}
		for name, b := range heard {
			if bytes.Contains(b, varint(secret+extra)) {
				t.Errorf("secret+%d is the server's, and was sent to %s", extra, name)
			}
		}
	}
	if got := see(c[1], id, "A.hp"); got != "99" {
		t.Errorf("ben sees hp %s, want 99", got)
	}
	if got := see(c[1], id, "A.ammo"); got != "0" {
		t.Errorf("ben sees ammo %s, want the default", got)
	}
}

// What a client writes into fields that are the server's stays in its scene,
// and the next snapshot puts it right; the server's row never moves.
func TestWriteByIsEnforced(t *testing.T) {
	p := newPlay(t, 6, badLink)
	host := p.Host()
	c := p.join("ann", "ben")
	id := p.spawn(host, "player", "a", "peer1")
	p.Step(300 * time.Millisecond)
	local, _ := c[0].LocalEntity(id)
	c[0].OnTick = func() {
		c[0].Scene.Write(local, "A.hp", contract.FieldValue{77})
		c[0].Scene.Write(local, position, contract.FieldValue{5})
		if err := c[0].UpdateEntity(id, 1); err != nil {
			t.Error(err)
		}
	}
	p.Step(time.Second)
	for _, peer := range []*Peer{host, c[1]} {
		if see(peer, id, "A.hp") != "0" || see(peer, id, position) != "5" {
			t.Errorf("%s sees hp %s and position %s, want 0 and 5", peer.Name, see(peer, id, "A.hp"), see(peer, id, position))
		}
	}
	c[0].OnTick = nil
	p.Step(100 * time.Millisecond)
	if see(c[0], id, "A.hp") != "0" {
		t.Errorf("the client's own scene must be put right, hp is %s", see(c[0], id, "A.hp"))
	}
	var r *session.Refusal
	if err := c[1].UpdateEntity(id, 1); !errors.As(err, &r) || r.Reason != session.ReasonUnauthorizedTarget {
		t.Errorf("publishing another's entity: %v, want unauthorized_target", err)
	}
}

// A field that both write: the owner's publications count until a script of the
// host changes it; then the host wins, also against what is on its way.
func TestHostOverrulesTheOwner(t *testing.T) {
	const spot = "A.spot"
	p := newPlay(t, 8, "rtt=120,loss=2%")
	host := p.Host()
	c := p.join("ann", "ben")
	id := p.spawn(host, "player", "a", "peer1")
	p.Step(300 * time.Millisecond)
	local, _ := c[0].LocalEntity(id)
	c[0].OnTick = func() {
		v, _ := c[0].Scene.Read(local, spot)
		v[0] += 0.01
		c[0].Scene.Write(local, spot, v)
		if err := c[0].UpdateEntity(id, 1); err != nil {
			t.Error(err)
		}
	}
	host.OnTick = func() {
		if err := host.UpdateEntity(id, 1); err != nil {
			t.Error(err)
		}
	}
	p.Step(time.Second)
	if v, _ := host.Scene.Read("a", spot); v[0] < 0.1 || v[0] > 1 {
		t.Fatalf("the host sees the owner's spot %v, want what ann published", v[0])
	}
	host.Scene.Write("a", spot, contract.FieldValue{500})
	low := 500.0
	host.OnEvent = nil
	tick := host.OnTick
	host.OnTick = func() {
		tick()
		if v, _ := host.Scene.Read("a", spot); v[0] < low {
			low = v[0]
		}
	}
	p.Step(time.Second)
	if low < 500 {
		t.Errorf("after the teleport the host saw %v: publications from before must lose", low)
	}
	if v, _ := c[0].Scene.Read(local, spot); v[0] < 500 || v[0] > 501 {
		t.Errorf("the owner goes on from %v, want from 500", v[0])
	}
	p.Step(time.Second)
	p.converge(60, host, c[0], c[1])
}

func TestBindAndLocalEntities(t *testing.T) {
	p := newPlay(t, 9, "")
	host := p.Host()
	ann := p.join("ann")[0]
	a, b := p.spawn(host, "crate", "a", "server"), p.spawn(host, "crate", "b", "server")
	p.Step(100 * time.Millisecond)
	if got, _ := ann.LocalEntity(a); got != a {
		t.Errorf("the local entity of %s is %q, want its network id", a, got)
	}
	if err := ann.Scene.Create("prefab://crate", "mine"); err != nil {
		t.Fatal(err)
	}
	if err := ann.BindLocalEntity(a, "mine"); err != nil {
		t.Fatal(err)
	}
	if ann.Scene.Has(a) {
		t.Error("what the session had made must go when another entity takes its place")
	}
	if id, ok := ann.NetworkID("mine"); !ok || id != a {
		t.Errorf("mine stands for %s, want %s", id, a)
	}
	for _, c := range []struct {
		why, id, entity string
		want            session.Reason
	}{
		{"an entity that stands for another", b, "mine", session.ReasonDuplicateEntity},
		{"a scene entity that is not there", b, "nothing", session.ReasonUnknownEntity},
		{"a network id that never was", session.NetworkID(1, 77), "mine", session.ReasonStaleEpoch},
		{"no network id", "a", "mine", session.ReasonUnknownEntity},
	} {
		var r *session.Refusal
		if err := ann.BindLocalEntity(c.id, c.entity); !errors.As(err, &r) || r.Reason != c.want {
			t.Errorf("binding %s: %v, want %s", c.why, err, c.want)
		}
	}
	if err := ann.BindLocalEntity(a, "mine"); err != nil {
		t.Errorf("binding the same again changes nothing and is no fault: %v", err)
	}
	if err := host.Despawn(a); err != nil {
		t.Fatal(err)
	}
	p.Step(100 * time.Millisecond)
	if !ann.Scene.Has("mine") || host.Scene.Has("a") {
		t.Error("a despawn destroys what the session made, and leaves what the game made")
	}
}

func TestSpawnRefusals(t *testing.T) {
	p := newPlay(t, 10, "")
	host := p.Host()
	ann := p.join("ann")[0]
	p.spawn(host, "crate", "taken", "server")
	for _, c := range []struct {
		why                   string
		who                   *Peer
		prefab, entity, owner string
		want                  session.Reason
	}{
		{"by a client", ann, "crate", "x", "server", session.ReasonNotServer},
		{"of a prefab that is not replicated", host, "boat", "x", "server", session.ReasonUnknownPrefab},
		{"for nobody", host, "crate", "x", "peer9", session.ReasonInvalidOwner},
		{"for a word", host, "crate", "x", "everybody", session.ReasonInvalidOwner},
		{"under an entity that is replicated already", host, "crate", "taken", "server", session.ReasonDuplicateEntity},
	} {
		before := c.who.Scene.Len()
		var r *session.Refusal
		if _, err := c.who.Spawn(c.prefab, c.entity, c.owner); !errors.As(err, &r) || r.Reason != c.want {
			t.Errorf("a spawn %s: %v, want %s", c.why, err, c.want)
		}
		if c.who.Scene.Len() != before {
			t.Errorf("a spawn %s left an entity in the scene", c.why)
		}
		if c.who.Diagnostics().LastError == "" {
			t.Errorf("a spawn %s must be told in last_error", c.why)
		}
	}
}

// A goodbye arrives although the peer that said it is closed: its socket
// lingers, for a second at most.
func TestGoodbyesArrive(t *testing.T) {
	for link, tries := range map[string]int{"rtt=80,loss=5%": 5, "rtt=80,loss=30%": 5, "rtt=200,jitter=20,loss=10%": 2} {
		t.Run(link, func(t *testing.T) { goodbyesArrive(t, link, tries) })
	}
}

// goodbyesArrive wants the text to be heard by whom the link delivers it to, and
// at least so many tries where it delivers none.
func goodbyesArrive(t *testing.T, link string, tries int) {
	seeds := uint64(100)
	if raceEnabled {
		seeds = 20
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		p := newPlay(t, seed, "rtt=80")
		host := p.Host()
		c := p.join("ann", "ben")
		p.must(p.Impair(link))
		sent, delivered := map[netip.AddrPort]int{}, map[netip.AddrPort]int{}
		p.net.Tap = func(r netsim.Record) {
			if bytes.Contains(r.Bytes, []byte("maintenance")) {
				sent[r.To]++
				if !r.Due.IsZero() {
					delivered[r.To]++
				}
			}
		}
		got := map[*Peer][]string{}
		for _, peer := range c {
			peer.OnEvent = func(ev session.Event) {
				if ev.Kind == session.EventDisconnected {
					got[peer] = append(got[peer], string(ev.Code)+" "+ev.Text)
				}
			}
		}
		host.Close(fault.Shutdown, "maintenance")
		if !host.Lingering() {
			t.Fatalf("seed %d: the goodbye is on its way", seed)
		}
		p.Step(1300 * time.Millisecond)
		for _, peer := range c {
			switch heard := fmt.Sprint(got[peer]); {
			case delivered[peer.addr] > 0 && heard != "[E_NET_SHUTDOWN maintenance]":
				t.Errorf("seed %d: %s heard %s although the link delivered the goodbye", seed, peer.Name, heard)
			case delivered[peer.addr] == 0 && sent[peer.addr] < tries:
				t.Errorf("seed %d: the goodbye to %s was lost and sent %d times only in its second", seed, peer.Name, sent[peer.addr])
			case len(got[peer]) > 1:
				t.Errorf("seed %d: %s heard %s, want one goodbye", seed, peer.Name, heard)
			}
		}
		if host.Lingering() {
			t.Errorf("seed %d: a second later nothing may linger", seed)
		}
	}
}

func TestReportIsStableJSON(t *testing.T) {
	p := newPlay(t, 12, badLink)
	host := p.Host()
	ann := p.join("ann")[0]
	p.spawn(host, "crate", "a", "server")
	p.Step(time.Second)
	for _, peer := range []*Peer{host, ann, p.Peer("nobody", nil)} {
		r := peer.Report()
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(peer.Report()); !bytes.Equal(b, again) {
			t.Errorf("%s: two reports of one moment differ", peer.Name)
		}
		if bytes.Contains(b, []byte("null")) {
			t.Errorf("%s: a report has lists, not null: %s", peer.Name, b)
		}
		var back runtime.Report
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%s: a report must read back: %v", peer.Name, err)
		}
		if twice, _ := json.Marshal(back); !bytes.Equal(b, twice) {
			t.Errorf("%s: reading a report back loses something", peer.Name)
		}
	}
}

// The comparison of reports must be able to fail.
func TestConvergedFindsDifferences(t *testing.T) {
	p := newPlay(t, 13, "")
	host := p.Host()
	ann := p.join("ann")[0]
	p.spawn(host, "crate", "a", "server")
	p.Step(2 * time.Second)
	for _, c := range []struct {
		why    string
		change func(h, a *runtime.Report)
		ok     bool
	}{
		{"reports as they are", func(h, a *runtime.Report) {}, true},
		{"one hash of the client", func(h, a *runtime.Report) { a.Hashes[20].Hash++ }, false},
		{"one hash of the host", func(h, a *runtime.Report) { h.Peers[0].Hashes[20].Hash++ }, false},
		{"too few in common", func(h, a *runtime.Report) { a.Hashes = a.Hashes[:10] }, false},
		{"another session", func(h, a *runtime.Report) { a.Epoch++ }, false},
		{"a client that the host does not know", func(h, a *runtime.Report) { a.SenderID = "peer7" }, false},
		{"two hosts", func(h, a *runtime.Report) { *a = *h }, false},
		{"two clients", func(h, a *runtime.Report) { *h = *a }, false},
	} {
		h, a := host.Report(), ann.Report()
		c.change(&h, &a)
		if got := runtime.Converged(h, a); got.OK(50) != c.ok {
			t.Errorf("%s: OK is %v, want %v: %+v", c.why, !c.ok, c.ok, got)
		}
	}
	none := runtime.Converged(host.Report())
	if none.OK(0) {
		t.Error("no client at all proves nothing")
	}
}
