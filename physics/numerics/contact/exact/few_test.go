package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

// One contact whose W is not symmetric is solved by one exact solve: x_t against r_t, on the cone.
func TestUnsymmetricContact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 1000 {
		p := contacttest.Random(rng, 1, 6, 0.7)
		for _, k := range [...][2]int{{1, 3}, {2, 6}, {5, 7}} {
			d := 0.1 * rng.NormFloat64() // as definite as before
			p.W[k[0]] += d
			p.W[k[1]] -= d
		}
		var l Local
		l.Prepare((*[9]float64)(p.W), 0.7, 1, 0)
		r, x := make([]float64, 3), make([]float64, 3)
		for range 2 { // from nothing, and from there
			p.Displacements(x, r)
			r[0], r[1], r[2] = l.Solve(x[0], x[1], x[2], r[0], r[1], r[2], 1e-14)
			p.Displacements(x, r)
			if e := p.Errors(r, x); !(e.Natural < 1e-12 && e.Scaled < 1e-12) {
				t.Fatalf("errors %+v of W %v, q %v", e, p.W, p.Q)
			}
		}
	}
}

// What few finds is what the other stages find; it solves nearly all, and leaves the rest to them.
func TestFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion = 1e-9, contact.NaturalMap
	found := 0
	for k := range 400 {
		p := contacttest.Random(rng, 1+k%fewContacts, 40, 0.3)
		s := &Exact{accelerate: true}
		r := make([]float64, 3*p.N)
		res := s.Solve(p, r, &opt)
		if !res.Converged || contacttest.Admissible(r, p.Mu) != nil {
			t.Fatalf("%d: %+v", k, res)
		}
		if len(s.e.mix.G) == 0 { // nobody else has mixed sweeps
			found++
		}
		other := make([]float64, 3*p.N)
		if res := Without(Naps).Solve(p, other, &opt); !res.Converged {
			t.Fatalf("%d, the other stages: %+v", k, res)
		}
		for i, f := range r {
			if !(math.Abs(f-other[i]) < 1e-6) {
				t.Errorf("%d: r[%d] = %g, the other stages say %g", k, i, f, other[i])
			}
		}
	}
	if found < 380 {
		t.Errorf("%d of 400 without the other stages", found)
	}
}

// No contacts are a problem, too.
func TestNone(t *testing.T) {
	opt := contact.DefaultOptions()
	if res := (&Exact{accelerate: true}).Solve(new(contact.Problem), nil, &opt); !res.Converged {
		t.Errorf("%+v", res)
	}
}
