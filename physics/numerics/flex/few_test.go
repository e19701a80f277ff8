package flex

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A few forces, whose displacements are read along the columns, do to the last bit what they do
// among many others that are zero.
func TestFewForcesAmongMany(t *testing.T) {
	m, fixed := box(t, [3]int{4, 3, 3})
	var nodes []int32
	for n := range m.Nodes {
		if !slices.Contains(fixed, int32(n)) {
			nodes = append(nodes, int32(n))
		}
	}
	c := compliance(t, factorize(t, m, fixed, 0.4), nodes)
	rng := rand.New(rand.NewPCG(1, 2))
	wanted := []int32{3, 17, 40}
	for _, few := range []int{1, 4, 12} {
		at, force := make([]int32, 30), make([]float64, 90)
		for i, n := range rng.Perm(c.N)[:30] {
			at[i] = int32(n)
		}
		for i := range 3 * few {
			force[i] = rng.NormFloat64()
		}
		a, b := make([]float64, 9), make([]float64, 9)
		c.DisplaceAt(a, wanted, at[:few], force[:3*few])
		c.DisplaceAt(b, wanted, at, force)
		for i := range a {
			if a[i] != b[i] || a[i] == 0 {
				t.Fatalf("%d forces: displacement %d is %g and %g", few, i, a[i], b[i])
			}
		}
	}
}
