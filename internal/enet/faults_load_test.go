package enet

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// TestFault12OneBigQueueSlowsNobody: one peer with 32 MiB queued on a lossy
// link, and many that get small messages. Their messages are not late, and
// (BenchmarkBesideBigQueue) the host does no more work for them.
func TestFault12OneBigQueueSlowsNobody(t *testing.T) {
	w := newWorld(t, 12)
	w.net.Impair(netsim.Spec{Latency: 10 * time.Millisecond})
	server := w.add(Config{Accept: true, MaxPeers: 600, Limits: Limits{Packet: 32 << 20, Queue: 40000, Waiting: 64 << 20}})
	const others = 100
	size := rounds(32<<20, 4<<20)
	var handles []transport.Peer
	var late int
	for range others {
		c := w.add(Config{})
		c.onMsg = func(e transport.Event) {
			if sent := time.Duration(binary.LittleEndian.Uint64(e.Data)); w.now.Sub(epoch)-sent > 11*time.Millisecond {
				late++
			}
		}
		_, at := w.connect(c, server)
		handles = append(handles, at)
	}
	big := w.add(Config{Limits: Limits{Packet: 32 << 20, Waiting: 64 << 20}})
	got := 0
	big.onMsg = func(e transport.Event) { got += len(e.Data) }
	_, toBig := w.connect(big, server)
	w.net.ImpairPath(server.h.LocalAddr(), big.h.LocalAddr(), netsim.Spec{Latency: 10 * time.Millisecond, Loss: 0.01})
	if err := server.h.Send(toBig, 0, transport.Reliable, make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := server.h.Send(toBig, 0, transport.Reliable, make([]byte, 32<<20)); size == 32<<20 && !errors.Is(err, transport.ErrBacklog) {
		t.Errorf("another 32 MiB beside it: %v, want a backlog", err)
	}
	b := make([]byte, 8)
	for tick := 0; got == 0; tick++ {
		if tick > 2000 {
			t.Fatal("32 MiB did not arrive in a minute")
		}
		binary.LittleEndian.PutUint64(b, uint64(w.now.Sub(epoch)))
		for _, p := range handles {
			if err := server.h.Send(p, 1, transport.Sequenced, b); err != nil {
				t.Fatal(err)
			}
		}
		w.run(33*time.Millisecond, 11*time.Millisecond)
	}
	if got != size || late > 0 {
		t.Errorf("%d bytes arrived; %d messages of the others were late", got, late)
	}
}

// TestFault12IdleHostsCostTheSame: a turn of a host with room for 4095 peers
// costs about what it costs one with room for its only peer, and 4094 others
// that are idle add nothing. One look at each slot would make it ten times as
// much. The best of several runs is compared, for others use the machine, too.
func TestFault12IdleHostsCostTheSame(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's costs are others")
	}
	turns := func(slots, others int) func() {
		r := newRawPeer(t, Config{MaxPeers: slots, Timeouts: Timeouts{Minimum: time.Hour, Maximum: time.Hour, Ping: time.Hour}})
		for i := range others {
			r.now = i // the rate of CONNECTs is limited
			r.join(from(10+i), uint32(10+i))
		}
		r.link.mute = true
		return func() {
			for range 2000 {
				r.now++
				r.turn()
			}
		}
	}
	one := turns(1, 0)
	within(t, 3, one, turns(4095, 0), "a host with 4095 slots, beside one with 1")
	within(t, 3, one, turns(4095, 4094), "a host with 4095 idle peers, beside one with 1")
}

// TestFault12ABigQueueCostsNothing: a tick of 65 peers costs the same when one
// of them has 28 000 fragments queued and acknowledges nothing.
func TestFault12ABigQueueCostsNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's costs are others")
	}
	ticks := func(big bool) func() {
		tick := bigQueueTick(t, big)
		return func() {
			for range 200 {
				tick()
			}
		}
	}
	within(t, 2, ticks(false), ticks(true), "a tick with 32 MiB queued, beside one without")
}

// within holds that b takes at most factor times as long as a, at its best.
func within(t *testing.T, factor float64, a, b func(), what string) {
	t.Helper()
	best := [2]time.Duration{time.Hour, time.Hour}
	for range 50 {
		for i, f := range []func(){a, b} {
			began := time.Now()
			f()
			best[i] = min(best[i], time.Since(began))
		}
		if float64(best[1]) <= factor*float64(best[0]) {
			return
		}
	}
	t.Errorf("%s: %v against %v, more than %v times", what, best[1], best[0], factor)
}
