package ui

import (
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/render"
)

func (a *app) viewSection() {
	g := &a.gui
	if !g.section("View", true) {
		return
	}
	gap := g.px(4)
	avail := imgui.ContentRegionAvail().X
	for i, name := range modeNames {
		if i%2 != 0 {
			imgui.SameLineV(0, gap)
		}
		if g.toggle(name, a.mode == i, imgui.Vec2{X: (avail - gap) / 2}) {
			a.setMode(i)
		}
		g.mark("View/" + name)
		g.hint(modeAbouts[i])
	}
	a.colourRows()
	left, boxes := imgui.CursorPosX(), a.viewBoxes()
	for i := range boxes {
		if i%2 == 1 {
			imgui.SameLineV(left+avail/2, 0)
		}
		g.check(boxes[i].name, boxes[i].about, boxes[i].on)
	}
	v := &a.view
	a.viewButtons()
	a.clipRows()
	zoom := a.zooming
	if g.check("zoom on contact", "Brings the camera close to the contact and follows it (Z).", &zoom) {
		a.toggleZoom()
	}
	g.number(&ctlForceScale, &v.ForceScale, 0)
	g.number(&ctlResultantScale, &v.ResultantScale, 0)
}

// viewBox is a tick box of the view.
type viewBox struct {
	name, about string
	on          *bool
}

func (a *app) viewBoxes() []viewBox {
	v := &a.view
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
		{"depth line", "Line from the tip along the needle to the surface below it, with the distance.", &a.depthLine},
		{"labels", "Scales of grid and arrows, names of the axes, legends.", &v.Overlay},
	}
}

// setMode applies one of modeNames to every body.
func (a *app) setMode(mode int) {
	a.mode = mode
	if cap(a.view.Bodies) < len(a.bodies) {
		a.view.Bodies = make([]render.BodyView, len(a.bodies))
	}
	for len(a.view.Bodies) < len(a.bodies) {
		a.view.Bodies = append(a.view.Bodies, render.BodyView{})
	}
	a.view.Bodies = a.view.Bodies[:len(a.bodies)]
	for i := range a.view.Bodies {
		b := &a.view.Bodies[i]
		b.Mode, b.Field = render.Modes[mode], a.colours != "" && !a.bodies[i].Rigid
	}
}
