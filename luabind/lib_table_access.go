package luabind

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"demi.network/internal/detmath"
)

// openGuards makes the functions that stand in for instructions; rewrite.go
// says which.
func (s *State) openGuards() {
	for g, f := range [guardCount]lua.LGFunction{
		guardConcat: s.concatGuard, guardSet: s.setGuard, guardFields: s.fieldsGuard,
		guardTrim: s.trimGuard, guardPow: s.powGuard, guardSpread: s.spreadGuard,
	} {
		s.guards[g] = s.L.NewFunction(f)
	}
}

// setGuard is t[k] = v.
func (s *State) setGuard(L *lua.LState) int {
	s.set(L, L.Get(1), L.Get(2), L.Get(3))
	return 0
}

// set assigns as the machine does, metamethods included.
func (s *State) set(L *lua.LState, object, key, value lua.LValue) {
	for range lua.MaxTableGetLoop {
		t, isTable := object.(*lua.LTable)
		if isTable && (t.Metatable == lua.LNil || t.RawGet(key) != lua.LNil) {
			s.rawSet(L, t, key, value)
			return
		}
		handler := L.GetMetaField(object, "__newindex")
		switch {
		case handler == lua.LNil && isTable:
			s.rawSet(L, t, key, value)
			return
		case handler == lua.LNil:
			L.RaiseError("attempt to index a %s value (key '%s')", object.Type(), clip(s.display(key), 80))
		case handler.Type() == lua.LTFunction:
			L.Push(handler)
			L.Push(object)
			L.Push(key)
			L.Push(value)
			L.Call(3, 0)
			return
		}
		object = handler
	}
	L.RaiseError("'__newindex' chain too long; possibly a loop")
}

// arrayIndex returns a key as a place in a table's array part, ok when it is
// one that gopher-lua keeps there.
func arrayIndex(key lua.LValue) (int, bool) {
	n, ok := key.(lua.LNumber)
	if !ok || n < 1 || n >= lua.LNumber(lua.MaxArrayIndex) || n != lua.LNumber(int(n)) {
		return 0, false
	}
	return int(n), true
}

// rawSet assigns without metamethods and keeps two promises: an array part
// never ends in nil, so that the length operator is cheap and exact, and
// deleted keys are freed when new ones come.
func (s *State) rawSet(L *lua.LState, t *lua.LTable, key, value lua.LValue) {
	if i, ok := arrayIndex(key); ok {
		n := arrayLen(t)
		switch {
		case value != lua.LNil:
			if gap := i - n - 1; gap > 0 { // the machine fills it with nils
				s.meter.charge(L, int64(gap/16))
				s.reserve(L, 20*int64(gap))
			}
			t.RawSetInt(i, value)
		case i < n:
			t.RawSetInt(i, value)
		case i == n:
			t.Remove(n)
			s.trim(L, t)
		}
		return
	}
	switch k := key.(type) {
	case lua.LString:
		if value != lua.LNil && t.RawGetString(string(k)) == lua.LNil {
			s.compact(L, t)
		}
		t.RawSetString(string(k), value)
		return
	case lua.LNumber:
		if k != k {
			L.RaiseError("table index is NaN")
		}
	case *lua.LNilType:
		L.RaiseError("table index is nil")
	}
	if value != lua.LNil && t.RawGetH(key) == lua.LNil {
		s.compact(L, t)
	}
	t.RawSetH(key, value)
}

// trim removes nils from the end of the array part.
func (s *State) trim(L *lua.LState, t *lua.LTable) {
	n := arrayLen(t)
	i := n
	for i > 0 && t.RawGetInt(i) == lua.LNil {
		t.Remove(i)
		i--
	}
	s.meter.charge(L, int64((n-i)/16))
}

// compact rebuilds a table that remembers many more keys than it has: in
// gopher-lua a deleted key stays for ever. It happens when a new key comes, at
// which moment no traversal can be under way, in time that the deletions paid.
func (s *State) compact(L *lua.LState, t *lua.LTable) {
	slots := keySlots(t)
	if slots < 64 {
		return
	}
	live, n := stringKeys(t)+otherKeys(t), arrayLen(t)
	if slots < 2*live+n+64 {
		return
	}
	s.meter.charge(L, int64(slots/8))
	fresh := L.CreateTable(0, live)
	for i := 1; i <= n; i++ {
		fresh.RawSetInt(i, t.RawGetInt(i))
	}
	key := afterArray(n)
	for {
		var v lua.LValue
		if key, v = t.Next(key); key == lua.LNil {
			break
		}
		fresh.RawSetH(key, v)
	}
	fresh.Metatable = t.Metatable
	*t = *fresh
}

// afterArray is the key that makes LTable.Next begin behind an array part of
// length n.
func afterArray(n int) lua.LValue {
	if n == 0 {
		return lua.LNil
	}
	return lua.LNumber(n)
}

// fieldsGuard is {[k] = v, …}: the table, then keys and values.
func (s *State) fieldsGuard(L *lua.LState) int {
	t := L.Get(1).(*lua.LTable)
	for i, n := 2, L.GetTop(); i < n; i += 2 {
		s.rawSet(L, t, L.Get(i), L.Get(i+1))
	}
	L.Push(t)
	return 1
}

// trimGuard is {…} and {f()}.
func (s *State) trimGuard(L *lua.LState) int {
	t := L.Get(1).(*lua.LTable)
	s.meter.charge(L, int64(arrayLen(t)/16))
	s.trim(L, t)
	L.Push(t)
	return 1
}

// spreadGuard is the ... of f(...): any number of values that one instruction
// copies.
func (s *State) spreadGuard(L *lua.LState) int {
	n := L.GetTop()
	s.meter.charge(L, int64(n/4))
	return n
}

// powGuard is a ^ b.
func (s *State) powGuard(L *lua.LState) int {
	a, b := L.Get(1), L.Get(2)
	x, okX := a.(lua.LNumber)
	y, okY := b.(lua.LNumber)
	if okX && okY {
		L.Push(lua.LNumber(detmath.Pow(float64(x), float64(y))))
		return 1
	}
	if f := binaryHandler(L, a, b, "__pow"); f != lua.LNil {
		L.Push(f)
		L.Push(a)
		L.Push(b)
		L.Call(2, 1)
		return 1
	}
	L.Push(lua.LNumber(detmath.Pow(operand(L, a), operand(L, b))))
	return 1
}

// binaryHandler finds the metamethod of either operand.
func binaryHandler(L *lua.LState, a, b lua.LValue, event string) lua.LValue {
	if f := L.GetMetaField(a, event); f != lua.LNil {
		return f
	}
	return L.GetMetaField(b, event)
}

// operand converts an operand of arithmetic.
func operand(L *lua.LState, v lua.LValue) float64 {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		if n, ok := parseNumber(string(v)); ok {
			return n
		}
	}
	L.RaiseError("attempt to perform arithmetic on a %s value", v.Type())
	return math.NaN()
}
