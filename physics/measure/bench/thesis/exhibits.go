package thesis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hapco/physics/measure/bench"
)

const curveOnly = "a curve without numbers"

// formulationExhibits are figures 3.4 to 3.12: the formulations compared, at 1e-8.
func (r *Results) formulationExhibits() []*Exhibit {
	pen, slide := formulationCases[0], formulationCases[1]
	g, star, printed, right, consistent := fine("uzawa", 1), reference, fine("pseudo-printed", 1), fine("pseudo", 1), fine("uzawa-star-consistent", 1)
	const on16 = "aluminium on soft tissue, 16 contacts, penetration"
	const on36 = "aluminium on soft tissue, 36 contacts, sliding"

	time16 := r.panel(pen, "time of a solve, ms", timeMS, g, star, consistent)
	sweeps16 := r.panel(pen, "Gauss-Seidel sweeps", sweeps, g, star, consistent)
	for _, m := range []Method{g, star} {
		sweeps16.level("thesis's mean: "+m.title(), styles[m.Solver].look, prose34["pen"][m.Solver][1])
	}
	time36 := r.panel(slide, "time of a solve, ms", timeMS, printed, right, g, star)
	time36.LogY = true

	return []*Exhibit{
		figure("3.4", "Time: Uzawa global and global*; "+on16,
			fmt.Sprintf("%s; mean times on an %s: global %g ms, global* %g ms, pseudo-potential (not drawn) %g ms", curveOnly, core2, prose34["pen"]["uzawa"][0], prose34["pen"]["uzawa-star"][0], prose34["pen"]["pseudo-printed"][0]), time16),
		figure("3.5", "Sweeps: Uzawa global and global*; "+on16,
			fmt.Sprintf("%s; means about %g and %g, at the last increment %g and %g", curveOnly, prose34["pen"]["uzawa"][1], prose34["pen"]["uzawa-star"][1], lastSweeps["uzawa"], lastSweeps["uzawa-star"]), sweeps16),
		figure("3.6", "Norm of the forces; "+on16, curveOnly+", nearly a straight line", r.norms(pen)),
		figure("3.7", "Deviation of the forces; "+on16, curveOnly+"; global below 6.7 % from global*, the pseudo-potential above 12 %",
			titled("from Uzawa global*", r.panel(pen, "deviation, %", deviationOf, g, consistent)),
			titled("from the exact solution", r.panel(pen, "error, %", errorOf, g, consistent, star))),
		figure("3.8", "Sliding contacts; "+on16, curveOnly+"; the same for global and global*, not for the pseudo-potential", r.slips(pen, printed, right, g, star)),
		figure("3.9", "Time; "+on36,
			fmt.Sprintf("%s; mean times: global %g ms, global* %g ms, pseudo-potential %g ms; sweeps %g, %g, %g", curveOnly, prose34["slide"]["uzawa"][0], prose34["slide"]["uzawa-star"][0], prose34["slide"]["pseudo-printed"][0], prose34["slide"]["uzawa"][1], prose34["slide"]["uzawa-star"][1], prose34["slide"]["pseudo-printed"][1]), time36),
		figure("3.10", "Norm of the forces; "+on36, curveOnly+", falling", r.norms(slide)),
		figure("3.11", "Deviation of the forces; "+on36, curveOnly+"; global below 5 % from global*, the pseudo-potential often above 7 %",
			logged(titled("from Uzawa global*", r.panel(slide, "deviation, %", deviationOf, g, printed, right))),
			logged(titled("from the exact solution", r.panel(slide, "error, %", errorOf, g, printed, right, star)))),
		figure("3.12", "Sliding contacts; "+on36, curveOnly+"; the two differ where figure 3.11 peaks", r.slips(slide, g, star)),
	}
}

