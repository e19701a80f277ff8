package floe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// No step, from event to event or in windows, is longer than (3.6), (3.7) and the
// three-quarter rule allow for the wind and the current at any time within it, even where
// no accuracy is asked for.
func TestEveryStepKeepsTheBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	reached := [2]int{} // steps as long as the bounds allow, without and with windows
	for k := range 60 {
		c := Config{Floes: row(3, 200, 30), Friction: 0.3, Restitution: 0.3, Collision: 1e-3, Repairs: Recommended, Accuracy: 1e6, Threads: 1,
			Environment: Sea(Vec2{40 * r.Float64(), 10 * r.NormFloat64()}, Vec2{r.Float64(), 0})}
		e := &c.Environment
		if k%3 > 0 {
			e.Air.Swing, e.Air.Rate = Vec2{20 * r.NormFloat64(), 20 * r.NormFloat64()}, 0.2*r.Float64()
			e.Water.Swing, e.Water.Rate, e.Water.Phase = Vec2{0, r.NormFloat64()}, 0.2*r.Float64(), 6*r.Float64()
		}
		if k%2 == 1 {
			c.Window = 1e4 * r.Float64()
		}
		thinnest := math.Inf(1)
		for i := range c.Floes {
			c.Floes[i].Thickness = 0.05 + r.Float64()
			thinnest = min(thinnest, c.Floes[i].Thickness*iceDensity)
		}
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			w, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			for range 300 {
				from := w.Time()
				dt := w.Step(math.Inf(1))
				if w.Err() != nil {
					t.Fatal(w.Err())
				}
				var wind, current []float64
				for i := range 21 {
					at := from + dt*float64(i)/20
					wind, current = append(wind, e.Air.at(at).Len()), append(current, e.Water.at(at).Len())
				}
				b := e.StepBounds(thinnest, wind, current)
				// Between the ends of a step the wind may be a little above both.
				if most := 1.01 * b.Max; dt > most {
					t.Fatalf("a step of %g s at %g s, the three-quarter rule allows %g s", dt, from, b.Max)
				}
				if dt > 1.01*b.Euler[0] || dt > 1.01*b.Euler[20] {
					t.Fatalf("a step of %g s at %g s, (3.6) allows %g s and %g s", dt, from, b.Euler[0], b.Euler[20])
				}
				if dt > 0.9*min(b.Max, b.Euler[0]) {
					reached[k%2]++
				}
				for i := range w.count() {
					if v := w.State(i).Velocity.Len(); !(v < 100) {
						t.Fatalf("floe %d goes at %g m/s", i, v)
					}
				}
			}
		})
	}
	if reached[0] < 20 || reached[1] < 20 {
		t.Errorf("%v steps were as long as the bounds: something else holds them back", reached)
	}
	t.Log(reached)
}
