package haptics

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/local"
)

// Servo is the loop between a device and physics: each tick it reads the pose, solves the newest contact model for it,
// and writes a limited force: package servo's. Each method below is for one goroutine at a time, and none ever waits
// for the loop, except Run and Stop.
type Servo interface {
	// Models is where physics puts contact models.
	Models() ModelWriter
	// Sample is the newest pose of the stylus for physics, and whether it is newer than that of the last call. Before
	// the first tick Tick is 0.
	Sample() (Sample, bool)
	// SetParams replaces all live parameters; they act from the next tick. Values that do not Validate are ignored.
	SetParams(Params)
	// Stats is how the loop is doing, for display.
	Stats() Stats
	// Drain moves the oldest records that were not drained yet to dst and returns how many. A loop whose records nobody
	// drains drops the new ones and counts them.
	Drain(dst []Record) int
	// Run ticks until Stop, a panic or the device's end, and leaves zero force.
	Run() error
	// Stop makes Run return, waits for it, and closes the device.
	Stop() error
}

// Rates between which the loop runs, Hz.
const (
	MinRate = 500
	MaxRate = 4000
)

// ModelWriter takes contact models.
type ModelWriter = local.Writer

// Sample is what physics learns from a tick.
type Sample struct {
	Tick     uint64     // counts from 1; copy it to local.Model.Tick
	Stylus   frame.Pose // that physics should realise: the device's, or behind it where a coupling spring is stretched
	Hand     frame.Pose // of the device itself
	Velocity mgl64.Vec3 // of the device, world, m/s
	Buttons  uint32     //

	// Of the coupling in that tick: N/m, 0 of a direct one; N m/rad; and the largest force sent, N.
	Stiffness, AngleStiffness, MaxForce float64
}

// Coupling says what ties the device to the stylus.
type Coupling uint32

const (
	Direct  Coupling = iota // the stylus is where the device is (fig. 4.21)
	Virtual                 // a spring and damper between them, wished for in section 4.5
)

var couplings = []string{Direct: "direct", Virtual: "virtual"}

// String is the word that panels and files show.
func (c Coupling) String() string {
	if int(c) < len(couplings) {
		return couplings[c]
	}
	return "unknown"
}

// ParseCoupling is the inverse of String.
func ParseCoupling(s string) (Coupling, error) {
	if i := slices.Index(couplings, s); i >= 0 {
		return Coupling(i), nil
	}
	return 0, fmt.Errorf("haptics: unknown coupling %q (cure: direct or virtual)", s)
}

// Params are the loop's live parameters, replaced whole.
type Params struct {
	Enabled  bool    // force on; off fades it out
	MaxForce float64 // largest force sent, N ("Max Haptic Force", section 4.4.2)
	Reducer  float64 // factor on the force, 0..1 ("Reducer Haptic Force")

	Coupling        Coupling
	Stiffness       float64 // of the virtual coupling, N/m
	Damping         float64 // N s/m
	AngleStiffness  float64 // N m/rad, about the stylus's origin; 0: the stylus turns with the device exactly
	AngleDamping    float64 // N m s/rad
	Passivity       bool    // time-domain passivity controller on
	PassivityMax    float64 // its largest damping, N s/m
	PassivityCredit float64 // energy that may be saved up, J

	Sweeps    int           // Gauss-Seidel sweeps a tick at most
	Tolerance float64       // relative change of the forces at which sweeps end
	Budget    time.Duration // time for the sweeps of one tick; 0: none

	MaxTorque  float64       // N m
	Continuous float64       // long-term force, N; 0: no such limit
	Thermal    time.Duration // time constant of the long-term limit
	Slew       float64       // fastest rise of the force, N/s; falling may be three times as fast
	Ramp       time.Duration // of the start-up ramp
	Stale      time.Duration // age of a model at which the force begins to fade
	Fade       time.Duration // from there to zero force
	SlowSpeed  float64       // hand speed at which the force begins to fade, m/s
	FastSpeed  float64       // hand speed at which it is zero
	DeadMan    uint32        // buttons of which one must be held for force; 0: none
}