// factorExhibits are figures 3.13 to 3.18 and table 3.19: factors on rho, at 1e-8.
func (r *Results) factorExhibits() []*Exhibit {
	pen := bench36("alu-tissue", "pen", usual)
	half, g, twice := fine("uzawa", 0.5), fine("uzawa", 1), fine("uzawa", 2)
	halfStar, star := fine("uzawa-star", 0.5), reference
	here := func(id, title, thesis string, panels ...Panel) *Exhibit {
		return figure(id, title+"; "+describe(pen), thesis, panels...)
	}
	all := []Method{half, g, twice, halfStar, star}
	times := distinct(r.panel(pen, "time of a solve, ms", timeMS, all...))
	counts := distinct(r.panel(pen, "Gauss-Seidel sweeps", sweeps, all...))
	twiceDev := r.panel(pen, "deviation from Uzawa global*, %", deviationOf, twice)
	twiceDev.level("thesis's mean, 5.07 %", styles["uzawa"].look, 5.07)
	slip := distinct(r.panel(pen, "sliding contacts", slidingOf, all...))
	slip.put(r.exactCurve(pen, slidingExact)) // in its own colour
	return []*Exhibit{
		here("3.13", "Time with factors on rho", curveOnly+"; halves and doubles as the sweeps do", times),
		here("3.14", "Sweeps with factors on rho", curveOnly+"; x0.5 doubles, x2 halves, and falls below global*", counts),
		here("3.15", "Norm of the forces", curveOnly, r.norms(pen)),
		here("3.16", "Deviation of Uzawa global, rho x 2, from global*", curveOnly+"; mean 5.07 %", twiceDev),
		here("3.17", "Deviation of Uzawa global*, rho x 0.5, from global*", curveOnly+"; mean 1e-40 %: none",
			logged(r.panel(pen, "deviation from Uzawa global*, %", deviationOf, halfStar))),
		here("3.18", "Sliding contacts with factors on rho", curveOnly+"; all methods agree, no contact sticks", slip),
		r.table319(),
	}
}

// distinct gives every series a colour of its own, whatever its solver.
func distinct(p Panel) Panel {
	for i := range p.Series {
		p.Series[i].Look = i
	}
	return p
}

func (r *Results) table319() *Exhibit {
	e := &Exhibit{ID: "3.19", Kind: "table", Title: "Mean time with factors on rho, aluminium on soft tissue, 36 contacts",
		Thesis: "numbers, ms on an unnamed machine; beyond rho_min x 2.2 and rho* x 1.5 unstable",
		Header: []string{"solver", "rho factor", "path", "thesis ms", "ms", "diverged", "increments", "thesis / global", "ms / global", "sweeps", "deviation %", "error %"}}
	for _, path := range []string{"slide", "pen"} {
		p, theirs, ours := comparison("time, relative to Uzawa global")
		p.Title = pathNames[path]
		c := bench36("alu-tissue", path, usual)
		printedMS := func(k int) printed {
			if path == "pen" {
				return t(table319[k].pen)
			}
			return t(table319[k].slide)
		}
		for _, m := range factorMethods() {
			x := cell{method: m, c: c, against: printedMS(0)}
			known := false
			for k, row := range table319 {
				if row.solver == m.Solver && row.factor == m.Factor {
					x.thesis, known = printedMS(k), true
				}
			}
			row := r.row(x)
			if !known {
				row["thesis ms"], row["thesis / global"] = nil, nil
			}
			e.Rows = append(e.Rows, row)
			if run := r.run(c, m); known && run != nil {
				at := float64(len(p.Labels))
				p.Labels = append(p.Labels, fmt.Sprintf("%s\n× %g", styles[m.Solver].short, m.Factor))
				theirs.add(at, x.thesis.ms/x.against.ms, "")
				ours.add(at, run.meanMS()/r.run(c, fine("uzawa", 1)).meanMS(), mark(run.diverged() > 0))
			}
		}
		p.put(*theirs, *ours)
		e.Panels = append(e.Panels, p)
	}
	return e
}

