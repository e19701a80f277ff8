package ui

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/frame"
)

// sighting is what a sight line from the eye meets.
type sighting struct {
	room   float64    // how far a ball may go along the line until it touches something, m; +Inf: as far as it likes
	at     float64    // where the line itself meets a surface, m; +Inf: nowhere
	normal mgl64.Vec3 // of the surface there, unit, towards the eye; zero: the line meets none
}

const (
	patch  = 0.03 // width of the surface whose mean normal counts, as a part of the scene's size: about that of a tool
	around = 8    // sight lines in a ring
)

// sight looks along a unit direction from a place, as a ball of that radius would see it: a
// fan of parallel lines. The normal is that of a plane through what they meet, so that no
// single facet or grain decides in which direction a tool is pushed.
func (vp *viewport) sight(from, dir mgl64.Vec3, radius float64) sighting {
	s := sighting{room: math.Inf(1)}
	u := dir.Cross(mgl64.Vec3{1, 0, 0})
	if w := dir.Cross(mgl64.Vec3{0, 1, 0}); w.Len() > u.Len() {
		u = w
	}
	u = u.Normalize()
	v := u.Cross(dir)
	wide := 0.5 * patch * vp.scene.bounds.size
	s.at = vp.cast(from, dir).t
	s.room = s.at - radius
	var xx, xy, yy, xt, yt float64 // moments of the places, and of how much farther the surface is there
	for _, r := range [...]float64{0.7 * radius, radius, wide} {
		for k := range around {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / around)
			x, y := r*cos, r*sin
			t := vp.cast(from.Add(u.Mul(x)).Add(v.Mul(y)), dir).t
			if r <= radius {
				s.room = min(s.room, t-math.Sqrt(max(radius*radius-r*r, 0)))
			}
			if d := t - s.at; math.Abs(d) <= 2*max(r, wide) { // farther ones belong to another side, or another body
				xx, xy, yy, xt, yt = xx+x*x, xy+x*y, yy+y*y, xt+x*d, yt+y*d
			}
		}
	}
	if math.IsInf(s.at, 1) {
		return s
	}
	s.normal = dir.Mul(-1)
	if det := xx*yy - xy*xy; det > 0.01*(xx+yy)*(xx+yy) { // the places do not lie on one line
		a, b := (xt*yy-yt*xy)/det, (yt*xx-xt*xy)/det
		s.normal = s.normal.Add(u.Mul(a)).Add(v.Mul(b)).Normalize()
	}
	return s
}

// toward is the direction to the place that is nearest of all that is drawn and is no tool, unit; zero: there is none.
func (vp *viewport) toward(p mgl64.Vec3) mgl64.Vec3 {
	seen, to, best := vp.scene.snap, mgl64.Vec3{}, math.Inf(1)
	meets := func(way mgl64.Vec3, d float64) {
		if d > 0 && d < best {
			to, best = way.Normalize(), d
		}
	}
	side := func(p, a, b, c mgl64.Vec3, turn mgl64.Quat) {
		w, d2 := collision.ClosestOnTriangle(p, a, b, c)
		if d2 < best*best {
			meets(turn.Rotate(a.Mul(w[0]).Add(b.Mul(w[1])).Add(c.Mul(w[2])).Sub(p)), math.Sqrt(d2))
		}
	}
	for i := range vp.scene.info.Surfaces {
		if x := seen.Surfaces[i].Vertices; vp.touchable(i) {
			for _, tri := range vp.scene.info.Surfaces[i].Triangles {
				if int(max(tri[0], tri[1], tri[2])) < len(x) {
					side(p, x[tri[0]], x[tri[1]], x[tri[2]], mgl64.QuatIdent())
				}
			}
		}
	}
	for i := range seen.Instances {
		b := &seen.Instances[i]
		if int(b.Shape) >= len(vp.scene.info.Shapes) || vp.scene.info.Shapes[b.Shape].Ghost || b.Pose.Position.Sub(p).Len()-vp.scene.reachOf(int(b.Shape)) > best {
			continue
		}
		shape, from := &vp.scene.info.Shapes[b.Shape], b.Pose.InversePoint(p)
		for _, tri := range shape.Triangles {
			side(from, shape.Vertices[tri[0]], shape.Vertices[tri[1]], shape.Vertices[tri[2]], b.Pose.Rotation)
		}
	}
	for i := range seen.Points {
		way := inWorld(seen.Points[i].Position).Sub(p)
		meets(way, way.Len()-float64(seen.Points[i].Radius))
	}
	for _, tri := range seen.Triangles {
		if int(max(tri[0], tri[1], tri[2])) < len(seen.Vertices) {
			side(p, inWorld(seen.Vertices[tri[0]].Position), inWorld(seen.Vertices[tri[1]].Position), inWorld(seen.Vertices[tri[2]].Position), mgl64.QuatIdent())
		}
	}
	return to
}

