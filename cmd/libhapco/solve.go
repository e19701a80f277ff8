package main

import (
	"math"
	"time"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/blackbox"
	_ "hapco/physics/numerics/contact/solvers" // the solvers that there are
)

// solver is an open solver with its memory.
type solver struct {
	contact.Solver
	own    []float64 // W of blocks
	box    blackbox.Solver
	status []contact.Status
	read   *contact.Problem // of a file
	answer []float64        // that the file has, or nil
}

func openSolver(name string) (*solver, error) {
	s, err := contact.New(name)
	if err != nil {
		return nil, unknown("%v", err)
	}
	return &solver{Solver: s}, nil
}

func (s *solver) end() error { return nil }

// options are how a solve was asked for.
type options struct {
	contact.Options
	warm    bool
	form    blackbox.Form
	columns int
}

// check refuses options that make no sense.
func (o *options) check(deadline float64) error {
	switch {
	case !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 0):
		return invalid("tolerance = %g (cure: a value above 0)", o.Tolerance)
	case o.MaxIterations < 1:
		return invalid("max_iterations = %d (cure: 1 or more)", o.MaxIterations)
	case !(deadline >= 0 && deadline <= 1e6):
		return invalid("deadline = %g s (cure: 0 to 1e6)", deadline)
	case !(o.Rho >= 0) || math.IsInf(o.Rho, 0) || !(o.RhoFactor > 0) || math.IsInf(o.RhoFactor, 0):
		return invalid("rho = %g, rho_factor = %g (cure: rho 0 or more, the factor above 0)", o.Rho, o.RhoFactor)
	case o.Criterion > contact.SameStatus:
		return invalid("criterion = %d (cure: HAPCO_RELATIVE to HAPCO_STATUSES)", o.Criterion)
	case o.form > blackbox.GaussSeidel:
		return invalid("form = %d (cure: HAPCO_KRYLOV, HAPCO_JACOBI or HAPCO_GAUSS_SEIDEL)", o.form)
	case o.columns < 1:
		return invalid("columns = %d (cure: 1 or more)", o.columns)
	}
	o.Budget = time.Duration(deadline * float64(time.Second))
	return nil
}

// begin checks a problem's numbers but for W, and the starting guess.
func (s *solver) begin(q, mu, r []float64, o *options) error {
	for c, m := range mu {
		if !(m >= 0) || math.IsInf(m, 0) {
			return invalid("mu[%d] = %g (cure: a finite number, 0 or more)", c, m)
		}
	}
	for i, x := range q {
		if x-x != 0 {
			return invalid("q[%d] = %g (cure: a finite number)", i, x)
		}
	}
	if !o.warm {
		clear(r)
		return nil
	}
	for i, x := range r {
		if x-x != 0 {
			return invalid("r[%d] = %g (cure: a finite guess, or warm = 0)", i, x)
		}
	}
	return nil
}

// dense solves with W written down; blocks tells that zero blocks may be many.
func (s *solver) dense(p *contact.Problem, r []float64, o *options) (contact.Result, error) {
	if err := s.begin(p.Q, p.Mu, r, o); err != nil {
		return contact.Result{}, err
	}
	if err := p.Validate(); err != nil {
		return contact.Result{}, invalid("%v", err)
	}
	p.Compress()
	return s.Solve(p, r, &o.Options), nil
}

// scatter makes W of its blocks.
func (s *solver) scatter(n int, row, column []int32, values []float64) ([]float64, error) {
	size := 9 * n * n
	if cap(s.own) < size {
		s.own = make([]float64, size)
	}
	s.own = s.own[:size]
	clear(s.own)
	for k := range row {
		a, b := int(row[k]), int(column[k])
		if a < 0 || a >= n || b < 0 || b >= n {
			return nil, invalid("block %d couples contacts %d and %d of %d (cure: 0 to n-1)", k, a, b, n)
		}
		for i := range 3 {
			to := s.own[(3*a+i)*3*n+3*b:]
			for j := range 3 {
				to[j] += values[9*k+3*i+j]
			}
		}
	}
	return s.own, nil
}

// model solves with a model that answers.
func (s *solver) model(m blackbox.Model, q, mu, r []float64, o *options) (contact.Result, error) {
	if err := s.begin(q, mu, r, o); err != nil {
		return contact.Result{}, err
	}
	s.box.Form, s.box.Columns = o.form, o.columns
	return s.box.Solve(m, q, mu, r, &o.Options)
}

// statuses are those of r.
func (s *solver) statuses(r, mu []float64) (all []contact.Status, counts [3]int) {
	if cap(s.status) < len(mu) {
		s.status = make([]contact.Status, len(mu))
	}
	s.status = s.status[:len(mu)]
	stick, slip, open := contact.Statuses(s.status, r, mu)
	return s.status, [3]int{contact.Open: open, contact.Stick: stick, contact.Slip: slip}
}
