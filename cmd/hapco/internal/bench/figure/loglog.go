package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

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
	p := New(x, y)
	p.Title.Text = title
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	drawn := 0
	for _, c := range curves {
		xy := slices.DeleteFunc(slices.Clone(c.XY), func(at plotter.XY) bool { return !(at.X > 0 && at.Y > 0) })
		if len(xy) == 0 || len(xy) == 1 && !c.Dots {
			continue
		}
		line, marks := &plotter.Line{}, &plotter.Scatter{}
		if c.Dots {
			marks = p.Dots(c.Name, xy)
		} else {
			slope := output.LogSlope(xy, func(a *plotter.XY) float64 { return a.X }, func(a *plotter.XY) float64 { return a.Y })
			line, marks = p.LinePoints(fmt.Sprintf("%s, exponent %.2f", c.Name, slope), xy)
		}
		line.Color, marks.GlyphStyle = app.SeriesColors[drawn%len(app.SeriesColors)], app.SeriesGlyph(drawn)
		if c.Peer { // black, then grey
			shade := color.Gray{Y: uint8(90 * (drawn % 2))}
			line.Color, line.Dashes = shade, []vg.Length{vg.Points(4), vg.Points(3)}
			marks.GlyphStyle = draw.GlyphStyle{Color: shade, Radius: vg.Points(3), Shape: draw.RingGlyph{}}
		}
		drawn++
	}
	if drawn == 0 && p.Err == nil {
		return nil
	}
	p.X.Min, p.X.Max = p.X.Min/1.3, p.X.Max*1.3
	p.Y.Min, p.Y.Max = p.Y.Min/1.5, p.Y.Max*30 // room for the legend
	c, err := p.WriterTo(18*vg.Centimeter, 13*vg.Centimeter, "png")
	if err = cmp.Or(p.Err, err); err != nil {
		return err
	}
	return write(file, c)
}
