package enet

import "demi.network/runtime/transport"

// inbox holds the events of a Host until Poll hands them out, and the bytes of
// the messages among them. Messages are copied once, out of the link's buffer;
// all memory is used again when the last event of a turn was taken.
type inbox struct {
	events []transport.Event
	head   int
	arena  arena
}

// push adds e, whose Data is copied.
func (q *inbox) push(e transport.Event) {
	if len(e.Data) > 0 {
		b := q.arena.take(len(e.Data))
		copy(b, e.Data)
		e.Data = b
	}
	q.events = append(q.events, e)
}

// reserve adds a message of n bytes and returns the bytes, to be filled in.
func (q *inbox) reserve(e transport.Event, n int) []byte {
	e.Data = q.arena.take(n)
	q.events = append(q.events, e)
	return e.Data
}

// pop returns the oldest event. Data of the one before is given up when the
// inbox has become empty, so call it only when its time is over.
func (q *inbox) pop() (transport.Event, bool) {
	if q.head == len(q.events) {
		q.reset()
		return transport.Event{}, false
	}
	e := q.events[q.head]
	q.head++
	return e, true
}

func (q *inbox) empty() bool { return q.head == len(q.events) }

// reset forgets everything that was taken. The inbox must be empty.
func (q *inbox) reset() {
	if len(q.events) > maxKeptEvents {
		q.events = nil
	} else {
		clear(q.events)
	}
	q.events, q.head = q.events[:0], 0
	q.arena.reset()
}

// compact moves events that nobody took to the front, so that a caller who
// does not poll to the end costs time and not memory.
func (q *inbox) compact() {
	if q.head == 0 || q.empty() {
		return
	}
	kept := append([]transport.Event(nil), q.events[q.head:]...)
	q.arena = arena{} // the old one stays with the events until they are copied
	for i := range kept {
		if d := kept[i].Data; len(d) > 0 {
			kept[i].Data = q.arena.take(len(d))
			copy(kept[i].Data, d)
		}
	}
	q.events, q.head = kept, 0
}

const (
	maxKeptEvents = 16384
	arenaChunk    = 64 << 10
	maxKeptChunks = 32
)

// arena hands out bytes that are all given up at once.
type arena struct {
	chunks [][]byte
	cur    int // index of the chunk in use
	used   int // bytes of it handed out
}

func (a *arena) take(n int) []byte {
	for ; a.cur < len(a.chunks); a.cur, a.used = a.cur+1, 0 {
		if c := a.chunks[a.cur]; len(c)-a.used >= n {
			a.used += n
			return c[a.used-n : a.used : a.used]
		}
	}
	a.chunks = append(a.chunks, make([]byte, max(n, arenaChunk)))
	a.used = n
	return a.chunks[a.cur][:n:n]
}

// reset keeps what a busy turn needs and gives the rest to the collector.
func (a *arena) reset() {
	kept := a.chunks[:0]
	for _, c := range a.chunks {
		if len(c) == arenaChunk && len(kept) < maxKeptChunks {
			kept = append(kept, c)
		}
	}
	clear(a.chunks[len(kept):])
	a.chunks, a.cur, a.used = kept, 0, 0
}
