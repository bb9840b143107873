package luabind

import (
	lua "github.com/yuin/gopher-lua"

	"demi.network/contract"
	"demi.network/runtime"
)

// body is Transform and Rigidbody2D over a scene: a few fields by name. An
// entity with a Transform3D answers with three numbers where a 2D one answers
// with one or two. Getters of what is not there give nil, setters false.
type body struct{ scene runtime.Scene }

// The fields these services read and write.
const (
	position2D = "Transform2D.position"
	rotation2D = "Transform2D.rotation"
	scale2D    = "Transform2D.scale"
	velocity2D = "Rigidbody2D.velocity"
	position3D = "Transform3D.position"
	rotation3D = "Transform3D.rotation"
	scale3D    = "Transform3D.scale"
	spriteTint = "Sprite.color"
)

func (b body) transformFuncs() []Func {
	return []Func{
		{"get_position", func(a Args) int { return b.get(a, position2D, 2, position3D) }},
		{"set_position", func(a Args) int { return b.set(a, position2D, 2, position3D) }},
		{"add_position", b.addPosition},
		{"get_rotation", func(a Args) int { return b.get(a, rotation2D, 1, rotation3D) }},
		{"set_rotation", func(a Args) int { return b.set(a, rotation2D, 1, rotation3D) }},
		{"get_scale", func(a Args) int { return b.get(a, scale2D, 2, scale3D) }},
		{"set_scale", func(a Args) int { return b.set(a, scale2D, 2, scale3D) }},
	}
}

func (b body) rigidbodyFuncs() []Func {
	return []Func{
		{"get_velocity", func(a Args) int { return b.get(a, velocity2D, 2, "") }},
		{"set_velocity", func(a Args) int { return b.set(a, velocity2D, 2, "") }},
		{"get_velocity_x", func(a Args) int { return b.getPart(a, 0) }},
		{"set_velocity_x", func(a Args) int { return b.setPart(a, 0) }},
		{"get_velocity_y", func(a Args) int { return b.getPart(a, 1) }},
		{"set_velocity_y", func(a Args) int { return b.setPart(a, 1) }},
	}
}

// get pushes n parts of a field, or the three of its 3D counterpart.
func (b body) get(a Args, field string, n int, field3D string) int {
	entity := a.name(1)
	v, ok := b.scene.Read(entity, field)
	if !ok && field3D != "" {
		if v, ok = b.scene.Read(entity, field3D); ok {
			n = 3
		}
	}
	for i := range n {
		if !ok {
			a.L.Push(lua.LNil)
			continue
		}
		a.L.Push(lua.LNumber(v[i]))
	}
	return n
}

// set writes a field from n numbers, or its 3D counterpart from three. Numbers
// that are not finite are refused by the scene.
func (b body) set(a Args, field string, n int, field3D string) int {
	entity := a.name(1)
	var v contract.FieldValue
	for i := range n {
		v[i] = a.Number(2 + i)
	}
	if b.scene.Write(entity, field, v) {
		return yes(a)
	}
	if field3D == "" || !a.Has(4) {
		return answer(a, false)
	}
	for i := range 3 {
		v[i] = a.Number(2 + i)
	}
	return answer(a, b.scene.Write(entity, field3D, v))
}

// addPosition is add_position(entity, dx, dy, [dz]).
func (b body) addPosition(a Args) int {
	entity, dx, dy, dz := a.name(1), a.Number(2), a.Number(3), a.OptNumber(4, 0)
	for _, field := range [...]string{position2D, position3D} {
		if v, ok := b.scene.Read(entity, field); ok {
			v[0] += dx
			v[1] += dy
			if field == position3D {
				v[2] += dz
			}
			return answer(a, b.scene.Write(entity, field, v))
		}
	}
	return answer(a, false)
}

func (b body) getPart(a Args, i int) int {
	v, ok := b.scene.Read(a.name(1), velocity2D)
	if !ok {
		return none(a)
	}
	a.L.Push(lua.LNumber(v[i]))
	return 1
}

func (b body) setPart(a Args, i int) int {
	entity, part := a.name(1), a.Number(2)
	v, ok := b.scene.Read(entity, velocity2D)
	v[i] = part
	return answer(a, ok && b.scene.Write(entity, velocity2D, v))
}
