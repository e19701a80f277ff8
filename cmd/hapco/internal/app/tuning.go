package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hapco/haptics"
	"hapco/haptics/record"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/failsafe"
	"hapco/ui"
)

// tuning is the main thread's copy of the servo's parameters.
type tuning struct {
	limits     haptics.DeviceLimits // of the device, as the scene meets it
	rate       float64              // Hz
	motors     bool                 // else a spring stands for the force
	most       float64              // largest force that may be asked for, N
	lever      float64              // of the spring that turns the stylus, m
	Home, live haptics.Params       // what the scene asks for; what is in force
}

// NewTuning is what the device allows and the scene asks for; lever is physics.Info's.
func NewTuning(dev haptics.Device, rate float64, d *setting.Device, lever float64) tuning {
	t := tuning{limits: haptics.LimitsOf(dev), rate: rate, lever: lever}
	spring, sprung := dev.(haptics.Sprung)
	t.motors = !sprung
	p := haptics.DefaultParams(t.limits, rate)
	t.most = p.MaxForce
	p.Passivity = d.Passivity && t.motors // no motors, no energy
	if !t.motors {
		// Nobody is pushed by what is only shown: a busy machine that draws on its processor need not flicker the
		// number.
		p.Stale, p.Fade = 200*time.Millisecond, 300*time.Millisecond
	}
	if d.Coupling == haptics.Direct.String() {
		p.Coupling = haptics.Direct
	}
	if d.CouplingDamping > 0 {
		// another damping, another edge of stability
		g := haptics.Gains{Stiffness: p.Stiffness, Damping: d.CouplingDamping}
		g.Check(t.limits, rate)
		p.Damping, p.Stiffness = g.Damping, min(0.5*g.StableLimit, 0.5*g.QuantumLimit)
	}
	if d.CouplingStiffness > 0 {
		p.Stiffness = d.CouplingStiffness
	}
	if sprung { // its own spring is the coupling
		p.Stiffness, p.Damping = spring.Spring()
	}
	if d.DeadMan > 0 {
		p.DeadMan = 1 << (d.DeadMan - 1)
	}
	p.MaxForce, p.Reducer = d.MaxForce, d.Reducer
	t.Home = t.capped(p)
	t.live = t.Home
	return t
}

// capped keeps force and coupling within what the device renders. The scene may ask for less force than the device
// gives, not for more.
func (t *tuning) capped(p haptics.Params) haptics.Params {
	p.MaxForce = min(p.MaxForce, t.most)
	if t.motors {
		p.Stiffness = min(p.Stiffness, t.limits.Stiffness)
		p.Damping = min(p.Damping, t.limits.Damping)
	}
	p.Turn(t.lever)
	return p
}

// releaser is a servo with a panic button; the one in C is.
type releaser interface {
	Release()
	Resume()
	IsReleased() bool
}

// Servo is the haptic loop for the panel.
func (s *Session) Servo() ui.Servo { return servoPanel{s, s.chosen()} }

// servoPanel is the haptic loop as the panel meets it.
type servoPanel struct {
	s *Session
	h *hand
}

func (v servoPanel) Params() haptics.Params        { return v.h.tuning.live }
func (v servoPanel) DefaultParams() haptics.Params { return v.h.tuning.Home }

func (v servoPanel) SetParams(p haptics.Params) {
	if p.Validate() != nil {
		return
	}
	v.h.easing.Lock()
	v.h.tuning.live = v.h.tuning.capped(p)
	v.h.easing.Unlock()
	v.h.ease(&v.s.loops)
}

// Release lets go of all hands, and Resume takes them up again.
func (v servoPanel) Release() { v.all(releaser.Release) }
func (v servoPanel) Resume()  { v.all(releaser.Resume) }

func (v servoPanel) all(do func(releaser)) {
	for _, h := range v.s.hands() {
		if r, ok := h.servo.(releaser); ok {
			do(r)
		}
	}
}

func (v servoPanel) Periods() haptics.Periods { return v.h.flight.Periods() }

func (v servoPanel) SaveFlight() { v.h.flight.Dump("saved by hand") }

func (v servoPanel) Notice() (text string, bad, ok bool) {
	select {
	case n := <-v.s.notices:
		return n.text, n.bad, true
	default:
		return "", false, false
	}
}

// pulse tells a loop that ticks from one that has stopped.
type pulse struct {
	ticks uint64
	when  time.Time
}

// silence is how long a loop may stand still before what it last sent is no longer shown. The scheduler of a Phantom
// stops when its cable is pulled.
const silence = 300 * time.Millisecond

func (p *pulse) beats(ticks uint64) bool {
	now := time.Now()
	if ticks != p.ticks || p.when.IsZero() {
		p.ticks, p.when = ticks, now
	}
	return now.Sub(p.when) < silence
}

