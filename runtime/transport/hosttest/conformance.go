package hosttest

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"demi.network/runtime/transport"
)

// Config says how Conformance makes hosts. Hosts of one network reach each
// other on a virtual clock that Conformance moves, a millisecond a turn, so a
// network that needs real time does not fit.
type Config struct {
	// Network returns a function that makes another host of one new network,
	// at an address of its own, with at least two channels.
	Network func(t testing.TB) func() transport.Host
	// Large is the size of a message that needs fragments, in bytes.
	// 0: 100 000.
	Large int
}

// patience is how long, in virtual time, an event may take. It covers ENet's
// longest timeout.
const patience = 60 * time.Second

// Conformance puts the hosts of a network through what transport.Host
// promises. Every implementation has a test that calls it.
func Conformance(t *testing.T, c Config) {
	if c.Large == 0 {
		c.Large = 100_000
	}
	for _, tc := range []struct {
		name string
		run  func(*testing.T, Config)
	}{
		{"connects once on both sides", checkConnect},
		{"carries every mode on every channel", checkModes},
		{"keeps reliable messages in order and whole", checkReliable},
		{"refuses what it cannot send", checkRefusals},
		{"delivers what was queued before a drop", checkDrop},
		{"notices a host that is closed", checkClose},
		{"fails a dial that nobody answers", checkNobody},
		{"gives a later connection another handle", checkHandles},
		{"is deterministic", checkDeterminism},
	} {
		t.Run(tc.name, func(t *testing.T) { tc.run(t, c) })
	}
}

// bench is one network, its clock, and what every host has seen.
type bench struct {
	t     testing.TB
	now   time.Time
	make  func() transport.Host
	hosts []transport.Host
	seen  [][]transport.Event // Data copied
}

func newBench(t testing.TB, c Config) *bench {
	return &bench{t: t, now: time.Unix(1_700_000_000, 0), make: c.Network(t)}
}

// host adds a host and returns its index.
func (b *bench) host() int {
	h := b.make()
	b.t.Cleanup(func() { _ = h.Close() })
	b.hosts = append(b.hosts, h)
	b.seen = append(b.seen, nil)
	return len(b.hosts) - 1
}

// turn runs every open host once and moves the clock a millisecond.
func (b *bench) turn() {
	for i, h := range b.hosts {
		if h == nil {
			continue
		}
		for {
			ev, ok := h.Poll(b.now)
			if !ok {
				break
			}
			ev.Data = append([]byte(nil), ev.Data...)
			b.seen[i] = append(b.seen[i], ev)
		}
		if next, err := h.Flush(b.now); err != nil {
			b.t.Fatalf("Flush of a working host: %v", err)
		} else if !next.IsZero() && next.Before(b.now.Add(-time.Hour)) {
			b.t.Fatalf("Flush wants to be called at %v, long before now", next)
		}
	}
	b.now = b.now.Add(time.Millisecond)
}

// until runs turns until done, and fails with why after patience.
func (b *bench) until(why string, done func() bool) {
	b.t.Helper()
	for end := b.now.Add(patience); !done(); b.turn() {
		if b.now.After(end) {
			b.t.Fatalf("%s: not within %v of virtual time", why, patience)
		}
	}
}

// count returns how many events of a kind host i has seen.
func (b *bench) count(i int, k transport.EventKind) (n int) {
	for _, ev := range b.seen[i] {
		if ev.Kind == k {
			n++
		}
	}
	return n
}

// last returns the newest event of a kind that host i has seen.
func (b *bench) last(i int, k transport.EventKind) transport.Event {
	for j := len(b.seen[i]) - 1; j >= 0; j-- {
		if b.seen[i][j].Kind == k {
			return b.seen[i][j]
		}
	}
	return transport.Event{}
}

