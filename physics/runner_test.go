package physics_test

import (
	"context"
	"sync/atomic"
	"testing"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/latest"
)

// asked is a world that tells what its steps start from.
type asked struct {
	in    chan physics.Input
	force *atomic.Bool // 1 N
}

func (asked) Info() *physics.Info { return &physics.Info{} }
func (a asked) Step(in physics.Input) (r physics.Report) {
	if a.in <- in; a.force.Load() {
		r.Force[1] = 1
	}
	return r
}
func (asked) Local(*local.Model)  {}
func (asked) Draw(*physics.Frame) {}
func (asked) Keys() []physics.Key { return nil }
func (asked) Reset()              {}
func (asked) Close() error        { return nil }

// askedRunner runs such a world until the test ends.
func askedRunner(t *testing.T, tool, hand frame.Pose) (asked, *physics.Runner) {
	w := asked{make(chan physics.Input), new(atomic.Bool)}
	r := physics.NewRunner(w, latest.New(func(m *local.Model) { local.Make(m, 0) }), func() (frame.Pose, frame.Pose, uint64) { return tool, hand, 1 })
	ctx, end := context.WithCancel(context.Background())
	done := make(chan bool)
	go func() { r.Run(ctx); close(done) }()
	t.Cleanup(func() {
		end()
		for {
			select {
			case <-w.in:
			case <-done:
				return
			}
		}
	})
	return w, r
}

// A step has the hand's spring as it is when the step begins, and where the hand itself is.
func TestStepKnowsTheHandsSpring(t *testing.T) {
	tool, hand := frame.Identity(), frame.Identity()
	hand.Position[1] = 0.1
	w, r := askedRunner(t, tool, hand)
	if in := <-w.in; in.Coupling != (physics.Coupling{}) || in.Hand != hand || in.Target != tool {
		t.Errorf("without a spring a step starts from %+v", in)
	}
	want := physics.Coupling{Stiffness: 400, Angle: 4, Limit: 3}
	r.SetCoupling(want)
	<-w.in // that began before
	if in := <-w.in; in.Coupling != want {
		t.Errorf("the spring of a step is %+v", in.Coupling)
	}
}

// After a world has been put back a tool that touched nothing is where it was; one that touched begins at the start.
func TestFreeToolsStayWhereTheyAre(t *testing.T) {
	w, r := askedRunner(t, frame.Identity(), frame.Identity())
	for _, touches := range []bool{false, true} {
		w.force.Store(touches)
		for range 2 { // that began before, and one that is as it was asked to be
			<-w.in
		}
		r.Reset()
		placed := 0
		for range 4 {
			if in := <-w.in; in.Placed {
				placed++
			}
		}
		if want := map[bool]int{false: 1, true: 0}[touches]; placed != want {
			t.Errorf("touches %t: put to its place in %d steps, want %d", touches, placed, want)
		}
	}
}
