package solvers

import (
	"math"
	"slices"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

// A solve that never ends by itself ends soon after it is halted, wherever that is, with
// forces inside the cone whose errors are known, and tells meanwhile how far it is. How
// soon is counted in looks at the watch.
func TestWatchEndsEverySolver(t *testing.T) {
	problems := contacttest.Thesis(t)
	p := problems[len(problems)-1].P
	small := &contact.Problem{N: 1, W: []float64{2, 0, 0, 0, 1, 0, 0, 0, 3}, Q: []float64{-1, 0.3, 0.2}, Mu: []float64{0.4}}
	for _, name := range contact.Names() {
		for _, p := range []*contact.Problem{p, small} {
			for _, last := range []int{1, 7, 60, 300} {
				s := contacttest.New(t, name)
				opt := contact.DefaultOptions()
				opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-300, contact.NaturalMap, math.MaxInt
				var w contact.Watch
				looks := 0
				w.When(func() bool { looks++; return looks >= last })
				opt.Watch = &w
				r := make([]float64, 3*p.N)
				res := s.Solve(p, r, &opt)
				// A faceted cone tries three softenings and a sweep, and looks once in each.
				if more := looks - last; more > 3 {
					t.Errorf("%s, %d contacts: looked %d times more after look %d", name, p.N, more, last)
				}
				if err := contacttest.Admissible(r, p.Mu); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if res.Converged || math.IsNaN(res.NaturalError) && res.Iterations > 0 {
					t.Errorf("%s, %d contacts: converged %v, e = %g", name, p.N, res.Converged, res.NaturalError)
				}
				if n, _ := w.At(); n == 0 && res.Iterations > 1 {
					t.Errorf("%s, %d contacts: %d iterations, and the watch saw none", name, p.N, res.Iterations)
				}
			}
		}
	}
}

// A watch that nobody uses changes no digit.
func TestWatchChangesNothing(t *testing.T) {
	for _, name := range []string{"auto", "nsgs", "nsgs-newton", "uzawa", "facets-8"} {
		for _, np := range contacttest.Thesis(t) {
			opt := contact.DefaultOptions()
			opt.Criterion, opt.Tolerance, opt.MaxIterations = contact.NaturalMap, 1e-11, 2000
			plain, watched := make([]float64, 3*np.P.N), make([]float64, 3*np.P.N)
			a := contacttest.New(t, name).Solve(np.P, plain, &opt)
			opt.Watch = new(contact.Watch)
			b := contacttest.New(t, name).Solve(np.P, watched, &opt)
			if !slices.Equal(plain, watched) || a.Iterations != b.Iterations || a.Converged != b.Converged {
				t.Errorf("%s, %s: %d iterations, %d with a watch", name, np.Name, a.Iterations, b.Iterations)
			}
		}
	}
}
