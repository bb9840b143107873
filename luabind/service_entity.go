package luabind

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"demi.network/contract"
	"demi.network/internal/scene"
	"demi.network/runtime"
)

// entities is Entity and Prefab over the headless engine.
type entities struct {
	scene *scene.Scene
	log   func(string)
	made  int // entities that instantiate has named
}

func (e *entities) entityFuncs() []Func {
	return []Func{
		{"exists", func(a Args) int { return answer(a, e.scene.Has(a.String(1))) }},
		{"destroy", e.destroy},
		{"get_field", e.get}, {"get_config", e.get}, {"set_field", e.set},
		{"name", e.name}, {"find", e.find},
	}
}

func (e *entities) prefabFuncs() []Func { return []Func{{"instantiate", e.instantiate}} }

// destroy is destroy(entity): whether it existed.
func (e *entities) destroy(a Args) int {
	id := a.String(1)
	had := e.scene.Has(id)
	e.scene.Destroy(id)
	return answer(a, had)
}

// get is get_field(entity, component, name) and get_config, the same: the live
// value of a field, else what the component says; nil when there is neither.
func (e *entities) get(a Args) int {
	id, component, name := a.String(1), a.String(2), a.String(3)
	r, ok := e.scene.Find(id)
	if !ok {
		return none(a)
	}
	d, ok := e.scene.Get(r, component, name)
	if !ok {
		return none(a)
	}
	a.L.Push(dataToLua(a.L, d))
	return 1
}

// set is set_field(entity, component, name, value): whether it was set. A value
// of a wrong shape is told to the log.
func (e *entities) set(a Args) int {
	id, component, name := a.String(1), a.String(2), a.String(3)
	d, text := luaToData(a.Any(4))
	if text != "" {
		a.Fail(4, "%s", text)
	}
	r, ok := e.scene.Find(id)
	if !ok {
		return answer(a, false)
	}
	err := e.scene.Set(r, component, name, d)
	if err != nil {
		e.log("Entity.set_field: " + err.Error())
	}
	return answer(a, err == nil)
}

func (e *entities) name(a Args) int {
	r, ok := e.scene.Find(a.String(1))
	if !ok {
		return none(a)
	}
	a.L.Push(lua.LString(e.scene.EntityName(r)))
	return 1
}

// find is find(name) → the id of the first entity of that name, or nil.
func (e *entities) find(a Args) int {
	r, ok := e.scene.FindByName(a.String(1))
	if !ok {
		return none(a)
	}
	a.L.Push(lua.LString(e.scene.EntityID(r)))
	return 1
}

// instantiate is instantiate(prefab, [{id, position, rotation, scale}]) → the
// entity's id, or nil with the reason in the log. Without an id it gets one of
// the prefab's name and a number.
func (e *entities) instantiate(a Args) int {
	prefab, opts := a.String(1), a.OptTable(2)
	id := ""
	if opts != nil {
		switch v := opts.RawGetString("id").(type) {
		case lua.LString:
			id = string(v)
		case *lua.LNilType:
		default:
			a.Fail(2, "id: string expected, got %s", v.Type())
		}
	}
	places := placesOf(a, opts)
	if id == "" {
		id = e.fresh(prefab)
	}
	if err := e.scene.Create(prefab, id); err != nil {
		e.log("Prefab.instantiate: " + err.Error())
		return none(a)
	}
	for _, p := range places {
		e.scene.Write(id, p.field, p.value)
	}
	a.L.Push(lua.LString(id))
	return 1
}

// fresh is an id that no entity has.
func (e *entities) fresh(prefab string) string {
	base := prefab[strings.LastIndexByte(prefab, '/')+1:]
	for {
		e.made++
		if id := base + "_" + strconv.Itoa(e.made); !e.scene.Has(id) {
			return id
		}
	}
}

// placing is one field that instantiate sets.
type placing struct {
	field string
	value contract.FieldValue
}

// placesOf reads where an instance is to be.
func placesOf(a Args, opts *lua.LTable) (list []placing) {
	if opts == nil {
		return nil
	}
	for _, o := range [...]struct{ name, flat, solid string }{
		{"position", position2D, position3D}, {"rotation", rotation2D, rotation3D}, {"scale", scale2D, scale3D},
	} {
		var v contract.FieldValue
		n := 0
		switch t := opts.RawGetString(o.name).(type) {
		case *lua.LNilType:
			continue
		case lua.LNumber:
			v[0], n = float64(t), 1
		case *lua.LTable:
			for ; n < 3; n++ {
				part, ok := t.RawGetInt(n + 1).(lua.LNumber)
				if !ok {
					break
				}
				v[n] = float64(part)
			}
		}
		if n == 0 {
			a.Fail(2, "%s: numbers expected", o.name)
		}
		field := o.flat
		if n == 3 {
			field = o.solid
		}
		list = append(list, placing{field, v})
	}
	return list
}

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

// luaToData makes a component's value of a Lua value, or says why not. A table
// with a first item is a list, one without is an object.
func luaToData(v lua.LValue) (scene.Data, string) {
	left := maxDataItems
	return toData(v, maxDataDepth, &left)
}

func toData(v lua.LValue, depth int, left *int) (scene.Data, string) {
	if *left--; *left < 0 {
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
		return tableToData(v, depth-1, left)
	}
	return scene.Data{}, "a component cannot hold a " + v.Type().String()
}

func tableToData(t *lua.LTable, depth int, left *int) (scene.Data, string) {
	if n := t.Len(); n > 0 {
		d := scene.Data{Kind: scene.List}
		for i := 1; i <= n; i++ {
			item, text := toData(t.RawGetInt(i), depth, left)
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
		value, text := toData(v, depth, left)
		if text != "" {
			return scene.Data{}, text
		}
		d.Keys = append(d.Keys, scene.Member{Key: string(key), Value: value})
	}
	return d, ""
}

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
		{"exists", func(a Args) int { return answer(a, e.scene.Has(a.String(1))) }},
		{"destroy", func(a Args) int {
			id := a.String(1)
			had := e.scene.Has(id)
			e.scene.Destroy(id)
			return answer(a, had)
		}},
		{"get_field", e.get}, {"set_field", e.set},
	}
}

func (e *fieldEntities) prefabFuncs() []Func {
	return []Func{{"instantiate", func(a Args) int {
		prefab, id := a.String(1), a.String(2)
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
	id, path := a.String(1), a.String(2)+"."+a.String(3)
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
	id, path := a.String(1), a.String(2)+"."+a.String(3)
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
