package ui

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
	"hapco/render"
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
	if a.session == nil || !a.status.Motors || a.status.Released {
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
	return plotGrid(max(len(a.pictures()), 4), w, g.px(6), g.px(leastPlot))
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

// panel is the column of controls. It edits the window's copy of the parameters
// and publishes it once, whole, when something changed.
func (a *app) panel() {
	g := &a.gui
	g.labels = g.px(min(max(0.42*a.panelWide, 122), 162))
	a.rates()
	a.releaseButton()
	if a.session != nil {
		a.slotRow()
		a.findRow()
	}
	imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{})
	imgui.BeginChildV("controls", imgui.Vec2{}, false, imgui.WindowFlagsNone)
	imgui.PopStyleVar()
	if a.session == nil {
		g.dim("Opening a scene …")
		imgui.EndChild()
		return
	}
	if a.find != "" {
		changed := a.found()
		imgui.EndChild()
		a.wants()
		if changed {
			a.publish()
		}
		return
	}
	changed := a.simulationSection()
	changed = a.frontSection() || changed
	for _, name := range a.sections() {
		changed = a.keySection(name) || changed
	}
	a.tableSections()
	a.hapticsSection()
	changed = a.bodiesSection() || changed
	a.viewSection()
	a.contactsSection()
	a.indentSection()
	imgui.EndChild()
	a.wants()
	if g.complaint != "" {
		a.warn(g.complaint)
		g.complaint = ""
	}
	if changed {
		a.publish()
	}
}

// frontSection has the scene's own few controls, and its question.
func (a *app) frontSection() (changed bool) {
	names := a.session.Common().Controls
	if len(names) == 0 || !a.gui.section("This scene", true) {
		return false
	}
	imgui.PushID("front")
	a.gui.prefix, a.naming = "front/", true
	changed = a.keyRows(func(k *physics.Key) bool { return slices.Contains(names, k.Name) })
	a.gui.prefix, a.naming = "", false
	imgui.PopID()
	return changed
}

// rates are the three frequencies at the top of the panel.
func (a *app) rates() {
	g := &a.gui
	physicsHz, steps := 0.0, uint64(0)
	if a.snap != nil {
		physicsHz, steps = a.snap.RateHz, a.snap.Step
	}
	avail := imgui.ContentRegionAvail().X
	gap := g.px(6)
	w := (avail - 2*gap) / 3
	h := g.px(46)
	for i, r := range [...]struct {
		c    *control
		hz   float64
		warn bool
	}{
		{&ctlFps, physicsHz, steps > 100 && physicsHz < 60 && !a.paused},
		{&ctlHFps, a.status.RateHz, a.status.TargetHz > 0 && a.status.RateHz > 0 && a.status.RateHz < 0.9*a.status.TargetHz},
		{&ctlDisplay, a.fps, false},
	} {
		if i > 0 {
			imgui.SameLineV(0, gap)
		}
		imgui.InvisibleButton("##rate"+r.c.label, imgui.Vec2{X: w, Y: h})
		g.mark("rate/" + r.c.label)
		lo, hi := imgui.ItemRectMin(), imgui.ItemRectMax()
		list := imgui.WindowDrawList()
		list.AddRectFilledV(lo, hi, packed(0x232934), g.px(4), imgui.DrawFlagsNone)
		imgui.PushFont(g.fonts.small)
		list.AddText(imgui.Vec2{X: lo.X + g.px(9), Y: lo.Y + g.px(5)}, packed(dimColor), r.c.label)
		imgui.PopFont()
		color := packed(inkColor)
		if r.warn {
			color = packed(warnColor)
		}
		text := "–"
		if r.hz > 0 {
			text = strconv.Itoa(int(math.Round(r.hz))) + " Hz"
		}
		imgui.PushFont(g.fonts.bold)
		list.AddText(imgui.Vec2{X: lo.X + g.px(9), Y: lo.Y + g.px(22)}, color, text)
		imgui.PopFont()
		g.tip(r.c, "")
	}
	imgui.Spacing()
}

