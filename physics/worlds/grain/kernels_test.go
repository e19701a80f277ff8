package grain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// The kernels in assembly and their twins in Go find the same neighbours, in
// the same order, and the same forces, also where grains lie in each other's core.
func TestTwins(t *testing.T) {
	if !fast {
		t.Skip("no assembly here")
	}
	defer func() { fast = true }()
	rng := rand.New(rand.NewPCG(5, 6))
	for _, shifted := range []bool{false, true} {
		c := box(400)
		c.Interaction.Shifted = shifted
		c.Threads = 1
		for i := range c.Grains {
			if i%7 == 0 {
				c.Grains[i].Position[0] += 0.4 * c.Interaction.Sigma * rng.Float64()
			}
		}
		w, err := Overlapping(c)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		var lists [2][][]int32
		var forces [2][]float64
		var close [2][]int32
		for k := range 2 {
			fast = k == 0
			w.listing.stale = true
			w.list()
			for i := range w.tasks {
				task := &w.tasks[i]
				if task.move || task.lo == task.hi {
					continue
				}
				lists[k] = append(lists[k], slices.Clone(task.list))
				n := pairLoop(w.pos, w.force, int(task.lo), &task.lists, &w.kernel.law, task.close, task.fence, &task.soon)
				close[k] = append(close[k], task.close[:n]...)
				soon := task.soon.list[:task.soon.ends[len(task.soon.ends)-1]]
				if len(soon) >= len(task.list) {
					t.Errorf("shifted %t, block %d: %d of %d neighbours may act soon", shifted, i, len(soon), len(task.list))
				}
				lists[k] = append(lists[k], slices.Clone(soon))
			}
			forces[k] = slices.Clone(w.force)
			clear(w.force)
			for i := range w.tasks {
				if task := &w.tasks[i]; !task.move && task.lo < task.hi {
					pairLoop(w.pos, w.force, int(task.lo), &task.soon, &w.kernel.law, task.close, task.fence, nil)
				}
			}
			if !slices.Equal(forces[k], w.force) {
				t.Errorf("shifted %t: other forces of those that may act soon", shifted)
			}
			clear(w.force)
		}
		for i := range lists[0] {
			if !slices.Equal(lists[0][i], lists[1][i]) {
				t.Fatalf("shifted %t, block %d: %d and %d neighbours", shifted, i, len(lists[0][i]), len(lists[1][i]))
			}
		}
		if !slices.Equal(close[0], close[1]) || len(close[0]) == 0 {
			t.Errorf("shifted %t: %d and %d grains noted", shifted, len(close[0]), len(close[1]))
		}
		scale := 24 * c.Interaction.Epsilon / c.Interaction.Sigma
		for i := range forces[0] {
			if d := math.Abs(forces[0][i] - forces[1][i]); !(d <= 1e-12*scale) {
				t.Fatalf("shifted %t: component %d of the force is %g and %g N", shifted, i, forces[0][i], forces[1][i])
			}
		}
	}
}

// Every length of a range and every place of its end.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	var at [3][]float64
	for k := range at {
		for range 50 {
			at[k] = append(at[k], rng.Float64())
		}
	}
	a, b := make([]int32, 60), make([]int32, 60)
	for lo := range 10 {
		for hi := lo; hi < 45; hi++ {
			n := listWithin(&at, lo, hi, 49, 0.3, a)
			m := withinGo(&at, lo, hi, 49, 0.3, b)
			if !slices.Equal(a[:n], b[:m]) {
				t.Fatalf("%d to %d: %v and %v", lo, hi, a[:n], b[:m])
			}
		}
	}
}

func BenchmarkStep(b *testing.B) {
	c := box(20000)
	c.Threads = 1
	w := newWorld(b, c)
	w.Step(20)
	b.ResetTimer()
	for b.Loop() {
		w.Step(1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.N()), "ns/grain")
}

// A step of both is the same to rounding: places, impulses, grains that are
// stopped, and when neighbours are listed.
func TestMoveTwins(t *testing.T) {
	if !fast {
		t.Skip("no assembly here")
	}
	defer func() { fast = true }()
	for _, long := range []bool{false, true} {
		var worlds [2]*World
		for k := range worlds {
			c := box(403)
			c.Threads = 1
			// One in the regime of Stokes, alone: it is too light for the step.
			c.Grains[5] = Grain{Radius: 1e-4, Density: 300, Position: mgl64.Vec3{5, 5, 5}}
			steps := 30
			if long {
				c.Step, c.Fluid, steps = 1e160, Water, 1
			}
			fast = k == 0
			worlds[k] = newWorld(t, c)
			worlds[k].Step(steps)
		}
		a, b := worlds[0], worlds[1]
		if a.Report() != b.Report() || long != (a.Report().Lost > 0) {
			t.Errorf("%+v and %+v", a.Report(), b.Report())
		}
		if long {
			continue
		}
		for i := range a.N() {
			if d := a.Position(i).Sub(b.Position(i)).Len() + a.Velocity(i).Sub(b.Velocity(i)).Len(); !(d <= 1e-10) || a.Mass(i) != b.Mass(i) {
				t.Fatalf("grain %d differs by %g", i, d)
			}
		}
		x, y := a.Balance(), b.Balance()
		if d := x.Drag.Sub(y.Drag).Len() + x.Gravity.Sub(y.Gravity).Len() + x.Pair.Sub(y.Pair).Len(); !(d <= 1e-12*x.Gravity.Len()) {
			t.Errorf("impulses %+v and %+v", x, y)
		}
	}
}
