// Package floe measures fields of ice floes, beside Box2D where it is installed.
package floe

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/worlds/floe"
)

// Command measures a step of a field of ice floes, and compares laws of contact.
type Command struct {
	output.Flags
	Floes int `help:"Largest number of floes." default:"10000" in:"100..1048576"`
}

// floePoint is what a step cost at one size, with one thread, and how many two threads make.
type floePoint struct {
	Floes    int     `json:"floes"`
	Contacts float64 `json:"contacts"` // mean of the steps
	Steps    int     `json:"steps"`
	CPU      float64 `json:"cpu_ms"`         // processor time of a step, mean
	PerFloe  float64 `json:"cpu_us_a_floe"`  //
	Rate     float64 `json:"steps_a_second"` // of processor time
	Wall     float64 `json:"two_threads"`    // steps a second of wall time
	Largest  int     `json:"largest_cluster"`
}

// sceneCost is what the storm on a thousand floes takes with one thread, behind the seam.
type sceneCost struct {
	Floes    int     `json:"floes"`
	Contacts float64 `json:"contacts"`        // mean of the steps
	Second   float64 `json:"cpu_ms_a_second"` // processor time of 30 steps
	Frame    float64 `json:"cpu_ms_a_frame"`  // of making a picture's triangles, without drawing them
}

type Report struct {
	Machine  string           `json:"machine"`
	Quick    bool             `json:"quick"`
	Points   []floePoint      `json:"points"`
	Exponent float64          `json:"exponent"`          // of the cost of a step over floes
	Contacts float64          `json:"exponent_contacts"` // over contacts
	Scene    sceneCost        `json:"scene"`
	Laws     []floe.LawResult `json:"laws"`
	Channel  []floe.Drift     `json:"channel"`  // by restitution and time
	Squeezed *floe.Squeezed   `json:"squeezed"` // a field that breaks under compression
	Peer     *floePeer        `json:"box2d"`    // null where it is not installed
	Note     string           `json:"note,omitempty"`
}

// Run measures and writes tables.
func (c *Command) Run(ctx context.Context) error { return c.MeasureOnThread(func() { c.measure(ctx) }) }

func (c *Command) measure(ctx context.Context) {
	rep := &Report{Machine: app.Machine(), Quick: c.Quick}
	steps, n, seconds, closed := 100, 1000, 5.0, 0.4
	if c.Quick {
		steps, n, seconds, closed = 20, 200, 1, 0.15
	}
	for _, n := range floeSizes(c.Floes) {
		p := stormPoint(ctx, n, steps, 1)
		refusal.Need(app.Loose(func() error {
			two, err := refusal.Caught(func() floePoint { return stormPoint(ctx, n, steps, 2) })
			p.Wall = two.Wall
			return err
		}))
		rep.Points = append(rep.Points, p)
	}
	cpu := func(p *floePoint) float64 { return p.CPU }
	rep.Exponent = output.LogSlope(rep.Points, func(p *floePoint) float64 { return float64(p.Floes) }, cpu)
	rep.Contacts = output.LogSlope(rep.Points, func(p *floePoint) float64 { return max(p.Contacts, 1) }, cpu)
	rep.Scene = stormScene(ctx, 3*steps)
	laws := []string{floe.LawLCP, floe.LawSweeps, "nsgs", "auto"}
	rep.Laws = refusal.Must(floe.CompareLaws(packedField(200), laws, 3*steps))
	rep.Channel = c.channel()
	rep.Squeezed = refusal.Must(floe.Squeeze(60, closed, 4))
	var err error
	if rep.Peer, err = compareBox2D(ctx, n, seconds); err != nil {
		refusal.Need(ctx.Err())
		rep.Note = err.Error()
	}
	c.WriteJSON("floe", rep)
	rep.print()
}

// floeSizes are the numbers of floes measured, up to most.
func floeSizes(most int) []int {
	var sizes []int
	for n := most; n >= 100 && len(sizes) < 4; n /= 2 {
		sizes = append(sizes, n)
	}
	slices.Reverse(sizes)
	return sizes
}

