package jsontext

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// MaxProblems is how many problems of one document are reported; one more
// says that there are others.
const MaxProblems = 100

// MaxPaths is how many bytes the pointers of all values of one document may
// have together. Whoever checks a document makes pointers, so a name of a
// megabyte above thousands of values would cost gigabytes; names that people
// write come nowhere near it.
const MaxPaths = 32 << 20

// Problem is one fault of a document and its place.
type Problem struct {
	Fault   Fault
	Pos     Pos
	Pointer string // of the value, or of the container that the fault is in
	Text    string // one sentence
}

// Fatal says whether the fault left no document to read. A duplicate key, a
// byte order mark and a number out of range are reported without stopping.
func (p Problem) Fatal() bool {
	switch p.Fault {
	case FaultBOM, FaultDuplicate, FaultRange, FaultTooMany:
		return false
	}
	return true
}

var bom = []byte("\xef\xbb\xbf")

// TrimBOM cuts a UTF-8 byte order mark off the front of b.
func TrimBOM(b []byte) (rest []byte, found bool) {
	rest, found = bytes.CutPrefix(b, bom)
	return rest, found
}

// Parse reads a whole document. The node is nil if, and only if, a problem is
// fatal. Problems come in the order of the text. Memory is bounded: a value
// costs about 200 bytes and its text, and the shortest value takes two bytes
// of b. Parse does not keep b.
func Parse(b []byte) (*Node, []Problem) {
	p := parser{}
	rest, found := TrimBOM(b)
	if found {
		p.base = len(bom)
		p.problem(FaultBOM, Pos{0, 1, 1}, nil, "")
	}
	p.text = rest
	p.last = Pos{0, 1, 1}
	p.scan.Reset(rest)
	return p.document(), p.problems
}

type parser struct {
	scan     Scanner
	text     []byte
	base     int // bytes cut off before text
	last     Pos // the place last computed; Offset within text
	paths    int // bytes of all pointers so far
	problems []Problem
}

func (p *parser) problem(f Fault, at Pos, in *Node, detail string) {
	q := Problem{Fault: f, Pos: at, Text: f.String() + detail}
	if len(p.problems) >= MaxProblems && !q.Fatal() {
		if len(p.problems) == MaxProblems {
			p.problems = append(p.problems, Problem{Fault: FaultTooMany, Pos: at, Text: FaultTooMany.String()})
		}
		return
	}
	if in != nil {
		q.Pointer = in.Pointer()
	}
	p.problems = append(p.problems, q)
}

// at computes the place of an offset. Offsets mostly grow, so the text is
// walked once in all; going back starts over.
func (p *parser) at(offset int) Pos {
	c := p.last
	if offset < c.Offset {
		c = Pos{0, 1, 1}
	}
	for c.Offset < offset {
		b := p.text[c.Offset]
		switch {
		case b == '\n', b == '\r' && (c.Offset+1 >= len(p.text) || p.text[c.Offset+1] != '\n'):
			c.Line++
			c.Column = 1
			c.Offset++
		case b < utf8.RuneSelf:
			c.Column++
			c.Offset++
		default:
			_, n := utf8.DecodeRune(p.text[c.Offset:])
			c.Column++
			c.Offset += min(n, offset-c.Offset)
		}
	}
	p.last = c
	c.Offset += p.base
	return c
}

// container is what is known of an open array or object.
type container struct {
	node  *Node
	names map[string]int // of a wide object: its keys and their members
	path  int            // length of its pointer
}

