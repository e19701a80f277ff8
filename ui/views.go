package ui

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
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

var clipAxes = []physics.Choice{{Name: "x"}, {Name: "y"}, {Name: "z"}, {Name: "view"}}

var ctlClip = control{label: "Clip at", about: "Where the clipping plane cuts the bodies: -1 and 1 are their ends, 0 is the middle. What lies beyond is not drawn; the tool stays whole. Nothing changes for the simulation.",
	bounds: bounds{Min: -1, Max: 1, Step: 0.01}}

// clipRows choose the clipping plane.
func (vp *viewport) clipRows() {
	g, c := vp.gui, &vp.look.clip
	g.check("clipping plane", "Cuts the bodies open, to look inside.", &c.on)
	if c.on {
		axis := control{label: "Clip along", about: "Normal of the clipping plane: a world axis, or the line of sight."}
		g.choice(&axis, &c.axis, clipAxes)
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

func (vp *viewport) viewSection() {
	g := vp.gui
	if !g.section("View", vp.scene.session == nil || len(vp.scene.session.Common().Controls) == 0) {
		return
	}
	gap := g.px(4)
	avail := imgui.ContentRegionAvail().X
	for i, name := range modeNames {
		beside(i%2, gap)
		if g.toggle(name, "View/"+name, modeAbouts[i], vp.look.mode == i, imgui.Vec2{X: (avail - gap) / 2}) {
			vp.setMode(i)
		}
	}
	vp.colourRows()
	left, boxes := imgui.CursorPosX(), vp.viewBoxes()
	for i := range boxes {
		if i%2 == 1 {
			imgui.SameLineV(left+avail/2, 0)
		}
		g.check(boxes[i].name, boxes[i].about, boxes[i].on)
	}
	v := &vp.view
	vp.viewButtons()
	vp.clipRows()
	zoom := vp.zooming
	if g.check("zoom on contact", "Brings the camera close to the contact and follows it (Z).", &zoom) {
		vp.toggleZoom()
	}
	g.number(&ctlForceScale, &v.ForceScale, 0)
	g.number(&ctlResultantScale, &v.ResultantScale, 0)
}

// viewBox is a tick box of the view.
type viewBox struct {
	name, about string
	on          *bool
}

func (vp *viewport) viewBoxes() []viewBox {
	v := &vp.view
	return []viewBox{
		{"force arrows", "Force of each contact on the stylus.", &v.Forces},
		{"resultant", "Sum of the contact forces.", &v.Resultant},
		{"contact points", "Contacts, coloured by their status: open, stick, slip.", &v.Points},
		{"normals", "Normals of the contacts, from the tissue to the stylus.", &v.Normals},
		{"fixed nodes", "Nodes with Dirichlet conditions: they do not move.", &v.Fixed},
		{"see through", "Contacts show faintly through what covers them.", &v.XRay},
		{"hand", "Where your hand is while the stylus lags behind, and the spring between them.", &v.Ghost},
		{"ground", "Grid below the bodies.", &v.Ground},
		{"axes", "World axes in the corner: x, y, z.", &v.Triad},
		{"shadow", "Shadow on the ground; it shows how far the stylus is from it.", &v.Shadow},
		{"depth line", "Line from the tip along the needle to the surface below it, with the distance.", &vp.look.depthLine},
		{"labels", "Scales of grid and arrows, names of the axes, legends.", &v.Overlay},
	}
}

// The surfaces' colours: the bodies' own, or those of a field that the world names.

var ctlColours = control{label: "Colours", about: "What the surfaces' colours show: the bodies' own, or a field, with its scale beside the scene. Key 5 takes the next one."}

// noColours is the first choice.
const noColours = "the bodies' own"

// field is the place of the field that is chosen among the world's, from 1; 0: none, or none of that name here.
func (vp *viewport) field() int {
	if vp.scene.info == nil {
		return 0
	}
	return 1 + slices.IndexFunc(vp.scene.info.Fields, func(f physics.Field) bool { return f.Name == vp.look.colours })
}

// setField chooses a field by its place, see field.
func (vp *viewport) setField(n int) {
	vp.look.colours, vp.view.FieldMax = "", 0
	if n > 0 && n <= len(vp.scene.info.Fields) {
		vp.look.colours = vp.scene.info.Fields[n-1].Name
	}
	vp.setMode(vp.look.mode)
}

// nextField goes round all fields, and the bodies' own colours.
func (vp *viewport) nextField() {
	if len(vp.scene.info.Fields) == 0 {
		vp.say("Nothing here can be coloured by a field.")
		return
	}
	vp.setField((vp.field() + 1) % (len(vp.scene.info.Fields) + 1))
	vp.say("Colours: " + cmp.Or(vp.look.colours, noColours) + ".")
}

// colourRows choose the field, and the range of its colours.
func (vp *viewport) colourRows() {
	g, fields := vp.gui, vp.scene.info.Fields
	if len(fields) == 0 {
		return
	}
	list := []physics.Choice{{Name: noColours, About: "Lit surfaces in the colours of the scene file."}}
	for i := range fields {
		list = append(list, physics.Choice{Name: fields[i].Name, About: fields[i].About})
	}
	n := vp.field()
	if g.choice(&ctlColours, &n, list) {
		vp.setField(n)
	}
	if n == 0 {
		return
	}
	c := fieldRange(&fields[n-1])
	g.number(&c, &vp.view.FieldMax, 0)
}

// fieldRange is the row of the upper end of a field's colours.
func fieldRange(f *physics.Field) control {
	b := bounds{Min: 1e-3, Max: 10, Log: true, Zero: true, Floor: 1e-15, Ceil: 1e15}
	switch quantityOf(f.Unit) {
	case pressure:
		b.Min, b.Max = 1e1, 1e10
	case length:
		b.Min, b.Max = 1e-6, 1
	}
	return control{label: "Colours up to", unit: quantityOf(f.Unit), bounds: b,
		about: "The " + f.Name + " at the upper end of the colours; the leftmost position fits it to what is on screen."}
}

// adopt begins with another scene's bodies: each is shown, and none is selected.
func (vp *viewport) adopt(s support) {
	vp.support, vp.view.Selected, vp.view.Bodies = s, 0, vp.view.Bodies[:0]
	vp.setMode(vp.look.mode)
}

// setMode applies one of modeNames to every body.
func (vp *viewport) setMode(mode int) {
	vp.look.mode = mode
	for len(vp.view.Bodies) < len(vp.scene.info.Surfaces) {
		vp.view.Bodies = append(vp.view.Bodies, render.BodyView{})
	}
	for i := range vp.view.Bodies {
		b := &vp.view.Bodies[i]
		b.Mode, b.Field = render.Mode(mode), vp.look.colours != "" && !vp.scene.info.Surfaces[i].Rigid
	}
}
