package bench

import (
	"math"
	"testing"

	"hapco/physics/contact"
)

func distance(a, b []float64) float64 {
	d, s := 0.0, 0.0
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
		s += b[i] * b[i]
	}
	if s == 0 {
		return math.Sqrt(d)
	}
	return math.Sqrt(d / s)
}

// Section 4.2.2: with the same rho_min the solver makes the same iterates with
// and without the Delassus operator.
func TestWithAndWithoutDelassus(t *testing.T) {
	for _, pair := range []string{"alu-tissue", "alu-rubber", "tissue-tissue"} {
		for _, path := range []string{"pen", "slide"} {
			run, err := New(Case{"C36", pair, "bottom", path, 0.3})
			if err != nil {
				t.Fatal(err)
			}
			with, err := contact.New("uzawa")
			if err != nil {
				t.Fatal(err)
			}
			var without contact.Generic
			for k := 0; k < 4 && run.Next(); k++ {
				opt := contact.DefaultOptions()
				r := make([]float64, 3*run.Problem.N)
				a := with.Solve(&run.Problem, r, &opt)
				opt.Rho = a.RhoMin
				s := make([]float64, len(r))
				bodies, joints := run.BlackBoxes()
				b := without.Solve(bodies, joints, s, &opt)
				if a.Iterations != b.Iterations || a.Iterations < 10 {
					t.Errorf("%v increment %d: %d sweeps with W, %d without", run.Case, k, a.Iterations, b.Iterations)
				}
				if d := distance(s, r); !(d <= 1e-10) {
					t.Errorf("%v increment %d: forces differ by %.2g", run.Case, k, d)
				}
				if d := math.Abs(a.NaturalError - b.NaturalError); !(d <= 1e-9) {
					t.Errorf("%v increment %d: errors %.12g and %.12g", run.Case, k, a.NaturalError, b.NaturalError)
				}
				t.Logf("%v %d: %d sweeps, %d answers, differ %.2g, %v vs %v", run.Case, k, a.Iterations, without.Answers, distance(s, r), a.Elapsed, b.Elapsed)
				run.Accept(r)
			}
		}
	}
}
