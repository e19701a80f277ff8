package haptics

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/latest"
	"hapco/physics/local"
)

// ringSeconds of records wait for a reader.
const ringSeconds = 2

// Loop is the servo in Go. It is portable and easy to follow; the C servo is
// the one whose timing holds under load.
type Loop struct {
	dev    Device
	torque TorqueDevice // dev, when it takes torques
	sprung Sprung       // dev, when it is a spring
	limits DeviceLimits
	rate   float64
	kernel *Kernel
	ring   *ring

	models  *latest.Box[local.Model]
	params  *latest.Box[Params]
	samples *latest.Box[Sample]
	stats   *latest.Box[Stats]

	began  atomic.Bool // by Run, or by a Stop that came before it
	unused atomic.Bool // Stop came first
	stop   atomic.Bool
	done   chan struct{}
	once   sync.Once
	closed error
}

// Rates between which the loop runs, Hz.
const (
	MinRate = 500
	MaxRate = 4000
)

// NewLoop makes the servo for a device at a rate in Hz; 0 is 1000. It starts
// with DefaultParams. The loop owns the device from here on.
func NewLoop(dev Device, rate float64) (*Loop, error) {
	if rate == 0 {
		rate = 1000
	}
	if !(rate >= MinRate && rate <= MaxRate) {
		return nil, fmt.Errorf("haptics: rate %g Hz (cure: a rate from %d to %d Hz)", rate, MinRate, MaxRate)
	}
	l := &Loop{dev: dev, limits: LimitsOf(dev), rate: rate, done: make(chan struct{})}
	l.torque, _ = dev.(TorqueDevice)
	l.sprung, _ = dev.(Sprung)
	l.kernel = NewKernel(rate, 0)
	l.ring = newRing(int(ringSeconds * rate))
	l.models = latest.New(func(m *local.Model) { local.Make(m, 0) })
	p := DefaultParams(l.limits, rate)
	if l.sprung != nil {
		p.Passivity = false // no motors, no energy
	}
	l.params = latest.New(func(q *Params) { *q = p })
	l.samples = latest.New(func(s *Sample) { s.Stylus, s.Hand = frame.Identity(), frame.Identity() })
	l.stats = latest.New(func(s *Stats) { s.Device, s.Target = dev.Name(), rate })
	return l, nil
}

// Limits are the device's, as the loop uses them.
func (l *Loop) Limits() DeviceLimits { return l.limits }

// Models is where physics puts contact models.
func (l *Loop) Models() ModelWriter { return l.models }

// Sample is the newest pose for physics.
func (l *Loop) Sample() (Sample, bool) {
	s, newer := l.samples.Get()
	return *s, newer
}

// SetParams replaces the live parameters. Values that do not Validate are
// ignored: the last good ones stay.
func (l *Loop) SetParams(p Params) {
	if p.Validate() != nil {
		return
	}
	*l.params.Back() = p
	l.params.Publish()
}

// Stats is how the loop is doing.
func (l *Loop) Stats() Stats {
	s, _ := l.stats.Get()
	return *s
}

// Drain moves the oldest records to dst.
func (l *Loop) Drain(dst []Record) int { return l.ring.drain(dst) }

// Stop ends Run and closes the device, which lets go first. Before Run it closes
// the device, and Run then returns at once.
func (l *Loop) Stop() error {
	l.once.Do(func() {
		l.stop.Store(true)
		if l.began.Swap(true) {
			<-l.done
		} else {
			l.unused.Store(true)
		}
		l.closed = l.dev.Close()
	})
	return l.closed
}

// Run ticks until Stop. Call it once, on a goroutine of its own.
func (l *Loop) Run() error {
	if l.began.Swap(true) {
		if l.unused.Load() {
			return nil
		}
		return errors.New("haptics: the loop runs already (cure: one Run for each Loop)")
	}
	defer close(l.done)
	// The hand is let go whatever happens here, a panic included.
	defer l.write(mgl64.Vec3{}, mgl64.Vec3{})
	how := realTime()
	defer normalTime()

	start := monotonic()
	pacer := NewPacer(start, l.rate)
	l.kernel.now = monotonic
	var (
		m      meter
		rec    Record
		in     Input
		errs   uint64
		reason string
	)
	for !l.stop.Load() {
		sleepUntil(pacer.Next())
		woke := monotonic()
		late := pacer.Woke(woke)

		in.State = l.dev.Read()
		in.Time = woke - start
		model, fresh := l.models.Get()
		params, _ := l.params.Get()
		p := *params
		if l.sprung != nil {
			p.Coupling = Virtual
			p.Stiffness, p.Damping = l.sprung.Spring()
			p.AngleStiffness = 0
		}
		l.kernel.Tick(&in, model, fresh, &p, &rec)
		if err := l.write(rec.Force, rec.Torque); err != nil {
			errs++
			reason = err.Error()
		} else if reason != "" {
			reason = ""
		}
		rec.Late = int32(min(late, 1<<31-1))
		rec.Work = int32(min(monotonic()-woke, 1<<31-1))

		s := l.samples.Back()
		*s = Sample{Tick: rec.Tick, Stylus: in.Pose, Hand: in.Pose, Velocity: rec.Velocity, Buttons: in.Buttons}
		if rec.Flags&(BadInput|DeviceLost) == 0 {
			s.Stylus = l.kernel.Tool(in.Pose)
			l.samples.Publish()
		}

		l.ring.put(&rec)
		m.add(&rec)
		st := l.stats.Back()
		*st = Stats{
			Device: l.dev.Name(), Message: Message(&rec, reason),
			Ticks: rec.Tick, Rate: m.rate, Target: l.rate,
			Missed: pacer.Missed(), Dropped: l.ring.dropped.Load(), Errors: errs,
			Counts: m.counts, Late: time.Duration(max(m.late, m.lateLast)), Work: time.Duration(max(m.work, m.workLast)),
			RealTime: how, Last: rec, Force: rec.Force, Raw: rec.Raw,
			Gains: Gains{Stiffness: p.Stiffness, Damping: p.Damping, AngleStiffness: p.AngleStiffness, AngleDamping: p.AngleDamping},
		}
		st.Gains.Check(l.limits, l.rate)
		l.stats.Publish()
	}
	return nil
}

func (l *Loop) write(force, torque mgl64.Vec3) error {
	if l.torque != nil {
		return l.torque.WriteWrench(force, torque)
	}
	return l.dev.Write(force)
}

// Message says why there is no full force, most urgent first: what the device
// says, then what the record tells; "" when all is well.
func Message(r *Record, device string) string {
	switch {
	case device != "":
		return device
	case r.Flags&DeviceLost != 0:
		return "the device does not answer: force off until it does"
	case r.Flags&BadInput != 0:
		return "the device's reading is not a pose: force off"
	case r.Flags&BadForce != 0:
		return "the contact force is not finite: force off"
	case r.Flags&Disabled != 0:
		return "force is switched off"
	case r.Flags&DeadMan != 0:
		return "hold the stylus's button for force"
	case r.Flags&Stale != 0:
		return "physics is slow to answer: force fades"
	case r.Flags&Waiting != 0 && r.Model == 0:
		return "physics has not answered yet: no force until it does"
	case r.Flags&Waiting != 0:
		return "lift the stylus off the tissue, or press its button, to switch the force on"
	case r.Flags&Speed != 0:
		return "the hand is too fast: force fades"
	case r.Flags&Thermal != 0:
		return "long strong forces: limited to spare the motors"
	}
	return ""
}
