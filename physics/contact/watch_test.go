package contact

import (
	"math"
	"slices"
	"testing"
	"time"
)

// A solve that never ends by itself ends soon after it is halted, with forces
// inside the cone whose errors are known, and tells meanwhile how far it is.
func TestWatchEndsEverySolver(t *testing.T) {
	problems := thesisProblems(t)
	p := problems[len(problems)-1].p
	small := &Problem{N: 1, W: []float64{2, 0, 0, 0, 1, 0, 0, 0, 3}, Q: []float64{-1, 0.3, 0.2}, Mu: []float64{0.4}}
	for _, name := range Names() {
		for _, p := range []*Problem{p, small} {
			s := mustNew(t, name)
			opt := DefaultOptions()
			opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-300, NaturalMap, math.MaxInt
			var w Watch
			opt.Watch = &w
			timer := time.AfterFunc(50*time.Millisecond, w.Halt)
			r := make([]float64, 3*p.N)
			start := time.Now()
			res := s.Solve(p, r, &opt)
			timer.Stop()
			if d := time.Since(start); d > 5*time.Second { // the machine may be busy
				t.Errorf("%s, %d contacts: went on for %v", name, p.N, d)
			}
			if err := admissible(r, p.Mu); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if res.Converged || math.IsNaN(res.NaturalError) {
				t.Errorf("%s, %d contacts: converged %v, e = %g", name, p.N, res.Converged, res.NaturalError)
			}
			if n, _ := w.At(); n == 0 && res.Iterations > 1 && p.N > 1 {
				t.Errorf("%s, %d contacts: %d iterations, and the watch saw none", name, p.N, res.Iterations)
			}
		}
	}
}

// A watch that nobody uses changes no digit.
func TestWatchChangesNothing(t *testing.T) {
	for _, name := range []string{"auto", "nsgs", "nsgs-newton", "uzawa", "facets-8"} {
		for _, np := range thesisProblems(t) {
			opt := DefaultOptions()
			opt.Criterion, opt.Tolerance, opt.MaxIterations = NaturalMap, 1e-11, 2000
			plain, watched := make([]float64, 3*np.p.N), make([]float64, 3*np.p.N)
			a := mustNew(t, name).Solve(np.p, plain, &opt)
			opt.Watch = new(Watch)
			b := mustNew(t, name).Solve(np.p, watched, &opt)
			if !slices.Equal(plain, watched) || a.Iterations != b.Iterations || a.Converged != b.Converged {
				t.Errorf("%s, %s: %d iterations, %d with a watch", name, np.name, a.Iterations, b.Iterations)
			}
		}
	}
}
