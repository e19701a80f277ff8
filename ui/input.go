package ui

import (
	"math"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
	"hapco/physics/setting"
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
}

type dragKind uint8

const (
	noDrag dragKind = iota
	orbitDrag
	panDrag
	turnDrag // the tool, not the camera
)

const (
	orbitSpeed = 0.006 // rad a pixel at scale 1
	keyOrbit   = 1.2   // rad/s
	zoomStep   = 0.88  // a notch
	clickTime  = 300 * time.Millisecond
	clickSlip  = 4.0  // pixels at scale 1 that a click may move
	pickRadius = 14.0 // pixels at scale 1
)

func key(k glfw.Key) int { return int(k) }

// ctrl and shift tell whether these keys are down.
func (a *app) ctrl() bool {
	k := &a.win.in.keys
	return k[key(glfw.KeyLeftControl)] || k[key(glfw.KeyRightControl)]
}

func (a *app) shift() bool {
	k := &a.win.in.keys
	return k[key(glfw.KeyLeftShift)] || k[key(glfw.KeyRightShift)]
}

// steer lets mouse and keyboard act on camera and stylus.
func (a *app) steer(dt float64) {
	in, m := &a.win.in, &a.mouse
	io := imgui.CurrentIO()
	a.scene = newLens(&a.cam, a.scene.x, a.scene.y, a.scene.w, a.scene.h)
	if a.session == nil || a.snap == nil {
		return
	}
	typing := io.WantTextInput()
	a.panicKey()
	if !typing {
		a.shortcuts()
	}
	over := in.inside && a.scene.contains(in.x, in.y) && !io.WantCaptureMouse() && !a.sizing
	shift, ctrl := a.shift(), a.ctrl()
	alt := in.keys[key(glfw.KeyLeftAlt)] || in.keys[key(glfw.KeyRightAlt)]
	pointer := a.session.Pointer()
	drives := pointer != nil && a.opt.Script == nil && !a.demo.on && !a.indent.on

	brush := a.brushes(!typing && !ctrl && in.keys[key(glfw.KeyB)], over, shift)
	a.dragCamera(over, shift, !drives && !brush, alt && drives && !brush)
	if over && in.wheelY != 0 && (ctrl || !drives) {
		a.cam.Dolly(math.Pow(zoomStep, in.wheelY))
	}
	if !typing {
		a.keyCamera(dt, drives && !shift)
	}
	if a.zooming {
		a.cam.ZoomTo(a.contactPoint(), 0.22*a.size)
	}
	a.cam.Update(dt)
	a.scene = newLens(&a.cam, a.scene.x, a.scene.y, a.scene.w, a.scene.h)
	a.clicks(over && !brush, drives && !alt)
	if over && m.drag == noDrag && drives && m.held {
		imgui.SetMouseCursor(imgui.MouseCursorResizeAll) // a cross-hair, see window.attach
	}
	if !drives {
		return
	}

	m.clutched = !typing && in.keys[key(glfw.KeySpace)] || brush
	h := handInput{
		lens: a.scene, x: in.x, y: in.y, dt: dt, scale: a.scale, size: a.size, centre: a.centre,
		needle: a.needle(), reach: a.reach, hover: m.surface, level: a.info.Level, bodies: a,
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
		if in.keys[key(glfw.KeyQ)] {
			h.keys++
		}
		if in.keys[key(glfw.KeyE)] {
			h.keys--
		}
		if shift {
			h.keys *= 0.2
		}
	}
	if a.win.moved { // the cursor's place in the window changed without the mouse
		a.win.moved, m.hand.tracking = false, false
	}
	m.hand.step(&h)
	pointer.SetClutch(m.clutched || !m.held)
	if m.held && !m.clutched {
		pointer.SetHand(m.hand.position().Sub(a.gripArm()))
	}
}

