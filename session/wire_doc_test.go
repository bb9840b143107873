package session

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wireDoc is docs/wire.md taken apart: a second codec is made from its tables,
// which the code's is then held to.
type wireDoc struct {
	fields map[string][]wireField // by heading: a frame's, or a part's
	frames []string               // the rows of § Frames
	blocks map[string]wireBlock   // by the word after ```
}

// wireField is one row of a frame's table.
type wireField struct {
	name string
	typ  string // as written
}

// wireBlock is an annotated example.
type wireBlock struct {
	bytes []byte
	reads string // the line after "= "
}

var (
	anyHeading = regexp.MustCompile("^#{2,4} `?([a-zA-Z_ ]+)`?$")
	atMost     = regexp.MustCompile(`^(text|bytes|list of .+), at most (\d+)`)
	fixedBytes = regexp.MustCompile(`^(\d+) bytes$`)
	nestedText = regexp.MustCompile(`^text of at most (\d+)$`)
)

func readWireDoc(t *testing.T) wireDoc {
	t.Helper()
	b, err := os.ReadFile("../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	d := wireDoc{fields: map[string][]wireField{}, blocks: map[string]wireBlock{}}
	heading, table, block := "", "", ""
	for _, line := range strings.Split(string(b), "\n") {
		switch {
		case block != "":
			block = d.blockLine(t, block, line)
		case strings.HasPrefix(line, "```"):
			block = line + " " // "``` " is a block that no test reads
		case anyHeading.MatchString(line):
			heading, table = anyHeading.FindStringSubmatch(line)[1], ""
		case strings.HasPrefix(line, "| Field "):
			table = "fields"
		case strings.HasPrefix(line, "| Kind "):
			table = "frames"
		case !strings.HasPrefix(line, "|"):
			table = ""
		case strings.HasPrefix(line, "|---"):
		case table == "fields":
			cells := strings.Split(line, "|")
			d.fields[heading] = append(d.fields[heading], wireField{strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])})
		case table == "frames":
			d.frames = append(d.frames, line)
		}
	}
	return d
}

// blockLine takes one line of an example and returns the block that follows it.
func (d *wireDoc) blockLine(t *testing.T, block, line string) string {
	name := strings.TrimSpace(strings.TrimPrefix(block, "```"))
	if line == "```" || name == "" {
		if line == "```" {
			return ""
		}
		return block
	}
	e := d.blocks[name]
	if reads, ok := strings.CutPrefix(line, "= "); ok {
		e.reads = reads
	} else {
		digits, _, _ := strings.Cut(line, "|")
		e.bytes = append(e.bytes, unhex(t, strings.TrimSpace(digits))...)
	}
	d.blocks[name] = e
	return block
}

// docWriter writes frames by the document's tables and nothing else.
type docWriter struct {
	d      *wireDoc
	random *rand.Rand
	out    []byte
	has    map[string]bool // which conditions hold
	sent   bool            // the newest bool, for "if sent"

	// One field may be given a size of its own, all others are small then.
	probe string // "part.field"
	size  int
}

func (w *docWriter) varint(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

// part writes the fields of a heading.
func (w *docWriter) part(name string) {
	for _, f := range w.d.fields[name] {
		w.field(name, f)
	}
}

func (w *docWriter) field(part string, f wireField) {
	typ := f.typ
	if what, cond, ok := strings.Cut(typ, ", if "); ok {
		typ = what
		if cond == "sent" && !w.sent || cond != "sent" && !w.has[cond] {
			return
		}
	}
	length := func(most int) int {
		switch {
		case w.probe == part+"."+f.name:
			return w.size
		case w.probe != "":
			return 0
		}
		return w.random.IntN(min(most, 20) + 1)
	}
	switch {
	case f.name == "protocol":
		w.out = binary.LittleEndian.AppendUint16(w.out, Protocol) // of other versions no more is known
	case typ == "u8":
		w.out = append(w.out, byte(w.random.Uint32()))
	case typ == "u16":
		w.out = binary.LittleEndian.AppendUint16(w.out, uint16(w.random.Uint32()))
	case typ == "u32":
		w.out = binary.LittleEndian.AppendUint32(w.out, w.random.Uint32())
	case typ == "bool":
		w.sent = w.random.IntN(2) == 1 || w.probe == "key.definition"
		w.out = append(w.out, map[bool]byte{true: 1}[w.sent])
	case typ == "varint":
		w.varint(uint64(w.random.Uint32() >> w.random.IntN(32)))
	case typ == "rest":
		w.noise(w.random.IntN(20))
	case fixedBytes.MatchString(typ):
		n, _ := strconv.Atoi(fixedBytes.FindStringSubmatch(typ)[1])
		w.noise(n)
	case atMost.MatchString(typ):
		m := atMost.FindStringSubmatch(typ)
		most, _ := strconv.Atoi(m[2])
		n := length(most)
		if strings.HasPrefix(w.probe, strings.TrimPrefix(m[1], "list of ")+".") || m[1] == "list of text of at most 256" && w.probe == "diff.line" {
			n = 1 // the probe is inside
		}
		w.varint(uint64(n))
		w.bounded(m[1], n)
	default:
		panic("docs/wire.md: no such type: " + typ)
	}
}

// bounded writes n bytes or items.
func (w *docWriter) bounded(what string, n int) {
	item, list := strings.CutPrefix(what, "list of ")
	for range n {
		switch {
		case what == "text":
			w.out = append(w.out, byte('a'+w.random.IntN(26)))
		case what == "bytes":
			w.noise(1)
		case list && nestedText.MatchString(item):
			m, _ := strconv.Atoi(nestedText.FindStringSubmatch(item)[1])
			size := w.random.IntN(m)
			switch {
			case w.probe == "diff.line":
				size = w.size
			case w.probe != "":
				size = 0
			}
			w.varint(uint64(size))
			w.bounded("text", size)
		case list && w.d.fields[item] != nil:
			w.part(item)
		case list:
			w.field("", wireField{"item", item})
		}
	}
}

func (w *docWriter) noise(n int) {
	for range n {
		w.out = append(w.out, byte(w.random.Uint32()))
	}
}
