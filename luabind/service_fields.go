package luabind

import (
	lua "github.com/yuin/gopher-lua"

	"demi.network/contract"
	"demi.network/runtime"
)

// fieldEntities is Entity and Prefab over any runtime.Scene: entities by id and
// replicated fields, which are plain numbers to such a scene.
type fieldEntities struct {
	scene runtime.Scene
	types map[string]contract.FieldType // of the contract's fields; never ranged over
}

func newFieldEntities(sc runtime.Scene, c *contract.Contract) *fieldEntities {
	e := &fieldEntities{scene: sc, types: map[string]contract.FieldType{}}
	for i := range c.Prefabs {
		for _, f := range c.Prefabs[i].Fields {
			e.types[f.Path] = f.Type
		}
	}
	return e
}

func (e *fieldEntities) entityFuncs() []Func {
	return []Func{
		{"exists", func(a Args) int { return answer(a, e.scene.Has(a.name(1))) }},
		{"destroy", func(a Args) int {
			id := a.name(1)
			had := e.scene.Has(id)
			e.scene.Destroy(id)
			return answer(a, had)
		}},
		{"get_field", e.get}, {"set_field", e.set},
	}
}

func (e *fieldEntities) prefabFuncs() []Func {
	return []Func{{"instantiate", func(a Args) int {
		prefab, id := a.name(1), a.name(2)
		if err := e.scene.Create(prefab, id); err != nil {
			return none(a)
		}
		a.L.Push(lua.LString(id))
		return 1
	}}}
}

// get is get_field(entity, component, name) → a number, a boolean, an array, or
// nil.
func (e *fieldEntities) get(a Args) int {
	id, path := a.name(1), a.name(2)+"."+a.name(3)
	v, ok := e.scene.Read(id, path)
	if !ok {
		return none(a)
	}
	switch kind := e.types[path]; {
	case kind == contract.TypeBool:
		a.L.Push(lua.LBool(v[0] != 0))
	case kind.Columns() == 1:
		a.L.Push(lua.LNumber(v[0]))
	default:
		t := a.L.CreateTable(kind.Columns(), 0)
		for i := range kind.Columns() {
			t.Append(lua.LNumber(v[i]))
		}
		a.L.Push(t)
	}
	return 1
}

// set is set_field(entity, component, name, value) → whether it was set.
func (e *fieldEntities) set(a Args) int {
	id, path := a.name(1), a.name(2)+"."+a.name(3)
	var v contract.FieldValue
	switch x := a.Any(4).(type) {
	case lua.LBool:
		if x {
			v[0] = 1
		}
	case lua.LNumber:
		v[0] = float64(x)
	case *lua.LTable:
		for i := range v {
			n, ok := x.RawGetInt(i + 1).(lua.LNumber)
			if !ok {
				break
			}
			v[i] = float64(n)
		}
	default:
		a.wrong(4, "boolean, number or table")
	}
	return answer(a, e.scene.Write(id, path, v))
}
