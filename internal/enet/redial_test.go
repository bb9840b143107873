package enet

import (
	"fmt"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// reborn kills the process behind an end, which says nothing to anybody, and
// starts another one at the same address.
func (w *world) reborn(e *end, cfg Config) *end {
	w.t.Helper()
	local := e.h.LocalAddr()
	if err := e.link.Close(); err != nil {
		w.t.Fatal(err)
	}
	link, err := w.net.Listen(local)
	if err != nil {
		w.t.Fatal(err)
	}
	cfg.Random = seeded(uint64(w.now.UnixNano()))
	h, err := New(link, cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	n := &end{h: h, link: link, next: w.now}
	for i := range w.ends {
		if w.ends[i] == e {
			w.ends[i] = n
		}
	}
	return n
}

// TestRedialFromTheSamePort: a client that died without a goodbye comes back
// at the same address and in the same slot, while the host still has the old
// connection and sends to it. The new connection gets nothing of the old one,
// which ends as soon as the new one stands; not even a full host refuses.
func TestRedialFromTheSamePort(t *testing.T) {
	for _, room := range []int{1, 4} {
		t.Run(fmt.Sprintf("MaxPeers %d", room), func(t *testing.T) {
			w := newWorld(t, 1)
			w.net.Impair(netsim.Spec{Latency: 20 * time.Millisecond})
			server := w.add(Config{Accept: true, MaxPeers: room, Limits: Limits{DuplicatePeers: room}})
			old := w.add(Config{})
			_, ghost := w.connect(old, server)
			w.run(time.Second, 5*time.Millisecond)
			client := w.reborn(old, Config{})
			server.events = nil
			for range 40 { // what fills the sequence numbers of the new one, if it takes them
				_ = server.h.Send(ghost, 0, transport.Reliable, []byte("for the dead"))
				_ = server.h.Send(ghost, 1, transport.Sequenced, []byte("for the dead"))
				w.run(10*time.Millisecond, 5*time.Millisecond)
			}
			dialled := w.now
			p, at := w.connect(client, server)
			if took := w.now.Sub(dialled); took > 100*time.Millisecond {
				t.Errorf("the second connection took %v", took)
			}
			for i, k := range []transport.EventKind{transport.Disconnected, transport.Connected} {
				if len(server.events) != 2 || server.events[i].Kind != k {
					t.Fatalf("the host's events are %+v, want the end of the old connection and then the new one", server.events)
				}
			}
			if e := server.events[0]; e.Peer != ghost || e.Reason != transport.TimedOut {
				t.Errorf("the old connection ended with %+v", e)
			}
			for i := range 10 {
				_ = server.h.Send(at, 0, transport.Reliable, []byte{byte(i)})
				_ = server.h.Send(at, 1, transport.Sequenced, []byte{byte(i)})
				_ = client.h.Send(p, 0, transport.Reliable, []byte{byte(i)})
			}
			w.run(100*time.Millisecond, 5*time.Millisecond)
			for i, list := range [][][]byte{client.messages(0), client.messages(1), server.messages(0)} {
				if len(list) != 10 || list[0][0] != 0 || list[9][0] != 9 {
					t.Errorf("stream %d: %q arrived, want ten numbers and nothing that was for the dead", i, list)
				}
			}
			w.run(40*time.Second, 50*time.Millisecond)
			if client.count(transport.Disconnected) != 0 || server.count(transport.Disconnected) != 1 || server.h.PeerCount() != 1 {
				t.Errorf("%d ends at the client, %d at the host, which has %d connections",
					client.count(transport.Disconnected), server.count(transport.Disconnected), server.h.PeerCount())
			}
		})
	}
}

// TestOnlyACompleteHandshakeReplaces: a CONNECT proves nothing, so it ends
// nobody's connection; nor does one that asks for another slot, or another
// address.
func TestOnlyACompleteHandshakeReplaces(t *testing.T) {
	r := newRawPeer(t, Config{Timeouts: Timeouts{Minimum: time.Hour, Maximum: time.Hour}})
	first := r.p
	for i := range 50 {
		r.link.in = append(r.link.in, parcel{r.from, connectDatagram(uint32(100 + i))})
	}
	for range 60 {
		r.turn()
		r.now += 100
	}
	if first.state != stateConnected || r.h.PeerCount() != 1 {
		t.Fatalf("CONNECTs without an answer ended the connection: it is %v", first.state)
	}
	second := r.joinFrom(r.from, 1, 7)
	r.join(from(2), 8)
	if first.state != stateConnected || second.state != stateConnected || r.h.PeerCount() != 3 {
		t.Errorf("connections of another slot and another address: the first is %v, the second %v, %d in all",
			first.state, second.state, r.h.PeerCount())
	}
}

// TestAStaleAnswerEndsNothing: who dials, gives up and dials again gets the
// answer to the first CONNECT first, in the same slot.
func TestAStaleAnswerEndsNothing(t *testing.T) {
	w := newWorld(t, 1)
	w.net.Impair(netsim.Spec{Latency: 50 * time.Millisecond})
	a, b := w.add(Config{MaxPeers: 1}), w.add(Config{Accept: true})
	for range 3 {
		p, err := a.h.Dial(w.now, b.h.LocalAddr())
		if err != nil {
			t.Fatal(err)
		}
		w.run(30*time.Millisecond, 5*time.Millisecond)
		a.h.Drop(p, 0)
	}
	p, _ := w.connect(a, b)
	w.run(10*time.Second, 10*time.Millisecond)
	if a.h.slots.find(p) == nil || a.count(transport.Connected) != 1 || a.count(transport.Disconnected) != 0 || b.count(transport.Connected) != 1 || b.h.PeerCount() != 1 {
		t.Errorf("at the dialler %+v, at the host %+v; want one connection that stays", a.events, b.events)
	}
}
