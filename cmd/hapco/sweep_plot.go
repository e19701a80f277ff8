package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/physics/measure/sweep"
)

// A picture of a sweep has a plot for each of so many keys, and joins the runs that differ in that key alone, where
// there are no more curves than that.
const mostPlots, mostCurves = 6, 8

// drawSweep draws the largest force over each key that varies.
func drawSweep(file string, sheet *sweep.Sheet, results []*sweep.Result) error {
	var plots []*plot.Plot
	for column := range sheet.Columns {
		p, err := plotKey(sheet, results, column)
		if err != nil {
			return err
		}
		if p != nil && len(plots) < mostPlots {
			plots = append(plots, p)
		}
	}
	if len(plots) == 0 {
		return nil
	}
	return figure.SavePlots(file, "Largest force of each run", plots)
}

// plotKey draws the largest force over one key; nil where it has fewer than two values.
func plotKey(sheet *sweep.Sheet, results []*sweep.Result, column int) (*plot.Plot, error) {
	var words []string // where not all values are numbers
	numbers := true
	distinct := map[any]bool{}
	for n, r := range results {
		v := sheet.Runs[n].Values[column]
		if r == nil || v == nil {
			continue
		}
		if _, ok := v.(float64); !ok {
			numbers = false
		}
		if !distinct[v] {
			distinct[v] = true
			words = append(words, fmt.Sprint(v))
		}
	}
	if len(distinct) < 2 {
		return nil, nil
	}
	curves := map[string]plotter.XYs{}
	var names []string
	for n, r := range results {
		v := sheet.Runs[n].Values[column]
		if r == nil || v == nil {
			continue
		}
		x, ok := v.(float64)
		if !numbers || !ok {
			x = float64(slices.Index(words, fmt.Sprint(v)))
		}
		var rest []string
		for i, name := range sheet.Columns {
			if w := sheet.Runs[n].Values[i]; i != column && w != nil {
				rest = append(rest, fmt.Sprintf("%s %v", name, w))
			}
		}
		name := strings.Join(rest, ", ")
		if curves[name] == nil {
			names = append(names, name)
		}
		curves[name] = append(curves[name], plotter.XY{X: x, Y: r.ForceMax})
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = sheet.Columns[column], "force_max_N"
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	if !numbers {
		p.NominalX(words...)
	}
	for i, name := range names {
		at := curves[name]
		slices.SortStableFunc(at, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		line, dots, err := plotter.NewLinePoints(at)
		if err != nil {
			return nil, err
		}
		line.Color = curveColors[i%len(curveColors)]
		dots.Color, dots.Radius = line.Color, vg.Points(2)
		if len(names) > mostCurves {
			p.Add(dots)
			continue
		}
		line.Width = vg.Points(1)
		p.Add(line, dots)
		if name != "" {
			p.Legend.Add(name, line, dots)
		}
	}
	return p, nil
}