// factorMethods are those of 3.19, and of factors beyond.
func factorMethods() []Method {
	var ms []Method
	for _, f := range factors {
		ms = append(ms, fine("uzawa", f))
	}
	for _, f := range factorsStar {
		ms = append(ms, fine("uzawa-star", f))
	}
	return ms
}

// youngExhibits are those of section 3.7: the time tables at mu = 0.3, each with the deviations of the six
// solvers (3.21, 3.23, 3.25, 3.28, 3.31, 3.34) and the norm of the forces (3.26, 3.29, 3.32, 3.35).
func (r *Results) youngExhibits() []*Exhibit {
	var all []*Exhibit
	for i := range timeTables {
		table := &timeTables[i]
		if len(table.mu) > 1 {
			continue
		}
		all = append(all, r.timeExhibit(table), r.deviationExhibit(table))
		if table.norm != "" {
			all = append(all, r.normExhibit(table))
		}
	}
	return all
}

// frictionExhibits are those of section 3.8: time tables over mu, and 3.42.
func (r *Results) frictionExhibits() []*Exhibit {
	var all []*Exhibit
	for i := range timeTables {
		if len(timeTables[i].mu) > 1 {
			all = append(all, r.timeExhibit(&timeTables[i]))
		}
	}
	norms := figure("3.42", "Norm of the forces over friction, Uzawa global*, aluminium on soft tissue, 36 contacts",
		curveOnly+"; the norm grows with mu")
	for _, path := range paths {
		p := Panel{Title: pathNames[path], X: axisNames[path], Y: "norm of the contact forces, N"}
		for k, mu := range frictions {
			s := r.curve(bench36("alu-tissue", path, mu), coarse("uzawa-star"), forceNorm)
			s.Name, s.Look = fmt.Sprintf("μ = %g", mu), k
			p.put(s)
		}
		norms.Panels = append(norms.Panels, p)
	}
	return append(all, norms)
}

// atUsual is a table at mu = 0.3, with the figures that go with it, of cells in the order of uzawas. The thesis's rows are sorted by time.
func atUsual(id, deviation, norm, pair, path string, cells ...printed) timeTable {
	table := timeTable{id: id, deviation: deviation, norm: norm, pair: pair, path: path, mu: []float64{usual}}
	for i, solver := range uzawas {
		table.rows = append(table.rows, timeRow{solver, cells[i : i+1]})
	}
	slices.SortFunc(table.rows, func(a, b timeRow) int { return cmp.Compare(a.cells[0].ms, b.cells[0].ms) })
	return table
}

// cells are the table's entries, row by row.
func (t *timeTable) cells() []cell {
	global := t.rows[slices.IndexFunc(t.rows, func(row timeRow) bool { return row.solver == "uzawa" })]
	var cs []cell
	for _, row := range t.rows {
		for k, mu := range t.mu {
			cs = append(cs, cell{method: coarse(row.solver), c: bench36(t.pair, t.path, mu), thesis: row.cells[k], against: global.cells[k]})
		}
	}
	return cs
}

func (r *Results) timeExhibit(table *timeTable) *Exhibit {
	e := &Exhibit{ID: table.id, Kind: "table", Header: timeHeader,
		Title:  fmt.Sprintf("Mean time of the Uzawa solvers, %s, 36 contacts, %s", pairNames[table.pair], pathNames[table.path]),
		Thesis: "numbers, ms on an " + xeon}
	for _, x := range table.cells() {
		e.Rows = append(e.Rows, r.row(x))
	}
	if len(table.mu) == 1 {
		e.Panels = []Panel{r.ratioBars(table)}
		return e
	}
	e.Title += ", over friction"
	e.Panels = r.frictionCurves(table)
	return e
}

