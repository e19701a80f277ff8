package ui

import (
	"math"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
	"hapco/physics/numerics/num"
)

// sceneMouse is what the mouse is doing to the scene.
type sceneMouse struct {
	hand     hand
	held     bool // the mouse has the stylus
	clutched bool // Space is down
	seconds  float64
	turned   bool // the user has turned the tool, which no longer turns by itself

	drag           dragKind
	lastX, lastY   float64
	left           bool      // the left button went down over the scene
	pressX, pressY float64   // there
	pressed        time.Time // then
	frames         int       // since then
	grasp          grasping
}

// grasping is a double-click that takes hold of what is under the pointer, by a spring that the hand then draws.
type grasping struct {
	number uint32 // of the last
	on     bool
	down   bool   // the button has been down since
	seen   bool   // the world has it
	since  uint64 // step in which it was asked for
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
	doubleTime  = 400 * time.Millisecond
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
	typing := vp.gui.typing()
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
		if vp.scene.touched() { // a free tool follows the camera: not the camera the tool
			vp.zoomed = vp.contactPoint()
		}
		vp.cam.ZoomTo(vp.zoomed, 0.22*vp.scene.bounds.size)
	}
	vp.cam.Update(dt)
	vp.lens = newLens(&vp.cam, vp.lens.x, vp.lens.y, vp.lens.w, vp.lens.h)
	vp.lookAfterGrasp()
	vp.clicks(over && !brush, drives && !alt)
	over = over || m.grasp.down && in.inside && vp.lens.contains(in.x, in.y) // what the first click opened may have caught the second
	if over && m.drag == noDrag && drives && m.held {
		imgui.SetMouseCursor(imgui.MouseCursorResizeAll) // a cross-hair, see window.attach
	}
	if !drives {
		return
	}

	m.clutched = !typing && in.keys[glfw.KeySpace] || brush
	h := handInput{
		lens: vp.lens, x: in.x, y: in.y, dt: dt, size: vp.scene.bounds.size, centre: vp.scene.bounds.centre,
		reach: vp.scene.tool.reach, level: vp.scene.info.Level, bodies: vp,
		follow:  m.held && !m.clutched && over && m.drag == noDrag,
		touched: vp.scene.touched(),
		holds:   m.grasp.on,
		button:  m.left && m.held && in.buttons[0],
	}
	if over && !ctrl {
		h.notches = in.wheelY + in.wheelX
		if shift {
			h.notches *= 0.1
		}
	}
	if !typing && !ctrl {
		if h.keys = in.axis(glfw.KeyE, glfw.KeyQ); shift {
			h.keys *= 0.2
		}
	}
	if vp.win.moved { // the pointer's place in the window changed without the mouse
		vp.win.moved, m.hand.parted = false, true
	}
	m.seconds += dt
	m.hand.step(&h)
	vp.aimTool(dt)
	pointer.SetClutch(m.clutched || !m.held)
	if m.held && !m.clutched {
		pointer.SetHand(m.hand.position().Sub(vp.scene.gripArm()))
	}
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
	vp.mouse.turned = true
	turn := mgl64.QuatRotate(right, vp.cam.Up()).Mul(mgl64.QuatRotate(down, vp.cam.Right()))
	p.SetRotation(turn.Mul(p.Rotation()).Normalize())
}

const (
	aimTime = 0.1 // s, in which a round tool turns to the surface that it is before
	upright = 0.6 // how much a tool stands upright beside pointing into the surface: as a hand holds it from above
)

// aimTool points a round tool, such as a probe, into the surface that it is before, until the
// user turns it otherwise.
func (vp *viewport) aimTool(dt float64) {
	p, n := vp.scene.session.Pointer(), vp.mouse.hand.normal
	into := n.Add(vp.cam.Up().Mul(upright)).Mul(-1)
	if !vp.scene.tool.round || vp.mouse.turned || vp.mouse.grasp.on || vp.scene.touched() || n == (mgl64.Vec3{}) || into.Len() < 0.1 {
		return
	}
	start := vp.scene.info.Start.Rotation
	to := mgl64.QuatBetweenVectors(start.Rotate(mgl64.Vec3{0, -1, 0}), into.Normalize()).Mul(start)
	now := p.Rotation()
	if now.Dot(to) < 0 {
		to = to.Scale(-1)
	}
	p.SetRotation(mgl64.QuatNlerp(now, to, dt/(dt+aimTime)))
}

