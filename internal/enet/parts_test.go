package enet

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// TestIndexAgreesWithAMap compares the table with Go's own, operation by
// operation.
func TestIndexAgreesWithAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for seed := range uint32(20) {
		x := index[int]{seed: seed * 0x1234567}
		m := map[uint32]int{}
		for i := range 20_000 {
			key := rng.Uint32N(1 << (1 + seed))
			_, in := m[key]
			switch op := rng.IntN(20); {
			case op < 9 && !in:
				x.put(key, i)
				m[key] = i
			case op < 18:
				v, ok := x.remove(key)
				if ok != in || ok && v != m[key] {
					t.Fatalf("remove(%d) = %d, %v; want %d, %v", key, v, ok, m[key], in)
				}
				delete(m, key)
			case op == 18:
				v, ok := x.get(key)
				if ok != in || ok && v != m[key] {
					t.Fatalf("get(%d) = %d, %v; want %d, %v", key, v, ok, m[key], in)
				}
			case rng.IntN(500) == 0:
				x.clear()
				clear(m)
			}
			if x.n != len(m) {
				t.Fatalf("%d entries, want %d", x.n, len(m))
			}
		}
		for key, want := range m {
			if v, ok := x.get(key); !ok || v != want {
				t.Fatalf("at the end %d is %d, %v; want %d", key, v, ok, want)
			}
		}
	}
}

func TestTimersComeInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var ts timers
	peers := make([]*peer, 200)
	for i := range peers {
		peers[i] = &peer{timer: -1, state: stateDisconnecting}
		peers[i].life.expires, peers[i].life.dropAt = never, never
	}
	for range 5000 {
		p := peers[rng.IntN(len(peers))]
		switch rng.IntN(3) {
		case 0:
			ts.remove(p)
			p.life.dropAt = never
		default:
			p.life.dropAt = millis(rng.IntN(10_000))
			ts.hint(p, p.deadline())
		}
		want := never
		for _, q := range peers {
			if q.timer >= 0 {
				want = min(want, q.deadline())
			}
		}
		if got := ts.next(); got != want {
			t.Fatalf("the next deadline is %d, want %d", got, want)
		}
	}
	for p := ts.due(10_000); p != nil; p = ts.due(10_000) {
		if p.timer >= 0 {
			t.Fatal("a peer came up and is still waiting")
		}
	}
	if len(ts.heap) != 0 && ts.heap[0].at <= 10_000 {
		t.Error("a deadline was forgotten")
	}
}

func TestSessionsMoveOn(t *testing.T) {
	w := newWorld(t, 1)
	a, b := w.add(Config{MaxPeers: 1}), w.add(Config{Accept: true, MaxPeers: 1})
	for i := range 9 {
		p, at := w.connect(a, b)
		pa, pb := a.h.slots.find(p), b.h.slots.find(at)
		want := uint8(i % 4)
		if pa.id.inSession != want || pa.id.outSession != want || pb.id.inSession != want || pb.id.outSession != want {
			t.Fatalf("connection %d has sessions %d/%d and %d/%d, want %d", i, pa.id.inSession, pa.id.outSession, pb.id.inSession, pb.id.outSession, want)
		}
		a.h.Disconnect(p, 0)
		w.until("the end", time.Second, func() bool { return b.h.slots.used == 0 && a.h.slots.used == 0 })
	}
}

