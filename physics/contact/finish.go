package contact

import "time"

// An answer counts as converged only if both errors agree with the tolerance.
// A criterion on the change of r is no bound on the errors, so those may
// exceed the tolerance by changeSlack; e_s may exceed it by scaledSlack where
// the tolerance is on e.
const (
	changeSlack = 10
	scaledSlack = 10
)

// verified reports whether both errors allow to call an answer converged under
// opt. rnorm is |r|, rho the rho_min of the physical criterion. NaN fails.
func (e *Errors) verified(opt *Options, rho, rnorm float64) bool {
	tol := opt.Tolerance
	switch opt.Criterion {
	case NaturalMap:
		return e.Natural <= tol && e.Scaled <= scaledSlack*tol
	case Scaled:
		return e.Scaled <= tol && e.Natural <= scaledSlack*tol
	case Physical:
		if !(rnorm > 0) { // open everywhere: nothing to be relative to
			return e.Natural <= 1e-8 && e.Scaled <= 1e-8
		}
		tol *= rho / rnorm
	}
	return e.Natural <= changeSlack*tol && e.Scaled <= changeSlack*tol
}

// finish ends a solve: it makes r admissible, evaluates both errors with x (3N)
// as scratch, and decides on Converged. stopped says whether the solver's own
// criterion was met.
func finish(p *Problem, r, x []float64, opt *Options, res *Result, stopped bool, start time.Time) {
	finite := Admit(r, p.Mu)
	p.Displacements(x, r)
	res.setErrors(p.Errors(r, x))
	res.Converged = stopped && finite && res.Errors.verified(opt, res.RhoMin, norm2(r))
	res.Elapsed = time.Since(start)
}

func (res *Result) setErrors(e Errors) {
	res.Errors = e
	res.NaturalError = e.Natural
	res.ScaledError = e.Scaled
}

// checkSizes panics on slices of the wrong length: a bug of the caller.
func checkSizes(p *Problem, r []float64) {
	n := 3 * p.N
	if len(r) != n || len(p.Q) != n || len(p.Mu) != p.N || len(p.W) != n*n {
		panic("contact: lengths of r, q, mu or W differ from what N contacts need")
	}
}
