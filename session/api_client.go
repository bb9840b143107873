package session

import (
	"time"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/runtime/world"
)

// Client is a client's side of a session. A turn is: Host.Poll and Handle
// until nothing comes, Advance, act and Poll, Host.Flush. A Client lives for
// one connection: to join again, make another.
type Client struct{}

// NewClient waits for the connection that cfg.Peer was dialled for. A config
// that lacks a required field is the caller's mistake and panics.
func NewClient(cfg ClientConfig, now time.Time) *Client

// Handle takes one event of the transport; events of other peers are ignored.
// It returns what the session does not interpret, and false when there is
// nothing of that kind. Spawns, despawns and ownership are in the World when
// it returns; Poll tells of them.
func (c *Client) Handle(now time.Time, ev transport.Event) (Opaque, bool)

// Advance does what is due: timeouts. Call it once a turn.
func (c *Client) Advance(now time.Time)

// Poll returns the next event.
func (c *Client) Poll() (Event, bool)

// Adopt gives an observer the contract that EventDocument brought, compiled.
func (c *Client) Adopt(now time.Time, con *contract.Contract, l *world.Layout, w *world.World) *Refusal

// Ready says that the game has loaded its scene: the end of HoldReady. Reasons:
// invalid_operation in any phase but authenticated.
func (c *Client) Ready(now time.Time) *Refusal

// Send sends a declared message; see Server.Send.
func (c *Client) Send(now time.Time, name, target string, src Source) error

// SendPublication sends an opaque body to the host. body may be reused on
// return.
func (c *Client) SendPublication(now time.Time, body []byte) *Refusal

// SetView says which tick the game is looking at; messages with rewind carry
// it.
func (c *Client) SetView(tick uint32)

// Leave ends the session on purpose: the host is told code and text.
// EventDisconnected follows with the same.
func (c *Client) Leave(now time.Time, code fault.Code, text string)

// Phase says how far the client has come.
func (c *Client) Phase() Phase

// Sender is the client's own number, 0 before it was welcomed.
func (c *Client) Sender() Sender

// Name is the name that the host gave: the wished one, perhaps with a suffix.
func (c *Client) Name() string

// Epoch returns the session's epoch, 0 before the client was welcomed.
func (c *Client) Epoch() uint32

// Tick is the host's tick at the time of its Welcome.
func (c *Client) Tick() uint32

// Records is the number of life-cycle records applied. A snapshot may be
// compared with the World when its Opaque.Records is the same.
func (c *Client) Records() uint32

// Retained says whether entity n was there before this client was active.
func (c *Client) Retained(n uint32) bool

// CurrentSession returns the host's metadata, nil when none came.
func (c *Client) CurrentSession() *payload.Value

// Note records a refusal that the caller made; it returns r.
func (c *Client) Note(r *Refusal) *Refusal

// Diagnostics returns a look at the session.
func (c *Client) Diagnostics() Diagnostics
