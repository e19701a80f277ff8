package floe

import (
	"math"
	"testing"
)

// Every scene runs: no error, no overlap, the account of energy closes, and where
// the hand holds a tool, a push forwards is felt.
func TestScenes(t *testing.T) {
	for _, s := range Scenes {
		t.Run(s.Name, func(t *testing.T) {
			c, err := MakeScene(s.Name, SceneOptions{Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			w, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			start, hasTool := w.Tool()
			most := 0.0
			for k := range 60 {
				if hasTool {
					v := Vec2{0, 3}
					if s.Name == "strait" {
						v = Vec2{-3, 0}
					}
					if s.Name == "brash" {
						v = Vec2{3, 0}
					}
					w.Hold(State{Position: start.Position.Add(v.Mul(w.Time())), Velocity: v})
				}
				done := w.Advance(1./30, 200)
				if w.Err() != nil || done == 0 {
					t.Fatalf("frame %d: %g s, %v", k, done, w.Err())
				}
				f, _ := w.HandForce()
				most = max(most, f.Len())
			}
			e := w.Energy()
			sum := e.Start + e.Wind + e.Water + e.Body + e.Coriolis + e.Tool - e.Impact - e.Friction
			if scale := e.Start + e.Wind + math.Abs(e.Tool); math.Abs(sum-e.Kinetic) > 1e-9*scale {
				t.Errorf("the account of energy gives %g J, the floes have %g", sum, e.Kinetic)
			}
			for _, p := range w.near.pairs {
				if overlap(&w.bodies[p.a].placed, &w.bodies[p.b].placed) && w.report.Cracks == 0 {
					t.Fatalf("floes %d and %d overlap", p.a, p.b)
				}
			}
			if hasTool && !(most > 0) {
				t.Error("the hand feels nothing")
			}
			t.Logf("%g s, %+v, hand %g N", w.Time(), w.Report(), most)
		})
	}
	if _, err := MakeScene("nowhere", SceneOptions{}); err == nil {
		t.Error("a scene that there is not")
	}
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
		Tool: &Tool{Outline: DiscOutline(0.5), Mass: 100, Stiffness: 1e4}}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 2000 {
		w.Hold(State{Position: Vec2{3, 0}})
		w.Step(0.01)
	}
	s, _ := w.Tool()
	f, _ := w.HandForce()
	stretch := 3 - s.Position[0]
	if stretch < 0.9 || math.Abs(f[0]+1e4*stretch) > 1 || math.Abs(f[1]) > 1 {
		t.Errorf("tool at %v, force %v", s.Position, f)
	}
	w.Hold(State{Position: Vec2{math.NaN(), 0}})
	w.Step(0.01)
	if f, _ := w.HandForce(); !finite(f[0], f[1]) {
		t.Error("a hand that is nowhere is felt")
	}
}
