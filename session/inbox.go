package session

import (
	"demi.network/contract"
	"demi.network/contract/payload"
)

// Bounds of the inbox beside MaxMessages and MaxInboxBytes.
const (
	// compactAt is how many unpolled life-cycle events are kept before they
	// are compacted for the first time.
	compactAt = 1024
	// maxNews is how many unpolled refusals, violations and turned-away
	// strangers are kept; the oldest go first and are counted.
	maxNews = 256
	// maxVisits is how many unpolled leaves are kept of peers whose joining
	// the game has not polled either; the oldest such pairs go first and are
	// counted.
	maxVisits = 2048
)

// inbox holds what the game has not polled. Messages are bounded: the oldest
// gives way, and is counted. Life-cycle events are kept, and compacted for
// each entity, so that what the game then sees still leads to the truth.
// Payloads are kept encoded.
type inbox struct {
	next     uint64 // order of the next event
	life     []lifeEvent
	lifeHead int
	limit    int // of len(life) at which the next compaction happens
	held     int // bytes of session metadata in life; over MaxInboxBytes it is compacted, too
	messages []queued
	head     int
	bytes    arena
	dropped  uint64
	value    payload.Value // Data of the event polled last

	shown    uint32             // at a client, the newest entity whose spawn was polled
	departed map[uint32][]int32 // last rows of those that went before that
}

// lifeEvent is an event that is kept.
type lifeEvent struct {
	order   uint64
	ev      Event
	payload []byte // session_started
}

// queued is a message that waits; its payload is in the arena.
type queued struct {
	order  uint64
	rule   *contract.Message // nil: its entity was compacted away
	sender Sender
	n, gen uint32
	view   uint32
	size   int
}

// arena is a queue of bytes in one piece of memory.
type arena struct {
	buf  []byte
	head int
}

func (a *arena) size() int { return len(a.buf) - a.head }

func (a *arena) push(b []byte) {
	if len(a.buf)+len(b) > cap(a.buf) && a.head >= len(a.buf)/2 {
		n := copy(a.buf, a.buf[a.head:])
		a.buf, a.head = a.buf[:n], 0
	}
	a.buf = append(a.buf, b...)
}

// pop returns the oldest n bytes; they are valid until the next push.
func (a *arena) pop(n int) []byte {
	b := a.buf[a.head : a.head+n]
	if a.head += n; a.head == len(a.buf) {
		a.buf, a.head = a.buf[:0], 0
	}
	return b
}

// message queues a message; payload is copied.
func (b *inbox) message(m *message, from Sender) {
	for b.head < len(b.messages) && (len(b.messages)-b.head >= MaxMessages || b.bytes.size()+len(m.payload) > MaxInboxBytes) {
		b.popMessage()
		b.dropped++
	}
	if b.head > 0 && len(b.messages) == cap(b.messages) {
		n := copy(b.messages, b.messages[b.head:])
		b.messages, b.head = b.messages[:n], 0
	}
	b.messages = append(b.messages, queued{b.next, m.rule, from, m.N, m.Gen, m.View, len(m.payload)})
	b.next++
	b.bytes.push(m.payload)
}

func (b *inbox) popMessage() (queued, []byte) {
	q := b.messages[b.head]
	if b.head++; b.head == len(b.messages) {
		b.messages, b.head = b.messages[:0], 0
	}
	return q, b.bytes.pop(q.size)
}

// push queues a life-cycle event; payload, if any, is kept.
func (b *inbox) push(ev Event, payload []byte) {
	b.life = append(b.life, lifeEvent{b.next, ev, payload})
	b.next++
	b.held += len(payload)
	if n := len(b.life) - b.lifeHead; n >= max(b.limit, compactAt) || b.held > MaxInboxBytes {
		b.compact()
		b.limit = 2 * len(b.life)
	}
}

// poll returns the oldest event.
func (b *inbox) poll(c *codec) (Event, bool) {
	for {
		hasLife, hasMessage := b.lifeHead < len(b.life), b.head < len(b.messages)
		switch {
		case hasLife && (!hasMessage || b.life[b.lifeHead].order < b.messages[b.head].order):
			return b.popLife(c), true
		case !hasMessage:
			return Event{}, false
		}
		q, bytes := b.popMessage()
		if q.rule == nil || c.decode(q.rule, bytes, &b.value) != ReasonNone {
			continue // compacted away; what was queued has been decoded before
		}
		return Event{Kind: EventMessage, Sender: q.sender, Message: q.rule, N: q.n, Gen: q.gen, View: q.view, Data: &b.value}, true
	}
}

