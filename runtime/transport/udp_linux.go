package transport

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mmsghdr is the kernel's struct mmsghdr; Go pads it as C does.
type mmsghdr struct {
	hdr unix.Msghdr
	n   uint32
}

// slot is one datagram of a batch: its bytes, where they are, and whose.
type slot struct {
	iov  unix.Iovec
	name unix.RawSockaddrInet6 // holds a RawSockaddrInet4 as well
	addr netip.AddrPort        // what name says, of a slot to send
}

// socket is a UDP socket outside Go's poller, but for the bell: a server that
// drains once a tick sleeps through what arrives in between. Batches point
// into memory that lives as long as the socket.
type socket struct {
	fd        int
	v4        bool // an AF_INET socket
	connected bool
	in, out   mmsg
	gathered  int // slots of out in use
	arrived   int // slots of in that wait filled, not yet read
	bell      bell
	zones     map[uint32]string
	count     UDPCounters
}

// mmsg is the memory of one batch.
type mmsg struct {
	hdrs  []mmsghdr
	slots []slot
	bytes []byte
	size  int
}

func newMmsg(n, size int, named bool) mmsg {
	m := mmsg{make([]mmsghdr, n), make([]slot, n), make([]byte, n*size), size}
	for i := range m.hdrs {
		s, h := &m.slots[i], &m.hdrs[i].hdr
		s.iov.Base = &m.bytes[i*size]
		s.iov.SetLen(size)
		h.Iov = &s.iov
		h.SetIovlen(1)
		if named {
			h.Name = (*byte)(unsafe.Pointer(&s.name))
			h.Namelen = unix.SizeofSockaddrInet6
		}
	}
	return m
}

// init takes conn's socket over and closes conn, also when it fails.
func (s *socket) init(conn *net.UDPConn, connected bool, n int) error {
	defer conn.Close()
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	// A duplicate, which Go's poller does not know.
	cerr := raw.Control(func(fd uintptr) { s.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if cerr != nil || err != nil {
		return errors.Join(cerr, err)
	}
	domain, err := unix.GetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return errors.Join(err, s.close())
	}
	s.v4, s.connected = domain == unix.AF_INET, connected
	// One byte more than is accepted tells a datagram that fits from one cut.
	s.in = newMmsg(n, MaxReceive+1, !connected)
	s.out = newMmsg(n, MaxDatagram, !connected)
	s.zones = map[uint32]string{}
	return nil
}

func (s *socket) close() error {
	fd := s.fd
	s.fd = -1
	s.bell.stow()
	return os.NewSyscallError("close", unix.Close(fd))
}

// mmsgCall does one recvmmsg or sendmmsg of slots first to n, and retries what
// a signal interrupted. The call never blocks, so the scheduler need not hear
// of it: telling it would wake the runtime's monitor thread each time.
func (s *socket) mmsgCall(trap uintptr, m *mmsg, first, n int) (int, syscall.Errno) {
	for {
		r, _, errno := unix.RawSyscall6(trap, uintptr(s.fd), uintptr(unsafe.Pointer(&m.hdrs[first])),
			uintptr(n-first), unix.MSG_DONTWAIT, 0, 0)
		if errno != unix.EINTR {
			return int(r), errno
		}
	}
}

// maxICMP bounds how many queued ICMP errors one read or write steps over.
const maxICMP = 16

// receive fills the batch with what the kernel holds. An error of a connected
// socket (somebody's ICMP) is stepped over.
func (s *socket) receive() int {
	if !s.connected {
		for i := range s.in.hdrs {
			s.in.hdrs[i].hdr.Namelen = unix.SizeofSockaddrInet6
		}
	}
	for range maxICMP {
		n, errno := s.mmsgCall(unix.SYS_RECVMMSG, &s.in, 0, len(s.in.hdrs))
		s.count.Reads++
		if errno == 0 {
			return n
		}
		if errno == unix.EAGAIN || errno == unix.EBADF {
			break
		}
	}
	return 0
}

// read returns how many datagrams there are, and whether there may be more.
func (s *socket) read() (n int, more bool) {
	if n, s.arrived = s.arrived, 0; n == 0 {
		s.bell.unused()
		n = s.receive()
	}
	return n, n == len(s.in.hdrs)
}

// datagram returns slot i of the last read.
func (s *socket) datagram(i int) ([]byte, netip.AddrPort) {
	n := int(s.in.hdrs[i].n)
	b := s.in.bytes[i*s.in.size:][:n:n]
	if s.connected {
		return b, netip.AddrPort{}
	}
	return b, s.decode(&s.in.slots[i].name)
}

// decode reads a socket address; ports are in network order whatever the
// machine's is.
func (s *socket) decode(sa *unix.RawSockaddrInet6) netip.AddrPort {
	if sa.Family == unix.AF_INET {
		sa4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(sa))
		return netip.AddrPortFrom(netip.AddrFrom4(sa4.Addr), swapped(sa4.Port))
	}
	a := netip.AddrFrom16(sa.Addr).Unmap()
	if sa.Scope_id != 0 && a.Is6() {
		a = a.WithZone(s.zone(sa.Scope_id))
	}
	return netip.AddrPortFrom(a, swapped(sa.Port))
}

