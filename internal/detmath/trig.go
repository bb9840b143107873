package detmath

import "math"

// Pi/2 in four pieces: the first three have at most 33 significant bits, so
// that their product with an integer below 2^20 is exact.
const (
	halfPi1 = 0x1.921fb54400000p+0
	halfPi2 = 0x1.0b4611a600000p-34
	halfPi3 = 0x1.3198a2e000000p-69
	halfPi4 = 0x1.b839a252049c1p-104

	twoOverPi = 0x1.45f306dc9c883p-1

	// smallQuadrants bounds the arguments that the four pieces reduce
	// exactly enough; larger ones are reduced with more digits.
	smallQuadrants = 1 << 19
)

// Sin returns the sine of x radians; NaN for infinities and NaN.
func Sin(x float64) float64 {
	q, hi, lo, ok := reduce(x)
	if !ok {
		return math.NaN()
	}
	if x == 0 {
		return x // keeps the sign of zero
	}
	switch q {
	case 0:
		return sinKernel(hi, lo)
	case 1:
		return cosKernel(hi, lo)
	case 2:
		return -sinKernel(hi, lo)
	}
	return -cosKernel(hi, lo)
}

// Cos returns the cosine of x radians; NaN for infinities and NaN.
func Cos(x float64) float64 {
	q, hi, lo, ok := reduce(x)
	if !ok {
		return math.NaN()
	}
	switch q {
	case 0:
		return cosKernel(hi, lo)
	case 1:
		return -sinKernel(hi, lo)
	case 2:
		return -cosKernel(hi, lo)
	}
	return sinKernel(hi, lo)
}

// SinCos returns both at the price of one reduction.
func SinCos(x float64) (sin, cos float64) {
	q, hi, lo, ok := reduce(x)
	if !ok {
		return math.NaN(), math.NaN()
	}
	s, c := sinKernel(hi, lo), cosKernel(hi, lo)
	if x == 0 {
		s = x
	}
	switch q {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	}
	return -c, s
}

// Tan returns the tangent of x radians; NaN for infinities and NaN.
func Tan(x float64) float64 {
	s, c := SinCos(x)
	return s / c
}

// reduce writes x as quadrant*(Pi/2) + hi + lo with |hi| <= Pi/4 (a little
// more at the edges); ok is false for infinities and NaN.
func reduce(x float64) (quadrant int, hi, lo float64, ok bool) {
	if x != x || math.IsInf(x, 0) {
		return 0, 0, 0, false
	}
	if math.Abs(x) <= halfPi1/2 {
		return 0, x, 0, true
	}
	k := math.Floor(float64(x*twoOverPi) + 0.5)
	if math.Abs(k) >= smallQuadrants {
		quadrant, hi, lo = reduceHuge(x)
		return quadrant, hi, lo, true
	}
	// x - k*halfPi1 is exact (neighbouring magnitudes), the rest is summed
	// with its rounding error kept.
	a := x - float64(k*halfPi1)
	hi, lo = twoSum(a, -float64(k*halfPi2))
	var e float64
	hi, e = twoSum(hi, -float64(k*halfPi3))
	lo += e
	lo -= float64(k * halfPi4)
	hi, lo = twoSum(hi, lo)
	return int(int64(k) & 3), hi, lo, true
}

// Taylor coefficients: on [-Pi/4, Pi/4] the first term left out is below
// 1e-19 of the result.
const (
	s3  = -1.0 / 6
	s5  = 1.0 / 120
	s7  = -1.0 / 5040
	s9  = 1.0 / 362880
	s11 = -1.0 / 39916800
	s13 = 1.0 / 6227020800
	s15 = -1.0 / 1307674368000
	s17 = 1.0 / 355687428096000

	c4  = 1.0 / 24
	c6  = -1.0 / 720
	c8  = 1.0 / 40320
	c10 = -1.0 / 3628800
	c12 = 1.0 / 479001600
	c14 = -1.0 / 87178291200
	c16 = 1.0 / 20922789888000
	c18 = -1.0 / 6402373705728000
)

// sinKernel is sin(hi+lo) for a reduced argument.
func sinKernel(hi, lo float64) float64 {
	z := float64(hi * hi)
	p := s17
	p = s15 + float64(z*p)
	p = s13 + float64(z*p)
	p = s11 + float64(z*p)
	p = s9 + float64(z*p)
	p = s7 + float64(z*p)
	p = s5 + float64(z*p)
	p = s3 + float64(z*p)
	tail := float64(float64(hi*z) * p)
	tail += float64(lo * (1 - float64(0.5*z)))
	return hi + tail
}

// cosKernel is cos(hi+lo) for a reduced argument.
func cosKernel(hi, lo float64) float64 {
	z := float64(hi * hi)
	p := c18
	p = c16 + float64(z*p)
	p = c14 + float64(z*p)
	p = c12 + float64(z*p)
	p = c10 + float64(z*p)
	p = c8 + float64(z*p)
	p = c6 + float64(z*p)
	p = c4 + float64(z*p)
	half := float64(0.5 * z)
	one := 1 - half
	rest := (1 - one) - half // what rounding 1 - z/2 lost
	rest += float64(float64(z*z) * p)
	rest -= float64(hi * lo)
	return one + rest
}

// twoSum returns a+b and its rounding error.
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	bb := sum - a
	err = (a - (sum - bb)) + (b - bb)
	return sum, err
}
