package detmath

import (
	"math"
	"math/big"
	"testing"
)

// precision is that of the reference: 1024 bits for the largest argument, and
// room to spare.
const precision = 1400

// halfPiBig is Pi/2 by Machin's formula, Pi = 16 atan(1/5) - 4 atan(1/239).
func halfPiBig() *big.Float {
	inverseTangent := func(n int64) *big.Float {
		term := new(big.Float).SetPrec(precision).Quo(big.NewFloat(1).SetPrec(precision), new(big.Float).SetInt64(n))
		sum := new(big.Float).Copy(term)
		square := new(big.Float).SetInt64(-n * n)
		for k := int64(3); term.MantExp(nil) > -precision; k += 2 {
			term.Quo(term, square)
			sum.Add(sum, new(big.Float).SetPrec(precision).Quo(term, new(big.Float).SetInt64(k)))
		}
		return sum
	}
	a, b := inverseTangent(5), inverseTangent(239)
	a.Mul(a, big.NewFloat(8))
	return a.Sub(a, b.Mul(b, big.NewFloat(2)))
}

func TestTheDigitsAreRight(t *testing.T) {
	halfPi := halfPiBig()
	turns := new(big.Float).SetPrec(precision).Quo(big.NewFloat(1).SetPrec(precision), halfPi)
	for i, want := range quarterTurns[1:] {
		turns.SetMantExp(turns, 64)
		word, _ := turns.Int(nil)
		if word.Uint64() != want {
			t.Errorf("word %d of 2/Pi is %#016x, not %#016x", i+1, word.Uint64(), want)
		}
		turns.Sub(turns, new(big.Float).SetInt(word))
	}
	fixed, _ := new(big.Float).SetMantExp(halfPi, 126).Int(nil)
	want := new(big.Int).Or(new(big.Int).Lsh(new(big.Int).SetUint64(halfPiHigh), 64), new(big.Int).SetUint64(halfPiLow))
	if fixed.Cmp(want) != 0 {
		t.Errorf("Pi/2 times 2^126 is %v, not %v", fixed, want)
	}
}

// TestHugeArguments compares the reduction with exact arithmetic over all
// exponents, and with the double that is nearest to a multiple of Pi/2.
func TestHugeArguments(t *testing.T) {
	halfPi := halfPiBig()
	r := NewRand(5)
	list := []float64{0x1.6ac5b262ca1ffp+849, 1 << 53, 1e22, math.MaxFloat64, 0x1p20, 0x1.921fb54442d18p+20}
	for e := 20; e < 1024; e++ {
		list = append(list, math.Ldexp(1+r.Float64(), e))
	}
	for _, x := range list {
		for _, x := range [...]float64{x, -x} {
			bx := new(big.Float).SetPrec(precision).SetFloat64(x)
			q := new(big.Float).SetPrec(precision).Quo(bx, halfPi)
			k, _ := q.Add(q, big.NewFloat(math.Copysign(0.5, x))).Int(nil)
			rest := new(big.Float).SetPrec(precision).SetInt(k)
			rest.Sub(bx, rest.Mul(rest, halfPi))
			wantHi, _ := rest.Float64()
			wantLo, _ := rest.Sub(rest, new(big.Float).SetFloat64(wantHi)).Float64()
			wantQ := int(new(big.Int).And(k, big.NewInt(3)).Int64())
			quadrant, hi, lo := reduceHuge(x)
			if quadrant != wantQ || math.Abs((hi-wantHi)+(lo-wantLo)) > math.Abs(wantHi)*0x1p-70 {
				t.Errorf("%v is %d quadrants and %v + %v, not %d and %v + %v", x, quadrant, hi, lo, wantQ, wantHi, wantLo)
			}
		}
	}
}

// TestHugeArgumentsCostNothing: a script may ask for the sine of anything.
func TestHugeArgumentsCostNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Sin(1e300) }); n != 0 {
		t.Errorf("the sine of a huge number allocates %v times", n)
	}
}
