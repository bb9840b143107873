// Package transport owns the two interfaces of the data path, Link (datagrams)
// and Host (connections with channels), their vocabulary, and plain UDP. It
// never starts a goroutine and never interprets a byte: a Link carries
// datagrams, a Host messages.
package transport

import (
	"net/netip"
	"time"
)

// MaxDatagram is the largest UDP payload this module ever sends, in bytes.
// Receivers accept up to 4096.
const MaxDatagram = 1200

// Addr names the other end of a Link. Plain UDP uses AP; DTLS uses a session
// number, so that a client whose address changes stays the same peer.
type Addr struct {
	AP      netip.AddrPort
	Session uint32
}

// Link carries datagrams. Implementations: UDP (this package), internal/netsim
// (in memory, or wrapped around any Link), internal/dtlslink, internal/gate.
// A Link belongs to one goroutine.
type Link interface {
	// LocalAddr is the bound address. Its port is never 0.
	LocalAddr() netip.AddrPort
	// MTU is the largest datagram Send takes, in bytes.
	MTU() int
	// Open returns the Addr that reaches to; a plain link answers at once.
	Open(now time.Time, to netip.AddrPort) (Addr, error)
	// Remote returns the network address behind an Addr.
	Remote(Addr) netip.AddrPort
	// Drain hands every datagram that has arrived by now to f, at most a
	// bounded number a call (a limit the implementation documents), and says
	// when it wants to be called again at the latest (zero: whenever the
	// socket is readable). b is valid during f only. A nil b: the address is
	// gone.
	Drain(now time.Time, f func(from Addr, b []byte)) (next time.Time)
	// Send queues or sends one datagram; b may be reused on return. Loss is
	// not an error; an error means the link itself is broken.
	Send(now time.Time, to Addr, b []byte) error
	// Forget drops what the link remembers of an address.
	Forget(Addr)
	Close() error
}

// Batcher is what a Link has when it gathers datagrams for one system call:
// Flush sends them. internal/enet calls it at the end of Host.Flush.
type Batcher interface {
	Flush() error
}

// Peer is an opaque comparable handle of a connection on a Host: the slot in
// the low 16 bits, a counter above that makes handles of later connections in
// the same slot differ. The zero Peer is no peer.
type Peer uint64

// Channel numbers an ordered stream within a connection, from 0.
type Channel uint8

// Mode says how a message is delivered.
type Mode uint8

const (
	// Reliable messages arrive once, in order within their channel.
	Reliable Mode = iota
	// Sequenced messages may be lost, never arrive late: an older one than
	// the newest delivered is dropped. Larger than a datagram: fragmented,
	// lost as a whole when a fragment is.
	Sequenced
	// Unsequenced messages may be lost and reordered, never duplicated.
	Unsequenced
)

// String returns the mode's name.
func (m Mode) String() string {
	switch m {
	case Reliable:
		return "reliable"
	case Sequenced:
		return "sequenced"
	case Unsequenced:
		return "unsequenced"
	}
	return "invalid"
}

// EventKind is what happened on a Host.
type EventKind uint8

const (
	_ EventKind = iota
	// Connected: the connection stands. Code is the connect data.
	Connected
	// Message: Data arrived on Channel.
	Message
	// Disconnected: the connection is over; no event of Peer follows. Code is
	// the disconnect data, and Reason says how it ended.
	Disconnected
)

// Reason says how a connection ended.
type Reason uint8

const (
	_ Reason = iota
	// Closed: one side ended it on purpose.
	Closed
	// TimedOut: the other side stopped answering (or never answered a Dial).
	TimedOut
)

// Event is one thing that happened. Data is valid until the next call of Poll
// on the same Host.
type Event struct {
	Kind    EventKind
	Reason  Reason // Disconnected only
	Channel Channel
	Mode    Mode // Message only: as the sender sent it
	Peer    Peer
	Code    uint32
	Data    []byte
}

// Stats describes a connection. Counters grow from 0 at its start.
type Stats struct {
	RTT           time.Duration
	RTTVar        time.Duration
	Loss          float64 // smoothed share of reliable sends that were lost, 0…1
	BytesSent     uint64  // UDP payload
	BytesReceived uint64
	PacketsSent   uint64 // datagrams
	PacketsRecv   uint64
	InFlight      int // bytes of reliable data sent and not acknowledged
	Queued        int // reliable commands queued or unacknowledged
	Throttled     uint64
	LastHeard     time.Time // when a datagram of the peer last arrived
}

// Host carries messages over connections. Implementations: internal/enet; the
// lossless one of runtime/transport/hosttest for tests. A Host belongs to one
// goroutine; a turn is: Poll until false, act, Flush.
type Host interface {
	// Dial starts a connection. Connected or Disconnected follows.
	Dial(now time.Time, to netip.AddrPort) (Peer, error)
	// Poll returns the next event. The first call of a turn drains the link.
	Poll(now time.Time) (Event, bool)
	// Send queues a message; b may be reused on return. It fails on an
	// unknown peer, a channel the connection lacks, or a message over the
	// host's size limit, and when the peer's queue is full.
	Send(p Peer, ch Channel, mode Mode, b []byte) error
	// Drop ends a connection with a code. What is queued is delivered first,
	// for at most one second. No Disconnected follows for p on this side.
	Drop(p Peer, code uint32)
	// Stats returns the zero Stats for an unknown peer.
	Stats(p Peer) Stats
	// Remote returns the network address of a peer.
	Remote(p Peer) netip.AddrPort
	// Flush sends what is due and returns when Flush or Poll must be called
	// again at the latest.
	Flush(now time.Time) (next time.Time, err error)
	// LocalAddr is the address of the link below.
	LocalAddr() netip.AddrPort
	Close() error
}
