package grain

import (
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// The document's obstacles yield: a grain with more energy than their core has goes through them.
// With Config.Solid none does. A grain that would come to an obstacle's surface in a step bounces
// off it without loss: the velocity along the normal that it came with is turned round, and it goes
// back as it came, as the scheme does when time is turned round. One that others press against the
// surface stays there.

// nearSurface is a grain that might come to the surface of an obstacle in a step, as it was before.
type nearSurface struct {
	nearObstacle
	p, v    mgl64.Vec3 // place and velocity
	closest mgl64.Vec3 // point of the surface
}

// remember notes a grain before a step if it might come to the surface of an obstacle in it: from
// farther than sigma the forces of a step do not bring it there.
func (t *task) remember(w *World, at nearObstacle, p, closest mgl64.Vec3, deep bool) {
	v := mgl64.Vec3(w.vel[4*at.grain:][:3])
	if !deep {
		reach := w.model.Sigma + w.dt*v.Len()
		if !(p.Sub(closest).LenSqr() < reach*reach) {
			return
		}
	}
	if len(t.before) == cap(t.before) {
		t.before = slices.Grow(t.before, 64+cap(t.before))
	}
	t.before = append(t.before, nearSurface{at, p, v, closest})
}

// bounce turns round the grains that have come to the surface of an obstacle in the step.
func (w *World) bounce(t *task) {
	for from := 0; from < len(t.before); {
		to := from + 1
		for to < len(t.before) && t.before[to].grain == t.before[from].grain {
			to++
		}
		w.bounceOff(t, t.before[from:to])
		from = to
	}
}

// bounceOff does that for a grain and all obstacles about it.
func (w *World) bounceOff(t *task, about []nearSurface) {
	i := int(about[0].grain)
	x, v := w.pos[4*i:4*i+3], w.vel[4*i:4*i+4]
	p, old := about[0].p, about[0].v
	now := mgl64.Vec3(v[:3])
	hit := w.crosses(about, p.Add(now.Mul(w.dt)))
	if hit < 0 {
		return
	}
	// Each obstacle once and once more, as in a corner; where that does not do the grain waits.
	for range 2 * len(about) {
		was := now
		if n, ok := about[hit].normal(); ok {
			now = now.Sub(n.Mul(now.Dot(n) + min(0, old.Dot(n))))
		} else {
			now = mgl64.Vec3{}
		}
		push := now.Sub(was).Mul(v[3] / w.dt)
		o := &t.sums.obstacle[about[hit].obstacle]
		o.force.add(push)
		o.moment.add(about[hit].closest.Cross(push))
		for k := range 3 {
			t.sums.force[k] += push[k]
		}
		if hit = w.crosses(about, p.Add(now.Mul(w.dt))); hit < 0 {
			break
		}
	}
	copy(v, now[:])
	to := p
	if hit < 0 {
		to = p.Add(now.Mul(w.dt))
	}
	copy(x, to[:])
	far := to.Sub(mgl64.Vec3{w.listed[0][i], w.listed[1][i], w.listed[2][i]}).LenSqr()
	t.sums.stale = t.sums.stale || !(far <= w.skin*w.skin/4)
}

// normal points from the surface to where the grain was; ok is false for one on the surface.
func (b *nearSurface) normal() (n mgl64.Vec3, ok bool) {
	e := b.p.Sub(b.closest)
	d := e.Len()
	if !(d > 0) {
		return n, false
	}
	return e.Mul(1 / d), true
}

// crosses is the first of the obstacles that a grain has come to the surface of, on its way to a
// place, or gone through; -1: none.
func (w *World) crosses(about []nearSurface, to mgl64.Vec3) int {
	for k := range about {
		if w.meets(&about[k], to) {
			return k
		}
	}
	return -1
}

// meets tells whether a grain comes to the surface of an obstacle on its way: it may go as far as the surface is from
// it at least, and then look again. One that was at the surface must not come nearer, nor be behind it.
func (w *World) meets(b *nearSurface, to mgl64.Vec3) bool {
	margin := surfaceAt * w.model.Sigma
	e, way := b.p.Sub(b.closest), to.Sub(b.p)
	d, length := e.Len(), way.Len()
	if length == 0 {
		return false
	}
	if d < margin {
		q, ok := w.obstacles[b.obstacle].Closest(to)
		now := to.Sub(q)
		return ok && (now.Dot(e) <= 0 || now.Len() < d)
	}
	for gone, gap := 0.0, d; ; {
		if length-gone <= gap-margin {
			return false
		}
		gone = min(gone+gap, length)
		x := b.p.Add(way.Mul(gone / length))
		q, ok := w.obstacles[b.obstacle].Closest(x)
		if !ok {
			return false
		}
		if gap = x.Sub(q).Len(); gap < margin {
			return true
		}
	}
}
