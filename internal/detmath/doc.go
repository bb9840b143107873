// Package detmath owns the mathematics that must give the same bits on every
// processor: trigonometry, exponentials, powers, the seeded random generator,
// and the check for fused multiply-adds. It never reads a clock or the
// process-wide random source, and it never imports another package of ours.
//
// Why not package math: some architectures have assembly for some of its
// functions, and the Go compiler may fuse x*y + z into one rounding where the
// processor can (arm64, ppc64, s390x, riscv64, amd64 at GOAMD64=v3). An
// explicit conversion, float64(x*y) + z, forbids that; every sum of products
// below is written so, and a test reads this package's source to hold it to
// the rule. math.Sqrt, Floor, Ceil, Trunc, Mod, Frexp, Ldexp, Abs and Copysign
// are exact by definition and are used as they are.
//
// Accuracy: within 1 ulp for Sqrt, within 2 ulp for Sin, Cos, Exp, Log, Atan
// and Pow with integral exponents, within 4 ulp for the others on ordinary
// arguments (a test compares with package math).
package detmath

import "math"

// Sqrt returns the square root of x, correctly rounded everywhere.
func Sqrt(x float64) float64 { return math.Sqrt(x) }

// Mod returns the remainder of x/y with the sign of x; it is exact.
func Mod(x, y float64) float64 { return math.Mod(x, y) }

// Hypot returns the length of (x, y) without undue overflow. It is not
// correctly rounded, but the same everywhere.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if math.IsInf(x, 1) || math.IsInf(y, 1) {
		return math.Inf(1)
	}
	if x < y {
		x, y = y, x
	}
	if x == 0 || x != x || y != y {
		return x + y
	}
	q := y / x
	return float64(x * math.Sqrt(1+float64(q*q)))
}
