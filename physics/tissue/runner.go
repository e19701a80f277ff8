package tissue

import (
	"context"
	"sync/atomic"
	"time"

	"hapco/physics/frame"
	"hapco/physics/guard"
	"hapco/physics/latest"
	"hapco/physics/local"
)

// DefaultPeriod is the shortest time from one step to the next. Faster would
// only burn the core that the picture is drawn on: the haptic loop has its own
// contact model in between.
const DefaultPeriod = time.Millisecond

// PoseSource answers at once with the newest pose that the stylus should take,
// where the hand itself is (the same, unless a spring is between them), and the
// haptic tick that it belongs to (0: none). The runner's goroutine alone calls it.
type PoseSource func() (stylus, hand frame.Pose, tick uint64)

// ModelWriter takes contact models: fill Back, then Publish. It is the haptic
// loop's end of a newest-value box.
type ModelWriter interface {
	Back() *local.Model
	Publish()
}

// Runner steps a World on a goroutine of its own: newest pose in, snapshots
// and contact models out. Run owns the world; everything else may be called
// from other goroutines, each box from one.
type Runner struct {
	world  *World
	poses  PoseSource
	period time.Duration

	params    atomic.Pointer[Params]
	reset     atomic.Bool
	steps     atomic.Int64 // to let through while paused
	snapshots *latest.Box[Snapshot]
	models    ModelWriter

	start    time.Time
	last     time.Time
	smoothed time.Duration // time from step to step
	message  string

	preparing preparing
	stress    stressDesk
	shapes    shapeDesk
	shadow    shadowDesk
}

// NewRunner makes a runner for w that writes its contact models to models.
func NewRunner(w *World, models ModelWriter, poses PoseSource) *Runner {
	r := &Runner{
		world: w, poses: poses, models: models, period: DefaultPeriod,
		snapshots: latest.New(w.Snapshot),
	}
	p := w.Params()
	p.Bodies = append([]BodyParams(nil), p.Bodies...)
	r.params.Store(&p)
	r.stress.init(w)
	r.shapes.init(w, smallSurface)
	r.shadow.init(w)
	r.preparing.init(w)
	return r
}

// SetParams publishes a whole set of parameters; it takes effect at the next
// step. p.Bodies is kept: do not change it afterwards. Any goroutine.
func (r *Runner) SetParams(p Params) { r.params.Store(&p) }

// Reset puts every body back into its place at the next step. Any goroutine.
func (r *Runner) Reset() { r.reset.Store(true) }

// StepOnce lets one step through while the parameters say paused. Any goroutine.
func (r *Runner) StepOnce() { r.steps.Add(1) }

// Snapshots is the box of the display loop, its only reader.
func (r *Runner) Snapshots() *latest.Box[Snapshot] { return r.snapshots }

// Run steps until ctx ends. It waits for no other loop.
func (r *Runner) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer r.abandon()
	var helpers guard.Group
	helpers.Go(func() { r.stress.serve(ctx) })
	helpers.Go(func() { r.shadow.serve(ctx) })
	helpers.Go(func() { r.shapes.serve(ctx) })
	defer helpers.Wait()
	defer r.preparing.wait()
	defer cancel()

	r.start = time.Now()
	r.last = r.start
	next := r.start
	applied := (*Params)(nil)
	for ctx.Err() == nil {
		if p := r.params.Load(); p != applied {
			applied = p
			r.apply(ctx, *p)
		}
		stepping := !applied.Paused || r.steps.Load() > 0
		r.preparing.advance(ctx, r.world, stepping)
		if r.reset.Swap(false) {
			r.world.Reset()
			r.shadow.forget()
		}
		if stepping {
			if applied.Paused {
				r.steps.Add(-1)
			}
			r.step()
		} else {
			r.last = time.Now()
		}
		r.publish()

		// Absolute deadlines keep the rate; one that is missed is not made up for.
		next = next.Add(r.period)
		if wait := time.Until(next); wait > 0 {
			time.Sleep(wait)
		} else {
			next = time.Now()
		}
	}
}

// abandon ends what was begun for display and nobody will see.
func (r *Runner) abandon() {
	for _, b := range r.world.bodies {
		if s := b.flexibility.solver; s != nil {
			s.abandon()
		}
	}
}

// step makes one increment towards the newest pose.
func (r *Runner) step() {
	pose, _, tick := r.poses()
	r.world.Step(pose)
	now := time.Now()
	const smoothing = 0.05
	r.smoothed += time.Duration(smoothing * float64(now.Sub(r.last)-r.smoothed))
	r.last = now

	m := r.models.Back()
	r.world.Model(m)
	m.Tick, m.Stamp, m.Period = tick, now.Sub(r.start), r.smoothed
	r.models.Publish()
	r.shadow.offer(r.world)
}

// publish hands the state to the display.
func (r *Runner) publish() {
	s := r.snapshots.Back()
	if r.shapes.exchange(r.world, s) {
		r.world.fillContacts(s)
	} else {
		r.world.Snapshot(s)
	}
	s.When = time.Since(r.start)
	_, s.Target, _ = r.poses()
	if r.smoothed > 0 {
		s.Stats.RateHz = float64(time.Second) / float64(r.smoothed)
	}
	s.Message, s.Progress = r.message, 1
	r.preparing.tell(r.world, s)
	r.stress.exchange(r.world, s)
	r.shadow.collect(r.world, s)
	r.snapshots.Publish()
}

// apply makes p current. What takes time starts in the background: see preparing.
func (r *Runner) apply(_ context.Context, p Params) {
	r.message = ""
	if err := r.world.SetParams(p); err != nil {
		r.message = err.Error()
	}
}
