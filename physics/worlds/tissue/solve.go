package tissue

import (
	"math"
	"time"

	"hapco/physics/numerics/num"
)

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
	if !(w.strainLimit > 0 && w.exact) {
		w.attempt()
		return
	}
	if w.wedged > 0 {
		w.wedged--
		w.giveWay()
		w.attempt()
		return
	}
	most := opt.MaxIterations
	if w.params.Tolerance > tightest {
		opt.MaxIterations = min(most, patience)
	}
	w.attempt()
	opt.MaxIterations = most
	if !w.result.Converged && !w.late {
		w.wedged = wedgedFor
		w.giveWay()
		clear(w.set.r)
		w.attempt()
	}
}

// Much friction may wedge a tool between contacts: then no forces obey both laws. A solver that has not found any after
// patience iterations finds none later. Then contacts give way, and do so for wedgedFor solves, before the laws are tried
// without again.
const (
	patience  = 400
	wedgedFor = 16
)

// attempt is one solve, and whether the deadline ended it.
func (w *World) attempt() {
	w.posed.changed = false
	w.result = w.recorder.solve(w.solver, w.posed.read(), w.set.r, &w.options, w.params.Curve)
	w.late = w.timed && !w.result.Converged && w.result.Iterations < w.options.MaxIterations
}

// solveAgain solves a problem for which the forces are known, as well as the solve before
// has found them. They stay where that has found none, where either is ended, and where a
// solver finds others by more than sameForces.
func (w *World) solveAgain() {
	w.posed.changed = false
	if w.late || !w.result.Converged {
		return
	}
	s := &w.set
	s.known = append(s.known[:0], s.r...)
	most := w.options.MaxIterations
	w.options.MaxIterations = min(most, patience)
	again := w.solver.Solve(w.posed.read(), s.r, &w.options)
	w.options.MaxIterations = most
	off := 0.0
	for i, r := range s.known {
		off += (s.r[i] - r) * (s.r[i] - r)
	}
	if !again.Converged || !(math.Sqrt(off) <= sameForces*num.Norm(s.known)) {
		copy(s.r, s.known)
		return
	}
	again.Iterations += w.result.Iterations
	w.result = again
}

// sameForces is a share of the forces.
const sameForces = 0.05
