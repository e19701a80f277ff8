package exact

import (
	"math"
	"time"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/contact/mixing"
	"hapco/physics/numerics/num"
)

func init() {
	contact.Register(contact.Description{
		Name:   "auto",
		Title:  "automatic: accelerated sweeps, Newton, proximal",
		Note:   "picks, watches and falls back; the tolerance is on both errors",
		Traits: contact.Traits{OnErrors: true},
	}, func() contact.Solver { return &Exact{accelerate: true} })
	contact.Register(contact.Description{
		Name:   "nsgs-newton",
		Title:  "Gauss-Seidel, then semismooth Newton",
		Note:   "ten exact sweeps, then Newton steps, proximal where W is singular; reaches 1e-12",
		Traits: contact.Traits{OnErrors: true},
	}, func() contact.Solver { return new(Exact) })
}

// Exact solves to small errors by the methods of this package, in the order of their cost: Gauss-Seidel sweeps with
// exact local solves (accelerated by Anderson mixing in "auto"), a semismooth Newton method on the active contacts, and
// a proximal loop around that for what is degenerate.
//
// The tolerance is on the errors whatever the criterion: both below it, or, for NaturalMap and Scaled, the one that is
// named, and the other below ten times it; for Physical it is the tolerance times rho_min/|r|, r being the answer.
// Iterations counts sweeps and Newton steps.
type Exact struct {
	accelerate bool
	off        Stages // left out
	e          engine
	r, mu      []float64 // forces and friction of the caller
	opt        *contact.Options
	res        contact.Result
	known      bool    // res.Errors are at r, with displacements in e.x
	tolE, tolS float64 // what both errors must reach
	bestRel    float64 // residual that the forces in e.best came from
	trigger    float64 // relative residual below which a test pays
	start      []float64
	finite     bool   // the starting forces were
	last       recall // of the last solve
	kept       bool   // last is of the present solve already
	tried      bool   // direct has started from the warm start

	// sweepsNeeded is how many sweeps the last solve took that they ended, or would have taken; it falls slowly while
	// Newton steps do without.
	sweepsNeeded float64
	marks        [len(tightMarks)][]float64
	firstRel     float64 // residual half-way through the first sweeps
	lastRel      float64 // and at their end
}

// Limits of the stages, in sweeps and Newton steps.
const (
	fewContacts   = 12   // up to so many a few sweeps may be the answer, and steps of Newton's method without tiles
	plainSweeps   = 10   // before the first Newton step of nsgs-newton
	firstSweeps   = 10   // accelerated ones before auto decides how to go on
	attemptSteps  = 4    // Newton steps that an attempt usually takes
	maxSweeps     = 400  // accelerated sweeps in a row
	stallWindow   = 14   // sweeps in which the residual must fall by ...
	stallProgress = 0.5  // ... this factor
	newtonDamping = 1e-2 // share of e_s, times mean w_c, added to the diagonal ...
	leastDamp     = 1e-6 // ... of a sparse W, and no less than this of mean w_c
	halvings      = 5
	orderLimit    = 100                  // contacts; with a deadline no larger sparse problem is factorised
	closing       = 2 * time.Microsecond // of a budget, for what follows the last look at the clock ...
	closingEach   = 25 * time.Nanosecond // ... and a contact's share of that
)

// outcome is how a stage ended.
type outcome uint8

const (
	done    outcome = iota // both errors are below the tolerance
	stalled                // another stage should go on
	stopped                // deadline, iteration limit, or numbers that are not finite
)

// Solve implements Solver. r may hold a warm start.
func (s *Exact) Solve(p *contact.Problem, r []float64, opt *contact.Options) contact.Result {
	cold := s.begin(p, r, opt)
	e := &s.e
	out := stopped
	small := p.N > 0 && p.N <= fewContacts
	if cold && small && s.accelerate && s.off == 0 && opt.Budget == 0 && e.weigh(p) {
		if s.goals(); !s.strict() {
			if out = s.few(); out != stalled {
				s.end(out == done)
				return s.res
			}
			clear(r)
			s.res.Iterations, e.newt.count = 0, 0
		}
	}
	if e.bind(p) {
		e.fresh = cold
		s.goals()
		if out = s.run(); out != done {
			e.setProx(0, nil)
			s.returnBest()
		}
	}
	s.end(s.finite && out == done)
	return s.res
}

