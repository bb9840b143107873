package session

import (
	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime/fault"
)

// EventKind is what an Event tells.
type EventKind uint8

// The events. A host's own acts (Spawn, Transfer, Despawn, Send, StartSession)
// make no event on the host: the caller knows. What a leave does to entities
// makes events on the host as well.
const (
	_ EventKind = iota
	// EventConnected (client): the session is active. Sender is one's own.
	EventConnected
	// EventDocument (client, observers without a contract): the host's contract
	// is in Text; call Client.Adopt.
	EventDocument
	// EventDisconnected (client): it is over; Code, Text and Details say why.
	// No event follows.
	EventDisconnected
	// EventPeerJoined (host): Sender, called Name, is active.
	EventPeerJoined
	// EventPeerLeft (host): Sender is gone, for Code and Text. Entities are the
	// ids it owned; what the contract's policies did to them follows as events.
	EventPeerLeft
	// EventSessionStarted (client): Data is the host's metadata.
	EventSessionStarted
	// EventSpawned: entity N of type Type exists, owned by Owner at Gen.
	EventSpawned
	// EventDespawned: entity N is gone. Type and Gen are its last.
	EventDespawned
	// EventOwnership: entity N belongs to Owner at Gen.
	EventOwnership
	// EventMessage: Sender sent Message, about entity N at Gen when it has a
	// target, with Data. View is the tick its sender saw, for rewind messages.
	EventMessage
	// EventRefused (host): Count messages of Sender were refused since the last
	// such event of that peer, at most one event a second; Reason and Message
	// are those of the last.
	EventRefused
	// EventViolation (host): a budget of limits.on_violation is spent; Level
	// says which.
	EventViolation
	// EventTurnedAway (host): somebody was refused in the handshake, for Code
	// and Text; Name is what it called itself, Details has "differences".
	EventTurnedAway
)

var eventNames = [...]string{"none", "connected", "document", "disconnected", "peer_joined", "peer_left", "session_started",
	"entity_spawned", "entity_despawned", "ownership_changed", "message", "refused", "violation", "turned_away"}

// String returns the event's name.
func (k EventKind) String() string {
	if int(k) < len(eventNames) {
		return eventNames[k]
	}
	return "invalid"
}

// Level is a budget of limits.on_violation.
type Level uint8

// The levels.
const (
	LevelNone Level = iota
	LevelWarn
	LevelThrottle
	LevelKick
)

// String returns the level's name.
func (l Level) String() string {
	return [...]string{"none", "warn", "throttle", "kick"}[l&3]
}

// Event is one thing that happened. Which fields mean something is said at
// each kind. Data is valid until the next Poll; Entities, Details and texts
// may be kept. Texts that came from a peer are cleaned: printable, one line.
type Event struct {
	Kind     EventKind
	Sender   Sender
	Owner    Sender
	N        uint32 // entity, the n of net:<epoch>:<n>; 0 = none
	Gen      uint32 // its ownership generation
	Type     int    // contract.Prefab.Index
	View     uint32 // tick
	Count    int
	Reason   Reason
	Level    Level
	Observer bool // peer_joined, peer_left: it only watches and can own nothing
	Message  *contract.Message
	Data     *payload.Value
	Code     fault.Code
	Name     string
	Text     string
	Entities []uint32
	Details  map[string]any // JSON-encodable
}

// OpaqueKind is what an Opaque carries.
type OpaqueKind uint8

// The opaque frames.
const (
	_           OpaqueKind = iota
	Publication            // at the host, from an active client or observer
	Snapshot               // at a client, from the host
)

// Opaque is a frame whose body the session does not interpret. The frame has
// passed kind, phase, epoch, size and the flood guard, nothing else.
type Opaque struct {
	Kind OpaqueKind
	From Sender
	// Records is the number of life-cycle records that the sender had applied
	// (Publication) or sent to this peer (Snapshot) when it made the frame.
	Records uint32
	Body    []byte // valid until the next Handle
}