// Haptics is a reading of the haptic loop.
func (s *Session) Haptics() ui.HapticsStatus {
	h := s.chosen()
	st := h.servo.Stats()
	if !h.pulse.beats(st.Ticks) {
		// what was sent last is not what is sent now: nothing is
		st.Force, st.Raw, st.Peak, st.Rate = [3]float64{}, [3]float64{}, 0, 0
		st.Last.Flags |= haptics.DeviceLost
		st.Message = cmp.Or(st.Message, "the haptic loop stands still: no force")
	}
	r, ok := h.servo.(releaser)
	released := ok && r.IsReleased()
	if released {
		st.Message = cmp.Or(st.Message, "force released: lift the stylus off the tissue, then take hold again")
	}
	driven := slices.ContainsFunc(s.hands(), func(h *hand) bool { return h.tuning.motors })
	return ui.HapticsStatus{Stats: st, Motors: h.tuning.motors, Driven: driven, Released: released}
}

// notice is a line for the window.
type notice struct {
	text string
	bad  bool
}

// tell passes the flight recorder's events on until ctx ends.
func (s *Session) tell(ctx context.Context) {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.report()
		}
	}
}

// report prints what the flight recorder wrote, and shows it.
func (s *Session) report() {
	for _, h := range s.hands() {
		for _, e := range h.flight.Events() {
			if e.Err != nil && e.Reason == record.Recording {
				lost.Store(true)
			}
			s.note(describeFlight(e, h.tuning.rate))
		}
	}
}

var lost atomic.Bool

// RecordingLost tells whether a recording that was asked for has ended early since it was asked last. It was told of
// then.
func RecordingLost() bool { return lost.Swap(false) }

// note prints a line, and shows it.
func (s *Session) note(n notice) {
	fmt.Fprintln(os.Stderr, "hapco: "+n.text)
	select {
	case s.notices <- n:
	default: // nobody looks
	}
}

func describeFlight(e record.Event, rate float64) notice {
	if e.Err != nil && e.Reason == record.Recording {
		return notice{fmt.Sprintf("the recording has ended after %.1f s: %v (cure: room on the disk; the force goes on)", float64(e.Ticks)/rate, e.Err), true}
	}
	if e.Err != nil {
		return notice{"flight recorder: " + e.Err.Error(), true}
	}
	return notice{fmt.Sprintf("%s (%s, %.1f s)", ui.ShortPath(e.Path), e.Reason, float64(e.Ticks)/rate), false}
}

// KeptFlights is how many files of the flight recorder stay when a new session begins: a minute of ticks takes some
// megabytes.
const KeptFlights = 20

// PruneFlights removes the oldest ones. Their names sort by time.
func PruneFlights(dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "flight-*.mcap"))
	if err != nil || len(files) <= KeptFlights {
		return
	}
	slices.Sort(files)
	for _, f := range files[:len(files)-KeptFlights] {
		_ = os.Remove(f) // another program may have done so
	}
}

// easing lets the force rise slowly after parameters have changed in contact: the limit of the force is what it was,
// and goes up from there. The hand then feels the change, and is not struck by it. Falling is the servo's matter.
type easing struct {
	sync.Mutex // held for a few assignments; guards tuning.live and what the servo gets, too
	on         bool
	from       float64 // force on the hand at the change, N
	begun      time.Time
}

const (
	easeTime  = 300 * time.Millisecond // in which the limit rises by the largest force
	easeEvery = 5 * time.Millisecond
	easeFrom  = 0.02 // N; less is no contact
)

// easeClock is the machine's, but in tests.
var easeClock = time.Now

// SetValues publishes a value for every key.
func (s *Session) SetValues(v []float64) {
	for _, h := range s.hands() {
		h.ease(&s.loops)
	}
	s.Running.SetValues(v)
}

// ease begins anew where there is force on a hand, and gives the servo its parameters.
func (h *hand) ease(loops *failsafe.Group) {
	e := &h.easing
	e.Lock()
	defer e.Unlock()
	if force := h.servo.Stats().Force.Len(); h.tuning.motors && force > easeFrom {
		e.from, e.begun = force, easeClock()
		if !e.on {
			e.on = true
			loops.Go(h.rise)
		}
	}
	h.tune()
}

// tune gives the servo the parameters with the limit as it is now; the lock is held.
func (h *hand) tune() {
	p, e := h.tuning.live, &h.easing
	if e.on {
		most := e.from + p.MaxForce*float64(easeClock().Sub(e.begun))/float64(easeTime)
		e.on = most < p.MaxForce
		p.MaxForce = min(most, p.MaxForce)
	}
	h.servo.SetParams(p)
}

// rise lifts the limit until it is what the panel says.
func (h *hand) rise() {
	tick := time.NewTicker(easeEvery)
	defer tick.Stop()
	for on := true; on; {
		<-tick.C
		h.easing.Lock()
		h.tune()
		on = h.easing.on
		h.easing.Unlock()
	}
}
