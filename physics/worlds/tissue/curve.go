package tissue

import (
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// curveCapacity is the number of iterations that a curve has room for before a
// longer solve makes it grow, once.
const curveCapacity = 4096

// recorder solves contact problems and keeps the convergence curve of the last
// solve, where that is asked for. Its memory is reused.
type recorder struct {
	traits  contact.Traits // of the solver
	values  []float64
	measure contact.Criterion
	goal    float64
}

// solve is s.Solve, with the curve recorded.
func (c *recorder) solve(s contact.Solver, p *contact.Problem, r []float64, opt *contact.Options, record bool) contact.Result {
	c.values, c.goal = c.values[:0], 0
	opt.History = nil
	if !record {
		return s.Solve(p, r, opt)
	}
	if c.values == nil {
		c.values = make([]float64, 0, curveCapacity)
	}
	opt.History = &c.values
	result := s.Solve(p, r, opt)
	opt.History = nil
	c.measure, c.goal = c.traits.Recorded(opt, result.RhoMin, num.Norm(r))
	return result
}

// curve copies what was recorded, reusing dst's memory.
func (c *recorder) curve(dst *Curve) {
	dst.Values = append(dst.Values[:0], c.values...)
	dst.Measure, dst.Goal = c.measure, c.goal
}
