package ui

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/render"
)

// viewport is the scene's part of the window: the camera, how bodies are shown, what the mouse does there, and what is
// drawn over it.
type viewport struct {
	base
	render   *render.Renderer
	cam      render.Camera
	view     render.Options
	look     look
	cameras  int
	sideWide float64 // of the column of smaller cameras, pixels
	lens     lens    // of this frame
	mouse    sceneMouse
	zooming  bool       // on contact
	zoomed   mgl64.Vec3 // what it zooms on, world, m
	fine     resolution
	support  support
	chased   chased
}

// look is how the scene is shown, beside what render keeps itself.
type look struct {
	mode      int    // of modeNames
	colours   string // name of the field that colours the surfaces; "": their own
	clip      clip
	depthLine bool
}

func newViewport(b base) *viewport {
	return &viewport{base: b, cam: render.DefaultCamera(), view: render.DefaultOptions(), cameras: 1, look: look{depthLine: true}}
}

// place says where in the window the scene is, pixels.
func (vp *viewport) place(x, y, w, h float64) {
	vp.lens.x, vp.lens.y, vp.lens.w, vp.lens.h = x, y, w, h
}

// draw paints the scene.
func (vp *viewport) draw() {
	l := &vp.lens
	vp.view.Clip = vp.look.clip.plane(&vp.cam, vp.scene.bounds.centre, vp.scene.bounds.size)
	vp.drawSides()
	vp.render.Draw(vp.scene.snap, &vp.cam, &vp.view, render.Viewport{
		X: int(l.x), Y: vp.gui.height - int(l.y+l.h), Width: int(l.w), Height: int(l.h), Scale: float64(vp.gui.scale), Resolution: vp.fine.part()})
}

// meet looks at a scene for the first time: the camera goes to it, the mouse takes the tool.
func (vp *viewport) meet() {
	sc, s := vp.scene, vp.scene.snap
	lo, hi, ok := render.Bounds(s, nil, sc.info.Shapes...)
	if !ok {
		lo, hi = mgl64.Vec3{-0.1, -0.1, -0.1}, mgl64.Vec3{0.1, 0.1, 0.1}
	}
	sc.bounds = extent{lo.Add(hi).Mul(0.5), max(hi.Sub(lo).Len(), 1e-4)}
	sc.tool = gripOf(s, sc.info.Surfaces, sc.mine, sc.needle())
	vp.frameView(lo, hi)
	vp.mouse = sceneMouse{held: true}
	vp.mouse.hand.set(s.Stylus.Position.Add(sc.gripArm()))
	if vp.takeHand() {
		sc.session.Pointer().SetClutch(false)
	}
}

// takeHand lets the mouse go on from where the pointer's hand is, if there is one.
func (vp *viewport) takeHand() bool {
	p := vp.scene.session.Pointer()
	if p == nil {
		return false
	}
	vp.mouse.hand.set(p.Hand().Add(vp.scene.gripArm()))
	return true
}

// frameView places the camera as the scene asks, or around the bodies.
func (vp *viewport) frameView(lo, hi mgl64.Vec3) {
	w, h := max(vp.lens.w, 1), max(vp.lens.h, 1)
	if vp.lens.w == 0 { // before the first layout
		w, h = float64(vp.gui.width)*0.7, float64(vp.gui.height)*0.7
	}
	vp.cam = render.DefaultCamera()
	view := vp.scene.session.View()
	if view.Eye == view.Target {
		vp.cam.FitBounds(lo, hi, w/h)
	} else {
		aim(&vp.cam, view)
		vp.cam.SetBounds(lo, hi)
	}
	vp.cam.SetHome()
	vp.zooming = false
}

func (vp *viewport) resetView() {
	vp.zooming = false
	vp.cam.Reset()
}

func (vp *viewport) toggleZoom() {
	if vp.zooming = !vp.zooming; !vp.zooming {
		vp.cam.ZoomBack()
	} else {
		vp.zoomed = vp.contactPoint()
	}
}

// resetTurn turns the tool as it was at the start.
func (vp *viewport) resetTurn() {
	if p := vp.scene.session.Pointer(); p != nil {
		p.SetRotation(vp.scene.info.Start.Rotation)
		vp.mouse.turned = false
		vp.say("The tool turns to the surface by itself again.")
	}
}

// contactPoint is the middle of the contacts, weighted by their force, or the stylus's tip where there are none.
func (vp *viewport) contactPoint() mgl64.Vec3 {
	var sum mgl64.Vec3
	weight := 0.0
	for i := range vp.scene.snap.Contacts {
		c := &vp.scene.snap.Contacts[i]
		w := c.R[0] + 1e-9
		sum = sum.Add(c.P.Mul(w))
		weight += w
	}
	if weight > 0 {
		return sum.Mul(1 / weight)
	}
	return vp.scene.tip()
}
