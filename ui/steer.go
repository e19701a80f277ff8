package ui

import (
	"math"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"
)

// sceneMouse is what the mouse is doing to the scene.
type sceneMouse struct {
	hand     hand
	held     bool // the mouse has the stylus
	clutched bool // Space is down
	surface  bool // the stylus follows the surface under the cursor

	drag           dragKind
	lastX, lastY   float64
	left           bool      // the left button went down over the scene
	pressX, pressY float64   // there
	pressed        time.Time // then
	frames         int       // since then
}

type dragKind uint8

const (
	noDrag dragKind = iota
	orbitDrag
	panDrag
	turnDrag // the tool, not the camera
)

const (
	orbitSpeed  = 0.006 // rad a pixel at scale 1
	keyOrbit    = 1.2   // rad/s
	zoomStep    = 0.88  // a notch
	clickTime   = 300 * time.Millisecond
	clickFrames = 3    // as few frames are a click, however long they take
	clickSlip   = 4.0  // pixels at scale 1 that a click may move
	pickRadius  = 14.0 // pixels at scale 1
)

// steer lets mouse and keyboard act on camera and stylus. busy tells that the mouse does something elsewhere, scripted
// that something else moves the hand.
func (vp *viewport) steer(dt float64, busy, scripted bool) {
	in, m := &vp.win.in, &vp.mouse
	io := imgui.CurrentIO()
	vp.lens = newLens(&vp.cam, vp.lens.x, vp.lens.y, vp.lens.w, vp.lens.h)
	if vp.scene.session == nil || vp.scene.snap == nil {
		return
	}
	typing := io.WantTextInput()
	over := in.inside && vp.lens.contains(in.x, in.y) && !io.WantCaptureMouse() && !busy
	with := in.with()
	shift, ctrl := with&withShift != 0, with&withCtrl != 0
	alt := in.keys[glfw.KeyLeftAlt] || in.keys[glfw.KeyRightAlt]
	pointer := vp.scene.session.Pointer()
	drives := pointer != nil && vp.opt.Script == nil && !scripted

	brush := vp.brushes(!typing && !ctrl && in.keys[glfw.KeyB], over, shift)
	vp.dragCamera(over, shift, !drives && !brush, alt && drives && !brush)
	if over && in.wheelY != 0 && (ctrl || !drives) {
		vp.cam.Dolly(math.Pow(zoomStep, in.wheelY))
	}
	if !typing {
		vp.keyCamera(dt, drives && !shift)
	}
	if vp.zooming {
		vp.cam.ZoomTo(vp.contactPoint(), 0.22*vp.scene.bounds.size)
	}
	vp.cam.Update(dt)
	vp.lens = newLens(&vp.cam, vp.lens.x, vp.lens.y, vp.lens.w, vp.lens.h)
	vp.clicks(over && !brush, drives && !alt)
	if over && m.drag == noDrag && drives && m.held {
		imgui.SetMouseCursor(imgui.MouseCursorResizeAll) // a cross-hair, see window.attach
	}
	if !drives {
		return
	}

	m.clutched = !typing && in.keys[glfw.KeySpace] || brush
	h := handInput{
		lens: vp.lens, x: in.x, y: in.y, dt: dt, scale: float64(vp.gui.scale), size: vp.scene.bounds.size, centre: vp.scene.bounds.centre,
		needle: vp.scene.needle(), reach: vp.scene.tool.reach, hover: m.surface, level: vp.scene.info.Level, bodies: vp,
		follow: m.held && !m.clutched && over && m.drag == noDrag,
		parted: !m.held || m.drag == noDrag && !over,
		button: m.left && m.held && in.buttons[0],
	}
	if over && !ctrl {
		h.notches = in.wheelY + in.wheelX
		if shift {
			h.notches *= 0.1
		}
	}
	if !typing && !ctrl {
		if in.keys[glfw.KeyQ] {
			h.keys++
		}
		if in.keys[glfw.KeyE] {
			h.keys--
		}
		if shift {
			h.keys *= 0.2
		}
	}
	if vp.win.moved { // the cursor's place in the window changed without the mouse
		vp.win.moved, m.hand.tracking = false, false
	}
	m.hand.step(&h)
	pointer.SetClutch(m.clutched || !m.held)
	if m.held && !m.clutched {
		pointer.SetHand(m.hand.position().Sub(vp.scene.gripArm()))
	}
}

