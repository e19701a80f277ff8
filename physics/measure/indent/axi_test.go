package indent

import (
	"context"
	"math"
	"testing"

	"hapco/physics/numerics/fem/solid"
)

func linear(young, nu float64) solid.Law {
	lambda, mu := solid.Lame(young, nu)
	return solid.Linear{Lambda: lambda, Mu: mu}
}

func curve(t *testing.T, s Test, law solid.Law, depths ...float64) []float64 {
	t.Helper()
	f, err := s.curve(context.Background(), law, depths)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The forces are the derivatives of the energy, and K those of the forces: for one
// element, in a random state.
func TestElementTangent(t *testing.T) {
	lambda, mu := solid.Lame(5000, 0.45)
	for _, law := range []solid.Law{solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, linear(5000, 0.45)} {
		s := newSlab(&Test{Radius: 1, Thickness: 1, Fine: 2}, law, 0.1)
		for i := range s.u {
			s.u[i] = 0.03 * math.Sin(3.7*float64(i)) * s.r[1]
		}
		nodes := [4]int{s.node(1, 2), s.node(2, 2), s.node(2, 1), s.node(1, 1)}
		var x [4][2]float64
		for a, n := range nodes {
			x[a] = [2]float64{s.r[n/s.nz], s.z[n%s.nz]}
		}
		s.element(&nodes, &x)
		k := s.work.k
		size := 0.0
		for p := range 8 {
			size = math.Max(size, math.Abs(k[p][p]))
		}
		for q := range 8 {
			dof := 2*nodes[q/2] + q%2
			const h = 1e-5
			old := s.u[dof]
			s.u[dof] = old + h
			s.element(&nodes, &x)
			up := s.work.out
			s.u[dof] = old - h
			s.element(&nodes, &x)
			down := s.work.out
			s.u[dof] = old
			for p := range 8 {
				if got := (up[p] - down[p]) / (2 * h); math.Abs(got-k[p][q]) > 1e-6*size {
					t.Errorf("%T: K[%d][%d] = %g, difference %g", law, p, q, k[p][q], got)
				}
			}
		}
	}
}

// Small depths: the formulas of Hertz and of the flat punch on a half-space.
func TestHalfSpace(t *testing.T) {
	for _, nu := range []float64{0.3, 0.49} {
		got := curve(t, Test{Punch: Flat, Radius: 0.01}, linear(5000, nu), 1e-5)[0]
		if want := flatPunch(5000, nu, 0.01, 1e-5); math.Abs(got-want) > 0.02*want {
			t.Errorf("nu %g: flat punch %g N, want %g", nu, got, want)
		}
		depths := []float64{2e-5, 5e-5, 1e-4}
		for i, f := range curve(t, Test{Radius: 0.01}, linear(5000, nu), depths...) {
			want := Hertz(5000, nu, 0.01, depths[i])
			t.Logf("nu %g depth %g: %g of Hertz", nu, depths[i], f/want)
			if math.Abs(f-want) > 0.03*want {
				t.Errorf("nu %g: ball %g m deep %g N, want %g", nu, depths[i], f, want)
			}
		}
	}
}

// A layer: the integral equation of Hayes for the flat punch, the series of Dimitriadis
// for the ball.
func TestLayer(t *testing.T) {
	for _, nu := range []float64{0.3, 0.49} {
		for _, slips := range []bool{false, true} {
			for _, aspect := range []float64{0.4, 1} {
				s := Test{Punch: Flat, Radius: 0.01, Thickness: 0.01 / aspect, Slips: slips}
				got := curve(t, s, linear(5000, nu), 1e-5)[0] / flatPunch(5000, nu, 0.01, 1e-5)
				want := hayes(nu, aspect, !slips)
				t.Logf("nu %g, slips %v, a/h %g: kappa %.4f, Hayes %.4f", nu, slips, aspect, got, want)
				if math.Abs(got-want) > 0.02*want {
					t.Errorf("nu %g, slips %v, a/h %g: kappa %g, want %g", nu, slips, aspect, got, want)
				}
			}
			s := Test{Radius: 0.01, Thickness: 0.004, Slips: slips}
			const depth = 1e-4
			got := curve(t, s, linear(5000, nu), depth/4, depth)
			for i, d := range []float64{depth / 4, depth} {
				want := Hertz(5000, nu, 0.01, d) * dimitriadis(nu, 0.01, 0.004, d, !slips)
				t.Logf("nu %g, slips %v: ball %g of Hertz, Dimitriadis %g", nu, slips, got[i]/Hertz(5000, nu, 0.01, d), want/Hertz(5000, nu, 0.01, d))
				if math.Abs(got[i]-want) > 0.04*want {
					t.Errorf("nu %g, slips %v, %g m deep: %g N, want %g", nu, slips, d, got[i], want)
				}
			}
		}
	}
}
