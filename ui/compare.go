package ui

import (
	"math"
	"strconv"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics/contact"
	"hapco/physics/tissue"
)

// The pages of the plots.
const (
	overviewPage = iota
	solverPage
)

var pages = [...]struct{ name, about string }{
	overviewPage: {"Overview", "Force, iterations, errors and step time over the last seconds (C)."},
	solverPage:   {"Solver", "How the contact solver converged in the last step, and what a second one in its shadow makes of the same problems (C)."},
}

// Colours of the two solvers, and of the measures and statuses of each.
const (
	firstColor  = accentColor
	shadowColor = 0xf0854a
)

// comparison are the plots of the solver page. Its histories have the first
// solver's channels, then the shadow's, which are NaN where there is none.
type comparison struct {
	convergence                             convergence
	force, iterations, errors, times, state *plot

	sample [6]float64
}

// newComparison makes plots that hold size samples.
func newComparison(size int) *comparison {
	two := func(title, about string, unit quantity, log bool) *plot {
		return &plot{title: title, about: about, unit: unit, hist: newHistory(2, size), axis: axis{log: log},
			curves: []curve{{color: firstColor, thick: 1.6}, {color: shadowColor, thick: 1.4, dashed: true}}}
	}
	triple := func(names [3]string, first, shadow [3]uint32) []curve {
		var list []curve
		for i, n := range names {
			list = append(list, curve{name: n, color: first[i], thick: 1.5, mate: 3 + i})
		}
		for i, n := range names {
			list = append(list, curve{name: "shadow " + n, color: shadow[i], thick: 1.4, dashed: true, unlisted: true})
		}
		return list
	}
	status := [3]uint32{statusColor(contact.Open), statusColor(contact.Stick), statusColor(contact.Slip)}
	c := &comparison{
		force: two("Force", "Resultant of the contact forces on the stylus. In the corner: by how much the second solver's resultant differs on the same problem, |F₂ − F₁| / |F₁|.", force, false),
		iterations: two("Iterations", "Iterations of the two contact solvers. Those of different methods differ in cost: compare the times too.",
			plain, true),
		times: two("Solve time", "Time of one contact solve.", duration, true),
		errors: &plot{title: "Error", hist: newHistory(6, size), axis: axis{log: true},
			about:  "Relative change of the forces (2.72), error of the natural map e, and the same without units e_s, of both solvers. Dotted: the tolerance, where the criterion is one of these.",
			curves: triple([3]string{"relative", "e", "e_s"}, [3]uint32{0xa5daf7, firstColor, 0x2f7fd0}, [3]uint32{0xf9c9a5, shadowColor, 0xc4501c})},
		state: &plot{title: "Status", hist: newHistory(6, size), integer: true, top: 4,
			about:  "How many contacts are open, stick and slip by either solver. In the corner: contacts of which the two say different things.",
			curves: triple([3]string{"open", "stick", "slip"}, status, status)},
	}
	c.force.top, c.iterations.integer, c.errors.markColor = 0.1, true, inkColor
	c.errors.key = 2 // e_s, which every solver has
	return c
}

func (c *comparison) plots() [5]*plot {
	return [...]*plot{c.force, c.iterations, c.errors, c.times, c.state}
}

func (c *comparison) clear() {
	for _, p := range c.plots() {
		p.hist.clear()
	}
}

// record samples the plots at time t, s.
func (c *comparison) record(t float64, s *tissue.Snapshot) {
	first, second := &s.Stats.Solve, &s.Shadow.Result
	touching := len(s.Contacts) > 0
	compared := s.Shadow.Step > 0
	shadowed := compared && s.Shadow.Contacts > 0
	v := c.sample[:]
	add := func(p *plot, shown, shadow bool, values ...float64) {
		half := len(values) / 2
		for i, x := range values {
			if i < half && !shown || i >= half && !shadow {
				x = math.NaN()
			}
			v[i] = x
		}
		p.hist.add(t, v[:len(values)])
	}
	add(c.force, true, compared, s.Force.Len(), s.Shadow.Force.Len())
	add(c.iterations, touching, shadowed, float64(first.Iterations), float64(second.Iterations))
	add(c.times, touching, shadowed, first.Elapsed.Seconds(), second.Elapsed.Seconds())
	add(c.errors, touching, shadowed, first.RelativeChange, first.NaturalError, first.ScaledError,
		second.RelativeChange, second.NaturalError, second.ScaledError)
	add(c.state, true, compared, float64(s.Stats.Open), float64(s.Stats.Stick), float64(s.Stats.Slip),
		float64(s.Shadow.Statuses[contact.Open]), float64(s.Shadow.Statuses[contact.Stick]), float64(s.Shadow.Statuses[contact.Slip]))
}

// name puts the solvers' names into the legends, and what belongs there into the corners.
func (c *comparison) name(first string, s *tissue.Snapshot, mark float64) {
	shadow := ""
	if s != nil {
		shadow = s.Shadow.Solver
	}
	for _, p := range [...]*plot{c.force, c.iterations, c.times} {
		p.curves[0].name, p.curves[1].name = first, shadow
	}
	c.errors.mark = mark
	for _, p := range [...]*plot{c.errors, c.state} {
		p.single = shadow == ""
	}
	c.force.corner, c.state.corner = "", ""
	if shadow != "" && s.Shadow.Step > 0 {
		c.force.corner = "Δ " + percent(s.Shadow.ForceDifference)
		c.state.corner = strconv.Itoa(s.Shadow.Differing) + " differ"
	}
	c.convergence.name(first, s)
}

// syncCurve asks physics for convergence curves exactly while they are shown.
func (a *app) syncCurve() (changed bool) {
	if want := a.showPlots && a.page == solverPage; a.params.Curve != want {
		a.params.Curve = want
		return true
	}
	return false
}

