package physics

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/latest"
)

// defaultPeriod is the shortest time from one step to the next. Faster would only burn the core that the picture is
// drawn on: the haptic loop has its own model in between.
const defaultPeriod = time.Millisecond

// LongestAdvance is the most time that a Runner lets a world catch up with in one step, s: besides less than one of its
// own steps.
const LongestAdvance = 0.02

// stepLimit is the deadline of a step, of worlds that have no other: the hand's force fades where it gets no new model
// for haptics.Params.Stale, 20 ms. A world that cannot keep up with time ends its solves sooner, and then runs slowly.
const stepLimit = 8 * time.Millisecond

// PoseSource answers at once with the newest pose that the stylus should take, where the hand itself is (the same,
// unless a spring is between them), and the haptic tick that it belongs to (0: none). The runner's goroutine alone
// calls it.
type PoseSource func() (stylus, hand frame.Pose, tick uint64)

// ModelWriter is the haptic loop's end of a newest-value box.
type ModelWriter = local.Writer

// Runner steps a World on a goroutine of its own: newest pose in, frames and models for the hand out. Run owns the
// world; everything else may be called from other goroutines, each box from one.
type Runner struct {
	world  World
	timed  Timed // the same; nil where it does not advance in time
	info   *Info
	keys   []Key
	poses  PoseSource
	models ModelWriter
	period time.Duration
	times  float64 // by which the hand feels forces stronger

	values atomic.Pointer[[]float64]
	want   atomic.Pointer[Want]
	spring atomic.Pointer[Coupling]
	grasp  atomic.Pointer[Grasp]
	second func() (stylus, hand frame.Pose, tick uint64) // nil: there is no second hand
	others ModelWriter                                   // its models
	paused atomic.Bool
	reset  atomic.Bool
	placed bool         // the next step begins with the tool where it is, not at the start
	steps  atomic.Int64 // to let through while paused
	begun  atomic.Int64 // when the step under way began, ns since start; 0: none is
	frames *latest.Box[Frame]

	start, last time.Time
	drawn       time.Time
	smoothed    time.Duration
	asked       *[]float64 // values that were published last
	applied     *[]float64 // those that are in force
	sequence    uint64
	report      Report
	mean        Mean
	deadline    Deadline
	owed        float64 // to the world, s
	pace        pace
	message     string

	watching atomic.Pointer[watching]
	heeded   *watching
	told     *[]float64 // values that the watcher has been told
	made     Made
}

// NewRunner makes a runner for w that writes its models for the hand to models.
func NewRunner(w World, models ModelWriter, poses PoseSource) *Runner {
	r := &Runner{world: w, info: w.Info(), keys: w.Keys(), poses: poses, models: models, period: defaultPeriod, times: 1}
	if r.info.Advances {
		r.timed = w.(Timed)
	}
	r.frames = latest.New(w.Draw)
	r.want.Store(&Want{})
	r.spring.Store(&Coupling{})
	r.grasp.Store(&Grasp{})
	v := Values(r.keys)
	r.values.Store(&v)
	r.asked, r.applied = &v, &v
	r.start = time.Now()
	return r
}

// SecondHand adds a second hand, to a world whose Info.Second says where it begins; before Run.
func (r *Runner) SecondHand(models ModelWriter, poses PoseSource) { r.others, r.second = models, poses }

// Strengthen lets the hands feel forces so many times as strong as they are in the scene; before Run.
func (r *Runner) Strengthen(times float64) { r.times = times }

// SetValues publishes a value for every key; it takes effect at the next step. v is kept: do not change it afterwards.
// Any goroutine.
func (r *Runner) SetValues(v []float64) { r.values.Store(&v) }

// SetWant says what frames should hold. Any goroutine.
func (r *Runner) SetWant(w Want) {
	if *r.want.Load() != w {
		r.want.Store(&w)
	}
}

// SetCoupling says by what spring the tool hangs on the hand, from the next step on. Any goroutine.
func (r *Runner) SetCoupling(c Coupling) {
	if *r.spring.Load() != c {
		r.spring.Store(&c)
	}
}

// SetGrasp says what the hand holds, from the next step on. Any goroutine.
func (r *Runner) SetGrasp(g Grasp) { r.grasp.Store(&g) }

// Pause stops the steps, or lets them go on. Any goroutine.
func (r *Runner) Pause(on bool) { r.paused.Store(on) }

// Reset puts the world back to its start at the next step. Any goroutine.
func (r *Runner) Reset() { r.reset.Store(true) }

// StepOnce lets one step through while paused. Any goroutine.
func (r *Runner) StepOnce() { r.steps.Add(1) }

// Stalled is how long the step under way has been, where that is longer than a user would not notice; else 0. Any
// goroutine.
func (r *Runner) Stalled() time.Duration {
	const noticed = 500 * time.Millisecond
	if begun := r.begun.Load(); begun != 0 {
		if d := time.Since(r.start) - time.Duration(begun); d > noticed {
			return d
		}
	}
	return 0
}

// Frames is the box of the display loop, its only reader.
func (r *Runner) Frames() *latest.Box[Frame] { return r.frames }