// under is where a ray from the eye meets a body that the stylus may touch.
func (a *app) under(dir mgl64.Vec3) (point, normal mgl64.Vec3, ok bool) {
	t, body, triangle := a.cast(a.scene.eye, dir)
	if body < 0 {
		return point, normal, false
	}
	point = a.scene.eye.Add(dir.Mul(t))
	normal, ok = a.smoothNormal(body, point, a.face(body, triangle))
	return point, normal, ok
}

// near is the normal of the touchable surface whose node is closest to p.
func (a *app) near(p mgl64.Vec3) (normal mgl64.Vec3, ok bool) {
	best, body, node := math.Inf(1), -1, int32(0)
	for i := range a.bodies {
		if !a.touchable(i) {
			continue
		}
		for k, x := range a.snap.Surfaces[i].Vertices {
			if d := x.Sub(p).Dot(x.Sub(p)); d < best {
				best, body, node = d, i, int32(k)
			}
		}
	}
	if body < 0 {
		return normal, false
	}
	var facets mgl64.Vec3
	for k, tri := range a.bodies[body].Triangles {
		if tri[0] == node || tri[1] == node || tri[2] == node {
			facets = facets.Add(a.face(body, k))
		}
	}
	return a.smoothNormal(body, a.snap.Surfaces[body].Vertices[node], facets)
}

// ahead says whether a touchable body lies in a direction from a point.
func (a *app) ahead(p, dir mgl64.Vec3) bool {
	_, body, _ := a.cast(p, dir)
	return body >= 0
}

// face is the outward normal of a triangle, as long as twice its area, m2.
func (a *app) face(body, triangle int) mgl64.Vec3 {
	p, tri := a.snap.Surfaces[body].Vertices, a.bodies[body].Triangles[triangle]
	if int(max(tri[0], tri[1], tri[2])) >= len(p) {
		return mgl64.Vec3{} // a snapshot of another scene cannot hurt
	}
	return p[tri[1]].Sub(p[tri[0]]).Cross(p[tri[2]].Sub(p[tri[0]]))
}

// patch is how far around a point the surface counts for its normal there, as
// a part of the scene's size: about as wide as a tool, so that no single facet
// decides in which direction it is pushed.
const patch = 0.03

// smoothNormal is the mean normal of a body's surface around a point on facet.
// Facets that lean by more than 60 degrees against that one belong to another
// side of the body, beyond an edge or across a thin lobe.
func (a *app) smoothNormal(body int, at, facet mgl64.Vec3) (n mgl64.Vec3, ok bool) {
	if !(facet.Len() > 0) {
		return n, false
	}
	p := a.snap.Surfaces[body].Vertices
	n, reach := facet, patch*a.size
	for k, tri := range a.bodies[body].Triangles {
		face := a.face(body, k)
		if !(face.Dot(facet) > 0.5*face.Len()*facet.Len()) {
			continue
		}
		d := p[tri[0]].Add(p[tri[1]]).Add(p[tri[2]]).Mul(1.0 / 3).Sub(at).Len()
		n = n.Add(face.Mul(max(0, 1-d/reach)))
	}
	return n.Normalize(), true
}

// touchable says whether body i is in sight and not the stylus's own.
func (a *app) touchable(i int) bool { return !a.bodies[i].Driven && !a.view.Bodies[i].Hidden }

// cast finds the nearest surface of a body that is not driven by the stylus.
func (a *app) cast(from, dir mgl64.Vec3) (t float64, body, triangle int) {
	t, body = math.Inf(1), -1
	for i := range a.bodies {
		if !a.touchable(i) {
			continue
		}
		if d, k := castRay(from, dir, a.snap.Surfaces[i].Vertices, a.bodies[i].Triangles); k >= 0 && d < t {
			t, body, triangle = d, i, k
		}
	}
	return t, body, triangle
}

// dragCamera orbits and pans.
func (a *app) dragCamera(over, shift, leftOrbits, turns bool) {
	in, m := &a.win.in, &a.mouse
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
		a.cam.Orbit(-dx*orbitSpeed/a.scale, dy*orbitSpeed/a.scale)
	case turnDrag:
		a.turnTool(dx*orbitSpeed/a.scale, dy*orbitSpeed/a.scale)
	case panDrag:
		a.cam.Pan(dx, dy, int(a.scene.h))
		a.zooming = false
	}
}

