package haptics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

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
