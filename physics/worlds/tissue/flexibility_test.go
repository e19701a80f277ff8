package tissue

import (
	"context"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/flex"
)

func buildProbed(t *testing.T, build Builder) *World {
	t.Helper()
	text := strings.Replace(probed, `clamp = "bottom"`, "clamp = \"bottom\"\ncontact_surface = \"top\"", 1) + `
[probes.side]
body = "slab"
at = [40, 10, 0]
`
	s, err := scene.Parse("probed.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := build.New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// press moves the probe into the slab and along it.
func press(w *World, steps int, each func(i int)) {
	start := w.StartPose()
	for i := range steps {
		d := mgl64.Vec3{0.0001 * float64(i), -0.0003 * float64(i), 0}
		w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
		each(i)
	}
}

// The compliance of what may touch gives the forces and shapes that the
// compliance of the whole surface gives.
func TestRegionActsAsTheWhole(t *testing.T) {
	whole, region := buildProbed(t, Builder{}), buildProbed(t, Builder{WholeSurface: 1})
	slab := region.bodies[1]
	if n := slab.flexibility.compliance.N; n != len(slab.region)+1 {
		t.Fatalf("compliance of %d nodes, %d may touch", n, len(slab.region))
	}
	type state struct {
		force, probe mgl64.Vec3
		shape        Snapshot
	}
	run := func(w *World) (out []state) {
		press(w, 25, func(int) {
			var s state
			s.force, _ = w.Force()
			s.probe, _ = w.Probe("side")
			w.Snapshot(&s.shape)
			out = append(out, s)
		})
		return out
	}
	want, got := run(whole), run(region)
	for i := range want {
		if d := got[i].force.Sub(want[i].force).Len(); d > 1e-9*(1+want[i].force.Len()) {
			t.Fatalf("step %d: force %v, want %v", i, got[i].force, want[i].force)
		}
		if d := got[i].probe.Sub(want[i].probe).Len(); d > 1e-12 {
			t.Fatalf("step %d: probe %v, want %v", i, got[i].probe, want[i].probe)
		}
		for k, x := range want[i].shape.Surfaces[1].Vertices {
			if d := got[i].shape.Surfaces[1].Vertices[k].Sub(x).Len(); d > 1e-10 {
				t.Fatalf("step %d: node %d is %g m off", i, k, d)
			}
		}
	}
	if want[24].force[1] < 0.1 {
		t.Errorf("force %v N: nothing was pressed", want[24].force)
	}
}

// A world from the cache does what the one that filled it did, to the bit, and
// draws the part that cannot be touched once it is factorised.
func TestWorldFromTheCache(t *testing.T) {
	cache := &flex.Cache{Dir: t.TempDir(), Limit: 1 << 30}
	build := Builder{Cache: cache, WholeSurface: 1}
	first := buildProbed(t, build)
	slab := first.bodies[1]
	nodes := slab.complianceNodes()
	key := flex.KeyOf(slab.mesh, slab.fixed, slab.poisson, nodes, false)
	if _, _, ok := cache.Load(key); !ok {
		// a fast machine: not worth keeping by itself
		var unit []float64
		for axis := range 3 {
			unit = append(unit, surfaceWeight(slab.flexibility.factor.factor, slab, axis)...)
		}
		if err := cache.Save(context.Background(), key, slab.flexibility.compliance, unit); err != nil {
			t.Fatal(err)
		}
	}
	second := buildProbed(t, build)
	if second.bodies[1].flexibility.factor.factor != nil {
		t.Fatal("factorised although it was in the cache")
	}
	var want []mgl64.Vec3
	press(first, 20, func(int) {
		f, _ := first.Force()
		want = append(want, f)
	})
	press(second, 20, func(i int) {
		if f, _ := second.Force(); f != want[i] {
			t.Fatalf("step %d: force %v, want %v", i, f, want[i])
		}
	})
	var a, b Snapshot
	first.Snapshot(&a)
	testkit.Eventually(t, "the untouchable part moves", func() bool {
		second.Snapshot(&b)
		worst := 0.0
		for k, x := range a.Surfaces[1].Vertices {
			worst = max(worst, b.Surfaces[1].Vertices[k].Sub(x).Len())
		}
		return worst < 1e-10
	})
}

func TestTooLargeIsRefused(t *testing.T) {
	s, err := scene.Parse("probed.toml", []byte(probed))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Builder{MemoryLimit: 1 << 20}.New(context.Background(), s, nil)
	if err == nil || !strings.Contains(err.Error(), "the limit is 0.0 GB (cure: contact_surface") || strings.Contains(err.Error(), "\n") {
		t.Errorf("refusal: %v", err)
	}
}
