package main

import (
	"image/color"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/haptics"
)

// plotColumns is how many columns along time a curve is drawn in, so that a spike of one tick is seen, and the picture
// of an hour takes no longer than that of a minute.
const plotColumns = 1500

// Colours that people with impaired colour vision tell apart [Okabe, Ito 2008].
var curveColors = []color.RGBA{{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {213, 94, 0, 255}, {204, 121, 167, 255}}

// flightCurve is a value of each tick.
type flightCurve struct {
	name string
	of   func(r *haptics.Record) float64
}

// draw writes a picture of the whole recording: forces, positions, energy, punctuality and interventions, one below the
// other.
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
		p := figure.New("", row.label)
		for i, c := range row.curves {
			e := f.curve(c.of)
			e.color = curveColors[i]
			p.Add(e)
			p.Legend.Add(c.name, e)
		}
		rows = append(rows, p.Plot)
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

// envelope is a curve as pictures of long signals show it: in each column along time the band from the smallest to the
// largest value. A signal that buzzes costs no more than one that is still.
type envelope struct {
	at, lo, hi []float64 // s, and values; NaN where a column has none
	color      color.Color
}

// columns splits n ticks evenly: column c has those from first(c) up to first(c+1).
func columns(n int) (count int, first func(c int) int) {
	count = min(n, plotColumns)
	return count, func(c int) int { return int(int64(c) * int64(n) / int64(count)) }
}

// curve is the envelope of a value of each tick.
func (f *flight) curve(of func(r *haptics.Record) float64) *envelope {
	e := &envelope{}
	count, first := columns(len(f.ticks))
	for c := range count {
		lo, hi := math.Inf(1), math.Inf(-1)
		for k := first(c); k < first(c+1); k++ {
			if v := of(&f.ticks[k]); !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if lo > hi {
			lo, hi = math.NaN(), math.NaN()
		}
		e.at, e.lo, e.hi = append(e.at, f.seconds(first(c))), append(e.lo, lo), append(e.hi, hi)
	}
	return e
}

// DataRange is that of the band.
func (e *envelope) DataRange() (xmin, xmax, ymin, ymax float64) {
	ymin, ymax = math.Inf(1), math.Inf(-1)
	for i := range e.at {
		if e.lo[i] <= e.hi[i] {
			ymin, ymax = min(ymin, e.lo[i]), max(ymax, e.hi[i])
		}
	}
	if ymin > ymax {
		ymin, ymax = 0, 0
	}
	if n := len(e.at); n > 0 {
		xmin, xmax = e.at[0], e.at[n-1]
	}
	return xmin, xmax, ymin, ymax
}

// half is half the width of the line that a band is at least.
const half = vg.Length(0.5)

// Plot fills the band, from one column to the next.
func (e *envelope) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i := range e.at {
		if !(e.lo[i] <= e.hi[i]) {
			continue
		}
		left, right := x(e.at[i]), x(e.at[i])+half
		lo, hi := y(e.lo[i]), y(e.hi[i])
		next, above := lo, hi
		if i+1 < len(e.at) && e.lo[i+1] <= e.hi[i+1] {
			right, next, above = x(e.at[i+1]), y(e.lo[i+1]), y(e.hi[i+1])
			// Bands that do not meet are joined by a steep line.
			if next > hi {
				next = hi
			} else if above < lo {
				above = lo
			}
		}
		c.FillPolygon(e.color, c.ClipPolygonXY([]vg.Point{{X: left, Y: lo - half}, {X: right, Y: next - half}, {X: right, Y: above + half}, {X: left, Y: hi + half}}))
	}
}

// Thumbnail is the curve's mark in a legend.
func (e *envelope) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.FillPolygon(e.color, []vg.Point{{X: c.Min.X, Y: y - half}, {X: c.Max.X, Y: y - half}, {X: c.Max.X, Y: y + half}, {X: c.Min.X, Y: y + half}})
}

// bars are the times during which interventions acted, one row each.
type bars struct {
	from, to []float64 // s
	row      []int
	names    []string // of the rows
}

// bars are those of the interventions that occur.
func (f *flight) bars() *bars {
	b := &bars{}
	for k, name := range haptics.FlagNames {
		open := -1
		seen := false
		count, first := columns(len(f.ticks))
		for c := range count {
			on := slices.ContainsFunc(f.ticks[first(c):first(c+1)], func(r haptics.Record) bool { return r.Flags&(1<<k) != 0 })
			if on && open < 0 {
				open = first(c)
			}
			if last := c == count-1; open >= 0 && (!on || last) {
				end := first(c)
				if last {
					end = len(f.ticks) - 1
				}
				b.from, b.to, b.row = append(b.from, f.seconds(open)), append(b.to, f.seconds(end)), append(b.row, len(b.names))
				open, seen = -1, true
			}
		}
		if seen {
			b.names = append(b.names, name)
		}
	}
	return b
}

// spans makes the plot of the interventions.
func (f *flight) spans() *plot.Plot {
	p, b := plot.New(), f.bars()
	names := b.names
	if len(names) == 0 {
		names = []string{"no intervention"}
	}
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
	half := (y(1) - y(0)) * 0.35 // of a bar
	for i := range b.from {
		left, right := x(b.from[i]), x(b.to[i])
		right = max(right, left+vg.Points(0.7)) // one tick is seen
		at := y(float64(b.row[i]))
		c.FillPolygon(curveColors[b.row[i]%len(curveColors)], c.ClipPolygonXY([]vg.Point{{X: left, Y: at - half}, {X: right, Y: at - half}, {X: right, Y: at + half}, {X: left, Y: at + half}}))
	}
}
