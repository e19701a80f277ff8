package solvers

import (
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

// row is n frictionless contacts side by side on something soft: a force at one gives way
// at those around it nearly as much. How much they are pressed in varies.
func row(n int) *contact.Problem {
	p := new(contact.Problem)
	p.Resize(n)
	clear(p.W)
	for c := range n {
		for d := range n {
			near := math.Exp(-math.Pow(float64(c-d)/12, 2))
			for k := range 3 {
				p.W[(3*c+k)*3*n+3*d+k] = 1e-3 * near
			}
		}
		for k := range 3 {
			p.W[(3*c+k)*(3*n+1)] += 1e-6
		}
		p.Q[3*c], p.Q[3*c+1], p.Q[3*c+2] = -1e-3*(1+0.3*math.Cos(float64(c)/7)), 0, 0
		p.Mu[c] = 0
	}
	return p
}

// Sweeps crawl on contacts that are close together. NSGS sees that and hands on, long
// before its limit.
func TestCrawlingSweepsAreHandedOn(t *testing.T) {
	p := row(60)
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion = 1e-6, contact.Scaled
	r := make([]float64, 3*p.N)
	res := contacttest.New(t, "nsgs").Solve(p, r, &opt)
	if !res.Converged || res.Iterations > 300 {
		t.Errorf("%+v", res)
	}
	// without crawling it solves alone
	opt.Tolerance = 1e-4
	p = contacttest.WellPosed(7, 20, 0.3)
	if res := contacttest.New(t, "nsgs").Solve(p, make([]float64, 3*p.N), &opt); !res.Converged || res.Route != contact.RouteNone {
		t.Errorf("%+v", res)
	}
}

// Where its first Newton steps fail, nsgs-newton goes on in turns of Newton steps on the
// loaded contacts and sweeps, which cost much less than the proximal loop on all of them.
func TestPlainRoundsComeBeforeTheProximalLoop(t *testing.T) {
	proximal := 0
	for seed := range uint64(12) {
		p := contacttest.Random(rand.New(rand.NewPCG(seed, 5)), 60, 90, 0.8)
		opt := contact.DefaultOptions()
		opt.Tolerance, opt.Criterion = 1e-6, contact.Scaled
		res := contacttest.New(t, "nsgs-newton").Solve(p, make([]float64, 3*p.N), &opt)
		if !res.Converged {
			t.Errorf("seed %d: %+v", seed, res)
		}
		if res.Route == contact.RouteProximal {
			proximal++
		}
	}
	if proximal > 2 { // of 12; without the turns 10
		t.Errorf("%d ended in the proximal loop", proximal)
	}
}
