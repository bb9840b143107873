package session

import (
	"time"

	"demi.network/contract"
	"demi.network/contract/payload"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// Server is the host's side of a session. A turn is: Host.Poll and Handle
// until nothing comes, Advance, act and Poll, Host.Flush. Every act takes the
// time, whether or not it asks for it today.
type Server struct {
	core
	cfg    ServerConfig
	peers  directory
	closed bool
	shut   bool // refuses newcomers
	held   held
	rows   []byte
	batch  spawns
}

// NewServer opens a session. A config that lacks a required field, or an
// epoch that NextEpoch cannot have made, is the caller's mistake and panics.
func NewServer(cfg ServerConfig, now time.Time) *Server {
	if cfg.Contract == nil || cfg.Layout == nil || cfg.World == nil || cfg.Host == nil || cfg.Epoch&0xff == 0 {
		panic("session: BUG: ServerConfig lacks a required field, or its Epoch is not of NextEpoch")
	}
	if cfg.MaxPlayers == 0 {
		cfg.MaxPlayers = cfg.Contract.Session.MaxPlayers
	}
	if cfg.MaxObservers == 0 {
		cfg.MaxObservers = MaxObservers
	}
	if cfg.ReadyTimeout == 0 {
		cfg.ReadyTimeout = ReadyTimeout
	}
	if cfg.Scene == (contract.Digest{}) {
		cfg.Scene = cfg.Contract.Scene
	}
	s := &Server{core: newCore(cfg.Contract, cfg.Host, now, cfg.Layout, cfg.World), cfg: cfg}
	s.epoch = cfg.Epoch
	s.peers.links = map[transport.Peer]*peer{}
	return s
}

// Handle takes one event of the transport. It returns what the session does
// not interpret, and false when there is nothing of that kind.
func (s *Server) Handle(now time.Time, ev transport.Event) (Opaque, bool) {
	if s.closed {
		return Opaque{}, false
	}
	s.Release(now)
	if ev.Kind == transport.Connected {
		s.connected(now, ev)
		return Opaque{}, false
	}
	p := s.peers.links[ev.Peer]
	if p == nil {
		return Opaque{}, false
	}
	switch ev.Kind {
	case transport.Disconnected:
		code, text := fault.Timeout, "the connection broke off"
		if ev.Reason == transport.Closed {
			code, text = fault.Left, "the connection was closed"
		}
		s.leave(now, p, code, text)
	case transport.Message:
		return s.frame(now, p, ev)
	}
	return Opaque{}, false
}

// connected takes in a connection that has said nothing yet.
func (s *Server) connected(now time.Time, ev transport.Event) {
	switch {
	case ev.Code != ConnectData:
		s.count.refuse(ReasonProtocol, nil, stranger, 0)
		s.host.Drop(ev.Peer, uint32(fault.Version.Wire()))
		return
	case s.peers.pending() >= MaxPending:
		// The oldest gives way, not the newcomer: an honest client says hello
		// within a round trip, and connections that say nothing must not keep
		// it out.
		s.count.refuse(ReasonInvalidOperation, nil, stranger, 0)
		s.drop(now, s.peers.oldestPending(), fault.Full)
	}
	p := &peer{link: ev.Peer, heard: now}
	p.guard.rates = make([]bucket, len(s.con.Messages))
	p.set(PhaseConnected, s.at(now))
	s.peers.add(p)
}

// frame puts one frame of a peer through the pipeline: kind, phase, epoch,
// size, flood guard, then what its kind asks for. Nothing is changed before
// the last check.
func (s *Server) frame(now time.Time, p *peer, ev transport.Event) (Opaque, bool) {
	a := arrival{
		from: byClient, phase: p.phase, epoch: s.epoch, largest: s.largest(),
		channel: ev.Channel, mode: ev.Mode, bytes: ev.Data,
	}
	k, body, r := a.admit()
	if k.counts(ev.Channel) {
		p.stream.received++
	}
	if !p.guard.frame(s.at(now), k, s.con) {
		if r == ReasonNone {
			r = ReasonRateLimited
		}
		if p.guard.flood(s.at(now), s.con) {
			p.condemn(fault.Flood, "too many frames")
		}
	}
	if r != ReasonNone {
		s.refused(now, p, r, nil, 0)
		return Opaque{}, false
	}
	switch k {
	case kindHello:
		s.hello(now, p, body)
	case kindDiff:
		s.diff(now, p, body)
	case kindReady:
		s.ready(now, p, body)
	case kindGoodbye:
		s.goodbye(now, p, body)
	case kindMessage:
		s.message(now, p, &a, body)
	case kindPublication:
		return s.publication(now, p, body)
	}
	return Opaque{}, false
}

// publication reads the head of a publication; the body is the caller's.
func (s *Server) publication(now time.Time, p *peer, body []byte) (Opaque, bool) {
	o, rest, ok := readOpaque(body)
	if !ok || o.Received > p.stream.sent || o.Records > p.stream.records {
		s.refused(now, p, ReasonTruncated, nil, 0)
		return Opaque{}, false
	}
	p.stream.acked = max(p.stream.acked, o.Received)
	p.stream.applied = max(p.stream.applied, o.Records)
	return Opaque{Publication, p.sender, o.Records, rest}, true
}

// refused counts a refusal against a peer: counters, the violation budgets and
// the report to the game.
func (s *Server) refused(now time.Time, p *peer, r Reason, m *contract.Message, n uint32) {
	from := p.sender
	if from == 0 {
		from = stranger
	}
	ref := s.count.refuse(r, m, from, n)
	if p.sender != 0 { // of others the game hears when they are turned away
		p.report.count++
		p.report.last = ref
	}
	if r.Quiet() {
		return
	}
	level := p.guard.violate(s.at(now), s.con.Limits.Violations)
	if level != LevelNone && p.sender != 0 {
		s.in.push(Event{Kind: EventViolation, Sender: p.sender, Name: p.name, Level: level, Reason: r, Message: m}, nil)
	}
	if level == LevelKick {
		p.condemn(fault.Flood, "too many refused messages, the last for "+r.String())
	}
}

// Advance does what is due: silent and unfinished connections, retained
// spawns for joiners, budgets. Call it once a turn, also when nothing came.
func (s *Server) Advance(now time.Time) {
	if s.closed {
		return
	}
	s.Release(now)
	for _, p := range s.peers.all {
		if p.phase == PhaseClosed {
			continue // left while others were looked after
		}
		p.stats = s.host.Stats(p.link)
		p.stream.queued = p.stats.Queued
		if p.stats.LastHeard.After(p.heard) {
			p.heard = p.stats.LastHeard
		}
		s.overdue(now, p)
		if p.doom.code != "" {
			s.end(now, p, p.doom.code, p.doom.text)
			continue
		}
		if p.phase == PhaseReady {
			s.advanceWalk(now, p)
		}
		s.reportRefusals(now, p)
	}
}

// overdue condemns a peer whose time has run out.
func (s *Server) overdue(now time.Time, p *peer) {
	t := s.at(now) - p.since
	switch {
	case now.Sub(p.heard) > SilenceTimeout:
		p.condemn(fault.Timeout, "nothing was heard for 5 s")
	case p.stream.queued > MaxBacklog:
		p.condemn(fault.Backlog, "it takes no more reliable frames")
	case p.phase == PhaseConnected && p.refused.code != "" && t > nanos(DiffTimeout):
		p.condemn(p.refused.code, p.refused.text)
	case p.phase == PhaseConnected && t > nanos(HelloTimeout):
		p.condemn(fault.Timeout, "it connected and said nothing")
	case p.phase == PhaseAuthenticated && t > nanos(s.cfg.ReadyTimeout):
		p.condemn(fault.Timeout, "it did not become ready in time")
	}
}

// reportRefusals tells the game of refused messages, once a second at most.
func (s *Server) reportRefusals(now time.Time, p *peer) {
	t := s.at(now)
	p.guard.settle(t, s.con.Limits.Violations)
	if p.report.count == 0 || p.report.issued != 0 && t-p.report.issued < second {
		return
	}
	s.in.push(Event{Kind: EventRefused, Sender: p.sender, Name: p.name, Count: p.report.count, Reason: p.report.last.Reason, Message: p.report.last.Message}, nil)
	p.report = refusalReport{issued: max(t, 1)}
}

// Poll returns the next event.
func (s *Server) Poll() (Event, bool) { return s.in.poll(&s.codec) }

// Phase is active until Shutdown, closed afterwards.
func (s *Server) Phase() Phase {
	if s.closed {
		return PhaseClosed
	}
	return PhaseActive
}

// Epoch returns the session's epoch.
func (s *Server) Epoch() uint32 { return s.epoch }

// SetOpen says whether newcomers are let in; true at the start.
func (s *Server) SetOpen(open bool) { s.shut = !open }

// CurrentSession returns the metadata, nil before StartSession. It is the
// session's own: read it, do not fill it.
func (s *Server) CurrentSession() *payload.Value { return s.session() }

// Note records a refusal that the caller made, so that counters and last_error
// show it; it returns r.
func (s *Server) Note(r *Refusal) *Refusal { return s.count.note(r) }

// Blame records that the body of an Opaque of peer from broke a rule: it
// counts against the peer like a refused message, budgets included.
func (s *Server) Blame(now time.Time, from Sender, r Reason) {
	if p := s.peers.find(from); p != nil {
		s.refused(now, p, r, nil, 0)
	}
}

// Diagnostics returns a look at the session.
func (s *Server) Diagnostics() Diagnostics {
	d := s.diagnostics()
	d.Phase, d.Peers = s.Phase(), s.peers.active()
	return d
}

// Peers yields the welcomed clients, in join order.
func (s *Server) Peers(yield func(PeerInfo) bool) {
	for _, p := range s.peers.seated {
		if !yield(s.info(p)) {
			return
		}
	}
}

// Peer returns one of them.
func (s *Server) Peer(p Sender) (PeerInfo, bool) {
	if q := s.peers.find(p); q != nil {
		return s.info(q), true
	}
	return PeerInfo{}, false
}

func (s *Server) info(p *peer) PeerInfo {
	return PeerInfo{
		Sender: p.sender, Name: p.name, Phase: p.phase, Observer: p.observer, Joined: p.phase == PhaseActive,
		Records: p.stream.records, Applied: p.stream.applied, Owned: s.reg.owned[p.sender],
		Link: p.link, Stats: p.stats,
	}
}
