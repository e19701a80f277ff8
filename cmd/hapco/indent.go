package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/measure/batch"
	"hapco/ui"
)

// indentCommand presses the scene's tool in at a speed, lifts it again, and tells the force over the depth.
type indentCommand struct {
	app.SceneFlags
	Depth string  `help:"Depth from the first contact." default:"5 mm" of:"length" in:"1e-9..1"`
	Speed string  `help:"Of the stylus, in and out." default:"10 mm/s" of:"speed" in:"1e-9..10"`
	Along string  `help:"Direction; without it that of the path penetration." placeholder:"X,Y,Z"`
	Rate  float64 `help:"Steps for a second." default:"250" in:"1..1e5"`
	JSON  bool    `name:"json" help:"Print JSON."`
	CSV   string  `name:"csv" help:"Write every step to this file." type:"path"`
	Plot  string  `help:"Draw force over depth to this file: .png or .svg." type:"path"`
}

// indentStep is one step of an indentation.
type indentStep struct {
	Time   float64    `json:"time_s"`
	Depth  float64    `json:"depth_m"`
	Force  mgl64.Vec3 `json:"force_N"`
	Norm   float64    `json:"norm_N"`
	Lifted bool       `json:"out"` // on the way out
}

// indentOutput is what the command prints.
type indentOutput struct {
	Scene     string       `json:"scene"`
	Depth     float64      `json:"depth_m"`
	Speed     float64      `json:"speed_m_per_s"`
	Gap       float64      `json:"gap_m"` // from the start to the first contact
	Most      float64      `json:"force_max_N"`
	Stiffness float64      `json:"stiffness_N_per_m"` // over the last tenth of the way in
	Steps     []indentStep `json:"steps"`
}

// farthest is how far the tool goes to find something to press, m; mostSteps bounds the steps of that and of the way
// in.
const farthest, mostSteps = 0.5, 10_000_000

// Run presses and prints.
func (c *indentCommand) Run(ctx context.Context) (err error) {
	s, err := c.Load()
	if err != nil {
		return err
	}
	fail := func(flag, value string, err error) error {
		return app.BadInput(fmt.Errorf("indent: --%s %s: %v (cure: such as --depth \"5 mm\" --speed \"10 mm/s\" --along 0,-1,0)", flag, value, err))
	}
	depth, bad := app.Quantity(c.Depth, setting.Length)
	speed, bad2 := app.Quantity(c.Speed, setting.Speed)
	if err := errors.Join(bad, bad2); err != nil {
		return fail("depth", c.Depth, err)
	}
	if steps := (depth + farthest) / speed * c.Rate; !(steps <= mostSteps) {
		return fail("speed", c.Speed, fmt.Errorf("%.3g steps at --rate %g, at most %d", steps, c.Rate, mostSteps))
	}
	dir, bad := c.direction(s.Common())
	if bad != nil {
		return fail("along", c.Along, bad)
	}
	world, err := app.BuildWorld(ctx, s, physics.Options{NoCache: c.NoCache})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	out := indentOutput{Scene: s.Common().Name, Depth: depth, Speed: speed}
	pressed := out.run(ctx, world, dir, 1/c.Rate)
	if pressed != nil && ctx.Err() == nil {
		return fmt.Errorf("indent: %w", pressed)
	}
	if err := app.WriteWanted(c.CSV, out.writeCSV); err != nil {
		return err
	}
	if c.Plot != "" {
		if err := out.draw(c.Plot); err != nil {
			return err
		}
	}
	if c.JSON {
		err = json.NewEncoder(app.Stdout).Encode(out)
	} else {
		out.print()
	}
	return cmp.Or(pressed, err) // who is interrupted has what there was
}

