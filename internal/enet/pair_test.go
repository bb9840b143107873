package enet

import (
	"testing"
	"time"

	"demi.network/internal/netsim"
	"demi.network/runtime/transport"
)

// world is hosts on a simulated network and their virtual clock.
type world struct {
	t    testing.TB
	net  *netsim.Network
	now  time.Time
	ends []*end
}

// end is a host and what its application saw.
type end struct {
	h      *Host
	link   *netsim.Link
	events []transport.Event
	next   time.Time
	asleep bool // nobody services it
	onMsg  func(transport.Event)
}

func newWorld(t testing.TB, seed uint64) *world {
	return &world{t: t, net: netsim.New(seed), now: epoch}
}

// add makes a host at an address of its own.
func (w *world) add(cfg Config) *end {
	w.t.Helper()
	link, err := w.net.Listen(from(len(w.ends)).AP)
	if err != nil {
		w.t.Fatal(err)
	}
	if cfg.MTU > link.MTU() {
		link.SetMTU(cfg.MTU)
	}
	if cfg.Random == nil {
		cfg.Random = seeded(uint64(len(w.ends)))
	}
	h, err := New(link, cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	e := &end{h: h, link: link, next: w.now}
	w.ends = append(w.ends, e)
	return e
}

// turn services one end at the world's time.
func (w *world) turn(e *end) {
	for {
		ev, ok := e.h.Poll(w.now)
		if !ok {
			break
		}
		if e.onMsg != nil && ev.Kind == transport.Message {
			e.onMsg(ev)
			continue
		}
		ev.Data = append([]byte(nil), ev.Data...)
		e.events = append(e.events, ev)
	}
	next, err := e.h.Flush(w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	e.next = next
}

// step services everyone and moves the clock by d.
func (w *world) step(d time.Duration) {
	for _, e := range w.ends {
		if !e.asleep {
			w.turn(e)
		}
	}
	w.now = w.now.Add(d)
}

// run steps for a time.
func (w *world) run(d, each time.Duration) {
	for end := w.now.Add(d); w.now.Before(end); {
		w.step(each)
	}
}

// until steps a millisecond at a time until done.
func (w *world) until(why string, patience time.Duration, done func() bool) {
	w.t.Helper()
	for end := w.now.Add(patience); !done(); w.step(time.Millisecond) {
		if w.now.After(end) {
			w.t.Fatalf("%s: not within %v", why, patience)
		}
	}
}

// connect dials b from a and returns both handles.
func (w *world) connect(a, b *end) (atA, atB transport.Peer) {
	w.t.Helper()
	na, nb := a.count(transport.Connected), b.count(transport.Connected)
	p, err := a.h.Dial(w.now, b.h.LocalAddr())
	if err != nil {
		w.t.Fatal(err)
	}
	w.until("both connect", 5*time.Second, func() bool {
		return a.count(transport.Connected) > na && b.count(transport.Connected) > nb
	})
	return p, b.last(transport.Connected).Peer
}

func (e *end) count(k transport.EventKind) (n int) {
	for _, ev := range e.events {
		if ev.Kind == k {
			n++
		}
	}
	return n
}

func (e *end) last(k transport.EventKind) transport.Event {
	for i := len(e.events) - 1; i >= 0; i-- {
		if e.events[i].Kind == k {
			return e.events[i]
		}
	}
	return transport.Event{}
}

// messages returns the data of all messages on a channel, in order.
func (e *end) messages(ch transport.Channel) (list [][]byte) {
	for _, ev := range e.events {
		if ev.Kind == transport.Message && ev.Channel == ch {
			list = append(list, ev.Data)
		}
	}
	return list
}