// turnTool turns the tool about the screen's vertical and horizontal, rad. The hand stays
// where it holds the tool.
func (a *app) turnTool(right, down float64) {
	p := a.session.Pointer()
	if p == nil {
		return
	}
	turn := mgl64.QuatRotate(right, a.cam.Up()).Mul(mgl64.QuatRotate(down, a.cam.Right()))
	p.SetRotation(turn.Mul(p.Rotation()).Normalize())
}

// keyCamera orbits and zooms with held keys. Where turns is set, arrows turn the tool.
func (a *app) keyCamera(dt float64, turns bool) {
	in := &a.win.in
	ctrl := in.keys[key(glfw.KeyLeftControl)] || in.keys[key(glfw.KeyRightControl)]
	axis := func(minus, plus glfw.Key) float64 {
		v := 0.0
		if in.keys[key(minus)] {
			v--
		}
		if in.keys[key(plus)] {
			v++
		}
		return v
	}
	yaw, pitch := axis(glfw.KeyLeft, glfw.KeyRight), axis(glfw.KeyDown, glfw.KeyUp)
	switch {
	case yaw == 0 && pitch == 0, a.gui.arrows, a.showHelp:
	case turns:
		a.turnTool(yaw*keyOrbit*dt, -pitch*keyOrbit*dt)
	default:
		a.cam.Orbit(yaw*keyOrbit*dt, pitch*keyOrbit*dt)
	}
	if ctrl {
		return
	}
	zoom := axis(glfw.KeyMinus, glfw.KeyEqual) + axis(glfw.KeyKPSubtract, glfw.KeyKPAdd)
	if zoom != 0 {
		a.cam.Dolly(math.Exp(-zoom * 1.5 * dt))
	}
}

// clicks take the stylus and pick contacts.
func (a *app) clicks(over, drives bool) {
	in, m := &a.win.in, &a.mouse
	if in.pressed[0] && over {
		if drives && !m.held {
			m.held = true // this press only takes the stylus
			return
		}
		m.left, m.pressX, m.pressY, m.pressed = true, in.x, in.y, time.Now()
	}
	if in.released[0] && m.left {
		m.left = false
		slip := math.Hypot(in.x-m.pressX, in.y-m.pressY)
		if slip <= clickSlip*a.scale && time.Since(m.pressed) < clickTime {
			a.view.Selected, _ = a.render.Pick(in.x-a.scene.x, in.y-a.scene.y, pickRadius*a.scale)
		}
	}
	if !in.buttons[0] {
		m.left = false
	}
}

// stylusButton is the second of a stylus: it turns the first switch of the world that
// has a key of its own, as that key does; where there is none it goes to the next slot.
// The first button pins the tool; one that must be held for force does nothing else.
const stylusButton = 1 << 1

func (a *app) stylusPressed(buttons uint32) {
	pressed := buttons &^ a.stylus
	a.stylus = buttons
	if pressed&stylusButton != 0 && a.session.Servo().Params().DeadMan&stylusButton == 0 && !a.press(0) {
		a.nextSlot()
	}
}

// press turns the switch of the world that has this key of its own; 0 stands for the
// first there is. It tells whether there is one.
func (a *app) press(code int) bool {
	for i := range a.keys {
		k := &a.keys[i]
		if k.Switch && k.Press != "" && (code == 0 || code == int(k.Press[0])) && (k.Off == nil || !k.Off(a.values)) {
			physics.Choose(a.keys, a.values, i, 1-a.values[i], a.snap)
			a.publish()
			a.say(k.Label + ": " + setting.SwitchWords[int(a.values[i])])
			return true
		}
	}
	return false
}

