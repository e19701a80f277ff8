package tissue

import "time"

// leastSolve is what a solve gets when the deadline of its step is near or past.
const leastSolve = time.Millisecond / 2

// start begins a step's time.
func (w *World) start() {
	w.clock.timed = w.clock.of != nil && w.clock.limit > 0 && w.params.Tolerance > tightest
	if w.clock.limit > 0 {
		w.clock.of.Within(w.clock.limit)
	}
}

// overdue tells whether the step's deadline has passed.
func (w *World) overdue() bool { return w.clock.timed && w.clock.of.Late(0) }

// solve finds the contact forces.
func (w *World) solve() {
	opt := &w.solving.options
	w.setOptions(opt)
	if opt.Watch = nil; w.clock.timed {
		if w.clock.asks == nil {
			w.clock.asks = func() bool { return w.clock.of.PartLate() }
		}
		opt.Watch = &w.clock.watch
		opt.Watch.When(w.clock.asks)
		w.clock.of.Allow(leastSolve)
	}
	w.posed.changed = false
	w.solving.result = w.solving.recorder.solve(w.solving.solver, w.posed.read(), w.set.r, opt, w.params.Curve)
	w.clock.late = w.clock.timed && !w.solving.result.Converged && w.solving.result.Iterations < opt.MaxIterations
}