// turnPage goes to the next page of the plots, and shows them.
func (a *app) turnPage() {
	if a.showPlots {
		a.page = (a.page + 1) % len(pages)
	}
	a.showPlots = true
}

// tabs choose the page, and say which solver is which.
func (a *app) tabs() {
	g := &a.gui
	imgui.PushFont(g.fonts.small)
	imgui.PushStyleVarVec2(imgui.StyleVarFramePadding, imgui.Vec2{X: g.px(8), Y: 0})
	high := g.px(tabHigh)
	for i := range pages {
		p := &pages[i]
		if i > 0 {
			imgui.SameLineV(0, g.px(4))
		}
		w := imgui.CalcTextSize(p.name, false, 0).X + g.px(20)
		if g.toggle(p.name, i == a.page, imgui.Vec2{X: w, Y: high}) {
			a.page = i
		}
		g.mark("Page/" + p.name)
		g.hint(p.about)
	}
	imgui.PopStyleVar()
	if a.page == solverPage && a.snap != nil {
		imgui.SameLineV(0, g.px(16))
		a.whoIsWho(high)
	}
	imgui.PopFont()
}

// whoIsWho is the line beside the tabs: both solvers and how far they are apart.
func (a *app) whoIsWho(high float32) {
	g := &a.gui
	list := imgui.WindowDrawList()
	pos := imgui.CursorScreenPos()
	end := pos.X + imgui.ContentRegionAvail().X
	imgui.Dummy(imgui.Vec2{X: g.px(1), Y: high}) // ends the line
	y := pos.Y + (high-imgui.TextLineHeight())/2
	x := pos.X
	put := func(color uint32, text string) {
		w := imgui.CalcTextSize(text, false, 0).X
		if x+w <= end {
			list.AddText(imgui.Vec2{X: x, Y: y}, packed(color), text)
		} else {
			end = x // what follows would stand where this should
		}
		x += w + g.px(16)
	}
	sh := &a.snap.Shadow
	put(firstColor, a.params.Solver+" —")
	if sh.Solver == "" {
		put(dimColor, "no second solver: choose one under Shadow")
		return
	}
	put(shadowColor, sh.Solver+" - - (shadow)")
	if sh.Step > 0 {
		put(inkColor, "forces differ by "+percent(sh.ForceDifference))
	}
}

// compareSection is the table of both solvers.
func (a *app) compareSection() {
	g := &a.gui
	if a.params.Shadow == "" || a.snap == nil {
		return
	}
	if !g.section("Comparison", true) {
		return
	}
	s := &a.snap.Shadow
	if s.Step == 0 || s.Solver != a.params.Shadow {
		g.dim("Nothing compared yet.")
		return
	}
	row := func(name, first, second, about string) {
		imgui.TableNextRow()
		imgui.TableNextColumn()
		g.dim(name)
		g.hint(about)
		imgui.TableNextColumn()
		imgui.Text(first)
		imgui.TableNextColumn()
		imgui.Text(second)
	}
	if imgui.BeginTableV("compare", 3, imgui.TableFlagsRowBg|imgui.TableFlagsBordersInnerH|imgui.TableFlagsSizingFixedFit, imgui.Vec2{}, 0) {
		imgui.TableSetupColumnV("", imgui.TableColumnFlagsWidthFixed, g.px(112), 0)
		imgui.TableSetupColumnV("", imgui.TableColumnFlagsWidthStretch, 1, 0)
		imgui.TableSetupColumnV("", imgui.TableColumnFlagsWidthStretch, 1, 0)
		imgui.TableNextRow()
		imgui.TableNextColumn()
		imgui.TableNextColumn()
		g.colored(firstColor, "solver")
		g.hint(a.params.Solver)
		imgui.TableNextColumn()
		g.colored(shadowColor, "shadow")
		g.hint(s.Solver)
		number := func(n int) string { return strconv.Itoa(n) }
		counts := func(n [3]int) string {
			return number(n[contact.Open]) + " / " + number(n[contact.Stick]) + " / " + number(n[contact.Slip])
		}
		f, r := &s.First, &s.Result
		row("Force", force.text(s.FirstForce.Len()), force.text(s.Force.Len()), "Norm of the resultant of the contact forces on the stylus, on the same problem.")
		row("Iterations", number(f.Iterations), number(r.Iterations), "Sweeps, Newton steps or pivots of the solve.")
		row("Time", duration.text(f.Elapsed.Seconds()), duration.text(r.Elapsed.Seconds()), "Time of the solve.")
		row("Relative", change(f), change(r), "Relative change of the forces in the last iteration (2.72); a dash where the solver does not measure it.")
		row("e", digits(f.NaturalError, 3), digits(r.NaturalError, 3), "Error of the natural map.")
		row("e_s", digits(f.ScaledError, 3), digits(r.ScaledError, 3), "Error of the natural map without units.")
		row("Converged", yes(f.Converged), yes(r.Converged), "Whether the solver met its criterion and both errors confirm it.")
		row("Open/stick/slip", counts(s.FirstStatuses), counts(s.Statuses), "Contacts by status.")
		imgui.EndTable()
	}
	g.readout(&ctlForceDifference, percent(s.ForceDifference), inkColor)
	g.readout(&ctlDifference, percent(s.Difference), inkColor)
	g.readout(&ctlSkipped, number64(s.Solved)+" / "+number64(s.Skipped), dimColor)
}

// change is the relative change of the last iteration as text.
func change(r *contact.Result) string {
	if r.RelativeChange == 0 {
		return "–"
	}
	return digits(r.RelativeChange, 3)
}

func number64(n uint64) string { return strconv.FormatUint(n, 10) }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
