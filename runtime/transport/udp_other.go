//go:build !linux

package transport

import (
	"errors"
	"net"
	"net/netip"
	"time"
)

// socket is a UDP socket where there is no batched system call: one datagram
// a call, with what the net package offers everywhere.
type socket struct {
	conn      *net.UDPConn
	connected bool
	in        [MaxReceive + 1]byte
	n         int
	from      netip.AddrPort
	waiting   bool // in holds a datagram that wait has read
	out       [MaxDatagram]byte
	size      int // of the gathered datagram; -1: none
	to        netip.AddrPort
	count     UDPCounters
}

// glance is how long a read waits for a datagram that is not there yet: the
// net package has no read that does not block.
const glance = 100 * time.Microsecond

func (s *socket) init(conn *net.UDPConn, connected bool, _ int) error {
	s.conn, s.connected, s.size = conn, connected, -1
	return nil
}

func (s *socket) close() error { return s.conn.Close() }

// receive reads one datagram before the deadline. Errors of a connected
// socket (somebody's ICMP) are no datagram.
func (s *socket) receive(deadline time.Time) bool {
	if s.conn.SetReadDeadline(deadline) != nil {
		return false
	}
	n, from, err := s.conn.ReadFromUDPAddrPort(s.in[:])
	s.n, s.from = n, Unmap(from)
	return err == nil
}

func (s *socket) read() (n int, more bool) {
	if s.waiting {
		s.waiting = false
		return 1, true
	}
	s.count.Reads++
	if !s.receive(time.Now().Add(glance)) {
		return 0, false
	}
	return 1, true
}

func (s *socket) datagram(int) ([]byte, netip.AddrPort) { return s.in[:s.n], s.from }

func (s *socket) canonical(a netip.AddrPort) netip.AddrPort { return a }

func (s *socket) add(to netip.AddrPort, b []byte) bool {
	s.size, s.to = copy(s.out[:], b), to
	return true
}

func (s *socket) write() error {
	if s.size < 0 {
		return nil
	}
	b := s.out[:s.size]
	s.size = -1
	var err error
	if s.connected {
		_, err = s.conn.Write(b)
	} else {
		_, err = s.conn.WriteToUDPAddrPort(b, s.to)
	}
	s.count.Writes++
	if errors.Is(err, net.ErrClosed) {
		return err
	}
	if err != nil {
		s.count.Unsent++
		return nil
	}
	s.count.Sent++
	return nil
}

func (s *socket) wait(until time.Time) {
	if !s.waiting {
		s.waiting = s.receive(until)
	}
}
