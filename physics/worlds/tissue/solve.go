package tissue

import "time"

// leastSolve is what a solve gets when the deadline of its step is near or past.
const leastSolve = time.Millisecond / 2

// start begins a step's time.
func (w *World) start() {
	w.timed = w.clock != nil && w.deadline > 0 && w.params.Tolerance > tightest
	if w.deadline > 0 {
		w.clock.Within(w.deadline)
	}
}

// overdue tells whether the step's deadline has passed.
func (w *World) overdue() bool { return w.timed && w.clock.Late(0) }

// solve finds the contact forces.
func (w *World) solve() {
	opt := &w.options
	w.setOptions(opt)
	if opt.Watch = nil; w.timed {
		if w.asks == nil {
			w.asks = func() bool { return w.clock.PartLate() }
		}
		opt.Watch = &w.watch
		opt.Watch.When(w.asks)
		w.clock.Allow(leastSolve)
	}
	w.posed.changed = false
	w.result = w.recorder.solve(w.solver, w.posed.read(), w.set.r, opt, w.params.Curve)
	w.late = w.timed && !w.result.Converged && w.result.Iterations < opt.MaxIterations
}
