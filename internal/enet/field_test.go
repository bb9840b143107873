package enet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// TestFieldLogB54CountersWrap runs every 16-bit counter of the protocol round
// at least three times (once under the race detector), and the clock over its
// 16 and 32 bits.
func TestFieldLogB54CountersWrap(t *testing.T) {
	origins := []time.Duration{(1<<32 - 100_000) * time.Millisecond, 65_500 * time.Millisecond, 0}
	total := rounds[uint32](3*65536, 70_000)
	for _, origin := range origins[:rounds(3, 1)] {
		w := newWorld(t, 54)
		w.net.Impair(netsim.Spec{Latency: 20 * time.Millisecond, Jitter: time.Millisecond, Loss: 0.05})
		a, b := w.add(Config{Throttle: Throttle{Off: true}}), w.add(Config{Accept: true})
		for _, e := range w.ends { // the clocks of both have been running for long
			e.h.clock.set(w.now.Add(-origin))
		}
		p, at := w.connect(a, b)
		streams := []*counted{
			{t: t, mode: transport.Reliable, ch: 0},
			{t: t, mode: transport.Sequenced, ch: 1},
			{t: t, mode: transport.Unsequenced, ch: 2, seen: map[uint32]bool{}},
		}
		b.onMsg = func(e transport.Event) { streams[e.Channel].receive(e) }
		for n := uint32(0); n < total; {
			n += 40
			for _, s := range streams {
				s.send(a.h, p, n)
			}
			w.run(6*time.Millisecond, 3*time.Millisecond)
			if rtt := a.h.Stats(p).RTT; n > 4000 && (rtt < 38*time.Millisecond || rtt > 60*time.Millisecond) {
				t.Fatalf("origin %v: the round trip reads %v at message %d", origin, rtt, n)
			}
		}
		w.until("the rest arrives", 30*time.Second, func() bool {
			streams[0].send(a.h, p, total)
			return streams[0].got >= total
		})
		if b.h.Stats(at).RTT > 60*time.Millisecond || a.count(transport.Disconnected) != 0 {
			t.Errorf("origin %v: rtt %v, %d ends", origin, b.h.Stats(at).RTT, a.count(transport.Disconnected))
		}
	}
}

func TestFieldLogB55LargeMessagesLateInASession(t *testing.T) {
	w := newWorld(t, 55)
	w.net.Impair(netsim.Spec{Latency: 5 * time.Millisecond})
	a, b := w.add(Config{Throttle: Throttle{Off: true}}), w.add(Config{Accept: true})
	p, _ := w.connect(a, b)
	large := pattern(20_000)
	got := 0
	b.onMsg = func(e transport.Event) {
		if len(e.Data) == len(large) && bytes.Equal(e.Data, large) {
			got++
		}
	}
	for i, mode := range []transport.Mode{transport.Reliable, transport.Sequenced} {
		for n := 0; n < 40_000; n += 40 {
			for range 20 {
				_ = a.h.Send(p, 0, transport.Reliable, []byte("small"))
				_ = a.h.Send(p, 0, transport.Sequenced, []byte("small"))
			}
			w.step(time.Millisecond)
		}
		if err := a.h.Send(p, 0, mode, large); err != nil {
			t.Fatal(err)
		}
		w.until("the large message arrives whole", time.Second, func() bool { return got == i+1 })
	}
}

func TestFieldLogB56AbandonedFragments(t *testing.T) {
	for _, k := range []kind{kindFragment, kindUnreliableFragment} {
		r := newRawPeer(t, Config{})
		data := make([]byte, 1000)
		for i := range rounds(100_000, 21_000) {
			f := fragmentCommand{start: uint16(2 + i%20_000), count: 255, number: 0, total: 255_000, offset: 0}
			r.link.in = append(r.link.in, parcel{r.from, r.datagram(rawFragment(k, 0, f.start*b2u(k == kindFragment), f, data))})
			if len(r.link.in) == 64 {
				r.turn()
				r.link.take()
			}
		}
		r.turn()
		if n := r.h.held; n > 17*(1000+3*pieceCost) {
			t.Errorf("%v: 100 000 first fragments hold %d bytes", k, n)
		}
		// A whole message is delivered all the same.
		whole := pattern(100_000)
		var got []transport.Event
		for n := range uint32(100) {
			f := fragmentCommand{start: 1, count: 100, number: n, total: 100_000, offset: n * 1000}
			seq := uint16(1+n) * b2u(k == kindFragment)
			if k == kindUnreliableFragment {
				f.start = 30_000
			}
			events, _ := r.send(r.datagram(rawFragment(k, 0, seq, f, whole[n*1000:n*1000+1000])))
			got = append(got, events...)
		}
		if len(got) != 1 || !bytes.Equal(got[0].Data, whole) {
			t.Errorf("%v: a valid message among them was not delivered", k)
		}
		r.h.Reset(r.p.handle)
		checkIdle(t, "after the peer is gone", r.h)
	}
}

