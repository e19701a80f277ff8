package solvers

import (
	"testing"

	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

// TestNoAllocation: a solver that has seen the largest problem allocates
// nothing, neither on it nor on smaller ones.
func TestNoAllocation(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	problems := contacttest.Thesis(t)
	if contacttest.HavePublic() {
		for _, np := range contacttest.Public(t) {
			if np.P.N < 300 {
				problems = append(problems, np)
			}
		}
	}
	for _, name := range []string{"auto", "nsgs-newton", "nsgs", "uzawa"} {
		s := contacttest.New(t, name)
		r := make([]float64, 3*600)
		opt := contact.DefaultOptions()
		opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-8, contact.NaturalMap, 150
		all := func() {
			for _, np := range problems {
				f := r[:3*np.P.N]
				clear(f)
				s.Solve(np.P, f, &opt)
			}
		}
		all()
		if n := testing.AllocsPerRun(2, all); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}
