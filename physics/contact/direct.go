package contact

import "math"

// Limits of the stage.
const (
	usualSteps     = 2.5 // of a solve from a warm start
	leastSweeps    = 6   // that are expected to be needed
	directRounds   = 3
	directSteps    = 12
	directPatience = 3   // steps that may pass without ...
	directGain     = 0.7 // ... the error falling by this factor
	directTest     = 4   // excess of unprojected forces that makes a test pay
	directLost     = 1e6 // excess over the best that nothing comes back from
)

// stepCost is what a Newton step of direct costs, and sweepCost a sweep, ns,
// from counts and the usual rates, so that decisions built on them repeat.
func (s *Exact) stepCost() float64 {
	const fused, entry = 0.06, 2 // ns: a multiply-add of the factorisation, an entry of the matrix
	n, u := float64(s.e.p.N), 2.5*float64(s.loaded(s.r))
	return u*u*u/3*fused + u*u*entry + 20*n
}

func (s *Exact) sweepCost() float64 {
	const visit, block = 60, 1.5 // ns: a contact, a block of W
	return float64(s.loaded(s.r)) * (visit + block*float64(s.e.p.N))
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

// warm reports whether Newton steps from the warm start are expected to cost
// less than sweeps.
func (s *Exact) warm() bool {
	if s.e.p.Blocks != nil || s.loaded(s.r) == 0 {
		return false
	}
	cost := usualSteps * s.stepCost()
	if limit := s.e.clock.limit; limit > 0 && !(2*cost < float64(limit.Nanoseconds())) {
		return false // sweeps leave something behind whenever they are stopped
	}
	return cost < max(s.sweepsNeeded, leastSweeps)*s.sweepCost()
}

// newtonRounds takes turns between Newton steps and sweeps, each of which is
// good at what the other is not: Newton's method at what concerns all contacts
// together, sweeps at finding who is open, sticks or slides. Where the warm start
// has not been tried with the last solution's displacements, that comes first.
func (s *Exact) newtonRounds() outcome {
	if s.e.p.Blocks != nil {
		return s.newton()
	}
	if s.last.n > 0 && !s.tried {
		copy(s.r, s.start)
		s.known = false
		if out := s.direct(true); out != stalled {
			return out
		}
		copy(s.r, s.e.best)
	}
	for range directRounds {
		if out := s.direct(false); out != stalled {
			return out
		}
		s.e.mix.restart()
		if out := s.mixed(1, firstSweeps, firstSweeps); out != stalled {
			return out
		}
	}
	return stalled
}

// direct takes Newton steps with unprojected iterates from r. When it fails r is
// as good as before or better.
func (s *Exact) direct(predict bool) outcome {
	s.tried = predict
	e, a := &s.e, &s.e.act
	p := e.p
	a.bind(p, s.r)
	err := e.judge(a.raw, a.x)
	m := s.excess(&err)
	if m <= directTest && s.test() <= 1 {
		return done
	}
	copy(a.best, s.r)
	start, least, since := m, m, 0
	if predict {
		s.last.predict(p, a.x)
		least = math.Inf(1)
	}
	out := stalled
	for range directSteps {
		if s.spent() {
			out = stopped
			break
		}
		s.res.Iterations++
		e.newt.count++
		if !a.step(e, newtonDamping*e.mean*min(err.Scaled, 1e-2)) {
			if e.clock.expired() {
				out = stopped
			}
			break
		}
		err = e.judge(a.raw, a.x)
		s.record(err.Scaled)
		m = s.excess(&err)
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
		if !(m < directLost*least) {
			break
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
	Admit(s.r, p.Mu)
	s.known = false
	return out
}

// judge evaluates both errors of r whose displacements are x.
func (e *engine) judge(r, x []float64) Errors {
	var s errorSums
	q := e.p.Q
	for c := range e.loc {
		s.add(e.loc[c].mu, e.loc[c].scale, r[3*c:3*c+3], x[3*c:3*c+3], q[3*c:3*c+3])
	}
	return s.errors()
}
