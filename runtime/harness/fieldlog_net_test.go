package harness

import (
	"fmt"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/runtime"
	"demi.network/session"
)

// Field log B52 and B53: a client that was cut off and comes back is a new
// client: nothing of before is left, and the first snapshots are whole.
func TestFieldLogB52B53Reconnect(t *testing.T) {
	p := newPlay(t, 52, "rtt=60,loss=1%")
	host := p.Host()
	c := p.join("ann", "ben")
	var ids []string
	for i := 0; i < 10; i++ {
		ids = append(ids, p.spawn(host, "crate", fmt.Sprint("k", i), "server"))
	}
	listed := map[uint32]bool{}
	ended := 0
	c[0].OnEvent = func(ev session.Event) {
		switch ev.Kind {
		case session.EventSpawned:
			listed[ev.N] = true
		case session.EventDespawned:
			delete(listed, ev.N)
		case session.EventDisconnected:
			ended++
			clear(listed)
		}
	}
	host.Scene.Write("k9", position, contract.FieldValue{1000})
	if err := host.UpdateEntity(ids[9], 1); err != nil {
		t.Fatal(err)
	}
	p.Step(time.Second)
	p.Cut(c[0], host, true)
	p.Cut(host, c[0], true)
	p.Step(7 * time.Second)
	if ended != 1 || c[0].Mode() != runtime.Offline || c[0].Scene.Len() != 0 {
		t.Fatalf("after 7 s of silence: %d disconnected events, mode %s, %d scene entities; want 1, offline, 0", ended, c[0].Mode(), c[0].Scene.Len())
	}
	for i := 0; i < 5; i++ {
		if err := host.Despawn(ids[i]); err != nil {
			t.Fatal(err)
		}
	}
	p.spawn(host, "crate", "k10", "server")
	p.spawn(host, "crate", "k11", "server")
	p.Cut(c[0], host, false)
	p.Cut(host, c[0], false)
	if err := c[0].Connect(p.HostAddr()); err != nil {
		t.Fatal(err)
	}
	p.Step(time.Second)
	if len(listed) != 7 || c[0].Scene.Len() != 7 || !sameEntities(host, c[0]) {
		t.Errorf("after coming back: %d entities by events, %d in the scene, want 7", len(listed), c[0].Scene.Len())
	}
	for _, id := range ids[:5] {
		if _, ok := c[0].Owner(id); ok || c[0].HasAuthority(id) {
			t.Errorf("%s is gone and must mean nothing", id)
		}
	}
	walk(host, ids[9], 1)
	p.Step(100 * host.TickInterval())
	if got, want := row(c[0], ids[9], position), row(host, ids[9], position); got < 1090 || got > want {
		t.Errorf("the client has %v, the host %v", got, want)
	}
	p.converge(80, host, c[0], c[1])
}

// Field log B54: a session whose tick wraps. The full count of ticks is played
// in internal/replica; here the whole stack crosses the wrap.
func TestFieldLogB54WrapOfTheTick(t *testing.T) {
	p := newPlay(t, 54, "rtt=60,loss=5%")
	late := func(c *runtime.Config) { c.FirstTick = 1<<32 - 140 }
	host := p.Peer("host", late)
	if err := host.Peer.Host(0); err != nil {
		t.Fatal(err)
	}
	p.host = host.LocalAddr()
	ann := p.Peer("ann", late)
	if err := ann.Connect(p.HostAddr()); err != nil {
		t.Fatal(err)
	}
	if !p.Until(4*time.Second, func() bool { return ann.Phase() == session.PhaseActive }) {
		t.Fatal("ann must be active")
	}
	busy, quiet := p.spawn(host, "crate", "busy", "server"), p.spawn(host, "crate", "quiet", "server")
	mine := p.spawn(host, "player", "mine", "peer1")
	walk(host, busy, 0.1)
	walk(ann, mine, 0.2)
	p.Step(5 * time.Second)
	if host.Tick() > 1000 {
		t.Fatalf("tick %d: the test must cross the wrap", host.Tick())
	}
	host.Scene.Write("quiet", position, contract.FieldValue{7})
	if err := host.UpdateEntity(quiet, 1); err != nil {
		t.Fatal(err)
	}
	if !p.Until(10*host.TickInterval(), func() bool { return see(ann, quiet, position) == "7" }) {
		t.Errorf("a quiet entity's change has not arrived within 10 ticks: %s", see(ann, quiet, position))
	}
	p.Step(2 * time.Second)
	p.converge(100, host, ann)
}

// Field log B70: the client's answers are blocked for 4.5 s, then come again.
func TestFieldLogB70BlockedAnswers(t *testing.T) {
	p := newPlay(t, 70, "rtt=60,loss=1%")
	host := p.Host()
	ann := p.join("ann")[0]
	var ids []string
	for i := 0; i < 20; i++ {
		ids = append(ids, p.spawn(host, "crate", fmt.Sprint("k", i), "server"))
		walk(host, ids[i], 0.1)
	}
	p.Step(time.Second)
	before := host.Report().Bytes.Up
	p.Step(4500 * time.Millisecond)
	normal := host.Report().Bytes.Up - before
	p.Cut(ann, host, true)
	before = host.Report().Bytes.Up
	p.Step(4500 * time.Millisecond)
	if blocked := host.Report().Bytes.Up - before; blocked > 3*normal {
		t.Errorf("%d bytes while answers were blocked, %d in the same time before: more than three times", blocked, normal)
	}
	p.Cut(ann, host, false)
	host.OnTick = nil // all rest
	if !p.Until(10*host.TickInterval(), func() bool {
		for _, id := range ids {
			if row(ann, id, position) != row(host, id, position) {
				return false
			}
		}
		return true
	}) {
		t.Error("10 ticks after answers come again everything must be the same")
	}
	if ann.Phase() != session.PhaseActive {
		t.Errorf("4.5 s are below the timeout, and ann is %s", ann.Phase())
	}
}

// Field log B97: after a stall at most five ticks are caught up on; the rest is
// skipped and counted, and there is no phase of double speed.
func TestFieldLogB97CatchUpIsBounded(t *testing.T) {
	p := newPlay(t, 97, "")
	host := p.Host()
	now := p.Now()
	interval := host.TickInterval()
	ticks := 0
	for i := 0; i < 30; i++ {
		now = now.Add(interval)
		ticks += host.Advance(now)
	}
	if ticks != 30 {
		t.Errorf("%d ticks in 30 intervals", ticks)
	}
	now = now.Add(300 * interval)
	if n := host.Advance(now); n != runtime.MaxCatchUp {
		t.Errorf("%d ticks after a stall of 300, want %d", n, runtime.MaxCatchUp)
	}
	if got := host.Diagnostics().LateTicksSkipped; got != 295 {
		t.Errorf("%d ticks skipped, want 295", got)
	}
	ticks = 0
	for i := 0; i < 30; i++ {
		now = now.Add(interval)
		ticks += host.Advance(now)
	}
	if ticks != 30 {
		t.Errorf("%d ticks in the 30 intervals after the stall: no phase of another speed", ticks)
	}
}
