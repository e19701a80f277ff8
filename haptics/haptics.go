package haptics

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
)

// State is one reading of a device.
type State struct {
	Pose     frame.Pose // of the stylus in the scene's world, m, after scaling and clutch
	Velocity mgl64.Vec3 // world, m/s
	Buttons  uint32     // bit 0: the stylus's main button
	Clutched bool       // the stylus stays where it is while the hand moves: no force
	Lost     bool       // the device does not answer: no force until it does
}

// Device is a stylus: it tells where it is and takes a force. Read and Write are called once a tick from the servo
// thread and must neither block nor allocate. Forces arrive in world axes, already limited by the safety chain.
type Device interface {
	Name() string
	Read() State
	Write(force mgl64.Vec3) error
	Close() error // sends zero force first
}

// Sprung is a device without motors: Read tells where the operator's hand is, and a spring and damper tie the stylus to
// it. The loop moves the stylus; the spring's stretch is the force that the hand would feel.
type Sprung interface {
	Device
	Spring() (stiffness, damping float64) // N/m, N s/m; may change at any time
}

// DefaultLimits are those of a device that tells nothing: as weak as the weakest in use (Touch: 3.3 N, 0.88 N for ever,
// 45 g, 55 um).
func DefaultLimits() DeviceLimits {
	return DeviceLimits{
		MaxForce: 3.3, ContinuousForce: 0.88, Stiffness: 400, Damping: 4,
		MaxSpeed: 1, PositionStep: 55e-6, RateHz: 1000,
		Mass: 0.045, Friction: 0.26, Viscous: 0.1, SlewRate: 400,
		SensedAxes: 6, DrivenAxes: 3,
	}
}

// LimitsOf are the device's own limits. What it leaves open and the loop needs is filled from DefaultLimits; a device
// without motors is given a force of 10 N, which only a display will ever see.
func LimitsOf(dev Device) DeviceLimits {
	d := DefaultLimits()
	own, ok := dev.(Limited)
	if !ok {
		return d
	}
	v := own.Limits()
	if !(v.MaxForce > 0) {
		v.MaxForce = 10
	}
	d.ContinuousForce = v.MaxForce
	for _, f := range []struct{ have, def *float64 }{
		{&v.ContinuousForce, &d.ContinuousForce}, {&v.Stiffness, &d.Stiffness},
		{&v.Damping, &d.Damping}, {&v.Mass, &d.Mass}, {&v.Viscous, &d.Viscous},
		{&v.SlewRate, &d.SlewRate}, {&v.MaxSpeed, &d.MaxSpeed}, {&v.RateHz, &d.RateHz},
	} {
		if !(*f.have > 0) {
			*f.have = *f.def
		}
	}
	return v
}
