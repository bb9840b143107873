package hosttest

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"demi.network/runtime/transport"
)

func addr(n uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), n)
}

func TestHostConforms(t *testing.T) {
	Conformance(t, Config{Network: func(testing.TB) func() transport.Host {
		net, port := NewNetwork(), uint16(0)
		return func() transport.Host { port++; return net.Host(addr(port)) }
	}})
}

func TestNothingArrivesBeforeFlush(t *testing.T) {
	net, now := NewNetwork(), time.Unix(1, 0)
	a, b := net.Host(addr(1)), net.Host(addr(2))
	p, err := a.Dial(now, addr(2))
	if err != nil {
		t.Fatal(err)
	}
	if ev, ok := b.Poll(now); !ok || ev.Kind != transport.Connected || ev.Code != ConnectData {
		t.Fatalf("the accepting side must read the connect data: %+v, %v", ev, ok)
	}
	a.Poll(now)
	if err := a.Send(p, 0, transport.Reliable, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if ev, ok := b.Poll(now); ok {
		t.Fatalf("%+v arrived although its sender never called Flush: a missing Flush would go unnoticed", ev)
	}
	_, _ = a.Flush(now)
	if ev, ok := b.Poll(now); !ok || string(ev.Data) != "x" {
		t.Fatalf("got %+v, %v after Flush", ev, ok)
	}
}

func TestQueueIsBounded(t *testing.T) {
	net, now := NewNetwork(), time.Unix(1, 0)
	a, b := net.Host(addr(1)), net.Host(addr(2))
	p, _ := a.Dial(now, addr(2))
	a.Poll(now)
	for i := range MaxQueued {
		if err := a.Send(p, 0, transport.Reliable, nil); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	if err := a.Send(p, 0, transport.Reliable, nil); !errors.Is(err, transport.ErrBacklog) {
		t.Errorf("message %d: %v, want ErrBacklog", MaxQueued, err)
	}
	_, _ = a.Flush(now)
	b.Poll(now) // Connected
	b.Poll(now) // the first message
	if err := a.Send(p, 0, transport.Reliable, nil); err != nil {
		t.Errorf("a message polled at the other end must make room: %v", err)
	}
}

func TestDropThenCloseLeavesNobodyConnected(t *testing.T) {
	net, now := NewNetwork(), time.Unix(1, 0)
	a, b := net.Host(addr(1)), net.Host(addr(2))
	p, _ := a.Dial(now, addr(2))
	a.Poll(now)
	b.Poll(now)
	a.Drop(p, 9)
	_ = a.Close()
	if ev, ok := b.Poll(now); !ok || ev.Kind != transport.Disconnected || ev.Reason != transport.TimedOut {
		t.Errorf("got %+v, %v; a goodbye that was never flushed is silence", ev, ok)
	}
	c := net.Host(addr(1)) // the address is free again
	if _, err := c.Dial(now, addr(2)); err != nil {
		t.Errorf("a new host at the old address cannot dial: %v", err)
	}
}
