package session

import (
	"fmt"
	"strings"

	"demi.network/contract"
	"demi.network/internal/wire"
	"demi.network/runtime/fault"
	"demi.network/runtime/world"
)

// Every frame is kind u8, low byte of the epoch u8, and what its code function
// reads or writes. Integers are varints where they are small most of the time.
// Each frame has a String, used by logs, transcripts and tests.

// Bounds of texts and lists in frames.
const (
	maxNameBytes   = 128 // 32 code points
	maxBuildBytes  = 64
	maxTextBytes   = 512
	maxTicketBytes = 1024
	maxTokenBytes  = 32
	maxSections    = 16
	maxKeys        = 1024
	maxKeyBytes    = 256
	maxDiffKeys    = 64
	maxDefinition  = 4 << 10
	maxDocument    = 480 << 10
)

// Bits of hello.Wants.
const (
	wantsObserver uint8 = 1 << iota
	wantsDocument       // the contract, for an observer that has none
)

// coded is a frame: one function for both directions.
type coded interface{ code(c *wire.Coder) }

// appendFrame encodes a whole frame.
func appendFrame(dst []byte, k kind, epoch uint32, f coded) []byte {
	c := wire.Writer(append(dst, byte(k), byte(epoch)))
	f.code(&c)
	return c.Written()
}

// decode reads a frame's body; nothing may follow it.
func decode(body []byte, f coded) bool {
	c := wire.Reader(body)
	f.code(&c)
	return c.End() == nil
}

// sectionPrint is a section of the sender's contract in a Hello: its digest,
// and four bytes for each key so that the host can tell which ones differ.
type sectionPrint struct {
	Name   string
	Digest contract.Digest
	Prints []uint32
}

// hello is the client's first frame. Protocol comes first and stays first, so
// that any two versions can tell each other apart.
type hello struct {
	Protocol uint16
	Wants    uint8
	Build    string
	Name     string
	Meaning  [32]byte
	Scene    contract.Digest
	Sections []sectionPrint
	Ticket   []byte
	Token    []byte // resume: not used yet
	Received uint32 // resume: not used yet
}

func (h *hello) code(c *wire.Coder) {
	c.U16(&h.Protocol)
	if c.Reading() && h.Protocol != Protocol {
		skip(c)
		return
	}
	c.U8(&h.Wants)
	c.Text(&h.Build, maxBuildBytes)
	c.Text(&h.Name, 4*maxNameBytes) // longer than legal: refused with a code, not as garbage
	c.Fixed(h.Meaning[:])
	c.Fixed(h.Scene[:])
	n := len(h.Sections)
	c.Count(&n, maxSections, len(contract.Digest{})+2)
	if c.Reading() {
		h.Sections = make([]sectionPrint, n)
	}
	for i := range h.Sections {
		h.Sections[i].code(c)
	}
	c.Bytes(&h.Ticket, maxTicketBytes)
	c.Bytes(&h.Token, maxTokenBytes)
	c.V32(&h.Received)
}

func (s *sectionPrint) code(c *wire.Coder) {
	c.Text(&s.Name, maxKeyBytes)
	c.Fixed(s.Digest[:])
	n := len(s.Prints)
	c.Count(&n, maxKeys, 4)
	if c.Reading() {
		s.Prints = make([]uint32, n)
	}
	for i := range s.Prints {
		c.U32(&s.Prints[i])
	}
}

// skip takes all that is left of a frame of another version.
func skip(c *wire.Coder) {
	for c.Len() > 0 && c.Err() == nil {
		var b uint8
		c.U8(&b)
	}
}

func (h *hello) String() string {
	return fmt.Sprintf("hello protocol=%d name=%q build=%q wants=%d meaning=%x sections=%d", h.Protocol, h.Name, h.Build, h.Wants, h.Meaning[:4], len(h.Sections))
}

// welcome lets a client in.
type welcome struct {
	Protocol uint16
	Sender   uint32
	Epoch    uint32
	Tick     uint32
	TickRate uint32 // Hz
	Players  uint32 // most at once
	Name     string
	Build    string
	Lease    []byte // resume: empty until it exists
	Document string // the contract, for observers that asked
}

func (w *welcome) code(c *wire.Coder) {
	c.U16(&w.Protocol)
	c.V32(&w.Sender)
	c.U32(&w.Epoch)
	c.V32(&w.Tick)
	c.V32(&w.TickRate)
	c.V32(&w.Players)
	c.Text(&w.Name, maxNameBytes)
	c.Text(&w.Build, maxBuildBytes)
	c.Bytes(&w.Lease, maxTokenBytes)
	c.Text(&w.Document, maxDocument)
}

func (w *welcome) String() string {
	return fmt.Sprintf("welcome %s epoch=%d tick=%d rate=%d players=%d name=%q document=%d", Sender(w.Sender), w.Epoch, w.Tick, w.TickRate, w.Players, w.Name, len(w.Document))
}

// refuse turns a client away. Protocol, code and text come first and stay
// first. Keys are those of the sections that differ, as far as 16 KiB reach.
type refuse struct {
	Protocol  uint16
	Code      uint16
	Text      string
	Truncated bool // keys were left out
	Keys      []keyPrint
}

