package exact

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// At tolerances this small the answer is for comparison with other answers, and problems with several exact solutions
// (redundant or nearly redundant contacts) are to end in the same one: that which plain Gauss-Seidel sweeps, contacts
// ascending, lead to. See tight.
const tightTolerance = 1e-10

const (
	tightSweeps = 3000 // plain sweeps at most
	tightSteps  = 60   // Newton steps of an attempt
	tightPolish = 4    // steps after the tolerance is met
)

// tightMarks are the relative changes of r (2.72), descending, at which the sweeps leave a starting point for Newton's
// method.
var tightMarks = [...]float64{1e-2, 1e-3, 1e-4, 1e-5, 1e-6}

// tightWeights scale the weights w of the Alart-Curnier map: which contacts a Newton step takes for open, sticking or
// sliding depends on them, and where one choice cycles another often does not.
var tightWeights = [...]float64{1, 0.01, 100}

// tight sweeps until r changes by less than 1e-6 and goes on with Newton's method: at full steps from there, from an
// earlier point should that cycle, with other weights, and at last with a line search. When the tolerance is met a few
// steps more make r as good as rounding lets it be: with a nearly singular W small errors still leave r uncertain.
func (s *Exact) tight() outcome {
	e := &s.e
	s.start = append(s.start[:0], s.r...)
	s.res.Route = contact.RouteSweeps
	marks := 0
	for sweep := 0; sweep < tightSweeps && marks < len(tightMarks); sweep++ {
		if s.spent() {
			return stopped
		}
		e.age = 0 // every contact in every sweep
		copy(e.rTry, s.r)
		size, whole := e.sweep(s.r, 1)
		if !whole {
			return stopped
		}
		s.res.Iterations++
		s.opt.Note(s.relative(size))
		change := 0.0
		for i, f := range s.r {
			d := f - e.rTry[i]
			change += d * d
		}
		change = math.Sqrt(change) / num.Norm(s.r)
		for marks < len(tightMarks) && change <= tightMarks[marks] {
			s.marks[marks] = num.Grow(s.marks[marks], len(s.r))
			copy(s.marks[marks], s.r)
			marks++
		}
		if change == 0 || math.IsNaN(change) { // solved, or open everywhere
			break
		}
	}
	s.res.Route = contact.RouteNewton
	if s.test() <= 1 {
		return s.polish(1)
	}
	for _, search := range [...]bool{false, true} {
		for m := marks - 1; m >= 0; m-- {
			for _, weight := range tightWeights {
				copy(s.r, s.marks[m])
				if out := s.attempt(weight, search); out != stalled {
					return out
				}
			}
		}
	}
	copy(s.r, s.start)
	s.bestRel = math.Inf(1) // what follows begins anew
	return stalled
}

// attempt takes Newton steps from r: full ones, or with a line search on e_s that takes the shortest step where none
// helps.
func (s *Exact) attempt(weight float64, search bool) outcome {
	e := &s.e
	s.test()
	for range tightSteps {
		s.keep()
		if s.spent() {
			return stopped
		}
		s.res.Iterations++
		if !s.weightedStep(weight) {
			return stalled
		}
		for t := 1.0; ; t /= 2 {
			for i, d := range e.newt.dr {
				e.rTry[i] = s.r[i] + t*d
			}
			contact.Admit(e.rTry, e.p.Mu)
			try := e.errors(e.rTry, e.xTry)
			if !search || try.Scaled < (1-0.1*t)*s.res.Errors.Scaled || t < 1.0/(1<<halvings) {
				copy(s.r, e.rTry)
				e.x, e.xTry = e.xTry, e.x
				s.res.Errors, s.known = try, true
				break
			}
		}
		s.opt.Note(s.res.Errors.Scaled)
		if s.excess(&s.res.Errors, s.r) <= 1 {
			return s.polish(weight)
		}
	}
	return stalled
}

// weightedStep is a Newton step with all weights scaled.
func (s *Exact) weightedStep(weight float64) bool {
	e := &s.e
	alpha := newtonDamping * e.mean * min(s.res.Errors.Scaled, 1e-2)
	for c := range e.loc {
		e.loc[c].setScale(weight * e.loc[c].scale)
	}
	ok := e.newtonStep(s.r, e.x, alpha)
	for c := range e.loc {
		e.loc[c].setScale(e.loc[c].scale / weight)
	}
	return ok
}

// polish takes steps as long as they make e_s smaller and e stays what it must be.
func (s *Exact) polish(weight float64) outcome {
	e := &s.e
	for range tightPolish {
		if s.spent() || !s.weightedStep(weight) {
			break
		}
		s.res.Iterations++
		for i, d := range e.newt.dr {
			e.rTry[i] = s.r[i] + d
		}
		contact.Admit(e.rTry, e.p.Mu)
		try := e.errors(e.rTry, e.xTry)
		if !(try.Scaled < s.res.Errors.Scaled) || s.excess(&try, e.rTry) > 1 {
			break
		}
		copy(s.r, e.rTry)
		e.x, e.xTry = e.xTry, e.x
		s.res.Errors = try
		s.opt.Note(try.Scaled)
	}
	return done
}
