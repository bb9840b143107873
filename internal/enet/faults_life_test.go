package enet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

func TestFault10DisconnectLaterLosesNothing(t *testing.T) {
	for _, n := range []int{1, 10, 100, 10_000} {
		for _, size := range []int{8, 3000} {
			if size*n > 10<<20 {
				continue
			}
			t.Run(fmt.Sprintf("%d of %d bytes", n, size), func(t *testing.T) {
				w := newWorld(t, uint64(n))
				a, b := w.add(Config{Limits: Limits{Queue: 50000}}), w.add(Config{Accept: true})
				p, _ := w.connect(a, b)
				w.net.Impair(netsim.Spec{Latency: 20 * time.Millisecond, Loss: 0.2})
				c := &counted{t: t, mode: transport.Reliable, size: size}
				c.send(a.h, p, uint32(n))
				if err := a.h.Send(p, 1, transport.Sequenced, []byte("the last unreliable one")); err != nil {
					t.Fatal(err)
				}
				a.h.DisconnectLater(p, 42)
				if err := a.h.Send(p, 0, transport.Reliable, []byte("too late")); !errors.Is(err, transport.ErrUnknownPeer) {
					t.Errorf("a send after DisconnectLater: %v", err)
				}
				w.until("the receiver is told the end", 10*time.Minute, func() bool { return b.count(transport.Disconnected) > 0 })
				if n != len(b.messages(0)) {
					t.Errorf("%d of %d messages arrived before the end", len(b.messages(0)), n)
				}
				for i, m := range b.messages(0) {
					if binary.LittleEndian.Uint32(m) != uint32(i) {
						t.Fatalf("message %d is number %d", i, binary.LittleEndian.Uint32(m))
					}
				}
				e := b.events[len(b.events)-1]
				if e.Kind != transport.Disconnected || e.Code != 42 || e.Reason != transport.Closed || b.count(transport.Disconnected) != 1 {
					t.Errorf("the last event is %+v, want one end with 42", e)
				}
				w.until("we hear of the end too", time.Minute, func() bool { return a.count(transport.Disconnected) == 1 })
			})
		}
	}
}

func TestFault10PlainDisconnectKeepsWhatArrived(t *testing.T) {
	w := newWorld(t, 10)
	w.net.Impair(netsim.Spec{Latency: 10 * time.Millisecond})
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	p, _ := w.connect(a, b)
	for range 100 {
		_ = a.h.Send(p, 0, transport.Reliable, []byte("arrives"))
	}
	w.turn(a)
	b.asleep = true
	w.run(50*time.Millisecond, time.Millisecond)
	_ = a.h.Send(p, 0, transport.Reliable, []byte("is lost: the queue is dropped"))
	a.h.Disconnect(p, 7)
	w.run(50*time.Millisecond, time.Millisecond)
	b.asleep = false // finds the messages and the goodbye in its socket together
	w.run(100*time.Millisecond, time.Millisecond)
	if n := len(b.messages(0)); n != 100 {
		t.Errorf("%d messages were delivered, 100 had arrived", n)
	}
	if e := b.events[len(b.events)-1]; e.Kind != transport.Disconnected || e.Code != 7 {
		t.Errorf("the last event is %+v", e)
	}
	if e := a.last(transport.Disconnected); e.Code != 0 || e.Reason != transport.Closed || a.count(transport.Disconnected) != 1 {
		t.Errorf("the one who left hears %+v", e)
	}
}

// TestFault11AnyCallInAnyState does what no program should: every call, in
// every state, on a link that dies and comes back.
func TestFault11AnyCallInAnyState(t *testing.T) {
	seen := [stateCount]bool{}
	for seed := range rounds[uint64](300, 60) {
		anyCalls(t, seed, &seen)
	}
	for s := stateConnecting; s < stateCount; s++ {
		if !seen[s] && s != stateAcceptingConnect { // whose handle nobody has yet
			t.Errorf("no call was made in state %v", s)
		}
	}
}