func TestWindowFor(t *testing.T) {
	for _, c := range []struct {
		a, b uint32
		want int
	}{
		{0, 0, 65536}, {57600, 0, 4096}, {0, 65535, 4096}, {131072, 0, 8192}, {1 << 20, 2 << 20, 65536}, {262144, 1 << 30, 16384}, {1<<32 - 1, 0, 65536},
	} {
		if got := windowFor(c.a, c.b); got != c.want {
			t.Errorf("windowFor(%d, %d) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestOutgoingBandwidthIsShared(t *testing.T) {
	w := newWorld(t, 1)
	server := w.add(Config{Accept: true, OutgoingBandwidth: 40_000})
	small, large := w.add(Config{IncomingBandwidth: 5_000}), w.add(Config{})
	_, toSmall := w.connect(small, server)
	_, toLarge := w.connect(large, server)
	for range 400 {
		for _, p := range []transport.Peer{toSmall, toLarge} {
			for range 4 {
				_ = server.h.Send(p, 1, transport.Sequenced, make([]byte, 500)) // 50 000 bytes a second each
			}
		}
		w.run(40*time.Millisecond, 10*time.Millisecond)
	}
	perSecond := func(e *end) int { return e.count(transport.Message) * 500 / 16 }
	if n := perSecond(small); n > 10_000 || n < 2_000 { // 32nds are coarse, and the first second is free
		t.Errorf("a peer that can take 5 000 bytes a second got %d", n)
	}
	if n := perSecond(small) + perSecond(large); n > 60_000 || n < 20_000 {
		t.Errorf("a host with 40 000 bytes a second sent %d", n)
	}
}

func TestIncomingBandwidthIsAnnounced(t *testing.T) {
	w := newWorld(t, 1)
	server := w.add(Config{Accept: true, IncomingBandwidth: 1_000_000})
	clients := []*end{w.add(Config{OutgoingBandwidth: 100_000}), w.add(Config{}), w.add(Config{})}
	var handles []transport.Peer
	for _, c := range clients {
		p, _ := w.connect(c, server)
		handles = append(handles, p)
	}
	w.run(3*time.Second, 10*time.Millisecond)
	for i, want := range []uint32{100_000, 450_000, 450_000} {
		if got := clients[i].h.slots.find(handles[i]).band.limits.incoming; got != want {
			t.Errorf("client %d was told %d, want %d: equal shares, but for who cannot use one", i, got, want)
		}
	}
	server.h.BandwidthLimit(0, 0)
	w.run(3*time.Second, 10*time.Millisecond)
	for i := range clients {
		if got := clients[i].h.slots.find(handles[i]).band.limits.incoming; got != 0 {
			t.Errorf("client %d still believes in a limit of %d", i, got)
		}
	}
}

func TestThrottleIsSharedByBothSides(t *testing.T) {
	w := newWorld(t, 1)
	a, b := w.add(Config{Throttle: Throttle{Interval: 2 * time.Second, Acceleration: 4, Deceleration: 3}}), w.add(Config{Accept: true})
	p, at := w.connect(a, b)
	if got := b.h.slots.find(at).path.throttle.conf; got != (throttleCommand{2000, 4, 3}) {
		t.Errorf("the server uses %+v, not the dialler's", got)
	}
	b.h.Throttle(at, Throttle{Off: true})
	w.run(50*time.Millisecond, time.Millisecond)
	if got := a.h.slots.find(p).path.throttle.conf; got != (throttleCommand{5000, 2, 0}) {
		t.Errorf("after a change the client uses %+v", got)
	}
}

func TestConfigRefusesWhatCannotWork(t *testing.T) {
	for name, cfg := range map[string]Config{
		"channels":      {Channels: 256},
		"packet":        {Limits: Limits{Packet: 33 << 20}},
		"no packet":     {Limits: Limits{Packet: -1}},
		"no datagram":   {Limits: Limits{Datagrams: -1}},
		"timeout":       {Timeouts: Timeouts{Maximum: -1}},
		"interval":      {Throttle: Throttle{Interval: -1}},
		"over the link": {MTU: 1300},
	} {
		if _, err := New(newWireLink(), cfg); fault.CodeOf(err) != fault.Config {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClientsAcceptNobody(t *testing.T) {
	link := newWireLink()
	h, err := New(link, Config{Random: seeded(1)})
	if err != nil {
		t.Fatal(err)
	}
	link.in = append(link.in, parcel{from(1), connectDatagram(1)})
	poll(h, at(0))
	_, _ = h.Flush(at(0))
	if out := link.take(); len(out) != 0 || h.slots.used != 0 {
		t.Errorf("a client-only host answered a CONNECT with %v", out)
	}
}

func TestDropGivesUpAfterASecond(t *testing.T) {
	w := newWorld(t, 1)
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	p, at := w.connect(a, b)
	// Nothing gets through but goodbyes that want no answer.
	w.net.Filter = func(_ time.Time, from, _ netip.AddrPort, data []byte) netsim.Verdict {
		v := netsim.Drop
		eachCommand(data, func(hd header, _ []byte) {
			if hd.kind() == kindDisconnect && hd.op&flagAcknowledge == 0 {
				v = netsim.Impair
			}
		})
		return v
	}
	_ = a.h.Send(p, 0, transport.Reliable, []byte("never arrives"))
	a.h.Drop(p, 5)
	w.run(990*time.Millisecond, 5*time.Millisecond)
	if a.h.PeerCount() != 1 || b.count(transport.Disconnected) != 0 {
		t.Error("it gave up before a second had passed")
	}
	w.run(20*time.Millisecond, 5*time.Millisecond)
	if e := b.last(transport.Disconnected); a.h.PeerCount() != 0 || e.Code != 5 || e.Peer != at || e.Reason != transport.Closed {
		t.Errorf("after a second: %d connections, the other side heard %+v", a.h.PeerCount(), e)
	}
	if a.count(transport.Disconnected) != 0 {
		t.Error("the one who dropped heard of it")
	}
}

// goneLink is a link that loses addresses, as DTLS does.
type goneLink struct{ *wireLink }

func (l goneLink) Drain(now time.Time, f func(transport.Addr, []byte)) time.Time {
	in := l.in
	l.in = nil
	for _, p := range in {
		f(p.addr, p.b)
	}
	return time.Time{}
}

func TestAddressGone(t *testing.T) {
	link := goneLink{newWireLink()}
	h, err := New(link, Config{Accept: true, Random: seeded(1)})
	if err != nil {
		t.Fatal(err)
	}
	r := &rawPeer{t: t, h: h, link: link.wireLink, from: from(1)}
	r.p = r.join(r.from, 1)
	second := r.joinFrom(r.from, 1, 2)
	other := r.join(from(2), 3)
	link.in = append(link.in, parcel{addr: r.from})
	var ended []transport.Peer
	for _, e := range r.turn() {
		if e.Kind == transport.Disconnected && e.Reason == transport.Closed {
			ended = append(ended, e.Peer)
		}
	}
	slices.Sort(ended)
	if len(ended) != 2 || other.state != stateConnected || second.state != stateFree {
		t.Errorf("connections %v ended; both of the address should", ended)
	}
	if len(link.forgot) != 1 || link.forgot[0] != r.from {
		t.Errorf("the link was told to forget %v", link.forgot)
	}
}

// TestInboxSurvivesALazyCaller: events that nobody polls stay, whole, and
// memory does not grow with every turn.
func TestInboxSurvivesALazyCaller(t *testing.T) {
	pp := newPipePair(t, Config{})
	next := 0
	for turn := range 300 {
		for range 2 {
			_ = pp.a.Send(pp.p, 0, transport.Reliable, []byte{byte(turn)})
		}
		pp.now = pp.now.Add(time.Millisecond)
		_, _ = pp.a.Poll(pp.now)
		_, _ = pp.a.Flush(pp.now)
		for range 2 { // never until false
			if e, ok := pp.b.Poll(pp.now); ok && e.Kind == transport.Message {
				if e.Data[0] != byte(next/2) {
					t.Fatalf("turn %d: message %d, want %d", turn, e.Data[0], byte(next/2))
				}
				next++
			}
		}
		if at, _ := pp.b.Flush(pp.now); !pp.b.inbox.empty() && at.After(pp.now) {
			t.Fatal("Flush lets the caller sleep although events wait")
		}
		_, _ = pp.a.Flush(pp.now)
	}
	if next < 500 {
		t.Errorf("%d messages of 600 were taken", next)
	}
	if n := len(pp.b.inbox.arena.chunks); n > 4 {
		t.Errorf("%d chunks of memory for a handful of messages", n)
	}
}

// BenchmarkIdle is what a turn costs a host with room for 4095 peers and one
// connection.
func BenchmarkIdle(b *testing.B) {
	for name, slots := range map[string]int{"1 slot": 1, "4095 slots": 4095} {
		b.Run(name, func(b *testing.B) {
			pp := newPipePair(b, Config{MaxPeers: slots})
			b.ReportAllocs()
			for b.Loop() {
				pp.turn()
			}
		})
	}
}

// bigQueueTick returns a tick in which 65 peers get a small message each; one
// of them may have 28 000 fragments queued and acknowledges nothing.
func bigQueueTick(t testing.TB, big bool) func() {
	r := newRawPeer(t, Config{MaxPeers: 100, Limits: Limits{Packet: 32 << 20, Queue: 1 << 20, Waiting: 64 << 20}, Timeouts: Timeouts{Minimum: time.Hour, Maximum: time.Hour}})
	peers := []transport.Peer{r.p.handle}
	for i := range 64 {
		peers = append(peers, r.join(from(10+i), uint32(10+i)).handle)
	}
	if big {
		if err := r.h.Send(r.p.handle, 0, transport.Reliable, make([]byte, 32<<20)); err != nil {
			t.Fatal(err)
		}
	}
	r.link.mute = true
	msg := make([]byte, 100)
	return func() {
		r.now += 33
		poll(r.h, at(r.now))
		for _, p := range peers {
			_ = r.h.Send(p, 1, transport.Sequenced, msg)
		}
		_, _ = r.h.Flush(at(r.now))
	}
}

// BenchmarkBesideBigQueue is that tick, without and with the large queue.
func BenchmarkBesideBigQueue(b *testing.B) {
	for _, big := range []bool{false, true} {
		b.Run(map[bool]string{false: "alone", true: "beside 32 MiB"}[big], func(b *testing.B) {
			tick := bigQueueTick(b, big)
			b.ReportAllocs()
			for b.Loop() {
				tick()
			}
		})
	}
}
