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

// The two sides of a crack are moved apart; a floe that turns keeps its momenta all the
// same, and the account of energy closes.
func TestCrackOfATurningFloe(t *testing.T) {
	fracture := ice
	w, err := New(Config{Floes: []Floe{{Outline: regular(7, 4), Thickness: 1, Density: 917, Position: Vec2{30, -20}, Velocity: Vec2{0.3, 0.4}, Rate: 2}},
		Collision: 1e-2, Fracture: &fracture, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p0, l0 := w.momentum()
	if err := w.split(0, Vec2{30.5, -19}, Vec2{1, 0.4}, 0); err != nil || len(w.bodies) != 2 {
		t.Fatalf("%d floes, %v", len(w.bodies), err)
	}
	p1, l1 := w.momentum()
	if p1.Sub(p0).Len() > 1e-12*p0.Len() || math.Abs(l1-l0) > 1e-12*math.Abs(l0) {
		t.Errorf("momentum off by %v, angular momentum by %g of %g", p1.Sub(p0), l1-l0, l0)
	}
	if e := w.Energy(); e.Fracture < 0 || math.Abs(e.Kinetic-(e.Start-e.Fracture)) > 1e-12*e.Start {
		t.Errorf("the account of energy is off: %+v", e)
	}
}

// A slender floe that is struck in the middle breaks there, across; a softer blow
// leaves it whole. Mass, momentum and energy go on as they were.
func TestPercussion(t *testing.T) {
	strike := func(speed float64) *World {
		fracture := ice
		c := Config{Floes: []Floe{
			{Outline: []Vec2{{-10, -1}, {10, -1}, {10, 1}, {-10, 1}}, Thickness: 1, Density: 917},
			{Outline: regular(8, 0.5), Thickness: 1, Density: 917, Position: Vec2{0, -1.6}, Velocity: Vec2{0, speed}},
		}, Collision: 1e-4, Restitution: 0.2, Repairs: Recommended, Fracture: &fracture, Threads: 1}
		w, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		p0, l0 := w.momentum()
		m0 := iceMass(w)
		w.Advance(0.4/speed, 10000)
		if w.Err() != nil {
			t.Fatal(w.Err())
		}
		p1, l1 := w.momentum()
		scale := m0 * speed
		if math.Abs(iceMass(w)-m0) > 1e-12*m0 || p1.Sub(p0).Len() > 1e-12*scale || math.Abs(l1-l0) > 1e-12*scale*10 {
			t.Errorf("mass off by %g kg, momentum by %v, angular momentum by %g", iceMass(w)-m0, p1.Sub(p0), l1-l0)
		}
		if e := w.Energy(); math.Abs(e.Kinetic-(e.Start-e.Impact-e.Friction-e.Fracture)) > 1e-9*e.Start {
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
	if math.Abs(c.At[0]) > 0.5 || math.Abs(c.Direction[0]) > 0.1 || c.Stress < ice.Strength {
		t.Errorf("crack %+v, want one across the middle", c)
	}
	if w.count() != 2+len(w.Cracks()) {
		t.Errorf("%d floes after %d cracks", w.count(), len(w.Cracks()))
	}
}

// A field that a wall compresses breaks, again and again: there are fewer large floes,
// more small ones, and as much ice as before.
func TestCompression(t *testing.T) {
	alone(t)
	s, err := Squeeze(60, 0.15, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", s)
	last := len(s.Areas) - 2 // 32 m^2
	if s.Cracks < 20 || s.After[0] != s.Before[0]+s.Cracks || s.After[last] >= s.Before[last] || math.Abs(s.Mass) > 1e-12 || !(s.Closed > 0.1) {
		t.Errorf("%+v", s)
	}
}