func b2u(b bool) uint16 {
	if b {
		return 1
	}
	return 0
}

func TestFieldLogB58StrangersGetNothing(t *testing.T) {
	link := newWireLink()
	h, err := New(link, Config{Accept: true, Random: seeded(1)})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	link.mute = true
	in := 0
	for i := range 50_000 {
		b := connectDatagram(uint32(i))
		switch i % 5 {
		case 1:
			b = b[:40] // too short
		case 2:
			b[4] = byte(kindPing) // not a CONNECT
		case 3:
			b = []byte("GET / HTTP/1.0\r\n\r\n")
		case 4:
			b[4+16] = 1 // 2^24 channels
		}
		in += len(b)
		ip := netip.AddrFrom4([4]byte{byte(20 + i>>16), byte(i >> 8), byte(i), 9})
		link.in = append(link.in, parcel{transport.Addr{AP: netip.AddrPortFrom(ip, uint16(i))}, b})
		if i%100 == 0 {
			poll(h, at(i/50))
			_, _ = h.Flush(at(i / 50))
		}
	}
	link.in, link.spare = nil, nil
	poll(h, at(60_000))
	_, _ = h.Flush(at(60_000))
	checkIdle(t, "after the strangers", h)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 5<<20 {
		t.Errorf("50 000 strangers left %d bytes behind", grown)
	}
	if link.sent > in {
		t.Errorf("%d bytes in, %d out", in, link.sent)
	}
	runtime.KeepAlive(h)
}

func TestFieldLogB59AnAttackerCannotMoveAPeer(t *testing.T) {
	w := newWorld(t, 59)
	w.net.Impair(netsim.Spec{Latency: 10 * time.Millisecond})
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	var captured [][]byte
	w.net.Tap = func(r netsim.Record) {
		if r.From == a.h.LocalAddr() {
			captured = append(captured, append([]byte(nil), r.Bytes...))
		}
	}
	p, at := w.connect(a, b)
	for range 20 {
		_ = a.h.Send(p, 0, transport.Reliable, []byte("x"))
		w.run(50*time.Millisecond, 5*time.Millisecond)
	}
	w.net.Tap = nil
	n := b.count(transport.Message)
	attacker := netip.MustParseAddrPort("10.6.6.6:666")
	for _, d := range captured {
		w.net.Inject(w.now, attacker, b.h.LocalAddr(), d)
	}
	w.run(time.Second, 5*time.Millisecond)
	if b.h.Remote(at) != a.h.LocalAddr() || b.count(transport.Message) != n {
		t.Error("a captured datagram from another address had effects")
	}
	// The queue to an address that is gone is bounded, and ends.
	w.net.Rebind(a.h.LocalAddr(), netip.MustParseAddrPort("10.7.7.7:7"))
	refused := false
	for range 6 * 60 {
		for range 20 {
			refused = b.h.Send(at, 0, transport.Reliable, make([]byte, 100)) != nil || refused
		}
		w.run(16*time.Millisecond, 8*time.Millisecond)
		if q := b.h.Stats(at).Queued; q > 4096+2 {
			t.Fatalf("%d commands wait for a dead address", q)
		}
	}
	if !refused {
		t.Error("the queue never filled")
	}
	w.run(30*time.Second, 10*time.Millisecond)
	if a.count(transport.Disconnected) != 1 || b.count(transport.Disconnected) != 1 {
		t.Error("not one end on each side")
	}
}

func TestFieldLogB60SendSaysWhenTheBacklogIsFull(t *testing.T) {
	w := newWorld(t, 60)
	a, b, c := w.add(Config{Accept: true}), w.add(Config{}), w.add(Config{})
	_, toB := w.connect(b, a)
	_, toC := w.connect(c, a)
	w.net.Filter = func(_ time.Time, from, _ netip.AddrPort, _ []byte) netsim.Verdict {
		if from == b.h.LocalAddr() {
			return netsim.Drop // all its acknowledgements
		}
		return netsim.Impair
	}
	taken, refused := 0, 0
	for range 4900 { // just less than the shortest timeout
		switch err := a.h.Send(toB, 0, transport.Reliable, make([]byte, 1000)); {
		case err == nil:
			taken++
		case errors.Is(err, transport.ErrBacklog):
			refused++
		default:
			t.Fatal(err)
		}
		_ = a.h.Send(toC, 0, transport.Reliable, []byte("unaffected"))
		w.step(time.Millisecond)
	}
	if taken < 4090 || taken > 4096 || refused != 4900-taken {
		t.Errorf("%d messages were taken and %d refused; the backlog is 4096", taken, refused)
	}
	w.step(time.Millisecond)
	if n := c.count(transport.Message); n < 4890 {
		t.Errorf("the other peer got %d of 4900 messages", n)
	}
}

