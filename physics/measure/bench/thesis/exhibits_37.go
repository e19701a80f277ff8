package thesis

import (
	"fmt"
	"slices"
)

// youngExhibits are those of section 3.7: the time tables at mu = 0.3, each with the deviations of the six
// solvers (3.21, 3.23, 3.25, 3.28, 3.31, 3.34) and the norm of the forces (3.26, 3.29, 3.32, 3.35).
func (r *Results) youngExhibits() []*Exhibit {
	deviationOfTable := map[string]string{"3.20": "3.21", "3.22": "3.23", "3.24": "3.25", "3.27": "3.28", "3.30": "3.31", "3.33": "3.34"}
	normOfTable := map[string]string{"3.24": "3.26", "3.27": "3.29", "3.30": "3.32", "3.33": "3.35"}
	var all []*Exhibit
	for i := range timeTables {
		table := &timeTables[i]
		if len(table.mu) > 1 {
			continue
		}
		all = append(all, r.timeExhibit(table), r.deviationExhibit(table, deviationOfTable[table.id]))
		if id := normOfTable[table.id]; id != "" {
			all = append(all, r.normExhibit(table, id))
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
	norms := &Exhibit{ID: "3.42", Kind: "figure", Thesis: curveOnly + "; the norm grows with mu",
		Title: "Norm of the forces over friction, Uzawa global*, aluminium on soft tissue, 36 contacts"}
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
		p.Labels = append(p.Labels, short[x.method.Solver])
		theirs.add(float64(k), x.thesis.ms/x.against.ms, mark(x.thesis.diverges))
		if run := r.run(x.c, x.method); run != nil {
			ours.add(float64(k), run.meanMS()/r.run(x.c, coarse("uzawa")).meanMS(), mark(run.diverged() > 0))
		}
	}
	p.put(*theirs)
	p.put(*ours)
	return p
}

// frictionCurves draws the thesis's times beside ours, over mu.
func (r *Results) frictionCurves(table *timeTable) []Panel {
	theirs := Panel{Title: "thesis, " + xeon, X: "friction coefficient μ", Y: "mean time, ms", LogY: true}
	ours := Panel{Title: "here", X: theirs.X, Y: theirs.Y, LogY: true}
	for _, row := range table.rows {
		a := Series{Name: names[row.solver], Style: Line, Look: looks[row.solver]}
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

func (r *Results) deviationExhibit(table *timeTable, id string) *Exhibit {
	c := bench36(table.pair, table.path, usual)
	e := &Exhibit{ID: id, Kind: "figure", Title: "Deviation of the forces; " + describe(c), Thesis: curveOnly}
	if v, ok := deviations[table.pair][table.path]; ok {
		e.Thesis += fmt.Sprintf("; means %g %% with (rho_n, rho_t), %g %% with rho_min", v[0], v[1])
	} else {
		e.Thesis += fmt.Sprintf("; mean %g %%", deviationsSoft[table.path])
	}
	var methods []Method
	for _, s := range uzawas {
		methods = append(methods, coarse(s))
	}
	e.Panels = []Panel{
		logged(titled("from Uzawa global* at 1e-8", r.panel(c, "deviation, %", deviationOf, methods...))),
		logged(titled("from the exact solution", r.panel(c, "error, %", errorOf, methods...))),
	}
	return e
}

func (r *Results) normExhibit(table *timeTable, id string) *Exhibit {
	c := bench36(table.pair, table.path, usual)
	p := r.panel(c, "norm of the contact forces, N", forceNorm, reference)
	p.put(r.exactCurve(c, normOf))
	return &Exhibit{ID: id, Kind: "figure", Title: "Norm of the forces; " + describe(c), Thesis: curveOnly, Panels: []Panel{p}}
}
