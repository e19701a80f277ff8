package grain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// A step that an obstacle bars keeps Sums.Modified but for what the fluid takes: of grains that bounce, that slide
// along a bowl and a wall, that are pressed into a wedge and into a corner, and that are caught between surfaces, with
// a core that nearly does nothing.
func TestBarredStepsKeepTheEnergy(t *testing.T) {
	floor := &Rectangle{Origin: mgl64.Vec3{-10, 0, -10}, Normal: mgl64.Vec3{0, 1, 0}, Along: mgl64.Vec3{0, 0, 1}, Length: 20, Width: 20}
	side := &Rectangle{Origin: mgl64.Vec3{0, -10, -10}, Normal: mgl64.Vec3{1, 0, 0}, Along: mgl64.Vec3{0, 1, 0}, Length: 20, Width: 20}
	slope := &Plane{Normal: mgl64.Vec3{3, 4, 0}.Mul(1. / 5)}
	bowl := &Bowl{Opening: mgl64.Vec3{0, 1, 0}, Radius: 6}
	for _, c := range []struct {
		name      string
		obstacles []Shape
		at, v     mgl64.Vec3
		goes      float64 // at least, m
	}{
		{"falls", []Shape{floor}, mgl64.Vec3{0, 2, 0}, mgl64.Vec3{1, 0, 0}, 5},
		{"slides", []Shape{floor}, mgl64.Vec3{0, 1e-3, 0}, mgl64.Vec3{1, 0, 0}, 4.9},
		{"bowl", []Shape{bowl}, mgl64.Vec3{5.8, -0.1, 0}, mgl64.Vec3{0, 0, 2}, 20},
		{"bowl, low", []Shape{bowl}, mgl64.Vec3{0, -5.999, 0}, mgl64.Vec3{1, 0, 0.3}, 3},
		{"wedge", []Shape{slope, side}, mgl64.Vec3{0.3, 1, 0}, mgl64.Vec3{0, -3, 1}, 5},
		{"corner", []Shape{floor, side}, mgl64.Vec3{0.3, 1, 0}, mgl64.Vec3{-1, -3, 1}, 5},
		{"between", []Shape{bowl, &Ball{Center: mgl64.Vec3{0, 0.1, 0}, Radius: 6}}, mgl64.Vec3{0.1, -5.95, 0}, mgl64.Vec3{1, -1, 0}, 0.1},
	} {
		for _, fluid := range []Fluid{{}, {Density: 0.1, Viscosity: 1e-3}} {
			w, err := Overlapping(Config{Step: 1e-3, Gravity: mgl64.Vec3{0, -10, 0}, Interaction: Interaction{Sigma: 1, Epsilon: 1e-12}, Fluid: fluid,
				Obstacles: c.obstacles, Solid: true, Grains: []Grain{{Radius: 0.5, Density: 1, Position: c.at, Velocity: c.v}}})
			if err != nil {
				t.Fatal(err)
			}
			start, gone := w.Sums().Modified, 0.0
			for range 5000 {
				was := w.Position(0)
				w.Step(1)
				gone += w.Position(0).Sub(was).Len()
			}
			end, heat := w.Sums().Modified, w.Dissipated()
			if most := 1e-9 * (math.Abs(start) + heat + w.Mass(0)*10*6); math.Abs(end+heat-start) > most {
				t.Errorf("%s: the energy goes from %g J to %g J, the fluid takes %g J", c.name, start, end, heat)
			}
			if gone < c.goes && fluid == (Fluid{}) {
				t.Errorf("%s: it goes %.3g m, not %g", c.name, gone, c.goes)
			}
			w.Close()
		}
	}
}

// Grains that hardly push, whose stable step is long, do not fall through a floor in a step, and the spring that holds
// one becomes as faint as they are.
func TestFaintGrainsStay(t *testing.T) {
	l := openScene(t, "hourglass")
	pose, held := l.pose, physics.Grasp{Number: 1, At: l.world.Position(0)}
	at := func() physics.Input { return physics.Input{Dt: 0.05, Target: pose, Grasp: held} }
	l.Account(true)
	pose.Position[1] += 0.03
	for _, epsilon := range []float64{l.now.Epsilon, 1e-12} {
		l.now.Epsilon = epsilon
		if err := l.world.Change(l.now.config()); err != nil {
			t.Fatal(err)
		}
		for range 40 {
			l.Step(at())
			for _, e := range l.Account(true) {
				if x, ok := e.Value.(int); e.Name == physics.Escaped && ok && x > 0 {
					t.Fatalf("epsilon %g J: %d grains have gone through a wall", epsilon, x)
				}
			}
			if k, want := l.world.grip.k, l.world.model.Stiffness()/softer; k != want {
				t.Fatalf("epsilon %g J: a grain is held by %g N/m, want %g", epsilon, k, want)
			}
		}
	}
}

// A drag stops a grain and does not drive it, however fast the grain and long the step.
func TestDragNeverDrives(t *testing.T) {
	for _, drag := range []Drag{StokesNewton, SchillerNaumann} {
		var grains []Grain
		for i := range 9 {
			grains = append(grains, Grain{Radius: 0.5, Density: 1, Position: mgl64.Vec3{10 * float64(i), 0, 0}, Velocity: mgl64.Vec3{0, math.Pow(10, float64(i)), 0}})
		}
		w, err := New(Config{Step: 1e-2, Interaction: Interaction{Sigma: 1, Epsilon: 1}, Fluid: Fluid{Density: 1e3, Viscosity: 1e-3}, Drag: drag, Grains: grains})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			before, heat := w.Sums().Kinetic, w.Dissipated()
			w.Step(1)
			if took := w.Dissipated() - heat; took < 0 || math.Abs(before-w.Sums().Kinetic-took) > 1e-9*before+1e-15*heat {
				t.Fatalf("drag %d: the fluid takes %g J, the kinetic energy goes from %g to %g J", drag, took, before, w.Sums().Kinetic)
			}
		}
		w.Close()
	}
}
