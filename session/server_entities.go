package session

import (
	"time"

	"demi.network/runtime/world"
)

// Pacing of the retained walk: a frame of spawns is about this large, a peer
// has at most walkWindow reliable commands on their way, and gets at most
// walkBurst frames a turn.
const (
	walkFrame  = 14 << 10
	walkWindow = 64
	walkBurst  = 8
)

// Spawn makes an entity of type typ (contract.Prefab.Index) for owner. cells
// are copied; nil means the contract's defaults; a row of another width is the
// caller's mistake and panics. It exists here at once; its record is held until
// Release, or until something else is sent. Reasons: unknown_prefab,
// invalid_owner, entity_limit, invalid_operation (closed).
func (s *Server) Spawn(now time.Time, typ int, owner Sender, cells []int32) (n uint32, r *Refusal) {
	switch {
	case s.closed:
		return 0, s.count.local(ReasonInvalidOperation, nil, 0, "the session is closed")
	case typ < 0 || typ >= len(s.con.Prefabs):
		return 0, s.count.local(ReasonUnknownPrefab, nil, 0, "")
	}
	if r := s.mayOwn(owner); r != ReasonNone {
		return 0, s.count.local(r, nil, 0, owner.String())
	}
	if s.reg.live >= MaxEntities || s.reg.last == 1<<32-1 {
		return 0, s.count.local(ReasonEntityLimit, nil, 0, "the session holds no more entities")
	}
	n = s.reg.last + 1
	s.reg.insert(typ, world.Head{ID: n, OwnGen: 1, Owner: uint32(owner)}, cells)
	s.held.ids = append(s.held.ids, n)
	return n, nil
}

// mayOwn asks whether owner may have one more entity.
func (s *Server) mayOwn(owner Sender) Reason {
	if owner == ServerSender {
		return ReasonNone
	}
	p := s.peers.find(owner)
	switch {
	case p == nil || p.phase != PhaseActive || p.observer:
		return ReasonInvalidOwner
	case s.reg.owned[owner] >= s.con.Limits.OwnedEntities:
		return ReasonEntityLimit
	}
	return ReasonNone
}

// live finds an entity that an act is about.
func (s *Server) live(n uint32) (typ, row int, r *Refusal) {
	typ, row, ok := s.reg.find(n)
	switch {
	case s.closed:
		return 0, 0, s.count.local(ReasonInvalidOperation, nil, n, "the session is closed")
	case !ok:
		return 0, 0, s.count.local(ReasonUnknownEntity, nil, n, "")
	}
	return typ, row, nil
}

// Transfer gives an entity to another owner; its generation grows by one. To
// the owner it has, it changes nothing and is no refusal. Reasons:
// unknown_entity, invalid_owner, entity_limit, invalid_operation (closed).
func (s *Server) Transfer(now time.Time, n uint32, owner Sender) *Refusal {
	typ, row, r := s.live(n)
	if r != nil || Sender(s.reg.world.Head(typ, row).Owner) == owner {
		return r
	}
	if r := s.mayOwn(owner); r != ReasonNone {
		return s.count.local(r, nil, n, owner.String())
	}
	s.transfer(now, typ, row, owner)
	return nil
}

// transfer changes the owner and tells everybody. The record carries what each
// may see from now on, so that a new owner starts from the truth. Of an entity
// nobody has heard of, the spawn record will say it all.
func (s *Server) transfer(now time.Time, typ, row int, owner Sender) (gen uint32) {
	h := s.reg.world.Head(typ, row)
	s.releaseBefore(now, h.ID)
	gen = h.OwnGen + 1
	s.reg.give(typ, row, owner, gen)
	for _, p := range s.peers.seated {
		if s.told(p, h.ID) {
			s.rows = s.reg.appendRow(s.rows[:0], typ, row, p.sender)
			p.stream.records++
			s.send(p, kindOwnership, &ownership{N: h.ID, Owner: uint32(owner), Gen: gen, Row: s.rows})
		}
	}
	return gen
}

// Despawn removes an entity. Reasons: unknown_entity, invalid_operation
// (closed).
func (s *Server) Despawn(now time.Time, n uint32) *Refusal {
	typ, row, r := s.live(n)
	if r == nil {
		s.despawn(now, typ, row)
	}
	return r
}

// despawn removes an entity and tells everybody who has heard of it.
func (s *Server) despawn(now time.Time, typ, row int) (gen uint32) {
	h := *s.reg.world.Head(typ, row)
	s.releaseBefore(now, h.ID)
	s.reg.remove(typ, row)
	for _, p := range s.peers.seated {
		if s.told(p, h.ID) {
			p.stream.records++
			s.send(p, kindDespawn, &despawn{N: h.ID, Gen: h.OwnGen + 1})
		}
	}
	s.held.cancel(h.ID)
	return h.OwnGen + 1
}

// addSpawn adds a record to the batch; rows lie in s.rows, which must have room
// for one more (a batch that outgrows it keeps aliasing the old memory, which
// stays as it is until the batch is sent).
func (s *Server) addSpawn(p *peer, typ, row int) {
	h := s.reg.world.Head(typ, row)
	from := len(s.rows)
	s.rows = s.reg.appendRow(s.rows, typ, row, p.sender)
	s.batch.Records = append(s.batch.Records, spawn{N: h.ID, Type: uint32(typ), Owner: h.Owner, Gen: h.OwnGen, Row: s.rows[from:len(s.rows):len(s.rows)]})
	p.stream.records++
}

// advanceWalk sends a joiner the retained spawns that its window has room for,
// in the order of ids. At the end of them it is active.
func (s *Server) advanceWalk(now time.Time, p *peer) {
	for i := 0; i < walkBurst && p.stream.queued < walkWindow && p.doom.code == ""; i++ {
		s.rows, s.batch.Records = s.rows[:0], s.batch.Records[:0]
		for !s.batchFull() {
			typ, row, ok := s.reg.after(p.walk.cursor)
			if !ok {
				break
			}
			p.walk.cursor = s.reg.world.Head(typ, row).ID
			s.addSpawn(p, typ, row)
		}
		if len(s.batch.Records) > 0 {
			s.sendSpawns(p)
			continue
		}
		s.send(p, kindActive, &active{Tick: s.reg.world.Tick, Records: p.stream.records})
		p.set(PhaseActive, s.at(now))
		s.in.push(Event{Kind: EventPeerJoined, Sender: p.sender, Name: p.name, Observer: p.observer}, nil)
		return
	}
}

// fragmentBytes is about what one reliable command carries; the window counts
// commands, and the transport's own count is read once a turn only.
const fragmentBytes = 1100

// StartSession announces the game: its metadata goes to everybody here, and
// to every later joiner before anything else. Calling it again replaces it.
// The error is nil or a *Refusal.
func (s *Server) StartSession(now time.Time, src Source) error {
	if s.closed {
		return s.count.local(ReasonInvalidOperation, nil, 0, "the session is closed")
	}
	s.Release(now)
	b, r, err := s.codec.encode(s.body[:0], nil, src)
	s.body = b
	if r != ReasonNone {
		return s.count.local(r, nil, 0, payloadText(err))
	}
	if r := s.setSession(b); r != ReasonNone {
		return s.count.local(r, nil, 0, "")
	}
	for _, p := range s.peers.seated {
		if p.phase == PhaseReady || p.phase == PhaseActive {
			s.sendBytes(p, kindSessionStart, s.meta.bytes)
		}
	}
	return nil
}
