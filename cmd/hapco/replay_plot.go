package main

import (
	"image/color"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/haptics"
)

// plotColumns is how many places along time a curve is drawn at: the largest and
// the smallest value of each, so that a spike of one tick is seen.
const plotColumns = 1500

// Colours that people with impaired colour vision tell apart [Okabe, Ito 2008].
var curveColors = []color.RGBA{{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {213, 94, 0, 255}, {204, 121, 167, 255}}

// flightCurve is a value of each tick.
type flightCurve struct {
	name string
	of   func(r *haptics.Record) float64
}

// draw writes a picture of the whole recording: forces, positions, energy,
// punctuality and interventions, one below the other.
func (f *flight) draw(file string) error {
	norm := func(v [3]float64) float64 { return mgl64.Vec3(v).Len() }
	const unknown = haptics.DeviceLost | haptics.BadInput // where the hand is
	start := slices.IndexFunc(f.ticks, func(r haptics.Record) bool { return r.Flags&unknown == 0 })
	axis := func(k int) func(r *haptics.Record) float64 {
		return func(r *haptics.Record) float64 {
			if r.Flags&unknown != 0 {
				return math.NaN()
			}
			return 1e3 * (r.Position[k] - f.ticks[start].Position[k])
		}
	}
	rows := []*plot.Plot{}
	for _, row := range []struct {
		label  string
		curves []flightCurve
	}{
		{"force, N", []flightCurve{
			{"contact", func(r *haptics.Record) float64 { return norm(r.Raw) }},
			{"sent", func(r *haptics.Record) float64 { return norm(r.Force) }}}},
		{"hand since the start, mm", []flightCurve{{"x", axis(0)}, {"y", axis(1)}, {"z", axis(2)}}},
		{"energy, mJ", []flightCurve{{"absorbed", func(r *haptics.Record) float64 { return 1e3 * r.Energy }}}},
		{"late, at work, ms", []flightCurve{
			{"wake-up", func(r *haptics.Record) float64 { return 1e-6 * float64(r.Late) }},
			{"work", func(r *haptics.Record) float64 { return 1e-6 * float64(r.Work) }}}},
	} {
		p := plot.New()
		p.Y.Label.Text = row.label
		p.Legend.Top, p.Legend.Left = true, true
		p.Add(plotter.NewGrid())
		for i, c := range row.curves {
			line, err := plotter.NewLine(f.curve(c.of))
			if err != nil {
				return err
			}
			line.Color, line.Width = curveColors[i], vg.Points(1)
			p.Add(line)
			p.Legend.Add(c.name, line)
		}
		rows = append(rows, p)
	}
	rows = append(rows, f.spans())
	heights := []vg.Length{6, 6, 4.5, 4.5, 5}
	total := vg.Length(0)
	for i, p := range rows {
		p.X.Min, p.X.Max = 0, max(f.seconds(len(f.ticks)-1), 1e-3)
		p.X.Padding = 0
		heights[i] *= vg.Centimeter
		total += heights[i]
	}
	rows[0].Title.Text = f.notes["scene"] + "   " + f.notes["device"] + "   " + f.notes["reason"]
	rows[len(rows)-1].X.Label.Text = "time, s"

	c := vgimg.New(26*vg.Centimeter, total+figure.Margin)
	all := draw.New(c)
	// one left edge for all: the widest labels are those of the interventions
	top := all.Max.Y - figure.Margin
	for i, p := range rows {
		row := draw.Crop(all, figure.Margin, -figure.Margin, top-heights[i]-all.Min.Y, top-all.Max.Y)
		left := p.DataCanvas(row).Min.X
		row.Min.X += labelRoom - (left - row.Min.X)
		p.Draw(row)
		top -= heights[i]
	}
	return figure.WritePNG(c, file)
}

// labelRoom is left of every row for its axis.
const labelRoom = 4.2 * vg.Centimeter

// curve thins a value of each tick out to what a picture can show.
func (f *flight) curve(of func(r *haptics.Record) float64) plotter.XYs {
	n := len(f.ticks)
	step := max(1, n/plotColumns)
	var xy plotter.XYs
	for i := 0; i < n; i += step {
		lo, hi, at := math.Inf(1), math.Inf(-1), f.seconds(i)
		for k := i; k < min(n, i+step); k++ {
			if v := of(&f.ticks[k]); !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if lo > hi {
			continue // nothing finite
		}
		xy = append(xy, plotter.XY{X: at, Y: lo})
		if hi > lo {
			xy = append(xy, plotter.XY{X: at, Y: hi})
		}
	}
	if len(xy) == 0 {
		xy = plotter.XYs{{X: 0, Y: 0}}
	}
	return xy
}

// bars are the times during which interventions acted, one row each.
type bars struct {
	from, to []float64 // s
	row      []int
	rows     int
}

// spans makes the plot of the interventions that occur.
func (f *flight) spans() *plot.Plot {
	p := plot.New()
	b := &bars{}
	var names []string
	for k, name := range haptics.FlagNames {
		open := -1
		seen := false
		for i := range f.ticks {
			on := f.ticks[i].Flags&(1<<k) != 0
			if on && open < 0 {
				open = i
			}
			if open >= 0 && (!on || i == len(f.ticks)-1) {
				b.from, b.to, b.row = append(b.from, f.seconds(open)), append(b.to, f.seconds(i)), append(b.row, len(names))
				open, seen = -1, true
			}
		}
		if seen {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = []string{"no intervention"}
	}
	b.rows = len(names)
	ticks := make([]plot.Tick, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	p.Add(b)
	return p
}

// Plot draws the bars.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := (y(1) - y(0)) * 0.35
	for i := range b.from {
		left, right := x(b.from[i]), x(b.to[i])
		right = max(right, left+vg.Points(0.7)) // one tick is seen
		at := y(float64(b.row[i]))
		c.FillPolygon(curveColors[b.row[i]%len(curveColors)], c.ClipPolygonXY([]vg.Point{{X: left, Y: at - half}, {X: right, Y: at - half}, {X: right, Y: at + half}, {X: left, Y: at + half}}))
	}
}
