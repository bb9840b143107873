package netsim

import (
	"net/netip"
	"time"

	"demi.network/runtime/transport"
)

// MaxHeld bounds the datagrams a Wrapped holds back; one more is lost and
// counts as Overflowed.
const MaxHeld = 1 << 16

// Wrapped is a Link whose outgoing datagrams are impaired: a process's side of
// a simulated network around a real socket. All destinations share one path,
// as they share an uplink. It belongs to the goroutine of the Link below.
type Wrapped struct {
	link    transport.Link
	spec    Spec
	lane    *lane
	held    queue
	buffers pool
	seq     uint64
	count   Counters
	closed  bool
}

var (
	_ transport.Link    = (*Wrapped)(nil)
	_ transport.Batcher = (*Wrapped)(nil)
	_ transport.Waiter  = (*Wrapped)(nil)
)

// Wrap impairs what link sends.
func Wrap(link transport.Link, spec Spec, seed uint64) *Wrapped {
	return &Wrapped{link: link, spec: spec, lane: newLane(seed, netip.AddrPort{}, netip.AddrPort{})}
}

// SetSpec changes the impairment of what is sent from now on.
func (w *Wrapped) SetSpec(s Spec) { w.spec = s }

// Spec returns the impairment in force.
func (w *Wrapped) Spec() Spec { return w.spec }

// Counters returns what became of the datagrams sent so far.
func (w *Wrapped) Counters() Counters { return w.count }

// LocalAddr is the link's below.
func (w *Wrapped) LocalAddr() netip.AddrPort { return w.link.LocalAddr() }

// MTU is the link's below.
func (w *Wrapped) MTU() int { return w.link.MTU() }

// Open is the link's below.
func (w *Wrapped) Open(now time.Time, to netip.AddrPort) (transport.Addr, error) {
	return w.link.Open(now, to)
}

// Remote is the link's below.
func (w *Wrapped) Remote(a transport.Addr) netip.AddrPort { return w.link.Remote(a) }

// Forget is the link's below; what is held back for the address stays.
func (w *Wrapped) Forget(a transport.Addr) { w.link.Forget(a) }

// Drain first sends what is due, then drains the link below.
func (w *Wrapped) Drain(now time.Time, f func(from transport.Addr, b []byte)) (next time.Time) {
	if w.release(now) > 0 {
		_ = w.Flush() // a broken link shows at the next Send
	}
	return w.earlier(w.link.Drain(now, f))
}

// earlier returns the first of at and the next held datagram; zero is never.
func (w *Wrapped) earlier(at time.Time) time.Time {
	if due := w.held.next(); w.held.len() > 0 && (at.IsZero() || due.Before(at)) {
		return due
	}
	return at
}

// release sends the held datagrams that are due and returns how many.
func (w *Wrapped) release(now time.Time) (n int) {
	for {
		p, ok := w.held.pop(now)
		if !ok {
			return n
		}
		_ = w.link.Send(now, p.addr, p.b) // as above
		w.buffers.put(p.b)
		n++
	}
}

// Send passes b on at once, later, twice, or not at all.
func (w *Wrapped) Send(now time.Time, to transport.Addr, b []byte) error {
	if w.closed {
		return transport.ErrClosed
	}
	if len(b) > w.link.MTU() {
		return transport.ErrTooLarge
	}
	w.release(now)
	w.count.Sent++
	f, at, again := w.lane.plan(now, &w.spec, len(b))
	w.count.Fate[f]++
	if f > Doubled {
		return nil
	}
	if f == Doubled {
		if err := w.hold(now, again, to, b); err != nil {
			return err
		}
	}
	return w.hold(now, at, to, b)
}

func (w *Wrapped) hold(now, due time.Time, to transport.Addr, b []byte) error {
	if !due.After(now) {
		return w.link.Send(now, to, b)
	}
	if w.held.len() >= MaxHeld {
		w.count.Fate[Overflowed]++
		return nil
	}
	w.seq++
	w.held.push(parcel{due: due, seq: w.seq, addr: to, b: w.buffers.copy(b)})
	return nil
}

// Flush flushes the link below where it gathers datagrams.
func (w *Wrapped) Flush() error {
	if f, ok := w.link.(transport.Batcher); ok {
		return f.Flush()
	}
	return nil
}

// Wait waits on the link below, at most until the next held datagram is due.
// Above a link that cannot wait it returns at once.
func (w *Wrapped) Wait(until time.Time) {
	if l, ok := w.link.(transport.Waiter); ok {
		l.Wait(w.earlier(until))
	}
}

// Close drops what is held back and closes the link below.
func (w *Wrapped) Close() error {
	w.held, w.closed = queue{}, true
	return w.link.Close()
}
