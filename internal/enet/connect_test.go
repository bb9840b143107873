package enet

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// TestHandshakesSurviveLoss: many clients dial at once through 20 % loss each
// way, although an unproved address is answered sparingly.
func TestHandshakesSurviveLoss(t *testing.T) {
	w := newWorld(t, 20)
	w.net.Impair(netsim.Spec{Latency: 40 * time.Millisecond, Loss: 0.2})
	server := w.add(Config{Accept: true, MaxPeers: 400})
	clients := make([]*end, 300)
	for i := range clients {
		clients[i] = w.add(Config{})
		if _, err := clients[i].h.Dial(w.now, server.h.LocalAddr()); err != nil {
			t.Fatal(err)
		}
	}
	w.run(4*time.Second, 5*time.Millisecond)
	both := 0
	for _, c := range clients {
		both += c.count(transport.Connected)
	}
	if n := server.count(transport.Connected); n < 290 || both < 295 {
		t.Errorf("of 300 clients %d are in at the server's side and %d at their own after 4 s", n, both)
	}
}

// TestReplyBudget holds how often an answer is sent to an address that is not
// proved.
func TestReplyBudget(t *testing.T) {
	for _, c := range []struct {
		replies, resends int // CONNECTs sent again
		want             int
	}{
		{0, 0, 3}, {1, 0, 1}, {2, 0, 2}, {-1, 0, 4}, {0, 1, 4}, {1, 1, 2},
	} {
		t.Run(fmt.Sprint(c.replies, c.resends), func(t *testing.T) {
			link := newWireLink()
			h, err := New(link, Config{Accept: true, Handshakes: Handshakes{Replies: c.replies}, Random: seeded(1)})
			if err != nil {
				t.Fatal(err)
			}
			for range 1 + c.resends {
				link.in = append(link.in, parcel{from(1), connectDatagram(1)})
			}
			for now := 0; now < 6000; now += 10 {
				poll(h, at(now))
				_, _ = h.Flush(at(now))
			}
			if n := len(link.take()); n != c.want {
				t.Errorf("%d answers in 5 s, want %d", n, c.want)
			}
			checkIdle(t, "after the handshake", h)
		})
	}
}

// TestBroadcastDial: whoever answers first is the peer, and nobody else.
func TestBroadcastDial(t *testing.T) {
	link := newWireLink()
	h, err := New(link, Config{Random: seeded(1)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Dial(at(0), netip.MustParseAddrPort("255.255.255.255:7777"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = h.Flush(at(0))
	out := link.take()
	offer := getConnect(out[0].b[4:])
	for i := range 2 {
		b := make([]byte, 4+fixedSize[kindVerifyConnect])
		datagramHeader{peerID: offer.peerID, hasTime: true}.put(b)
		header{byte(kindVerifyConnect) | flagAcknowledge, controlChannel, 1}.put(b[4:])
		answer := offer
		answer.peerID, answer.inSession, answer.outSession = uint16(10+i), 0, 0
		answer.put(b[4:])
		link.in = append(link.in, parcel{from(1 + i), b})
	}
	events := poll(h, at(20))
	if len(events) != 1 || events[0].Kind != transport.Connected || h.Remote(p) != from(1).AP {
		t.Errorf("%+v, connected to %v; want the first who answered", events, h.Remote(p))
	}
	h.Reset(p)
	checkIdle(t, "afterwards", h)
}

// TestABlindAnswerProvesNothing: who sends with the address of another sees no
// VERIFY_CONNECT. He can guess slot and session, and knows the host's clock if
// he has a connection of his own; that must not be enough to get one.
func TestABlindAnswerProvesNothing(t *testing.T) {
	r := newRawPeer(t, Config{MaxPeers: 100})
	lucky := 0
	for i := range 50 {
		victim := from(100 + i)
		r.link.in = append(r.link.in, parcel{victim, connectDatagram(uint32(1000 + i))})
		r.turn()
		p := r.h.slots.byAddr[victim]
		for ago := range 200 { // answers to every moment since
			b := make([]byte, 2+fixedSize[kindAcknowledge])
			datagramHeader{peerID: p.slot, session: p.id.inSession}.put(b)
			ackCommand{controlChannel, 1, uint16(clockOrigin + r.now - ago)}.put(b[2:])
			r.link.in = append(r.link.in, parcel{victim, b})
		}
		r.turn()
		lucky += b2i(p.state == stateConnected)
		r.now++
	}
	if lucky > 3 { // a guess is right in about one case of 100
		t.Errorf("%d of 50 who never saw an answer are connected", lucky)
	}
}

// TestProofRepeatsUntilItIsHeard: the acknowledgement of VERIFY_CONNECT travels
// with everything a client says until the host answers something, so that what
// it says is not thrown away because that one datagram was lost.
func TestProofRepeatsUntilItIsHeard(t *testing.T) {
	w := newWorld(t, 1)
	w.net.Impair(netsim.Spec{Latency: 30 * time.Millisecond})
	server, c := w.add(Config{Accept: true}), w.add(Config{})
	p, err := c.h.Dial(w.now, server.h.LocalAddr())
	if err != nil {
		t.Fatal(err)
	}
	proofs, lose := 0, true
	w.net.Filter = func(_ time.Time, from, _ netip.AddrPort, b []byte) netsim.Verdict {
		d, _ := getDatagramHeader(b)
		if from != c.h.LocalAddr() || d.peerID == noPeerID {
			return netsim.Impair
		}
		eachCommand(b, func(hd header, _ []byte) {
			if hd.kind() == kindAcknowledge && hd.channel == controlChannel && hd.seq == 1 {
				proofs++
			}
		})
		if lose {
			return netsim.Drop
		}
		return netsim.Impair
	}
	w.until("the client is connected", time.Second, func() bool { return c.count(transport.Connected) == 1 })
	if proofs != 1 {
		t.Fatalf("%d proofs left", proofs)
	}
	lose = false
	begin := w.now
	_ = c.h.Send(p, 0, transport.Reliable, []byte("hello"))
	w.until("the host has the message", time.Second, func() bool { return server.count(transport.Message) == 1 })
	if took := w.now.Sub(begin); took > 40*time.Millisecond {
		t.Errorf("a message after a lost proof took %v on a link of 30 ms", took)
	}
	w.run(100*time.Millisecond, time.Millisecond)
	proofs = 0
	_ = c.h.Send(p, 0, transport.Reliable, []byte("more"))
	w.run(2*time.Second, time.Millisecond)
	if proofs != 0 {
		t.Errorf("the proof was repeated %d times after the host had answered", proofs)
	}
}

// TestTheAnswerToADialIsAMeasurement: with it resends on a short link need not
// wait for C's first guess of half a second.
func TestTheAnswerToADialIsAMeasurement(t *testing.T) {
	w := newWorld(t, 1)
	w.net.Impair(netsim.Spec{Latency: 20 * time.Millisecond})
	server, c := w.add(Config{Accept: true}), w.add(Config{})
	p, _ := c.h.Dial(w.now, server.h.LocalAddr())
	w.until("the client is connected", time.Second, func() bool { return c.count(transport.Connected) == 1 })
	if s := c.h.Stats(p); s.RTT < 40*time.Millisecond || s.RTT > 45*time.Millisecond {
		t.Errorf("the round trip reads %v on a link of 40 ms", s.RTT)
	}
}
