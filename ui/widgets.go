package ui

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// A control is one row of the panel: what it is called, which key of a scene file and of --set it is, and what the user
// should know about it.
type control struct {
	label  string   // the same words as the key
	key    string   // "" where only the window has it
	symbol string   // the thesis's, e.g. "ρ_min"
	about  string   // what it does and what to expect
	thesis string   // where the thesis defines it, and what it calls it there
	unit   quantity //
	bounds bounds   //
}

// text writes a value of the control.
func (c *control) text(v float64) string {
	switch {
	case c.bounds.Zero && v == 0:
		return c.zeroWord()
	case c.bounds.Off > 0 && v >= c.bounds.Off:
		return "off"
	case c.unit == plain && c.bounds.Step >= 1 && v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', -1, 64) // a count
	}
	return c.unit.text(v)
}

func (c *control) zeroWord() string { return cmp.Or(c.bounds.ZeroWord, "automatic") }

// parse reads what text writes, or what a user types, SI.
func (c *control) parse(s string, shown unit) (float64, error) {
	switch word := strings.ToLower(strings.TrimSpace(s)); {
	case c.bounds.Zero && len(word) >= 4 && strings.HasPrefix(c.zeroWord(), word):
		return 0, nil
	case c.bounds.Off > 0 && word == "off":
		return c.bounds.Off, nil
	}
	return c.unit.parse(s, shown)
}

// gui draws widgets with one look. It remembers between frames which value is being typed, and for tests where each
// widget is.
type gui struct {
	screen
	overlays
	labels float32 // width of the label column, pixels
	drag   drag
	arrows bool    // a slider took this frame's arrow keys
	popup  bool    // a list is open in this frame: Escape is its own
	wheel  float64 // notches in this frame
	span   float64 // of the plots, s
	back   float64 // from the newest sample to their right end, s
	alone  bool    // they show no earlier runs
	off    bool    // widgets are shown, dimmed, but do nothing

	sections  map[string]bool // those that the user has opened or closed
	entry     entry
	complaint string // about the last thing typed; "" when it was fine
	focusing  int    // frames for which what is typed waits: a field will have the keyboard

	spots  map[string]rect // by label, of this frame; nil unless traced
	prefix string          // of the labels of spots, e.g. a body's name
}

// screen is what widgets are drawn on.
type screen struct {
	scale         float32 // framebuffer pixels per design pixel
	fonts         fontSet
	width, height int     // framebuffer, pixels
	displayHz     float64 // pictures per second
}

// drag is a slider that is being dragged.
type drag struct {
	from float64 // its value when the drag began, SI
	x    float32 // where that was, pixels
}

// entry is a number that is being typed.
type entry struct {
	id    string // "": none
	text  string
	focus focus
	drawn bool // in the last frame
}

// typing tells whether keys are text.
func (g *gui) typing() bool { return imgui.CurrentIO().WantTextInput() }

// focus is whether a field is to have the keyboard.
type focus uint8

const (
	focusAsked  focus = 1 + iota // it will ask for it
	focusComing                  // imgui gives it in the next frame
)

// focus gives the keyboard to a field. What is typed before it has it waits, but not for a field that is not in sight.
func (g *gui) focus(f *focus) {
	const most = 4 // frames
	*f, g.focusing = focusAsked, most
}

// focusHere asks for the keyboard for the field that comes next; focusCame, behind the field, ends that.
func (g *gui) focusHere(f *focus) {
	if *f == focusAsked {
		imgui.SetKeyboardFocusHere()
		*f = focusComing
	}
}

func (g *gui) focusCame(f *focus) {
	if *f == focusComing && imgui.IsItemActive() {
		*f, g.focusing = 0, 0
	}
}

// begin starts a frame's widgets.
func (g *gui) begin(wheel float64, traced bool) {
	g.arrows, g.popup, g.wheel = false, false, wheel
	g.docks, g.focusing = g.docks[:0], max(0, g.focusing-1)
	if !g.entry.drawn { // its row is not in sight any more
		g.entry = entry{}
	}
	g.entry.drawn = false
	if traced {
		g.spots = map[string]rect{}
	}
	imgui.PushFont(g.fonts.text)
}

