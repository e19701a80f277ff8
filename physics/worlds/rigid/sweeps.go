package rigid

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/mixing"
)

// Sweeps over contacts and joints of rigid bodies, with all that one needs in one place: of a contact its axes, arms,
// W_cc and its inverse, of a body its velocities. W is never formed. What a sweep costs is memory that passes by.
//
// A sweep solves joint by joint and contact by contact by its own law. Between sweeps Anderson's mixing (package
// mixing) looks ahead.

// mover is a body of a problem; the first is the ground. The kernels in assembly know where the parts of it and of a
// spot lie.
type mover struct {
	v, w    [4]float64 // world axes; the last number is arbitrary
	inertia mat3       // inverse
	inverse float64
	freeV   vec3 // without impulses
	freeW   vec3
}

// spot is a contact of a problem.
type spot struct {
	a, b   int32
	mu     float64
	d      [3]vec3    // n, t1, t2
	ra, rb vec3       // arms
	q      float64    // added to the normal velocity
	inv    mat3       // inverse of W_cc
	wn     float64    // W_nn
	scale  float64    // trace(W_cc)/3
	norm   float64    // its root
	root   float64    // the last sliding ratio |x_t|/|r_t|
	wt     [2]float64 // W_nt
	s      [3]float64 // W_tt - W_tn W_nt/W_nn: 11 12 22
}

// sweeper is the room for one problem at a time. Its impulses are the G of mix, in the order of the problem's contacts,
// and then joints; spots lie in the order in which they are solved.
type sweeper struct {
	bodies []mover
	spots  []spot
	pins   []pin
	mean   float64 // of the spots' scales
	driven float64 // sum of the squares of the free velocities over their scales
	quick  float64 // and of those at the joints' ends
	mu     []float64
	queue
	mix mixing.Anderson
}

const (
	mixed    = 5 // steps that are mixed: range 3 to 12, walls that fall need as many sweeps, those that stand more with 9
	unmixed  = 2 // sweeps before any mixing: a warm start at rest needs no more
	neverCut = 2 // sweeps are made however late it is
	// closeBy is how many tolerances the change of a sweep is, at most, for the errors to be looked at: near the answer
	// both are of one size.
	closeBy = 8
	// jointShare is how much more exactly joints are held than contacts: what opens stays open.
	jointShare = 0.01
	// slideNear is how near |r_t| is to mu r_n, relative, for one more Newton step to be the last.
	slideNear = 1e-4
	// spare is how many times as exact sweeps are once they are needed: what is at rest then stays within the tolerance
	// for some steps without any.
	spare = 8
)

// take reads a problem; local is room for a number of each body.
func (s *sweeper) take(p *problem, local []int32) {
	s.bodies = append(s.bodies[:0], mover{})
	for _, i := range p.moved {
		local[i] = int32(len(s.bodies))
		m := &p.invInertia[i]
		s.bodies = append(s.bodies, mover{freeV: p.v[i], freeW: p.omega[i], inverse: p.invMass[i],
			inertia: mat3{m[0], m[3], m[6], m[3], m[4], m[7], m[6], m[7], m[8]}})
		s.bodies[len(s.bodies)-1].free()
	}
	s.spots, s.mu = grown(s.spots, len(p.contacts)), grown(s.mu, len(p.contacts))
	s.mix.Begin(3*len(p.contacts)+6*len(p.joints), mixed)
	ground := func(i int32) int32 {
		if i < 0 {
			return 0
		}
		return local[i]
	}
	s.queue.begin(len(s.bodies))
	for i := range p.contacts {
		s.add(ground(p.contacts[i].a), ground(p.contacts[i].b))
	}
	s.line()
	mean, count := 0.0, 0
	s.driven = 0
	for i := range p.contacts {
		of, to := &p.contacts[i], &s.spots[s.place[i]]
		to.a, to.b, to.mu, to.q, to.root = ground(of.a), ground(of.b), of.mu, of.q, 0
		to.ra, to.rb, to.d = of.arm[0], of.arm[1], of.d
		copy(s.mix.G[3*i:], of.r[:])
		s.prepare(to)
		s.mu[i] = of.mu
		u := &of.free
		u[0], u[1], u[2] = to.velocity(&s.bodies[to.a], &s.bodies[to.b])
		if to.scale > 0 {
			mean += to.scale
			count++
			s.driven += (u[0]*u[0] + u[1]*u[1] + u[2]*u[2]) / to.scale
		}
	}
	if s.mean = 1; count > 0 {
		s.mean = mean / float64(count)
	}
	s.pins, s.quick = grown(s.pins, len(p.joints)), 0
	for i := range p.joints {
		of, to := &p.joints[i], &s.pins[i]
		to.a, to.b, to.r = ground(of.a), ground(of.b), s.mix.G[3*len(p.contacts)+6*i:][:6]
		copy(to.r, of.r[:])
		to.take(of, &s.bodies[to.a], &s.bodies[to.b])
		s.quick += to.quick * to.quick
	}
}

