package floe

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/physics"
	"hapco/physics/worlds/floe"
)

// What the drift along a channel is shown with: the scene, restitutions, and times in s.
const channelScene = "ice-channel"

var (
	channelRestitutions = []float64{0, 0.3, 0.6, 0.9}
	channelTimes        = []float64{0, 240, 480}
)

// channel lets the floes of a scene drift with several restitutions, and draws them: figures 3.6 and 3.7 of the report.
func (c *Command) channel() ([]floe.Drift, error) {
	s, err := physics.Load(channelScene)
	if err != nil {
		return nil, err
	}
	scene := s.(*floe.SceneFile)
	restitutions, times := channelRestitutions, channelTimes
	if c.Quick {
		restitutions, times = []float64{0, 0.9}, times[:2]
	}
	drifts, err := scene.Drifts(restitutions, times)
	if err != nil {
		return nil, err
	}
	var plots []*figure.Plot
	for i := range drifts {
		plots = append(plots, plotDrift(scene, &drifts[i]))
	}
	return drifts, figure.SaveTiles(filepath.Join(c.Out, "floe-channel.png"), "Floes along a channel, by restitution", plots,
		len(restitutions), len(times), 14*vg.Centimeter, 5.6*vg.Centimeter)
}

// plotDrift draws the floes of one time from above.
func plotDrift(s *floe.SceneFile, d *floe.Drift) *figure.Plot {
	p := &figure.Plot{Plot: plot.New()}
	p.Title.Text = fmt.Sprintf("restitution %g, %g s", d.Restitution, d.Time)
	p.X.Label.Text, p.Y.Label.Text = "m", "m"
	p.BackgroundColor = color.White
	for i, outline := range d.Outlines {
		corners := make(plotter.XYs, len(outline))
		for k, x := range outline {
			corners[k] = plotter.XY{X: x[0], Y: x[1]}
		}
		g := p.Polygon(corners)
		g.Color, g.LineStyle.Width = color.RGBA{150, 192, 214, 255}, vg.Points(0.5)
		if d.Fixed[i] {
			g.Color = color.RGBA{120, 110, 100, 255}
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = s.Lo[0], s.Hi[0], s.Lo[1], s.Hi[1]
	return p
}

func printDrifts(drifts []floe.Drift) {
	t := app.Table(app.Stdout)
	defer t.Flush()
	fmt.Fprintf(t, "\nscene %s, without a hand:\nrestitution\ttime, s\tmean way, m\tto lee, m\tkinetic, J\trandom, J\tlost in impacts, J\tin friction, J\tcollisions\tcontacts\t\n", channelScene)
	for _, d := range drifts {
		fmt.Fprintf(t, "%g\t%g\t%.2f\t%.2f\t%.4g\t%.3g\t%.4g\t%.4g\t%d\t%d\t\n", d.Restitution, d.Time, d.Way, -d.Leeward, d.Kinetic, d.Random, d.Impact, d.Friction, d.Collisions, d.Contacts)
	}
}
