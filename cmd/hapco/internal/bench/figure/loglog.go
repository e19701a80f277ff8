package figure

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
)

// Curve is one line of a plot.
type Curve struct {
	Name string
	XY   plotter.XYs
	Peer bool // of another program: grey and dashed
	Dots bool // no line joins them
}

// CurveOf makes a curve of measured points.
func CurveOf[P any](name string, points []P, x, y func(*P) float64) Curve {
	c := Curve{Name: name}
	for i := range points {
		c.XY = append(c.XY, plotter.XY{X: x(&points[i]), Y: y(&points[i])})
	}
	return c
}

// SaveLogLog draws lines of at least two points, with their exponents, and dots on logarithmic axes; what is not
// positive is left out. Where nothing is left, no file is written.
func SaveLogLog(file, title, x, y string, curves []Curve) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	p.Add(plotter.NewGrid())
	drawn := 0
	for _, c := range curves {
		var xy plotter.XYs
		for _, at := range c.XY {
			if at.X > 0 && at.Y > 0 {
				xy = append(xy, at)
			}
		}
		if len(xy) == 0 || len(xy) == 1 && !c.Dots {
			continue
		}
		line, marks, err := plotter.NewLinePoints(xy)
		if err != nil {
			return err
		}
		line.Color, marks.GlyphStyle = app.SeriesColors[drawn%len(app.SeriesColors)], app.SeriesGlyph(drawn)
		if c.Peer { // black, then grey
			shade := color.Gray{Y: uint8(90 * (drawn % 2))}
			line.Color, line.Dashes = shade, []vg.Length{vg.Points(4), vg.Points(3)}
			marks.GlyphStyle = draw.GlyphStyle{Color: shade, Radius: vg.Points(3), Shape: draw.RingGlyph{}}
		}
		drawn++
		if c.Dots {
			p.Add(marks)
			p.Legend.Add(c.Name, marks)
			continue
		}
		p.Add(line, marks)
		slope := output.LogSlope(xy, func(a *plotter.XY) float64 { return a.X }, func(a *plotter.XY) float64 { return a.Y })
		p.Legend.Add(fmt.Sprintf("%s, exponent %.2f", c.Name, slope), line, marks)
	}
	if drawn == 0 {
		return nil
	}
	p.X.Min, p.X.Max = p.X.Min/1.3, p.X.Max*1.3
	p.Y.Min, p.Y.Max = p.Y.Min/1.5, p.Y.Max*30 // room for the legend
	return save(p, 18*vg.Centimeter, 13*vg.Centimeter, file)
}
