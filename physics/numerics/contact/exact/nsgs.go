package exact

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

func init() {
	contact.Register(contact.Description{
		Name:  "nsgs",
		Title: "Gauss-Seidel, exact local solve",
		Note:  "relaxes by half when it cycles, hands on to auto when that does not help, or sweeps crawl",
	}, func() contact.Solver { return new(nsgs) })
}

// nsgs is nonsmooth Gauss-Seidel: every contact in turn is solved exactly for the present forces of the others. Exact
// local solves can cycle; when the change has not fallen for a while the sweep is relaxed, r <- r + (exact - r)/2,
// which breaks most cycles. Some remain, with much friction even of two contacts, and on many contacts close together
// sweeps crawl: those problems go on to the other stages of Exact.
//
// The criteria on the change of r are no bound on the errors: when the criterion is met but the errors are not, NSGS
// tightens it and goes on.
type nsgs struct {
	e       engine
	sweeps  contact.Sweeps
	rest    Exact           // for what sweeps do not solve
	options contact.Options // its
}

// Cycles are looked for over windows of cycleWindow sweeps, in which the residual must fall by cycleProgress at least.
// Relaxed sweeps get cyclePatience windows for that.
const (
	cycleWindow   = 60
	cycleProgress = 0.9
	cyclePatience = 5
	// Sweeps crawl where a window's progress would take more than so many windows from the start to the tolerance.
	crawlPatience = 4
)

// Solve implements Solver. r may hold a warm start.
func (s *nsgs) Solve(p *contact.Problem, r []float64, opt *contact.Options) contact.Result {
	contact.CheckSizes(p, r)
	e := &s.e
	s.sweeps.Start(opt)
	e.clock = s.sweeps.Clock
	s.sweeps.Bind(s, p)
	prev := s.sweeps.Before()
	res := contact.Result{RhoMin: opt.Stiffness(p.RhoMin())}
	finite := contact.Admit(r, p.Mu)
	unknown := func() contact.Result {
		res.SetErrors(contact.NotEvaluated())
		res.Elapsed = e.clock.Elapsed()
		return res
	}
	if !e.bind(p) {
		return unknown()
	}
	work := *opt // its tolerance is tightened where the errors ask for it
	omega, best, bestOld, since, wait := 1.0, 0.0, 0.0, 0, 0
	stopped := false
	for res.Iterations < opt.MaxIterations {
		copy(prev, r)
		size, whole := e.sweep(r, omega)
		if !whole {
			if res.Iterations > 0 {
				copy(r, prev)
			}
			break
		}
		res.Iterations++
		if size == 0 || res.Iterations == 1 || size < best {
			best = size
		}
		e.eps = min(max(1e-2*kernel.Share(size*size, e.qq), 1e-14), 1e-3)
		if s.sweeps.Stops(p, r, &work, &res) {
			p.Displacements(e.x, r)
			err := p.Errors(r, e.x)
			if err.Verified(opt, res.RhoMin, num.Norm(r)) {
				stopped = true
				break
			}
			if work.Tolerance *= 0.3; !(work.Tolerance > 1e-16) {
				break
			}
			e.age = 0
		}
		if !num.Finite(res.RelativeChange) || !num.Finite(size) {
			break
		}
		if since++; since == cycleWindow {
			fall := best / bestOld
			switch {
			case res.Iterations == cycleWindow:
			case !(fall < cycleProgress):
				omega = 0.5
				if wait++; wait > cyclePatience && opt.Budget == 0 {
					return s.handOn(p, r, opt, &res)
				}
			case opt.Budget == 0 && math.Pow(fall, crawlPatience) > opt.Tolerance:
				return s.handOn(p, r, opt, &res)
			default:
				wait = 0
			}
			bestOld, since = best, 0
		}
	}
	if e.clock.Late() {
		contact.Admit(r, p.Mu)
		return unknown()
	}
	s.sweeps.Finish(p, r, opt, &res, stopped && finite)
	return res
}

// handOn solves what is left by the stages of auto, with the sweeps that are left.
func (s *nsgs) handOn(p *contact.Problem, r []float64, opt *contact.Options, res *contact.Result) contact.Result {
	s.options = *opt
	s.options.MaxIterations -= res.Iterations
	s.rest.accelerate = true
	s.rest.forget() // what it was handed before is another problem
	out := s.rest.Solve(p, r, &s.options)
	s.options = contact.Options{}
	out.Iterations += res.Iterations
	out.Elapsed = s.e.clock.Elapsed()
	return out
}
