package ui

import (
	"fmt"
	"time"

	"github.com/inkyblackness/imgui-go/v4"
)

// statusLine is the bottom line: what the user can do, or should know.
func (a *app) statusLine() {
	g := &a.gui
	text, color := a.hint()
	right := ""
	if a.snap != nil {
		right = fmt.Sprintf("t %.1f s   step %d   contacts %d", a.snap.When.Seconds(), a.snap.Step, len(a.snap.Contacts))
		if a.snap.Status != "" {
			right += "   " + a.snap.Status
		}
	}
	w := imgui.CalcTextSize(right, false, 0).X
	width := imgui.ContentRegionAvail().X
	for imgui.CalcTextSize(text, false, 0).X > width-w-g.px(20) && len(text) > 8 {
		r := []rune(text)
		text = string(r[:len(r)*9/10]) + "…"
	}
	imgui.PushStyleVarVec2(imgui.StyleVarFramePadding, imgui.Vec2{})
	imgui.SetCursorPos(imgui.Vec2{X: g.px(10), Y: g.px(5)})
	g.colored(color, text)
	g.mark("status")
	imgui.SetCursorPos(imgui.Vec2{X: g.px(10) + width - w, Y: g.px(5)})
	g.dim(right)
	imgui.PopStyleVar()
}

// hint is what the status line says, the most urgent first.
func (a *app) hint() (text string, color uint32) {
	switch {
	case a.status.Released && a.status.Driven:
		return "Force released. Lift the stylus, then press 'Take hold again' at the top of the panel.", badColor
	case a.demo.on:
		return "Demo: a scripted hand plays. Touch anything to take over.", accentColor
	case a.noticeShows():
		if a.notice.bad {
			return a.notice.text, badColor
		}
		return a.notice.text, goodColor
	case a.session == nil:
		return "Opening …", dimColor
	case a.paused: // that physics is silent then is no news
		return "Paused: P goes on, N makes one step.", warnColor
	case a.session.Stalled() > 0:
		return fmt.Sprintf("The simulation has not answered for %.1f s: no force until it does.", a.session.Stalled().Seconds()), badColor
	case a.told != "" && time.Since(a.toldAt) < 8*time.Second: // later the panel still says it
		return a.told, warnColor
	case a.studying.page != nil && a.session.Pointer() == nil:
		return a.status.Device + " holds the stylus.", dimColor
	case a.studying.page != nil && a.mouse.held:
		return "Move: stylus   Hold left: push   Wheel: depth   Right-drag: orbit   Space: stay", dimColor
	case a.session.Pointer() == nil:
		return a.status.Device + " holds the stylus.   Right-drag orbits, Ctrl+wheel zooms, H shows all keys", dimColor
	case !a.mouse.held:
		return "Stylus released: click the scene to take it again.", warnColor
	case a.support.brush:
		return "Brush: drag with the left button over a soft body to hold it there, with Shift to free it.", accentColor
	case a.mouse.clutched:
		return "Clutch open: the stylus stays; let go of Space to move it.", warnColor
	case a.mouse.hand.pushing:
		return "Pushing: hold and drag to slide over the tissue, let go to lift.", accentColor
	}
	return "H: all keys   Move: stylus   Hold left: push   Wheel: depth   Right-drag: orbit   Space: clutch   Z: zoom   Tab: panel", dimColor
}
