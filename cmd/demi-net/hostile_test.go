package main

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"
	"time"

	"demi.network/internal/enet"
	"demi.network/runtime/transport"
	"demi.network/runtime/udp"
)

// TestTheHostSurvivesStrangers sends a running host what strangers send, then
// lets an honest client join and leave: field log B57, and the rows "random
// datagrams" and "truncated and oversized frames" of the table of bad inputs.
func TestTheHostSurvivesStrangers(t *testing.T) {
	dir := project(t, nil)
	host := withReport(t, "host", dir, "--port", "0")
	addr := netip.MustParseAddrPort(host.address())
	random := rand.New(rand.NewPCG(57, 1))

	t.Run("random datagrams", func(t *testing.T) {
		c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(addr))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for i := range 20000 {
			b := make([]byte, random.IntN(1500))
			for j := range b {
				b[j] = byte(random.Uint32())
			}
			if i%3 == 0 && len(b) > 4 {
				copy(b, []byte{0x8f, 0xff}) // an address of no peer: CONNECT may follow
				b[4] = 0x82
			}
			_, _ = c.Write(b) // a full socket buffer is no fault
		}
	})
	t.Run("frames that are truncated, oversized or of no kind", func(t *testing.T) {
		s := dialStranger(t, addr)
		for kind := range 64 {
			for _, n := range []int{0, 1, 2, 3, 7, 40, 1000, 20000} {
				b := make([]byte, n+1)
				for j := range b {
					b[j] = byte(random.Uint32())
				}
				b[0] = byte(kind)
				ch := transport.Channel(random.IntN(4))
				if s.host.Send(s.peer, ch, transport.Mode(random.IntN(3)), b) != nil {
					break // the host has hung up, as it may
				}
			}
			if !s.turn() {
				s = dialStranger(t, addr)
			}
		}
	})

	client := start(t, "join", addr.String(), dir)
	client.event("active")
	if code := client.quit(); code != 0 {
		t.Errorf("an honest client ended with %d\n%s", code, client.said())
	}
	if code := host.quit(); code != 0 {
		t.Errorf("the host ended with %d\n%s", code, host.said())
	}
	if r := host.reported(); len(r.Peers) != 1 {
		t.Errorf("the host counts %d players, want the honest client alone", len(r.Peers))
	}
}

// stranger speaks ENet to the host, and nothing above it.
type stranger struct {
	t    *testing.T
	link *transport.UDP
	host *enet.Host
	peer transport.Peer
}

func dialStranger(t *testing.T, addr netip.AddrPort) *stranger {
	t.Helper()
	link, err := transport.DialUDP(addr)
	if err != nil {
		t.Fatal(err)
	}
	h, err := enet.New(link, enet.Config{MaxPeers: 1, Channels: 4, ConnectData: udp.ConnectData, Random: udp.Entropy})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s := &stranger{t: t, link: link, host: h}
	if s.peer, err = h.Dial(time.Now(), addr); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		next, err := h.Flush(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		link.Wait(next)
		if ev, ok := h.Poll(time.Now()); ok && ev.Kind == transport.Connected {
			return s
		}
	}
	t.Fatal("the host does not answer an ENet CONNECT any more")
	return nil
}

// turn sends what is queued and reads what came; false: the host hung up.
func (s *stranger) turn() bool {
	for range 3 {
		next, err := s.host.Flush(time.Now())
		if err != nil {
			s.t.Fatal(err)
		}
		if soon := time.Now().Add(5 * time.Millisecond); next.After(soon) || next.IsZero() {
			next = soon
		}
		s.link.Wait(next)
		for ev, ok := s.host.Poll(time.Now()); ok; ev, ok = s.host.Poll(time.Now()) {
			if ev.Kind == transport.Disconnected {
				return false
			}
		}
	}
	return true
}
