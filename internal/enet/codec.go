package enet

import "encoding/binary"

// kind is a command's number on the wire (wire.md § 3).
type kind uint8

const (
	kindNone kind = iota
	kindAcknowledge
	kindConnect
	kindVerifyConnect
	kindDisconnect
	kindPing
	kindReliable
	kindUnreliable
	kindFragment
	kindUnsequenced
	kindBandwidthLimit
	kindThrottleConfigure
	kindUnreliableFragment
	kindCount
)

var kindNames = [kindCount]string{
	"NONE", "ACKNOWLEDGE", "CONNECT", "VERIFY_CONNECT", "DISCONNECT", "PING", "SEND_RELIABLE", "SEND_UNRELIABLE",
	"SEND_FRAGMENT", "SEND_UNSEQUENCED", "BANDWIDTH_LIMIT", "THROTTLE_CONFIGURE", "SEND_UNRELIABLE_FRAGMENT",
}

// String returns ENet's name of the command.
func (k kind) String() string {
	if k >= kindCount {
		return "INVALID"
	}
	return kindNames[k]
}

// fixedSize is the length of each command without its data. It is the one
// table of sizes: reading and writing both go by it.
var fixedSize = [kindCount]int{
	kindAcknowledge: 8, kindConnect: 48, kindVerifyConnect: 44, kindDisconnect: 8, kindPing: 4,
	kindReliable: 6, kindUnreliable: 8, kindFragment: 24, kindUnsequenced: 8,
	kindBandwidthLimit: 12, kindThrottleConfigure: 16, kindUnreliableFragment: 24,
}

// hasData says which commands are followed by the bytes their length announces.
var hasData = [kindCount]bool{
	kindReliable: true, kindUnreliable: true, kindFragment: true, kindUnsequenced: true, kindUnreliableFragment: true,
}

const (
	flagAcknowledge = 0x80
	flagUnsequenced = 0x40
	kindMask        = 0x0F

	headerSize   = 4 // of a command
	fragmentSize = 24

	controlChannel = 0xFF
	noPeerID       = 0xFFF
	noSession      = 0xFF // of a slot that was never used

	maxCommands    = 32 // in a datagram we build
	maxFragments   = 1 << 20
	minWindow      = 4096
	maxWindow      = 65536
	windowSeqs     = 4096 // sequence numbers in a reliable window
	windowCount    = 16
	freeWindows    = 8
	unsequencedWin = 1024
	freeUnseqWins  = 32
)

var be = binary.BigEndian

// header is what every command begins with. op holds the kind and its flags.
type header struct {
	op      byte
	channel uint8
	seq     uint16
}

func (h header) kind() kind { return kind(h.op & kindMask) }

func (h header) put(b []byte) {
	b[0], b[1] = h.op, h.channel
	be.PutUint16(b[2:], h.seq)
}

func getHeader(b []byte) header {
	return header{op: b[0], channel: b[1], seq: be.Uint16(b[2:])}
}

// ackCommand acknowledges one command.
type ackCommand struct {
	channel uint8
	seq     uint16 // of the acknowledged command
	sent    uint16 // sent time of the datagram it came in
}

func (c ackCommand) put(b []byte) {
	header{byte(kindAcknowledge), c.channel, c.seq}.put(b)
	be.PutUint16(b[4:], c.seq)
	be.PutUint16(b[6:], c.sent)
}

func getAck(b []byte) ackCommand {
	return ackCommand{channel: b[1], seq: be.Uint16(b[4:]), sent: be.Uint16(b[6:])}
}

// connectCommand is CONNECT, and VERIFY_CONNECT, which lacks data.
type connectCommand struct {
	peerID     uint16 // slot of the sender
	inSession  uint8
	outSession uint8
	mtu        uint32
	window     uint32
	channels   uint32
	inBand     uint32
	outBand    uint32
	throttle   throttleCommand
	connectID  [4]byte
	data       uint32
}

// put writes what follows the header: all of CONNECT or, where b is shorter,
// VERIFY_CONNECT.
func (c *connectCommand) put(b []byte) {
	be.PutUint16(b[4:], c.peerID)
	b[6], b[7] = c.inSession, c.outSession
	be.PutUint32(b[8:], c.mtu)
	be.PutUint32(b[12:], c.window)
	be.PutUint32(b[16:], c.channels)
	be.PutUint32(b[20:], c.inBand)
	be.PutUint32(b[24:], c.outBand)
	c.throttle.put(b[28:])
	copy(b[40:44], c.connectID[:])
	if len(b) >= fixedSize[kindConnect] {
		be.PutUint32(b[44:], c.data)
	}
}

