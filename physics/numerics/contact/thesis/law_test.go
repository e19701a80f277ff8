package thesis

import (
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
	"hapco/physics/numerics/contact/lcp"
	"hapco/physics/numerics/num"
)

// isotropicContact has W = w I, so that the laws have simple answers.
func isotropicContact(w, mu float64, q [3]float64) *contact.Problem {
	p := new(contact.Problem)
	p.Resize(1)
	clear(p.W)
	for i := range 3 {
		p.W[4*i] = w
	}
	p.Mu[0] = mu
	copy(p.Q, q[:])
	return p
}

// Closed forms of one contact pressed by 1 mm and dragged by 5 mm on a body of
// 1000 N/m: the exact answer is r_n = 1 N, r_t = -mu along the drag.
func TestLawsOfOneContact(t *testing.T) {
	p := isotropicContact(1e-3, 0.3, [3]float64{-1e-3, 3e-3, 4e-3})
	for _, x := range []struct {
		name string
		want [3]float64
		tol  float64
	}{
		{"uzawa", [3]float64{1, -0.18, -0.24}, 1e-4},
		{"penalty-explicit", [3]float64{1, -0.18, -0.24}, 1e-12},
		{"adhesion", [3]float64{1, -0.18, -0.24}, 1e-12},
		{"sliding", [3]float64{1, -0.18, -0.24}, 1e-12},
		{"penalty-implicit", [3]float64{1 / 1.01, -0.18 / 1.01, -0.24 / 1.01}, 1e-9}, // springs 100 times stiffer in series
		{"facets-4", [3]float64{1, 0, -0.3}, 1e-9},                                   // along the nearest of +-t1, +-t2
	} {
		opt := contact.DefaultOptions()
		r, _ := solveWith(t, x.name, p, opt)
		for i := range r {
			if !(math.Abs(r[i]-x.want[i]) <= x.tol) {
				t.Errorf("%s: r = %v, want %v", x.name, r, x.want)
				break
			}
		}
	}
	// An imposed stiffness of the springs: 1000 N/m in series with 1000 N/m.
	opt := contact.DefaultOptions()
	opt.Rho = 1000
	if r, res := solveWith(t, "penalty-implicit", p, opt); !(math.Abs(r[0]-0.5) <= 1e-9) || res.Converged {
		t.Errorf("penalty-implicit with 1000 N/m: r_n = %g, converged %v; want 0.5 N, not converged", r[0], res.Converged)
	}
}

// The penalty's answer satisfies its own law, r = Proj(-k x), and nears the
// exact one as the springs stiffen.
func TestImplicitPenalty(t *testing.T) {
	p := blockProblem(rand.New(rand.NewPCG(21, 1)), 10, 0.4)
	opt := contact.DefaultOptions()
	opt.Criterion, opt.Tolerance = contact.NaturalMap, 1e-11
	exact, _ := solveWith(t, "uzawa", p, opt)
	x := make([]float64, 3*p.N)
	last := math.Inf(1)
	for _, k := range []float64{10, 100, 1000, 10000} {
		opt := contact.DefaultOptions()
		opt.Rho, opt.Tolerance = k, 1e-13
		r, _ := solveWith(t, "penalty-implicit", p, opt)
		p.Displacements(x, r)
		for c, mu := range p.Mu {
			n := math.Max(-k*x[3*c], 0)
			t1, t2 := projectDisk(mu*n, -k*x[3*c+1], -k*x[3*c+2], false)
			if d := math.Hypot(math.Hypot(r[3*c]-n, r[3*c+1]-t1), r[3*c+2]-t2); !(d <= 1e-7*k*(1+num.Norm(r))/1000) {
				t.Errorf("k = %g: contact %d misses the law by %g N", k, c, d)
			}
		}
		d := 0.0
		for i := range r {
			d += (r[i] - exact[i]) * (r[i] - exact[i])
		}
		d = math.Sqrt(d) / num.Norm(exact)
		if !(d < 0.3*last) {
			t.Errorf("k = %g: off by %g, with a tenth of the stiffness by %g", k, d, last)
		}
		last = d
	}
}

// Where nothing slides, blocking the contacts is the exact law, and so is the
// faceted cone.
func TestAllStick(t *testing.T) {
	p := blockProblem(rand.New(rand.NewPCG(22, 1)), 8, 1)
	for c := range p.N {
		p.Q[3*c] = -5
		p.Q[3*c+1] *= 0.1
		p.Q[3*c+2] *= 0.1
	}
	opt := contact.DefaultOptions()
	opt.Tolerance = 1e-10
	want, res := solveWith(t, "uzawa", p, opt)
	status := make([]contact.Status, p.N)
	if stick, _, _ := contact.Statuses(status, want, p.Mu); stick != p.N || !res.Converged {
		t.Fatalf("%d of %d stick: the test lost its sense", stick, p.N)
	}
	for _, name := range []string{"adhesion", "facets-4", "facets-8"} {
		r, res := solveWith(t, name, p, opt)
		if !res.Converged {
			t.Errorf("%s: e = %.2g, e_s = %.2g", name, res.NaturalError, res.ScaledError)
		}
		for i := range r {
			if !(math.Abs(r[i]-want[i]) <= 1e-8*num.Norm(want)) {
				t.Fatalf("%s: r[%d] = %g, want %g", name, i, r[i], want[i])
			}
		}
	}
}

// The faceted cone nears the round one as facets are added, and the pivots on
// the whole problem agree with the sweeps contact by contact.
func TestFacets(t *testing.T) {
	p := blockProblem(rand.New(rand.NewPCG(23, 1)), 6, 0.5)
	opt := contact.DefaultOptions()
	opt.Tolerance = 1e-11
	exact, _ := solveWith(t, "uzawa", p, opt)
	last := math.Inf(1)
	for _, h := range []int{4, 12, 36, 108} {
		s := newFaceted(h)
		r, g := make([]float64, 3*p.N), make([]float64, 3*p.N)
		res := s.Solve(p, r, &opt)
		checkSolve(t, "facets", p, r, res, &opt)
		d := 0.0
		for i := range r {
			d += (r[i] - exact[i]) * (r[i] - exact[i])
		}
		d = math.Sqrt(d) / num.Norm(exact)
		if h > 4 && !(d < 0.6*last) {
			t.Errorf("%d facets: off by %g, %d facets by %g", h, d, h/3, last)
		}
		last = d
		sweeps := opt
		sweeps.Budget = 1 << 60
		s.Solve(p, g, &sweeps)
		for i := range r {
			if !(math.Abs(r[i]-g[i]) <= 1e-7*num.Norm(exact)) {
				t.Errorf("%d facets: r[%d] = %g by pivots, %g by sweeps", h, i, r[i], g[i])
			}
		}
	}
	if !(last < 0.01) {
		t.Errorf("108 facets: off by %g", last)
	}
}

// On every thesis problem the pivots find a solution of the faceted laws.
func TestFacetsPivot(t *testing.T) {
	for _, np := range contacttest.Thesis(t) {
		s := newFaceted(8)
		if np.P.N*10 > maxPivotSize {
			continue
		}
		var res contact.Result
		r := make([]float64, 3*np.P.N)
		if !s.pivot(np.P, r, &res) {
			t.Errorf("%s: the pivots end without a solution", np.Name)
			continue
		}
		if e := lcp.Residual(s.m, s.q, s.z); !(e <= 1e-8) {
			t.Errorf("%s: residual %g", np.Name, e)
		}
		t.Logf("%s: %d pivots", np.Name, res.Iterations)
	}
}
