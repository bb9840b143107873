package detmath

import "math/bits"

// Rand is a seeded random generator (xoshiro256**, seeded by splitmix64). The
// zero value is not usable: call Seed first. Copying a Rand copies its
// sequence. Not safe for concurrent use.
type Rand struct{ s [4]uint64 }

// NewRand returns a generator for seed; equal seeds give equal sequences on
// every processor and in every process.
func NewRand(seed uint64) Rand {
	var r Rand
	r.Seed(seed)
	return r
}

// Seed starts the sequence of seed from its beginning.
func (r *Rand) Seed(seed uint64) {
	for i := range r.s {
		r.s[i] = Mix(&seed)
	}
}

// Mix advances a 64-bit state and returns a number: a whole generator in one
// word (splitmix64), for states that must be a single integer, as a World's is.
func Mix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	s := &r.s
	out := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return out
}

// Float64 returns a number in [0, 1), a multiple of 2^-53.
func (r *Rand) Float64() float64 { return Unit(r.Uint64()) }

// Unit turns 64 random bits into a number in [0, 1), a multiple of 2^-53.
func Unit(random uint64) float64 { return float64(float64(random>>11) * 0x1p-53) }

// Uint64N returns a number in [0, n) without bias. It panics when n is 0.
func (r *Rand) Uint64N(n uint64) uint64 {
	if n == 0 {
		panic("detmath: BUG: Uint64N(0)")
	}
	hi, lo := bits.Mul64(r.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(r.Uint64(), n)
		}
	}
	return hi
}
