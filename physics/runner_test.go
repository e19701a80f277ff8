package physics_test

import (
	"context"
	"testing"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/latest"
)

// asked is a world that tells what its steps start from.
type asked struct{ in chan physics.Input }

func (asked) Info() *physics.Info { return &physics.Info{} }
func (a asked) Step(in physics.Input) (r physics.Report) {
	a.in <- in
	return r
}
func (asked) Local(*local.Model)  {}
func (asked) Draw(*physics.Frame) {}
func (asked) Keys() []physics.Key { return nil }
func (asked) Reset()              {}
func (asked) Close() error        { return nil }

// A step has the hand's spring as it is when the step begins, and where the hand itself is.
func TestStepKnowsTheHandsSpring(t *testing.T) {
	w := asked{make(chan physics.Input)}
	tool, hand := frame.Identity(), frame.Identity()
	hand.Position[1] = 0.1
	r := physics.NewRunner(w, latest.New(func(m *local.Model) { local.Make(m, 0) }), func() (frame.Pose, frame.Pose, uint64) { return tool, hand, 1 })
	ctx, end := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() { r.Run(ctx); close(done) }()
	if in := <-w.in; in.Coupling != (physics.Coupling{}) || in.Hand != hand || in.Target != tool {
		t.Errorf("without a spring a step starts from %+v", in)
	}
	want := physics.Coupling{Stiffness: 400, Angle: 4, Limit: 3}
	r.SetCoupling(want)
	<-w.in // that began before
	if in := <-w.in; in.Coupling != want {
		t.Errorf("the spring of a step is %+v", in.Coupling)
	}
	end()
	for {
		select {
		case <-w.in:
		case <-done:
			return
		}
	}
}
