package runtime

import (
	"time"

	"demi.network/internal/replica"
	"demi.network/runtime/transport"
	"demi.network/runtime/world"
	"demi.network/session"
)

// maxGone bounds the departed peers that a report remembers.
const maxGone = 32

// server is what a Peer has while it hosts.
type server struct {
	sess    *session.Server
	layout  *world.Layout
	world   *world.World // the truth
	tracker *replica.Tracker
	sums    replica.Sums
	proof   replica.Proof // of the whole world
	remotes []*remote     // active ones, in the order they became active
	gone    []*remote     // the newest maxGone
	body    []byte
}

// remote is an active client.
type remote struct {
	info  session.PeerInfo // as of the last tick
	stats transport.Stats
	send  *replica.Sender
	recv  *replica.Receiver
	proof replica.Proof // of what the client must hold
	heard bool          // it has published: it knows that it is active, so snapshots are of use
	since uint32        // tick at which it was active, with every retained spawn
}

func newServer(sess *session.Server, l *world.Layout, w *world.World) *server {
	return &server{sess: sess, layout: l, world: w, tracker: replica.NewTracker(l, replica.Down)}
}

func (s *server) remote(p session.Sender) *remote {
	for _, r := range s.remotes {
		if r.info.Sender == p {
			return r
		}
	}
	return nil
}

// admit returns the remote of an active peer, new ones included.
func (s *server) admit(info session.PeerInfo) *remote {
	r := s.remote(info.Sender)
	if r == nil {
		r = &remote{
			send:  replica.NewSender(s.layout, replica.Down, uint32(info.Sender)),
			recv:  replica.NewReceiver(s.layout, replica.Up, uint32(info.Sender)),
			since: s.world.Tick,
		}
		s.remotes = append(s.remotes, r)
	}
	r.info = info
	return r
}

// drain takes what has arrived.
func (s *server) drain(now time.Time, host transport.Host) {
	for {
		ev, ok := host.Poll(now)
		if !ok {
			break
		}
		if o, ok := s.sess.Handle(now, ev); ok && o.Kind == session.Publication {
			s.publication(now, o)
		}
	}
	s.sess.Advance(now)
	s.retire(host)
	s.sess.Peers(func(info session.PeerInfo) bool {
		if info.Phase == session.PhaseActive && info.Joined {
			s.admit(info)
		}
		return true
	})
}

// publication writes a client's rows into the truth, as far as it owns them.
func (s *server) publication(now time.Time, o session.Opaque) {
	info, ok := s.sess.Peer(o.From)
	if !ok || info.Phase != session.PhaseActive {
		return
	}
	r := s.admit(info)
	out, err := r.recv.Read(s.world, o.Body)
	switch err {
	case nil:
		r.send.Acked(out.Ack)
		r.heard = true
		for i := 0; i < out.Unowned; i++ {
			s.sess.Blame(now, o.From, session.ReasonUnauthorizedTarget)
		}
	case replica.ErrStale: // late, which is nobody's fault
	case replica.ErrOversized:
		s.sess.Blame(now, o.From, session.ReasonOversized)
	default:
		s.sess.Blame(now, o.From, session.ReasonTruncated)
	}
}

// retire moves peers that are no longer active out of the way.
func (s *server) retire(host transport.Host) {
	kept := s.remotes[:0]
	for _, r := range s.remotes {
		info, ok := s.sess.Peer(r.info.Sender)
		if ok && info.Phase == session.PhaseActive {
			if st := host.Stats(info.Link); st.PacketsRecv >= r.stats.PacketsRecv {
				r.stats = st
			}
			r.info = info
			kept = append(kept, r)
			continue
		}
		r.info.Phase = session.PhaseClosed
		if len(s.gone) == maxGone {
			copy(s.gone, s.gone[1:])
			s.gone = s.gone[:maxGone-1]
		}
		s.gone = append(s.gone, r)
	}
	clear(s.remotes[len(kept):])
	s.remotes = kept
}

// endTick notes what every peer must hold and sends each its snapshot.
func (s *server) endTick(now time.Time) {
	tick := s.world.Tick
	s.tracker.Update(s.world)
	s.sums.Update(s.layout, s.world)
	s.proof.Note(tick, s.sums.Server)
	for _, r := range s.remotes {
		if !r.heard || !r.send.Due(tick) {
			continue
		}
		var complete bool
		s.body, complete = r.send.Write(s.body[:0], s.world, s.tracker, r.recv, tick)
		if s.sess.SendSnapshot(now, r.info.Sender, s.body) == nil && complete {
			r.proof.Note(tick, s.sums.For(uint32(r.info.Sender)))
		}
	}
}
