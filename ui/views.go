package ui

import (
	"math"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/render"
)

// standardViews look along the axes, and from a corner.
var standardViews = [...]struct {
	name, about string
	yaw, pitch  float64 // rad
}{
	{"front", "Looks along −z. F5.", 0, 0},
	{"left", "Looks along +x. F6.", -math.Pi / 2, 0},
	{"top", "Looks straight down. F7.", 0, 89 * math.Pi / 180},
	{"iso", "Looks from a corner. F10.", math.Pi / 4, 35.26 * math.Pi / 180},
}

func (vp *viewport) standardView(i int) {
	vp.zooming = false
	vp.cam.Look(standardViews[i].yaw, standardViews[i].pitch)
}

// viewButtons are the standard views, and how many cameras there are.
func (vp *viewport) viewButtons() {
	g := vp.gui
	gap := g.px(4)
	wide := (imgui.ContentRegionAvail().X - 3*gap) / 4
	for i := range standardViews {
		beside(i, gap)
		if g.button(standardViews[i].name, standardViews[i].about, wide) {
			vp.standardView(i)
		}
	}
	for i := range maxCameras {
		beside(i, gap)
		name := strconv.Itoa(i + 1)
		about := "Cameras: one, or smaller ones beside it that look from the front, the left and the top."
		if g.toggle(name+"##cameras", "Cameras/"+name, about, vp.cameras == i+1, imgui.Vec2{X: wide}) {
			vp.cameras = i + 1
		}
	}
}

const (
	maxCameras = 4
	sideShare  = 0.27 // of the scene's width that the smaller cameras have
)

// sideWidth is the width of the column of smaller cameras, pixels.
func (vp *viewport) sideWidth(scene float32) float32 {
	if vp.cameras < 2 {
		return 0
	}
	return float32(math.Round(float64(scene) * sideShare))
}

// drawSides paints the smaller cameras, right of the main one. They come first: what the mouse picks belongs to the
// picture drawn last.
func (vp *viewport) drawSides() {
	l := &vp.lens
	wide := vp.sideWide
	if vp.cameras < 2 || wide < 8 || l.h < 8 {
		return
	}
	view := vp.view
	view.Overlay, view.Triad, view.Shadow = false, false, false
	n := vp.cameras - 1
	high := l.h / float64(n)
	for i := range n {
		cam := vp.cam
		s := &standardViews[i]
		cam.Yaw, cam.Pitch = s.yaw, s.pitch
		y := vp.gui.height - int(l.y+high*float64(i+1)) + 1
		vp.render.Draw(vp.scene.snap, &cam, &view, render.Viewport{X: int(l.x+l.w) + 1, Y: y, Width: int(wide) - 1, Height: int(high) - 1, Scale: float64(vp.gui.scale), Resolution: vp.fine.part()})
	}
}

// clip is the clipping plane: what lies beyond it is not drawn.
type clip struct {
	on   bool
	axis int     // x, y, z, or 3: the line of sight
	at   float64 // -1 .. 1 across the bodies
	flip bool
}

var clipAxes = []string{"x", "y", "z", "view"}

var ctlClip = control{label: "Clip at", about: "Where the clipping plane cuts the bodies: -1 and 1 are their ends, 0 is the middle. What lies beyond is not drawn; the tool stays whole. Nothing changes for the simulation.",
	bounds: bounds{min: -1, max: 1, step: 0.01}}

// clipRows choose the clipping plane.
func (vp *viewport) clipRows() {
	g, c := vp.gui, &vp.look.clip
	g.check("clipping plane", "Cuts the bodies open, to look inside.", &c.on)
	if c.on {
		axis := control{label: "Clip along", about: "Normal of the clipping plane: a world axis, or the line of sight."}
		g.choice(&axis, &c.axis, clipAxes, nil)
		g.number(&ctlClip, &c.at, 0)
		g.check("other side", "Shows what the plane hid, and hides what it showed.", &c.flip)
	}
}

// plane is the clipping plane as render wants it: points with n.p + d >= 0 are drawn.
func (c *clip) plane(cam *render.Camera, centre mgl64.Vec3, size float64) (p mgl64.Vec4) {
	if !c.on {
		return p
	}
	n := cam.Backward()
	if c.axis < 3 {
		n = mgl64.Vec3{}
		n[c.axis] = 1
	}
	n = n.Mul(-1)
	at := centre.Sub(n.Mul(c.at * size / 2))
	if c.flip {
		n = n.Mul(-1)
	}
	return n.Vec4(-n.Dot(at))
}
