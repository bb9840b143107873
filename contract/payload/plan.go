package payload

import (
	"math"
	"strings"
)

// Limits bound one payload, whatever its schema says. They hold before memory
// is taken. A field of zero means its default, the contract's own.
type Limits struct {
	Depth       int // containers inside one another; 0 = 12, never more than 64
	Elements    int // items of all arrays and members of all objects together; 0 = 256
	StringBytes int // of one string or one member's name, in UTF-8 bytes; 0 = 1024
	Bytes       int // of the payload on the wire; a JSON or Lua source counts its text against it; 0 = 4096
}

// MaxDepth is the largest Limits.Depth.
const MaxDepth = 64

func (l Limits) orDefault() Limits {
	set := func(v *int, d, most int) {
		if *v <= 0 {
			*v = d
		}
		*v = min(*v, most)
	}
	set(&l.Depth, 12, MaxDepth)
	set(&l.Elements, 256, math.MaxInt32/4)
	set(&l.StringBytes, 1024, math.MaxInt32/4)
	set(&l.Bytes, 4096, math.MaxInt32/4)
	return l
}

// Kinds is a set of kinds that a place in a payload may have.
type Kinds uint8

// Has says whether k is in the set.
func (s Kinds) Has(k Kind) bool { return s>>k&1 == 1 }

const (
	anyNumber = Kinds(1<<Int | 1<<Float)
	anyKind   = Kinds(1<<(Object+1) - 1)
)

// Plan is a compiled schema: what a payload may be and how it is spelled on
// the wire. It never changes after Compile and may be shared.
type Plan struct {
	schemas []schema // by number
	root    int32
	strings []string // names of declared members and strings of enums, by number
	texts   [][]byte // the same
	minimum int      // of bytes on the wire; unreachable when nothing satisfies the schema
}

// Strings returns the names and constants that Cursor.KeyID, Cursor.TextID and
// Property.ID number. It is the Plan's own: do not write to it.
func (p *Plan) Strings() []string { return p.strings }

// MinBytes returns the size of the smallest payload on the wire; ok is false
// when no value satisfies the schema.
func (p *Plan) MinBytes() (n int, ok bool) { return p.minimum, p.minimum < unreachable }

// Excess is a keyword of a schema that names more than a limit lets through.
type Excess struct {
	Pointer string // of the keyword, in the schema's document
	Value   int    // what it says, at most 2^31-1
	Limit   int    // the limit that is below it
	Text    bool   // it is Limits.StringBytes, else Limits.Elements
}

// Beyond returns what of the schema the limits cut short, place by place in
// the order of the document's first mention.
func (p *Plan) Beyond(limits Limits) []Excess {
	l := limits.orDefault()
	var found []Excess
	for i := range p.schemas {
		n := &p.schemas[i]
		for _, rule := range [...]struct {
			word         string
			value, limit int
			text         bool
		}{
			{"minLength", n.minLength, l.StringBytes, true}, {"maxLength", n.maxLength, l.StringBytes, true},
			{"minItems", n.minItems, l.Elements, false}, {"maxItems", n.maxItems, l.Elements, false},
		} {
			if rule.value > rule.limit && rule.value != math.MaxInt { // that is: not said
				found = append(found, Excess{n.pointer + "/" + rule.word, rule.value, rule.limit, rule.text})
			}
		}
	}
	return found
}

// Any returns the plan of an absent schema: every value within the limits.
func Any() *Plan {
	p := &Plan{schemas: []schema{anySchema("")}} // items and extra: itself
	p.finish()
	return p
}

// none is the number of no schema: additional members are not allowed.
const none = -1

// form is how a value is spelled on the wire (doc.go).
type form uint8

const (
	formTagged form = iota // the kind first: more than one is possible
	formNull               // nothing at all
	formBool               // a byte, or a bit of the object's header
	formOne                // nothing at all: an integer with one possible value
	formByte               // an integer of at most 256 values, less the smallest, in a byte
	formOffset             // an integer less the smallest, as varint
	formZigzag             // an integer as zigzag varint
	formNumber             // a tagged number
	formString             // length and bytes
	formArray              // count (unless fixed) and items
	formObject             // header bits, declared members, others
	formEnum               // place among the constants, as varint; nothing when there is one
)

// schema is the rules for one place in a payload.
type schema struct {
	kinds    Kinds
	form     form
	saysNull bool // null is named, not merely not forbidden
	numberRules
	minLength, maxLength int // of a string, in bytes
	arrayRules
	objectRules
	enum     []constantValue // nil = no enum
	enumWord string          // enum or const
	pointer  string          // in the schema's document
}

// numberRules are the rules for numbers, and how their forms spell them.
type numberRules struct {
	minimum, maximum           float64 // infinite when there is none
	minExclusive, maxExclusive bool
	integer                    bool   // a Float must be whole
	large                      bool   // formOffset: Floats are possible, behind the word most + 1
	base                       int64  // formByte, formOffset: the smallest value
	most                       uint64 // formByte, formOffset: the largest word of an Int
}

type arrayRules struct {
	minItems, maxItems int
	items              int32 // schema of the items
}

type objectRules struct {
	props    []property // in the byte order of names
	required bitset
	extra    int32 // schema of members not declared, or none
	header   int32 // bits before the members: presence and bools
}

// property is one declared member.
type property struct {
	name     string
	id       int32 // in Plan.strings
	schema   int32
	rules    *schema // the same, found
	presence int16   // header bit, -1 when required
	value    int16   // header bit of a bool, -1 for others
}

// constantValue is one value of an enum; strings by their number.
type constantValue struct {
	kind Kind
	bits uint64
}

// MaxProperties is how many members one object's schema may declare.
const MaxProperties = 256

// bitset is a set of declared members.
type bitset [MaxProperties / 64]uint64

func (b *bitset) add(i int) { b[i>>6] |= 1 << (i & 63) }
func (b *bitset) covers(o *bitset) bool {
	return (o[0]&^b[0])|(o[1]&^b[1])|(o[2]&^b[2])|(o[3]&^b[3]) == 0
}
func (b *bitset) has(i int) bool { return b[i>>6]>>(i&63)&1 == 1 }

func anySchema(pointer string) schema {
	return schema{
		pointer: pointer, kinds: anyKind, maxLength: math.MaxInt,
		numberRules: numberRules{minimum: math.Inf(-1), maximum: math.Inf(1)},
		arrayRules:  arrayRules{maxItems: math.MaxInt},
	}
}

// find returns the index of a declared member, or -1.
func find[T []byte | string](props []property, name T) int {
	lo, hi := 0, len(props)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if props[m].name < string(name) {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(props) && props[lo].name == string(name) {
		return lo
	}
	return -1
}

// typeWords names what n allows.
func (n *schema) typeWords() string {
	var words []string
	for k := Null; k <= Object; k++ {
		switch {
		case !n.kinds.Has(k), k == Float && n.integer, k == Int && !n.integer:
		default:
			words = append(words, k.String())
		}
	}
	switch len(words) {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
