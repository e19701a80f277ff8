package floe

import "math"

// sweep solves contact after contact exactly, with the others' impulses as they are, until nothing changes, and returns
// what approach is left as a share of the fastest. It needs no matrix: the floes themselves carry the velocities
// meanwhile, and have their own again at the end.
func (c *collider) sweep() (left float64) {
	n := len(c.list)
	kept := c.keep()
	defer c.restore(kept)
	for i, j := range c.list {
		c.lambda[i], c.beta[i] = j.warm[0], j.warm[1]
		j.warm = [2]float64{}
		if c.lambda[i] > 0 {
			c.kick(i, c.lambda[i], c.beta[i])
		}
	}
	speed := c.fastest()
	nn, nt, tt := grow(&c.nn, n), grow(&c.nt, n), grow(&c.tt, n)
	for i := range c.list {
		nn[i], nt[i], tt[i] = c.own(i)
	}
	omega := 1.0
	for k := range sweepLimit + sweepsOfSmall/n { // those of a small cluster cost little
		c.Sweeps++
		change := 0.0
		for i := range c.list {
			w, s := c.speed(i)
			w += c.give[i] - nn[i]*c.lambda[i] - nt[i]*c.beta[i]
			s -= nt[i]*c.lambda[i] + tt[i]*c.beta[i]
			l, f := oneContact(nn[i], nt[i], tt[i], w, s, c.mu)
			dl, df := omega*(l-c.lambda[i]), omega*(f-c.beta[i])
			if dl == 0 && df == 0 {
				continue
			}
			c.lambda[i] += dl
			c.beta[i] += df
			change = max(change, math.Abs(dl)*nn[i], math.Abs(df)*tt[i])
			c.kick(i, dl, df)
		}
		if change <= sweepTolerance*speed {
			return 0
		}
		if k%sweepLook == sweepLook-1 && k >= sweepEnough-1 {
			omega = relaxed // sliding contacts may make each other slip to and fro
			left = 0
			for i := range c.list {
				w, _ := c.speed(i)
				left = max(left, -w-c.give[i])
			}
			if left /= speed; left <= loose/4 {
				return left
			}
		}
	}
	return left
}

// oneContact solves one contact: lambda >= 0, w + nn lambda + nt beta >= 0, one of them 0, |beta| <= mu lambda, and
// beta against the sliding where it slides.
func oneContact(nn, nt, tt, w, s, mu float64) (lambda, beta float64) {
	if w >= 0 || nn == 0 {
		return 0, 0
	}
	if mu == 0 {
		return -w / nn, 0
	}
	det := nn*tt - nt*nt
	if det > singular*nn*tt {
		lambda, beta = (-w*tt+s*nt)/det, (w*nt-s*nn)/det
		if lambda >= 0 && math.Abs(beta) <= mu*lambda {
			return lambda, beta
		}
	}
	// Sliding with sign g: beta = -g mu lambda. Where both signs solve, or none, that against the sliding before is taken.
	best, wrong := -1.0, math.Inf(1)
	for _, g := range [2]float64{math.Copysign(1, s), -math.Copysign(1, s)} {
		d := nn - g*mu*nt
		if !(d > 0) {
			continue
		}
		l := -w / d
		slides := g * (s + nt*l - g*mu*tt*l)
		if miss := max(0, -slides); miss < wrong {
			best, wrong, lambda, beta = l, miss, l, -g*mu*l
		}
	}
	if best < 0 {
		return -w / nn, 0
	}
	return lambda, beta
}
