package tissue

import (
	"context"
	"testing"
	"time"

	"hapco/haptics/lastforce"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/machinery/latest"
)

// doomed is a Runner at work whose poses are first given to a saboteur, on the
// physics goroutine.
func doomed(t *testing.T, build Builder, sabotage func(r *Runner)) {
	s, err := scene.Load("bench-a-16")
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := build.New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := w.StartPose()
	var r *Runner
	r = NewRunner(w, latest.New[local.Model](nil), func() (frame.Pose, frame.Pose, uint64) {
		sabotage(r)
		return start, start, 1
	})
	r.shapes.prepare(w, 0)
	failsafe.Go(func() { r.Run(context.Background()) })
}

// A panic on any goroutine of physics lets the hand go.
func TestPanicLetsGo(t *testing.T) {
	check := func(name, at string, die func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			lastforce.Check(t, at, func(*lastforce.Double) { die(t) })
		})
	}
	check("steps", "(*Runner).Run", func(t *testing.T) {
		doomed(t, Builder{}, func(*Runner) { panic("a bug in a step") })
	})
	check("shadow", "(*shadowHand).solve", func(t *testing.T) { // its solver panics in a child process
		doomed(t, Builder{}, func(r *Runner) { r.world().params.Shadow = "test-slow" })
	})
	check("shapes", "shaper", func(t *testing.T) {
		doomed(t, Builder{}, func(r *Runner) {
			r.shapes.last = time.Now().Add(time.Hour) // no other orders
			r.shapes.orders.Back().bodies = make([]bodyShape, 99)
			r.shapes.post()
		})
	})
	check("stress", "strainer", func(t *testing.T) {
		doomed(t, Builder{}, func(r *Runner) {
			r.stress.orders.Back().bodies = make([]bodyLoad, 99)
			r.stress.post()
		})
	})
	check("preparation", "(*job).first", func(t *testing.T) {
		build := Builder{Later: 1, beside: true, gate: func(string) { panic("a bug in a preparation") }}
		doomed(t, build, func(*Runner) {})
	})
	check("what cannot be stopped", "abandonable", func(t *testing.T) {
		_, _ = abandonable(context.Background(), func() (int, error) { panic("a bug in a factorisation") })
	})
	check("solver of the stresses", "flex.NewPlan", func(*testing.T) {
		new(lazyFactor).solve(nil, nil)
	})
}
