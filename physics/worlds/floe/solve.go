package floe

import (
	"errors"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/lcp"
)

// errNoSolution is what a ray becomes.
var errNoSolution = errors.New("floe: a contact problem has no solution that could be found (cure: no moving obstacle that crushes floes)")

// compress finds lambda and beta such that the contacts neither approach nor pull, within Coulomb's law: (3.5) with
// eps = 0.
func (c *collider) compress(law string) error {
	n := len(c.list)
	c.Largest = max(c.Largest, n)
	if c.cone != nil && n <= contact.MaxContacts {
		c.couple()
		if c.throughCone() {
			return nil
		}
	} else if law == LawLCP && n <= c.pivotsTo {
		c.couple()
		if c.throughPivots() {
			return nil
		}
	}
	if law != LawSweeps {
		c.Swept++
	}
	left := c.sweep()
	c.tolerance = max(c.tolerance, 4*left)
	if left <= loose {
		return nil
	}
	if n <= pivotsOfEvents {
		c.couple()
		if c.throughPivots() {
			c.tolerance = tight
			return nil
		}
		left = c.sweep()
	}
	c.tolerance = max(c.tolerance, 4*left)
	if left > fair && c.driven() {
		return errNoSolution
	}
	return nil
}

// throughPivots solves (3.5) by Lemke's method.
func (c *collider) throughPivots() bool {
	n := len(c.list)
	speed, weight := c.fastest(), 0.0
	for i := range n {
		weight += c.nn[i*n+i] / float64(n)
	}
	if speed == 0 || weight == 0 {
		clear(c.lambda)
		clear(c.beta)
		return speed == 0 || c.approach() == 0
	}
	size := 4 * n
	if c.mu == 0 {
		size = n
	}
	m, q, z := grow(&c.m, size*size), grow(&c.q, size), grow(&c.z, size)
	clear(m)
	for i := range n {
		q[i] = (c.w[i] + c.give[i]) / speed
		for j := range n {
			nn, tt := c.nn[i*n+j]/weight, c.tt[i*n+j]/weight
			m[i*size+j] = nn
			if c.mu == 0 {
				continue
			}
			nt, tn := c.nt[i*n+j]/weight, c.nt[j*n+i]/weight
			for k, s := range [2]float64{1, -1} { // beta~ of one direction, and of the other
				m[i*size+n+2*j+k] = s * nt
				m[(n+2*i+k)*size+j] = s * tn
				m[(n+2*i+k)*size+n+2*j] = s * tt
				m[(n+2*i+k)*size+n+2*j+1] = -s * tt
			}
		}
		if c.mu == 0 {
			continue
		}
		for k, s := range [2]float64{1, -1} {
			q[n+2*i+k] = s * c.s[i] / speed
			m[(n+2*i+k)*size+3*n+i] = 1
			m[(3*n+i)*size+n+2*i+k] = -1
		}
		q[3*n+i] = 0
		m[(3*n+i)*size+i] = c.mu
	}
	res := c.pivots.Solve(m, q, z)
	c.Pivots += res.Pivots
	if res.Status != lcp.Solved {
		return false
	}
	for i := range n {
		c.lambda[i] = z[i] * speed / weight
		c.beta[i] = 0
		if c.mu > 0 {
			most := c.mu * c.lambda[i] // to rounding of the whole problem it is no more
			c.beta[i] = max(-most, min((z[n+2*i]-z[n+2*i+1])*speed/weight, most))
		}
	}
	return true
}

// throughCone hands the problem to a solver of physics/numerics/contact. Those know two tangents: the second one is
// coupled to nothing and stays without force.
func (c *collider) throughCone() bool {
	n := len(c.list)
	p := &c.problem
	p.N, p.Blocks = n, nil
	clear(grow(&p.W, 9*n*n))
	grow(&p.Q, 3*n)
	grow(&p.Mu, n)
	clear(grow(&c.r, 3*n))
	for i := range n {
		p.Q[3*i], p.Q[3*i+1], p.Q[3*i+2] = c.w[i]+c.give[i], c.s[i], 0
		p.Mu[i] = c.mu
		for j := range n {
			p.W[3*i*3*n+3*j] = c.nn[i*n+j]
			p.W[3*i*3*n+3*j+1] = c.nt[i*n+j]
			p.W[(3*i+1)*3*n+3*j] = c.nt[j*n+i]
			p.W[(3*i+1)*3*n+3*j+1] = c.tt[i*n+j]
		}
		p.W[(3*i+2)*3*n+3*i+2] = c.tt[i*n+i]
	}
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.MaxIterations = coneTolerance, sweepsOfSmall
	c.cone.Solve(p, c.r, &opt)
	c.Sweeps++
	for i := range n {
		c.lambda[i], c.beta[i] = c.r[3*i], c.r[3*i+1]
	}
	return c.holds(coneHolds)
}

// holds tells whether the impulses, with nn, nt and tt, leave no approach beyond a share of the fastest.
func (c *collider) holds(tol float64) bool {
	n := len(c.list)
	speed := c.fastest()
	for i := range n {
		w := c.w[i] + c.give[i]
		for j := range n {
			w += c.nn[i*n+j]*c.lambda[j] + c.nt[i*n+j]*c.beta[j]
		}
		if !(w >= -tol*speed) {
			return false
		}
	}
	return true
}
