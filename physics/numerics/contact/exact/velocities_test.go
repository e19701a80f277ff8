package exact

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
)

// bricks is a wall of rows in running bond, each brick 2 m x 1 m x 1 m of 1 kg on two below at two corners each, four
// with each neighbour: redundant everywhere. It falls for 0.01 s, and its top is pushed out of the plane.
func bricks(rows, columns int, push float64) *contact.Problem {
	var b Bodies
	type vec = mgl64.Vec3
	centre := func(i int) vec {
		row := i / columns
		return vec{float64(2*(i%columns) + row%2), float64(row) + 0.5, 0}
	}
	for i := range rows * columns {
		b.InvMass = append(b.InvMass, 1)
		b.InvInertia = append(b.InvInertia, mgl64.Diag3(vec{6, 2.4, 2.4}))
		b.V = append(b.V, vec{0, -0.1, 0})
		b.Omega = append(b.Omega, vec{})
		if i >= (rows-1)*columns {
			b.V[i][2] = push
		}
	}
	touch := func(a, o int, at vec, normal, t1 vec) {
		c := BodyContact{A: int32(a), B: int32(o), Mu: 0.6}
		for k, d := range [3]vec{normal, t1, normal.Cross(t1)} {
			c.Rows[k] = Row{D: d, A: at.Sub(centre(a)).Cross(d)}
			if o >= 0 {
				c.Rows[k].B = at.Sub(centre(o)).Cross(d)
			}
		}
		b.Contacts = append(b.Contacts, c)
	}
	for i := range rows * columns {
		m := centre(i)
		for _, z := range [2]float64{-0.5, 0.5} {
			for _, side := range [2]float64{-1, 1} {
				below := -1
				if i >= columns {
					if below = i - columns + int(side-1)/2 + i/columns%2; below < i/columns*columns-columns || below >= i/columns*columns {
						continue
					}
				}
				for _, x := range [2]float64{0.1, 1} {
					touch(i, below, m.Add(vec{side * x, -0.5, z}), vec{0, 1, 0}, vec{1, 0, 0})
				}
			}
			if i%columns > 0 {
				for _, y := range [2]float64{-0.5, 0.5} {
					touch(i, i-1, m.Add(vec{-1, y, z}), vec{1, 0, 0}, vec{0, 1, 0})
				}
			}
		}
	}
	b.Solve(0, 0) // prepares
	b.Restart()
	p := new(contact.Problem)
	b.Dense(p)
	return p
}

func TestMotionsAreAFactorOfW(t *testing.T) {
	p := bricks(4, 5, 0)
	if p.Motions == nil {
		t.Fatal("no motions")
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	p.Motions.G[40] += 1e-6
	if p.Validate() == nil {
		t.Error("a G that is no factor of W is taken")
	}
}

// Redundant contacts are solved in the velocities of the bodies.
func TestWallsInVelocities(t *testing.T) {
	for _, push := range []float64{0, 0.3, 3} {
		p := bricks(6, 6, push)
		opt := contact.DefaultOptions()
		opt.Tolerance, opt.Criterion = 1e-8, contact.Scaled
		s, r := &Exact{accelerate: true}, make([]float64, 3*p.N)
		res := s.Solve(p, r, &opt)
		if !res.Converged || res.Route != contact.RouteProximal || res.Newton == 0 || res.Newton > 150 {
			t.Errorf("push %g: converged %v, route %v, %d Newton steps, e_s %.1e", push, res.Converged, res.Route, res.Newton, res.ScaledError)
		}
		if n := testing.AllocsPerRun(1, func() { clear(r); s.Solve(p, r, &opt) }); n != 0 {
			t.Errorf("push %g: %g allocations", push, n)
		}
	}
}
