package ui

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// hand turns the mouse into the position of the operator's hand.
//
// The hand moves in the plane through itself that faces the eye; the wheel and two keys move that plane. Its position
// is kept in the world, and only a motion of the mouse changes it: no motion of the camera, no key and no change of the
// window's size does. Where hand and cursor come apart on screen that way, the hand goes on from where it is, in the
// direction of the mouse and never faster, and the cursor catches up whenever it travels towards the hand. A cursor
// that was elsewhere, as on the panel, may come back to the hand without moving it.
type hand struct {
	place    mgl64.Vec3 // of the hand, without what the button pushes, world, m
	aim      mgl64.Vec3 // where place is going, world, m; a flick takes some frames
	x, y     float64    // cursor in the last frame, pixels
	tracking bool       // the cursor moved the hand in the last frame
	parted   bool       // the cursor was elsewhere, and has not come back to the hand yet

	push    float64    // how far the button has pushed, m
	along   mgl64.Vec3 // direction of the push, unit, world
	pushing bool       // the button is down
	heldFor float64    // how long, s
	plane   mgl64.Vec3 // normal of the surface being pushed; zero: not on a surface
}

// Feel of the mouse, as fractions of the scene's size (about 0.2 m for an organ).
const (
	notch      = 0.01  // depth of one notch of the wheel
	keyDepth   = 0.15  // depth speed of a held key, 1/s
	pushSpeed  = 0.06  // of a held button, 1/s: slow enough to watch the force rise
	pushLimit  = 0.15  // how far the button pushes
	pullSpeed  = 0.40  // of a released button, 1/s
	topSpeed   = 3.0   // of the hand, 1/s: no flick may carry the stylus through an organ
	hover      = 0.015 // clearance of a stylus that follows the surface
	pushDelay  = 0.15  // s; a shorter press is a click
	catchUp    = 0.5   // part of the mouse's travel towards the hand that closes the gap between them
	reunion    = 8.0   // pixels at scale 1 within which a cursor that came back and goes on has the hand again
	homeward   = 0.8   // cosine of the angle within which it counts as coming back
	depthReach = 1.5   // how far from the middle of the scene the hand may go
)

// handInput is what moves the hand in one frame.
type handInput struct {
	lens    lens
	x, y    float64 // cursor, pixels
	follow  bool    // the cursor is over the scene and moves the stylus
	parted  bool    // the cursor is elsewhere, or the stylus was put down
	button  bool    // push
	notches float64 // of the wheel, positive: away from the eye
	keys    float64 // -1..1, positive: away from the eye
	dt      float64 // s
	scale   float64 // of the user interface
	size    float64 // of the scene, m
	centre  mgl64.Vec3
	needle  mgl64.Vec3 // direction in which the stylus points, unit, world

	level  bool     // the hand moves at its height; the wheel and the keys lift it
	hover  bool     // the stylus follows the surface under the cursor
	reach  float64  // from the stylus's origin to its tip, m
	bodies surfaces // nil: nothing can be met
}

// surfaces is what the hand may meet. Normals are unit and point away from it.
type surfaces interface {
	// under is where a sight line from the eye first meets a body.
	under(dir mgl64.Vec3) (point, normal mgl64.Vec3, ok bool)
	// near is the normal of the surface closest to a point.
	near(p mgl64.Vec3) (normal mgl64.Vec3, ok bool)
	// ahead says whether there is a body in a direction from a point.
	ahead(p, dir mgl64.Vec3) bool
}

// position of the hand, world, m.
func (h *hand) position() mgl64.Vec3 { return h.place.Add(h.along.Mul(h.push)) }

// set puts the hand somewhere and forgets what it was doing.
func (h *hand) set(p mgl64.Vec3) { *h = hand{place: p, aim: p, parted: true} }

// step moves the hand by one frame.
func (h *hand) step(in *handInput) {
	h.stepButton(in)
	h.parted = h.parted || in.parted
	if in.follow {
		if h.tracking && (in.x != h.x || in.y != h.y) {
			if p, ok := h.target(in); ok {
				h.aim = p
			}
		}
		h.x, h.y = in.x, in.y
		if in.notches != 0 || in.keys != 0 {
			h.deepen(in, (in.notches*notch+in.keys*keyDepth*in.dt)*in.size)
		}
	}
	h.tracking = in.follow
	way := h.aim.Sub(h.place)
	if d, most := way.Len(), topSpeed*in.size*in.dt; d > most {
		way = way.Mul(most / d)
	}
	h.place = h.place.Add(way)
}

