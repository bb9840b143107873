package payload

import (
	"math"
	"unicode/utf8"
)

// Sink is the one set of rules that a payload passes, wherever it comes from:
// the wire, JSON, Lua. A source calls Reset, then describes one value, then
// Close. Every call returns false once something was refused, and then does
// nothing, so a source may look at the results as seldom as it likes; Err has
// the first refusal. Calls that do not describe a value (a Key in an array, an
// End too many) are the source's mistake and panic.
//
// The zero Sink is ready for Reset. A warm Sink allocates nothing, also when
// it refuses. Not safe for concurrent use.
type Sink struct {
	p       *Plan
	v       *Value
	lim     Limits
	left    budget
	depth   int
	stack   []frame
	top     *frame  // the innermost open container; nil when none is
	sorted  []int32 // room to sort members
	refusal Refusal
}

// budget is what the limits still allow.
type budget struct{ elements, text int }

// frame is one open container.
type frame struct {
	n       *schema
	seen    bitset
	want    *schema // of the next item, or of the member begun
	head    int32   // the container on the tape
	first   int32   // its first item or member, 0 = none
	last    int32   // its last one
	count   int32
	field   int32  // of the member begun: a declared one, extraField, noField
	before  int32  // the member before it: a declared one, extraField, noField
	key     int32  // what node.key of the member becomes
	name    uint64 // span of the member's name in the Value's text, for one that is not declared
	object  bool
	pending bool // an item or member is under way
	strewn  bool // members did not come in canonical order
}

const (
	noField    = -1
	extraField = MaxProperties // behind every declared one
)

// Reset starts a payload under p within lim, to be built in v.
func (s *Sink) Reset(p *Plan, lim Limits, v *Value) {
	s.p, s.v = p, v
	s.lim = lim.orDefault()
	s.left = budget{s.lim.Elements, s.lim.Bytes}
	s.depth, s.top = 0, nil
	if s.refusal.reason != Accepted {
		s.refusal = Refusal{}
	}
	v.reset(p)
}

// Err returns the refusal, a *Refusal, or nil.
func (s *Sink) Err() error {
	if s.refusal.reason == Accepted {
		return nil
	}
	return &s.refusal
}

// Close ends the payload. What it returns is nil or a *Refusal; after a
// refusal the Value is empty.
func (s *Sink) Close() error {
	if s.refusal.reason == Accepted && (s.depth > 0 || s.v.Empty()) {
		s.fail(Malformed, ruleIncomplete, nil, 0)
	}
	return s.Err()
}

// Refuse lets a source refuse for a reason of its own, at the place where the
// payload stands. Text is one sentence without a place.
func (s *Sink) Refuse(reason Reason, text string) bool {
	s.begin()
	s.fail(reason, ruleSource, nil, 0)
	s.refusal.text = text
	return false
}

// begin marks the next item as under way, so that a refusal names it.
func (s *Sink) begin() {
	if s.top != nil && !s.top.object {
		s.top.pending = true
	}
}

// fail records the first refusal and empties the Value, but for its text:
// names in it belong to the refusal's path.
func (s *Sink) fail(reason Reason, r rule, n *schema, detail int64) bool {
	if s.refusal.reason == Accepted {
		s.refusal = Refusal{reason: reason, rule: r, schema: n, detail: detail, sink: s}
		s.v.nodes = s.v.nodes[:0]
	}
	return false
}

func (s *Sink) failType(n *schema, got Kind) bool {
	if n.enum != nil {
		return s.fail(SchemaViolation, ruleEnum, n, 0)
	}
	s.fail(SchemaViolation, ruleType, n, 0)
	s.refusal.kind = got
	return false
}

