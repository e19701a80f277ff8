package tissue

import (
	"context"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
)

const probed = `
title = "probed"
about = "a probe on a heavy slab"
friction = 0.4
gravity = [0, -9.81, 0]
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "probe"
role = "driven"
position = [0, 25.2, 0]
[body.tool]
kind = "probe"
radius = 5
length = 60
[[body]]
name = "slab"
E = 20
nu = 0.4
density = 1000
clamp = "bottom"
[body.box]
origin = [-40, 0, -40]
size = [80, 20, 80]
elements = [16, 3, 16]
[contact]
tolerance = 1e-6
ddc_tolerance = 1
normals = "smooth"
`

func probedWorld(t testing.TB) *World {
	t.Helper()
	s, err := scene.Parse("probed.toml", []byte(probed))
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// No node moves farther than the bound that the step works with, whatever
// changes: contact forces, pose, E, nu. A step looks at few nodes, and finds the
// contacts that a search through all triangles finds.
func TestShapeIsBoundedAndDetectionIsExact(t *testing.T) {
	w := probedWorld(t)
	slab := w.bodies[1]
	last := make([][]mgl64.Vec3, 2)
	now := make([][]mgl64.Vec3, 2)
	travel := make([]float64, 2)
	for i, b := range w.bodies {
		last[i], now[i] = make([]mgl64.Vec3, len(b.rest)), make([]mgl64.Vec3, len(b.rest))
		b.fill(last[i], &w.fillWork)
		travel[i] = b.deformed.travel
	}
	start := w.StartPose()
	loosest, asked, contacts := math.Inf(1), 0, 0
	for step := range 300 {
		s := float64(step)
		d := mgl64.Vec3{0.012 * math.Sin(s/40), -0.003 - 0.002*math.Sin(s/13), 0.01 * math.Cos(s/55)}
		q := mgl64.QuatRotate(0.3*math.Sin(s/50), mgl64.Vec3{1, 0, 0})
		switch step {
		case 100:
			slab.setYoung(3 * slab.young)
		case 200:
			f, err := Builder{}.flexibility(context.Background(), slab, 0.1, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			slab.applyFlexibility(f)
		}
		w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: q})
		contacts += len(w.contacts)
		for i, b := range w.bodies {
			b.fill(now[i], &w.fillWork)
			farthest := 0.0
			for k := range b.rest {
				farthest = max(farthest, now[i][k].Sub(last[i][k]).Len())
				if x := now[i][k].Sub(b.deformed.now.rotation.Mul3x1(b.rest[k])).Sub(b.deformed.now.origin); x.Len() > b.deformed.bulge+1e-12 {
					t.Fatalf("step %d, body %d: displacement %g m, bound %g", step, i, x.Len(), b.deformed.bulge)
				}
			}
			bound := b.deformed.travel - travel[i]
			if farthest > bound*(1+1e-9)+1e-15 {
				t.Fatalf("step %d, body %d: a node moved by %g m, bound %g", step, i, farthest, bound)
			}
			if farthest > 1e-5 {
				loosest = min(loosest, farthest/bound)
			}
			travel[i] = b.deformed.travel
			copy(last[i], now[i])
		}
		for _, seen := range slab.deformed.seen {
			if seen == slab.deformed.state-1 {
				asked++
			}
		}

		if step%10 != 0 {
			continue
		}
		// what the next step will find, against all triangles
		tolerance := w.params.DDCTolerance
		want := map[int32]bool{}
		for _, node := range w.bodies[0].region {
			p := now[0][node]
			for _, tri := range slab.facets.triangles {
				_, d2 := collision.ClosestOnTriangle(p, now[1][tri[0]], now[1][tri[1]], now[1][tri[2]])
				if d2 <= tolerance*tolerance*(1-1e-9) {
					want[node] = true
				}
			}
		}
		found := w.contacts
		w.contacts = nil
		memory := append([]nodeMemory(nil), w.directions[0].memory...)
		w.detect()
		for _, c := range w.contacts {
			delete(want, c.node)
		}
		if len(want) != 0 {
			t.Fatalf("step %d: nodes %v are within %g m of the slab and were not found", step, want, tolerance)
		}
		w.contacts = found
		copy(w.directions[0].memory, memory)
	}
	if loosest < 0.02 {
		t.Errorf("the bound is up to %.0f times what happens", 1/loosest)
	}
	if contacts < 1000 {
		t.Errorf("%d contacts in all", contacts)
	}
	if per := asked / 300; per > len(slab.rest)/3 {
		t.Errorf("%d of %d nodes were worked out in a step", per, len(slab.rest))
	}
}

// A node worked out alone is where the whole surface has it.
func TestLocateAgreesWithTheWhole(t *testing.T) {
	w := probedWorld(t)
	start := w.StartPose()
	for i := range 8 {
		w.Step(frame.Pose{Position: start.Position.Add(mgl64.Vec3{0, -0.0005 * float64(i), 0}), Rotation: start.Rotation})
	}
	slab := w.bodies[1]
	whole := make([]mgl64.Vec3, len(slab.rest))
	slab.deformed.next()
	slab.fill(whole, &w.fillWork)
	for node := range slab.rest {
		if d := slab.at(int32(node)).Sub(whole[node]).Len(); d > 1e-15 {
			t.Fatalf("node %d: %g m apart", node, d)
		}
	}
}
