package enet

import (
	"fmt"
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// Limits of the protocol (wire.md § 1). They are facts of the format, not
// settings.
const (
	// MaxPeers is the most connections a Host can hold: peer ids have 12 bits
	// and the last one means "no peer".
	MaxPeers = 4095
	// MaxChannels is the most channels a connection can have.
	MaxChannels = 255
	// MinMTU and MaxMTU bound the datagram size two peers may agree on.
	MinMTU = 576
	MaxMTU = 4096
)

// Config says how a Host behaves. The zero Config is a client: it may dial,
// and refuses everyone who dials it. For every limit, 0 means the default that
// its comment names and a negative value switches the limit off, unless the
// comment says otherwise.
type Config struct {
	// Accept lets others connect. Without it a CONNECT is ignored.
	Accept bool
	// MaxPeers is how many connections, dialled and accepted together, the
	// Host holds. 0: 32. More than 4095 is an error, negative ones too. A
	// CONNECT beyond it is ignored, a Dial fails with fault.Full.
	MaxPeers int
	// Channels is how many channels a connection has: what Dial asks for and
	// the most that is granted. 0: 4. At most 255.
	Channels int
	// MTU is the largest datagram sent, in bytes of UDP payload, 576…4096.
	// 0: the link's, at most transport.MaxDatagram. Two peers use the smaller
	// one. Datagrams up to 4096 bytes are received whatever this says.
	MTU int
	// ConnectData travels with Dial and is the Code of the other side's
	// Connected event.
	ConnectData uint32
	// Checksum adds a CRC-32 to every datagram, and Compress lets datagrams
	// pass through ENet's range coder. Nothing on the wire says so: both
	// sides must be set alike.
	Checksum bool
	Compress bool
	// RawFragments makes messages that are larger than a datagram travel as C
	// ENet's default does: reliably, whatever their mode. Without it large
	// Sequenced and Unsequenced messages are sent as unreliable fragments, in
	// sequence.
	RawFragments bool
	// IncomingBandwidth and OutgoingBandwidth are limits in bytes a second; 0
	// is no limit. The first is shared among the peers and announced to them,
	// the second bounds the send window and the throttle.
	IncomingBandwidth uint32
	OutgoingBandwidth uint32
	// Random returns 32 random bits: connect ids and the origins of sent times,
	// which strangers must not guess, and the secret of the hash tables.
	//
	// WARNING: nil means the same sequence in every Host of every process. It
	// is for tests and nothing else: who knows it forges handshakes from
	// addresses that are not his, and fills hash tables with collisions. A
	// program that talks to a network must give it entropy, for example from
	// crypto/rand.
	Random func() uint32

	Throttle   Throttle
	Timeouts   Timeouts
	Limits     Limits
	Handshakes Handshakes
}

// Throttle says how unreliable messages are thinned out when round trips grow
// (wire.md § 9). Both sides of a connection use the dialler's values until
// Host.Throttle changes them.
type Throttle struct {
	// Interval is over how long the lowest round trip is measured. 0: 5 s.
	Interval time.Duration
	// Acceleration and Deceleration are the steps, in 32nds of all unreliable
	// messages, per acknowledgement. 0: 2, as in C ENet.
	Acceleration uint32
	Deceleration uint32
	// Off sends deceleration 0: unreliable messages are never thinned out.
	Off bool
	// Slack is how much a round trip may exceed the usual before it counts as
	// congestion. A peer that looks at its socket once a frame makes round
	// trips vary by a frame or two, and that must not starve it. 0: 40 ms;
	// negative: none, as in C ENet.
	Slack time.Duration
}

// Timeouts says when silence ends a connection (wire.md § 10).
type Timeouts struct {
	// Limit, Minimum and Maximum: a connection ends when a command stays
	// unacknowledged for Maximum, or for Minimum once its wait has doubled
	// Limit-fold. 0: 32, 5 s and 30 s. Any acknowledgement starts anew.
	Limit   uint32
	Minimum time.Duration
	Maximum time.Duration
	// Ping is after how long without an acknowledgement an idle connection is
	// pinged. 0: 500 ms.
	Ping time.Duration
	// Drop is for how long Host.Drop tries to deliver what is queued, and the
	// goodbye. 0: 1 s. It cannot be switched off.
	Drop time.Duration
}

// Limits bounds what peers can make a Host hold or do.
type Limits struct {
	// Packet is the largest message, in bytes, sent or received. 0: 1 MiB. A
	// fragment that announces more is refused. It cannot be switched off; at
	// most 32 MiB.
	Packet int
	// Queue is how many reliable commands (a message, or a fragment of one)
	// may wait for a peer, unsent or unacknowledged. Beyond it Send returns a
	// fault.Backlog and queues nothing. 0: 4096.
	Queue int
	// Unreliable is how many bytes of unreliable messages may wait for the
	// next Flush of a peer; beyond it Send returns a fault.Backlog. 0: 4 MiB.
	Unreliable int
	// Waiting is how many bytes a Host holds for one peer in messages that
	// are incomplete or early, and again in messages that nobody polled yet,
	// counting 192 bytes more for each piece of the former and 64 for each of
	// the latter; WaitingTotal is the same over all peers. What exceeds them is not acknowledged, so that the sender tries
	// again. The message that is due next is taken even if early ones fill the
	// limit. 0: 4 MiB, 64 MiB.
	Waiting      int
	WaitingTotal int
	// Incomplete is how many fragmented messages may be incomplete on one
	// channel. Beyond it the oldest unreliable one is dropped, and reliable
	// ones are not acknowledged, but for the one that is due next. 0: 16.
	Incomplete int
	// DuplicatePeers is how many connections one network address (without
	// port) may have. Beyond it a CONNECT is ignored. 0: no limit.
	DuplicatePeers int
	// Commands is how many commands of one received datagram are looked at;
	// the rest is dropped. Senders put in 32. 0: 256.
	Commands int
	// Datagrams is how many received datagrams one turn handles; the rest
	// stays in the link. 0: 4096. It cannot be switched off.
	Datagrams int
}

// Handshakes bounds what those cost who have not yet proved that they receive
// at the address they send from. Connections on a loopback address are exempt
// from PerIP and Rate.
type Handshakes struct {
	// Total is how many unfinished incoming handshakes there are at a time,
	// PerIP how many from one network address: the oldest goes first.
	// 0: 1024 and 256.
	Total int
	PerIP int
	// Timeout ends an unfinished handshake. 0: 5 s. Off: C ENet's 31.5 s.
	Timeout time.Duration
	// Replies is how many bytes may leave for each that came, until the
	// address is proved: a CONNECT of 52 bytes is answered three times at
	// most. What the stranger sends meanwhile counts. 0: 3. Off: six answers,
	// until the handshake times out.
	Replies int
	// Rate is how many CONNECTs a second one network prefix (IPv4 /24, IPv6
	// /56) may send, with bursts of twice that. The rest is ignored. 0: 256.
	Rate int
}

// withDefaults returns c with every 0 replaced, or what is wrong with it.
func (c Config) withDefaults(link transport.Link) (Config, error) {
	set(&c.MaxPeers, 32)
	set(&c.Channels, 4)
	if c.MTU == 0 {
		c.MTU = min(link.MTU(), transport.MaxDatagram)
	}
	c.Throttle = c.Throttle.withDefaults()
	c.Timeouts = c.Timeouts.withDefaults()
	c.Limits = c.Limits.withDefaults()
	c.Handshakes = c.Handshakes.withDefaults()
	if c.Random == nil {
		c.Random = fixedSequence()
	}
	return c, c.validate(link)
}

func (t Throttle) withDefaults() Throttle {
	setDuration(&t.Interval, 5*time.Second)
	set(&t.Acceleration, 2)
	set(&t.Deceleration, 2)
	if t.Off {
		t.Deceleration = 0
	}
	setDuration(&t.Slack, 40*time.Millisecond)
	t.Slack = max(t.Slack, 0)
	return t
}

func (t Timeouts) withDefaults() Timeouts {
	set(&t.Limit, 32)
	setDuration(&t.Minimum, 5*time.Second)
	setDuration(&t.Maximum, 30*time.Second)
	setDuration(&t.Ping, 500*time.Millisecond)
	setDuration(&t.Drop, time.Second)
	return t
}

func (l Limits) withDefaults() Limits {
	set(&l.Packet, 1<<20)
	limit(&l.Queue, 4096)
	limit(&l.Unreliable, 4<<20)
	limit(&l.Waiting, 4<<20)
	limit(&l.WaitingTotal, 64<<20)
	limit(&l.Incomplete, 16)
	limit(&l.DuplicatePeers, noLimit)
	limit(&l.Commands, 256)
	set(&l.Datagrams, 4096)
	return l
}

func (h Handshakes) withDefaults() Handshakes {
	limit(&h.Total, 1024)
	limit(&h.PerIP, 256)
	setDuration(&h.Timeout, 5*time.Second)
	limit(&h.Replies, 3)
	limit(&h.Rate, 256)
	return h
}

func (c Config) validate(link transport.Link) error {
	type rule struct {
		ok   bool
		text string
	}
	rules := []rule{
		{c.MaxPeers >= 1 && c.MaxPeers <= MaxPeers, fmt.Sprintf("MaxPeers %d is not 1…%d", c.MaxPeers, MaxPeers)},
		{c.Channels >= 1 && c.Channels <= MaxChannels, fmt.Sprintf("Channels %d is not 1…%d", c.Channels, MaxChannels)},
		{c.MTU >= MinMTU && c.MTU <= MaxMTU, fmt.Sprintf("MTU %d is not %d…%d", c.MTU, MinMTU, MaxMTU)},
		{c.MTU <= link.MTU(), fmt.Sprintf("MTU %d is over the link's %d", c.MTU, link.MTU())},
		{c.Limits.Packet >= 1 && c.Limits.Packet <= 32<<20, fmt.Sprintf("Limits.Packet %d is not 1…%d", c.Limits.Packet, 32<<20)},
		{c.Limits.Datagrams >= 1, fmt.Sprintf("Limits.Datagrams %d is not at least 1", c.Limits.Datagrams)},
		{c.Throttle.Interval > 0, "Throttle.Interval is negative"},
		{c.Timeouts.Minimum > 0 && c.Timeouts.Maximum > 0 && c.Timeouts.Ping > 0 && c.Timeouts.Drop > 0, "a duration in Timeouts is negative"},
	}
	for _, r := range rules {
		if !r.ok {
			return fault.New(fault.Config, "enet: %s", r.text)
		}
	}
	return nil
}

// noLimit is what a limit that is switched off becomes.
const noLimit = 1 << 30

func set[T int | uint32](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

func setDuration(v *time.Duration, def time.Duration) {
	if *v == 0 {
		*v = def
	}
}

// limit is set for limits that a negative value switches off.
func limit(v *int, def int) {
	if *v < 0 {
		*v = noLimit
	}
	set(v, def)
}

// fixedSequence is what Config.Random warns of.
func fixedSequence() func() uint32 {
	x := uint32(0)
	return func() uint32 {
		x += 0x9E3779B9
		return x ^ x>>15
	}
}
