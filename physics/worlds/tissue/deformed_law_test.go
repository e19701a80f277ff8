package tissue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/numerics/flex"
)

// shapeWorld is probedWorld with the compliance stored as said: of the top only,
// or rounded to single precision.
func shapeWorld(t *testing.T, region, single bool) *World {
	t.Helper()
	s, err := scene.Parse("probed.toml", []byte(probed))
	if err != nil {
		t.Fatal(err)
	}
	build := Builder{}
	if region {
		build.WholeSurface = 1
		if err := scene.Set(s, "slab.contact_surface=top"); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := build.New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := w.bodies[1]
	if region != (b.rows != nil) {
		t.Fatalf("the compliance is of %d of %d nodes", b.flexibility.compliance.N, len(b.rest))
	}
	if single {
		f := b.flexibility
		rounded := &flex.Compliance{N: f.compliance.N, Single: make([]float32, len(f.compliance.C))}
		for i, x := range f.compliance.C {
			rounded.Single[i] = float32(x)
		}
		f.compliance = rounded
		b.applyFlexibility(f)
	}
	return w
}

// Over random presses, slides, turns and lifts, however the compliance is stored:
// no node that may touch moves farther than the bounds say, neither in a step nor
// from its place at rest, and a node that a step worked out is where it is when
// all nodes are.
func TestShapeLaws(t *testing.T) {
	for _, region := range []bool{false, true} {
		for _, single := range []bool{false, true} {
			if testing.Short() && single != region {
				continue
			}
			t.Run(fmt.Sprintf("region=%t/single=%t", region, single), func(t *testing.T) {
				shapeLaws(t, shapeWorld(t, region, single), rand.New(rand.NewPCG(7, 8)))
			})
		}
	}
}

func shapeLaws(t *testing.T, w *World, rng *rand.Rand) {
	b := w.bodies[1]
	last, now := make([]mgl64.Vec3, len(b.rest)), make([]mgl64.Vec3, len(b.rest))
	b.fill(last, &w.fillWork)
	travel := b.deformed.travel
	start := w.StartPose()
	at, goal := mgl64.Vec3{}, mgl64.Vec3{}
	turn, located, loaded, farthest := 0.0, 0, 0, 0.0
	for step := range 400 {
		if step%25 == 0 { // somewhere else, mostly pressed, sometimes lifted
			goal = mgl64.Vec3{0.04 * (rng.Float64() - 0.5), -0.012 * rng.Float64(), 0.04 * (rng.Float64() - 0.5)}
			if rng.IntN(4) == 0 {
				goal[1] = 0.004
			}
		}
		at = at.Add(goal.Sub(at).Mul(0.1 + 0.3*rng.Float64()))
		turn += 0.05 * (rng.Float64() - 0.5)
		switch {
		case step%90 == 50:
			b.setYoung(b.young * (0.5 + rng.Float64()))
		case step == 300:
			w.Reset()
			b.fill(last, &w.fillWork)
			travel = b.deformed.travel
		}
		w.Step(frame.Pose{Position: start.Position.Add(at), Rotation: mgl64.QuatRotate(turn, mgl64.Vec3{1, 0, 0})})
		loaded = max(loaded, len(b.deformed.now.nodes))

		// what the step worked out, then all from nothing
		lazy := map[int32]mgl64.Vec3{}
		for node, seen := range b.deformed.seen {
			if seen == b.deformed.state {
				lazy[int32(node)] = b.deformed.position[node]
			}
		}
		for range 10 { // and some that it did not
			node := b.region[rng.IntN(len(b.region))]
			lazy[node] = b.at(node)
		}
		located += len(lazy)
		b.fillConfiguration(now, &b.deformed.now, &b.flexibility, &w.fillWork)
		for node, x := range lazy {
			if b.row(node) < 0 {
				continue
			}
			if d := x.Sub(now[node]).Len(); !(d <= 1e-13) {
				t.Fatalf("step %d: node %d is %g m from where all nodes have it", step, node, d)
			}
		}
		for _, node := range b.region {
			u := now[node].Sub(b.deformed.now.rotation.Mul3x1(b.rest[node])).Sub(b.deformed.now.origin).Len()
			if !(u <= b.deformed.bulge+1e-12) {
				t.Fatalf("step %d: node %d is displaced by %g m, bound %g", step, node, u, b.deformed.bulge)
			}
			moved := now[node].Sub(last[node]).Len()
			if bound := b.deformed.travel - travel; !(moved <= bound*(1+1e-9)+1e-15) {
				t.Fatalf("step %d: node %d moved by %g m, bound %g", step, node, moved, bound)
			}
			farthest = max(farthest, moved)
		}
		travel = b.deformed.travel
		copy(last, now)
	}
	if loaded < 8 || farthest < 1e-4 || located < 4000 {
		t.Errorf("%d nodes carried, the farthest moved by %g m, %d were worked out", loaded, farthest, located)
	}
}
