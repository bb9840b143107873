package contract

import (
	"slices"
	"sort"
	"strings"
)

// fieldSpec is what a field is when its rule does not say otherwise.
type fieldSpec struct {
	path        string
	typ         FieldType
	step        float64
	tolerance   float64
	interpolate Interpolation
	zero        FieldValue // when the prefab gives no value
}

// builtin are the fields that the engine replicates without a declaration, in
// the byte order of paths.
var builtin = []fieldSpec{
	{"Rigidbody2D.velocity", TypeVec2, 0.02, 0.15, InterpolateLinear, FieldValue{}},
	{"Rigidbody3D.velocity", TypeVec3, 0.02, 0.15, InterpolateLinear, FieldValue{}},
	{"Sprite.color", TypeColor, 1.0 / 255, 1.0 / 255, InterpolateLinear, FieldValue{1, 1, 1, 1}},
	{"Sprite.flip_x", TypeBool, 1, 0, InterpolateSnap, FieldValue{}},
	{"Sprite.flip_y", TypeBool, 1, 0, InterpolateSnap, FieldValue{}},
	{"Transform2D.position", TypeVec2, 0.005, 0.03, InterpolateLinear, FieldValue{}},
	{"Transform2D.rotation", TypeAngle, 0.001, 0.01, InterpolateAngle, FieldValue{}},
	{"Transform2D.scale", TypeVec2, 0.001, 0.01, InterpolateLinear, FieldValue{1, 1}},
	{"Transform3D.position", TypeVec3, 0.005, 0.03, InterpolateLinear, FieldValue{}},
	{"Transform3D.rotation", TypeVec3, 0.001, 0.01, InterpolateAngle, FieldValue{}},
	{"Transform3D.scale", TypeVec3, 0.001, 0.01, InterpolateLinear, FieldValue{1, 1, 1}},
}

// builtinField finds a built-in field by path.
func builtinField(path string) (fieldSpec, bool) {
	i := sort.Search(len(builtin), func(i int) bool { return builtin[i].path >= path })
	if i < len(builtin) && builtin[i].path == path {
		return builtin[i], true
	}
	return fieldSpec{}, false
}

// builtinComponent says whether built-in fields belong to the component.
func builtinComponent(name string) bool {
	return slices.ContainsFunc(builtin, func(f fieldSpec) bool { return strings.HasPrefix(f.path, name+".") })
}

// typeSpec is what a declared field of that type is. A step of 0 says that
// the declaration must give one.
func typeSpec(t FieldType) fieldSpec {
	s := fieldSpec{typ: t, step: 0.005, interpolate: InterpolateLinear}
	switch t {
	case TypeBool, TypeInt:
		s.step, s.interpolate = 1, InterpolateSnap
	case TypeFloat:
		s.step = 0
	case TypeAngle:
		s.step, s.interpolate = 0.001, InterpolateAngle
	case TypeQuat:
		s.step, s.interpolate, s.zero = 0.001, InterpolateNlerp, FieldValue{0, 0, 0, 1}
	case TypeColor:
		s.step, s.zero = 1.0/255, FieldValue{1, 1, 1, 1}
	}
	return s
}

// BuiltinField is one field that the engine replicates without a declaration.
type BuiltinField struct {
	Path      string // "Transform2D.position"
	Type      FieldType
	Step      float64
	Tolerance float64
}

// BuiltinFields returns the fields that need no declaration, in the byte order
// of paths.
func BuiltinFields() []BuiltinField {
	out := make([]BuiltinField, len(builtin))
	for i, f := range builtin {
		out[i] = BuiltinField{f.path, f.typ, f.step, f.tolerance}
	}
	return out
}

// reserved are the names of the session's own events, which reach scripts in
// the same queue as messages.
var reserved = []string{
	"connected", "disconnected", "entity_despawned", "entity_spawned", "ownership_changed",
	"peer_joined", "peer_left", "prediction_corrected", "prediction_disabled", "session_started",
}

// ReservedNames returns the names that a message may not have, in byte order.
func ReservedNames() []string { return append([]string(nil), reserved...) }
