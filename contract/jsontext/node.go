package jsontext

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// Kind is the kind of a node.
type Kind uint8

// The kinds of JSON values.
const (
	KindNull Kind = iota
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

var kindNames = [...]string{"null", "boolean", "number", "string", "array", "object"}

// String returns JSON's own word for the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Form says how a number is kept, as the engine's JSON library keeps it: what
// a document dumps to depends on it.
type Form uint8

// The forms of a number.
const (
	Unsigned Form = iota // no sign, no fraction, no exponent, at most 2^64-1
	Signed               // a minus sign, no fraction, no exponent, at least -2^63
	Double               // everything else: fractions, exponents, larger integers
)

// Number is a number's value.
type Number struct {
	Form  Form
	Int   int64   // Signed and, up to 2^63-1, Unsigned
	Uint  uint64  // Unsigned
	Float float64 // every form: the nearest double
}

// Exact says whether Float is the number itself and no neighbour of it. A
// number spelled without fraction and exponent is meant as a whole number, and
// above 2^53 few of those are doubles; any other spelling means the nearest
// double. The spelling is the one the number was read from.
func (n Number) Exact(spelling []byte) bool {
	const most = 1 << 53
	if n.Float >= -most && n.Float <= most && (n.Form == Double || n.Int != most+1 && n.Int != -most-1) {
		return true
	}
	if n.Form == Double && bytes.ContainsAny(spelling, ".eE") {
		return true
	}
	return string(strconv.AppendFloat(nil, n.Float, 'f', 0, 64)) == string(spelling)
}

// Spell spells a finite number for people and for JSON: the shortest digits that
// are its own, with an exponent only where nobody would write it out.
func Spell(f float64) string {
	const most, least = 1e15, 1e-6
	if a := math.Abs(f); a != 0 && (a >= most || a < least) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f+0, 'f', -1, 64) // + 0: no negative zero
}

// Pos is a place in the text. Lines and columns count from 1, columns in
// Unicode code points; LF, CRLF and a lone CR end a line. The zero Pos is no
// place.
type Pos struct {
	Offset       int // in bytes; a byte order mark counts
	Line, Column int
}

// Member is one member of an object.
type Member struct {
	Key   string
	Pos   Pos // of the key
	Value *Node
}

// Node is one value of a document. A document does not change after Parse and
// may be shared.
type Node struct {
	Kind    Kind
	Bool    bool     // KindBool
	Text    string   // KindString: unescaped; KindNumber: as spelled
	Number  Number   // KindNumber
	Items   []*Node  // KindArray
	Members []Member // KindObject: in the order of the text, duplicates included
	Pos     Pos      // of the first byte
	End     int      // offset behind the last byte

	parent *Node
	index  int // in parent's Items or Members
}

// Get returns the value of a key, or nil when n is no object or has no such
// key. Of duplicates the last one counts, as for most readers.
func (n *Node) Get(key string) *Node {
	if m := n.Member(key); m != nil {
		return m.Value
	}
	return nil
}

// Member returns the member with that key, or nil. Of duplicates the last one
// counts.
func (n *Node) Member(key string) *Member {
	if n == nil || n.Kind != KindObject {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return &n.Members[i]
		}
	}
	return nil
}

// KeyPos returns the place of the key that n is the value of, or n's own place
// when it is an array's item or the document.
func (n *Node) KeyPos() Pos {
	if n.parent != nil && n.parent.Kind == KindObject {
		return n.parent.Members[n.index].Pos
	}
	return n.Pos
}

// Parent returns the array or object that holds n, nil for the document.
func (n *Node) Parent() *Node { return n.parent }

// Pointer returns the JSON pointer (RFC 6901) of n; "" is the document.
func (n *Node) Pointer() string {
	if n.parent == nil {
		return ""
	}
	var b strings.Builder
	n.pointer(&b)
	return b.String()
}

func (n *Node) pointer(b *strings.Builder) {
	if n.parent == nil {
		return
	}
	n.parent.pointer(b)
	b.WriteByte('/')
	if n.parent.Kind == KindArray {
		b.WriteString(strconv.Itoa(n.index))
		return
	}
	b.WriteString(EscapeToken(n.parent.Members[n.index].Key))
}

var (
	tokenEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	tokenUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapeToken spells a key as one token of a JSON pointer.
func EscapeToken(key string) string { return tokenEscaper.Replace(key) }

// UnescapeToken returns the key that a token of a JSON pointer spells.
func UnescapeToken(token string) string { return tokenUnescaper.Replace(token) }

// At returns the value a JSON pointer leads to, or nil; nil leads nowhere, as
// for Get.
func (n *Node) At(pointer string) *Node {
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		if n = n.child(UnescapeToken(token)); n == nil {
			return nil
		}
	}
	return n
}

func (n *Node) child(token string) *Node {
	if n == nil || n.Kind != KindArray {
		return n.Get(token)
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(n.Items) || strconv.Itoa(i) != token {
		return nil
	}
	return n.Items[i]
}