// inWorld is a place as the card has it.
func inWorld(p [3]float32) mgl64.Vec3 {
	return mgl64.Vec3{float64(p[0]), float64(p[1]), float64(p[2])}
}

// struck is what a ray meets first.
type struck struct {
	t        float64 // how far along the ray, m of a unit direction; +Inf: it meets nothing
	body     int     // among Info.Surfaces; -1: none of them
	instance int     // among Frame.Instances; -1: none of them
}

// under is what is seen at a pixel, and where.
func (vp *viewport) under(x, y float64) (struck, mgl64.Vec3) {
	dir := vp.lens.direction(x, y).Normalize()
	s := vp.cast(vp.lens.eye, dir)
	return s, vp.lens.eye.Add(dir.Mul(s.t))
}

// cast finds what a ray meets first of all that is drawn and is no tool: the outsides of
// surfaces, rigid bodies and plates, and balls. dir is a unit vector.
func (vp *viewport) cast(from, dir mgl64.Vec3) struck {
	s := struck{t: math.Inf(1), body: -1, instance: -1}
	seen := vp.scene.snap
	for i := range vp.scene.info.Surfaces {
		if !vp.touchable(i) {
			continue
		}
		if d, k := castRay(from, dir, seen.Surfaces[i].Vertices, vp.scene.info.Surfaces[i].Triangles); k >= 0 && d < s.t {
			s = struck{d, i, -1}
		}
	}
	beside := func(at mgl64.Vec3, radius float64) bool { // the ray passes a ball, or meets it behind s.t only
		way := at.Sub(from)
		along := way.Dot(dir)
		return along+radius < 0 || along-radius > s.t || way.Dot(way)-along*along > radius*radius
	}
	for i := range seen.Instances {
		b := &seen.Instances[i]
		if int(b.Shape) >= len(vp.scene.info.Shapes) || vp.scene.info.Shapes[b.Shape].Ghost || beside(b.Pose.Position, vp.scene.reachOf(int(b.Shape))) {
			continue
		}
		if d, k := vp.castInstance(i, from, dir); k >= 0 && d < s.t {
			s = struck{t: d, body: -1, instance: i}
		}
	}
	for i := range seen.Points {
		p := &seen.Points[i]
		at, r := inWorld(p.Position), float64(p.Radius)
		if beside(at, r) {
			continue
		}
		way := at.Sub(from)
		along := way.Dot(dir)
		if d := along - math.Sqrt(max(r*r-(way.Dot(way)-along*along), 0)); d > 0 && d < s.t {
			s = struck{t: d, body: -1, instance: -1}
		}
	}
	corner := func(i uint32) mgl64.Vec3 { return inWorld(seen.Vertices[i].Position) }
	for _, tri := range seen.Triangles {
		if int(max(tri[0], tri[1], tri[2])) >= len(seen.Vertices) {
			continue
		}
		if d := meet(from, dir, corner(tri[0]), corner(tri[1]), corner(tri[2])); d < s.t {
			s = struck{t: d, body: -1, instance: -1}
		}
	}
	return s
}

// castInstance is where a ray meets body i of Frame.Instances first, m of a unit direction, and the triangle; -1: nowhere.
func (vp *viewport) castInstance(i int, from, dir mgl64.Vec3) (float64, int) {
	b := &vp.scene.snap.Instances[i]
	shape := &vp.scene.info.Shapes[b.Shape]
	return castRay(b.Pose.InversePoint(from), b.Pose.InverseVector(dir), shape.Vertices, shape.Triangles)
}

