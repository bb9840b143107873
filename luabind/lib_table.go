package luabind

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func (s *State) openTable() {
	s.library("table", []Func{
		{"concat", s.tableConcat}, {"insert", s.tableInsert}, {"maxn", s.tableMaxn}, {"move", s.tableMove},
		{"pack", s.tablePack}, {"remove", s.tableRemove}, {"sort", s.tableSort}, {"unpack", s.tableUnpack},
	})
}

func (s *State) tableConcat(a Args) int {
	t := a.Table(1)
	sep := ""
	if a.Has(2) {
		sep = a.text(2)
	}
	i, j := a.optPosition(3, 1), a.optPosition(4, t.Len())
	if j-i >= 1<<26 {
		a.Fail(4, "range too long")
	}
	total := 0
	for k := i; k <= j; k++ {
		n := len(sep)
		switch v := t.RawGet(lua.LNumber(k)).(type) {
		case lua.LString:
			n += len(v)
		case lua.LNumber:
			n += 24
		default:
			a.L.RaiseError("invalid value (%s) at index %d in table for 'concat'", v.Type(), k)
		}
		total += n
		if k&1023 == 0 {
			s.meter.charge(a.L, 128)
			s.reserve(a.L, int64(n))
		}
	}
	s.reserve(a.L, int64(total))
	s.meter.charge(a.L, int64(max(j-i, 0)/8))
	s.made(total)
	var b strings.Builder
	b.Grow(total)
	for k := i; k <= j; k++ {
		if k > i {
			b.WriteString(sep)
		}
		switch v := t.RawGet(lua.LNumber(k)).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			b.WriteString(formatNumber(float64(v)))
		}
	}
	a.L.Push(lua.LString(b.String()))
	return 1
}

func (s *State) tableInsert(a Args) int {
	t := a.Table(1)
	n := t.Len()
	switch a.n {
	case 2:
		s.rawSet(a.L, t, lua.LNumber(n+1), a.Get(2))
	case 3:
		at := a.position(2)
		if at < 1 || at > n+1 {
			a.Fail(2, "position out of bounds")
		}
		s.meter.charge(a.L, int64((n-at)/16))
		v := a.Get(3)
		if at == n+1 {
			s.rawSet(a.L, t, lua.LNumber(at), v)
			return 0
		}
		t.Insert(at, v)
	default:
		a.L.RaiseError("wrong number of arguments to 'insert'")
	}
	return 0
}

func (s *State) tableRemove(a Args) int {
	t := a.Table(1)
	n := t.Len()
	at := a.optPosition(2, n)
	if n == 0 && (at == 0 || at == n+1) || at == n+1 {
		v := t.RawGet(lua.LNumber(at))
		s.rawSet(a.L, t, lua.LNumber(at), lua.LNil)
		a.L.Push(v)
		return 1
	}
	if at < 1 || at > n+1 {
		a.Fail(2, "position out of bounds")
	}
	s.meter.charge(a.L, int64((n-at)/16))
	a.L.Push(t.Remove(at))
	s.trim(a.L, t)
	return 1
}

func (s *State) tableMaxn(a Args) int {
	t := a.Table(1)
	largest := float64(t.MaxN())
	if otherKeys(t) > 0 {
		s.meter.charge(a.L, int64(keySlots(t)/8))
		for key, _ := t.Next(afterArray(arrayLen(t))); key != lua.LNil; key, _ = t.Next(key) {
			if n, ok := key.(lua.LNumber); ok {
				largest = max(largest, float64(n))
			}
		}
	}
	a.push(largest)
	return 1
}

func (s *State) tableMove(a Args) int {
	src := a.Table(1)
	from, to, at := a.position(2), a.position(3), a.position(4)
	dst := src
	if a.Has(5) {
		dst = a.Table(5)
	}
	if to-from >= 1<<26 {
		a.Fail(3, "too many elements to move")
	}
	copyOne := func(k int) {
		s.meter.charge(a.L, 1)
		s.rawSet(a.L, dst, lua.LNumber(at+k-from), src.RawGet(lua.LNumber(k)))
	}
	if at > from && at <= to && dst == src {
		for k := to; k >= from; k-- {
			copyOne(k)
		}
	} else {
		for k := from; k <= to; k++ {
			copyOne(k)
		}
	}
	a.L.Push(dst)
	return 1
}

func (s *State) tablePack(a Args) int {
	t := a.L.CreateTable(a.n, 1)
	for i := 1; i <= a.n; i++ {
		t.RawSetInt(i, a.Get(i))
	}
	s.trim(a.L, t)
	t.RawSetString("n", lua.LNumber(a.n))
	a.L.Push(t)
	return 1
}

func (s *State) tableUnpack(a Args) int {
	t := a.Table(1)
	i := a.optPosition(2, 1)
	j := a.optPosition(3, t.Len())
	if i > j {
		return 0
	}
	n := j - i + 1
	if n >= maxSpread || n <= 0 {
		a.L.RaiseError("too many results to unpack")
	}
	s.meter.charge(a.L, int64(n/8))
	for k := i; k <= j; k++ {
		a.L.Push(t.RawGet(lua.LNumber(k)))
	}
	return n
}

// tableSort sorts stably and in a way that no order function can derail: the
// values are taken out, sorted, and put back when all went well.
func (s *State) tableSort(a Args) int {
	t := a.Table(1)
	n := t.Len()
	defer s.buffer(a.L, 16*int64(n))()
	values := make([]lua.LValue, n)
	for i := range values {
		if values[i] = t.RawGetInt(i + 1); values[i] == nil {
			values[i] = lua.LNil
		}
	}
	var less func(x, y lua.LValue) bool
	if a.Has(2) {
		fn := a.Function(2)
		less = func(x, y lua.LValue) bool {
			a.L.Push(fn)
			a.L.Push(x)
			a.L.Push(y)
			a.L.Call(2, 1)
			yes := lua.LVAsBool(a.L.Get(-1))
			a.L.Pop(1)
			return yes
		}
	} else {
		less = func(x, y lua.LValue) bool { return s.lessThan(a.L, x, y) }
	}
	slices.SortStableFunc(values, func(x, y lua.LValue) int {
		s.meter.charge(a.L, 2)
		if less(x, y) {
			return -1
		}
		return 0
	})
	for i, v := range values {
		s.rawSet(a.L, t, lua.LNumber(i+1), v)
	}
	return 0
}

func (s *State) lessThan(L *lua.LState, x, y lua.LValue) bool {
	switch x := x.(type) {
	case lua.LNumber:
		if y, ok := y.(lua.LNumber); ok {
			return x < y
		}
	case lua.LString:
		if y, ok := y.(lua.LString); ok {
			s.meter.charge(L, int64(min(len(x), len(y))>>6))
			return x < y
		}
	}
	return L.LessThan(x, y)
}
