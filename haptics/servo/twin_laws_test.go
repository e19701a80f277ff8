package servo

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// testParams act at once and never fade, so that a test sees the force itself.
func testParams() haptics.Params {
	l := haptics.DefaultLimits()
	l.SlewRate = 1e6
	p := haptics.DefaultParams(l, rate)
	p.MaxForce, p.Continuous = 100, 0
	p.Ramp = 10 * time.Millisecond
	p.Budget, p.Sweeps = 0, 200
	p.Passivity = false
	return p
}

// Direct coupling renders the wall's own stiffness at the tick's pose, though
// the model was made at another.
func TestDirectForceIsThatOfThePose(t *testing.T) {
	k := newTwin(rate, 0)
	w := newWall(100, 0.3, 1, 20, 0)
	p := testParams()
	p.Coupling = haptics.Direct
	var rec haptics.Record
	for i := range 500 {
		pose := frame.At(mgl64.Vec3{0, 0.02 - 1e-4*float64(i), 0})
		m, fresh := w.step(pose)
		in := haptics.Input{State: haptics.State{Pose: pose}}
		k.Tick(&in, m, fresh, &p, &rec)
		if i < 50 {
			continue
		}
		want := math.Max(0, -4*100*pose.Position.Y())
		if math.Abs(rec.Raw[1]-want) > 1e-9 {
			t.Fatalf("tick %d: %g N, want %g", i, rec.Raw[1], want)
		}
	}
}

// The virtual coupling is a spring in series with the tissue.
func TestVirtualCouplingIsInSeries(t *testing.T) {
	for _, K := range []float64{1, 50, 1e4, 1e7} {
		k := newTwin(rate, 0)
		w := newWall(K/4, 0.3, 0.002, 1, 0)
		p := testParams()
		p.Coupling, p.Stiffness, p.Damping = haptics.Virtual, 200, 1
		p.Tolerance = 1e-12
		var rec haptics.Record
		tool := frame.At(mgl64.Vec3{0, 0.01, 0})
		for i := range 3000 {
			y := math.Max(-0.005, 0.01-1e-4*float64(i))
			in := haptics.Input{State: still(mgl64.Vec3{0, y, 0})}
			m, fresh := w.step(tool)
			k.Tick(&in, m, fresh, &p, &rec)
			tool = k.Tool(in.Pose)
		}
		series := 200 * K / (200 + K)
		if want := series * 0.005; math.Abs(rec.Force[1]-want) > 1e-6*want {
			t.Errorf("K %g: %g N, want %g", K, rec.Force[1], want)
		}
		if want := -series * 0.005 / K; math.Abs(tool.Position.Y()-want) > 1e-9 {
			t.Errorf("K %g: stylus at %g, want %g", K, tool.Position.Y(), want)
		}
	}
}

// A tool that stiff bodies wedge from both sides with 18 GN each is held by them, and the hand feels its spring.
func TestAWedgedToolIsFelt(t *testing.T) {
	const wedge, soft = 1.8e10, 2e-14 // N, m/N
	var m local.Model
	local.Make(&m, 2)
	m.SetN(0)
	m.Rotation = mgl64.QuatIdent()
	c, g, p := NewKernel(rate, 2), newTwin(rate, 2), testParams()
	defer c.Close()
	p.Coupling, p.Stiffness, p.Damping = haptics.Virtual, 400, 1
	var rec, twin haptics.Record
	for i := range 3000 {
		if i == 50 {
			m.Sequence++
			m.SetN(2)
			clear(m.W)
			for i, up := range []float64{1, -1} {
				m.Arm[i], m.Mu[i] = mgl64.Vec3{0, -0.005 * up, 0}, 0.3
				m.Frame[i] = [3]mgl64.Vec3{{0, up, 0}, {up, 0, 0}, {0, 0, 1}}
				m.R[3*i], m.R[3*i+1], m.R[3*i+2] = wedge, 0, 0
				m.Free[3*i], m.Free[3*i+1], m.Free[3*i+2] = -soft*wedge, 0, 0
				for d := range 3 {
					m.W[(3*i+d)*6+3*i+d] = soft
				}
			}
			m.FillRigid()
		}
		in := haptics.Input{State: still(mgl64.Vec3{0, math.Min(1e-3, math.Max(0, float64(i)-100)*1e-6), 0})}
		c.Tick(&in, &m, i%10 == 0, &p, &rec)
		g.Tick(&in, &m, i%10 == 0, &p, &twin)
		sameRecord(t, i, &rec, &twin)
		if rec.Flags&haptics.BadModel != 0 {
			t.Fatalf("tick %d: the force was dropped", i)
		}
	}
	if math.Abs(rec.Force[1]+0.4) > 1e-4 {
		t.Errorf("the hand feels %g N, and its spring is 1 mm of 400 N/m", rec.Force[1])
	}
}

