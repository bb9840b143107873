package payload

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// BeginArray opens an array; End closes it.
func (s *Sink) BeginArray() bool {
	n := s.slot()
	return n != nil && s.open(n, Array)
}

// BeginObject opens an object; End closes it. Each member is a Key or a Field
// and then its value, in any order.
func (s *Sink) BeginObject() bool {
	n := s.slot()
	return n != nil && s.open(n, Object)
}

// Empty adds an empty container for a source that cannot tell an empty array
// from an empty object, as Lua's tables cannot: what the schema says, and an
// object where it says nothing.
func (s *Sink) Empty() bool {
	n := s.slot()
	if n == nil {
		return false
	}
	k := Object
	if n.kinds.Has(Array) && !n.kinds.Has(Object) {
		k = Array
	}
	return s.open(n, k) && s.End()
}

func (s *Sink) open(n *schema, k Kind) bool {
	if s.depth >= s.lim.Depth {
		return s.fail(ExcessiveDepth, ruleDepth, nil, 0)
	}
	if !n.kinds.Has(k) {
		return s.failType(n, k)
	}
	if n.enum != nil {
		return s.fail(SchemaViolation, ruleEnum, n, 0)
	}
	at, key := s.push(k, 0), int32(0)
	if s.top != nil {
		key = s.top.key
	}
	s.v.nodes[at].key = key
	if s.depth == len(s.stack) {
		s.stack = append(s.stack, frame{})
	}
	f := &s.stack[s.depth]
	f.n, f.head, f.first, f.last = n, at, 0, 0
	f.count, f.key = 0, 0
	f.field, f.before = noField, noField
	f.object, f.pending, f.strewn = k == Object, false, false
	if f.object {
		f.seen = bitset{}
	} else {
		f.want = &s.p.schemas[n.items]
	}
	s.depth++
	s.top = f
	return true
}

// Kinds returns what the schema allows at the place where the next value goes;
// no kinds after a refusal or when no value may come.
func (s *Sink) Kinds() Kinds {
	if s.refusal.reason != Accepted {
		return 0
	}
	switch f := s.top; {
	case f == nil:
		return s.p.schemas[s.p.root].kinds
	case f.object && f.field == noField:
		return 0
	default:
		return f.want.kinds
	}
}

// Fields returns how many members the schema of the open object declares. They
// are numbered in the byte order of their names.
func (s *Sink) Fields() int { return len(s.object().n.props) }

// FieldID returns the number in Plan.Strings of the i-th declared member's
// name, for sources that look values up by name.
func (s *Sink) FieldID(i int) int { return int(s.object().n.props[i].id) }

// Open says whether the open object may have members that are not declared.
func (s *Sink) Open() bool { return s.object().n.extra != none }

// object returns the innermost container, which must be an object between two
// members. After a refusal it may be any.
func (s *Sink) object() *frame {
	if s.top == nil || !s.top.object {
		panic("payload: BUG: no object is open")
	}
	return s.top
}

// Field begins the i-th declared member of the open object; its value follows.
func (s *Sink) Field(i int) bool {
	if s.refusal.reason != Accepted {
		return false
	}
	return s.declared(s.object(), i)
}

func (s *Sink) declared(f *frame, i int) bool {
	if f.field != noField {
		panic("payload: BUG: a name for a member that has one")
	}
	f.want = f.n.props[i].rules
	if !s.inOrder(f, i) {
		return false
	}
	if f.seen.has(i) {
		return s.fail(Malformed, ruleDuplicate, nil, 0)
	}
	f.seen.add(i)
	f.strewn = f.strewn || f.field < f.before
	f.before = f.field
	return true
}

// inOrder begins a declared member for a source that can give each only once
// and in order, as the wire does, and that knows the member's rules itself.
func (s *Sink) inOrder(f *frame, i int) bool {
	f.field = int32(i)
	f.key = f.n.props[i].id + 1
	return s.member()
}

// member counts a member begun.
func (s *Sink) member() bool {
	if s.left.elements--; s.left.elements < 0 {
		return s.fail(ExcessiveElements, ruleElements, nil, 0)
	}
	return true
}

// Key begins a member of the open object by its name, which the Sink does not
// keep; its value follows.
func (s *Sink) Key(name []byte) bool { return begin(s, name) }

// Name is Key for a name given as a string.
func (s *Sink) Name(name string) bool { return begin(s, name) }

// begin is generic so that neither kind of name is copied to be looked up.
func begin[T []byte | string](s *Sink, name T) bool {
	if s.refusal.reason != Accepted {
		return false
	}
	f := s.object()
	// Members mostly come in order: look at the next declared one first.
	if i := int(f.before) + 1; i < len(f.n.props) && f.n.props[i].name == string(name) {
		return s.declared(f, i)
	}
	if i := find(f.n.props, name); i >= 0 {
		return s.declared(f, i)
	}
	return additional(s, f, name)
}

