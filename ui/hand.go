package ui

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// hand turns the mouse into the position of the operator's hand.
//
// The hand moves in the plane through itself that faces the eye; the wheel and
// two keys move that plane. Wherever hand and cursor come apart on screen (the
// clutch was open, the camera moved, the cursor was over the panel), the gap
// closes as the mouse travels: the stylus never leaps, and never moves unless
// the mouse does.
type hand struct {
	place    mgl64.Vec3 // of the hand, without what the button pushes, world, m
	gapX     float64    // stylus minus cursor on screen, pixels
	gapY     float64    //
	x, y     float64    // cursor in the last frame, pixels
	tracking bool       // the cursor moved the hand in the last frame

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
	gapTravel  = 120.0 // mouse travel that closes a gap to 1/e, pixels at scale 1
	depthReach = 1.5   // how far from the middle of the scene the hand may go
)

// handInput is what moves the hand in one frame.
type handInput struct {
	lens    lens
	x, y    float64 // cursor, pixels
	follow  bool    // the cursor is over the scene and moves the stylus
	button  bool    // push
	notches float64 // of the wheel, positive: away from the eye
	keys    float64 // -1..1, positive: away from the eye
	dt      float64 // s
	scale   float64 // of the user interface
	size    float64 // of the scene, m
	centre  mgl64.Vec3
	needle  mgl64.Vec3 // direction in which the stylus points, unit, world

	// surface under the cursor, for a stylus that follows it
	onSurface bool
	point     mgl64.Vec3 // world, m
	normal    mgl64.Vec3 // unit, towards the eye
	reach     float64    // from the stylus's origin to its tip, m
}

// position of the hand, world, m.
func (h *hand) position() mgl64.Vec3 { return h.place.Add(h.along.Mul(h.push)) }

// set puts the hand somewhere and forgets what it was doing.
func (h *hand) set(p mgl64.Vec3) { *h = hand{place: p} }

// step moves the hand by one frame.
func (h *hand) step(in *handInput) {
	h.stepButton(in)
	if !in.follow {
		h.tracking = false
		return
	}
	if !h.tracking { // the cursor comes back: keep the stylus where it is
		if px, py, ok := in.lens.project(h.place); ok {
			h.gapX, h.gapY = px-in.x, py-in.y
		} else {
			h.gapX, h.gapY = 0, 0
		}
		h.x, h.y = in.x, in.y
		h.tracking = true
	}
	travel := math.Hypot(in.x-h.x, in.y-h.y)
	h.x, h.y = in.x, in.y
	fade := math.Exp(-travel / (gapTravel * max(in.scale, 0.1)))
	h.gapX *= fade
	h.gapY *= fade

	if in.notches != 0 || in.keys != 0 {
		h.deepen(in, (in.notches*notch+in.keys*keyDepth*in.dt)*in.size)
	}
	if target, ok := h.target(in); ok {
		h.approach(target, topSpeed*in.size*in.dt)
	}
}

// target is where the cursor wants the hand.
func (h *hand) target(in *handInput) (mgl64.Vec3, bool) {
	dir := in.lens.direction(in.x+h.gapX, in.y+h.gapY)
	if h.pushing && h.plane != (mgl64.Vec3{}) {
		// sliding along the tissue: stay in the tangent plane of the first touch
		slope := dir.Dot(h.plane)
		if math.Abs(slope) < 0.05 {
			return h.place, false
		}
		t := h.place.Sub(in.lens.eye).Dot(h.plane) / slope
		if !(t > 0) {
			return h.place, false
		}
		return in.lens.eye.Add(dir.Mul(t)), true
	}
	if in.onSurface {
		return in.point.Add(in.normal.Mul(in.reach + hover*in.size)), true
	}
	z := in.lens.depth(h.place)
	if !(z > 0) {
		return h.place, false
	}
	return in.lens.eye.Add(dir.Mul(z)), true
}

// deepen moves the hand along its line of sight.
func (h *hand) deepen(in *handInput, by float64) {
	sight := h.place.Sub(in.lens.eye)
	if sight.Len() == 0 {
		return
	}
	p := h.place.Add(sight.Normalize().Mul(by))
	if in.lens.depth(p) < 0.02*in.size {
		return // not behind the eye
	}
	if reach := depthReach * in.size; p.Sub(in.centre).Len() > reach && p.Sub(in.centre).Len() > h.place.Sub(in.centre).Len() {
		return
	}
	h.place = p
}

func (h *hand) approach(target mgl64.Vec3, most float64) {
	way := target.Sub(h.place)
	if d := way.Len(); d > most {
		way = way.Mul(most / d)
	}
	h.place = h.place.Add(way)
}

// stepButton lets the held button push gently and the released one come back.
func (h *hand) stepButton(in *handInput) {
	if in.button && (in.follow || h.pushing) {
		h.heldFor += in.dt
		if h.heldFor < pushDelay {
			return
		}
		if !h.pushing {
			h.pushing = true
			h.along, h.plane = in.needle, mgl64.Vec3{}
			if in.onSurface {
				h.along, h.plane = in.normal.Mul(-1), in.normal
			}
		}
		h.push = min(h.push+pushSpeed*in.size*in.dt, pushLimit*in.size)
		return
	}
	h.heldFor = 0
	h.pushing = false
	h.push = max(0, h.push-pullSpeed*in.size*in.dt)
}
