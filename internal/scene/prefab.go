package scene

import (
	"slices"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// Prefab is a template of one or more entities. It never changes once loaded,
// except that newly declared fields are read from it.
type Prefab struct {
	ID   string // prefab://…
	Name string

	ids   []string // of the parts, as the file spells them
	parts []blueprint
}

// prefabTable owns the project's prefabs and the contract's keys for them.
type prefabTable struct {
	byID  map[string]*Prefab
	byKey map[string]string // contract key → prefab:// id
	order []string          // ids in the order of their paths
}

// Prefabs returns the ids of all prefabs, in the order of their file paths.
func (s *Scene) Prefabs() []string { return slices.Clone(s.prefabs.order) }

// addPrefab makes a prefab known. Errors: fault.Scene for an id that is no
// prefab's or taken, no parts, or too many prefabs.
func (s *Scene) addPrefab(p *Prefab) error {
	switch {
	case len(p.ID) <= len(prefabScheme):
		return fault.New(fault.Scene, "the prefab id %q lacks a name behind %s", p.ID, prefabScheme)
	case s.prefabs.byID[p.ID] != nil:
		return fault.New(fault.Scene, "two prefabs have the id %q", p.ID)
	case len(s.prefabs.order) >= MaxPrefabs:
		return fault.New(fault.Scene, "too many prefabs: at most %d", MaxPrefabs)
	case len(p.parts) == 0:
		return fault.New(fault.Scene, "the prefab %q has no entity", p.ID)
	}
	s.prefabs.byID[p.ID] = p
	s.prefabs.order = append(s.prefabs.order, p.ID)
	return nil
}

// blueprint is an entity without an identity: components, and what the engine
// reads out of them. components is shared between instances and replaced,
// never changed; values and present are an instance's own.
type blueprint struct {
	name       string
	components []Component
	values     []contract.FieldValue // by FieldID
	present    []bool                // by FieldID
	module     string
	body       body
	collider   collider
}

// clone returns a blueprint whose field values are its own.
func (b *blueprint) clone() blueprint {
	c := *b
	c.values = slices.Clone(b.values)
	c.present = slices.Clone(b.present)
	return c
}

func (b *blueprint) holds(f FieldID) bool { return int(f) < len(b.present) && b.present[f] }

func (b *blueprint) put(f FieldID, v contract.FieldValue) {
	for int(f) >= len(b.present) {
		b.present = append(b.present, false)
		b.values = append(b.values, contract.FieldValue{})
	}
	b.present[f], b.values[f] = true, v
}

// find returns the index of a component, or -1.
func (b *blueprint) find(name string) int {
	for i := range b.components {
		if b.components[i].Name == name {
			return i
		}
	}
	return -1
}

// compile reads fields, body, collider and script out of components.
func (t *fieldTable) compile(name string, comps []Component) (blueprint, error) {
	b := blueprint{name: name, components: comps}
	if len(name) > MaxIDBytes {
		return b, fault.New(fault.Scene, "an entity name has %d bytes; at most %d are allowed", len(name), MaxIDBytes)
	}
	if len(comps) > MaxComponents {
		return b, fault.New(fault.Scene, "an entity has %d components; at most %d are allowed", len(comps), MaxComponents)
	}
	for i, c := range comps {
		if c.Data.Kind != Map {
			return b, fault.New(fault.Scene, "component %s must be an object, not %s", c.Name, c.Data.Kind)
		}
		if b.find(c.Name) != i {
			return b, fault.New(fault.Scene, "component %s is given twice", c.Name)
		}
		if err := b.readComponent(c); err != nil {
			return b, err
		}
	}
	for f := range t.infos {
		info := &t.infos[f]
		i := b.find(info.key.component)
		if i < 0 {
			continue
		}
		d, given := lookup(comps[i].Data, info.key.name)
		v, ok := info.zero, true
		if given {
			v, ok = parseField(info.kind, d)
		}
		if !ok && !info.declared {
			return b, wrong(info.key.component, info.key.name, "must be "+shapeOf(info.kind))
		}
		if ok {
			b.put(FieldID(f), v)
		}
	}
	return b, nil
}

// keepValues takes over the live field values of what b replaces.
func (b *blueprint) keepValues(old *blueprint) {
	for f, present := range old.present {
		if present {
			b.put(FieldID(f), old.values[f])
		}
	}
}

// shapeOf says in words what a field of this type looks like in a file.
func shapeOf(kind contract.FieldType) string {
	switch kind {
	case contract.TypeBool:
		return "true or false"
	case contract.TypeVec2:
		return "a list of 2 numbers"
	case contract.TypeVec3:
		return "a list of 3 numbers"
	case contract.TypeQuat:
		return "a list of 4 numbers"
	case contract.TypeColor:
		return "a list of 3 or 4 numbers"
	}
	return "a finite number"
}