// slot returns the rules for the value that comes next, and counts it; nil
// after a refusal.
func (s *Sink) slot() *schema {
	if s.refusal.reason != Accepted {
		return nil
	}
	f := s.top
	if f == nil {
		if len(s.v.nodes) > 0 {
			panic("payload: BUG: two values for one payload")
		}
		return &s.p.schemas[s.p.root]
	}
	if f.object {
		if f.field == noField {
			panic("payload: BUG: a member without Key or Field")
		}
		return f.want
	}
	f.pending = true
	if int(f.count) >= f.n.maxItems {
		s.fail(SchemaViolation, ruleMaxItems, f.n, 0)
		return nil
	}
	if s.left.elements--; s.left.elements < 0 {
		s.fail(ExcessiveElements, ruleElements, nil, 0)
		return nil
	}
	return f.want
}

// push puts a node on the tape and returns its index. It is written in place,
// since a copy of its small fields would stall.
func (s *Sink) push(k Kind, bits uint64) int32 {
	nodes := s.v.nodes
	at := len(nodes)
	if at < cap(nodes) {
		nodes = nodes[:at+1]
	} else {
		nodes = append(nodes, node{})
	}
	t := &nodes[at]
	t.bits, t.kind, t.flag, t.enum = bits, k, 0, 0
	t.next, t.key = 0, 0
	s.v.nodes = nodes
	return int32(at)
}

// add puts an accepted value on the tape. Its sibling is taken to come right
// behind it; who puts something between them, and End, correct that.
func (s *Sink) add(k Kind, bits uint64) bool {
	at := s.push(k, bits)
	if f := s.top; f != nil {
		t := &s.v.nodes[at]
		t.key = f.key
		t.next = at + 1
		f.append(at)
	}
	return true
}

// addConstant puts the i-th value of an enum on the tape.
func (s *Sink) addConstant(n *schema, i int) bool {
	c := &n.enum[i]
	s.add(c.kind, c.bits)
	t := &s.v.nodes[len(s.v.nodes)-1]
	t.enum = uint16(i)
	if c.kind == String {
		t.flag = constant
	}
	return true
}

// addListed puts a value other than a string on the tape if the enum has it.
func (s *Sink) addListed(n *schema, k Kind, bits uint64) bool {
	for i := range n.enum {
		if n.enum[i].kind == k && n.enum[i].bits == bits {
			return s.addConstant(n, i)
		}
	}
	return s.fail(SchemaViolation, ruleEnum, n, 0)
}

// append ends the item or member under way with the node at an index.
func (f *frame) append(at int32) {
	if f.count == 0 {
		f.first = at
	}
	f.last = at
	f.count++
	f.field = noField
	f.pending = false
}

// Null adds a null. An array cannot hold one, since for a script it would be a
// hole: a null there is refused whatever the schema says.
func (s *Sink) Null() bool {
	n := s.slot()
	return n != nil && s.null(n)
}

func (s *Sink) null(n *schema) bool {
	if s.top != nil && !s.top.object {
		return s.fail(SchemaViolation, ruleHole, n, 0)
	}
	return s.plain(n, Null, 0)
}

// plain adds a null or a bool.
func (s *Sink) plain(n *schema, k Kind, bits uint64) bool {
	switch {
	case !n.kinds.Has(k):
		return s.failType(n, k)
	case n.enum != nil:
		return s.addListed(n, k, bits)
	}
	return s.add(k, bits)
}

// Bool adds a bool.
func (s *Sink) Bool(b bool) bool {
	n := s.slot()
	return n != nil && s.bool(n, b)
}

func (s *Sink) bool(n *schema, b bool) bool {
	if b {
		return s.plain(n, Bool, 1)
	}
	return s.plain(n, Bool, 0)
}

// Int adds a whole number. One beyond 2^53 that no double equals is refused:
// nobody shall receive its neighbour.
func (s *Sink) Int(i int64) bool {
	n := s.slot()
	if n == nil {
		return false
	}
	if i >= -MaxInt && i <= MaxInt {
		return s.int(n, i)
	}
	f := float64(i)
	if f >= math.MaxInt64 || int64(f) != i {
		return s.fail(SchemaViolation, ruleInexact, n, 0)
	}
	return s.float(n, f)
}

