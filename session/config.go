package session

import (
	"net/netip"
	"time"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime/transport"
	"demi.network/runtime/world"
)

// Times and bounds of a session. docs/session.md says what happens at each.
const (
	SilenceTimeout = 5 * time.Second  // no datagram of a peer for so long: it is gone
	ConnectTimeout = 4 * time.Second  // a dial not answered for so long fails
	HelloTimeout   = 5 * time.Second  // a connection without a Hello (or a Welcome) for so long ends
	ReadyTimeout   = 30 * time.Second // default of ServerConfig.ReadyTimeout
	DiffTimeout    = time.Second      // a refused client has so long to say what differs
	MaxBacklog     = 4096             // reliable commands queued to a peer; more: it is gone
	MaxMessages    = 4096             // unpolled messages; more: the oldest is dropped and counted
	MaxInboxBytes  = 4 << 20          // payload bytes of unpolled messages; more: the same
	MaxObservers   = 4                // default of ServerConfig.MaxObservers
	MaxPending     = 64               // connections that have not been welcomed; the oldest gives way to one more
)

// Rules are the only synchronous questions a session asks of a game. An error
// refuses; its text goes to diagnostics, and for Admit to the client. A
// *fault.Error with a code that travels keeps its code.
type Rules interface {
	// Admit is asked last in the handshake, when everything else is right.
	Admit(h Applicant) error
	// Accept is asked last for a message of a client, before it is delivered
	// or relayed. m.Data is valid during the call. Nothing may be sent from
	// within.
	Accept(from Sender, m *Event) error
}

// Applicant is somebody who asks to be let in.
type Applicant struct {
	Name     string // normalised
	Build    string
	Observer bool
	Ticket   []byte // as sent; valid during the call
	Remote   netip.AddrPort
}

// Source drives a sink with one value: Lua, JSON, a payload.Value. The session
// owns the sink and its rules. A Source returns the sink's first error.
type Source func(*payload.Sink) error

// ServerConfig says what to host. The first five fields are required.
type ServerConfig struct {
	Contract     *contract.Contract
	Layout       *world.Layout   // of Contract
	World        *world.World    // the truth; NewServer empties it, ids start at 1
	Host         transport.Host  // the caller polls and flushes it
	Epoch        uint32          // from NextEpoch
	Build        string          // shown to clients
	MaxPlayers   int             // 0 = the contract's session.max_players
	MaxObservers int             // 0 = 4; negative = none
	ReadyTimeout time.Duration   // from Welcome to Ready; 0 = 30 s
	Scene        contract.Digest // of the scene; zero = the contract's
	Rules        Rules           // nil = the contract's alone
}

// ClientConfig says how to join. Host and Peer are required; Contract, Layout
// and World too, but for an observer that takes the host's contract.
type ClientConfig struct {
	Contract   *contract.Contract
	Layout     *world.Layout
	World      *world.World // NewClient empties it
	Host       transport.Host
	Peer       transport.Peer // from Host.Dial
	PlayerName string         // "" = "player"; NormalName has the rule
	Build      string
	Ticket     []byte // at most 1024 bytes
	Scene      contract.Digest
	Observer   bool // receive what is for all, send nothing
	HoldReady  bool // stay authenticated until Client.Ready is called
	Unchecked  bool // send without the local checks: for tests of the host's
}

// PeerInfo describes a welcomed client at the host.
type PeerInfo struct {
	Sender   Sender
	Name     string
	Phase    Phase
	Observer bool
	Joined   bool   // active: retained spawns are through
	Records  uint32 // life-cycle records sent to it
	Applied  uint32 // of those, how many its newest publication says it has applied
	Owned    int    // entities
	Link     transport.Peer
	Stats    transport.Stats // of Link, as of the last Advance
}
