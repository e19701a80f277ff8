package collision

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// A surface that keeps moving: all triangles within reach are found, as by
// looking at each.
func TestReachingLeavesNothingOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	tri, now := bumpyGrid(14, 0.2)
	s := &shifting{now: now, known: append([]mgl64.Vec3(nil), now...)}
	tree := NewMoving(tri, s.known, s.locate)
	var found []int32
	extra, near := 0, 0
	for step := range 300 {
		for i := range now {
			now[i] = now[i].Add(mgl64.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}.Mul(5e-3))
		}
		tree.Drift(0.005)
		shape := solids[step%len(solids)].solid
		small := *shape
		small.Half, small.Round, small.Centre = shape.Half.Mul(0.3), 0.3*shape.Round, shape.Centre.Mul(0.3)
		q := mgl64.QuatRotate(rng.Float64()*6, randomPoint(rng, 1).Normalize()).Mat4().Mat3()
		o := mgl64.Vec3{rng.Float64()*1.6 - 0.3, rng.Float64() - 0.5, rng.Float64()*1.6 - 0.3}
		reach := 0.1 * rng.Float64()
		found = tree.Reaching(found[:0], s.known, &small, q, o, reach)
		slices.Sort(found)
		if len(slices.Compact(slices.Clone(found))) != len(found) {
			t.Fatalf("step %d: a triangle is there twice", step)
		}
		for id, f := range tri {
			d := math.Inf(1) // over samples of the triangle
			for i := range 9 {
				for j := range 9 - i {
					u, v := float64(i)/8, float64(j)/8
					p := now[f[0]].Mul(1 - u - v).Add(now[f[1]].Mul(u)).Add(now[f[2]].Mul(v))
					_, _, e := small.Closest(q.Transpose().Mul3x1(p.Sub(o)))
					d = min(d, e)
				}
			}
			_, has := slices.BinarySearch(found, int32(id))
			switch {
			case d <= reach && !has:
				t.Fatalf("step %d: triangle %d at %g is not found within %g", step, id, d, reach)
			case d <= reach:
				near++
			case has:
				extra++
			}
			if has {
				for _, node := range f {
					if s.known[node] != now[node] {
						t.Fatalf("step %d: node %d was not located", step, node)
					}
				}
			}
		}
	}
	if near < 1000 || extra > 2*near {
		t.Errorf("%d triangles within reach, %d more were found", near, extra)
	}
}

func TestReachingAsksForFewNodesAndAllocatesNothing(t *testing.T) {
	tri, now := bumpyGrid(100, 0.05)
	s := &shifting{now: now, known: append([]mgl64.Vec3(nil), now...)}
	tree := NewMoving(tri, s.known, s.locate)
	rng := rand.New(rand.NewPCG(9, 1))
	const steps, move = 1000, 1e-4
	ball := Sphere(0.02)
	found := make([]int32, 0, len(tri))
	for range steps {
		shift := mgl64.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}.Mul(move)
		for i := range now {
			now[i] = now[i].Add(shift)
		}
		tree.Drift(move)
		found = tree.Reaching(found[:0], s.known, ball, mgl64.Ident3(), mgl64.Vec3{0.5, 0.02, 0.5}, 0.01)
		if len(found) == 0 || len(found) > 200 {
			t.Fatalf("%d triangles are within reach", len(found))
		}
	}
	if per := float64(s.asked) / steps; per > 150 {
		t.Errorf("%.0f nodes a step, of %d", per, len(now))
	}
	if n := testing.AllocsPerRun(100, func() {
		tree.Drift(1e-5)
		found = tree.Reaching(found[:0], s.known, ball, mgl64.Ident3(), mgl64.Vec3{0.5, 0.02, 0.5}, 0.01)
	}); n != 0 {
		t.Errorf("%g allocations a query", n)
	}
	if found := NewMoving(nil, nil, func(int32) {}).Reaching(nil, nil, ball, mgl64.Ident3(), mgl64.Vec3{}, 1); found != nil {
		t.Error("an empty surface is within reach")
	}
	if all := tree.Reaching(nil, s.known, ball, mgl64.Ident3(), mgl64.Vec3{}, math.Inf(1)); len(all) != len(tri) {
		t.Errorf("%d of %d triangles within an infinite reach", len(all), len(tri))
	}
}
