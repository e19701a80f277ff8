package exact

import (
	"math"
	"slices"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/mixing"
	"hapco/physics/numerics/num"
)

// recall is what a solve leaves for the next one, which as a rule has nearly the same contacts and a nearly equal W. A
// wrong memory costs steps and changes no answer.
//
// The displacements of the last solution say how contacts slid and which ones stood open better than those at the warm
// start do, in which all contacts share the rigid motion of the new step. The changes of r and of W r over the last
// solves say which change of r makes up for that motion.
type recall struct {
	n     int
	id    []uint64
	x     []float64 // displacements
	r     []float64 // forces
	steps int       // changes kept
	head  int       // place of the next
	q     []float64 // free displacements
	dq    []float64 // their last change
	dr    []float64 // recallDepth rows of 3n
	du    []float64
}

// recallDepth is how many changes are kept.
const recallDepth = 4

// Extrapolation needs a motion that goes on in nearly the same direction, by the cosine of its angle to the last one,
// and pays where little of it is left, as a share of its square.
const (
	extrapolateTurn = 0.7
	extrapolateRest = 0.1
)

// keep remembers forces r and displacements x, the solution of p.
func (m *recall) keep(p *contact.Problem, r, x []float64) {
	n := 3 * p.N
	x = x[:n]
	if m.same(p) {
		m.dq = num.Grow(m.dq, n)
		m.dr, m.du = num.Grow(m.dr, recallDepth*n), num.Grow(m.du, recallDepth*n)
		dr, du := m.dr[m.head*n:(m.head+1)*n], m.du[m.head*n:(m.head+1)*n]
		for i, x := range x {
			q := p.Q[i]
			dr[i], du[i] = r[i]-m.r[i], (x-q)-(m.x[i]-m.q[i])
			m.dq[i] = q - m.q[i]
		}
		m.head = (m.head + 1) % recallDepth
		m.steps = min(m.steps+1, recallDepth)
	} else {
		m.n, m.steps, m.head = p.N, 0, 0
		m.id = m.id[:0]
		if len(p.ID) == p.N {
			m.id = append(m.id, p.ID...)
		}
	}
	m.r, m.x, m.q = append(m.r[:0], r[:n]...), append(m.x[:0], x...), append(m.q[:0], p.Q...)
}

// same reports whether p seems to have the contacts of the last problem, in the same order.
func (m *recall) same(p *contact.Problem) bool {
	if m.n == 0 || m.n != p.N {
		return false
	}
	return len(p.ID) != p.N && len(m.id) == 0 || slices.Equal(p.ID, m.id)
}

// forget makes the next solve start from its forces alone.
func (m *recall) forget() { m.n = 0 }

// extrapolate adds to r the combination of earlier changes whose displacements come nearest to undoing that of q since
// the last solution, where r has forces, so that displacements stay as they were: zero where contacts stick, those of
// steady sliding otherwise. p has the contacts of the last problem.
func (m *recall) extrapolate(e *engine, r []float64) {
	n := 3 * e.p.N
	if m.steps == 0 {
		return
	}
	var gram mixing.Gram
	var theta, b [mixing.Most]float64
	on, now, last, whole := 0.0, 0.0, 0.0, 0.0
	for c := range e.loc {
		k := 3 * c
		if !(r[k] > 0) {
			continue
		}
		inv := e.loc[c].inv
		for i := k; i < k+3; i++ {
			missing := e.p.Q[i] - m.q[i]
			on += missing * m.dq[i] * inv
			now += missing * missing * inv
			last += m.dq[i] * m.dq[i] * inv
			for a := range m.steps {
				ua := m.du[a*n+i] * inv
				theta[a] -= ua * missing
				for b := range a + 1 {
					gram.G[a][b] += ua * m.du[b*n+i]
				}
			}
		}
	}
	for a := range m.steps {
		for b := range a {
			gram.G[b][a] = gram.G[a][b]
		}
	}
	b = theta
	if !(on > extrapolateTurn*math.Sqrt(now*last)) || !gram.Solve(&theta, m.steps) {
		return
	}
	for a, t := range theta[:m.steps] {
		whole += t * b[a]
	}
	if !(now-whole < extrapolateRest*now) {
		return
	}
	for a, t := range theta[:m.steps] {
		for i, d := range m.dr[a*n : (a+1)*n] {
			r[i] += t * d
		}
	}
	contact.Admit(r, e.p.Mu)
}

// predict puts remembered displacements in place of those in x, where r holds a force or the contact has stood open
// before.
func (m *recall) predict(p *contact.Problem, x []float64) {
	if m.n == 0 {
		return
	}
	if len(p.ID) != p.N || len(m.id) != m.n {
		if m.n == p.N { // probably the same ones
			copy(x, m.x)
		}
		return
	}
	from, looks := 0, 4*(p.N+m.n) // nearly the same order, or not worth the search
	for c, id := range p.ID {
		for k := 0; k < m.n && looks > 0; k++ {
			at := from
			if from++; from == m.n {
				from = 0
			}
			looks--
			if m.id[at] == id {
				copy(x[3*c:3*c+3], m.x[3*at:3*at+3])
				break
			}
		}
	}
}
