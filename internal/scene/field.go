package scene

import (
	"math"
	"slices"
	"strings"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// FieldID is a field path resolved once. Ids are a Scene's own; the built-in
// ones are the same in every Scene.
type FieldID int32

// The built-in fields: what the engine's reflection replicates.
const (
	Position2D FieldID = iota // Transform2D.position
	Rotation2D                // Transform2D.rotation, radians
	Scale2D                   // Transform2D.scale
	Velocity2D                // Rigidbody2D.velocity, units per second
	Position3D                // Transform3D.position
	Rotation3D                // Transform3D.rotation, three Euler angles
	Scale3D                   // Transform3D.scale
	Velocity3D                // Rigidbody3D.velocity
	FlipX                     // Sprite.flip_x
	FlipY                     // Sprite.flip_y
	Color                     // Sprite.color, 0…1
)

// builtin lists the built-in fields in the order of their ids.
var builtin = []fieldInfo{
	{key: fieldKey{"Transform2D", "position"}, kind: contract.TypeVec2},
	{key: fieldKey{"Transform2D", "rotation"}, kind: contract.TypeAngle},
	{key: fieldKey{"Transform2D", "scale"}, kind: contract.TypeVec2, zero: contract.FieldValue{1, 1}},
	{key: fieldKey{"Rigidbody2D", "velocity"}, kind: contract.TypeVec2},
	{key: fieldKey{"Transform3D", "position"}, kind: contract.TypeVec3},
	{key: fieldKey{"Transform3D", "rotation"}, kind: contract.TypeVec3},
	{key: fieldKey{"Transform3D", "scale"}, kind: contract.TypeVec3, zero: contract.FieldValue{1, 1, 1}},
	{key: fieldKey{"Rigidbody3D", "velocity"}, kind: contract.TypeVec3},
	{key: fieldKey{"Sprite", "flip_x"}, kind: contract.TypeBool},
	{key: fieldKey{"Sprite", "flip_y"}, kind: contract.TypeBool},
	{key: fieldKey{"Sprite", "color"}, kind: contract.TypeColor, zero: contract.FieldValue{1, 1, 1, 1}},
}

// fieldKey is a path cut at its first dot.
type fieldKey struct{ component, name string }

// fieldInfo is what a scene knows of one field.
type fieldInfo struct {
	key      fieldKey
	kind     contract.FieldType
	zero     contract.FieldValue // when the component does not give the field
	declared bool                // by a contract: every entity has it
}

// fieldTable owns the known fields.
type fieldTable struct {
	infos []fieldInfo
	byKey map[fieldKey]FieldID
}

func newFieldTable() fieldTable {
	t := fieldTable{infos: slices.Clone(builtin), byKey: make(map[fieldKey]FieldID, len(builtin))}
	for i, f := range t.infos {
		t.byKey[f.key] = FieldID(i)
	}
	return t
}

// Field resolves a path such as "Transform2D.position". Names after the first
// dot may hold dots themselves: nested objects are flattened.
func (s *Scene) Field(path string) (FieldID, bool) {
	component, name, ok := strings.Cut(path, ".")
	if !ok {
		return -1, false
	}
	return s.FieldOf(component, name)
}

// FieldOf is Field with the path already cut.
func (s *Scene) FieldOf(component, name string) (FieldID, bool) {
	f, ok := s.fields.byKey[fieldKey{component, name}]
	if !ok {
		return -1, false
	}
	return f, true
}

// FieldType returns the type of a field. It panics on an id that this scene
// never gave: that is a programmer's mistake.
func (s *Scene) FieldType(f FieldID) contract.FieldType { return s.fields.infos[f].kind }

// Declare makes a path a field of every entity: entities whose component gives
// it start with that value, others with the type's zero (quaternions with the
// identity, colors with opaque white). Built-in fields stay what they are: they need their component.
// Errors: fault.Scene for a path without a dot, another type than before, or
// too many fields.
func (s *Scene) Declare(path string, kind contract.FieldType) (FieldID, error) {
	component, name, ok := strings.Cut(path, ".")
	if !ok || component == "" || name == "" {
		return -1, fault.New(fault.Scene, "the field path %q is not Component.field", path)
	}
	key := fieldKey{strings.Clone(component), strings.Clone(name)}
	if f, ok := s.fields.byKey[key]; ok {
		if info := &s.fields.infos[f]; info.kind != kind {
			return -1, fault.New(fault.Scene, "the field %s already has another type", path)
		}
		return f, nil
	}
	if len(s.fields.infos) >= MaxFields {
		return -1, fault.New(fault.Scene, "too many replicated fields: at most %d", MaxFields)
	}
	info := fieldInfo{key: key, kind: kind, declared: true}
	switch kind { // as contract.Field.Default has it
	case contract.TypeQuat:
		info.zero = contract.FieldValue{0, 0, 0, 1}
	case contract.TypeColor:
		info.zero = contract.FieldValue{1, 1, 1, 1}
	}
	f := FieldID(len(s.fields.infos))
	s.fields.infos = append(s.fields.infos, info)
	s.fields.byKey[key] = f
	s.adopt(f)
	return f, nil
}

// adopt gives prefabs and live entities the values that their components
// already hold for a field declared just now.
func (s *Scene) adopt(f FieldID) {
	for _, id := range s.prefabs.order {
		p := s.prefabs.byID[id]
		for i := range p.parts {
			s.fields.load(&p.parts[i], f)
		}
	}
	for _, slot := range s.entities.order {
		s.fields.load(&s.entities.slots[slot].blueprint, f)
	}
}

// ReadField returns a field in engine units. False: the entity is gone, the id
// is not this scene's, or the entity lacks the component of a built-in field.
func (s *Scene) ReadField(r Ref, f FieldID) (contract.FieldValue, bool) {
	e := s.entities.get(r)
	if e == nil || uint(f) >= uint(len(s.fields.infos)) {
		return contract.FieldValue{}, false
	}
	if e.holds(f) {
		return e.values[f], true
	}
	if info := &s.fields.infos[f]; info.declared {
		return info.zero, true
	}
	return contract.FieldValue{}, false
}

// WriteField sets a field in engine units; false as in ReadField and for
// numbers that are not finite. Numbers beyond the field's columns are ignored.
func (s *Scene) WriteField(r Ref, f FieldID, v contract.FieldValue) bool {
	e := s.entities.get(r)
	if e == nil || uint(f) >= uint(len(s.fields.infos)) {
		return false
	}
	info := &s.fields.infos[f]
	if !e.holds(f) && !info.declared {
		return false
	}
	n := info.kind.Columns()
	for i := range v {
		if i >= n {
			v[i] = 0
		} else if !finite(v[i]) {
			return false
		}
	}
	if info.kind == contract.TypeBool && v[0] != 0 {
		v[0] = 1
	}
	e.put(f, v)
	return true
}

// load sets field f of b from its component, when that gives it. Declared
// fields with a wrong shape are left at zero here: the contract reports them.
func (t *fieldTable) load(b *blueprint, f FieldID) {
	info := &t.infos[f]
	i := b.find(info.key.component)
	if i < 0 {
		return
	}
	if d, ok := lookup(b.components[i].Data, info.key.name); ok {
		if v, ok := parseField(info.kind, d); ok {
			b.put(f, v)
		}
	}
}

// lookup finds a field in a component, through nested objects at dots.
func lookup(d Data, name string) (Data, bool) {
	if v, ok := d.Get(name); ok {
		return v, true
	}
	head, rest, ok := strings.Cut(name, ".")
	if !ok {
		return Data{}, false
	}
	inner, ok := d.Get(head)
	if !ok {
		return Data{}, false
	}
	return lookup(inner, rest)
}

// parseField turns a component's value into engine units.
func parseField(kind contract.FieldType, d Data) (contract.FieldValue, bool) {
	var v contract.FieldValue
	switch {
	case kind == contract.TypeBool && d.Kind == Bool:
		if d.Bool {
			v[0] = 1
		}
		return v, true
	case kind.Columns() == 1:
		v[0] = d.Number
		return v, d.Kind == Number && finite(d.Number)
	case d.Kind != List:
		return v, false
	}
	n := kind.Columns()
	items := d.Items
	if kind == contract.TypeColor && len(items) == 3 {
		v[3] = 1 // an opaque colour may leave alpha out
		n = 3
	}
	if len(items) != n {
		return v, false
	}
	for i, it := range items {
		if it.Kind != Number || !finite(it.Number) {
			return v, false
		}
		v[i] = it.Number
	}
	return v, true
}

// dataOfField is the reverse of parseField.
func dataOfField(kind contract.FieldType, v contract.FieldValue) Data {
	if kind == contract.TypeBool {
		return BoolOf(v[0] != 0)
	}
	if n := kind.Columns(); n > 1 {
		return NumbersOf(v[:n]...)
	}
	return NumberOf(v[0])
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
