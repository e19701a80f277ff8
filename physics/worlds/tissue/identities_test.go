package tissue

import (
	"math/rand/v2"
	"testing"
)

func TestIdentitiesAgreeWithAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var table identities[int]
	want := map[uint64]int{}
	for step := range 20000 {
		// few features, so that keys come again and differ in few bits
		key := identity(int32(rng.IntN(3)), edgeEdge, int32(rng.IntN(20)), int32(rng.IntN(20)))
		if step%5000 == 4999 {
			table.clear()
			clear(want)
		}
		if rng.IntN(2) == 0 {
			*table.put(key) = step
			want[key] = step
		}
		got := table.get(key)
		if x, ok := want[key]; ok != (got != nil) || ok && *got != x {
			t.Fatalf("step %d: got %v, want %v %v", step, got, x, ok)
		}
		if table.n != len(want) {
			t.Fatalf("step %d: %d entries, want %d", step, table.n, len(want))
		}
	}
	keys := make([]uint64, 0, 100)
	for k := range want {
		if keys = append(keys, k); len(keys) == cap(keys) {
			break
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		table.clear()
		for _, k := range keys {
			*table.put(k) = 1
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// Contacts of different features have different identities, within the limits.
func TestIdentitiesAreUnique(t *testing.T) {
	features := []int32{0, 1, 2, 1000, maxFeatures - 1}
	seen := map[uint64]bool{0: true}
	for _, pair := range []int32{0, 1, 77, 1<<20 - 1} {
		for _, a := range features {
			for _, b := range features {
				id := identity(pair, edgeEdge, a, b)
				if seen[id] {
					t.Fatalf("edges %d %d of pair %d have the identity of others", a, b, pair)
				}
				seen[id] = true
			}
		}
		for _, node := range []int32{0, 1, 2, 1 << 21, 1<<21 + 1, 1<<31 - 1} {
			id := nodeIdentity(pair, node)
			if seen[id] {
				t.Fatalf("node %d of pair %d has the identity of others", node, pair)
			}
			seen[id] = true
		}
	}
}
