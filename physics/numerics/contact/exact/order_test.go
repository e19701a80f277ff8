package exact

import (
	"testing"

	"hapco/physics/numerics/contact"
)

// TestOrdering: the order is a permutation, and on a chain of contacts with
// shuffled names it leaves no fill beyond the neighbours.
func TestOrdering(t *testing.T) {
	const n = 40
	name := func(i int) int { return (i * 17) % n } // 17 and 40 have no common factor
	p := new(contact.Problem)
	p.Resize(n)
	clear(p.W)
	couple := func(a, b int) { p.W[3*a*3*n+3*b] = 1 }
	for i := range n {
		couple(name(i), name(i))
		if i > 0 {
			couple(name(i), name(i-1))
			couple(name(i-1), name(i))
		}
	}
	if !p.Compress() {
		t.Fatal("a chain was not stored by blocks")
	}
	var o ordering
	order := make([]int32, n)
	o.order(order, p.Blocks, n)
	seen := make([]bool, n)
	for _, c := range order {
		if seen[c] {
			t.Fatalf("contact %d is twice in %v", c, order)
		}
		seen[c] = true
	}
	for c := range n {
		if d := o.count(c); d > 2 {
			t.Errorf("contact %d has %d later neighbours", c, d)
		}
	}
}
