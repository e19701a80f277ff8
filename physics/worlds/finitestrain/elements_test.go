package finitestrain

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// A cantilever of few cells hangs down by its weight as Timoshenko's beam does, in the live program; one of linear
// tetrahedra does not.
func TestElementsBend(t *testing.T) {
	const length, side, young, density, g = 0.48, 0.03, 2e8, 1000, 9.81
	for _, c := range []struct {
		element     string
		cells       int
		nu          float64
		least, most float64 // of the beam's
	}{{"tet10", 2, 0.3, 0.95, 1.05}, {"tet10", 2, 0.49, 0.95, 1.05}, {"hex8", 3, 0.3, 0.95, 1.05}, {"hex8", 3, 0.49, 0.95, 1.05}, {"tet4", 3, 0.3, 0, 0.75}} {
		w := openWorld(t, "x.toml", fmt.Sprintf("kind = \"finite-strain\"\ngravity = %g\n[body]\nbox.size = [%g, %g, %g]\nbox.elements = [%d, %d, %d]\n"+
			"E = %g\nnu = %g\ndensity = %d\nclamp = \"left\"\nelement = %q\n[tool]\nradius = 0.02\nposition = [0, 0.2, 0]\n", g, length, side, side, 16*c.cells, c.cells, c.cells, young, c.nu, density, c.element))
		down, tip := 0.0, 0.0
		for n, x := range w.engine.body.Mesh.Nodes {
			if x[0] > length-1e-9 {
				down, tip = down+x[1]-w.engine.Shown.X[3*n+1], tip+1
			}
		}
		shear := 10 * (1 + c.nu) / (12 + 11*c.nu)
		beam := density * g * length * length * (1.5*length*length/(young*side*side) + (1+c.nu)/(shear*young))
		t.Logf("%s, %d cells, nu %g: %.4f of the beam's way", c.element, c.cells, c.nu, down/tip/beam)
		if got := down / tip / beam; got < c.least || got > c.most {
			t.Errorf("%s, %d cells, nu %g: the tip goes %.3f of the beam's way, want %g to %g", c.element, c.cells, c.nu, got, c.least, c.most)
		}
	}
}

// pressed opens a block of so many cells a side and presses it flat by 5 mm, so that it does not count how the cells follow the tool.
func pressed(t *testing.T, element string, cells int, nu float64) (w *world, force float64) {
	w = openWorld(t, "x.toml", fmt.Sprintf("kind = \"finite-strain\"\nfriction = 0\n[body]\nbox.size = [0.1, 0.05, 0.1]\nbox.elements = [%d, %d, %d]\nE = 5000\nnu = %g\nclamp = \"bottom\"\nelement = %q\n"+
		"[tool]\nkind = \"box\"\nsize = [0.2, 0.02, 0.2]\nradius = 0.001\nposition = [0.05, 0.061, 0.05]\n", cells, cells/2, cells, nu, element))
	r := w.reach(t, frame.At(w.info.Start.Position.Add(mgl64.Vec3{0, -0.006, 0})))
	return w, r.Force.Len()
}

// A block that hardly gives volume is pressed as hard as finer hexahedra say; linear tetrahedra lock. Steps allocate
// nothing.
func TestElementsDoNotLock(t *testing.T) {
	_, right := pressed(t, "hex8", 8, 0.49)
	for _, c := range []struct {
		element     string
		cells       int
		least, most float64
	}{{"hex8", 6, 0.93, 1.07}, {"tet10", 4, 0.93, 1.07}, {"tet4", 6, 1.25, 10}} {
		w, force := pressed(t, c.element, c.cells, 0.49)
		t.Logf("%s, %d cells: %.3f of the force, %d nodes", c.element, c.cells, force/right, len(w.engine.body.Mesh.Nodes))
		if got := force / right; !(got > c.least && got < c.most) {
			t.Errorf("%s, %d cells: %.3f of the force of finer hexahedra, want %g to %g", c.element, c.cells, got, c.least, c.most)
		}
		at, i := w.shown.tool, 0
		step := func() {
			p := at
			p.Position[0] += 1e-4 * float64(i%2)
			i++
			w.Step(physics.Input{Target: p})
		}
		w.engine.Options.Refresh = false
		for range 30 {
			step()
		}
		if n := testing.AllocsPerRun(20, step); n > 0 {
			t.Errorf("%s: %g allocations a step", c.element, n)
		}
		if math.IsNaN(force) {
			t.Error("no force")
		}
	}
}