func (a *app) simulationSection() (changed bool) {
	g := &a.gui
	if !g.section("Simulation", true) {
		return false
	}
	a.scenePicker()
	a.toolRow()
	a.supportRow()
	avail := imgui.ContentRegionAvail().X
	gap := imgui.CurrentStyle().ItemSpacing().X
	across := 3
	if avail < g.px(310) {
		across = 2
	}
	third := (avail - gap*float32(across-1)) / float32(across)
	placed := 0
	next := func() {
		if placed++; placed%across != 0 {
			imgui.SameLine()
		}
	}
	if g.button("Gallery", "The start page: all scenes with pictures, and recent files (Home).", third) {
		a.showGallery()
	}
	next()
	if g.button("Open …", "A scene, mesh, surface, recording or case (Ctrl+O). Files can also be dropped onto the window.", third) {
		a.showFiles()
	}
	next()
	g.beginOff(a.opt.Files.Save == nil)
	if g.button("Save scene", "Writes a scene file with the panel's values to the working directory (Ctrl+S).", third) {
		a.saveScene()
	}
	g.endOff()
	next()
	pause := "Pause"
	if a.paused {
		pause = "Go on"
	}
	if g.button(pause+"##Pause", "Stops and resumes the simulation (P). The force on the hand fades out.", third) {
		a.setPaused(!a.paused)
	}
	next()
	g.beginOff(!a.paused)
	if g.button("Step", "Makes one step while the simulation is paused (N).", third) {
		a.session.StepOnce()
	}
	g.endOff()
	next()
	if g.button("Screenshot", "Saves a picture of the window, scene and panel, in the working directory (F12).", third) {
		a.shoot()
	}
	next()
	if g.button("Reset view", "Back to the scene's own point of view (R).", third) {
		a.resetView()
	}
	next()
	if g.button("Reset objects", "Puts every body back into its undeformed place (Backspace).", third) {
		a.resetObjects()
	}
	next()
	if g.button("Reset params", "Gives every parameter the value that the scene file gives it.", third) {
		copy(a.values, a.defaults)
		changed = true
		a.resetServo()
		a.say("Parameters are those of the scene again.")
	}
	if a.snap != nil && a.snap.Message != "" {
		a.progress()
	}
	return changed
}

// progress shows a recomputation in the background.
func (a *app) progress() {
	g := &a.gui
	overlay := a.snap.Message
	if p := a.snap.Progress; p > 0 && p < 1 {
		overlay += "  " + strconv.Itoa(int(100*p)) + " %"
		imgui.PushStyleColor(imgui.StyleColorPlotHistogram, rgb(fillColor))
		imgui.ProgressBarV(float32(p), imgui.Vec2{X: -1, Y: imgui.FrameHeight()}, overlay)
		imgui.PopStyleColor()
		g.mark("progress")
		return
	}
	imgui.PushTextWrapPos()
	g.dim(overlay)
	imgui.PopTextWrapPos()
}

func (a *app) scenePicker() {
	g := &a.gui
	g.label(&ctlScene)
	if !imgui.BeginComboV("##scene", shortName(a.current), imgui.ComboFlagsHeightLarge) {
		g.mark(ctlScene.label)
		g.tip(&ctlScene, "")
		return
	}
	g.escape()
	for _, s := range a.opt.Scenes {
		if imgui.SelectableV(shortName(s.Name)+"##"+s.Name, s.Name == a.current, imgui.SelectableFlagsNone, imgui.Vec2{}) {
			a.wanted = s.Name
		}
		g.mark(ctlScene.label + "/" + s.Name)
		g.hint(s.About)
	}
	imgui.EndCombo()
}

// shortName is what the picker shows: a scene's name, or its file's without the
// folders and the ending. The tooltip says the rest.
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

