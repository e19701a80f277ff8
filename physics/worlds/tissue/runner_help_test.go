package tissue

import (
	"context"
	"slices"
	"sync/atomic"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/machinery/latest"
)

// Runner is a world with its runner as tests drive it: by Params, and seen as Snapshots.
type Runner struct {
	*physics.Runner
	*Live
	models physics.ModelWriter
	poses  physics.PoseSource
	next   atomic.Pointer[Params]
	seen   *latest.Box[Snapshot]
	frame  physics.Frame
	failed string // what SetParams could not do
}

// NewRunner makes one that writes its models to models.
func NewRunner(w *World, models physics.ModelWriter, poses physics.PoseSource) *Runner {
	r := &Runner{Live: NewLive(w), models: models, seen: latest.New(w.Snapshot)}
	r.poses = func() (stylus, hand frame.Pose, tick uint64) {
		if p := r.next.Swap(nil); p != nil {
			r.apply(context.Background(), *p)
		}
		return poses()
	}
	r.Live.drawn = r.keep
	r.Runner = physics.NewRunner(r.Live, models, r.poses)
	return r
}

// keep publishes a copy of what was drawn: its shapes are the frame's.
func (r *Runner) keep(s *Snapshot) {
	if r.failed != "" {
		s.Message = r.failed
	}
	to := r.seen.Back()
	bodies, contacts, preparing, curve, second := to.Surfaces, to.Contacts, to.Preparing, to.Curve.Values, to.Shadow.Curve.Values
	*to = *s
	to.Contacts, to.Preparing = append(contacts[:0], s.Contacts...), append(preparing[:0], s.Preparing...)
	to.Curve.Values, to.Shadow.Curve.Values = append(curve[:0], s.Curve.Values...), append(second[:0], s.Shadow.Curve.Values...)
	to.Surfaces = bodies
	for i := range s.Surfaces {
		to.Surfaces[i].Vertices = append(to.Surfaces[i].Vertices[:0], s.Surfaces[i].Vertices...)
		to.Surfaces[i].Scalar = append(to.Surfaces[i].Scalar[:0], s.Surfaces[i].Scalar...)
	}
	r.seen.Publish()
}

// Reset is the runner's.
func (r *Runner) Reset() { r.Runner.Reset() }

// SetParams takes effect at the next step.
func (r *Runner) SetParams(p Params) {
	p.Bodies = slices.Clone(p.Bodies)
	r.SetWant(physics.Want{Field: p.Field, Series: p.Curve})
	r.next.Store(&p)
}

func (r *Runner) apply(_ context.Context, p Params) {
	r.failed = ""
	if err := r.world().SetParams(p); err != nil {
		r.failed = err.Error()
	}
	r.frame.Want = physics.Want{Field: p.Field, Series: p.Curve}
}

func (r *Runner) world() *World { return r.Live.World }

// Snapshots is the box of what was drawn.
func (r *Runner) Snapshots() *latest.Box[Snapshot] { return r.seen }

// step and publish are those of a runner, by hand.
func (r *Runner) step() {
	stylus, hand, tick := r.poses()
	r.Live.Step(physics.Input{Target: stylus, Hand: hand})
	m := r.models.Back()
	r.Local(m)
	m.Tick = tick
	r.models.Publish()
}

func (r *Runner) publish() { r.Draw(&r.frame) }