// rect is a widget's place, framebuffer pixels.
type rect struct {
	X       float32 `json:"x"`
	Y       float32 `json:"y"`
	W       float32 `json:"w"`
	H       float32 `json:"h"`
	Visible bool    `json:"visible"` // not scrolled away
}

func rectOf(lo, hi imgui.Vec2, visible bool) rect {
	return rect{lo.X, lo.Y, hi.X - lo.X, hi.Y - lo.Y, visible}
}

// valueWidth is the room for a slider's value at scale 1, pixels.
const valueWidth = 78.0

// pick is yes where on is set, otherwise no.
func pick[T any](on bool, yes, no T) T {
	if on {
		return yes
	}
	return no
}

func (g *gui) px(v float32) float32 { return v * g.scale }

// beginOff starts widgets that do nothing if off is set; endOff ends them. (imgui's own BeginDisabled is not bound.)
func (g *gui) beginOff(off bool) {
	g.off = off
	alpha := pick[float32](off, 0.45, 1)
	imgui.PushStyleVarFloat(imgui.StyleVarAlpha, alpha)
}

func (g *gui) endOff() {
	g.off = false
	imgui.PopStyleVar()
}

// paint is a colour for a draw list, dimmed where widgets are.
func (g *gui) paint(hex uint32) imgui.PackedColor {
	if g.off {
		return packedA(hex, 0.45)
	}
	return packed(hex)
}

// mark remembers where the item just submitted is. In a window that has just opened it is not yet where it will be.
func (g *gui) mark(label string) {
	if g.spots == nil || imgui.IsWindowAppearing() {
		return
	}
	g.spots[g.prefix+label] = rectOf(imgui.ItemRectMin(), imgui.ItemRectMax(), imgui.IsItemVisible())
}

// spot remembers a place that is no item.
func (g *gui) spot(name string, lo, hi imgui.Vec2) {
	if g.spots != nil {
		g.spots[name] = rectOf(lo, hi, true)
	}
}

// tip shows the tooltip of the item just submitted.
func (g *gui) tip(c *control, footer string) {
	if !imgui.IsItemHovered() || imgui.IsItemActive() {
		return
	}
	g.beginTip()
	imgui.PushFont(g.fonts.bold)
	title := c.label
	if c.symbol != "" {
		title += "   " + c.symbol
	}
	imgui.Text(title)
	imgui.PopFont()
	imgui.Text(c.about)
	if c.thesis != "" {
		g.dim("Thesis: " + strings.TrimPrefix(c.thesis, "Thesis: "))
	}
	if c.key != "" {
		g.dim("Scene file and --set: " + c.key)
	}
	if footer != "" {
		g.dim(footer)
	}
	g.endTip()
}

// hint is a tooltip of plain text for the item just submitted; "": none.
func (g *gui) hint(text string) {
	if text != "" && imgui.IsItemHovered() {
		g.beginTip()
		imgui.Text(text)
		g.endTip()
	}
}

func (g *gui) beginTip() {
	imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{X: g.px(10), Y: g.px(8)})
	imgui.BeginTooltip()
	imgui.PushTextWrapPosV(g.px(340))
}

func (g *gui) endTip() {
	imgui.PopTextWrapPos()
	imgui.EndTooltip()
	imgui.PopStyleVar()
}

// write prints text in another font.
func (g *gui) write(font imgui.Font, hex uint32, s string) {
	imgui.PushFont(font)
	g.colored(hex, s)
	imgui.PopFont()
}

// paragraph prints text that is wrapped at the edge.
func (g *gui) paragraph(hex uint32, s string) {
	imgui.PushTextWrapPos()
	g.colored(hex, s)
	imgui.PopTextWrapPos()
}

// progress is a bar with a text in it.
func (g *gui) progress(part float32, size imgui.Vec2, text string) {
	imgui.PushStyleColor(imgui.StyleColorPlotHistogram, rgb(fillColor))
	imgui.ProgressBarV(part, size, text)
	imgui.PopStyleColor()
}

func (g *gui) dim(s string) { g.colored(dimColor, s) }

