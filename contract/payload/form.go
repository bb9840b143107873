package payload

import "math"

// unreachable is the size of a value that nothing satisfies. Sizes are added
// and multiplied below it without overflow.
const unreachable = math.MaxInt32

// finish chooses the spelling of every place and computes the smallest size.
func (p *Plan) finish() {
	p.texts = make([][]byte, len(p.strings))
	for i, s := range p.strings {
		p.texts[i] = []byte(s)
	}
	for i := range p.schemas {
		p.schemas[i].choose()
	}
	for i := range p.schemas {
		p.layHeader(&p.schemas[i])
	}
	p.minimum = p.smallest()
}

// choose picks the form of one place.
func (n *schema) choose() {
	n.form = formTagged
	switch {
	case n.enum != nil:
		n.form = formEnum
	case n.kinds == 1<<Null:
		n.form = formNull
	case n.kinds == 1<<Bool:
		n.form = formBool
	case n.kinds == anyNumber && n.integer:
		n.chooseInteger()
	case n.kinds == anyNumber:
		n.form = formNumber
	case n.kinds == 1<<String:
		n.form = formString
	case n.kinds == 1<<Array:
		n.form = formArray
	case n.kinds == 1<<Object:
		n.form = formObject
	}
}

func (n *schema) chooseInteger() {
	lo, hi := n.wholeBounds()
	n.form = formZigzag
	if math.Abs(lo) > MaxInt {
		return
	}
	n.form = formOffset
	n.base = int64(lo)
	if hi > MaxInt {
		n.most = uint64(MaxInt - n.base)
		n.large = true
		return
	}
	n.most = uint64(int64(hi) - n.base)
	switch {
	case n.most == 0:
		n.form = formOne
	case n.most <= math.MaxUint8:
		n.form = formByte
	}
}

// layHeader gives optional members their presence bits and bools their values.
func (p *Plan) layHeader(n *schema) {
	n.header = 0
	for i := range n.props {
		m := &n.props[i]
		m.rules = &p.schemas[m.schema]
		m.presence, m.value = -1, -1
		if !n.required.has(i) {
			m.presence = int16(n.header)
			n.header++
		}
		if m.rules.form == formBool {
			m.value = int16(n.header)
			n.header++
		}
	}
}

// smallest returns the size of the smallest payload. Recursive schemas make
// this a fixed point: sizes start out unreachable and only fall. Places are
// numbered from the outside in, so going backwards settles nearly all at once.
func (p *Plan) smallest() int {
	size := make([]int, len(p.schemas))
	for i := range size {
		size[i] = unreachable
	}
	for changed := true; changed; {
		changed = false
		for i := len(size) - 1; i >= 0; i-- {
			if s := p.sizeOf(&p.schemas[i], size); s < size[i] {
				size[i], changed = s, true
			}
		}
	}
	return size[p.root]
}

// sizeOf returns the smallest size of one place, given those of the others.
func (p *Plan) sizeOf(n *schema, size []int) int {
	switch n.form {
	case formNull, formOne:
		return 0
	case formEnum:
		return min(1, len(n.enum)-1)
	case formString:
		return uvarintLen(uint64(n.minLength)) + n.minLength
	case formArray:
		count := uvarintLen(uint64(n.minItems))
		if n.fixed() {
			count = 0
		}
		return min(count+n.arraySize(size), unreachable)
	case formObject:
		count := 1
		if n.extra == none {
			count = 0
		}
		return min(count+p.objectSize(n, size), unreachable)
	case formTagged:
		return p.taggedSize(n, size)
	}
	return 1
}

// taggedSize returns the smallest size over the kinds that n allows.
func (p *Plan) taggedSize(n *schema, size []int) int {
	best := unreachable
	if n.kinds&(1<<Null|1<<Bool|anyNumber) != 0 {
		return 1
	}
	if n.kinds.Has(String) {
		best = 1 + n.minLength
	}
	if n.kinds.Has(Array) {
		best = min(best, 1+n.arraySize(size))
	}
	if n.kinds.Has(Object) {
		best = min(best, 1+p.objectSize(n, size))
	}
	return best
}

func (n *schema) arraySize(size []int) int {
	if n.minItems == 0 {
		return 0
	}
	return min(n.minItems*size[n.items], unreachable)
}

// objectSize returns header and required members.
func (p *Plan) objectSize(n *schema, size []int) int {
	sum := headerBytes(n.header)
	for i := range n.props {
		if m := &n.props[i]; n.required.has(i) && m.value < 0 {
			sum = min(sum+size[m.schema], unreachable)
		}
	}
	return sum
}

// fixed says whether an array always has the same number of items.
func (n *schema) fixed() bool { return n.minItems == n.maxItems }

func headerBytes(bits int32) int { return int(bits+7) / 8 }

func uvarintLen(x uint64) int {
	n := 1
	for ; x >= 0x80; x >>= 7 {
		n++
	}
	return n
}