// ratioBars compares the solvers' times relative to Uzawa global.
func (r *Results) ratioBars(table *timeTable) Panel {
	p, theirs, ours := comparison("time, relative to Uzawa global")
	for k, x := range table.cells() {
		p.Labels = append(p.Labels, styles[x.method.Solver].short)
		theirs.add(float64(k), x.thesis.ms/x.against.ms, mark(x.thesis.diverges))
		if run := r.run(x.c, x.method); run != nil {
			ours.add(float64(k), run.meanMS()/r.run(x.c, coarse("uzawa")).meanMS(), mark(run.diverged() > 0))
		}
	}
	p.put(*theirs, *ours)
	return p
}

// frictionCurves draws the thesis's times beside ours, over mu.
func (r *Results) frictionCurves(table *timeTable) []Panel {
	theirs := Panel{Title: "thesis, " + xeon, X: "friction coefficient μ", Y: "mean time, ms", LogY: true}
	ours := Panel{Title: "here", X: theirs.X, Y: theirs.Y, LogY: true}
	for _, row := range table.rows {
		a := Series{Name: styles[row.solver].name, Style: Line, Look: styles[row.solver].look}
		b := a
		for k, mu := range table.mu {
			a.add(mu, row.cells[k].ms, mark(row.cells[k].diverges))
			if run := r.run(bench36(table.pair, table.path, mu), coarse(row.solver)); run != nil {
				b.add(mu, run.meanMS(), mark(run.diverged() > 0))
			}
		}
		theirs.put(a)
		ours.put(b)
	}
	return []Panel{theirs, ours}
}

func (r *Results) deviationExhibit(table *timeTable) *Exhibit {
	c := bench36(table.pair, table.path, usual)
	means := fmt.Sprintf("mean %g %%", deviationsSoft[table.path])
	if v, ok := deviations[table.pair][table.path]; ok {
		means = fmt.Sprintf("means %g %% with (rho_n, rho_t), %g %% with rho_min", v[0], v[1])
	}
	return figure(table.deviation, "Deviation of the forces; "+describe(c), curveOnly+"; "+means,
		logged(titled("from Uzawa global* at 1e-8", r.panel(c, "deviation, %", deviationOf, coarseUzawas()...))),
		logged(titled("from the exact solution", r.panel(c, "error, %", errorOf, coarseUzawas()...))))
}

func (r *Results) normExhibit(table *timeTable) *Exhibit {
	c := bench36(table.pair, table.path, usual)
	return figure(table.norm, "Norm of the forces; "+describe(c), curveOnly, r.norms(c))
}

// Numbers of contacts of section 3.9.
var sizes = []int{16, 36, 66}

// sized is a case of section 3.9: bench "A" or "B" with n contacts.
func sized(family string, n int, pair, path string) bench.Case {
	b := fmt.Sprintf("%s%d", family, n)
	return bench.Case{Bench: b, Pair: pair, Clamp: clampOf(b), Path: path, Mu: usual}
}

// contactExhibits are figures 3.43 to 3.45.
func (r *Results) contactExhibits() []*Exhibit {
	figures := []struct{ id, pair, solver string }{
		{"3.43", "alu-tissue", "uzawa-star"},
		{"3.44", "alu-rubber", "uzawa"},
		{"3.45", "tissue-tissue", "uzawa"},
	}
	var all []*Exhibit
	for _, f := range figures {
		e := figure(f.id, fmt.Sprintf("Time over the number of contacts, %s, %s", styles[f.solver].name, pairNames[f.pair]),
			fmt.Sprintf("%s; time grows as n^%g on bench A (16 and 36 contacts), n^%g with bench B (66), all pairs and paths together", curveOnly, orders["A"][f.solver], orders["B"][f.solver]))
		for _, family := range []string{"A", "B"} {
			p := Panel{Title: "bench " + family, X: "contacts", Y: "mean time, ms", LogX: true, LogY: true}
			for k, path := range paths {
				s := r.growth(family, f.pair, path, f.solver)
				if order, ok := slopes([][]float64{s.X}, [][]float64{s.Y}); ok {
					s.Name = pathNames[path]
					p.Title += fmt.Sprintf(", %s n^%.2f", pathNames[path], order)
				}
				s.Look = k
				p.put(s)
			}
			p.put(r.guide(p, orders[family][f.solver]))
			e.Panels = append(e.Panels, p)
		}
		all = append(all, e)
	}
	return all
}

