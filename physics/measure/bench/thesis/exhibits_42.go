package thesis

import (
	"fmt"

	"hapco/physics/measure/bench"
)

func coupledCase(b, pair, path string) bench.Case {
	return bench.Case{Bench: b, Pair: pair, Clamp: "bottom", Path: path, Mu: usual}
}

// couplingExhibits are figures 4.4 to 4.12 and tables 4.13 and 4.14.
func (r *Results) couplingExhibits() []*Exhibit {
	first := map[string]int{"alu-tissue": 4, "alu-rubber": 7, "tissue-tissue": 10}
	var all []*Exhibit
	for _, pair := range pairs {
		figure := func(k int, title string, thesis string, panel func(path string) Panel) {
			e := &Exhibit{ID: fmt.Sprintf("4.%d", first[pair]+k), Kind: "figure", Thesis: thesis,
				Title: fmt.Sprintf("%s with and without Delassus, %s, 36 contacts", title, pairNames[pair])}
			for _, path := range paths {
				e.Panels = append(e.Panels, titled(pathNames[path], panel(path)))
			}
			all = append(all, e)
		}
		figure(0, "Time of the contact forces", curveOnly+"; without takes three times as long", func(path string) Panel {
			p := Panel{X: axisNames[path], Y: "time R, ms", LogY: true}
			p.put(r.coupledCurve(pair, path, "with Delassus", true, Line, 0, timeR))
			p.put(r.coupledCurve(pair, path, "without", false, Line, 1, timeR))
			return p
		})
		figure(1, "Contact statuses", curveOnly+"; no difference", func(path string) Panel {
			p := Panel{X: axisNames[path], Y: "contacts"}
			slip := func(c *Coupling) float64 { return float64(c.Sliding) }
			stick := func(c *Coupling) float64 { return float64(c.Sticking) }
			p.put(r.coupledCurve(pair, path, "sliding, with Delassus", true, Line, 0, slip))
			p.put(r.coupledCurve(pair, path, "sliding, without", false, Points, 4, slip))
			p.put(r.coupledCurve(pair, path, "sticking, with Delassus", true, Line, 1, stick))
			p.put(r.coupledCurve(pair, path, "sticking, without", false, Points, 5, stick))
			return p
		})
		figure(2, "Norm of the forces", curveOnly+"; no difference", func(path string) Panel {
			p := Panel{X: axisNames[path], Y: "norm of the contact forces, N"}
			size := func(c *Coupling) float64 { return c.Norm }
			p.put(r.coupledCurve(pair, path, "with Delassus", true, Line, 0, size))
			p.put(r.coupledCurve(pair, path, "without", false, Points, 1, size))
			return p
		})
	}
	for i := range couplingTables {
		all = append(all, r.couplingExhibit(&couplingTables[i]))
	}
	return all
}

func (r *Results) coupledCurve(pair, path, name string, with bool, style Style, look int, value func(*Coupling) float64) Series {
	s := Series{Name: name, Style: style, Look: look}
	if c := r.coupled(coupledCase("C36", pair, path)); c != nil {
		all := c.Without
		if with {
			all = c.With
		}
		for i := range all {
			s.add(float64(all[i].Increment), value(&all[i]), "")
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
	ratio.put(*theirs)
	ratio.put(*ours)
	for _, b := range bars {
		absolute.put(b)
	}
	e.Panels = []Panel{ratio, absolute}
	return e
}
