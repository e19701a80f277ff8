package exact

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// bricks is a wall of rows in running bond, each brick 2 m x 1 m x 1 m of 1 kg on two below at two corners each, four
// with each neighbour: redundant everywhere. It falls for 0.01 s, and its top is pushed out of the plane.
func bricks(rows, columns int, push float64) *contact.Problem {
	type vec = mgl64.Vec3
	bodies := rows * columns
	p, m := new(contact.Problem), &contact.Motions{Bodies: bodies}
	turn := vec{math.Sqrt(6), math.Sqrt(2.4), math.Sqrt(2.4)} // root of the inverse inertia; the mass is 1
	centre := func(i int) vec {
		row := i / columns
		return vec{float64(2*(i%columns) + row%2), float64(row) + 0.5, 0}
	}
	free := make([]float64, 6*bodies)
	for i := range bodies {
		free[6*i+1] = -0.1
		if i >= (rows-1)*columns {
			free[6*i+2] = push
		}
	}
	touch := func(a, o int, at vec, normal, t1 vec) {
		m.A, m.B = append(m.A, int32(a)), append(m.B, int32(o))
		for side, body := range [2]int{a, o} {
			for _, d := range [3]vec{normal, t1, normal.Cross(t1)} {
				row := [6]float64{}
				if body >= 0 {
					arm := at.Sub(centre(body)).Cross(d)
					for k := range 3 {
						row[k], row[3+k] = float64(1-2*side)*d[k], float64(1-2*side)*arm[k]*turn[k]
					}
				}
				m.G = append(m.G, row[:]...)
			}
		}
	}
	for i := range rows * columns {
		at := centre(i)
		for _, z := range [2]float64{-0.5, 0.5} {
			for _, side := range [2]float64{-1, 1} {
				below := -1
				if i >= columns {
					if below = i - columns + int(side-1)/2 + i/columns%2; below < i/columns*columns-columns || below >= i/columns*columns {
						continue
					}
				}
				for _, x := range [2]float64{0.1, 1} {
					touch(i, below, at.Add(vec{side * x, -0.5, z}), vec{0, 1, 0}, vec{1, 0, 0})
				}
			}
			if i%columns > 0 {
				for _, y := range [2]float64{-0.5, 0.5} {
					touch(i, i-1, at.Add(vec{-1, y, z}), vec{1, 0, 0}, vec{0, 1, 0})
				}
			}
		}
	}
	p.Resize(len(m.A))
	p.Motions = m
	for c := range p.N {
		p.Mu[c] = 0.6
		for i, a := range [2]int32{m.A[c], m.B[c]} {
			if a < 0 {
				continue
			}
			g := m.G[36*c+18*i : 36*c+18*i+18]
			for r := range 3 {
				p.Q[3*c+r] += num.Dot(g[6*r:6*r+6], free[6*a:6*a+6])
			}
			for d := range p.N {
				for j, b := range [2]int32{m.A[d], m.B[d]} {
					if a != b {
						continue
					}
					h := m.G[36*d+18*j : 36*d+18*j+18]
					for r := range 3 {
						for s := range 3 {
							p.W[(3*c+r)*3*p.N+3*d+s] += num.Dot(g[6*r:6*r+6], h[6*s:6*s+6])
						}
					}
				}
			}
		}
	}
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