// document runs the scanner to the end, building the tree as it goes.
func (p *parser) document() *Node {
	var root *Node
	var stack []container
	open := &container{} // the innermost; its node is nil outside the document
	var key Member
	for {
		e := p.scan.Next()
		switch e {
		case EOF:
			return root
		case Invalid:
			f, where := p.scan.Fault()
			p.problem(f, p.at(where), open.node, p.detail(f, where))
			return nil
		case EndArray, EndObject:
			open.node.End = p.scan.End() + p.base
			stack = stack[:len(stack)-1]
			if open = (&container{}); len(stack) > 0 {
				open = &stack[len(stack)-1]
			}
			continue
		case Key:
			key = p.key(open)
			continue
		}
		n := p.value(e)
		path := open.add(n, key)
		if p.paths += path; p.paths > MaxPaths {
			p.problem(FaultPaths, n.Pos, nil, "")
			return nil
		}
		if open.node == nil {
			root = n
		}
		if e == Num {
			p.number(n)
		}
		if e == BeginArray || e == BeginObject {
			stack = append(stack, container{node: n, path: path})
			open = &stack[len(stack)-1]
		}
	}
}

// add puts a value into the container, key before it in an object, and returns
// the length of the value's pointer, short of the digits of large indexes.
func (c *container) add(n *Node, key Member) int {
	if c.node == nil {
		return 0
	}
	n.parent = c.node
	if c.node.Kind == KindArray {
		n.index = len(c.node.Items)
		c.node.Items = append(c.node.Items, n)
		return c.path + len("/0")
	}
	n.index = len(c.node.Members)
	key.Value = n
	c.node.Members = append(c.node.Members, key)
	return c.path + len("/") + len(key.Key)
}

// wide is the number of members from which an object's keys are looked up in
// a map, so that finding duplicates costs linear time.
const wide = 16

func (p *parser) key(open *container) Member {
	k := Member{Key: string(p.scan.AppendText(nil)), Pos: p.at(p.scan.Start())}
	members := open.node.Members
	first := -1
	if open.names == nil {
		for i := range members {
			if members[i].Key == k.Key {
				first = i
				break
			}
		}
		if len(members) == wide {
			open.names = make(map[string]int, 2*wide)
			for i := range members {
				if _, ok := open.names[members[i].Key]; !ok {
					open.names[members[i].Key] = i
				}
			}
		}
	} else if i, ok := open.names[k.Key]; ok {
		first = i
	}
	if first >= 0 {
		at := members[first].Pos
		p.problem(FaultDuplicate, k.Pos, open.node, fmt.Sprintf(": %q, first at %d:%d", clip(k.Key), at.Line, at.Column))
	} else if open.names != nil {
		open.names[k.Key] = len(members)
	}
	return k
}

func (p *parser) value(e Event) *Node {
	n := &Node{Pos: p.at(p.scan.Start()), End: p.scan.End() + p.base}
	switch e {
	case BeginObject:
		n.Kind = KindObject
	case BeginArray:
		n.Kind = KindArray
	case Text:
		n.Kind = KindString
		n.Text = string(p.scan.AppendText(nil))
	case Num:
		n.Kind = KindNumber
		n.Text = string(p.scan.Raw())
	case True, False:
		n.Kind = KindBool
		n.Bool = e == True
	}
	return n
}

func (p *parser) number(n *Node) {
	var ok bool
	if n.Number, ok = p.scan.Number(); !ok {
		n.Number = Number{Form: Double}
		p.problem(FaultRange, n.Pos, n, ": "+clip(n.Text))
	}
}

// detail names what stands at the fault.
func (p *parser) detail(f Fault, where int) string {
	if where >= len(p.text) {
		return ""
	}
	switch f {
	case FaultSyntax, FaultTrailing, FaultNumber:
		r, n := utf8.DecodeRune(p.text[where:])
		if r == utf8.RuneError && n == 1 {
			return fmt.Sprintf(": byte 0x%02x", p.text[where])
		}
		return fmt.Sprintf(": %q", r)
	case FaultUTF8, FaultControl:
		return fmt.Sprintf(": byte 0x%02x", p.text[where])
	case FaultDepth:
		return fmt.Sprintf(": at most %d levels", MaxDepth)
	}
	return ""
}

// clip shortens a name from the document for a message.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
