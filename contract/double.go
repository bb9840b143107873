package contract

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// The engine's JSON library prints doubles by Grisu2 (F. Loitsch, "Printing
// floating-point numbers quickly and accurately with integers", 2010), which
// for about one double in a thousand does not find the shortest digits. A hash
// that must equal the engine's needs the same digits, so the algorithm is here
// and strconv is not used. Its parameters, too, are the library's: cached
// powers of ten are eight decades apart, from 10^-300 on.

// scaled is the number f × 2^e.
type scaled struct {
	f uint64
	e int
}

func (x scaled) normal() scaled {
	n := bits.LeadingZeros64(x.f)
	return scaled{x.f << n, x.e - n}
}

// times multiplies and rounds to 64 bits.
func (x scaled) times(y scaled) scaled {
	hi, lo := bits.Mul64(x.f, y.f)
	_, carry := bits.Add64(lo, 1<<63, 0)
	return scaled{hi + carry, x.e + y.e + 64}
}

// neighbours returns a positive finite double and the middles between it and
// the doubles on either side, the outer two with one exponent.
func neighbours(v float64) (low, w, high scaled) {
	b := math.Float64bits(v)
	exponent, fraction := int(b>>52&0x7ff), b&(1<<52-1)
	x := scaled{fraction, 1 - 1075}
	if exponent != 0 {
		x = scaled{fraction | 1<<52, exponent - 1075}
	}
	high = scaled{2*x.f + 1, x.e - 1}.normal()
	low = scaled{2*x.f - 1, x.e - 1}
	if fraction == 0 && exponent > 1 { // the double below is nearer
		low = scaled{4*x.f - 1, x.e - 2}
	}
	low = scaled{low.f << (low.e - high.e), high.e}
	return low, x.normal(), high
}

// powerOfTen returns a power of ten, rounded, whose product with a number of
// binary exponent e has an exponent from -60 to -32.
func powerOfTen(e int) (power scaled, k int) {
	const least, apart = -300, 8
	f := -60 - e - 1
	decimal := f * 78913 / (1 << 18) // × log10(2)
	if f > 0 {
		decimal++
	}
	k = least + (decimal-least+apart-1)/apart*apart
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(k, -k))), nil)
	p := new(big.Float).SetPrec(64).SetInt(ten)
	if k < 0 {
		p.Quo(big.NewFloat(1).SetPrec(64), new(big.Float).SetInt(ten))
	}
	mantissa := new(big.Float)
	exponent := p.MantExp(mantissa)
	mantissa.SetMantExp(mantissa, 64)
	m, _ := mantissa.Uint64()
	return scaled{m, exponent - 64}, k
}

// shortDigits returns decimal digits of a positive finite double and the power
// of ten that the last one counts.
func shortDigits(v float64) (digits []byte, exponent int) {
	low, w, high := neighbours(v)
	power, k := powerOfTen(high.e)
	low, w, high = low.times(power), w.times(power), high.times(power)
	low.f++
	high.f--
	return generate(low.f, w.f, high, -k)
}

// generate writes the digits of high until what is left lies above low, and
// then moves the last digit as near to w as it gets.
func generate(low, w uint64, high scaled, exponent int) ([]byte, int) {
	delta, dist := high.f-low, high.f-w
	shift := uint(-high.e)
	one := uint64(1) << shift
	whole, part := high.f>>shift, high.f&(one-1)
	digits := make([]byte, 0, 17)
	ten := uint64(1)
	n := 1
	for ; whole/ten >= 10; n++ {
		ten *= 10
	}
	for ; n > 0; ten /= 10 {
		digits = append(digits, '0'+byte(whole/ten))
		whole %= ten
		n--
		if rest := whole<<shift + part; rest <= delta {
			nearer(digits, dist, delta, rest, ten<<shift)
			return digits, exponent + n
		}
	}
	for {
		part *= 10
		digits = append(digits, '0'+byte(part>>shift))
		part &= one - 1
		exponent--
		delta *= 10
		dist *= 10
		if part <= delta {
			nearer(digits, dist, delta, part, one)
			return digits, exponent
		}
	}
}

// nearer lowers the last digit while that brings the digits nearer to the
// double and keeps them inside.
func nearer(digits []byte, dist, delta, rest, unit uint64) {
	for rest < dist && delta-rest >= unit && (rest+unit < dist || dist-rest > rest+unit-dist) {
		digits[len(digits)-1]--
		rest += unit
	}
}

// dumpDouble appends a finite double as the engine's library prints it: with
// ".0" when it is whole, and an exponent of at least two digits outside 1e-4
// to 1e15.
func dumpDouble(b []byte, f float64) []byte {
	if math.Signbit(f) {
		b = append(b, '-')
		f = -f
	}
	if f == 0 {
		return append(b, "0.0"...)
	}
	digits, exponent := shortDigits(f)
	k, n := len(digits), len(digits)+exponent
	zeros := func(count int) {
		for range count {
			b = append(b, '0')
		}
	}
	switch {
	case k <= n && n <= 15:
		b = append(b, digits...)
		zeros(n - k)
		return append(b, ".0"...)
	case 0 < n && n <= 15:
		b = append(append(b, digits[:n]...), '.')
		return append(b, digits[n:]...)
	case -4 < n && n <= 0:
		b = append(b, "0."...)
		zeros(-n)
		return append(b, digits...)
	}
	b = append(b, digits[0])
	if k > 1 {
		b = append(append(b, '.'), digits[1:]...)
	}
	e := n - 1
	b = append(b, 'e', '+')
	if e < 0 {
		b[len(b)-1] = '-'
		e = -e
	}
	if e < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(e), 10)
}
