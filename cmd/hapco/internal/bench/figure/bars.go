package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barSet draws upright bars from a base to a value, also on a logarithmic axis, where gonum's own start at the zero
// that such an axis does not have.
type barSet struct {
	x, y   []float64
	base   float64
	width  vg.Length
	offset vg.Length // of the bars from x
	ink    color.Color
}

// Plot implements plot.Plotter.
func (b *barSet) Plot(c draw.Canvas, p *plot.Plot) {
	atX, atY := p.Transforms(&c)
	for i := range b.x {
		left := atX(b.x[i]) + b.offset - b.width/2
		from, to := atY(b.base), atY(b.y[i])
		if to-from < vg.Points(1) && from-to < vg.Points(1) { // equal to the base: still to be seen
			from, to = from-vg.Points(0.7), from+vg.Points(0.7)
		}
		c.FillPolygon(b.ink, c.ClipPolygonXY([]vg.Point{{X: left, Y: from}, {X: left + b.width, Y: from}, {X: left + b.width, Y: to}, {X: left, Y: to}}))
	}
}

// DataRange implements plot.DataRanger.
func (b *barSet) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = b.x[0], b.x[0], b.base, b.base
	for i := range b.x {
		xmin, xmax = min(xmin, b.x[i]), max(xmax, b.x[i])
		ymin, ymax = min(ymin, b.y[i]), max(ymax, b.y[i])
	}
	return xmin, xmax, ymin, ymax
}

// Thumbnail implements plot.Thumbnailer.
func (b *barSet) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.ink, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}

// crossed marks the points of divergence in legends.
type crossed struct{}

// Thumbnail implements plot.Thumbnailer.
func (crossed) Thumbnail(c *draw.Canvas) {
	c.DrawGlyph(divergence(color.Black), c.Center())
}

// divergence is the mark of a point at which a solver diverges.
func divergence(ink color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: ink, Radius: vg.Points(5), Shape: draw.CrossGlyph{}}
}
