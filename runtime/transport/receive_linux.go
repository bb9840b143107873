package transport

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inBatch is the memory of one recvmmsg.
type inBatch struct {
	hdrs    []mmsghdr
	iovs    []unix.Iovec
	names   []unix.RawSockaddrInet6 // each holds a RawSockaddrInet4 as well; nil on a connected socket
	bytes   []byte
	arrived int // datagrams that wait has received and nobody has read
}

// inStride is one byte more than is accepted: that tells a datagram that fits
// from one that was cut.
const inStride = MaxReceive + 1

func (m *inBatch) init(n int, named bool) {
	*m = inBatch{hdrs: make([]mmsghdr, n), iovs: make([]unix.Iovec, n), bytes: make([]byte, n*inStride)}
	if named {
		m.names = make([]unix.RawSockaddrInet6, n)
	}
	for i := range m.hdrs {
		h := &m.hdrs[i].hdr
		m.iovs[i].Base = &m.bytes[i*inStride]
		m.iovs[i].SetLen(inStride)
		h.Iov = &m.iovs[i]
		h.SetIovlen(1)
		if named {
			h.Name, h.Namelen = (*byte)(unsafe.Pointer(&m.names[i])), unix.SizeofSockaddrInet6
		}
	}
}

// receive fills the batch with what the kernel holds. An error of a connected
// socket (somebody's ICMP) is stepped over.
func (s *socket) receive() int {
	for range maxICMP {
		n, errno := s.mmsgCall(unix.SYS_RECVMMSG, s.in.hdrs)
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
	if n, s.in.arrived = s.in.arrived, 0; n == 0 {
		s.bell.unused()
		n = s.receive()
	}
	return n, n == len(s.in.hdrs)
}

// datagram returns number i of the last read. It may be called once for each:
// the header is reset for the next.
func (s *socket) datagram(i int) ([]byte, netip.AddrPort) {
	m := &s.in
	n := int(m.hdrs[i].n)
	b := m.bytes[i*inStride:][:n:n]
	if m.names == nil {
		return b, netip.AddrPort{}
	}
	m.hdrs[i].hdr.Namelen = unix.SizeofSockaddrInet6
	return b, s.family.decode(&m.names[i])
}