// packedField is a storm on floes that cover four fifths of a basin, and move already: at once what the wind would take
// minutes for.
func packedField(n int) floe.Config {
	size := 8 * math.Sqrt(float64(n))
	f := floe.Field{Floes: n, Hi: floe.Vec2{size, size}, Cover: 0.8, Exponent: 1.8, Spread: 4, Thick: [2]float64{0.4, 1.5}, Seed: 1}
	floes := refusal.Must(f.Make())
	c := floe.Config{Restitution: 0.3, Friction: 0.3, Collision: 0.01, Repairs: floe.Recommended, Environment: floe.Sea(floe.Vec2{20, 0}, floe.Vec2{}), Window: 1. / 30}
	c.Environment.Air.Swing, c.Environment.Air.Rate = floe.Vec2{0, 20}, 2*math.Pi/60 // the wind turns back and forth
	c.Floes, c.Threads = append(floe.Banks(f.Lo, f.Hi, 10, 1), floes...), 1
	for i := range c.Floes {
		if f := &c.Floes[i]; !f.Fixed {
			a := float64(i) * 2.399963 // directions that repeat nowhere
			f.Velocity = floe.Vec2{0.5 * math.Cos(a), 0.5 * math.Sin(a)}
		}
	}
	return c
}

// stormPoint measures n floes, at the same share of the sea for all sizes, once they have met.
func stormPoint(ctx context.Context, n, steps, threads int) floePoint {
	c := packedField(n)
	c.Threads = threads
	w := refusal.Must(floe.New(c))
	defer w.Close()
	for range 60 {
		w.Step(c.Window)
	}
	p := floePoint{Floes: n, Steps: steps}
	began, start := time.Now(), cputime.Thread()
	for range steps {
		refusal.Need(ctx.Err())
		w.Step(c.Window)
		p.Contacts += float64(w.Report().Contacts) / float64(steps)
	}
	used := (cputime.Thread() - start).Seconds() / float64(steps)
	p.Wall = float64(steps) / time.Since(began).Seconds()
	refusal.Need(w.Err())
	p.CPU, p.PerFloe, p.Rate, p.Largest = 1e3*used, 1e6*used/float64(n), 1/used, w.Report().Largest
	return p
}

// stormScene steps the scene of a storm at 30 steps a second, once the wind has driven its floes together.
func stormScene(ctx context.Context, steps int) (c sceneCost) {
	w, _, err := physics.OpenScene(ctx, refusal.Must(physics.Load("ice-storm")), physics.Options{})
	refusal.Need(err)
	defer w.Close()
	var f physics.Frame
	var owed physics.Owed
	step := func(n int) (took time.Duration) {
		start := cputime.Thread()
		for range n {
			owed.Step(w, physics.Input{Target: w.Info().Start, Hand: w.Info().Start, Dt: 1. / 30})
		}
		return cputime.Thread() - start
	}
	step(300)
	var drawn time.Duration
	names := w.Info().Numbers
	for range steps {
		refusal.Need(ctx.Err())
		c.Second += 30e3 * step(1).Seconds() / float64(steps)
		start := cputime.Thread()
		w.Draw(&f)
		drawn += cputime.Thread() - start
		for i := range names {
			switch names[i].Name {
			case "touching":
				c.Contacts += f.Numbers[i] / float64(steps)
			case "floes":
				c.Floes = int(f.Numbers[i])
			}
		}
	}
	c.Frame = 1e3 * drawn.Seconds() / float64(steps)
	return c
}

