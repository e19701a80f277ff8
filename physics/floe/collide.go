package floe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"hapco/physics/contact"
	"hapco/physics/contact/lcp"
	_ "hapco/physics/contact/solvers"
)

// clusters are the groups of floes that touch each other, as a union-find forest.
// Obstacles join nothing: no shock goes through them.
type clusters struct {
	parent []int32
	first  []int32 // by cluster: where its contacts begin in sorted
	sorted []int32 // contacts by cluster
	root   []int32 // by contact
}

func (c *clusters) find(i int32) int32 {
	for c.parent[i] != i {
		c.parent[i] = c.parent[c.parent[i]]
		i = c.parent[i]
	}
	return i
}

// group sorts the contacts by cluster. Clusters come in the order of their first
// floe, so that nothing depends on the order of contacts.
func (w *World) group() {
	c := &w.groups
	c.parent = slices.Grow(c.parent[:0], len(w.bodies))[:len(w.bodies)]
	for i := range c.parent {
		c.parent[i] = int32(i)
	}
	for k := range w.contacts {
		a, b := int32(w.contacts[k].A), int32(w.contacts[k].B)
		if w.bodies[a].fixed || w.bodies[b].fixed {
			continue
		}
		a, b = c.find(a), c.find(b)
		c.parent[max(a, b)] = min(a, b)
	}
	c.root, c.sorted, c.first = c.root[:0], c.sorted[:0], c.first[:0]
	for k := range w.contacts {
		a := w.contacts[k].A
		if w.bodies[a].fixed {
			a = w.contacts[k].B
		}
		c.root = append(c.root, c.find(int32(a)))
		c.sorted = append(c.sorted, int32(k))
	}
	slices.SortFunc(c.sorted, func(i, j int32) int { return cmp.Or(cmp.Compare(c.root[i], c.root[j]), cmp.Compare(i, j)) })
	for k, i := range c.sorted {
		if k == 0 || c.root[i] != c.root[c.sorted[k-1]] {
			c.first = append(c.first, int32(k))
		}
	}
	c.first = append(c.first, int32(len(c.sorted)))
}

// touch finds the contacts of now and lets the clusters that approach collide.
func (w *World) touch() {
	chunks := (len(w.near.pairs) + pairChunk - 1) / pairChunk
	for len(w.found) < chunks {
		w.found = append(w.found, nil)
	}
	w.team.Run(chunks, &w.doFind)
	w.contacts = w.contacts[:0]
	for _, f := range w.found[:chunks] {
		w.contacts = append(w.contacts, f...)
	}
	if w.window > 0 {
		w.recall()
	}
	w.group()
	clusters := len(w.groups.first) - 1
	w.report.Contacts, w.report.Clusters = len(w.contacts), clusters
	w.outcomes = slices.Grow(w.outcomes[:0], clusters)[:clusters]
	w.team.Run(clusters, &w.doCollide)
	for i := range w.outcomes {
		o := &w.outcomes[i]
		w.energy.Impact += o.impact
		w.energy.Friction += o.friction
		w.report.add(&o.Report)
		if o.err != nil && w.err == nil {
			w.err = o.err
		}
	}
}

// recalled is what a contact had in the last window.
type recalled struct {
	key    uint64
	normal float64 // impulses, N s
	shear  float64
}

// recall gives contacts the impulses that they had in the last window: where ice is
// jammed, these are nearly right, and sweeps go on from them.
func (w *World) recall() {
	for i := range w.contacts {
		c := &w.contacts[i]
		if k, ok := slices.BinarySearchFunc(w.memory, c.key, func(r recalled, key uint64) int { return cmp.Compare(r.key, key) }); ok {
			c.warm = [2]float64{w.memory[k].normal, w.memory[k].shear}
		}
	}
}

