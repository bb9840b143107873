package payload

import (
	"bytes"
	"math"
	"slices"
)

// Kind is the kind of a node.
type Kind uint8

// The kinds. Integral numbers up to 2^53 are Int whatever their spelling.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	Array
	Object
)

var kindNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

// String returns the word schemas use for the kind; a Float is a number.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// MaxInt is the largest magnitude of an Int, 2^53: up to there every integer
// is a double of its own. Larger whole numbers are Floats.
const MaxInt = 1 << 53

// Value is one payload, filled by a Sink and read through cursors. It is a
// tape: nodes in a flat array, their text beside them, so a warm Value takes
// the next payload without allocating. The zero Value is empty; Root of an
// empty Value is null. A Value belongs to one caller at a time and is not safe
// for concurrent use while it is being filled; a filled one may be read by
// many. Do not copy it by assignment: use Set or Clone.
type Value struct {
	nodes []node
	text  []byte
	plan  *Plan // whose names and constants the nodes refer to
	sink  *Sink // for Plan.DecodeWire and Plan.DecodeJSON; made on first use
}

// node is one value on the tape, or the name of the member that follows it.
type node struct {
	bits uint64 // Bool: 0 or 1; Int; Float: IEEE bits; String: place and length, or constant; containers: first child and count
	next int32  // index of the next sibling; 0 = none, since 0 is the root
	key  int32  // 0 = no member; n+1 = the plan's name n; extraKey
	kind Kind
	flag flag
	enum uint16 // place among the constants of its schema, when that has any
}

type flag uint8

// constant marks a String whose bits are the number of a string of the plan.
const constant flag = 1

// extraKey marks a member whose name is the text of the node before it.
const extraKey = -1

func span(at, n int) uint64              { return uint64(at)<<32 | uint64(n) }
func (n *node) place() (at, length int)  { return int(n.bits >> 32), int(uint32(n.bits)) }
func (n *node) children() (first, c int) { return n.place() }

func (v *Value) reset(p *Plan) {
	v.nodes = v.nodes[:0]
	v.text = v.text[:0]
	v.plan = p
}

// Empty says whether v holds no payload, as before first use and after a
// refusal.
func (v *Value) Empty() bool { return len(v.nodes) == 0 }

// Plan returns the plan v was filled under, nil for an empty Value never used.
func (v *Value) Plan() *Plan { return v.plan }

// Clear empties v and keeps its memory.
func (v *Value) Clear() { v.reset(v.plan) }

// Set makes v a copy of o, reusing v's memory.
func (v *Value) Set(o *Value) {
	v.nodes = append(v.nodes[:0], o.nodes...)
	v.text = append(v.text[:0], o.text...)
	v.plan = o.plan
}

// Clone returns a copy that shares nothing with v but the plan.
func (v *Value) Clone() *Value {
	return &Value{nodes: slices.Clone(v.nodes), text: slices.Clone(v.text), plan: v.plan}
}

// Root returns the cursor on the whole payload. A cursor is valid until v is
// filled again.
func (v *Value) Root() Cursor { return Cursor{v, 0} }

// Equal says whether two payloads are the same value: same kinds, numbers,
// bytes of text, order of items and set of members. The plans may differ.
func (v *Value) Equal(o *Value) bool {
	if v.Empty() || o.Empty() {
		return v.Empty() == o.Empty()
	}
	return v.Root().Equal(o.Root())
}

// Cursor reads one value of a payload. It is two words, copied freely, and
// allocates nothing. The zero Cursor is not valid: Valid says so, and it reads
// as null.
type Cursor struct {
	v *Value
	i int32
}

// Valid says whether c is on a value.
func (c Cursor) Valid() bool { return c.v != nil && int(c.i) < len(c.v.nodes) }

func (c Cursor) node() node {
	if !c.Valid() {
		return node{}
	}
	return c.v.nodes[c.i]
}

// Kind returns the kind; Null for a Cursor that is not valid.
func (c Cursor) Kind() Kind {
	if !c.Valid() {
		return Null
	}
	return c.v.nodes[c.i].kind
}

// Bool returns a Bool's value, else false.
func (c Cursor) Bool() bool { return c.Kind() == Bool && c.v.nodes[c.i].bits != 0 }

// Int returns an Int's value, else 0.
func (c Cursor) Int() int64 {
	if c.Kind() != Int {
		return 0
	}
	return int64(c.v.nodes[c.i].bits)
}

// Float returns an Int's or a Float's value, else 0.
func (c Cursor) Float() float64 {
	switch c.Kind() {
	case Int:
		return float64(int64(c.v.nodes[c.i].bits))
	case Float:
		return math.Float64frombits(c.v.nodes[c.i].bits)
	}
	return 0
}

