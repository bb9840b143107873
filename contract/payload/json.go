package payload

import (
	"math"
	"strconv"

	"demi.network/contract/jsontext"
)

// DecodeJSON reads one payload from JSON text into v, validating it on the way
// under the rules of the wire form: a name given twice, a lone surrogate,
// bytes that are not UTF-8, a byte order mark and anything behind the value
// are refused. A whole number counts as one however it is spelled (5.0, 50e-1);
// one that is spelled out and that no double equals is refused, while a
// fraction or an exponent means the nearest double. Text counts against
// lim.Bytes unescaped; white space and the names that the schema declares do not
// count. The error is a *Refusal, valid until v is used again, and v is then
// empty.
func (p *Plan) DecodeJSON(b []byte, lim Limits, v *Value) error {
	s := v.begin(p, lim)
	r := jsonReader{s: s}
	r.scan.Reset(b)
	for r.next() {
	}
	return s.Close()
}

// jsonReader drives a Sink from JSON text.
type jsonReader struct {
	s    *Sink
	scan jsontext.Scanner
	name []byte // the last name that had escapes
}

// next passes one event on; false at the end and after a refusal.
func (r *jsonReader) next() bool {
	s := r.s
	switch r.scan.Next() {
	case jsontext.BeginObject:
		return s.BeginObject()
	case jsontext.BeginArray:
		return s.BeginArray()
	case jsontext.EndObject, jsontext.EndArray:
		return s.End()
	case jsontext.Key:
		return r.key()
	case jsontext.Text:
		return r.text()
	case jsontext.Num:
		return r.number()
	case jsontext.True:
		return s.Bool(true)
	case jsontext.False:
		return s.Bool(false)
	case jsontext.Nil:
		return s.Null()
	case jsontext.EOF:
		return false
	}
	return r.fault()
}

// fault refuses what is not JSON.
func (r *jsonReader) fault() bool {
	f, at := r.scan.Fault()
	switch f {
	case jsontext.FaultTruncated:
		return r.s.fail(Truncated, ruleJSON, nil, int64(at)<<8|int64(f))
	case jsontext.FaultDepth:
		return r.s.fail(ExcessiveDepth, ruleDepth, nil, 0)
	}
	return r.s.fail(Malformed, ruleJSON, nil, int64(at)<<8|int64(f))
}

func (r *jsonReader) key() bool {
	raw := r.scan.Raw()
	if !r.scan.Escaped() {
		return r.s.Key(raw[1 : len(raw)-1])
	}
	if length := r.scan.TextLen(); length > r.s.lim.StringBytes {
		return r.s.fail(StringTooLong, ruleStringBytes, nil, int64(length))
	}
	r.name = r.scan.AppendText(r.name[:0])
	return r.s.Key(r.name)
}

func (r *jsonReader) text() bool {
	n := r.s.slot()
	if n == nil {
		return false
	}
	return r.s.fits(n, r.scan.TextLen()) && r.s.text(n, r.scan.AppendText(r.s.v.text))
}

func (r *jsonReader) number() bool {
	x, ok := r.scan.Number()
	switch {
	case !ok:
		return r.s.Num(math.Inf(1))
	case !x.Exact(r.scan.Raw()):
		if n := r.s.slot(); n != nil {
			r.s.fail(SchemaViolation, ruleInexact, n, 0)
		}
		return false
	}
	return r.s.Num(x.Float)
}

// AppendJSON appends v as compact JSON text that DecodeJSON reads back to an
// equal Value: members in the order of Cursor.First, whole numbers up to 2^53
// without exponent, other doubles in the shortest spelling that is theirs.
// Only quotes, backslashes and control characters are escaped. An empty Value
// is null.
func AppendJSON(dst []byte, v *Value) []byte { return v.Root().AppendJSON(dst) }

// AppendJSON appends the value under the cursor as AppendJSON does.
func (c Cursor) AppendJSON(dst []byte) []byte {
	switch c.Kind() {
	case Bool:
		return strconv.AppendBool(dst, c.Bool())
	case Int:
		return strconv.AppendInt(dst, c.Int(), 10)
	case Float:
		return appendFloat(dst, c.Float())
	case String:
		return appendQuoted(dst, c.Text())
	case Array:
		dst = append(dst, '[')
		for m := c.First(); m.Valid(); m = m.Next() {
			dst = append(m.AppendJSON(dst), ',')
		}
		return closed(dst, ']')
	case Object:
		dst = append(dst, '{')
		for m := c.First(); m.Valid(); m = m.Next() {
			dst = append(appendQuoted(dst, m.Key()), ':')
			dst = append(m.AppendJSON(dst), ',')
		}
		return closed(dst, '}')
	}
	return append(dst, "null"...)
}

// closed puts the end of a container in place of its last comma.
func closed(dst []byte, end byte) []byte {
	if last := len(dst) - 1; dst[last] == ',' {
		dst[last] = end
		return dst
	}
	return append(dst, end)
}

// appendFloat spells a double that is no Int. A large whole one needs its
// exponent: spelled out, its shortest digits would be another whole number.
func appendFloat(dst []byte, f float64) []byte {
	format := byte('f')
	if a := math.Abs(f); a < 1e-6 || a > MaxInt {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

// appendQuoted spells text as a JSON string, as little escaped as it can be.
func appendQuoted(dst, text []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i, c := range text {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, text[from:]...), '"')
}

// String returns the payload as AppendJSON does, for logs and tests.
func (v *Value) String() string { return string(AppendJSON(nil, v)) }

// String returns the value as AppendJSON does, for logs and tests.
func (c Cursor) String() string { return string(c.AppendJSON(nil)) }
