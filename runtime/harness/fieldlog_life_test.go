package harness

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"demi.network/contract"
	"demi.network/internal/netsim"
	"demi.network/runtime/fault"
	"demi.network/session"
)

// Field log B14: every datagram of a session that is over, the client's and the
// host's, is played again into the next one on the same port. Nothing of it is
// delivered, on either side, and the next session goes on.
func TestFieldLogB14RecordedDatagramsDoNothing(t *testing.T) {
	p := newPlay(t, 14, "rtt=20")
	host := p.Host()
	ann := p.join("ann")[0]
	var tape []netsim.Record
	p.net.Tap = func(r netsim.Record) {
		r.Bytes = append([]byte(nil), r.Bytes...)
		tape = append(tape, r)
	}
	old := p.spawn(host, "player", "a", "peer1")
	for range 10 {
		p.must(host.Send("chat", "", text("old")))
		p.must(ann.Send("chat", "", text("old")))
		p.Step(100 * time.Millisecond)
	}
	host.Close(fault.Shutdown, "again")
	p.Step(100 * time.Millisecond)
	p.net.Tap = nil
	first, port := host.Report().Epoch, p.HostAddr()
	p.must(host.Peer.Host(int(port.Port())))
	if p.host = host.LocalAddr(); p.HostAddr() != port || host.Epoch() == first {
		t.Fatalf("the second session is on %s with epoch %d, want %s and another epoch than %d", p.HostAddr(), host.Epoch(), port, first)
	}
	c := p.join("ben", "cid")
	p.Step(100 * time.Millisecond)
	heard := map[string][]string{}
	for _, peer := range append(c, host) {
		peer.OnEvent = func(ev session.Event) {
			switch ev.Kind {
			case session.EventMessage:
				heard[peer.Name] = append(heard[peer.Name], string(ev.Data.Root().Lookup("text").Text()))
			case session.EventDisconnected, session.EventPeerLeft, session.EventPeerJoined:
				t.Errorf("%s: %s: the old session must not touch the new one", peer.Name, ev)
			}
		}
	}
	if len(tape) < 100 {
		t.Fatalf("%d datagrams on the tape: the test replays nothing", len(tape))
	}
	for i, r := range tape {
		for _, from := range []netip.AddrPort{ann.addr, stranger(i)} { // whose port it was, and any other
			p.net.Inject(p.Now(), from, port, r.Bytes)
			for _, peer := range c {
				p.net.Inject(p.Now(), from, peer.addr, r.Bytes)
			}
		}
		p.Step(10 * time.Millisecond)
	}
	p.must(host.Send("chat", "", text("new")))
	p.must(c[0].Send("chat", "", text("mine")))
	p.Step(time.Second)
	for name, want := range map[string]string{"host": "[mine]", "ben": "[new]", "cid": "[new mine]"} {
		if got := fmt.Sprint(heard[name]); got != want && !(name == "cid" && got == "[mine new]") {
			t.Errorf("%s heard %s, want %s", name, got, want)
		}
	}
	if _, ok := host.Owner(old); ok || len(host.Report().Entities) != 0 {
		t.Error("an entity of the old session is there")
	}
	p.converge(50, host, c...)
}

func stranger(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, 2, 3}), uint16(1000+i))
}

// Field log B17: everything that a leaver owned meets its policy, whatever it
// is and however new, and every peer has the same of it, also who comes later.
func TestFieldLogB17EverythingOfALeaver(t *testing.T) {
	p := newPlay(t, 17, "rtt=40")
	host := p.Host()
	c := p.join("ann", "ben")
	player := p.spawn(host, "player", "p", "peer1")
	var crates []string
	for i := range 3 {
		crates = append(crates, p.spawn(host, "crate", fmt.Sprint("k", i), "peer1"))
	}
	crates = append(crates, p.spawn(host, "crate", "k3", "peer2"))
	p.Step(time.Second)
	p.must(host.Transfer(crates[3], "peer1"))
	p.Step(host.TickInterval())
	p.Harness.Cut(c[0], host, true) // killed
	p.Harness.Cut(host, c[0], true)
	if !p.Until(6*time.Second, func() bool { return len(host.Report().Leaves) == 1 }) {
		t.Fatal("six seconds later the host must know")
	}
	p.Step(2 * time.Second)
	cid := p.join("cid")[0]
	p.Step(100 * time.Millisecond)
	for _, peer := range []*Peer{host, c[1], cid} {
		if _, ok := peer.Owner(player); ok || len(peer.Report().Entities) != 4 || peer.Scene.Len() != 4 {
			t.Errorf("%s: the player must be gone and four crates be there: %+v", peer.Name, peer.Report().Entities)
		}
		for i, e := range peer.Report().Entities {
			want := uint32(2)
			if i == 3 {
				want = 3 // it had changed hands before
			}
			if e.Owner != "server" || e.Generation != want || peer.HasAuthority(e.ID) != (peer == host) {
				t.Errorf("%s: %+v, authority %v; want the server's at generation %d", peer.Name, e, peer.HasAuthority(e.ID), want)
			}
		}
		if id, ok := peer.NetworkIDForOwner("peer1"); ok {
			t.Errorf("%s: who has left owns %s", peer.Name, id)
		}
	}
	p.Step(3 * time.Second)
	p.converge(60, host, c[1], cid)
}

// Field log B71: what a new entity starts from is its record, whatever the
// defaults are and whoever had its place before.
func TestFieldLogB71WhatANewEntityStartsFrom(t *testing.T) {
	p := newPlay(t, 71, "rtt=60,loss=5%")
	con := loadContract(t, testContract)
	p.cfg.Contract = con
	crate := con.Prefab("crate")
	for i := range crate.Fields {
		if crate.Fields[i].Path == position {
			crate.Fields[i].Default = contract.FieldValue{7, 0}
		}
	}
	host := p.Host()
	ann := p.join("ann")[0]
	zero := p.spawn(host, "crate", "zero", "server")
	host.Scene.Write("zero", position, contract.FieldValue{0})
	seven := p.spawn(host, "crate", "seven", "server") // as the prefab gives it
	moved := p.spawn(host, "crate", "moved", "server")
	host.Scene.Write("moved", position, contract.FieldValue{0}) // in the same tick
	before := p.spawn(host, "crate", "again", "server")
	host.Scene.Write("again", position, contract.FieldValue{9})
	first := map[string]string{}
	ann.OnEvent = func(ev session.Event) {
		if ev.Kind == session.EventSpawned {
			id := session.NetworkID(ann.Epoch(), ev.N)
			first[id] = see(ann, id, position)
		}
	}
	p.Step(time.Second)
	p.must(host.Despawn(before))
	host.Scene.Destroy("again")
	again := p.spawn(host, "crate", "again", "server")
	host.Scene.Write("again", position, contract.FieldValue{0})
	p.Step(time.Second)
	want := map[string]string{zero: "0", seven: "7", moved: "0", before: "9", again: "0"}
	if fmt.Sprint(first) != fmt.Sprint(want) {
		t.Errorf("at its spawn each entity had %v, want %v", first, want)
	}
	delete(want, before)
	p.Step(100 * host.TickInterval())
	for id, x := range want {
		if got := see(ann, id, position); got != x {
			t.Errorf("100 ticks later %s has %s, want %s", id, got, x)
		}
	}
	p.converge(80, host, ann)
}
