package ui

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// The panel's rows for a world's live parameters, tables and numbers: all of them come from what the world says of
// itself.

// controlOf is the row of a key.
func controlOf(k *physics.Key) control {
	c := control{label: k.Label, key: k.Name, symbol: k.Symbol, about: k.Help, thesis: k.Source, unit: quantityOf(k.Unit),
		bounds: bounds(k.Range)}
	if k.Get == nil && k.Value != nil && !k.Settable() && len(k.Choices) > 0 {
		c.key = "" // a view of others: no file has it
	}
	return c
}

// sections are those of the keys, in their order; bodies have one of their own.
func (pn *panel) sections() (names []string) {
	for i := range pn.scene.keys {
		if k := &pn.scene.keys[i]; k.Section != "" && k.Body == "" && !pn.inFront(k) && !slices.Contains(names, k.Section) {
			names = append(names, k.Section)
		}
	}
	return names
}

// keyRows are the rows of some keys.
func (pn *panel) keyRows(which func(k *physics.Key) bool) (changed bool) {
	for i := range pn.scene.keys {
		if k := &pn.scene.keys[i]; which(k) && !pn.study.question.hides(k) && (k.Hidden == nil || !k.Hidden(pn.scene.values)) {
			changed = pn.keyRow(i) || changed
		}
	}
	return changed
}

// keyRow is the row of one key.
func (pn *panel) keyRow(i int) (changed bool) {
	g, k, c := pn.gui, &pn.scene.keys[i], controlOf(&pn.scene.keys[i])
	if pn.naming && k.Body != "" {
		c.label = k.Body + " " + c.label
	}
	at := imgui.CursorScreenPos()
	off := k.Off != nil && k.Off(pn.scene.values)
	x := pn.scene.values[i]
	g.beginOff(off)
	switch {
	case k.Switch:
		on := x != 0
		changed = g.check(k.Label, k.Help, &on)
		x = pick(on, 1.0, 0)
	case k.Buttons:
		changed = pn.buttons(&c, k, &x)
	case slices.ContainsFunc(k.Choices, func(c physics.Choice) bool { return c.Title != "" }):
		changed = pn.longList(&c, k, &x)
	case len(k.Choices) > 0:
		selected := int(x)
		changed = g.choice(&c, &selected, k.Choices)
		x = float64(selected)
	default:
		home := pn.scene.home(i)
		if live := pn.scene.live(k); live > 0 {
			if home == 0 {
				home = live
			}
			if off { // the value in force
				x = live
			}
		}
		changed = g.number(&c, &x, home)
	}
	g.endOff()
	if !changed && pn.changedMark(i, at) {
		return true
	}
	if !changed || off {
		return false
	}
	before := pn.scene.values[i]
	physics.Choose(pn.scene.keys, pn.scene.values, i, x, pn.scene.snap)
	pn.plots.compared(i, before == 0 && x != 0)
	return true
}

// buttons are a key's choices, all in sight.
func (pn *panel) buttons(c *control, k *physics.Key, x *float64) (changed bool) {
	g := pn.gui
	g.label(c)
	gap := g.px(3)
	if imgui.ContentRegionAvail().X < g.px(185) {
		imgui.Dummy(imgui.Vec2{}) // on the next line: beside the label the words would be cut
	}
	wide := (imgui.ContentRegionAvail().X - gap*float32(len(k.Choices)-1)) / float32(len(k.Choices))
	high := imgui.FrameHeight()
	imgui.PushFont(g.fonts.small)
	imgui.PushStyleVarVec2(imgui.StyleVarFramePadding, imgui.Vec2{X: g.px(2), Y: g.px(2)})
	for i := range k.Choices {
		m := &k.Choices[i]
		beside(i, gap)
		offered := k.Offers == nil || k.Offers(pn.scene.values, i)
		on := int(*x) == i
		g.beginOff(!offered)
		if g.toggle(cmp.Or(m.Short, m.Name), c.label+"/"+m.Name, "", on, imgui.Vec2{X: wide, Y: high}) && offered && !on {
			*x, changed = float64(i), true
		}
		g.endOff()
		g.hint(m.About)
	}
	imgui.PopStyleVar()
	imgui.PopFont()
	return changed
}

// numberText writes a number of a frame.
func numberText(n *physics.Number, x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case n.Format == physics.Count:
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	case n.Format == physics.Share:
		return percent(x)
	case n.Format == physics.YesNo:
		if x != 0 {
			return "yes"
		}
		return "no"
	}
	q := quantityOf(n.Unit)
	if q != plain && math.Abs(x) < 1e-6*q.least() { // rounding
		x = 0
	}
	return q.text(x)
}

// tableSections are the world's tables.
func (pn *panel) tableSections() {
	for i := range pn.scene.info.Tables {
		t := &pn.scene.info.Tables[i]
		if n := physics.Place(pn.scene.keys, t.Key); pn.scene.snap == nil || n >= 0 && !(pn.scene.values[n] > 0) {
			continue
		}
		if pn.gui.section(t.Section, true) {
			pn.table(t)
		}
	}
}

