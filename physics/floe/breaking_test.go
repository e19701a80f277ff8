package floe

import (
	"math"
	"testing"
)

// iceMass is that of all floes without obstacles and tool.
func iceMass(w *World) float64 {
	sum := 0.0
	for i := range w.bodies {
		if b := &w.bodies[i]; !b.fixed && !b.tool {
			sum += b.mass
		}
	}
	return sum
}

// A slender floe that is struck in the middle breaks there, across; a softer blow
// leaves it whole. Mass, momentum and energy go on as they were.
func TestPercussion(t *testing.T) {
	strike := func(speed float64) *World {
		fracture := Ice
		c := Config{Floes: []Floe{
			{Outline: []Vec2{{-10, -1}, {10, -1}, {10, 1}, {-10, 1}}, Thickness: 1, Density: 917},
			{Outline: regular(8, 0.5), Thickness: 1, Density: 917, Position: Vec2{0, -1.6}, Velocity: Vec2{0, speed}},
		}, Collision: 1e-4, Restitution: 0.2, Repairs: Recommended, Fracture: &fracture, Threads: 1}
		w, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		p0, l0 := w.Momentum()
		m0 := iceMass(w)
		w.Advance(0.4/speed, 10000)
		if w.Err() != nil {
			t.Fatal(w.Err())
		}
		p1, l1 := w.Momentum()
		scale := m0 * speed
		if math.Abs(iceMass(w)-m0) > 1e-12*m0 || p1.Sub(p0).Len() > 1e-12*scale || math.Abs(l1-l0) > 1e-6*scale*10 {
			t.Errorf("mass off by %g kg, momentum by %v, angular momentum by %g", iceMass(w)-m0, p1.Sub(p0), l1-l0)
		}
		if e := w.Energy(); math.Abs(e.Kinetic-(e.Start-e.Impact-e.Friction)) > 1e-9*e.Start {
			t.Errorf("the account of energy is off: %+v", e)
		}
		return w
	}
	if w := strike(0.2); len(w.Cracks()) != 0 {
		t.Errorf("a soft blow breaks the floe: %+v", w.Cracks())
	}
	// The impulse that breaks such a bar is about 1385 N s (reference case); the small
	// floe has 648 kg.
	w := strike(5)
	if len(w.Cracks()) == 0 {
		t.Fatal("a hard blow leaves the floe whole")
	}
	c := w.Cracks()[0]
	if math.Abs(c.At[0]) > 0.5 || math.Abs(c.Direction[0]) > 0.1 || c.Stress < Ice.Strength {
		t.Errorf("crack %+v, want one across the middle", c)
	}
	if w.N() != 2+len(w.Cracks()) {
		t.Errorf("%d floes after %d cracks", w.N(), len(w.Cracks()))
	}
}

// A field that a moving bank compresses breaks, again and again: the sizes of what
// is left are reported.
func TestCompression(t *testing.T) {
	alone(t)
	f := Field{Floes: 60, Hi: Vec2{60, 40}, Cover: 0.8, Thick: [2]float64{0.5, 0.5}, Seed: 4}
	floes, err := f.Make()
	if err != nil {
		t.Fatal(err)
	}
	banks := Banks(f.Lo, f.Hi, 5, 0.5)
	ram := Floe{Outline: []Vec2{{-2, -19.9}, {2, -19.9}, {2, 19.9}, {-2, 19.9}}, Thickness: 1, Density: 917, Fixed: true, Position: Vec2{-2.4, 20}, Velocity: Vec2{0.5, 0}}
	banks = append(banks[:2], banks[3]) // the ram takes the place of the left one
	fracture := Ice
	fracture.Smallest = 2
	fracture.Triangles = 80
	c := Config{Floes: append(append(banks, ram), floes...), Friction: 0.3, Restitution: 0.1, Collision: 0.01, Repairs: Recommended, Window: 0.05,
		Fracture: &fracture, Threads: 1, Environment: Environment{Water: Flow{Density: 1025, Drag: 5.5e-3}}}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	m0 := iceMass(w)
	before := w.Sizes(nil)
	for w.Time() < 11 && w.Report().Steps < 300 {
		if w.Step(c.Window); w.Err() != nil {
			t.Fatal(w.Err())
		}
	}
	after := w.Sizes(nil)
	if w.Report().Cracks < 5 || math.Abs(iceMass(w)-m0) > 1e-9*m0 {
		t.Errorf("%d cracks, mass off by %g kg", w.Report().Cracks, iceMass(w)-m0)
	}
	count := func(areas []float64, more float64) (n int) {
		for _, a := range areas {
			if a >= more {
				n++
			}
		}
		return n
	}
	for _, a := range []float64{2, 4, 8, 16, 32} {
		t.Logf("floes of %g m^2 and more: %d before, %d after", a, count(before, a), count(after, a))
	}
	if count(after, 32) >= count(before, 32) || len(after) <= len(before) {
		t.Error("the field did not become finer")
	}
	t.Logf("%+v at %g s", w.Report(), w.Time())
}
