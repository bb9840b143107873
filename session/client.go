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
type Client struct {
	core
	machine
	cfg      ClientConfig
	sender   Sender
	name     string
	tick     uint32 // the host's, at its Welcome
	view     uint32
	retained uint32 // entities up to this id were there before this client was active
	stream   stream
	heard    time.Time
	over     bool
	end      Event // once over
	cells    []int32
}

// NewClient waits for the connection that cfg.Peer was dialled for. A config
// that lacks a required field is the caller's mistake and panics.
func NewClient(cfg ClientConfig, now time.Time) *Client {
	whole := cfg.Contract != nil && cfg.Layout != nil && cfg.World != nil
	bare := cfg.Contract == nil && cfg.Observer
	if cfg.Host == nil || cfg.Peer == 0 || !whole && !bare || len(cfg.Ticket) > maxTicketBytes {
		panic("session: BUG: ClientConfig lacks a required field, or its Ticket is too long")
	}
	if cfg.PlayerName == "" {
		cfg.PlayerName = "player"
	}
	c := &Client{cfg: cfg, heard: now}
	if whole {
		c.core = newCore(cfg.Contract, cfg.Host, now, cfg.Layout, cfg.World)
		if c.cfg.Scene == (contract.Digest{}) {
			c.cfg.Scene = cfg.Contract.Scene
		}
	} else {
		c.core = newCore(&contract.Contract{}, cfg.Host, now, &world.Layout{}, &world.World{})
	}
	return c
}

// Handle takes one event of the transport; events of other peers are ignored.
// It returns what the session does not interpret, and false when there is
// nothing of that kind. Spawns, despawns and ownership are in the World when
// it returns; Poll tells of them.
func (c *Client) Handle(now time.Time, ev transport.Event) (Opaque, bool) {
	if c.over || ev.Peer != c.cfg.Peer {
		return Opaque{}, false
	}
	switch ev.Kind {
	case transport.Connected:
		if c.phase == PhaseClosed {
			c.set(PhaseConnected, c.at(now))
			c.heard = now
			c.sayHello()
		}
	case transport.Disconnected:
		code, text := fault.Timeout, "the host stopped answering"
		switch {
		case ev.Reason == transport.Closed && ev.Code != 0:
			code, text = fault.FromWire(uint16(ev.Code)), "the host closed the connection"
		case ev.Reason == transport.Closed && c.phase <= PhaseConnected:
			code, text = fault.Refused, "the host closed the connection before it let this client in"
		case ev.Reason == transport.Closed:
			code, text = fault.Left, "the connection was closed"
		case c.phase == PhaseClosed:
			text = "the host did not answer"
		}
		c.finish(now, code, text, nil)
	case transport.Message:
		return c.frame(now, ev)
	}
	return Opaque{}, false
}

// frame puts one frame of the host through the pipeline: kind, phase, epoch,
// size, then what its kind asks for. Clients do not rate-limit the host.
func (c *Client) frame(now time.Time, ev transport.Event) (Opaque, bool) {
	a := arrival{
		from: byServer, phase: c.phase, epoch: c.epoch, largest: c.largest(),
		channel: ev.Channel, mode: ev.Mode, bytes: ev.Data,
	}
	k, body, r := a.admit()
	if k.counts(ev.Channel) {
		c.stream.received++
	}
	if r != ReasonNone {
		c.count.refuse(r, nil, ServerSender, 0)
		return Opaque{}, false
	}
	switch k {
	case kindWelcome:
		c.welcome(now, body)
	case kindRefuse:
		c.refuse(now, body)
	case kindActive:
		c.active(now, body)
	case kindGoodbye:
		c.goodbye(now, body)
	case kindSpawn, kindDespawn, kindOwnership:
		c.record(now, k, body)
	case kindSessionStart:
		if c.setSession(body) != ReasonNone {
			c.fail(now, k)
			break
		}
		c.in.push(Event{Kind: EventSessionStarted}, c.meta.bytes)
	case kindMessage, kindRelay:
		c.message(&a, k, body)
	case kindSnapshot:
		o, rest, ok := readOpaque(body)
		if !ok || o.Received > c.stream.sent {
			c.count.refuse(ReasonTruncated, nil, ServerSender, 0)
			break
		}
		c.stream.acked = max(c.stream.acked, o.Received)
		return Opaque{Snapshot, ServerSender, o.Records, rest}, true
	}
	return Opaque{}, false
}

