package exact

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// Bodies is a contact problem in velocities between rigid bodies: impulses r and relative velocities x = W r + q with
// W = H M^-1 H^T, which is never formed. Sweeps solve contact by contact, exactly, as "nsgs" does, and carry the
// bodies' velocities along: a sweep costs as much as there are contacts. Joints are bilateral rows of the same problem.
//
// Contacts and joints are between body A and body B, -1 for the ground; impulses act on A, and turned round on B.
// Nothing is allocated but to make room.
type Bodies struct {
	InvMass    []float64    // of each body, 1/kg; 0: moved by nobody
	InvInertia []mgl64.Mat3 // world axes, 1/(kg m^2)
	V, Omega   []mgl64.Vec3 // velocities without the impulses; Solve adds these

	Contacts []BodyContact
	Joints   []BodyJoint
	// Moved are the bodies that these contacts and joints act on; nil: all. Problems that share no body may share the
	// slices above, and be solved at once.
	Moved []int32
	// Late is asked after each sweep but the first ones whether to end with what there is; nil: sweeps go on. The
	// errors are known then as ever.
	Late func() bool

	mean             float64      // of the contacts' weights w_c, 1/kg
	blocks           []block      // of the contacts
	freeV, freeOmega []mgl64.Vec3 // velocities without impulses
	mix              anderson
	old, mu          []float64 // impulses before a sweep, friction coefficients
	number           []int32   // of the bodies, among those of motions
}

// Row is a relative velocity D.vA + A.omegaA - D.vB - B.omegaB.
type Row struct{ D, A, B mgl64.Vec3 }

// BodyContact is a contact with its rows n, t1, t2.
type BodyContact struct {
	A, B int32
	Rows [3]Row
	Q    [3]float64 // added to the relative velocity: gap over step, restitution
	Mu   float64
	R    [3]float64 // impulse, N s; its start is where sweeps begin
	X    [3]float64 // after Solve: relative velocity with Q
	Free [3]float64 // after Solve: relative velocity without impulses, with Q
	root float64    // of the law, where the next Solve begins
}

// block is what sweeps need of a contact beside what it is.
type block struct {
	w      [9]float64
	ia, ib [3]mgl64.Vec3 // InvInertia A and B of each row
	law    Local
}

// BodyJoint has up to six rows whose relative velocity with Q becomes 0.
type BodyJoint struct {
	A, B int32
	N    int
	Rows [6]Row
	Q, R [6]float64
	// Mu is the friction of the last row, whose velocity need not vanish: it bears at most Mu times the impulse of the
	// first two. 0: no such row.
	Mu float64

	inv    [36]float64
	ia, ib [6]mgl64.Vec3
	scale  [6]float64 // of each row 1/w, kg or kg m^2: w times an impulse is a velocity
	quick  float64    // how fast its ends move without impulses: the most w^-1/2 |velocity| of a row
}

// BodyResult tells how sweeps went. Natural errors, which compare impulses with velocities, are those in units in which
// the mean of the contacts' weights w_c is 1: in kg, m and s they would be of one size for grains and of another for
// ships.
type BodyResult struct {
	Sweeps    int
	Converged bool
	Late      bool // Late ended the sweeps
	Errors    contact.Errors
	Joints    float64 // largest relative velocity left at a joint, as a share of its ends'
}

// Velocity of a row between two bodies.
func (p *Bodies) Velocity(r *Row, a, b int32) (x float64) {
	if a >= 0 {
		x = r.D.Dot(p.V[a]) + r.A.Dot(p.Omega[a])
	}
	if b >= 0 {
		x -= r.D.Dot(p.V[b]) + r.B.Dot(p.Omega[b])
	}
	return x
}

// apply adds an impulse f along a row.
func (p *Bodies) apply(r *Row, ia, ib *mgl64.Vec3, a, b int32, f float64) {
	if a >= 0 {
		m := f * p.InvMass[a]
		v, w := &p.V[a], &p.Omega[a]
		for k := range 3 {
			v[k] += m * r.D[k]
			w[k] += f * ia[k]
		}
	}
	if b >= 0 {
		m := f * p.InvMass[b]
		v, w := &p.V[b], &p.Omega[b]
		for k := range 3 {
			v[k] -= m * r.D[k]
			w[k] -= f * ib[k]
		}
	}
}

