package luabind

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"demi.network/contract/payload"
)

// converter is the one value converter between scripts and payloads. Both ways
// the payload's Sink holds the rules; here is only what is Lua's own:
//
//   - A table is an array when its keys are 1 to n without a gap, an object
//     when all its keys are strings, and refused when they are neither: holes,
//     numbers beside names (also an n beside items), 0, negative, fractional
//     and huge numbers, booleans, tables and functions as keys. What a table
//     went through before does not matter, and metatables are not asked.
//   - An empty table is what the schema says, an object where it says nothing.
//   - Functions, coroutines and userdata are refused; nil is null.
//   - Coming in, null is nil: an absent member, or a hole where the schema
//     allows null items. Names stay strings, also "1". Members are set in
//     canonical order, so that pairs visits them in one order on every peer.
//
// A converter belongs to the scripts of one lua.LState. Copies share its cache.
type converter struct{ *conversion }

type conversion struct {
	L     *lua.LState
	names map[string]lua.LValue // strings that came as names or enum values
	small [256]lua.LValue       // whole numbers, boxed once
	work  int                   // values converted so far, for those who charge for it

	shapes shapes
}

const (
	maxNames      = 4096 // the cache is emptied when it is full
	maxCachedName = 64
)

// newConverter makes the converter of a machine.
func newConverter(L *lua.LState) converter {
	c := &conversion{L: L, names: map[string]lua.LValue{}}
	for i := range c.small {
		c.small[i] = lua.LNumber(i)
	}
	return converter{c}
}

// write describes a Lua value to a sink that has been reset, and returns the
// sink's first refusal. The caller closes the sink. Time and memory are bounded
// by the sink's limits, not by the value: it stops at the first refusal.
func (c *conversion) write(s *payload.Sink, v lua.LValue) error {
	c.value(s, v)
	return s.Err()
}

func (c *conversion) value(s *payload.Sink, v lua.LValue) bool {
	c.work++
	switch v := v.(type) {
	case lua.LNumber:
		return s.Num(float64(v))
	case lua.LString:
		return s.String(string(v))
	case lua.LBool:
		return s.Bool(bool(v))
	case *lua.LTable:
		return c.table(s, v)
	case *lua.LNilType, nil:
		return s.Null()
	}
	return s.Refuse(payload.SchemaViolation, "a "+v.Type().String()+" is no data")
}

func (c *conversion) table(s *payload.Sink, t *lua.LTable) bool {
	n := t.Len() // up to the last item of the array part that is not nil
	names, others := stringKeys(t), otherKeys(t)
	c.work += keySlots(t) / 64 // keys that are gone are stepped over
	switch {
	case others > 0:
		c.work += others
		return s.Refuse(payload.SchemaViolation, oddKey(t, n))
	case names > 0 && n > 0:
		return s.Refuse(payload.SchemaViolation, "a table with both names and numbers as keys is neither an object nor an array")
	case n > 0:
		return c.array(s, t, n)
	case names > 0:
		return c.object(s, t)
	}
	return s.Empty()
}

func (c *conversion) array(s *payload.Sink, t *lua.LTable, n int) bool {
	if !s.BeginArray() {
		return false
	}
	for i := 1; i <= n; i++ {
		v := t.RawGetInt(i)
		if v == lua.LNil {
			return s.Refuse(payload.SchemaViolation, fmt.Sprintf("hole at index %d", i))
		}
		if !c.value(s, v) {
			return false
		}
	}
	return s.End()
}

func (c *conversion) object(s *payload.Sink, t *lua.LTable) bool {
	if !s.BeginObject() {
		return false
	}
	for key, v := t.Next(afterArray(arrayLen(t))); key != lua.LNil; key, v = t.Next(key) {
		name, ok := key.(lua.LString)
		if !ok || !s.Name(string(name)) || !c.value(s, v) {
			return false
		}
	}
	return s.End()
}

// oddKey says which key keeps a table from being data. Of several it names the
// first in the order of compareKeys.
func oddKey(t *lua.LTable, n int) string {
	var worst lua.LValue
	for key, _ := t.Next(afterArray(arrayLen(t))); key != lua.LNil; key, _ = t.Next(key) {
		if _, ok := key.(lua.LString); ok {
			continue
		}
		if worst == nil || compareKeys(key, worst) < 0 {
			worst = key
		}
	}
	k, ok := worst.(lua.LNumber)
	switch {
	case !ok:
		return "a " + worst.Type().String() + " as a key is no data"
	case k > 0 && float64(k) == float64(int64(k)):
		return fmt.Sprintf("hole at index %d", n+1)
	}
	return "the key " + formatNumber(float64(k)) + " is neither a name nor an index from 1"
}

// read makes a Lua value of a payload's.
func (c *conversion) read(v payload.Cursor) lua.LValue {
	c.work++
	switch v.Kind() {
	case payload.Bool:
		return lua.LBool(v.Bool())
	case payload.Int:
		if i := v.Int(); i >= 0 && i < int64(len(c.small)) {
			return c.small[i]
		}
		return lua.LNumber(v.Int())
	case payload.Float:
		return lua.LNumber(v.Float())
	case payload.String:
		if v.TextID() >= 0 {
			return c.name(v.Text())
		}
		return lua.LString(v.Text())
	case payload.Array:
		t := c.L.CreateTable(v.Len(), 0)
		i := 0
		for m := v.First(); m.Valid(); m = m.Next() {
			i++
			if m.Kind() != payload.Null {
				t.RawSetInt(i, c.read(m))
			}
		}
		return t
	case payload.Object:
		return c.readObject(v)
	}
	return lua.LNil
}

func (c *conversion) readObject(v payload.Cursor) *lua.LTable {
	n := v.Len()
	if n <= maxShaped {
		fields := make(map[string]lua.LValue, n)
		sh := &c.shapes.root
		for m := v.First(); m.Valid() && sh != nil; m = m.Next() {
			if m.Kind() != payload.Null {
				name := string(c.name(m.Key()).(lua.LString))
				if sh = c.shapes.with(sh, name); sh != nil {
					fields[name] = c.read(m)
				}
			}
		}
		if sh != nil {
			return sh.table(c.L, fields)
		}
	}
	t := c.L.CreateTable(0, n)
	for m := v.First(); m.Valid(); m = m.Next() {
		if m.Kind() != payload.Null {
			t.RawSetString(string(c.name(m.Key()).(lua.LString)), c.read(m))
		}
	}
	return t
}

// name returns a string that is likely to come again.
func (c *conversion) name(text []byte) lua.LValue {
	if v, ok := c.names[string(text)]; ok {
		return v
	}
	v := lua.LString(text)
	if len(text) > maxCachedName {
		return v
	}
	if len(c.names) >= maxNames {
		clear(c.names)
	}
	c.names[string(v)] = v
	return v
}
