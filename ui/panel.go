package ui

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// panel is the column of controls.
type panel struct {
	base
	viewport *viewport
	plots    *plots
	haptic   *haptic
	study    *study
	library  *library
	changes  *changes
	column   column
	query    query
	naming   bool // rows of bodies name them: they stand under no heading
}

// draw is the panel in a frame. It edits the window's copy of the parameters and publishes it once, whole, when
// something changed.
func (pn *panel) draw() {
	g := pn.gui
	g.labels = g.px(min(max(0.42*pn.column.wide, 122), 162))
	pn.rates()
	pn.haptic.releaseButton()
	if pn.scene.session != nil {
		pn.changes.slotRow()
		pn.findRow()
	}
	imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{})
	imgui.BeginChildV("controls", imgui.Vec2{}, false, imgui.WindowFlagsNone)
	imgui.PopStyleVar()
	if pn.scene.session == nil {
		g.dim("Opening a scene …")
		imgui.EndChild()
		return
	}
	if pn.query.text != "" {
		changed := pn.found()
		imgui.EndChild()
		if changed {
			pn.scene.publish()
		}
		return
	}
	changed := pn.simulationSection()
	changed = pn.frontSection() || changed
	for _, name := range pn.sections() {
		if g.section(name, !pn.hasFront()) {
			changed = pn.keyRows(func(k *physics.Key) bool { return k.Section == name && k.Body == "" && !pn.inFront(k) }) || changed
		}
	}
	pn.tableSections()
	if pn.haptic.section() {
		pn.library.exportButton()
		pn.haptic.flightButton()
	}
	changed = pn.bodiesSection() || changed
	pn.viewport.viewSection()
	pn.contactsSection()
	pn.plots.indentSection()
	imgui.EndChild()
	if g.complaint != "" {
		pn.warn(g.complaint)
		g.complaint = ""
	}
	if changed {
		pn.scene.publish()
	}
}

// frontSection has the scene's own few controls, and its question.
func (pn *panel) frontSection() (changed bool) {
	if !pn.hasFront() || !pn.gui.section("This scene", true) {
		return false
	}
	pn.naming = true
	changed = pn.keyRows(pn.inFront)
	pn.naming = false
	return changed
}

// hasFront tells whether the scene names the controls that matter in it. The other sections begin folded then.
func (pn *panel) hasFront() bool { return len(pn.scene.session.Common().Controls) > 0 }

// inFront tells whether a key is one of them: it stands nowhere else.
func (pn *panel) inFront(k *physics.Key) bool {
	return slices.Contains(pn.scene.session.Common().Controls, k.Name)
}

// rates are the three frequencies at the top of the panel.
func (pn *panel) rates() {
	g := pn.gui
	physicsHz, steps := 0.0, uint64(0)
	if pn.scene.snap != nil {
		physicsHz, steps = pn.scene.snap.RateHz, pn.scene.snap.Step
	}
	avail := imgui.ContentRegionAvail().X
	gap := g.px(6)
	each := (avail - 2*gap) / 3
	timed := pn.scene.info != nil && pn.scene.info.Advances && pn.scene.snap != nil && pn.scene.snap.Pace > 0
	h := g.px(46)
	for i, r := range [...]struct {
		c    *control
		hz   float64
		warn bool
	}{
		{&ctlFps, physicsHz, steps > 100 && physicsHz < 60 && !pn.scene.paused},
		{&ctlHFps, pn.scene.status.Rate, pn.scene.status.Target > 0 && pn.scene.status.Rate > 0 && pn.scene.status.Rate < 0.9*pn.scene.status.Target},
		{&ctlDisplay, pn.gui.displayHz, false},
	} {
		beside(i, gap)
		w := each
		if timed { // how fast time runs stands beside the first
			if w *= 0.85; i == 0 {
				w = 1.3 * each
			}
		}
		imgui.InvisibleButton("##rate"+r.c.label, imgui.Vec2{X: w, Y: h})
		g.mark("rate/" + r.c.label)
		lo, hi := imgui.ItemRectMin(), imgui.ItemRectMax()
		list := imgui.WindowDrawList()
		list.AddRectFilledV(lo, hi, packed(0x232934), g.px(4), imgui.DrawFlagsNone)
		imgui.PushFont(g.fonts.small)
		list.AddText(imgui.Vec2{X: lo.X + g.px(9), Y: lo.Y + g.px(5)}, packed(dimColor), r.c.label)
		imgui.PopFont()
		if i == 0 && timed {
			pn.paceText(list, lo, hi)
		}
		text := "–"
		if r.hz > 0 {
			text = strconv.Itoa(int(math.Round(r.hz))) + " Hz"
		}
		imgui.PushFont(g.fonts.bold)
		list.AddText(imgui.Vec2{X: lo.X + g.px(9), Y: lo.Y + g.px(22)}, packed(pick(r.warn, warnColor, inkColor)), text)
		imgui.PopFont()
		g.tip(r.c, "")
	}
	imgui.Spacing()
}

