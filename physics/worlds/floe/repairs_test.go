package floe

import (
	"math"
	"testing"

	"hapco/physics/numerics/num"
)

// row are squares in a row.
func row(n int, side, gap float64) []Floe {
	out := make([]Floe, n)
	h := side / 2
	for i := range out {
		out[i] = Floe{Outline: []Vec2{{-h, -h}, {h, -h}, {h, h}, {-h, h}}, Thickness: 1, Density: iceDensity, Position: Vec2{float64(i) * (side + gap), 0}}
	}
	return out
}

// A cradle whose floes touch sends the last one away where shocks go pair by pair,
// and by the letter it does not.
func TestSequentialCradle(t *testing.T) {
	for _, sequential := range []bool{true, false} {
		c := Config{Floes: row(5, 1, 5e-7), Restitution: 1, Collision: 1e-6, Repairs: Recommended, Threads: 1}
		c.Repairs.Sequential = sequential
		c.Floes[0].Velocity[0] = 1
		w, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		w.Advance(0.5, 1000)
		want := [5]float64{-0.6, 0.4, 0.4, 0.4, 0.4}
		if sequential {
			want = [5]float64{0, 0, 0, 0, 1}
		}
		for i, v := range want {
			if got := w.State(i).Velocity[0]; math.Abs(got-v) > 1e-9 {
				t.Errorf("sequential %v: floe %d leaves at %g m/s, want %g", sequential, i, got, v)
			}
		}
		w.Close()
	}
}

// Each repair does what it says: without it, the letter.
func TestRepairs(t *testing.T) {
	run := func(r Repairs) *World {
		c := Config{Floes: []Floe{
			{Outline: square(5), Thickness: 1, Density: 917, Position: Vec2{0, -5}, Fixed: true},
			{Outline: square(0.5), Thickness: 1, Density: 917, Position: Vec2{0, 0.5010005}, Velocity: Vec2{0, -1}},
		}, Restitution: 0.5, Collision: 1e-6, Repairs: r, Environment: Environment{Body: Vec2{0, -10}}, MaxStep: 1e-3, Threads: 1}
		w, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		return w
	}
	// By the letter restitution multiplies what the forces of the step gave as well,
	// and takes it back with W-: the box leaves at eps times the speed before them.
	for _, first := range []bool{true, false} {
		w := run(Repairs{ForcesFirst: first, CloseAgain: true})
		w.Step(1e-3)
		want := 0.5
		if first {
			want *= 1.01
		}
		if v := w.State(1).Velocity[1]; math.Abs(v-want) > 1e-9 {
			t.Errorf("forces first %v: the box leaves at %g m/s, want %g", first, v, want)
		}
	}
	// Without an end of bounces the box hops on.
	for _, rest := range []bool{true, false} {
		w := run(Repairs{ForcesFirst: true, CloseAgain: true, Rest: rest})
		w.Advance(2, 100000)
		still := w.State(1).Velocity.Len() < 1e-9
		if still != rest {
			t.Errorf("rest %v: the box moves at %g m/s after 2 s", rest, w.State(1).Velocity.Len())
		}
	}
}

// Pushing a floe against a wall is felt as much as the tool's spring is stretched.
func TestHand(t *testing.T) {
	c := Config{Floes: []Floe{
		{Outline: square(2), Thickness: 1, Density: 917, Position: Vec2{6, 0}, Fixed: true},
		{Outline: square(1), Thickness: 1, Density: 917, Position: Vec2{2.5, 0}},
	}, Friction: 0.3, Collision: 1e-3, Repairs: Recommended, Window: 0.01, Threads: 1,
		Tool: &Tool{Outline: discOutline(0.5), Mass: 100, Stiffness: 1e4}}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 2000 {
		w.Hold(State{Position: Vec2{3, 0}})
		w.Step(0.01)
	}
	s, _ := w.tool()
	f, _ := w.handForce()
	stretch := 3 - s.Position[0]
	if stretch < 0.9 || math.Abs(f[0]+1e4*stretch) > 1 || math.Abs(f[1]) > 1 {
		t.Errorf("tool at %v, force %v", s.Position, f)
	}
	w.Hold(State{Position: Vec2{math.NaN(), 0}})
	w.Step(0.01)
	if f, _ := w.handForce(); !num.AllFinite(f[0], f[1]) {
		t.Error("a hand that is nowhere is felt")
	}
}