// free takes the impulses from a body's velocities.
func (b *mover) free() {
	copy(b.v[:], b.freeV[:])
	copy(b.w[:], b.freeW[:])
}

// turn is the inverse inertia times a moment.
func (b *mover) turn(m xyz) xyz {
	return m.by(&b.inertia)
}

// yields is the relative velocity at a contact by a unit impulse along d.
func yields(a, b *mover, ra, rb, d xyz) xyz {
	return d.times(a.inverse + b.inverse).plus(a.turn(ra.cross(d)).cross(ra)).plus(b.turn(rb.cross(d)).cross(rb))
}

// prepare computes what does not change in a solve.
func (s *sweeper) prepare(c *spot) {
	a, b := &s.bodies[c.a], &s.bodies[c.b]
	ra, rb, n, d1, d2 := of(c.ra), of(c.rb), of(c.d[0]), of(c.d[1]), of(c.d[2])
	u, u1, u2 := yields(a, b, ra, rb, n), yields(a, b, ra, rb, d1), yields(a, b, ra, rb, d2)
	wn, n1, n2 := n.dot(u), n.dot(u1), n.dot(u2)
	w11, w12, w22 := d1.dot(u1), d1.dot(u2), d2.dot(u2)
	c.scale = (wn + w11 + w22) / 3
	c.norm = math.Sqrt(c.scale)
	const rounding = 1e-13 // of the trace
	if c.wn = wn; !(c.wn > rounding*c.scale) {
		c.wn = 0
		return
	}
	k := 1 / wn
	c.wt = [2]float64{n1, n2}
	s11, s12, s22 := w11-n1*n1*k, w12-n1*n2*k, w22-n2*n2*k
	if !(s11*s22-s12*s12 > rounding*c.scale*(s11+s22)) { // a direction in which nothing yields
		s11, s22, s12 = max(s11, 0)+rounding*c.scale, max(s22, 0)+rounding*c.scale, 0
	}
	c.s = [3]float64{s11, s12, s22}
	det := 1 / (s11*s22 - s12*s12)
	j11, j12, j22 := s22*det, -s12*det, s11*det
	b1, b2 := n1*k, n2*k
	t1, t2 := -(j11*b1 + j12*b2), -(j12*b1 + j22*b2)
	c.inv = mat3{k - b1*t1 - b2*t2, t1, t2, t1, j11, j12, t2, j12, j22}
}

// velocity is the relative one in the contact's axes, with q.
func (c *spot) velocity(a, b *mover) (n, t1, t2 float64) {
	ux := a.v[0] - b.v[0] + a.w[1]*c.ra[2] - a.w[2]*c.ra[1] - b.w[1]*c.rb[2] + b.w[2]*c.rb[1]
	uy := a.v[1] - b.v[1] + a.w[2]*c.ra[0] - a.w[0]*c.ra[2] - b.w[2]*c.rb[0] + b.w[0]*c.rb[2]
	uz := a.v[2] - b.v[2] + a.w[0]*c.ra[1] - a.w[1]*c.ra[0] - b.w[0]*c.rb[1] + b.w[1]*c.rb[0]
	n = c.d[0][0]*ux + c.d[0][1]*uy + c.d[0][2]*uz + c.q
	t1 = c.d[1][0]*ux + c.d[1][1]*uy + c.d[1][2]*uz
	t2 = c.d[2][0]*ux + c.d[2][1]*uy + c.d[2][2]*uz
	return n, t1, t2
}