func (r *Report) print() {
	t := app.Table(app.Stdout)
	defer t.Flush()
	fmt.Fprintln(t, "floes\tcontacts\tms a step\tus a floe\tsteps/s\ttwo threads\tlargest cluster\t")
	for _, p := range r.Points {
		fmt.Fprintf(t, "%d\t%.0f\t%.3g\t%.3g\t%.3g\t%.3g\t%d\t\n", p.Floes, p.Contacts, p.CPU, p.PerFloe, p.Rate, p.Wall, p.Largest)
	}
	fmt.Fprintf(t, "\ncost of a step over floes: exponent %.3f; over contacts %.3f (processor time of one thread; wall time of two)\n\n", r.Exponent, r.Contacts)
	fmt.Fprintf(t, "scene ice-storm: %d floes, %.0f contacts: 30 steps a second take %.3g ms of processor time, a frame %.3g ms\n\n", r.Scene.Floes, r.Scene.Contacts, r.Scene.Second, r.Scene.Frame)
	fmt.Fprintln(t, "law\tproblems\tcontacts\tfailed\tus a contact\tlost, J\tvelocities differ\timpulses differ\tapproach left\t")
	for _, l := range r.Laws {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%.6g\t%.1e\t%.1e\t%.1e\t\n", l.Law, l.Problems, l.Contacts, l.Failed,
			strconv.FormatFloat(1e6*l.Seconds/float64(max(l.Contacts, 1)), 'g', 3, 64), l.Lost, l.Velocity, l.Impulse, l.Residual)
	}
	t.Flush()
	printDrifts(r.Channel)
	q := r.Squeezed
	fmt.Fprintf(t, "\n%d floes in a basin, closed by %.3g of its length in %.3g s: %d cracks; mass changes by %.1e\nfloes of\tbefore\tafter\t\n", q.Before[0], q.Closed, q.Seconds, q.Cracks, q.Mass)
	for i, a := range q.Areas {
		fmt.Fprintf(t, "%g m2 and more\t%d\t%d\t\n", a, q.Before[i], q.After[i])
	}
	if r.Peer != nil {
		fmt.Fprintf(t, "\n%d convex floes in a basin, %g s, without loss:\n", r.Peer.Floes, r.Peer.Seconds)
		fmt.Fprintln(t, "\tms a step\tms a second of motion\tkinetic energy changes by\t")
		for _, x := range r.Peer.Rows {
			fmt.Fprintf(t, "%s\t%.3g\t%.4g\t%.2e\t\n", x.Who, x.Step, x.Motion, x.Energy)
		}
	}
	if r.Note != "" {
		fmt.Fprintln(t, r.Note)
	}
}

// What the drift along a channel is shown with: the scene, restitutions, and times in s.
const channelScene = "ice-channel"

var (
	channelRestitutions = []float64{0, 0.3, 0.6, 0.9}
	channelTimes        = []float64{0, 240, 480}
)

