package collision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// shifting is a surface whose nodes are only brought up to date when asked for.
type shifting struct {
	now, known []mgl64.Vec3
	asked      int
}

func (s *shifting) locate(node int32) {
	if s.known[node] != s.now[node] {
		s.known[node] = s.now[node]
		s.asked++
	}
}

func TestMovingAgreesWithAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, size := range []int{1, 2, 7, 20} {
		tri, now := bumpyGrid(size, 0.2)
		tri = append(tri, [3]int32{0, 0, 0}, [3]int32{0, 1, 0})
		s := &shifting{now: now, known: append([]mgl64.Vec3(nil), now...)}
		tree := NewMoving(tri, s.known, s.locate)
		hint := int32(-1)
		for step := range 400 {
			const most = 5e-3
			for i := range now {
				d := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
				now[i] = now[i].Add(d.Mul(most * rng.Float64() / d.Len()))
			}
			tree.Drift(most)
			if step%150 == 149 {
				copy(s.known, now)
				tree.Refit(s.known)
			}
			for range 3 {
				p := mgl64.Vec3{rng.Float64()*1.4 - 0.2, rng.Float64()*0.8 - 0.4, rng.Float64()*1.4 - 0.2}
				maxDist := math.Inf(1)
				if rng.IntN(2) == 0 {
					maxDist = 0.1
				}
				want, wantOK := allPairs(tri, now, p, maxDist)
				least, _ := allPairs(tri, now, p, math.Inf(1))
				if d := tree.Apart(p, 0.05*rng.Float64()); d > math.Sqrt(least.Dist2)*(1+1e-12) {
					t.Fatalf("size %d: %g m apart at least, the distance is %g", size, d, math.Sqrt(least.Dist2))
				}
				got, ok := tree.Closest(s.known, p, maxDist, hint, Except{})
				if ok != wantOK || got != want {
					t.Fatalf("size %d, step %d, p %v, max %g: got %+v %v, want %+v %v", size, step, p, maxDist, got, ok, want, wantOK)
				}
				if ok {
					hint = got.Triangle
				}
			}
		}
	}
}

// Queries in one place ask for few nodes of a large surface that moves, however
// long it does: the work must not creep over the whole of it.
func TestMovingAsksForFewNodes(t *testing.T) {
	tri, now := bumpyGrid(100, 0.05)
	s := &shifting{now: now, known: append([]mgl64.Vec3(nil), now...)}
	tree := NewMoving(tri, s.known, s.locate)
	rng := rand.New(rand.NewPCG(9, 1))
	const steps, move = 1000, 1e-4 // a tenth of the surface's extent in all
	for range steps {
		shift := mgl64.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}.Mul(move)
		for i := range now {
			now[i] = now[i].Add(shift)
		}
		tree.Drift(move)
		if _, ok := tree.Closest(s.known, mgl64.Vec3{0.5, 0.02, 0.5}, 0.02, -1, Except{}); !ok {
			t.Fatal("the surface is out of reach")
		}
	}
	if per := float64(s.asked) / steps; per > 40 {
		t.Errorf("%.0f nodes a step, of %d", per, len(now))
	}
}

func TestMovingAllocatesNothing(t *testing.T) {
	tri, pos := bumpyGrid(20, 0.2)
	tree := NewMoving(tri, pos, func(int32) {})
	if n := testing.AllocsPerRun(100, func() {
		tree.Drift(1e-3)
		tree.Closest(pos, mgl64.Vec3{0.4, 0.3, 0.6}, 1, -1, Except{})
		tree.Apart(mgl64.Vec3{0.4, 0.9, 0.6}, 0)
	}); n != 0 {
		t.Errorf("%g allocations a query", n)
	}
	empty := NewMoving(nil, nil, func(int32) {})
	empty.Refit(nil)
	if _, ok := empty.Closest(nil, mgl64.Vec3{}, math.Inf(1), -1, Except{}); ok || !math.IsInf(empty.Apart(mgl64.Vec3{}, 0), 1) {
		t.Error("an empty surface is near")
	}
}
