package luabind

import (
	"cmp"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// openIteration makes next, pairs and ipairs.
func (s *State) openIteration() {
	next := s.L.NewFunction(plain(Func{"next", s.baseNext}))
	s.globals.RawSetString("next", next)
	step := s.L.NewFunction(plain(Func{"ipairs", s.ipairsStep}))
	s.globals.RawSetString("pairs", s.L.NewFunction(plain(Func{"pairs", func(a Args) int {
		v := a.Any(1)
		if f := a.L.GetMetaField(v, "__pairs"); f != lua.LNil {
			a.L.Push(f)
			a.L.Push(v)
			a.L.Call(1, 3)
			return 3
		}
		t := a.Table(1)
		if s.cfg.Sorted {
			a.L.Push(s.sortedStep(a.L, t))
		} else {
			a.L.Push(next)
		}
		a.L.Push(t)
		a.L.Push(lua.LNil)
		return 3
	}})))
	s.globals.RawSetString("ipairs", s.L.NewFunction(plain(Func{"ipairs", func(a Args) int {
		v := a.Any(1)
		a.L.Push(step)
		a.L.Push(v)
		a.push(0)
		return 3
	}})))
}

func (s *State) ipairsStep(a Args) int {
	i := a.position(2) + 1
	var v lua.LValue
	if t, ok := a.Get(1).(*lua.LTable); ok && t.Metatable == lua.LNil {
		v = t.RawGet(lua.LNumber(i))
	} else {
		v = a.L.GetTable(a.Get(1), lua.LNumber(i))
	}
	if v == lua.LNil {
		a.L.Push(lua.LNil)
		return 1
	}
	a.push(float64(i))
	a.L.Push(v)
	return 2
}

func (s *State) baseNext(a Args) int {
	t := a.Table(1)
	var key, value lua.LValue
	if s.cfg.Sorted {
		key, value = s.sortedNext(a.L, t, a.Get(2))
	} else {
		key, value = s.next(a.L, t, a.Get(2))
	}
	if key == lua.LNil {
		a.L.Push(lua.LNil)
		return 1
	}
	a.L.Push(key)
	a.L.Push(value)
	return 2
}

// manyGone is from how many deleted keys on, which a table goes on remembering,
// a step past some of them costs more than the call.
const manyGone = 64

// next returns the key after key and its value, in the machine's order: the
// array part, then keys as they were first set.
func (s *State) next(L *lua.LState, t *lua.LTable, key lua.LValue) (lua.LValue, lua.LValue) {
	n := arrayLen(t)
	i, inArray := arrayIndex(key)
	if key == lua.LNil || inArray {
		for j := i + 1; j <= n; j++ {
			if v := t.RawGetInt(j); v != lua.LNil {
				s.meter.charge(L, int64((j-i)/16))
				return lua.LNumber(j), v
			}
		}
		s.meter.charge(L, int64(max(n-i, 0)/16))
		if keySlots(t) == 0 {
			return lua.LNil, lua.LNil
		}
		key = afterArray(n)
	}
	next, value := t.Next(key)
	if gone := keySlots(t) - stringKeys(t) - otherKeys(t); gone >= manyGone {
		s.meter.charge(L, int64(slotsBetween(t, key, next)/2))
	}
	return next, value
}

// rank orders the types of keys: numbers, strings, booleans, the rest.
func rank(v lua.LValue) int {
	switch v.(type) {
	case lua.LNumber:
		return 0
	case lua.LString:
		return 1
	case lua.LBool:
		return 2
	}
	return 3
}

// compareKeys orders keys independently of a table's history. Tables,
// functions and the like have no such order and compare equal: a stable sort
// leaves them as they were set.
func compareKeys(a, b lua.LValue) int {
	if ra, rb := rank(a), rank(b); ra != rb {
		return ra - rb
	}
	switch a := a.(type) {
	case lua.LNumber:
		return cmp.Compare(a, b.(lua.LNumber))
	case lua.LString:
		return cmp.Compare(a, b.(lua.LString))
	case lua.LBool:
		switch {
		case a == b.(lua.LBool):
			return 0
		case bool(a):
			return 1
		}
		return -1
	}
	return 0
}

// sortedKeys returns the keys of t in order.
func (s *State) sortedKeys(L *lua.LState, t *lua.LTable) []lua.LValue {
	n, hashed := arrayLen(t), stringKeys(t)+otherKeys(t)
	s.reserve(L, 16*int64(n+hashed))
	s.meter.charge(L, int64(n/8+hashed*4+keySlots(t)/8))
	keys := make([]lua.LValue, 0, n+hashed)
	for i := 1; i <= n; i++ {
		if t.RawGetInt(i) != lua.LNil {
			keys = append(keys, lua.LNumber(i))
		}
	}
	if hashed == 0 {
		return keys
	}
	for key, v := t.Next(afterArray(n)); key != lua.LNil; key, v = t.Next(key) {
		if v != lua.LNil {
			keys = append(keys, key)
		}
	}
	slices.SortStableFunc(keys, compareKeys)
	return keys
}

// sortedStep is the iterator of a sorted traversal: over the keys t has now,
// without those that have lost their value when their turn comes.
func (s *State) sortedStep(L *lua.LState, t *lua.LTable) *lua.LFunction {
	it := &traversal{table: t, keys: s.sortedKeys(L, t)}
	holder := L.NewUserData()
	holder.Value = it
	return L.NewClosure(func(L *lua.LState) int {
		for it.at < len(it.keys) {
			key := it.keys[it.at]
			it.at++
			if v := it.table.RawGet(key); v != lua.LNil {
				L.Push(key)
				L.Push(v)
				return 2
			}
		}
		L.Push(lua.LNil)
		return 1
	}, holder)
}

// traversal is a sorted traversal under way. It hangs at its iterator as
// userdata, so that its memory is seen.
type traversal struct {
	table *lua.LTable
	keys  []lua.LValue
	at    int
}

// sortedNext is next in sorted order. Every step looks at all keys, and is
// charged so; pairs sorts once.
func (s *State) sortedNext(L *lua.LState, t *lua.LTable, key lua.LValue) (lua.LValue, lua.LValue) {
	keys := s.sortedKeys(L, t)
	if key == lua.LNil {
		if len(keys) == 0 {
			return lua.LNil, lua.LNil
		}
		return keys[0], t.RawGet(keys[0])
	}
	for i, k := range keys {
		if rank(k) == 3 && k == key { // no order of their own: the place decides
			keys = keys[i+1:]
			break
		}
		if c := compareKeys(k, key); c > 0 {
			keys = keys[i:]
			break
		}
		if i == len(keys)-1 {
			keys = nil
		}
	}
	if len(keys) == 0 {
		return lua.LNil, lua.LNil
	}
	return keys[0], t.RawGet(keys[0])
}
