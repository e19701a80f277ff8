package exact

import (
	"math"

	"hapco/physics/numerics/contact"
)

// Limits of the stage.
const (
	usualSteps     = 2.5 // of a solve from a warm start
	leastSweeps    = 2   // that a decimal of e_s is expected to take
	longStep       = 5e6 // ns, of steps that are not taken by the dozen
	directSteps    = 20
	directPatience = 3    // steps that may pass without ...
	directGain     = 0.7  // ... the error falling by this factor
	directReuse    = 0.1  // factors are taken again as long as the error falls by this factor
	directTest     = 4    // excess of unprojected forces that makes a test pay
	directLost     = 1e6  // excess over the best that nothing comes back from
	directStill    = 1e-3 // share of the error; what changes by less leads on to the same step, which depends on nothing else
)

// roundDamping is the least share of the mean w that a round adds to the diagonal of W. Where W is singular for who is
// loaded, more of it keeps the steps where it says something; how much is right differs.
var roundDamping = [...]float64{0, 1e-4, 1e-3, 1e-5, 1e-2}

// stepCost is what a Newton step of direct costs, and sweepCost a sweep, ns, from counts and the usual rates, so that
// decisions built on them repeat.
func (s *Exact) stepCost() float64 {
	const fused, entry = 0.04, 0.6 // ns: a multiply-add of the factorisation, an entry of the matrix
	n, u := float64(s.e.p.N), 2.5*float64(s.loaded(s.r))
	return u*u*u/3*fused + u*u*entry + 20*n
}

// reuseCost is what a step with earlier factors costs.
func (s *Exact) reuseCost() float64 {
	const product, solve, judge = 2.5, 0.15, 30 // ns: a block of W twice, an entry of the factors, a contact
	n, l := float64(s.e.p.N), float64(s.loaded(s.r))
	return n*l*product + 6.25*l*l*solve + n*judge
}

func (s *Exact) sweepCost() float64 {
	return float64(s.loaded(s.r)) * s.e.visitCost()
}

// loaded counts the contacts that r has a force for.
func (s *Exact) loaded(r []float64) int {
	n := 0
	for c := 0; c < len(r); c += 3 {
		if r[c] > 0 {
			n++
		}
	}
	return n
}

// warm reports whether Newton steps from the warm start are expected to cost less than sweeps.
func (s *Exact) warm() bool {
	if s.e.p.Blocks != nil || s.loaded(s.r) == 0 {
		return false
	}
	cost := usualSteps * s.stepCost()
	if limit := s.e.clock.Limit; limit > 0 && !(2*cost < float64(limit.Nanoseconds())) {
		return false // sweeps leave something behind whenever they are stopped
	}
	return cost < max(s.sweepsNeeded, -leastSweeps*math.Log10(s.tolS))*s.sweepCost()
}

// newtonRounds takes turns between Newton steps and sweeps, each of which is good at what the other is not: Newton's
// method at what concerns all contacts together, sweeps at finding who is open, sticks or slides. Where the warm start
// has not been tried with the last solution's displacements, that comes first.
func (s *Exact) newtonRounds() outcome {
	if s.off&Rounds != 0 {
		return stalled
	}
	if s.e.p.Blocks != nil {
		if !s.moves() {
			return s.sparse()
		}
		if s.e.newt.count > 0 {
			return stalled // it would again
		}
		s.res.Route = contact.RouteProximal
		return s.velocities()
	}
	if s.last.n > 0 && !s.tried && s.off&WarmNewton == 0 {
		copy(s.r, s.start)
		s.known = false
		if out := s.direct(true, 0); out != stalled {
			return out
		}
		copy(s.r, s.e.best)
	}
	rounds := roundDamping[:]
	if s.stepCost() > longStep {
		rounds = rounds[:1] // the stages that follow need no more steps than all these
	}
	for _, damp := range rounds {
		if out := s.direct(false, damp); out != stalled {
			return out
		}
		s.e.mix.Forget()
		if out := s.mixed(firstSweeps, firstSweeps); out != stalled {
			return out
		}
	}
	return stalled
}

// sparse takes Newton steps from r on a W that is stored by its blocks. When it fails r is the best so far.
func (s *Exact) sparse() outcome {
	if !s.fits() {
		return stalled
	}
	e := &s.e
	copy(e.raw, s.r)
	e.displacements(e.x, e.raw)
	out, target := done, s.tolS
	for out == done && target > tiny {
		if _, out = s.inner(e.raw, target, newtonDamping); out == done {
			copy(s.r, e.raw)
			m := s.test()
			if m <= 1 {
				return done
			}
			target = min(s.res.Errors.Scaled/m, target) / 3 // the other error is larger
		}
	}
	if out == done {
		out = stalled
	}
	copy(s.r, e.best)
	contact.Admit(s.r, e.p.Mu)
	s.known = false
	return out
}

// direct takes Newton steps with unprojected iterates from r, the first one, with predict, from the last solution's
// displacements. At least damp times the mean w is added to the diagonal of W. When it fails r is as good as before or
// better.
func (s *Exact) direct(predict bool, damp float64) outcome {
	s.tried = predict
	e, a := &s.e, &s.e.act
	p := e.p
	a.bind(p, s.r)
	err := e.judge(a.raw, a.x)
	m := s.excess(&err, a.raw)
	if m <= directTest && s.test() <= 1 {
		return done
	}
	copy(a.best, s.r)
	start, least, since := m, math.Inf(1), 0
	predict = predict && s.off&Recall == 0
	if predict {
		s.last.predict(p, a.x)
	}
	worth := s.off&OldFactors == 0 && s.stepCost() > s.reuseCost()
	out, reuse := stalled, worth
	for range directSteps {
		if s.spent() {
			out = stopped
			break
		}
		s.res.Iterations++
		if !a.step(e, e.mean*max(newtonDamping*min(err.Scaled, 1e-2), damp), reuse) {
			if e.clock.Expired() {
				out = stopped
			}
			break
		}
		if !a.reused {
			e.newt.count++
		}
		err = e.judge(a.raw, a.x)
		s.opt.Note(err.Scaled)
		before := m
		m = s.excess(&err, a.raw)
		reuse = worth && (!a.reused || m < directReuse*before)
		if a.reused && !(m < before) { // worse than nothing: back to where it began
			a.bind(p, a.best)
			if predict && math.IsInf(least, 1) {
				s.last.predict(p, a.x)
			}
			m = before
			continue
		}
		if m <= directTest {
			copy(s.r, a.raw)
			if s.test() <= 1 {
				s.last.keep(p, a.raw, a.x)
				s.kept = true
				s.sweepsNeeded *= 0.97
				return done
			}
			copy(s.r, a.best)
			s.known = false
		}
		if !(m < directLost*least) || math.Abs(m-before) < directStill*before {
			break // of no use, or what follows is the same step again
		}
		if m < directGain*least {
			since = 0
		} else if since++; since >= directPatience {
			break
		}
		if m < least {
			least = m
			if m < start {
				copy(a.best, a.raw)
			}
		}
	}
	copy(s.r, a.best)
	contact.Admit(s.r, p.Mu)
	s.known = false
	a.factors = a.factors[:0]
	return out
}

// judge evaluates both errors of r whose displacements are x.
func (e *engine) judge(r, x []float64) contact.Errors {
	var s contact.ErrorSums
	q := e.p.Q
	for c := range e.loc {
		s.Add(e.loc[c].mu, e.loc[c].scale, r[3*c:3*c+3], x[3*c:3*c+3], q[3*c:3*c+3])
	}
	return s.Errors()
}
