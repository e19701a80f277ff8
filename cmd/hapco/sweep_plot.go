package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	var plots []*figure.Plot
	for column := range sheet.Columns {
		if p := plotKey(sheet, results, column); p != nil && len(plots) < mostPlots {
			plots = append(plots, p)
		}
	}
	if len(plots) == 0 {
		return nil
	}
	return figure.SavePlots(file, "Largest force of each run", plots...)
}

// plotKey draws the largest force over one key; nil where it has fewer than two values.
func plotKey(sheet *sweep.Sheet, results []*sweep.Result, column int) *figure.Plot {
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
		return nil
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
	p := figure.New(sheet.Columns[column], "force_max_N")
	if !numbers {
		p.NominalX(words...)
	}
	for i, name := range names {
		at := curves[name]
		slices.SortStableFunc(at, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		ink := curveColors[i%len(curveColors)]
		if len(names) > mostCurves {
			dots := p.Dots("", at)
			dots.Color, dots.Radius = ink, vg.Points(2)
			continue
		}
		line, dots := p.LinePoints(name, at)
		line.Color, line.Width = ink, vg.Points(1)
		dots.Color, dots.Radius = ink, vg.Points(2)
	}
	return p
}
