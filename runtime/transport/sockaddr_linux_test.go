package transport

import (
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestSocketAddressesRoundTrip(t *testing.T) {
	lo := ""
	if list, err := net.Interfaces(); err == nil && len(list) > 0 {
		lo = list[0].Name
	}
	for name, tc := range map[string]struct {
		v4   bool
		addr string
	}{
		"IPv4":                   {true, "10.1.2.3:258"},
		"IPv6":                   {false, "[2001:db8::1]:65535"},
		"IPv4 on an IPv6 socket": {false, "10.1.2.3:1"},
		"a zone":                 {false, "[fe80::1%" + lo + "]:7777"},
	} {
		want, err := netip.ParseAddrPort(tc.addr)
		if err != nil {
			t.Skipf("%s: no interface to name: %v", name, err)
		}
		f := family{v4: tc.v4, zones: map[uint32]string{}}
		var sa unix.RawSockaddrInet6
		f.encode(&sa, want)
		if got := f.decode(&sa); got != want {
			t.Errorf("%s: %v became %v: an answer would not match the address it was sent to", name, want, got)
		}
		if got := f.canonical(want); got != want {
			t.Errorf("%s: %v is spelled %v", name, want, got)
		}
	}
	f := family{zones: map[uint32]string{}}
	if got := f.canonical(netip.MustParseAddrPort("[fe80::1%1]:1")); lo != "" && got.Addr().Zone() == "1" {
		t.Errorf("a numbered zone stays %v, and datagrams from there will name it", got)
	}
}

// openFiles counts this process's file descriptors.
func openFiles(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc")
	}
	return len(list)
}

// TestTheBellHangsOnlyWhileSomebodyWaits: a loop that stops waiting must not be
// woken by datagrams, one that waits must be, and no descriptor may leak on the
// way.
func TestTheBellHangsOnlyWhileSomebodyWaits(t *testing.T) {
	s, err := ListenUDP(netip.AddrPortFrom(loopback4, 0))
	if err != nil {
		t.Fatal(err)
	}
	before := openFiles(t)
	for round := range 3 {
		if s.sock.bell.file != nil {
			t.Fatalf("round %d: registered although nobody waits", round)
		}
		s.Wait(time.Now())
		if s.sock.bell.file == nil {
			t.Fatalf("round %d: Wait does not register the socket: it cannot be woken", round)
		}
		for range maxIdle + 1 {
			s.Drain(time.Time{}, func(Addr, []byte) {})
		}
	}
	if n := openFiles(t); n != before {
		t.Errorf("%d descriptors, %d before", n, before)
	}
	s.Wait(time.Now())
	_ = s.Close()
	if n := openFiles(t); n != before-1 {
		t.Errorf("%d descriptors after Close, want %d", n, before-1)
	}
}

func TestAnUnreachableFamilyIsLoss(t *testing.T) {
	s, err := ListenUDP(netip.AddrPortFrom(loopback4, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	heard := Addr{AP: s.LocalAddr()}
	for _, to := range []Addr{{AP: netip.AddrPortFrom(loopback6, 9)}, heard, {AP: netip.MustParseAddrPort("127.0.0.1:0")}, heard} {
		if err := s.Send(time.Time{}, to, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(); err != nil {
		t.Errorf("an address that cannot be reached broke the link: %v", err)
	}
	if c := s.Counters(); c.Unsent != 2 || c.Sent != 2 {
		t.Errorf("%+v: want the two good ones sent and the two others dropped", c)
	}
}
