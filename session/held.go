package session

import (
	"slices"
	"time"
)

// held are spawned entities that nobody has been told of yet, in the order of
// their ids. A game makes an entity and then sets it up: the record goes out
// with the values it has when something else has to be sent, or when the turn
// ends, and an entity that goes before that was never there for anybody but
// the host.
type held struct{ ids []uint32 }

func (h *held) has(n uint32) bool {
	_, ok := slices.BinarySearch(h.ids, n)
	return ok
}

// cancel takes n out, if it is held.
func (h *held) cancel(n uint32) {
	if at, ok := slices.BinarySearch(h.ids, n); ok {
		h.ids = slices.Delete(h.ids, at, at+1)
	}
}

// Held lists the entities whose spawn record waits, in the order of ids. The
// caller may still change their rows. It is valid until the next act.
func (s *Server) Held() []uint32 { return s.held.ids }

// Holds says whether the spawn record of entity n waits.
func (s *Server) Holds(n uint32) bool { return s.held.has(n) }

// Release sends the spawn records that wait, with the rows and owners as they
// are now, packed like those of a late joiner. Every call that sends or reads
// anything does it first; the caller does it at the end of its turn.
func (s *Server) Release(now time.Time) {
	if len(s.held.ids) == 0 {
		return
	}
	for _, p := range s.peers.seated {
		s.rows, s.batch.Records = s.rows[:0], s.batch.Records[:0]
		for _, n := range s.held.ids {
			if !p.hears(n) {
				continue // its walk covers what it has not come to
			}
			typ, row, _ := s.reg.find(n)
			s.addSpawn(p, typ, row)
			if s.batchFull() {
				s.sendSpawns(p)
			}
		}
		if len(s.batch.Records) > 0 {
			s.sendSpawns(p)
		}
	}
	s.held.ids = s.held.ids[:0]
}

// releaseBefore sends what must come before a record of entity n: nothing as
// long as n is held itself.
func (s *Server) releaseBefore(now time.Time, n uint32) {
	if !s.held.has(n) {
		s.Release(now)
	}
}

// told says that p was sent the spawn of entity n, and so hears what becomes of
// it.
func (s *Server) told(p *peer, n uint32) bool { return p.hears(n) && !s.held.has(n) }

// batchFull says that the batch is as large as a frame of spawns should be.
func (s *Server) batchFull() bool { return len(s.rows)+16*len(s.batch.Records) >= walkFrame }

// sendSpawns sends the batch and begins another.
func (s *Server) sendSpawns(p *peer) {
	s.send(p, kindSpawn, &s.batch)
	p.stream.queued += len(s.out) / fragmentBytes
	s.rows, s.batch.Records = s.rows[:0], s.batch.Records[:0]
}
