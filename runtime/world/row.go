package world

import (
	"demi.network/internal/wire"
)

// MaxRowBytes bounds the encoding of one row.
const MaxRowBytes = MaxFields * 4 * 5

// AppendRow appends the wire values of the selected fields of a row: a zigzag
// varint per column, in the order of the layout. Fields that are not selected
// leave no byte. Reader and writer must agree on the mask.
func (l *Layout) AppendRow(dst []byte, typ int, cells []int32, m Mask) []byte {
	t := &l.Types[typ]
	for i := range t.Fields {
		if !m.Has(i) {
			continue
		}
		f := &t.Fields[i]
		for c := f.Column; c < f.Column+f.Width; c++ {
			v := t.Columns[c].wire(cells[c])
			u := uint32(v<<1) ^ uint32(v>>31)
			for u >= 0x80 {
				dst = append(dst, byte(u)|0x80)
				u >>= 7
			}
			dst = append(dst, byte(u))
		}
	}
	return dst
}

// ReadRow reads what AppendRow wrote from the front of b into the columns of
// the selected fields, and returns the bytes after it. A cell whose wire value
// is already the one read is kept, so that a simulation's finer state survives
// a correction that corrects nothing. Values out of a column's range, overlong
// varints and truncated rows are refused (wire.ErrRange, wire.ErrTruncated);
// cells then hold a part of the row, so read into a copy.
func (l *Layout) ReadRow(b []byte, typ int, m Mask, cells []int32) (rest []byte, err error) {
	t := &l.Types[typ]
	for i := range t.Fields {
		if !m.Has(i) {
			continue
		}
		f := &t.Fields[i]
		for c := f.Column; c < f.Column+f.Width; c++ {
			var u uint32
			n, shift := 0, uint(0)
			for ; ; n++ {
				if n == len(b) {
					return b, wire.ErrTruncated
				}
				x := b[n]
				if n == 4 && x > 0x0f || n > 0 && x == 0 {
					return b, wire.ErrRange
				}
				u |= uint32(x&0x7f) << shift
				shift += 7
				if x < 0x80 {
					break
				}
			}
			b = b[n+1:]
			v, col := int32(u>>1)^-int32(u&1), &t.Columns[c]
			if v < col.Minimum || v > col.Maximum {
				return b, wire.ErrRange
			}
			if col.wire(cells[c]) != v {
				cells[c] = v << col.SubBits
			}
		}
	}
	return b, nil
}

// SameRow reports whether two rows have the same wire values in the selected
// fields.
func (l *Layout) SameRow(typ int, a, b []int32, m Mask) bool {
	t := &l.Types[typ]
	for i := range t.Fields {
		if !m.Has(i) {
			continue
		}
		f := &t.Fields[i]
		for c := f.Column; c < f.Column+f.Width; c++ {
			if a[c] != b[c] && t.Columns[c].wire(a[c]) != t.Columns[c].wire(b[c]) {
				return false
			}
		}
	}
	return true
}
