package rigid

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
)

// underHand is a world that a simulated hand acts on: the hand's origin is at touch.
type underHand struct {
	l           *live
	touch       mgl64.Vec3
	dt          float64
	slow        float64 // that the hand's time goes faster by than the world's
	catch, free float64 // times at which the hand catches what is near, and lets it fly, s; 0: never
	held        bool    // something was caught
	thrown      float64 // speed of what was caught, once it flies, m/s
	body        *Body
	t           float64
}

func (u *underHand) Step(stylus, _ frame.Pose, m *local.Model) {
	u.t += u.dt * u.slow
	on := u.catch > 0 && u.t >= u.catch && !(u.free > 0 && u.t >= u.free)
	if on != u.l.now.Catch {
		keys := u.l.Keys()
		value := 0.0
		if on {
			value = 1
		} else if u.body != nil {
			u.thrown = u.body.V.Len()
		}
		if err := keys[physics.Place(keys, "hand.catch")].Set(value); err != nil {
			panic(err)
		}
	}
	stylus.Position = stylus.Position.Add(u.touch)
	u.l.Step(physics.Input{Target: stylus, Dt: u.dt})
	if b := u.l.world.hands[0].held; b != nil {
		u.held, u.body = true, b
	}
	u.l.Local(m)
	m.Origin = m.Origin.Sub(u.touch)
}

const bar = `kind = "rigid"
floor = true
friction = 0.4
[tool]
position = [0, 0.08, 0]
[[body]]
name = "bar"
form = "bar"
size = [0.3, 0.01, 0.02]
density = 7800
modes = 4
position = [0, 0.005, 0]
`

// A hand that presses bodies to the floor, a stack, or a bar that rings, that catches a
// brick and swings it, or throws it, gets no energy out of them, and where it holds still
// it feels no oscillation: at both rates of the servo, with physics in time, and with
// physics that answers every 4 ms and runs slowly.
func TestRigidIsStableUnderTheHand(t *testing.T) {
	n := -1
	for _, c := range []struct {
		name, text   string
		top          float64 // of what is pressed, m
		device, hand string
		catch, free  float64
		drag         float64
	}{
		{"brick", pressed, 0.02, "touch", "grip", 0, 0, 0},
		{"brick, firmly", pressed, 0.02, "desktop", "firm", 0, 0, 0},
		{"brick, dragged", pressed, 0.02, "touch", "grip", 0, 0, 0.02},
		{"stack", stack, 0.2, "touch", "grip", 0, 0, 0},
		{"bar that rings", bar, 0.01, "touch", "grip", 0, 0, 0},
		{"caught", pressed, 0.02, "touch", "grip", 0.2, 0, 0.05},
		{"thrown", pressed, 0.02, "desktop", "grip", 0.2, 3.3, 0.15},
	} {
		for _, rate := range []float64{1000, 4000} {
			for _, hz := range []float64{1000, 250} { // where steps take long, time runs slowly
				if n++; testing.Short() && n/4%4 != n%4 { // of each case one of the four, another each time
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					l := openLive(t, "x.toml", c.text, "tool.position=[0.15, 0.3, 0]")
					u := &underHand{l: l, touch: mgl64.Vec3{0, c.top + 8e-3, 0}, dt: 1e-3, slow: 1e3 / hz, catch: c.catch, free: c.free}
					if c.text == stack {
						u.touch[0] = 0.15 // on a brick of the last row
					}
					limits := virtual.Devices[c.device]
					h, settle, seconds := bench.Press(virtual.Hands[c.hand], 0.012, 0.01, c.drag)
					if c.catch > 0 { // up with it instead, to and fro, and down
						up := 0.04
						h.Path = []virtual.Point{{Time: 1, Position: mgl64.Vec3{0, 0.012, 0}}, {Time: 1.6, Position: mgl64.Vec3{0, up, 0}},
							{Time: 3, Position: mgl64.Vec3{0, up, 0}}, {Time: 3.5, Position: mgl64.Vec3{c.drag, up, 0}}, {Time: 4.4, Position: mgl64.Vec3{0, up, 0}}}
						settle, seconds = [2]float64{2, 3}, 5
					}
					p := haptics.DefaultParams(limits, rate)
					p.Coupling, p.Passivity, p.Ramp, p.Continuous = haptics.Virtual, true, 200*time.Millisecond, 0
					kernel := servo.NewKernel(rate, 16)
					defer kernel.Close()
					o, err := bench.Run(bench.Case{Rate: rate, PhysicsHz: hz, Seconds: seconds, Settle: settle, Params: p,
						Device: virtual.Config{Limits: limits, Hand: h, Start: frame.At(mgl64.Vec3{0, 0.012, 0}), Seed: 1}}, kernel, u)
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("servo %g Hz, physics %g Hz: energy out %.2g J, shake %.2g m/s, jitter %.2g N, peak %.3g N, thrown at %.2g m/s", rate, hz, o.Energy, o.Shake, o.Jitter, o.Peak, u.thrown)
					limit := 1e-3
					if hz < 1000 { // forces are held for longer than the world's step
						limit = 2e-3
					}
					if !o.Finite || o.Energy > limit || o.Shake > 5e-3 {
						t.Errorf("finite %v, %g J came out, shakes at %g m/s", o.Finite, o.Energy, o.Shake)
					}
					if o.Peak < 0.1 || u.held != (c.catch > 0) || c.free > 0 && !(u.thrown > 0.05) {
						t.Errorf("felt at most %g N, caught %v, thrown at %g m/s", o.Peak, u.held, u.thrown)
					}
					if math.IsNaN(l.driven[0].force[0]) || l.word != "" {
						t.Errorf("%v %s", l.driven[0].force, l.word)
					}
				})
			}
		}
	}
}