// shortcuts are the keys that act once.
func (a *app) shortcuts() {
	if a.studying.page != nil {
		a.studyKeys()
		return
	}
	in, ctrl := &a.win.in, a.ctrl()
	for _, e := range in.keyEdges {
		if !e.down || e.repeat {
			continue
		}
		if ctrl {
			switch glfw.Key(e.key) {
			case glfw.KeyEqual, glfw.KeyKPAdd:
				a.zoomText(1)
			case glfw.KeyMinus, glfw.KeyKPSubtract:
				a.zoomText(-1)
			case glfw.KeyQ:
				a.quit = true
			case glfw.KeyZ:
				if a.shift() {
					a.redo()
				} else {
					a.undo()
				}
			case glfw.KeyY:
				a.redo()
			case glfw.KeyO:
				a.showFiles()
			case glfw.KeyS:
				if a.opt.Files.Save != nil {
					a.saveScene()
				}
			case glfw.KeyE:
				a.toggleExport()
			case glfw.KeyF:
				a.findFocus, a.folded, a.bare = true, false, false
			}
			continue
		}
		a.press(e.key)
		switch glfw.Key(e.key) {
		case glfw.Key1, glfw.Key2, glfw.Key3, glfw.Key4:
			a.setMode(e.key - key(glfw.Key1))
		case glfw.Key5:
			a.nextField()
		case glfw.KeyZ:
			a.toggleZoom()
		case glfw.KeyR:
			a.resetView()
		case glfw.KeyT:
			if p := a.session.Pointer(); p != nil {
				p.SetRotation(a.info.Start.Rotation)
				a.say("The tool points as at the start.")
			}
		case glfw.KeySpace, glfw.KeyComma, glfw.KeyPeriod:
			if p := a.player(); p != nil {
				switch glfw.Key(e.key) {
				case glfw.KeySpace:
					a.playOn(p)
				case glfw.KeyComma:
					a.playStepBy(p, -1)
				default:
					a.playStepBy(p, 1)
				}
			}
		case glfw.KeyP:
			a.setPaused(!a.paused)
		case glfw.KeyN:
			if a.paused {
				a.session.StepOnce()
			}
		case glfw.KeyBackspace:
			a.resetObjects()
		case glfw.KeyC:
			a.turnPage()
		case glfw.KeyTab:
			if a.bare = a.shift() && !a.bare; !a.shift() {
				a.foldPanel()
			}
		case glfw.KeyF2, glfw.KeyF3, glfw.KeyF4:
			a.turnSlot(e.key - key(glfw.KeyF2))
		case glfw.KeyF5, glfw.KeyF6, glfw.KeyF7:
			a.standardView(e.key - key(glfw.KeyF5))
		case glfw.KeyF10:
			a.standardView(len(standardViews) - 1)
		case glfw.KeyG:
			a.showPlots = !a.showPlots
		case glfw.KeyF:
			a.mouse.surface = !a.mouse.surface
			if a.mouse.surface {
				a.say("The stylus follows the surface under the cursor; F turns that off.")
			} else {
				a.say("The stylus moves in the plane of the view.")
			}
		case glfw.KeyM:
			a.otherHand()
		case glfw.KeyH, glfw.KeyF1:
			a.showHelp = !a.showHelp
		case glfw.KeyF8:
			a.toggleRecording()
		case glfw.KeyF9:
			a.saveFlight()
		case glfw.KeyHome:
			a.showGallery()
		case glfw.KeyF11:
			a.fullScreen()
		case glfw.KeyF12:
			a.shoot()
		case glfw.KeyEscape:
			switch {
			case a.gui.popup: // an open list has closed itself
			case a.opening.list || a.opening.ask != nil: // closes itself, too
			case a.showHelp:
				a.showHelp = false
			case a.view.Selected != 0:
				a.view.Selected = 0
			default:
				a.mouse.held = false
			}
		}
	}
}

// zoomText changes the size of text and controls by steps of an eighth.
func (a *app) zoomText(by int) {
	z := math.Round(a.zoom*8)/8 + float64(by)/8
	a.zoom = min(max(z, 0.75), maxScale/a.win.scale())
}
