package payload

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// docTable returns the rows of the table with that head in docs/wire.md, each
// as its cells.
func docTable(t *testing.T, head string) (rows [][]string) {
	t.Helper()
	b, err := os.ReadFile("../../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), head+"\n")
	if !ok {
		t.Fatalf("docs/wire.md has no table %q", head)
	}
	for _, line := range strings.Split(text, "\n")[1:] {
		if !strings.HasPrefix(line, "|") {
			return rows
		}
		var cells []string
		for _, c := range strings.Split(strings.Trim(line, "|"), " | ") {
			cells = append(cells, strings.TrimSpace(c))
		}
		rows = append(rows, cells)
	}
	return rows
}

// tagOf says in the document's words what a tag begins, as the reader takes it.
func tagOf(tag int) string {
	switch {
	case tag <= smallMost:
		return "the integer tag − 64"
	case tag == tagInt:
		return "" // refused: an integer of no bytes
	case tag < tagFloat32:
		return "an integer as zigzag"
	}
	names := map[int]string{
		tagFloat32: "float32", tagFloat64: "float64", tagNull: "null", tagFalse: "false", tagTrue: "true",
		tagArray:  fmt.Sprintf("array of %d items or more", itemsMost+1),
		tagObject: fmt.Sprintf("object of %d others or more", itemsMost+1),
		tagString: fmt.Sprintf("string of %d bytes or more", textMost+1),
	}
	if name, ok := names[tag]; ok {
		return name
	}
	switch {
	case tag < tagItems:
		return fmt.Sprintf("string of tag − %x bytes", tagText)
	case tag < tagMembers:
		return fmt.Sprintf("array of tag − %x items", tagItems)
	}
	return fmt.Sprintf("object of tag − %x others", tagMembers)
}

// TestTagsOfTheDocument: the table of tags in docs/wire.md covers every byte
// and says of each what the code takes it for.
func TestTagsOfTheDocument(t *testing.T) {
	said := map[int]string{}
	for _, row := range docTable(t, "| Tag | Value |") {
		low, high, isRange := strings.Cut(row[0], " … ")
		if !isRange {
			high = low
		}
		from, err1 := strconv.ParseUint(low, 16, 8)
		to, err2 := strconv.ParseUint(high, 16, 8)
		if err1 != nil || err2 != nil {
			t.Fatalf("%q is no range of bytes", row[0])
		}
		for tag := int(from); tag <= int(to); tag++ {
			said[tag] = row[1]
		}
	}
	for tag := range 256 {
		if want := tagOf(tag); !strings.HasPrefix(said[tag], want) || want == "" && said[tag] != "" {
			t.Errorf("docs/wire.md calls tag %02x %q, the code %q", tag, said[tag], want)
		}
	}
}

// TestExamplesOfTheDocument encodes and decodes the payloads of docs/wire.md.
func TestExamplesOfTheDocument(t *testing.T) {
	rows := docTable(t, "| Schema | Value | Bytes |")
	if len(rows) < 10 {
		t.Fatalf("%d examples: the document has more", len(rows))
	}
	for _, row := range rows {
		p := mustCompile(t, strings.Trim(row[0], "`"))
		want, err := hex.DecodeString(strings.ReplaceAll(row[2], " ", ""))
		if err != nil {
			t.Fatalf("%q: %v", row[2], err)
		}
		var v, w Value
		if err := p.DecodeJSON([]byte(strings.Trim(row[1], "`")), Limits{}, &v); err != nil {
			t.Errorf("%s does not fit %s: %v", row[1], row[0], err)
			continue
		}
		if got := p.AppendWire(nil, &v); !bytes.Equal(got, want) {
			t.Errorf("%s under %s is % x, and the document says % x", row[1], row[0], got, want)
		}
		if err := p.DecodeWire(want, Limits{}, &w); err != nil || w.String() != v.String() {
			t.Errorf("% x under %s reads as %s, %v, want %s", want, row[0], &w, err, &v)
		}
	}
}
