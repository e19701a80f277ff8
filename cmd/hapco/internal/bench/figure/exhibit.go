package figure

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics/measure/bench/thesis"
)

// Sizes of the pictures.
const (
	panelWidth   = 14 * vg.Centimeter
	panelHeight  = 8.5 * vg.Centimeter
	lineHeight   = 0.55 * vg.Centimeter
	legendColumn = 6 * vg.Centimeter
	Margin       = 0.3 * vg.Centimeter
)

// DrawExhibit writes an exhibit as a PNG: its panels side by side, the title above and the legend below them, where
// they cover nothing.
func DrawExhibit(e *thesis.Exhibit, file string) error {
	width := vg.Length(max(1, len(e.Panels))) * panelWidth
	style := TitleStyle()
	title := Wrap(style, strings.ToUpper(e.Kind[:1])+e.Kind[1:]+" "+e.ID+", made anew: "+e.Title, width-2*Margin)
	plots := make([]*plot.Plot, len(e.Panels))
	var entries []entry
	for i := range e.Panels {
		p, es := drawPanel(&e.Panels[i])
		if p.Err != nil {
			return p.Err
		}
		plots[i] = p.Plot
		for _, x := range es {
			if !slices.ContainsFunc(entries, func(y entry) bool { return y.name == x.name }) {
				entries = append(entries, x)
			}
		}
	}
	columns := max(1, int((width-2*Margin)/legendColumn))
	rows := (len(entries) + columns - 1) / columns
	above, below := vg.Length(len(title))*lineHeight+Margin, vg.Length(rows)*lineHeight+1.5*Margin

	c := vgimg.New(width, above+panelHeight+below)
	all := draw.New(c)
	for k, line := range title {
		all.FillText(style, vg.Point{X: Margin, Y: all.Max.Y - Margin/2 - vg.Length(k)*lineHeight}, line)
	}
	if len(plots) > 0 {
		middle := draw.Crop(all, Margin, -Margin, below, -above)
		tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadLeft: 2 * lineHeight, PadX: 2 * lineHeight, PadTop: lineHeight}
		for i, dc := range plot.Align([][]*plot.Plot{plots}, tiles, middle)[0] {
			plots[i].Draw(dc)
			left := min(dc.Min.X, tiles.At(middle, i, 0).Min.X)
			label(all, dc, left, &e.Panels[i])
		}
	}
	for k := range columns {
		l := plot.NewLegend()
		l.Left, l.Top, l.ThumbnailWidth = true, true, 0.8*vg.Centimeter
		l.TextStyle.Font.Size, l.Padding = 10, 1.5*vg.Millimeter
		for i := k; i < len(entries); i += columns {
			l.Add(" "+entries[i].name, entries[i].thumbnails...)
		}
		left := Margin + vg.Length(k)*legendColumn
		l.Draw(draw.Crop(all, left, left+legendColumn-width, 0, below-all.Max.Y))
	}
	return WritePNG(c, file)
}

// label writes a panel's title above its tile and the name of its Y axis beside it. gonum's own places misalign the
// panels, and leave a gap above a logarithmic axis.
func label(all, tile draw.Canvas, left vg.Length, panel *thesis.Panel) {
	style := TitleStyle()
	style.Font.Size, style.XAlign, style.YAlign = 11, text.XCenter, text.YBottom
	middle := tile.Center()
	all.FillText(style, vg.Point{X: middle.X, Y: tile.Max.Y + Margin/3}, panel.Title)
	style.Rotation = math.Pi / 2
	all.FillText(style, vg.Point{X: left - Margin/2, Y: middle.Y + lineHeight}, panel.Y)
}

// entry is a line of the legend.
type entry struct {
	name       string
	thumbnails []plot.Thumbnailer
}

