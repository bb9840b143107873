package runtime

import (
	"time"

	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
	"demi.network/session"
)

// Advance drains the network up to now and returns how many fixed ticks are
// due, at most MaxCatchUp; ticks beyond are skipped and counted. It must be
// called, with Flush, whether or not the game is ready for a tick: that is
// what keeps connections alive. now never goes backwards.
func (p *Peer) Advance(now time.Time) (ticks int) {
	p.now = now
	switch p.mode {
	case Hosting:
		p.settle()
		p.srv.drain(now, p.host)
	case Joined:
		p.cli.drain(now, p.host)
		if !p.opts.HoldReady && !p.bare() && p.cli.sess.Phase() == session.PhaseAuthenticated {
			p.cli.sess.Ready(now)
		}
		p.restart()
		p.notice()
	}
	p.linger.drain(now)
	return p.clock.due(now)
}

// notice sees that a client's session is over, before anybody polls that.
func (p *Peer) notice() {
	end := p.cli.sess.Ended()
	if end == nil || p.ending != nil {
		return
	}
	p.ending = endingOf(end)
	if end.Code != fault.Left && end.Code != fault.Shutdown {
		p.log.note(end.Code, end.Text, end.Details)
	}
}

// restart writes the host's values into the scene entities that this peer has
// just become the writer of, or that the host has overruled.
func (p *Peer) restart() {
	for _, n := range p.cli.taken {
		p.presentAll(n)
	}
	p.cli.taken = p.cli.taken[:0]
}

// BeginTick starts a fixed tick: the scene is brought up to date. Game code
// runs between it and EndTick.
func (p *Peer) BeginTick() {
	if p.mode == Hosting {
		p.world.Tick++
	}
	p.log.ticks++
	p.turns++
	p.Present()
}

// EndTick ends a fixed tick: a host writes a snapshot for each peer, a client
// its publication.
func (p *Peer) EndTick() {
	switch p.mode {
	case Hosting:
		p.settle()
		p.srv.endTick(p.now)
	case Joined:
		p.cli.endTick(p.now)
	}
}

// Flush sends what is due and returns when Advance must be called again at
// the latest: for the network's sake, or because a tick is due. An error means
// that the socket is broken.
func (p *Peer) Flush(now time.Time) (next time.Time, err error) {
	p.settle()
	next = earliest(p.clock.next, p.linger.flush(now))
	if p.host != nil {
		var at time.Time
		at, err = p.host.Flush(now)
		next = earliest(next, at)
	}
	return next, err
}

// Poll returns the next event. What it says has happened in the scene already:
// a spawned entity exists there with its values, a despawned one does not.
func (p *Peer) Poll() (session.Event, bool) {
	switch p.mode {
	case Hosting:
		ev, ok := p.srv.sess.Poll()
		if ok {
			p.apply(&ev)
		}
		return ev, ok
	case Joined:
		ev, ok := p.cli.sess.Poll()
		if ok {
			p.apply(&ev)
		}
		return ev, ok
	}
	if p.ended != nil {
		ev := *p.ended
		p.ended = nil
		return ev, true
	}
	return session.Event{}, false
}

// endingOf is the error that a Disconnected event stands for. Whether this side
// or the other ended it, the code says.
func endingOf(ev *session.Event) *fault.Error {
	return &fault.Error{Code: ev.Code, Side: fault.Remote, Text: ev.Text, Data: ev.Details}
}

// apply makes the scene agree with an event and notes what reports tell.
func (p *Peer) apply(ev *session.Event) {
	switch ev.Kind {
	case session.EventSpawned:
		p.log.spawn(p, ev.N, ev.Type, ev.Owner, p.mode == Joined && p.cli.sess.Retained(ev.N))
		p.appear(ev.N, ev.Type, ev.Owner)
	case session.EventDespawned:
		p.log.despawn(p, ev.N)
		p.unbind(ev.N)
	case session.EventOwnership:
		p.log.ownership(p, ev.N, ev.Owner, ev.Gen)
		p.presentAll(ev.N)
	case session.EventMessage:
		p.log.received(p, ev.Message, ev.Sender)
	case session.EventPeerLeft:
		p.log.leave(p, ev)
	case session.EventTurnedAway:
		p.log.note(ev.Code, ev.Text, ev.Details)
	case session.EventDisconnected:
		p.notice() // of what this side has ended since Advance
		p.shut(p.Report(), []transport.Peer{p.cli.link}, p.ending)
	case session.EventDocument:
		p.document(ev)
	}
}
