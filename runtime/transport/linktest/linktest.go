// Package linktest owns the conformance test that every transport.Link is put
// through.
package linktest

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"demi.network/runtime/transport"
)

// Config says how Conformance makes links.
type Config struct {
	// Pair returns a server, which anyone may send to, and a function that
	// makes a client whose datagrams the server receives. None may lose a
	// datagram of this test.
	Pair func(t testing.TB) (server transport.Link, client func() transport.Link)
	// Now is the clock that the links live by. Virtual links return a time
	// that Wait has moved on.
	Now func() time.Time
	// Wait lets time pass until something may have arrived at l.
	Wait func(l transport.Link)
	// Nowhere is an address that nobody listens on.
	Nowhere netip.AddrPort
}

// tries bounds how often a check waits for a datagram.
const tries = 200

// Conformance puts the links through what transport.Link promises.
func Conformance(t *testing.T, c Config) {
	for _, tc := range []struct {
		name string
		run  func(*testing.T, Config)
	}{
		{"names its address and its MTU", checkIdentity},
		{"carries datagrams both ways", checkCarry},
		{"tells its clients apart", checkClients},
		{"hands over every datagram of a burst, a bounded number at a time", checkBurst},
		{"takes loss for no error", checkNowhere},
		{"closes", checkClose},
	} {
		t.Run(tc.name, func(t *testing.T) { tc.run(t, c) })
	}
}

type datagram struct {
	from transport.Addr
	b    []byte
}

// receive drains l until it has n datagrams, or waiting did not help.
func receive(c Config, l transport.Link, n int) (got []datagram) {
	for range tries {
		l.Drain(c.Now(), func(from transport.Addr, b []byte) {
			if b != nil {
				got = append(got, datagram{from, bytes.Clone(b)})
			}
		})
		if len(got) >= n {
			return got
		}
		c.Wait(l)
	}
	return got
}

func send(t testing.TB, c Config, l transport.Link, to transport.Addr, parts ...[]byte) {
	t.Helper()
	for _, b := range parts {
		own := bytes.Clone(b)
		if err := l.Send(c.Now(), to, own); err != nil {
			t.Fatalf("sending %d bytes: %v", len(b), err)
		}
		clear(own) // b may be reused on return
	}
	flush(t, l)
}

func flush(t testing.TB, l transport.Link) {
	t.Helper()
	if f, ok := l.(transport.Batcher); ok {
		if err := f.Flush(); err != nil {
			t.Fatalf("Flush: %v", err)
		}
	}
}

func open(t testing.TB, c Config, l transport.Link, to netip.AddrPort) transport.Addr {
	t.Helper()
	a, err := l.Open(c.Now(), to)
	if err != nil {
		t.Fatalf("Open %v: %v", to, err)
	}
	return a
}