// begin prepares for a solve, and tells whether it starts from no forces.
func (s *Exact) begin(p *contact.Problem, r []float64, opt *contact.Options) (cold bool) {
	e := &s.e
	e.clock = contact.Clock{}
	e.clock.Watch = opt.Watch
	if opt.Timed || opt.Budget > 0 {
		e.clock.Start = time.Now()
	}
	if opt.Budget > 0 {
		e.clock.Limit = max(opt.Budget-closing-time.Duration(p.N)*closingEach, 1)
	}
	contact.CheckSizes(p, r)
	s.r, s.mu, s.opt = r, p.Mu, opt
	s.res = contact.Result{}
	s.known, s.kept, s.tried = false, false, false
	s.bestRel = math.Inf(1)
	if s.finite, cold = true, allZero(r); !cold {
		s.finite = contact.Admit(r, p.Mu)
		cold = s.loaded(r) == 0
	}
	if cold { // a cold start is to repeat whatever was solved before
		s.forget()
	}
	return cold
}

func allZero(r []float64) bool {
	for _, f := range r {
		if f != 0 {
			return false
		}
	}
	return true
}

// forget makes the next solve the same as that of a new solver.
func (s *Exact) forget() {
	s.last.forget()
	s.sweepsNeeded = 0
	s.e.act.factors = s.e.act.factors[:0]
}

// goals sets the levels that both errors must reach, from those that hold at the start.
func (s *Exact) goals() {
	rho := s.opt.Stiffness(s.e.rhoMin)
	s.res.RhoMin = rho
	s.tolE, s.tolS = s.opt.Goals(rho, s.size(s.r))
	s.trigger = 3 * s.tolS
}

// size is |r| where a criterion asks for it.
func (s *Exact) size(r []float64) float64 {
	if s.opt.Criterion != contact.Physical {
		return 0
	}
	return num.Norm(r)
}

// aim sets the levels that forces r must reach where these depend on r.
func (s *Exact) aim(r []float64) {
	if s.opt.Criterion != contact.Physical {
		return
	}
	before := s.tolS
	s.tolE, s.tolS = s.opt.Goals(s.res.RhoMin, num.Norm(r))
	if ratio := s.tolS / before; ratio > 0 && !math.IsInf(ratio, 0) {
		s.trigger *= ratio
	} else {
		s.trigger = 3 * s.tolS
	}
}

// strict tells whether the answer is for comparison with others: see tight.
func (s *Exact) strict() bool {
	tol := s.tolE
	switch {
	case s.opt.Criterion == contact.Physical: // tolE is that of the start, which may be far off
		tol = s.opt.Tolerance
	case s.opt.UnitFree && s.opt.Criterion != contact.NaturalMap:
		tol = s.tolS
	}
	return tol <= tightTolerance
}

// run goes through the stages until one is done.
func (s *Exact) run() outcome {
	tight := s.strict() && s.e.clock.Limit == 0
	s.e.single.on = !tight && s.accelerate && s.e.p.Blocks == nil && s.e.p.N >= singleFrom
	if s.e.p.N == 1 { // one sweep is the answer
		s.e.eps = exactRoot
	}
	if s.accelerate && tight {
		if out := s.tight(); out != stalled {
			return out
		}
	}
	if s.accelerate && s.off&WarmNewton == 0 && s.warm() {
		s.res.Route = contact.RouteNewton
		if out := s.direct(true, 0); out != stalled {
			return out
		}
	}
	out := s.sweeps()
	if out == stalled && s.accelerate && s.off&Interior == 0 {
		s.res.Route = contact.RouteInterior
		out = s.interior()
	}
	if out == stalled && !s.accelerate { // auto has tried it before
		out = s.plainRounds()
	}
	if out == stalled && s.off&Proximal == 0 {
		s.res.Route = contact.RouteProximal
		out = s.proximal()
	}
	if out == done && s.res.Route == contact.RouteNewton && tight {
		return s.polish(1) // the tolerance alone leaves r uncertain where W is nearly singular
	}
	return out
}

