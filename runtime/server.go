package runtime

import (
	"cmp"
	"slices"
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
	remotes []*remote     // active ones, by rising Sender
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

// admit returns the remote of an active peer, new ones included.
func (s *server) admit(info session.PeerInfo) *remote {
	at, ok := slices.BinarySearchFunc(s.remotes, info.Sender, func(r *remote, p session.Sender) int { return cmp.Compare(r.info.Sender, p) })
	if !ok {
		s.remotes = slices.Insert(s.remotes, at, &remote{
			send:  replica.NewSender(s.layout, replica.Down, uint32(info.Sender)),
			recv:  replica.NewReceiver(s.layout, replica.Up, uint32(info.Sender)),
			since: s.world.Tick,
		})
	}
	r := s.remotes[at]
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
	s.muster()
}

// muster brings the remotes in line with the session's peers; both are in the
// order of Sender.
func (s *server) muster() {
	at := 0 // remotes before it have been seen to
	s.sess.Peers(func(info session.PeerInfo) bool {
		for at < len(s.remotes) && s.remotes[at].info.Sender < info.Sender {
			s.retire(at)
		}
		if info.Joined {
			r := s.admit(info)
			if info.Stats.PacketsRecv >= r.stats.PacketsRecv { // not those of a connection that is gone
				r.stats = info.Stats
			}
			at++
		}
		return true
	})
	for at < len(s.remotes) {
		s.retire(at)
	}
}

// publication writes a client's rows into the truth, as far as it owns them.
func (s *server) publication(now time.Time, o session.Opaque) {
	info, ok := s.sess.Peer(o.From)
	if !ok || !info.Joined {
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

// retire moves a peer that is no longer active out of the way.
func (s *server) retire(at int) {
	r := s.remotes[at]
	r.info.Phase = session.PhaseClosed
	// A report asks for the counts; what they remember of rows is let go.
	r.send, r.recv = &replica.Sender{Counts: r.send.Counts}, &replica.Receiver{Counts: r.recv.Counts}
	if len(s.gone) == maxGone {
		s.gone = slices.Delete(s.gone, 0, 1)
	}
	s.gone = append(s.gone, r)
	s.remotes = slices.Delete(s.remotes, at, at+1)
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