func pair(t testing.TB, c Config) (server, client transport.Link, more func() transport.Link) {
	s, f := c.Pair(t)
	closing := func(l transport.Link) transport.Link {
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	return closing(s), closing(f()), func() transport.Link { return closing(f()) }
}

func checkIdentity(t *testing.T, c Config) {
	s, k, _ := pair(t, c)
	for name, l := range map[string]transport.Link{"server": s, "client": k} {
		if l.LocalAddr().Port() == 0 {
			t.Errorf("%s: LocalAddr %v has no port", name, l.LocalAddr())
		}
		if l.LocalAddr().Addr().Is4In6() {
			t.Errorf("%s: LocalAddr %v is an IPv4 address in IPv6 clothes: it would not compare equal", name, l.LocalAddr())
		}
		if l.MTU() < 576 || l.MTU() > 4096 {
			t.Errorf("%s: MTU %d, want 576…4096", name, l.MTU())
		}
	}
	to := open(t, c, k, s.LocalAddr())
	if k.Remote(to) != s.LocalAddr() {
		t.Errorf("Remote(Open(%v)) is %v", s.LocalAddr(), k.Remote(to))
	}
	if again := open(t, c, k, s.LocalAddr()); again != to {
		t.Errorf("Open gave %v and then %v for one address", to, again)
	}
}

func checkCarry(t *testing.T, c Config) {
	s, k, _ := pair(t, c)
	to := open(t, c, k, s.LocalAddr())
	for _, size := range []int{1, 2, 100, k.MTU()} {
		msg := bytes.Repeat([]byte{byte(size)}, size)
		send(t, c, k, to, msg)
		got := receive(c, s, 1)
		if len(got) != 1 || !bytes.Equal(got[0].b, msg) {
			t.Fatalf("%d bytes up: %d datagrams arrived, want that one unchanged", size, len(got))
		}
		if got[0].from.AP.Addr().Is4In6() {
			t.Errorf("a sender is %v, an IPv4 address in IPv6 clothes", got[0].from)
		}
		send(t, c, s, got[0].from, msg)
		back := receive(c, k, 1)
		if len(back) != 1 || !bytes.Equal(back[0].b, msg) {
			t.Fatalf("%d bytes down: %d datagrams arrived, want that one unchanged", size, len(back))
		}
		if back[0].from != to {
			t.Errorf("the answer comes from %v, and Open gave %v: they must be equal", back[0].from, to)
		}
	}
	s.Forget(transport.Addr{})
	k.Forget(to)
	to = open(t, c, k, s.LocalAddr())
	send(t, c, k, to, []byte("again"))
	if got := receive(c, s, 1); len(got) != 1 {
		t.Error("nothing arrives after Forget and Open")
	}
}

func checkClients(t *testing.T, c Config) {
	s, first, more := pair(t, c)
	second := more()
	for i, k := range []transport.Link{first, second} {
		send(t, c, k, open(t, c, k, s.LocalAddr()), []byte{byte(i)})
	}
	got := receive(c, s, 2)
	if len(got) != 2 || got[0].from == got[1].from {
		t.Fatalf("two clients sent one datagram each, the server has %v", got)
	}
	for _, d := range got {
		send(t, c, s, d.from, []byte{d.b[0] + 10})
	}
	for i, k := range []transport.Link{first, second} {
		if back := receive(c, k, 1); len(back) != 1 || back[0].b[0] != byte(i)+10 {
			t.Errorf("client %d got %v, want its own answer and nothing else", i, back)
		}
	}
}

func checkBurst(t *testing.T, c Config) {
	s, k, _ := pair(t, c)
	to := open(t, c, k, s.LocalAddr())
	const n = 200
	for i := range n {
		send(t, c, k, to, []byte{byte(i), 1})
	}
	for i := range n { // and gathered for one Flush
		if err := k.Send(c.Now(), to, []byte{byte(i), 2}); err != nil {
			t.Fatal(err)
		}
	}
	flush(t, k)
	count := map[[2]byte]int{}
	for _, d := range receive(c, s, 2*n) {
		count[[2]byte(d.b)]++
	}
	for i := range n {
		for _, part := range []byte{1, 2} {
			if got := count[[2]byte{byte(i), part}]; got != 1 {
				t.Errorf("datagram %d of part %d arrived %d times", i, part, got)
			}
		}
	}
	calls := 0
	s.Drain(c.Now(), func(transport.Addr, []byte) { calls++ })
	if calls != 0 {
		t.Errorf("an empty link handed over %d datagrams", calls)
	}
}

func checkNowhere(t *testing.T, c Config) {
	s, _, _ := pair(t, c)
	for range 5 {
		send(t, c, s, open(t, c, s, c.Nowhere), []byte("hello?"))
		s.Drain(c.Now(), func(from transport.Addr, b []byte) { t.Errorf("%v answered %q", from, b) })
	}
}

func checkClose(t *testing.T, c Config) {
	s, k, _ := pair(t, c)
	to := open(t, c, k, s.LocalAddr())
	if err := k.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := k.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	err := k.Send(c.Now(), to, []byte("x"))
	if f, ok := k.(transport.Batcher); ok && err == nil {
		err = f.Flush()
	}
	if err == nil {
		t.Error("sending on a closed link must be an error")
	}
	k.Drain(c.Now(), func(transport.Addr, []byte) { t.Error("a closed link handed over a datagram") })
}
