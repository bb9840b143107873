package session

import (
	"time"

	"demi.network/contract/payload"
	"demi.network/runtime/transport"
)

// Server is the host's side of a session. A turn is: Host.Poll and Handle
// until nothing comes, Advance, act and Poll, Host.Flush.
type Server struct{}

// NewServer opens a session. A config that lacks a required field, or an
// epoch that NextEpoch cannot have made, is the caller's mistake and panics.
func NewServer(cfg ServerConfig, now time.Time) *Server

// Handle takes one event of the transport. It returns what the session does
// not interpret, and false when there is nothing of that kind.
func (s *Server) Handle(now time.Time, ev transport.Event) (Opaque, bool)

// Advance does what is due: silent and unfinished connections, retained
// spawns for joiners, budgets. Call it once a turn, also when nothing came.
func (s *Server) Advance(now time.Time)

// Poll returns the next event.
func (s *Server) Poll() (Event, bool)

// Spawn makes an entity of type typ (contract.Prefab.Index) for owner and
// tells everybody. cells are copied; nil means the contract's defaults; a row
// of another width is the caller's mistake and panics. Reasons: unknown_prefab,
// invalid_owner, entity_limit, invalid_operation (closed).
func (s *Server) Spawn(now time.Time, typ int, owner Sender, cells []int32) (n uint32, r *Refusal)

// Transfer gives an entity to another owner; its generation grows by one. To
// the owner it has, it changes nothing and is no refusal. Reasons:
// unknown_entity, invalid_owner, entity_limit.
func (s *Server) Transfer(now time.Time, n uint32, owner Sender) *Refusal

// Despawn removes an entity. Reasons: unknown_entity.
func (s *Server) Despawn(now time.Time, n uint32) *Refusal

// StartSession announces the game: its metadata goes to everybody here, and
// to every later joiner before anything else. Calling it again replaces it.
func (s *Server) StartSession(now time.Time, src Source) error

// CurrentSession returns the metadata, nil before StartSession. It is the
// session's own: read it, do not fill it.
func (s *Server) CurrentSession() *payload.Value

// Send sends a declared message; target is a network id, or "" for a message
// without target. The error is nil, a *Refusal, or a *payload.Refusal (valid
// until the next Send) that says what in the payload broke which rule.
func (s *Server) Send(now time.Time, name, target string, src Source) error

// SendSnapshot sends an opaque body to an active peer; larger than a datagram
// it is fragmented. body may be reused on return.
func (s *Server) SendSnapshot(now time.Time, to Sender, body []byte) *Refusal

// Peers yields the welcomed clients, in join order.
func (s *Server) Peers(yield func(PeerInfo) bool)

// Peer returns one of them.
func (s *Server) Peer(p Sender) (PeerInfo, bool)

// SetOpen says whether newcomers are let in; true at the start.
func (s *Server) SetOpen(open bool)

// Kick removes a client with E_NET_KICKED and a text that reaches it.
// Reasons: invalid_owner (no such client).
func (s *Server) Kick(now time.Time, p Sender, text string) *Refusal

// Shutdown ends the session: everybody is told E_NET_SHUTDOWN and text, and
// dropped. The caller keeps flushing the Host for a second so that it arrives.
func (s *Server) Shutdown(now time.Time, text string)

// Phase is active until Shutdown, closed afterwards.
func (s *Server) Phase() Phase

// Epoch returns the session's epoch.
func (s *Server) Epoch() uint32

// Note records a refusal that the caller made, so that counters and last_error
// show it; it returns r.
func (s *Server) Note(r *Refusal) *Refusal

// Diagnostics returns a look at the session.
func (s *Server) Diagnostics() Diagnostics
