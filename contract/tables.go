package contract

import (
	"demi.network/contract/payload"
	"demi.network/runtime/fault"
)

// Actor is a party a rule speaks of.
type Actor uint8

// The three actors of a contract.
const (
	ActorServer Actor = iota // the host
	ActorOwner               // the peer that owns the entity
	ActorAll                 // everybody
)

// Target is what a message addresses.
type Target uint8

// The three targets of a contract.
const (
	TargetNone        Target = iota // the session itself
	TargetOwnedEntity               // an entity that the sender owns
	TargetEntity                    // any live entity
)

// Policy says what happens to a leaving peer's entities.
type Policy uint8

// The three disconnect policies.
const (
	PolicyDespawn Policy = iota
	PolicyReturnToServer
	PolicyTransferByGame // to the server first (generation + 1), then the game decides
)

// Visibility is who receives a field.
type Visibility uint8

// The four visibilities.
const (
	VisibleAll Visibility = iota
	VisibleOwner
	VisibleServer
	VisibleOwnerAndServer
)

// FieldType is the shape of a replicated field; it fixes its number of columns.
type FieldType uint8

// The field types, with the number of columns each has.
const (
	TypeBool  FieldType = iota // 1
	TypeInt                    // 1
	TypeFloat                  // 1
	TypeAngle                  // 1, radians, the short way round
	TypeVec2                   // 2
	TypeVec3                   // 3
	TypeQuat                   // 4, x y z w, sign-normalised
	TypeColor                  // 4, 0…1
)

// Columns returns how many cells a field of this type takes.
func (t FieldType) Columns() int {
	switch t {
	case TypeVec2:
		return 2
	case TypeVec3:
		return 3
	case TypeQuat, TypeColor:
		return 4
	}
	return 1
}

// FieldValue is a field in engine units: as many numbers as its type has
// columns, the rest zero. A bool is 0 or 1.
type FieldValue [4]float64

// Interpolation says how a field is blended between two ticks.
type Interpolation uint8

// The four ways to blend.
const (
	InterpolateLinear Interpolation = iota
	InterpolateAngle
	InterpolateNlerp
	InterpolateSnap
)

// Prediction says what a client does with a field it predicts.
type Prediction uint8

// The three ways to predict.
const (
	PredictNone    Prediction = iota
	PredictCheck              // compared within Tolerance; a difference is a misprediction
	PredictRestore            // restored on a correction, never compared
)

// Limits are the contract's limits, defaults filled in.
type Limits struct {
	MessageBytes      int // maximum_message_bytes
	MessagesPerSecond int // the sum over all messages of one peer
	OwnedEntities     int // per client; the host itself is not limited
	PayloadDepth      int
	PayloadElements   int
	StringBytes       int
	Violations        Violations
}

// Violations are the budgets of limits.on_violation: refused messages per
// rolling ten seconds after which a peer is warned, throttled, kicked.
// 0 = never. Quiet refusals (an entity that has just gone) do not count.
type Violations struct {
	Warn, Throttle, Kick int
}

// Message is one declared message. Index is its id on the wire: the position
// in the byte order of names, whatever the file's order.
type Message struct {
	Index        int
	Name         string
	From         Actor
	To           Actor
	Target       Target
	Reliable     bool
	Ordered      bool // unreliable only: false = unsequenced
	Rewind       bool // carries the view tick
	RateLimit    int  // per second
	MaximumBytes int  // encoded payload
	SchemaID     string
	Schema       *payload.Plan // never nil; an undeclared schema accepts any value
	Place        fault.Place
}

// Field is one replicated field of a prefab.
type Field struct {
	Index       int    // in Prefab.Fields
	Component   string // "Transform2D"
	Name        string // "position", nested objects joined with dots
	Path        string // Component + "." + Name
	WriteBy     Actor
	VisibleTo   Visibility
	Rate        int // per second, at most the tick rate
	Reliable    bool
	Type        FieldType
	Step        float64 // of a wire value, in engine units; > 0
	SubBits     uint8   // a cell is Step / 2^SubBits
	Minimum     float64
	Maximum     float64
	Default     FieldValue // what the prefab gives, else the type's zero (scale 1, quat w 1)
	Tolerance   float64
	Interpolate Interpolation
	Predict     Prediction
	Column      int // first column in the row
	Place       fault.Place
}

// Prefab is one replicated prefab. Index is its type id on the wire: the
// position in the byte order of keys.
type Prefab struct {
	Index        int
	Key          string
	Prefab       string // prefab:// id
	DefaultOwner Actor
	OnDisconnect Policy
	Fields       []Field // in the byte order of Path
	Columns      int     // of a row
	Place        fault.Place
}

// Simulation is the contract's simulation section, defaults filled in.
type Simulation struct {
	Declared          bool // a simulation section exists
	Kind              string
	TickRate          int // Hz
	Inputs            []Input
	InputBufferTarget int
	InputQueueMax     int
	InterpDelayTicks  int
	HistoryTicks      int
	RewindTicks       int
	SmoothMS          int
}

// Input is one named simulation input.
type Input struct {
	Name                   string
	Minimum, Maximum, Step float64
}

// Session is the contract's session section, defaults filled in.
type Session struct {
	MaxPlayers      int
	ReconnectGraceS float64
	Start           string // lobby, auto, now
	FillBots        bool
}

// Lockstep is the contract's lockstep section.
type Lockstep struct {
	Declared         bool
	TickRate         int
	CommandDelay     int
	SnapshotInterval int
	ChecksumInterval int
	Commands         []Command // in the byte order of names
}

// Command is one lockstep command.
type Command struct {
	Index     int
	Name      string
	Target    Target
	RateLimit int
	Schema    *payload.Plan
	Place     fault.Place
}

// Digest is a 16-byte prefix of a SHA-256.
type Digest [16]byte

// Section is one part of a contract's meaning, so that a mismatch can say what
// differs: id, messages, prefabs, components, limits, simulation, session,
// lockstep.
type Section struct {
	Name   string
	Digest Digest
	Keys   []Key // in byte order
}

// Key is one definition of a section.
type Key struct {
	Name       string
	Digest     Digest
	Definition string // canonical JSON, schemas by content
	Place      fault.Place
}

// Contract is a valid contract, compiled. It never changes after Load and may
// be shared.
type Contract struct {
	ID                string // network-contract://…
	AssetID           string // asset://…; "" when loaded from a bare file
	MeaningHash       [32]byte
	CompatibilityHash string // the engine's, fnv1a64:%016x
	Limits            Limits
	Messages          []Message // by Index
	Prefabs           []Prefab  // by Index
	Simulation        Simulation
	Session           Session
	Lockstep          Lockstep
	Sections          []Section
	Scene             Digest // of what replicated prefabs give as defaults: the handshake's scene section
	Document          string // canonical JSON of the whole meaning, for observers

	byName map[string]int
	byKey  map[string]int
}

// Message finds a message by name, or returns nil.
func (c *Contract) Message(name string) *Message {
	if i, ok := c.byName[name]; ok {
		return &c.Messages[i]
	}
	return nil
}

// Prefab finds a replicated prefab by key, or returns nil.
func (c *Contract) Prefab(key string) *Prefab {
	if i, ok := c.byKey[key]; ok {
		return &c.Prefabs[i]
	}
	return nil
}
