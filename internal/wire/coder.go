// Package wire owns the byte coder: one function of a message reads or writes
// it, so that the two can never drift. It knows no message and no contract.
//
// Integers are little-endian, lengths and counts are unsigned LEB128 varints
// in their shortest form (a longer spelling is refused, so that equal values
// have equal bytes).
package wire

import (
	"errors"
	"math"
	"unicode/utf8"
)

// Errors of reading. They are plain values: the caller says where.
var (
	ErrTruncated = errors.New("wire: truncated")
	ErrTrailing  = errors.New("wire: trailing bytes")
	ErrRange     = errors.New("wire: value out of range")
	ErrText      = errors.New("wire: text is not UTF-8")
)

// Coder reads or writes, depending on how it was made. After the first fault
// every further call does nothing and values read are zero; look at Err once
// at the end. A Coder belongs to one caller and may be reused with Reset.
type Coder struct {
	buf     []byte
	pos     int
	reading bool
	err     error
}

// Writer returns a Coder that appends to dst.
func Writer(dst []byte) Coder { return Coder{buf: dst} }

// Reader returns a Coder that reads b. It keeps b; values returned by Bytes
// alias it.
func Reader(b []byte) Coder { return Coder{buf: b, reading: true} }

// Reading says which way this Coder goes.
func (c *Coder) Reading() bool { return c.reading }

// Err returns the first fault.
func (c *Coder) Err() error { return c.err }

// Fail records a fault found by the caller, unless there was one already.
func (c *Coder) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Written returns the bytes written so far, dst included.
func (c *Coder) Written() []byte { return c.buf }

// Rest returns the unread bytes.
func (c *Coder) Rest() []byte {
	if c.err != nil {
		return nil
	}
	return c.buf[c.pos:]
}

// Len returns how many bytes are unread, or how many are written.
func (c *Coder) Len() int {
	if c.reading {
		return len(c.buf) - c.pos
	}
	return len(c.buf)
}

// End returns the first fault of the message, trailing bytes included.
func (c *Coder) End() error {
	if c.err == nil && c.reading && c.pos != len(c.buf) {
		c.err = ErrTrailing
	}
	return c.err
}

func (c *Coder) take(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > len(c.buf)-c.pos {
		c.err = ErrTruncated
		return nil
	}
	b := c.buf[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return b
}

// U8 codes one byte.
func (c *Coder) U8(v *uint8) {
	if !c.reading {
		c.buf = append(c.buf, *v)
		return
	}
	*v = 0
	if b := c.take(1); b != nil {
		*v = b[0]
	}
}

// Bool codes a boolean as a byte 0 or 1; any other byte is refused.
func (c *Coder) Bool(v *bool) {
	var b uint8
	if *v {
		b = 1
	}
	c.U8(&b)
	if b > 1 {
		c.Fail(ErrRange)
		b = 0
	}
	*v = b == 1
}

// U16 codes two bytes.
func (c *Coder) U16(v *uint16) {
	if !c.reading {
		c.buf = append(c.buf, byte(*v), byte(*v>>8))
		return
	}
	*v = 0
	if b := c.take(2); b != nil {
		*v = uint16(b[0]) | uint16(b[1])<<8
	}
}

// U32 codes four bytes.
func (c *Coder) U32(v *uint32) {
	if !c.reading {
		c.buf = append(c.buf, byte(*v), byte(*v>>8), byte(*v>>16), byte(*v>>24))
		return
	}
	*v = 0
	if b := c.take(4); b != nil {
		*v = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	}
}

// U64 codes eight bytes.
func (c *Coder) U64(v *uint64) {
	lo, hi := uint32(*v), uint32(*v>>32)
	c.U32(&lo)
	c.U32(&hi)
	*v = uint64(lo) | uint64(hi)<<32
}

// F64 codes a float64 by its bits. NaN and infinities are refused by the
// reader: no message of ours carries one.
func (c *Coder) F64(v *float64) {
	bits := math.Float64bits(*v)
	c.U64(&bits)
	*v = math.Float64frombits(bits)
	if c.reading && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
		c.Fail(ErrRange)
		*v = 0
	}
}

// Uvarint codes an unsigned varint, at most max (the reader refuses more; a
// writer that exceeds it is a caller's mistake and panics).
func (c *Coder) Uvarint(v *uint64, max uint64) {
	if !c.reading {
		if *v > max {
			panic("wire: BUG: value over its limit")
		}
		c.buf = appendUvarint(c.buf, *v)
		return
	}
	*v = 0
	if c.err != nil {
		return
	}
	x, n := readUvarint(c.buf[c.pos:])
	switch {
	case n == 0:
		c.err = ErrTruncated
	case n < 0 || x > max:
		c.err = ErrRange
	default:
		c.pos += n
		*v = x
	}
}

// Varint codes a signed value as a zigzag varint.
func (c *Coder) Varint(v *int64) {
	u := uint64(*v)<<1 ^ uint64(*v>>63)
	c.Uvarint(&u, math.MaxUint64)
	*v = int64(u>>1) ^ -int64(u&1)
}

// V32 codes an unsigned 32-bit value as a varint.
func (c *Coder) V32(v *uint32) {
	u := uint64(*v)
	c.Uvarint(&u, math.MaxUint32)
	*v = uint32(u)
}

// Count codes a length or count of at most max. A reader also refuses a count
// that the unread bytes cannot hold at minSize bytes an item, so that memory
// is bounded by what was received, not by what was announced.
func (c *Coder) Count(n *int, max, minSize int) {
	u := uint64(*n)
	c.Uvarint(&u, uint64(max))
	if c.reading && minSize > 0 && c.err == nil && u > uint64(len(c.buf)-c.pos)/uint64(minSize) {
		c.err = ErrTruncated
		u = 0
	}
	*n = int(u)
}

// Bytes codes a length of at most max and that many bytes. What a reader
// returns aliases the input.
func (c *Coder) Bytes(v *[]byte, max int) {
	n := len(*v)
	c.Count(&n, max, 1)
	if !c.reading {
		c.buf = append(c.buf, *v...)
		return
	}
	*v = c.take(n)
}

// Fixed codes exactly len(v) bytes.
func (c *Coder) Fixed(v []byte) {
	if !c.reading {
		c.buf = append(c.buf, v...)
		return
	}
	clear(v)
	copy(v, c.take(len(v)))
}

// Text codes a string of at most max bytes; the reader refuses invalid UTF-8.
func (c *Coder) Text(v *string, max int) {
	if !c.reading {
		if len(*v) > max {
			panic("wire: BUG: text over its limit")
		}
		c.buf = appendUvarint(c.buf, uint64(len(*v)))
		c.buf = append(c.buf, *v...)
		return
	}
	var b []byte
	c.Bytes(&b, max)
	if !utf8.Valid(b) {
		c.Fail(ErrText)
		b = nil
	}
	*v = string(b)
}

func appendUvarint(b []byte, x uint64) []byte {
	for x >= 0x80 {
		b = append(b, byte(x)|0x80)
		x >>= 7
	}
	return append(b, byte(x))
}

// readUvarint returns the value and its length; 0 = truncated, -1 = overlong
// or over 64 bits.
func readUvarint(b []byte) (uint64, int) {
	var x uint64
	for i, c := range b {
		if i == 9 && c > 1 {
			return 0, -1
		}
		x |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 && i > 0 {
				return 0, -1
			}
			return x, i + 1
		}
		if i == 9 {
			return 0, -1
		}
	}
	return 0, 0
}