func (a *app) bodiesSection() (changed bool) {
	g := &a.gui
	if len(a.bodies) == 0 || !g.section("Bodies", true) {
		return false
	}
	for i := range a.bodies {
		b := &a.bodies[i]
		imgui.PushIDInt(i)
		g.prefix = b.Name + "/"
		c := b.Color
		imgui.ColorButton("##color", imgui.Vec4{X: float32(c[0]), Y: float32(c[1]), Z: float32(c[2]), W: 1},
			imgui.ColorEditFlagsNoTooltip|imgui.ColorEditFlagsNoDragDrop, imgui.Vec2{X: imgui.FrameHeight() * 0.8, Y: imgui.FrameHeight()})
		imgui.SameLine()
		imgui.AlignTextToFramePadding()
		imgui.PushFont(g.fonts.bold)
		imgui.Text(b.Name)
		imgui.PopFont()
		g.hint(b.About)
		imgui.SameLine()
		imgui.AlignTextToFramePadding()
		imgui.PushFont(g.fonts.small)
		g.dim(bodyNote(b))
		imgui.PopFont()
		box := imgui.FrameHeight() + imgui.CalcTextSize("show", false, 0).X + g.px(8)
		imgui.SameLineV(imgui.CursorStartPos().X+imgui.WindowContentRegionMax().X-box, 0)
		shown := !a.view.Bodies[i].Hidden
		if g.check("show", "Draws this body, or not. It takes part in the simulation all the same.", &shown) {
			a.view.Bodies[i].Hidden = !shown
		}
		changed = a.keyRows(func(k *physics.Key) bool { return k.Body == b.Name }) || changed
		g.prefix = ""
		imgui.PopID()
	}
	return changed
}

func bodyNote(b *physics.SurfaceInfo) string {
	note := b.Material
	if b.Rigid {
		note = "rigid"
	}
	if b.Driven {
		note += ", driven"
	}
	return note
}

func (a *app) viewSection() {
	g := &a.gui
	if !g.section("View", true) {
		return
	}
	gap := g.px(4)
	avail := imgui.ContentRegionAvail().X
	for i, name := range modeNames {
		if i%2 != 0 {
			imgui.SameLineV(0, gap)
		}
		if g.toggle(name, a.mode == i, imgui.Vec2{X: (avail - gap) / 2}) {
			a.setMode(i)
		}
		g.mark("View/" + name)
		g.hint(modeAbouts[i])
	}
	a.colourRows()
	left, boxes := imgui.CursorPosX(), a.viewBoxes()
	for i := range boxes {
		if i%2 == 1 {
			imgui.SameLineV(left+avail/2, 0)
		}
		g.check(boxes[i].name, boxes[i].about, boxes[i].on)
	}
	v := &a.view
	a.viewButtons()
	a.clipRows()
	zoom := a.zooming
	if g.check("zoom on contact", "Brings the camera close to the contact and follows it (Z).", &zoom) {
		a.toggleZoom()
	}
	g.number(&ctlForceScale, &v.ForceScale, 0)
	g.number(&ctlResultantScale, &v.ResultantScale, 0)
}

// viewBox is a tick box of the view.
type viewBox struct {
	name, about string
	on          *bool
}

func (a *app) viewBoxes() []viewBox {
	v := &a.view
	return []viewBox{
		{"force arrows", "Force of each contact on the stylus.", &v.Forces},
		{"resultant", "Sum of the contact forces.", &v.Resultant},
		{"contact points", "Contacts, coloured by their status: open, stick, slip.", &v.Points},
		{"normals", "Normals of the contacts, from the tissue to the stylus.", &v.Normals},
		{"fixed nodes", "Nodes with Dirichlet conditions: they do not move.", &v.Fixed},
		{"see through", "Contacts show faintly through what covers them.", &v.XRay},
		{"hand and spring", "Where your hand is while the stylus lags behind, and the spring between them.", &v.Ghost},
		{"ground", "Grid below the bodies.", &v.Ground},
		{"axes", "World axes in the corner: x, y, z.", &v.Triad},
		{"shadow", "Shadow on the ground; it shows how far the stylus is from it.", &v.Shadow},
		{"depth line", "Line from the tip along the needle to the surface below it, with the distance.", &a.depthLine},
		{"labels", "Scales of grid and arrows, names of the axes, legends.", &v.Overlay},
	}
}

