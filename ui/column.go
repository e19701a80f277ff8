package ui

import "github.com/inkyblackness/imgui-go/v4"

// column is the room that the panel has in the window.
type column struct {
	bare   bool    // there is neither panel nor plots
	folded bool    // it is out of the way
	wide   float32 // in this frame, design pixels
	wish   float64 // the user's; 0: none
	sizing bool    // its edge is being dragged
}

// size makes the column as wide as the user wants it, or else as suits the window; its edge can be dragged. Narrower
// than it can be used, it folds away.
func (c *column) size(in *input, g *gui) {
	if c.bare {
		c.wide, c.sizing = 0, false
		return
	}
	k, w := float64(g.scale), float64(g.width)
	edge := w - float64(c.wide)*k
	near := in.inside && !c.folded && in.x > edge-5*k && in.x < edge+5*k && !imgui.CurrentIO().WantTextInput()
	switch {
	case !in.buttons[0]:
		c.sizing = false
	case in.pressed[0] && near:
		c.sizing = true
	}
	if c.sizing {
		c.wish = (w - in.x) / k
	}
	if near || c.sizing {
		imgui.SetMouseCursor(imgui.MouseCursorResizeEW)
	}
	c.folded = c.folded || c.sizing && c.wish < 0.6*panelLeast
	c.sizing = c.sizing && !c.folded
	if c.folded {
		c.wide = foldedWide
		return
	}
	wide := c.wish
	if wide < 0.6*panelLeast { // not chosen, or dragged until it folded
		wide = min(0.34*w/k, panelWidth)
	}
	c.wide = float32(min(max(wide, panelLeast), max(panelLeast, 0.6*w/k)))
}

// fold turns the column on or off.
func (c *column) fold() {
	c.folded, c.bare = !c.folded, false
	if c.wish < 0.6*panelLeast {
		c.wish = 0
	}
}

// foldedPanel is what is left of the panel: a button that brings it back, and the one that lets go of the hand.
func (pn *panel) foldedPanel() {
	g := pn.gui
	imgui.SetCursorPos(imgui.Vec2{X: g.px(3), Y: g.px(6)})
	size := imgui.Vec2{X: g.px(foldedWide - 6), Y: g.px(60)}
	if imgui.ButtonV("‹##Unfold", size) {
		pn.column.fold()
	}
	g.mark("Unfold")
	g.hint("Shows the panel (Tab).")
	if pn.scene.session == nil || !pn.scene.status.Driven || pn.scene.status.Released {
		return
	}
	imgui.SetCursorPos(imgui.Vec2{X: g.px(3), Y: g.px(74)})
	imgui.PushStyleColor(imgui.StyleColorButton, rgb(0xa83a2c))
	if imgui.ButtonV("!##Release", size) {
		pn.scene.session.Servo().Release()
	}
	imgui.PopStyleColor()
	g.mark("Release")
	g.hint("RELEASE (Esc): drops the force on the hand at once, and keeps it off.")
}
