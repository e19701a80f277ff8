package figure

import (
	"image/color"
	"math"
	"slices"
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
		p, es, err := drawPanel(&e.Panels[i])
		if err != nil {
			return err
		}
		plots[i] = p
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
func drawPanel(panel *thesis.Panel) (*plot.Plot, []entry, error) {
	p := plot.New()
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
		var e entry
		var err error
		if s.Style == thesis.Bars {
			e, err = addBars(p, panel, s, bar, bars)
			bar++
		} else {
			e, err = addCurve(p, s)
		}
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, e)
	}
	scale(p, panel)
	if diverges {
		entries = append(entries, entry{"diverges on some increments", []plot.Thumbnailer{crossed{}}})
	}
	return p, entries, nil
}

func addCurve(p *plot.Plot, s *thesis.Series) (entry, error) {
	e := entry{name: s.Name}
	points := make(plotter.XYs, len(s.X))
	for i := range points {
		points[i] = plotter.XY{X: s.X[i], Y: s.Y[i]}
	}
	ink := app.SeriesColors[s.Look%len(app.SeriesColors)]
	if s.Style != thesis.Points {
		l, err := plotter.NewLine(points)
		if err != nil {
			return e, err
		}
		l.Color, l.Width = ink, vg.Points(1.5)
		if s.Style == thesis.Dashed {
			l.Dashes, l.Width = []vg.Length{vg.Points(5), vg.Points(3)}, vg.Points(1.2)
		}
		p.Add(l)
		e.thumbnails = append(e.thumbnails, l)
	}
	if s.Style != thesis.Dashed {
		g, err := plotter.NewScatter(points)
		if err != nil {
			return e, err
		}
		g.GlyphStyle = draw.GlyphStyle{Color: ink, Radius: vg.Points(2.3), Shape: draw.CircleGlyph{}}
		if s.Style == thesis.Points { // a ring leaves the line beneath to be seen
			g.Radius, g.Shape = vg.Points(4.5), draw.RingGlyph{}
		}
		p.Add(g)
		e.thumbnails = append(e.thumbnails, g)
	}
	for i, m := range s.Marks {
		if m == "" {
			continue
		}
		g, err := plotter.NewScatter(points[i : i+1])
		if err != nil {
			return e, err
		}
		g.GlyphStyle = divergence(ink)
		p.Add(g)
	}
	return e, nil
}

// addBars adds the k-th of n sets of bars.
func addBars(p *plot.Plot, panel *thesis.Panel, s *thesis.Series, k, n int) (entry, error) {
	width := panelWidth * 0.62 / vg.Length(len(panel.Labels)*n)
	b := &barSet{x: s.X, y: s.Y, base: panel.Base, width: width, ink: app.SeriesColors[s.Look%len(app.SeriesColors)]}
	b.offset = width * (vg.Length(k) - vg.Length(n-1)/2)
	p.Add(b)
	e := entry{s.Name, []plot.Thumbnailer{b}}
	for i, m := range s.Marks {
		if m == "" {
			continue
		}
		top := plotter.XYLabels{XYs: plotter.XYs{{X: s.X[i], Y: max(s.Y[i], panel.Base)}}, Labels: []string{"×"}}
		l, err := plotter.NewLabels(top)
		if err != nil {
			return e, err
		}
		l.TextStyle[0].XAlign, l.TextStyle[0].Font.Size = text.XCenter, 16
		l.Offset = vg.Point{X: b.offset, Y: -vg.Points(1)}
		p.Add(l)
	}
	return e, nil
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
	var lines []string
	for _, word := range strings.Fields(line) {
		if k := len(lines) - 1; k >= 0 && style.Width(lines[k]+" "+word) <= width {
			lines[k] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
