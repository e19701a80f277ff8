package ui

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/render"
)

// hand turns the mouse into the position of the operator's hand.
//
// The pointer is the tool. While the tool is free, the hand is on the sight line of the
// pointer, just before what the pointer shows, or at its last distance where it shows
// nothing; the wheel and two keys move it along that line. While the hand presses the tool
// into something, it moves as the mouse does in the plane of that, so that neither a dent
// nor a motion of the camera moves it. What the held button adds is kept beside, and goes
// when the button is let go.
type hand struct {
	place  mgl64.Vec3 // of the hand, without what the button pushes, world, m
	lift   float64    // of the wheel: how much farther than just before the surface, m
	plane  mgl64.Vec3 // normal of the plane in which the hand moves; zero: the tool is free
	normal mgl64.Vec3 // of what a free hand is before, unit; zero: of nothing
	freed  bool       // the tool has just been freed
	parted bool       // the pointer was elsewhere, or the stylus was put down
	x, y   float64    // pointer in the last frame, pixels
	owed   [2]float64 // of the pointer's way, what a hand in a plane has not made yet, pixels
	last   mgl64.Vec3 // sight line in the last frame, unit
	clear  float64    // for how long the tool has touched nothing, s
	left   float64    // how far a free hand still has to go along its sight line, m

	push    float64    // how far the button has pushed, m
	along   mgl64.Vec3 // direction of the push, unit, world
	pushing bool       // the button is down
	heldFor float64    // how long, s
}

// Feel of the mouse, as fractions of the scene's size (about 0.2 m for an organ).
const (
	notch      = 0.01  // depth of one notch of the wheel
	keyDepth   = 0.15  // depth speed of a held key, 1/s
	pushSpeed  = 0.06  // of a held button, 1/s: slow enough to watch the force rise
	pushLimit  = 0.15  // how far the button pushes
	pullSpeed  = 0.40  // of a released button, and of a held one before it reaches the surface, 1/s
	topSpeed   = 3.0   // of the hand, 1/s: no flick may carry the stylus through an organ
	hover      = 0.015 // gap between a free tool and what it is before
	sinking    = 2.0   // how fast a tool that was nearer to the eye comes down to a surface, a part of its way along it
	pushDelay  = 0.15  // s; a shorter press is a click
	parting    = 0.15  // s without a touch after which the tool is free
	facing     = 0.35  // cosine of the angle to the eye up to which a surface faces it
	depthReach = 1.5   // how far from the middle of the scene the hand may go
	leastWay   = 0.01  // of the pointer that moves a hand in a plane, pixels: more than rounding
)

// handInput is what moves the hand in one frame.
type handInput struct {
	lens    lens
	x, y    float64 // pointer, pixels
	follow  bool    // the pointer is over the scene and moves the stylus
	touched bool    // something acts on the tool
	holds   bool    // it draws at what it has taken hold of
	button  bool    // push
	notches float64 // of the wheel, positive: away from the eye
	keys    float64 // -1..1, positive: away from the eye
	dt      float64 // s
	size    float64 // of the scene, m
	centre  mgl64.Vec3
	level   bool     // the hand moves at its height; the wheel and the keys lift it
	reach   float64  // from the stylus's origin to its tip, m
	bodies  surfaces // nil: nothing can be met
}

// surfaces is what the hand may meet.
type surfaces interface {
	// sight is what a ball of some radius meets along a unit direction.
	sight(from, dir mgl64.Vec3, radius float64) sighting
	// toward is the unit direction into the surface nearest to a place; zero: there is none.
	toward(p mgl64.Vec3) mgl64.Vec3
	// ahead is how far the tool may go along a unit direction until it touches something, m.
	ahead(dir mgl64.Vec3) float64
	// clearance is how far the hand must stay off a plane for the tool to be before it, m.
	clearance(normal mgl64.Vec3) float64
	// aimAt notes the body that a line of unit direction meets first, aimed tells whether there is one, and gone is the
	// way from a hand that presses along such a line to where it may meet that body, m; zero while it is before it.
	aimAt(from, dir mgl64.Vec3)
	aimed() bool
	gone(from, dir mgl64.Vec3) mgl64.Vec3
}

// position of the hand, world, m.
func (h *hand) position() mgl64.Vec3 { return h.place.Add(h.along.Mul(h.push)) }