func anyCalls(t *testing.T, seed uint64, seen *[stateCount]bool) {
	rng := rand.New(rand.NewPCG(seed, 11))
	w := newWorld(t, seed)
	spec := netsim.Spec{Latency: 5 * time.Millisecond, Jitter: 4 * time.Millisecond, Loss: 0.1, Duplicate: 0.1, Reorder: 0.1}
	w.net.Impair(spec)
	short := Timeouts{Minimum: 300 * time.Millisecond, Maximum: time.Second}
	ends := []*end{w.add(Config{Accept: true, MaxPeers: 4, Timeouts: short}), w.add(Config{Accept: true, MaxPeers: 4, Timeouts: short})}
	life := map[*end]map[transport.Peer]int{ends[0]: {}, ends[1]: {}} // 1: connected, 2: over
	quiet := map[*end]map[transport.Peer]bool{ends[0]: {}, ends[1]: {}}
	var known [2][]transport.Peer
	payload := make([]byte, 5000)
	check := func() {
		for i, e := range ends {
			for _, ev := range e.events {
				l := life[e][ev.Peer]
				switch {
				case quiet[e][ev.Peer]:
					t.Fatalf("seed %d: %+v of a peer that was dropped", seed, ev)
				case l == 2, ev.Kind == transport.Connected && l != 0, ev.Kind == transport.Message && l != 1:
					t.Fatalf("seed %d: %+v when the connection was in stage %d", seed, ev, l)
				case ev.Kind == transport.Connected:
					life[e][ev.Peer] = 1
					known[i] = append(known[i], ev.Peer)
				case ev.Kind == transport.Disconnected:
					life[e][ev.Peer] = 2
				}
			}
			e.events = e.events[:0]
		}
	}
	for range 400 {
		if rng.IntN(3) == 0 { // calls between Poll and Flush
			for _, e := range ends {
				e.events = append(e.events, poll(e.h, w.now)...)
			}
			check()
		}
		i := rng.IntN(2)
		e := ends[i]
		var p transport.Peer
		if n := len(known[i]); n > 0 {
			p = known[i][n-1-rng.IntN(min(n, 4))]
		}
		if q := e.h.slots.find(p); q != nil {
			seen[q.state] = true
		}
		switch code := rng.Uint32(); rng.IntN(14) {
		case 0:
			if q, err := e.h.Dial(w.now, ends[1-i].h.LocalAddr()); err == nil {
				known[i] = append(known[i], q)
			}
		case 1:
			e.h.Disconnect(p, code)
		case 2:
			e.h.DisconnectLater(p, code)
		case 3:
			e.h.DisconnectNow(p, code)
			quiet[e][p] = true
		case 4:
			e.h.Reset(p)
			quiet[e][p] = true
		case 5:
			e.h.Drop(p, code)
			quiet[e][p] = true
		case 6, 7, 8:
			_ = e.h.Send(p, transport.Channel(rng.IntN(5)), transport.Mode(rng.IntN(3)), payload[:rng.IntN(len(payload))])
		case 9:
			e.h.Throttle(p, Throttle{Deceleration: code})
			e.h.Ping(p)
			e.h.Timeout(p, short)
		case 10:
			e.h.BandwidthLimit(code%1_000_000, code>>12)
		case 11:
			w.net.Cut(ends[0].h.LocalAddr(), ends[1].h.LocalAddr(), rng.IntN(3) == 0)
		default:
			w.run(time.Duration(rng.IntN(40))*time.Millisecond, 2*time.Millisecond)
		}
		check()
	}
	w.net.Cut(ends[0].h.LocalAddr(), ends[1].h.LocalAddr(), true)
	w.run(10*time.Second, 10*time.Millisecond)
	for _, e := range ends {
		checkIdle(t, fmt.Sprintf("seed %d", seed), e.h)
	}
}

// checkIdle holds that a host without connections holds nothing.
func checkIdle(t *testing.T, name string, h *Host) {
	t.Helper()
	s := &h.slots
	if s.used != 0 || s.live != 0 || s.handshakes.n != 0 || len(s.byAddr) != 0 || len(s.byRemote) != 0 || len(s.perIP) != 0 {
		t.Fatalf("%s: %d slots leaked, %d live, %d handshakes, %d addresses, %d ips", name, s.used, s.live, s.handshakes.n, len(s.byAddr), len(s.perIP))
	}
	if h.held != 0 || h.queued != 0 || len(h.timers.heap) != 0 || h.band.limited != 0 {
		t.Fatalf("%s: %d bytes held, %d queued, %d timers, %d limited", name, h.held, h.queued, len(h.timers.heap), h.band.limited)
	}
}

func TestFault13Limits(t *testing.T) {
	for n, ok := range map[int]bool{1: true, 4095: true, 4096: false, -1: false, 70000: false} {
		h, err := New(newWireLink(), Config{MaxPeers: n})
		if (err == nil) != ok || !ok && fault.CodeOf(err) != fault.Config {
			t.Errorf("MaxPeers %d: %v, %v", n, h != nil, err)
		}
	}
}

