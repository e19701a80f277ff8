package ui

import (
	"math"

	"github.com/inkyblackness/imgui-go/v4"
)

const dockFlags = imgui.WindowFlagsNoTitleBar | imgui.WindowFlagsNoResize | imgui.WindowFlagsNoMove |
	imgui.WindowFlagsNoCollapse | imgui.WindowFlagsNoSavedSettings | imgui.WindowFlagsNoBringToFrontOnFocus | imgui.WindowFlagsNoBackground

// layout builds the docked windows and leaves the rest to the scene.
func (a *app) layout() {
	g := &a.gui
	w, h := float32(a.width), float32(a.height)
	g.width, g.popup = w, false
	a.sizePanel()
	// whole pixels: between two parts nothing of the last frame may stay
	whole := func(v float32) float32 { return float32(math.Round(float64(v))) }
	panel := whole(g.px(a.panelWide))
	status := whole(g.px(statusHigh))
	strip := float32(0)
	if a.showPlots && !a.bare {
		strip = whole(a.stripHigh(w-panel, h))
	}
	hud := whole(g.px(hudHigh))
	line := float32(0)
	if !a.bare && a.session != nil && a.player() != nil {
		line = whole(g.px(playHigh))
	}
	side := a.sideWidth(w - panel)
	a.sideWide = float64(side)
	a.scene.x, a.scene.y = 0, float64(hud)
	a.scene.w, a.scene.h = float64(w-panel-side), float64(h-strip-status-hud-line)

	a.docks = append(a.docks[:0], dock{0, 0, w - panel, hud, deepColor})
	content := a.panel
	if a.folded {
		content = a.foldedPanel
	}
	if side > 0 { // shows between the cameras
		a.docks = append(a.docks, dock{w - panel - side, hud, side, h - strip - status - hud - line, panelColor})
	}
	if a.bare {
		content = func() {}
	}
	a.dock("panel", panelColor, imgui.Vec2{X: w - panel}, imgui.Vec2{X: panel, Y: h - status}, content)
	if line > 0 {
		imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{X: g.px(8), Y: g.px(6)})
		a.dock("timeline", panelColor, imgui.Vec2{Y: h - strip - status - line}, imgui.Vec2{X: w - panel, Y: line}, a.timeline)
		imgui.PopStyleVar()
	}
	if strip > 0 {
		imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{X: g.px(6), Y: g.px(5)})
		a.dock("plots", panelColor, imgui.Vec2{Y: h - strip - status}, imgui.Vec2{X: w - panel, Y: strip}, a.strip)
		imgui.PopStyleVar()
	}
	imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{X: g.px(10), Y: g.px(4)})
	a.dock("status", deepColor, imgui.Vec2{Y: h - status}, imgui.Vec2{X: w, Y: status}, a.statusLine)
	imgui.PopStyleVar()
}

// dock is a part of the window that imgui fills; draw paints its background.
type dock struct {
	x, y, w, h float32 // pixels, from the upper left corner
	color      uint32
}

func (a *app) dock(name string, color uint32, pos, size imgui.Vec2, content func()) {
	a.docks = append(a.docks, dock{pos.X, pos.Y, size.X, size.Y, color})
	imgui.SetNextWindowPos(pos)
	imgui.SetNextWindowSize(size)
	imgui.PushStyleVarVec2(imgui.StyleVarWindowMinSize, imgui.Vec2{X: 1, Y: 1})
	flags := dockFlags
	if name != "panel" {
		flags |= imgui.WindowFlagsNoScrollbar | imgui.WindowFlagsNoScrollWithMouse
	}
	if imgui.BeginV(name, nil, flags) {
		content()
	}
	imgui.End()
	imgui.PopStyleVar()
}

// sizePanel makes the panel as wide as the user wants it, or else as suits the
// window; its edge can be dragged. Narrower than it can be used, it folds away.
func (a *app) sizePanel() {
	if a.bare {
		a.panelWide, a.sizing = 0, false
		return
	}
	in, k := &a.win.in, float64(a.gui.scale)
	w := float64(a.width)
	edge := w - float64(a.panelWide)*k
	near := in.inside && !a.folded && in.x > edge-5*k && in.x < edge+5*k && !imgui.CurrentIO().WantTextInput()
	switch {
	case !in.buttons[0]:
		a.sizing = false
	case in.pressed[0] && near:
		a.sizing = true
	}
	if a.sizing {
		a.wishWide = (w - in.x) / k
	}
	if near || a.sizing {
		imgui.SetMouseCursor(imgui.MouseCursorResizeEW)
	}
	a.folded = a.folded || a.sizing && a.wishWide < 0.6*panelLeast
	a.sizing = a.sizing && !a.folded
	if a.folded {
		a.panelWide = foldedWide
		return
	}
	wide := a.wishWide
	if wide < 0.6*panelLeast { // not chosen, or dragged until it folded
		wide = min(0.34*w/k, panelWidth)
	}
	a.panelWide = float32(min(max(wide, panelLeast), max(panelLeast, 0.6*w/k)))
}