// end completes the result.
func (s *Exact) end(ok bool) {
	res, e := &s.res, &s.e
	if !s.known {
		contact.Admit(s.r, s.mu)
		res.Errors = contact.NotEvaluated()
	}
	res.NaturalError, res.ScaledError, res.RelativeChange = res.Errors.Natural, res.Errors.Scaled, res.Errors.Scaled
	res.Newton = e.newt.count
	res.Converged = ok && s.known && res.Errors.Verified(s.opt, res.RhoMin, s.size(s.r))
	res.Elapsed = e.clock.Elapsed()
	if res.Converged && !s.kept {
		s.last.keep(e.p, s.r, e.x)
		if res.Route == contact.RouteSweeps || res.Route == contact.RouteAnderson {
			s.sweepsNeeded = float64(res.Iterations)
		}
	}
	s.r, s.opt, s.mu = nil, nil, nil
}

// test makes r admissible and evaluates the errors there, with the displacements left in e.x, and returns their excess.
func (s *Exact) test() float64 {
	contact.Admit(s.r, s.e.p.Mu)
	s.res.Errors = s.e.errors(s.r, s.e.x)
	s.e.single.about(s.r, s.e.x)
	s.known = true
	return s.excess(&s.res.Errors, s.r)
}

// excess is how many times the errors of forces r exceed what they must reach; NaN counts as infinite.
func (s *Exact) excess(err *contact.Errors, r []float64) float64 {
	s.aim(r)
	m := max(err.Natural/s.tolE, err.Scaled/s.tolS)
	if !(m >= 0) {
		return math.Inf(1)
	}
	return m
}

// spent reports whether the iteration limit or the deadline is reached.
func (s *Exact) spent() bool {
	return s.res.Iterations >= s.opt.MaxIterations || s.e.clock.Expired()
}

// relative is the weighted residual size as a share of the free motion.
func (s *Exact) relative(size float64) float64 { return kernel.Share(size*size, s.e.qq) }

// swept takes note of a sweep that met residual rel and ended in g; it tests the errors at r when that may pay.
func (s *Exact) swept(rel float64, g []float64) outcome {
	s.res.Iterations++
	s.known = false
	s.timed()
	s.opt.Note(rel)
	if !num.Finite(rel) {
		return stopped
	}
	if rel < s.bestRel {
		s.bestRel = rel
		copy(s.e.best, g)
	}
	s.e.eps = min(max(1e-2*rel, 1e-14), 1e-3)
	s.aim(g)
	if rel <= s.trigger || s.e.alone || s.res.Iterations == 1 && len(s.e.loc) == 1 {
		m, test := s.promising()
		if test {
			if m = s.test(); m <= 1 {
				return done
			}
		}
		if rel <= s.trigger {
			s.trigger = min(s.trigger, 2*rel/m)
			s.e.age = 0 // a sleeping contact may be what is missing
		}
	}
	return stalled
}

// sweeps is the first stage: accelerated sweeps, with a Newton attempt as soon as that promises to be faster; or a few
// plain sweeps.
func (s *Exact) sweeps() outcome {
	s.res.Route = contact.RouteSweeps
	if !s.accelerate {
		out := s.plain()
		s.res.Route = contact.RouteNewton
		return out
	}
	s.start = append(s.start[:0], s.r...)
	if s.off&Extrapolation == 0 && s.last.same(s.e.p) {
		s.last.extrapolate(&s.e, s.r)
	}
	s.e.mix.Begin(3*s.e.p.N, mixing.Most)
	out := s.mixed(firstSweeps, firstSweeps)
	if out != stalled {
		return out
	}
	left := s.remaining()
	if s.e.p.Blocks == nil {
		s.sweepsNeeded = min(firstSweeps+left, maxSweeps)
	}
	per, steps := math.Inf(1), float64(attemptSteps)
	switch {
	case !s.fits():
	case s.moves():
		s.e.move.bind(s.e.p)
		per, steps = s.e.move.sweepsPerStep(), moveUsual
	default:
		per = s.e.sweepsPerStep()
	}
	window := int(min(max(per, stallWindow), 4*stallWindow))
	if s.e.p.Blocks == nil && s.stepCost() < left*s.sweepCost()/2 || left > steps*per {
		s.res.Route = contact.RouteNewton
		if out = s.newtonRounds(); out != stalled {
			return out
		}
		s.e.mix.Forget()
	}
	s.res.Route = contact.RouteAnderson
	if out = s.mixed(maxSweeps, window); out != stalled {
		return out
	}
	s.res.Route = contact.RouteNewton
	return s.newtonRounds()
}