// Num adds a number. A whole one up to 2^53 becomes an Int, negative zero
// becomes 0, and NaN and the infinities are refused.
func (s *Sink) Num(f float64) bool {
	n := s.slot()
	return n != nil && s.num(n, f)
}

func (s *Sink) num(n *schema, f float64) bool {
	if f >= -MaxInt && f <= MaxInt {
		if i := int64(f); float64(i) == f {
			return s.int(n, i)
		}
	} else if math.IsNaN(f) || math.IsInf(f, 0) {
		return s.fail(NonFinite, ruleFinite, n, 0)
	}
	return s.float(n, f)
}

// int adds a whole number within 2^53.
func (s *Sink) int(n *schema, i int64) bool {
	if !n.kinds.Has(Int) {
		return s.failType(n, Int)
	}
	return s.number(n, float64(i), Int, uint64(i))
}

// float adds a finite number that is no Int.
func (s *Sink) float(n *schema, f float64) bool {
	if !n.kinds.Has(Float) || n.integer && math.Trunc(f) != f {
		return s.failType(n, Float)
	}
	return s.number(n, f, Float, math.Float64bits(f))
}

func (s *Sink) number(n *schema, f float64, k Kind, bits uint64) bool {
	switch {
	case f > n.minimum && f < n.maximum && n.enum == nil: // mostly
	case f < n.minimum || f == n.minimum && n.minExclusive:
		return s.fail(SchemaViolation, ruleMinimum, n, 0)
	case f > n.maximum || f == n.maximum && n.maxExclusive:
		return s.fail(SchemaViolation, ruleMaximum, n, 0)
	case n.enum != nil:
		return s.addListed(n, k, bits)
	}
	return s.add(k, bits)
}

// String adds a string. Its length is checked before a byte of it is read.
func (s *Sink) String(t string) bool {
	n := s.slot()
	return n != nil && s.fits(n, len(t)) && s.text(n, append(s.v.text, t...))
}

// Text adds a string given as bytes, which the Sink does not keep.
func (s *Sink) Text(t []byte) bool {
	n := s.slot()
	return n != nil && s.fits(n, len(t)) && s.text(n, append(s.v.text, t...))
}

// fits checks the length of a string before it is copied.
func (s *Sink) fits(n *schema, length int) bool {
	switch {
	case !n.kinds.Has(String):
		return s.failType(n, String)
	case length > s.lim.StringBytes:
		return s.fail(StringTooLong, ruleStringBytes, nil, int64(length))
	case length > n.maxLength:
		return s.fail(SchemaViolation, ruleMaxLength, n, int64(length))
	case length < n.minLength:
		return s.fail(SchemaViolation, ruleMinLength, n, int64(length))
	}
	return n.enum != nil || s.spend(length)
}

// spend takes bytes of text from what Limits.Bytes allows. Constants and
// declared names are free: the wire does not spell them.
func (s *Sink) spend(length int) bool {
	if s.left.text -= length; s.left.text < 0 {
		return s.fail(Oversized, ruleBytes, nil, 0)
	}
	return true
}

// text adds the string that grown has behind the Value's text so far.
func (s *Sink) text(n *schema, grown []byte) bool {
	at := len(s.v.text)
	t := grown[at:]
	if n.enum != nil {
		s.v.text = grown[:at]
		return s.constantText(n, t)
	}
	if !utf8.Valid(t) {
		s.v.text = grown[:at] // keep the room, so that refusing again costs nothing
		return s.fail(Malformed, ruleUTF8, n, 0)
	}
	s.v.text = grown
	return s.add(String, span(at, len(t)))
}

func (s *Sink) constantText(n *schema, t []byte) bool {
	for i := range n.enum {
		if c := &n.enum[i]; c.kind == String && string(t) == s.p.strings[c.bits] {
			return s.addConstant(n, i)
		}
	}
	if !utf8.Valid(t) {
		return s.fail(Malformed, ruleUTF8, n, 0)
	}
	return s.fail(SchemaViolation, ruleEnum, n, 0)
}