// DefaultParams are safe ones for a device with the given limits at the given rate in Hz: the coupling's gains are
// those of DeriveGains.
func DefaultParams(l DeviceLimits, rate float64) Params {
	g := DeriveGains(l, rate)
	return Params{
		Enabled: true, MaxForce: 0.9 * l.MaxForce, Reducer: 1,
		Coupling: Virtual, Stiffness: g.Stiffness, Damping: g.Damping,
		AngleStiffness: g.AngleStiffness, AngleDamping: g.AngleDamping,
		Passivity: true, PassivityMax: 0.5 * l.Mass * rate, PassivityCredit: 1e-3,
		Sweeps: 30, Tolerance: 1e-6, Budget: 70 * time.Microsecond,
		MaxTorque: l.MaxTorque, Continuous: l.ContinuousForce, Thermal: 30 * time.Second,
		Slew: l.SlewRate, Ramp: time.Second,
		Stale: 20 * time.Millisecond, Fade: 80 * time.Millisecond,
		SlowSpeed: 0.5 * l.MaxSpeed, FastSpeed: 1.5 * l.MaxSpeed,
	}
}

// Turn lets a device that sends no torque turn its stylus by the same spring that moves it, at a lever in m: as far as the
// tool reaches. Without that a tool in contact would be turned rigidly by the hand, and the force felt in a turned hold
// would not be that of the spring. Of a device with torque the stiffness is what its motors render.
func (p *Params) Turn(lever float64) {
	if p.MaxTorque == 0 {
		p.AngleStiffness, p.AngleDamping = min(p.Stiffness*lever*lever, maxAngleStiffness), min(p.Damping*lever*lever, maxAngleDamping)
	}
}

const (
	maxAngleStiffness = 1e5 // N m/rad, and
	maxAngleDamping   = 1e3 // N m s/rad: far beyond any device, to keep arithmetic finite
)

// Validate names the first field out of range.
func (p *Params) Validate() error {
	if r := OutOfRange([]Ranged{
		{"MaxForce", p.MaxForce, 0, 1000}, {"Reducer", p.Reducer, 0, 1},
		{"Stiffness", p.Stiffness, 0, 1e7}, {"Damping", p.Damping, 0, 1e4},
		{"AngleStiffness", p.AngleStiffness, 0, maxAngleStiffness}, {"AngleDamping", p.AngleDamping, 0, maxAngleDamping},
		{"PassivityMax", p.PassivityMax, 0, 1e4}, {"PassivityCredit", p.PassivityCredit, 0, 1},
		{"Sweeps", float64(p.Sweeps), 1, 1e4}, {"Tolerance", p.Tolerance, 0, 1},
		{"Budget", p.Budget.Seconds(), 0, 1}, {"MaxTorque", p.MaxTorque, 0, 100},
		{"Continuous", p.Continuous, 0, 1000}, {"Thermal", p.Thermal.Seconds(), 0.1, 3600},
		{"Slew", p.Slew, 1, 1e6}, {"Ramp", p.Ramp.Seconds(), 0.01, 60},
		{"Stale", p.Stale.Seconds(), 1e-3, 1}, {"Fade", p.Fade.Seconds(), 1e-3, 1},
		{"SlowSpeed", p.SlowSpeed, 1e-3, 1e3}, {"FastSpeed", p.FastSpeed, p.SlowSpeed, 1e3},
	}); r != nil {
		return fmt.Errorf("haptics: %s = %g (cure: a value from %g to %g)", r.Name, r.Value, r.Low, r.High)
	}
	if p.Coupling > Virtual {
		return fmt.Errorf("haptics: coupling %d (cure: direct or virtual)", p.Coupling)
	}
	return nil
}

// Ranged is a value with what it is called and the range that it must lie in.
type Ranged = struct {
	Name             string
	Value, Low, High float64
}

// OutOfRange is the first value that is not in its range, nor a number; nil: there is none.
func OutOfRange(values []Ranged) *Ranged {
	for i := range values {
		if r := &values[i]; !(r.Value >= r.Low && r.Value <= r.High) {
			return r
		}
	}
	return nil
}

// Flags say what acted on the force of a tick.
type Flags uint32

