package ui

import (
	"github.com/inkyblackness/imgui-go/v4"
)

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
