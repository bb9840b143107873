package world

import (
	"math"

	"demi.network/contract"
)

// Quantise writes field f of a row from a value in engine units, rounding
// half away from zero. clamped says that the value was out of the field's
// range and the nearest bound was written; ok is false, and nothing is
// written, when a number is NaN or infinite. Quaternions are normalised, a
// zero one becomes the identity, and of q and -q, which are one rotation, the
// same one is always written (the last component that is not zero is positive).
func (t *Type) Quantise(f int, v contract.FieldValue, cells []int32) (clamped, ok bool) {
	fd := &t.Fields[f]
	for i := 0; i < fd.Width; i++ {
		if math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return false, false
		}
	}
	if fd.Kind == contract.TypeQuat {
		v = normalised(v, t.Columns[fd.Column].Step)
	}
	out := cells[fd.Column : fd.Column+fd.Width]
	for i := range out {
		var c bool
		out[i], c = t.Columns[fd.Column+i].quantise(v[i])
		clamped = clamped || c && fd.Kind != contract.TypeQuat // 1.0000001 is rounding
	}
	if fd.Kind == contract.TypeQuat {
		positive(out)
	}
	return clamped, true
}

// Value returns field f of a row in engine units. A quaternion's length is 1
// but for the rounding to steps: normalise it before blending.
func (t *Type) Value(f int, cells []int32) contract.FieldValue {
	var v contract.FieldValue
	fd := &t.Fields[f]
	for i := 0; i < fd.Width; i++ {
		v[i] = t.Columns[fd.Column+i].value(cells[fd.Column+i])
	}
	return v
}

func (c *Column) quantise(v float64) (cell int32, clamped bool) {
	clamped = v < c.low || v > c.high
	if c.perUnit != 0 {
		v *= c.perUnit
	} else {
		v /= c.cellStep
	}
	v = math.Round(v)
	if low := float64(c.Minimum << c.SubBits); v < low {
		return int32(low), clamped
	}
	if high := float64(c.Maximum << c.SubBits); v > high {
		return int32(high), clamped
	}
	return int32(v), clamped
}

// value divides where it can: 3 cells of a tenth are 0.3, not 3 * 0.1.
func (c *Column) value(cell int32) float64 {
	if c.perUnit != 0 {
		return float64(cell) / c.perUnit
	}
	return float64(cell) * c.cellStep
}

// wire rounds a cell to whole steps.
func (c *Column) wire(cell int32) int32 {
	if c.SubBits == 0 {
		return cell
	}
	return int32((int64(cell) + int64(1)<<(c.SubBits-1)) >> c.SubBits)
}

// normalised scales by the largest part first, so that neither tiny nor huge
// quaternions lose their direction to underflow or overflow. One whose length
// is 1 as far as steps can tell stays as it is: what was quantised quantises
// to itself.
func normalised(q contract.FieldValue, step float64) contract.FieldValue {
	square := float64(q[0]*q[0]) + float64(q[1]*q[1]) + float64(q[2]*q[2]) + float64(q[3]*q[3])
	if math.Abs(square-1) <= 2.5*step {
		return q
	}
	largest := 0.0
	for _, x := range q {
		largest = math.Max(largest, math.Abs(x))
	}
	if largest == 0 {
		return contract.FieldValue{0, 0, 0, 1}
	}
	sum := 0.0
	for i := range q {
		q[i] /= largest
		sum += float64(q[i] * q[i])
	}
	n := math.Sqrt(sum)
	for i := range q {
		q[i] /= n
	}
	return q
}

// positive negates a quaternion whose last non-zero cell is negative.
func positive(cells []int32) {
	for i := len(cells) - 1; i >= 0; i-- {
		switch {
		case cells[i] > 0:
			return
		case cells[i] < 0:
			for j := range cells {
				cells[j] = -cells[j]
			}
			return
		}
	}
}