// apply adds an impulse in the contact's axes.
func (c *spot) apply(a, b *mover, n, t1, t2 float64) {
	fx := c.d[0][0]*n + c.d[1][0]*t1 + c.d[2][0]*t2
	fy := c.d[0][1]*n + c.d[1][1]*t1 + c.d[2][1]*t2
	fz := c.d[0][2]*n + c.d[1][2]*t1 + c.d[2][2]*t2
	if c.a != 0 {
		a.v[0] += fx * a.inverse
		a.v[1] += fy * a.inverse
		a.v[2] += fz * a.inverse
		mx, my, mz := c.ra[1]*fz-c.ra[2]*fy, c.ra[2]*fx-c.ra[0]*fz, c.ra[0]*fy-c.ra[1]*fx
		a.w[0] += a.inertia[0]*mx + a.inertia[1]*my + a.inertia[2]*mz
		a.w[1] += a.inertia[3]*mx + a.inertia[4]*my + a.inertia[5]*mz
		a.w[2] += a.inertia[6]*mx + a.inertia[7]*my + a.inertia[8]*mz
	}
	if c.b != 0 {
		b.v[0] -= fx * b.inverse
		b.v[1] -= fy * b.inverse
		b.v[2] -= fz * b.inverse
		mx, my, mz := c.rb[1]*fz-c.rb[2]*fy, c.rb[2]*fx-c.rb[0]*fz, c.rb[0]*fy-c.rb[1]*fx
		b.w[0] -= b.inertia[0]*mx + b.inertia[1]*my + b.inertia[2]*mz
		b.w[1] -= b.inertia[3]*mx + b.inertia[4]*my + b.inertia[5]*mz
		b.w[2] -= b.inertia[6]*mx + b.inertia[7]*my + b.inertia[8]*mz
	}
}

// sweepGo is sweep.
func (s *sweeper) sweepGo(write bool) (size float64) {
	for k, i := range s.order {
		c := &s.spots[k]
		a, b := &s.bodies[c.a], &s.bodies[c.b]
		x0, x1, x2 := c.velocity(a, b)
		r := s.mix.G[3*i : 3*i+3 : 3*i+3]
		r0, r1, r2 := r[0], r[1], r[2]
		if x0 >= 0 && r0 == 0 || c.wn == 0 { // open, and stays so
			if write {
				clear(s.mix.F[3*i : 3*i+3])
			}
			continue
		}
		v := &c.inv
		n := r0 - v[0]*x0 - v[1]*x1 - v[2]*x2
		t1 := r1 - v[1]*x0 - v[4]*x1 - v[5]*x2
		t2 := r2 - v[2]*x0 - v[5]*x1 - v[8]*x2
		if lim := c.mu * n; !(n > 0 && t1*t1+t2*t2 <= lim*lim) {
			n, t1, t2 = c.slide(x0, x1, x2, r0, r1, r2)
		}
		r[0], r[1], r[2] = n, t1, t2
		d0, d1, d2 := n-r0, t1-r1, t2-r2
		c.apply(a, b, d0, d1, d2)
		size += c.scale * (d0*d0 + d1*d1 + d2*d2)
		if write {
			f, w := s.mix.F[3*i:3*i+3:3*i+3], c.norm
			f[0], f[1], f[2] = w*d0, w*d1, w*d2
		}
	}
	return size
}

