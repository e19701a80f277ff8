package ui

import (
	"math"

	"github.com/inkyblackness/imgui-go/v4"
)

// layout builds the docked windows and leaves the rest to the scene.
func (a *app) layout() {
	g := a.gui
	w, h := float32(g.width), float32(g.height)
	column := &a.panel.column
	column.size(&a.win.in, g)
	panel := whole(g.px(column.wide))
	status := whole(g.px(statusHigh))
	strip := float32(0)
	if a.plots.shown && !column.bare {
		strip = whole(a.plots.high(w-panel, h))
	}
	hud := whole(g.px(hudHigh))
	line := float32(0)
	if !column.bare && a.scene.session != nil && a.scene.player() != nil {
		line = whole(g.px(playHigh))
	}
	side := a.viewport.sideWidth(w - panel)
	a.viewport.sideWide = float64(side)
	if a.scene.session != nil {
		a.wants()
	}
	a.viewport.place(0, float64(hud), float64(w-panel-side), float64(h-strip-status-hud-line))

	g.docks = append(g.docks, dock{0, 0, w - panel, hud, deepColor})
	content := a.panel.draw
	if column.folded {
		content = a.panel.foldedPanel
	}
	if side > 0 { // shows between the cameras
		g.docks = append(g.docks, dock{w - panel - side, hud, side, h - strip - status - hud - line, panelColor})
	}
	if column.bare {
		content = func() {}
	}
	g.dock("panel", panelColor, imgui.Vec2{X: w - panel}, imgui.Vec2{X: panel, Y: h - status}, imgui.Vec2{}, content)
	if line > 0 {
		at, size := imgui.Vec2{Y: h - strip - status - line}, imgui.Vec2{X: w - panel, Y: line}
		g.dock("timeline", panelColor, at, size, imgui.Vec2{X: 8, Y: 6}, a.timeline.draw)
	}
	if strip > 0 {
		at, size := imgui.Vec2{Y: h - strip - status}, imgui.Vec2{X: w - panel, Y: strip}
		g.dock("plots", panelColor, at, size, imgui.Vec2{X: 6, Y: 5}, a.plots.strip)
	}
	g.dock("status", deepColor, imgui.Vec2{Y: h - status}, imgui.Vec2{X: w, Y: status}, imgui.Vec2{X: 10, Y: 4}, a.statusLine)
}

// whole is the nearest whole pixel: between two docks nothing of the last frame may stay.
func whole(v float32) float32 { return float32(math.Round(float64(v))) }

// studyFrame lays a study's page out. Where there is a scene it stands beside it.
func (a *app) studyFrame(dt float64) error {
	g, st := a.gui, a.study
	st.spend(a.scene, dt)
	w, h := float32(g.width), float32(g.height)
	next := false
	pad := imgui.Vec2{X: 18, Y: 14}
	if st.covers() {
		a.viewport.place(0, 0, float64(w), float64(h))
		g.docks = append(g.docks, dock{0, 0, w, h, deepColor})
		g.dialog("study", studyPage, func() { next = st.pageAlone() })
		a.shortcuts(inStudy)
	} else {
		wide, status := whole(min(g.px(studyWide), 0.46*w)), whole(g.px(statusHigh))
		a.viewport.place(0, 0, float64(w-wide), float64(h-status))
		g.dock("panel", panelColor, imgui.Vec2{X: w - wide}, imgui.Vec2{X: wide, Y: h - status}, pad, func() { next = st.studyWords() })
		g.dock("status", deepColor, imgui.Vec2{Y: h - status}, imgui.Vec2{X: w, Y: status}, pad, func() {
			text, color := a.hint()
			imgui.SetCursorPos(imgui.Vec2{X: g.px(10), Y: g.px(5)})
			g.colored(color, clipped(text, w-g.px(20)))
			g.mark("status")
		})
		a.steer(dt)
		if st.page.Show {
			a.viewport.drawDepthLine()
		}
		a.viewport.drawSpring()
	}
	if !next {
		return nil
	}
	return st.endStudyPage()
}
