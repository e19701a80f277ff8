package contact

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What is added to W is the sum of the products, and other storages of W are dropped.
func TestProductsAreAddedToW(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var p Problem
	p.Resize(5)
	n := 3 * p.N
	j, d := make([]float64, 6*n), make([]float64, 6)
	for _, x := range [][]float64{p.W, j, d} {
		for i := range x {
			x[i] = r.NormFloat64()
		}
	}
	want := slices.Clone(p.W)
	for c, s := range d {
		for i := range n {
			for k := range n {
				want[i*n+k] += s * j[c*n+i] * j[c*n+k]
			}
		}
	}
	p.Blocks, p.Motions = &Blocks{}, &Motions{}
	p.AddProducts(j, d)
	for i, x := range p.W {
		if math.Abs(x-want[i]) > 1e-13 {
			t.Fatalf("W[%d] = %g, want %g", i, x, want[i])
		}
	}
	if p.Blocks != nil || p.Motions != nil {
		t.Error("another storage of W stays")
	}
	if allocs := testing.AllocsPerRun(10, func() { p.AddProducts(j, d) }); allocs > 0 {
		t.Errorf("%g allocations", allocs)
	}
}
