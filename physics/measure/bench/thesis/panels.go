package thesis

import (
	"fmt"
	"math"

	"hapco/physics/measure/bench"
)

// panel draws a value of some methods along a path.
func (r *Results) panel(c bench.Case, y string, value func(*Answer) float64, methods ...Method) Panel {
	p := Panel{X: axisNames[c.Path], Y: y}
	for _, m := range methods {
		p.put(r.curve(c, m, value))
	}
	return p
}

// norms draws the norm of the reference's forces, and of the exact ones.
func (r *Results) norms(c bench.Case) Panel {
	p := r.panel(c, "norm of the contact forces, N", forceNorm, reference)
	p.put(r.exactCurve(c, normOf))
	return p
}

// slips draws the sliding contacts of some methods, and of the exact solution.
func (r *Results) slips(c bench.Case, methods ...Method) Panel {
	p := r.panel(c, "sliding contacts", slidingOf, methods...)
	p.put(r.exactCurve(c, slidingExact))
	return p
}

func titled(title string, p Panel) Panel {
	p.Title = title
	return p
}

// floor is the least value, in percent, that a logarithmic axis shows.
const floor = 1e-8

// logged gives a panel of percents a logarithmic axis.
func logged(p Panel) Panel {
	p.LogY = true
	for i := range p.Series {
		for k, y := range p.Series[i].Y {
			p.Series[i].Y[k] = math.Max(y, floor)
		}
	}
	return p
}

// cell is one entry of a time table: the thesis's and ours.
type cell struct {
	method  Method
	c       bench.Case
	thesis  printed
	against printed // the thesis's Uzawa global in the same place
}

// row gives a cell's numbers by column. Ratios are to Uzawa global.
func (r *Results) row(x cell) map[string]any {
	run, base := r.run(x.c, x.method), r.run(x.c, Method{"uzawa", x.method.Tolerance, x.method.Limit, 1})
	row := map[string]any{
		"solver": styles[x.method.Solver].name, "path": pathNames[x.c.Path], "mu": x.c.Mu, "rho factor": x.method.Factor,
		"thesis ms": x.thesis.ms, "thesis diverges": x.thesis.diverges, "thesis / global": finite(x.thesis.ms / x.against.ms),
	}
	if run == nil || len(run.Answers) == 0 {
		return row
	}
	row["ms"], row["ms / global"], row["sweeps"] = finite(run.meanMS()), finite(run.meanMS()/base.meanMS()), finite(run.meanSweeps())
	row["diverged"], row["increments"] = run.diverged(), run.total()
	row["deviation %"], row["error %"] = finite(run.deviation()), finite(run.meanError())
	return row
}

var timeHeader = []string{"solver", "mu", "thesis ms", "thesis diverges", "ms", "diverged", "increments", "thesis / global", "ms / global", "sweeps", "deviation %", "error %"}

// Looks of the two sides of a comparison.
const (
	thesisLook = 4
	oursLook   = 0
)

// diverges is what marks a bar or point that stands for a divergence.
const diverges = "diverges"

// figure is a figure of the thesis.
func figure(id, title, thesis string, panels ...Panel) *Exhibit {
	return &Exhibit{ID: id, Kind: "figure", Title: title, Thesis: thesis, Panels: panels}
}

// comparison draws ratios as bars up or down from 1, the thesis's beside ours.
func comparison(y string) (Panel, *Series, *Series) {
	return Panel{Y: y, LogY: true, Base: 1}, &Series{Name: "thesis", Style: Bars, Look: thesisLook}, &Series{Name: "here", Style: Bars, Look: oursLook}
}

func mark(diverged bool) string {
	if diverged {
		return diverges
	}
	return ""
}

// describe names a case in a title.
func describe(c bench.Case) string {
	return fmt.Sprintf("%s, %s contacts, %s", pairNames[c.Pair], c.Bench[1:], pathNames[c.Path])
}
