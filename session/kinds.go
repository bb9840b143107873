package session

import (
	"demi.network/contract"
	"demi.network/runtime/transport"
)

// nanos is a time: nanoseconds since the session was made.
type nanos int64

// kind is the first byte of a frame.
type kind uint8

// The frames. Numbers are part of the protocol: append, never renumber.
const (
	kindNone kind = iota
	kindHello
	kindWelcome
	kindRefuse
	kindDiff
	kindReady
	kindActive
	kindGoodbye
	kindSpawn
	kindDespawn
	kindOwnership
	kindSessionStart
	kindMessage
	kindRelay
	kindPublication
	kindSnapshot
	kindCount
)

// side is who may send a frame.
type side uint8

const (
	byClient side = 1 << iota
	byServer
)

// The channels and what they carry (seams.md, Session frames).
const (
	channelReliable    transport.Channel = 0 // handshake, life cycle, reliable messages
	channelPublication transport.Channel = 1
	channelSnapshot    transport.Channel = 2
	channelUnreliable  transport.Channel = 3 // unreliable messages: sequenced, or unsequenced when ordered is false
)

// channels is a set of channels.
type channels uint8

func on(list ...transport.Channel) (c channels) {
	for _, ch := range list {
		c |= 1 << ch
	}
	return c
}

// headerBytes is kind and the low byte of the epoch.
const headerBytes = 2

// messageOverhead is the most that a Message or Relay has beside its payload:
// header, index, entity, generation, view tick and sender.
const messageOverhead = headerBytes + 5*5

// Size limits of frames, in bytes.
const (
	maxHello    = 8 << 10
	maxWelcome  = 512 << 10
	maxRefuse   = 16 << 10
	maxDiff     = 16 << 10
	maxGoodbye  = 1 << 10
	maxSpawn    = 24 << 10
	maxSnapshot = 64 << 10
	maxUpward   = 16 << 10
)

// kindRule is what makes a frame legal. Legality is data: the pipeline is one
// function over this table.
type kindRule struct {
	name   string
	from   side
	phases phases   // of the connection, at the receiver
	on     channels // the channel must be one of these
	min    int      // bytes, header included
	max    int      // 0 = the contract's largest message
	// counted: part of the reliable stream that a resume would continue. Both
	// sides count these.
	counted bool
}

var (
	inConnected = setOf(PhaseConnected)
	inAuth      = setOf(PhaseAuthenticated)
	inReady     = setOf(PhaseReady)
	inActive    = setOf(PhaseActive)
	inJoined    = setOf(PhaseReady, PhaseActive)
	inAny       = setOf(PhaseConnected, PhaseAuthenticated, PhaseReady, PhaseActive)
)

var kindRules = [kindCount]kindRule{
	kindHello:        {"hello", byClient, inConnected, on(channelReliable), headerBytes + 2, maxHello, false},
	kindWelcome:      {"welcome", byServer, inConnected, on(channelReliable), headerBytes + 2, maxWelcome, false},
	kindRefuse:       {"refuse", byServer, inConnected, on(channelReliable), headerBytes + 5, maxRefuse, false},
	kindDiff:         {"diff", byClient, inConnected, on(channelReliable), headerBytes + 1, maxDiff, false},
	kindReady:        {"ready", byClient, inAuth, on(channelReliable), headerBytes + 4, headerBytes + 4, true},
	kindActive:       {"active", byServer, inReady, on(channelReliable), headerBytes + 2, headerBytes + 10, true},
	kindGoodbye:      {"goodbye", byClient | byServer, inAny, on(channelReliable), headerBytes + 3, maxGoodbye, true},
	kindSpawn:        {"spawn", byServer, inJoined, on(channelReliable), headerBytes + 6, maxSpawn, true},
	kindDespawn:      {"despawn", byServer, inJoined, on(channelReliable), headerBytes + 2, headerBytes + 10, true},
	kindOwnership:    {"ownership", byServer, inJoined, on(channelReliable), headerBytes + 4, maxSpawn, true},
	kindSessionStart: {"session_start", byServer, inJoined, on(channelReliable), headerBytes + 1, 0, true},
	kindMessage:      {"message", byClient | byServer, inActive, on(channelReliable, channelUnreliable), headerBytes + 1, 0, true},
	kindRelay:        {"relay", byServer, inActive, on(channelReliable, channelUnreliable), headerBytes + 2, 0, true},
	kindPublication:  {"publication", byClient, inActive, on(channelPublication), headerBytes + 2, maxUpward, false},
	kindSnapshot:     {"snapshot", byServer, inActive, on(channelSnapshot), headerBytes + 2, maxSnapshot, false},
}

