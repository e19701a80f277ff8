package ui

import (
	"math"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics/contact"
)

// solverEntry is a solver as the lists show it.
type solverEntry struct {
	contact.Description
	contact.Traits
}

// families are the headings of the list of solvers, by contact.Family.
var families = [...]string{
	contact.FamilyExact:       "Exact: the contact laws themselves, beyond the thesis",
	contact.FamilyThesis:      "Thesis: its methods for the same laws",
	contact.FamilyApproximate: "Approximate: other laws in their place",
}

// formulations are named as in section 2.4, by contact.Formulation. Each has a
// solver that stands for it.
var formulations = [...]struct{ name, about, solver string }{
	contact.FormulationLaw:         {"contact laws", "Signorini's and Coulomb's laws themselves (2.15, 2.18), solved exactly at each contact or for all at once.", "auto"},
	contact.FormulationBipotential: {"bi-potential", "One projection on Coulomb's cone for normal and tangential force together (2.45).", "uzawa-star-consistent"},
	contact.FormulationPseudo:      {"pseudo-potential", "Normal force first, then the tangential one on the disk of radius µ r_n (2.43, 2.44).", "pseudo"},
	contact.FormulationPenalty:     {"penalty", "Springs at the contacts in place of the laws (2.19 to 2.22): they let bodies interpenetrate and creep.", "penalty-implicit"},
	contact.FormulationMultipliers: {"multipliers", "Contacts blocked as a whole or along n, then projected (2.23 to 2.26).", "adhesion"},
	contact.FormulationFacets:      {"faceted cone", "A pyramid in place of Coulomb's cone: a linear complementarity problem (2.29).", "facets-8"},
}

// solverList is every solver, by family; within one "auto" comes first.
type solverList []solverEntry

func newSolverList() solverList {
	var list solverList
	for family := range families {
		for _, d := range contact.Descriptions() {
			s, err := contact.New(d.Name)
			if err != nil {
				continue // it is registered, so it can be made
			}
			t := contact.TraitsOf(s)
			if int(t.Family) != family {
				continue
			}
			e := solverEntry{d, t}
			list = append(list, e)
			if d.Name == "auto" {
				copy(list[1:], list)
				list[0] = e
			}
		}
	}
	return list
}

// find is the entry of a name, or one with that name alone.
func (l solverList) find(name string) solverEntry {
	for i := range l {
		if l[i].Name == name {
			return l[i]
		}
	}
	return solverEntry{Description: contact.Description{Name: name, Title: name}}
}

func (l solverList) has(name string) bool {
	for i := range l {
		if l[i].Name == name {
			return true
		}
	}
	return false
}

// rhoTwins are solvers that differ only in taking one rho for all contacts
// (3.1) or two of each contact (3.2).
var rhoTwins = [...][2]string{
	{"uzawa", "uzawa-star-consistent"},
	{"uzawa", "uzawa-star"},
	{"uzawa-local", "uzawa-local-star"},
	{"uzawa-local-signorini", "uzawa-local-signorini-star"},
}

// rhoTwin is the solver that differs from name in its use of rho only.
func (l solverList) rhoTwin(name string, use contact.RhoUse) (twin string, ok bool) {
	for _, t := range rhoTwins {
		switch {
		case use == contact.RhoPerContact && name == t[0] && l.has(t[1]):
			return t[1], true
		case use == contact.RhoLeast && name == t[1] && l.has(t[0]):
			return t[0], true
		}
	}
	return "", false
}

// reformulated is the solver nearest to name that has another formulation.
func (l solverList) reformulated(name string, f contact.Formulation) string {
	switch {
	case l.find(name).Formulation == f:
		return name
	case name == "newton-local" && f == contact.FormulationPseudo && l.has("newton-local-pseudo"):
		return "newton-local-pseudo"
	case name == "newton-local-pseudo" && f == contact.FormulationBipotential && l.has("newton-local"):
		return "newton-local"
	case l.has(formulations[f].solver):
		return formulations[f].solver
	}
	for i := range l {
		if l[i].Formulation == f {
			return l[i].Name
		}
	}
	return name
}

// The list of solvers, pixels at scale 1.
const (
	solverListWidth = 540.0
	solverListHigh  = 600.0
)

