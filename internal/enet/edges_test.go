package enet

import (
	"errors"
	"math"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// brokenLink refuses what is sent while it is broken.
type brokenLink struct {
	*wireLink
	broken bool
}

func (l *brokenLink) Send(now time.Time, to transport.Addr, b []byte) error {
	if l.broken {
		return errors.New("the socket is gone")
	}
	return l.wireLink.Send(now, to, b)
}

// TestALinkThatRefusesIsLoss: what a link does not take is lost, as on the way,
// and nothing else: no connection hangs, no queue stays behind.
func TestALinkThatRefusesIsLoss(t *testing.T) {
	link := &brokenLink{wireLink: newWireLink()}
	h, err := New(link, Config{Accept: true, Random: seeded(1)})
	if err != nil {
		t.Fatal(err)
	}
	r := &rawPeer{t: t, h: h, link: link.wireLink, from: from(1)}
	r.p = r.join(r.from, 1)
	r.link.take()
	link.broken = true
	for range 100 {
		_ = h.Send(r.p.handle, 1, transport.Sequenced, make([]byte, 1000))
	}
	if _, err := h.Flush(at(0)); err == nil {
		t.Error("Flush hides that the link is broken")
	}
	if n := len(r.p.out.loose); n != 0 || h.Counters().LinkRefused != 100 {
		t.Errorf("%d bytes of lost messages are still queued, %d datagrams counted as refused", n, h.Counters().LinkRefused)
	}
	b := make([]byte, 8)
	header{byte(kindDisconnect) | flagAcknowledge, controlChannel, 2}.put(b)
	r.link.in = append(r.link.in, parcel{r.from, r.datagram(b)})
	poll(h, at(0))
	_, _ = h.Flush(at(0)) // the acknowledgement is not taken
	link.broken = false
	events := poll(h, at(10))
	if len(events) != 1 || events[0].Kind != transport.Disconnected {
		t.Fatalf("a goodbye whose answer the link refused: %+v, want the end", events)
	}
	checkIdle(t, "after the goodbye", h)
}

// TestVeryLongTimesAreNotNegative: what an embedder means by the largest
// duration there is.
func TestVeryLongTimesAreNotNegative(t *testing.T) {
	const forever = time.Duration(math.MaxInt64)
	w := newWorld(t, 1)
	patient := Timeouts{Minimum: forever, Maximum: forever, Ping: forever, Drop: forever}
	a := w.add(Config{Timeouts: patient, Throttle: Throttle{Interval: forever, Slack: forever}})
	b := w.add(Config{Accept: true, Timeouts: patient, Handshakes: Handshakes{Timeout: forever, Rate: math.MaxInt32}})
	p, _ := w.connect(a, b)
	w.net.Cut(a.h.LocalAddr(), b.h.LocalAddr(), true)
	_ = a.h.Send(p, 0, transport.Reliable, []byte("x"))
	w.run(2*time.Hour, time.Second)
	if a.count(transport.Disconnected)+b.count(transport.Disconnected) != 0 {
		t.Error("a connection with endless patience ended")
	}
	a.h.Timeout(p, Timeouts{Limit: 1, Minimum: -1, Maximum: -1, Ping: -1})
	if s := a.h.slots.find(p).path.silence; s.minimum <= 0 || s.maximum <= 0 || s.ping <= 0 {
		t.Errorf("negative timeouts are taken: %+v", s)
	}
}

// TestTheClockJumps: hours at once, and back.
func TestTheClockJumps(t *testing.T) {
	w := newWorld(t, 1)
	w.net.Impair(netsim.Spec{Latency: time.Millisecond})
	a, b := w.add(Config{}), w.add(Config{Accept: true, IncomingBandwidth: 1 << 20, OutgoingBandwidth: 1 << 20})
	p, _ := w.connect(a, b)
	for _, jump := range []time.Duration{-time.Hour, 3 * time.Second, 24 * time.Hour, -48 * time.Hour, 49 * time.Hour, 1000 * time.Hour, 50 * 24 * time.Hour} {
		w.now = w.now.Add(jump)
		for range 50 {
			for _, e := range w.ends {
				w.turn(e)
				if e.next.Sub(w.now) > time.Second || e.next.Before(w.now) {
					t.Fatalf("after a jump of %v Flush wants to be called %v later", jump, e.next.Sub(w.now))
				}
			}
			w.now = w.now.Add(5 * time.Millisecond)
		}
	}
	// The clock stands still until time has caught up: 1 hour was made up for by
	// the next jumps.
	got := b.count(transport.Message)
	_ = a.h.Send(p, 0, transport.Reliable, []byte("x"))
	w.run(50*time.Millisecond, time.Millisecond)
	if b.count(transport.Message) != got+1 || a.count(transport.Disconnected) != 0 {
		t.Errorf("after the jumps %d messages arrive and %d connections ended", b.count(transport.Message)-got, a.count(transport.Disconnected))
	}
	ip, net := netip.MustParseAddr("192.0.2.1"), admission{}
	for _, now := range []millis{1 << 16, 1 << 50, 1<<50 + 1} {
		if !net.allow(ip, 1<<29, now) {
			t.Errorf("a network is refused at %d", now)
		}
	}
}

// TestSharesGrowWhenAPeerLeaves: C announces them anew, too.
func TestSharesGrowWhenAPeerLeaves(t *testing.T) {
	w := newWorld(t, 1)
	server := w.add(Config{Accept: true, IncomingBandwidth: 600_000})
	a, b := w.add(Config{}), w.add(Config{})
	p, _ := w.connect(a, server)
	q, _ := w.connect(b, server)
	told := func() uint32 { return a.h.slots.find(p).band.limits.incoming }
	w.run(3*time.Second, 10*time.Millisecond)
	if told() != 300_000 {
		t.Fatalf("one of two was told %d", told())
	}
	b.h.Drop(q, 0)
	w.run(3*time.Second, 10*time.Millisecond)
	if told() != 600_000 {
		t.Errorf("the one who is left was told %d", told())
	}
}

// TestWaitingMemoryIsAccountedFor: the smallest pieces, which cost most beyond
// their bytes, do not take much more memory than Limits.Waiting says.
func TestWaitingMemoryIsAccountedFor(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes memory of its own")
	}
	for name, send := range map[string]func(r *rawPeer, i int) []byte{
		"empty early messages": func(r *rawPeer, i int) []byte { return rawReliable(uint8(i%4), uint16(2+i/4), nil) },
		"small early messages": func(r *rawPeer, i int) []byte { return rawReliable(uint8(i%4), uint16(2+i/4), make([]byte, 33)) },
		"fragments of a byte": func(r *rawPeer, i int) []byte {
			f := fragmentCommand{start: 1, count: 25_000, number: uint32(i / 4), total: 25_000, offset: uint32(i / 4)}
			return rawFragment(kindFragment, uint8(i%4), uint16(1+i/4), f, []byte{1})
		},
	} {
		r := newRawPeer(t, Config{Limits: Limits{Waiting: 4 << 20}})
		r.link.mute = true
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range 99_000 {
			r.link.in = append(r.link.in, parcel{r.from, r.datagram(send(r, i))})
			if len(r.link.in) == 100 {
				r.turn()
			}
		}
		held := r.h.held
		r.link.in, r.link.spare = nil, nil
		runtime.GC()
		runtime.ReadMemStats(&after)
		grown := int(after.HeapAlloc) - int(before.HeapAlloc)
		t.Logf("%s: %d bytes of the heap, %d in the account", name, grown, held)
		if grown > held*3/2+100_000 {
			t.Errorf("%s: %d bytes of the heap, of which only %d are in the account", name, grown, held)
		}
		runtime.KeepAlive(r)
	}
}
