package exact

import (
	"math"
	"testing"

	"hapco/physics/numerics/contact"
)

// stack is bodies of one mass on top of each other, each on the next by one contact, and
// the lowest on the ground: W has three blocks a row, and its condition number grows with
// the square of the contacts. The top is pushed sideways.
func stack(n int, push float64) *contact.Problem {
	p := &contact.Problem{N: n, W: make([]float64, 9*n*n), Q: make([]float64, 3*n), Mu: make([]float64, n)}
	for c := range n {
		p.Mu[c] = 0.5
		for d := range 3 {
			i := 3*c + d
			p.W[i*3*n+i] = 2
			if c == 0 {
				p.W[i*3*n+i] = 1
			}
			if c > 0 {
				p.W[i*3*n+i-3], p.W[(i-3)*3*n+i] = -1, -1
			}
		}
	}
	p.Q[0] = -1 // only the lowest closes by itself
	p.Q[3*n-2] = push * math.Sqrt(float64(n))
	return p
}

// Newton's method ends what sweeps take long for on a W that is stored by its blocks,
// too: without it these take 37 to 41 iterations.
func TestNewtonOnSparse(t *testing.T) {
	for _, n := range []int{30, 60, 120} {
		for _, tol := range []float64{1e-4, 1e-8} {
			p := stack(n, 0.02)
			s := &Exact{accelerate: true}
			opt := contact.DefaultOptions()
			opt.Tolerance, opt.Criterion = tol, contact.NaturalMap
			res := s.Solve(p, make([]float64, 3*n), &opt)
			if !res.Converged || res.Newton == 0 || res.Iterations > 25 {
				t.Errorf("%d contacts at %g: converged %v after %d iterations, %d of them Newton steps", n, tol, res.Converged, res.Iterations, res.Newton)
			}
		}
	}
}
