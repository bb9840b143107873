package session

import (
	"errors"
	"time"

	"demi.network/contract"
	"demi.network/internal/wire"
	"demi.network/runtime/fault"
	"demi.network/runtime/transport"
)

// send encodes a frame of the reliable channel and sends it.
func (s *Server) send(p *peer, k kind, f coded) {
	s.out = appendFrame(s.out[:0], k, s.epoch, f)
	s.transmit(p, k, channelReliable, transport.Reliable, s.out)
}

// sendBytes is send for a frame whose body exists.
func (s *Server) sendBytes(p *peer, k kind, body []byte) {
	s.out = append(append(s.out[:0], byte(k), byte(s.epoch)), body...)
	s.transmit(p, k, channelReliable, transport.Reliable, s.out)
}

// transmit hands a frame to the transport. A peer that takes no more reliable
// frames is condemned: a hole in its reliable stream cannot be mended.
func (s *Server) transmit(p *peer, k kind, ch transport.Channel, mode transport.Mode, frame []byte) bool {
	if k.counts(ch) {
		p.stream.sent++
	}
	if mode == transport.Reliable {
		if p.stream.queued++; p.stream.queued > MaxBacklog {
			p.condemn(fault.Backlog, "it takes no more reliable frames")
			return false
		}
	}
	err := s.host.Send(p.link, ch, mode, frame)
	if err != nil && mode == transport.Reliable {
		if errors.Is(err, transport.ErrBacklog) || fault.CodeOf(err) == fault.Backlog {
			p.condemn(fault.Backlog, "it takes no more reliable frames")
		} else {
			p.condemn(fault.Protocol, "a reliable frame could not be sent")
		}
	}
	return err == nil
}

// end says goodbye to a peer and drops it.
func (s *Server) end(now time.Time, p *peer, code fault.Code, text string) {
	s.send(p, kindGoodbye, &goodbye{Code: code.Wire(), Text: cleanText(text, maxTextBytes)})
	s.host.Drop(p.link, uint32(code.Wire()))
	s.leave(now, p, code, text)
}

// drop ends a connection that was never welcomed.
func (s *Server) drop(now time.Time, p *peer, code fault.Code) {
	s.host.Drop(p.link, uint32(code.Wire()))
	s.leave(now, p, code, "")
}

// leave takes a peer out, tells the game, and then lets the contract decide
// what becomes of its entities.
func (s *Server) leave(now time.Time, p *peer, code fault.Code, text string) {
	was := p.phase
	if was == PhaseClosed {
		return
	}
	p.set(PhaseClosed, s.at(now))
	s.peers.remove(p)
	if p.sender == 0 {
		s.turnedAway(p, nil)
		if was == PhaseConnected && code == fault.Timeout {
			s.in.push(Event{Kind: EventTurnedAway, Code: code, Text: text}, nil)
		}
		return
	}
	if was != PhaseActive {
		return // the game never heard of it, and it owns nothing
	}
	ids := s.reg.of(p.sender)
	s.in.push(Event{Kind: EventPeerLeft, Sender: p.sender, Name: p.name, Observer: p.observer, Code: code, Text: text, Entities: ids}, nil)
	for _, n := range ids {
		typ, row, _ := s.reg.find(n)
		switch s.con.Prefabs[typ].OnDisconnect {
		case contract.PolicyDespawn:
			gen := s.despawn(now, typ, row)
			s.in.push(Event{Kind: EventDespawned, N: n, Type: typ, Gen: gen}, nil)
		case contract.PolicyReturnToServer, contract.PolicyTransferByGame:
			// By game: to the host first, then the game decides.
			gen := s.transfer(now, typ, row, ServerSender)
			s.in.push(Event{Kind: EventOwnership, N: n, Type: typ, Owner: ServerSender, Gen: gen}, nil)
		}
	}
}

// goodbye takes a client's leave. What it says of itself is believed only as
// far as the codes go that a client may use.
func (s *Server) goodbye(now time.Time, p *peer, body []byte) {
	var g goodbye
	if !decode(body, &g) {
		s.refused(now, p, ReasonTruncated, nil, 0)
		return
	}
	code := fault.FromWire(g.Code)
	switch code {
	case fault.Left, fault.Shutdown, fault.Protocol, fault.Timeout:
	default:
		code = fault.Left
	}
	s.host.Drop(p.link, 0)
	s.leave(now, p, code, cleanText(g.Text, maxTextBytes))
}

// Kick removes a client with E_NET_KICKED and a text that reaches it.
// Reasons: invalid_owner (no such client).
func (s *Server) Kick(now time.Time, p Sender, text string) *Refusal {
	q := s.peers.find(p)
	if q == nil {
		return s.count.local(ReasonInvalidOwner, nil, 0, p.String())
	}
	s.Release(now)
	s.end(now, q, fault.Kicked, text)
	return nil
}

// Shutdown ends the session: everybody is told E_NET_SHUTDOWN and text, and
// dropped. The caller keeps flushing the Host for a second so that it arrives.
// The World stays as it is; events that wait can still be polled.
func (s *Server) Shutdown(now time.Time, text string) {
	if s.closed {
		return
	}
	s.held = held{} // nobody is left to care
	bye := goodbye{Code: fault.Shutdown.Wire(), Text: cleanText(text, maxTextBytes)}
	for _, p := range s.peers.all {
		s.send(p, kindGoodbye, &bye)
		s.host.Drop(p.link, uint32(fault.Shutdown.Wire()))
		p.set(PhaseClosed, s.at(now))
	}
	s.peers = directory{newest: s.peers.newest, links: map[transport.Peer]*peer{}}
	s.closed = true
}

// SendSnapshot sends an opaque body to an active peer; larger than a datagram
// it is fragmented. body may be reused on return. Reasons: not_joined,
// oversized, backlog (the transport did not take it).
func (s *Server) SendSnapshot(now time.Time, to Sender, body []byte) *Refusal {
	s.Release(now)
	p := s.peers.find(to)
	if p == nil || p.phase != PhaseActive {
		return s.count.refuse(ReasonNotJoined, nil, to, 0)
	}
	s.out = appendOpaque(s.out[:0], kindSnapshot, s.epoch, opaque{p.stream.received, p.stream.records}, body)
	if len(s.out) > maxSnapshot {
		return s.count.refuse(ReasonOversized, nil, to, 0)
	}
	if !s.transmit(p, kindSnapshot, channelSnapshot, transport.Sequenced, s.out) {
		return s.count.refuse(ReasonBacklog, nil, to, 0)
	}
	return nil
}

func appendOpaque(dst []byte, k kind, epoch uint32, o opaque, body []byte) []byte {
	c := wire.Writer(append(dst, byte(k), byte(epoch)))
	o.code(&c)
	return append(c.Written(), body...)
}

func readOpaque(body []byte) (o opaque, rest []byte, ok bool) {
	c := wire.Reader(body)
	o.code(&c)
	return o, c.Rest(), c.Err() == nil
}
