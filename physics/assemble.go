package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/flex"
)

// link tells each body where the contacts hold on to it (2.48).
func (w *World) link() {
	for _, b := range w.bodies {
		b.links = b.links[:0]
		b.active.reset()
	}
	for i := range w.contacts {
		c := &w.contacts[i]
		p := &w.pairs[c.pair]
		a, b := w.bodies[p.impactor], w.bodies[p.obstacle]

		a.hold(int32(i), c, &c.p, 1)
		b.hold(int32(i), c, &c.q, -1)
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

// assembleFree fills q = x_free: where the contact points would be without
// contact forces, relative to each other, in the contact frames (2.61, 2.66).
func (w *World) assembleFree() {
	q := w.problem.Q
	for i := range w.contacts {
		c := &w.contacts[i]
		p := &w.pairs[c.pair]
		a, b := w.bodies[p.impactor], w.bodies[p.obstacle]
		d := a.freeOf(&c.p).Sub(b.freeOf(&c.q))
		q[3*i] = d.Dot(c.n)
		q[3*i+1] = d.Dot(c.t1) - c.offset[0]
		q[3*i+2] = d.Dot(c.t2) - c.offset[1]
		w.problem.Mu[i], w.problem.ID[i] = c.mu, c.id
	}
}

// assembleDelassus fills W = sum over bodies of H K^-1 H^T (2.62) from the
// compliance of the few nodes that contacts hold on to.
func (w *World) assembleDelassus() {
	clear(w.problem.W)
	for _, b := range w.bodies {
		if b.flexibility.elastic() {
			b.flexibility.compliance.AddDelassus(&w.flex, w.problem.W, 3*w.problem.N, b.links, b.activeRows(), 1/b.young)
		}
	}
	w.mirror()
}

// activeRows are the active nodes' places in the compliance.
func (b *body) activeRows() []int32 {
	rows := b.shape.rows[:0]
	for _, node := range b.active.nodes {
		rows = append(rows, b.row(node))
	}
	b.shape.rows = rows
	return rows
}

// mirror copies the lower block triangle of W to the upper one, and makes the
// diagonal blocks symmetric to the last bit. It goes by tiles, so that rows and
// columns both stay in cache.
func (w *World) mirror() {
	const tile = 48
	n := 3 * w.problem.N
	a := w.problem.W
	for top := 0; top < n; top += tile {
		for left := 0; left <= top; left += tile {
			for i := top; i < min(top+tile, n); i++ {
				row := a[i*n : i*n+n]
				for j := left; j < min(left+tile, i); j++ {
					a[j*n+i] = row[j]
				}
			}
		}
	}
}

// applyForces turns contact forces into nodal forces (2.57) and those into
// displacements, u = u_free + K^-1 H^T r / E. It returns the sum of the
// absolute changes at the nodes in contact, the measure of (2.59), in m: no other
// displacement can change without theirs.
func (w *World) applyForces() (change float64) {
	for _, b := range w.bodies {
		if !b.flexibility.elastic() {
			continue
		}
		b.force = growFloats(b.force, 3*len(b.active.nodes))
		clear(b.force)
		for i := range b.links {
			l := &b.links[i]
			r := w.r[3*l.Contact : 3*l.Contact+3]
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
		change += b.displace(w.newton == 1)
	}
	return change
}

// displace finds the displacements of the body's active nodes under its contact
// forces, and how much they changed since the last iteration: at first, since
// the last step.
func (b *body) displace(first bool) (change float64) {
	c := &b.shape
	for i := range b.force {
		b.force[i] /= b.young
	}
	active := b.active.nodes
	last := c.trial[:3*len(active)]
	if first {
		b.locateAll(active)
		b.elasticAt(last[:0], active)
	}
	u := c.batch[:len(last)]
	rows := b.activeRows()
	b.flexibility.compliance.DisplaceAt(u, rows, rows, b.force)
	for i, x := range u {
		change += math.Abs(x - last[i])
		last[i] = x
	}
	return change
}

func growFloats(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n, n+n/2)
	}
	return s[:n]
}
