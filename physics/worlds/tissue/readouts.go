package tissue

import (
	"math"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
)

// What the window shows of a tissue world besides bodies and contacts: named numbers, and the plots and tables that are
// made of them.

// number is a named number and how it follows from a snapshot.
type number struct {
	physics.Number
	of func(p *Params, s *Snapshot) float64
}

// measures are what a convergence curve shows, by contact.Criterion.
var measures = [...]struct{ name, unit string }{
	contact.RelativeChange: {"relative change", ""},
	contact.Physical:       {"physical error", "m"},
	contact.NaturalMap:     {"e", ""},
	contact.Scaled:         {"e_s", ""},
	contact.SameStatus:     {"changed statuses", ""},
}

var numbers = allNumbers()

func allNumbers() []number {
	count := func(name string, of func(s *Snapshot) int) number {
		return number{physics.Number{Name: name, Format: physics.Count}, func(_ *Params, s *Snapshot) float64 { return float64(of(s)) }}
	}
	row := func(n number, section, label, about string) number {
		n.Section, n.Label, n.About = section, label, about
		return n
	}
	value := func(name, unit string, of func(p *Params, s *Snapshot) float64) number {
		return number{physics.Number{Name: name, Unit: unit}, of}
	}
	share := func(name string, of func(p *Params, s *Snapshot) float64) number {
		return number{physics.Number{Name: name, Format: physics.Share}, of}
	}
	warn := func(n number, from float64, rare bool) number {
		n.Warn, n.Rare = from, rare
		return n
	}
	list := []number{
		row(value("contact_force_N", "N", func(_ *Params, s *Snapshot) float64 { return s.Force.Len() }),
			"Haptics", "Contact force", "Norm of the resultant of the contact forces on the stylus, before reducer and limit."),
		row(warn(count("hand_lumped", func(s *Snapshot) int { return s.Stats.HandLumped }), 1, true),
			"Haptics", "Contacts felt as one", "Loaded contacts of the stylus that the model which the haptic loop works with between two steps has no room for: they are felt together as one."),
		row(warn(count("hand_open_left_out", func(s *Snapshot) int { return s.Stats.HandLeftOut - s.Stats.HandLumped }), 0, true),
			"Haptics", "Contacts left out", "Open contacts of the stylus that the model which the haptic loop works with between two steps has no room for."),
		row(warn(share("compression", func(_ *Params, s *Snapshot) float64 { return s.Stats.Compression }), 0.1, false),
			"Haptics", "Compression", "Largest compression of the tissue's surface. Linear elasticity is honest to some 10 %. At the limit, contact.strain_limit, the surface stiffens instead of folding over."),
		row(warn(count("inverted_elements", func(s *Snapshot) int { return s.Inverted }), 1, true),
			"Haptics", "Inverted elements", "Elements that the strain has turned over inside the tissue: there, stresses mean nothing."),
		row(warn(count("beyond_linear", func(s *Snapshot) int { return s.Beyond }), 1, true),
			"Haptics", "Beyond small strain", "Elements strained by more than a tenth: there linear elasticity is no longer honest. The colours \"beyond linear limit\" show where; a scene at large strains, such as liver, holds."),
		value("energy_J", "J", func(_ *Params, s *Snapshot) float64 { return s.Stats.Energy }),
		value("largest_strain", "", func(_ *Params, s *Snapshot) float64 { return s.Strain }),
		count("contacts", func(s *Snapshot) int { return len(s.Contacts) }),
		count("open", func(s *Snapshot) int { return s.Stats.Open }),
		count("sticking", func(s *Snapshot) int { return s.Stats.Stick }),
		count("sliding", func(s *Snapshot) int { return s.Stats.Slip }),
		value("penetration_m", "m", func(_ *Params, s *Snapshot) float64 { return s.Stats.Penetration }),
		value("rho_min_N_per_m", "N/m", func(_ *Params, s *Snapshot) float64 { return s.Stats.Solve.RhoMin }),
		value("tolerance_shown", "", func(p *Params, _ *Snapshot) float64 {
			switch p.Criterion {
			case contact.RelativeChange, contact.NaturalMap, contact.Scaled:
				return p.Tolerance
			}
			return math.NaN()
		}),
		number{physics.Number{Name: "late", Format: physics.YesNo}, func(_ *Params, s *Snapshot) float64 { // a deadline ended the solve
			if s.Stats.Late {
				return 1
			}
			return 0
		}},
		count("curve.points", func(s *Snapshot) int { return len(s.Curve.Values) }),

		count("shadow.curve.points", func(s *Snapshot) int { return len(s.Shadow.Curve.Values) }),
		count("shadow.step", func(s *Snapshot) int { return int(s.Shadow.Step) }),
		count("shadow.contacts", func(s *Snapshot) int { return s.Shadow.Contacts }),
		value("shadow.force_N", "N", func(_ *Params, s *Snapshot) float64 { return s.Shadow.Force.Len() }),
		value("first.force_N", "N", func(_ *Params, s *Snapshot) float64 { return s.Shadow.FirstForce.Len() }),
		row(share("shadow.force_difference", func(_ *Params, s *Snapshot) float64 { return s.Shadow.ForceDifference }),
			"Comparison", "Resultant differs", "Difference of the two resultants on the stylus over the first one, |F₂ − F₁| / |F₁|, on the same problem."),
		row(share("shadow.difference", func(_ *Params, s *Snapshot) float64 { return s.Shadow.Difference }),
			"Comparison", "Forces differ", "Difference of all contact forces, |r₂ − r₁| / |r₁|, on the same problem. Where contacts are redundant the forces are not unique, and may differ while the resultants agree."),
		row(count("shadow.solved", func(s *Snapshot) int { return int(s.Shadow.Solved) }),
			"Comparison", "Solved", "Problems that the second solver has worked on."),
		row(count("shadow.skipped", func(s *Snapshot) int { return int(s.Shadow.Skipped) }),
			"Comparison", "Left out", "Problems that came while the second solver was busy."),
		count("shadow.differing", func(s *Snapshot) int { return s.Shadow.Differing }),
	}
	// Of the step's own solve, of the first solver on the problem that both had, and of the second: the same numbers.
	for _, by := range [...]struct {
		prefix string
		result func(s *Snapshot) *contact.Result
	}{
		{"", func(s *Snapshot) *contact.Result { return &s.Stats.Solve }},
		{"first.", func(s *Snapshot) *contact.Result { return &s.Shadow.First }},
		{"shadow.", func(s *Snapshot) *contact.Result { return &s.Shadow.Result }},
	} {
		result := by.result
		list = append(list,
			count(by.prefix+"iterations", func(s *Snapshot) int { return result(s).Iterations }),
			value(by.prefix+"error", "", func(_ *Params, s *Snapshot) float64 { return result(s).RelativeChange }),
			value(by.prefix+"natural_map_error", "", func(_ *Params, s *Snapshot) float64 { return result(s).NaturalError }),
			value(by.prefix+"scaled_error", "", func(_ *Params, s *Snapshot) float64 { return result(s).ScaledError }),
			value(by.prefix+"solve_s", "s", func(_ *Params, s *Snapshot) float64 { return result(s).Elapsed.Seconds() }),
			number{physics.Number{Name: by.prefix + "converged", Format: physics.YesNo}, func(_ *Params, s *Snapshot) float64 {
				if result(s).Converged {
					return 1
				}
				return 0
			}})
	}
	for status, word := range statusWords {
		list = append(list,
			count("first."+word, func(s *Snapshot) int { return s.Shadow.FirstStatuses[status] }),
			count("shadow."+word, func(s *Snapshot) int { return s.Shadow.Statuses[status] }))
	}
	return list
}

