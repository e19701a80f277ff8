package tissue

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/flex"
	"hapco/physics/numerics/num"
)

// link tells each body where the contacts hold on to it (2.48).
func (w *World) link() {
	for _, b := range w.bodies {
		b.links = b.links[:0]
		b.active.reset()
	}
	for k, i := range w.set.kept {
		c := &w.contacts[i]
		_, a, b := w.direction(c.direction)
		a.hold(int32(k), c, &c.p, 1)
		b.hold(int32(k), c, &c.q, -1)
	}
	for _, n := range w.grasp.Nodes {
		w.bodies[w.grasp.Body].active.add(n)
	}
}

// hold ties a contact's point to the body's nodes there.
func (b *body) hold(index int32, c *contactPoint, at *side, sign float64) {
	l := flex.Link{Contact: index, Sign: sign}
	for k, node := range at.node[:at.count] {
		if at.weight[k] != 0 {
			l.Node[l.Count], l.Weight[l.Count] = node, at.weight[k]
			l.Slot[l.Count] = b.active.add(node)
			l.Count++
		}
	}
	if l.Count > 0 {
		b.see(&l.Frame, c)
		b.links = append(b.links, l)
	}
}

// see writes a contact's axes as the body's frame sees them.
func (b *body) see(frame *[9]float64, c *contactPoint) {
	r := &b.rotation // column-major: R^T v is the columns' products with v
	for i, v := range [3]mgl64.Vec3{c.n, c.t1, c.t2} {
		for k := range 3 {
			frame[3*i+k] = r[3*k]*v[0] + r[3*k+1]*v[1] + r[3*k+2]*v[2]
		}
	}
}

// assembleFree finds x_free of all contacts: where their points would be without contact forces, relative to each
// other, in the contact frames (2.61, 2.66).
func (w *World) assembleFree() {
	w.free, w.mu = num.Grow(w.free, 3*len(w.contacts)), num.Grow(w.mu, len(w.contacts))
	for i := range w.contacts {
		c := &w.contacts[i]
		_, a, b := w.direction(c.direction)
		if c.kind == strainLimit {
			w.freeLimit(i)
			continue
		}
		d := a.freeOf(&c.p).Sub(b.freeOf(&c.q))
		q := w.free[3*i : 3*i+3]
		q[0], q[1], q[2] = c.parts(d)
		q[1] -= c.offset[0]
		q[2] -= c.offset[1]
		w.mu[i] = c.mu
	}
	w.shift()
}

// assemble makes the contact problem of the active set: q and mu of its contacts, and W = sum over bodies of H K^-1
// H^T (2.62) from the compliance of the few nodes that they hold on to.
func (w *World) assemble() {
	w.link()
	p := w.posed.change()
	p.Resize(len(w.set.kept))
	for k, i := range w.set.kept {
		p.Mu[k], p.ID[k] = w.mu[i], w.contacts[i].id
	}
	delassus := p.W
	if w.held.on {
		w.posed.bodies = num.Grow(w.posed.bodies, len(p.W))
		delassus = w.posed.bodies
	}
	last, anew := -1, true
	for i, b := range w.bodies {
		if b.flexibility.elastic() {
			last = i
		}
	}
	for i, b := range w.bodies {
		if b.flexibility.elastic() {
			b.deformed.patch.AddDelassus(delassus, 3*p.N, b.links, b.activeSlots(), 1/b.young, anew, i == last)
			anew = false
		}
	}
	if anew {
		clear(delassus)
	}
	w.giveWay(delassus)
	w.hangOn()
}

// activeSlots are the active nodes' places in the patch.
func (b *body) activeSlots() []int32 {
	c := &b.deformed
	slots := b.slots[:0]
	for _, node := range b.active.nodes {
		slots = append(slots, c.patch.Bring(b.row(node)))
	}
	b.slots = slots
	return slots
}

// applyForces turns contact forces into nodal forces (2.57) and those into displacements, u = u_free + K^-1 H^T r / E.
func (w *World) applyForces() {
	for _, b := range w.bodies {
		if !b.flexibility.elastic() {
			continue
		}
		b.force = num.Grow(b.force, 3*len(b.active.nodes))
		clear(b.force)
		for i := range b.links {
			l := &b.links[i]
			r := w.set.r[3*l.Contact : 3*l.Contact+3]
			if r[0] == 0 && r[1] == 0 && r[2] == 0 {
				continue
			}
			var f [3]float64
			for k := range f {
				f[k] = r[0]*l.Frame[k] + r[1]*l.Frame[3+k] + r[2]*l.Frame[6+k]
			}
			for k := range l.Count {
				s := l.Sign * l.Weight[k]
				at := b.force[3*l.Slot[k]:][:3]
				at[0] += s * f[0]
				at[1] += s * f[1]
				at[2] += s * f[2]
			}
		}
		for i := range b.force {
			b.force[i] /= b.young
		}
		if b.grasp != nil {
			for i, n := range b.grasp.Nodes {
				slot, _ := b.active.find(n)
				for k := range 3 {
					b.force[3*int(slot)+k] += b.grasp.force[3*i+k]
				}
			}
		}
		b.displace()
	}
}

// displace finds the displacements of the followed nodes under the body's contact forces.
func (b *body) displace() {
	c := &b.deformed
	b.rowsOf = b.rowsOf[:0]
	for _, node := range b.active.nodes {
		b.rowsOf = append(b.rowsOf, b.row(node))
	}
	c.push = c.patch.Spread(c.push, b.rowsOf, b.force)
	c.slots = c.slots[:0]
	for _, row := range c.rows {
		c.slots = append(c.slots, c.patch.Slot(row))
	}
	u := c.batch[:3*len(c.followed)]
	c.patch.Displace(u, c.slots, c.push)
	for i, node := range c.followed {
		copy(c.coming[3*node:3*node+3], u[3*i:3*i+3])
	}
}

// posed is the contact problem of a step. It is made, solved, and then read by all: what is shown, felt, dumped and
// recorded is what the solver was given. Reading one that was changed since it was solved is a bug.
type posed struct {
	problem contact.Problem
	bodies  []float64 // W without the hand's spring, where the tool hangs on it
	changed bool      // since it was solved
}

// change is for who makes the problem.
func (p *posed) change() *contact.Problem {
	p.changed = true
	return &p.problem
}

// read is for all others. It may be given away, but is not changed.
func (p *posed) read() *contact.Problem {
	if p.changed {
		panic("tissue: the contact problem was changed after it was solved")
	}
	return &p.problem
}

// none makes it that of no contacts, which is solved.
func (p *posed) none() {
	p.problem.Resize(0)
	p.changed = false
}
