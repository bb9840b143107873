package transport

import (
	"net/netip"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// outBatch is the memory of one sendmmsg.
type outBatch struct {
	hdrs     []mmsghdr
	iovs     []unix.Iovec
	names    []unix.RawSockaddrInet6 // nil on a connected socket
	addrs    []netip.AddrPort        // what names say
	bytes    []byte
	gathered int
}

func (m *outBatch) init(n int, named bool) {
	*m = outBatch{hdrs: make([]mmsghdr, n), iovs: make([]unix.Iovec, n), bytes: make([]byte, n*MaxDatagram)}
	if named {
		m.names, m.addrs = make([]unix.RawSockaddrInet6, n), make([]netip.AddrPort, n)
	}
	for i := range m.hdrs {
		h := &m.hdrs[i].hdr
		m.iovs[i].Base = &m.bytes[i*MaxDatagram]
		h.Iov = &m.iovs[i]
		h.SetIovlen(1)
		if named {
			h.Name = (*byte)(unsafe.Pointer(&m.names[i]))
		}
	}
}

// add gathers one datagram and reports whether the batch is full.
func (s *socket) add(to netip.AddrPort, b []byte) bool {
	m := &s.out
	i := m.gathered
	copy(m.bytes[i*MaxDatagram:][:MaxDatagram], b)
	m.iovs[i].SetLen(len(b))
	if m.names != nil && to != m.addrs[i] {
		m.addrs[i] = to
		m.hdrs[i].hdr.Namelen = s.family.encode(&m.names[i], to)
	}
	m.gathered++
	return m.gathered == len(m.hdrs)
}

// write sends the gathered datagrams. One that the kernel refuses is dropped;
// only a socket that is gone is an error.
func (s *socket) write() error {
	first, n := 0, s.out.gathered
	s.out.gathered = 0
	for icmp := 0; first < n; {
		sent, errno := s.mmsgCall(unix.SYS_SENDMMSG, s.out.hdrs[first:n])
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