// Run steps until ctx ends. It waits for no other loop. The world is closed then.
func (r *Runner) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer r.world.Close()
	between := func(bool) {}
	if b, ok := r.world.(Background); ok {
		wait := b.Start(ctx)
		defer wait()
		between = b.Between
	}
	defer cancel()

	r.last = time.Now()
	next := r.last
	for ctx.Err() == nil {
		if v := r.values.Load(); v != r.asked {
			r.asked, r.applied = v, r.apply(v)
		}
		paused := r.paused.Load()
		stepping := !paused || r.steps.Load() > 0
		between(stepping)
		if stepping {
			r.heed()
		}
		fresh := r.reset.Swap(false)
		if fresh {
			r.placed = r.timed == nil && r.sequence > 0 && r.report.Force.LenSqr() == 0
			r.world.Reset()
		}
		r.made.Fresh = fresh || r.made.Fresh // one during a pause counts for the next step
		if stepping {
			if paused {
				r.steps.Add(-1)
			}
			r.step()
		} else {
			r.last = time.Now()
		}
		drawn := r.publish()
		if stepping {
			r.tell(drawn)
			r.made.Fresh = false
		}

		// Absolute deadlines keep the rate; one that is missed is not made up for.
		next = next.Add(r.period)
		if wait := time.Until(next); wait > 0 {
			time.Sleep(wait)
		} else {
			next = time.Now()
		}
	}
}

func (r *Runner) step() {
	stylus, hand, tick := r.poses()
	now := time.Now()
	r.begun.Store(int64(now.Sub(r.start)))
	var secondTick uint64
	passed := now.Sub(r.last).Seconds()
	in := Input{Target: stylus, Hand: hand, Placed: r.placed, Coupling: r.spring.Load().over(r.times), Grasp: *r.grasp.Load(), Deadline: &r.deadline}
	r.placed = false
	if r.timed != nil {
		in.Dt = min(r.owed+passed, LongestAdvance+r.timed.OwnStep())
	}
	if r.second != nil {
		in.Second, _, secondTick = r.second()
	}
	r.deadline.Begin(stepLimit)
	r.report = r.world.Step(in)
	r.begun.Store(0)
	if r.owed = max(0, in.Dt-r.report.Advanced); r.owed > 0 && r.deadline.Cut() {
		// Slow motion: to catch up would make the next step late, too. What is no whole step yet is not given up.
		if h := r.timed.OwnStep(); h > 0 {
			r.owed = math.Mod(r.owed, h)
		}
	}
	r.pace.add(passed, r.report.Advanced)
	if r.report.Total == 0 {
		r.report.Total = time.Since(now)
	}
	r.mean.add(&r.report, passed)
	if n := float64(r.sequence); n > 0 { // before the first step there is no period
		r.smoothed += time.Duration(max(0.05, 1/n) * float64(now.Sub(r.last)-r.smoothed)) // their mean at first
	}
	r.last = now
	r.sequence++
	r.made = Made{Step: r.sequence, Tick: tick, At: now, Input: in, Report: r.report, Fresh: r.made.Fresh}

	r.tellHand(r.models, r.world.Local, tick, now.Sub(r.start))
	if r.second != nil {
		r.tellHand(r.others, r.world.(TwoHanded).LocalSecond, secondTick, now.Sub(r.start))
	}
}

// meanTime is how long the times of steps are averaged for the eye, s: those of short ones differ by what else the machine
// does. Steps that take longer stand for themselves.
const meanTime = 0.05

// add takes the times of a step into their mean; passed is the time since the step before, s.
func (m *Mean) add(r *Report, passed float64) {
	share := min(1, passed/meanTime)
	mix := func(mean *time.Duration, x time.Duration) { *mean += time.Duration(share * float64(x-*mean)) }
	mix(&m.Total, r.Total)
	for i := range m.Phases {
		mix(&m.Phases[i], r.Phases[i])
	}
}

// pace is how fast the world's time runs, over the last second or so.
type pace struct{ passed, advanced float64 }

func (p *pace) add(passed, advanced float64) {
	const memory = 1 // s
	left := math.Exp(-passed / memory)
	p.passed, p.advanced = left*p.passed+passed, left*p.advanced+advanced
}

// ratio is the world's time over the clock's; 1 before that is known.
func (p *pace) ratio() float64 {
	if p.passed < 0.2 {
		return 1
	}
	return p.advanced / p.passed
}

// tellHand gives a hand its model for the time until the next step.
func (r *Runner) tellHand(models ModelWriter, fill func(m *local.Model), tick uint64, stamp time.Duration) {
	m := models.Back()
	fill(m)
	m.Strengthen(r.times)
	m.Tick, m.Stamp, m.Period, m.Sequence = tick, stamp, r.smoothed, r.sequence
	models.Publish()
}

// publish hands the state to the display; nil where it is too early for that. The frame may be read until the next
// call.
func (r *Runner) publish() *Frame {
	now := time.Now()
	if r.info.Every > 0 && now.Sub(r.drawn) < r.info.Every {
		return nil
	}
	r.drawn = now
	f := r.frames.Back()
	f.Want = *r.want.Load()
	f.Message, f.Progress = r.message, 1
	r.world.Draw(f)
	f.When = now.Sub(r.start)
	f.Report, f.Mean, f.Pace = r.report, r.mean, 1
	if r.timed != nil {
		f.Pace = r.pace.ratio()
	}
	_, f.Target, _ = r.poses()
	if r.second != nil {
		_, f.Second.Target, _ = r.second()
	}
	f.RateHz = 0
	if r.smoothed > 0 {
		f.RateHz = float64(time.Second) / float64(r.smoothed)
	}
	r.frames.Publish()
	return f
}

// apply makes values current: of those that differ from the last ones. One that cannot be had is told; the others are.
// It returns what is in force then.
func (r *Runner) apply(asked *[]float64) (applied *[]float64) {
	r.message = ""
	v := *asked
	for i := range r.keys {
		k := &r.keys[i]
		if !k.Settable() || i >= len(v) || v[i] == k.Get() {
			continue
		}
		if err := k.Set(v[i]); err != nil {
			r.message = err.Error()
			if &v[0] == &(*asked)[0] { // whoever published it goes on reading it
				v = slices.Clone(v)
			}
			v[i] = k.Get()
		}
	}
	return &v
}
