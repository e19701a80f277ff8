package probing

import (
	"testing"

	"hapco/physics"
	"hapco/physics/machinery/testkit"
	"hapco/physics/worlds/finitestrain"
	"hapco/physics/worlds/tissue"
)

// The free arm of a loop that is pressed down comes to rest on the other arm: it does not
// pass through it, and stands as it was once the hand is gone.
func TestNonlinearTouchesItself(t *testing.T) {
	if testkit.Race {
		t.Skip("slow")
	}
	s, err := finitestrain.Read("loop", []byte(`
kind = "finite-strain"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[body]
mesh = "asset:loop.msh"
E = 45
nu = 0.4
clamp = "support"
[tool]
radius = 6
position = [22, 44, 2]
[equilibrium]
deadline = 0
`))
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := s.Open(t.Context(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	g := &anyGround{w: w, start: w.Info().Start}
	bodies := g.Bodies()
	checker := newChecker(bodies, []bool{false, true})
	var at tissue.Snapshot
	inside := func() float64 {
		g.Snapshot(&at)
		for i := range at.Surfaces[0].Vertices { // the tool is another matter
			at.Surfaces[0].Vertices[i] = vec{1, 1, 1}
		}
		d := checker.Check(&at)
		return d.most()
	}
	rest := func() []vec { g.Snapshot(&at); return append([]vec(nil), at.Surfaces[1].Vertices...) }
	before := rest()
	target, deepest := g.start, 0.0
	move := func(way float64) {
		target.Position[1] += way
		for n := 0; n < 300 && !g.Step(target); n++ {
		}
	}
	depth := 30 // mm
	if testing.Short() {
		depth = 22
	}
	for k := range depth {
		if move(-1e-3); k%4 == 1 {
			deepest = max(deepest, inside())
		}
	}
	force, _ := g.Force()
	t.Logf("%.1f N, %.3f mm inside itself", force.Len(), 1e3*deepest)
	if deepest > 0.2e-3 || force.Len() < 1 {
		t.Errorf("pressed with %.2f N the loop is %.3f mm inside itself", force.Len(), 1e3*deepest)
	}
	for range depth + 10 {
		move(1e-3)
	}
	astray := 0.0
	for i, x := range rest() {
		astray = max(astray, x.Sub(before[i]).Len())
	}
	if !(astray < restSlack) {
		t.Errorf("%g m from rest", astray)
	}
}