func (a *app) foldPanel() {
	a.folded = !a.folded
	if a.wishWide < 0.6*panelLeast {
		a.wishWide = 0
	}
}

// foldedPanel is what is left of the panel: a button that brings it back, and
// the one that lets go of the hand.
func (a *app) foldedPanel() {
	g := &a.gui
	imgui.SetCursorPos(imgui.Vec2{X: g.px(3), Y: g.px(6)})
	size := imgui.Vec2{X: g.px(foldedWide - 6), Y: g.px(60)}
	if imgui.ButtonV("‹##Unfold", size) {
		a.foldPanel()
	}
	g.mark("Unfold")
	g.hint("Shows the panel (Tab).")
	if a.session == nil || !a.status.Driven || a.status.Released {
		return
	}
	imgui.SetCursorPos(imgui.Vec2{X: g.px(3), Y: g.px(74)})
	imgui.PushStyleColor(imgui.StyleColorButton, rgb(0xa83a2c))
	if imgui.ButtonV("!##Release", size) {
		a.session.Servo().Release()
	}
	imgui.PopStyleColor()
	g.mark("Release")
	g.hint("RELEASE (Esc): drops the force on the hand at once, and keeps it off.")
}

// picture is what the strip is made of.
type picture interface {
	draw(g *gui, size imgui.Vec2, now float64)
}

// Sizes of plots that can be read, pixels at scale 1.
const (
	leastPlot     = 170.0 // wide
	leastPlotHigh = 104.0
)

// plotGrid lays count plots out, w wide, each at least least wide: in as few rows
// as that allows, and evenly.
func plotGrid(count int, w, gap, least float32) (columns, rows int) {
	columns = min(max(int((w+gap)/(least+gap)), 1), count)
	rows = (count + columns - 1) / columns
	return (count + rows - 1) / rows, rows
}

// stripGrid is plotGrid for the page on screen.
func (a *app) stripGrid(w float32) (columns, rows int) {
	g := &a.gui
	if len(a.pictures()) == 1 {
		return 1, 1
	}
	return plotGrid(max(len(a.pictures()), 3), w, g.px(6), g.px(leastPlot))
}

// stripHigh is the height of the plots under a scene w wide in a window h high.
func (a *app) stripHigh(w, h float32) float32 {
	g := &a.gui
	if _, rows := a.stripGrid(w - g.px(12)); rows > 1 {
		return min(g.px(tabHigh+20+float32(rows)*rowHigh), 0.42*h)
	}
	return min(g.px(stripHigh), 0.37*h)
}

// strip holds the plots of a page. Where they have no room they scroll.
func (a *app) strip() {
	g := &a.gui
	a.tabs()
	pictures := a.pictures()
	if a.page < len(a.pages) {
		a.pages[a.page].name(a.snap, a.keys, a.values)
	}
	gap := g.px(6)
	avail := imgui.ContentRegionAvail()
	columns, rows := a.stripGrid(avail.X)
	size := imgui.Vec2{Y: (avail.Y - gap*float32(rows-1)) / float32(rows)}
	if least := g.px(leastPlotHigh); size.Y < least && rows > 1 {
		size.Y = least
		avail.X -= g.px(13) // the scroll bar
	}
	size.X = (avail.X - gap*float32(columns-1)) / float32(columns)
	now := 0.0
	if a.page < len(a.pages) {
		now = a.pages[a.page].now()
	}
	imgui.PushStyleVarVec2(imgui.StyleVarItemSpacing, imgui.Vec2{X: gap, Y: gap})
	imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{})
	imgui.BeginChildV("rows", imgui.Vec2{}, false, imgui.WindowFlagsNone)
	for i, p := range pictures {
		if i%columns != 0 {
			imgui.SameLineV(0, gap)
		}
		p.draw(g, size, now)
	}
	imgui.EndChild()
	imgui.PopStyleVarV(2)
}