// Sliding obeys Coulomb: dragging past the cone gives mu times the normal force.
func TestFrictionOfTheTick(t *testing.T) {
	k := newTwin(rate, 0)
	w := newWall(250, 0.3, 1, 5, 0)
	p := testParams()
	p.Coupling = haptics.Direct
	var rec haptics.Record
	for i := range 400 {
		pose := frame.At(mgl64.Vec3{math.Max(0, float64(i-200)) * 5e-5, math.Max(-0.002, 0.01-1e-4*float64(i)), 0})
		m, fresh := w.step(pose)
		in := haptics.Input{State: haptics.State{Pose: pose}}
		k.Tick(&in, m, fresh, &p, &rec)
	}
	if math.Abs(rec.Raw[1]-2) > 1e-9 || math.Abs(rec.Raw[0]+0.6) > 1e-9 {
		t.Errorf("force %v, want (-0.6, 2, 0)", rec.Raw)
	}
}

// The limits of section 4.4.2 and figure 4.21: reducer first, then saturation.
func TestReducerAndMaxForce(t *testing.T) {
	press := func(change func(*haptics.Params)) haptics.Record {
		k := newTwin(rate, 0)
		w := newWall(250, 0.3, 1, 1, 0)
		p := testParams()
		p.Coupling = haptics.Direct
		change(&p)
		var rec haptics.Record
		for i := range 400 {
			in := haptics.Input{State: still(mgl64.Vec3{0, math.Max(-0.004, 0.01-1e-4*float64(i)), 0})}
			m, fresh := w.step(in.Pose)
			k.Tick(&in, m, fresh, &p, &rec)
		}
		return rec
	}
	if r := press(func(p *haptics.Params) { p.Reducer = 0.25 }); math.Abs(r.Force[1]-1) > 1e-9 || math.Abs(r.Raw[1]-4) > 1e-9 {
		t.Errorf("reducer 0.25: sent %g raw %g, want 1 and 4", r.Force[1], r.Raw[1])
	}
	r := press(func(p *haptics.Params) { p.MaxForce = 3 })
	if math.Abs(r.Force[1]-3) > 1e-9 || r.Flags&haptics.Saturated == 0 {
		t.Errorf("max 3 N: sent %g, flags %v", r.Force[1], r.Flags)
	}
}

// Physics stalls for a second while the stylus presses: the force fades to
// nothing within 100 ms, never beyond slew, and is back after the ramp.
func TestStalledPhysics(t *testing.T) {
	k := newTwin(rate, 0)
	w := newWall(125, 0.3, 0.005, 2, 0)
	p := testParams()
	p.Slew, p.Ramp = 400, 200*time.Millisecond
	p.Stiffness, p.Damping = 300, 1
	var rec haptics.Record
	var last mgl64.Vec3
	tool := frame.At(mgl64.Vec3{0, 0.01, 0})
	at := map[int]float64{}
	for i := range 3000 {
		in := haptics.Input{State: still(mgl64.Vec3{0, math.Max(-0.01, 0.01-5e-5*float64(i)), 0})}
		m, fresh := &w.model, false
		if i < 1000 || i >= 2000 {
			m, fresh = w.step(tool)
		}
		k.Tick(&in, m, fresh, &p, &rec)
		tool = k.Tool(in.Pose)
		f := mgl64.Vec3(rec.Force)
		if d := f.Sub(last).Len(); d > 3*0.4+1e-12 {
			t.Fatalf("tick %d: force moved by %g N in a tick", i, d)
		}
		last = f
		at[i] = f.Len()
	}
	if at[999] < 1 || at[1110] != 0 || at[1999] != 0 || math.Abs(at[2999]-at[999]) > 1e-6 {
		t.Errorf("force before %g, 110 ms later %g, at the end of the stall %g, after it %g", at[999], at[1110], at[1999], at[2999])
	}
}

