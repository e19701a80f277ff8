package collision

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

func TestNodeLayout(t *testing.T) {
	var n node
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"size", unsafe.Sizeof(n), 64}, {"lo", unsafe.Offsetof(n.lo), 0}, {"hi", unsafe.Offsetof(n.hi), 24},
		{"right", unsafe.Offsetof(n.right), 48}, {"first", unsafe.Offsetof(n.first), 52}, {"count", unsafe.Offsetof(n.count), 56},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, the assembly has %d", c.name, c.got, c.want)
		}
	}
}

// The assembly's boxes are those of the plain twin, to the last bit, whatever the
// positions.
func TestRefitTwinsAgree(t *testing.T) {
	if !fast {
		t.Skip("no AVX2")
	}
	rng := rand.New(rand.NewPCG(77, 5))
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, math.MaxFloat64}
	for range 300 {
		tri, pos, size := nastySurface(rng)
		tree := NewTree(tri, pos)
		deform(rng, pos, size)
		for range rng.IntN(6) {
			pos[rng.IntN(len(pos))][rng.IntN(3)] = odd[rng.IntN(len(odd))]
		}
		pos = slices.Clip(pos) // nothing behind the last
		margin := 0.01 * size * float64(rng.IntN(2))
		tree.Refit(pos, margin)
		got := slices.Clone(tree.nodes)
		if len(tree.nodes) > 0 {
			tree.refitGo(pos, margin)
		}
		for i := range got {
			a, b := &got[i], &tree.nodes[i]
			for k := range 3 {
				if math.Float64bits(a.lo[k]) != math.Float64bits(b.lo[k]) || math.Float64bits(a.hi[k]) != math.Float64bits(b.hi[k]) {
					t.Fatalf("node %d: %v, the twin has %v", i, a.box, b.box)
				}
			}
			if a.right != b.right || a.first != b.first || a.count != b.count {
				t.Fatalf("node %d: links %v, the twin has %v", i, a, b)
			}
		}
	}
}

// Positions that are too few for the triangles are a caller's bug, not a read
// behind their end.
func TestTooFewPositionsPanic(t *testing.T) {
	tri, pos := bumpyGrid(3, 0.1)
	tree := NewTree(tri, pos)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	tree.Refit(pos[:len(pos)-1], 0)
}
