package rigid

import (
	"math"
	"testing"

	"hapco/physics/machinery/testkit"
)

// sleepers are a stack of boxes and a ball beside it on a floor, asleep.
func sleepers(t *testing.T) (*World, []*Body) {
	t.Helper()
	w := newWorld(t, nil)
	floor(t, w, 0.5, 0)
	var all []*Body
	for i := range 4 {
		all = append(all, add(t, w, &Body{Form: Box(0.1, 0.05, 0.1), X: vec3{0, 0.025 + 0.05*float64(i), 0}, Friction: 0.5}))
	}
	all = append(all, add(t, w, &Body{Form: Ball(0.02), X: vec3{2, 0.02, 0}, Friction: 0.5}))
	run(w, 0.1)
	if len(w.awake) > 0 {
		t.Fatalf("%d of %d bodies are awake", len(w.awake), len(w.moved))
	}
	return w, all
}

// What sleeps does not move by a bit, keeps its contacts with their forces, and costs no solve; the account has no gap.
func TestSleepersStay(t *testing.T) {
	w, all := sleepers(t)
	var at []placed
	for _, b := range all {
		at = append(at, placed{x: b.X, q: b.Q})
	}
	run(w, 1)
	borne := 0.0
	for i := range w.system.problem.contacts {
		if c := &w.system.problem.contacts[i]; c.b < 0 || c.a < 0 {
			borne += c.r[0] / w.h
		}
	}
	weight := 0.0
	for i, b := range all {
		weight += 9.81 * b.Mass
		if b.X != at[i].x || b.Q != at[i].q {
			t.Errorf("body %d has moved by %v", i, b.X.Sub(at[i].x))
		}
	}
	if math.Abs(borne/weight-1) > 1e-6 || w.stats.Contacts != 17 || w.stats.Islands != 2 || w.stats.Sweeps != 0 || !w.stats.Solved {
		t.Errorf("the floor bears %g N of %g N at %d contacts of %d islands, %d sweeps", borne, weight, w.stats.Contacts, w.stats.Islands, w.stats.Sweeps)
	}
	fall := weight * 9.81 * w.h * w.h / 2 // what bodies that touch gain of their weight in a step
	if gap := w.kinetic() - w.kinetic0 - w.given.sum; !(math.Abs(gap) < noise*fall) {
		t.Errorf("%g J are not accounted for, of %g J", gap, fall)
	}
}

// What wakes moves as if it had never slept: a ball falls on the stack, and on one whose islands are kept awake. The
// other island sleeps on.
func TestSleepersWake(t *testing.T) {
	build := func() (*World, []*Body) {
		w, all := sleepers(t)
		return w, append(all, add(t, w, &Body{Form: Ball(0.02), X: vec3{0.03, 0.3, 0.01}, Friction: 0.5}))
	}
	a, x := build()
	b, y := build()
	slept, woke := false, false
	for step := range 600 {
		a.Step()
		b.Step()
		for i := range b.moved {
			if b.moved[i].asleep {
				b.wake(int32(i))
			}
		}
		b.regroup()
		slept, woke = slept || x[0].asleep, woke || slept && !x[0].asleep
		if woke && !x[4].asleep && step > 20 {
			t.Fatalf("step %d: the ball beside has woken", step)
		}
		for i := range x {
			if d := x[i].X.Sub(y[i].X).Len(); !(d < 1e-7) {
				t.Fatalf("step %d: body %d is %.2g m off", step, i, d)
			}
		}
	}
	if !slept || !woke {
		t.Errorf("slept %v, woke %v", slept, woke)
	}
}

// Each change that would make a step another one wakes what it acts on in the same step.
func TestSleepersFeel(t *testing.T) {
	for name, change := range map[string]func(w *World, b *Body){
		"gravity":  func(w *World, _ *Body) { w.Config.Gravity = vec3{0, 9.81, 0} },
		"velocity": func(_ *World, b *Body) { b.V = vec3{0, 1, 0} },
		"place":    func(_ *World, b *Body) { b.X[1] += 1e-3 },
		"friction": func(w *World, _ *Body) { w.bodies[0].Friction = 0 },
		"law":      func(w *World, b *Body) { w.addLaw(lift{b}) },
		"floor":    func(w *World, _ *Body) { w.bodies[0].X[1] -= 1e-3 },
	} {
		w, all := sleepers(t)
		change(w, all[4])
		was := all[4].X
		w.Step()
		if all[4].asleep && name != "friction" || name != "friction" && all[4].X == was {
			t.Errorf("%s: it sleeps on", name)
		}
		if name == "friction" && w.rest.surfaces[0].friction != 0 {
			t.Error("a surface has changed, and nobody saw it")
		}
		if n := testing.AllocsPerRun(50, w.Step); n != 0 && !testkit.Race {
			t.Errorf("%s: %g allocations a step", name, n)
		}
	}
}

// lift is a force of twice the weight of a body.
type lift struct{ b *Body }

func (l lift) Apply(*World)          { l.b.Push(vec3{0, 2 * 9.81 * l.b.Mass, 0}, l.b.X) }
func (l lift) Energy(*World) float64 { return 0 }
