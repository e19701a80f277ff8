package contact

import (
	"math"
	"time"
)

func init() {
	Register(Description{
		Name:  "uzawa",
		Title: "Uzawa global, bi-potential, rho_min",
		Note:  "the thesis's most robust solver (2.8.2, 3.1); slow where stiffnesses differ much",
	}, func() Solver { return new(Uzawa) })
}

// Uzawa is Gauss-Seidel with one prediction and one projection per contact and
// sweep: "Uzawa global" of section 2.8.2, in the bi-potential formulation with
// one rho for all contacts (3.1):
//
//	x_c = (W r + q)_c                              from the current r
//	r_c = P_K(r_c - rho_min (x_c + mu |x_t,c| n))
//
// Contacts are swept in ascending order; r may hold a warm start.
type Uzawa struct {
	x, prev []float64
	status  []Status
}

// Solve implements Solver.
func (s *Uzawa) Solve(p *Problem, r []float64, opt *Options) Result {
	start := time.Now()
	checkSizes(p, r)
	s.x = growTo(s.x, 3*p.N)
	s.prev = growTo(s.prev, 3*p.N)
	s.status = growTo(s.status, 2*p.N)
	res := Result{RhoMin: opt.Rho}
	if res.RhoMin == 0 {
		res.RhoMin = p.RhoMin() * factor(opt.RhoFactor)
	}
	rho := res.RhoMin
	Admit(r, p.Mu)

	w := watch{status: s.status}
	stopped := false
	for res.Iterations < opt.MaxIterations && !stopped {
		copy(s.prev, r)
		if s.sweep(p, r, rho, start, opt) {
			copy(r, s.prev)
			break
		}
		res.Iterations++
		stopped = w.stops(p, r, s.prev, s.x, opt, &res)
		if !isFinite(res.RelativeChange) {
			break // diverged; finish clears what is not finite
		}
	}
	finish(p, r, s.x, opt, &res, stopped, start)
	return res
}

// sweep updates every contact once. It reports whether the budget ran out
// before the end.
func (s *Uzawa) sweep(p *Problem, r []float64, rho float64, start time.Time, opt *Options) bool {
	for c := range p.N {
		xn, xt1, xt2 := p.DisplacementsAt(c, r)
		mu, f := p.Mu[c], r[3*c:3*c+3:3*c+3]
		xn += mu * math.Sqrt(xt1*xt1+xt2*xt2)
		f[0], f[1], f[2] = ProjectCone(mu, f[0]-rho*xn, f[1]-rho*xt1, f[2]-rho*xt2)
		if (c%8 == 7 || c == p.N-1) && opt.over(start) {
			return true
		}
	}
	return false
}

// factor is the multiplier of a computed rho; 0 stands for 1, so that Options
// filled by hand need not name it.
func factor(f float64) float64 {
	if f == 0 {
		return 1
	}
	return f
}

// watch evaluates the stop criteria of the sweeping solvers.
type watch struct {
	status []Status // 2N: before and after the sweep; used by SameStatus only
}

// stops reports whether the criterion of opt is met after a sweep that took
// prev to r, updates res.RelativeChange and records the history. x (3N) is
// scratch. The change is relative to the new forces (2.72); where those vanish
// it is the change itself that must vanish.
func (w *watch) stops(p *Problem, r, prev, x []float64, opt *Options, res *Result) bool {
	d2, r2 := 0.0, 0.0
	for i, f := range r {
		d := f - prev[i]
		d2 += d * d
		r2 += f * f
	}
	if r2 == 0 { // all let go: a change by all there was, and no reason to give up
		r2 = d2
	}
	change := share(d2, r2)
	res.RelativeChange = change
	value := change
	switch opt.Criterion {
	case Physical:
		value = math.Sqrt(d2) / res.RhoMin
	case NaturalMap, Scaled:
		p.Displacements(x, r)
		e := p.Errors(r, x)
		value = e.Natural
		if opt.Criterion == Scaled {
			value = e.Scaled
		}
		opt.note(value)
		return e.verified(opt, 0, 0)
	case SameStatus:
		value = float64(w.changed(p, r))
		opt.note(value)
		return value == 0 && res.Iterations > 1
	}
	opt.note(value)
	return value <= opt.Tolerance
}

// changed counts the contacts whose status differs from the last call's.
func (w *watch) changed(p *Problem, r []float64) (n int) {
	now, last := w.status[:p.N], w.status[p.N:2*p.N]
	Statuses(now, r, p.Mu)
	for c := range now {
		if now[c] != last[c] {
			n++
		}
		last[c] = now[c]
	}
	return n
}