// direction is where the tool goes.
func (c *indentCommand) direction(s *setting.Setting) (mgl64.Vec3, error) {
	if c.Along == "" {
		p, err := s.ChoosePath("", "penetration")
		if err != nil {
			return mgl64.Vec3{0, -1, 0}, nil
		}
		return p.Moves[0].Direction, nil
	}
	var d mgl64.Vec3
	words := strings.Split(c.Along, ",")
	if len(words) != 3 {
		return d, errors.New("three numbers with commas between them")
	}
	for i, w := range words {
		x, err := strconv.ParseFloat(strings.TrimSpace(w), 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return d, fmt.Errorf("%q is no number", w)
		}
		d[i] = x
	}
	d, ok := frame.Unit(d)
	if !ok {
		return d, errors.New("no direction")
	}
	return d, nil
}

var errIndented = errors.New("indented") // ends the walk

// run moves the stylus in until it is deep enough below the first contact, and out again.
func (o *indentOutput) run(ctx context.Context, world physics.World, dir mgl64.Vec3, dt float64) error {
	in, touched := true, false
	way, last := 0.0, 0 // m; rows on the way in
	taken := 0.0        // time of the last step, s
	at := func(t float64) float64 {
		if step := o.Speed * (t - taken); in {
			return way + step
		} else {
			return max(0, way-step)
		}
	}
	hand := func(t float64) mgl64.Vec3 { return dir.Mul(at(t)) }
	took := func(t float64, due bool, force mgl64.Vec3) error {
		step := o.Speed * (t - taken)
		way, taken = at(t), t
		if !touched && force.Len() > 0 {
			touched, o.Gap = true, way-step
		}
		if !touched {
			if way > farthest {
				return fmt.Errorf("nothing is touched within %g m (cure: --along, or a scene whose tool stands before something)", farthest)
			}
			return nil
		}
		if due {
			o.Steps = append(o.Steps, indentStep{Time: t, Depth: way - o.Gap, Force: force, Norm: force.Len(), Lifted: !in})
		}
		if in {
			o.Most, last = max(o.Most, force.Len()), len(o.Steps)
		}
		if in && way-o.Gap >= o.Depth-step/2 {
			in = false
		}
		if !in && way <= o.Gap {
			return errIndented
		}
		return nil
	}
	var err error
	if world.Info().Advances {
		clock := batch.Clock{Every: dt, Seconds: 3 * dt * mostSteps}
		err = batch.InTime(ctx, world, &clock, hand, func(t float64, due bool, r *physics.Report) error { return took(t, due, r.Force) })
	} else {
		var held batch.Held
		for n := 1; err == nil; n++ {
			t := float64(n) * dt
			err = batch.Along(ctx, world, []frame.Pose{frame.At(hand(t))}, false, func(s *batch.Step) error {
				held.Add(s)
				return cmp.Or(held.Err(world), took(t, true, s.Force))
			})
		}
	}
	if !errors.Is(err, errIndented) {
		return err
	}
	if from := last - max(2, last/10); from >= 0 && last > from {
		a, b := &o.Steps[from], &o.Steps[last-1]
		if b.Depth > a.Depth {
			o.Stiffness = (b.Norm - a.Norm) / (b.Depth - a.Depth)
		}
	}
	return nil
}

func (o *indentOutput) print() {
	w := app.Stdout
	t := app.Table(w)
	fmt.Fprintf(t, "depth, mm\tin, N\tout, N\t\n")
	const rows = 10
	for i := range rows + 1 {
		depth := o.Depth * float64(i) / rows
		fmt.Fprintf(t, "%.3g\t%.4g\t%.4g\t\n", 1e3*depth, o.at(depth, false), o.at(depth, true))
	}
	t.Flush()
	fmt.Fprintf(w, "%s: touched after %.3g mm; at most %.4g N; %.4g N/m at the end\n", o.Scene, 1e3*o.Gap, o.Most, o.Stiffness)
}