// connect dials s from c and returns both handles.
func (b *bench) connect(c, s int) (atClient, atServer transport.Peer) {
	b.t.Helper()
	cn, sn := b.count(c, transport.Connected), b.count(s, transport.Connected)
	p, err := b.hosts[c].Dial(b.now, b.hosts[s].LocalAddr())
	if err != nil || p == 0 {
		b.t.Fatalf("Dial: handle %d, %v", p, err)
	}
	b.until("both sides connect", func() bool {
		return b.count(c, transport.Connected) > cn && b.count(s, transport.Connected) > sn
	})
	if got := b.last(c, transport.Connected).Peer; got != p {
		b.t.Fatalf("Connected is for handle %d, Dial returned %d", got, p)
	}
	return p, b.last(s, transport.Connected).Peer
}

func checkConnect(t *testing.T, c Config) {
	b := newBench(t, c)
	s, k := b.host(), b.host()
	pc, ps := b.connect(k, s)
	for range 100 {
		b.turn()
	}
	if n, m := b.count(s, transport.Connected), b.count(k, transport.Connected); n != 1 || m != 1 {
		t.Errorf("%d and %d Connected events, want one on each side", n, m)
	}
	if got, want := b.hosts[k].Remote(pc), b.hosts[s].LocalAddr(); got != want {
		t.Errorf("the client's Remote is %v, want the server's address %v", got, want)
	}
	if got, want := b.hosts[s].Remote(ps), b.hosts[k].LocalAddr(); got != want {
		t.Errorf("the server's Remote is %v, want the client's address %v", got, want)
	}
	if ps == 0 {
		t.Error("the zero Peer is no peer")
	}
	if heard := b.hosts[s].Stats(ps).LastHeard; heard.IsZero() || heard.After(b.now) {
		t.Errorf("LastHeard is %v at %v", heard, b.now)
	}
}

func checkModes(t *testing.T, c Config) {
	b := newBench(t, c)
	s, k := b.host(), b.host()
	pc, ps := b.connect(k, s)
	type want struct {
		ch   transport.Channel
		mode transport.Mode
		data string
	}
	var wants []want
	for ch := range transport.Channel(2) {
		for _, mode := range []transport.Mode{transport.Reliable, transport.Sequenced, transport.Unsequenced} {
			wants = append(wants, want{ch, mode, fmt.Sprintf("%v on %d", mode, ch)}, want{ch, mode, ""})
		}
	}
	for _, dir := range []struct {
		from, to int
		via      transport.Peer
		at       transport.Peer
	}{{k, s, pc, ps}, {s, k, ps, pc}} {
		before := b.hosts[dir.from].Stats(dir.via)
		got := map[want]int{}
		for _, w := range wants {
			buf := []byte(w.data)
			if err := b.hosts[dir.from].Send(dir.via, w.ch, w.mode, buf); err != nil {
				t.Fatalf("sending %q: %v", w.data, err)
			}
			clear(buf) // b may be reused on return
		}
		b.seen[dir.to] = nil
		b.until("every message arrives", func() bool { return b.count(dir.to, transport.Message) >= len(wants) })
		for _, ev := range b.seen[dir.to] {
			if ev.Kind == transport.Message {
				if ev.Peer != dir.at {
					t.Errorf("a message names peer %d, want %d", ev.Peer, dir.at)
				}
				got[want{ev.Channel, ev.Mode, string(ev.Data)}]++
			}
		}
		for _, w := range wants {
			if got[w] != 1 {
				t.Errorf("%v message %q on channel %d arrived %d times as it was sent, want once", w.mode, w.data, w.ch, got[w])
			}
		}
		if after := b.hosts[dir.from].Stats(dir.via); after.BytesSent <= before.BytesSent || after.PacketsSent <= before.PacketsSent {
			t.Errorf("the counters of what was sent did not grow: %+v", after)
		}
	}
}