func TestFault13FullHostTakesThemAll(t *testing.T) {
	link := newWireLink()
	link.mute = true
	h, err := New(link, Config{Accept: true, MaxPeers: 4095, Random: seeded(1)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4096 {
		link.in = append(link.in, parcel{from(i), connectDatagram(uint32(i))})
		poll(h, at(i/10))
		_, _ = h.Flush(at(i / 10))
		if p := h.slots.byAddr[from(i)]; p != nil {
			link.in = append(link.in, parcel{from(i), ackVerify(p, at(i/10))})
			poll(h, at(i/10))
		}
	}
	if h.PeerCount() != 4095 || h.Counters().Connects != 1 {
		t.Errorf("%d connections, %d refused; want 4095 and the 4096th refused", h.PeerCount(), h.Counters().Connects)
	}
}

// ackVerify is what a client answers to VERIFY_CONNECT.
func ackVerify(p *peer, sent time.Time) []byte {
	b := make([]byte, 2+fixedSize[kindAcknowledge])
	datagramHeader{peerID: p.slot, session: p.id.inSession}.put(b)
	ackCommand{controlChannel, 1, p.id.timeOrigin + uint16(clockOrigin+sent.Sub(epoch)/time.Millisecond)}.put(b[2:])
	return b
}

func TestFault13SlotsComeBack(t *testing.T) {
	w := newWorld(t, 13)
	server := w.add(Config{Accept: true, MaxPeers: 4})
	short := Timeouts{Minimum: 20 * time.Millisecond, Maximum: 40 * time.Millisecond}
	clients := [4]*end{}
	for i := range clients {
		clients[i] = w.add(Config{MaxPeers: 1, Timeouts: short})
	}
	rng := rand.New(rand.NewPCG(13, 13))
	for i := range rounds(100_000, 10_000) {
		c := clients[i%4]
		p, err := c.h.Dial(w.now, server.h.LocalAddr())
		if err != nil {
			t.Fatalf("cycle %d: %v", i, err)
		}
		w.turn(c)
		w.turn(server)
		w.turn(c)
		w.turn(server)
		at := server.last(transport.Connected).Peer
		if len(server.events) != 1 || c.count(transport.Connected) != 1 {
			t.Fatalf("cycle %d: refused although only %d connections stand", i, server.h.PeerCount())
		}
		server.h.Timeout(at, short)
		switch rng.IntN(5) {
		case 0:
			c.h.Disconnect(p, 1)
		case 1:
			c.h.DisconnectNow(p, 1)
		case 2:
			server.h.Drop(at, 1)
		case 3:
			server.h.Reset(at)
			c.h.Reset(p)
		default:
			c.h.Reset(p) // the server finds out by itself
			_ = server.h.Send(at, 0, transport.Reliable, []byte("anyone?"))
		}
		for range 4 {
			w.turn(c)
			w.turn(server)
			w.now = w.now.Add(20 * time.Millisecond)
		}
		for server.h.PeerCount() > 0 || c.h.PeerCount() > 0 {
			w.turn(c)
			w.turn(server)
			w.now = w.now.Add(20 * time.Millisecond)
		}
		server.events, c.events = server.events[:0], c.events[:0]
	}
	checkIdle(t, "server", server.h)
}

func TestFault13OldSessionsAreIgnored(t *testing.T) {
	w := newWorld(t, 13)
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	var old [][]byte
	w.net.Tap = func(r netsim.Record) {
		if r.From == a.h.LocalAddr() {
			old = append(old, append([]byte(nil), r.Bytes...))
		}
	}
	p, _ := w.connect(a, b)
	_ = a.h.Send(p, 0, transport.Reliable, []byte("old"))
	_ = a.h.Send(p, 1, transport.Unsequenced, []byte("old"))
	w.step(time.Millisecond)
	a.h.Disconnect(p, 0)
	w.until("a clean end", time.Second, func() bool { return b.count(transport.Disconnected) == 1 })
	w.net.Tap = nil
	b.events = nil
	w.connect(a, b) // the same address, at once
	for _, d := range old {
		w.net.Inject(w.now, a.h.LocalAddr(), b.h.LocalAddr(), d)
	}
	w.run(50*time.Millisecond, time.Millisecond)
	if b.count(transport.Message) != 0 || b.count(transport.Disconnected) != 0 || b.count(transport.Connected) != 1 {
		t.Errorf("datagrams of the session before had effects: %+v", b.events)
	}
}
