package rigid

import (
	"math"

	"hapco/physics/numerics/contact/mixing"
)

// Bodies that are in each other are moved apart without velocity: contacts without friction, solved in displacements by
// sweeps over their normals.

// pusher is the room for that.
type pusher struct {
	bodies []pushedBody // the ground, then those that move
	spots  []pushedSpot
	asked  float64 // sum of the squares of the depths, over w
	mix    mixing.Anderson
}

// pushedBody is by how much a body is moved, m and rad.
type pushedBody struct{ v, w xyz }

// pushedSpot is a contact: its displacement along the normal is q + n.(va - vb) + la.wa - lb.wb.
type pushedSpot struct {
	a, b    int32
	n       xyz
	la, lb  xyz     // arm x n
	ja, jb  xyz     // turns by a unit of r
	ma, mb  float64 // inverse masses
	q, w    float64 // m, and the displacement by a unit of r
	r, root float64 // root of w
}

// tooDeep marks the contacts at which bodies are deeper in each other than their slop, and stay, and tells whether
// there are any. What rebounds leaves by itself, and to lift it would be work: where its speed takes it out against the
// forces, or where its depth is only what the contact law does not see of the way to the next kick, since it takes that
// to be straight: what bodies fall and turn aside in a step.
func (w *World) tooDeep(h float64) (any bool) {
	s := &w.system
	for i := s.asleep; i < len(s.problem.contacts); i++ {
		c := &s.problem.contacts[i]
		depth := -s.contacts.gaps[i] - s.contacts.slops[i]
		s.contacts.deep[i] = depth > 0
		w.stats.Overlap = max(w.stats.Overlap, depth)
		if s.contacts.deep[i] && s.contacts.roles[i] != rests {
			unseen := w.Config.Gravity.Len()
			for side, id := range s.contacts.pairs[i] {
				if k := [2]int32{c.a, c.b}[side]; k >= 0 {
					unseen += s.problem.omega[k].Dot(s.problem.omega[k]) * w.bodies[id].Form.reach
				}
			}
			m := s.motion(c.a, c.b, s.problem.v, s.problem.omega)
			u := max(0, m.slip(of(c.arm[0]), of(c.arm[1])).dot(of(c.d[0])))
			s.contacts.deep[i] = depth-h*u > h*h*unseen && u*u <= 2*depth*max(0, -s.contacts.forced[i][0])/h
		}
		any = any || s.contacts.deep[i]
	}
	return any
}

// separate moves the bodies apart.
func (w *World) separate() {
	s := &w.system
	p := &s.pusher
	clear(p.bodies)
	p.take(w)
	p.solve(pushedTo, pushedSweeps, s.problem.late)
	for _, i := range w.awake {
		b := w.moved[i]
		if b.invMass > 0 {
			// Bodies that cannot all come apart must not be flung out either.
			of := &p.bodies[i+1]
			way := of.v.length() + b.Form.reach*of.w.length()
			f := min(1, pushedMost*b.Form.reach/max(way, math.SmallestNonzeroFloat64))
			b.X = b.X.Add(of.v.times(f).vec())
			spin := b.spin()
			b.Q = turned(b.Q, unrotate(b.Q, of.w.times(f).vec()))
			b.W = b.rotor.Inv.Mul3x1(unrotate(b.Q, spin))
		}
	}
}

// take reads the contacts of what does not sleep.
func (p *pusher) take(w *World) {
	s := &w.system
	contacts := s.problem.contacts[s.asleep:]
	p.spots, p.asked = grown(p.spots, len(contacts)), 0
	for i := range contacts {
		at, c, t := s.asleep+i, &contacts[i], &p.spots[i]
		n := of(c.d[0])
		*t = pushedSpot{a: c.a + 1, b: c.b + 1, n: n, la: of(c.arm[0]).cross(n), lb: of(c.arm[1]).cross(n)}
		if c.a >= 0 {
			t.ma, t.ja = s.problem.invMass[c.a], t.la.by(&s.problem.invInertia[c.a])
		}
		if c.b >= 0 {
			t.mb, t.jb = s.problem.invMass[c.b], t.lb.by(&s.problem.invInertia[c.b])
		}
		t.w = t.ma + t.mb + t.la.dot(t.ja) + t.lb.dot(t.jb)
		t.root = math.Sqrt(t.w)
		gap := s.contacts.gaps[at]
		if t.q = gap; gap <= 0 {
			most := pushedMost * smaller(w.bodies[s.contacts.pairs[at][0]], w.bodies[s.contacts.pairs[at][1]])
			if t.q = max(pushed*(gap+s.contacts.slops[at]), -most); !s.contacts.deep[at] {
				t.q = max(t.q, 0)
			}
		}
		p.asked += min(t.q, 0) * t.q / t.w
	}
}

// solve sweeps until a sweep changes less than tol of what is asked for.
func (p *pusher) solve(tol float64, sweeps int, late func() bool) {
	for n := range sweeps {
		if n == unmixed {
			p.mix.Begin(len(p.spots), mixed)
		}
		size := p.sweep(n >= unmixed)
		if size <= tol*tol*p.asked || n+1 >= neverCut && late != nil && late() {
			return
		}
		if n < unmixed || n == sweeps-1 || !p.mix.Mix(p.mix.G, math.Sqrt(size)) {
			continue
		}
		clear(p.bodies)
		for i := range p.spots {
			c := &p.spots[i]
			if c.r = max(p.mix.G[i], 0); c.r > 0 {
				p.apply(c, c.r)
			}
		}
	}
}

// apply adds d to a contact's r.
func (p *pusher) apply(c *pushedSpot, d float64) {
	a, b := &p.bodies[c.a], &p.bodies[c.b]
	a.v, a.w = a.v.plus(c.n.times(d*c.ma)), a.w.plus(c.ja.times(d))
	b.v, b.w = b.v.minus(c.n.times(d*c.mb)), b.w.minus(c.jb.times(d))
}

// sweep solves each contact; if told so it writes g and f, and returns the square of f's size.
func (p *pusher) sweep(write bool) (size float64) {
	for i := range p.spots {
		c := &p.spots[i]
		a, b := &p.bodies[c.a], &p.bodies[c.b]
		x := c.q + c.n.x*(a.v.x-b.v.x) + c.n.y*(a.v.y-b.v.y) + c.n.z*(a.v.z-b.v.z) +
			c.la.x*a.w.x + c.la.y*a.w.y + c.la.z*a.w.z - c.lb.x*b.w.x - c.lb.y*b.w.y - c.lb.z*b.w.z
		r, f := c.r, 0.0
		if (x < 0 || r > 0) && c.w > 0 {
			c.r = max(r-x/c.w, 0)
			p.apply(c, c.r-r)
			f = c.root * (c.r - r)
			size += f * f
		}
		if write {
			p.mix.G[i], p.mix.F[i] = c.r, f
		}
	}
	return size
}
