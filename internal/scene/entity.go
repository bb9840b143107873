package scene

import (
	"iter"
	"slices"

	"demi.network/runtime/fault"
)

// Ref is a handle to a live entity: cheaper than an id, and never mistaken for
// a later entity that reuses the id. The zero Ref is no entity.
type Ref struct{ slot, gen uint32 }

// Entity describes an entity to add without a prefab.
type Entity struct {
	ID         string
	Name       string
	Components []Component
}

// Component is one component of an entity: its name and what its file, or the
// script that set it, says. Names and values that the engine does not know are
// kept as they are.
type Component struct {
	Name string
	Data Data // always a Map
}

// entity is one live entity.
type entity struct {
	gen   uint32
	live  bool
	id    string
	root  Ref // of the prefab instance it is a part of; zero for roots
	added int // bytes that Set has added to its components
	blueprint
}

// entityTable owns the live entities: slots that are reused, and their
// creation order.
type entityTable struct {
	slots    []entity
	free     []uint32
	order    []uint32 // live slots in creation order
	byID     map[string]uint32
	revision uint64
	added    int // bytes that Set has added to all components
}

func (t *entityTable) get(r Ref) *entity {
	if int(r.slot) >= len(t.slots) {
		return nil
	}
	e := &t.slots[r.slot]
	if !e.live || e.gen != r.gen {
		return nil
	}
	return e
}

// add takes ownership of b. The caller has checked the id and the room.
func (t *entityTable) add(id string, b blueprint) Ref {
	slot := uint32(len(t.slots))
	if n := len(t.free); n > 0 {
		slot = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		t.slots = append(t.slots, entity{})
	}
	e := &t.slots[slot]
	*e = entity{gen: e.gen + 1, live: true, id: id, blueprint: b}
	t.order = append(t.order, slot)
	t.byID[id] = slot
	t.revision++
	return Ref{slot, e.gen}
}

// remove deletes r and the parts of the instance whose root it is.
func (t *entityTable) remove(r Ref) {
	t.order = slices.DeleteFunc(t.order, func(slot uint32) bool {
		e := &t.slots[slot]
		if slot != r.slot && e.root != r {
			return false
		}
		delete(t.byID, e.id)
		t.added -= e.added
		*e = entity{gen: e.gen}
		t.free = append(t.free, slot)
		return true
	})
	t.revision++
}

// Find returns the handle of an entity.
func (s *Scene) Find(id string) (Ref, bool) {
	slot, ok := s.entities.byID[id]
	if !ok {
		return Ref{}, false
	}
	return Ref{slot, s.entities.slots[slot].gen}, true
}

// FindByName returns the first entity in creation order with this name.
func (s *Scene) FindByName(name string) (Ref, bool) {
	for _, slot := range s.entities.order {
		if e := &s.entities.slots[slot]; e.name == name {
			return Ref{slot, e.gen}, true
		}
	}
	return Ref{}, false
}

// Add makes an entity without a prefab. Errors as in Create, and fault.Scene
// for a component whose built-in fields have a wrong shape.
func (s *Scene) Add(e Entity) (Ref, error) {
	if err := s.checkRoom(1); err != nil {
		return Ref{}, err
	}
	if err := s.checkID(e.ID); err != nil {
		return Ref{}, err
	}
	b, err := s.fields.compile(e.Name, e.Components)
	if err != nil {
		return Ref{}, err
	}
	return s.entities.add(e.ID, b), nil
}

// Alive reports whether the entity still lives.
func (s *Scene) Alive(r Ref) bool { return s.entities.get(r) != nil }

// EntityID returns the entity's id, or "".
func (s *Scene) EntityID(r Ref) string {
	if e := s.entities.get(r); e != nil {
		return e.id
	}
	return ""
}

// EntityName returns the entity's display name, or "".
func (s *Scene) EntityName(r Ref) string {
	if e := s.entities.get(r); e != nil {
		return e.name
	}
	return ""
}

// Module returns the entity's LuaScript module, as its file spells it
// ("script://scripts/game.lua"), or "".
func (s *Scene) Module(r Ref) string {
	if e := s.entities.get(r); e != nil {
		return e.module
	}
	return ""
}

// Count returns how many entities live.
func (s *Scene) Count() int { return len(s.entities.order) }

// Revision grows whenever an entity is created or destroyed, so that a reader
// which follows scripts need not look at every entity on every tick.
func (s *Scene) Revision() uint64 { return s.entities.revision }

// All yields the live entities in creation order. The loop body must not
// create or destroy entities; AppendAll is for those that do.
func (s *Scene) All() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for _, slot := range s.entities.order {
			if !yield(Ref{slot, s.entities.slots[slot].gen}) {
				return
			}
		}
	}
}

// AppendAll appends the live entities in creation order to dst.
func (s *Scene) AppendAll(dst []Ref) []Ref {
	for r := range s.All() {
		dst = append(dst, r)
	}
	return dst
}

// Components returns the entity's components in the order of its file. The
// slice is the scene's: read it, do not change it, do not keep it.
func (s *Scene) Components(r Ref) []Component {
	if e := s.entities.get(r); e != nil {
		return e.components
	}
	return nil
}

// Component returns what the entity's component says. Live values of fields
// are read with ReadField: this is the configuration, not the simulation.
func (s *Scene) Component(r Ref, name string) (Data, bool) {
	if e := s.entities.get(r); e != nil {
		if i := e.find(name); i >= 0 {
			return e.components[i].Data, true
		}
	}
	return Data{}, false
}

// Get returns one value of a component: the live value of a field, else what
// the component says. Names with dots reach into nested objects.
func (s *Scene) Get(r Ref, component, name string) (Data, bool) {
	if f, ok := s.FieldOf(component, name); ok {
		v, ok := s.ReadField(r, f)
		return dataOfField(s.fields.infos[f].kind, v), ok
	}
	d, ok := s.Component(r, component)
	if !ok {
		return Data{}, false
	}
	return lookup(d, name)
}

// Set changes one value of a component, or one field, and nothing else.
// Errors: fault.Scene when the entity is gone or lacks the component, when the
// value has a wrong shape, and when it would make a component, or what was set in
// all, too large.
func (s *Scene) Set(r Ref, component, name string, d Data) error {
	e := s.entities.get(r)
	if e == nil {
		return fault.New(fault.Scene, "the entity is gone")
	}
	if f, ok := s.FieldOf(component, name); ok {
		v, ok := parseField(s.fields.infos[f].kind, d)
		if !ok {
			return wrong(component, name, "must be "+shapeOf(s.fields.infos[f].kind))
		}
		if !s.WriteField(r, f, v) {
			return fault.New(fault.Scene, "the entity %q has no %s", e.id, component)
		}
		return nil
	}
	i := e.find(component)
	if i < 0 {
		return fault.New(fault.Scene, "the entity %q has no %s", e.id, component)
	}
	data := e.components[i].Data.With(name, d)
	size := data.size()
	added := size - e.components[i].Data.size()
	switch {
	case size > MaxSetComponent:
		return fault.New(fault.Scene, "the component %s would have %d bytes; at most %d are allowed", component, size, MaxSetComponent)
	case added > 0 && s.entities.added+added > MaxSetTotal:
		return fault.New(fault.Scene, "what was set has %d bytes; at most %d are allowed", s.entities.added+added, MaxSetTotal)
	}
	comps := slices.Clone(e.components)
	comps[i].Data = data
	b, err := s.fields.compile(e.name, comps)
	if err != nil {
		return err
	}
	b.keepValues(&e.blueprint)
	e.blueprint = b
	e.added += added
	s.entities.added += added
	return nil
}