// spread computes InvInertia times the rows' arms.
func (p *Bodies) spread(rows []Row, ia, ib []mgl64.Vec3, a, b int32) {
	for k := range rows {
		if a >= 0 {
			ia[k] = p.InvInertia[a].Mul3x1(rows[k].A)
		}
		if b >= 0 {
			ib[k] = p.InvInertia[b].Mul3x1(rows[k].B)
		}
	}
}

// coupling is the entry of W between two rows of one contact or joint.
func (p *Bodies) coupling(r, s *Row, ia, ib *mgl64.Vec3, a, b int32) (w float64) {
	if a >= 0 {
		w += p.InvMass[a]*r.D.Dot(s.D) + r.A.Dot(*ia)
	}
	if b >= 0 {
		w += p.InvMass[b]*r.D.Dot(s.D) + r.B.Dot(*ib)
	}
	return w
}

// prepare computes what sweeps need of the bodies' masses, and the free relative velocities. Solve calls it unless told
// not to.
func (p *Bodies) prepare() {
	mean, count := 0.0, 0
	p.blocks = num.Grow(p.blocks, len(p.Contacts))
	for i := range p.Contacts {
		c, b := &p.Contacts[i], &p.blocks[i]
		p.spread(c.Rows[:], b.ia[:], b.ib[:], c.A, c.B)
		for r := range 3 {
			for s := range 3 {
				b.w[3*r+s] = p.coupling(&c.Rows[r], &c.Rows[s], &b.ia[s], &b.ib[s], c.A, c.B)
			}
			c.Free[r] = p.Velocity(&c.Rows[r], c.A, c.B) + c.Q[r]
		}
		if t := b.w[0] + b.w[4] + b.w[8]; t > 0 {
			mean += t / 3
			count++
		}
	}
	if count > 0 {
		mean /= float64(count)
	} else {
		mean = 1
	}
	p.mean = mean
	for i := range p.Contacts {
		c, b := &p.Contacts[i], &p.blocks[i]
		b.law.Prepare(&b.w, c.Mu, mean, 0)
		b.law.root = c.root
	}
	for i := range p.Joints {
		p.prepareJoint(&p.Joints[i])
	}
}

// prepareJoint inverts the joint's own block of W.
func (p *Bodies) prepareJoint(j *BodyJoint) {
	p.spread(j.Rows[:j.N], j.ia[:], j.ib[:], j.A, j.B)
	n := j.N
	j.quick = 0
	for k := range n {
		r := &j.Rows[k]
		w := p.coupling(r, r, &j.ia[k], &j.ib[k], j.A, j.B)
		j.scale[k] = 0
		if w > 0 {
			j.scale[k] = 1 / w
		}
		speed := math.Abs(j.Q[k])
		if j.A >= 0 {
			speed += math.Abs(r.D.Dot(p.V[j.A])) + math.Abs(r.A.Dot(p.Omega[j.A]))
		}
		if j.B >= 0 {
			speed += math.Abs(r.D.Dot(p.V[j.B])) + math.Abs(r.B.Dot(p.Omega[j.B]))
		}
		j.quick = max(j.quick, speed*math.Sqrt(j.scale[k]))
	}
	if j.Mu > 0 {
		n--
		last := j.N - 1
		j.inv[35] = 1 / p.coupling(&j.Rows[last], &j.Rows[last], &j.ia[last], &j.ib[last], j.A, j.B)
	}
	var a [6][12]float64
	for r := range n {
		for s := range n {
			a[r][s] = p.coupling(&j.Rows[r], &j.Rows[s], &j.ia[s], &j.ib[s], j.A, j.B)
		}
		a[r][6+r] = 1
	}
	for c := range n { // positive definite: no exchange
		if !(a[c][c] > 0) {
			continue // a joint between bodies that nothing moves
		}
		f := 1 / a[c][c]
		for k := range a[c] {
			a[c][k] *= f
		}
		for r := range n {
			if r == c {
				continue
			}
			f := a[r][c]
			for k := range a[r] {
				a[r][k] -= f * a[c][k]
			}
		}
	}
	for r := range n {
		for s := range n {
			j.inv[6*r+s] = a[r][6+s]
		}
	}
}

// keep remembers the bodies' velocities, Restart brings them back.
func (p *Bodies) keep() {
	if p.Moved == nil {
		p.freeV = append(p.freeV[:0], p.V...)
		p.freeOmega = append(p.freeOmega[:0], p.Omega...)
		return
	}
	p.freeV, p.freeOmega = p.freeV[:0], p.freeOmega[:0]
	for _, b := range p.Moved {
		p.freeV = append(p.freeV, p.V[b])
		p.freeOmega = append(p.freeOmega, p.Omega[b])
	}
}

