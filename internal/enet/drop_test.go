package enet

import (
	"fmt"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// dropped plays what a session does to end a connection: a last reliable
// message, behind others that are still on their way, and Drop. It returns what
// the other side got.
func dropped(t *testing.T, seed uint64, spec netsim.Spec) (messages int, end transport.Event) {
	w := newWorld(t, seed)
	w.net.Impair(netsim.Spec{Latency: spec.Latency})
	host, c := w.add(Config{Accept: true}), w.add(Config{})
	_, at := w.connect(c, host)
	w.run(time.Second, 5*time.Millisecond)
	w.net.Impair(spec)
	acked, sent := map[int]time.Time{}, map[int]bool{}
	var dropped time.Time
	w.net.Tap = func(r netsim.Record) {
		eachCommand(r.Bytes, func(hd header, _ []byte) {
			key := int(hd.channel)<<16 | int(hd.seq)
			mine := r.From == host.h.LocalAddr()
			switch {
			case !mine && hd.kind() == kindAcknowledge && !r.Due.IsZero():
				if was, ok := acked[key]; !ok || r.Due.Before(was) {
					acked[key] = r.Due
				}
			case mine && (hd.kind() == kindReliable || hd.kind() == kindFragment):
				sent[key] = true
			case mine && hd.kind() == kindDisconnect && w.now.Sub(dropped) < 990*time.Millisecond:
				for k := range sent {
					if when, ok := acked[k]; !ok || when.After(w.now) {
						t.Fatalf("seed %d: DISCONNECT left %v after Drop, although number %d of channel %d is not acknowledged",
							seed, w.now.Sub(dropped), k&0xFFFF, k>>16)
					}
				}
			}
		})
	}
	for _, b := range [][]byte{[]byte("one"), make([]byte, 3000), []byte("goodbye")} {
		if err := host.h.Send(at, 0, transport.Reliable, b); err != nil {
			t.Fatal(err)
		}
		w.step(5 * time.Millisecond)
	}
	dropped = w.now
	host.h.Drop(at, 42)
	w.run(1200*time.Millisecond, 5*time.Millisecond)
	if host.h.PeerCount() != 0 || host.count(transport.Disconnected) != 0 {
		t.Errorf("seed %d: 1.2 s after Drop the host has %d connections and heard %+v", seed, host.h.PeerCount(), host.last(transport.Disconnected))
	}
	return c.count(transport.Message), c.last(transport.Disconnected)
}

// TestDropDeliversFirst: what is queued arrives before the end does, and the
// end arrives with its code, on links that lose a good deal.
func TestDropDeliversFirst(t *testing.T) {
	seeds := rounds[uint64](300, 40)
	for _, c := range []struct {
		rtt        time.Duration
		loss       float64
		short, mum int // of 1000: without all messages, without an end
	}{
		{80 * time.Millisecond, 0.05, 0, 0},
		{80 * time.Millisecond, 0.1, 0, 0},
		{80 * time.Millisecond, 0.3, 20, 10},
		{200 * time.Millisecond, 0.1, 20, 10},
	} {
		t.Run(fmt.Sprintf("%v at %.0f %%", c.rtt, 100*c.loss), func(t *testing.T) {
			short, mum := 0, 0
			for seed := range seeds {
				n, end := dropped(t, seed, netsim.Spec{Latency: c.rtt / 2, Loss: c.loss})
				short += b2i(n != 3)
				switch {
				case end.Kind == 0:
					mum++
				case end.Code != 42 || end.Reason != transport.Closed:
					t.Errorf("seed %d: the other side hears %+v", seed, end)
				}
			}
			t.Logf("of %d: %d without all messages, %d without an end", seeds, short, mum)
			if 1000*short > c.short*int(seeds) || 1000*mum > c.mum*int(seeds) {
				t.Errorf("of %d drops %d lost a message and %d were not heard", seeds, short, mum)
			}
		})
	}
}