// A start inside the tissue gives no force until the stylus was free once.
func TestStartsOnlyInFreeSpace(t *testing.T) {
	k := newTwin(rate, 0)
	w := newWall(250, 0.3, 1, 1, 0)
	p := testParams()
	var rec haptics.Record
	tick := func(y float64) {
		in := haptics.Input{State: still(mgl64.Vec3{0, y, 0})}
		m, fresh := w.step(in.Pose)
		k.Tick(&in, m, fresh, &p, &rec)
	}
	for range 300 {
		tick(-0.002)
		if rec.Force != [3]float64{} {
			t.Fatal("force before the stylus was free")
		}
	}
	if rec.Flags&haptics.Waiting == 0 {
		t.Error("does not say that it waits")
	}
	for i := range 320 {
		tick(0.003 * math.Cos(float64(i)*0.01))
	}
	if rec.Force[1] <= 0 {
		t.Error("no force after the stylus was free")
	}
}

// NaN in pose, model or parameters of the model gives zero force at once.
func TestBadReadings(t *testing.T) {
	nan := math.NaN()
	k := newTwin(rate, 0)
	w := newWall(250, 0.3, 1, 1, 0)
	p := testParams()
	var rec haptics.Record
	press := func(n int) {
		for i := range n {
			in := haptics.Input{State: still(mgl64.Vec3{0, 0.001 - 0.004*math.Min(1, float64(i)/200), 0})}
			m, fresh := w.step(in.Pose)
			k.Tick(&in, m, fresh, &p, &rec)
		}
	}
	press(400)
	if rec.Force[1] <= 0 {
		t.Fatal("no force to begin with")
	}
	in := haptics.Input{State: still(mgl64.Vec3{0, nan, 0})}
	k.Tick(&in, &w.model, false, &p, &rec)
	if rec.Force != [3]float64{} || rec.Flags&haptics.BadInput == 0 {
		t.Errorf("NaN pose: %v, %v", rec.Force, rec.Flags)
	}
	press(400)
	if rec.Force[1] <= 0 {
		t.Error("no recovery after a bad pose")
	}
	w.model.Free[0], w.model.W[14] = nan, math.Inf(1)
	in = haptics.Input{State: still(mgl64.Vec3{0, -0.003, 0})}
	k.Tick(&in, &w.model, true, &p, &rec)
	for _, x := range rec.Force {
		if !(math.Abs(x) <= p.MaxForce) {
			t.Errorf("NaN model: %v", rec.Force)
		}
	}
	if rec.Flags&haptics.BadModel == 0 {
		t.Errorf("NaN model not noticed: %v", rec.Flags)
	}
}

// The long-term limit brings a sustained force down to what the motors stand.
func TestThermalLimit(t *testing.T) {
	k := newTwin(rate, 0)
	w := newWall(1000, 0.3, 1, 1, 0)
	p := testParams()
	p.Coupling, p.MaxForce, p.Continuous, p.Thermal = haptics.Direct, 7.9, 1.75, 2*time.Second
	var rec haptics.Record
	most := 0.0
	for i := range 20000 {
		in := haptics.Input{State: still(mgl64.Vec3{0, math.Max(-0.01, 0.01-1e-4*float64(i)), 0})}
		m, fresh := w.step(in.Pose)
		k.Tick(&in, m, fresh, &p, &rec)
		most = math.Max(most, rec.Force[1])
	}
	if math.Abs(most-7.9) > 1e-9 {
		t.Errorf("peak %g N, want 7.9", most)
	}
	if !(rec.Force[1] < 1.8) || rec.Force[1] < 1.7 || rec.Flags&haptics.Thermal == 0 {
		t.Errorf("after 20 s: %g N, %v", rec.Force[1], rec.Flags)
	}
}