// Restart gives the bodies the velocities that they had before Solve.
func (p *Bodies) Restart() {
	if p.Moved == nil {
		copy(p.V, p.freeV)
		copy(p.Omega, p.freeOmega)
		return
	}
	for i, b := range p.Moved {
		p.V[b], p.Omega[b] = p.freeV[i], p.freeOmega[i]
	}
}

// admit moves the impulses at the start to what the laws allow.
func (p *Bodies) admit() {
	for i := range p.Contacts {
		c := &p.Contacts[i]
		c.R[0] = max(c.R[0], 0)
		bound := c.Mu * c.R[0]
		if t := c.R[1]*c.R[1] + c.R[2]*c.R[2]; t > bound*bound {
			f := bound / math.Sqrt(t)
			c.R[1] *= f
			c.R[2] *= f
		}
	}
}

// Solve sweeps until both errors of the contacts are below tol and the joints' rows are at rest to a hundredth of that,
// or sweeps are used up. Impulses that obey the laws from the start, as those of the last step at rest do, need no
// sweep. Impulses always obey r_n >= 0 and |r_t| <= mu r_n.
func (p *Bodies) Solve(tol float64, sweeps int) BodyResult {
	p.prepare()
	p.keep()
	p.admit()
	p.push()
	mixed := len(p.Joints) == 0 && len(p.Contacts) > 1
	var res BodyResult
	good := func() bool {
		p.measure(&res)
		res.Converged = res.Errors.Natural <= tol && res.Errors.Scaled <= tol && res.Joints <= jointShare*tol
		return res.Converged
	}
	if good() {
		return res
	}
	tol /= spare
	check := 1 // the next sweep after which errors are looked at
	for res.Sweeps < sweeps {
		if mixed && res.Sweeps == unmixedSweeps {
			p.mix.bind(3 * len(p.Contacts))
			p.old = num.Grow(p.old, 3*len(p.Contacts))
			p.mu = num.Grow(p.mu, len(p.Contacts))
			for i := range p.Contacts {
				p.mu[i] = p.Contacts[i].Mu
			}
		}
		if mixed && res.Sweeps >= unmixedSweeps {
			p.gather(p.old)
		}
		// To and fro: what a sweep carries up a stack the next carries down.
		if mixed || res.Sweeps%2 == 0 {
			for i := range p.Joints {
				p.sweepJoint(&p.Joints[i])
			}
			for i := range p.Contacts {
				p.sweepContact(i)
			}
		} else {
			for i := len(p.Contacts) - 1; i >= 0; i-- {
				p.sweepContact(i)
			}
			for i := len(p.Joints) - 1; i >= 0; i-- {
				p.sweepJoint(&p.Joints[i])
			}
		}
		res.Sweeps++
		if res.Sweeps == check || res.Sweeps == sweeps {
			if good() {
				break
			}
			check += 1 + check/4
		}
		if res.Sweeps >= neverLate && res.Sweeps < sweeps && p.Late != nil && p.Late() {
			res.Late = !good()
			break
		}
		if mixed && res.Sweeps > unmixedSweeps && res.Sweeps < sweeps {
			p.accelerate()
		}
	}
	res.Converged = res.Errors.Natural <= spare*tol && res.Errors.Scaled <= spare*tol && res.Joints <= jointShare*spare*tol
	return res
}

// spare is how many times as exact sweeps are once they are needed: what is at rest then stays within the tolerance for
// some steps without any.
const spare = 8

// jointShare is how much more exactly joints are held than contacts: what opens stays open.
const jointShare = 0.01

// neverLate sweeps are made however late it is: to and fro.
const neverLate = 2

// unmixedSweeps come before any mixing: a warm start at rest needs no more.
const unmixedSweeps = 2

// push adds all impulses to the velocities.
func (p *Bodies) push() {
	for i := range p.Contacts {
		c, b := &p.Contacts[i], &p.blocks[i]
		for k, f := range c.R {
			if f != 0 {
				p.apply(&c.Rows[k], &b.ia[k], &b.ib[k], c.A, c.B, f)
			}
		}
	}
	for i := range p.Joints {
		j := &p.Joints[i]
		for k := range j.N {
			p.apply(&j.Rows[k], &j.ia[k], &j.ib[k], j.A, j.B, j.R[k])
		}
	}
}

func (p *Bodies) gather(r []float64) {
	for i := range p.Contacts {
		copy(r[3*i:3*i+3], p.Contacts[i].R[:])
	}
}

