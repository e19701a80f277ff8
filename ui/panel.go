package ui

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

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