// pointed is the pixel that the mouse points the hand at: where the hand is on screen, moved as the mouse was since the
// last frame. Travel towards the hand counts in part only, so that the cursor catches up with it, and not at all for a
// cursor that comes back.
func (h *hand) pointed(in *handInput) (x, y float64, ok bool) {
	x, y, ok = in.lens.project(h.aim)
	if !ok {
		return 0, 0, false
	}
	dx, dy := in.x-h.x, in.y-h.y
	gapX, gapY := x-h.x, y-h.y
	gap, travel := math.Hypot(gapX, gapY), math.Hypot(dx, dy)
	if gap == 0 || travel == 0 {
		h.parted = false
		return x + dx, y + dy, true
	}
	nearer := (dx*gapX + dy*gapY) / gap // pixels of the travel
	switch {
	case h.parted && nearer >= homeward*travel:
		part := max(0, 1-gap/nearer) // of the travel, after it has met the hand
		dx, dy = part*dx, part*dy
		h.parted = part == 0
	case nearer > 0:
		closing := min(catchUp*nearer, gap)
		dx, dy = dx-closing*gapX/gap, dy-closing*gapY/gap
		fallthrough
	default:
		h.parted = h.parted && gap > reunion*max(in.scale, 0.1)
	}
	return x + dx, y + dy, true
}

// target is where the mouse wants the hand.
func (h *hand) target(in *handInput) (mgl64.Vec3, bool) {
	x, y, ok := h.pointed(in)
	if !ok {
		return h.aim, false
	}
	dir := in.lens.direction(x, y)
	plane := h.plane // sliding along the tissue: stay in the tangent plane of the first touch
	if in.level {
		plane = mgl64.Vec3{0, 1, 0}
	}
	if in.level || h.pushing && plane != (mgl64.Vec3{}) {
		slope := dir.Dot(plane)
		if math.Abs(slope) < 0.05 {
			return h.aim, false
		}
		t := h.aim.Sub(in.lens.eye).Dot(plane) / slope
		if !(t > 0) || in.level && t > depthReach*in.size+in.lens.depth(in.centre) {
			return h.aim, false // beyond the horizon
		}
		return in.lens.eye.Add(dir.Mul(t)), true
	}
	if in.hover && in.bodies != nil {
		if p, n, ok := in.bodies.under(dir); ok {
			return p.Add(n.Mul(in.reach + hover*in.size)), true
		}
	}
	return in.lens.eye.Add(dir.Mul(in.lens.depth(h.aim))), true
}

// deepen moves the hand along its line of sight.
func (h *hand) deepen(in *handInput, by float64) {
	sight := h.aim.Sub(in.lens.eye)
	if sight.Len() == 0 {
		return
	}
	p := h.aim.Add(sight.Normalize().Mul(by))
	if in.level {
		p = h.aim.Sub(mgl64.Vec3{0, by, 0})
	}
	if in.lens.depth(p) < 0.02*in.size {
		return // not behind the eye
	}
	if reach := depthReach * in.size; p.Sub(in.centre).Len() > reach && p.Sub(in.centre).Len() > h.aim.Sub(in.centre).Len() {
		return
	}
	h.aim = p
}

// stepButton lets the held button push gently and the released one come back.
func (h *hand) stepButton(in *handInput) {
	if in.button && !in.level && (in.follow || h.pushing) {
		h.heldFor += in.dt
		if h.heldFor < pushDelay {
			return
		}
		if !h.pushing {
			h.pushing = true
			h.along, h.plane = in.needle, mgl64.Vec3{}
			if n, ok := h.normal(in); ok {
				h.along, h.plane = n.Mul(-1), n
			}
		}
		h.push = min(h.push+pushSpeed*in.size*in.dt, pushLimit*in.size)
		return
	}
	h.heldFor = 0
	h.pushing = false
	h.push = max(0, h.push-pullSpeed*in.size*in.dt)
}

// normal of the surface under the hand on screen, or of the closest one where the hand is beside the bodies, or would
// be pushed past them: the side of a body far behind the tool may be what is under the cursor.
func (h *hand) normal(in *handInput) (n mgl64.Vec3, ok bool) {
	if in.bodies == nil {
		return n, false
	}
	at := h.position()
	tip := at.Add(in.needle.Mul(in.reach))
	if x, y, ok := in.lens.project(h.aim); ok {
		if _, n, ok := in.bodies.under(in.lens.direction(x, y)); ok {
			if into := n.Mul(-1); in.bodies.ahead(at, into) || in.bodies.ahead(tip, into) {
				return n, true
			}
		}
	}
	return in.bodies.near(tip)
}