// paceText writes how fast a world's time runs beside its rate, where there is room.
func (pn *panel) paceText(list imgui.DrawList, lo, hi imgui.Vec2) {
	g, pace := pn.gui, pn.scene.snap.Pace
	imgui.PushFont(g.fonts.small)
	defer imgui.PopFont()
	text := digits(pace, 2) + " x real time"
	if imgui.CalcTextSize(text, false, 0).X > hi.X-lo.X-g.px(70) {
		text = digits(pace, 2) + " x"
	}
	color := pick(pace < slowMotion, warnColor, dimColor)
	list.AddText(imgui.Vec2{X: hi.X - g.px(8) - imgui.CalcTextSize(text, false, 0).X, Y: lo.Y + g.px(5)}, packed(color), text)
}

func (pn *panel) simulationSection() (changed bool) {
	g := pn.gui
	if !g.section("Simulation", true) {
		return false
	}
	pn.library.scenePicker()
	pn.library.toolRow()
	pn.library.supportRow()
	avail := imgui.ContentRegionAvail().X
	gap := imgui.CurrentStyle().ItemSpacing().X
	across := pick(avail < g.px(310), 2, 3)
	third := (avail - gap*float32(across-1)) / float32(across)
	name := pick(pn.scene.paused, "Go on", "Pause")
	for i, b := range [...]struct {
		name, about string
		off         bool
		do          func()
	}{
		{"Gallery", "The start page: all scenes with pictures, and recent files (Home).", false, func() { pn.do(openGallery) }},
		{"Open …", aboutOpen, false, func() { pn.do(openFiles) }},
		{"Save scene", "Writes a scene file with the panel's values to the working directory (Ctrl+S).", pn.opt.Files.Save == nil, func() { pn.do(saveScene) }},
		{name + "##Pause", "Stops and resumes the simulation (P). The force on the hand fades out.", false, func() { pn.do(pause) }},
		{"Step", "Makes one step while the simulation is paused (N).", !pn.scene.paused, func() { pn.do(stepOnce) }},
		{"Screenshot", "Saves a picture of the window, scene and panel, in the working directory (F12).", false, func() { pn.do(shoot) }},
		{"Reset view", "Back to the scene's own point of view (R).", false, func() { pn.do(resetView) }},
		{"Reset objects", "Puts every body back into its undeformed place (Backspace).", false, func() { pn.do(resetObjects) }},
		{"Reset params", "Gives every parameter the value that the scene file gives it.", false, func() {
			copy(pn.scene.values, pn.scene.defaults)
			changed = true
			servo := pn.scene.session.Servo()
			servo.SetParams(servo.DefaultParams())
			pn.say("Parameters are those of the scene again.")
		}},
	} {
		if i%across != 0 {
			imgui.SameLine()
		}
		g.beginOff(b.off)
		if g.button(b.name, b.about, third) {
			b.do()
		}
		g.endOff()
	}
	if pn.scene.snap != nil && pn.scene.snap.Message != "" {
		pn.progress()
	}
	return changed
}

// progress shows a recomputation in the background.
func (pn *panel) progress() {
	g := pn.gui
	overlay := pn.scene.snap.Message
	if p := pn.scene.snap.Progress; p > 0 && p < 1 {
		overlay += "  " + strconv.Itoa(int(100*p)) + " %"
		g.progress(float32(p), imgui.Vec2{X: -1, Y: imgui.FrameHeight()}, overlay)
		g.mark("progress")
		return
	}
	g.paragraph(dimColor, overlay)
}

func (lib *library) scenePicker() {
	lib.gui.list(&ctlScene, shortName(lib.scene.name), "", imgui.Vec2{}, func() {
		for _, s := range lib.opt.Scenes {
			if imgui.SelectableV(shortName(s.Name)+"##"+s.Name, s.Name == lib.scene.name, imgui.SelectableFlagsNone, imgui.Vec2{}) {
				lib.wanted = s.Name
			}
			lib.gui.mark(ctlScene.label + "/" + s.Name)
			lib.gui.hint(s.About)
		}
	})
}

