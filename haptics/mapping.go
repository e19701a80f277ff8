package haptics

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Mapping carries the device's workspace into the scene, and forces back: a
// device point x is at Scene + Scale Axes (x - Device) in the scene, and a force
// f there is Axes^T f at the device. What is felt is Scale times as stiff as
// what is simulated: see Params.ForScale.
type Mapping struct {
	Scale   float64    // scene metres a device metre
	Axes    mgl64.Mat3 // rotation, scene axes from device axes
	Device  mgl64.Vec3 // middle of the device's workspace, device axes, m
	Scene   mgl64.Vec3 // where that is in the scene, m
	Clutch  uint32     // buttons that hold the stylus still while the hand moves on; 0: none
	Gravity mgl64.Vec3 // force that carries the device's own weight, device axes, N
}

// Unmapped is the mapping that changes nothing.
func Unmapped() Mapping { return Mapping{Scale: 1, Axes: mgl64.Ident3()} }

// FitMapping puts the middle of the device's usable workspace at centre and
// scales the smallest of its sides to size, m. A device that does not tell its
// workspace is left at scale 1.
func FitMapping(l DeviceLimits, centre mgl64.Vec3, size float64) Mapping {
	m := Unmapped()
	m.Scene = centre
	side := l.Max.Sub(l.Min)
	least := math.Min(side[0], math.Min(side[1], side[2]))
	if least > 0 && size > 0 {
		m.Device = l.Max.Add(l.Min).Mul(0.5)
		m.Scale = size / least
	}
	return m
}

// Validate names what is out of range.
func (m *Mapping) Validate() error {
	if !(m.Scale >= 0.01 && m.Scale <= 100) {
		return fmt.Errorf("haptics: mapping scale %g (cure: a value from 0.01 to 100)", m.Scale)
	}
	e := m.Axes.Mul3(m.Axes.Transpose()).Sub(mgl64.Ident3())
	for _, x := range e {
		if !(math.Abs(x) <= 1e-6) {
			return fmt.Errorf("haptics: mapping axes are no rotation (cure: three orthogonal unit columns)")
		}
	}
	if !(m.Axes.Det() > 0) {
		return fmt.Errorf("haptics: mapping axes are mirrored (cure: a right-handed set)")
	}
	if !(m.Gravity.Len() <= 2) {
		return fmt.Errorf("haptics: gravity compensation %g N (cure: at most 2 N)", m.Gravity.Len())
	}
	for i := range 3 {
		if !finite(m.Device[i]) || !finite(m.Scene[i]) {
			return fmt.Errorf("haptics: mapping centre is not finite")
		}
	}
	return nil
}

// Mapper applies a Mapping tick by tick; it remembers the clutch.
type Mapper struct {
	m      Mapping
	turn   mgl64.Quat
	offset mgl64.Vec3 // of the scene position, from clutching, m
	held   mgl64.Vec3 // scene position while the clutch is open
	open   bool
}

// NewMapper starts with the clutch closed.
func NewMapper(m Mapping) Mapper {
	return Mapper{m: m, turn: mgl64.Mat4ToQuat(m.Axes.Mat4())}
}

// State is the device's reading in the scene.
func (p *Mapper) State(s State) State {
	s.Pose.Position = p.m.Axes.Mul3x1(s.Pose.Position.Sub(p.m.Device)).Mul(p.m.Scale).Add(p.m.Scene).Add(p.offset)
	s.Pose.Rotation = p.turn.Mul(s.Pose.Rotation)
	s.Velocity = p.m.Axes.Mul3x1(s.Velocity).Mul(p.m.Scale)
	if !(s.Pose.Position.Len() <= 1e6) {
		return s // no place to hold; the kernel refuses it
	}
	open := p.m.Clutch != 0 && s.Buttons&p.m.Clutch != 0 && !s.Lost
	if open && !p.open {
		p.held = s.Pose.Position
	}
	if open || p.open { // also in the tick that closes it, so that nothing jumps
		p.offset = p.offset.Add(p.held.Sub(s.Pose.Position))
		s.Pose.Position = p.held
		s.Velocity = mgl64.Vec3{}
	}
	p.open = open
	s.Clutched = s.Clutched || open
	return s
}

// Force is what the device is told for a scene force; carry is the share of
// its own weight to carry, 0 to 1.
func (p *Mapper) Force(f mgl64.Vec3, carry float64) mgl64.Vec3 {
	return p.m.Axes.Transpose().Mul3x1(f).Add(p.m.Gravity.Mul(carry))
}

// ForScale turns parameters that suit the device into those for a scene in
// which a device metre is scale metres: the same feel at the hand.
func (p Params) ForScale(scale float64) Params {
	p.Stiffness /= scale
	p.Damping /= scale
	p.PassivityMax /= scale
	p.PassivityCredit *= scale
	p.SlowSpeed *= scale
	p.FastSpeed *= scale
	return p
}