func (g *gui) colored(hex uint32, s string) {
	imgui.PushStyleColor(imgui.StyleColorText, rgb(hex))
	imgui.Text(s)
	imgui.PopStyleColor()
}

// label starts a row: the label on the left with its symbol, dimmed, at the end of the label column. The next item
// fills the rest.
func (g *gui) label(c *control) {
	imgui.AlignTextToFramePadding()
	left := imgui.CursorPosX()
	imgui.Text(clipped(c.label, g.labels-g.px(6)))
	g.tip(c, "")
	used := imgui.CalcTextSize(c.label, false, 0).X
	if c.symbol != "" {
		imgui.PushFont(g.fonts.small)
		w := imgui.CalcTextSize(c.symbol, false, 0).X
		if used+w+g.px(14) > g.labels { // the tooltip has it
			imgui.PopFont()
			imgui.SameLineV(left+g.labels, 0)
			imgui.SetNextItemWidth(-1)
			return
		}
		imgui.SameLineV(left+g.labels-w-g.px(10), 0)
		imgui.SetCursorPos(imgui.Vec2{X: imgui.CursorPosX(), Y: imgui.CursorPosY() + float32(math.Round(float64(g.px(textSize-smallSize)/2)))})
		g.dim(c.symbol)
		imgui.PopFont()
	}
	imgui.SameLineV(left+g.labels, 0)
	imgui.SetNextItemWidth(-1)
}

// number is a slider. value is SI; home is what a right click goes back to.
func (g *gui) number(c *control, value *float64, home float64) (changed bool) {
	g.label(c)
	id := g.prefix + c.label
	if g.entry.id == id {
		return g.typeIn(c, value, id)
	}
	b := &c.bounds
	size := imgui.Vec2{X: imgui.ContentRegionAvail().X, Y: imgui.FrameHeight()}
	imgui.InvisibleButton("##"+id, size)
	g.mark(c.label)
	lo, hi := imgui.ItemRectMin(), imgui.ItemRectMax()
	hovered, active := imgui.IsItemHovered(), imgui.IsItemActive()
	io := imgui.CurrentIO()
	switch {
	case g.off:
		hovered, active = false, false
	case imgui.IsItemActivated() && io.KeyCtrlPressed(), hovered && imgui.IsMouseDoubleClicked(0):
		g.entry = entry{id: id, text: c.text(*value), drawn: true}
		g.focus(&g.entry.focus)
		imgui.ClearActiveID()
		active = false
	case active && b.Decade:
		from, to := g.track(lo, hi)
		if imgui.IsItemActivated() {
			g.drag.from, g.drag.x = *value, imgui.MousePos().X
		}
		if part := float64((imgui.MousePos().X - g.drag.x) / (to - from)); part != 0 || *value != g.drag.from {
			v := g.drag.from
			if part != 0 {
				v = b.dragged(g.drag.from, part)
			}
			changed = v != *value
			*value = v
		}
	case active:
		from, to := g.track(lo, hi)
		if v := b.at(float64((imgui.MousePos().X - from) / (to - from))); v != *value {
			*value, changed = v, true
		}
	case hovered && imgui.IsMouseClicked(1):
		if *value != home {
			*value, changed = home, true
		}
	case hovered:
		changed = g.nudge(b, value)
	}
	g.drawSlider(c, *value, home, lo, hi, hovered, active)
	if g.entry.id != id {
		g.tip(c, "Drag, or use the arrow keys; Ctrl+click or double-click types a value, with a unit if you like; right-click goes back to "+c.text(home)+".")
	}
	return changed
}

// nudge lets the arrow keys change the slider under the cursor.
func (g *gui) nudge(b *bounds, value *float64) (changed bool) {
	g.arrows = true
	for _, k := range [...]struct {
		key        int
		up, coarse bool
	}{{keyLeft, false, false}, {keyRight, true, false}, {keyDown, false, true}, {keyUp, true, true}} {
		if !imgui.IsKeyPressed(k.key) {
			continue
		}
		if v := b.nudged(*value, k.up, k.coarse); v != *value {
			*value, changed = v, true
		}
	}
	return changed
}

