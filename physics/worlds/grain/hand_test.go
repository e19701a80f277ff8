package grain

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/bench"
	"hapco/haptics/servo"
	"hapco/haptics/virtual"
	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
)

// underHand is a world that a simulated hand presses on: y = 0 is where the tool touches
// the heap.
type underHand struct {
	l     *live
	touch mgl64.Vec3
	dt    float64 // that each step of physics advances, s
	stiff float64 // largest stiffness of the field, N/m
}

func (u *underHand) Step(stylus, _ frame.Pose, m *local.Model) {
	stylus.Position = stylus.Position.Add(u.touch)
	u.l.Step(physics.Input{Target: stylus, Dt: u.dt})
	u.l.Local(m)
	m.Origin = m.Origin.Sub(u.touch)
	u.stiff = math.Max(u.stiff, m.Field.K[7])
}

// A hand that presses a ball into grains and holds still gets no energy out of them and
// feels no oscillation, at every rate of physics, also where 10 000 grains run slower than
// time because a step takes long.
func TestGrainsAreStableUnderTheHand(t *testing.T) {
	many := []string{"grain.radius=1 mm", "grain.epsilon=2 uJ", "step=0.2 ms", "container.size=[64, 60, 64]",
		"fill.low=[-29, 2.5, -29]", "fill.up=[29, 60, 29]", "grain.number=10000"}
	for _, c := range []struct {
		name, device, hand string
		hz, dt             float64
		set                []string
	}{
		{"400 grains in time", "touch", "grip", 300, 1.0 / 300, nil},
		{"400 grains in time, seldom", "desktop", "firm", 60, 1.0 / 60, nil},
		{"400 grains, slowly", "touch", "grip", 300, 4e-4, nil},
		{"10 000 grains", "touch", "grip", 300, 2e-4, many},
		{"10 000 grains, firmly", "desktop", "firm", 125, 4e-4, many},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.set != nil {
				testkit.Slow(t)
			}
			l := openScene(t, "packing", c.set...)
			for range 50 { // the heap comes to rest, or goes on falling slowly where it is large
				l.Step(physics.Input{Target: l.info.Start, Dt: min(10e-3, 2*c.dt)})
			}
			top := 0.0
			for i := range l.world.N() {
				top = math.Max(top, l.world.Position(i)[1])
			}
			u := &underHand{l: l, touch: mgl64.Vec3{0, top + l.scene.Tool.Radius + l.scene.sigma(), 0}, dt: c.dt}
			limits := virtual.Devices[c.device]
			h, settle, seconds := bench.Press(virtual.Hands[c.hand], 0.012, 0.02, 0)
			p := haptics.DefaultParams(limits, 1000)
			p.Coupling, p.Passivity, p.Ramp, p.Continuous = haptics.Virtual, true, 200*time.Millisecond, 0
			kernel := servo.NewKernel(1000, 4)
			defer kernel.Close()
			o, err := bench.Run(bench.Case{Rate: 1000, PhysicsHz: c.hz, Seconds: seconds, Settle: settle, Params: p,
				Device: virtual.Config{Limits: limits, Hand: h, Start: frame.At(mgl64.Vec3{0, 0.012, 0}), Seed: 1}}, kernel, u)
			if err != nil {
				t.Fatal(err)
			}
			if !o.Finite || o.Energy > 1e-3 || o.Shake > 5e-3 {
				t.Errorf("finite %v, %g J came out, shakes at %g m/s", o.Finite, o.Energy, o.Shake)
			}
			if o.Peak < 0.02 || u.stiff < 1 {
				t.Errorf("the hand felt at most %g N, the field had at most %g N/m", o.Peak, u.stiff)
			}
			r := l.world.Report()
			t.Logf("%d steps, %d listings", l.world.clock.steps, r.Listings)
			t.Logf("energy out %.2g J, shake %.2g m/s, jitter %.2g N, peak %.3g N, stiffness %.3g N/m, %d grains", o.Energy, o.Shake, o.Jitter, o.Peak, u.stiff, l.world.N())
		})
	}
}

// A tool that is clear of everything has no field: so the haptic loop knows that nothing is touched.
func TestNothingTouchedIsNoField(t *testing.T) {
	l := openScene(t, "packing")
	var m local.Model
	local.Make(&m, 0)
	for _, touched := range []bool{true, false} {
		to := l.info.Start // above the heap
		to.Position[1] += 0.03
		if touched {
			to.Position[1] -= 0.05
		}
		for range 200 {
			l.Step(physics.Input{Target: to, Dt: 1e-3})
			l.Local(&m)
		}
		if on := m.N > 0 || m.Field.On; on != touched {
			t.Errorf("touched: %v, field: %v of %v N", touched, m.Field.On, m.Field.Force)
		}
	}
}