// keyCamera orbits and zooms with held keys. Where turns is set, arrows turn the tool.
func (vp *viewport) keyCamera(dt float64, turns bool) {
	in := &vp.win.in
	yaw, pitch := in.axis(glfw.KeyLeft, glfw.KeyRight), in.axis(glfw.KeyDown, glfw.KeyUp)
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
	zoom := in.axis(glfw.KeyMinus, glfw.KeyEqual) + in.axis(glfw.KeyKPSubtract, glfw.KeyKPAdd)
	if zoom != 0 {
		vp.cam.Dolly(math.Exp(-zoom * 1.5 * dt))
	}
}

// clicks take the stylus, pick contacts, and take hold and let go.
func (vp *viewport) clicks(over, drives bool) {
	in, m := &vp.win.in, &vp.mouse
	slip := math.Hypot(in.x-m.pressX, in.y-m.pressY)
	still := slip <= clickSlip*float64(vp.gui.scale)
	m.frames++
	short := time.Since(m.pressed) < clickTime || m.frames <= clickFrames
	again := still && (time.Since(m.pressed) < doubleTime || m.frames <= 3*clickFrames)
	if in.pressed[0] && (over || again) { // what the first click has opened may lie over the scene
		switch {
		case m.grasp.on:
			vp.letGo()
			return
		case drives && !m.held:
			m.held = true // this press only takes the stylus
			return
		case again && vp.takeHold():
			m.pressX, m.pressY, m.pressed, m.frames = in.x, in.y, time.Now(), 0
			return
		}
		m.left, m.pressX, m.pressY, m.pressed, m.frames = true, in.x, in.y, time.Now(), 0
	}
	if in.released[0] && m.grasp.down {
		if m.grasp.down = false; !still || !short {
			vp.letGo()
		}
	}
	if in.released[0] && m.left {
		m.left = false
		if still && short {
			vp.view.Selected, _ = vp.render.Pick(in.x-vp.lens.x, in.y-vp.lens.y, pickRadius*float64(vp.gui.scale))
		}
	}
	if !in.buttons[0] {
		m.left = false
	}
}

// takeHold asks the world to hold what is under the pointer; false: nothing is.
func (vp *viewport) takeHold() bool {
	_, at := vp.under(vp.win.in.x, vp.win.in.y)
	if p, ok := vp.chasedAt(); ok { // what the last picture showed, wherever it has gone since
		at = p
	}
	if !num.AllFinite(at[:]...) || vp.scene.player() != nil {
		return false
	}
	g := &vp.mouse.grasp
	*g = grasping{number: g.number + 1, on: true, down: true, since: vp.scene.snap.Step}
	vp.view.Selected = 0
	vp.scene.session.SetGrasp(physics.Grasp{Number: g.number, At: at})
	return true
}

// letGo ends a grasp, if there is one.
func (vp *viewport) letGo() {
	if g := &vp.mouse.grasp; g.on {
		g.on, g.down = false, false
		vp.scene.session.SetGrasp(physics.Grasp{})
	}
}

// lookAfterGrasp ends a grasp that the world does not have, or has no more.
func (vp *viewport) lookAfterGrasp() {
	const soon = 3 // steps until it must have it
	g, f := &vp.mouse.grasp, vp.scene.snap
	switch {
	case !g.on:
	case f.Held.On:
		g.seen = true
	case g.seen:
		vp.letGo()
	case f.Step > g.since+soon || f.Step < g.since:
		vp.letGo()
		vp.say("This cannot be held: it does not move.")
	}
}
