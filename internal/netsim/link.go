package netsim

import (
	"net/netip"
	"time"

	"demi.network/runtime/transport"
)

// Link is one end of a Network.
type Link struct {
	net    *Network
	local  netip.AddrPort // bound; names the link in Impair and Cut
	public netip.AddrPort // what others see
	inbox  queue
	mtu    int
	closed bool
}

var _ transport.Link = (*Link)(nil)

// LocalAddr is the address given to Listen.
func (l *Link) LocalAddr() netip.AddrPort { return l.local }

// Public is the address that others see: LocalAddr until a Rebind.
func (l *Link) Public() netip.AddrPort { return l.public }

// MTU is transport.MaxDatagram unless SetMTU said otherwise.
func (l *Link) MTU() int { return l.mtu }

// SetMTU changes the largest datagram that Send takes, in bytes. It is what
// the end believes; what a path carries is Spec.MTU.
func (l *Link) SetMTU(n int) { l.mtu = n }

// Open answers at once.
func (l *Link) Open(_ time.Time, to netip.AddrPort) (transport.Addr, error) {
	return transport.Addr{AP: unmap(to)}, nil
}

// Remote returns a.AP.
func (l *Link) Remote(a transport.Addr) netip.AddrPort { return a.AP }

// Drain hands over what has arrived by now, at most MaxDrain datagrams.
func (l *Link) Drain(now time.Time, f func(from transport.Addr, b []byte)) (next time.Time) {
	l.net.now = later(l.net.now, now)
	for range MaxDrain {
		p, ok := l.inbox.pop(now)
		if !ok {
			break
		}
		if p.to == l.public {
			f(transport.Addr{AP: p.from}, p.b)
		} else { // rebound while it was on its way
			l.net.count.Fate[Unreachable]++
		}
		l.net.buffers.put(p.b)
	}
	return l.inbox.next()
}

// Send puts a copy of b on its way. More than MTU bytes is ErrTooLarge.
func (l *Link) Send(now time.Time, to transport.Addr, b []byte) error {
	if l.closed {
		return transport.ErrClosed
	}
	if len(b) > l.mtu {
		return transport.ErrTooLarge
	}
	l.net.send(now, l, unmap(to.AP), b)
	return nil
}

// Forget does nothing: the link remembers no address.
func (l *Link) Forget(transport.Addr) {}

// Close frees the address. What is on its way there arrives at whoever
// listens there next, as on a real network.
func (l *Link) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	n := l.net
	delete(n.byAddr, l.public)
	for i, other := range n.links {
		if other == l {
			n.links = append(n.links[:i], n.links[i+1:]...)
			break
		}
	}
	for l.inbox.len() > 0 {
		p, _ := l.inbox.pop(l.inbox.next())
		if n.stray.len() < MaxStray {
			n.stray.push(p)
		} else {
			n.lose(p)
		}
	}
	return nil
}
