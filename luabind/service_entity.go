package luabind

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"demi.network/contract"
	"demi.network/internal/scene"
)

// entities is Entity and Prefab over the headless engine.
type entities struct {
	scene  *scene.Scene
	charge charge
	log    func(string)
	made   int // entities that instantiate has named
}

func (e *entities) entityFuncs() []Func {
	return []Func{
		{"exists", func(a Args) int { return answer(a, e.scene.Has(a.name(1))) }},
		{"destroy", e.destroy},
		{"get_field", e.get}, {"get_config", e.get}, {"set_field", e.set},
		{"name", e.name}, {"find", e.find},
	}
}

func (e *entities) prefabFuncs() []Func { return []Func{{"instantiate", e.instantiate}} }

// destroy is destroy(entity): whether it existed.
func (e *entities) destroy(a Args) int {
	id := a.name(1)
	e.charge(a.L, costEntity+e.scene.Count()/4)
	had := e.scene.Has(id)
	e.scene.Destroy(id)
	return answer(a, had)
}

// get is get_field(entity, component, name) and get_config, the same: the live
// value of a field, else what the component says; nil when there is neither.
func (e *entities) get(a Args) int {
	id, component, name := a.name(1), a.name(2), a.name(3)
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
	id, component, name := a.name(1), a.name(2), a.name(3)
	d, text, work := luaToData(a.Any(4))
	e.charge(a.L, costComponent+work/8)
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
	r, ok := e.scene.Find(a.name(1))
	if !ok {
		return none(a)
	}
	a.L.Push(lua.LString(e.scene.EntityName(r)))
	return 1
}

// find is find(name) → the id of the first entity of that name, or nil.
func (e *entities) find(a Args) int {
	e.charge(a.L, e.scene.Count()/4)
	r, ok := e.scene.FindByName(a.name(1))
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
	prefab, opts := a.name(1), a.OptTable(2)
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
	e.charge(a.L, costComponent)
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