// growth is the mean time over the number of contacts.
func (r *Results) growth(family, pair, path, solver string) Series {
	s := Series{Name: pathNames[path], Style: Line}
	for _, n := range sizes {
		if run := r.run(sized(family, n, pair, path), coarse(solver)); run != nil {
			s.add(float64(n), run.meanMS(), mark(run.diverged() > 0))
		}
	}
	return s
}

// guide is a line of the thesis's exponent through the first point of a panel.
func (r *Results) guide(p Panel, order float64) Series {
	s := Series{Name: "thesis's exponent", Style: Dashed, Look: thesisLook}
	if len(p.Series) == 0 {
		return s
	}
	x, y := p.Series[0].X[0], p.Series[0].Y[0]
	for _, n := range sizes {
		s.add(float64(n), y*math.Pow(float64(n)/x, order), "")
	}
	return s
}

// slopes fits log y = a + order log x: one exponent to several curves, each with a factor a of its own.
func slopes(xs, ys [][]float64) (order float64, ok bool) {
	up, down := 0.0, 0.0
	for k := range xs {
		mx, my := 0.0, 0.0
		for i := range xs[k] {
			mx += math.Log(xs[k][i]) / float64(len(xs[k]))
			my += math.Log(ys[k][i]) / float64(len(xs[k]))
		}
		for i := range xs[k] {
			dx := math.Log(xs[k][i]) - mx
			up += dx * (math.Log(ys[k][i]) - my)
			down += dx * dx
		}
	}
	return up / down, down > 0
}

func coupledCase(b, pair, path string) bench.Case {
	return bench.Case{Bench: b, Pair: pair, Clamp: "bottom", Path: path, Mu: usual}
}

// coupledCurve is a curve of the solver with or without the Delassus operator.
type coupledCurve struct {
	name  string
	with  bool
	style Style
	look  int
	value func(*Coupling) float64
}

// couplingExhibits are figures 4.4 to 4.12 and tables 4.13 and 4.14.
func (r *Results) couplingExhibits() []*Exhibit {
	slip := func(c *Coupling) float64 { return float64(c.Sliding) }
	stick := func(c *Coupling) float64 { return float64(c.Sticking) }
	size := func(c *Coupling) float64 { return c.Norm }
	figures := []struct {
		title, thesis, y string
		logY             bool
		curves           []coupledCurve
	}{
		{"Time of the contact forces", "without takes three times as long", "time R, ms", true,
			[]coupledCurve{{"with Delassus", true, Line, 0, timeR}, {"without", false, Line, 1, timeR}}},
		{"Contact statuses", "no difference", "contacts", false,
			[]coupledCurve{{"sliding, with Delassus", true, Line, 0, slip}, {"sliding, without", false, Points, 4, slip},
				{"sticking, with Delassus", true, Line, 1, stick}, {"sticking, without", false, Points, 5, stick}}},
		{"Norm of the forces", "no difference", "norm of the contact forces, N", false,
			[]coupledCurve{{"with Delassus", true, Line, 0, size}, {"without", false, Points, 1, size}}},
	}
	var all []*Exhibit
	for i, pair := range pairs {
		for k, f := range figures {
			e := figure(fmt.Sprintf("4.%d", 4+len(figures)*i+k),
				fmt.Sprintf("%s with and without Delassus, %s, 36 contacts", f.title, pairNames[pair]), curveOnly+"; "+f.thesis)
			for _, path := range paths {
				p := Panel{Title: pathNames[path], X: axisNames[path], Y: f.y, LogY: f.logY}
				for _, c := range f.curves {
					p.put(r.draw(coupledCase("C36", pair, path), c))
				}
				e.Panels = append(e.Panels, p)
			}
			all = append(all, e)
		}
	}
	for i := range couplingTables {
		all = append(all, r.couplingExhibit(&couplingTables[i]))
	}
	return all
}