// track is the part of a slider from lo to hi along which it is dragged. The value has the rest to itself, so that
// nothing ever covers it.
func (g *gui) track(lo, hi imgui.Vec2) (from, to float32) {
	return lo.X + g.px(4), max(lo.X+g.px(30), hi.X-g.px(valueWidth)-g.px(4))
}

func (g *gui) drawSlider(c *control, value, home float64, lo, hi imgui.Vec2, hovered, active bool) {
	list := imgui.WindowDrawList()
	lit := hovered || active
	round := g.px(3)
	list.AddRectFilledV(lo, hi, g.paint(pick(lit, frameHover, frameColor)), round, imgui.DrawFlagsNone)
	from, to := g.track(lo, hi)
	place := func(v float64) float32 {
		at := c.bounds.position(v)
		if c.bounds.Decade {
			at = c.bounds.about(v, home)
		}
		return from + float32(at)*(to-from)
	}
	x := place(value)
	if x-lo.X > round {
		fill := g.paint(pick(lit, fillHover, fillColor))
		list.AddRectFilledV(lo, imgui.Vec2{X: x, Y: hi.Y}, fill, round, imgui.DrawFlagsRoundCornersLeft)
	}
	end := to + g.px(4)
	list.AddRectFilled(imgui.Vec2{X: end, Y: lo.Y}, imgui.Vec2{X: end + g.px(1), Y: hi.Y}, g.paint(panelColor))
	if value != home { // where it came from
		hx := place(home)
		list.AddRectFilled(imgui.Vec2{X: hx - g.px(0.75), Y: hi.Y - g.px(6)}, imgui.Vec2{X: hx + g.px(0.75), Y: hi.Y}, g.paint(dimColor))
	}
	list.AddRectFilledV(imgui.Vec2{X: x - g.px(1.5), Y: lo.Y}, imgui.Vec2{X: x + g.px(1.5), Y: hi.Y}, g.paint(accentColor), g.px(1), imgui.DrawFlagsNone)
	text := c.text(value)
	size := imgui.CalcTextSize(text, false, 0)
	list.AddText(imgui.Vec2{X: hi.X - size.X - g.px(7), Y: (lo.Y + hi.Y - size.Y) / 2}, g.paint(inkColor), text)
}

// typeIn replaces a slider by a text field until Enter, Escape or a click elsewhere.
func (g *gui) typeIn(c *control, value *float64, id string) (changed bool) {
	g.entry.drawn = true
	g.focusHere(&g.entry.focus)
	enter := imgui.InputTextV("##type"+id, &g.entry.text, imgui.InputTextFlagsEnterReturnsTrue|imgui.InputTextFlagsAutoSelectAll, nil)
	g.mark(c.label)
	if g.entry.focus != 0 {
		g.focusCame(&g.entry.focus)
		return false
	}
	if !enter && !imgui.IsItemDeactivated() {
		return false
	}
	g.entry.id = ""
	if !enter && imgui.IsKeyPressed(keyEscape) {
		return false
	}
	v, err := c.parse(g.entry.text, c.unit.unitFor(*value))
	if err != nil {
		g.complaint = c.label + ": " + err.Error()
		return false
	}
	g.complaint = ""
	if a := c.bounds.admit(v); a != v {
		g.complaint = c.label + ": " + c.text(v) + " is outside " + c.text(c.bounds.admit(-1e300)) + " to " + c.text(c.bounds.admit(1e300)) + "; the nearest was taken"
		v = a
	}
	if v == *value {
		return false
	}
	*value = v
	return true
}

// choice is a drop-down list.
func (g *gui) choice(c *control, selected *int, list []physics.Choice) (changed bool) {
	var shown physics.Choice
	if *selected >= 0 && *selected < len(list) {
		shown = list[*selected]
	}
	g.list(c, shown.Name, shown.About, imgui.Vec2{}, func() {
		for i, e := range list {
			if imgui.SelectableV(e.Name, i == *selected, imgui.SelectableFlagsNone, imgui.Vec2{}) && i != *selected {
				*selected, changed = i, true
			}
			g.mark(c.label + "/" + e.Name)
			g.hint(e.About)
		}
	})
	return changed
}

