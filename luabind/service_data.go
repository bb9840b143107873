package luabind

import (
	lua "github.com/yuin/gopher-lua"

	"demi.network/internal/scene"
)

// Bounds of what set_field takes.
const (
	maxDataDepth = 8
	maxDataItems = 1024
)

// dataToLua makes a Lua value of a component's value. Lists become arrays.
func dataToLua(L *lua.LState, d scene.Data) lua.LValue {
	switch d.Kind {
	case scene.Bool:
		return lua.LBool(d.Bool)
	case scene.Number:
		return lua.LNumber(d.Number)
	case scene.Text:
		return lua.LString(d.Text)
	case scene.List:
		t := L.CreateTable(len(d.Items), 0)
		for i := range d.Items {
			t.RawSetInt(i+1, dataToLua(L, d.Items[i]))
		}
		return t
	case scene.Map:
		t := L.CreateTable(0, len(d.Keys))
		for i := range d.Keys {
			t.RawSetString(d.Keys[i].Key, dataToLua(L, d.Keys[i].Value))
		}
		return t
	}
	return lua.LNil
}

// luaToData makes a component's value of a Lua value, or says why not, and how
// much work it was. A table
// with a first item is a list, one without is an object.
func luaToData(v lua.LValue) (d scene.Data, text string, work int) {
	r := dataReader{}
	d, text = r.data(v, maxDataDepth)
	return d, text, r.work
}

// dataReader makes one value.
type dataReader struct {
	items int
	work  int // keys looked at, also of what is gone
}

func (r *dataReader) data(v lua.LValue, depth int) (scene.Data, string) {
	if r.items++; r.items > maxDataItems {
		return scene.Data{}, "too many values in a table"
	}
	switch v := v.(type) {
	case lua.LBool:
		return scene.BoolOf(bool(v)), ""
	case lua.LNumber:
		return scene.NumberOf(float64(v)), ""
	case lua.LString:
		return scene.TextOf(string(v)), ""
	case *lua.LTable:
		if depth == 0 {
			return scene.Data{}, "tables are nested too deep"
		}
		return r.table(v, depth-1)
	}
	return scene.Data{}, "a component cannot hold a " + v.Type().String()
}

func (r *dataReader) table(t *lua.LTable, depth int) (scene.Data, string) {
	r.work += keySlots(t)
	if n := t.Len(); n > 0 {
		d := scene.Data{Kind: scene.List}
		for i := 1; i <= n; i++ {
			item, text := r.data(t.RawGetInt(i), depth)
			if text != "" {
				return scene.Data{}, text
			}
			d.Items = append(d.Items, item)
		}
		return d, ""
	}
	d := scene.Data{Kind: scene.Map}
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		key, ok := k.(lua.LString)
		if !ok {
			return scene.Data{}, "keys of a component are strings"
		}
		value, text := r.data(v, depth)
		if text != "" {
			return scene.Data{}, text
		}
		d.Keys = append(d.Keys, scene.Member{Key: string(key), Value: value})
	}
	return d, ""
}
