//go:build !race

package bench

import (
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/thesis"
)

func TestGenericAllocatesNothing(t *testing.T) {
	run := newRun(t, Case{"C36", "tissue-tissue", "bottom", "pen", 0.3})
	if !run.Next() {
		t.Fatal("no increment")
	}
	bodies, joints := run.BlackBoxes()
	r := make([]float64, 3*len(joints))
	for _, jacobi := range []bool{false, true} {
		g := &thesis.Generic{Jacobi: jacobi}
		opt := contact.DefaultOptions()
		opt.MaxIterations = 3
		solve := func() { g.Solve(bodies, joints, r, &opt) }
		solve()
		if n := testing.AllocsPerRun(3, solve); n != 0 {
			t.Errorf("jacobi %v: %g allocations a solve", jacobi, n)
		}
	}
}

// A path allocates nothing either once its first increment is done.
func TestRunAllocatesNothing(t *testing.T) {
	run := newRun(t, Case{"C36", "tissue-tissue", "bottom", "pen", 0.3})
	s := newSolver(t, "nsgs-newton")
	opt := contact.DefaultOptions()
	r := make([]float64, 3*36)
	walk := func() {
		run.Restart(0.3)
		for run.Next() {
			s.Solve(&run.Problem, r[:3*run.Problem.N], &opt)
			run.Accept(r[:3*run.Problem.N])
		}
	}
	walk()
	if n := testing.AllocsPerRun(2, walk); n != 0 {
		t.Errorf("%g allocations a path", n)
	}
}
