package floe

import (
	"fmt"
	"math"
	"slices"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/lcp"
	_ "hapco/physics/numerics/contact/solvers"
)

// collider solves the contact problem of one cluster: (3.5) in the reduced form
//
//	A = [J'XJ, J'XD, 0;  D'XJ, D'XD, H;  mu, -H', 0],  q = (J'W, D'W, 0)
//
// in units in which the mean of the diagonal of J'XJ and the largest speed are 1. Its unknowns are velocities and
// impulses of contacts; bodies are changed by apply.
type collider struct {
	list []*Contact
	ends []*body      // two of each: the normal points from the first to the second
	arm  [][4]float64 // of the normal and the tangent about the first's centroid, and about the second's, m
	mu   float64

	tolerance float64 // approach that is left, as a share of the fastest
	pivotsTo  int     // contacts of the largest cluster that is solved by pivots
	shifts    bool    // the velocities stand for shifts: obstacles have none

	w, s         []float64 // J'W and B'W: speeds of separation and of sliding, m/s
	give         []float64 // how fast a contact may close: its gap over the step, where steps are windows, m/s
	lambda, beta []float64 // impulses, N s
	nn, nt, tt   []float64 // J'XJ, J'XB, B'XB: m x m, 1/kg

	pivots  lcp.Attempts
	m, q, z []float64
	cone    contact.Solver // the law, where it is one of physics/numerics/contact
	problem contact.Problem
	r       []float64
	start   []float64 // speeds and impulses before, for the account of energy
	kept    []float64 // velocities of the floes before a collision

	outcome
}

func (c *collider) init(law string) error {
	if law == LawLCP || law == LawSweeps {
		return nil
	}
	var err error
	if c.cone, err = contact.New(law); err != nil {
		return fmt.Errorf("floe: law %q (cure: %s, %s or a contact solver: %v)", law, LawLCP, LawSweeps, contact.Names())
	}
	return nil
}

func grow(s *[]float64, n int) []float64 {
	*s = slices.Grow((*s)[:0], n)[:n]
	return *s
}

// take makes the problem of some contacts.
func (c *collider) take(w *World, list []int32) {
	n := len(list)
	c.list, c.ends, c.arm = c.list[:0], c.ends[:0], c.arm[:0]
	for _, k := range list {
		j := &w.contacts[k]
		c.list = append(c.list, j)
		a, b := &w.bodies[j.A], &w.bodies[j.B]
		c.ends = append(c.ends, a, b)
		an, at := arms(j, a)
		bn, bt := arms(j, b)
		c.arm = append(c.arm, [4]float64{an, at, bn, bt})
	}
	c.mu, c.pivotsTo = w.config.Friction, pivotsOfEvents
	if w.config.Window > 0 {
		c.pivotsTo = pivotsOfWindows
	}
	grow(&c.give, n)
	for i, j := range c.list {
		c.give[i] = 0
		if w.config.Window > 0 {
			c.give[i] = max(0, (j.Gap-w.config.Collision/2)/w.dt)
		}
	}
	grow(&c.w, n)
	grow(&c.s, n)
	clear(grow(&c.lambda, n))
	clear(grow(&c.beta, n))
}

// arms are those of the normal and the tangent at the contact about the centroid of a floe. What is below the round-off
// of the coordinates is 0: a floe that is hit straight on its centroid must not begin to turn, as from blow to blow
// that grows.
func arms(j *Contact, x *body) (n, t float64) {
	r := j.Point.Sub(x.g)
	least := armRound * (math.Abs(j.Point[0]) + math.Abs(j.Point[1]) + x.radius)
	if n = cross(r, j.Normal); math.Abs(n) <= least {
		n = 0
	}
	if t = cross(r, j.tangent()); math.Abs(t) <= least {
		t = 0
	}
	return n, t
}

// pair are the floes of contact i.
func (c *collider) pair(i int) (a, b *body) { return c.ends[2*i], c.ends[2*i+1] }