// remember keeps the impulses for the next window.
func (w *World) remember() {
	w.memory = w.memory[:0]
	for i := range w.contacts {
		if c := &w.contacts[i]; c.Impulse > 0 {
			w.memory = append(w.memory, recalled{c.key, c.Impulse, c.Friction})
		}
	}
	slices.SortFunc(w.memory, func(a, b recalled) int { return cmp.Compare(a.key, b.key) })
}

// find is the job of finding the contacts of some pairs.
func (w *World) find(chunk int) {
	found := w.found[chunk][:0]
	for _, p := range w.near.pairs[chunk*pairChunk : min((chunk+1)*pairChunk, len(w.near.pairs))] {
		a, b := &w.bodies[p.a], &w.bodies[p.b]
		reach := w.xi
		if w.window > 0 { // what may touch within the step
			reach += w.dt * closing(a, b)
		}
		if !boxesNear(a, b, reach) {
			continue
		}
		first := len(found)
		found = contacts(found, &a.placed, &b.placed, reach, w.xi)
		for k := first; k < len(found); k++ {
			found[k].A, found[k].B = int(p.a), int(p.b)
			found[k].key |= uint64(p.a)<<44 | uint64(p.b)<<24
		}
	}
	w.found[chunk] = found
}

// outcome is what the collision of one cluster adds to the account.
type outcome struct {
	Report
	impact, friction float64
	err              error
}

// cluster is the job of one cluster: no other one has a floe of it.
func (w *World) cluster(k int) {
	list := w.groups.sorted[w.groups.first[k]:w.groups.first[k+1]]
	free := <-w.free
	c := &w.solvers[free]
	if w.inspect != nil {
		w.inspect(list)
	}
	c.outcome = outcome{}
	c.err = c.collide(w, list)
	c.spread(w, list)
	w.outcomes[k] = c.outcome
	w.free <- free
}

// collider solves the contact problem of one cluster: (3.5) in the reduced form
//
//	A = [J'XJ, J'XD, 0;  D'XJ, D'XD, H;  mu, -H', 0],  q = (J'W, D'W, 0)
//
// in units in which the mean of the diagonal of J'XJ and the largest speed are 1.
// Its unknowns are velocities and impulses of contacts; bodies are changed by apply.
type collider struct {
	list []*Contact
	a, b []*body
	arm  [][4]float64 // of the normal and the tangent about a's centroid, and about b's, m
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
	cone    contact.Solver // the law, where it is one of physics/contact
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
	s, err := contact.New(law)
	if err != nil {
		return fmt.Errorf("floe: law %q (cure: %s, %s or a contact solver: %v)", law, LawLCP, LawSweeps, contact.Names())
	}
	c.cone = s
	return nil
}

func grow(s *[]float64, n int) []float64 {
	*s = slices.Grow((*s)[:0], n)[:n]
	return *s
}

// take makes the problem of some contacts.
func (c *collider) take(w *World, list []int32) {
	n := len(list)
	c.list, c.a, c.b, c.arm = c.list[:0], c.a[:0], c.b[:0], c.arm[:0]
	for _, k := range list {
		j := &w.contacts[k]
		c.list = append(c.list, j)
		a, b := &w.bodies[j.A], &w.bodies[j.B]
		c.a, c.b = append(c.a, a), append(c.b, b)
		an, at := arms(j, a)
		bn, bt := arms(j, b)
		c.arm = append(c.arm, [4]float64{an, at, bn, bt})
	}
	c.mu, c.pivotsTo = w.friction, w.pivotsTo
	grow(&c.give, n)
	for i, j := range c.list {
		c.give[i] = 0
		if w.window > 0 {
			c.give[i] = max(0, (j.Gap-w.xi/2)/w.dt)
		}
	}
	grow(&c.w, n)
	grow(&c.s, n)
	clear(grow(&c.lambda, n))
	clear(grow(&c.beta, n))
}

