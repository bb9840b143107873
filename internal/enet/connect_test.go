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
