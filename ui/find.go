package ui

import (
	"slices"
	"strings"
	"unicode"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// query is what is searched for in the panel.
type query struct {
	text  string // "": nothing
	focus focus
}

// search puts the keyboard into the panel's search, and begins a new one.
func (pn *panel) search() {
	pn.query.text = ""
	pn.column.folded, pn.column.bare = false, false
	pn.gui.focus(&pn.query.focus)
}

// findRow is the search at the top of the panel.
func (pn *panel) findRow() {
	g := pn.gui
	imgui.SetNextItemWidth(-1)
	pn.gui.focusHere(&pn.query.focus)
	imgui.InputTextWithHint("##find", "search the panel (Ctrl+F)", &pn.query.text)
	pn.gui.focusCame(&pn.query.focus)
	g.mark("Find")
	if (imgui.IsItemActive() || imgui.IsItemDeactivated()) && imgui.IsKeyPressed(keyEscape) {
		pn.query.text = ""
	}
}

// finds tells whether a text has every word of the search.
func (pn *panel) finds(text string) bool {
	return hasWords(strings.ToLower(text), pn.query.text)
}

// hasWords tells whether a text in small letters has all the words of a search, or such as differ from them by a letter.
func hasWords(text, search string) bool {
	const exact = 4 // letters of words that must be as they are
	for _, word := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(text, word) && (len(word) <= exact || !slices.ContainsFunc(strings.FieldsFunc(text, notLetter), func(w string) bool { return nearly(word, w) })) {
			return false
		}
	}
	return true
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// nearly tells whether a word is another's beginning but for one letter: another, one too many, too few, or two that have
// changed places.
func nearly(word, other string) bool {
	a, b := []rune(word), []rune(other)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	begins := func(a, b []rune) bool { return len(a) <= len(b) && slices.Equal(a, b[:len(a)]) }
	a, b = a[i:], b[i:]
	return len(a) == 0 || begins(a[1:], b) || len(b) > 0 && (begins(a, b[1:]) || begins(a[1:], b[1:])) ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && begins(a[2:], b[2:])
}

// found are the rows that the search finds, without headings.
func (pn *panel) found() (changed bool) {
	n := 0
	pn.naming = true
	changed = pn.keyRows(func(k *physics.Key) bool {
		hit := (k.Section != "" || k.Body != "") && pn.finds(k.Name+" "+k.Label+" "+k.Symbol+" "+k.Section+" "+k.Body+" "+k.Help)
		if hit {
			n++
		}
		return hit
	})
	pn.naming = false
	if len(pn.library.tools) > 0 && pn.finds("tool "+ctlTool.about) {
		pn.library.toolRow()
		n++
	}
	if pn.finds("clipping plane " + ctlClip.about) {
		pn.viewport.clipRows()
		n++
	}
	if pn.finds("colours field " + ctlColours.about) {
		pn.viewport.colourRows()
		n++
	}
	for _, box := range pn.viewport.viewBoxes() {
		if pn.finds(box.name + " view " + box.about) {
			pn.gui.check(box.name, box.about, box.on)
			n++
		}
	}
	if n == 0 {
		pn.gui.dim("Nothing in the panel has these words.")
	}
	return changed
}

// changedMark shows that a parameter is not what the scene file says; a click gives that back. at is where the row
// began.
func (pn *panel) changedMark(i int, at imgui.Vec2) (restore bool) {
	g, k := pn.gui, &pn.scene.keys[i]
	home := pn.scene.home(i)
	if pn.scene.values[i] == home || k.Off != nil && k.Off(pn.scene.values) {
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
		imgui.Text("Changed: the scene has " + word + ". A click gives that back.")
		g.endTip()
	}
	imgui.WindowDrawList().AddCircleFilled(imgui.Vec2{X: x, Y: at.Y + high/2}, radius, packed(warnColor))
	g.spot("changed/"+g.prefix+k.Label, lo, hi)
	if !over || !imgui.IsMouseClicked(0) {
		return false
	}
	physics.Choose(pn.scene.keys, pn.scene.values, i, home, pn.scene.snap)
	return true
}
