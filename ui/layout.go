package ui

import (
	"fmt"
	"math"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
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
	if a.scene.session != nil { // the world is asked for what is shown, and for no more
		series := a.plots.shown && a.plots.current().series != nil
		a.scene.session.SetWant(physics.Want{Field: a.viewport.field(), Series: series})
	}
	a.viewport.place(0, float64(hud), float64(w-panel-side), float64(h-strip-status-hud-line))

	g.docks = append(g.docks, dock{0, 0, w - panel, hud, deepColor})
	content := pick(column.folded, a.panel.foldedPanel, a.panel.draw)
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
	pad := imgui.Vec2{X: 10, Y: 4}
	g.dock("status", deepColor, imgui.Vec2{Y: h - status}, imgui.Vec2{X: w, Y: status}, pad, a.statusLine)
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
		size := imgui.Vec2{X: wide, Y: h - status}
		g.dock("panel", panelColor, imgui.Vec2{X: w - wide}, size, pad, func() { next = st.studyWords() })
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

// statusLine is the bottom line: what the user can do, or should know.
func (a *app) statusLine() {
	g := a.gui
	text, color := a.hint()
	right := ""
	if a.scene.snap != nil {
		right = fmt.Sprintf("t %.1f s   step %d", a.scene.snap.When.Seconds(), a.scene.snap.Step)
		if a.scene.counts {
			right += fmt.Sprintf("   contacts %d", len(a.scene.snap.Contacts))
		}
		if p := a.scene.snap.Pace; p > 0 && p < slowMotion {
			right += fmt.Sprintf("   %.2g x real time", p)
		}
		if a.scene.snap.Status != "" {
			right += "   " + a.scene.snap.Status
		}
	}
	w := imgui.CalcTextSize(right, false, 0).X
	width := imgui.ContentRegionAvail().X
	text = clipped(text, width-w-g.px(20))
	imgui.PushStyleVarVec2(imgui.StyleVarFramePadding, imgui.Vec2{})
	imgui.SetCursorPos(imgui.Vec2{X: g.px(10), Y: g.px(5)})
	g.colored(color, text)
	g.mark("status")
	imgui.SetCursorPos(imgui.Vec2{X: g.px(10) + width - w, Y: g.px(5)})
	g.dim(right)
	imgui.PopStyleVar()
}

// slowMotion is the pace below which a world is said to be slow.
const slowMotion = 0.9

// hint is what the status line says, the most urgent first.
func (a *app) hint() (text string, color uint32) {
	said, tone, ok := a.said()
	switch {
	case a.scene.status.Released && a.scene.status.Driven:
		return "Force released. Lift the stylus, then press 'Take hold again' at the top of the panel.", badColor
	case a.library.demo.on:
		return "Demo: a scripted hand plays. Touch anything to take over.", accentColor
	case ok:
		return said, tone
	case a.scene.session == nil:
		return "Opening …", dimColor
	case a.scene.paused: // that physics is silent then is no news
		return "Paused: P goes on, N makes one step.", warnColor
	case a.scene.session.Stalled() > 0:
		return fmt.Sprintf("The simulation has not answered for %.1f s: no force until it does.", a.scene.session.Stalled().Seconds()), badColor
	case a.haptic.told != "" && time.Since(a.haptic.toldAt) < 8*time.Second: // later the panel still says it
		return a.haptic.told, warnColor
	case a.study.page != nil && a.scene.session.Pointer() == nil:
		return a.scene.status.Device + " holds the stylus.", dimColor
	case a.study.page != nil && a.viewport.mouse.held:
		return "Move: stylus   Hold left: push   Wheel: depth   Right-drag: orbit   Space: stay", dimColor
	case a.scene.session.Pointer() == nil:
		return a.scene.status.Device + " holds the stylus.   Right-drag orbits, Ctrl+wheel zooms, H shows all keys", dimColor
	case !a.viewport.mouse.held:
		return "Stylus released: click the scene to take it again.", warnColor
	case a.viewport.support.brush:
		return "Brush: drag with the left button over a soft body to hold it there, with Shift to free it.", accentColor
	case a.viewport.mouse.clutched:
		return "Clutch open: the stylus stays; let go of Space to move it.", warnColor
	case a.viewport.mouse.grasp.on:
		return "Holding by a spring: move to pull, wheel for depth, click to let go.", accentColor
	case a.viewport.mouse.hand.pushing:
		return "Pushing: hold and drag to slide over what is touched, let go to lift.", accentColor
	}
	return "H: all keys   Move: stylus   Hold left: push   Wheel: depth   Right-drag: orbit   Space: clutch   Z: zoom   Tab: panel", dimColor
}
