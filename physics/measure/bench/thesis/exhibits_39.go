package thesis

import (
	"fmt"
	"math"

	"hapco/physics/measure/bench"
)

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
		e := &Exhibit{ID: f.id, Kind: "figure", Title: fmt.Sprintf("Time over the number of contacts, %s, %s", names[f.solver], pairNames[f.pair]),
			Thesis: fmt.Sprintf("%s; time grows as n^%g on bench A (16 and 36 contacts), n^%g with bench B (66), all pairs and paths together", curveOnly, orders["A"][f.solver], orders["B"][f.solver])}
		for _, family := range []string{"A", "B"} {
			p := Panel{Title: "bench " + family, X: "contacts", Y: "mean time, ms", LogX: true, LogY: true}
			for k, path := range paths {
				s := r.growth(family, f.pair, path, f.solver)
				if order, ok := slope(s.X, s.Y); ok {
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

// slope fits log y = a + order log x.
func slope(x, y []float64) (order float64, ok bool) {
	return slopes([][]float64{x}, [][]float64{y})
}

// slopes fits one exponent to several curves, each with a factor of its own.
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
