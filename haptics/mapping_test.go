package haptics_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
)

func tilted() haptics.Mapping {
	return haptics.Mapping{
		Scale: 2.5, Axes: mgl64.Rotate3DX(0.3).Mul3(mgl64.Rotate3DY(-1)),
		Device: mgl64.Vec3{0.01, 0.02, -0.03}, Scene: mgl64.Vec3{1, 2, 3}, Clutch: 2,
	}
}

// Power is kept but for the scale: force times velocity in the scene is Scale
// times that at the device.
func TestMappingKeepsPower(t *testing.T) {
	p := haptics.NewMapper(tilted())
	s := p.State(haptics.State{Pose: frame.At(mgl64.Vec3{0.1, 0, 0}), Velocity: mgl64.Vec3{0.3, -0.1, 0.2}})
	f := mgl64.Vec3{1, 2, -3}
	felt := p.Force(f, 1).Dot(mgl64.Vec3{0.3, -0.1, 0.2})
	if math.Abs(f.Dot(s.Velocity)-2.5*felt) > 1e-12 {
		t.Errorf("power %g in the scene, %g at the device", f.Dot(s.Velocity), felt)
	}
}

// While the clutch button is held the stylus stays; released, it goes on from
// there without a jump.
func TestMappingClutch(t *testing.T) {
	p := haptics.NewMapper(tilted())
	at := func(x float64, buttons uint32) haptics.State {
		return p.State(haptics.State{Pose: frame.At(mgl64.Vec3{x, 0, 0}), Velocity: mgl64.Vec3{1, 0, 0}, Buttons: buttons})
	}
	a := at(0.01, 0)
	b := at(0.011, 2)
	for i := range 100 {
		if s := at(0.011+0.001*float64(i), 2); !s.Clutched || s.Pose.Position.Sub(b.Pose.Position).Len() > 1e-12 || s.Velocity != (mgl64.Vec3{}) {
			t.Fatal("moved while the clutch was open")
		}
	}
	at(math.NaN(), 2) // a bad reading leaves no trace
	c := at(0.2, 0)
	if c.Clutched || c.Pose.Position.Sub(b.Pose.Position).Len() > 1e-12 {
		t.Errorf("jumped by %g m", c.Pose.Position.Sub(b.Pose.Position).Len())
	}
	d := at(0.201, 0)
	if w, v := d.Pose.Position.Sub(c.Pose.Position), b.Pose.Position.Sub(a.Pose.Position); w.Sub(v).Len() > 1e-12 {
		t.Errorf("a millimetre was %v before and is %v after", v, w)
	}
}

// A workspace fits where it is asked to; nonsense is refused by name.
func TestFitMapping(t *testing.T) {
	l := haptics.DeviceLimits{Min: mgl64.Vec3{-0.08, -0.06, -0.035}, Max: mgl64.Vec3{0.08, 0.06, 0.035}}
	m := haptics.FitMapping(l, mgl64.Vec3{0, 0.1, 0}, 0.14)
	if err := m.Validate(); err != nil || math.Abs(m.Scale-2) > 1e-12 {
		t.Errorf("scale %g, %v", m.Scale, err)
	}
	p := haptics.NewMapper(m)
	if s := p.State(haptics.State{Pose: frame.At(mgl64.Vec3{0, 0, 0.035})}); s.Pose.Position.Sub(mgl64.Vec3{0, 0.1, 0.07}).Len() > 1e-12 {
		t.Errorf("edge of the workspace at %v", s.Pose.Position)
	}
	for name, change := range map[string]func(*haptics.Mapping){
		"scale":   func(m *haptics.Mapping) { m.Scale = math.NaN() },
		"axes":    func(m *haptics.Mapping) { m.Axes[0] = 2 },
		"mirror":  func(m *haptics.Mapping) { m.Axes = mgl64.Diag3(mgl64.Vec3{1, 1, -1}) },
		"gravity": func(m *haptics.Mapping) { m.Gravity[1] = 3 },
		"centre":  func(m *haptics.Mapping) { m.Scene[1] = math.Inf(1) },
	} {
		m := haptics.Unmapped()
		change(&m)
		if m.Validate() == nil {
			t.Errorf("%s accepted", name)
		}
	}
	q := haptics.DefaultParams(haptics.DefaultLimits(), 1000)
	if s := q.ForScale(2); s.Stiffness != q.Stiffness/2 || s.SlowSpeed != 2*q.SlowSpeed {
		t.Error("ForScale")
	}
}