// under is where a ray from the eye meets a body that the stylus may touch.
func (vp *viewport) under(dir mgl64.Vec3) (point, normal mgl64.Vec3, ok bool) {
	t, body, triangle := vp.cast(vp.lens.eye, dir)
	if body < 0 {
		return point, normal, false
	}
	point = vp.lens.eye.Add(dir.Mul(t))
	normal, ok = vp.smoothNormal(body, point, vp.face(body, triangle))
	return point, normal, ok
}

// near is the normal of the touchable surface whose node is closest to p.
func (vp *viewport) near(p mgl64.Vec3) (normal mgl64.Vec3, ok bool) {
	best, body, node := math.Inf(1), -1, int32(0)
	for i := range vp.scene.info.Surfaces {
		if !vp.touchable(i) {
			continue
		}
		for k, x := range vp.scene.snap.Surfaces[i].Vertices {
			if d := x.Sub(p).Dot(x.Sub(p)); d < best {
				best, body, node = d, i, int32(k)
			}
		}
	}
	if body < 0 {
		return normal, false
	}
	var facets mgl64.Vec3
	for k, tri := range vp.scene.info.Surfaces[body].Triangles {
		if tri[0] == node || tri[1] == node || tri[2] == node {
			facets = facets.Add(vp.face(body, k))
		}
	}
	return vp.smoothNormal(body, vp.scene.snap.Surfaces[body].Vertices[node], facets)
}

// ahead says whether a touchable body lies in a direction from a point.
func (vp *viewport) ahead(p, dir mgl64.Vec3) bool {
	_, body, _ := vp.cast(p, dir)
	return body >= 0
}

// face is the outward normal of a triangle, as long as twice its area, m2.
func (vp *viewport) face(body, triangle int) mgl64.Vec3 {
	p, tri := vp.scene.snap.Surfaces[body].Vertices, vp.scene.info.Surfaces[body].Triangles[triangle]
	if int(max(tri[0], tri[1], tri[2])) >= len(p) {
		return mgl64.Vec3{} // a snapshot of another scene cannot hurt
	}
	return p[tri[1]].Sub(p[tri[0]]).Cross(p[tri[2]].Sub(p[tri[0]]))
}

// patch is how far around a point the surface counts for its normal there, as a part of the scene's size: about as wide
// as a tool, so that no single facet decides in which direction it is pushed.
const patch = 0.03

// smoothNormal is the mean normal of a body's surface around a point on facet. Facets that lean by more than 60 degrees
// against that one belong to another side of the body, beyond an edge or across a thin lobe.
func (vp *viewport) smoothNormal(body int, at, facet mgl64.Vec3) (n mgl64.Vec3, ok bool) {
	if !(facet.Len() > 0) {
		return n, false
	}
	p := vp.scene.snap.Surfaces[body].Vertices
	n, reach := facet, patch*vp.scene.bounds.size
	for k, tri := range vp.scene.info.Surfaces[body].Triangles {
		face := vp.face(body, k)
		if !(face.Dot(facet) > 0.5*face.Len()*facet.Len()) {
			continue
		}
		d := p[tri[0]].Add(p[tri[1]]).Add(p[tri[2]]).Mul(1.0 / 3).Sub(at).Len()
		n = n.Add(face.Mul(max(0, 1-d/reach)))
	}
	return n.Normalize(), true
}

// touchable says whether body i is in sight and not the stylus's own.
func (vp *viewport) touchable(i int) bool {
	return !vp.scene.info.Surfaces[i].Driven && !vp.view.Bodies[i].Hidden
}

// cast finds the nearest surface of a body that is not driven by the stylus.
func (vp *viewport) cast(from, dir mgl64.Vec3) (t float64, body, triangle int) {
	t, body = math.Inf(1), -1
	for i := range vp.scene.info.Surfaces {
		if !vp.touchable(i) {
			continue
		}
		if d, k := castRay(from, dir, vp.scene.snap.Surfaces[i].Vertices, vp.scene.info.Surfaces[i].Triangles); k >= 0 && d < t {
			t, body, triangle = d, i, k
		}
	}
	return t, body, triangle
}

