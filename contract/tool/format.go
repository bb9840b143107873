package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"demi.network/contract"
	"demi.network/contract/jsontext"
	"demi.network/runtime/fault"
)

// lineWidth is how long a line may be that holds a whole object or array.
const lineWidth = 100

// Layout spells JSON text in the house's way: two spaces, one member a line,
// and objects and arrays of plain values on one line where they fit. The order
// of keys and the spelling of numbers stay; a byte order mark and foreign line
// ends go. Laying out twice changes nothing. name is for messages only.
func Layout(name string, src []byte) ([]byte, error) {
	root, faults := jsontext.Parse(src)
	for _, f := range faults {
		if f.Fault == jsontext.FaultBOM {
			continue
		}
		e := fault.New(fault.Config, "%s", f.Text)
		e.Place = fault.Place{Path: filepath.ToSlash(name), Line: f.Pos.Line, Column: f.Pos.Column, Pointer: f.Pointer}
		return nil, e
	}
	var b bytes.Buffer
	layout(&b, root, 0, 0)
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// layout writes a value at a depth; used is what its line holds already.
func layout(b *bytes.Buffer, n *jsontext.Node, depth, used int) {
	if n.Kind != jsontext.KindArray && n.Kind != jsontext.KindObject {
		compact(b, n)
		return
	}
	if len(n.Items)+len(n.Members) == 0 || depth > 0 && flat(n) {
		var line bytes.Buffer
		compact(&line, n)
		if len(n.Items)+len(n.Members) == 0 || 2*depth+used+utf8.RuneCount(line.Bytes()) < lineWidth {
			b.Write(line.Bytes())
			return
		}
	}
	open, end := byte('['), byte(']')
	if n.Kind == jsontext.KindObject {
		open, end = '{', '}'
	}
	b.WriteByte(open)
	indent := "\n" + strings.Repeat("  ", depth+1)
	for i, item := range n.Items {
		separate(b, i, indent)
		layout(b, item, depth+1, 0)
	}
	for i := range n.Members {
		m := &n.Members[i]
		separate(b, i, indent)
		start := b.Len()
		text(b, m.Key)
		b.WriteString(": ")
		layout(b, m.Value, depth+1, utf8.RuneCount(b.Bytes()[start:]))
	}
	b.WriteString(indent[:len(indent)-2])
	b.WriteByte(end)
}

func separate(b *bytes.Buffer, i int, indent string) {
	if i > 0 {
		b.WriteByte(',')
	}
	b.WriteString(indent)
}

// flat says whether a container holds nothing but plain values and containers
// of plain values.
func flat(n *jsontext.Node) bool {
	for _, item := range n.Items {
		if len(item.Members) > 0 || len(item.Items) > 0 {
			return false
		}
	}
	for i := range n.Members {
		if v := n.Members[i].Value; len(v.Members) > 0 {
			return false
		}
	}
	return true
}

// compact writes a value on one line.
func compact(b *bytes.Buffer, n *jsontext.Node) {
	switch n.Kind {
	case jsontext.KindNull:
		b.WriteString("null")
	case jsontext.KindBool:
		fmt.Fprintf(b, "%t", n.Bool)
	case jsontext.KindNumber:
		b.WriteString(n.Text)
	case jsontext.KindString:
		text(b, n.Text)
	case jsontext.KindArray:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			compact(b, item)
		}
		b.WriteByte(']')
	case jsontext.KindObject:
		b.WriteByte('{')
		for i := range n.Members {
			if i > 0 {
				b.WriteString(", ")
			}
			text(b, n.Members[i].Key)
			b.WriteString(": ")
			compact(b, n.Members[i].Value)
		}
		b.WriteByte('}')
	}
}

// text writes a string with no more escapes than it needs.
func text(b *bytes.Buffer, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r == 0x7f || r == 0x2028 || r == 0x2029:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// FormatOptions say what Format does with the result.
type FormatOptions struct {
	Write bool // put it in the file's place; else print it
	Check bool // print nothing: an error names a file that would change
}

// Format lays out files. Without options the result is printed.
func Format(w io.Writer, files []string, o FormatOptions) error {
	for _, name := range files {
		if err := formatFile(w, name, o); err != nil {
			return err
		}
	}
	return nil
}

func formatFile(w io.Writer, name string, o FormatOptions) error {
	src, err := contract.ReadFile(name)
	if err != nil {
		return err
	}
	out, err := Layout(name, src)
	if err != nil {
		return err
	}
	switch {
	case o.Check && !bytes.Equal(src, out):
		e := fault.New(fault.Config, "the file is not formatted")
		e.Place.Path, e.Hint = filepath.ToSlash(name), "run demi-net contract format --write"
		return e
	case o.Check, o.Write && bytes.Equal(src, out):
		return nil
	case o.Write:
		return replace(name, out)
	}
	if _, err := w.Write(out); err != nil {
		return fault.Wrap(err, fault.Internal, "the output could not be written")
	}
	return nil
}

// replace writes a file through a neighbour, so that nobody reads half of it. Of
// a link, what it leads to is written.
func replace(name string, b []byte) error {
	mode := os.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".format-*")
	if err == nil {
		_, err = f.Write(b)
		err = errors.Join(err, f.Chmod(mode), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), name)
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}
	if err != nil {
		e := fault.Wrap(err, fault.Config, "the file cannot be written")
		e.Place.Path = filepath.ToSlash(name)
		return e
	}
	return nil
}
