package session

import (
	"time"

	"demi.network/contract"
)

// message is the second half of the pipeline: message known, its channel,
// sender, target, generation, size, decode with schema, rate, and last the
// game's Rules. Then it is delivered or relayed.
func (s *Server) message(now time.Time, p *peer, a *arrival, body []byte) {
	m := &s.msg
	if !m.read(body, s.con, false) {
		s.refused(now, p, ReasonTruncated, m.rule, 0)
		return
	}
	if r := s.judgeMessage(now, p, a, m); r != ReasonNone {
		s.refused(now, p, r, m.rule, m.N)
		if payloadReason(r) {
			s.count.last.payload = append(s.count.last.payload[:0], m.payload...)
		}
		return
	}
	if s.cfg.Rules != nil {
		ev := Event{Kind: EventMessage, Sender: p.sender, Message: m.rule, N: m.N, Gen: m.Gen, View: m.View, Data: &s.codec.read}
		if err := s.cfg.Rules.Accept(p.sender, &ev); err != nil {
			s.refused(now, p, ReasonRules, m.rule, m.N)
			s.count.last.text = cleanText(err.Error(), maxTextBytes)
			return
		}
	}
	s.count.received++
	s.deliver(p.sender, m)
}

// judgeMessage asks everything that the contract says. It changes nothing but
// the bucket of the message, which is asked last.
func (s *Server) judgeMessage(now time.Time, p *peer, a *arrival, m *message) Reason {
	if m.rule == nil {
		return ReasonUnknownMessage
	}
	if ch, mode := carriage(m.rule); a.channel != ch || !arrivedAs(a.mode, mode) {
		return ReasonWrongChannel
	}
	if p.observer {
		return ReasonUnauthorizedSender
	}
	if r := s.authorize(m, p.sender, false); r != ReasonNone {
		return r
	}
	if len(m.payload) > m.rule.MaximumBytes {
		return ReasonOversized
	}
	if r := s.codec.decode(m.rule, m.payload, &s.codec.read); r != ReasonNone {
		return r
	}
	if !p.guard.rate(s.at(now), m.rule, hostBurst) {
		return ReasonRateLimited
	}
	return ReasonNone
}

// payloadReason says that a reason was found in the payload, where
// last_error looks again for the words.
func payloadReason(r Reason) bool {
	switch r {
	case ReasonTruncated, ReasonExcessiveDepth, ReasonExcessiveElements, ReasonStringTooLong, ReasonNonFinite, ReasonSchemaViolation:
		return true
	}
	return false
}

// deliver takes an accepted message where the contract says. It never comes
// back to its sender; to owner, it goes to the owner of its target alone.
func (s *Server) deliver(from Sender, m *message) {
	switch m.rule.To {
	case contract.ActorServer:
		s.in.message(m, from)
	case contract.ActorOwner:
		typ, row, ok := s.reg.find(m.N)
		if !ok {
			return
		}
		owner := Sender(s.reg.world.Head(typ, row).Owner)
		if owner == ServerSender {
			s.in.message(m, from)
		} else if p := s.peers.find(owner); p != nil && owner != from {
			s.build(from, m)
			s.forward(p, from, m)
		}
	case contract.ActorAll:
		if from != ServerSender {
			s.in.message(m, from)
		}
		s.build(from, m)
		for _, p := range s.peers.seated {
			if p.sender != from {
				s.forward(p, from, m)
			}
		}
	}
}

// frameKind is Message for the host's own, Relay for a client's.
func frameKind(from Sender) kind {
	if from == ServerSender {
		return kindMessage
	}
	return kindRelay
}

// build encodes the frame of m, the same for every receiver, into s.out.
func (s *Server) build(from Sender, m *message) {
	m.Sender = uint32(from)
	s.out = m.append(s.out[:0], frameKind(from), s.epoch, s.con)
}

// forward sends what build made.
func (s *Server) forward(p *peer, from Sender, m *message) {
	if p.phase == PhaseActive {
		ch, mode := carriage(m.rule)
		s.transmit(p, frameKind(from), ch, mode, s.out)
	}
}

// Send sends a declared message of the host; target is a network id, or "" for
// a message without target. A nil src sends an empty object. The error is nil
// or a *Refusal; last_error has the details. A message to the host itself, or
// to an owner that is the host, goes nowhere: a message never comes back to
// its sender.
func (s *Server) Send(now time.Time, name, target string, src Source) error {
	if s.closed {
		return s.count.local(ReasonInvalidOperation, nil, 0, "the session is closed")
	}
	if r := s.compose(s.at(now), ServerSender, name, target, src); r != nil {
		return r
	}
	s.Release(now) // the payload may name what nobody has heard of
	s.count.sent++
	m := &s.msg
	if m.rule.To == contract.ActorAll || m.rule.To == contract.ActorOwner && !s.owns(ServerSender, m.N) {
		s.deliver(ServerSender, m)
	}
	return nil
}

func (s *Server) owns(owner Sender, n uint32) bool {
	typ, row, ok := s.reg.find(n)
	return ok && Sender(s.reg.world.Head(typ, row).Owner) == owner
}
