// Package mapping places a device's workspace in the scene: axes, scale, the point that both share, the size of forces,
// the weight of the stylus, and the clutch that lets the hand go back without the stylus. A driver may apply a Mapping
// itself (package phantom does, in C); Wrap applies it to any other.
package mapping

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
)

// Mapping takes device coordinates d to scene coordinates s and scene forces to device forces:
//
//	x_s = World + Scale * Axes * (x_d - Device)
//	f_d = ForceScale * Axes' * f_s
//
// What the hand feels of a scene stiffness K is ForceScale*Scale*K: Limits takes that into account.
type Mapping struct {
	Axes       mgl64.Mat3 // rotation from device axes to world axes
	Device     mgl64.Vec3 // m, device axes: this point is
	World      mgl64.Vec3 // m, here in the scene
	Scale      float64    // scene metres a device metre, 1e-3..1e3
	ForceScale float64    // device newtons a scene newton, 1e-3..1e3
	Gravity    float64    // N, added upwards (world +Y) at the device: the stylus's weight, 0..5
}

// Identity leaves everything as the device says it.
func Identity() Mapping { return Mapping{Axes: mgl64.Ident3(), Scale: 1, ForceScale: 1} }

// Validate names the first field out of range.
func (m *Mapping) Validate() error {
	if r := haptics.OutOfRange([]haptics.Ranged{
		{"scale", m.Scale, 1e-3, 1e3}, {"force scale", m.ForceScale, 1e-3, 1e3}, {"gravity compensation, N,", m.Gravity, 0, 5},
	}); r != nil {
		return fmt.Errorf("mapping: %s %g: choose %g to %g", r.Name, r.Value, r.Low, r.High)
	}
	for i := range 3 {
		if !(math.Abs(m.Device[i]) <= 100) || !(math.Abs(m.World[i]) <= 100) {
			return fmt.Errorf("mapping: the shared point %v, %v: choose coordinates within 100 m", m.Device, m.World)
		}
	}
	if !frame.Orthogonal(m.Axes) || !(m.Axes.Det() > 0) {
		return errors.New("mapping: the axes are not a rotation: use each of x, y, z once, with signs that keep it right-handed, as in x,z,-y")
	}
	return nil
}

// ParseAxes reads which device axis becomes the world's x, y and z: "x,y,z" is the identity, "x,z,-y" suits a device
// whose z is up.
func ParseAxes(s string) (mgl64.Mat3, error) {
	var m mgl64.Mat3
	parts := strings.Split(strings.ToLower(strings.ReplaceAll(s, " ", "")), ",")
	if len(parts) != 3 {
		return m, fmt.Errorf("mapping: axes %q: name three, as in x,z,-y", s)
	}
	for row, p := range parts {
		sign := 1.0
		if strings.HasPrefix(p, "-") {
			sign = -1
		}
		col := strings.Index("xyz", strings.TrimLeft(p, "+-"))
		if col < 0 || len(strings.TrimLeft(p, "+-")) != 1 || len(p) > 2 {
			return m, fmt.Errorf("mapping: axis %q in %q: use x, y or z with an optional minus", p, s)
		}
		m.Set(row, col, sign)
	}
	check := Mapping{Axes: m, Scale: 1, ForceScale: 1}
	return m, check.Validate()
}

// Fit makes the device's usable box cover a scene's box: the largest scale that keeps the axes' proportions and lets
// the hand reach all of it, and their middles on each other. A device that does not tell its box keeps its scale.
func (m Mapping) Fit(l haptics.DeviceLimits, low, high mgl64.Vec3) Mapping {
	size := m.Axes.Transpose().Mul3x1(high.Sub(low))
	room := l.Max.Sub(l.Min)
	scale := 0.0
	for i := range 3 {
		if !(room[i] > 0) {
			return m
		}
		scale = math.Max(scale, math.Abs(size[i])/room[i])
	}
	if scale > 0 {
		m.Scale = math.Min(math.Max(scale, 1e-3), 1e3)
	}
	m.Device = l.Min.Add(l.Max).Mul(0.5)
	m.World = low.Add(high).Mul(0.5)
	return m
}

// Limits are a device's limits as the scene meets them: a scene force f is ForceScale f at the device, a scene metre
// 1/Scale metres.
func (m Mapping) Limits(l haptics.DeviceLimits) haptics.DeviceLimits {
	f, s := m.ForceScale, m.Scale
	l.MaxForce /= f
	l.ContinuousForce /= f
	l.MaxTorque /= f
	l.ContinuousTorque /= f
	l.Friction /= f
	l.SlewRate /= f
	l.Stiffness /= f * s
	l.Damping /= f * s
	l.Viscous /= f * s
	l.Mass /= f * s
	l.PositionStep *= s
	l.MaxSpeed *= s
	a, b := m.point(l.Min), m.point(l.Max)
	for i := range 3 {
		l.Min[i], l.Max[i] = math.Min(a[i], b[i]), math.Max(a[i], b[i])
	}
	return l
}