// The interventions, in the order of the chain, and other notable things.
const (
	BadInput   Flags = 1 << iota // the device's reading was not a pose: force released
	BadForce                     // the force was not finite: released
	BadModel                     // a contact's forces could not be found: left out
	Stale                        // physics has not answered for too long: faded
	Speed                        // the hand is too fast: faded
	Saturated                    // cut to MaxForce (4.21)
	Thermal                      // cut to what the motors stand for long
	Slewed                       // rose or fell too fast: slowed
	Ramping                      // start-up ramp not done
	Waiting                      // ramp waits for physics, then for free space or the main button
	DeadMan                      // the dead-man button is not held
	Clutched                     // the stylus is not tied to the hand
	Disabled                     // force is switched off
	Released                     // panic or stop: no force
	Damped                       // the passivity controller took energy out
	OverBudget                   // the solver ran out of time
	Blended                      // between two models
	DeviceLost                   // the device does not answer
	numFlags   = iota
)

// FlagNames are the words that panels and tables show, by bit.
var FlagNames = [numFlags]string{
	"bad pose", "bad force", "bad model", "stale model", "speed", "max force", "thermal",
	"slew rate", "ramp", "waiting for free space", "dead-man", "clutch", "off", "released",
	"passivity", "solver budget", "blend", "device lost",
}

// String lists the flags that are set.
func (f Flags) String() string {
	var b strings.Builder
	for i, name := range FlagNames {
		if f&(1<<i) != 0 {
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name)
		}
	}
	return b.String()
}

// Record is what a tick leaves behind for displays, and for recordings, which have its fields by the names for JSON.
// The C kernel writes the same bytes.
type Record struct {
	Tick     uint64     `json:"tick"`             // from 1
	Time     int64      `json:"time_ns"`          // of the tick since the loop started, ns
	Model    uint64     `json:"model"`            // sequence number of the model used
	Late     int32      `json:"late_ns"`          // wake-up after the deadline, ns
	Work     int32      `json:"work_ns"`          // from wake-up to the force, ns
	Flags    Flags      `json:"flags"`            //
	Buttons  uint32     `json:"buttons"`          //
	Contacts int32      `json:"contacts"`         // in the model
	Sweeps   int32      `json:"sweeps"`           // of Gauss-Seidel
	Position [3]float64 `json:"position_m"`       // of the device, world, m
	Rotation [4]float64 `json:"rotation_xyzw"`    // x, y, z, w
	Tool     [3]float64 `json:"tool_m"`           // of the stylus, world, m
	Velocity [3]float64 `json:"velocity_m_per_s"` // of the device, filtered, world, m/s
	Raw      [3]float64 `json:"raw_N"`            // resultant of the contact forces, N
	Force    [3]float64 `json:"force_N"`          // sent, N
	Torque   [3]float64 `json:"torque_Nm"`        // sent, N m
	Age      float64    `json:"age_s"`            // of the model, s
	Gain     float64    `json:"gain"`             // product of all fades, 0..1
	Energy   float64    `json:"energy_J"`         // absorbed by the loop since contact began, J; negative: generated
	Alpha    float64    `json:"alpha_Ns_per_m"`   // damping of the passivity controller, N s/m
	Heat     float64    `json:"heat"`             // mean square force over the continuous limit's square
	Residual float64    `json:"residual"`         // relative change of the forces in the last sweep
}

// Stats is how the loop is doing. Counts are since the start.
type Stats struct {
	Device   string
	Message  string           // what the user should know; "" when all is well
	Ticks    uint64           //
	Rate     float64          // measured over half a second, Hz (H_Fps)
	Target   float64          // Hz
	Missed   uint64           // deadlines passed without a tick
	Dropped  uint64           // records that nobody drained in time
	Errors   uint64           // failed writes to the device
	Counts   [numFlags]uint64 // times each intervention began
	Late     time.Duration    // worst wake-up of the last second
	Work     time.Duration    // longest tick of the last second
	RealTime string           // what real-time scheduling was obtained, or why not
	Last     Record           // the newest tick
	Force    mgl64.Vec3       // sent, world, N: the "Haptic Force"
	Peak     float64          // largest sent in the last second, N
	Raw      mgl64.Vec3       // before reducer and limits, N
	Gains    Gains            // of the coupling, with their margins
}

// Input is what a tick starts from.
type Input struct {
	State
	Time    int64 // since the loop started, ns
	Release bool  // no force, at once
}

// VelocityFilter is how much of a new velocity enters the filtered one at each tick, at a rate in Hz.
func VelocityFilter(rate float64) float64 {
	const velocityCut = 30.0 // Hz
	c := 2 * math.Pi * velocityCut / rate
	return c / (1 + c)
}
