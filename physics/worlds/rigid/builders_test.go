package rigid

import (
	"context"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/modes"
)

// building gathers the first error of a scene.
type building struct {
	w   *World
	err error
}

func build(change func(c *Config)) *building {
	c := DefaultConfig()
	if change != nil {
		change(&c)
	}
	b := &building{}
	b.w, b.err = NewWorld(c)
	return b
}

// add takes a body in, of steel-like density where it has no mass.
func (s *building) add(b *Body) *Body {
	if s.err == nil && b.Mass == 0 && !b.Fixed {
		b.Mass, b.Inertia = b.Form.Solid(2000)
	}
	if s.err == nil {
		s.err = s.w.Add(b)
	}
	return b
}

func (s *building) join(j *Joint) *Joint {
	if s.err == nil {
		s.err = s.w.AddJoint(j)
	}
	return j
}

func (s *building) floor(mu, e float64) {
	s.add(&Body{Name: "floor", Form: Plane(vec3{0, 1, 0}), Fixed: true, Friction: mu, Restitution: e})
}

func (s *building) done() (*World, error) { return s.w, s.err }

func weightless(c *Config) { c.Gravity = vec3{} }

// NewtonRods are balls on hinged rods, side by side, the first one raised.
func NewtonRods(count int, angle float64) (*World, error) {
	s := build(nil)
	const r, l = 0.03, 0.4
	for i := range count {
		top := vec3{(2*r + 2e-4) * (float64(i) - float64(count-1)/2), 1, 0}
		q := mgl64.QuatIdent()
		if i == 0 {
			q = expQuat(vec3{0, 0, -angle})
		}
		b := s.add(&Body{Name: fmt.Sprintf("ball %d", i+1), Form: Ball(r), X: top.Add(rotate(q, vec3{0, -l, 0})), Q: q, Restitution: 0.98})
		s.join(&Joint{Kind: HingeJoint, A: b, PA: vec3{0, l, 0}, PB: top, Axis: vec3{0, 0, 1}})
	}
	return s.done()
}

// Rattleback is a slim ellipsoid whose principal axes of inertia are turned against
// those of its surface: spun one way (rate below 0) it rattles and turns back.
func Rattleback(rate float64) (*World, error) {
	s := build(nil)
	s.floor(0.9, 0)
	r := matrixOf(expQuat(vec3{0, 0.15, 0}))
	j := r.Mul3(mat3{1.2e-4, 0, 0, 0, 1.1e-3, 0, 0, 0, 1.05e-3}).Mul3(r.Transpose())
	form := Ellipsoid(0.1, 0.015, 0.022)
	q := expQuat(vec3{0.01, 0, 0.02})
	up, height := unrotate(q, vec3{0, 1, 0}), 0.0
	for k := range 3 {
		height += form.Half[k] * form.Half[k] * up[k] * up[k]
	}
	s.add(&Body{Name: "rattleback", Form: form, Mass: 0.4, Inertia: j, X: vec3{0, math.Sqrt(height), 0}, Q: q, W: vec3{0, rate, 0}, Friction: 0.9})
	return s.done()
}

// SlidingPendulum hangs on a support that slides along X with dry friction; angle in
// rad.
func SlidingPendulum(angle, mu float64) (*World, error) {
	s := build(nil)
	at := vec3{0, 1, 0}
	slider := s.add(&Body{Name: "support", Form: Box(0.2, 0.1, 0.1), Mass: 2, Inertia: mat3{0.0034, 0, 0, 0, 0.0083, 0, 0, 0, 0.0083}, X: at})
	s.join(&Joint{Kind: SliderJoint, A: slider, PB: at, Axis: vec3{1, 0, 0}, Friction: mu})
	q := expQuat(vec3{0, 0, angle})
	arm := s.add(&Body{Name: "pendulum", Form: Capsule(0.03, 0.7), Mass: 1, Inertia: mat3{0.05, 0, 0, 0, 0.0025, 0, 0, 0, 0.05}, Q: q, X: at.Sub(rotate(q, vec3{0, 0.4, 0}))})
	s.join(&Joint{Kind: HingeJoint, A: arm, B: slider, PA: vec3{0, 0.4, 0}, Axis: vec3{0, 0, 1}})
	return s.done()
}