// arms are those of the normal and the tangent at the contact about the centroid of
// a floe. What is below the round-off of the coordinates is 0: a floe that is hit
// straight on its centroid must not begin to turn, as from blow to blow that grows.
func arms(j *Contact, x *body) (n, t float64) {
	r := j.Point.Sub(x.g)
	least := 1e-15 * (math.Abs(j.Point[0]) + math.Abs(j.Point[1]) + x.radius)
	if n = cross(r, j.Normal); math.Abs(n) <= least {
		n = 0
	}
	if t = cross(r, j.Tangent()); math.Abs(t) <= least {
		t = 0
	}
	return n, t
}

// speed is the speed of separation and that of sliding of contact i.
func (c *collider) speed(i int) (w, s float64) {
	a, b, j, r := c.a[i], c.b[i], c.list[i], &c.arm[i]
	if !(c.shifts && a.fixed) {
		w, s = -a.v.Dot(j.Normal)-a.rate*r[0], -a.v.Dot(j.Tangent())-a.rate*r[1]
	}
	if !(c.shifts && b.fixed) {
		w += b.v.Dot(j.Normal) + b.rate*r[2]
		s += b.v.Dot(j.Tangent()) + b.rate*r[3]
	}
	return w, s
}

// kick gives contact i the impulse l N + f T, or, where velocities stand for
// something else, adds that much of it.
func (c *collider) kick(i int, l, f float64) {
	a, b, j, r := c.a[i], c.b[i], c.list[i], &c.arm[i]
	p := j.Normal.Mul(l).Add(j.Tangent().Mul(f))
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

// approach is the largest speed of approach beyond what a contact may close with,
// above 0.
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
			for k, x := range [2]*body{c.a[i], c.b[i]} {
				if x.fixed {
					continue
				}
				for l, y := range [2]*body{c.a[j], c.b[j]} {
					if x != y {
						continue
					}
					sign := 1.0
					if k != l {
						sign = -1
					}
					ni, nj, ti, tj := c.list[i].Normal, c.list[j].Normal, c.list[i].Tangent(), c.list[j].Tangent()
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
	for i, j := range c.list {
		if l, t := f*c.lambda[i], f*c.beta[i]; l != 0 || t != 0 {
			c.kick(i, l, t)
			j.Impulse += l
			j.Friction += t
		}
	}
}

// errNoSolution is what a ray becomes.
var errNoSolution = errors.New("floe: a contact problem has no solution that could be found (cure: no moving obstacle that crushes floes)")

// compress finds lambda and beta such that the contacts neither approach nor pull,
// within Coulomb's law: (3.5) with eps = 0.
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

// fair is the approach, as a share of the fastest, that sweeps may leave to the next
// step where an obstacle moves: more, and it crushes floes, which has no solution. All
// else has one, and what is left of it, however much, is left to the next step. No
// floes overlap meanwhile: the step ends before.
const fair = 0.5

// throughPivots solves (3.5) by Lemke's method.
func (c *collider) throughPivots() bool {
	n := len(c.list)
	speed, weight := 0.0, 0.0
	for i := range n {
		speed = max(speed, math.Abs(c.w[i]), math.Abs(c.s[i]))
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
			c.beta[i] = (z[n+2*i] - z[n+2*i+1]) * speed / weight
		}
	}
	return true
}

// throughCone hands the problem to a solver of physics/contact. Those know two
// tangents: the second one is coupled to nothing and stays without force.
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
	opt.Tolerance, opt.MaxIterations = 1e-12, 20000
	c.cone.Solve(p, c.r, &opt)
	c.Sweeps++
	for i := range n {
		c.lambda[i], c.beta[i] = c.r[3*i], c.r[3*i+1]
	}
	return c.holds(1e-7)
}

