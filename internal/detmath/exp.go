package detmath

import "math"

const (
	ln2Hi  = 0x1.62e42fee00000p-1 // 32 bits: k*ln2Hi is exact for |k| < 2^20
	ln2Lo  = 0x1.a39ef35793c76p-33
	log2e  = 0x1.71547652b82fep+0
	log10e = 0x1.bcb7b1526e50ep-2
	ln10   = 0x1.26bb1bbb55516p+1

	expOverflow  = 709.782712893384
	expUnderflow = -745.1332191019412
)

// Exp returns e^x.
func Exp(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	}
	k := math.Floor(float64(x*log2e) + 0.5)
	r, lo := twoSum(x-float64(k*ln2Hi), -float64(k*ln2Lo))
	return math.Ldexp(1+expTail(r, lo), int(k))
}

// Expm1 returns e^x - 1 without cancellation near zero.
func Expm1(x float64) float64 {
	if x == 0 {
		return x
	}
	if math.Abs(x) < 0.35 {
		return expTail(x, 0)
	}
	return Exp(x) - 1
}

// expTail is e^(r+lo) - 1 for |r| <= ln2/2 (0.35).
func expTail(r, lo float64) float64 {
	p := 1.0 / 87178291200 // 14!
	p = 1.0/6227020800 + float64(r*p)
	p = 1.0/479001600 + float64(r*p)
	p = 1.0/39916800 + float64(r*p)
	p = 1.0/3628800 + float64(r*p)
	p = 1.0/362880 + float64(r*p)
	p = 1.0/40320 + float64(r*p)
	p = 1.0/5040 + float64(r*p)
	p = 1.0/720 + float64(r*p)
	p = 1.0/120 + float64(r*p)
	p = 1.0/24 + float64(r*p)
	p = 1.0/6 + float64(r*p)
	p = 1.0/2 + float64(r*p)
	t := float64(float64(r*r)*p) + (lo + float64(lo*r))
	return r + t
}

// Log returns the natural logarithm of x; NaN below zero, -Inf at zero.
func Log(x float64) float64 {
	hi, lo := logParts(x)
	return hi + lo
}

// logParts returns log(x) as a value and a rest.
func logParts(x float64) (hi, lo float64) {
	switch {
	case x != x || math.IsInf(x, 1):
		return x, 0
	case x < 0:
		return math.NaN(), 0
	case x == 0:
		return math.Inf(-1), 0
	}
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m += m
		k--
	}
	// log m = 2 atanh(s), s = (m-1)/(m+1), |s| < 0.172. f - s*f/... keeps the
	// leading term exact: log m = f - s*(f - R) with f = m-1, R the series.
	f := m - 1 // exact
	s := f / (m + 1)
	z := float64(s * s)
	p := 2.0 / 23
	p = 2.0/21 + float64(z*p)
	p = 2.0/19 + float64(z*p)
	p = 2.0/17 + float64(z*p)
	p = 2.0/15 + float64(z*p)
	p = 2.0/13 + float64(z*p)
	p = 2.0/11 + float64(z*p)
	p = 2.0/9 + float64(z*p)
	p = 2.0/7 + float64(z*p)
	p = 2.0/5 + float64(z*p)
	p = 2.0/3 + float64(z*p)
	r := float64(z * p) // 2 atanh(s)/s - 2
	half := float64(float64(f*f) * 0.5)
	// 2 atanh(s) = 2s + s r, and 2s = f - s f, s f = half - s*half... so that
	// the sum below starts with the exact f.
	tail := float64(s * (half + r))
	kf := float64(k)
	hi, e := twoSum(float64(kf*ln2Hi), f)
	lo = e - half + tail + float64(kf*ln2Lo)
	return hi, lo
}

// Log2 returns the binary logarithm of x, exact for powers of two.
func Log2(x float64) float64 {
	if m, k := math.Frexp(x); m == 0.5 {
		return float64(k - 1)
	}
	return float64(Log(x) * log2e)
}

// Log10 returns the decimal logarithm of x, exact for the powers of ten that
// a float64 holds exactly.
func Log10(x float64) float64 {
	l := float64(Log(x) * log10e)
	if n := math.Floor(l + 0.5); n >= 0 && n <= 22 && Pow(10, n) == x {
		return n
	}
	return l
}

// Sinh returns the hyperbolic sine of x.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	if a < 0.35 {
		e := expTail(x, 0)
		return (e + e/(1+e)) / 2
	}
	if a > 700 {
		h := Exp(a / 2)
		return math.Copysign(float64(h/2*h), x)
	}
	e := Exp(a)
	return math.Copysign((e-1/e)/2, x)
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	if a > 700 {
		h := Exp(a / 2)
		return float64(h / 2 * h)
	}
	e := Exp(a)
	return (e + 1/e) / 2
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	if a > 22 {
		return math.Copysign(1, x)
	}
	if x == 0 {
		return x
	}
	e := Expm1(float64(2 * a))
	return math.Copysign(e/(e+2), x)
}
