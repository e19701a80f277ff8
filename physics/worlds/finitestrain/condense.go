package finitestrain

import (
	"math"

	"hapco/physics/numerics/num"
)

// condense takes what the body does to itself into the hand's own model: where it presses on itself it goes on doing so
// between the steps, and where it sticks there, it stays stuck. With a for those directions of the engine's contact
// problem and t for the tool's contacts,
//
//	W_tt becomes W_tt - W_ta W_aa^-1 W_at,
//
// what the tool's contacts give way by while x_a = 0. That is positive semidefinite again.
type condense struct {
	held   []int     // directions of the engine's problem
	factor []float64 // Cholesky's of W_aa, lower
	side   []float64 // W_at, then L^-1 of it
}

// choose lists the directions that are held.
func (c *condense) choose(l *Live) {
	c.held = c.held[:0]
	for i := range l.constraints {
		r := l.problem.r[3*i : 3*i+3]
		if !l.constraints[i].own || !(r[0] > 0) {
			continue
		}
		c.held = append(c.held, 3*i)
		if mu := l.problem.Mu[i]; math.Hypot(r[1], r[2]) < 0.999*mu*r[0] {
			c.held = append(c.held, 3*i+1, 3*i+2)
		}
	}
}

// apply takes them out of the compliance w of n tool rows, which are rows of the engine's.
func (c *condense) apply(l *Live, w []float64, rows []int) {
	c.choose(l)
	k, n, all := len(c.held), 3*len(rows), 3*len(l.constraints)
	if k == 0 || n == 0 {
		return
	}
	c.factor, c.side = num.Grow(c.factor, k*k), num.Grow(c.side, k*n)
	for i, a := range c.held {
		for j, b := range c.held[:i+1] {
			c.factor[i*k+j] = l.problem.compliance[a*all+b]
		}
		for j := range n {
			c.side[i*n+j] = axes[j%3] * l.problem.compliance[a*all+3*rows[j/3]+j%3]
		}
	}
	for i := range k { // one row of the factor after the other, and of L^-1 W_at
		row := c.factor[i*k : i*k+i+1]
		whole := row[i]
		for j := range i {
			sum := row[j]
			for m := range j {
				sum -= row[m] * c.factor[j*k+m]
			}
			row[j] = sum / c.factor[j*k+j]
		}
		for _, v := range row[:i] {
			row[i] -= v * v
		}
		side := c.side[i*n : i*n+n]
		if !(row[i] > 1e-6*whole) { // it follows from those before
			row[i] = math.Inf(1)
			clear(side)
			continue
		}
		row[i] = math.Sqrt(row[i])
		for j, v := range row[:i] {
			for m, s := range c.side[j*n : j*n+n] {
				side[m] -= v * s
			}
		}
		for m := range side {
			side[m] /= row[i]
		}
	}
	for i := range k {
		side := c.side[i*n : i*n+n]
		for a, u := range side {
			for b, v := range side {
				w[a*n+b] -= u * v
			}
		}
	}
}
