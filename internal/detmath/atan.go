package detmath

import "math"

const (
	piHi     = 0x1.921fb54442d18p+1
	piLo     = 0x1.1a62633145c07p-53
	halfPiHi = 0x1.921fb54442d18p+0
	halfPiLo = 0x1.1a62633145c07p-54
)

// atanTable holds atan(i/16) as a rounded value and the rest.
var atanTable = [17][2]float64{
	{0, 0},
	{0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
	{0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
	{0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
	{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
	{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
	{0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
	{0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
}

// Atan returns the arc tangent of x in radians, in [-Pi/2, Pi/2].
func Atan(x float64) float64 {
	if x == 0 || x != x {
		return x
	}
	a := math.Abs(x)
	var r float64
	if a <= 1 {
		hi, lo := atanUnit(a, 1)
		r = hi + lo
	} else {
		hi, lo := atanUnit(1, a)
		r = halfPiHi - hi + (halfPiLo - lo)
	}
	return math.Copysign(r, x)
}

// Atan2 returns the angle of (x, y) in radians, in [-Pi, Pi], with the usual
// results at zeros and infinities.
func Atan2(y, x float64) float64 {
	switch {
	case x != x || y != y:
		return math.NaN()
	case y == 0:
		if x >= 0 && !math.Signbit(x) {
			return math.Copysign(0, y)
		}
		return math.Copysign(piHi, y)
	case x == 0:
		return math.Copysign(halfPiHi, y)
	case math.IsInf(x, 0) && math.IsInf(y, 0):
		if x > 0 {
			return math.Copysign(halfPiHi/2, y)
		}
		return math.Copysign(float64(3*(halfPiHi/2)), y)
	}
	ax, ay := math.Abs(x), math.Abs(y)
	var hi, lo float64
	if ay <= ax {
		hi, lo = atanUnit(ay, ax)
	} else {
		hi, lo = atanUnit(ax, ay)
		hi, lo = halfPiHi-hi, halfPiLo-lo
	}
	if x < 0 {
		hi, lo = piHi-hi, piLo-lo
	}
	return math.Copysign(hi+lo, y)
}

// Asin returns the arc sine of x; NaN outside [-1, 1].
func Asin(x float64) float64 {
	if x == 0 {
		return x
	}
	if x != x || x < -1 || x > 1 {
		return math.NaN()
	}
	return Atan2(x, math.Sqrt(float64((1-x)*(1+x))))
}

// Acos returns the arc cosine of x; NaN outside [-1, 1].
func Acos(x float64) float64 {
	if x != x || x < -1 || x > 1 {
		return math.NaN()
	}
	return Atan2(math.Sqrt(float64((1-x)*(1+x))), x)
}

// atanUnit returns atan(y/x) for 0 <= y <= x as a value and a rest.
//
// With c = i/16 nearest to y/x, atan(y/x) = atan(c) + atan((y - c x)/(x + c y)),
// and the second argument is at most 1/32.
func atanUnit(y, x float64) (hi, lo float64) {
	if math.IsInf(x, 1) {
		return 0, 0
	}
	if x >= 0x1p1000 { // keep x + c*y finite
		x, y = float64(x*0x1p-30), float64(y*0x1p-30)
	}
	q := y / x
	i := math.Floor(float64(q*16) + 0.5)
	if i == 0 {
		return q, atanTail(q)
	}
	c := i / 16
	t := (y - float64(c*x)) / (x + float64(c*y))
	hi, lo = atanTable[int(i)][0], atanTable[int(i)][1]
	sum, e := twoSum(hi, t)
	return sum, e + lo + atanTail(t)
}

// atanTail is atan(t) - t for |t| <= 1/32.
func atanTail(t float64) float64 {
	z := float64(t * t)
	p := 1.0 / 13
	p = -1.0/11 + float64(z*p)
	p = 1.0/9 + float64(z*p)
	p = -1.0/7 + float64(z*p)
	p = 1.0/5 + float64(z*p)
	p = -1.0/3 + float64(z*p)
	return float64(float64(t*z) * p)
}