func (b *inbox) popLife(c *codec) Event {
	l := b.life[b.lifeHead]
	b.life[b.lifeHead] = lifeEvent{}
	b.held -= len(l.payload)
	if b.lifeHead++; b.lifeHead == len(b.life) {
		b.life, b.lifeHead, b.limit = b.life[:0], 0, 0
	}
	switch l.ev.Kind {
	case EventSessionStarted:
		if c.decode(nil, l.payload, &b.value) == ReasonNone {
			l.ev.Data = &b.value
		}
	case EventSpawned:
		b.shown = l.ev.N
	case EventDespawned:
		delete(b.departed, l.ev.N)
	}
	return l.ev
}

// depart keeps the row of an entity that goes before the game has heard that it
// came: the game is told of both, in their order, and shown what it was.
func (b *inbox) depart(n uint32, cells []int32) {
	if n <= b.shown {
		return
	}
	if b.departed == nil {
		b.departed = map[uint32][]int32{}
	}
	b.departed[n] = append([]int32(nil), cells...)
}

// fate is what compaction knows of an entity from the events that wait.
type fate struct {
	spawned  bool // its spawn waits: the game does not know it
	despawn  bool // its end waits
	last     int  // index of its newest ownership event
	owner    Sender
	gen      uint32
	changed  bool
	vanishes bool // spawn and end both wait: the game need never know
}

// compact shortens the life-cycle events that wait: of an entity that came and
// went nothing is left, nor are messages about it; of one that goes, its end;
// of one that changed hands, the newest owner.
func (b *inbox) compact() {
	fates := b.fates()
	newest := b.newestNews()
	visits := b.oldVisits()
	kept := b.life[:0]
	b.held = 0
	for i := b.lifeHead; i < len(b.life); i++ {
		l := b.life[i]
		f := fates[l.ev.N]
		switch l.ev.Kind {
		case EventSpawned:
			if f.vanishes {
				continue
			}
			if f.changed {
				l.ev.Owner, l.ev.Gen = f.owner, f.gen
			}
		case EventDespawned:
			if f.vanishes {
				delete(b.departed, l.ev.N)
				continue
			}
		case EventOwnership:
			if f.spawned || f.despawn || f.last != i {
				continue
			}
		case EventRefused, EventViolation, EventTurnedAway, EventSessionStarted:
			if !newest[i] {
				b.dropped++
				continue
			}
		case EventPeerJoined, EventPeerLeft:
			if visits[l.ev.Sender] {
				b.dropped++
				continue
			}
		}
		kept = append(kept, l)
		b.held += len(l.payload)
	}
	clear(b.life[len(kept):])
	b.life, b.lifeHead = kept, 0
	for i := b.head; i < len(b.messages); i++ {
		if q := &b.messages[i]; q.rule != nil && q.n != 0 && fates[q.n].vanishes {
			q.rule = nil
			b.dropped++
		}
	}
}

func (b *inbox) fates() map[uint32]fate {
	fates := map[uint32]fate{}
	for i := b.lifeHead; i < len(b.life); i++ {
		ev := &b.life[i].ev
		f := fates[ev.N]
		switch ev.Kind {
		case EventSpawned:
			f.spawned = true
		case EventDespawned:
			f.despawn, f.vanishes = true, f.spawned
		case EventOwnership:
			f.last, f.owner, f.gen, f.changed = i, ev.Owner, ev.Gen, true
		default:
			continue
		}
		fates[ev.N] = f
	}
	return fates
}

// newestNews marks the newest maxNews refusals, violations and turned-away
// strangers, and the newest session metadata.
func (b *inbox) newestNews() map[int]bool {
	keep := map[int]bool{}
	news, started := 0, false
	for i := len(b.life) - 1; i >= b.lifeHead; i-- {
		switch b.life[i].ev.Kind {
		case EventRefused, EventViolation, EventTurnedAway:
			if news++; news <= maxNews {
				keep[i] = true
			}
		case EventSessionStarted:
			keep[i] = !started
			started = true
		}
	}
	return keep
}

// oldVisits marks the peers that came and went while nobody polled, but for
// the newest maxVisits.
func (b *inbox) oldVisits() map[Sender]bool {
	old, left := map[Sender]bool{}, map[Sender]bool{}
	n := 0
	for i := len(b.life) - 1; i >= b.lifeHead; i-- {
		switch ev := &b.life[i].ev; ev.Kind {
		case EventPeerLeft:
			if n++; n > maxVisits {
				left[ev.Sender] = true
			}
		case EventPeerJoined:
			if left[ev.Sender] {
				old[ev.Sender] = true
			}
		}
	}
	return old
}
