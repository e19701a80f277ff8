package contact

import (
	"math"

	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// Sweeper improves forces sweep by sweep: Gauss-Seidel, Jacobi and the like.
type Sweeper interface {
	// Sweep updates the force of every contact in r (3N) once; before tells how many sweeps there were. It returns
	// false if the clock ended it early.
	Sweep(p *Problem, r []float64, before int, clock *Clock) (whole bool)
}

// judge evaluates both errors of forces r (3N). A Sweeper for problems whose W is not known is its own judge.
type judge interface {
	Errors(r []float64) Errors
}

// Sweeps drives a Sweeper: it repeats sweeps until the criterion is met, the forces settle or diverge, or a limit is
// reached, and judges the answer. The zero value is ready; it keeps its workspace.
type Sweeps struct {
	Clock   Clock // of the present solve
	judge   judge
	x, prev []float64 // 3N: displacements, forces before the sweep
	status  []Status  // 2N: before and after the sweep; used by SameStatus only
}

// Start begins to measure a solve. It comes before anything else.
func (s *Sweeps) Start(opt *Options) { s.Clock = StartClock(opt) }

// Run solves p from r (3N). rho is the rho_min of the solve, N/m.
func (s *Sweeps) Run(w Sweeper, p *Problem, r []float64, opt *Options, rho float64) Result {
	res := Result{RhoMin: rho}
	s.Bind(w, p)
	Admit(r, p.Mu)
	stopped := false
	for res.Iterations < opt.MaxIterations && !stopped {
		copy(s.prev, r)
		if !w.Sweep(p, r, res.Iterations, &s.Clock) {
			copy(r, s.prev)
			break
		}
		res.Iterations++
		stopped = s.Stops(p, r, opt, &res)
		if !stopped && settled(&res) {
			break
		}
	}
	s.Finish(p, r, opt, &res, stopped)
	return res
}

// settled reports whether further sweeps are idle: the forces diverged, or do not move any more though the criterion is
// not met, as happens to laws that are approximations when the criterion is on the true errors.
func settled(res *Result) bool {
	return !num.Finite(res.RelativeChange) || res.RelativeChange < 1e-15 && res.Iterations > 1
}

// Bind makes room for p. Run calls it; who drives sweeps by hand does.
func (s *Sweeps) Bind(w any, p *Problem) {
	s.judge, _ = w.(judge)
	s.x = num.Grow(s.x, 3*p.N)
	s.prev = num.Grow(s.prev, 3*p.N)
	s.status = num.Grow(s.status, 2*p.N)
}

// Before is where the forces before a sweep are to be, for Stops.
func (s *Sweeps) Before() []float64 { return s.prev }

func (s *Sweeps) errors(p *Problem, r []float64) Errors {
	if s.judge != nil {
		return s.judge.Errors(r)
	}
	p.Displacements(s.x, r)
	return p.Errors(r, s.x)
}

// Stops reports whether the criterion of opt is met after the sweep that ended in r, updates res.RelativeChange and
// records the history. The change is relative to the new forces (2.72); where those vanish it is the change itself that
// must vanish.
func (s *Sweeps) Stops(p *Problem, r []float64, opt *Options, res *Result) bool {
	d2, r2 := 0.0, 0.0
	for i, f := range r {
		d := f - s.prev[i]
		d2 += d * d
		r2 += f * f
	}
	if r2 == 0 { // all let go: a change by all there was, and no reason to give up
		r2 = d2
	}
	value := kernel.Share(d2, r2)
	res.RelativeChange = value
	switch opt.Criterion {
	case Physical:
		value = math.Sqrt(d2) / res.RhoMin
	case NaturalMap, Scaled:
		e := s.errors(p, r)
		value = e.Natural
		if opt.Criterion == Scaled {
			value = e.Scaled
		}
		opt.Note(value)
		return e.Verified(opt, 0, 0)
	case SameStatus:
		value = float64(s.changed(p, r))
		opt.Note(value)
		return value == 0 && res.Iterations > 1
	}
	opt.Note(value)
	return value <= opt.Tolerance
}

// changed counts the contacts whose status differs from the last call's.
func (s *Sweeps) changed(p *Problem, r []float64) (n int) {
	now, last := s.status[:p.N], s.status[p.N:2*p.N]
	Statuses(now, r, p.Mu)
	for c := range now {
		if now[c] != last[c] {
			n++
		}
		last[c] = now[c]
	}
	return n
}

// Finish ends a solve: it makes r admissible, evaluates both errors, and decides on Converged. stopped says whether the
// solver's own criterion was met.
func (s *Sweeps) Finish(p *Problem, r []float64, opt *Options, res *Result, stopped bool) {
	finite := Admit(r, p.Mu)
	res.SetErrors(s.errors(p, r))
	res.Converged = stopped && finite && res.Errors.Verified(opt, res.RhoMin, num.Norm(r))
	res.Elapsed = s.Clock.Elapsed()
}