// shortName is what the picker shows: a scene's name, or its file's without the folders and the ending. The tooltip
// says the rest.
func shortName(scene string) string {
	base := filepath.Base(scene)
	if base == scene && filepath.Ext(scene) == "" || scene == "" {
		return scene
	}
	for ext := filepath.Ext(base); ext != "" && len(ext) < 6 && len(base) > len(ext); ext = filepath.Ext(base) {
		base = strings.TrimSuffix(base, ext) // .msh.gz has two
	}
	return base
}

func (pn *panel) bodiesSection() (changed bool) {
	g := pn.gui
	if len(pn.scene.info.Surfaces) == 0 || !g.section("Bodies", !pn.hasFront()) {
		return false
	}
	for i := range pn.scene.info.Surfaces {
		b := &pn.scene.info.Surfaces[i]
		imgui.PushIDInt(i)
		g.prefix = b.Name + "/"
		c := b.Color
		imgui.ColorButton("##color", imgui.Vec4{X: float32(c[0]), Y: float32(c[1]), Z: float32(c[2]), W: 1},
			imgui.ColorEditFlagsNoTooltip|imgui.ColorEditFlagsNoDragDrop, imgui.Vec2{X: imgui.FrameHeight() * 0.8, Y: imgui.FrameHeight()})
		imgui.SameLine()
		imgui.AlignTextToFramePadding()
		g.write(g.fonts.bold, inkColor, b.Name)
		g.hint(b.About)
		imgui.SameLine()
		imgui.AlignTextToFramePadding()
		g.write(g.fonts.small, dimColor, pick(b.Rigid, "rigid", b.Material)+pick(b.Driven, ", driven", ""))
		box := imgui.FrameHeight() + imgui.CalcTextSize("show", false, 0).X + g.px(8)
		imgui.SameLineV(imgui.CursorStartPos().X+imgui.WindowContentRegionMax().X-box, 0)
		shown := !pn.viewport.view.Bodies[i].Hidden
		if g.check("show", "Draws this body, or not. It takes part in the simulation all the same.", &shown) {
			pn.viewport.view.Bodies[i].Hidden = !shown
		}
		changed = pn.keyRows(func(k *physics.Key) bool { return k.Body == b.Name && !pn.inFront(k) }) || changed
		g.prefix = ""
		imgui.PopID()
	}
	return changed
}

// contactsSection lists the contacts.
func (pn *panel) contactsSection() {
	g := pn.gui
	if !g.section("Contacts", false) {
		return
	}
	if pn.scene.snap == nil || len(pn.scene.snap.Contacts) == 0 {
		g.dim("None: the stylus is farther than the DDC tolerance.")
		return
	}
	flags := imgui.TableFlagsRowBg | imgui.TableFlagsBordersInnerH | imgui.TableFlagsScrollY | imgui.TableFlagsSizingFixedFit
	rows := min(len(pn.scene.snap.Contacts), 10)
	high := float32(rows+1)*(imgui.TextLineHeight()+g.px(5)) + g.px(4)
	if !imgui.BeginTableV("contacts", 5, flags, imgui.Vec2{Y: high}, 0) {
		return
	}
	imgui.TableSetupScrollFreeze(0, 1)
	for _, c := range [...]string{"at", "status", "r_n [N]", "|r_t| [N]", "cone"} {
		imgui.TableSetupColumnV(c, imgui.TableColumnFlagsWidthStretch, 1, 0)
	}
	imgui.TableHeadersRow()
	for i := range pn.scene.snap.Contacts {
		c := &pn.scene.snap.Contacts[i]
		imgui.TableNextRow()
		imgui.TableNextColumn()
		imgui.PushIDInt(i)
		if imgui.SelectableV(featureName(c, ""), pn.viewport.view.Selected == c.ID, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
			pn.viewport.view.Selected = c.ID
		}
		imgui.PopID()
		g.hint("Click shows this contact with its Coulomb cone.")
		imgui.TableNextColumn()
		g.colored(statusColor(c.Status), c.Status.String())
		imgui.TableNextColumn()
		imgui.Text(digits(c.R[0], 3))
		imgui.TableNextColumn()
		imgui.Text(digits(math.Hypot(c.R[1], c.R[2]), 3))
		imgui.TableNextColumn()
		imgui.Text(coneText(c))
	}
	imgui.EndTable()
}

// coneUse is how much of the Coulomb cone a contact's tangential force uses; 1 slides.
func coneUse(c *physics.Contact) (use float64, ok bool) {
	most := c.Mu * c.R[0]
	if !(most > 0) {
		return 0, false
	}
	return math.Hypot(c.R[1], c.R[2]) / most, true
}

func coneText(c *physics.Contact) string {
	use, ok := coneUse(c)
	if !ok {
		return "–"
	}
	return strconv.Itoa(int(math.Round(100*use))) + " %"
}

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