func (m *Mapping) point(d mgl64.Vec3) mgl64.Vec3 {
	return m.World.Add(m.Axes.Mul3x1(d.Sub(m.Device)).Mul(m.Scale))
}

// Mapper is a device whose place in the scene can be changed while it runs, from any one goroutine.
type Mapper interface {
	SetMapping(Mapping) error
	// SetClutch opens (true) the clutch: the stylus stays while the hand moves, without force, and goes on from where
	// it stayed when it closes.
	SetClutch(open bool)
}

// device applies a Mapping to a device in Go.
type device struct {
	inner  haptics.Device
	next   atomic.Pointer[compiled]
	clutch atomic.Bool

	// of the servo
	now    *compiled
	offset mgl64.Vec3 // world, m, that clutching has left
	open   bool
	kept   haptics.State // last one told
}

// compiled holds what every tick needs.
type compiled struct {
	Mapping
	back mgl64.Mat3 // Axes'
	turn mgl64.Quat
	lift mgl64.Vec3 // weight, device axes, N
}

func compile(m Mapping) *compiled {
	c := &compiled{Mapping: m, back: m.Axes.Transpose(), turn: mgl64.Mat4ToQuat(m.Axes.Mat4()).Normalize()}
	c.lift = c.back.Mul3x1(mgl64.Vec3{0, m.Gravity, 0})
	return c
}

// Wrap returns dev with the mapping applied. The result is a haptics.Sprung or haptics.TorqueDevice when dev is one.
func Wrap(dev haptics.Device, m Mapping) (haptics.Device, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	d := &device{inner: dev}
	d.next.Store(compile(m))
	d.now = d.next.Load()
	d.kept.Pose = frame.Identity()
	switch dev.(type) {
	case haptics.Sprung:
		return &sprung{d}, nil
	case haptics.TorqueDevice:
		return &torque{d}, nil
	}
	return d, nil
}

type sprung struct{ *device }

func (d *sprung) Spring() (stiffness, damping float64) {
	m := d.next.Load()
	k, b := d.inner.(haptics.Sprung).Spring()
	f := m.ForceScale * m.Scale
	return k / f, b / f
}

type torque struct{ *device }

func (d *torque) WriteWrench(force, moment mgl64.Vec3) error {
	return d.inner.(haptics.TorqueDevice).WriteWrench(d.force(force), d.now.back.Mul3x1(moment).Mul(d.now.ForceScale))
}

// SetMapping replaces the mapping. The stylus moves with it.
func (d *device) SetMapping(m Mapping) error {
	if err := m.Validate(); err != nil {
		return err
	}
	d.next.Store(compile(m))
	return nil
}

func (d *device) SetClutch(open bool) { d.clutch.Store(open) }

func (d *device) Name() string { return d.inner.Name() }

// Read is the device's reading in the scene.
func (d *device) Read() haptics.State {
	if m := d.next.Load(); m != d.now {
		d.now = m
		d.offset = mgl64.Vec3{} // a new place is meant as it is said
	}
	m := d.now
	s := d.inner.Read()
	p := m.point(s.Pose.Position)
	q := m.turn.Mul(s.Pose.Rotation).Mul(m.turn.Conjugate())
	v := m.Axes.Mul3x1(s.Velocity).Mul(m.Scale)
	switch open := d.clutch.Load(); {
	case open:
		s.Pose = d.kept.Pose
		s.Velocity = mgl64.Vec3{}
		s.Clutched = true
		d.open = true
		d.kept = s
		return s
	case d.open: // closed just now: go on from where the stylus stayed
		d.open = false
		d.offset = d.kept.Pose.Position.Sub(p)
	}
	s.Pose = frame.Pose{Position: p.Add(d.offset), Rotation: q}
	s.Velocity = v
	d.kept = s
	return s
}

func (d *device) force(f mgl64.Vec3) mgl64.Vec3 {
	m := d.now
	if d.open {
		f = mgl64.Vec3{}
	}
	return m.back.Mul3x1(f).Mul(m.ForceScale).Add(m.lift)
}

// Write sends a scene force. While the clutch is open only the weight is carried.
func (d *device) Write(force mgl64.Vec3) error { return d.inner.Write(d.force(force)) }

func (d *device) Close() error { return d.inner.Close() }

func (d *device) Limits() haptics.DeviceLimits {
	return d.next.Load().Mapping.Limits(haptics.LimitsOf(d.inner))
}

// Status is the device's, or says nothing when it has none.
func (d *device) Status() haptics.DeviceStatus {
	if r, ok := d.inner.(haptics.StatusReporter); ok {
		return r.Status()
	}
	return haptics.DeviceStatus{Connected: true, Ready: true, ForceOn: true, Temperature: -1}
}

var (
	_ haptics.StatusReporter = (*device)(nil)
	_ haptics.Limited        = (*device)(nil)
	_ Mapper                 = (*device)(nil)
	_ haptics.Sprung         = (*sprung)(nil)
	_ haptics.TorqueDevice   = (*torque)(nil)
)