// channel lets the floes of a scene drift with several restitutions, and draws them: figures 3.6 and 3.7 of the report.
func (c *Command) channel() []floe.Drift {
	scene := refusal.Must(physics.Load(channelScene)).(*floe.SceneFile)
	restitutions := output.Either(c.Quick, []float64{0, 0.9}, channelRestitutions)
	times := output.Either(c.Quick, channelTimes[:2], channelTimes)
	drifts := refusal.Must(scene.Drifts(restitutions, times))
	var plots []*figure.Plot
	for i := range drifts {
		plots = append(plots, plotDrift(scene, &drifts[i]))
	}
	refusal.Need(figure.SaveTiles(c.File("floe-channel.png"), "Floes along a channel, by restitution", plots,
		len(restitutions), len(times), 14*vg.Centimeter, 5.6*vg.Centimeter))
	return drifts
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

//go:embed box2d/peer.cpp
var box2dSource []byte

// floePeer is Box2D beside ours: the same convex floes in a basin, without forces, friction or loss, so that the
// kinetic energy should stay as it is.
type floePeer struct {
	Floes   int       `json:"floes"`
	Seconds float64   `json:"seconds"` // of motion
	Rows    []peerRow `json:"rows"`
}

type peerRow struct {
	Who    string  `json:"who"`
	Step   float64 `json:"ms_a_step"`              // processor time
	Motion float64 `json:"ms_a_second"`            // processor time of a second of motion
	Energy float64 `json:"energy_change_relative"` // at the end
}

// basin is the field of the comparison. Box2D takes at most eight vertices.
func basin(n int) floe.Config {
	size := 8 * math.Sqrt(float64(n))
	f := floe.Field{Floes: n, Hi: floe.Vec2{size, size}, Cover: 0.5, Exponent: 1.8, Spread: 3, Thick: [2]float64{1, 1}, Seed: 2}
	floes := refusal.Must(f.Make())
	for i := range floes {
		p := &floes[i]
		for len(p.Outline) > 8 { // without the vertex that cuts off least
			least, at := math.Inf(1), 0
			for k, b := range p.Outline {
				a, c := p.Outline[(k+len(p.Outline)-1)%len(p.Outline)], p.Outline[(k+1)%len(p.Outline)]
				u, v := b.Sub(a), c.Sub(a)
				if area := math.Abs(u[0]*v[1] - u[1]*v[0]); area < least {
					least, at = area, k
				}
			}
			p.Outline = slices.Delete(p.Outline, at, at+1)
		}
		g := floe.SectionOf(p.Outline).Centroid
		for k := range p.Outline {
			p.Outline[k] = p.Outline[k].Sub(g)
		}
		p.Position = p.Position.Add(g)
		a := float64(i) * 2.399963
		p.Velocity = floe.Vec2{2 * math.Cos(a), 2 * math.Sin(a)}
	}
	return floe.Config{Floes: append(floe.Banks(f.Lo, f.Hi, 10, 0.1), floes...),
		Restitution: 1, Collision: 1e-3, Repairs: floe.Recommended, Threads: 1}
}

// compareBox2D runs both; the error says why it does not.
func compareBox2D(ctx context.Context, n int, seconds float64) (*floePeer, error) {
	return refusal.Caught(func() *floePeer {
		peer := refusal.Must(output.Compile(ctx, "Box2D", "g++ libbox2d-dev", box2dSource, "-lbox2d"))
		defer peer.Remove()
		return besideBox2D(ctx, peer, n, seconds)
	})
}

func besideBox2D(ctx context.Context, peer output.Peer, n int, seconds float64) *floePeer {
	c := basin(n)
	const dt = 1. / 60
	steps := int(seconds / dt)
	var in bytes.Buffer
	fmt.Fprintln(&in, steps, dt, c.Restitution, c.Friction, len(c.Floes))
	for _, f := range c.Floes {
		fixed := 0
		if f.Fixed {
			fixed = 1
		}
		fmt.Fprintln(&in, fixed, f.Density*f.Thickness, f.Position[0], f.Position[1], f.Velocity[0], f.Velocity[1], f.Rate, len(f.Outline))
		for _, p := range f.Outline {
			fmt.Fprintln(&in, p[0], p[1])
		}
	}
	var theirs struct {
		Seconds float64 `json:"seconds"`
		Start   float64 `json:"start"`
		End     float64 `json:"end"`
	}
	refusal.Need(peer.Run(ctx, &in, &theirs))
	out := &floePeer{Floes: n, Seconds: seconds}
	out.Rows = append(out.Rows, peerRow{"Box2D, 60 steps a second", 1e3 * theirs.Seconds, 1e3 * theirs.Seconds / dt, theirs.End/theirs.Start - 1})
	for _, window := range []float64{dt, 0} {
		c.Window = window
		w := refusal.Must(floe.New(c))
		start := cputime.Thread()
		w.Advance(seconds, 1<<30)
		used := (cputime.Thread() - start).Seconds()
		e, r := w.Energy(), w.Report()
		refusal.Need(w.Err())
		who := "HapCo, windows of 1/60 s"
		if window == 0 {
			who = "HapCo, from event to event"
		}
		out.Rows = append(out.Rows, peerRow{who, 1e3 * used / float64(r.Steps), 1e3 * used / seconds, e.Kinetic/e.Start - 1})
		w.Close()
	}
	return out
}