// draw draws a curve of a case.
func (r *Results) draw(of bench.Case, curve coupledCurve) Series {
	s := Series{Name: curve.name, Style: curve.style, Look: curve.look}
	if c := r.coupled(of); c != nil {
		all := c.Without
		if curve.with {
			all = c.With
		}
		for i := range all {
			s.add(float64(all[i].Increment), curve.value(&all[i]), "")
		}
	}
	return s
}

// both are the increments of both paths, of which the thesis's tables give means.
func (r *Results) both(b, pair string) (with, without []Coupling) {
	for _, path := range paths {
		if c := r.coupled(coupledCase(b, pair, path)); c != nil {
			with, without = append(with, c.With...), append(without, c.Without...)
		}
	}
	return with, without
}

func (r *Results) couplingExhibit(table *couplingTable) *Exhibit {
	e := &Exhibit{ID: table.id, Kind: "table", Title: fmt.Sprintf("Mean times with and without Delassus, %d contacts, both paths", table.contacts),
		Thesis: "numbers, ms on an " + mobil,
		Header: []string{"pair", "solver", "thesis R ms", "thesis U ms", "thesis R+U ms", "R ms", "U ms", "R+U ms", "thesis R / with", "R / with", "sweeps"}}
	ratio, theirs, ours := comparison("time R, relative to with Delassus")
	ratio.Title = "without ÷ with Delassus"
	absolute := Panel{Title: "here", Y: "mean time, ms", LogY: true, Base: 0.01}
	bars := [3]Series{{Name: "R with Delassus", Style: Bars, Look: 2}, {Name: "R without", Style: Bars, Look: 1}, {Name: "U", Style: Bars, Look: 5}}
	for k, pair := range pairs {
		with, without := r.both(table.bench, pair)
		base := meanOf(with, timeR)
		for _, side := range []struct {
			name   string
			thesis [3]float64
			ours   []Coupling
		}{{"with Delassus", table.with[pair], with}, {"without", table.without[pair], without}} {
			tr, tu := meanOf(side.ours, timeR), meanOf(side.ours, timeU)
			e.Rows = append(e.Rows, map[string]any{
				"pair": pairNames[pair], "solver": side.name,
				"thesis R ms": side.thesis[0], "thesis U ms": side.thesis[1], "thesis R+U ms": side.thesis[2],
				"R ms": finite(tr), "U ms": finite(tu), "R+U ms": finite(tr + tu),
				"thesis R / with": side.thesis[0] / table.with[pair][0], "R / with": finite(tr / base),
				"sweeps": finite(meanOf(side.ours, func(c *Coupling) float64 { return float64(c.Sweeps) })),
			})
		}
		at := float64(k)
		label := map[string]string{"alu-tissue": "aluminium\nsoft tissue", "alu-rubber": "aluminium\nrubber", "tissue-tissue": "soft tissue\nsoft tissue"}[pair]
		ratio.Labels, absolute.Labels = append(ratio.Labels, label), append(absolute.Labels, label)
		theirs.add(at, table.without[pair][0]/table.with[pair][0], "")
		ours.add(at, meanOf(without, timeR)/base, "")
		bars[0].add(at, base, "")
		bars[1].add(at, meanOf(without, timeR), "")
		bars[2].add(at, meanOf(with, timeU), "")
	}
	ratio.put(*theirs, *ours)
	absolute.put(bars[:]...)
	e.Panels = []Panel{ratio, absolute}
	return e
}
