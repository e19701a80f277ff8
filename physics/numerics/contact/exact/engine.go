package exact

import (
	"math"
	"time"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/mixing"
	"hapco/physics/numerics/num"
)

// engine holds one problem prepared for the exact solvers: local data of each contact, work vectors, and the methods'
// own data. It is kept between solves and reuses its memory; bind makes it ready for a new problem.
type engine struct {
	p      *contact.Problem
	off    Stages
	own    contact.Problem // p with block storage of our own, where p has none and it pays
	blocks contact.Blocks
	loc    []Local
	mean   float64   // mean weight
	qq     float64   // sum_c |q_c|^2/w_c, the square of the denominator of e_s
	x      []float64 // displacements at r
	rTry   []float64 // trial forces of a line search
	xTry   []float64 // and their displacements
	best   []float64 // the forces with the smallest known residual
	raw    []float64 // forces that Newton steps leave off their cones
	eps    float64   // relative accuracy of the local solves
	newt   newton
	act    active
	small  few
	single single
	move   velocities

	inner   interior
	mix     mixing.Anderson
	clock   contact.Clock
	checks  int           // contacts between two looks at the clock
	awake   []int32       // contacts that the sweeps visit
	age     int           // sweeps since all were visited
	fresh   bool          // no sweep yet, from no forces
	alone   bool          // a first sweep from no forces found no contact whose force moves another one with a force
	rhoMin  float64       // (3.1)
	bound   time.Duration // when bind was through
	oneTest time.Duration // what an evaluation of the errors takes; measured with a deadline only

	// The proximal problem has W + prox I in place of W and q - prox anchor in place of q; prox = 0 is the problem
	// itself.
	prox   float64
	anchor []float64
}

// bind prepares for p. It reports false if the deadline passed meanwhile.
func (e *engine) bind(p *contact.Problem) bool {
	if !e.weigh(p) {
		return false
	}
	n := 3 * p.N
	e.p = e.stored(p)
	e.rTry = num.Grow(e.rTry, n)
	e.xTry = num.Grow(e.xTry, n)
	e.best = num.Grow(e.best, n)
	e.raw = num.Grow(e.raw, n)
	e.anchor = num.Grow(e.anchor, n)
	e.newt.ordered, e.move.p = false, nil
	e.single.bind(p)
	e.checks = 1 + 400/(p.N+1)
	e.age = 0
	e.awake = num.Grow(e.awake, p.N)
	e.oneTest = 0
	if e.clock.Limit > 0 {
		e.bound = e.clock.Elapsed()
	}
	return true
}

// weigh prepares the contacts of p and the weights of their errors, all that few needs.
func (e *engine) weigh(p *contact.Problem) bool {
	n := 3 * p.N
	e.p, e.prox, e.newt.count = p, 0, 0
	e.eps = 1e-3
	e.loc = num.Grow(e.loc, p.N)
	e.x = num.Grow(e.x, n)
	weights, sum, qq, big := 0, 0.0, 0.0, 0.0
	var w [9]float64
	for c := range e.loc {
		if c&7 == 7 && e.clock.Expired() {
			return false
		}
		blockOf(&w, p, c, c)
		for i := 0; i < 9; i += 4 {
			if w[i] > big {
				big = w[i]
			}
		}
		l := &e.loc[c]
		l.Prepare(&w, p.Mu[c], 0, 0)
		if l.scale > 0 {
			sum += l.scale
			weights++
		}
		q := p.Q[3*c : 3*c+3 : 3*c+3]
		qq += (q[0]*q[0] + q[1]*q[1] + q[2]*q[2]) * l.inv
	}
	if weights < p.N { // some contacts lack a scale of their own
		e.mean = p.MeanWeight()
		qq = 0
		for c := range e.loc {
			if !(p.Trace(c) > 0) {
				e.loc[c].setScale(e.mean)
			}
			q := p.Q[3*c : 3*c+3 : 3*c+3]
			qq += (q[0]*q[0] + q[1]*q[1] + q[2]*q[2]) * e.loc[c].inv
		}
	} else {
		e.mean = sum / float64(weights)
	}
	e.qq = qq
	e.rhoMin = 0
	if big > 0 {
		e.rhoMin = 1 / big
	}
	return true
}

// sparseFrom contacts on a W may be mostly zero.
const sparseFrom = 24

// stored returns p, or p with block storage made here: W may be mostly zero though nobody said so. Looking costs little
// where W is full; with a deadline a large problem is taken as it is.
func (e *engine) stored(p *contact.Problem) *contact.Problem {
	if p.Blocks != nil || p.N < sparseFrom || e.off&BlockStorage != 0 || e.clock.Limit > 0 && p.N > 100 {
		return p
	}
	e.own = *p
	e.own.Blocks = &e.blocks
	if e.own.Compress() {
		return &e.own
	}
	e.own = contact.Problem{}
	return p
}

