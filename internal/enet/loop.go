package enet

import (
	"time"

	"demi.network/runtime/transport"
)

// turn is where the loop stands.
type turn struct {
	open     bool      // Poll has begun one, and neither it nor Flush has ended it
	drained  bool      // the link had nothing more when it began
	backlog  int       // turns in a row that left something in the link
	linkNext time.Time // when the link wants to be drained again; zero: on arrival
}

// scratch is what functions fill and empty again; as locals these would be
// allocated each time.
type scratch struct {
	late          []*peer     // runTimers
	control, data commandList // checkTimeouts
}

const (
	// surelyDrained: a Drain that hands over fewer datagrams than this has
	// emptied the link, unless the link asks to be called again at once.
	surelyDrained = 256
	// maxBacklog is for how many turns a flood of datagrams can put off the
	// timeouts.
	maxBacklog = 16
	// idleWait is when Flush wants to be called again if nothing is due.
	idleWait = time.Second
)

// Poll implements transport.Host. Timeouts are looked at after the link was
// drained: a host that slept finds the acknowledgements that wait for it
// before it blames anyone.
func (h *Host) Poll(now time.Time) (transport.Event, bool) {
	if !h.turn.open {
		h.beginTurn(now)
	}
	for {
		e, ok := h.inbox.pop()
		if !ok {
			h.turn.open = false
			return e, false
		}
		p := h.slots.find(e.Peer)
		if e.Kind == transport.Message {
			cost := len(e.Data) + eventCost
			h.queued -= cost
			if p != nil {
				p.in.queued -= cost
			}
		}
		if p == nil || p.muted {
			continue
		}
		if e.Kind == transport.Disconnected {
			h.free(p)
		}
		return e, true
	}
}

func (h *Host) beginTurn(now time.Time) {
	h.turn.open = true
	h.clock.set(now)
	h.inbox.compact()
	h.drain(now)
	if h.turn.drained {
		h.turn.backlog = 0
	} else if h.turn.backlog++; h.turn.backlog <= maxBacklog {
		return
	}
	h.runTimers()
	h.shareBandwidth()
}

// drain takes what has arrived, up to Limits.Datagrams or so.
func (h *Host) drain(now time.Time) {
	h.turn.drained = false
	for total := 0; total < h.cfg.Limits.Datagrams; {
		before := h.counters.Datagrams
		next := h.link.Drain(now, h.recv)
		got := int(h.counters.Datagrams - before)
		total += got
		h.turn.linkNext = next
		again := !next.IsZero() && !next.After(now)
		if got == 0 || got < surelyDrained && !again {
			h.turn.drained = true
			return
		}
	}
}

// runTimers looks at every peer whose deadline has come.
func (h *Host) runTimers() {
	late := h.scratch.late[:0]
	for p := h.timers.due(h.clock.now); p != nil; p = h.timers.due(h.clock.now) {
		late = append(late, p)
	}
	h.scratch.late = late
	for _, p := range late {
		h.onDeadline(p)
		if p.state != stateFree {
			h.timers.hint(p, p.deadline())
		}
	}
}

func (h *Host) onDeadline(p *peer) {
	now := h.clock.now
	switch {
	case now >= p.life.expires:
		h.counters.Handshakes++
		h.free(p)
	case now >= p.life.dropAt:
		for range lastWords {
			h.goodbye(p, p.life.dropCode)
		}
		h.free(p)
	case h.checkTimeouts(p):
		h.end(p, transport.TimedOut, 0)
	case p.state == stateConnected && now >= p.pingDue():
		h.mark(p)
	}
}

// Flush implements transport.Host. An error is the link's: what it did not
// take counts as lost. The moment it returns is at most a second away.
func (h *Host) Flush(now time.Time) (next time.Time, err error) {
	h.clock.set(now)
	h.turn.open = false
	for i := 0; i < len(h.dirty); i++ {
		p := h.dirty[i]
		if !p.dirty {
			continue
		}
		p.dirty = false
		if e := h.flushPeer(p); e != nil {
			err = e
		}
	}
	h.dirty = h.dirty[:0]
	if h.batch != nil {
		if e := h.batch.Flush(); e != nil {
			err = e
		}
	}
	return h.nextTurn(now), err
}

func (h *Host) nextTurn(now time.Time) time.Time {
	if !h.inbox.empty() || !h.turn.drained {
		return now
	}
	next := now.Add(idleWait)
	if at := h.clock.when(min(h.timers.next(), h.band.due(), h.clock.now+ms(idleWait))); at.Before(next) {
		next = at
	}
	if l := h.turn.linkNext; !l.IsZero() && l.Before(next) {
		next = l
	}
	if next.Before(now) {
		return now
	}
	return next
}
