package contract

import (
	"fmt"

	"demi.network/contract/jsontext"
)

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// fnv1a is FNV-1a with 64 bits over what was hashed before and b.
func fnv1a(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

func fnvText(h uint64) string { return fmt.Sprintf("fnv1a64:%016x", h) }

// SourceHash is the hash of an asset's file as its manifest spells it: over
// the file's name without folders, a zero byte and its bytes.
func SourceHash(name string, b []byte) string {
	return fnvText(fnv1a(fnv1a(fnvOffset, append([]byte(name), 0)), b))
}

// compatibility is the engine's hash: over the contract's document, and for
// each message in the order of names that has a schema asset the schema's id
// and document.
func (l *loader) compatibility() string {
	h := fnv1a(fnvOffset, dump(nil, l.doc.root))
	for i := range l.out.Messages {
		m := &l.out.Messages[i]
		s := l.schemas[m.SchemaID]
		if s == nil || s.node == nil {
			continue
		}
		h = fnv1a(h, []byte("\n"+m.SchemaID+"\n"))
		h = fnv1a(h, dump(nil, s.node))
	}
	return fnvText(h)
}

// dump appends a document as the engine's JSON library writes it: compact,
// keys in byte order, text as UTF-8.
func dump(b []byte, n *jsontext.Node) []byte {
	switch n.Kind {
	case jsontext.KindNull:
		return append(b, "null"...)
	case jsontext.KindBool:
		return fmt.Appendf(b, "%t", n.Bool)
	case jsontext.KindNumber:
		return dumpNumber(b, n.Number)
	case jsontext.KindString:
		return dumpText(b, n.Text)
	case jsontext.KindArray:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = dump(b, item)
		}
		return append(b, ']')
	}
	nodes := members(n)
	b = append(b, '{')
	for i, key := range sortedNames(nodes) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(dumpText(b, key), ':')
		b = dump(b, nodes[key])
	}
	return append(b, '}')
}

func dumpText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\t':
			b = append(b, `\t`...)
		case '\n':
			b = append(b, `\n`...)
		case '\f':
			b = append(b, `\f`...)
		case '\r':
			b = append(b, `\r`...)
		default:
			if c < 0x20 {
				b = fmt.Appendf(b, `\u%04x`, c)
			} else {
				b = append(b, c)
			}
		}
	}
	return append(b, '"')
}

func dumpNumber(b []byte, n jsontext.Number) []byte {
	switch n.Form {
	case jsontext.Unsigned:
		return fmt.Appendf(b, "%d", n.Uint)
	case jsontext.Signed:
		return fmt.Appendf(b, "%d", n.Int)
	}
	return dumpDouble(b, n.Float)
}