// statusWords name the counts of contacts, by contact.Status.
var statusWords = [...]string{contact.Open: "open", contact.Stick: "sticking", contact.Slip: "sliding"}

// Colours of the two solvers.
const (
	firstColor  = 0x4aa8f0
	shadowColor = 0xf0854a
)

// Describe is what every tissue world shows, to be filled with bodies and a start.
func Describe() *physics.Info {
	i := &physics.Info{
		Fields: shownFields,
		Phases: []string{"collision", "free", "assemble", "contact", "displacement"},
		Pages:  pages,
		Tables: []physics.Table{comparison},
	}
	for k := range numbers {
		i.Numbers = append(i.Numbers, numbers[k].Number)
	}
	return i
}

// seamInfo describes the world to those who show it.
func (w *World) seamInfo() *physics.Info {
	i := Describe()
	i.Start, i.Lever = w.StartPose(), frame.Reach(w.bodies[w.driven].rest)
	i.Surfaces = w.Bodies()
	return i
}

// pages are the plots.
var pages = []physics.Page{
	{Name: "Overview", About: "Force, iterations, errors and step time over the last seconds (C).", Plots: []physics.Plot{
		{Title: "Iterations", Integer: true, Top: 10, About: "Iterations of the contact solver in the last step.",
			Curves: []physics.Curve{{Name: "contact", Number: "iterations"}}},
		{Title: "Error", Log: true, Mark: "tolerance_shown",
			About: "How exact the last contact solve was: relative change of the forces (2.72), error of the natural map e, and the same without units e_s. Dotted: the tolerance, where the criterion is one of these.",
			Curves: []physics.Curve{
				{Name: "relative", Number: "error", While: "contacts"},
				{Name: "e", Number: "natural_map_error", While: "contacts", Color: 0xcc79a7},
				{Name: "e_s", Number: "scaled_error", While: "contacts", Color: 0x35c08d}}},
	}},
	{Name: "Solver", About: "How the contact solver converged in the last step, and what a second one in its shadow makes of the same problems (C).",
		Base: "contact.solver", Key: "contact.shadow", Differ: "shadow.force_difference",
		Series: &physics.Plot{Title: "Convergence",
			About: "What the solver records after each iteration of its last solve: the number that the criterion names, or the residual e_s where the solver measures itself by that. Dotted: the value at which it is content."},
		Plots: []physics.Plot{
			two("Force", "Resultant of the contact forces on the stylus. In the corner: by how much the second solver's resultant differs on the same problem, |F₂ − F₁| / |F₁|.",
				"N", "contact_force_N", "shadow.force_N", "", "shadow.step"),
			two("Iterations", "Iterations of the two contact solvers. Those of different methods differ in cost: compare the times too.",
				"", "iterations", "shadow.iterations", "contacts", "shadow.contacts"),
			{Title: "Error", Log: true, Mark: "tolerance_shown", Key: 2, // e_s, which every solver has
				About: "Relative change of the forces (2.72), error of the natural map e, and the same without units e_s, of both solvers. Dotted: the tolerance, where the criterion is one of these.",
				Curves: triple([3]string{"relative", "e", "e_s"}, [3]string{"error", "natural_map_error", "scaled_error"}, "contacts", "shadow.contacts",
					[3]uint32{0xa5daf7, firstColor, 0x2f7fd0}, [3]uint32{0xf9c9a5, shadowColor, 0xc4501c})},
			two("Solve time", "Time of one contact solve.", "s", "solve_s", "shadow.solve_s", "contacts", "shadow.contacts"),
			{Title: "Status", Integer: true, Top: 4, Corner: "shadow.differing", CornerText: " differ",
				About:  "How many contacts are open, stick and slip by either solver. In the corner: contacts of which the two say different things.",
				Curves: triple([3]string{"open", "stick", "slip"}, [3]string{"open", "sticking", "sliding"}, "", "shadow.step", physics.StatusColors, physics.StatusColors)},
		}},
	{Name: "Contacts", About: "What the contacts do, and what they put into the bodies (C).", Plots: []physics.Plot{
		{Title: "Contacts", Integer: true, Top: 4, Key: 1, About: "How many contacts are open, stick and slide.",
			Curves: []physics.Curve{
				{Name: "open", Number: "open", Color: physics.StatusColors[0]},
				{Name: "stick", Number: "sticking", Color: physics.StatusColors[1]},
				{Name: "slip", Number: "sliding", Color: physics.StatusColors[2]}}},
		{Title: "Energy", Unit: "J", About: "Elastic energy that the contact forces have put into all bodies, r W r / 2. That of their own weight is not in it.",
			Curves: []physics.Curve{{Name: "elastic", Number: "energy_J"}}},
		{Title: "Penetration", Unit: "m", Top: 1e-9, About: "How deep the deepest contact overlaps: what the solver leaves.",
			Curves: []physics.Curve{{Name: "deepest", Number: "penetration_m"}}},
		{Title: "Compression", About: "Largest compression of the tissue's surface; the limit is contact.strain_limit.",
			Curves: []physics.Curve{{Name: "largest", Number: "compression"}}},
	}},
}

