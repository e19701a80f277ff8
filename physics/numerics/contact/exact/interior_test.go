package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

// TestInteriorScaling: P rho = P^-1 v, P P^-1 = 1, and the
// Jordan division undoes the product.
func TestInteriorScaling(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	inside := func() []float64 {
		a := []float64{0, rng.NormFloat64(), rng.NormFloat64()}
		a[0] = math.Hypot(a[1], a[2]) + math.Exp(4*rng.NormFloat64())
		return a
	}
	same := func(what string, a, b [3]float64) {
		t.Helper()
		for i := range 3 {
			if !(math.Abs(a[i]-b[i]) <= 1e-9*(1+math.Abs(a[0])+math.Abs(a[i]))) {
				t.Fatalf("%s: %v and %v", what, a, b)
			}
		}
	}
	for range 200 {
		rho, v := inside(), inside()
		var s scaling
		if !s.set(rho, v) {
			t.Fatalf("no scaling for %v, %v", rho, v)
		}
		same("P rho and P^-1 v", s.lambda, s.inverse([3]float64{v[0], v[1], v[2]}))
		x := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		same("P^-1 P x", x, s.inverse(s.times(x)))
		l := [3]float64(inside())
		same("(l o x)/l", x, divide(l, product(l, x)))

		d := []float64{rng.NormFloat64(), 3 * rng.NormFloat64(), 3 * rng.NormFloat64()}
		step := reach(rho, d)
		for _, k := range []float64{0.5, 0.999} {
			b := []float64{rho[0] + k*step*d[0], rho[1] + k*step*d[1], rho[2] + k*step*d[2]}
			if !(b[0] >= 0) || !(det(b) >= 0) {
				t.Fatalf("step %g of %g along %v leaves the cone from %v", k, step, d, rho)
			}
		}
	}
}

// TestInteriorAlone: from nothing the interior-point method itself comes close
// to the solution of every thesis problem.
func TestInteriorAlone(t *testing.T) {
	for _, np := range contacttest.Thesis(t) {
		p := np.P
		var e engine
		if !e.bind(p) {
			t.Fatal("not bound")
		}
		in := &e.inner
		in.bind(&e)
		r, best := make([]float64, 3*p.N), math.Inf(1)
		for range 20 {
			_, gap := in.residual(&e)
			copy(r, in.force)
			contact.Admit(r, p.Mu)
			best = min(best, e.errors(r, e.x).Scaled)
			if !in.step(&e, gap) {
				break
			}
		}
		if !(best < 1e-5) {
			t.Errorf("%s: e_s = %g", np.Name, best)
		}
	}
}

// TestInteriorStage: the stage hands Newton's method a start that converges,
// on a problem of the thesis where sweeps take hundreds of iterations.
func TestInteriorStage(t *testing.T) {
	for _, np := range contacttest.Thesis(t) {
		if np.Name != "A36_tissue-tissue_end_pen_mu0.3_inc04" {
			continue
		}
		opt := contact.DefaultOptions()
		opt.Tolerance, opt.Criterion = 1e-8, contact.NaturalMap
		s := &Exact{accelerate: true}
		if !s.begin(np.P, make([]float64, 3*np.P.N), &opt) || !s.e.bind(np.P) {
			t.Fatal("not bound")
		}
		s.goals()
		if out := s.interior(); out == stopped {
			t.Fatal("stopped")
		}
		if s.test(); !(s.res.Errors.Scaled < 1e-4) {
			t.Errorf("the stage ends at e_s = %g", s.res.Errors.Scaled)
		}
		if out := s.proximal(); out != done {
			t.Errorf("the proximal loop ends at e_s = %g", s.res.Errors.Scaled)
		}
		return
	}
	t.Fatal("the problem is missing from testdata")
}
