package transport

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bell wakes the goroutine that sleeps on a socket, through Go's poller: a
// duplicate of the socket is registered there from the first wait on. Sleeping
// in poll(2) instead would cost a system call the scheduler has to hear of, and
// with it a wake-up of the runtime's monitor thread for every datagram.
//
// While it is registered every datagram wakes the poller, wanted or not, so
// that a loop that stops waiting (it sleeps, and drains once a tick) loses the
// bell.
type bell struct {
	file *os.File // nil: not registered
	raw  syscall.RawConn
	try  func(uintptr) bool
	set  time.Time // the deadline in force; zero: none, or it has passed
	idle int       // reads since the last wait
}

// maxIdle is after how many reads without a wait the bell is taken down.
const maxIdle = 64

// wait sleeps until receive finds something, or until.
func (s *socket) wait(until time.Time) {
	b := &s.bell
	if s.in.arrived > 0 || (b.file == nil && !b.hang(s)) {
		return
	}
	b.idle = 0
	// A deadline that comes before until may stay: waking early is allowed,
	// and cheaper than moving a timer for every datagram.
	if b.set.IsZero() || until.IsZero() || until.Before(b.set) {
		if b.file.SetReadDeadline(until) != nil {
			return
		}
		b.set = until
	}
	if b.raw.Read(b.try) != nil {
		b.set = time.Time{} // it passed
	}
}

// hang registers the bell; without file descriptors to spare there is none,
// and wait returns at once.
func (b *bell) hang(s *socket) bool {
	fd, err := unix.FcntlInt(uintptr(s.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return false
	}
	file := os.NewFile(uintptr(fd), "udp")
	raw, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return false
	}
	*b = bell{file: file, raw: raw, try: func(uintptr) bool {
		s.in.arrived = s.receive()
		return s.in.arrived > 0
	}}
	return true
}

// unused counts a read without a wait.
func (b *bell) unused() {
	if b.idle++; b.idle > maxIdle {
		b.stow()
	}
}

// stow takes the bell down.
func (b *bell) stow() {
	if b.file != nil {
		_ = b.file.Close()
		*b = bell{}
	}
}
