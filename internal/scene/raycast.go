package scene

import "math"

// Hit is what a ray found.
type Hit struct {
	EntityID         string
	Layer            string
	X, Y             float64 // where the ray enters the collider
	NormalX, NormalY float64 // of the outline there, a unit vector
	Distance         float64 // from the origin, in units
}

// Raycast returns the nearest 2D collider that a ray meets. The direction need
// not be normalised; longest is in units. layer "" means every layer, ignored
// "" means nobody. A collider that contains the origin is not met: a shooter
// stands inside its own. Of two colliders at the same distance the one that
// was created first is returned. False: nothing was met, the direction is
// zero, or a number is not finite. It looks at every collider and does not
// allocate.
func (s *Scene) Raycast(x, y, dx, dy, longest float64, layer, ignored string) (Hit, bool) {
	origin, dir := vec{x, y}, vec{dx, dy}
	length := dir.length()
	if !origin.finite() || !finite(length) || length == 0 || !(longest > 0) {
		return Hit{}, false
	}
	dir = dir.mul(1 / length)
	best := ray{distance: longest}
	var found *entity
	for _, slot := range s.entities.order {
		e := &s.entities.slots[slot]
		if layer != "" && e.collider.layer != layer || ignored != "" && e.id == ignored {
			continue
		}
		o, ok := e.outline()
		if !ok {
			continue
		}
		h, ok := o.meet(origin, dir)
		if ok && (h.distance < best.distance || found == nil && h.distance == best.distance) {
			best, found = h, e
		}
	}
	if found == nil {
		return Hit{}, false
	}
	at := origin.add(dir.mul(best.distance))
	return Hit{
		EntityID: found.id, Layer: found.collider.layer,
		X: at.x, Y: at.y, NormalX: best.normal.x, NormalY: best.normal.y, Distance: best.distance,
	}, true
}

// ray is one meeting of a ray and an outline.
type ray struct {
	distance float64
	normal   vec
}

// meet returns where a ray enters the outline. dir is a unit vector.
func (o *outline) meet(origin, dir vec) (ray, bool) {
	if o.shape == circleShape {
		return o.meetCircle(origin, dir)
	}
	return o.meetBox(origin, dir)
}

func (o *outline) meetCircle(origin, dir vec) (ray, bool) {
	m := origin.sub(o.center)
	b := m.dot(dir)
	c := m.dot(m) - float64(o.radius*o.radius)
	if c <= 0 || b >= 0 {
		return ray{}, false // inside, or looking away
	}
	disc := float64(b*b) - c
	if disc < 0 {
		return ray{}, false
	}
	t := -b - math.Sqrt(disc)
	if t < 0 || o.radius == 0 {
		return ray{}, false
	}
	return ray{t, m.add(dir.mul(t)).mul(1 / o.radius)}, true
}

// meetBox clips the ray against the two pairs of sides, in the box's own axes.
func (o *outline) meetBox(origin, dir vec) (ray, bool) {
	m, d := origin.sub(o.center).along(o.axis), dir.along(o.axis)
	enter, leave := math.Inf(-1), math.Inf(1)
	var normal vec
	for side := range 2 {
		p, v, h, n := m.x, d.x, o.half.x, vec{1, 0}
		if side == 1 {
			p, v, h, n = m.y, d.y, o.half.y, vec{0, 1}
		}
		if v == 0 {
			if math.Abs(p) > h {
				return ray{}, false
			}
			continue
		}
		near, far := (-h-p)/v, (h-p)/v
		if v > 0 {
			n = n.mul(-1)
		} else {
			near, far = far, near
		}
		if near > enter {
			enter, normal = near, n
		}
		leave = min(leave, far)
	}
	if enter > leave || enter <= 0 {
		return ray{}, false // missed, or the origin is inside or beyond
	}
	return ray{enter, normal.from(o.axis)}, true
}
