package tissue

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics/lastforce"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/latest"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
)

// slow is a solver that waits to be let go; where the process is to die, it panics.
type slow struct{}

var slowGate = make(chan struct{})

func (slow) Solve(p *contact.Problem, r []float64, opt *contact.Options) contact.Result {
	if lastforce.InChild() {
		panic("a bug in a solver")
	}
	<-slowGate
	return contact.Result{Iterations: 1, Converged: true}
}

func init() {
	contact.Register(contact.Description{Name: "test-slow", Title: "waits", Note: "for tests"}, func() contact.Solver { return slow{} })
}

// rig is a runner stepped by hand, with its comparison served.
type rig struct {
	*Runner
	pose  frame.Pose
	reads *latest.Box[Snapshot]
}

func newRig(t testing.TB, set ...string) *rig {
	t.Helper()
	s, err := scene.Load("bench-a-16")
	if err != nil {
		t.Fatal(err)
	}
	for _, assignment := range set {
		if err := scene.Set(s, assignment); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &rig{pose: w.StartPose()}
	g.Runner = NewRunner(w, latest.New[local.Model](nil), func() (stylus, hand frame.Pose, tick uint64) { return g.pose, g.pose, 1 })
	g.reads = g.Snapshots()
	ctx, cancel := context.WithCancel(context.Background())
	var helpers sync.WaitGroup
	helpers.Go(func() { g.shadow.serve(ctx, new(shadowHand).solve) })
	t.Cleanup(func() { cancel(); helpers.Wait() })
	return g
}

// push steps once, d mm from the start.
func (g *rig) push(dx, dy float64) {
	g.pose.Position = g.world().StartPose().Position.Add(mgl64.Vec3{dx, dy, 0}.Mul(1e-3))
	g.step()
}

// settle waits for the second solver and returns what is published then.
func (g *rig) settle() *Snapshot {
	for g.shadow.busy.Load() {
		runtime.Gosched()
	}
	g.publish()
	s, _ := g.reads.Get()
	return s
}

// The same solver in the shadow makes the same forces: it sees the same
// problems and starts from the same forces.
func TestShadowOfTheSameSolver(t *testing.T) {
	for _, solver := range []string{"auto", "uzawa", "uzawa-star-consistent"} {
		g := newRig(t, "contact.solver="+solver, "contact.shadow="+solver)
		loaded := 0
		for i := range 40 {
			g.push(0.1*float64(max(0, i-15)), -0.1*float64(i))
			s := g.settle()
			c := &s.Shadow
			if c.Step != s.Step || c.Contacts != s.Stats.Solved || c.Solved != uint64(i+1) || c.Skipped != 0 {
				t.Fatalf("%s: step %d with %d contacts, compared step %d with %d, %d solved, %d skipped", solver, s.Step, len(s.Contacts), c.Step, c.Contacts, c.Solved, c.Skipped)
			}
			if c.Difference != 0 || c.ForceDifference != 0 || c.Differing != 0 || c.Force != s.Force || c.FirstForce != s.Force {
				t.Fatalf("%s, step %d: forces %v and %v, r differs by %g", solver, i, c.Force, s.Force, c.Difference)
			}
			if c.Result.Iterations != s.Stats.Solve.Iterations || c.Result.NaturalError != s.Stats.Solve.NaturalError {
				t.Fatalf("%s, step %d: %d and %d iterations", solver, i, c.Result.Iterations, s.Stats.Solve.Iterations)
			}
			if counts := [3]int{s.Stats.Open, s.Stats.Stick, s.Stats.Slip}; c.Statuses != counts || c.FirstStatuses != counts {
				t.Fatalf("%s, step %d: statuses differ", solver, i)
			}
			if s.Force.Len() > 0 {
				loaded++
			}
		}
		if loaded < 20 {
			t.Fatalf("%s: only %d steps with a force", solver, loaded)
		}
	}
}

// Two exact solvers agree to their tolerance, and an approximate law does not.
func TestShadowOfAnotherSolver(t *testing.T) {
	g := newRig(t, "contact.solver=auto", "contact.criterion=scaled", "contact.tolerance=1e-9", "contact.shadow=uzawa-star-consistent", "contact.max_iterations=100000")
	p := g.world().DefaultParams()
	p.Curve = true
	for i := range 30 {
		if i == 25 {
			p.Shadow = "sliding"
		}
		g.apply(context.Background(), p)
		g.push(0, -0.1*float64(i))
		c := g.settle().Shadow
		switch {
		case c.Force.Len() == 0:
		case i < 25 && !(c.ForceDifference < 1e-6 && c.Difference < 1e-4 && c.Result.Converged):
			t.Fatalf("step %d: two exact solvers differ by %g, r by %g", i, c.ForceDifference, c.Difference)
		case i < 25 && (len(c.Curve.Values) < 2 || c.Curve.Goal != 1e-9 || c.Curve.Measure != contact.Scaled):
			t.Fatalf("step %d: curve %+v", i, c.Curve)
		case i >= 25 && (!(c.Difference > 1e-3) || c.Result.Converged || c.Solver != "sliding"):
			t.Fatalf("step %d: %s differs by %g only", i, c.Solver, c.Difference)
		}
		if i == 25 && c.Solved != 1 {
			t.Fatalf("%d problems counted for a solver just chosen", c.Solved)
		}
	}
	p.Shadow = ""
	g.apply(context.Background(), p)
	g.push(0, -3)
	if s := g.settle(); s.Shadow.Solver != "" || s.Shadow.Step != 0 || len(s.Shadow.Curve.Values) != 0 {
		t.Fatalf("a comparison without a second solver: %+v", s.Shadow)
	}
}

// A second solver that hangs delays nothing; it gets the newest problem later.
func TestShadowNeverBlocks(t *testing.T) {
	g := newRig(t, "contact.shadow=test-slow")
	done := make(chan struct{})
	go func() {
		for i := range 50 {
			g.push(0, -0.05*float64(i))
			g.publish()
		}
		close(done)
	}()
	testkit.Await(t, "steps, which wait for the second solver", done)
	s, _ := g.reads.Get()
	if s.Step != 50 || s.Shadow.Skipped != 49 || s.Shadow.Step != 0 || s.Force.Len() == 0 {
		t.Fatalf("step %d, %d skipped, compared step %d", s.Step, s.Shadow.Skipped, s.Shadow.Step)
	}
	slowGate <- struct{}{}
	if c := g.settle().Shadow; c.Step != 1 || c.Solved != 1 {
		t.Fatalf("compared step %d, %d solved", c.Step, c.Solved)
	}
	g.push(0, -2.5)
	slowGate <- struct{}{}
	if c := g.settle().Shadow; c.Step != 51 || c.Skipped != 49 {
		t.Fatalf("compared step %d, %d skipped", c.Step, c.Skipped)
	}
}

// After a reset the second solver starts from nothing, as the first does.
func TestShadowForgetsOnReset(t *testing.T) {
	g := newRig(t, "contact.solver=uzawa", "contact.shadow=uzawa")
	for i := range 20 {
		g.push(0, -0.1*float64(i))
		g.settle()
	}
	g.world().Reset()
	g.shadow.forget()
	g.push(0, -2)
	if c := g.settle().Shadow; c.Difference != 0 || c.Result.Iterations != c.First.Iterations || c.FirstForce.Len() == 0 {
		t.Fatalf("forces differ by %g, %d and %d iterations", c.Difference, c.Result.Iterations, c.First.Iterations)
	}
}

// A second solver takes nothing from the hand: its model is the same with and without one.
func TestShadowLeavesTheHandItsModel(t *testing.T) {
	alone, compared := newRig(t), newRig(t, "contact.shadow=uzawa")
	var m, n local.Model
	local.Make(&m, 0)
	local.Make(&n, 0)
	for i := range 20 {
		for _, g := range []*rig{alone, compared} {
			g.push(0.1*float64(max(0, i-10)), -0.1*float64(i))
			g.settle()
		}
		alone.Live.Local(&m)
		compared.Live.Local(&n)
		if m.N != n.N || !slices.Equal(m.W, n.W) || !slices.Equal(m.Free, n.Free) || !slices.Equal(m.R, n.R) {
			t.Fatalf("step %d: another model with a second solver", i)
		}
	}
	if m.N == 0 {
		t.Error("nothing is felt")
	}
}

func TestUnknownShadowIsRefused(t *testing.T) {
	g := newRig(t)
	p := g.world().DefaultParams()
	p.Shadow, p.Friction = "magic", 0.9
	if err := g.world().SetParams(p); err == nil || g.world().Params().Friction == 0.9 {
		t.Fatalf("%v; friction %g", err, g.world().Params().Friction)
	}
}

// The curve is recorded when asked for only, and ends where the solve does.
func TestCurve(t *testing.T) {
	g := newRig(t, "contact.solver=uzawa")
	p := g.world().DefaultParams()
	for _, asked := range []bool{false, true, false} {
		p.Curve = asked
		g.apply(context.Background(), p)
		for i := range 10 {
			g.push(0, -0.2*float64(i))
		}
		s := g.settle()
		want := 0
		if asked {
			want = s.Stats.Solve.Iterations
		}
		if len(s.Curve.Values) != want {
			t.Fatalf("asked %v: %d values, %d iterations", asked, len(s.Curve.Values), s.Stats.Solve.Iterations)
		}
		if asked && (s.Curve.Values[want-1] != s.Stats.Solve.RelativeChange || s.Curve.Goal != p.Tolerance || want < 2) {
			t.Fatalf("curve %+v, relative change %g", s.Curve, s.Stats.Solve.RelativeChange)
		}
	}
}

// The residual of each contact is what the natural-map error sums.
func TestResidualOfContacts(t *testing.T) {
	g := newRig(t, "contact.solver=uzawa", "contact.tolerance=1e-3")
	for i := range 20 {
		g.push(0.05*float64(i), -0.1*float64(i))
	}
	s := g.settle()
	sum, r, x, q := 0.0, 0.0, 0.0, 0.0
	for i, c := range s.Contacts {
		for k := range 3 {
			sum += c.Residual[k] * c.Residual[k]
			r += c.R[k] * c.R[k]
			x += c.X[k] * c.X[k]
			q += math.Pow(g.world().posed.problem.Q[3*i+k], 2)
		}
	}
	if e := math.Sqrt(sum / max(r, x, q)); !(math.Abs(e-s.Stats.Solve.NaturalError) < 1e-12*e) || e == 0 {
		t.Fatalf("the residuals make e = %g, the solver says %g", e, s.Stats.Solve.NaturalError)
	}
}

func TestComparisonAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	g := newRig(t, "contact.shadow=uzawa")
	p := g.world().DefaultParams()
	p.Curve = true
	g.apply(context.Background(), p)
	i := 0
	step := func() {
		i++
		g.push(0.02*float64(i%40), -2-0.05*float64(i%13))
		g.settle()
	}
	for range 300 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%g allocations a step with a comparison", n)
	}
}

// BenchmarkOffer is what a comparison costs the physics loop.
func BenchmarkOffer(b *testing.B) {
	s, err := scene.Load("bench-b-66")
	if err != nil {
		b.Fatal(err)
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		b.Fatal(err)
	}
	p := w.DefaultParams()
	p.Shadow = "uzawa"
	if err := w.SetParams(p); err != nil {
		b.Fatal(err)
	}
	var d shadowing
	d.init(nil, nil)
	pose := w.StartPose()
	pose.Position[1] -= 0.003
	for range 20 {
		w.Step(pose)
	}
	for b.Loop() {
		d.offer(w)
		d.busy.Store(false)
	}
}
