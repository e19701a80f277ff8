package ui

import (
	"fmt"
	"image/jpeg"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	files "hapco/physics/files/atomicfile"
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

// picture writes the scene alone as JPEG, as it would look in a window of that many pixels.
func (vp *viewport) picture(path string, width, height int) error {
	view := vp.view
	view.Overlay, view.Triad, view.Fixed = false, false, false
	img, err := vp.render.Screenshot(vp.scene.snap, &vp.cam, &view, width, height, 0.8)
	if err != nil {
		return err
	}
	if err := files.WriteSoon(path, func(w io.Writer) error { return jpeg.Encode(w, img, &jpeg.Options{Quality: 86}) }); err != nil {
		return fmt.Errorf("ui: picture: %w", err)
	}
	return nil
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

// resolution lowers the number of pixels that the scene is drawn with while the display is too slow to follow the hand,
// as on a processor that draws without a graphics card, and raises it when there is time again.
type resolution struct {
	level int     // of resolutionLevels
	slow  float64 // s for which the display has been too slow
	quick float64 // s for which it has been quick enough for more
	wait  float64 // s of quickness before more is tried; grows where that failed
	rose  bool    // it was raised, and
	since float64 // so many seconds ago
}

// resolutionLevels are parts of the window's resolution, a side: half the pixels from one to the next.
var resolutionLevels = [...]float64{1, math.Sqrt2 / 2, 0.5, math.Sqrt2 / 4, 0.25}

const (
	slowDisplay  = 20.0 // Hz below which the picture gets coarser
	quickDisplay = 27.0 // Hz above which more is tried; less than the 30 Hz of some large screens
	leastPixels  = 3e5  // that are always drawn: with fewer the scene cannot be read, and something else is slow
	slowFor      = 0.7  // s that a display must be slow: longer than a hiccup
	firstWait    = 3.0  // s
	longestWait  = 60.0 // s
	tryFor       = 10.0 // s within which a raised resolution shows that it was too much
)

// part is the present resolution, 0.25 to 1.
func (r *resolution) part() float64 { return resolutionLevels[r.level] }

// step counts a frame that took dt seconds and whose scene has so many pixels.
func (r *resolution) step(dt float64, pixels float64) {
	if !(dt > 0 && dt < 2) { // the window was hidden, or a scene was opened
		return
	}
	r.since += dt
	hz := 1 / dt
	// Leaky counters: one frame that is late does not undo what many say.
	count := func(c *float64, on bool) {
		if on {
			*c += dt
		} else {
			*c = max(0, *c-3*dt)
		}
	}
	count(&r.slow, hz < slowDisplay)
	count(&r.quick, hz > quickDisplay)
	r.wait = max(r.wait, firstWait)
	switch {
	case r.level > 0 && pixels*r.part()*r.part() < leastPixels: // the window was made smaller
		r.level--
	case r.slow > slowFor && r.level < len(resolutionLevels)-1 && pixels*math.Pow(resolutionLevels[r.level+1], 2) >= leastPixels:
		if r.rose && r.since < tryFor { // more was too much: do not try again soon
			r.wait = min(2*r.wait, longestWait)
		}
		r.level++
		r.slow, r.quick, r.rose = 0, 0, false
	case r.quick > r.wait && r.level > 0:
		r.level--
		r.slow, r.quick, r.rose, r.since = 0, 0, true, 0
	}
}

// text says what is done; "" at full resolution.
func (r *resolution) text() string {
	if r.level == 0 {
		return ""
	}
	return fmt.Sprintf("scene drawn at %.0f %%", 100*r.part())
}
