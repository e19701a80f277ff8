package tissue_test

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/latest"
	"hapco/physics/machinery/testkit"
	"hapco/physics/worlds/tissue"
)

// rig is a running Runner with a hand that a test moves.
type rig struct {
	runner *tissue.Runner
	models *latest.Box[local.Model]
	hand   atomic.Pointer[mgl64.Vec3] // from the start, m
	asked  atomic.Uint64              // for a pose, twice in each step and once in each round of a pause
	world  *tissue.World
	stop   func()
}

func newRig(t *testing.T, set ...string) *rig {
	t.Helper()
	w := parseWorld(t, slab, set...)
	r := &rig{world: w, models: latest.New(func(m *local.Model) { local.Make(m, 0) })}
	r.hand.Store(&mgl64.Vec3{})
	start := w.StartPose()
	r.runner = tissue.NewRunner(w, r.models, func() (stylus, hand frame.Pose, n uint64) {
		p := frame.Pose{Position: start.Position.Add(*r.hand.Load()), Rotation: start.Rotation}
		return p, p, r.asked.Add(1)
	})
	ctx, cancel := context.WithCancel(context.Background())
	var loop sync.WaitGroup
	loop.Go(func() { r.runner.Run(ctx) })
	r.stop = func() { cancel(); loop.Wait() }
	t.Cleanup(r.stop)
	return r
}

func (r *rig) move(x, y, z float64) { r.hand.Store(&mgl64.Vec3{x * 1e-3, y * 1e-3, z * 1e-3}) }

// await reads snapshots until one is as wanted.
func (r *rig) await(t *testing.T, what string, ok func(*tissue.Snapshot) bool) *tissue.Snapshot {
	t.Helper()
	var s *tissue.Snapshot
	testkit.Eventually(t, what, func() bool { s, _ = r.runner.Snapshots().Get(); return ok(s) })
	return s
}

// rounds lets the runner go round n times, paused or not: it asks for a pose in each.
func (r *rig) rounds(t *testing.T, n uint64) {
	t.Helper()
	from := r.asked.Load()
	testkit.Eventually(t, "rounds", func() bool { return r.asked.Load() >= from+2*n })
}

func TestRunnerFollowsTheHand(t *testing.T) {
	r := newRig(t)
	r.await(t, "free space", func(s *tissue.Snapshot) bool { return s.Step > 3 && s.Force.Len() == 0 })
	r.move(0, -4, 0)
	pressed := r.await(t, "a force", func(s *tissue.Snapshot) bool { return s.Force[1] > 0.1 }).Force[1]
	m, _ := r.models.Get()
	if m.N == 0 || m.Sequence == 0 || m.Tick == 0 || !m.Finite() {
		t.Errorf("contact model of %d contacts, step %d, tick %d", m.N, m.Sequence, m.Tick)
	}

	// E acts on the next steps
	p := r.world.DefaultParams()
	p.Bodies[1].Young *= 4
	r.runner.SetParams(p)
	r.await(t, "four times the force", func(s *tissue.Snapshot) bool { return s.Force[1] > 3*pressed })

	// nu is recomputed in the background while steps go on
	q := r.world.DefaultParams()
	q.Bodies[1].Poisson = 0.1
	r.runner.SetParams(q)
	r.await(t, "another nu", func(s *tissue.Snapshot) bool {
		return s.Message == "" && s.Progress == 1 && s.Force[1] > 0 && math.Abs(s.Force[1]-pressed) > 1e-3*pressed
	})

	r.move(0, 5, 0)
	r.await(t, "no force after lifting", func(s *tissue.Snapshot) bool { return s.Force.Len() == 0 })
}

// A block pressed by 4 mm has each field that the world names, about as large as it
// should be.
func TestRunnerComputesFields(t *testing.T) {
	r := newRig(t)
	p := r.world.DefaultParams()
	r.move(0, -4, 0)
	for i, between := range [...][2]float64{
		{100, 2e4},     // Pa, under a newton on a few square centimetres
		{100, 2e4},     // Pa
		{0.002, 0.005}, // m
		{0.05, 2},
	} {
		field := tissue.Describe().Fields[i]
		p.Field = i + 1
		r.runner.SetParams(p)
		r.await(t, field.Name, func(s *tissue.Snapshot) bool {
			v := s.Surfaces[1].Scalar
			if s.Field != p.Field || len(v) != len(s.Surfaces[1].Vertices) {
				return false
			}
			return slices.Max(v) > between[0] && slices.Max(v) < between[1] && (field.Signed || slices.Min(v) >= 0)
		})
	}
	p.Field = 0
	r.runner.SetParams(p)
	r.await(t, "none", func(s *tissue.Snapshot) bool { return s.Field == 0 && len(s.Surfaces[1].Scalar) == 0 })
}

func TestRunnerPausesStepsAndResets(t *testing.T) {
	r := newRig(t)
	r.move(0, -4, 0)
	r.await(t, "a force", func(s *tissue.Snapshot) bool { return s.Force[1] > 0.1 })
	r.runner.Pause(true)
	r.rounds(t, 2)
	at := r.await(t, "anything", func(*tissue.Snapshot) bool { return true }).Step
	r.rounds(t, 20)
	if now := r.await(t, "anything", func(*tissue.Snapshot) bool { return true }).Step; now != at {
		t.Errorf("%d steps while paused", now-at)
	}
	r.runner.StepOnce()
	r.await(t, "one step more", func(s *tissue.Snapshot) bool { return s.Step == at+1 })
	r.runner.Reset()
	r.await(t, "the start again", func(s *tissue.Snapshot) bool { return s.Force.Len() == 0 && len(s.Contacts) == 0 })
}

func TestRunnerReportsWhatItCannotDo(t *testing.T) {
	r := newRig(t)
	p := r.world.DefaultParams()
	p.Solver = "no such solver"
	r.runner.SetParams(p)
	r.await(t, "a message", func(s *tissue.Snapshot) bool { return s.Message != "" })
	q := r.world.DefaultParams()
	q.Bodies[1].Poisson = 0.7
	r.runner.SetParams(q)
	r.await(t, "a message about nu", func(s *tissue.Snapshot) bool { return s.Message != "" && s.Progress == 1 })
	r.move(0, -4, 0)
	r.await(t, "a force all the same", func(s *tissue.Snapshot) bool { return s.Force[1] > 0.1 })
}
