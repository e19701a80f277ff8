package ui

import (
	"math/rand/v2"
	"testing"
)

// machine is one that takes so long for the scene's pixels and the rest.
type machine struct{ perPixel, rest float64 } // s

// watch runs the display for a time and returns how often the resolution changed.
func (d machine) watch(r *resolution, pixels, seconds float64, noise float64) (changes int) {
	random := rand.New(rand.NewPCG(1, 2))
	for t := 0.0; t < seconds; {
		dt := max(1.0/60, d.rest+d.perPixel*pixels*r.part()*r.part())
		dt *= 1 + noise*(2*random.Float64()-1)
		was := r.level
		r.step(dt, pixels)
		if r.level != was {
			changes++
		}
		t += dt
	}
	return changes
}

func TestResolutionFollowsTheDisplay(t *testing.T) {
	const large, small = 3000 * 1600, 900 * 520
	var r resolution
	if n := (machine{1e-9, 5e-3}).watch(&r, large, 60, 0.3); n != 0 || r.text() != "" {
		t.Errorf("a quick display: %d changes, %q", n, r.text())
	}
	slow := machine{40e-9, 10e-3} // 5 Hz at full resolution
	slow.watch(&r, large, 10, 0.2)
	if hz := 1 / (slow.rest + slow.perPixel*large*r.part()*r.part()); hz < slowDisplay || r.text() == "" {
		t.Errorf("after ten seconds %g Hz at %g, %q", hz, r.part(), r.text())
	}
	if n := slow.watch(&r, large, 600, 0.2); n > 30 {
		t.Errorf("the resolution flutters: %d changes in ten minutes", n)
	}
	quick := machine{1e-9, 5e-3}
	if quick.watch(&r, large, 300, 0.2); r.part() != 1 {
		t.Errorf("a display that is quick again stays at %g", r.part())
	}
	// something else is slow: fewer pixels would only be ugly
	if n := (machine{1e-9, 0.2}).watch(&r, small, 60, 0.2); n != 0 {
		t.Errorf("a small window was drawn at %g", r.part())
	}
	// one long frame, as when a scene opens, says nothing
	r = resolution{}
	for range 100 {
		r.step(0.5, large)
		for range 40 {
			r.step(1.0/60, large)
		}
	}
	if r.level != 0 {
		t.Errorf("hiccups lower the resolution to %g", r.part())
	}
}