// own is what contact i does to itself: J'XJ, J'XB and B'XB.
func (c *collider) own(i int) (nn, nt, tt float64) {
	a, b := c.pair(i)
	r := &c.arm[i]
	nn = a.invMass + b.invMass + a.invInertia*r[0]*r[0] + b.invInertia*r[2]*r[2]
	nt = a.invInertia*r[0]*r[1] + b.invInertia*r[2]*r[3]
	tt = a.invMass + b.invMass + a.invInertia*r[1]*r[1] + b.invInertia*r[3]*r[3]
	return nn, nt, tt
}

// speed is the speed of separation and that of sliding of contact i.
func (c *collider) speed(i int) (w, s float64) {
	a, b := c.pair(i)
	j, r := c.list[i], &c.arm[i]
	if !(c.shifts && a.fixed) {
		w, s = -a.v.Dot(j.Normal)-a.rate*r[0], -a.v.Dot(j.tangent())-a.rate*r[1]
	}
	if !(c.shifts && b.fixed) {
		w += b.v.Dot(j.Normal) + b.rate*r[2]
		s += b.v.Dot(j.tangent()) + b.rate*r[3]
	}
	return w, s
}

// kick gives contact i the impulse l N + f T, or, where velocities stand for something else, adds that much of it.
func (c *collider) kick(i int, l, f float64) {
	a, b := c.pair(i)
	j, r := c.list[i], &c.arm[i]
	p := j.Normal.Mul(l).Add(j.tangent().Mul(f))
	if !a.fixed { // other goroutines may look at an obstacle
		a.v = a.v.Sub(p.Mul(a.invMass))
		a.rate -= (l*r[0] + f*r[1]) * a.invInertia
	}
	if !b.fixed {
		b.v = b.v.Add(p.Mul(b.invMass))
		b.rate += (l*r[2] + f*r[3]) * b.invInertia
	}
}

// speeds fills w and s with the velocities of now.
func (c *collider) speeds() {
	for i := range c.list {
		c.w[i], c.s[i] = c.speed(i)
	}
}

// fastest is the largest speed, whichever way.
func (c *collider) fastest() (speed float64) {
	for i := range c.w {
		speed = max(speed, math.Abs(c.w[i]), math.Abs(c.s[i]))
	}
	return speed
}

// approach is the largest speed of approach beyond what a contact may close with, above 0.
func (c *collider) approach() float64 {
	most := 0.0
	for i, w := range c.w {
		most = max(most, -w-c.give[i])
	}
	return most
}

// couple fills nn, nt and tt.
func (c *collider) couple() {
	n := len(c.list)
	clear(grow(&c.nn, n*n))
	clear(grow(&c.nt, n*n))
	clear(grow(&c.tt, n*n))
	for i := range n {
		for j := range n {
			for k, x := range c.ends[2*i : 2*i+2] {
				if x.fixed {
					continue
				}
				for l, y := range c.ends[2*j : 2*j+2] {
					if x != y {
						continue
					}
					sign := 1.0
					if k != l {
						sign = -1
					}
					ni, nj, ti, tj := c.list[i].Normal, c.list[j].Normal, c.list[i].tangent(), c.list[j].tangent()
					ri, rj := c.arm[i][2*k:], c.arm[j][2*l:]
					c.nn[i*n+j] += sign * (x.invMass*ni.Dot(nj) + x.invInertia*ri[0]*rj[0])
					c.nt[i*n+j] += sign * (x.invMass*ni.Dot(tj) + x.invInertia*ri[0]*rj[1])
					c.tt[i*n+j] += sign * (x.invMass*ti.Dot(tj) + x.invInertia*ri[1]*rj[1])
				}
			}
		}
	}
}

// apply adds the impulses f lambda N + f beta T of the contacts to the floes.
func (c *collider) apply(f float64) {
	c.push(f)
	c.book(f)
}

// push changes the floes' velocities by so many times the impulses.
func (c *collider) push(f float64) {
	for i := range c.list {
		if l, t := f*c.lambda[i], f*c.beta[i]; l != 0 || t != 0 {
			c.kick(i, l, t)
		}
	}
}

// book adds so many times the impulses to what the contacts have borne.
func (c *collider) book(f float64) {
	for i, j := range c.list {
		j.Impulse += f * c.lambda[i]
		j.Friction += f * c.beta[i]
	}
}
