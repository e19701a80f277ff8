package ui

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// Held is where a body is to be held: a mark for each vertex of its surface.
type Held struct {
	Body  string
	Nodes []bool
}

// support is where soft bodies are held, as the user paints it: with key B and the left button. It acts when the scene
// is opened anew with it.
type support struct {
	held   []bool // vertices of all soft bodies; the bodies' Fixed are parts of it
	given  []bool // the same as the world has it
	brush  bool   // the key is down
	stroke bool   // the button, too
}

// brushSize is the radius of the brush, as a part of the scene's size.
const brushSize = 0.04

// paintable is a copy of what a world says of itself whose marks of held vertices may change: the world goes on using
// its own.
func paintable(info *physics.Info) (*physics.Info, support) {
	own := *info
	own.Surfaces = slices.Clone(info.Surfaces)
	var s support
	for i := range own.Surfaces {
		s.held = append(s.held, own.Surfaces[i].Fixed...)
	}
	s.given = slices.Clone(s.held)
	at := 0
	for i := range own.Surfaces {
		n := len(own.Surfaces[i].Fixed)
		own.Surfaces[i].Fixed = s.held[at : at+n : at+n]
		at += n
	}
	return &own, s
}

// count is how many vertices are to be held.
func (s *support) count() (n int) {
	for _, held := range s.held {
		if held {
			n++
		}
	}
	return n
}

// painted are the bodies that are to be held elsewhere; nil: none.
func (vp *viewport) painted() (held []Held) {
	at := 0
	for i := range vp.scene.info.Surfaces {
		b := &vp.scene.info.Surfaces[i]
		if !slices.Equal(b.Fixed, vp.support.given[at:at+len(b.Fixed)]) {
			held = append(held, Held{b.Name, slices.Clone(b.Fixed)})
		}
		at += len(b.Fixed)
	}
	return held
}

// brushes tells whether the brush is in the hand, and paints while the button is down: from where the cursor was in the
// last frame to where it is, so that a fast stroke has no gaps. Shift takes away.
func (vp *viewport) brushes(down, over, shift bool) bool {
	s, in := &vp.support, &vp.win.in
	s.brush = down && vp.opt.Files.Hold != nil && vp.opt.Study == nil
	begins := s.brush && over && in.pressed[0]
	goes := s.brush && s.stroke && in.buttons[0]
	s.stroke = s.brush && in.buttons[0] && (s.stroke || begins)
	if !begins && !goes { // a click that is over already is a dab
		return s.brush
	}
	x, y := vp.mouse.lastX, vp.mouse.lastY
	if begins {
		x, y = in.x, in.y
	}
	n := min(math.Ceil(math.Hypot(in.x-x, in.y-y)/(6*float64(vp.gui.scale))), 50)
	for k := 0.0; k <= n; k++ {
		part := 1.0
		if n > 0 {
			part = k / n
		}
		vp.dab(x+part*(in.x-x), y+part*(in.y-y), !shift)
	}
	return true
}

// dab marks the vertices around what is under a pixel.
func (vp *viewport) dab(x, y float64, hold bool) {
	hit, at := vp.under(x, y)
	if hit.body < 0 {
		return
	}
	s, radius := &vp.scene.info.Surfaces[hit.body], brushSize*vp.scene.bounds.size
	if len(s.Fixed) == 0 {
		vp.warn("The nodes of " + s.Name + " cannot be held one by one.")
		return
	}
	for i, p := range vp.scene.snap.Surfaces[hit.body].Vertices {
		if i < len(s.Fixed) && p.Sub(at).Len() <= radius {
			s.Fixed[i] = hold
		}
	}
}

// drawBrush is a ring as wide as the brush around the cursor.
func (vp *viewport) drawBrush() {
	in := &vp.win.in
	if !vp.support.brush || !in.inside || !vp.lens.contains(in.x, in.y) {
		return
	}
	hit, at := vp.under(in.x, in.y)
	if math.IsInf(hit.t, 1) {
		return
	}
	x, y, _ := vp.lens.project(at.Add(vp.cam.Right().Mul(brushSize * vp.scene.bounds.size)))
	list := imgui.BackgroundDrawList()
	list.AddCircleV(imgui.Vec2{X: float32(in.x), Y: float32(in.y)}, float32(mgl64.Vec2{x - in.x, y - in.y}.Len()), packedA(0xffffff, 0.9), 40, vp.gui.px(1.6))
}

// supportRow is there once something is painted.
func (lib *library) supportRow() {
	g := lib.gui
	if slices.Equal(lib.viewport.support.held, lib.viewport.support.given) {
		return
	}
	c := control{label: "Support", about: "Nodes that are to be held, as painted: B + drag holds, B + Shift + drag frees, Ctrl+Z takes a stroke back."}
	g.label(&c)
	imgui.AlignTextToFramePadding()
	imgui.Text(fmt.Sprintf("%d nodes", lib.viewport.support.count()))
	gap := imgui.CurrentStyle().ItemSpacing().X
	half := (imgui.ContentRegionAvail().X - gap) / 2
	if g.button("Hold these", "Opens the scene anew, held where it is painted.", half) {
		scene, held, hold := lib.scene.name, lib.viewport.painted(), lib.opt.Files.Hold
		lib.made = func() (string, error) { return hold(scene, held) }
	}
	imgui.SameLine()
	if g.button("Forget##forgetSupport", "Back to the supports that the scene has.", half) {
		copy(lib.viewport.support.held, lib.viewport.support.given)
	}
}
