// Package runtime composes the layers into a Peer: one participant that is
// closed, hosts, or is a client of a host. It moves events up, from the
// transport through the session and replication to the caller, and state down,
// from the scene into rows and from rows onto the wire, on a fixed tick. It
// has no rule and no format of its own, reads no clock, starts no goroutine,
// and knows no script language.
//
// One turn of a loop:
//
//	for n := peer.Advance(now); n > 0; n-- {
//		peer.BeginTick()
//		… Poll events, run game code, UpdateEntity …
//		peer.EndTick()
//	}
//	next, err := peer.Flush(now)
package runtime

import (
	"net/netip"
	"time"

	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/runtime/world"
	"demi.network/session"
)

// Mode says what a Peer is doing.
type Mode uint8

// The three modes.
const (
	Offline Mode = iota
	Hosting
	Joined // a client: connected, or on the way
)

// String returns "offline", "host" or "client", as diagnostics spell it.
func (m Mode) String() string { return [...]string{"offline", "host", "client"}[m] }

// Peer is one participant. It belongs to one goroutine. It is meant to be
// used again: Host, Close, Host gives a new session each time, with a new
// epoch and with ids from 1.
type Peer struct{ cfg Config }

// New returns a closed Peer. A Config without contract, Listen or Dial is the
// caller's mistake and panics. now is the time of the first turn.
func New(cfg Config, now time.Time) *Peer

// Configure changes options; they hold from the next Host or Connect on, and
// SendInterval at once.
func (p *Peer) Configure(o Options)

// Host opens a session on port; 0 is Options.Port, -1 a port of the system's
// choice. Errors: fault.Bind…, fault.AlreadyHosting, fault.Phase while a
// client, whatever Config.Listen returns.
func (p *Peer) Host(port int) error

// Connect starts joining a host. Connected or Disconnected arrives from Poll.
func (p *Peer) Connect(to netip.AddrPort) error

// Close ends what the peer is doing: everybody is told code and text, the
// scene entities that the session made are destroyed, and a Disconnected event
// is queued. Closing a closed Peer does nothing.
func (p *Peer) Close(code fault.Code, text string)

// Advance drains the network up to now and returns how many fixed ticks are
// due, at most MaxCatchUp; ticks beyond are skipped and counted. It must be
// called, with Flush, whether or not the game is ready for a tick: that is
// what keeps connections alive.
func (p *Peer) Advance(now time.Time) (ticks int)

// BeginTick starts a fixed tick. Game code runs between it and EndTick.
func (p *Peer) BeginTick()

// EndTick ends a fixed tick: a host writes a snapshot for each peer, a client
// its publication.
func (p *Peer) EndTick()

// Flush sends what is due and returns when Advance must be called again at
// the latest: for the network's sake, or because a tick is due.
func (p *Peer) Flush(now time.Time) (next time.Time, err error)

// Present writes the rows that others are the writers of into the scene. Poll
// does the same for an entity that an event names.
func (p *Peer) Present()

// Poll returns the next event. What it says has happened in the scene already:
// a spawned entity exists there with its values, a despawned one does not.
func (p *Peer) Poll() (session.Event, bool)

// Spawn makes a replicated entity (host only) and returns its network id.
// entity is a scene entity whose values become the row's, or, when there is
// none, the id that one is made under; "" makes one under the network id.
// owner is "server", "peerN", or "" for the contract's default. The error, if
// any, is a *session.Refusal or a *fault.Error of the scene.
func (p *Peer) Spawn(prefab, entity, owner string) (id string, err error)

// Transfer gives an entity to another owner (host only).
func (p *Peer) Transfer(id, owner string) error

// Despawn removes a replicated entity and its scene entity (host only).
func (p *Peer) Despawn(id string) error

// Owner returns who owns an entity: "server" or "peerN".
func (p *Peer) Owner(id string) (owner string, ok bool)

// HasAuthority says whether this peer owns an entity.
func (p *Peer) HasAuthority(id string) bool

// NetworkIDForOwner returns the oldest entity of an owner.
func (p *Peer) NetworkIDForOwner(owner string) (id string, ok bool)

// BindLocalEntity makes a scene entity stand for a network entity, writing the
// row's values into it first. The scene entity that stood for it so far is
// destroyed when the session made it.
func (p *Peer) BindLocalEntity(id, entity string) error

// LocalEntity returns the scene entity that stands for a network entity.
func (p *Peer) LocalEntity(id string) (entity string, ok bool)

// Send sends a declared message; target is a network id or "".
func (p *Peer) Send(name, target string, src session.Source) error

// UpdateEntity publishes the fields of an entity that this peer writes, from
// the scene, when dt seconds after the last time complete a send interval. An
// error means that the entity is unknown, not bound, or another's.
func (p *Peer) UpdateEntity(id string, dt float64) error

// RemotePosition returns the position of the oldest entity of another peer,
// from its Transform2D or Transform3D.
func (p *Peer) RemotePosition(sender string) (x, y float64, ok bool)

// StartSession announces the game to every peer, also to those who join later
// (host only).
func (p *Peer) StartSession(metadata session.Source) error

// Mode says what the peer is doing.
func (p *Peer) Mode() Mode

// Phase is the session's phase.
func (p *Peer) Phase() session.Phase

// SenderID is "server", "peerN", or "client" before the handshake.
func (p *Peer) SenderID() string

// Tick is the number of the newest tick; the session's Config.FirstTick is the
// one before the first.
func (p *Peer) Tick() uint32

// TickInterval is the time of one fixed tick.
func (p *Peer) TickInterval() time.Duration

// LocalAddr is the address of the socket, or the zero AddrPort when closed.
func (p *Peer) LocalAddr() netip.AddrPort

// Contract is the contract of the Config.
func (p *Peer) Contract() *contract.Contract

// World returns the rows, for reading, and their layout. They are valid until
// the next call of a method that changes something.
func (p *Peer) World() (*world.World, *world.Layout)
