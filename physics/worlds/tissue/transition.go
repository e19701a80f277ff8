package tissue

import (
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/numerics/flex"
	"hapco/physics/numerics/num"
)

const (
	// fadeTime is what a body takes from one elasticity to the next: longer than a hand needs to notice a step, shorter
	// than it waits for one.
	fadeTime = 200 * time.Millisecond
	// fadeReach is the largest share of the DDC tolerance by which nodes move for that in one step, so that contacts
	// are found where they were.
	fadeReach = 1. / 16
)

// transition is a body on the way from one elasticity to another, after its coarse compliance has become finer or
// Poisson's ratio has changed. Were the new one put in its place at once, a pressed tool would feel a knock, and
// contacts could be left behind. So the body passes through all convex combinations of the two,
//
//	C = (1-s) C_from + s C_to,   s from 0 to 1,
//
// each of which is a compliance: symmetric and positive semidefinite. Every step on the way solves a contact problem of
// its own with the stylus where it is, and forces follow from s as smoothly as they do from E. Filtering the force
// instead would tell the hand something else than the eye, and what the servo solves for itself between steps would not
// pass the filter.
type transition struct {
	from, to flexibility
	blend    *flex.Blend
	u        []float64 // workspace
}

// turnTo begins the way to another elasticity, from none for a body that had none, and ends at once where nothing would
// show it: a body that is not pressed and does not bend under its own weight. It must not be on a way already.
func (b *body) turnTo(f flexibility) {
	if len(b.deformed.now.nodes) == 0 && f.weight[0] == nil && b.flexibility.weight[0] == nil {
		b.applyFlexibility(f)
		return
	}
	way := &transition{from: b.flexibility, to: f}
	mixed := f
	mixed.compliance, way.blend = flex.NewBlend(way.from.compliance, f.compliance)
	mixed.transition = way
	if way.from.elastic() { // lambda_max is convex
		mixed.soft = slices.Clone(f.soft)
		for i, x := range way.from.soft {
			mixed.soft[i] = max(mixed.soft[i], x)
		}
		mixed.compare()
	}
	for k := range mixed.heaviest {
		mixed.heaviest[k] = max(mixed.heaviest[k], way.from.heaviest[k])
	}
	b.transition = way
	b.take(mixed, 0)
}

// fade goes on towards the new elasticity, by the share of time that has passed but by no more than moves nodes by
// reach, m. Contact forces stay as they are until the next step.
func (b *body) fade(passed time.Duration, reach float64) {
	way := b.transition
	if way == nil {
		return
	}
	bulge := b.swing(way)
	step := passed.Seconds() / fadeTime.Seconds()
	if step*bulge > reach {
		step = reach / bulge
	}
	s := way.blend.Share() + step
	if !(s < 1) {
		b.transition = nil
		b.take(way.to, bulge*(1-way.blend.Share()))
		return
	}
	way.blend.Set(s)
	b.deformed.patch.Renew()
	b.reshape(step * bulge)
}

// swing bounds how far apart the shapes of the two elasticities can be at any node, under the present forces.
func (b *body) swing(way *transition) (sum float64) {
	c := &b.deformed
	n := len(c.now.force)
	way.u = num.Grow(way.u, n)
	for _, f := range [2]*flexibility{&way.from, &way.to} {
		if !f.elastic() {
			continue
		}
		f.compliance.DisplaceAt(way.u, c.now.rows, c.now.rows, c.now.force)
		var w work
		for i, force := range c.now.force {
			w.add(force, way.u[i])
		}
		bend, rest := f.farthest(w, c.now.load)
		sum += bend + rest
	}
	return sum
}

// turning tells whether the body is on the way to another elasticity.
func (b *body) turning() bool { return b.transition != nil }

// sag of a body on the way.
func (way *transition) sag(node int32, load, to mgl64.Vec3) mgl64.Vec3 {
	s := way.blend.Share()
	return to.Mul(s).Add(way.from.sag(node, load).Mul(1 - s))
}

// enter makes a body touchable whose first elasticity is there, unless the driven body and it are inside each other:
// what would be felt then is no contact but a throw. It tells whether the body can be touched.
func (w *World) enter(b *body) bool {
	d := w.bodies[w.driven]
	for _, other := range w.bodies {
		if other != b && (other == d || b == d) && (w.inside(b, other) || w.inside(other, b)) {
			return false
		}
	}
	b.apart = false
	return true
}

// inside tells whether a node of a that may touch is inside of b: behind the point of its surface that is nearest.
func (w *World) inside(a, b *body) bool {
	lo, hi := b.box()
	far := hi.Sub(lo).Len()
	for _, node := range a.region {
		p := a.at(node)
		if p[0] < lo[0] || p[1] < lo[1] || p[2] < lo[2] || p[0] > hi[0] || p[1] > hi[1] || p[2] > hi[2] {
			continue
		}
		hit, ok := b.facets.tree.Closest(b.deformed.position, p, far, -1, collision.Except{})
		if !ok {
			continue
		}
		n := collision.FaceNormal(b.corners(hit.Triangle))
		var q mgl64.Vec3
		for k, corner := range b.facets.triangles[hit.Triangle] { // at an edge the faces around have a say
			n = n.Add(b.vertexNormal(corner).Mul(hit.Weights[k]))
			q = q.Add(b.at(corner).Mul(hit.Weights[k]))
		}
		if p.Sub(q).Dot(n) < 0 {
			return true
		}
	}
	return false
}

// fade goes on with what turns to another elasticity, as far as time has passed since the last step. Runners call it
// before each step.
func (w *World) fade(passed time.Duration) {
	reach := fadeReach * w.params.DDCTolerance
	if math.IsInf(reach, 1) {
		reach = fadeReach * w.bodies[w.driven].radius
	}
	for _, b := range w.bodies {
		b.fade(passed, reach)
	}
}
