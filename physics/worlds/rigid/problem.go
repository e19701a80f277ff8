package rigid

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// problem is a contact problem in velocities between rigid bodies: impulses r and relative velocities x = W r + q with
// W = H M^-1 H^T, which is formed only where sweeps fail on a small one, and for those who want to see it. Joints are
// bilateral rows of the same problem. Contacts and joints are between body a and body b, -1 for the ground; impulses
// act on a, and turned round on b.
type problem struct {
	invMass    []float64 // of each body, 1/kg; 0: moved by nobody
	invInertia []mat3    // world axes, 1/(kg m^2)
	v, omega   []vec3    // velocities without the impulses; a solve adds these

	contacts []contactConstraint
	joints   []jointConstraint
	// moved are the bodies that these contacts and joints act on. Problems that share no body may share the slices
	// above, and be solved at once.
	moved []int32
	// late is asked after each sweep but the first ones whether to end with what there is; nil: sweeps go on. The
	// errors are known then as ever.
	late func() bool

	number []int32 // of the bodies, among those of motions
}

// contactConstraint is a contact of the problem.
type contactConstraint struct {
	a, b int32
	d    [3]vec3 // n, t1, t2
	arm  [2]vec3 // of the two bodies, from their centres to where each is touched
	q    float64 // added to the normal velocity: gap over step, restitution
	mu   float64
	r    [3]float64 // impulse, N s; its start is where sweeps begin
	x    [3]float64 // after a solve: relative velocity with q
	free [3]float64 // after a solve: relative velocity without impulses, with q
}

// row is a relative velocity d.va + a.wa - d.vb - b.wb.
type row struct{ d, a, b vec3 }

// jointConstraint has up to six rows whose relative velocity with q becomes 0.
type jointConstraint struct {
	a, b int32
	n    int
	rows [6]row
	q, r [6]float64
	// mu is the friction of the last row, whose velocity need not vanish: it bears at most mu times the impulse of the
	// first two. 0: no such row.
	mu float64
}

// result tells how a solve went. Natural errors, which compare impulses with velocities, are those in units in which
// the mean of the contacts' weights w_c is 1: in kg, m and s they would be of one size for grains and of another for
// ships.
type result struct {
	sweeps    int
	converged bool
	late      bool // the deadline ended the sweeps
	errors    contact.Errors
	joints    float64 // largest relative velocity left at a joint, as a share of its ends'
}

// velocity of a row between two bodies.
func (p *problem) velocity(r *row, a, b int32) (x float64) {
	if a >= 0 {
		x = r.d.Dot(p.v[a]) + r.a.Dot(p.omega[a])
	}
	if b >= 0 {
		x -= r.d.Dot(p.v[b]) + r.b.Dot(p.omega[b])
	}
	return x
}

// couple writes the block of W between two contacts: what impulses at y do to the relative velocity at x, through the
// bodies that both touch.
func (p *problem) couple(w *[9]float64, x, y *contactConstraint) {
	*w = [9]float64{}
	for i, a := range [2]int32{x.a, x.b} {
		for j, b := range [2]int32{y.a, y.b} {
			if a < 0 || a != b {
				continue
			}
			sign := float64(1 - 2*(i^j))
			for s, d := range y.d {
				turn := p.invInertia[a].Mul3x1(y.arm[j].Cross(d))
				way := d.Mul(p.invMass[a]).Add(turn.Cross(x.arm[i]))
				for r := range x.d {
					w[3*r+s] += sign * x.d[r].Dot(way)
				}
			}
		}
	}
}

// dense writes the contacts, without joints, as a problem with its W formed; their free velocities are known.
func (p *problem) dense(out *contact.Problem) {
	n, m := len(p.contacts), out.Motions
	out.Resize(n)
	if m == nil {
		m = new(contact.Motions)
	}
	out.Motions = m
	p.motions(m)
	var w [9]float64
	for i := range p.contacts {
		c := &p.contacts[i]
		out.Mu[i] = c.mu
		copy(out.Q[3*i:], c.free[:])
		for j := range i + 1 {
			p.couple(&w, c, &p.contacts[j])
			for r := range 3 {
				for s := range 3 {
					out.W[(3*i+r)*3*n+3*j+s], out.W[(3*j+s)*3*n+3*i+r] = w[3*r+s], w[3*r+s]
				}
			}
		}
	}
}

// motions writes the factor of W: in units in which M is the identity a row is d/sqrt(m), and its arm times a factor of
// the inverse inertia.
func (p *problem) motions(m *contact.Motions) {
	n := len(p.contacts)
	m.A, m.B, m.G = num.Grow(m.A, n), num.Grow(m.B, n), num.Grow(m.G, 36*n)
	clear(m.G)
	p.number = num.Grow(p.number, len(p.invMass))
	for i := range p.number {
		p.number[i] = -1
	}
	m.Bodies = 0
	for i := range p.contacts {
		c := &p.contacts[i]
		m.A[i], m.B[i] = p.place(m, c.a), p.place(m, c.b)
		for end, body := range [2]int32{c.a, c.b} {
			if body < 0 {
				continue
			}
			side, l := float64(1-2*end), lower(&p.invInertia[body])
			for r, d := range c.d {
				to, arm := m.G[36*i+18*end+6*r:], c.arm[end].Cross(d)
				for k := range 3 {
					to[k] = side * math.Sqrt(p.invMass[body]) * d[k]
					to[3+k] = side * arm.Dot(l.Col(k))
				}
			}
		}
	}
}

// place is the number of a body in m, where it may move.
func (p *problem) place(m *contact.Motions, body int32) int32 {
	if body < 0 || p.invMass[body] == 0 && p.invInertia[body] == (mat3{}) {
		return -1
	}
	if p.number[body] < 0 {
		p.number[body] = int32(m.Bodies)
		m.Bodies++
	}
	return p.number[body]
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