// at is the force nearest to a depth on one of the two ways.
func (o *indentOutput) at(depth float64, out bool) float64 {
	best := math.NaN()
	near := math.Inf(1)
	for i := range o.Steps {
		if s := &o.Steps[i]; s.Lifted == out && math.Abs(s.Depth-depth) < near {
			best, near = s.Norm, math.Abs(s.Depth-depth)
		}
	}
	return best
}

func (o *indentOutput) writeCSV(w io.Writer) error {
	return app.CSV(w, func(row func(...string)) {
		row("time_s", "depth_m", "force_x_N", "force_y_N", "force_z_N", "force_N", "out")
		for _, s := range o.Steps {
			cells := app.Numbers(nil, -1, s.Time, s.Depth, s.Force[0], s.Force[1], s.Force[2], s.Norm)
			row(append(cells, strconv.FormatBool(s.Lifted))...)
		}
	})
}

func (o *indentOutput) draw(file string) error {
	d := ui.PlotData{Title: o.Scene, X: "depth_m", Y: "force_N", Curves: []ui.CurveData{{Name: "in", Color: 0x2f6690}, {Name: "out", Color: 0xe69f00}}}
	for i := range o.Steps {
		k := &d.Curves[0]
		if o.Steps[i].Lifted {
			k = &d.Curves[1]
		}
		k.X, k.Y = append(k.X, o.Steps[i].Depth), append(k.Y, o.Steps[i].Norm)
	}
	return figure.SavePlots(file, "Indentation", plotOf(&d))
}

// plotOf draws curves for a file. What is not a number leaves a gap; on a logarithmic axis so does what is not above 0.
func plotOf(d *ui.PlotData) *figure.Plot {
	p := figure.New(d.X, d.Y)
	p.Title.Text = d.Title
	drawn := false
	for _, k := range d.Curves {
		ink := color.RGBA{uint8(k.Color >> 16), uint8(k.Color >> 8), uint8(k.Color), 255}
		if k.Color == 0xf0f2f6 { // white on the screen's black
			ink = color.RGBA{40, 40, 40, 255}
		}
		var run plotter.XYs
		for j := 0; j <= len(k.X); j++ {
			if j < len(k.X) && !math.IsNaN(k.Y[j]) && !math.IsInf(k.Y[j], 0) && !(d.Log && k.Y[j] <= 0) {
				run = append(run, plotter.XY{X: k.X[j], Y: k.Y[j]})
				continue
			}
			if len(run) > 1 {
				line := p.Line(k.Name, run)
				line.Color, line.Width = ink, vg.Points(1)
				k.Name, drawn = "", true // in the legend once
			}
			run = nil
		}
	}
	if d.Log && drawn {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	return p
}

// savePlots writes a page of the window's plots as a table and as pictures.
func savePlots(page string, plots []ui.PlotData) (said string, err error) {
	stem := "hapco-" + strings.ReplaceAll(strings.ToLower(page), " ", "-") + "-" + time.Now().Format("20060102-150405")
	if err := app.WriteOut(stem+".csv", func(w io.Writer) error { return writePlots(w, plots) }); err != nil {
		return "", err
	}
	var drawn []*figure.Plot
	for i := range plots {
		drawn = append(drawn, plotOf(&plots[i]))
	}
	for _, end := range []string{".png", ".svg"} {
		if err := figure.SavePlots(stem+end, page, drawn...); err != nil {
			return "", err
		}
	}
	return stem + ".csv, .png and .svg", nil
}

// writePlots writes one line a value: the plots' samples are not all of the same times.
func writePlots(w io.Writer, plots []ui.PlotData) error {
	return app.CSV(w, func(row func(...string)) {
		row("plot", "curve", "x", "y", "x_is", "y_is")
		for _, p := range plots {
			for _, k := range p.Curves {
				for j := range k.X {
					row(append(app.Numbers([]string{p.Title, k.Name}, -1, k.X[j], k.Y[j]), p.X, p.Y)...)
				}
			}
		}
	})
}
