package mapping

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
)

// arm is a device that says what it is told to and keeps what it is sent.
type arm struct {
	state  haptics.State
	force  mgl64.Vec3
	moment mgl64.Vec3
	closed bool
}

func (a *arm) Name() string             { return "arm" }
func (a *arm) Read() haptics.State      { return a.state }
func (a *arm) Write(f mgl64.Vec3) error { a.force = f; return nil }
func (a *arm) Close() error             { a.closed = true; return nil }
func (a *arm) Limits() haptics.DeviceLimits {
	l := haptics.DefaultLimits()
	l.Min, l.Max = mgl64.Vec3{-0.08, -0.06, -0.035}, mgl64.Vec3{0.08, 0.06, 0.035}
	return l
}

type armWithTorque struct{ arm }

func (a *armWithTorque) WriteWrench(f, m mgl64.Vec3) error { a.force, a.moment = f, m; return nil }

type armWithSpring struct{ arm }

func (a *armWithSpring) Spring() (float64, float64) { return 200, 2 }

func wrap(t *testing.T, d haptics.Device, m Mapping) haptics.Device {
	t.Helper()
	w, err := Wrap(d, m)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func random(r *rand.Rand) mgl64.Vec3 {
	return mgl64.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
}

// Power is kept up to the two scales: f_d.v_d = ForceScale/Scale * f_s.v_s, for
// every rotation. Distances scale, and rotations commute with points.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		q := mgl64.QuatRotate(r.Float64()*6, random(r).Normalize())
		m := Mapping{Axes: q.Mat4().Mat3(), Device: random(r), World: random(r), Scale: 0.1 + r.Float64()*10, ForceScale: 0.1 + r.Float64()*10}
		a := &arm{}
		w := wrap(t, a, m)
		read := func(p, v mgl64.Vec3, q mgl64.Quat) haptics.State {
			a.state = haptics.State{Pose: frame.Pose{Position: p, Rotation: q}, Velocity: v, Buttons: 5}
			return w.Read()
		}
		p1, p2, v, f := random(r), random(r), random(r), random(r)
		turn := mgl64.QuatRotate(r.Float64()*3, random(r).Normalize())
		s1, s2 := read(p1, v, turn), read(p2, v, turn)
		if d := s2.Pose.Position.Sub(s1.Pose.Position).Len() - m.Scale*p2.Sub(p1).Len(); math.Abs(d) > 1e-9 {
			t.Fatalf("a distance is off by %v", d)
		}
		w.Write(f)
		if d := a.force.Dot(v) - m.ForceScale/m.Scale*f.Dot(s1.Velocity); math.Abs(d) > 1e-9 {
			t.Fatalf("power is off by %v", d)
		}
		// a direction of the stylus turns as the device's axes do
		e := random(r)
		if d := s1.Pose.Vector(m.Axes.Mul3x1(e)).Sub(m.Axes.Mul3x1(turn.Rotate(e))); d.Len() > 1e-9 {
			t.Fatalf("a direction is off by %v", d)
		}
		if s1.Buttons != 5 {
			t.Fatal("buttons are lost")
		}
	}
}

func TestIdentityChangesNothing(t *testing.T) {
	a := &arm{state: haptics.State{Pose: frame.Pose{Position: mgl64.Vec3{0.1, 0.2, 0.3}, Rotation: mgl64.QuatIdent()}, Velocity: mgl64.Vec3{1, 2, 3}, Lost: true}}
	w := wrap(t, a, Identity())
	if s := w.Read(); s != a.state {
		t.Errorf("%+v, want %+v", s, a.state)
	}
	w.Write(mgl64.Vec3{1, -2, 3})
	if a.force != (mgl64.Vec3{1, -2, 3}) {
		t.Errorf("force %v", a.force)
	}
	if w.Close(); !a.closed {
		t.Error("the device stays open")
	}
}

func TestClutch(t *testing.T) {
	a := &arm{}
	a.state.Pose = frame.At(mgl64.Vec3{0.01, 0, 0})
	m := Identity()
	m.Scale, m.Gravity = 2, 0.5
	w := wrap(t, a, m)
	w.Read()
	w.(Mapper).SetClutch(true)
	a.state.Pose.Position = mgl64.Vec3{-0.05, 0.01, 0}
	a.state.Velocity = mgl64.Vec3{1, 0, 0}
	s := w.Read()
	if !s.Clutched || s.Pose.Position != (mgl64.Vec3{0.02, 0, 0}) || s.Velocity != (mgl64.Vec3{}) {
		t.Errorf("open: %+v", s)
	}
	w.Write(mgl64.Vec3{3, 3, 3})
	if a.force != (mgl64.Vec3{0, 0.5, 0}) {
		t.Errorf("open: force %v, want the weight alone", a.force)
	}
	w.(Mapper).SetClutch(false)
	if s = w.Read(); s.Clutched || s.Pose.Position.Sub(mgl64.Vec3{0.02, 0, 0}).Len() > 1e-15 {
		t.Errorf("closed: %+v, want it where it stayed", s)
	}
	a.state.Pose.Position = mgl64.Vec3{-0.04, 0.01, 0}
	if s = w.Read(); s.Pose.Position.Sub(mgl64.Vec3{0.04, 0, 0}).Len() > 1e-15 {
		t.Errorf("moved on to %v", s.Pose.Position)
	}
	if err := w.(Mapper).SetMapping(Identity()); err != nil {
		t.Fatal(err)
	}
	if s = w.Read(); s.Pose.Position != a.state.Pose.Position {
		t.Errorf("a new mapping keeps the old offset: %v", s.Pose.Position)
	}
}