// two is a plot of one number of both solvers.
func two(title, about, unit, first, second, whileFirst, whileSecond string) physics.Plot {
	p := physics.Plot{Title: title, About: about, Unit: unit, Curves: []physics.Curve{
		{NameOf: "contact.solver", Number: first, While: whileFirst, Color: firstColor},
		{NameOf: "contact.shadow", Number: second, While: whileSecond, Color: shadowColor, Dashed: true}}}
	switch title {
	case "Force":
		p.Top, p.Corner, p.CornerText = 0.1, "shadow.force_difference", "Δ "
	case "Iterations":
		p.Log, p.Integer = true, true
	case "Solve time":
		p.Log = true
	}
	return p
}

// triple are three numbers of both solvers.
func triple(names, list [3]string, whileFirst, whileSecond string, first, second [3]uint32) (curves []physics.Curve) {
	for i, n := range names {
		curves = append(curves, physics.Curve{Name: n, Number: list[i], While: whileFirst, Color: first[i], Mate: 3 + i})
	}
	for i, n := range names {
		curves = append(curves, physics.Curve{Name: "shadow " + n, Number: "shadow." + list[i], While: whileSecond, Color: second[i], Dashed: true, Unlisted: true})
	}
	return curves
}

// comparison is the table of both solvers.
var comparison = func() physics.Table {
	t := physics.Table{Section: "Comparison", Key: "contact.shadow", While: "shadow.step", Empty: "Nothing compared yet.",
		Columns: []physics.Column{{Title: "solver", Key: "contact.solver", Color: firstColor}, {Title: "shadow", Key: "contact.shadow", Color: shadowColor}}}
	for _, r := range [...][3]string{
		{"Force", "force_N", "Norm of the resultant of the contact forces on the stylus, on the same problem."},
		{"Iterations", "iterations", "Sweeps, Newton steps or pivots of the solve."},
		{"Time", "solve_s", "Time of the solve."},
		{"Relative", "error", "Relative change of the forces in the last iteration (2.72); 0 where the solver does not measure it."},
		{"e", "natural_map_error", "Error of the natural map."},
		{"e_s", "scaled_error", "Error of the natural map without units."},
		{"Converged", "converged", "Whether the solver met its criterion and both errors confirm it."},
	} {
		t.Rows = append(t.Rows, physics.Row{Name: r[0], About: r[2], Cells: [][]string{{"first." + r[1]}, {"shadow." + r[1]}}})
	}
	counts := func(prefix string) []string {
		return []string{prefix + "open", prefix + "sticking", prefix + "sliding"}
	}
	t.Rows = append(t.Rows, physics.Row{Name: "Open/stick/slip", About: "Contacts by status.", Cells: [][]string{counts("first."), counts("shadow.")}})
	return t
}()
