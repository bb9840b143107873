package replica

import (
	"errors"

	"demi.network/internal/wire"
	"demi.network/runtime/world"
)

// Errors of a body as a whole; nothing has changed then.
var (
	ErrOversized = errors.New("replica: body over its limit")
	ErrStale     = errors.New("replica: body older than one that was read")
)

// ReceiverCounts counts what a Receiver met.
type ReceiverCounts struct {
	Bodies   uint64 // read
	Complete uint64
	Bytes    uint64
	Rows     uint64 // applied
	Early    uint64 // rows of an entity or generation whose record has not come
	Stale    uint64 // rows of a generation that is over, and bodies out of order
	Unowned  uint64 // rows of an entity that the publisher does not own
	Forced   uint64 // rows that a write of the server has overtaken
	Refused  uint64 // bodies that break the format or a range
}

// Ack is an acknowledgement: what the other side has applied whole.
type Ack struct {
	Valid  bool
	Newest uint32
	Bits   uint32 // bit i: Newest-1-i, too
}

// Outcome says what a body did.
type Outcome struct {
	Tick     uint32
	Complete bool // nothing waits for a later body
	Whole    bool // every row was applied
	Unowned  int  // rows of entities that the publisher does not own
	Ack      Ack  // for the Sender of the other direction
}

// Receiver reads the bodies of one peer into a World and remembers what to
// acknowledge. A body is acknowledged only when every row of it was applied:
// a row that was skipped would otherwise never be sent again.
type Receiver struct {
	Counts ReceiverCounts

	layout *world.Layout
	dir    Direction
	peer   uint32
	any    bool   // a body was read
	last   uint32 // its tick
	ack    Ack
	rows   []readRow
	cells  []int32
}

type readRow struct {
	rowHead
	row   int // in the World; -1: the row cannot be applied
	cells int // offset in Receiver.cells
}

// NewReceiver returns a Receiver at peer (Down), or of what the client peer
// publishes (Up).
func NewReceiver(l *world.Layout, d Direction, peer uint32) *Receiver {
	return &Receiver{layout: l, dir: d, peer: peer}
}

// acknowledge puts what was applied into the header of a body.
func (r *Receiver) acknowledge(h *header) {
	if r != nil && r.ack.Valid {
		h.acked, h.ack, h.ackBits = true, r.ack.Newest, r.ack.Bits
	}
}

// Read decodes and checks the whole body, then writes its rows into w. Rows of
// entities that w does not have at that generation and owner are left out and
// counted. An error means that nothing was changed.
func (r *Receiver) Read(w *world.World, body []byte) (Outcome, error) {
	h, err := r.decode(w, body)
	if err != nil {
		if err == ErrStale {
			r.Counts.Stale++
		} else {
			r.Counts.Refused++
		}
		return Outcome{}, err
	}
	o := Outcome{Tick: h.tick, Complete: h.complete, Whole: true, Ack: Ack{h.acked, h.ack, h.ackBits}}
	for i := range r.rows {
		rr := &r.rows[i]
		if rr.row < 0 {
			o.Whole = false
			if rr.row == unowned {
				o.Unowned++
			}
			continue
		}
		t := &r.layout.Types[rr.typ]
		m := r.dir.mask(t, rr.owner, r.peer)
		t.Copy(w.Row(r.layout, rr.typ, rr.row), r.cells[rr.cells:rr.cells+t.Stride], m)
		if r.dir == Down {
			w.Head(rr.typ, rr.row).Force = rr.force
		}
		r.Counts.Rows++
	}
	r.note(&o, len(body))
	return o, nil
}

// note records a body that was read.
func (r *Receiver) note(o *Outcome, size int) {
	r.any, r.last = true, o.Tick
	r.Counts.Bodies++
	r.Counts.Bytes += uint64(size)
	if o.Complete {
		r.Counts.Complete++
	}
	if !o.Whole {
		return
	}
	switch ahead := o.Tick - r.ack.Newest; {
	case !r.ack.Valid:
		r.ack = Ack{Valid: true, Newest: o.Tick}
	case ahead > ackWindow:
		r.ack.Newest, r.ack.Bits = o.Tick, 0
	default:
		r.ack.Bits = uint32((uint64(r.ack.Bits)<<1 | 1) << (ahead - 1))
		r.ack.Newest = o.Tick
	}
}

// decode reads a body into r.rows and r.cells without touching w.
func (r *Receiver) decode(w *world.World, body []byte) (header, error) {
	var h header
	r.rows, r.cells = r.rows[:0], r.cells[:0]
	if len(body) > MaxBody {
		return h, ErrOversized
	}
	c := wire.Reader(body)
	h.code(&c)
	if c.Err() == nil && r.any && !after(h.tick, r.last) {
		return h, ErrStale
	}
	var prev rowHead
	for c.Err() == nil && c.Len() > 0 {
		rr := readRow{cells: len(r.cells)}
		rr.code(&c, &prev, len(r.layout.Types))
		if c.Err() != nil {
			break
		}
		prev = rr.rowHead
		rest, err := r.decodeRow(w, &rr, c.Rest())
		if err != nil {
			return h, err
		}
		c = wire.Reader(rest)
		r.rows = append(r.rows, rr)
	}
	return h, c.Err()
}

func (r *Receiver) decodeRow(w *world.World, rr *readRow, b []byte) (rest []byte, err error) {
	t := &r.layout.Types[rr.typ]
	rr.row = r.locate(w, &rr.rowHead)
	for i := 0; i < t.Stride; i++ {
		r.cells = append(r.cells, 0)
	}
	cells := r.cells[rr.cells:]
	if rr.row >= 0 {
		copy(cells, w.Row(r.layout, rr.typ, rr.row))
	}
	rest, err = r.layout.ReadRow(b, rr.typ, r.dir.mask(t, rr.owner, r.peer), cells)
	if rr.row < 0 {
		r.cells = r.cells[:rr.cells] // checked, and of no more use: made up rows must not cost memory
	}
	return rest, err
}

// Why a row cannot be applied, in place of its number.
const (
	skipped = -1
	unowned = -2
)

// locate finds the row that a head speaks of. The order of checks is: does it
// exist, is it this generation, is it this owner's, is it new enough.
func (r *Receiver) locate(w *world.World, h *rowHead) int {
	row, ok := w.FindIn(h.typ, h.id)
	if !ok {
		r.Counts.Early++
		return skipped
	}
	have := w.Head(h.typ, row)
	switch d := h.gen - have.OwnGen; {
	case d == 0:
	case int32(d) > 0:
		r.Counts.Early++
		return skipped
	default:
		r.Counts.Stale++
		return skipped
	}
	if have.Owner != h.owner || r.dir == Up && h.owner != r.peer {
		r.Counts.Unowned++
		return unowned
	}
	if r.dir == Up && have.Force != h.force {
		r.Counts.Forced++
		return skipped
	}
	return row
}
