package enet

import (
	"net/netip"
	"time"

	"demi.network/runtime/transport"
)

// wireLink is a Link whose other end is the test: it holds what arrives next
// and keeps what was sent.
type wireLink struct {
	local  netip.AddrPort
	mtu    int
	in     []parcel
	out    []parcel
	forgot []transport.Addr
	mute   bool // keeps nothing of what is sent
	closed bool
	sent   int // bytes
	spare  [][]byte
}

type parcel struct {
	addr transport.Addr
	b    []byte
}

var testLocal = netip.MustParseAddrPort("10.0.0.1:7777")

func newWireLink() *wireLink { return &wireLink{local: testLocal, mtu: transport.MaxDatagram} }

func (l *wireLink) LocalAddr() netip.AddrPort { return l.local }
func (l *wireLink) MTU() int                  { return l.mtu }
func (l *wireLink) Open(_ time.Time, to netip.AddrPort) (transport.Addr, error) {
	return transport.Addr{AP: to}, nil
}
func (l *wireLink) Remote(a transport.Addr) netip.AddrPort { return a.AP }

func (l *wireLink) Drain(_ time.Time, f func(transport.Addr, []byte)) time.Time {
	in := l.in
	l.in = l.in[:0]
	for _, p := range in {
		f(p.addr, p.b)
		l.spare = append(l.spare, p.b)
	}
	return time.Time{}
}

func (l *wireLink) Send(_ time.Time, to transport.Addr, b []byte) error {
	l.sent += len(b)
	if l.mute {
		return nil
	}
	var c []byte
	if n := len(l.spare); n > 0 {
		c, l.spare = l.spare[n-1][:0], l.spare[:n-1]
	}
	l.out = append(l.out, parcel{to, append(c, b...)})
	return nil
}

func (l *wireLink) Forget(a transport.Addr) { l.forgot = append(l.forgot, a) }
func (l *wireLink) Close() error            { l.closed = true; return nil }

// take returns what was sent since the last take.
func (l *wireLink) take() []parcel {
	out := l.out
	l.out = nil
	return out
}

// epoch is where the virtual time of tests begins.
var epoch = time.Unix(1_700_000_000, 0)

func at(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }

// from is an address of the test's side.
func from(n int) transport.Addr {
	ip := netip.AddrFrom4([4]byte{10, byte(1 + n>>16), byte(n >> 8), byte(n)})
	return transport.Addr{AP: netip.AddrPortFrom(ip, 4000)}
}

// poll returns all events of a turn, with copies of their data.
func poll(h *Host, now time.Time) (events []transport.Event) {
	for {
		e, ok := h.Poll(now)
		if !ok {
			return events
		}
		e.Data = append([]byte(nil), e.Data...)
		events = append(events, e)
	}
}
