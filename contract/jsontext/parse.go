package jsontext

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// MaxProblems is how many problems of one document are reported; one more
// says that there are others.
const MaxProblems = 100

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
// fatal. Problems come in the order of the text. Memory is bounded by a small
// multiple of len(b); Parse does not keep b.
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
	problems []Problem
}

func (p *parser) problem(f Fault, at Pos, in *Node, detail string) {
	if len(p.problems) > MaxProblems {
		return
	}
	if len(p.problems) == MaxProblems {
		p.problems = append(p.problems, Problem{Fault: FaultTooMany, Pos: at, Text: FaultTooMany.String()})
		return
	}
	q := Problem{Fault: f, Pos: at, Text: f.String() + detail}
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

// document runs the scanner to the end, building the tree as it goes.
func (p *parser) document() *Node {
	var root, open *Node // open is the innermost container
	var seen []map[string]int
	var key Member
	for {
		e := p.scan.Next()
		switch e {
		case EOF:
			return root
		case Invalid:
			f, where := p.scan.Fault()
			p.problem(f, p.at(where), open, p.detail(f, where))
			return nil
		case EndArray, EndObject:
			open.End = p.scan.End() + p.base
			open = open.parent
			seen = seen[:len(seen)-1]
			continue
		case Key:
			key = p.key(open, seen)
			continue
		}
		n := p.value(e)
		n.parent = open
		switch {
		case open == nil:
			root = n
		case open.Kind == KindArray:
			n.index = len(open.Items)
			open.Items = append(open.Items, n)
		default:
			n.index = len(open.Members)
			key.Value = n
			open.Members = append(open.Members, key)
		}
		if e == Num {
			p.number(n)
		}
		if e == BeginArray || e == BeginObject {
			open = n
			seen = append(seen, nil)
		}
	}
}

// wide is the number of members from which an object's keys are looked up in
// a map, so that finding duplicates costs linear time.
const wide = 16

func (p *parser) key(open *Node, seen []map[string]int) Member {
	k := Member{Key: string(p.scan.AppendText(nil)), Pos: p.at(p.scan.Start())}
	first := -1
	names := seen[len(seen)-1]
	if names == nil {
		for i := range open.Members {
			if open.Members[i].Key == k.Key {
				first = i
				break
			}
		}
		if len(open.Members) == wide {
			names = make(map[string]int, 2*wide)
			for i := range open.Members {
				if _, ok := names[open.Members[i].Key]; !ok {
					names[open.Members[i].Key] = i
				}
			}
			seen[len(seen)-1] = names
		}
	} else if i, ok := names[k.Key]; ok {
		first = i
	}
	if first >= 0 {
		at := open.Members[first].Pos
		p.problem(FaultDuplicate, k.Pos, open, fmt.Sprintf(": %q, first at %d:%d", clip(k.Key), at.Line, at.Column))
	} else if names != nil {
		names[k.Key] = len(open.Members)
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