// set puts the hand somewhere and forgets what it was doing.
func (h *hand) set(p mgl64.Vec3) { *h = hand{place: p, parted: true} }

// step moves the hand by one frame.
func (h *hand) step(in *handInput) {
	if h.clear += in.dt; in.touched {
		h.clear = 0
	}
	h.stepButton(in)
	h.parted = h.parted || !in.follow
	if in.follow {
		wheel := (in.notches*notch + in.keys*keyDepth*in.dt) * in.size
		switch {
		case in.holds: // as what is drawn on the screen
			h.plane = in.lens.forward
			h.slide(in, h.plane, h.sightLine(in).Mul(wheel), false)
		case in.level:
			h.slide(in, mgl64.Vec3{0, 1, 0}, mgl64.Vec3{0, -1, 0}.Mul(wheel), h.clear > 0)
		case h.pushing || h.push > 0 || h.lift > 0 && h.clear < parting:
			if h.plane == (mgl64.Vec3{}) {
				h.plane = h.against(in).Mul(-1)
			}
			h.slide(in, h.plane, h.sightLine(in).Mul(wheel), false)
		default:
			if h.plane != (mgl64.Vec3{}) {
				h.plane, h.lift, h.freed = mgl64.Vec3{}, 0, true
			}
			h.owed = [2]float64{}
			h.float(in, wheel)
		}
		h.x, h.y, h.parted = in.x, in.y, false
	}
}

// sightLine is the unit direction from the eye to the hand.
func (h *hand) sightLine(in *handInput) mgl64.Vec3 {
	if d := h.place.Sub(in.lens.eye); d.Len() > 0 {
		return d.Normalize()
	}
	return in.lens.forward
}

// pointed is the unit direction from the eye through the pixel that the hand goes to in this
// frame: that of the pointer, or, as fast as the hand may go, one on the way there.
func (h *hand) pointed(in *handInput, x, y float64) mgl64.Vec3 {
	to := in.lens.direction(x, y).Normalize()
	px, py, ok := in.lens.project(h.place)
	if !ok {
		return to
	}
	away := math.Hypot(x-px, y-py) * 2 * in.lens.tanY / in.lens.h * in.lens.depth(h.place) // m, at the hand
	if most := topSpeed * in.size * in.dt; away > most {
		part := most / away
		to = in.lens.direction(px+part*(x-px), py+part*(y-py)).Normalize()
	}
	return to
}

// float moves a free hand: it is where the pointer is on screen.
func (h *hand) float(in *handInput, wheel float64) {
	dir := h.pointed(in, in.x, in.y)
	forward := dir.Dot(in.lens.forward)
	t := in.lens.depth(h.place) / forward
	way := in.lens.eye.Add(dir.Mul(t)).Sub(h.place).Len()
	room := math.Inf(1)
	still := way <= 1e-9*in.size && dir == h.last          // rounding: what moves under a pointer at rest does not move the hand
	left, comes := h.left, still && h.left > hover*in.size // to before what the pointer has come to rest on
	if h.last = dir; still && !comes && wheel == 0 && !in.button && !h.freed && !in.touched {
		return
	}
	h.left, h.normal = 0, mgl64.Vec3{}
	between := math.Inf(1) // room on the way there
	if in.bodies != nil {
		room, h.normal = h.room(in, dir)
		if way > 1e-9*in.size {
			between = room
		}
		from := h.sightLine(in)
		for n, k := min(8, int(way/in.reach)), 0; k < n; k++ {
			r, _ := h.room(in, from.Add(dir.Sub(from).Mul(float64(k+1)/float64(n+1))).Normalize())
			between = min(between, r)
		}
		between += max(0, h.lift)
	}
	if math.IsInf(room, 1) {
		h.lift, t = 0, t+wheel
	} else {
		if was := t - room; h.freed && was < 0 && was > -pushLimit*in.size {
			h.lift = was // it stays where it is
		}
		h.freed = false
		h.lift = mgl64.Clamp(h.lift+wheel, -depthReach*in.size, pushLimit*in.size)
		nearer := sinking*way + math.Abs(wheel)
		if in.button {
			h.lift = max(h.lift, 0)
		}
		if in.button || comes {
			nearer += pullSpeed*in.size*in.dt + left*in.dt/(in.dt+aimTime)
		}
		if in.touched && !in.button { // a free tool touches nothing: the world itself tells
			h.lift = min(h.lift, t-pullSpeed*in.size*in.dt-room)
		}
		goal := room + h.lift
		t = min(goal, t+nearer, max(t, between))
		h.left = goal - t
	}
	t = max(t, 0.02*in.size/forward) // not behind the eye
	p := in.lens.eye.Add(dir.Mul(t))
	if far := p.Sub(in.centre).Len(); far > depthReach*in.size && far > h.place.Sub(in.centre).Len() {
		p = in.lens.eye.Add(dir.Mul(min(t, in.lens.depth(h.place)/forward)))
	}
	most := topSpeed * in.size * in.dt
	if back := h.place.Sub(in.lens.eye).Len() - max(0, between); back > hover/2*in.size {
		// Nearer first, then sideways: it does not go through what is between. It stands off by twice that.
		p = h.place.Sub(h.sightLine(in).Mul(min(back, most)))
	} else if step := p.Sub(h.place); step.Len() > most {
		p = h.place.Add(step.Mul(most / step.Len()))
	}
	h.place = p
}