// solverPicker is a drop-down list of the solvers with their titles and notes.
// none is what the list offers in place of a solver; "": nothing.
func (a *app) solverPicker(c *control, name *string, none string) (changed bool) {
	g := &a.gui
	g.label(c)
	entry := a.solvers.find(*name)
	shown := *name
	if shown == "" {
		shown = none
	}
	wide := min(g.px(solverListWidth), g.width-g.px(16))
	// below the field, so that it does not cover it, where there is room
	room := float32(a.height) - imgui.CursorScreenPos().Y - imgui.FrameHeight() - g.px(12)
	high := min(g.px(solverListHigh), max(room, 0.4*float32(a.height)))
	imgui.SetNextWindowSizeConstraints(imgui.Vec2{X: wide}, imgui.Vec2{X: wide, Y: high})
	if !imgui.BeginComboV("##"+c.label, shown, imgui.ComboFlagsNone) {
		g.mark(c.label)
		footer := ""
		if *name != "" {
			footer = entry.Title + ". " + sentence(entry.Note)
		}
		g.tip(c, footer)
		return false
	}
	g.escape()
	if none != "" {
		if imgui.SelectableV(none, *name == "", imgui.SelectableFlagsNone, imgui.Vec2{}) && *name != "" {
			*name, changed = "", true
		}
		g.markSettled(c.label + "/" + none)
	}
	for i := range a.solvers {
		e := &a.solvers[i]
		if i == 0 || a.solvers[i-1].Family != e.Family {
			imgui.Dummy(imgui.Vec2{Y: g.px(3)})
			imgui.PushFont(g.fonts.small)
			g.colored(accentColor, families[e.Family])
			imgui.PopFont()
			imgui.Separator()
		}
		if g.solverRow(c, e, e.Name == *name) && e.Name != *name {
			*name, changed = e.Name, true
		}
	}
	imgui.EndCombo()
	return changed
}

// solverRow is one entry: title and name, and below them the note.
func (g *gui) solverRow(c *control, e *solverEntry, selected bool) (clicked bool) {
	width := imgui.ContentRegionAvail().X
	imgui.PushFont(g.fonts.text)
	line := imgui.TextLineHeight()
	imgui.PopFont()
	imgui.PushFont(g.fonts.small)
	note := float32(0)
	if e.Note != "" {
		note = imgui.CalcTextSize(e.Note, false, width-g.px(8)).Y + g.px(1)
	}
	name := imgui.CalcTextSize(e.Name, false, 0).X
	imgui.PopFont()

	at := imgui.CursorPos()
	size := imgui.Vec2{X: width, Y: line + note + g.px(4)}
	imgui.PushStyleColor(imgui.StyleColorHeader, rgb(fillColor))
	clicked = imgui.SelectableV("##"+e.Name, selected, imgui.SelectableFlagsNone, size)
	imgui.PopStyleColor()
	g.markSettled(c.label + "/" + e.Name)
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
		g.dim(e.Note)
		imgui.PopTextWrapPos()
	}
	imgui.PopFont()
	imgui.SetCursorPos(next)
	return clicked
}

// markSettled is mark for items of a list that opens: its place is not known
// in the first frame.
func (g *gui) markSettled(label string) {
	if !imgui.IsWindowAppearing() {
		g.mark(label)
	}
}

// sentence makes a note stand by itself.
func sentence(note string) string {
	if note == "" {
		return ""
	}
	return string(note[0]-'a'+'A') + note[1:] + "."
}

// solverSection are the rows that choose the method of the contact forces.
func (a *app) solverSection() (changed bool) {
	g := &a.gui
	p := &a.params
	if a.solverPicker(&ctlSolver, &p.Solver, "") {
		changed = true
	}
	traits := a.solvers.find(p.Solver)
	formulation := int(traits.Formulation)
	if g.choice(&ctlFormulation, &formulation, formulationNames, func(i int) string { return formulations[i].about }) {
		p.Solver, changed = a.solvers.reformulated(p.Solver, contact.Formulation(formulation)), true
	}
	before := p.Shadow
	if a.solverPicker(&ctlShadow, &p.Shadow, noShadow) {
		changed = true
		if before == "" {
			a.page, a.showPlots = solverPage, true
		}
		a.compare.clear()
	}
	return changed
}

// noShadow is what the panel and scene files call the absence of a second solver.
const noShadow = "none"

var formulationNames = func() []string {
	names := make([]string, len(formulations))
	for i := range formulations {
		names[i] = formulations[i].name
	}
	return names
}()

