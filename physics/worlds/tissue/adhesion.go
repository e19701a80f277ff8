package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

// With Signorini's law a tool is pushed, never pulled. What could pull all the same is geometry: a soft body wrapped
// around the tool, or a lobe that hangs on it. So each step looks for adhesion: the tool stands outside the shape that
// the body has at rest, by most of its own radius, and the body still pulls it back. Then the contacts between the two
// are dropped; in the next step the body is at rest, and the tool is free. `Stats.Released` counts it.
//
// Soft bodies can also hook onto each other. Once the tool has touched nothing for settled steps, their contacts are
// dropped for one step: what they carry for a good reason, such as weight, is there again in the next.

const settled = 40

// clearance is how far outside a tool has to be, in its radii. With a whole one the step that sees it would already be
// too late: nothing may pull there.
const clearance = 0.75

// adhesion is the state of the watch.
type adhesion struct {
	tree     []*collision.Tree // of each body at rest; nil: of no interest
	beyond   float64           // how far outside the driven body has to be, m
	witness  []int32           // of each body: a node of the tool that was last seen near it or inside it
	facet    []int32           // of each body: the one that was last the closest to a node of the tool
	force    []mgl64.Vec3      // of each body on the tool in the last step, N
	drop     []bool            // of each body: its contacts with the tool are to be dropped
	quiet    int               // steps since the tool was last touched
	released uint64
}

// forget makes the watch look anew: a reset moves the tool without a way.
func (a *adhesion) forget() {
	clear(a.drop)
	a.quiet = 0
}

// watchAdhesion looks at what the tool felt in this step.
func (w *World) watchAdhesion() {
	a := &w.adhesion
	clear(a.force)
	touched := false
	for i := range w.contacts[:w.touching] {
		c := &w.contacts[i]
		r := w.r[3*i : 3*i+3]
		if r[0] == 0 {
			continue
		}
		if sign, _ := w.onStylus(c); sign != 0 {
			p := &w.directions[c.direction]
			f := &a.force[p.impactor+p.obstacle-w.driven]
			*f = f.Add(c.force(r).Mul(sign))
			touched = true
		}
	}
	a.quiet++
	if touched {
		a.quiet = 0
	}
	for i, b := range w.bodies {
		a.drop[i] = a.tree[i] != nil && a.force[i] != (mgl64.Vec3{}) && w.pulls(i, b)
	}
}

// pulls tells whether the tool is clear of a body's shape at rest and the body's force leads it back there, or holds it
// back on its way from there.
func (w *World) pulls(index int, b *body) bool {
	a := &w.adhesion
	tool := w.bodies[w.driven]
	if _, out := w.clearOf(index, a.witness[index]); out <= a.beyond {
		return false
	}
	least, towards := math.Inf(1), mgl64.Vec3{}
	for _, node := range tool.region {
		way, out := w.clearOf(index, node)
		if out <= a.beyond {
			a.witness[index] = node
			return false
		}
		if d := way.LenSqr(); d < least {
			least, towards = d, way
		}
	}
	f, moved := a.force[index], tool.deformed.now.origin.Sub(tool.deformed.last.origin)
	return f.Dot(towards) > 0 || f.Dot(moved) < 0 && towards.Dot(moved) < 0
}

// clearOf is the way from a node of the tool to the closest point of a body's shape at rest, world, and how far outside
// that the node is, m; below 0 inside.
func (w *World) clearOf(index int, node int32) (way mgl64.Vec3, out float64) {
	b := w.bodies[index]
	at := b.pose.InverseVector(w.bodies[w.driven].at(node).Sub(b.pose.Position))
	hit, ok := w.adhesion.tree[index].Closest(b.rest, at, math.Inf(1), w.adhesion.facet[index])
	if !ok {
		return way, math.Inf(-1)
	}
	w.adhesion.facet[index] = hit.Triangle
	t := &b.facets.triangles[hit.Triangle]
	var q, n mgl64.Vec3
	for k, v := range t {
		q = q.Add(b.rest[v].Mul(hit.Weights[k]))
		n = n.Add(collision.VertexNormal(v, b.normals.around[v], b.facets.triangles, b.rest).Mul(hit.Weights[k]))
	}
	d := q.Sub(at)
	out = math.Sqrt(hit.Dist2)
	if d.Dot(n) >= 0 {
		out = -out
	}
	return b.rotation.Mul3x1(d), out
}

// dropped tells whether the contacts of two bodies are to be dropped in this step.
func (w *World) dropped(m *bodyPair) bool {
	a := &w.adhesion
	if m.a == w.driven || m.b == w.driven {
		return a.drop[m.a+m.b-w.driven]
	}
	return a.quiet == settled && w.strainLimit > 0
}
