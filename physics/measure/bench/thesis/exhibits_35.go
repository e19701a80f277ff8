package thesis

import "fmt"

// factorExhibits are figures 3.13 to 3.18 and table 3.19: factors on rho, at 1e-8.
func (r *Results) factorExhibits() []*Exhibit {
	pen := bench36("alu-tissue", "pen", usual)
	half, g, twice := fine("uzawa", 0.5), fine("uzawa", 1), fine("uzawa", 2)
	halfStar, star := fine("uzawa-star", 0.5), reference
	figure := func(id, title, thesis string, panels ...Panel) *Exhibit {
		return &Exhibit{ID: id, Kind: "figure", Title: title + "; " + describe(pen), Thesis: thesis, Panels: panels}
	}
	all := []Method{half, g, twice, halfStar, star}
	times := distinct(r.panel(pen, "time of a solve, ms", timeMS, all...))
	counts := distinct(r.panel(pen, "Gauss-Seidel sweeps", sweeps, all...))
	norms := r.panel(pen, "norm of the contact forces, N", forceNorm, star)
	norms.put(r.exactCurve(pen, normOf))
	twiceDev := r.panel(pen, "deviation from Uzawa global*, %", deviationOf, twice)
	twiceDev.level("thesis's mean, 5.07 %", looks["uzawa"], 5.07)
	slip := distinct(r.panel(pen, "sliding contacts", slidingOf, all...))
	slip.put(r.exactCurve(pen, slidingExact))
	return []*Exhibit{
		figure("3.13", "Time with factors on rho", curveOnly+"; halves and doubles as the sweeps do", times),
		figure("3.14", "Sweeps with factors on rho", curveOnly+"; x0.5 doubles, x2 halves, and falls below global*", counts),
		figure("3.15", "Norm of the forces", curveOnly, norms),
		figure("3.16", "Deviation of Uzawa global, rho x 2, from global*", curveOnly+"; mean 5.07 %", twiceDev),
		figure("3.17", "Deviation of Uzawa global*, rho x 0.5, from global*", curveOnly+"; mean 1e-40 %: none",
			logged(r.panel(pen, "deviation from Uzawa global*, %", deviationOf, halfStar))),
		figure("3.18", "Sliding contacts with factors on rho", curveOnly+"; all methods agree, no contact sticks", slip),
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
				p.Labels = append(p.Labels, fmt.Sprintf("%s\n× %g", short[m.Solver], m.Factor))
				theirs.add(at, x.thesis.ms/x.against.ms, "")
				ours.add(at, run.meanMS()/r.run(c, fine("uzawa", 1)).meanMS(), mark(run.diverged() > 0))
			}
		}
		p.put(*theirs)
		p.put(*ours)
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
