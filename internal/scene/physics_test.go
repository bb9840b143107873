package scene

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"demi.network/contract"
)

func nan() float64 { return math.NaN() }
func inf() float64 { return math.Inf(1) }

// put adds an entity with a Transform2D and one more component.
func put(t testing.TB, s *Scene, id string, x, y, rotation float64, comps ...Component) Ref {
	t.Helper()
	all := append([]Component{{"Transform2D", MapOf(Member{"position", NumbersOf(x, y)}, Member{"rotation", NumberOf(rotation)})}}, comps...)
	r, err := s.Add(Entity{ID: id, Components: all})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func circle(radius float64, layer string) Component {
	return Component{"CircleCollider2D", MapOf(Member{"radius", NumberOf(radius)}, Member{"layer", TextOf(layer)})}
}

func box(w, h float64, layer string, more ...Member) Component {
	return Component{"BoxCollider2D", MapOf(append([]Member{{"size", NumbersOf(w, h)}, {"layer", TextOf(layer)}}, more...)...)}
}

func moving(kind string, gravity float64) Component {
	return Component{"Rigidbody2D", MapOf(Member{"body_type", TextOf(kind)}, Member{"gravity_scale", NumberOf(gravity)})}
}

func TestRaycast(t *testing.T) {
	s := New()
	put(t, s, "ball", 10, 0, 0, circle(1, "actors"))
	put(t, s, "wall", 20, 0, 0, box(2, 4, "walls"))
	put(t, s, "tilted", 0, 10, math.Pi/4, box(2, 2, "walls"))
	big := put(t, s, "scaled", -10, 0, 0, circle(1, "actors"))
	s.WriteField(big, Scale2D, contract.FieldValue{3, 1})
	put(t, s, "shifted", 0, -10, math.Pi/2, box(2, 2, "walls", Member{"offset", NumbersOf(4, 0)}))
	put(t, s, "gate", 0, -5, 0, box(0.5, 0.5, "triggers", Member{"is_trigger", BoolOf(true)}))
	put(t, s, "twin1", 5, 50, 0, box(2, 2, "twins"))
	put(t, s, "twin2", 5, 50, 0, box(2, 2, "twins"))
	root2 := math.Sqrt2
	for _, c := range []struct {
		why             string
		x, y, dx, dy, m float64
		layer, ignored  string
		want            string // id, or "" for a miss
		distance        float64
		nx, ny          float64
	}{
		{"nearest first", 0, 0, 1, 0, 100, "", "", "ball", 9, -1, 0},
		{"directions need no length", 0, 0, 1000, 0, 100, "", "", "ball", 9, -1, 0},
		{"other layers are transparent", 0, 0, 1, 0, 100, "walls", "", "wall", 19, -1, 0},
		{"the ignored entity is transparent", 0, 0, 1, 0, 100, "", "ball", "wall", 19, -1, 0},
		{"no further than the reach", 0, 0, 1, 0, 8.9, "", "", "", 0, 0, 0},
		{"exactly the reach counts", 0, 0, 1, 0, 9, "", "", "ball", 9, -1, 0},
		{"not backwards", 15, 0, 1, 0, 100, "actors", "", "", 0, 0, 0},
		{"from the other side", 15, 0, -1, 0, 100, "actors", "", "ball", 4, 1, 0},
		{"a shooter stands inside its own", 10, 0.5, 1, 0, 100, "", "", "wall", 9, -1, 0},
		{"inside a box too", 20, 0, 1, 0, 100, "", "", "", 0, 0, 0},
		{"a corner of a rotated box", 0, 0, 0, 1, 100, "walls", "", "tilted", 10 - root2, 0, 0},
		{"a rotated side from the lower left", -2, 8, 1, 1, 100, "walls", "", "tilted", 2*root2 - 1, -root2 / 2, -root2 / 2},
		{"scale widens a circle by its larger part", 0, 0, -1, 0, 100, "", "", "scaled", 7, 1, 0},
		{"an offset turns with the entity", -10, -6, 1, 0, 100, "walls", "", "shifted", 9, -1, 0},
		{"triggers are met", 0, 0, 0, -1, 100, "triggers", "", "gate", 4.75, 0, 1},
		{"of two at one distance the elder", 0, 50, 1, 0, 100, "twins", "", "twin1", 4, -1, 0},
		{"no direction", 0, 0, 0, 0, 100, "", "", "", 0, 0, 0},
		{"not a number", nan(), 0, 1, 0, 100, "", "", "", 0, 0, 0},
		{"infinite direction", 0, 0, inf(), 0, 100, "", "", "", 0, 0, 0},
		{"no reach", 0, 0, 1, 0, 0, "", "", "", 0, 0, 0},
		{"reach is not a number", 0, 0, 1, 0, nan(), "", "", "", 0, 0, 0},
		{"an endless reach is fine", 0, 0, 1, 0, inf(), "", "", "ball", 9, -1, 0},
	} {
		h, ok := s.Raycast(c.x, c.y, c.dx, c.dy, c.m, c.layer, c.ignored)
		if ok != (c.want != "") || h.EntityID != c.want {
			t.Errorf("%s: met %q (%v), want %q", c.why, h.EntityID, ok, c.want)
			continue
		}
		if math.Abs(h.Distance-c.distance) > 1e-9 {
			t.Errorf("%s: distance %v, want %v", c.why, h.Distance, c.distance)
		}
		if c.nx != 0 || c.ny != 0 {
			if math.Abs(h.NormalX-c.nx) > 1e-9 || math.Abs(h.NormalY-c.ny) > 1e-9 {
				t.Errorf("%s: normal %v %v, want %v %v", c.why, h.NormalX, h.NormalY, c.nx, c.ny)
			}
		}
	}
}

// TestRaycastAgreesWithMarching compares rays with a slow walk along them.
func TestRaycastAgreesWithMarching(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		s := New()
		var outlines []outline
		for i := range 8 {
			x, y := rng.Float64()*20-10, rng.Float64()*20-10
			c := circle(0.5+rng.Float64(), "")
			if i%2 == 0 {
				c = box(0.5+rng.Float64()*3, 0.5+rng.Float64()*3, "")
			}
			r := put(t, s, fmt.Sprint(i), x, y, rng.Float64()*6, c)
			o, _ := s.entities.get(r).outline()
			outlines = append(outlines, o)
		}
		angle := rng.Float64() * 2 * math.Pi
		dir, origin := vec{math.Cos(angle), math.Sin(angle)}, vec{rng.Float64()*20 - 10, rng.Float64()*20 - 10}
		const step = 1e-3
		want := math.Inf(1)
		for _, o := range outlines {
			if inside(&o, origin) {
				continue
			}
			for d := 0.0; d < 30; d += step {
				if inside(&o, origin.add(dir.mul(d))) {
					want = min(want, d)
					break
				}
			}
		}
		h, ok := s.Raycast(origin.x, origin.y, dir.x, dir.y, 30, "", "")
		if !ok {
			h.Distance = math.Inf(1)
		}
		if h.Distance > want+step {
			t.Fatalf("round %d: the walk met something at %v, the ray at %v", round, want, h.Distance)
		}
		if !ok {
			continue
		}
		// The walk may step over a corner, so the other direction is: what the
		// ray says it met is there, on the outline and not inside.
		o := outlines[int(h.EntityID[0]-'0')]
		at := vec{h.X, h.Y}
		out := at.add(vec{h.NormalX, h.NormalY}.mul(1e-6))
		in := at.add(vec{h.NormalX, h.NormalY}.mul(-1e-6))
		if inside(&o, out) || !inside(&o, in) {
			t.Fatalf("round %d: %+v is not on the outline of %+v", round, h, o)
		}
	}
}

