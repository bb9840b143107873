package enet

import (
	"net/netip"
	"runtime"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

func TestFault15MTU(t *testing.T) {
	for _, c := range []struct {
		ours    int
		offered uint32
		want    int
	}{
		{0, 576, 576}, {0, 1200, 1200}, {0, 1392, 1200}, {0, 1400, 1200}, {0, 4096, 1200}, {0, 0, 576}, {0, 1<<32 - 1, 1200},
		{800, 1400, 800}, {1400, 1392, 1392}, {4096, 1 << 24, 4096}, {4096, 4097, 4096},
	} {
		link := newWireLink()
		link.mtu = MaxMTU
		h, err := New(link, Config{Accept: true, MTU: c.ours, Random: seeded(1)})
		if err != nil {
			t.Fatal(err)
		}
		b := connectDatagram(1)
		offer := getConnect(b[4:])
		offer.mtu = c.offered
		offer.put(b[4:])
		link.in = append(link.in, parcel{from(1), b})
		poll(h, at(0))
		_, _ = h.Flush(at(0))
		out := link.take()
		if len(out) != 1 {
			t.Fatalf("%d answers", len(out))
		}
		if got := getConnect(out[0].b[4:]).mtu; int(got) != c.want || h.slots.peers[0].wire.mtu != c.want {
			t.Errorf("ours %d, offered %d: %d is answered, want %d", c.ours, c.offered, got, c.want)
		}
	}
	for _, mtu := range []int{1, 575, 4097, -1} {
		if _, err := New(newWireLink(), Config{MTU: mtu}); fault.CodeOf(err) != fault.Config {
			t.Errorf("MTU %d: %v", mtu, err)
		}
	}
}

func TestFault15SmallPaths(t *testing.T) {
	for _, mtu := range []int{800, 1200} {
		w := newWorld(t, 15)
		w.net.Impair(netsim.Spec{Latency: time.Millisecond, MTU: 900})
		a, b := w.add(Config{MTU: mtu}), w.add(Config{Accept: true})
		p, _ := w.connect(a, b)
		_ = a.h.Send(p, 0, transport.Reliable, make([]byte, 5000))
		w.run(62*time.Second, 10*time.Millisecond)
		arrived, over := b.count(transport.Message) == 1, a.count(transport.Disconnected) == 1
		if fits := mtu <= 900; arrived != fits || over == fits {
			t.Errorf("MTU %d on a path of 900: arrived %v, timed out %v", mtu, arrived, over)
		}
	}
}

// TestFault15LargeMessages: our API says what becomes of large messages.
func TestFault15LargeMessages(t *testing.T) {
	for _, raw := range []bool{false, true} {
		w := newWorld(t, 15)
		a, b := w.add(Config{RawFragments: raw}), w.add(Config{Accept: true})
		p, _ := w.connect(a, b)
		for _, m := range []transport.Mode{transport.Sequenced, transport.Unsequenced} {
			_ = a.h.Send(p, 1, m, make([]byte, 3000))
		}
		w.run(20*time.Millisecond, time.Millisecond)
		want := transport.Sequenced
		if raw {
			want = transport.Reliable // as C does without the flag
		}
		n := 0
		for _, e := range b.events {
			if e.Kind == transport.Message {
				n++
				if e.Mode != want || len(e.Data) != 3000 {
					t.Errorf("raw %v: %v, %d bytes", raw, e.Mode, len(e.Data))
				}
			}
		}
		if n != 2 {
			t.Errorf("raw %v: %d messages", raw, n)
		}
	}
}

func TestFault15MappedAddressesAreOne(t *testing.T) {
	link := newWireLink()
	h, err := New(link, Config{Accept: true, Limits: Limits{DuplicatePeers: 3}, Random: seeded(1)})
	if err != nil {
		t.Fatal(err)
	}
	for i, ip := range []string{"192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1", "2001:db8::1"} {
		a := transport.Addr{AP: netip.AddrPortFrom(netip.MustParseAddr(ip), uint16(1000+i))}
		link.in = append(link.in, parcel{a, connectDatagram(uint32(i))})
	}
	poll(h, at(0))
	if h.slots.handshakes.n != 4 || h.Counters().Connects != 2 {
		t.Errorf("%d handshakes, %d refused; want three of the IPv4 address in either spelling and the other one", h.slots.handshakes.n, h.Counters().Connects)
	}
}

// TestFault15Families is the rest of fault 15 on real sockets.
func TestFault15Families(t *testing.T) {
	link, err := transport.ListenUDP(netip.MustParseAddrPort("[::]:0"))
	if err != nil {
		t.Skipf("no IPv6 here: %v", err)
	}
	server, err := New(link, Config{Accept: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	for _, ip := range []string{"::1", "127.0.0.1", "::ffff:127.0.0.1"} {
		to, err := transport.DialUDP(netip.AddrPortFrom(netip.MustParseAddr(ip), link.LocalAddr().Port()))
		if err != nil {
			t.Errorf("%s: %v", ip, err)
			continue
		}
		c, err := New(to, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Dial(time.Now(), netip.AddrPortFrom(netip.MustParseAddr(ip), link.LocalAddr().Port())); err != nil {
			t.Fatal(err)
		}
		if !meet(c, server, to) {
			t.Errorf("%s: no connection", ip)
		}
		_ = c.Close()
	}
}

// meet services two hosts on sockets until the first is connected, for at most
// five seconds.
func meet(c, server *Host, link *transport.UDP) bool {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		for _, h := range []*Host{c, server} {
			now := time.Now()
			for {
				e, ok := h.Poll(now)
				if !ok {
					break
				}
				if h == c && e.Kind == transport.Connected {
					return true
				}
			}
			if _, err := h.Flush(now); err != nil {
				return false
			}
		}
		link.Wait(time.Now().Add(time.Millisecond))
		runtime.Gosched()
	}
	return false
}

// TestFaultAddressChange: ENet has no answer to a client whose address
// changes, so both sides must end cleanly and the client can come back.
func TestFaultAddressChange(t *testing.T) {
	w := newWorld(t, 16)
	w.net.Impair(netsim.Spec{Latency: 10 * time.Millisecond})
	a, b := w.add(Config{}), w.add(Config{Accept: true})
	w.connect(a, b)
	w.run(time.Second, 10*time.Millisecond)
	moved := netip.MustParseAddrPort("10.9.9.9:1234")
	w.net.Rebind(a.h.LocalAddr(), moved)
	w.run(40*time.Second, 10*time.Millisecond)
	for i, e := range []*end{a, b} {
		if ev := e.last(transport.Disconnected); e.count(transport.Disconnected) != 1 || ev.Reason != transport.TimedOut {
			t.Errorf("side %d: %d ends, %+v", i, e.count(transport.Disconnected), ev)
		}
	}
	_, at := w.connect(a, b)
	if got := b.h.Remote(at); got != moved {
		t.Errorf("the new connection is from %v", got)
	}
}
