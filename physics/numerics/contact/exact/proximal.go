package exact

import "math"

// Limits of the stage.
const (
	proxMost     = 1e-2 // the first weight at most, in mean w_c ...
	proxLeast    = 1e-9 // ... and any at least
	proxFast     = 0.3  // factor on the weight after few steps ...
	proxSlow     = 0.5  // ... and after more than proxFew
	proxGrow     = 10   // factor after none that helped
	proxFew      = 3
	proxGain     = 0.1  // of the error, that a problem must be solved to
	proxSteps    = 15   // Newton steps for a problem
	proxPatience = 4    // steps in which the error must fall
	proxLost     = 1000 // growth over the least error that nothing comes back from
	proxIdle     = 1000 // Newton steps in which the best error must fall by ...
	proxProgress = 0.9  // ... this factor
)

// proximal solves a sequence of problems with W + a I and q - a r_k in place of W and q, each by full Newton steps;
// solutions r_k approach one of the problem itself. Where W leaves forces undetermined they stay near r_k. As in
// active, iterates are left as the linear equations give them.
//
// Redundant contacts between rigid bodies often need a state of self-stress, in which bodies wedge each other, before
// all displacements can vanish: r then has a long way to go, on which the error hardly changes, in steps of error over
// a. A smaller a makes them longer, as long as Newton's method finds out who is open, sticks and slides.
func (s *Exact) proximal() outcome {
	e := &s.e
	if !s.fits() {
		return stalled
	}
	raw := e.raw
	copy(raw, s.r)
	e.displacements(e.x, raw)
	err := e.judge(raw, e.x)
	a := max(min(err.Scaled, proxMost), proxLeast)
	mark, since := err.Scaled, s.res.Iterations
	for s.res.Iterations-since < proxIdle {
		excess := s.excess(&err, raw)
		if excess <= directTest {
			copy(s.r, raw)
			if s.test() <= 1 {
				return done
			}
			e.displacements(e.x, raw)
		}
		if err.Scaled < s.bestRel {
			s.bestRel = err.Scaled
			copy(e.best, raw)
		}
		if err.Scaled < proxProgress*mark {
			mark, since = err.Scaled, s.res.Iterations
		}
		e.setProx(a*e.mean, raw)
		steps, out := s.inner(raw, proxGain*err.Scaled*min(1, 3/excess), 0)
		e.setProx(0, nil)
		switch {
		case out == stopped:
			return stopped
		case out == stalled:
			copy(raw, e.anchor)
			a *= proxGrow
		case steps <= proxFew:
			a = max(proxFast*a, proxLeast)
		default:
			a = max(proxSlow*a, proxLeast)
		}
		e.displacements(e.x, raw)
		err = e.judge(raw, e.x)
	}
	return stalled
}

// inner takes Newton steps on the proximal problem from its anchor, until e_s is target. damp is the share of e_s,
// times mean w_c, added to the diagonal, at least leastDamp: with less rounding is amplified by more than the step gains
// where W is singular.
func (s *Exact) inner(raw []float64, target, damp float64) (steps int, out outcome) {
	e := &s.e
	lowest, since, least := math.Inf(1), 0, 0.0
	if damp > 0 {
		least = leastDamp
	}
	last := proxMost
	for steps < proxSteps && since < proxPatience {
		if s.spent() {
			return steps, stopped
		}
		s.res.Iterations++
		steps++
		if !e.newtonStep(raw, e.x, e.prox+e.mean*max(damp*last, least)) {
			if e.clock.Expired() {
				return steps, stopped
			}
			return steps, stalled
		}
		for i, d := range e.newt.dr {
			raw[i] += d
		}
		err := e.errors(raw, e.x)
		s.opt.Note(err.Scaled)
		if err.Scaled <= target {
			return steps, done
		}
		last = min(err.Scaled, proxMost)
		if damp > 0 && err.Scaled < s.bestRel {
			s.bestRel = err.Scaled
			copy(e.best, raw)
		}
		if since++; err.Scaled < lowest {
			lowest, since = err.Scaled, 0
		} else if err.Scaled > proxLost*lowest {
			break
		}
	}
	return steps, stalled
}