// swapped reads a port that lies in memory in network order.
func swapped(port uint16) uint16 {
	b := (*[2]byte)(unsafe.Pointer(&port))
	return uint16(b[0])<<8 | uint16(b[1])
}

// zone returns the name of a network interface by number. There are as many
// as the machine has interfaces.
func (s *socket) zone(id uint32) string {
	name, ok := s.zones[id]
	if !ok {
		name = strconv.FormatUint(uint64(id), 10)
		if ifc, err := net.InterfaceByIndex(int(id)); err == nil {
			name = ifc.Name
		}
		s.zones[id] = name
	}
	return name
}

// scope returns the number of a zone, or 0 when there is none.
func (s *socket) scope(zone string) uint32 {
	if zone == "" {
		return 0
	}
	for id, name := range s.zones { // names are unique: order does not matter
		if name == zone {
			return id
		}
	}
	if ifc, err := net.InterfaceByName(zone); err == nil {
		return uint32(ifc.Index)
	}
	n, _ := strconv.ParseUint(zone, 10, 32)
	return uint32(n)
}

// canonical spells the zone of a as datagrams from there will.
func (s *socket) canonical(a netip.AddrPort) netip.AddrPort {
	if id := s.scope(a.Addr().Zone()); id != 0 {
		return netip.AddrPortFrom(a.Addr().WithZone(s.zone(id)), a.Port())
	}
	return a
}

// add gathers one datagram and reports whether the batch is full.
func (s *socket) add(to netip.AddrPort, b []byte) bool {
	i := s.gathered
	sl := &s.out.slots[i]
	copy(s.out.bytes[i*s.out.size:][:s.out.size], b)
	sl.iov.SetLen(len(b))
	if !s.connected && to != sl.addr {
		sl.addr = to
		s.out.hdrs[i].hdr.Namelen = s.encode(&sl.name, to)
	}
	s.gathered++
	return s.gathered == len(s.out.hdrs)
}

// encode writes a socket address of the socket's family and returns its
// length. An IPv6 address on an IPv4 socket becomes one the kernel refuses.
func (s *socket) encode(sa *unix.RawSockaddrInet6, to netip.AddrPort) uint32 {
	if s.v4 {
		sa4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(sa))
		*sa4 = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: swapped(to.Port())}
		if !to.Addr().Is4() {
			sa4.Family = unix.AF_INET6
			return unix.SizeofSockaddrInet4
		}
		sa4.Addr = to.Addr().As4()
		return unix.SizeofSockaddrInet4
	}
	*sa = unix.RawSockaddrInet6{
		Family: unix.AF_INET6, Port: swapped(to.Port()),
		Addr: to.Addr().As16(), Scope_id: s.scope(to.Addr().Zone()),
	}
	return unix.SizeofSockaddrInet6
}

// write sends the gathered datagrams. One that the kernel refuses is dropped;
// only a socket that is gone is an error.
func (s *socket) write() error {
	first, n := 0, s.gathered
	s.gathered = 0
	for icmp := 0; first < n; {
		sent, errno := s.mmsgCall(unix.SYS_SENDMMSG, &s.out, first, n)
		s.count.Writes++
		switch {
		case errno == 0:
			first += sent
			s.count.Sent += uint64(sent)
		case errno == unix.EBADF || errno == unix.ENOTSOCK:
			return os.NewSyscallError("sendmmsg", errno)
		case errno == unix.ECONNREFUSED && icmp < maxICMP:
			icmp++ // an earlier datagram's answer; this one was not tried
		case errno == unix.EAGAIN || errno == unix.ENOBUFS:
			s.count.Unsent += uint64(n - first)
			return nil
		default:
			s.count.Unsent++
			first++
		}
	}
	return nil
}