// room is how far a free hand may go along a sight line, m, and the normal of what is there.
func (h *hand) room(in *handInput, dir mgl64.Vec3) (room float64, normal mgl64.Vec3) {
	s := in.bodies.sight(in.lens.eye, dir, in.reach)
	room = s.room
	if slope := -s.normal.Dot(dir); slope > 0 {
		room = min(room, s.at-in.bodies.clearance(s.normal)/max(slope, facing))
	}
	return room - hover*in.size, s.normal
}

// slide moves a hand in a plane through itself, and by what the wheel says: to where the
// pointer is, or, where that must not move the hand by itself, as the mouse moves. A mouse that is faster than a hand
// may be, the hand follows as long as it takes.
func (h *hand) slide(in *handInput, normal, wheel mgl64.Vec3, to bool) {
	px, py, ok := in.lens.project(h.place)
	if h.parted || to {
		h.owed = [2]float64{}
	} else {
		h.owed[0] += in.x - h.x
		h.owed[1] += in.y - h.y
	}
	if x, y := in.x, in.y; ok && (to || math.Hypot(h.owed[0], h.owed[1]) > leastWay) {
		if !to {
			x, y = px+h.owed[0], py+h.owed[1]
		}
		dir := h.pointed(in, x, y)
		if slope := dir.Dot(normal); math.Abs(slope) > 0.05 { // else the plane is seen from its edge
			t := h.place.Sub(in.lens.eye).Dot(normal) / slope
			if p := in.lens.eye.Add(dir.Mul(t)); t > 0 && h.within(in, p) {
				h.place = p
			}
		}
		px, py, _ = in.lens.project(h.place)
		h.owed = [2]float64{x - px, y - py}
	}
	if p := h.place.Add(wheel); in.lens.depth(p) > 0.02*in.size && h.within(in, p) {
		h.place = p
	}
}

// within tells whether the hand may go to a place: it stays about the scene.
func (h *hand) within(in *handInput, p mgl64.Vec3) bool {
	far := p.Sub(in.centre).Len()
	return far <= depthReach*in.size || far <= h.place.Sub(in.centre).Len()
}

// against is the direction in which a push goes: into the surface under the hand on screen,
// along the view where that hardly faces the eye or the tool would not meet it, and to the nearest one where there is none.
func (h *hand) against(in *handInput) mgl64.Vec3 {
	dir := h.sightLine(in)
	if in.bodies == nil {
		return dir
	}
	n := in.bodies.sight(in.lens.eye, dir, in.reach).normal
	into := n.Mul(-1)
	switch {
	case n == (mgl64.Vec3{}):
		if into = in.bodies.toward(h.place); into != n {
			return into
		}
	case into.Dot(dir) > facing && !math.IsInf(in.bodies.ahead(into), 1): // a wide tool may be held so far off that it would pass by
		return into
	}
	return dir
}

// aim notes what the pointer shows.
func (h *hand) aim(in *handInput) {
	in.bodies.aimAt(in.lens.eye, in.lens.direction(in.x, in.y).Normalize())
}

