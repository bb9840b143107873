package world

import (
	"math"
	"testing"

	"demi.network/contract"
)

func TestQuantiseTable(t *testing.T) {
	l := testLayout(t)
	ty := &l.Types[l.Type("body")]
	type v = contract.FieldValue
	for _, c := range []struct {
		why     string
		field   string
		in      v
		cells   []int32
		out     v
		clamped bool
	}{
		{"half a step goes away from zero", "Transform2D.position", v{0.0025, -0.0025}, []int32{1, -1}, v{0.005, -0.005}, false},
		{"less than half goes to zero", "Transform2D.position", v{0.0024, -0.0024}, []int32{0, 0}, v{}, false},
		{"values come back as they are written in decimals", "Transform2D.position", v{0.3, 3.5}, []int32{60, 700}, v{0.3, 3.5}, false},
		{"minus zero is zero", "Transform2D.position", v{math.Copysign(0, -1), 1}, []int32{0, 200}, v{0, 1}, false},
		{"far out is clamped and said", "Transform2D.position", v{1e300, -1e300}, []int32{1073741824, -1073741824}, v{5368709.12, -5368709.12}, true},
		{"a bound itself is in range", "A.hp", v{100}, []int32{100}, v{100}, false},
		{"above the bound is clamped", "A.hp", v{100.6}, []int32{100}, v{100}, true},
		{"below the bound is clamped", "A.hp", v{-3}, []int32{0}, v{0}, true},
		{"cells are finer than the step", "A.fine", v{0.25}, []int32{128}, v{0.25}, false},
		{"a range that is a whole number of steps reaches its end", "A.fine", v{10}, []int32{5120}, v{10}, false},
		{"a colour has 255 steps", "A.tint", v{0.2, 0.4, 0.6, 1}, []int32{51, 102, 153, 255}, v{0.2, 0.4, 0.6, 1}, false},
		{"a bool is 0 or 1", "A.on", v{1}, []int32{1}, v{1}, false},
		{"a zero quaternion is the identity", "A.q", v{}, []int32{0, 0, 0, 1000}, v{0, 0, 0, 1}, false},
		{"a quaternion is normalised", "A.q", v{0, 0, 0, 1e-300}, []int32{0, 0, 0, 1000}, v{0, 0, 0, 1}, false},
		{"huge ones, too", "A.q", v{0, 1e300, 0, 0}, []int32{0, 1000, 0, 0}, v{0, 1, 0, 0}, false},
		{"of q and -q one is written", "A.q", v{0, 0, -3, -4}, []int32{0, 0, 600, 800}, v{0, 0, 0.6, 0.8}, false},
		{"also when w is zero", "A.q", v{0, -1, 0, 0}, []int32{0, 1000, 0, 0}, v{0, 1, 0, 0}, false},
	} {
		f := ty.Field(c.field)
		row := ty.Default()
		clamped, ok := ty.Quantise(f, c.in, row)
		fd := &ty.Fields[f]
		got := row[fd.Column : fd.Column+fd.Width]
		for i := range got {
			if got[i] != c.cells[i] {
				t.Errorf("%s: %v gives cells %v, want %v", c.why, c.in, got, c.cells)
				break
			}
		}
		if !ok || clamped != c.clamped || ty.Value(f, row) != c.out {
			t.Errorf("%s: ok %v clamped %v value %v, want true %v %v", c.why, ok, clamped, ty.Value(f, row), c.clamped, c.out)
		}
	}
}

func TestQuantiseRefusesWhatIsNotFinite(t *testing.T) {
	l := testLayout(t)
	ty := &l.Types[l.Type("body")]
	f := ty.Field("Transform2D.position")
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		row := ty.Default()
		row[ty.Fields[f].Column] = 5
		if _, ok := ty.Quantise(f, contract.FieldValue{1, bad}, row); ok || row[ty.Fields[f].Column] != 5 {
			t.Errorf("%v must be refused and change nothing, got %v", bad, row)
		}
	}
}

// What was quantised quantises to itself: a scene that is shown a row and
// publishes it again must not move it.
func TestQuantiseIsStable(t *testing.T) {
	l := testLayout(t)
	for typ := range l.Types {
		ty := &l.Types[typ]
		for f := range ty.Fields {
			for k := -2000; k < 2000; k += 7 {
				x := float64(k) * 0.0137
				row, again := ty.Default(), ty.Default()
				ty.Quantise(f, contract.FieldValue{x, -x, x, -x}, row)
				ty.Quantise(f, ty.Value(f, row), again)
				if !l.SameRow(typ, row, again, ty.All()) {
					t.Fatalf("%s: %v became %v, then %v", ty.Fields[f].Path, x, ty.Value(f, row), ty.Value(f, again))
				}
			}
		}
	}
}

func TestFieldLogB73QuaternionsDoNotFlip(t *testing.T) {
	l := testLayout(t)
	typ := l.Type("body")
	ty := &l.Types[typ]
	f := ty.Field("A.q")
	m := Mask(1) << uint(f)
	h := Head{ID: 1, OwnGen: 1}
	var prev contract.FieldValue
	for tick := 0; tick <= 720; tick++ {
		half := float64(tick) * 3 * math.Pi / 180 / 2
		q := contract.FieldValue{0, math.Sin(half), 0, math.Cos(half)}
		minus := contract.FieldValue{0, -q[1], 0, -q[3]}
		a, b := ty.Default(), ty.Default()
		ty.Quantise(f, q, a)
		ty.Quantise(f, minus, b)
		if l.HashEntity(typ, &h, a, m) != l.HashEntity(typ, &h, b, m) {
			t.Fatalf("tick %d: q and -q are one rotation and must have one hash", tick)
		}
		in := a
		if tick%2 == 1 {
			in = b
		}
		v := ty.Value(f, in)
		if tick > 0 {
			dot := math.Abs(dot(v, prev)) / math.Sqrt(dot(v, v)*dot(prev, prev))
			if deg := 2 * math.Acos(math.Min(1, dot)) * 180 / math.Pi; deg > 4 {
				t.Fatalf("tick %d: the rotation jumped by %.1f degrees", tick, deg)
			}
		}
		prev = v
	}
}

func dot(a, b contract.FieldValue) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] }
