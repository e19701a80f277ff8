package main

import (
	"testing"

	"hapco/cmd/hapco/internal/bench/solvers"
)

// TestPlateProblem: the scaling measurement has as many contacts as the plate has
// nodes on its lower face.
func TestPlateProblem(t *testing.T) {
	for _, n := range solvers.Plates[:3] {
		p, err := solvers.PlateProblem(t.Context(), n[0], n[1])
		if err != nil {
			t.Fatal(err)
		}
		if p.N != n[0]*n[1] {
			t.Errorf("%dx%d nodes: %d contacts", n[0], n[1], p.N)
		}
	}
}