// dragCamera orbits and pans.
func (vp *viewport) dragCamera(over, shift, leftOrbits, turns bool) {
	in, m := &vp.win.in, &vp.mouse
	switch {
	case over && in.pressed[1] && shift, over && in.pressed[2]:
		m.drag = panDrag
	case over && in.pressed[0] && turns:
		m.drag = turnDrag
	case over && in.pressed[1], over && in.pressed[0] && leftOrbits:
		m.drag = orbitDrag
	case !in.buttons[0] && !in.buttons[1] && !in.buttons[2]:
		m.drag = noDrag
	}
	dx, dy := in.x-m.lastX, in.y-m.lastY
	m.lastX, m.lastY = in.x, in.y
	if over && (in.pressed[0] || in.pressed[1] || in.pressed[2]) || dx == 0 && dy == 0 {
		return
	}
	switch m.drag {
	case orbitDrag:
		vp.cam.Orbit(-dx*orbitSpeed/float64(vp.gui.scale), dy*orbitSpeed/float64(vp.gui.scale))
	case turnDrag:
		vp.turnTool(dx*orbitSpeed/float64(vp.gui.scale), dy*orbitSpeed/float64(vp.gui.scale))
	case panDrag:
		vp.cam.Pan(dx, dy, int(vp.lens.h))
		vp.zooming = false
	}
}

// turnTool turns the tool about the screen's vertical and horizontal, rad. The hand stays where it holds the tool.
func (vp *viewport) turnTool(right, down float64) {
	p := vp.scene.session.Pointer()
	if p == nil {
		return
	}
	turn := mgl64.QuatRotate(right, vp.cam.Up()).Mul(mgl64.QuatRotate(down, vp.cam.Right()))
	p.SetRotation(turn.Mul(p.Rotation()).Normalize())
}

// keyCamera orbits and zooms with held keys. Where turns is set, arrows turn the tool.
func (vp *viewport) keyCamera(dt float64, turns bool) {
	in := &vp.win.in
	axis := func(minus, plus glfw.Key) float64 {
		v := 0.0
		if in.keys[minus] {
			v--
		}
		if in.keys[plus] {
			v++
		}
		return v
	}
	yaw, pitch := axis(glfw.KeyLeft, glfw.KeyRight), axis(glfw.KeyDown, glfw.KeyUp)
	switch {
	case yaw == 0 && pitch == 0, vp.gui.arrows, vp.gui.help:
	case turns:
		vp.turnTool(yaw*keyOrbit*dt, -pitch*keyOrbit*dt)
	default:
		vp.cam.Orbit(yaw*keyOrbit*dt, pitch*keyOrbit*dt)
	}
	if in.with()&withCtrl != 0 {
		return
	}
	zoom := axis(glfw.KeyMinus, glfw.KeyEqual) + axis(glfw.KeyKPSubtract, glfw.KeyKPAdd)
	if zoom != 0 {
		vp.cam.Dolly(math.Exp(-zoom * 1.5 * dt))
	}
}

// clicks take the stylus and pick contacts.
func (vp *viewport) clicks(over, drives bool) {
	in, m := &vp.win.in, &vp.mouse
	if in.pressed[0] && over {
		if drives && !m.held {
			m.held = true // this press only takes the stylus
			return
		}
		m.left, m.pressX, m.pressY, m.pressed, m.frames = true, in.x, in.y, time.Now(), 0
	}
	m.frames++
	if in.released[0] && m.left {
		m.left = false
		slip := math.Hypot(in.x-m.pressX, in.y-m.pressY)
		if slip <= clickSlip*float64(vp.gui.scale) && (time.Since(m.pressed) < clickTime || m.frames <= clickFrames) {
			vp.view.Selected, _ = vp.render.Pick(in.x-vp.lens.x, in.y-vp.lens.y, pickRadius*float64(vp.gui.scale))
		}
	}
	if !in.buttons[0] {
		m.left = false
	}
}