// DoublePendulum swings from angles in rad; its end strikes a wall at x in m with a
// restitution e.
func DoublePendulum(first, second, x, e float64) (*World, error) {
	s := build(nil)
	s.add(&Body{Name: "wall", Form: Plane(vec3{-1, 0, 0}), Fixed: true, X: vec3{x, 0, 0}, Restitution: e, Friction: 0.2})
	at := vec3{0, 2, 0}
	var last *Body
	end := vec3{}
	for i, l := range []float64{1, 0.7} {
		q := expQuat(vec3{0, 0, -[2]float64{first, second}[i]})
		b := &Body{Name: fmt.Sprintf("rod %d", i+1), Form: Capsule(0.02, l), Q: q, X: at.Sub(rotate(q, vec3{0, l / 2, 0})), Restitution: e, Friction: 0.2}
		s.add(b)
		j := &Joint{Kind: HingeJoint, A: b, B: last, PA: vec3{0, l / 2, 0}, PB: end, Axis: vec3{0, 0, 1}}
		if last == nil {
			j.PB = at
			if s.err == nil {
				s.w.ignore(b, s.w.bodies[0]) // the wall is for the end of the second
			}
		}
		s.join(j)
		last, end = b, vec3{0, -l / 2, 0}
		at = b.point(end)
	}
	return s.done()
}

// Dominoes stand in a row, so far apart in m; the first one leans and falls.
func Dominoes(count int, apart float64) (*World, error) {
	s := build(nil)
	s.floor(0.6, 0)
	for i := range count {
		b := &Body{Name: fmt.Sprintf("domino %d", i+1), Form: Box(0.01, 0.06, 0.03), X: vec3{apart * float64(i), 0.03, 0}, Friction: 0.4}
		if i == 0 { // beyond the angle at which it would fall back
			b.Q = expQuat(vec3{0, 0, -0.2})
			b.X = vec3{0.005, 0, 0}.Add(rotate(b.Q, vec3{-0.005, 0.03, 0}))
		}
		s.add(b)
	}
	return s.done()
}

// TuningFork has prongs of a length, m; it floats, and rings when struck.
func TuningFork(prong float64) (*World, error) {
	m, err := forkMesh(prong)
	return ringing("fork", m, err, 8, 5e-4, vec3{0, 1, 0}, vec3{})
}

// SpinningBeam is a steel bar that turns across its length, 1/s.
func SpinningBeam(rate float64) (*World, error) {
	m, err := barMesh(vec3{0.5, 0.01, 0.015})
	return ringing("beam", m, err, 18, 5e-3, vec3{0, 1, 0}, vec3{0, rate, 0})
}

// ringing is a weightless steel body with its modes.
func ringing(name string, m *mesh.Mesh, err error, count int, zeta float64, x, w vec3) (*World, error) {
	if err != nil {
		return nil, err
	}
	s := build(weightless)
	if s.err != nil {
		return nil, s.err
	}
	found, err := modes.Solve(context.Background(), m, steel, modes.Options{Count: count})
	if err != nil {
		return nil, err
	}
	vertices, triangles := m.Nodes, surfaceOf(m)
	form, offset, mass, inertia, err := Mesh(vertices, triangles)
	if err != nil {
		return nil, err
	}
	b := &Body{Name: name, Form: form, Mass: mass * steel.Density, Inertia: inertia.Mul(steel.Density), X: x, W: w, Friction: 0.3, Restitution: 0.5}
	s.add(b)
	if s.err == nil {
		_, s.err = s.w.vibrate(b, found, offset, zeta)
	}
	return s.done()
}
