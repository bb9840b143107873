package luabind

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"demi.network/internal/detmath"
)

// openMath makes the math library over portable functions: the same numbers on
// every processor.
func (s *State) openMath() {
	funcs := []Func{
		{"atan", mathAtan}, {"atan2", mathAtan}, {"fmod", mathFmod}, {"frexp", mathFrexp}, {"ldexp", mathLdexp},
		{"log", mathLog}, {"max", mathMax}, {"min", mathMin}, {"modf", mathModf}, {"pow", mathPow},
		{"random", s.mathRandom}, {"randomseed", s.mathRandomSeed}, {"tointeger", mathToInteger}, {"type", mathType},
		{"ult", mathUlt},
	}
	for _, f := range []struct {
		name string
		call func(float64) float64
	}{
		{"abs", math.Abs}, {"acos", detmath.Acos}, {"asin", detmath.Asin}, {"ceil", math.Ceil}, {"cos", detmath.Cos},
		{"cosh", detmath.Cosh}, {"exp", detmath.Exp}, {"floor", math.Floor}, {"log10", detmath.Log10},
		{"sin", detmath.Sin}, {"sinh", detmath.Sinh}, {"sqrt", detmath.Sqrt}, {"tan", detmath.Tan}, {"tanh", detmath.Tanh},
		{"deg", func(x float64) float64 { return x * (180 / math.Pi) }},
		{"rad", func(x float64) float64 { return x * (math.Pi / 180) }},
	} {
		funcs = append(funcs, Func{f.name, func(a Args) int {
			a.push(f.call(a.num(1)))
			return 1
		}})
	}
	t := s.library("math", funcs)
	t.RawSetString("pi", lua.LNumber(math.Pi))
	t.RawSetString("huge", lua.LNumber(math.Inf(1)))
	t.RawSetString("maxinteger", lua.LNumber(1<<53))
	t.RawSetString("mininteger", lua.LNumber(-1<<53))
}

func mathAtan(a Args) int {
	y := a.num(1)
	if a.Has(2) {
		a.push(detmath.Atan2(y, a.num(2)))
	} else {
		a.push(detmath.Atan(y))
	}
	return 1
}

func mathFmod(a Args) int {
	a.push(detmath.Mod(a.num(1), a.num(2)))
	return 1
}

func mathFrexp(a Args) int {
	m, e := math.Frexp(a.num(1))
	a.push(m)
	a.push(float64(e))
	return 2
}

func mathLdexp(a Args) int {
	a.push(math.Ldexp(a.num(1), max(-100000, min(100000, a.position(2)))))
	return 1
}

func mathLog(a Args) int {
	x := a.num(1)
	if !a.Has(2) {
		a.push(detmath.Log(x))
		return 1
	}
	switch base := a.num(2); base {
	case 2:
		a.push(detmath.Log2(x))
	case 10:
		a.push(detmath.Log10(x))
	default:
		a.push(detmath.Log(x) / detmath.Log(base))
	}
	return 1
}

func mathMax(a Args) int {
	best := a.num(1)
	for i := 2; i <= a.n; i++ {
		if v := a.num(i); v > best {
			best = v
		}
	}
	a.push(best)
	return 1
}

func mathMin(a Args) int {
	best := a.num(1)
	for i := 2; i <= a.n; i++ {
		if v := a.num(i); v < best {
			best = v
		}
	}
	a.push(best)
	return 1
}

func mathModf(a Args) int {
	x := a.num(1)
	if math.IsInf(x, 0) {
		a.push(x)
		a.push(0)
		return 2
	}
	whole := math.Trunc(x)
	a.push(whole)
	a.push(x - whole)
	return 2
}

func mathPow(a Args) int {
	a.push(detmath.Pow(a.num(1), a.num(2)))
	return 1
}

// mathRandom draws from the state's own generator.
func (s *State) mathRandom(a Args) int {
	if a.n == 0 {
		a.push(s.rand.Float64())
		return 1
	}
	low, high := 1.0, math.Floor(a.num(1))
	if a.n > 1 {
		low, high = high, math.Floor(a.num(2))
	}
	if !(low <= high) || math.Abs(low) > 1<<53 || math.Abs(high) > 1<<53 {
		a.Fail(a.n, "interval is empty")
	}
	a.push(low + float64(s.rand.Uint64N(uint64(high-low)+1)))
	return 1
}

// mathRandomSeed starts the generator anew; without an argument, from the
// state's seed.
func (s *State) mathRandomSeed(a Args) int {
	if a.n == 0 {
		s.rand.Seed(s.cfg.Seed)
		return 0
	}
	s.rand.Seed(math.Float64bits(a.num(1) + 0)) // -0 and 0 are one seed
	return 0
}

func mathToInteger(a Args) int {
	if n, ok := a.Any(1).(lua.LNumber); ok {
		if i, ok := wholeNumber(float64(n)); ok {
			a.push(float64(i))
			return 1
		}
	}
	a.L.Push(lua.LNil)
	return 1
}

// mathType answers "integer" for whole numbers, though all are doubles.
func mathType(a Args) int {
	n, ok := a.Any(1).(lua.LNumber)
	if !ok {
		a.L.Push(lua.LNil)
		return 1
	}
	kind := "float"
	if _, whole := wholeNumber(float64(n)); whole {
		kind = "integer"
	}
	a.L.Push(lua.LString(kind))
	return 1
}

func mathUlt(a Args) int {
	a.L.Push(lua.LBool(uint64(a.position(1)) < uint64(a.position(2))))
	return 1
}
