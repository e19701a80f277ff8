//go:build !race

package thesis

import (
	"math/rand/v2"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

func TestThesisSolversAllocateNothing(t *testing.T) {
	p := blockProblem(rand.New(rand.NewPCG(31, 1)), 10, 0.3)
	big := contacttest.Random(rand.New(rand.NewPCG(32, 1)), 90, 100, 0.3) // swept by the faceted cone
	for _, name := range allOfThesis() {
		s := contacttest.New(t, name)
		opt := contact.DefaultOptions()
		opt.MaxIterations = 5
		r := make([]float64, 3*big.N)
		s.Solve(big, r, &opt)
		solve := func() {
			clear(r)
			s.Solve(p, r[:3*p.N], &opt)
			s.Solve(big, r, &opt)
		}
		solve()
		if n := testing.AllocsPerRun(5, solve); n != 0 {
			t.Errorf("%s: %g allocations a solve", name, n)
		}
	}
}