// drawPanel makes the axes and curves of one panel.
func drawPanel(panel *thesis.Panel) (*Plot, []entry) {
	p := &Plot{Plot: plot.New()}
	p.X.Label.Text = panel.X
	p.X.Tick.Marker, p.Y.Tick.Marker = Steps{}, Steps{}
	p.X.Label.TextStyle.Font.Size, p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = 11, 10, 10
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{225}, color.Gray{225}
	if len(panel.Labels) > 0 {
		grid.Vertical.Color = nil
	}
	p.Add(grid)
	var entries []entry
	bars := 0
	for _, s := range panel.Series {
		if s.Style == thesis.Bars {
			bars++
		}
	}
	bar, diverges := 0, false
	for i := range panel.Series {
		s := &panel.Series[i]
		diverges = diverges || len(s.Marks) > 0
		e := entry{name: s.Name}
		if s.Style == thesis.Bars {
			e.thumbnails = addBars(p, panel, s, bar, bars)
			bar++
		} else {
			e.thumbnails = addCurve(p, s)
		}
		entries = append(entries, e)
	}
	scale(p.Plot, panel)
	if diverges {
		entries = append(entries, entry{"diverges on some increments", []plot.Thumbnailer{crossed{}}})
	}
	return p, entries
}

func addCurve(p *Plot, s *thesis.Series) (thumbnails []plot.Thumbnailer) {
	points := make(plotter.XYs, len(s.X))
	for i := range points {
		points[i] = plotter.XY{X: s.X[i], Y: s.Y[i]}
	}
	ink := app.SeriesColors[s.Look%len(app.SeriesColors)]
	if s.Style != thesis.Points {
		l := p.Line("", points)
		l.Color, l.Width = ink, vg.Points(1.5)
		if s.Style == thesis.Dashed {
			l.Dashes, l.Width = []vg.Length{vg.Points(5), vg.Points(3)}, vg.Points(1.2)
		}
		thumbnails = append(thumbnails, l)
	}
	if s.Style != thesis.Dashed {
		g := p.Dots("", points)
		g.GlyphStyle = draw.GlyphStyle{Color: ink, Radius: vg.Points(2.3), Shape: draw.CircleGlyph{}}
		if s.Style == thesis.Points { // a ring leaves the line beneath to be seen
			g.Radius, g.Shape = vg.Points(4.5), draw.RingGlyph{}
		}
		thumbnails = append(thumbnails, g)
	}
	for i, m := range s.Marks {
		if m != "" {
			p.Dots("", points[i:i+1]).GlyphStyle = divergence(ink)
		}
	}
	return thumbnails
}

// addBars adds the k-th of n sets of bars.
func addBars(p *Plot, panel *thesis.Panel, s *thesis.Series, k, n int) []plot.Thumbnailer {
	width := panelWidth * 0.62 / vg.Length(len(panel.Labels)*n)
	b := &barSet{x: s.X, y: s.Y, base: panel.Base, width: width, ink: app.SeriesColors[s.Look%len(app.SeriesColors)]}
	b.offset = width * (vg.Length(k) - vg.Length(n-1)/2)
	p.Add(b)
	for i, m := range s.Marks {
		if m == "" {
			continue
		}
		l := p.Words(plotter.XYLabels{XYs: plotter.XYs{{X: s.X[i], Y: max(s.Y[i], panel.Base)}}, Labels: []string{"×"}})
		l.TextStyle[0].XAlign, l.TextStyle[0].Font.Size = text.XCenter, 16
		l.Offset = vg.Point{X: b.offset, Y: -vg.Points(1)}
	}
	return []plot.Thumbnailer{b}
}

// scale sets the ranges and ticks: linear ones from zero, logarithmic ones with room.
func scale(p *plot.Plot, panel *thesis.Panel) {
	if len(panel.Series) == 0 { // nothing to show: bare axes
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		return
	}
	if len(panel.Labels) > 0 {
		p.NominalX(panel.Labels...)
		p.X.Tick.Label.Font.Size = 10
		p.X.Min, p.X.Max = -0.6, float64(len(panel.Labels))-0.4
	}
	if panel.LogX {
		p.X.Scale = plot.LogScale{}
		var at plot.ConstantTicks
		for _, x := range panel.Series[0].X {
			at = append(at, plot.Tick{Value: x, Label: plain(x)})
		}
		p.X.Tick.Marker = at
		p.X.Min, p.X.Max = p.X.Min/1.1, p.X.Max*1.1
	}
	if panel.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, Decades{}
		p.Y.Min, p.Y.Max = p.Y.Min/1.4, p.Y.Max*1.6
		return
	}
	p.Y.Min = math.Min(p.Y.Min, 0)
	p.Y.Max *= 1.08
	if !(p.Y.Max > p.Y.Min) {
		p.Y.Max = p.Y.Min + 1
	}
}

