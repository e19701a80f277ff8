package flex

import (
	"runtime"
	"slices"
	"testing"
)

// Two factorisations at a time: whichever ends first, the threads come back when both have, and not before.
func TestOneThreadOfSeveralUsers(t *testing.T) {
	before := threads()
	if before < 2 {
		t.Skipf("the BLAS is not OpenBLAS, or has one thread (%d)", before)
	}
	oneThread()
	oneThread()
	manyThreads()
	if n := threads(); n != 1 {
		t.Errorf("%d threads while one user is left", n)
	}
	manyThreads()
	if n := threads(); n != before {
		t.Errorf("%d threads at the end, %d before", n, before)
	}
}

// The compliance is the same to the last bit on any number of processors, and whatever threads BLAS has, whether its
// nodes are eliminated last or not.
func TestComplianceOfAnyNumberOfThreads(t *testing.T) {
	m, fixed := box(t, [3]int{10, 10, 10}) // several tiles
	top := m.NodeSets["top"]
	for _, late := range [][]int32{nil, top} {
		var want *Compliance
		var push []float64
		for _, processors := range []int{1, 2, 3, 8} {
			before := runtime.GOMAXPROCS(processors)
			if processors == 3 {
				oneThread()
			}
			f := factorizeLate(t, m, fixed, late)
			got := compliance(t, f, top)
			u := make([]float64, 3*len(m.Nodes))
			for i := range u {
				u[i] = float64(i%7) - 3
			}
			f.Solve(u, u)
			runtime.GOMAXPROCS(before)
			if processors == 3 {
				manyThreads()
			}
			if want == nil {
				want, push = got, u
			}
			if !slices.Equal(got.C, want.C) || !slices.Equal(u, push) {
				t.Errorf("%d wanted nodes, %d processors: others than on one", len(late), processors)
			}
		}
	}
}
