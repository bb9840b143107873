// Package netsim owns simulated networks: links in memory on a virtual clock,
// and the same impairments around any real Link. All chance comes from one
// seed: the same calls give the same datagrams at the same times. It never
// reads a clock and never interprets a datagram.
package netsim

import (
	"net/netip"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// Limits of a Network.
const (
	// MaxInFlight bounds the datagrams on their way to one address; one more
	// counts as Overflowed.
	MaxInFlight = 1 << 16
	// MaxStray bounds the datagrams on their way to addresses where nobody
	// is (somebody may be when they arrive); one more counts as Unreachable.
	MaxStray = 4096
	// MaxDrain is the most datagrams one Drain hands over.
	MaxDrain = 1024
)

// Verdict is what a Filter decides.
type Verdict uint8

const (
	// Impair: the path's Spec applies, as without a filter.
	Impair Verdict = iota
	// Drop: the datagram vanishes.
	Drop
	// Spare: only latency and rate apply; it is not lost, doubled or held back.
	Spare
)

// Record is one datagram as the Tap sees it. Bytes is valid during the call.
type Record struct {
	Sent     time.Time
	Due      time.Time // when it arrives; zero when it does not
	From, To netip.AddrPort
	Fate     Fate
	Bytes    []byte
}

// Counters count datagrams by fate. One that passed and later found nobody, or
// a full inbox, counts under both.
type Counters struct {
	Sent uint64
	Fate [Unreachable + 1]uint64
}

// path names one direction by the bound addresses of its ends, which Rebind
// does not change.
type path struct{ from, to netip.AddrPort }

// Network is links that reach each other in memory. A Network and its Links
// belong to one goroutine; time never goes backwards.
type Network struct {
	// Filter, if set, is asked about each datagram before its path's Spec is.
	// Changing b in place corrupts the datagram.
	Filter func(now time.Time, from, to netip.AddrPort, b []byte) Verdict
	// Tap, if set, sees each datagram when it is sent, with its fate.
	Tap func(Record)

	seed    uint64
	seq     uint64
	now     time.Time // the latest seen
	byAddr  map[netip.AddrPort]*Link
	links   []*Link // in order of Listen
	stray   queue
	buffers pool
	count   Counters

	lanes map[path]*lane
	rules rules
}

// rules says which Spec a path has: its own, else its sender's, else all's.
type rules struct {
	all  Spec
	from map[netip.AddrPort]*Spec
	path map[path]*Spec
	cut  map[path]bool
}

func (r *rules) find(p path) *Spec {
	if s := r.path[p]; s != nil {
		return s
	}
	if s := r.from[p.from]; s != nil {
		return s
	}
	return &r.all
}

// New returns a perfect network without links.
func New(seed uint64) *Network {
	return &Network{
		seed:   seed,
		byAddr: map[netip.AddrPort]*Link{},
		lanes:  map[path]*lane{},
		rules:  rules{from: map[netip.AddrPort]*Spec{}, path: map[path]*Spec{}, cut: map[path]bool{}},
	}
}

func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// firstFreePort is where Listen looks for a port when it is given 0.
const firstFreePort = 49152

// Listen returns a link at addr; port 0 takes the lowest free one from 49152.
// An address that is in use is fault.Bind.
func (n *Network) Listen(addr netip.AddrPort) (*Link, error) {
	addr = unmap(addr)
	if addr.Port() == 0 {
		for port := firstFreePort; ; port++ {
			if port > 65535 {
				return nil, fault.New(fault.Bind, "%s: no free port", addr.Addr())
			}
			addr = netip.AddrPortFrom(addr.Addr(), uint16(port))
			if n.byAddr[addr] == nil {
				break
			}
		}
	}
	if n.byAddr[addr] != nil {
		return nil, fault.New(fault.Bind, "%s: address already in use", addr)
	}
	l := &Link{net: n, local: addr, public: addr, mtu: transport.MaxDatagram}
	n.byAddr[addr] = l
	n.links = append(n.links, l)
	n.adopt(l)
	return l, nil
}

// adopt gives l what is on its way to its address already.
func (n *Network) adopt(l *Link) {
	var rest queue
	for _, p := range n.stray.heap {
		switch {
		case p.due.Before(n.now):
			n.lose(p)
		case p.to == l.public:
			l.inbox.push(p)
		default:
			rest.push(p)
		}
	}
	n.stray = rest
}

func (n *Network) lose(p parcel) {
	n.count.Fate[Unreachable]++
	n.buffers.put(p.b)
}

// Link is Listen for tests: an address that is in use panics.
func (n *Network) Link(addr netip.AddrPort) *Link {
	l, err := n.Listen(addr)
	if err != nil {
		panic("netsim: BUG: " + err.Error())
	}
	return l
}

// Impair sets the Spec of every path that has none of its own. Like all
// changes it applies to what is sent from now on.
func (n *Network) Impair(s Spec) { n.rules.all = s }

// ImpairFrom sets the Spec of what from sends, wherever to.
func (n *Network) ImpairFrom(from netip.AddrPort, s Spec) { n.rules.from[unmap(from)] = &s }

// ImpairPath sets the Spec of what from sends to to.
func (n *Network) ImpairPath(from, to netip.AddrPort, s Spec) {
	n.rules.path[path{unmap(from), unmap(to)}] = &s
}

// Cut severs (or, with false, heals) the path between two links, both ways.
// What is on its way still arrives.
func (n *Network) Cut(a, b netip.AddrPort, cut bool) {
	n.CutPath(a, b, cut)
	n.CutPath(b, a, cut)
}

// CutPath severs or heals one direction.
func (n *Network) CutPath(from, to netip.AddrPort, cut bool) {
	p := path{unmap(from), unmap(to)}
	if cut {
		n.rules.cut[p] = true
	} else {
		delete(n.rules.cut, p)
	}
}

// Rebind changes the address that others see of a link, as a router does that
// forgets its mapping: what the link sends comes from public, and what is sent
// to the old address reaches nobody. Its LocalAddr stays. A link that is not
// there, or a public address in use, is a caller's mistake and panics.
func (n *Network) Rebind(local, public netip.AddrPort) {
	local, public = unmap(local), unmap(public)
	for _, l := range n.links {
		if l.local != local {
			continue
		}
		if n.byAddr[public] != nil {
			panic("netsim: BUG: " + public.String() + " is in use")
		}
		delete(n.byAddr, l.public)
		l.public = public
		n.byAddr[public] = l
		n.adopt(l)
		return
	}
	panic("netsim: BUG: no link at " + local.String())
}

// Counters returns what became of the datagrams sent so far.
func (n *Network) Counters() Counters { return n.count }

// Next returns when the earliest datagram on its way to any link is due, or
// false when there is none.
func (n *Network) Next() (time.Time, bool) {
	var first time.Time
	found := false
	for _, l := range n.links {
		if at := l.inbox.next(); l.inbox.len() > 0 && (!found || at.Before(first)) {
			first, found = at, true
		}
	}
	return first, found
}

// Inject makes b arrive at to now, as if from had sent it: recorded
// datagrams, and senders that do not exist. Filter, Tap and Spec are not
// asked.
func (n *Network) Inject(now time.Time, from, to netip.AddrPort, b []byte) {
	n.now = later(n.now, now)
	n.count.Sent++
	n.count.Fate[Passed]++
	n.deliver(parcel{due: now, from: unmap(from), to: unmap(to), b: n.buffers.copy(b)})
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// send puts one datagram on its way.
func (n *Network) send(now time.Time, l *Link, to netip.AddrPort, b []byte) {
	n.now = later(n.now, now)
	n.count.Sent++
	buf := n.buffers.copy(b)
	f, at, again := n.decide(now, l, to, buf)
	n.count.Fate[f]++
	if n.Tap != nil {
		r := Record{Sent: now, From: l.public, To: to, Fate: f, Bytes: buf}
		if f <= Doubled {
			r.Due = at
		}
		n.Tap(r)
	}
	switch f {
	case Doubled:
		n.deliver(parcel{due: at, from: l.public, to: to, b: buf})
		n.deliver(parcel{due: again, from: l.public, to: to, b: n.buffers.copy(buf)})
	case Passed:
		n.deliver(parcel{due: at, from: l.public, to: to, b: buf})
	default:
		n.buffers.put(buf)
	}
}

// decide asks the filter, the cuts and the path.
func (n *Network) decide(now time.Time, l *Link, to netip.AddrPort, b []byte) (Fate, time.Time, time.Time) {
	v := Impair
	if n.Filter != nil {
		v = n.Filter(now, l.public, to, b)
	}
	if v == Drop {
		return Filtered, now, now
	}
	p := path{from: l.local}
	if other := n.byAddr[to]; other != nil {
		p.to = other.local // else: all strangers share one path, so lanes stay bounded
	}
	if n.rules.cut[p] {
		return Severed, now, now
	}
	ln := n.lanes[p]
	if ln == nil {
		ln = newLane(n.seed, p.from, p.to)
		n.lanes[p] = ln
	}
	s := n.rules.find(p)
	if v == Spare {
		s = &Spec{Latency: s.Latency, Rate: s.Rate, Queue: s.Queue}
	}
	return ln.plan(now, s, len(b))
}

// deliver queues a parcel at its address, or among the strays.
func (n *Network) deliver(p parcel) {
	n.seq++
	p.seq = n.seq
	l := n.byAddr[p.to]
	if l != nil {
		if l.inbox.len() >= MaxInFlight {
			n.count.Fate[Overflowed]++
			n.buffers.put(p.b)
			return
		}
		l.inbox.push(p)
		return
	}
	for !n.stray.next().IsZero() && n.stray.next().Before(n.now) {
		old, _ := n.stray.pop(n.now)
		n.lose(old)
	}
	if n.stray.len() >= MaxStray {
		n.lose(p)
		return
	}
	n.stray.push(p)
}