func getConnect(b []byte) (c connectCommand) {
	c.peerID = be.Uint16(b[4:])
	c.inSession, c.outSession = b[6], b[7]
	c.mtu = be.Uint32(b[8:])
	c.window = be.Uint32(b[12:])
	c.channels = be.Uint32(b[16:])
	c.inBand = be.Uint32(b[20:])
	c.outBand = be.Uint32(b[24:])
	c.throttle = getThrottle(b[28:])
	copy(c.connectID[:], b[40:44])
	if getHeader(b).kind() == kindConnect {
		c.data = be.Uint32(b[44:])
	}
	return c
}

// throttleCommand holds the three values of THROTTLE_CONFIGURE, which CONNECT
// and VERIFY_CONNECT carry too. interval is in milliseconds.
type throttleCommand struct{ interval, acceleration, deceleration uint32 }

func (c throttleCommand) put(b []byte) {
	be.PutUint32(b, c.interval)
	be.PutUint32(b[4:], c.acceleration)
	be.PutUint32(b[8:], c.deceleration)
}

func getThrottle(b []byte) throttleCommand {
	return throttleCommand{be.Uint32(b), be.Uint32(b[4:]), be.Uint32(b[8:])}
}

// bandwidthCommand is BANDWIDTH_LIMIT, after its header.
type bandwidthCommand struct{ incoming, outgoing uint32 }

func (c bandwidthCommand) put(b []byte) {
	be.PutUint32(b, c.incoming)
	be.PutUint32(b[4:], c.outgoing)
}

func getBandwidth(b []byte) bandwidthCommand {
	return bandwidthCommand{be.Uint32(b), be.Uint32(b[4:])}
}

// fragmentCommand is what SEND_FRAGMENT and SEND_UNRELIABLE_FRAGMENT add to
// the header. The data is length bytes at offset of a packet of total bytes.
type fragmentCommand struct {
	start  uint16 // number of the packet
	length uint16
	count  uint32
	number uint32
	total  uint32
	offset uint32
}

func (c *fragmentCommand) put(b []byte) {
	be.PutUint16(b[4:], c.start)
	be.PutUint16(b[6:], c.length)
	be.PutUint32(b[8:], c.count)
	be.PutUint32(b[12:], c.number)
	be.PutUint32(b[16:], c.total)
	be.PutUint32(b[20:], c.offset)
}

func getFragment(b []byte) fragmentCommand {
	return fragmentCommand{
		start: be.Uint16(b[4:]), length: be.Uint16(b[6:]), count: be.Uint32(b[8:]),
		number: be.Uint32(b[12:]), total: be.Uint32(b[16:]), offset: be.Uint32(b[20:]),
	}
}

// putReliable, putNumbered and dataLength are SEND_RELIABLE, and
// SEND_UNRELIABLE and SEND_UNSEQUENCED with their number, after the header.
func putReliable(b []byte, length int) { be.PutUint16(b[4:], uint16(length)) }

func putNumbered(b []byte, number uint16, length int) {
	be.PutUint16(b[4:], number)
	be.PutUint16(b[6:], uint16(length))
}

func getNumber(b []byte) uint16 { return be.Uint16(b[4:]) }

// dataLength returns how many bytes of data follow a command, by its own word.
func dataLength(k kind, b []byte) int {
	switch {
	case k == kindReliable:
		return int(be.Uint16(b[4:]))
	case hasData[k]:
		return int(be.Uint16(b[6:]))
	}
	return 0
}

// datagramHeader is the peer word, the sent time that may follow it, and the
// checksum.
type datagramHeader struct {
	peerID     uint16
	session    uint8
	compressed bool
	hasTime    bool
	time       uint16
}

const (
	wordTime         = 0x8000
	wordCompressed   = 0x4000
	wordSessionShift = 12
	checksumSize     = 4
	maxHeader        = 4 + checksumSize
)

// size returns the length of the header without a checksum.
func (d datagramHeader) size() int {
	if d.hasTime {
		return 4
	}
	return 2
}

func (d datagramHeader) put(b []byte) {
	w := d.peerID | uint16(d.session&3)<<wordSessionShift
	if d.compressed {
		w |= wordCompressed
	}
	if d.hasTime {
		w |= wordTime
		be.PutUint16(b[2:], d.time)
	}
	be.PutUint16(b, w)
}

// getDatagramHeader fails on a datagram that is shorter than its own header.
func getDatagramHeader(b []byte) (d datagramHeader, ok bool) {
	if len(b) < 2 {
		return d, false
	}
	w := be.Uint16(b)
	d = datagramHeader{
		peerID: w & noPeerID, session: uint8(w>>wordSessionShift) & 3,
		compressed: w&wordCompressed != 0, hasTime: w&wordTime != 0,
	}
	if d.hasTime {
		if len(b) < 4 {
			return d, false
		}
		d.time = be.Uint16(b[2:])
	}
	return d, true
}