// stepButton lets the held button push gently, once the tool is before the surface, and after a body that moves away
// before it is touched; and the released one come back.
func (h *hand) stepButton(in *handInput) {
	if in.button && !in.level && (in.follow || h.pushing) {
		if h.heldFor += in.dt; !h.pushing {
			dir := h.sightLine(in)
			switch away := in.bodies != nil && in.bodies.gone(in.lens.eye, dir) != (mgl64.Vec3{}); {
			case away: // what was pressed at has moved from under the pointer
				h.along = dir
			case h.heldFor < pushDelay, h.left > hover*in.size:
				return
			default:
				h.along = h.against(in)
			}
			h.pushing, h.plane = true, h.along.Mul(-1)
		}
		step := pushSpeed * in.size * in.dt
		if in.bodies != nil && !in.touched { // quickly through what is empty, such as the inside of a bowl
			step = max(step, min(pullSpeed*in.size*in.dt, in.bodies.ahead(h.along)-hover*in.size))
			if !in.bodies.aimed() {
				if h.aim(in); in.bodies.aimed() { // now the pointer shows a body: the press begins again, at that
					h.place, h.push, h.pushing, h.heldFor = h.position(), 0, false, 0
					return
				}
			}
			if after := in.bodies.gone(h.position(), h.along); after != (mgl64.Vec3{}) {
				h.place = h.place.Add(after.Mul(min(1, topSpeed*in.size*in.dt/after.Len())))
			}
		}
		h.push = min(h.push+step, pushLimit*in.size)
		return
	}
	if h.heldFor, h.pushing = 0, false; in.bodies != nil {
		h.aim(in) // what is pressed at is what the last picture showed
	}
	h.push = max(0, h.push-pullSpeed*in.size*in.dt)
}

// gripOf is how the mouse holds the tool of a scene.
func gripOf(s *physics.Frame, bodies []physics.SurfaceInfo, mine func(i int) bool, needle mgl64.Vec3) grip {
	driven, others := make([]bool, len(bodies)), make([]bool, len(bodies))
	for i := range bodies {
		driven[i], others[i] = mine(i), !bodies[i].Driven
	}
	each := func(f func(p mgl64.Vec3)) {
		for i := range s.Surfaces {
			if driven[i] {
				for _, p := range s.Surfaces[i].Vertices {
					f(p)
				}
			}
		}
	}
	g := grip{at: gripPoint(s, others, each, needle)}
	held := s.Stylus.Point(g.at)
	each(func(p mgl64.Vec3) { g.reach = max(g.reach, p.Sub(held).Dot(needle)) })
	g.round = isRound(held, needle, each)
	return g
}

// isRound tells whether a tool is as wide in all directions about its needle.
func isRound(held, needle mgl64.Vec3, each func(func(p mgl64.Vec3))) bool {
	u := needle.Cross(mgl64.Vec3{1, 0, 0})
	if v := needle.Cross(mgl64.Vec3{0, 0, 1}); v.Len() > u.Len() {
		u = v
	}
	u = u.Normalize()
	v := needle.Cross(u)
	var wide [8]float64
	each(func(p mgl64.Vec3) {
		for k := range wide {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(len(wide)))
			wide[k] = max(wide[k], p.Sub(held).Dot(u)*cos+p.Sub(held).Dot(v)*sin)
		}
	})
	least, most := wide[0], wide[0]
	for _, w := range wide {
		least, most = min(least, w), max(most, w)
	}
	return least > 0.9*most // facets of a generated tool differ by some per cent
}

// gripPoint is where the mouse holds the tool, in the stylus's frame: its origin,
// or, where that is not in the tool but a corner of the scene, the middle of the
// tool's end. each goes through the tool's vertices.
func gripPoint(s *physics.Frame, others []bool, each func(func(p mgl64.Vec3)), needle mgl64.Vec3) mgl64.Vec3 {
	lo, hi, ok := render.Bounds(s, others)
	at := s.Stylus.Position
	inside := true
	for k := range 3 {
		inside = inside && at[k] >= lo[k] && at[k] <= hi[k]
	}
	if !ok || inside {
		return mgl64.Vec3{}
	}
	end, far := math.Inf(-1), math.Inf(1)
	each(func(p mgl64.Vec3) { end, far = max(end, p.Dot(needle)), min(far, p.Dot(needle)) })
	var sum mgl64.Vec3
	n := 0.0
	each(func(p mgl64.Vec3) {
		if p.Dot(needle) >= end-0.05*(end-far) {
			sum, n = sum.Add(p), n+1
		}
	})
	if !(n > 0) {
		return mgl64.Vec3{}
	}
	return s.Stylus.InversePoint(sum.Mul(1 / n))
}
