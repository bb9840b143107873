package detmath

import "math"

// Pow returns x^y with the special cases of C99. Integral exponents are
// raised by squaring with the rounding errors kept, so that every result a
// float64 can hold exactly is exact; y = ±0.5 is the square root.
func Pow(x, y float64) float64 {
	if r, ok := powSpecial(x, y); ok {
		return r
	}
	negative := false
	if x < 0 {
		if y != math.Trunc(y) {
			return math.NaN()
		}
		negative = isOdd(y)
		x = -x
	}
	whole, frac := math.Trunc(y), y-math.Trunc(y)
	if math.Abs(frac) > 0.5 {
		whole += math.Copysign(1, y)
		frac = y - whole
	}
	if math.Abs(whole) >= 1<<31 { // over- or underflow, or x is very near 1
		hi, lo := logParts(x)
		r := Exp(float64(y*hi) + float64(y*lo))
		if negative {
			r = -r
		}
		return r
	}
	m, e := powInteger(x, int64(math.Abs(whole)))
	if whole < 0 {
		m, e = m.inverse(), -e
	}
	if frac != 0 {
		m = m.times(powFraction(x, frac))
	}
	r := ldexp(m.hi, m.lo, e)
	if negative {
		r = -r
	}
	return r
}

func powSpecial(x, y float64) (float64, bool) {
	switch {
	case y == 0 || x == 1:
		return 1, true
	case y == 1:
		return x, true
	case x != x || y != y:
		return math.NaN(), true
	case x == 0:
		odd := isOdd(y)
		switch {
		case y < 0 && odd:
			return math.Copysign(math.Inf(1), x), true
		case y < 0:
			return math.Inf(1), true
		case odd:
			return x, true
		}
		return 0, true
	case math.IsInf(y, 0):
		a := math.Abs(x)
		switch {
		case a == 1:
			return 1, true
		case (a > 1) == (y > 0):
			return math.Inf(1), true
		}
		return 0, true
	case math.IsInf(x, 0):
		r := 0.0
		if y > 0 {
			r = math.Inf(1)
		}
		if x < 0 && isOdd(y) {
			r = math.Copysign(r, -1)
		}
		return r, true
	case y == 0.5:
		return math.Sqrt(x), true
	case y == -0.5:
		return 1 / math.Sqrt(x), true
	}
	return 0, false
}

// isOdd reports whether y is an odd integer. Above 2^53 all are even.
func isOdd(y float64) bool {
	return math.Abs(y) < 1<<53 && y == math.Trunc(y) && int64(y)&1 == 1
}

// double is an unevaluated sum with about 106 bits; |lo| is at most half an
// ulp of hi. Its magnitude is kept near 1 so that splitting cannot overflow.
type double struct{ hi, lo float64 }

// twoProduct returns a*b and its rounding error by Dekker's splitting, which
// needs no fused multiply-add.
func twoProduct(a, b float64) (p, err float64) {
	const split = 1<<27 + 1
	p = float64(a * b)
	t := float64(split * a)
	ah := t - (t - a)
	al := a - ah
	t = float64(split * b)
	bh := t - (t - b)
	bl := b - bh
	err = float64(ah*bh) - p
	err += float64(ah * bl)
	err += float64(al * bh)
	err += float64(al * bl)
	return p, err
}

func (a double) times(b double) double {
	p, e := twoProduct(a.hi, b.hi)
	e += float64(a.hi*b.lo) + float64(a.lo*b.hi)
	hi, lo := twoSum(p, e)
	return double{hi, lo}
}

func (a double) inverse() double {
	q := 1 / a.hi
	p, e := twoProduct(q, a.hi)
	r := (1 - p) - e - float64(q*a.lo)
	hi, lo := twoSum(q, float64(r*q))
	return double{hi, lo}
}

// normal scales a to [0.5, 1) and returns the exponent taken out.
func (a double) normal() (double, int) {
	_, e := math.Frexp(a.hi)
	return double{math.Ldexp(a.hi, -e), math.Ldexp(a.lo, -e)}, e
}

// powInteger returns x^n as m * 2^e, x > 0, n >= 0.
func powInteger(x float64, n int64) (m double, e int) {
	b, be := double{x, 0}.normal()
	m = double{1, 0}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			m = m.times(b)
			e += be
			var k int
			m, k = m.normal()
			e += k
		}
		b = b.times(b)
		be *= 2
		var k int
		b, k = b.normal()
		be += k
		if be > 1<<40 || be < -(1<<40) {
			break // far beyond what can come back: Ldexp saturates
		}
		if e > 1<<20 || e < -(1<<20) {
			break
		}
	}
	return m, e
}

// powFraction is x^f for 0 < |f| <= 0.5. The product f*log(x) is formed with
// its error, as a relative error there is an absolute one of the result.
func powFraction(x, f float64) double {
	m, k := math.Frexp(x)
	hi, lo := logParts(m)
	p, e := twoProduct(f, hi)
	e += float64(f * lo)
	// 2^(k f) is folded in as (k f) ln2, split exactly: |k f| <= 537.
	q, qe := twoProduct(float64(k), f)
	l1, l2 := twoProduct(q, ln2Hi)
	l2 += float64(q*ln2Lo) + float64(qe*ln2Hi)
	s, se := twoSum(p, l1)
	v := se + e + l2
	s, v = twoSum(s, v)
	n := math.Floor(float64(s*log2e) + 0.5)
	r, rl := twoSum(s-float64(n*ln2Hi), -float64(n*ln2Lo))
	t := expTail(r, rl+v)
	h, l := twoSum(1, t)
	return double{math.Ldexp(h, int(n)), math.Ldexp(l, int(n))}
}

// ldexp is (hi+lo) * 2^e, rounded once where that matters.
func ldexp(hi, lo float64, e int) float64 {
	v := hi + lo
	if e > 5000 {
		e = 5000
	}
	if e < -5000 {
		e = -5000
	}
	return math.Ldexp(v, e)
}