// TestADayOfLoss is 24 hours of play at 20 % loss with reordering and
// duplicates: every reliable message once and in order, and memory flat.
func TestADayOfLoss(t *testing.T) {
	w := newWorld(t, 24)
	w.net.Impair(netsim.Spec{Latency: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.2, Duplicate: 0.05, Reorder: 0.1})
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	p, at := connectThroughLoss(w, a, b)
	hours, pause := rounds(24, 1), 250*time.Millisecond
	if testing.Short() {
		hours = 1
	}
	rng := rand.New(rand.NewPCG(24, 24))
	there, back := &counted{t: t, mode: transport.Reliable}, &counted{t: t, mode: transport.Reliable, size: 3000}
	loose := &counted{t: t, mode: transport.Sequenced, ch: 1}
	b.onMsg = func(e transport.Event) {
		if e.Channel == 0 {
			there.receive(e)
		} else {
			loose.receive(e)
		}
	}
	a.onMsg = back.receive
	var early, late runtime.MemStats
	for hour := range hours {
		for until := w.now.Add(time.Hour); w.now.Before(until); {
			there.send(a.h, p, there.sent+1)
			loose.send(a.h, p, loose.sent+1)
			if rng.IntN(20) == 0 {
				back.send(b.h, at, back.sent+1)
			}
			w.run(pause, pause/4)
		}
		if hour == hours/4 {
			runtime.GC()
			runtime.ReadMemStats(&early)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&late)
	w.until("the last messages arrive", time.Minute, func() bool { return there.got == there.sent && back.got == back.sent })
	if a.count(transport.Disconnected)+b.count(transport.Disconnected) != 0 {
		t.Error("the connection did not last the day")
	}
	if grown := int64(late.HeapAlloc) - int64(early.HeapAlloc); grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes over most of a day", grown)
	}
	if s := a.h.Stats(p); s.Loss < 0.1 || s.Loss > 0.6 || s.RTT < 60*time.Millisecond || s.RTT > 200*time.Millisecond {
		t.Errorf("at 20 %% loss each way and 80 ms: loss %.2f, rtt %v", s.Loss, s.RTT)
	}
}

// connectThroughLoss is connect for links that may lose the handshake.
func connectThroughLoss(w *world, a, b *end) (atA, atB transport.Peer) {
	p, err := a.h.Dial(w.now, b.h.LocalAddr())
	if err != nil {
		w.t.Fatal(err)
	}
	w.until("both connect", time.Minute, func() bool {
		return a.count(transport.Connected) > 0 && b.count(transport.Connected) > 0
	})
	return p, b.last(transport.Connected).Peer
}

func TestRoundTripReadsRight(t *testing.T) {
	w := newWorld(t, 80)
	w.net.Impair(netsim.Spec{Latency: 40 * time.Millisecond})
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	p, at := w.connect(a, b)
	w.run(10*time.Second, time.Millisecond)
	for _, rtt := range []time.Duration{a.h.Stats(p).RTT, b.h.Stats(at).RTT} {
		if rtt < 77*time.Millisecond || rtt > 83*time.Millisecond {
			t.Errorf("a link of 80 ms measures %v", rtt)
		}
	}
}

// TestOneMebibyteBeside500 is a 1 MiB message at 1 % loss beside 500 peers at
// 30 Hz: none of theirs is late.
func TestOneMebibyteBeside500(t *testing.T) {
	w := newWorld(t, 500)
	w.net.Impair(netsim.Spec{Latency: 10 * time.Millisecond})
	server := w.add(Config{Accept: true, MaxPeers: 501})
	var handles []transport.Peer
	got, late := 0, 0
	for range 500 {
		c := w.add(Config{})
		c.onMsg = func(e transport.Event) {
			got++
			if time.Duration(binary.LittleEndian.Uint64(e.Data)) < w.now.Sub(epoch)-11*time.Millisecond {
				late++
			}
		}
		if _, err := c.h.Dial(w.now, server.h.LocalAddr()); err != nil {
			t.Fatal(err)
		}
	}
	big := w.add(Config{})
	w.until("all connect", time.Second, func() bool { return server.count(transport.Connected) == 500 })
	for _, e := range server.events {
		handles = append(handles, e.Peer)
	}
	_, toBig := w.connect(big, server)
	w.net.ImpairPath(server.h.LocalAddr(), big.h.LocalAddr(), netsim.Spec{Latency: 10 * time.Millisecond, Loss: 0.01})
	if err := server.h.Send(toBig, 0, transport.Reliable, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 8)
	ticks := 0
	for ; big.count(transport.Message) == 0 && ticks < 300; ticks++ {
		binary.LittleEndian.PutUint64(b, uint64(w.now.Sub(epoch)))
		for _, p := range handles {
			_ = server.h.Send(p, 1, transport.Sequenced, b)
		}
		w.run(33*time.Millisecond, 11*time.Millisecond)
	}
	w.run(33*time.Millisecond, 11*time.Millisecond)
	if big.count(transport.Message) != 1 || late != 0 || got != 500*ticks {
		t.Errorf("1 MiB arrived: %d; of %d messages beside it %d came and %d were late", big.count(transport.Message), 500*ticks, got, late)
	}
}
