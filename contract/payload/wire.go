package payload

import (
	"encoding/binary"
	"math"
)

// The tags of a value whose kind the schema leaves open, and of every number
// (doc.go has the table).
const (
	tagSmall   = 0x00 // … 0xbf: the integer tag-64
	tagInt     = 0xc0 // + n: a zigzag integer of n bytes, 1 … 7
	tagFloat32 = 0xc8
	tagFloat64 = 0xc9
	tagNull    = 0xca
	tagFalse   = 0xcb
	tagTrue    = 0xcc
	tagArray   = 0xcd // count as varint
	tagObject  = 0xce // count of members not declared, as varint
	tagString  = 0xcf // length as varint
	tagText    = 0xd0 // + length, 0 … 31
	tagItems   = 0xf0 // + count, 0 … 7
	tagMembers = 0xf8 // + count of members not declared, 0 … 7

	smallBias = 64
	smallMost = tagInt - 1
	textMost  = tagItems - tagText - 1
	itemsMost = 7
)

// largeZigzag is the word of formZigzag that a Float follows: one more than
// any Int has.
const largeZigzag = 2*MaxInt + 1

func zigzag(i int64) uint64   { return uint64(i)<<1 ^ uint64(i>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// DecodeWire reads one payload from its wire form into v, validating it on the
// way. All of b must be used, and one value has one form: what decodes encodes
// to b again. A warm v costs no allocation, also when b is refused; memory is
// bounded by lim whatever b announces. The error is a *Refusal, valid until v
// is used again, and v is then empty.
func (p *Plan) DecodeWire(b []byte, lim Limits, v *Value) error {
	s := v.begin(p, lim)
	if len(b) > s.lim.Bytes {
		s.fail(Oversized, ruleBytes, nil, 0)
		return s.Err()
	}
	r := wireReader{s: s, b: b}
	if r.next() && r.at != len(b) {
		s.fail(Malformed, ruleTrailing, nil, 0)
	}
	return s.Close()
}

// begin resets v's own sink.
func (v *Value) begin(p *Plan, lim Limits) *Sink {
	if v.sink == nil {
		v.sink = new(Sink)
	}
	v.sink.Reset(p, lim, v)
	return v.sink
}

// wireReader drives a Sink from bytes. Its methods return false after a
// refusal, which the Sink has.
type wireReader struct {
	s  *Sink
	b  []byte
	at int
}

func (r *wireReader) truncated() bool { return r.s.fail(Truncated, ruleTruncated, nil, 0) }
func (r *wireReader) malformed() bool { return r.s.fail(Malformed, ruleSpelling, nil, 0) }

func (r *wireReader) take(n int) ([]byte, bool) {
	if n > len(r.b)-r.at {
		return nil, r.truncated()
	}
	b := r.b[r.at : r.at+n]
	r.at += n
	return b, true
}

func (r *wireReader) byte() (byte, bool) {
	if r.at >= len(r.b) {
		return 0, r.truncated()
	}
	c := r.b[r.at]
	r.at++
	return c, true
}

// uvarint reads an unsigned varint in its shortest form.
func (r *wireReader) uvarint() (uint64, bool) {
	if r.at < len(r.b) && r.b[r.at] < 0x80 {
		c := r.b[r.at]
		r.at++
		return uint64(c), true
	}
	x, n := binary.Uvarint(r.b[r.at:])
	switch {
	case n == 0:
		return 0, r.truncated()
	case n < 0 || r.b[r.at+n-1] == 0:
		return 0, r.malformed()
	}
	r.at += n
	return x, true
}

// next reads the value at the place that the Sink is at.
func (r *wireReader) next() bool {
	n := r.s.slot()
	return n != nil && r.value(n)
}

// value reads a value in the form that its place has.
func (r *wireReader) value(n *schema) bool {
	s := r.s
	switch n.form {
	case formNumber:
		c, ok := r.byte()
		return ok && r.number(n, c)
	case formByte:
		c, ok := r.byte()
		return ok && s.int(n, n.base+int64(c))
	case formOffset, formZigzag:
		return r.integer(n)
	case formString:
		length, ok := r.uvarint()
		return ok && r.text(n, length)
	case formArray:
		count := uint64(n.minItems)
		if !n.fixed() {
			var ok bool
			if count, ok = r.uvarint(); !ok {
				return false
			}
		}
		return r.array(n, count)
	case formObject:
		return r.object(n, unknownCount)
	case formEnum:
		return r.enum(n)
	case formBool:
		c, ok := r.byte()
		return ok && (c <= 1 || r.malformed()) && s.bool(n, c == 1)
	case formNull:
		return s.null(n)
	case formOne:
		return s.int(n, n.base)
	}
	c, ok := r.byte()
	return ok && r.tagged(n, c)
}

func (r *wireReader) integer(n *schema) bool {
	u, ok := r.uvarint()
	if !ok {
		return false
	}
	most, large := uint64(largeZigzag-1), true
	if n.form == formOffset {
		most, large = n.most, n.large
	}
	switch {
	case u == most+1 && large:
		f, ok := r.float64()
		return ok && (math.Abs(f) > MaxInt && f == math.Trunc(f) && !math.IsInf(f, 0) || r.malformed()) && r.s.float(n, f)
	case u > most:
		return r.malformed()
	case n.form == formOffset:
		return r.s.int(n, n.base+int64(u))
	}
	return r.s.int(n, unzigzag(u))
}

func (r *wireReader) float64() (float64, bool) {
	b, ok := r.take(8)
	if !ok {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
}

// number reads the number that a tag begins.
func (r *wireReader) number(n *schema, tag byte) bool {
	switch {
	case tag <= smallMost:
		return r.s.int(n, int64(tag)-smallBias)
	case tag == tagFloat32:
		b, ok := r.take(4)
		if !ok {
			return false
		}
		f := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		return r.float(n, f, true)
	case tag == tagFloat64:
		f, ok := r.float64()
		return ok && r.float(n, f, false)
	case tag > tagInt && tag < tagFloat32:
		b, ok := r.take(int(tag - tagInt))
		if !ok {
			return false
		}
		var u uint64
		for i, c := range b {
			u |= uint64(c) << (8 * i)
		}
		i := unzigzag(u)
		if b[len(b)-1] == 0 || isSmall(i) || i < -MaxInt || i > MaxInt {
			return r.malformed()
		}
		return r.s.int(n, i)
	}
	return r.malformed()
}

// float adds a number that must not have a shorter form.
func (r *wireReader) float(n *schema, f float64, single bool) bool {
	switch {
	case !(math.Abs(f) <= math.MaxFloat64): // NaN too
		return r.s.fail(NonFinite, ruleFinite, n, 0)
	case isInt(f), !single && isSingle(f):
		return r.malformed()
	}
	return r.s.float(n, f)
}

func isSmall(i int64) bool    { return i >= -smallBias && i <= smallMost-smallBias }
func isSingle(f float64) bool { return float64(float32(f)) == f }
func isInt(f float64) bool    { return f >= -MaxInt && f <= MaxInt && f == math.Trunc(f) }

func (r *wireReader) text(n *schema, length uint64) bool {
	// The limits are asked before the bytes, so that a length is refused as
	// too long whether or not it was sent along.
	if !r.s.fits(n, int(min(length, math.MaxInt32))) {
		return false
	}
	b, ok := r.take(int(length))
	return ok && r.s.text(n, append(r.s.v.text, b...))
}

func (r *wireReader) enum(n *schema) bool {
	u := uint64(0)
	if len(n.enum) > 1 {
		var ok bool
		if u, ok = r.uvarint(); !ok {
			return false
		}
	}
	if u >= uint64(len(n.enum)) {
		return r.s.fail(SchemaViolation, ruleEnum, n, 0)
	}
	return r.s.addConstant(n, int(u))
}

// array reads the items of an array.
func (r *wireReader) array(n *schema, count uint64) bool {
	s := r.s
	if !s.open(n, Array) {
		return false
	}
	// An announced count is refused before any item, so that items which take
	// no bytes cost no time either.
	if count > uint64(s.left.elements) {
		return s.fail(ExcessiveElements, ruleElements, nil, 0)
	}
	for range count {
		if !r.next() {
			return false
		}
	}
	return s.End()
}

// unknownCount says that the count of members not declared stands behind the
// declared ones, not in a tag.
const unknownCount = math.MaxUint64

// object reads header, declared members and the others.
func (r *wireReader) object(n *schema, extras uint64) bool {
	s := r.s
	if !s.open(n, Object) {
		return false
	}
	header, ok := r.take(headerBytes(n.header))
	if !ok {
		return false
	}
	if spare := n.header & 7; spare != 0 && header[len(header)-1]>>spare != 0 {
		return r.malformed()
	}
	f := s.top
	f.seen = n.required // those have no presence bit: they come, or the bytes end
	for i := range n.props {
		m := &n.props[i]
		if m.presence >= 0 && header[m.presence>>3]>>(m.presence&7)&1 == 0 {
			if m.value >= 0 && header[m.value>>3]>>(m.value&7)&1 != 0 {
				return r.malformed()
			}
			continue
		}
		if !s.inOrder(f, i) {
			return false
		}
		if m.value >= 0 {
			if !s.bool(m.rules, header[m.value>>3]>>(m.value&7)&1 == 1) {
				return false
			}
			continue
		}
		if !r.value(m.rules) {
			return false
		}
		f = s.top // the stack may have grown
	}
	return r.extras(n, extras) && s.End()
}

func (r *wireReader) extras(n *schema, count uint64) bool {
	s := r.s
	if count == unknownCount {
		if n.extra == none {
			return true
		}
		var ok bool
		if count, ok = r.uvarint(); !ok {
			return false
		}
	}
	if count > uint64(s.left.elements) {
		return s.fail(ExcessiveElements, ruleElements, nil, 0)
	}
	for range count {
		length, ok := r.uvarint()
		if !ok {
			return false
		}
		if length > uint64(s.lim.StringBytes) {
			return s.fail(StringTooLong, ruleStringBytes, nil, int64(min(length, math.MaxInt32)))
		}
		name, ok := r.take(int(length))
		if !ok {
			return false
		}
		f := s.top
		if find(n.props, name) >= 0 {
			return s.fail(Malformed, ruleDeclared, nil, 0)
		}
		if !additional(s, f, name) {
			return false
		}
		if f.strewn {
			return r.malformed()
		}
		if !r.next() {
			return false
		}
	}
	return true
}

// tagged reads the value that a tag begins, where n allows several kinds.
func (r *wireReader) tagged(n *schema, tag byte) bool {
	switch {
	case tag < tagNull:
		return r.number(n, tag)
	case tag >= tagMembers:
		return r.object(n, uint64(tag-tagMembers))
	case tag >= tagItems:
		return r.array(n, uint64(tag-tagItems))
	case tag >= tagText:
		return r.text(n, uint64(tag-tagText))
	case tag == tagNull:
		return r.s.null(n)
	case tag <= tagTrue:
		return r.s.bool(n, tag == tagTrue)
	}
	u, ok := r.uvarint()
	switch {
	case !ok:
		return false
	case tag == tagString:
		return (u > textMost || r.malformed()) && r.text(n, u)
	case u <= itemsMost:
		return r.malformed()
	case tag == tagArray:
		return r.array(n, u)
	}
	return r.object(n, u)
}
