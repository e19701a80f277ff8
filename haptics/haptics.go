package haptics

import (
	"math"

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

// DeviceLimits is what a device can do, as far as it is known. A zero means unknown, except where said. Device axes: x
// right, y up, z towards the operator.
type DeviceLimits struct {
	MaxForce         float64 // N, in short; 0: no force at all
	ContinuousForce  float64 // N, for as long as one likes
	MaxTorque        float64 // N m; 0: no torque
	ContinuousTorque float64 // N m
	Stiffness        float64 // N/m, the stiffest wall it renders
	Damping          float64 // N s/m, the most it renders
	MaxSpeed         float64 // m/s, above which the device lets go
	PositionStep     float64 // m, one count of the encoders at the tip
	RateHz           float64 // of its servo

	// Of the arm at the tip, for the stability bounds.
	Mass     float64 // kg
	Friction float64 // N, Coulomb
	Viscous  float64 // N s/m

	SlewRate float64 // N/s, the fastest rise of the force that it should be asked for
	Delay    float64 // s, from reading a position to its force at the motors, beyond one hold

	// Usable workspace, m, device axes.
	Min, Max mgl64.Vec3

	SensedAxes int // 3 or 6
	DrivenAxes int // 0, 3 or 6
}

// DeviceStatus is a device's own account of itself.
type DeviceStatus struct {
	Connected   bool    // the device answers
	Ready       bool    // its pose can be trusted: calibrated and settled
	ForceOn     bool    // a force written now reaches the hand
	Temperature float64 // warmest motor, 0 cold to 1 too warm; negative: unknown
	RateHz      float64 // measured; 0: unknown
	Message     string  // one line for the operator: what is wrong and the cure; "" when all is well
}

// StatusReporter is a Device that can be asked how it is, from any goroutine.
type StatusReporter interface {
	Status() DeviceStatus
}

// Limited is a Device that knows its limits. They do not change while it is open, except when another device answers
// after a reconnection.
type Limited interface {
	Limits() DeviceLimits
}

// TorqueDevice is a Device that takes a torque, N m in world axes, with the force. It stands in for Write; torques
// about the stylus tip.
type TorqueDevice interface {
	WriteWrench(force, torque mgl64.Vec3) error
}

// messages are what a flag means for who holds the stylus, most urgent first.
var messages = []struct {
	flag Flags
	says string
}{
	{DeviceLost, "the device does not answer: force off until it does"},
	{BadInput, "the device's reading is not a pose: force off"},
	{BadForce, "the contact force is not finite: force off"},
	{Disabled, "force is switched off"},
	{DeadMan, "hold the stylus's button for force"},
	{Stale, "physics is slow to answer: force fades"},
	{Waiting, "lift the stylus off the tissue, or press its button, to switch the force on"},
	{Speed, "the hand is too fast: force fades"},
	{Thermal, "long strong forces: limited to spare the motors"},
}

// Message says why there is no full force: what the device says, then what the record tells; "" when all is well.
func Message(r *Record, device string) string {
	for _, m := range messages {
		switch {
		case device != "" || r.Flags&m.flag == 0:
		case m.flag == Waiting && r.Model == 0:
			return "physics has not answered yet: no force until it does"
		default:
			return m.says
		}
	}
	return device
}

// Periods is a histogram of the times between ticks. Bin i counts those from i to i+1 twentieths of the loop's period;
// the last counts all longer ones.
type Periods [41]uint64

// PeriodBins is how many bins a whole period has.
const PeriodBins = 20

// Count adds a time between ticks, ns, of a loop of that rate, Hz.
func (p *Periods) Count(ns int64, rate float64) {
	bin := math.Floor(float64(ns) * 1e-9 * rate * PeriodBins)
	p[int(min(max(bin, 0), float64(len(p)-1)))]++
}
