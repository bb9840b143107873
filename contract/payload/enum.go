package payload

import (
	"math"
	"slices"

	"demi.network/contract/jsontext"
)

// enum keeps the constants that the other rules allow, so that each has a
// place on the wire. const is an enum of one; with both, both hold.
func (b *builder) enum(word string) {
	v := b.at.Get(word)
	if v == nil {
		return
	}
	list := []*jsontext.Node{v}
	if word == "enum" {
		if v.Kind != jsontext.KindArray || len(v.Items) == 0 {
			b.c.issue(v, "", "enum must be an array of values")
			return
		}
		list = v.Items
	}
	if len(list) > MaxConstants {
		b.c.issue(v, "", "more than %d values", MaxConstants)
		return
	}
	seen := map[constantValue]bool{}
	var kept []constantValue
	for _, item := range list {
		c, ok := b.constant(item)
		if !ok {
			continue
		}
		if seen[c] {
			b.c.issue(item, "", "the value is listed twice")
			continue
		}
		seen[c] = true
		if b.n.allows(c, item.Text) && (b.n.enum == nil || slices.Contains(b.n.enum, c)) {
			kept = append(kept, c)
		} else if len(list) > 1 {
			b.c.warn(item, "", "the other rules of this schema forbid the value")
		}
	}
	if len(kept) == 0 && len(seen) > 0 {
		b.c.issue(v, "", "the other rules of this schema forbid every value listed")
	}
	b.n.enum, b.n.enumWord = kept, word
	b.n.saysNull = slices.Contains(kept, constantValue{kind: Null})
}

func (b *builder) constant(v *jsontext.Node) (constantValue, bool) {
	switch v.Kind {
	case jsontext.KindNull:
		return constantValue{kind: Null}, true
	case jsontext.KindBool:
		if v.Bool {
			return constantValue{Bool, 1}, true
		}
		return constantValue{Bool, 0}, true
	case jsontext.KindString:
		return constantValue{String, uint64(b.c.text(v.Text))}, true
	case jsontext.KindNumber:
		f, ok := b.exact(v)
		if math.Abs(f) <= MaxInt && f == math.Trunc(f) {
			return constantValue{Int, uint64(int64(f))}, ok
		}
		return constantValue{Float, math.Float64bits(f)}, ok
	}
	b.c.issue(v, "", "arrays and objects cannot be listed as values")
	return constantValue{}, false
}

// allows says whether the rules but enum allow a constant.
func (n *schema) allows(c constantValue, text string) bool {
	if !n.kinds.Has(c.kind) {
		return false
	}
	f := 0.0
	switch c.kind {
	case String:
		return len(text) >= n.minLength && len(text) <= n.maxLength
	case Int:
		f = float64(int64(c.bits))
	case Float:
		f = math.Float64frombits(c.bits)
		if n.integer && f != math.Trunc(f) {
			return false
		}
	default:
		return true
	}
	return !(f < n.minimum || f == n.minimum && n.minExclusive || f > n.maximum || f == n.maximum && n.maxExclusive)
}