// slide is the impulse of a contact that opens or slips: x_n = 0, x_t = -s r_t, |r_t| = mu r_n. With S = W_tt - W_tn
// W_nt/W_nn, x_t = S r_t + c, g = adj(S) c and d(s) = det(S + s I),
//
//	r_t = -(g + s c)/d,   r_n = (a.g + s a.c - b_n d)/(W_nn d),   a = W_nt
//
// and mu r_n/|r_t| = 1 is nearly linear in s: Newton steps, kept in a bracket. They begin with the s of the last sweep,
// and the last of them is not looked at again: its error is the square of the one before, and the next sweep goes on.
func (c *spot) slide(x0, x1, x2, r0, r1, r2 float64) (n, t1, t2 float64) {
	a1, a2, k := c.wt[0], c.wt[1], 1/c.wn
	bn := x0 - c.wn*r0 - a1*r1 - a2*r2
	if !(bn < 0) {
		return 0, 0, 0
	}
	if c.mu == 0 {
		return -bn * k, 0, 0
	}
	s11, s12, s22 := c.s[0], c.s[1], c.s[2]
	c1 := x1 - s11*r1 - s12*r2 - a1*x0*k
	c2 := x2 - s12*r1 - s22*r2 - a2*x0*k
	g1, g2 := s22*c1-s12*c2, s11*c2-s12*c1
	det, trace := s11*s22-s12*s12, s11+s22
	gg, gc, cc := g1*g1+g2*g2, g1*c1+g2*c2, c1*c1+c2*c2
	m := c.mu * k
	n0, n1, n2 := m*(a1*g1+a2*g2-bn*det), m*(a1*c1+a2*c2-bn*trace), -m*bn
	lo, hi, s := 0.0, math.Inf(1), c.root
	var mn, t float64 // mu r_n d and |r_t| d
	for last := false; ; {
		h := gc + s*cc
		t = math.Sqrt(gg + s*(gc+h))
		mn = n0 + s*(n1+s*n2)
		left := t - mn
		if last || left == 0 {
			break
		}
		if left > 0 {
			lo = s
		} else {
			hi = s
		}
		last = math.Abs(left) <= slideNear*t
		next := s + left*t*t/((n1+2*s*n2)*t*t-mn*h)
		if !(next > lo && next < hi) {
			if math.IsInf(hi, 1) {
				next = 2*s + trace
			} else if next = (lo + hi) / 2; !(next > lo && next < hi) {
				last = true
			}
		}
		s = next
	}
	c.root = s
	d := det + s*(trace+s)
	if n = mn / (c.mu * d); !(n > 0) || !(t > 0) {
		return max(n, 0), 0, 0
	}
	f := -mn / (t * d)
	return n, (g1 + s*c1) * f, (g2 + s*c2) * f
}

// pushGo is push.
func (s *sweeper) pushGo() {
	for k, i := range s.order {
		if r := s.mix.G[3*i : 3*i+3 : 3*i+3]; r[0] != 0 {
			c := &s.spots[k]
			c.apply(&s.bodies[c.a], &s.bodies[c.b], r[0], r[1], r[2])
		}
	}
}

// measure finds the errors of the impulses, in units in which the mean weight is 1, and what joints lack.
func (s *sweeper) measure(p *problem, res *result) {
	var sums contact.ErrorSums
	for i, k := range s.place {
		c, of := &s.spots[k], &p.contacts[i]
		x := &of.x
		x[0], x[1], x[2] = c.velocity(&s.bodies[c.a], &s.bodies[c.b])
		scale := c.scale
		if !(scale > 0) {
			scale = s.mean
		}
		r := [3]float64{s.mean * s.mix.G[3*i], s.mean * s.mix.G[3*i+1], s.mean * s.mix.G[3*i+2]}
		sums.Add(c.mu, scale/s.mean, r[:], x[:], of.free[:])
	}
	res.errors, res.joints = sums.Errors(), 0
	for i := range s.pins {
		j := &s.pins[i]
		res.joints = max(res.joints, j.left(&s.bodies[j.a], &s.bodies[j.b]))
	}
}

// below tells whether the errors are.
func (r *result) below(tol float64) bool {
	return r.errors.Natural <= tol && r.errors.Scaled <= tol && r.joints <= jointShare*tol
}