func checkReliable(t *testing.T, c Config) {
	b := newBench(t, c)
	s, k := b.host(), b.host()
	pc, _ := b.connect(k, s)
	big := make([]byte, c.Large)
	for i := range big {
		big[i] = byte(i*7 + i>>8)
	}
	const n = 300
	for i := range n {
		if err := b.hosts[k].Send(pc, 0, transport.Reliable, []byte{byte(i), byte(i >> 8)}); err != nil {
			t.Fatal(err)
		}
		if i == n/2 {
			if err := b.hosts[k].Send(pc, 0, transport.Reliable, big); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.until("all reliable messages arrive", func() bool { return b.count(s, transport.Message) == n+1 })
	i := 0
	for _, ev := range b.seen[s] {
		switch {
		case ev.Kind != transport.Message:
		case len(ev.Data) == 2:
			if got := int(ev.Data[0]) | int(ev.Data[1])<<8; got != i {
				t.Fatalf("message %d arrived where %d belongs", got, i)
			}
			i++
		case i != n/2+1:
			t.Errorf("the large message arrived after %d small ones, want %d", i, n/2+1)
		case !bytes.Equal(ev.Data, big):
			t.Error("the large message arrived changed")
		}
	}
	b.until("everything is acknowledged", func() bool { return b.hosts[k].Stats(pc).Queued == 0 })
}

func checkRefusals(t *testing.T, c Config) {
	b := newBench(t, c)
	s, k := b.host(), b.host()
	p, err := b.hosts[k].Dial(b.now, b.hosts[s].LocalAddr())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.hosts[k].Send(p, 0, transport.Reliable, nil); !errors.Is(err, transport.ErrUnknownPeer) {
		t.Errorf("Send before Connected: %v, want ErrUnknownPeer", err)
	}
	b.until("both sides connect", func() bool { return len(b.seen[k]) > 0 && len(b.seen[s]) > 0 })
	for _, bad := range []transport.Peer{0, p + 1, p + 1<<16, 0xffff, ^transport.Peer(0)} {
		if err := b.hosts[k].Send(bad, 0, transport.Reliable, []byte("x")); !errors.Is(err, transport.ErrUnknownPeer) {
			t.Errorf("Send to handle %#x, which is nobody's: %v, want ErrUnknownPeer", bad, err)
		}
		if st := b.hosts[k].Stats(bad); st != (transport.Stats{}) {
			t.Errorf("Stats of handle %#x, which is nobody's: %+v, want zero", bad, st)
		}
		if a := b.hosts[k].Remote(bad); a != (netip.AddrPort{}) {
			t.Errorf("Remote of handle %#x, which is nobody's: %v, want zero", bad, a)
		}
		b.hosts[k].Drop(bad, 1)
	}
	if err := b.hosts[k].Send(p, 255, transport.Reliable, []byte("x")); !errors.Is(err, transport.ErrChannel) {
		t.Errorf("Send on channel 255: %v, want ErrChannel", err)
	}
	if err := b.hosts[k].Send(p, 0, transport.Reliable, []byte("x")); err != nil {
		t.Errorf("the refused sends disturbed the connection: %v", err)
	}
	b.until("the good message arrives", func() bool { return b.count(s, transport.Message) == 1 })
}

func checkDrop(t *testing.T, c Config) {
	b := newBench(t, c)
	s, k := b.host(), b.host()
	pc, ps := b.connect(k, s)
	const n = 50
	for i := range n {
		if err := b.hosts[s].Send(ps, 0, transport.Reliable, []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	b.hosts[s].Drop(ps, 77)
	b.hosts[s].Drop(ps, 78)
	if err := b.hosts[s].Send(ps, 0, transport.Reliable, nil); !errors.Is(err, transport.ErrUnknownPeer) {
		t.Errorf("Send after Drop: %v, want ErrUnknownPeer", err)
	}
	b.until("the dropped peer hears of it", func() bool { return b.count(k, transport.Disconnected) > 0 })
	for range 2000 {
		b.turn()
	}
	if got := b.count(k, transport.Message); got != n {
		t.Errorf("%d of %d messages queued before the drop arrived", got, n)
	}
	if got := b.count(k, transport.Disconnected); got != 1 {
		t.Errorf("%d Disconnected events, want 1", got)
	}
	ev := b.last(k, transport.Disconnected)
	if ev.Code != 77 || ev.Reason != transport.Closed || ev.Peer != pc {
		t.Errorf("got %+v, want code 77, Closed, for peer %d", ev, pc)
	}
	if last := b.seen[k][len(b.seen[k])-1]; last.Kind != transport.Disconnected {
		t.Errorf("an event follows Disconnected: %+v", last)
	}
	if b.count(s, transport.Disconnected) != 0 {
		t.Error("the side that dropped was told that it did")
	}
	if err := b.hosts[k].Send(pc, 0, transport.Reliable, nil); !errors.Is(err, transport.ErrUnknownPeer) {
		t.Errorf("Send to a peer that left: %v, want ErrUnknownPeer", err)
	}
}

func checkClose(t *testing.T, c Config) {
	b := newBench(t, c)
	s, k := b.host(), b.host()
	_, ps := b.connect(k, s)
	for range 2 {
		if err := b.hosts[k].Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	b.hosts[k] = nil
	_ = b.hosts[s].Send(ps, 0, transport.Reliable, []byte("anybody there?"))
	b.until("the closed host's peer is told, or times out", func() bool { return b.count(s, transport.Disconnected) > 0 })
	if ev := b.last(s, transport.Disconnected); ev.Peer != ps || (ev.Reason != transport.Closed && ev.Reason != transport.TimedOut) {
		t.Errorf("got %+v, want the end of peer %d", ev, ps)
	}
}

func checkNobody(t *testing.T, c Config) {
	b := newBench(t, c)
	s, k := b.host(), b.host()
	to := b.hosts[s].LocalAddr()
	_ = b.hosts[s].Close()
	b.hosts[s] = nil
	p, err := b.hosts[k].Dial(b.now, to)
	if err != nil {
		t.Fatalf("Dial must not know yet that nobody is there: %v", err)
	}
	b.until("the dial fails", func() bool { return b.count(k, transport.Disconnected) > 0 })
	if ev := b.last(k, transport.Disconnected); ev.Reason != transport.TimedOut || ev.Peer != p {
		t.Errorf("got %+v, want TimedOut for peer %d", ev, p)
	}
	if b.count(k, transport.Connected) != 0 {
		t.Error("connected to nobody")
	}
}

func checkHandles(t *testing.T, c Config) {
	b := newBench(t, c)
	s, k := b.host(), b.host()
	used := map[transport.Peer]bool{}
	for round := range 5 {
		pc, ps := b.connect(k, s)
		if used[ps] {
			t.Fatalf("round %d: handle %d was another connection's", round, ps)
		}
		used[ps] = true
		b.hosts[k].Drop(pc, 1)
		b.until("the server hears of it", func() bool { return b.count(s, transport.Disconnected) == round+1 })
		if ev := b.last(s, transport.Disconnected); ev.Peer != ps {
			t.Errorf("round %d: Disconnected for handle %d, want %d", round, ev.Peer, ps)
		}
	}
}

func checkDeterminism(t *testing.T, c Config) {
	play := func() string {
		b := newBench(t, c)
		s := b.host()
		var out strings.Builder
		for range 3 {
			k := b.host()
			pc, ps := b.connect(k, s)
			for i := range 20 {
				_ = b.hosts[k].Send(pc, transport.Channel(i%2), transport.Mode(i%3), fmt.Appendf(nil, "up %d %d", k, i))
				_ = b.hosts[s].Send(ps, transport.Channel(i%2), transport.Mode(i%3), fmt.Appendf(nil, "down %d %d", k, i))
			}
			for range 50 {
				b.turn()
			}
		}
		for i, events := range b.seen {
			for _, ev := range events {
				fmt.Fprintf(&out, "%d: %d %d %v %d %d %q\n", i, ev.Kind, ev.Channel, ev.Mode, ev.Peer, ev.Code, ev.Data)
			}
		}
		return out.String()
	}
	first := play()
	for range 3 {
		if again := play(); again != first {
			t.Fatalf("the same calls gave another transcript:\n%s\nfirst:\n%s", again, first)
		}
	}
}