// fail leaves a host whose handshake or life cycle cannot be read: what it
// says from then on would be believed wrongly.
func (c *Client) fail(now time.Time, k kind) {
	c.count.refuse(ReasonTruncated, nil, ServerSender, 0)
	c.Leave(now, fault.Protocol, "the host sent a "+k.String()+" that does not parse")
}

// finish ends the session, once.
func (c *Client) finish(now time.Time, code fault.Code, text string, details map[string]any) {
	if c.over {
		return
	}
	c.over = true
	c.set(PhaseClosed, c.at(now))
	c.end = Event{Kind: EventDisconnected, Sender: c.sender, Code: code, Text: text, Details: details}
	c.in.push(c.end, nil)
}

// Leave ends the session on purpose: the host is told code and text.
// EventDisconnected follows with the same. The caller keeps flushing the Host
// for a second so that the goodbye arrives.
func (c *Client) Leave(now time.Time, code fault.Code, text string) {
	if c.over {
		return
	}
	if c.phase != PhaseClosed {
		c.send(kindGoodbye, &goodbye{Code: code.Wire(), Text: cleanText(text, maxTextBytes)})
	}
	c.host.Drop(c.cfg.Peer, uint32(code.Wire()))
	c.finish(now, code, text, nil)
}

// Advance does what is due: timeouts. Call it once a turn.
func (c *Client) Advance(now time.Time) {
	if c.over {
		return
	}
	st := c.host.Stats(c.cfg.Peer)
	c.stream.queued = st.Queued
	if st.LastHeard.After(c.heard) {
		c.heard = st.LastHeard
	}
	t := c.at(now) - c.since
	switch {
	case c.phase == PhaseClosed && t > nanos(ConnectTimeout):
		c.Leave(now, fault.Timeout, "the host did not answer")
	case c.phase == PhaseConnected && t > nanos(HelloTimeout):
		c.Leave(now, fault.Timeout, "the host neither let this client in nor refused it")
	case c.phase != PhaseClosed && now.Sub(c.heard) > SilenceTimeout:
		c.Leave(now, fault.Timeout, "nothing was heard of the host for 5 s")
	case c.stream.queued > MaxBacklog:
		c.Leave(now, fault.Backlog, "the host takes no more reliable frames")
	}
}

// Poll returns the next event.
func (c *Client) Poll() (Event, bool) { return c.in.poll(&c.codec) }

// Ended returns the EventDisconnected of a session that is over, polled or not;
// nil while it is not.
func (c *Client) Ended() *Event {
	if !c.over {
		return nil
	}
	return &c.end
}

// Phase says how far the client has come.
func (c *Client) Phase() Phase { return c.phase }

// Sender is the client's own number, 0 before it was welcomed.
func (c *Client) Sender() Sender { return c.sender }

// Name is the name that the host gave: the wished one, perhaps with a suffix.
func (c *Client) Name() string { return c.name }

// Epoch returns the session's epoch, 0 before the client was welcomed.
func (c *Client) Epoch() uint32 { return c.epoch }

// Tick is the host's tick at the time of its Welcome.
func (c *Client) Tick() uint32 { return c.tick }

// SetView says which tick the game is looking at; messages with rewind carry
// it.
func (c *Client) SetView(tick uint32) { c.view = tick }

// Records is the number of life-cycle records applied. A snapshot may be
// compared with the World when its Opaque.Records is the same.
func (c *Client) Records() uint32 { return c.stream.records }

// Retained says whether entity n was there before this client was active.
func (c *Client) Retained(n uint32) bool { return n != 0 && n <= c.retained }

// Departed returns the last row of an entity that went before its EventSpawned
// was polled, until its EventDespawned is polled.
func (c *Client) Departed(n uint32) (cells []int32, ok bool) {
	cells, ok = c.in.departed[n]
	return cells, ok
}

// CurrentSession returns the host's metadata, nil when none came. It is the
// session's own: read it, do not fill it.
func (c *Client) CurrentSession() *payload.Value { return c.session() }

// Note records a refusal that the caller made; it returns r.
func (c *Client) Note(r *Refusal) *Refusal { return c.count.note(r) }

// Diagnostics returns a look at the session.
func (c *Client) Diagnostics() Diagnostics {
	d := c.diagnostics()
	d.Phase, d.Local = c.phase, c.sender
	if c.phase == PhaseActive {
		d.Peers = 1
	}
	if c.phase != PhaseClosed {
		d.RTT = c.host.Stats(c.cfg.Peer).RTT
	}
	return d
}
