package contact

import (
	"testing"

	"hapco/physics/testkit"
)

// TestNoAllocation: a solver that has seen the largest problem allocates
// nothing, neither on it nor on smaller ones.
func TestNoAllocation(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	problems := thesisProblems(t)
	if haveProblems() {
		for _, np := range publicProblems(t) {
			if np.p.N < 300 {
				problems = append(problems, np)
			}
		}
	}
	for _, name := range []string{"auto", "nsgs-newton", "nsgs", "uzawa"} {
		s := mustNew(t, name)
		r := make([]float64, 3*600)
		opt := DefaultOptions()
		opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-8, NaturalMap, 150
		all := func() {
			for _, np := range problems {
				f := r[:3*np.p.N]
				clear(f)
				s.Solve(np.p, f, &opt)
			}
		}
		all()
		if n := testing.AllocsPerRun(2, all); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}