// accelerate moves the impulses from what the sweep gave to Anderson's mixture of the last sweeps, made admissible; see
// the type.
func (p *Bodies) accelerate() {
	a := &p.mix
	p.gather(a.g)
	size := 0.0
	for i := range p.Contacts {
		w := math.Sqrt(p.blocks[i].law.scale)
		for k := 3 * i; k < 3*i+3; k++ {
			a.f[k] = w * (a.g[k] - p.old[k])
			size += a.f[k] * a.f[k]
		}
	}
	if !a.mixed(a.g, math.Sqrt(size)) {
		return
	}
	contact.Admit(a.g, p.mu)
	p.Restart()
	for i := range p.Contacts {
		copy(p.Contacts[i].R[:], a.g[3*i:3*i+3])
	}
	p.push()
}

func (p *Bodies) sweepContact(i int) {
	c, b := &p.Contacts[i], &p.blocks[i]
	x0 := p.Velocity(&c.Rows[0], c.A, c.B) + c.Q[0]
	if x0 >= 0 && c.R == ([3]float64{}) {
		return // open, and stays so
	}
	x1 := p.Velocity(&c.Rows[1], c.A, c.B) + c.Q[1]
	x2 := p.Velocity(&c.Rows[2], c.A, c.B) + c.Q[2]
	n, t1, t2 := b.law.Solve(x0, x1, x2, c.R[0], c.R[1], c.R[2], 1e-13)
	if d := n - c.R[0]; d != 0 {
		p.apply(&c.Rows[0], &b.ia[0], &b.ib[0], c.A, c.B, d)
	}
	if d := t1 - c.R[1]; d != 0 {
		p.apply(&c.Rows[1], &b.ia[1], &b.ib[1], c.A, c.B, d)
	}
	if d := t2 - c.R[2]; d != 0 {
		p.apply(&c.Rows[2], &b.ia[2], &b.ib[2], c.A, c.B, d)
	}
	c.R, c.root = [3]float64{n, t1, t2}, b.law.root
}

func (p *Bodies) sweepJoint(j *BodyJoint) {
	n := j.N
	if j.Mu > 0 {
		n--
	}
	var x [6]float64
	for k := range n {
		x[k] = p.Velocity(&j.Rows[k], j.A, j.B) + j.Q[k]
	}
	for r := range n {
		f := 0.0
		for s := range n {
			f -= j.inv[6*r+s] * x[s]
		}
		j.R[r] += f
		p.apply(&j.Rows[r], &j.ia[r], &j.ib[r], j.A, j.B, f)
	}
	if j.Mu > 0 {
		bound := j.Mu * math.Sqrt(j.R[0]*j.R[0]+j.R[1]*j.R[1])
		f := j.R[n] - j.inv[35]*(p.Velocity(&j.Rows[n], j.A, j.B)+j.Q[n])
		f = max(-bound, min(bound, f))
		p.apply(&j.Rows[n], &j.ia[n], &j.ib[n], j.A, j.B, f-j.R[n])
		j.R[n] = f
	}
}

// measure evaluates the errors of contact.Errors, and what joints lack.
func (p *Bodies) measure(res *BodyResult) {
	var s contact.ErrorSums
	for i := range p.Contacts {
		c := &p.Contacts[i]
		for k := range 3 {
			c.X[k] = p.Velocity(&c.Rows[k], c.A, c.B) + c.Q[k]
		}
		r := [3]float64{p.mean * c.R[0], p.mean * c.R[1], p.mean * c.R[2]}
		s.Add(c.Mu, p.blocks[i].law.scale/p.mean, r[:], c.X[:], c.Free[:])
	}
	res.Errors = s.Errors()
	res.Joints = 0
	for i := range p.Joints {
		j := &p.Joints[i]
		n := j.N
		if j.Mu > 0 {
			n--
		}
		for k := range n {
			if left := math.Abs(p.Velocity(&j.Rows[k], j.A, j.B)+j.Q[k]) * math.Sqrt(j.scale[k]); left > 0 {
				res.Joints = max(res.Joints, left/j.quick)
			}
		}
	}
}

