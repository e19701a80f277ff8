package ui

import (
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// findRow is the search at the top of the panel.
func (a *app) findRow() {
	g := &a.gui
	imgui.SetNextItemWidth(-1)
	if a.findFocus {
		imgui.SetKeyboardFocusHere()
		a.findFocus = false
	}
	imgui.InputTextWithHint("##find", "search the panel (Ctrl+F)", &a.find)
	g.mark("Find")
	if (imgui.IsItemActive() || imgui.IsItemDeactivated()) && imgui.IsKeyPressed(keyEscape) {
		a.find = ""
	}
}

// finds tells whether a text has every word of the search.
func (a *app) finds(text string) bool {
	text = strings.ToLower(text)
	for _, word := range strings.Fields(strings.ToLower(a.find)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// found are the rows that the search finds, without headings.
func (a *app) found() (changed bool) {
	n := 0
	a.naming = true
	changed = a.keyRows(func(k *physics.Key) bool {
		hit := (k.Section != "" || k.Body != "") && a.finds(k.Name+" "+k.Label+" "+k.Symbol+" "+k.Section+" "+k.Body+" "+k.Help)
		if hit {
			n++
		}
		return hit
	})
	a.naming = false
	if len(a.tools) > 0 && a.finds("tool "+ctlTool.about) {
		a.toolRow()
		n++
	}
	if a.finds("clipping plane " + ctlClip.about) {
		a.clipRows()
		n++
	}
	if a.finds("colours field " + ctlColours.about) {
		a.colourRows()
		n++
	}
	for _, box := range a.viewBoxes() {
		if a.finds(box.name + " view " + box.about) {
			a.gui.check(box.name, box.about, box.on)
			n++
		}
	}
	if n == 0 {
		a.gui.dim("Nothing in the panel has these words.")
	}
	return changed
}

// changedMark shows that a parameter is not what the scene file says; a click gives that
// back. at is where the row began.
func (a *app) changedMark(i int, at imgui.Vec2) (restore bool) {
	g, k := &a.gui, &a.keys[i]
	home := a.defaults[i]
	if k.Home != nil {
		home = k.Home(a.values)
	}
	if a.values[i] == home || k.Off != nil && k.Off(a.values) {
		return false
	}
	x, high := at.X+g.labels-g.px(4.5), imgui.FrameHeight()
	if k.Switch {
		x = at.X + imgui.ContentRegionAvail().X - g.px(6)
	}
	lo, hi := imgui.Vec2{X: x - g.px(6), Y: at.Y}, imgui.Vec2{X: x + g.px(5), Y: at.Y + high}
	p := imgui.MousePos()
	over := imgui.IsWindowHovered() && p.X >= lo.X && p.X < hi.X && p.Y >= lo.Y && p.Y < hi.Y
	radius := g.px(3)
	if over {
		radius = g.px(4.5)
		imgui.SetMouseCursor(imgui.MouseCursorHand)
		c := controlOf(k)
		word := k.Word(home)
		switch {
		case k.Switch:
			word = map[bool]string{false: "off", true: "on"}[home != 0]
		case word == "":
			word = c.text(home)
		}
		g.beginTip()
		g.wrapped("Changed: the scene has " + word + ". A click gives that back.")
		g.endTip()
	}
	imgui.WindowDrawList().AddCircleFilled(imgui.Vec2{X: x, Y: at.Y + high/2}, radius, packed(warnColor))
	if g.spots != nil {
		g.spots["changed/"+g.prefix+k.Label] = rect{lo.X, lo.Y, hi.X - lo.X, hi.Y - lo.Y, true}
	}
	if !over || !imgui.IsMouseClicked(0) {
		return false
	}
	physics.Choose(a.keys, a.values, i, home, a.snap)
	return true
}