// Text returns a String's bytes, else nil. They alias the Value or the plan:
// read them before either is filled again, and never write to them.
func (c Cursor) Text() []byte {
	if c.Kind() != String {
		return nil
	}
	return c.v.textOf(&c.v.nodes[c.i])
}

func (v *Value) textOf(n *node) []byte {
	if n.flag == constant {
		return v.plan.texts[n.bits]
	}
	at, length := n.place()
	return v.text[at : at+length : at+length]
}

// TextID returns the number of a String in Plan.Strings when the plan has it
// (it is one of an enum's), else -1.
func (c Cursor) TextID() int {
	if n := c.node(); n.kind == String && n.flag == constant {
		return int(n.bits)
	}
	return -1
}

// Len returns the number of an Array's items or an Object's members, a
// String's bytes, else 0.
func (c Cursor) Len() int {
	n := c.node()
	switch n.kind {
	case String:
		return len(c.v.textOf(&n))
	case Array, Object:
		_, count := n.children()
		return count
	}
	return 0
}

// First returns the first item or member, a Cursor that is not valid when
// there is none. Items come in their order; members that the schema declares
// come first, then the others, each in the byte order of names.
func (c Cursor) First() Cursor {
	n := c.node()
	if n.kind != Array && n.kind != Object {
		return Cursor{}
	}
	first, count := n.children()
	if count == 0 {
		return Cursor{}
	}
	return Cursor{c.v, int32(first)}
}

// Next returns the next sibling, a Cursor that is not valid after the last.
func (c Cursor) Next() Cursor {
	next := c.node().next
	if next == 0 {
		return Cursor{}
	}
	return Cursor{c.v, next}
}

// Key returns the name of a member, nil for anything else. It aliases as Text
// does.
func (c Cursor) Key() []byte {
	switch n := c.node(); {
	case n.key > 0:
		return c.v.plan.texts[n.key-1]
	case n.key == extraKey:
		return c.v.textOf(&c.v.nodes[c.i-1])
	}
	return nil
}

// KeyID returns the number in Plan.Strings of a member's name when the schema
// declares it, else -1.
func (c Cursor) KeyID() int { return max(int(c.node().key)-1, -1) }

// Lookup returns an Object's member, a Cursor that is not valid when it has
// none of that name. It costs time in the number of members.
func (c Cursor) Lookup(name string) Cursor {
	if c.Kind() != Object {
		return Cursor{}
	}
	for m := c.First(); m.Valid(); m = m.Next() {
		if string(m.Key()) == name {
			return m
		}
	}
	return Cursor{}
}

// At returns an Array's item, a Cursor that is not valid when i is out of
// range. It costs time in i.
func (c Cursor) At(i int) Cursor {
	if c.Kind() != Array || i < 0 {
		return Cursor{}
	}
	m := c.First()
	for ; i > 0 && m.Valid(); i-- {
		m = m.Next()
	}
	return m
}

// Describe gives the value under the cursor to a Sink: a Value is one of its
// sources. It returns false after a refusal.
func (c Cursor) Describe(s *Sink) bool {
	switch c.Kind() {
	case Bool:
		return s.Bool(c.Bool())
	case Int:
		return s.Int(c.Int())
	case Float:
		return s.Num(c.Float())
	case String:
		return s.Text(c.Text())
	case Array:
		if !s.BeginArray() {
			return false
		}
		for m := c.First(); m.Valid(); m = m.Next() {
			if !m.Describe(s) {
				return false
			}
		}
		return s.End()
	case Object:
		if !s.BeginObject() {
			return false
		}
		for m := c.First(); m.Valid(); m = m.Next() {
			if !s.Key(m.Key()) || !m.Describe(s) {
				return false
			}
		}
		return s.End()
	}
	return s.Null()
}

// Equal compares two values as Value.Equal does. Depth is bounded because a
// Sink filled both.
func (c Cursor) Equal(o Cursor) bool {
	if c.Kind() != o.Kind() || c.Len() != o.Len() {
		return false
	}
	switch c.Kind() {
	case Null:
		return c.Valid() == o.Valid()
	case Bool, Int, Float:
		return c.node().bits == o.node().bits
	case String:
		return bytes.Equal(c.Text(), o.Text())
	case Array:
		for a, b := c.First(), o.First(); a.Valid(); a, b = a.Next(), b.Next() {
			if !a.Equal(b) {
				return false
			}
		}
		return true
	}
	return c.equalMembers(o)
}

// equalMembers compares objects of equal length. Under one plan both have one
// order; under two plans the orders may differ.
func (c Cursor) equalMembers(o Cursor) bool {
	b := o.First()
	for a := c.First(); a.Valid(); a, b = a.Next(), b.Next() {
		m := b
		if !bytes.Equal(a.Key(), b.Key()) {
			m = o.Lookup(string(a.Key()))
		}
		if !m.Valid() || !a.Equal(m) {
			return false
		}
	}
	return true
}
