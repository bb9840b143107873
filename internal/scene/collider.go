package scene

import (
	"math"

	"demi.network/contract/jsontext"
	"demi.network/runtime/fault"
)

// shape is the outline of a collider.
type shape uint8

const (
	noShape shape = iota
	circleShape
	boxShape
)

// collider is a 2D outline, as the file gives it: before scale and rotation.
type collider struct {
	shape   shape
	trigger bool // found by rays, but stops nobody
	layer   string
	radius  float64
	half    vec // half the box's size
	offset  vec // of the centre, in the entity's own axes
}

// body is what the step needs of a Rigidbody2D.
type body struct {
	kind    bodyKind
	gravity float64 // gravity_scale
}

// bodyKind says how a body moves.
type bodyKind uint8

const (
	// fixed: no Rigidbody2D, or a static one. Nothing moves it but a script.
	fixed bodyKind = iota
	// kinematic: moved by its velocity, through everything.
	kinematic
	// dynamic: moved by its velocity and gravity, stopped by fixed colliders.
	dynamic
)

// outline is a collider in the world at one moment.
type outline struct {
	shape  shape
	center vec
	radius float64
	half   vec
	axis   vec // the box's own x axis, a unit vector
}

// vec is a point or a direction in the plane. Every product that feeds a sum
// is converted first, also across calls, which forbids the compiler to fuse them: results are the
// same on every machine.
type vec struct{ x, y float64 }

func (a vec) add(b vec) vec              { return vec{a.x + b.x, a.y + b.y} }
func (a vec) sub(b vec) vec              { return vec{a.x - b.x, a.y - b.y} }
func (a vec) mul(f float64) vec          { return vec{float64(a.x * f), float64(a.y * f)} }
func (a vec) dot(b vec) float64          { return float64(a.x*b.x) + float64(a.y*b.y) }
func (a vec) length() float64            { return math.Sqrt(a.dot(a)) }
func (a vec) perp() vec                  { return vec{-a.y, a.x} }
func (a vec) along(x vec) vec            { return vec{a.dot(x), a.dot(x.perp())} }
func (a vec) from(x vec) vec             { return x.mul(a.x).add(x.perp().mul(a.y)) }
func (a vec) finite() bool               { return finite(a.x) && finite(a.y) }
func clamp(v, low, high float64) float64 { return max(low, min(high, v)) }

// readComponent takes from a component what the engine itself acts on.
func (b *blueprint) readComponent(c Component) error {
	switch c.Name {
	case "LuaScript":
		module, ok := c.Data.Get("module")
		if !ok || module.Kind != Text || module.Text == "" {
			return wrong("LuaScript", "module", "must be a script:// id")
		}
		b.module = module.Text
	case "Rigidbody2D":
		return b.readBody(c.Data)
	case "CircleCollider2D":
		r, err := number(c, "radius", 0.5)
		if err != nil {
			return err
		}
		b.collider.shape, b.collider.radius = circleShape, math.Abs(r)
		return b.readCollider(c)
	case "BoxCollider2D":
		size, err := pair(c, "size", vec{1, 1})
		if err != nil {
			return err
		}
		b.collider.shape = boxShape
		b.collider.half = vec{math.Abs(size.x) / 2, math.Abs(size.y) / 2}
		return b.readCollider(c)
	}
	return nil
}

// readBody reads a Rigidbody2D; body_type is dynamic where it is not given.
func (b *blueprint) readBody(d Data) error {
	b.body = body{kind: dynamic, gravity: 1}
	if v, ok := d.Get("body_type"); ok {
		switch v.Text {
		case "dynamic":
		case "kinematic":
			b.body.kind = kinematic
		case "static":
			b.body.kind = fixed
		default:
			return wrong("Rigidbody2D", "body_type", "must be dynamic, kinematic or static")
		}
	}
	g, err := number(Component{"Rigidbody2D", d}, "gravity_scale", 1)
	b.body.gravity = g
	return err
}

// readCollider reads what both kinds of collider have.
func (b *blueprint) readCollider(c Component) error {
	offset, err := pair(c, "offset", vec{})
	if err != nil {
		return err
	}
	b.collider.offset = offset
	b.collider.layer, b.collider.trigger = "", false
	if v, ok := c.Data.Get("layer"); ok {
		b.collider.layer = v.Text
	}
	for _, key := range [...]string{"is_trigger", "trigger"} {
		if v, ok := c.Data.Get(key); ok && v.Kind == Bool && v.Bool {
			b.collider.trigger = true
		}
	}
	return nil
}

// wrong is an error about a component's key; its pointer is relative to the
// entity's components, which is all that is known here.
func wrong(component, key, what string) error {
	err := fault.New(fault.Scene, "%s.%s %s", component, key, what)
	err.Place.Pointer = "/" + jsontext.EscapeToken(component) + "/" + jsontext.EscapeToken(key)
	return err
}

func number(c Component, key string, absent float64) (float64, error) {
	v, ok := c.Data.Get(key)
	if !ok {
		return absent, nil
	}
	if v.Kind != Number || !finite(v.Number) {
		return 0, wrong(c.Name, key, "must be a finite number")
	}
	return v.Number, nil
}

func pair(c Component, key string, absent vec) (vec, error) {
	v, ok := c.Data.Get(key)
	if !ok {
		return absent, nil
	}
	if v.Kind != List || len(v.Items) != 2 || v.Items[0].Kind != Number || v.Items[1].Kind != Number {
		return vec{}, wrong(c.Name, key, "must be a list of 2 numbers")
	}
	out := vec{v.Items[0].Number, v.Items[1].Number}
	if !out.finite() {
		return vec{}, wrong(c.Name, key, "must be finite")
	}
	return out, nil
}

// outline returns the collider where the entity is now. False: no collider, or
// no Transform2D to place it.
func (e *entity) outline() (outline, bool) {
	if e.collider.shape == noShape || !e.holds(Position2D) {
		return outline{}, false
	}
	pos, scale := e.values[Position2D], vec{1, 1}
	if e.holds(Scale2D) {
		scale = vec{e.values[Scale2D][0], e.values[Scale2D][1]}
	}
	o := outline{shape: e.collider.shape, center: vec{pos[0], pos[1]}, axis: vec{1, 0}}
	if e.holds(Rotation2D) && e.values[Rotation2D][0] != 0 {
		sin, cos := math.Sincos(e.values[Rotation2D][0])
		o.axis = vec{cos, sin}
	}
	if off := e.collider.offset; off != (vec{}) {
		o.center = o.center.add(vec{off.x * scale.x, off.y * scale.y}.from(o.axis))
	}
	scale = vec{math.Abs(scale.x), math.Abs(scale.y)}
	o.radius = e.collider.radius * max(scale.x, scale.y)
	o.half = vec{e.collider.half.x * scale.x, e.collider.half.y * scale.y}
	return o, true
}