// String returns the frame's name.
func (k kind) String() string {
	if k > kindNone && k < kindCount {
		return kindRules[k].name
	}
	return "unknown"
}

// counts says that a frame of this kind on that channel is part of the
// reliable stream.
func (k kind) counts(ch transport.Channel) bool {
	return k != kindNone && kindRules[k].counted && ch == channelReliable
}

// modeOn says whether a mode belongs on a channel.
func modeOn(ch transport.Channel, m transport.Mode) bool {
	if ch == channelUnreliable {
		return true
	}
	return arrivedAs(m, modeOf(ch))
}

func modeOf(ch transport.Channel) transport.Mode {
	if ch == channelReliable {
		return transport.Reliable
	}
	return transport.Sequenced
}

// arrivedAs says whether a frame that came in one mode may have been sent in
// another. ENet sends an unreliable packet reliably when the 16 bits of its
// numbers are used up, one of 65 536.
func arrivedAs(came, sent transport.Mode) bool { return came == sent || came == transport.Reliable }

// carriage returns how a declared message travels.
func carriage(m *contract.Message) (transport.Channel, transport.Mode) {
	switch {
	case m.Reliable:
		return channelReliable, transport.Reliable
	case m.Ordered:
		return channelUnreliable, transport.Sequenced
	}
	return channelUnreliable, transport.Unsequenced
}

// arrival is what is known of a frame before it is decoded.
type arrival struct {
	from    side
	phase   Phase  // of the connection
	epoch   uint32 // of the session; 0 = not known yet
	largest int    // bytes of the largest message frame
	channel transport.Channel
	mode    transport.Mode
	bytes   []byte // the whole frame
}

// admit is the pipeline's first half, the same for every frame on both sides:
// kind, phase, epoch, size. Before the welcome a client knows no epoch; from
// then on every frame carries its low byte. It returns the frame's kind and body.
func (a *arrival) admit() (kind, []byte, Reason) {
	if len(a.bytes) < headerBytes {
		return kindNone, nil, ReasonTruncated
	}
	k := kind(a.bytes[0])
	if k == kindNone || k >= kindCount {
		return kindNone, nil, ReasonUnknownFrame
	}
	r := &kindRules[k]
	most := r.max
	if most == 0 {
		most = a.largest
	}
	switch {
	case r.from&a.from == 0:
		return k, nil, ReasonUnauthorizedSender
	case a.channel > channelUnreliable || r.on&on(a.channel) == 0 || !modeOn(a.channel, a.mode):
		return k, nil, ReasonWrongChannel
	case !r.phases.has(a.phase):
		return k, nil, a.wrongPhase(r)
	case a.phase > PhaseConnected && a.bytes[1] != byte(a.epoch):
		return k, nil, ReasonStaleEpoch
	case len(a.bytes) > most:
		return k, nil, ReasonOversized
	case len(a.bytes) < r.min:
		return k, nil, ReasonTruncated
	}
	return k, a.bytes[headerBytes:], ReasonNone
}

// wrongPhase tells a frame that came too soon from one that came too late. An
// unreliable frame of the host may overtake the reliable ones that make it
// legal: that is nobody's fault.
func (a *arrival) wrongPhase(r *kindRule) Reason {
	switch {
	case r.phases < a.phase.bit():
		return ReasonInvalidOperation
	case a.from == byServer && a.channel != channelReliable:
		return ReasonEarly
	}
	return ReasonNotJoined
}