func (pn *panel) table(t *physics.Table) {
	g := pn.gui
	if n := pn.scene.info.Number(t.While); n >= 0 && !(pn.scene.snap.Numbers[n] > 0) {
		g.dim(t.Empty)
		return
	}
	if imgui.BeginTableV("table "+t.Section, 1+len(t.Columns), imgui.TableFlagsRowBg|imgui.TableFlagsBordersInnerH|imgui.TableFlagsSizingFixedFit, imgui.Vec2{}, 0) {
		imgui.TableSetupColumnV("", imgui.TableColumnFlagsWidthFixed, g.px(112), 0)
		for range t.Columns {
			imgui.TableSetupColumnV("", imgui.TableColumnFlagsWidthStretch, 1, 0)
		}
		imgui.TableNextRow()
		imgui.TableNextColumn()
		for _, c := range t.Columns {
			imgui.TableNextColumn()
			g.colored(c.Color, c.Title)
			if n := physics.Place(pn.scene.keys, c.Key); n >= 0 {
				g.hint(pn.scene.keys[n].Word(pn.scene.values[n]))
			}
		}
		for i := range t.Rows {
			r := &t.Rows[i]
			imgui.TableNextRow()
			imgui.TableNextColumn()
			g.dim(r.Name)
			g.hint(r.About)
			for _, cell := range r.Cells {
				imgui.TableNextColumn()
				imgui.Text(pn.cell(cell))
			}
		}
		imgui.EndTable()
	}
	pn.numberRows(t.Section)
}

// cell writes the numbers of a cell, with strokes between them.
func (pn *panel) cell(names []string) string {
	var words []string
	for _, name := range names {
		if n := pn.scene.info.Number(name); n >= 0 {
			words = append(words, numberText(&pn.scene.info.Numbers[n], pn.scene.snap.Numbers[n]))
		}
	}
	return strings.Join(words, " / ")
}

// A long list of choices, pixels at scale 1.
const (
	longListWidth = 540.0
	longListHigh  = 600.0
)

// longList is a drop-down list of choices that have titles and notes, under headings.
func (pn *panel) longList(c *control, k *physics.Key, x *float64) (changed bool) {
	g := pn.gui
	wide := min(g.px(longListWidth), float32(g.width)-g.px(16))
	// below the field, so that it does not cover it, where there is room
	room := float32(pn.gui.height) - imgui.CursorScreenPos().Y - imgui.FrameHeight() - g.px(12)
	high := min(g.px(longListHigh), max(room, 0.4*float32(pn.gui.height)))
	footer := ""
	if i := int(*x); i >= 0 && i < len(k.Choices) && k.Choices[i].Title != "" {
		footer = k.Choices[i].Title + ". " + sentence(k.Choices[i].About)
	}
	group := ""
	g.list(c, k.Word(*x), footer, imgui.Vec2{X: wide, Y: high}, func() {
		for i := range k.Choices {
			e := &k.Choices[i]
			if e.Group != group {
				group = e.Group
				imgui.Dummy(imgui.Vec2{Y: g.px(3)})
				g.write(g.fonts.small, accentColor, group)
				imgui.Separator()
			}
			if selected := i == int(*x); g.longRow(c, e, selected) && !selected {
				*x, changed = float64(i), true
			}
		}
	})
	return changed
}

// longRow is one entry: title and name, and below them the note; or a name alone.
func (g *gui) longRow(c *control, e *physics.Choice, selected bool) (clicked bool) {
	if e.Title == "" {
		clicked = imgui.SelectableV(e.Name, selected, imgui.SelectableFlagsNone, imgui.Vec2{})
		g.mark(c.label + "/" + e.Name)
		return clicked
	}
	width := imgui.ContentRegionAvail().X
	imgui.PushFont(g.fonts.text)
	line := imgui.TextLineHeight()
	imgui.PopFont()
	imgui.PushFont(g.fonts.small)
	note := float32(0)
	if e.About != "" {
		note = imgui.CalcTextSize(e.About, false, width-g.px(8)).Y + g.px(1)
	}
	name := imgui.CalcTextSize(e.Name, false, 0).X
	imgui.PopFont()

	at := imgui.CursorPos()
	size := imgui.Vec2{X: width, Y: line + note + g.px(4)}
	imgui.PushStyleColor(imgui.StyleColorHeader, rgb(fillColor))
	clicked = imgui.SelectableV("##"+e.Name, selected, imgui.SelectableFlagsNone, size)
	imgui.PopStyleColor()
	g.mark(c.label + "/" + e.Name)
	if selected && imgui.IsWindowAppearing() {
		imgui.SetScrollHereY(0.5)
	}
	next := imgui.CursorPos()
	imgui.SetCursorPos(imgui.Vec2{X: at.X + g.px(4), Y: at.Y + g.px(1)})
	imgui.Text(e.Title)
	imgui.PushFont(g.fonts.small)
	imgui.SetCursorPos(imgui.Vec2{X: at.X + width - name - g.px(6), Y: at.Y + g.px(3)})
	g.dim(e.Name)
	if note > 0 {
		imgui.SetCursorPos(imgui.Vec2{X: at.X + g.px(4), Y: at.Y + line + g.px(2)})
		imgui.PushTextWrapPosV(at.X + width - g.px(4))
		g.dim(e.About)
		imgui.PopTextWrapPos()
	}
	imgui.PopFont()
	imgui.SetCursorPos(next)
	return clicked
}

// sentence makes a note stand by itself.
func sentence(note string) string {
	if note == "" {
		return ""
	}
	return strings.ToUpper(note[:1]) + note[1:] + "."
}

// percent writes a share, such as 0.31 %; NaN and infinity as a dash.
func percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return "–"
	}
	return digits(100*share, 2) + " %"
}