// deadline of a factorisation; nil: none.
func (e *engine) deadline() *contact.Clock {
	if e.clock.Runs() {
		return &e.clock
	}
	return nil
}

// setProx turns the problem into the proximal problem with weight a about r, or back into itself for a = 0.
func (e *engine) setProx(a float64, r []float64) {
	copy(e.anchor, r)
	e.prox = a
}

// exactRoot is the accuracy of local solves that are not repeated.
const exactRoot = 1e-12

// visitCost is what a sweep spends on a contact of a full W, ns, from counts and the usual rates.
func (e *engine) visitCost() float64 {
	const single = 0.4 // ns: a block of W in single precision
	if e.single.on {
		return visitCost + single*float64(e.p.N)
	}
	return visitCost + blockCost*float64(e.p.N)
}

// napSweeps is how many sweeps pass over the contacts that stayed open before one visits them all again.
const napSweeps = 4

// sweep is one Gauss-Seidel sweep with exact local solves, relaxed by omega: r_c += omega (exact - r_c). It returns the
// weighted size of the residual it met, sqrt(sum w_c |exact - r_c|^2), comparable to e_s sqrt(qq), and whether it came to
// its end before the deadline. Contacts that were found open are passed over for a few sweeps; the errors, which
// decide, see them all.
func (e *engine) sweep(r []float64, omega float64) (size float64, whole bool) {
	if e.age == 0 || e.off&Naps != 0 {
		e.awake = e.awake[:len(e.loc)]
		for c := range e.awake {
			e.awake[c] = int32(c)
		}
	}
	e.age = (e.age + 1) % (napSweeps + 1)
	p, loc, single := e.p, e.loc, &e.single
	sum, watch := 0.0, e.clock.Runs()
	kept := 0
	alone := e.fresh
	e.fresh, e.alone = false, false
	if single.on {
		single.start(e, r)
	}
	for i, a := range e.awake {
		if watch && i%e.checks == 0 && e.clock.Expired() {
			e.age = 0
			return math.Sqrt(sum), false
		}
		c := int(a)
		l := &loc[c]
		var xn, xt1, xt2 float64
		if single.on {
			xn, xt1, xt2 = single.pull(e, c)
		} else {
			xn, xt1, xt2 = p.DisplacementsAt(c, r)
		}
		f := r[3*c : 3*c+3 : 3*c+3]
		eps := e.eps
		if alone && xn == p.Q[3*c] && xt1 == p.Q[3*c+1] && xt2 == p.Q[3*c+2] {
			eps = exactRoot
		}
		n, t1, t2 := l.Solve(xn, xt1, xt2, f[0], f[1], f[2], eps)
		if n == 0 && f[0] == 0 {
			continue // open before and after: asleep until all are visited
		}
		alone = alone && eps == exactRoot
		e.awake[kept] = a
		kept++
		d0, d1, d2 := n-f[0], t1-f[1], t2-f[2]
		if omega == 1 {
			f[0], f[1], f[2] = n, t1, t2
		} else {
			f[0] += omega * d0
			f[1] += omega * d1
			f[2] += omega * d2
		}
		if single.on {
			single.push(c, f)
		}
		sum += l.scale * (d0*d0 + d1*d1 + d2*d2)
	}
	e.awake, e.alone = e.awake[:kept], alone
	size = math.Sqrt(sum)
	single.stale = size < singleError*single.far
	return size, true
}

// accelerated does one sweep from r and moves r to the mixed iterate, made admissible. It returns the weighted norm of
// f at the old r, and whether the sweep came to its end before the deadline; if not, r stays. The swept forces before
// mixing remain in mix.G.
func (e *engine) accelerated(r []float64) (size float64, whole bool) {
	a := &e.mix
	copy(a.G, r)
	size, whole = e.sweep(a.G, 1)
	if !whole {
		return size, false
	}
	if e.off&Mixing != 0 {
		copy(r, a.G)
		return size, true
	}
	f := a.F
	for c := range e.loc {
		w, k := math.Sqrt(e.loc[c].scale), 3*c
		f[k] = w * (a.G[k] - r[k])
		f[k+1] = w * (a.G[k+1] - r[k+1])
		f[k+2] = w * (a.G[k+2] - r[k+2])
	}
	copy(r, a.G)
	if a.Mix(r, size) {
		contact.Admit(r, e.p.Mu)
	}
	return size, true
}

// displacements writes x = W r + q, of the proximal problem where prox > 0.
func (e *engine) displacements(x, r []float64) {
	e.p.Displacements(x, r)
	if a := e.prox; a > 0 {
		for i, f := range r {
			x[i] += a * (f - e.anchor[i])
		}
	}
}

// errors evaluates both errors of r, of the proximal problem where prox > 0, leaving the displacements in x.
func (e *engine) errors(r, x []float64) contact.Errors {
	e.displacements(x, r)
	return e.judge(r, x)
}