// Dead-man, clutch and switch open and close without a step.
func TestGates(t *testing.T) {
	for name, hold := range map[string]func(*haptics.Input, *haptics.Params){
		"dead-man": func(_ *haptics.Input, p *haptics.Params) { p.DeadMan = 2 },
		"clutch":   func(in *haptics.Input, _ *haptics.Params) { in.Clutched = true },
		"switch":   func(_ *haptics.Input, p *haptics.Params) { p.Enabled = false },
	} {
		k := newTwin(rate, 0)
		w := newWall(125, 0.3, 1, 1, 0)
		var rec haptics.Record
		last := 0.0
		for i := range 1200 {
			p := testParams()
			p.Slew = 400
			in := haptics.Input{State: still(mgl64.Vec3{0, math.Max(-0.002, 0.01-1e-4*float64(i)), 0})}
			if i >= 600 && i < 900 {
				hold(&in, &p)
			}
			m, fresh := w.step(in.Pose)
			k.Tick(&in, m, fresh, &p, &rec)
			if d := math.Abs(rec.Force[1] - last); d > 0.1 {
				t.Fatalf("%s: force steps by %g N at tick %d", name, d, i)
			}
			last = rec.Force[1]
			if i == 599 && last < 0.4 || i == 899 && last != 0 || i == 1199 && last < 0.4 {
				t.Errorf("%s: %g N at tick %d", name, last, i)
			}
		}
	}
}

// Whatever comes in, what goes out is finite, within the limit, and within slew
// unless it is released at once.
func TestTwinForceBound(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n = 50_000
	}
	Bound(t, n, rate, newTwin(rate, 8).Tick)
}

func TestTickAllocatesNothing(t *testing.T) {
	k := newTwin(rate, 0)
	w := newWall(250, 0.3, 1, 1, 0)
	p := testParams()
	p.Budget = 100 * time.Microsecond
	in := haptics.Input{State: still(mgl64.Vec3{0, -0.002, 0})}
	m, _ := w.step(in.Pose)
	var rec haptics.Record
	if a := testing.AllocsPerRun(100, func() { k.Tick(&in, m, true, &p, &rec) }); a != 0 {
		t.Errorf("%g allocations a tick", a)
	}
}

// A world that pushes the hand has given it energy, which the passivity controller takes back while they touch.
// Once nothing is near, nothing brakes: the last force falls as fast as the slew lets it.
func TestNothingBrakesWhereNothingIsNear(t *testing.T) {
	w := newWall(125, 0.3, 0.001, 1, 0)
	k := newTwin(rate, 0)
	p := testParams()
	p.Slew, p.Passivity, p.PassivityMax, p.PassivityCredit = 400, true, 2, 1e-3
	p.Stiffness, p.Damping = 300, 1
	var rec haptics.Record
	var nothing local.Model
	local.Make(&nothing, 0)
	y, rise, owed := 0.02, 0.0, 0.0
	for i := range 2000 {
		m, fresh := &nothing, true
		switch {
		case i < 600: // into the wall
			y -= 5e-5
			m, fresh = w.step(frame.At(mgl64.Vec3{0, y, 0}))
		case i < 800: // which rises, and lifts the hand
			y += 1e-4
			rise += 1e-4
			m, fresh = w.step(frame.At(mgl64.Vec3{0, y - rise, 0}))
			m.Origin[1] = y
			owed = math.Min(owed, rec.Energy)
		default: // and is gone
			y += 5e-5
			nothing.Sequence = w.model.Sequence + uint64(i)
		}
		in := haptics.Input{State: haptics.State{Pose: frame.At(mgl64.Vec3{0, y, 0})}}
		k.Tick(&in, m, fresh, &p, &rec)
		if f := mgl64.Vec3(rec.Force).Len(); i >= 850 && f != 0 {
			t.Fatalf("%d ms after everything has gone: %g N, %g J owed", i-800, f, -rec.Energy)
		}
	}
	if owed > -1e-3 {
		t.Errorf("the wall owes %g J, which is no trial", -owed)
	}
}
