package transport_test

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/transport/linktest"
)

var (
	any4 = netip.MustParseAddrPort("127.0.0.1:0")
	any6 = netip.MustParseAddrPort("[::1]:0")
)

// patience is how long a test waits for a datagram on loopback.
const patience = 5 * time.Second

func listen(t testing.TB, a netip.AddrPort) *transport.UDP {
	t.Helper()
	u, err := transport.ListenUDP(a)
	if err != nil {
		if a.Addr().Is6() && fault.CodeOf(err) == fault.Bind {
			t.Skipf("no IPv6 here: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = u.Close() })
	return u
}

func dial(t testing.TB, to netip.AddrPort) *transport.UDP {
	t.Helper()
	u, err := transport.DialUDP(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = u.Close() })
	return u
}

func addrOf(t testing.TB, l transport.Link, to netip.AddrPort) transport.Addr {
	t.Helper()
	a, err := l.Open(time.Time{}, to)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func send(t testing.TB, u *transport.UDP, to transport.Addr, b []byte) {
	t.Helper()
	if err := u.Send(time.Time{}, to, b); err != nil {
		t.Fatal(err)
	}
	if err := u.Flush(); err != nil {
		t.Fatal(err)
	}
}

// receive returns the next datagram.
func receive(t testing.TB, u *transport.UDP) (from transport.Addr, b []byte) {
	t.Helper()
	for end := time.Now().Add(patience); b == nil; {
		if !time.Now().Before(end) {
			t.Fatal("nothing arrives")
		}
		u.Wait(end)
		u.Drain(time.Now(), func(f transport.Addr, d []byte) { from, b = f, bytes.Clone(d) })
	}
	return from, b
}

// loopback is the conformance of UDP on one family, each link passed through
// wrap.
func loopback(t *testing.T, at netip.AddrPort, wrap func(transport.Link) transport.Link) {
	nowhere := listen(t, at)
	addr := nowhere.LocalAddr()
	_ = nowhere.Close()
	linktest.Conformance(t, linktest.Config{
		Pair: func(t testing.TB) (transport.Link, func() transport.Link) {
			s := listen(t, at)
			return wrap(s), func() transport.Link { return wrap(dial(t, s.LocalAddr())) }
		},
		Now:     time.Now,
		Wait:    func(l transport.Link) { l.(transport.Waiter).Wait(time.Now().Add(50 * time.Millisecond)) },
		Nowhere: addr,
	})
}

func plain(l transport.Link) transport.Link { return l }

func TestUDPConforms(t *testing.T) {
	t.Run("IPv4", func(t *testing.T) { loopback(t, any4, plain) })
	t.Run("IPv6", func(t *testing.T) { loopback(t, any6, plain) })
	t.Run("wrapped", func(t *testing.T) {
		loopback(t, any4, func(l transport.Link) transport.Link { return netsim.Wrap(l, netsim.Spec{}, 1) })
	})
}

func TestTheWildcardServesBothFamilies(t *testing.T) {
	s := listen(t, netip.MustParseAddrPort("[::]:0"))
	port := s.LocalAddr().Port()
	for _, ip := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1"} {
		c := dial(t, netip.AddrPortFrom(netip.MustParseAddr(ip), port))
		to := addrOf(t, c, netip.AddrPortFrom(netip.MustParseAddr(ip), port))
		send(t, c, to, []byte(ip))
		from, b := receive(t, s)
		if string(b) != ip || from.AP != c.LocalAddr() {
			t.Errorf("%s: the server reads %q from %v, the client is %v: a mapped address must be the plain one", ip, b, from, c.LocalAddr())
		}
		send(t, s, from, []byte("back"))
		if from, _ := receive(t, c); from != to {
			t.Errorf("%s: the answer is from %v, want %v", ip, from, to)
		}
	}
}

func TestClientsHearTheirServerOnly(t *testing.T) {
	s, stranger := listen(t, any4), listen(t, any4)
	c := dial(t, s.LocalAddr())
	if !transport.IsLoopback(c.LocalAddr()) {
		t.Errorf("the client of a loopback server is bound to %v", c.LocalAddr())
	}
	send(t, stranger, addrOf(t, stranger, c.LocalAddr()), []byte("boo"))
	send(t, s, addrOf(t, s, c.LocalAddr()), []byte("hello"))
	if _, b := receive(t, c); string(b) != "hello" {
		t.Errorf("the client heard %q", b)
	}
	if _, err := c.Open(time.Time{}, stranger.LocalAddr()); fault.CodeOf(err) != fault.Address {
		t.Errorf("Open of another address on a connected socket: %v, want E_NET_ADDRESS", err)
	}
	if err := c.Send(time.Time{}, transport.Addr{AP: stranger.LocalAddr()}, nil); !errors.Is(err, transport.ErrUnknownPeer) {
		t.Errorf("Send to another address on a connected socket: %v, want ErrUnknownPeer", err)
	}
}

func TestOddSizes(t *testing.T) {
	s := listen(t, any4)
	raw, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(s.LocalAddr()))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, size := range []int{0, 1, transport.MaxReceive, transport.MaxReceive + 1, 65507, 2} {
		if _, err := raw.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	var sizes []int
	for end := time.Now().Add(patience); s.Counters().Received+s.Counters().Truncated < 5 && time.Now().Before(end); {
		s.Wait(end)
		s.Drain(time.Now(), func(_ transport.Addr, b []byte) { sizes = append(sizes, len(b)) })
	}
	if !slices.Equal(sizes, []int{1, transport.MaxReceive, 2}) || s.Counters().Truncated != 2 {
		t.Errorf("handed over %v, %d truncated; nothing is ever handed over cut short, nor empty", sizes, s.Counters().Truncated)
	}
	if err := s.Send(time.Time{}, transport.Addr{AP: s.LocalAddr()}, make([]byte, s.MTU()+1)); !errors.Is(err, transport.ErrTooLarge) {
		t.Errorf("sending more than the MTU: %v, want ErrTooLarge", err)
	}
}

// TestICMPIsLoss: a server that is not there yet, or died, answers with ICMP
// errors, which a connected socket reports on its next calls. The link must
// work on, and well when the server comes back.
func TestICMPIsLoss(t *testing.T) {
	s := listen(t, any4)
	at := s.LocalAddr()
	_ = s.Close()
	c := dial(t, at)
	to := addrOf(t, c, at)
	for range 10 {
		send(t, c, to, []byte("anybody?"))
		c.Wait(time.Now().Add(time.Millisecond))
		c.Drain(time.Now(), func(transport.Addr, []byte) { t.Error("an ICMP error was handed over as a datagram") })
	}
	back := listen(t, at)
	for range 3 { // all of them, although errors may be queued
		send(t, c, to, []byte("there you are"))
	}
	if _, b := receive(t, back); string(b) != "there you are" {
		t.Errorf("the revived server reads %q", b)
	}
	send(t, back, addrOf(t, back, c.LocalAddr()), []byte("yes"))
	if _, b := receive(t, c); string(b) != "yes" {
		t.Errorf("the client reads %q", b)
	}
}

func TestWaitEndsAtItsTime(t *testing.T) {
	s := listen(t, any4)
	start := time.Now()
	s.Wait(start.Add(-time.Second))
	s.Wait(start.Add(20 * time.Millisecond))
	if d := time.Since(start); d < 10*time.Millisecond || d > 2*time.Second {
		t.Errorf("waiting 20 ms took %v", d)
	}
	c := dial(t, s.LocalAddr())
	send(t, c, addrOf(t, c, s.LocalAddr()), []byte("x"))
	start = time.Now()
	s.Wait(start.Add(patience))
	if d := time.Since(start); d > patience/2 {
		t.Errorf("Wait slept %v with a datagram in the socket", d)
	}
}

func TestFieldLogB95BindErrorsSayWhy(t *testing.T) {
	taken := listen(t, any4)
	port := taken.LocalAddr().Port()
	texts := map[string]string{}
	for name, addr := range map[string]netip.AddrPort{
		"taken":                  taken.LocalAddr(),
		"taken, all of IPv4":     netip.AddrPortFrom(netip.IPv4Unspecified(), port),
		"taken, both families":   netip.AddrPortFrom(netip.IPv6Unspecified(), port),
		"not this machine's":     netip.MustParseAddrPort("203.0.113.7:0"),
		"not this machine's, v6": netip.MustParseAddrPort("[2001:db8::7]:0"),
	} {
		u, err := transport.ListenUDP(addr)
		if err == nil {
			_ = u.Close()
			t.Errorf("%s: %v was bound; the server would start half working", name, addr)
			continue
		}
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != fault.Bind || e.Code.Exit() != 5 {
			t.Errorf("%s: %v, want E_NET_BIND, exit 5", name, err)
			continue
		}
		if !strings.Contains(err.Error(), addr.String()) || e.Data["address"] != addr.String() || e.Data["cause"] == "" {
			t.Errorf("%s: %v (%v) does not name the address and the cause", name, err, e.Data)
		}
		texts[name] = strings.TrimPrefix(e.Text, addr.String())
	}
	if texts["taken"] == texts["not this machine's"] || texts["taken"] == "" {
		t.Errorf("a taken port and a foreign address must read differently: %q", texts)
	}
	again, err := transport.ListenUDP(taken.LocalAddr())
	if err == nil {
		_ = again.Close()
		t.Error("two links on one port: exactly one must win")
	}
	_ = taken.Close()
	reborn := listen(t, taken.LocalAddr())
	if reborn.LocalAddr() != taken.LocalAddr() {
		t.Errorf("the freed port came back as %v", reborn.LocalAddr())
	}
}

func TestFieldLogB95LoopbackStaysLoopback(t *testing.T) {
	for bind, lan := range map[string]bool{"": false, "localhost": false, "127.0.0.1": false, "::1": false, "0.0.0.0": true, "::": true} {
		at, err := transport.ParseBind(bind, 0)
		if err != nil {
			t.Errorf("bind %q: %v", bind, err)
			continue
		}
		u := listen(t, at)
		if transport.IsLoopback(u.LocalAddr()) == lan || u.LocalAddr().Port() == 0 {
			t.Errorf("bind %q listens on %v; loopback must be %v, and port 0 must pick one", bind, u.LocalAddr(), !lan)
		}
		_ = u.Close()
	}
}

func TestDialRefusesWhatCannotBeReached(t *testing.T) {
	for _, bad := range []string{"127.0.0.1:0", "0.0.0.0:5", "[::]:5", "224.0.0.1:5"} {
		if u, err := transport.DialUDP(netip.MustParseAddrPort(bad)); fault.CodeOf(err) != fault.Address {
			t.Errorf("DialUDP(%s): %v, %v; want E_NET_ADDRESS", bad, u, err)
		}
	}
	if _, err := transport.DialUDP(netip.AddrPort{}); fault.CodeOf(err) != fault.Address {
		t.Errorf("DialUDP of nothing: %v, want E_NET_ADDRESS", err)
	}
}

// burst sends n datagrams from c to s and drains them.
func burst(c, s *transport.UDP, to transport.Addr, msg []byte, n int, f func(transport.Addr, []byte)) {
	for range n {
		_ = c.Send(time.Time{}, to, msg)
	}
	_ = c.Flush()
	s.Wait(time.Now().Add(patience))
	s.Drain(time.Time{}, f)
}

func TestNothingIsAllocatedPerDatagram(t *testing.T) {
	for name, at := range map[string]netip.AddrPort{"IPv4": any4, "IPv6": any6} {
		t.Run(name, func(t *testing.T) {
			s := listen(t, at)
			c := dial(t, s.LocalAddr())
			up, msg := addrOf(t, c, s.LocalAddr()), make([]byte, 100)
			var back transport.Addr
			keep := func(from transport.Addr, _ []byte) { back = from }
			burst(c, s, up, msg, 1, keep)
			if n := testing.AllocsPerRun(50, func() {
				burst(c, s, up, msg, 20, keep)
				burst(s, c, back, msg, 20, func(transport.Addr, []byte) {})
			}); n != 0 {
				t.Errorf("%v allocations for 40 datagrams, want 0", n)
			}
			if got := s.Counters(); got.Received == 0 || got.Reads >= got.Received || got.Writes >= got.Sent {
				t.Errorf("%+v: datagrams must share system calls", got)
			}
		})
	}
}

func BenchmarkUDP(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(map[int]string{1: "one", 16: "batch16", 64: "batch64"}[n], func(b *testing.B) {
			s := listen(b, any4)
			c := dial(b, s.LocalAddr())
			to, msg := addrOf(b, c, s.LocalAddr()), make([]byte, 100)
			got := 0
			f := func(transport.Addr, []byte) { got++ }
			b.ReportAllocs()
			for b.Loop() {
				burst(c, s, to, msg, n, f)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(got), "ns/datagram")
		})
	}
}