// setMode applies one of modeNames to every body.
func (a *app) setMode(mode int) {
	a.mode = mode
	if cap(a.view.Bodies) < len(a.bodies) {
		a.view.Bodies = make([]render.BodyView, len(a.bodies))
	}
	for len(a.view.Bodies) < len(a.bodies) {
		a.view.Bodies = append(a.view.Bodies, render.BodyView{})
	}
	a.view.Bodies = a.view.Bodies[:len(a.bodies)]
	for i := range a.view.Bodies {
		b := &a.view.Bodies[i]
		b.Mode, b.Field = render.Modes[mode], a.colours != "" && !a.bodies[i].Rigid
	}
}

// contactsSection lists the contacts.
func (a *app) contactsSection() {
	g := &a.gui
	if !g.section("Contacts", false) {
		return
	}
	if a.snap == nil || len(a.snap.Contacts) == 0 {
		g.dim("None: the stylus is farther than the DDC tolerance.")
		return
	}
	flags := imgui.TableFlagsRowBg | imgui.TableFlagsBordersInnerH | imgui.TableFlagsScrollY | imgui.TableFlagsSizingFixedFit
	rows := min(len(a.snap.Contacts), 10)
	high := float32(rows+1)*(imgui.TextLineHeight()+g.px(5)) + g.px(4)
	if !imgui.BeginTableV("contacts", 5, flags, imgui.Vec2{Y: high}, 0) {
		return
	}
	imgui.TableSetupScrollFreeze(0, 1)
	for _, c := range [...]string{"at", "status", "r_n [N]", "|r_t| [N]", "cone"} {
		imgui.TableSetupColumnV(c, imgui.TableColumnFlagsWidthStretch, 1, 0)
	}
	imgui.TableHeadersRow()
	for i := range a.snap.Contacts {
		c := &a.snap.Contacts[i]
		imgui.TableNextRow()
		imgui.TableNextColumn()
		imgui.PushIDInt(i)
		if imgui.SelectableV(featureName(c, ""), a.view.Selected == c.ID, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
			a.view.Selected = c.ID
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
	case a.status.Released && a.status.Motors:
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
	case a.mouse.clutched:
		return "Clutch open: the stylus stays; let go of Space to move it.", warnColor
	case a.mouse.hand.pushing:
		return "Pushing: hold and drag to slide over the tissue, let go to lift.", accentColor
	}
	return "H: all keys   Move: stylus   Hold left: push   Wheel: depth   Right-drag: orbit   Space: clutch   Z: zoom   Tab: panel", dimColor
}

func (a *app) resetView() {
	a.zooming = false
	a.cam.Reset()
}

func (a *app) resetObjects() {
	a.session.ResetObjects()
	a.view.Selected = 0
	a.clearPlots()
	a.say("Objects are back in their undeformed places.")
}

func (a *app) toggleZoom() {
	if a.zooming = !a.zooming; !a.zooming {
		a.cam.ZoomBack()
	}
}

// shoot saves a screenshot under a name of its own.
func (a *app) shoot() {
	path := "hapco-" + time.Now().Format("20060102-150405.000") + ".png"
	a.shots = append(a.shots, path)
	a.say("Saved " + path)
}

// contactPoint is the middle of the contacts, weighted by their force, or the
// stylus's tip where there are none.
func (a *app) contactPoint() mgl64.Vec3 {
	var sum mgl64.Vec3
	weight := 0.0
	for i := range a.snap.Contacts {
		c := &a.snap.Contacts[i]
		w := c.R[0] + 1e-9
		sum = sum.Add(c.P.Mul(w))
		weight += w
	}
	if weight > 0 {
		return sum.Mul(1 / weight)
	}
	return a.held().Add(a.needle().Mul(a.reach))
}