// list is a row with a drop-down list of rows: as large as suits it, or so wide and at most so high. Escape closes it.
func (g *gui) list(c *control, shown, footer string, size imgui.Vec2, rows func()) {
	g.label(c)
	flags := imgui.ComboFlagsHeightLarge
	if size.X > 0 {
		flags = imgui.ComboFlagsNone
		imgui.SetNextWindowSizeConstraints(imgui.Vec2{X: size.X}, size)
	}
	if !imgui.BeginComboV("##"+g.prefix+c.label, shown, flags) {
		g.mark(c.label)
		g.tip(c, footer)
		return
	}
	g.popup = true
	if imgui.IsKeyPressed(keyEscape) {
		imgui.CloseCurrentPopup()
	}
	rows()
	imgui.EndCombo()
}

// either is a choice between two, both in sight.
func (g *gui) either(c *control, second *bool, names [2]string, abouts [2]string) (changed bool) {
	g.label(c)
	gap := g.px(3)
	w := (imgui.ContentRegionAvail().X - gap) / 2
	for i, name := range names {
		on := *second == (i == 1)
		beside(i, gap)
		if g.toggle(name, c.label+"/"+name, abouts[i], on, imgui.Vec2{X: w}) && !on {
			*second, changed = i == 1, true
		}
	}
	return changed
}

// toggle is a button that shows whether it is on, marked as mark; about is its tooltip, "": none.
func (g *gui) toggle(name, mark, about string, on bool, size imgui.Vec2) bool {
	imgui.PushStyleColor(imgui.StyleColorButton, rgb(pick(on, fillColor, frameColor)))
	imgui.PushStyleColor(imgui.StyleColorButtonHovered, rgb(pick(on, fillHover, frameHover)))
	clicked := imgui.ButtonV(name, size)
	imgui.PopStyleColorV(2)
	g.mark(mark)
	g.hint(about)
	return clicked
}

// beside puts item i of a row, from 0, behind the one before.
func beside(i int, gap float32) {
	if i > 0 {
		imgui.SameLineV(0, gap)
	}
}

// button is a push button that fills width (0: as its text needs).
func (g *gui) button(name, about string, width float32) bool {
	clicked := imgui.ButtonV(name, imgui.Vec2{X: width})
	if _, id, ok := strings.Cut(name, "##"); ok {
		name = id // the text of the button changes, its name does not
	}
	g.mark(name)
	g.hint(about)
	return clicked && !g.off
}

// check is a tick box with its label to the right.
func (g *gui) check(name, about string, on *bool) bool {
	changed := imgui.Checkbox(name, on)
	g.mark(name)
	g.hint(about)
	return changed
}

// readout is a row that shows a value.
func (g *gui) readout(c *control, text string, hex uint32) {
	g.label(c)
	imgui.AlignTextToFramePadding()
	w := imgui.CalcTextSize(text, false, 0).X
	x := imgui.CursorPosX()
	imgui.SetCursorPos(imgui.Vec2{X: max(x, x+imgui.ContentRegionAvail().X-w-g.px(8)), Y: imgui.CursorPosY()})
	g.colored(hex, text)
	g.mark(c.label)
	g.tip(c, "")
}

// section is a collapsible heading.
func (g *gui) section(name string, open bool) bool {
	if remembered, ok := g.sections[name]; ok {
		open = remembered
	}
	imgui.Dummy(imgui.Vec2{Y: g.px(2)})
	imgui.PushFont(g.fonts.bold)
	imgui.SetNextItemOpen(open, imgui.ConditionAlways)
	shown := imgui.CollapsingHeader(name)
	if shown != open {
		g.sections[name] = shown
	}
	imgui.PopFont()
	g.mark(name)
	return shown
}

// clipped is text cut to a width in the present font.
func clipped(text string, width float32) string {
	return shortened(text, func(s string) bool { return imgui.CalcTextSize(s, false, 0).X <= width })
}

// shortened is text cut until it fits: to nothing but its mark where nothing does, as in a window without width.
func shortened(text string, fits func(string) bool) string {
	r := []rune(text)
	for n := len(r); n > 0 && !fits(text); {
		n = n * 9 / 10
		text = string(r[:n]) + "…"
	}
	return text
}
