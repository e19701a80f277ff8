package floe

import (
	"math"
	"slices"
)

// Squeezed is a field of floes in a basin that is broken by compression, and what becomes of its sizes.
type Squeezed struct {
	Cracks  int       `json:"cracks"`
	Seconds float64   `json:"seconds"` // of motion
	Closed  float64   `json:"closed"`  // share of the basin that the wall has taken
	Areas   []float64 `json:"areas_m2"`
	Before  []int     `json:"floes_before"` // of that area and more
	After   []int     `json:"floes_after"`
	Mass    float64   `json:"mass_change_relative"`
}

// Squeeze lets a wall close in on a field of n floes, towards a share of the basin's length, at half a metre a second.
// A spring pulls the wall: where the ice bears more than that gives, it stays.
func Squeeze(n int, share float64, seed uint64) (*Squeezed, error) {
	length := 10 * math.Sqrt(float64(n)/1.5)
	f := Field{Floes: n, Hi: Vec2{length, length / 1.5}, Cover: 0.8, Thick: [2]float64{0.5, 0.5}, Seed: seed}
	floes, err := f.Make()
	if err != nil {
		return nil, err
	}
	banks := Banks(f.Lo, f.Hi, 5, 0.5)
	fracture := ice
	fracture.Smallest, fracture.Triangles = 2, 150
	half := f.Hi[1]/2 - 0.1
	start := Vec2{-2.4, f.Hi[1] / 2}
	c := Config{Floes: append(slices.Delete(banks, 2, 3), floes...), Friction: 0.3, Restitution: 0.1, Collision: 0.01, Repairs: Recommended, Window: 0.05,
		Fracture: &fracture, Environment: Environment{Water: Flow{Density: 1025, Drag: 5.5e-3}},
		Tool: &Tool{Outline: rectangle(Vec2{2, half}), Position: start, Mass: 1e6, Stiffness: 1e7}}
	w, err := New(c)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	out := &Squeezed{Areas: []float64{2, 4, 8, 16, 32, 64}}
	count := func() (counts []int, mass float64) { // of the floes, obstacles and tool left out
		counts = make([]int, len(out.Areas))
		for i := range w.bodies {
			b := &w.bodies[i]
			if b.fixed || b.tool {
				continue
			}
			mass += b.mass
			for k, a := range out.Areas {
				if b.Area >= a {
					counts[k]++
				}
			}
		}
		return counts, mass
	}
	before, m0 := count()
	const speed = 0.5
	for w.time*speed < share*length && w.report.Steps < 100000 {
		w.Hold(State{Position: start.Add(Vec2{speed * w.time, 0}), Velocity: Vec2{speed, 0}})
		if w.Step(c.Window); w.err != nil {
			return nil, w.err
		}
	}
	tool, _ := w.tool()
	after, m1 := count()
	out.Before, out.After, out.Cracks, out.Seconds, out.Mass = before, after, w.report.Cracks, w.time, m1/m0-1
	out.Closed = (tool.Position[0] - start[0]) / length
	return out, nil
}