// rhoModes are the ways to come by rho: their word, what the button says, and
// what they do.
var rhoModes = [...]struct{ word, shown, about string }{
	{"Calculated", "ρ_min", "Calculated from the Delassus operator W of the contacts present, one for all: ρ_min = min 1/W_ii (3.1)."},
	{"Per contact", "ρ_n, ρ_t", "Calculated from W for each contact by itself: ρ_n = 1/W_nn, ρ_t = λ_min/λ_max² of W_tt (3.2). Chooses the solver that differs from this one in that alone, where there is one."},
	{"Imposed", "imposed", "The value of the slider Rho, for all contacts."},
}

const (
	rhoCalculated = iota
	rhoPerContact
	rhoImposed
)

// rhoMode is which of rhoModes is in force.
func (a *app) rhoMode() int {
	switch {
	case a.params.RhoImposed:
		return rhoImposed
	case a.solvers.find(a.params.Solver).Rho == contact.RhoPerContact:
		return rhoPerContact
	}
	return rhoCalculated
}

// offersRho reports whether a mode can be had with the present solver or its twin.
func (a *app) offersRho(mode int) bool {
	if mode == rhoImposed {
		return true
	}
	want := [...]contact.RhoUse{contact.RhoLeast, contact.RhoPerContact}[mode]
	use := a.solvers.find(a.params.Solver).Rho
	_, twin := a.solvers.rhoTwin(a.params.Solver, want)
	return twin || use == want || mode == rhoCalculated && use == contact.RhoUnused
}

// setRhoMode makes a mode that is offered the present one.
func (a *app) setRhoMode(mode int) {
	p := &a.params
	p.RhoImposed = mode == rhoImposed
	switch mode {
	case rhoImposed:
		if !(p.Rho > 0) && a.snap != nil {
			p.Rho = a.snap.Stats.Solve.RhoMin
		}
		if !(p.Rho > 0) {
			p.Rho = 1000 // N/m, where no contact has shown a better one
		}
	case rhoCalculated:
		if twin, ok := a.solvers.rhoTwin(p.Solver, contact.RhoLeast); ok {
			p.Solver = twin
		}
	case rhoPerContact:
		if twin, ok := a.solvers.rhoTwin(p.Solver, contact.RhoPerContact); ok {
			p.Solver = twin
		}
	}
}

// rhoRows choose rho: how it is come by, its value, a factor on it.
func (a *app) rhoRows() (changed bool) {
	g := &a.gui
	p := &a.params
	g.label(&ctlRhoMode)
	mode := a.rhoMode()
	gap := g.px(3)
	if imgui.ContentRegionAvail().X < g.px(185) {
		imgui.Dummy(imgui.Vec2{}) // on the next line: beside the label the words would be cut
	}
	wide := (imgui.ContentRegionAvail().X - gap*float32(len(rhoModes)-1)) / float32(len(rhoModes))
	high := imgui.FrameHeight()
	imgui.PushFont(g.fonts.small)
	imgui.PushStyleVarVec2(imgui.StyleVarFramePadding, imgui.Vec2{X: g.px(2), Y: g.px(2)})
	for i := range rhoModes {
		m := &rhoModes[i]
		if i > 0 {
			imgui.SameLineV(0, gap)
		}
		offered := a.offersRho(i)
		g.beginOff(!offered)
		if g.toggle(m.shown, i == mode, imgui.Vec2{X: wide, Y: high}) && offered && i != mode {
			a.setRhoMode(i)
			changed = true
		}
		g.endOff()
		g.mark(ctlRhoMode.label + "/" + m.word)
		g.hint(m.about)
	}
	imgui.PopStyleVar()
	imgui.PopFont()

	// the slider shows the value in force, and takes over when imposed
	rho := p.Rho
	if !p.RhoImposed && a.snap != nil {
		rho = a.snap.Stats.Solve.RhoMin
	}
	g.beginOff(!p.RhoImposed)
	if g.number(&ctlRho, &rho, a.calculatedRho()) {
		p.Rho, changed = rho, true
	}
	g.endOff()
	times := p.RhoFactor
	if !(times > 0) {
		times = 1
	}
	home := a.defaults.RhoFactor
	if !(home > 0) {
		home = 1
	}
	g.beginOff(p.RhoImposed)
	if g.number(&ctlRhoFactor, &times, home) {
		p.RhoFactor, changed = times, true
	}
	g.endOff()
	return changed
}

// percent writes a share, such as 0.31 %; NaN and infinity as a dash.
func percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return "–"
	}
	return digits(100*share, 2) + " %"
}
