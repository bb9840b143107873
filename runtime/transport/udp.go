package transport

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"

	"demi.network/runtime/fault"
)

// Limits of a UDP link.
const (
	// MaxReceive is the largest UDP payload received, in bytes; a longer one
	// is dropped whole and counted.
	MaxReceive = 4096
	// MaxDrain is the most datagrams one Drain hands over. It is a multiple of
	// batch.
	MaxDrain = 1024
	// batch is the most datagrams in one system call of a server; a client,
	// which gets less, has a quarter. Each costs MaxReceive + MaxDatagram
	// bytes of memory.
	batch = 64
	// socketBuffer is what the kernel is asked for, each way, in bytes; it
	// gives less where its own limit is lower.
	socketBuffer = 4 << 20
)

// UDPCounters count what a UDP link did since it was opened.
type UDPCounters struct {
	Received  uint64 // datagrams handed over
	Sent      uint64 // datagrams the kernel took
	Reads     uint64 // system calls that read
	Writes    uint64 // system calls that wrote
	Truncated uint64 // dropped: longer than MaxReceive
	Unsent    uint64 // dropped: the kernel refused (full queue, no route, filter)
}

// UDP is a Link over one UDP socket, without a goroutine: Drain reads what the
// kernel holds, Send gathers, Flush (or a full batch) sends, Wait sleeps. It
// allocates nothing per datagram. ICMP errors are loss, never a broken link.
// Not safe for concurrent use.
type UDP struct {
	sock   socket
	local  netip.AddrPort
	peer   netip.AddrPort // of a connected socket; else invalid
	closed bool
}

var (
	_ Link    = (*UDP)(nil)
	_ Batcher = (*UDP)(nil)
	_ Waiter  = (*UDP)(nil)
)

// ListenUDP binds addr (port 0: the system picks one). [::] serves IPv4 as
// well. Errors are fault.Bind and say whether the port is taken, the address
// is not this machine's, or permission is missing.
func ListenUDP(addr netip.AddrPort) (*UDP, error) {
	addr = Unmap(addr)
	network := "udp6"
	switch {
	case addr.Addr().Is4():
		network = "udp4"
	case addr.Addr() == netip.IPv6Unspecified():
		network = "udp" // both families
	}
	conn, err := net.ListenUDP(network, net.UDPAddrFromAddrPort(addr))
	if err != nil {
		return nil, bindError(addr, err)
	}
	return newUDP(conn, netip.AddrPort{}, batch)
}

// DialUDP connects a socket to to: only its datagrams arrive. A loopback
// target is reached from the loopback address. Nothing is sent. Errors are
// fault.Address: no route, or a target that cannot be one.
func DialUDP(to netip.AddrPort) (*UDP, error) {
	to = Unmap(to)
	if !to.IsValid() || to.Port() == 0 || to.Addr().IsUnspecified() || to.Addr().IsMulticast() {
		return nil, fault.New(fault.Address, "%s is not an address a client can reach", to)
	}
	var from *net.UDPAddr
	network := "udp6"
	if to.Addr().Is4() {
		network = "udp4"
	}
	switch {
	case !to.Addr().IsLoopback():
	case to.Addr().Is4():
		from = net.UDPAddrFromAddrPort(netip.AddrPortFrom(loopback4, 0))
	default:
		from = net.UDPAddrFromAddrPort(netip.AddrPortFrom(loopback6, 0))
	}
	conn, err := net.DialUDP(network, from, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return nil, fault.Wrap(cause(err), fault.Address, "%s cannot be reached", to)
	}
	return newUDP(conn, to, batch/4)
}

// newUDP takes conn over.
func newUDP(conn *net.UDPConn, peer netip.AddrPort, n int) (*UDP, error) {
	_ = conn.SetReadBuffer(socketBuffer) // the kernel's limit holds, and is enough to run
	_ = conn.SetWriteBuffer(socketBuffer)
	u := &UDP{local: Unmap(conn.LocalAddr().(*net.UDPAddr).AddrPort()), peer: peer}
	if err := u.sock.init(conn, peer.IsValid(), n); err != nil {
		return nil, fault.Wrap(cause(err), fault.Bind, "%s", u.local)
	}
	if peer.IsValid() {
		u.peer = u.sock.canonical(peer)
	}
	return u, nil
}

