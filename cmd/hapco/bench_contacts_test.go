package main

import "testing"

// TestPlateProblem: the scaling measurement has as many contacts as the plate has
// nodes on its lower face.
func TestPlateProblem(t *testing.T) {
	for _, n := range plates[:3] {
		p, err := plateProblem(t.Context(), n[0], n[1])
		if err != nil {
			t.Fatal(err)
		}
		if p.N != n[0]*n[1] {
			t.Errorf("%dx%d nodes: %d contacts", n[0], n[1], p.N)
		}
	}
}