// additional begins a member that is not declared.
func additional[T []byte | string](s *Sink, f *frame, name T) bool {
	if f.field != noField {
		panic("payload: BUG: a name for a member that has one")
	}
	if len(name) > s.lim.StringBytes {
		return s.fail(StringTooLong, ruleStringBytes, nil, int64(len(name)))
	}
	if !s.spend(len(name)) || !s.member() {
		return false
	}
	at := len(s.v.text)
	s.v.text = append(s.v.text, name...)
	text := s.v.text[at:]
	if !utf8.Valid(text) {
		return s.fail(Malformed, ruleUTF8, nil, 0)
	}
	if f.before == extraField {
		last := s.v.textOf(&s.v.nodes[f.last-1])
		f.strewn = f.strewn || bytes.Compare(last, text) >= 0
	}
	f.field, f.before, f.key = extraField, extraField, extraKey
	f.name = span(at, len(name))
	if f.n.extra == none {
		return s.fail(SchemaViolation, ruleAdditional, f.n, 0)
	}
	f.want = &s.p.schemas[f.n.extra]
	if f.count > 0 {
		s.v.nodes[f.last].next++ // over the name
	}
	s.v.nodes = append(s.v.nodes, node{kind: String, bits: f.name})
	return true
}

// End closes the innermost container.
func (s *Sink) End() bool {
	if s.refusal.reason != Accepted {
		return false
	}
	f := s.top
	if f == nil {
		panic("payload: BUG: nothing to end")
	}
	if f.count > 0 {
		s.v.nodes[f.last].next = 0
	}
	if f.object {
		if f.field != noField {
			panic("payload: BUG: a member without a value")
		}
		if !f.seen.covers(&f.n.required) {
			return s.missing(f)
		}
		if f.strewn && !s.sort(f) {
			return false
		}
	} else if int(f.count) < f.n.minItems {
		return s.fail(SchemaViolation, ruleMinItems, f.n, int64(f.count))
	}
	head := &s.v.nodes[f.head]
	head.bits = span(int(f.first), int(f.count))
	s.depth--
	if s.depth == 0 {
		s.top = nil
		return true
	}
	at := f.head
	f = &s.stack[s.depth-1]
	s.top = f
	head.next = int32(len(s.v.nodes))
	f.append(at)
	return true
}

// missing refuses for the first required member that did not come.
func (s *Sink) missing(f *frame) bool {
	for i, want := range f.n.required {
		if m := want &^ f.seen[i]; m != 0 {
			return s.fail(SchemaViolation, ruleRequired, f.n, int64(i<<6+bits.TrailingZeros64(m)))
		}
	}
	panic("payload: BUG: nothing is missing")
}

// sort links members in canonical order, which the nodes themselves need not
// have, and refuses a name given twice.
func (s *Sink) sort(f *frame) bool {
	nodes := s.v.nodes
	s.sorted = s.sorted[:0]
	for i := f.first; i != 0; i = nodes[i].next {
		s.sorted = append(s.sorted, i)
	}
	slices.SortFunc(s.sorted, func(a, b int32) int { return s.order(&nodes[a], &nodes[b], a, b) })
	for i, at := range s.sorted {
		nodes[at].next = 0
		if i == 0 {
			f.first = at
			continue
		}
		last := s.sorted[i-1]
		nodes[last].next = at
		if nodes[at].key == extraKey && s.order(&nodes[last], &nodes[at], last, at) == 0 {
			f.field, f.name = extraField, nodes[at-1].bits
			return s.fail(Malformed, ruleDuplicate, nil, 0)
		}
	}
	return true
}

// order compares two members: declared ones first, then by name. Names of a
// plan are numbered in byte order, so their numbers compare as they do.
func (s *Sink) order(a, b *node, i, j int32) int {
	switch {
	case a.key != extraKey && b.key != extraKey:
		return int(a.key - b.key)
	case a.key != extraKey:
		return -1
	case b.key != extraKey:
		return 1
	}
	return bytes.Compare(s.v.textOf(&s.v.nodes[i-1]), s.v.textOf(&s.v.nodes[j-1]))
}

// fieldName returns the name of the member under way in f.
func (s *Sink) fieldName(f *frame) []byte {
	if f.field != extraField {
		return s.p.texts[f.key-1]
	}
	at, length := f.name>>32, f.name&math.MaxUint32
	return s.v.text[at : at+length]
}
