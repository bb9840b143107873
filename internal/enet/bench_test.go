package enet

import (
	"net/netip"
	"testing"
	"time"

	"demi.network/runtime/transport"
)

// pipeLink is a Link in memory that reuses its buffers: what it costs is close
// to nothing, so that a benchmark over it measures the protocol.
type pipeLink struct {
	local, peer netip.AddrPort
	other       *pipeLink
	queue       [][]byte
	free        [][]byte
	sent, lose  int // every lose-th datagram is lost; 0: none
}

func newPipe() (a, b *pipeLink) {
	a = &pipeLink{local: netip.MustParseAddrPort("10.0.0.1:1"), peer: netip.MustParseAddrPort("10.0.0.2:2")}
	b = &pipeLink{local: a.peer, peer: a.local, other: a}
	a.other = b
	return a, b
}

func (l *pipeLink) LocalAddr() netip.AddrPort { return l.local }
func (l *pipeLink) MTU() int                  { return transport.MaxDatagram }
func (l *pipeLink) Open(_ time.Time, to netip.AddrPort) (transport.Addr, error) {
	return transport.Addr{AP: to}, nil
}
func (l *pipeLink) Remote(a transport.Addr) netip.AddrPort { return a.AP }
func (l *pipeLink) Drain(_ time.Time, f func(transport.Addr, []byte)) time.Time {
	for _, b := range l.queue {
		f(transport.Addr{AP: l.peer}, b)
		l.free = append(l.free, b)
	}
	l.queue = l.queue[:0]
	return time.Time{}
}
func (l *pipeLink) Send(_ time.Time, _ transport.Addr, b []byte) error {
	if l.sent++; l.lose != 0 && l.sent%l.lose == 0 {
		return nil
	}
	o := l.other
	var c []byte
	if n := len(o.free); n > 0 {
		c, o.free = o.free[n-1], o.free[:n-1]
	} else {
		c = make([]byte, 0, MaxMTU)
	}
	o.queue = append(o.queue, append(c[:0], b...))
	return nil
}
func (l *pipeLink) Forget(transport.Addr) {}
func (l *pipeLink) Close() error          { return nil }

// pipePair is a connected client and server over a pipe.
type pipePair struct {
	a, b *Host
	p    transport.Peer
	now  time.Time
}

func newPipePair(t testing.TB, cfg Config) *pipePair {
	la, lb := newPipe()
	cfg.Accept, cfg.Random = true, seeded(1)
	a, err := New(la, cfg)
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(lb, cfg)
	if err != nil {
		t.Fatal(err)
	}
	pp := &pipePair{a: a, b: b, now: epoch}
	if pp.p, err = a.Dial(pp.now, lb.local); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		pp.turn()
	}
	if a.slots.peers[0].state != stateConnected {
		t.Fatal("not connected")
	}
	return pp
}

// turn is one of each side, a millisecond later. It returns how many messages
// arrived at b.
func (pp *pipePair) turn() (got int) {
	pp.now = pp.now.Add(time.Millisecond)
	for {
		if _, ok := pp.a.Poll(pp.now); !ok {
			break
		}
	}
	_, _ = pp.a.Flush(pp.now)
	for {
		e, ok := pp.b.Poll(pp.now)
		if !ok {
			break
		}
		if e.Kind == transport.Message {
			got++
		}
	}
	_, _ = pp.b.Flush(pp.now)
	return got
}

const benchBatch = 256

func benchmarkFlood(b *testing.B, mode transport.Mode, size int, cfg Config) {
	pp := newPipePair(b, cfg)
	msg := make([]byte, size)
	got := 0
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		for k := 0; k < benchBatch && n < b.N; k++ {
			if pp.a.Send(pp.p, 0, mode, msg) != nil {
				break
			}
			n++
		}
		got += pp.turn()
	}
	for i := 0; i < 10000 && got < b.N; i++ {
		got += pp.turn()
	}
	if got != b.N {
		b.Fatalf("%d of %d arrived", got, b.N)
	}
}

// Each operation is one message sent, received, polled and, where reliable,
// acknowledged: both sides' cost together, without the system calls.
func BenchmarkFloodUnreliable64(b *testing.B) {
	benchmarkFlood(b, transport.Sequenced, 64, Config{})
}
func BenchmarkFloodReliable64(b *testing.B) { benchmarkFlood(b, transport.Reliable, 64, Config{}) }
func BenchmarkFloodUnsequenced64(b *testing.B) {
	benchmarkFlood(b, transport.Unsequenced, 64, Config{})
}
func BenchmarkFloodReliableChecksum64(b *testing.B) {
	benchmarkFlood(b, transport.Reliable, 64, Config{Checksum: true})
}
func BenchmarkFloodReliableCompress64(b *testing.B) {
	benchmarkFlood(b, transport.Reliable, 64, Config{Compress: true})
}
func BenchmarkFragments16K(b *testing.B) {
	benchmarkFlood(b, transport.Reliable, 16<<10, Config{Limits: Limits{Queue: 65536}})
}

// TestNoAllocations is the promise of 0 allocations per datagram and message
// once warm.
func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for name, cfg := range map[string]Config{
		"plain": {}, "checksum": {Checksum: true}, "compress": {Compress: true}, "both": {Checksum: true, Compress: true},
	} {
		for _, mode := range []transport.Mode{transport.Reliable, transport.Sequenced, transport.Unsequenced} {
			for _, size := range []int{0, 64, 1000, 5000} {
				pp := newPipePair(t, cfg)
				if n := testing.AllocsPerRun(50, pp.warmBurst(t, mode, size, 3)); n != 0 {
					t.Errorf("%s: a burst of %v messages of %d bytes: %v allocations", name, mode, size, n)
				}
			}
		}
	}
}

// TestNoAllocationsUnderLoss is the same where messages wait for others, are
// put together from fragments, come twice and are sent again; and for a
// connection that does nothing but ping.
func TestNoAllocationsUnderLoss(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, mode := range []transport.Mode{transport.Reliable, transport.Sequenced, transport.Unsequenced} {
		for _, size := range []int{64, 5000} {
			pp := newPipePair(t, Config{Throttle: Throttle{Off: true}})
			for _, h := range []*Host{pp.a, pp.b} {
				h.link.(*pipeLink).lose = 7
			}
			burst := pp.warmBurst(t, mode, size, 60)
			if resent := pp.a.Stats(pp.p).Loss; mode == transport.Reliable && resent == 0 {
				t.Fatal("nothing was sent again")
			}
			if n := testing.AllocsPerRun(50, burst); n != 0 {
				t.Errorf("a burst of %v messages of %d bytes under loss: %v allocations", mode, size, n)
			}
		}
	}
	pp := newPipePair(t, Config{})
	idle := func() {
		for range 600 { // more than a ping
			pp.turn()
		}
	}
	idle()
	if n := testing.AllocsPerRun(5, idle); n != 0 {
		t.Errorf("an idle connection: %v allocations in 600 turns", n)
	}
}

// warmBurst returns a function that sends a burst and takes some turns, after
// it was called often enough to have all the memory it needs.
func (pp *pipePair) warmBurst(t *testing.T, mode transport.Mode, size, turns int) func() {
	msg := make([]byte, size)
	burst := func() {
		for range min(20, 60_000/max(size, 1)) { // what a Flush of a peer keeps room for
			if err := pp.a.Send(pp.p, 1, mode, msg); err != nil {
				t.Fatal(err)
			}
		}
		for range turns {
			pp.turn()
		}
	}
	for range 100 {
		burst()
	}
	return burst
}
