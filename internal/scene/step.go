package scene

import (
	"math"

	"demi.network/contract"
)

const (
	gravity     = -9.81 // units per second squared, along y
	maxSubsteps = 8     // a body moves at most this many times per Step
	pushRounds  = 4     // a body in a corner is pushed out this often
)

// Step moves the bodies of a headless game by dt seconds, in creation order:
// kinematic bodies by their velocity; dynamic ones by gravity and velocity,
// pushed out of fixed colliders (no Rigidbody2D, or a static one; triggers
// stop nobody), losing the speed into them. Moving bodies pass through each
// other. That is all a script's own movement needs; a game that wants a solver
// declares a simulation. driven may be nil; entities for which it is true are
// left alone: their fields come from somebody else.
func (s *Scene) Step(dt float64, driven func(Ref) bool) {
	if !(dt > 0) || !finite(dt) {
		return
	}
	s.walls = s.walls[:0]
	for _, slot := range s.entities.order {
		e := &s.entities.slots[slot]
		if e.body.kind != fixed || e.collider.trigger {
			continue
		}
		if o, ok := e.outline(); ok {
			s.walls = append(s.walls, o)
		}
	}
	for _, slot := range s.entities.order {
		e := &s.entities.slots[slot]
		if e.body.kind == fixed || !e.holds(Position2D) || !e.holds(Velocity2D) {
			continue
		}
		if driven == nil || !driven(Ref{slot, e.gen}) {
			s.move(e, dt)
		}
	}
}

// move advances one body, in pieces shorter than itself.
func (s *Scene) move(e *entity, dt float64) {
	v := vec{e.values[Velocity2D][0], e.values[Velocity2D][1]}
	if e.body.kind == dynamic {
		v.y += float64(float64(gravity*e.body.gravity) * dt)
	}
	p := vec{e.values[Position2D][0], e.values[Position2D][1]}
	o, solid := e.outline()
	if e.body.kind == kinematic || !solid || e.collider.trigger {
		e.place(p.add(v.mul(dt)), v)
		return
	}
	pieces := o.pieces(v.length() * dt)
	part := dt / pieces
	for range int(pieces) {
		e.place(p.add(v.mul(part)), v)
		v = s.pushOut(e, v)
		p = vec{e.values[Position2D][0], e.values[Position2D][1]}
	}
	e.place(p, v)
}

// pieces is in how many parts a way of this length is gone.
func (o *outline) pieces(way float64) float64 {
	thickness := o.radius
	if o.shape == boxShape {
		thickness = min(o.half.x, o.half.y)
	}
	if !(thickness > 0) {
		return 1
	}
	return clamp(math.Ceil(way/thickness), 1, maxSubsteps)
}

// place sets position and velocity unless a number has run out of range.
func (e *entity) place(p, v vec) {
	if p.finite() && v.finite() {
		e.put(Position2D, contract.FieldValue{p.x, p.y})
		e.put(Velocity2D, contract.FieldValue{v.x, v.y})
	}
}

// pushOut moves e out of the walls it overlaps, deepest first, and returns
// its velocity without the part that leads into them.
func (s *Scene) pushOut(e *entity, v vec) vec {
	for range pushRounds {
		o, _ := e.outline()
		var deepest contact
		for i := range s.walls {
			if c, ok := touch(&o, &s.walls[i]); ok && c.depth > deepest.depth {
				deepest = c
			}
		}
		if deepest.depth == 0 {
			return v
		}
		p := vec{e.values[Position2D][0], e.values[Position2D][1]}
		if into := v.dot(deepest.normal); into < 0 {
			v = v.sub(deepest.normal.mul(into))
		}
		e.place(p.add(deepest.normal.mul(deepest.depth)), v)
	}
	return v
}

// contact is how to separate two outlines: move the first by normal·depth.
type contact struct {
	normal vec
	depth  float64
}

// touch reports how far a overlaps b, and which way out is.
func touch(a, b *outline) (contact, bool) {
	switch {
	case a.shape == circleShape && b.shape == circleShape:
		return apart(a.center.sub(b.center), a.radius+b.radius)
	case a.shape == circleShape:
		return circleInBox(a, b)
	case b.shape == circleShape:
		c, ok := circleInBox(b, a)
		c.normal = c.normal.mul(-1)
		return c, ok
	}
	return boxInBox(a, b)
}

// apart separates two points that should be reach apart.
func apart(d vec, reach float64) (contact, bool) {
	length := d.length()
	if length >= reach {
		return contact{}, false
	}
	if length == 0 {
		return contact{vec{0, 1}, reach}, true
	}
	return contact{d.mul(1 / length), reach - length}, true
}

func circleInBox(c, b *outline) (contact, bool) {
	m := c.center.sub(b.center).along(b.axis)
	near := vec{clamp(m.x, -b.half.x, b.half.x), clamp(m.y, -b.half.y, b.half.y)}
	if near != m {
		out, ok := apart(m.sub(near), c.radius)
		out.normal = out.normal.from(b.axis)
		return out, ok
	}
	// The centre is inside: out through the nearest side.
	dx, dy := b.half.x-math.Abs(m.x), b.half.y-math.Abs(m.y)
	if dx < dy {
		return contact{vec{math.Copysign(1, m.x), 0}.from(b.axis), dx + c.radius}, true
	}
	return contact{vec{0, math.Copysign(1, m.y)}.from(b.axis), dy + c.radius}, true
}

// boxInBox tries the four axes on which two boxes can be apart.
func boxInBox(a, b *outline) (contact, bool) {
	best := contact{depth: math.Inf(1)}
	d := a.center.sub(b.center)
	for _, axis := range [4]vec{a.axis, a.axis.perp(), b.axis, b.axis.perp()} {
		between := d.dot(axis)
		depth := a.extent(axis) + b.extent(axis) - math.Abs(between)
		if depth <= 0 {
			return contact{}, false
		}
		if depth < best.depth {
			best = contact{axis.mul(math.Copysign(1, between)), depth}
		}
	}
	return best, true
}

// extent is how far a box reaches along an axis from its centre.
func (o *outline) extent(axis vec) float64 {
	return float64(o.half.x*math.Abs(axis.dot(o.axis))) + float64(o.half.y*math.Abs(axis.dot(o.axis.perp())))
}
