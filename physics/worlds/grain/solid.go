package grain

import (
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// The document's obstacles yield: a grain with more energy than their core has goes through them.
// With Config.Solid none does: a step that an obstacle bars is turned round in time. The scheme has
// two ways to do that, both along any directions of the barred way, and both keep Sums.Modified but for
// what the fluid takes. A grain goes back as it came, or it stays for the step and then goes back.
// So a grain that comes to a surface bounces off it, and one that is pressed against it stays there.

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
	p, pushed := about[0].p, mgl64.Vec3(v[:3])
	way := pushed.Mul(w.dt)
	hit := w.crosses(about, p.Add(way))
	if hit < 0 {
		return
	}
	old := about[0].v
	back := old.Mul(w.dt*w.braking(i, old)/v[3] - 1)
	var bars barred
	now := pushed
	// A surface bars along its normal at the start, and where it bends towards the way along that of the chord.
	for range 2 * len(about) {
		if !bars.add(w, about, hit, p.Add(way)) {
			break
		}
		now, way = bars.turn(pushed, back, w.dt)
		if hit = w.crosses(about, p.Add(way)); hit < 0 {
			break
		}
	}
	if hit >= 0 {
		now, way = pushed.Mul(-1), mgl64.Vec3{}
		bars.n, bars.by[0] = 0, hit
	}
	change := now.Sub(pushed).Mul(v[3] / w.dt)
	for k := range max(1, bars.n) {
		push := change
		if k < bars.n {
			push = bars.along[k].Mul(change.Dot(bars.along[k]))
		}
		b := &about[bars.by[k]]
		o := &t.sums.obstacle[b.obstacle]
		o.force.add(push)
		o.moment.add(b.closest.Cross(push))
		for k := range 3 {
			t.sums.force[k] += push[k]
		}
	}
	to := p.Add(way)
	copy(v, now[:])
	copy(x, to[:])
	t.sums.speed2 = max(t.sums.speed2, way.LenSqr()/(w.dt*w.dt))
	far := to.Sub(mgl64.Vec3{w.listing.at[0][i], w.listing.at[1][i], w.listing.at[2][i]}).LenSqr()
	t.sums.stale = t.sums.stale || !(far <= w.listing.skin*w.listing.skin/4)
}

// barred are directions that obstacles bar to a grain.
type barred struct {
	n      int
	by     [3]int        // obstacle about the grain
	normal [3]mgl64.Vec3 // of its surface
	along  [3]mgl64.Vec3 // the same at right angles to those before
}

// add bars the way to a place along the normal of a surface about the grain, or, where that is barred already, along
// the one that has start and end of the way as far from the surface. It tells whether there is one.
func (b *barred) add(w *World, about []nearSurface, hit int, to mgl64.Vec3) bool {
	n, ok := about[hit].normal()
	if !ok {
		return false
	}
	k := slices.Index(b.by[:b.n], hit)
	if k >= 0 {
		q, ok := w.obstacles[about[hit].obstacle].Closest(to)
		e := to.Sub(q)
		d := e.Len()
		if !ok || !(e.Dot(n) > 0) {
			return false
		}
		n = n.Add(e.Mul(1 / d)).Normalize()
	} else if k = b.n; k == len(b.by) {
		return false
	} else {
		b.n++
	}
	b.by[k], b.normal[k] = hit, n
	for j := range b.n {
		e := b.normal[j]
		for _, other := range b.along[:j] {
			e = e.Sub(other.Mul(e.Dot(other)))
		}
		d := e.Len()
		if !(d > dependent) {
			return false
		}
		b.along[j] = e.Mul(1 / d)
	}
	return true
}

// turn is the velocity and the way of a step that would have one velocity, and is barred: along what bars it the grain
// goes back as it came, or stays where that is no way out.
func (b *barred) turn(pushed, back mgl64.Vec3, dt float64) (now, way mgl64.Vec3) {
	now, way = pushed, pushed
	for _, e := range b.along[:b.n] {
		was, is := pushed.Dot(e), back.Dot(e)
		if is > 0 {
			now, way = now.Add(e.Mul(is-was)), way.Add(e.Mul(is-was))
		} else {
			now, way = now.Sub(e.Mul(2*was)), way.Sub(e.Mul(was))
		}
	}
	return now, way.Mul(dt)
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
		return ok && (now.Dot(e) <= 0 || now.Len() < d-rounding*(q.Len()+d))
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