// remaining predicts from the rate of the last sweeps how many more it takes.
func (s *Exact) remaining() float64 {
	rate := math.Pow(s.lastRel/s.firstRel, 1/(firstSweeps/2.0))
	if !(rate < 1) {
		return math.Inf(1)
	}
	return math.Log(s.tolS/s.lastRel) / math.Log(rate)
}

// plain does a few sweeps without acceleration.
func (s *Exact) plain() outcome {
	e := &s.e
	for range plainSweeps {
		if s.spent() {
			return stopped
		}
		size, whole := e.sweep(s.r, 1)
		if !whole {
			s.partial(s.r)
			return stopped
		}
		if out := s.swept(s.relative(size), s.r); out != stalled {
			return out
		}
	}
	return stalled
}

// plainRounds is newtonRounds without acceleration.
func (s *Exact) plainRounds() outcome {
	if s.e.p.Blocks != nil || s.off&Rounds != 0 {
		return stalled
	}
	for _, damp := range roundDamping {
		if out := s.direct(false, damp); out != stalled {
			return out
		}
		if out := s.plain(); out != stalled {
			return out
		}
	}
	return stalled
}

// partial takes the part of a first sweep that the deadline allowed.
func (s *Exact) partial(g []float64) {
	if s.res.Iterations == 0 {
		copy(s.r, g)
		contact.Admit(s.r, s.e.p.Mu)
	}
}

// mixed does accelerated sweeps until they stall: until the residual has not fallen by stallProgress for window sweeps.
func (s *Exact) mixed(limit, window int) outcome {
	e := &s.e
	mark, since := math.Inf(1), 0
	for k := range limit {
		if s.spent() {
			return stopped
		}
		size, whole := e.accelerated(s.r)
		if !whole {
			s.partial(e.mix.G)
			return stopped
		}
		rel := s.relative(size)
		if out := s.swept(rel, e.mix.G); out != stalled {
			return out
		}
		if k == limit/2-1 {
			s.firstRel = rel
		}
		s.lastRel = rel
		if rel < stallProgress*mark {
			mark, since = rel, 0
		} else if since++; since >= window {
			break
		}
	}
	return stalled
}

// returnBest ends a solve that did not converge: of the present forces and the best swept ones it keeps those with the
// smaller errors. In deadline mode it trusts the sweeps, and evaluates the errors only if there is time.
func (s *Exact) returnBest() {
	e := &s.e
	if e.clock.Limit > 0 {
		if s.bestRel < math.Inf(1) {
			copy(s.r, e.best)
			contact.Admit(s.r, e.p.Mu)
		}
		s.known = false
		if e.oneTest > 0 && e.clock.Elapsed()+e.oneTest <= s.opt.Budget {
			s.test()
		}
		return
	}
	now := s.test()
	if s.bestRel < math.Inf(1) {
		copy(e.rTry, e.best)
		contact.Admit(e.rTry, e.p.Mu)
		if try := e.errors(e.rTry, e.xTry); s.excess(&try, e.rTry) < now || !num.Finite(now) {
			copy(s.r, e.rTry)
			s.res.Errors = try
		}
	}
}

// keep notes the forces at r, whose errors are known, if they are the best.
func (s *Exact) keep() {
	if s.res.Errors.Scaled < s.bestRel {
		s.bestRel = s.res.Errors.Scaled
		copy(s.e.best, s.r)
	}
}

// timed adjusts the deadline to what the first sweep took: an evaluation of the errors takes about as long, and the
// last one has to fit in.
func (s *Exact) timed() {
	e := &s.e
	if e.clock.Limit > 0 && e.oneTest == 0 {
		e.oneTest = (e.clock.Elapsed() - e.bound) * 3 / 2
		e.clock.Limit = max(e.clock.Limit-e.oneTest, 1)
	}
}

// fits reports whether a Newton step can be expected to end before the deadline.
func (s *Exact) fits() bool {
	e := &s.e
	if e.clock.Limit == 0 {
		return true
	}
	if e.p.Blocks != nil && e.p.N > orderLimit {
		return false // finding an elimination order alone takes too long
	}
	step := time.Duration((2 + 2*e.sweepsPerStep()) * float64(e.oneTest))
	return e.clock.Elapsed()+step < e.clock.Limit
}
