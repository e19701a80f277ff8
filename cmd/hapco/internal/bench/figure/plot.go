// Package figure draws the plots of measurements, replays and sweeps.
package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
)

// Plot keeps the first error of what is added to it, which who saves it hears of.
type Plot struct {
	*plot.Plot
	Err error
}

// New is a plot with a grid, its axes named, and room for a legend at the top left.
func New(x, y string) *Plot {
	p := &Plot{Plot: plot.New()}
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	return p
}

// add adds something where err says that there is data for it; the legend calls it name, "": it does not.
func add[T interface {
	plot.Plotter
	plot.Thumbnailer
}](p *Plot, name string, what T, err error, none T) T {
	if err != nil {
		p.Err = cmp.Or(p.Err, err)
		return none
	}
	p.Add(what)
	if name != "" {
		p.Legend.Add(name, what)
	}
	return what
}

// Line adds a line through points, which the legend calls name; "": it does not.
func (p *Plot) Line(name string, xy plotter.XYs) *plotter.Line {
	l, err := plotter.NewLine(xy)
	return add(p, name, l, err, &plotter.Line{})
}

// Dots adds points alone.
func (p *Plot) Dots(name string, xy plotter.XYs) *plotter.Scatter {
	s, err := plotter.NewScatter(xy)
	return add(p, name, s, err, &plotter.Scatter{})
}

// Polygon adds a filled outline.
func (p *Plot) Polygon(xy plotter.XYs) *plotter.Polygon {
	g, err := plotter.NewPolygon(xy)
	return add(p, "", g, err, &plotter.Polygon{})
}

// Words writes labels at their places.
func (p *Plot) Words(l plotter.XYLabels) *plotter.Labels {
	words, err := plotter.NewLabels(l)
	if err != nil {
		p.Err = cmp.Or(p.Err, err)
		return &plotter.Labels{TextStyle: make([]text.Style, len(l.Labels))}
	}
	p.Add(words)
	return words
}

// LinePoints adds points and the line through them.
func (p *Plot) LinePoints(name string, xy plotter.XYs) (*plotter.Line, *plotter.Scatter) {
	l, s := p.Line("", xy), p.Dots("", xy)
	if name != "" {
		p.Legend.Add(name, l, s)
	}
	return l, s
}

// SavePlots writes plots under a title, side by side, four in two rows.
func SavePlots(file, title string, plots ...*Plot) error {
	rows, columns := 1, len(plots)
	if columns > 3 {
		rows, columns = 2, (columns+1)/2
	}
	return SaveTiles(file, title, plots, rows, columns, 14*vg.Centimeter, 9.5*vg.Centimeter)
}

// SaveTiles writes plots of one size under a title, row by row.
func SaveTiles(file, title string, plots []*Plot, rows, columns int, width, height vg.Length) error {
	const above = 1 * vg.Centimeter
	wide, high := vg.Length(columns)*width, vg.Length(rows)*height+above
	var c vg.CanvasWriterTo = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(110))}
	if filepath.Ext(file) == ".svg" {
		c = vgsvg.New(wide, high)
	}
	all := draw.New(c)
	style := plot.New().Title.TextStyle
	style.YAlign, style.XAlign = draw.YTop, draw.XCenter
	all.FillText(style, vg.Point{X: all.Center().X, Y: all.Max.Y - 0.25*vg.Centimeter}, title)
	tiles := draw.Tiles{
		Rows: rows, Cols: columns, PadX: 0.6 * vg.Centimeter, PadY: 0.5 * vg.Centimeter,
		PadLeft: 0.2 * vg.Centimeter, PadRight: 0.5 * vg.Centimeter, PadBottom: 0.2 * vg.Centimeter,
	}
	body := draw.Crop(all, 0, 0, 0, -above)
	for i, p := range plots {
		if p.Err != nil {
			return p.Err
		}
		p.Draw(tiles.At(body, i%columns, i/columns))
	}
	return write(file, c)
}

// Mark styles the i-th series; dashed for the second of a pair.
func Mark(l *plotter.Line, s *plotter.Scatter, i int, dashed bool) {
	l.Color, l.Width = app.SeriesColors[i%len(app.SeriesColors)], vg.Points(1.5)
	if dashed {
		l.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	if s != nil {
		s.GlyphStyle = app.SeriesGlyph(i)
	}
}

// WritePNG writes a canvas.
func WritePNG(c *vgimg.Canvas, file string) error { return write(file, vgimg.PngCanvas{Canvas: c}) }

func write(file string, picture io.WriterTo) error {
	return app.WriteOut(file, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
}

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