// keyPrint is one definition of the host's contract.
type keyPrint struct {
	Section    string
	Name       string
	Digest     contract.Digest
	Sent       bool // Definition is there; otherwise equal, or too long
	Definition string
}

func (r *refuse) code(c *wire.Coder) {
	c.U16(&r.Protocol)
	c.U16(&r.Code)
	c.Text(&r.Text, maxTextBytes)
	if c.Reading() && r.Protocol != Protocol {
		skip(c)
		return
	}
	c.Bool(&r.Truncated)
	n := len(r.Keys)
	c.Count(&n, maxKeys, len(contract.Digest{})+3)
	if c.Reading() {
		r.Keys = make([]keyPrint, n)
	}
	for i := range r.Keys {
		r.Keys[i].code(c)
	}
}

func (k *keyPrint) code(c *wire.Coder) {
	c.Text(&k.Section, maxKeyBytes)
	c.Text(&k.Name, maxKeyBytes)
	c.Fixed(k.Digest[:])
	c.Bool(&k.Sent)
	if k.Sent {
		c.Text(&k.Definition, maxDefinition)
	}
}

func (r *refuse) String() string {
	return fmt.Sprintf("refuse %s protocol=%d keys=%d truncated=%t text=%q", fault.FromWire(r.Code), r.Protocol, len(r.Keys), r.Truncated, r.Text)
}

// diff answers a refuse: what differs, as the client would tell a person.
type diff struct{ Lines []string }

func (d *diff) code(c *wire.Coder) {
	n := len(d.Lines)
	c.Count(&n, maxDiffKeys, 1)
	if c.Reading() {
		d.Lines = make([]string, n)
	}
	for i := range d.Lines {
		c.Text(&d.Lines[i], maxKeyBytes)
	}
}

func (d *diff) String() string { return fmt.Sprintf("diff %q", d.Lines) }

// ready says that the client has loaded its scene, and proves that it read the
// whole epoch.
type ready struct{ Epoch uint32 }

func (r *ready) code(c *wire.Coder) { c.U32(&r.Epoch) }

func (r *ready) String() string { return fmt.Sprintf("ready epoch=%d", r.Epoch) }

// active ends the retained walk. Records is the number of life-cycle records
// before it.
type active struct{ Tick, Records uint32 }

func (a *active) code(c *wire.Coder) {
	c.V32(&a.Tick)
	c.V32(&a.Records)
}

func (a *active) String() string { return fmt.Sprintf("active tick=%d records=%d", a.Tick, a.Records) }

// goodbye precedes every deliberate end.
type goodbye struct {
	Code uint16
	Text string
}

func (g *goodbye) code(c *wire.Coder) {
	c.U16(&g.Code)
	c.Text(&g.Text, maxTextBytes)
}

func (g *goodbye) String() string {
	return fmt.Sprintf("goodbye %s text=%q", fault.FromWire(g.Code), g.Text)
}

// spawn is one record of a spawn frame, which is a count and that many of
// them. Row holds the columns that the receiver may see.
type spawn struct {
	N, Type, Owner, Gen uint32
	Row                 []byte
}

func (s *spawn) code(c *wire.Coder) {
	c.V32(&s.N)
	c.V32(&s.Type)
	c.V32(&s.Owner)
	c.V32(&s.Gen)
	c.Bytes(&s.Row, world.MaxRowBytes)
}

// maxSpawns is the most records a spawn frame can hold: each takes 5 bytes.
const maxSpawns = maxSpawn / 5

// spawns is a whole spawn frame.
type spawns struct{ Records []spawn }

func (s *spawns) code(c *wire.Coder) {
	n := len(s.Records)
	c.Count(&n, maxSpawns, 5)
	if c.Reading() {
		s.Records = make([]spawn, n)
	}
	for i := range s.Records {
		s.Records[i].code(c)
	}
}

func (s *spawns) String() string {
	var b strings.Builder
	b.WriteString("spawn")
	for i := range s.Records {
		r := &s.Records[i]
		fmt.Fprintf(&b, " %d(type=%d owner=%s gen=%d row=%x)", r.N, r.Type, Sender(r.Owner), r.Gen, r.Row)
	}
	return b.String()
}

// despawn ends an entity; Gen is its last generation plus one.
type despawn struct{ N, Gen uint32 }

func (d *despawn) code(c *wire.Coder) {
	c.V32(&d.N)
	c.V32(&d.Gen)
}

func (d *despawn) String() string { return fmt.Sprintf("despawn %d gen=%d", d.N, d.Gen) }

// ownership gives an entity to Owner. Row holds the columns that the receiver
// may see from now on, so that a new owner starts from the truth.
type ownership struct {
	N, Owner, Gen uint32
	Row           []byte
}

func (o *ownership) code(c *wire.Coder) {
	c.V32(&o.N)
	c.V32(&o.Owner)
	c.V32(&o.Gen)
	c.Bytes(&o.Row, world.MaxRowBytes)
}

func (o *ownership) String() string {
	return fmt.Sprintf("ownership %d owner=%s gen=%d row=%x", o.N, Sender(o.Owner), o.Gen, o.Row)
}

// opaque is the head of a publication or snapshot; the body follows.
type opaque struct{ Received, Records uint32 }

func (o *opaque) code(c *wire.Coder) {
	c.V32(&o.Received)
	c.V32(&o.Records)
}
