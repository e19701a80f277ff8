package figure

import (
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"hapco/cmd/hapco/internal/app"
)

// save writes a plot; the end of the file's name says in which format.
func save(p *plot.Plot, width, height vg.Length, file string) error {
	c, err := p.WriterTo(width, height, strings.TrimPrefix(filepath.Ext(file), "."))
	if err != nil {
		return app.BadInput(err)
	}
	return app.WriteOut(file, func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	})
}

// SavePlots writes plots under a title, side by side, four in two rows.
func SavePlots(file, title string, plots []*plot.Plot) error {
	rows, columns := 1, len(plots)
	if columns > 3 {
		rows, columns = 2, (columns+1)/2
	}
	return SaveTiles(file, title, plots, rows, columns, 14*vg.Centimeter, 9.5*vg.Centimeter)
}

// SaveTiles writes plots of one size under a title, row by row.
func SaveTiles(file, title string, plots []*plot.Plot, rows, columns int, width, height vg.Length) error {
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
		p.Draw(tiles.At(body, i%columns, i/columns))
	}
	return app.WriteOut(file, func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	})
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

func WritePNG(c *vgimg.Canvas, file string) error {
	return app.WriteOut(file, func(w io.Writer) error {
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	})
}
