package detmath

import (
	"math"
	"math/bits"
)

// quarterTurns is 2/Pi in binary: behind a word of zeros, its fraction, 64 bits
// a word. The largest argument needs bit 1224 of it.
var quarterTurns = [...]uint64{
	0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
	0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
	0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
}

// halfPiFixed is Pi/2 times 2^126.
const (
	halfPiHigh = 0x6487ed5110b4611a
	halfPiLow  = 0x62633145c06e0e68
)

// reduceHuge is reduce for arguments beyond half a million quarter turns, where
// the bits of 2/Pi that decide lie far behind its point. It works in integers:
// the same everywhere, and as fast as any other call.
func reduceHuge(x float64) (quadrant int, hi, lo float64) {
	b := math.Float64bits(x)
	m := b&(1<<52-1) | 1<<52
	e := int(b>>52&0x7FF) - 1075 // |x| = m * 2^e
	// Bits of 2/Pi up to the (e-2)th make whole turns. Of those behind it, 192
	// leave an error of 2^-137 quadrants; no double is nearer to a multiple of
	// Pi/2 than 2^-62 of one.
	z0, z1, z2 := quarterBits(e-2), quarterBits(e+62), quarterBits(e+126)
	c, p2 := bits.Mul64(m, z2)
	h, p1 := bits.Mul64(m, z1)
	p1, c = bits.Add64(p1, c, 0)
	_, p0 := bits.Mul64(m, z0)
	p0 += h + c
	// p is the argument in quadrants, times 2^190: two bits are the quadrant,
	// the rest a fraction, to be taken from the nearest quadrant.
	q := int(p0 >> 62)
	f0, f1, f2 := p0<<2|p1>>62, p1<<2|p2>>62, p2<<2
	below := f0>>63 == 1
	if below {
		q++
		f2, c = bits.Sub64(0, f2, 0)
		f1, c = bits.Sub64(0, f1, c)
		f0, _ = bits.Sub64(0, f0, c)
	}
	n := bits.LeadingZeros64(f0)
	f0, f1 = f0<<n|f1>>(64-n), f1<<n|f2>>(64-n)
	hi, lo = halfPiTimes(f0, f1, n)
	if below != (x < 0) {
		hi, lo = -hi, -lo
	}
	if x < 0 {
		q = -q
	}
	return q & 3, hi, lo
}

// quarterBits returns the 64 bits of 2/Pi that follow its i-th, i from -64.
func quarterBits(i int) uint64 {
	i += 64
	w, s := i>>6, i&63
	return quarterTurns[w]<<s | quarterTurns[w+1]>>(64-s)
}

// halfPiTimes returns Pi/2 times the fraction (f0*2^64 + f1) * 2^-(128+n), whose
// first bit is set, as a sum of two doubles.
func halfPiTimes(f0, f1 uint64, n int) (hi, lo float64) {
	a1, _ := bits.Mul64(f1, halfPiHigh)
	b1, _ := bits.Mul64(f0, halfPiLow)
	p1, p0 := bits.Mul64(f0, halfPiHigh)
	p0, c := bits.Add64(p0, a1, 0)
	p1 += c
	p0, c = bits.Add64(p0, b1, 0)
	p1 += c // p1, p0 is the product times 2^(126+n)
	s := bits.LeadingZeros64(p1)
	p1, p0 = p1<<s|p0>>(64-s), p0<<s
	hi = math.Ldexp(float64(p1>>11), 64+11-126-n-s)
	lo = math.Ldexp(float64(p1<<53|p0>>11), 11-126-n-s)
	return hi, lo
}