func TitleStyle() text.Style {
	return text.Style{Color: color.Black, Font: font.From(plot.DefaultFont, 12), YAlign: text.YTop, Handler: plot.DefaultTextHandler}
}

// Wrap breaks a line where it grows wider than width.
func Wrap(style text.Style, line string, width vg.Length) []string {
	return Fold(line, func(line string) bool { return style.Width(line) <= width })
}

// Fold breaks a text into lines that fit.
func Fold(text string, fits func(line string) bool) (lines []string) {
	for _, word := range strings.Fields(text) {
		if k := len(lines) - 1; k >= 0 && fits(lines[k]+" "+word) {
			lines[k] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// barSet draws upright bars from a base to a value, also on a logarithmic axis, where gonum's own start at the zero
// that such an axis does not have.
type barSet struct {
	x, y   []float64
	base   float64
	width  vg.Length
	offset vg.Length // of the bars from x
	ink    color.Color
}

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

func (b *barSet) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = b.x[0], b.x[0], b.base, b.base
	for i := range b.x {
		xmin, xmax = min(xmin, b.x[i]), max(xmax, b.x[i])
		ymin, ymax = min(ymin, b.y[i]), max(ymax, b.y[i])
	}
	return xmin, xmax, ymin, ymax
}

func (b *barSet) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.ink, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}

// crossed marks the points of divergence in legends.
type crossed struct{}

func (crossed) Thumbnail(c *draw.Canvas) {
	c.DrawGlyph(divergence(color.Black), c.Center())
}

// divergence is the mark of a point at which a solver diverges.
func divergence(ink color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: ink, Radius: vg.Points(5), Shape: draw.CrossGlyph{}}
}

// Steps puts about five ticks at round numbers on a linear axis.
type Steps struct{}

func (Steps) Ticks(low, high float64) []plot.Tick {
	rough := (high - low) / 6
	if !(rough > 0) || math.IsInf(rough, 0) {
		return nil
	}
	decade := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * decade
	for _, m := range []float64{5, 2, 1} {
		if m*decade >= rough*(1-1e-9) {
			step = m * decade
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		v := k*step + 0 // no -0
		ticks = append(ticks, plot.Tick{Value: v, Label: plain(v)})
	}
	return ticks
}

// plain writes a number without the digits that rounding leaves.
func plain(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// Decades puts ticks on a logarithmic axis: every power of ten is labelled, on a long axis every second or third, on a
// short one 2 and 5 times it too.
type Decades struct{}

func (Decades) Ticks(low, high float64) []plot.Tick {
	if !(low > 0) || !(high > low) || math.IsInf(high, 0) {
		return nil
	}
	span := math.Log10(high / low)
	every := max(1, int(math.Ceil(span/7)))
	var ticks []plot.Tick
	for k := int(math.Floor(math.Log10(low))); float64(k) <= math.Log10(high); k++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow(10, float64(k))
			if v < low || v > high {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && k%every == 0 || span < 2 && (m == 2 || m == 5) {
				t.Label = decadeLabel(v)
			}
			if m == 1 || every == 1 {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// decadeLabel writes a power of ten or a small multiple of one.
func decadeLabel(v float64) string {
	if v >= 1e-3 && v < 1e6 {
		return strconv.FormatFloat(v, 'f', int(max(0, math.Ceil(-math.Log10(v)-1e-9))), 64)
	}
	return strings.NewReplacer("e-0", "e-", "e+0", "e").Replace(strconv.FormatFloat(v, 'g', 3, 64))
}
