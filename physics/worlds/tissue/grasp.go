package tissue

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/numerics/num"
)

// grasp is the spring by which the stylus holds a patch of a body. Its force is known when a step's problem is stated:
// it is a part of x_free, and, with the contact forces, of what displaces the body. It follows the contacts a step late.
type grasp struct {
	physics.Grasped
	asked physics.Grasp // of the steps
	all   []int32       // surface nodes of the body that is looked at
	rows  []int32       // of its nodes, in the compliance
	force []float64     // on them over E, body frame, 3 a node, N/Pa
	moved []float64     // their displacements
	one   [1]int32
}

// hold takes hold of what another grasp says, and finds the force of the spring.
func (w *World) hold(g *physics.Grasp) {
	h := &w.grasp
	if g.Number != h.Number {
		w.letGo()
		if h.Number = g.Number; h.Number != 0 {
			w.take(g)
		}
	}
	if len(h.Nodes) == 0 {
		return
	}
	b := w.bodies[h.Body]
	h.Keep(func(n int32) bool { return b.row(n) >= 0 }) // another compliance may be in force, of fewer nodes
	if len(h.Nodes) == 0 || !b.flexibility.elastic() {
		w.letGo()
		return
	}
	h.rowsOf(b)
	h.Softer = 1 / b.young
	h.AsStiff()
	h.Pull(w.bodies[w.driven].pose, h.Middle(b.placed))
	f := b.rotation.Transpose().Mul3x1(h.Force).Mul(1 / b.young)
	h.force = h.force[:0]
	for _, share := range h.Share {
		h.force = append(h.force, share*f[0], share*f[1], share*f[2])
	}
}

// rowsOf finds the places of its nodes in the compliance.
func (h *grasp) rowsOf(b *body) {
	h.rows = h.rows[:0]
	for _, n := range h.Nodes {
		h.rows = append(h.rows, b.row(n))
	}
}

// letGo ends a grasp.
func (w *World) letGo() {
	h := &w.grasp
	w.bodies[h.Body].grasp = nil
	h.Release()
}

// placed is where a surface node is that has a place in the compliance, m.
func (b *body) placed(node int32) (mgl64.Vec3, bool) {
	if b.row(node) < 0 {
		return mgl64.Vec3{}, false
	}
	b.find(node)
	return b.deformed.position[node], true
}

// take takes hold of the body whose surface is nearest.
func (w *World) take(g *physics.Grasp) {
	h := &w.grasp
	body, middle, far := -1, int32(-1), w.size()
	for i, b := range w.bodies {
		if i == w.driven || b.apart {
			continue
		}
		w.listNodes(b)
		if n, d := g.Nearest(h.all, func(n int32) (mgl64.Vec3, bool) { b.find(n); return b.deformed.position[n], true }, far); n >= 0 {
			if body, middle, far = i, n, d; !b.flexibility.elastic() || b.row(n) < 0 {
				body = -1
			}
		}
	}
	if body < 0 {
		return
	}
	b := w.bodies[body]
	extent := b.high.Sub(b.low).Len()
	w.listNodes(b)
	h.Take(body, middle, h.all, b.placed, physics.PatchWidth*extent, physics.PatchStretch*extent)
	h.rowsOf(b)
	var c mgl64.Mat3 // of the body's frame
	h.moved = num.Grow(h.moved, 3*len(h.rows))
	for axis := range 3 {
		h.force = h.force[:0]
		for _, share := range h.Share {
			var f mgl64.Vec3
			f[axis] = share
			h.force = append(h.force, f[:]...)
		}
		b.flexibility.compliance.DisplaceAt(h.moved, h.rows, h.rows, h.force)
		for i, share := range h.Share {
			for k := range 3 {
				c[3*axis+k] += share * h.moved[3*i+k]
			}
		}
	}
	if !(c.Trace() > 0) { // all of it is fixed
		h.Release()
		return
	}
	h.Yields = b.rotation.Mul3(c).Mul3(b.rotation.Transpose())
	h.Begin(w.bodies[w.driven].pose, h.Middle(b.placed))
	b.grasp = h
}

// listNodes lists a body's surface nodes.
func (w *World) listNodes(b *body) {
	h := &w.grasp
	h.all = h.all[:0]
	for i := range b.rest {
		h.all = append(h.all, int32(i))
	}
}

// size is that of the box about all bodies, m.
func (w *World) size() float64 {
	sum := 0.0
	for _, b := range w.bodies {
		sum += b.high.Sub(b.low).Len()
	}
	return sum
}

// pulled is what the grasp displaces a surface node by, body frame, m.
func (b *body) pulled(node int32) (u mgl64.Vec3) {
	h := b.grasp
	if h.one[0] = b.row(node); h.one[0] >= 0 {
		b.flexibility.compliance.DisplaceAt(u[:], h.one[:], h.rows, h.force)
	}
	return u
}