func inside(o *outline, p vec) bool {
	m := p.sub(o.center)
	if o.shape == circleShape {
		return m.length() < o.radius
	}
	m = m.along(o.axis)
	return math.Abs(m.x) < o.half.x && math.Abs(m.y) < o.half.y
}

func TestStepMovesBodies(t *testing.T) {
	for _, c := range []struct {
		why          string
		body         Component
		v            contract.FieldValue
		dt           float64
		want, wantV  contract.FieldValue
		driven       bool
		withCollider bool
	}{
		{"dynamic bodies follow their velocity", moving("dynamic", 0), contract.FieldValue{2, -1}, 0.5, contract.FieldValue{1, -0.5}, contract.FieldValue{2, -1}, false, true},
		{"kinematic ones too", moving("kinematic", 1), contract.FieldValue{2, -1}, 0.5, contract.FieldValue{1, -0.5}, contract.FieldValue{2, -1}, false, false},
		{"static ones stay", moving("static", 0), contract.FieldValue{2, -1}, 0.5, contract.FieldValue{}, contract.FieldValue{2, -1}, false, true},
		{"gravity pulls down", moving("dynamic", 2), contract.FieldValue{}, 0.5, contract.FieldValue{0, -4.905}, contract.FieldValue{0, -9.81}, false, false},
		{"driven entities are left alone", moving("dynamic", 1), contract.FieldValue{2, 0}, 0.5, contract.FieldValue{}, contract.FieldValue{2, 0}, true, true},
		{"time does not run backwards", moving("dynamic", 1), contract.FieldValue{2, 0}, -1, contract.FieldValue{}, contract.FieldValue{2, 0}, false, true},
		{"nor is it not a number", moving("dynamic", 1), contract.FieldValue{2, 0}, nan(), contract.FieldValue{}, contract.FieldValue{2, 0}, false, true},
	} {
		s := New()
		comps := []Component{c.body}
		if c.withCollider {
			comps = append(comps, circle(0.5, ""))
		}
		r := put(t, s, "b", 0, 0, 0, comps...)
		s.WriteField(r, Velocity2D, c.v)
		s.Step(c.dt, func(Ref) bool { return c.driven })
		p, _ := s.ReadField(r, Position2D)
		v, _ := s.ReadField(r, Velocity2D)
		for i := range 2 {
			if math.Abs(p[i]-c.want[i]) > 1e-9 || math.Abs(v[i]-c.wantV[i]) > 1e-9 {
				t.Errorf("%s: at %v with %v, want %v with %v", c.why, p, v, c.want, c.wantV)
				break
			}
		}
	}
}

