package study

import (
	"bytes"
	"html/template"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

var (
	personColor = color.RGBA{0x9a, 0xa6, 0xb6, 0xff}
	meanColor   = color.RGBA{0x1f, 0x6f, 0xc4, 0xff}
)

// spans are means with their confidence intervals, one a row.
type spans struct {
	plotter.XYs
	plotter.XErrors
}

// draw draws an effect: levels from top to bottom, a grey dot a person, the mean with its confidence interval in blue.
// From low to high is the axis; NaN: as it comes.
func (e *Effect) draw(people [][]float64, label string, low, high float64) (template.HTML, error) {
	p := plot.New()
	p.X.Label.Text = label
	n := len(e.Levels)
	names := make([]string, n)
	var dots plotter.XYs
	var mean spans
	for l := range e.Levels {
		y := float64(n - 1 - l)
		names[n-1-l] = e.Levels[l].Name
		for i := range people {
			beside := 0.0 // so that equal answers do not hide each other
			if len(people) > 1 {
				beside = 0.36 * (float64(i)/float64(len(people)-1) - 0.5)
			}
			dots = append(dots, plotter.XY{X: people[i][l], Y: y + beside})
		}
		s := &e.Levels[l]
		mean.XYs = append(mean.XYs, plotter.XY{X: s.Mean, Y: y})
		half := struct{ Low, High float64 }{}
		if !math.IsNaN(s.Low) {
			half.Low, half.High = s.Mean-s.Low, s.High-s.Mean
		}
		mean.XErrors = append(mean.XErrors, half)
	}
	each, err := plotter.NewScatter(dots)
	if err != nil {
		return "", err
	}
	each.Color, each.Radius, each.Shape = personColor, vg.Points(2), draw.CircleGlyph{}
	middle, err := plotter.NewScatter(mean.XYs)
	if err != nil {
		return "", err
	}
	middle.Color, middle.Radius, middle.Shape = meanColor, vg.Points(4), draw.CircleGlyph{}
	bars, err := plotter.NewXErrorBars(mean)
	if err != nil {
		return "", err
	}
	bars.Color, bars.Width, bars.CapWidth = meanColor, vg.Points(1.5), vg.Points(6)
	p.Add(plotter.NewGrid(), each, bars, middle)
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	if !math.IsNaN(low) {
		p.X.Min, p.X.Max = min(p.X.Min, low), max(p.X.Max, high)
	}
	c := vgsvg.New(18*vg.Centimeter, vg.Length(1.8+0.9*float64(n))*vg.Centimeter)
	p.Draw(draw.New(c))
	var text bytes.Buffer
	if _, err := c.WriteTo(&text); err != nil {
		return "", err
	}
	_, svg, _ := bytes.Cut(text.Bytes(), []byte("<svg")) // without the head of a file
	return template.HTML("<svg" + string(svg)), nil
}
