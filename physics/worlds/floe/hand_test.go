package floe

import (
	"fmt"
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

// underHand is a world that a simulated hand presses on, towards +x.
type underHand struct {
	l  *live
	at mgl64.Vec3 // of the stylus where the hand's x is 0
	dt float64    // that each step of physics advances, s
}

func (u *underHand) Step(stylus, _ frame.Pose, m *local.Model) {
	stylus.Position = stylus.Position.Add(u.at)
	stepped(u.l, physics.Input{Target: stylus, Hand: stylus, Dt: u.dt})
	u.l.Local(m)
	m.Origin = m.Origin.Sub(u.at)
}

// jam is a basin full of ice with a tool in the free water at its left end.
const jam = `kind = "floe"
pace = 2
friction = 0.4
window = 0.0667
[field]
number = 60
low = [0, -20]
high = [60, 20]
cover = 0.95
exponent = 1.5
spread = 3
[[bank]]
low = [-30, -20.2]
high = [60.2, 20.2]
[tool]
shape = "%s"
length = %g
width = 6
position = [%g, 0]
mass = 1e5
stiffness = 4e6
hand = %g
speed = 20
`

// A hand that pushes a disc or a bow into jammed ice and holds still gets no energy out
// of it and feels no oscillation, whatever the rate of physics, whether or not a step
// comes at the pace of the windows, and up to the stiffness that the device bears.
func TestJammedIceIsStableUnderTheHand(t *testing.T) {
	for _, tool := range []struct {
		shape        string
		length, from float64
	}{{"disc", 8, -5}, {"ship", 20, -11}} {
		for _, hz := range []float64{125, 300, 1000} {
			for _, c := range []struct {
				device, hand string
				stiff        float64
			}{{"touch", "grip", 200}, {"desktop", "firm", 800}} {
				few := tool.shape == "disc" && hz == 1000 && c.hand == "firm" || tool.shape == "ship" && hz == 125 && c.hand == "grip"
				t.Run(fmt.Sprintf("%s, %s at %g Hz", tool.shape, c.hand, hz), func(t *testing.T) {
					t.Parallel()
					if !few {
						testkit.Slow(t)
					}
					l := openFile(t, "x.toml", fmt.Appendf(nil, jam, tool.shape, tool.length, tool.from, c.stiff))
					u := &underHand{l: l, at: l.info.Start.Position, dt: 1 / hz}
					limits := virtual.Devices[c.device]
					h, settle, seconds := bench.Press(virtual.Hands[c.hand], 0.01, 0.02, 0)
					for i, p := range h.Path { // towards the ice, 2 cm at 1 : 500, and back
						h.Path[i].Position = mgl64.Vec3{-p.Position[1], 0, 0}
					}
					p := haptics.DefaultParams(limits, 1000)
					p.Coupling, p.Passivity, p.Ramp, p.Continuous = haptics.Virtual, true, 200*time.Millisecond, 0
					kernel := servo.NewKernel(1000, 4)
					defer kernel.Close()
					o, err := bench.Run(bench.Case{Rate: 1000, PhysicsHz: hz, Seconds: seconds, Settle: settle, Params: p,
						Device: virtual.Config{Limits: limits, Hand: h, Start: frame.At(mgl64.Vec3{-0.01, 0, 0}), Seed: 1}}, kernel, u)
					if err != nil {
						t.Fatal(err)
					}
					if l.world.err != nil || !o.Finite || o.Energy > 1e-3 || o.Shake > 5e-3 {
						t.Errorf("%v, finite %v, %g J came out, shakes at %g m/s", l.world.err, o.Finite, o.Energy, o.Shake)
					}
					if o.Peak < 0.3 {
						t.Errorf("the hand felt at most %g N", o.Peak)
					}
					t.Logf("energy out %.2g J, shake %.2g m/s, jitter %.2g N, peak %.3g N, slew %.3g N/s; %+v", o.Energy, o.Shake, o.Jitter, o.Peak, o.Steepest, l.world.Report())
				})
			}
		}
	}
}

// In free water the hand feels nothing, however it moves the tool: its inertia is not that
// of ice. From the first blow on it feels a field, and once the ice is gone none again.
func TestFreeWaterIsNotFelt(t *testing.T) {
	for _, window := range []string{"0.05", "0"} {
		l := openFile(t, "x.toml", []byte("kind = \"floe\"\nwindow = "+window+"\n[[floe]]\nradius = 2\nposition = [20, 0]\n[tool]\nposition = [-10, 0]\nmass = 1e5\n"))
		var m local.Model
		local.Make(&m, 1)
		pose := l.info.Start
		press := func(x, y float64) (most float64) {
			for i := range 600 {
				pose.Position = l.onTable(Vec2{-10 + x*float64(i)/600, y * math.Sin(0.1*float64(i))}, 0)
				stepped(l, physics.Input{Target: pose, Dt: 0.01})
				l.Local(&m)
				most = max(most, mgl64.Vec3(m.Field.Force[:3]).Len())
			}
			return most
		}
		if f := press(8, 6); f != 0 || m.Field.On {
			t.Errorf("window %s: free water is felt as %g N, field %v", window, f, m.Field.On)
		}
		if f := press(38, 0); !(f > 0.01) {
			t.Errorf("window %s: the floe is felt as %g N", window, f)
		}
		for range 1000 { // the floe drifts off
			stepped(l, physics.Input{Target: l.info.Start, Dt: 0.01})
		}
		if l.Local(&m); m.Field.On {
			t.Errorf("window %s: free water is felt again as %v N", window, m.Field.Force)
		}
	}
}

// Lifted, the tool goes over floes and touches none; put down on one it lies there, and
// the hand feels that; beside it it is back in the water. Turned by the stylus it turns.
func TestToolLiftsAndTurns(t *testing.T) {
	l := openFile(t, "x.toml", []byte("kind = \"floe\"\nwindow = 0.05\n[[floe]]\nradius = 5\nposition = [10, 0]\n[tool]\nposition = [-10, 0]\n"))
	var m local.Model
	local.Make(&m, 1)
	pose := l.info.Start
	hold := func(x, height float64, steps int) (f physics.Report) {
		pose.Position = l.onTable(Vec2{x, 0}, height)
		for range steps {
			f = stepped(l, physics.Input{Target: pose, Dt: 0.01})
		}
		l.Local(&m)
		return f
	}
	hold(-10, 0.04, 10)
	if hold(10, 0.04, 400); m.Field.On || l.world.Report().Collisions != 0 {
		t.Errorf("lifted, the tool touches: %+v", l.world.Report())
	}
	if tool, _ := l.world.tool(); math.Abs(tool.Position[0]-10) > 0.3 {
		t.Errorf("lifted, the tool is at %v", tool.Position)
	}
	f := hold(10, 0.01, 20)
	if want := l.now.Tool.Hand * (0.75*0.03 - 0.01); math.Abs(f.Force[1]-want) > 1e-9 || m.Field.K[7] != l.now.Tool.Hand || m.Field.Force[1] != f.Force[1] || l.world.Report().Collisions != 0 {
		t.Errorf("on the floe the hand feels %v, want %g N upwards; %+v", f.Force, want, l.world.Report())
	}
	hold(20, 0.01, 400)
	if m.Field.On || l.world.hand.up {
		t.Error("beside the floe the tool is still up")
	}
	if hold(10, 0, 300); l.world.Report().Collisions == 0 {
		t.Error("in the water the tool goes through the floe")
	}
	pose.Rotation = mgl64.QuatRotate(0.5, mgl64.Vec3{0, 1, 0})
	hold(20, 0, 500)
	if tool, _ := l.world.tool(); math.Abs(tool.Angle-0.5) > 0.02 {
		t.Errorf("the stylus is turned by 0.5, the tool by %g", tool.Angle)
	}
}

// A tool that is lifted off the water, from ice that it was pressed into, is held by nothing.
func TestLiftedToolIsHeldByNothing(t *testing.T) {
	l := openFile(t, "x.toml", fmt.Appendf(nil, jam, "disc", 8.0, -5.0, 200.0))
	at := l.info.Start
	var m local.Model
	local.Make(&m, 1)
	felt := 0.0
	for i := range 200 {
		at.Position[0] += 2e-4
		if i >= 150 {
			at.Position[1] = 2 * l.now.Tool.Lift
		}
		l.Step(physics.Input{Target: at, Hand: at, Dt: l.OwnStep()})
		l.Local(&m)
		if l.world.hand.up && m.Field.On {
			t.Fatalf("step %d: lifted, and held by %v N/m", i, m.Field.K[0])
		}
		felt = max(felt, mgl64.Vec3(m.Field.Force[:3]).Len())
	}
	if !l.world.hand.up || !(felt > 0.01) {
		t.Errorf("up %t, felt %g N", l.world.hand.up, felt)
	}
}

// A hand that rises from the water feels nothing until the tool has come off it: what is felt is of one pose,
// not of the tool in the air and the hand where it was in the window before.
func TestRisingFeelsNothing(t *testing.T) {
	l := openFile(t, "x.toml", []byte("kind = \"floe\"\nwindow = 0.05\n[[floe]]\nradius = 5\nposition = [40, 0]\n[tool]\nposition = [-10, 0]\n"))
	low, high := l.info.Start, l.info.Start
	high.Position[1] = 3 * l.now.Tool.Lift
	own := l.OwnStep()
	for range 5 {
		l.Step(physics.Input{Target: low, Dt: own})
	}
	for _, dt := range []float64{own / 4, own} { // between two windows, and with one
		if r := l.Step(physics.Input{Target: high, Dt: dt}); r.Force != (mgl64.Vec3{}) {
			t.Errorf("a hand that has risen feels %v N after %.2g of a window", r.Force, dt/own)
		}
	}
	if !l.world.hand.up {
		t.Error("the tool is still in the water")
	}
}
