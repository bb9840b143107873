package transport

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mmsghdr is the kernel's struct mmsghdr; Go pads it as C does.
type mmsghdr struct {
	hdr unix.Msghdr
	n   uint32
}

// socket is a UDP socket outside Go's poller, but for the bell: a server that
// drains once a tick sleeps through what arrives in between. Batches point
// into memory that lives as long as the socket.
type socket struct {
	fd        int
	connected bool
	family    family
	in        inBatch
	out       outBatch
	bell      bell
	count     UDPCounters
}

// init takes conn's socket over and closes conn, also when it fails. n is the
// most datagrams in one system call.
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
	s.connected = connected
	s.family = family{v4: domain == unix.AF_INET, zones: map[uint32]string{}}
	s.in.init(n, !connected)
	s.out.init(n, !connected)
	return nil
}

func (s *socket) close() error {
	fd := s.fd
	s.fd = -1
	s.bell.stow()
	return os.NewSyscallError("close", unix.Close(fd))
}

// canonical spells the zone of a as datagrams from there will.
func (s *socket) canonical(a netip.AddrPort) netip.AddrPort { return s.family.canonical(a) }

// mmsgCall does one recvmmsg or sendmmsg and retries what a signal
// interrupted. The call never blocks, so the scheduler need not hear of it:
// telling it would wake the runtime's monitor thread each time.
func (s *socket) mmsgCall(trap uintptr, hdrs []mmsghdr) (int, syscall.Errno) {
	for {
		r, _, errno := unix.RawSyscall6(trap, uintptr(s.fd), uintptr(unsafe.Pointer(&hdrs[0])),
			uintptr(len(hdrs)), unix.MSG_DONTWAIT, 0, 0)
		if errno != unix.EINTR {
			return int(r), errno
		}
	}
}

// maxICMP bounds how many queued ICMP errors one read or write steps over.
const maxICMP = 16
