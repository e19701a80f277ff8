//go:build !race

package lcp

import (
	"math/rand/v2"
	"testing"
)

func TestNoAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m, q, z := gram(r, 20, 12, 0.1), normal(r, 20), make([]float64, 20)
	var ws Workspace
	ws.resize(20)
	if n := testing.AllocsPerRun(100, func() { ws.Lemke(m, q, z, 0) }); n != 0 {
		t.Fatalf("%g allocations per solve", n)
	}
}