func TestFitAndLimits(t *testing.T) {
	a := &arm{}
	l := a.Limits()
	low, high := mgl64.Vec3{0, 0, 0}, mgl64.Vec3{0.3, 0.1, 0.07}
	m := Identity().Fit(l, low, high)
	m.ForceScale = 0.5
	if math.Abs(m.Scale-0.3/0.16) > 1e-12 { // the widest side decides: 1.875 over 0.83 and 1
		t.Errorf("scale %v", m.Scale)
	}
	w := wrap(t, a, m)
	got := w.(haptics.Limited).Limits()
	for i := range 3 {
		if got.Min[i] > low[i]+1e-12 || got.Max[i] < high[i]-1e-12 {
			t.Errorf("the hand cannot reach: %v to %v", got.Min, got.Max)
		}
	}
	// felt stiffness is ForceScale*Scale*K: at the scene's limit it is the device's
	if k := m.ForceScale * m.Scale * got.Stiffness; math.Abs(k-l.Stiffness) > 1e-9 {
		t.Errorf("felt stiffness %v, device %v", k, l.Stiffness)
	}
	if f := m.ForceScale * got.MaxForce; math.Abs(f-l.MaxForce) > 1e-12 {
		t.Errorf("felt force %v, device %v", f, l.MaxForce)
	}
	if got.PositionStep != m.Scale*l.PositionStep || got.MaxSpeed != m.Scale*l.MaxSpeed {
		t.Errorf("limits %+v", got)
	}
	if n := Identity().Fit(haptics.DeviceLimits{}, low, high); n != Identity() {
		t.Errorf("a device without a box: %+v", n)
	}
}

func TestKinds(t *testing.T) {
	m := Identity()
	m.ForceScale, m.Scale = 2, 4
	a := &armWithTorque{}
	w, ok := wrap(t, a, m).(haptics.TorqueDevice)
	if !ok {
		t.Fatal("torque is lost")
	}
	w.WriteWrench(mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 1, 0})
	if a.force != (mgl64.Vec3{2, 0, 0}) || a.moment != (mgl64.Vec3{0, 2, 0}) {
		t.Errorf("wrench %v %v", a.force, a.moment)
	}
	s, ok := wrap(t, &armWithSpring{}, m).(haptics.Sprung)
	if !ok {
		t.Fatal("the spring is lost")
	}
	if k, b := s.Spring(); k != 25 || b != 0.25 {
		t.Errorf("spring %v %v", k, b)
	}
	if _, ok := wrap(t, &arm{}, m).(haptics.Sprung); ok {
		t.Error("a spring from nowhere")
	}
}

func TestParseAxes(t *testing.T) {
	for s, want := range map[string]mgl64.Vec3{ // image of (1, 2, 3)
		"x,y,z": {1, 2, 3}, "x, z, -y": {1, 3, -2}, "Y,Z,X": {2, 3, 1}, "-x,-y,+z": {-1, -2, 3},
	} {
		m, err := ParseAxes(s)
		if err != nil || m.Mul3x1(mgl64.Vec3{1, 2, 3}) != want {
			t.Errorf("%q: %v, %v", s, m.Mul3x1(mgl64.Vec3{1, 2, 3}), err)
		}
	}
	for _, s := range []string{"", "x,y", "x,y,w", "x,y,x", "-x,y,z", "x,y,--z", "xy,y,z", "x,y,", "x,y,z,z", "x,y,zz"} {
		if _, err := ParseAxes(s); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestValidate(t *testing.T) {
	for name, spoil := range map[string]func(*Mapping){
		"scale": func(m *Mapping) { m.Scale = 0 }, "NaN scale": func(m *Mapping) { m.Scale = math.NaN() },
		"force": func(m *Mapping) { m.ForceScale = -1 }, "gravity": func(m *Mapping) { m.Gravity = 9 },
		"point": func(m *Mapping) { m.World[1] = math.NaN() }, "axes": func(m *Mapping) { m.Axes[0] = 2 },
		"NaN axes": func(m *Mapping) { m.Axes[4] = math.NaN() },
	} {
		m := Identity()
		spoil(&m)
		if m.Validate() == nil {
			t.Errorf("%s was taken", name)
		}
		if _, err := Wrap(&arm{}, m); err == nil {
			t.Errorf("Wrap took %s", name)
		}
		d := wrap(t, &arm{}, Identity())
		if d.(Mapper).SetMapping(m) == nil {
			t.Errorf("SetMapping took %s", name)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	w := wrap(t, &arm{}, Identity())
	var s haptics.State
	if n := testing.AllocsPerRun(1000, func() { s = w.Read(); w.Write(mgl64.Vec3{1, 0, 0}) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
	_ = s
}
