package contact

import "math"

// An answer counts as converged only if both errors agree with the tolerance. A criterion on the change of r is no
// bound on the errors, so those may exceed the tolerance by changeSlack; e_s may exceed it by scaledSlack where the
// tolerance is on e.
const (
	changeSlack = 10
	scaledSlack = 10
)

// The physical criterion is a length. As a share of the answer's forces it is no more than physicalMost: where forces
// are as small as the tolerance itself, every answer would do, a starting guess among them. Open everywhere, there is
// nothing to be a share of: the errors have to be below physicalNone.
const (
	physicalMost = 1e-2
	physicalNone = 1e-8
)

// Goals are what both errors of an answer should reach under opt: rnorm is |r| of that answer, N, never that of a
// starting guess; rho the rho_min of the physical criterion, N/m.
func (opt *Options) Goals(rho, rnorm float64) (natural, scaled float64) {
	natural, scaled = opt.Tolerance, opt.Tolerance
	switch opt.Criterion {
	case NaturalMap:
		return natural, scaledSlack * scaled
	case Scaled:
		natural = scaledSlack * natural
	case Physical:
		scaled = physicalNone
		if rnorm > 0 {
			scaled = min(opt.Tolerance*rho/rnorm, physicalMost)
		}
		natural = scaled
	}
	if opt.UnitFree {
		natural = math.Inf(1)
	}
	return natural, scaled
}

// Verified is the final check of every solver: whether both errors allow to call an answer converged under opt. rnorm
// and rho are those of Goals. NaN fails.
func (e *Errors) Verified(opt *Options, rho, rnorm float64) bool {
	natural, scaled := opt.Allowed(rho, rnorm)
	return e.Natural <= natural && e.Scaled <= scaled
}

// Allowed are the errors with which an answer may still be called converged: Goals, with the slack of the criterion.
func (opt *Options) Allowed(rho, rnorm float64) (natural, scaled float64) {
	natural, scaled = opt.Goals(rho, rnorm)
	if opt.Criterion != NaturalMap && opt.Criterion != Scaled {
		natural, scaled = changeSlack*natural, changeSlack*scaled
	}
	return natural, scaled
}

// SetErrors makes e the errors of the answer.
func (res *Result) SetErrors(e Errors) {
	res.Errors = e
	res.NaturalError = e.Natural
	res.ScaledError = e.Scaled
}

// CheckSizes panics on slices of the wrong length: a bug of the caller.
func CheckSizes(p *Problem, r []float64) {
	n := 3 * p.N
	if len(r) != n || len(p.Q) != n || len(p.Mu) != p.N || len(p.W) != n*n {
		panic("contact: lengths of r, q, mu or W differ from what N contacts need")
	}
}
