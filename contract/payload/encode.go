package payload

import (
	"encoding/binary"
	"math"
)

// AppendWire appends the wire form of v, which must hold a payload made under
// p: anything else is the caller's mistake and panics. It allocates only what
// dst needs to grow. Whether the form fits Message.MaximumBytes is the
// caller's question, since only now it is known.
func (p *Plan) AppendWire(dst []byte, v *Value) []byte {
	if v.plan != p || v.Empty() {
		panic("payload: BUG: a value that was not made under this plan")
	}
	w := wireWriter{p: p, v: v}
	return w.value(dst, &p.schemas[p.root], &v.nodes[0])
}

type wireWriter struct {
	p *Plan
	v *Value
}

func (w *wireWriter) value(b []byte, n *schema, t *node) []byte {
	switch n.form {
	case formNull, formOne:
		return b
	case formBool:
		return append(b, byte(t.bits))
	case formByte:
		return append(b, byte(int64(t.bits)-n.base))
	case formOffset, formZigzag:
		return appendInteger(b, n, t)
	case formNumber:
		return appendNumber(b, t)
	case formString:
		text := w.v.textOf(t)
		b = binary.AppendUvarint(b, uint64(len(text)))
		return append(b, text...)
	case formEnum:
		if len(n.enum) == 1 {
			return b
		}
		return binary.AppendUvarint(b, uint64(t.enum))
	case formArray:
		first, count := t.children()
		if !n.fixed() {
			b = binary.AppendUvarint(b, uint64(count))
		}
		return w.items(b, n, first, count)
	case formObject:
		b, rest, extras := w.declared(b, n, t)
		if n.extra != none {
			b = binary.AppendUvarint(b, uint64(extras))
		}
		return w.extras(b, n, rest, extras)
	}
	return w.tagged(b, n, t)
}

func appendInteger(b []byte, n *schema, t *node) []byte {
	switch {
	case t.kind == Float:
		word := uint64(largeZigzag)
		if n.form == formOffset {
			word = n.most + 1
		}
		b = binary.AppendUvarint(b, word)
		return binary.LittleEndian.AppendUint64(b, t.bits)
	case n.form == formOffset:
		return binary.AppendUvarint(b, uint64(int64(t.bits)-n.base))
	}
	return binary.AppendUvarint(b, zigzag(int64(t.bits)))
}

func appendNumber(b []byte, t *node) []byte {
	if t.kind == Float {
		f := math.Float64frombits(t.bits)
		if isSingle(f) {
			return binary.LittleEndian.AppendUint32(append(b, tagFloat32), math.Float32bits(float32(f)))
		}
		return binary.LittleEndian.AppendUint64(append(b, tagFloat64), t.bits)
	}
	i := int64(t.bits)
	if isSmall(i) {
		return append(b, byte(i+smallBias))
	}
	tag := len(b)
	b = append(b, tagInt)
	for u := zigzag(i); u > 0; u >>= 8 {
		b = append(b, byte(u))
	}
	b[tag] += byte(len(b) - tag - 1)
	return b
}

func (w *wireWriter) items(b []byte, n *schema, at, count int) []byte {
	each := &w.p.schemas[n.items]
	for range count {
		t := &w.v.nodes[at]
		b = w.value(b, each, t)
		at = int(t.next)
	}
	return b
}

// declared appends header and declared members, and returns where the other
// members begin and how many they are.
func (w *wireWriter) declared(b []byte, n *schema, t *node) (out []byte, rest, extras int) {
	at, left := t.children()
	header := len(b)
	for range headerBytes(n.header) {
		b = append(b, 0)
	}
	for i := range n.props {
		m := &n.props[i]
		if left == 0 {
			break
		}
		c := &w.v.nodes[at]
		if c.key != m.id+1 {
			continue
		}
		if m.presence >= 0 {
			b[header+int(m.presence>>3)] |= 1 << (m.presence & 7)
		}
		if m.value >= 0 {
			b[header+int(m.value>>3)] |= byte(c.bits) << (m.value & 7)
		} else {
			b = w.value(b, m.rules, c)
		}
		at = int(c.next)
		left--
	}
	return b, at, left
}

func (w *wireWriter) extras(b []byte, n *schema, at, count int) []byte {
	for range count {
		name := w.v.textOf(&w.v.nodes[at-1])
		b = binary.AppendUvarint(b, uint64(len(name)))
		b = append(b, name...)
		c := &w.v.nodes[at]
		b = w.value(b, &w.p.schemas[n.extra], c)
		at = int(c.next)
	}
	return b
}

// tagged appends a value whose kind the schema leaves open.
func (w *wireWriter) tagged(b []byte, n *schema, t *node) []byte {
	switch t.kind {
	case Null:
		return append(b, tagNull)
	case Bool:
		return append(b, tagFalse+byte(t.bits))
	case Int, Float:
		return appendNumber(b, t)
	case String:
		text := w.v.textOf(t)
		return append(appendTag(b, tagText, textMost, tagString, len(text)), text...)
	case Array:
		first, count := t.children()
		return w.items(appendTag(b, tagItems, itemsMost, tagArray, count), n, first, count)
	}
	// How many members are not declared stands in the tag, before the others.
	extras := 0
	for at, left := t.children(); left > 0; left-- {
		c := &w.v.nodes[at]
		if c.key == extraKey {
			extras++
		}
		at = int(c.next)
	}
	b, rest, extras := w.declared(appendTag(b, tagMembers, itemsMost, tagObject, extras), n, t)
	return w.extras(b, n, rest, extras)
}

// appendTag appends a tag with a small count in it, or one that a count follows.
func appendTag(b []byte, short byte, most int, long byte, count int) []byte {
	if count <= most {
		return append(b, short+byte(count))
	}
	return binary.AppendUvarint(append(b, long), uint64(count))
}