// Dense writes the contacts, without joints, as a Problem with its W formed. Call it before Solve, which changes the
// velocities, after Prepare.
func (p *Bodies) Dense(out *contact.Problem) {
	n := len(p.Contacts)
	m := out.Motions
	out.Resize(n)
	if n >= sparseFrom {
		if m == nil {
			m = new(contact.Motions)
		}
		out.Motions = m
		p.motions(m)
	}
	clear(out.W)
	for i := range p.Contacts {
		c := &p.Contacts[i]
		out.Mu[i] = c.Mu
		for k := range 3 {
			out.Q[3*i+k] = c.Free[k]
		}
		for d := range i + 1 {
			e, b := &p.Contacts[d], &p.blocks[d]
			if c.A != e.A && c.A != e.B && c.B != e.A && c.B != e.B {
				continue
			}
			for r := range 3 {
				for s := range 3 {
					w := p.shared(c, r, c.A, 1, e, b, s) + p.shared(c, r, c.B, -1, e, b, s)
					out.W[(3*i+r)*3*n+3*d+s] = w
					out.W[(3*d+s)*3*n+3*i+r] = w
				}
			}
		}
	}
}

// motions writes the factor of W: in units in which M is the identity a row is D/sqrt(m), and its arm times a factor of
// the inverse inertia.
func (p *Bodies) motions(m *contact.Motions) {
	n := len(p.Contacts)
	m.A, m.B, m.G = num.Grow(m.A, n), num.Grow(m.B, n), num.Grow(m.G, 36*n)
	clear(m.G)
	p.number = num.Grow(p.number, len(p.InvMass))
	for i := range p.number {
		p.number[i] = -1
	}
	m.Bodies = 0
	for i := range p.Contacts {
		c := &p.Contacts[i]
		m.A[i] = p.moved(m, c.A)
		m.B[i] = p.moved(m, c.B)
		if c.A >= 0 {
			p.rows(m.G[36*i:36*i+18], c, c.A, 1)
		}
		if c.B >= 0 {
			p.rows(m.G[36*i+18:36*i+36], c, c.B, -1)
		}
	}
}

// moved is the number of a body in m, where it may move.
func (p *Bodies) moved(m *contact.Motions, body int32) int32 {
	if body < 0 || p.InvMass[body] == 0 && p.InvInertia[body] == (mgl64.Mat3{}) {
		return -1
	}
	if p.number[body] < 0 {
		p.number[body] = int32(m.Bodies)
		m.Bodies++
	}
	return p.number[body]
}

// rows writes those of a contact about one body.
func (p *Bodies) rows(g []float64, c *BodyContact, body int32, side float64) {
	m, l := side*math.Sqrt(p.InvMass[body]), lower(&p.InvInertia[body])
	for r := range c.Rows {
		row, arm := &c.Rows[r], c.Rows[r].A
		if side < 0 {
			arm = row.B
		}
		for k := range 3 {
			g[6*r+k] = m * row.D[k]
			g[6*r+3+k] = side * arm.Dot(l.Col(k))
		}
	}
}

// lower is the Cholesky factor of a positive semidefinite matrix.
func lower(a *mgl64.Mat3) (l mgl64.Mat3) {
	for j := range 3 {
		for i := j; i < 3; i++ {
			s := a.At(i, j)
			for k := range j {
				s -= l.At(i, k) * l.At(j, k)
			}
			switch {
			case i == j:
				l.Set(i, i, math.Sqrt(max(s, 0)))
			case l.At(j, j) > 0:
				l.Set(i, j, s/l.At(j, j))
			}
		}
	}
	return l
}

// shared is what row s of contact e does to row r of contact c through one body.
func (p *Bodies) shared(c *BodyContact, r int, body int32, side float64, e *BodyContact, b *block, s int) (w float64) {
	if body < 0 {
		return 0
	}
	arm := c.Rows[r].A
	if side < 0 {
		arm = c.Rows[r].B
	}
	if e.A == body {
		w += p.InvMass[body]*c.Rows[r].D.Dot(e.Rows[s].D) + arm.Dot(b.ia[s])
	}
	if e.B == body {
		w -= p.InvMass[body]*c.Rows[r].D.Dot(e.Rows[s].D) + arm.Dot(b.ib[s])
	}
	return side * w
}

// Take makes the impulses r (3N) of a dense solve those of the contacts, adds them to the velocities, and returns their
// errors. Joints are left alone.
func (p *Bodies) Take(r []float64) contact.Errors {
	for i := range p.Contacts {
		c := &p.Contacts[i]
		for k := range 3 {
			c.R[k] = r[3*i+k]
			p.apply(&c.Rows[k], &p.blocks[i].ia[k], &p.blocks[i].ib[k], c.A, c.B, c.R[k])
		}
	}
	var res BodyResult
	p.measure(&res)
	return res.Errors
}
