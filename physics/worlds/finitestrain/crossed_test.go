package finitestrain

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem/solid"
)

// A state in which a body is through itself is found, however deep it is: of two bars that are
// one body, whose ridges lie across each other. What is as deep as any contact may be counts as
// touching.
func TestWhatIsThroughItselfIsCrossed(t *testing.T) {
	bar, both := tetBox(t, mgl64.Vec3{0.1, 0.02, 0.02}, [3]int{5, 2, 2}), &mesh.Mesh{Blocks: []mesh.Block{{Type: mesh.Tet4}}}
	roll, turn := mgl64.Rotate3DX(math.Pi/4), mgl64.Rotate3DZ(0.35)
	cut := int32(len(bar.Nodes))
	for i := range 2 * cut {
		x := roll.Mul3x1(bar.Nodes[i%cut].Sub(mgl64.Vec3{0.05, 0.01, 0.01}))
		if i < cut {
			x = x.Add(mgl64.Vec3{0, 0, 0.02*math.Sqrt2 + 0.012}) // above the other, far from it
		} else {
			x = turn.Mul3x1(x)
		}
		both.Nodes = append(both.Nodes, x)
	}
	for _, n := range append(bar.Blocks[0].Nodes[:len(bar.Blocks[0].Nodes):len(bar.Blocks[0].Nodes)], bar.Blocks[0].Nodes...) {
		if len(both.Blocks[0].Nodes) >= len(bar.Blocks[0].Nodes) {
			n += cut
		}
		both.Blocks[0].Nodes = append(both.Blocks[0].Nodes, n)
	}
	held := append([]int32(nil), bar.NodeSets["left"]...)
	for _, n := range bar.NodeSets["left"] {
		held = append(held, cut+n)
	}
	s := newPair(t, []*mesh.Mesh{both}, []solid.Law{liveLaw("neo-hookean")}, [][]int32{held}, nil)
	i := &s.itself[0]
	i.any = true
	most := tooDeep * s.Options.Reach
	for _, c := range []struct {
		down    float64 // of the upper bar onto the lower, m
		crossed bool
	}{{-0.0119, false}, {-1e-3, false}, {0.3 * most, false}, {0.9 * most, false}, {1.3 * most, true}, {1e-3, true}, {8e-3, true}, {14e-3, true}} {
		copy(s.X, s.body.Rest())
		for n := range cut {
			if s.k.Index[n] >= 0 {
				s.X[3*n+2] -= 0.012 + c.down
			}
		}
		if got := s.crossed(); got != c.crossed {
			t.Errorf("%.3g mm deep, where %.3g mm may be, it is crossed: %v", 1e3*c.down, 1e3*most, got)
		}
	}
}

// A crease of a flat surface is not crossed until one side has gone through the other by more
// than may be.
func TestACreaseIsCrossedBehindItsSide(t *testing.T) {
	triangles := [][3]int32{{0, 1, 2}, {3, 4, 5}}
	at := []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0}, {0.3, 0.8, 1}, {0.8, 0.3, 1}}
	for _, c := range []struct {
		down    float64
		crossed bool
	}{{-0.01, false}, {0.09, false}, {0.11, true}, {0.5, true}} {
		s := &itself{triangles: triangles, at: slices.Clone(at), tree: collision.NewTree(triangles, at), around: [][]int32{{0}, {0}, {0}, {1}, {1}, {1}}}
		s.edges, _, s.owned = collision.Edges(triangles)
		s.at[3] = mgl64.Vec3{0.3, 0.3, -c.down} // the tip behind the first triangle
		if got := s.crossed(0.1); got != c.crossed {
			t.Errorf("%g deep it is crossed: %v", c.down, got)
		}
	}
}
