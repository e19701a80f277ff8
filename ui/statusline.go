package ui

import (
	"fmt"
	"time"

	"github.com/inkyblackness/imgui-go/v4"
)

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