// chased is a place on a rigid body at which the hand presses.
type chased struct {
	instance int        // among Frame.Instances
	at       mgl64.Vec3 // where the line of the push met it last, in its frame, m
	on       bool
}

// aimAt notes the rigid body that a line of unit direction meets first.
func (vp *viewport) aimAt(from, dir mgl64.Vec3) {
	if vp.chased = (chased{}); len(vp.scene.snap.Instances) == 0 {
		return
	}
	if s := vp.cast(from, dir); s.instance >= 0 {
		vp.chased = chased{s.instance, vp.scene.snap.Instances[s.instance].Pose.InversePoint(from.Add(dir.Mul(s.t))), true}
	}
}

// aimed tells whether aimAt has met a body.
func (vp *viewport) aimed() bool {
	_, ok := vp.chasedAt()
	return ok
}

// chasedAt is where the place of aimAt is now, world, m; false: it met no body.
func (vp *viewport) chasedAt() (mgl64.Vec3, bool) {
	c := &vp.chased
	if !c.on || c.instance >= len(vp.scene.snap.Instances) {
		return mgl64.Vec3{}, false
	}
	return vp.scene.snap.Instances[c.instance].Pose.Point(c.at), true
}

// gone is the way from a hand that presses along a unit direction to where it may meet the body of aimAt, m: across the
// line of the push where the body has moved away from it, and back where the hand is past it. It is zero for what
// spins in its place.
func (vp *viewport) gone(from, dir mgl64.Vec3) mgl64.Vec3 {
	at, ok := vp.chasedAt()
	if !ok {
		return mgl64.Vec3{}
	}
	c := &vp.chased
	b := &vp.scene.snap.Instances[c.instance]
	start := from.Sub(dir.Mul(b.Pose.Position.Sub(from).Len() + vp.scene.reachOf(int(b.Shape))))
	if t, k := vp.castInstance(c.instance, start, dir); k >= 0 {
		at = start.Add(dir.Mul(t))
		c.at = b.Pose.InversePoint(at)
		return dir.Mul(min(0, at.Sub(from).Dot(dir)))
	}
	way := at.Sub(from)
	return way.Sub(dir.Mul(max(0, way.Dot(dir))))
}

// reachOf is the radius of the ball about its origin that a shape fits in, m.
func (sc *scene) reachOf(shape int) float64 {
	if len(sc.reaches) != len(sc.info.Shapes) {
		sc.reaches = make([]float64, len(sc.info.Shapes))
		for i := range sc.info.Shapes {
			sc.reaches[i] = frame.Reach(sc.info.Shapes[i].Vertices)
		}
	}
	return sc.reaches[shape]
}

// touchable says whether surface i is in sight and not the stylus's own.
func (vp *viewport) touchable(i int) bool {
	return !vp.scene.info.Surfaces[i].Driven && !vp.scene.info.Surfaces[i].Second && !vp.view.Bodies[i].Hidden
}

// ahead is how far the tool may go along a unit direction until it touches something, m: as the foremost and some other of
// its points see it.
func (vp *viewport) ahead(dir mgl64.Vec3) float64 {
	const points = 48
	least := math.Inf(1)
	for i := range vp.scene.info.Surfaces {
		if !vp.scene.mine(i) {
			continue
		}
		v, front := vp.scene.snap.Surfaces[i].Vertices, 0
		for k, p := range v {
			if p.Dot(dir) > v[front].Dot(dir) {
				front = k
			}
		}
		for k := range v {
			if k == front || k%(1+len(v)/points) == 0 {
				least = min(least, vp.cast(v[k], dir).t)
			}
		}
	}
	return least
}

// clearance is how far the middle of the tool's grip must stay off a plane of that normal
// for the whole tool to be before it, m.
func (vp *viewport) clearance(normal mgl64.Vec3) float64 {
	held, most := vp.scene.held(), 0.0
	for i := range vp.scene.info.Surfaces {
		if vp.scene.mine(i) {
			for _, p := range vp.scene.snap.Surfaces[i].Vertices {
				most = max(most, held.Sub(p).Dot(normal))
			}
		}
	}
	return most
}
