package contact

import (
	"math"

	"hapco/physics/numerics/contact/internal/kernel"
)

// Errors measure how far forces r are from solving a problem. With u = W r + q, uhat = u + (mu |u_t|, 0, 0), P_K the
// projection on Coulomb's cone and w_c = trace(W_cc)/3:
//
//	Natural e:    e   = sqrt(sum_c |r_c - P_K(r_c - uhat_c)|^2) / max(|q|, |r|, |u|)
//	Scaled e_s:   e_s = sqrt(sum_c w_c |r_c - P_K(r_c - uhat_c/w_c)|^2 / sum_c |q_c|^2/w_c)
//
// e depends on the units of r and u and can be small on wrong answers; e_s does not depend on them. Accept an answer
// only if both are small. The parts take the normal or the tangential components of the same sums, so that Natural^2 =
// NaturalNormal^2 + NaturalTangential^2.
type Errors struct {
	Natural, NaturalNormal, NaturalTangential float64
	Scaled, ScaledNormal, ScaledTangential    float64
}

// NotEvaluated is the value of errors that no time was left for.
func NotEvaluated() Errors {
	n := math.NaN()
	return Errors{n, n, n, n, n, n}
}

// Errors evaluates both errors of r (3N) with x = W r + q (3N). Call Displacements first.
func (p *Problem) Errors(r, x []float64) Errors {
	var s ErrorSums
	mean := p.MeanWeight()
	for c := range p.N {
		s.Add(p.Mu[c], p.weight(c, mean), r[3*c:3*c+3], x[3*c:3*c+3], p.Q[3*c:3*c+3])
	}
	return s.Errors()
}

// Residual writes the natural-map residual of each contact, r_c - P_K(r_c - uhat_c), to dst (3N).
func (p *Problem) Residual(dst, r, x []float64) {
	for c, mu := range p.Mu {
		r, x, d := r[3*c:3*c+3:3*c+3], x[3*c:3*c+3:3*c+3], dst[3*c:3*c+3:3*c+3]
		u := x[0] + mu*math.Sqrt(x[1]*x[1]+x[2]*x[2])
		n, t1, t2 := ProjectCone(mu, r[0]-u, r[1]-x[1], r[2]-x[2])
		d[0], d[1], d[2] = r[0]-n, r[1]-t1, r[2]-t2
	}
}

// weight is w_c = trace(W_cc)/3 of contact c, or mean where that is not positive: a contact that its own force does not
// move has no scale of its own.
func (p *Problem) weight(c int, mean float64) float64 {
	if w := p.Trace(c) / 3; w > 0 {
		return w
	}
	return mean
}

// MeanWeight is the mean of the positive w_c, or 1 if there is none.
func (p *Problem) MeanWeight() float64 {
	sum, n := 0.0, 0
	for c := range p.N {
		if t := p.Trace(c); t > 0 {
			sum += t / 3
			n++
		}
	}
	if n == 0 || !(sum > 0) {
		return 1
	}
	return sum / float64(n)
}

// Trace is that of W_cc, m/N.
func (p *Problem) Trace(c int) float64 {
	n := 3 * p.N
	d := 3*c*n + 3*c
	return p.W[d] + p.W[d+n+1] + p.W[d+2*n+2]
}

// ErrorSums accumulates both errors over the contacts.
type ErrorSums struct {
	n, t        float64 // natural residual, squared
	sn, st      float64 // scaled residual, squared
	q, r, x, sq float64 // |q|^2, |r|^2, |x|^2, sum |q_c|^2/w_c
}

// Add takes one contact: its friction, weight w_c, force, displacement and q.
func (s *ErrorSums) Add(mu, w float64, r, x, q []float64) {
	r, x, q = r[:3:3], x[:3:3], q[:3:3]
	inv := 1 / w
	qq := q[0]*q[0] + q[1]*q[1] + q[2]*q[2]
	s.q += qq
	s.sq += qq * inv
	s.x += x[0]*x[0] + x[1]*x[1] + x[2]*x[2]
	if r[0] == 0 && r[1] == 0 && r[2] == 0 && x[0] >= 0 {
		return // open: nothing is missing
	}
	s.r += r[0]*r[0] + r[1]*r[1] + r[2]*r[2]
	u := x[0] + mu*math.Sqrt(x[1]*x[1]+x[2]*x[2])
	n, t1, t2 := ProjectCone(mu, r[0]-u, r[1]-x[1], r[2]-x[2])
	n, t1, t2 = r[0]-n, r[1]-t1, r[2]-t2
	s.n += n * n
	s.t += t1*t1 + t2*t2
	n, t1, t2 = ProjectCone(mu, r[0]-inv*u, r[1]-inv*x[1], r[2]-inv*x[2])
	n, t1, t2 = r[0]-n, r[1]-t1, r[2]-t2
	s.sn += w * n * n
	s.st += w * (t1*t1 + t2*t2)
}

// Errors are those of the contacts added.
func (s *ErrorSums) Errors() (e Errors) {
	s.Put(&e)
	return e
}

// Put writes the errors of the contacts added to e.
func (s *ErrorSums) Put(e *Errors) {
	e.Natural, e.NaturalNormal, e.NaturalTangential = shares(s.n, s.t, max(s.q, s.r, s.x))
	e.Scaled, e.ScaledNormal, e.ScaledTangential = shares(s.sn, s.st, s.sq)
}

// shares are kernel.Share of n+t, n and t in den.
func shares(n, t, den float64) (whole, normal, tangential float64) {
	if inv := 1 / den; inv >= 0x1p-1022 && inv <= 0x1p1022 {
		return math.Sqrt((n + t) * inv), math.Sqrt(n * inv), math.Sqrt(t * inv)
	}
	return kernel.Share(n+t, den), kernel.Share(n, den), kernel.Share(t, den)
}

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
