package detmath

// Fuses reports whether this build rounds x*y + z once, where the source asks
// for it without an explicit conversion. Code of ours is written so that the
// answer does not matter; it explains a difference in an embedder's own float
// code.
func Fuses() bool {
	// With x = 1 + 2^-30, x*x needs 61 bits: the product rounds to
	// 1 + 2^-29, and only a fused sum still sees the last 2^-60.
	x := 1 + 0x1p-30
	return plainSum(x, x, -(1+0x1p-29)) != 0
}

// plainSum is the one place where a fused multiply-add is left possible.
//
//go:noinline
func plainSum(x, y, z float64) float64 {
	return x*y + z
}
