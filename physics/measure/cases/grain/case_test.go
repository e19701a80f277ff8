package grain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
	"hapco/physics/measure/verify"
	"hapco/physics/measure/verify/verifytest"
	"hapco/physics/worlds/grain"
)

// Every reference case passes, and what is expected has no influence on the results.
func TestCases(t *testing.T) {
	if testkit.Race {
		t.Skip("TestThreadsAgree covers what several threads share")
	}
	verifytest.Run(t, "testdata/*.json.gz", 26)
}

// The closed forms that belong to the cases: terminal speeds, the period of an
// oscillation, who bounces and who passes through.
func TestClosedForms(t *testing.T) {
	for name, want := range map[string]float64{"03_fall_air_linear": 0.0327, "04_fall_air_quadratic": 6.343985643596134, "06_throw_water_quadratic": 1.2055427546683417} {
		c, in := loadMotion(t, name)
		w := newWorld(t, c)
		w.Step(in.Steps)
		if v := w.Velocity(0).Len(); math.Abs(v-want) > 5e-3*want {
			t.Errorf("%s: falls at %g m/s in the end, want %g", name, v, want)
		}
		g := c.Grains[0]
		if v := c.Fluid.TerminalSpeed(g.Radius, g.Density, 9.81); math.Abs(v-want) > 1e-12*want {
			t.Errorf("%s: terminal speed %g m/s, want %g", name, v, want)
		}
	}

	// The scheme's own frequency at small amplitude: sin(omega' dt/2) = omega dt/2.
	c, _ := loadMotion(t, "07_two_body_small_oscillation")
	c.Step *= 10
	w := newWorld(t, c)
	m := w.Mass(0)
	omega := math.Sqrt(2 * c.Interaction.Stiffness() / m)
	period := math.Pi * c.Step / math.Asin(omega*c.Step/2)
	rest := c.Interaction.Equilibrium()
	crossings, first, last, before := 0, 0.0, 0.0, 0.0
	for w.Time() < 60*period {
		w.Step(1)
		e := w.Position(1).Sub(w.Position(0)).Len() - rest
		if before < 0 && e >= 0 {
			last = w.Time() - c.Step*e/(e-before)
			if crossings == 0 {
				first = last
			}
			crossings++
		}
		before = e
	}
	if got := (last - first) / float64(crossings-1); math.Abs(got-period) > 1e-4*period {
		t.Errorf("period %g s, want %g", got, period)
	}

	for share, passes := range map[float64]bool{0.99: false, 1.01: true} {
		c := grain.Config{Step: 2e-6, Interaction: grain.Interaction{Sigma: 0.0178, Epsilon: 1e-3}, Grains: []grain.Grain{
			{Radius: 0.01, Density: 300, Position: mgl64.Vec3{-0.02, 0, 0}}, {Radius: 0.01, Density: 300, Position: mgl64.Vec3{0.02, 0, 0}}}}
		m := 4.0 / 3 * math.Pi * 1e-6 * 300
		v := math.Sqrt(share * c.Interaction.Barrier() / m) // each half of the energy
		c.Grains[0].Velocity, c.Grains[1].Velocity = mgl64.Vec3{v, 0, 0}, mgl64.Vec3{-v, 0, 0}
		for core, want := range map[grain.Core]bool{grain.BoundedCore: passes, grain.HardCore: false} {
			c.Interaction.Core = core
			w := newWorld(t, c)
			warned := false
			for range 200 {
				w.Step(100)
				warned = warned || w.Report().Near > 0
			}
			if got := w.Position(0)[0] > w.Position(1)[0]; got != want {
				t.Errorf("%g of the barrier, core %d: passes %t", share, core, got)
			}
			if core == grain.BoundedCore && !warned {
				t.Errorf("%g of the barrier: no warning", share)
			}
		}
	}
}

func loadMotion(t testing.TB, name string) (grain.Config, motionInput) {
	t.Helper()
	c, err := verify.Load("testdata/" + name + ".json.gz")
	if err != nil {
		t.Fatal(err)
	}
	var in motionInput
	if err := c.Input.Decode(&in); err != nil {
		t.Fatal(err)
	}
	return in.config(), in
}

func newWorld(t testing.TB, c grain.Config) *grain.World {
	t.Helper()
	w, err := grain.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}