// cause digs the system's own error out of the net package's wrapping, whose
// text repeats the address.
func cause(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

func bindError(addr netip.AddrPort, err error) error {
	err = cause(err)
	why, hint := "cannot be bound", ""
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		why, hint = "is taken", "another process listens there; stop it, or choose another --port (0 picks a free one)"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		why, hint = "is not an address of this machine", "bind one of its own addresses, or 0.0.0.0 or :: for all"
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		why, hint = "needs permission to bind", "ports below 1024 belong to privileged processes"
	}
	e := fault.Wrap(err, fault.Bind, "%s %s", addr, why)
	e.Hint = hint
	e.Data = map[string]any{"address": addr.String(), "cause": err.Error()}
	return e
}

// LocalAddr is the bound address.
func (u *UDP) LocalAddr() netip.AddrPort { return u.local }

// MTU is MaxDatagram.
func (u *UDP) MTU() int { return MaxDatagram }

// Counters returns what the link has done so far.
func (u *UDP) Counters() UDPCounters { return u.sock.count }

// Open answers at once. A connected link opens its own peer only; another
// address is fault.Address.
func (u *UDP) Open(_ time.Time, to netip.AddrPort) (Addr, error) {
	to = u.sock.canonical(Unmap(to))
	if u.peer.IsValid() && to != u.peer {
		return Addr{}, fault.New(fault.Address, "%s: this socket is connected to %s", to, u.peer)
	}
	if !to.IsValid() || to.Port() == 0 {
		return Addr{}, fault.New(fault.Address, "%s is not an address to send to", to)
	}
	return Addr{AP: to}, nil
}

// Remote returns a.AP.
func (u *UDP) Remote(a Addr) netip.AddrPort { return a.AP }

// Forget does nothing: the socket remembers no address.
func (u *UDP) Forget(Addr) {}

// Drain hands over what has arrived, at most MaxDrain datagrams; next is now
// when there may be more, else zero: when the socket is readable. Empty
// datagrams, which no protocol of ours sends, are dropped.
func (u *UDP) Drain(now time.Time, f func(from Addr, b []byte)) (next time.Time) {
	for seen := 0; !u.closed; {
		n, more := u.sock.read()
		for i := range n {
			u.hand(i, f)
		}
		if seen += n; !more {
			break
		}
		if seen >= MaxDrain {
			return now
		}
	}
	return time.Time{}
}

func (u *UDP) hand(i int, f func(from Addr, b []byte)) {
	b, from := u.sock.datagram(i)
	switch {
	case len(b) > MaxReceive:
		u.sock.count.Truncated++
	case len(b) > 0:
		u.sock.count.Received++
		if u.peer.IsValid() {
			from = u.peer
		}
		f(Addr{AP: from}, b)
	}
}

// Send gathers a copy of b. More than MTU bytes is ErrTooLarge; an address
// that a connected link has not opened is ErrUnknownPeer.
func (u *UDP) Send(_ time.Time, to Addr, b []byte) error {
	switch {
	case u.closed:
		return ErrClosed
	case len(b) > MaxDatagram:
		return ErrTooLarge
	case u.peer.IsValid() && to.AP != u.peer:
		return ErrUnknownPeer
	}
	if u.sock.add(to.AP, b) {
		return u.Flush()
	}
	return nil
}

// Flush sends what is gathered. Datagrams that the kernel refuses count as
// Unsent; an error means that the socket is gone.
func (u *UDP) Flush() error {
	if u.closed {
		return ErrClosed
	}
	return u.sock.write()
}

// Wait sleeps until a datagram arrives or until, whichever is first; the zero
// time waits for a datagram only. It may return early, and does on a signal.
func (u *UDP) Wait(until time.Time) {
	if !u.closed {
		u.sock.wait(until)
	}
}

// Close frees the port. What is gathered and not flushed is lost.
func (u *UDP) Close() error {
	if u.closed {
		return nil
	}
	u.closed = true
	return u.sock.close()
}