// holds tells whether the impulses, with nn, nt and tt, leave no approach beyond a
// share of the fastest.
func (c *collider) holds(tol float64) bool {
	n := len(c.list)
	speed := 0.0
	for i := range n {
		speed = max(speed, math.Abs(c.w[i]), math.Abs(c.s[i]))
	}
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

// Sweeps end where no contact's velocities change by more than sweepTolerance of
// the fastest; after sweepEnough of them, where no floes approach at more than loose
// of it, which the next step takes up; and after sweepLimit.
const (
	sweepTolerance = 1e-11
	sweepEnough    = 20
	sweepLimit     = 300
	loose          = 1e-3
)

// sweep solves contact after contact exactly, with the others' impulses as they
// are, until nothing changes, and returns what approach is left as a share of the
// fastest. It needs no matrix: the floes themselves carry the
// velocities meanwhile, and have their own again at the end.
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
	speed := 0.0
	for i := range n {
		speed = max(speed, math.Abs(c.w[i]), math.Abs(c.s[i]))
	}
	nn, nt, tt := grow(&c.nn, n), grow(&c.nt, n), grow(&c.tt, n)
	for i := range c.list {
		r := &c.arm[i]
		a, b := c.a[i], c.b[i]
		nn[i] = a.invMass + b.invMass + a.invInertia*r[0]*r[0] + b.invInertia*r[2]*r[2]
		nt[i] = a.invInertia*r[0]*r[1] + b.invInertia*r[2]*r[3]
		tt[i] = a.invMass + b.invMass + a.invInertia*r[1]*r[1] + b.invInertia*r[3]*r[3]
	}
	omega := 1.0
	for k := range sweepLimit + 20000/n { // those of a small cluster cost little
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
		if k%10 == 9 && k >= sweepEnough-1 {
			omega = 0.8 // sliding contacts may make each other slip to and fro
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

// oneContact solves one contact: lambda >= 0, w + nn lambda + nt beta >= 0, one of
// them 0, |beta| <= mu lambda, and beta against the sliding where it slides.
func oneContact(nn, nt, tt, w, s, mu float64) (lambda, beta float64) {
	if w >= 0 || nn == 0 {
		return 0, 0
	}
	if mu == 0 {
		return -w / nn, 0
	}
	det := nn*tt - nt*nt
	if det > 1e-14*nn*tt {
		lambda, beta = (-w*tt+s*nt)/det, (w*nt-s*nn)/det
		if lambda >= 0 && math.Abs(beta) <= mu*lambda {
			return lambda, beta
		}
	}
	// Sliding with sign g: beta = -g mu lambda. Where both signs solve, or none, that
	// against the sliding before is taken.
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

// keep copies the velocities of the floes of all contacts; restore puts them back.
func (c *collider) keep() []float64 {
	kept := grow(&c.kept, 6*len(c.list))
	for i := range c.list {
		for k, x := range [2]*body{c.a[i], c.b[i]} {
			at := kept[6*i+3*k:]
			at[0], at[1], at[2] = x.v[0], x.v[1], x.rate
		}
	}
	return kept
}

func (c *collider) restore(kept []float64) {
	for i := range c.list {
		for k, x := range [2]*body{c.a[i], c.b[i]} {
			if at := kept[6*i+3*k:]; !x.fixed {
				x.v, x.rate = Vec2{at[0], at[1]}, at[2]
			}
		}
	}
}

// tight is the approach that a problem solved by pivots may leave, as a share of the
// fastest.
const tight = 1e-9

// roundoff is the approach that counts as none, as a share of the speeds there.
const roundoff = 1e-12

// collide lets a cluster of touching floes collide.
func (c *collider) collide(w *World, list []int32) error {
	c.take(w, list)
	c.speeds()
	fast, accel := 0.0, 0.0
	for i := range c.list {
		for _, x := range [2]*body{c.a[i], c.b[i]} {
			fast = max(fast, x.v.Len()+math.Abs(x.rate)*x.Radius)
			accel = max(accel, x.accel)
		}
	}
	if c.approach() <= roundoff*fast {
		return nil
	}
	c.Collisions++
	eps := w.restitution
	if c.approach() <= 3*accel*w.bound {
		for _, j := range c.list {
			j.rest = true
		}
		if w.repairs.Rest {
			eps = 0
		}
	}
	for i := range c.list {
		// What hits within the window, and bounces, does so now: to let it close its gap
		// first would cost the energy of that.
		if eps > 0 && c.w[i] < -c.give[i] {
			c.give[i] = 0
		}
	}
	if w.repairs.Sequential && eps > 0 {
		return c.relay(w, list, eps, fast)
	}
	return c.strike(w, eps, fast)
}

// strike is one collision of the contacts in the collider: compression, then
// decompression, W_N = (1 + eps) W_c - eps W-.
func (c *collider) strike(w *World, eps, fast float64) error {
	c.begin()
	c.tolerance = tight
	if !w.repairs.ForcesFirst {
		return c.letter(w, eps)
	}
	if err := c.compress(w.law); err != nil {
		return err
	}
	c.spend(1 + eps)
	c.end()
	if !w.repairs.CloseAgain {
		return nil
	}
	for k := range 5 {
		c.speeds()
		if c.approach() <= c.tolerance*fast || k == 2 && c.tolerance > tight {
			return nil // where it was swept, what is left is for the next step
		}
		c.Again++
		c.begin()
		if err := c.compress(w.law); err != nil {
			return err
		}
		c.spend(1)
		c.end()
	}
	return nil
}

// spend applies the impulses, f times for 1 + eps. A problem that was solved loosely,
// or is next to singular, may give energy: then restitution goes first, and then a
// part of the rest.
func (c *collider) spend(f float64) {
	before := c.kinetic()
	c.apply(f)
	if c.kinetic() <= before*(1+1e-9) || c.driven() {
		return
	}
	c.tolerance = max(c.tolerance, loose)
	if f > 1 {
		c.apply(1 - f)
	}
	for f := 1.0; c.kinetic() > before*(1+1e-9) && f > 1e-6; f /= 2 {
		c.apply(-f / 2)
	}
}

// driven tells whether an obstacle that moves is there: it gives energy.
func (c *collider) driven() bool {
	for i := range c.list {
		for _, x := range [2]*body{c.a[i], c.b[i]} {
			if x.fixed && (x.v != Vec2{} || x.rate != 0) {
				return true
			}
		}
	}
	return false
}

// kinetic is the energy of the floes of the cluster, J.
func (c *collider) kinetic() float64 {
	sum := 0.0
	for i := range c.list {
		for _, x := range [2]*body{c.a[i], c.b[i]} {
			if !x.fixed && !x.seen {
				x.seen = true
				sum += (x.v.LenSqr()/x.invMass + x.rate*x.rate/x.invInertia) / 2 // of the mass that contacts see
			}
		}
	}
	for i := range c.list {
		c.a[i].unsee()
		c.b[i].unsee()
	}
	return sum
}

// letter is a collision whose problem holds the impulses of the forces of the step,
// which restitution then multiplies, as the reports have it. What that adds to the
// energy is booked as an impact below 0.
func (c *collider) letter(w *World, eps float64) error {
	if err := c.compress(w.law); err != nil {
		return err
	}
	c.apply(1)
	for i := range c.list { // every floe once: before is cleared by setting it to the result
		for _, x := range [2]*body{c.a[i], c.b[i]} {
			if x.fixed {
				continue
			}
			e := (x.mass*x.v.LenSqr() + x.inertia*x.rate*x.rate) / 2
			v := x.v.Mul(1 + eps).Sub(x.before.Mul(eps))
			rate := (1+eps)*x.rate - eps*x.beforeRate
			x.v, x.rate, x.before, x.beforeRate = v, rate, v, rate
			c.impact -= (x.mass*v.LenSqr()+x.inertia*rate*rate)/2 - e
		}
	}
	return nil
}

// relay lets a shock run through floes that touch: the two that approach fastest
// collide, alone, until none approach.
func (c *collider) relay(w *World, list []int32, eps, fast float64) error {
	for range 100 * len(list) {
		c.take(w, list)
		c.speeds()
		worst := 0
		for i := range c.w {
			if c.w[i]+c.give[i] < c.w[worst]+c.give[worst] {
				worst = i
			}
		}
		if -c.w[worst]-c.give[worst] <= max(c.tolerance, tight)*fast {
			return nil
		}
		a, b := c.a[worst], c.b[worst]
		n := 0
		for i := range c.list {
			if c.a[i] == a && c.b[i] == b {
				c.list[n], c.a[n], c.b[n], c.arm[n] = c.list[i], a, b, c.arm[i]
				c.w[n], c.s[n], c.give[n] = c.w[i], c.s[i], c.give[i]
				n++
			}
		}
		c.list, c.a, c.b, c.arm = c.list[:n], c.a[:n], c.b[:n], c.arm[:n]
		c.w, c.s, c.give, c.lambda, c.beta = c.w[:n], c.s[:n], c.give[:n], c.lambda[:n], c.beta[:n]
		if err := c.strike(w, eps, fast); err != nil {
			return err
		}
	}
	c.take(w, list) // an endless relay: what is left ends without restitution
	c.speeds()
	return c.strike(w, 0, fast)
}

// begin and end put the energy that a collision loses to the account: an impulse
// does the work of itself times the mean of the speeds before and after.
func (c *collider) begin() {
	c.start = append(append(c.start[:0], c.w...), c.s...)
	for _, j := range c.list {
		c.start = append(c.start, j.Impulse, j.Friction)
	}
}

func (c *collider) end() {
	c.speeds()
	n := len(c.list)
	for i, j := range c.list {
		c.impact -= (j.Impulse - c.start[2*n+2*i]) * (c.start[i] + c.w[i]) / 2
		c.friction -= (j.Friction - c.start[2*n+2*i+1]) * (c.start[n+i] + c.s[i]) / 2
	}
}

// spread moves floes that touch, and are closer than a quarter of xi, apart again:
// steps along straight lines bring floes that turn or slide in contact closer, by a
// little each time. Only places change, by at most xi/8 a floe and step, with equal
// and opposite shares of mass, so that the centre of mass stays.
func (c *collider) spread(w *World, list []int32) {
	tight := false
	for _, i := range list {
		tight = tight || w.contacts[i].Gap < w.xi/4
	}
	if !tight {
		return
	}
	c.take(w, list)
	kept := c.keep()
	c.shifts = true
	for i := range c.list { // the velocities serve as shifts for a moment
		for _, x := range [2]*body{c.a[i], c.b[i]} {
			if !x.fixed {
				x.v, x.rate = Vec2{}, 0
			}
		}
	}
	for range 20 {
		for i, j := range c.list {
			a, b, r := c.a[i], c.b[i], &c.arm[i]
			rise, _ := c.speed(i)
			weight := a.invMass + b.invMass + a.invInertia*r[0]*r[0] + b.invInertia*r[2]*r[2]
			l := max(0, c.lambda[i]+(w.xi/2-j.Gap-rise)/weight)
			c.kick(i, l-c.lambda[i], 0)
			c.lambda[i] = l
		}
	}
	most := 0.0
	for i := range c.list {
		for _, x := range [2]*body{c.a[i], c.b[i]} {
			if !x.fixed {
				most = max(most, x.v.Len()+math.Abs(x.rate)*x.Radius)
			}
		}
	}
	share := min(1, w.xi/8/most)
	for i := range c.list {
		for _, x := range [2]*body{c.a[i], c.b[i]} {
			if x.fixed || x.v == (Vec2{}) && x.rate == 0 {
				continue
			}
			x.angle += share * x.rate
			g := x.g.Add(x.v.Mul(share))
			x.travel += share * (x.v.Len() + math.Abs(x.rate)*x.Radius)
			x.v, x.rate = Vec2{}, 0 // a floe of several contacts moves once
			x.put(&x.plate, g, x.angle)
		}
	}
	c.shifts = false
	c.restore(kept)
}