// solve sweeps until both errors are below tol and the joints are at rest, or sweeps are used up, or late says so.
// Impulses that obey the laws from the start, as those of the last step at rest do, need no sweep.
func (s *sweeper) solve(p *problem, tol float64, sweeps int) (res result) {
	s.admit()
	s.pushAll()
	if s.measure(p, &res); res.below(tol) {
		res.converged = true
		return res
	}
	near := (closeBy * tol) * (closeBy * tol)
	alone := len(s.spots)+len(s.pins) == 1 // one sweep is the answer
	for res.sweeps < sweeps {
		mixes := res.sweeps >= unmixed
		pulled := s.pull(mixes)
		size := s.sweep(mixes)
		res.sweeps++
		if size <= near*s.driven && pulled <= near*jointShare*jointShare*s.quick || alone || res.sweeps == sweeps {
			if s.measure(p, &res); res.below(tol / spare) {
				break
			}
		}
		if res.sweeps >= neverCut && res.sweeps < sweeps && p.late != nil && p.late() {
			s.measure(p, &res)
			res.late = !res.below(tol / spare)
			break
		}
		if res.sweeps > unmixed && res.sweeps < sweeps && s.mix.Mix(s.mix.G, math.Sqrt(size+pulled)) {
			s.admit()
			s.restart()
			s.pushAll()
		}
	}
	res.converged = res.below(tol)
	return res
}

// admit moves the impulses to what the laws allow.
func (s *sweeper) admit() {
	contact.Admit(s.mix.G[:3*len(s.spots)], s.mu)
	for i := range s.pins {
		if j := &s.pins[i]; j.of.mu > 0 {
			j.r[j.of.n-1] = j.bound(j.r[j.of.n-1])
		}
	}
}

// restart gives the bodies the velocities without impulses.
func (s *sweeper) restart() {
	for i := range s.bodies {
		s.bodies[i].free()
	}
}

// pushAll adds all impulses.
func (s *sweeper) pushAll() {
	s.push()
	s.pushPins()
}

// dense solves the problem of the contacts, without joints, with W formed, from the impulses that sweeps have found.
func (s *sweeper) dense(p *problem, d *dense, tol float64) (res result) {
	p.dense(&d.problem)
	d.options.Tolerance = tol
	d.solver.Solve(&d.problem, s.mix.G, &d.options)
	s.restart()
	s.push()
	s.measure(p, &res)
	res.converged = res.below(tol)
	return res
}

// give writes what was found to the problem.
func (s *sweeper) give(p *problem) {
	for k, i := range p.moved {
		b := &s.bodies[k+1]
		p.v[i], p.omega[i] = vec3(b.v[:3]), vec3(b.w[:3])
	}
	for i := range p.contacts {
		p.contacts[i].r = [3]float64(s.mix.G[3*i : 3*i+3])
	}
	for i := range p.joints {
		p.joints[i].r = [6]float64(s.pins[i].r)
	}
}

// queue is the order in which contacts are solved: that of their numbers where they share a body, so that a sweep is that
// of the numbers to the last bit, and else one in which neighbours share none: a processor need not wait for the one to
// begin the next.
type queue struct {
	order  []int32
	place  []int32 // of each contact in the order; before that its rank: one more than those before it on its bodies have
	latest []int32 // of each body the rank of its last contact
	counts []int32 // of each rank
}

// begin forgets what was there; the first of the bodies is the ground.
func (q *queue) begin(bodies int) {
	q.place, q.counts, q.latest = q.place[:0], q.counts[:0], grown(q.latest, bodies)
	clear(q.latest)
}

// add takes in a contact of two bodies. The ground is shared by all.
func (q *queue) add(a, b int32) {
	rank := max(q.latest[a], q.latest[b])
	if int(rank) == len(q.counts) {
		q.counts = append(q.counts, 0)
	}
	q.counts[rank]++
	q.place = append(q.place, rank)
	q.latest[a], q.latest[b] = rank+1, rank+1
	q.latest[0] = 0
}

// line orders the contacts.
func (q *queue) line() {
	at := int32(0)
	for k, n := range q.counts {
		q.counts[k] = at
		at += n
	}
	q.order = grown(q.order, len(q.place))
	for i, k := range q.place {
		q.place[i] = q.counts[k]
		q.order[q.counts[k]] = int32(i)
		q.counts[k]++
	}
}