// TestNobodyLeavesTheArena drives players of the published shooter's size into
// every wall, in every direction, at up to four times its speed.
func TestNobodyLeavesTheArena(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, shape := range []Component{circle(0.45, "player"), box(0.8, 0.6, "player")} {
		s := ffa(t)
		var players []Ref
		for i := range 6 {
			players = append(players, put(t, s, fmt.Sprint("p", i), float64(i)-3, 0, 0.3, moving("dynamic", 0), shape))
		}
		for range 600 {
			for _, r := range players {
				if rng.IntN(10) == 0 {
					a, speed := rng.Float64()*2*math.Pi, rng.Float64()*30
					s.WriteField(r, Velocity2D, contract.FieldValue{speed * math.Cos(a), speed * math.Sin(a)})
				}
			}
			s.Step(1.0/30, nil)
			for _, r := range players {
				p, _ := s.ReadField(r, Position2D)
				if math.Abs(p[0]) > 13.5 || math.Abs(p[1]) > 7.5 {
					t.Fatalf("%s left the arena: %v", s.EntityID(r), p)
				}
			}
		}
	}
}

func TestAWallTakesTheSpeedIntoItOnly(t *testing.T) {
	s := New()
	put(t, s, "wall", 5, 0, 0, box(1, 100, "walls"))
	put(t, s, "open gate", 2, 0, 0, box(1, 100, "walls", Member{"is_trigger", BoolOf(true)}))
	r := put(t, s, "p", 0, 0, 0, moving("dynamic", 0), circle(0.5, "player"))
	s.WriteField(r, Velocity2D, contract.FieldValue{10, 3})
	for range 30 {
		s.Step(1.0/30, nil)
	}
	p, _ := s.ReadField(r, Position2D)
	v, _ := s.ReadField(r, Velocity2D)
	if math.Abs(p[0]-4) > 1e-6 || math.Abs(p[1]-3) > 1e-6 || v[0] != 0 || v[1] != 3 {
		t.Errorf("a body slides along a wall and through a trigger: at %v with %v, want [4 3] with [0 3]", p, v)
	}
}

func TestStepIsRepeatable(t *testing.T) {
	run := func() contract.FieldValue {
		s := ffa(t)
		r, _ := s.Find("ent_player")
		s.WriteField(r, Velocity2D, contract.FieldValue{7.3, 5.1})
		for range 200 {
			s.Step(1.0/60, nil)
		}
		p, _ := s.ReadField(r, Position2D)
		return p
	}
	if a, b := run(), run(); a != b {
		t.Errorf("the same scene and steps gave %v and %v", a, b)
	}
}
