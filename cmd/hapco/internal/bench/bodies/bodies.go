// Package bodies probes scenes of soft bodies for a minute, and with a hostile hand.
package bodies

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/bench/probing"
	"hapco/physics/worlds/tissue"
)

// Command probes the scenes in which bodies touch each other or themselves, as a hand does, and checks throughout that
// nothing is inside anything else and that no energy comes from nowhere. With --hostile it makes random gestures that
// mean harm instead.
type Command struct {
	output.Flags
	hostileFlags
	Seconds float64  `help:"Simulated seconds at 1 kHz; 0: 60, or 2.4 with --quick." default:"0" in:"0|0.1..3600"`
	Every   int      `help:"Milliseconds between two checks of the shapes; a fifth where the hand is fast." default:"20" in:"1..1000000"`
	Scene   []string `help:"Only these of the scenes; repeatable." placeholder:"NAME"`
}

// Point is what was found in one scene.
type Point struct {
	Scene    string  `json:"scene"`
	Bodies   int     `json:"bodies"`
	Nodes    int     `json:"nodes"` // of the deformable ones
	Seconds  float64 `json:"seconds"`
	Steps    int     `json:"steps"`
	Contacts int     `json:"contacts_median"` // while there are any
	Most     int     `json:"contacts_max"`

	stepTimes           // of the steps with contacts
	CPU       stepTimes `json:"cpu"` // the same in processor time of the thread

	Penetration float64 `json:"penetration_mm_max"`
	Nodewise    float64 `json:"penetration_nodes_mm_max"`
	Where       string  `json:"penetration_where"`
	Tolerance   float64 `json:"tolerance_mm"`
	Checks      int     `json:"checks"`

	Energy      float64 `json:"energy_mJ_max"`
	Work        float64 `json:"work_mJ"`
	Loss        float64 `json:"friction_mJ"`
	Created     float64 `json:"energy_created_mJ"`
	Drift       float64 `json:"energy_drift"` // of the largest elastic energy
	EnergyLimit float64 `json:"energy_drift_limit"`

	Force        float64  `json:"force_N_max"`
	NotConverged int      `json:"not_converged"`
	Iterations   int      `json:"iterations_max"`
	NotFinite    int      `json:"not_finite"`
	Behind       float64  `json:"behind_mm_max"` // the stylus behind the hand
	Broken       []string `json:"broken"`
}

type stepTimes struct {
	Rate   float64 `json:"rate_Hz_median"`
	RateP1 float64 `json:"rate_Hz_p1"`
	Median float64 `json:"ms_median"`
	P99    float64 `json:"ms_p99"`
	Max    float64 `json:"ms_max"`
}

type Report struct {
	Machine string  `json:"machine"`
	Command string  `json:"command"`
	Points  []Point `json:"points"`
}

// Run probes, tabulates and plots. It fails where a bound was broken.
func (c *Command) Run(ctx context.Context) error {
	return c.MeasureOnThread(func() {
		if c.Hostile != 0 || len(c.Mesh) > 0 {
			c.runHostile(ctx)
			return
		}
		c.probeAll(ctx)
	})
}

func (c *Command) probeAll(ctx context.Context) {
	c.Seconds = cmp.Or(c.Seconds, output.Either(c.Quick, 2.4, 60))
	cases, err := c.cases()
	refusal.Need(app.BadInput(err))
	r := &Report{Machine: app.Machine(), Command: "hapco bench bodies" + output.Either(c.Quick, " --quick", "")}
	if c.Every != 20 {
		r.Command += fmt.Sprintf(" --every %d", c.Every)
	}
	if c.Seconds != 60 && !c.Quick {
		r.Command += fmt.Sprintf(" --seconds %g", c.Seconds)
	}
	for i := range cases {
		r.Points = append(r.Points, *c.probe(ctx, &cases[i]))
	}
	c.WriteAll("bodies", r, output.Table(r.Points))
	refusal.Need(r.Summary())
}

// cases are those that were asked for.
func (c *Command) cases() ([]probing.Case, error) {
	all := probing.Cases()
	if len(c.Scene) == 0 {
		return all, nil
	}
	var names []string
	for i := range all {
		names = append(names, all[i].Scene)
	}
	for _, name := range c.Scene {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("bench bodies: --scene %s (cure: one of %s)", name, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(all, func(p probing.Case) bool { return !slices.Contains(c.Scene, p.Scene) }), nil
}

// probe measures one scene.
func (c *Command) probe(ctx context.Context, scene *probing.Case) *Point {
	fmt.Fprintf(os.Stderr, "hapco: %s, %g s\n", scene.Scene, c.Seconds)
	p := refusal.Must(scene.Prepare(ctx, tissue.Builder{}))
	runtime.GC()
	hand := output.Either(c.Quick, probing.NewQuickHand, probing.NewHand)(p.World.StartPose(), p.Sites, c.Seconds)
	r := refusal.Must(probing.Run(ctx, p.World, p.Checker, hand, probing.Options{Seconds: c.Seconds, Every: c.Every, Clock: cputime.Thread}))
	limits := probing.DefaultLimits()
	out := &Point{
		Scene: scene.Scene, Seconds: r.Seconds, Steps: r.Steps,
		Penetration: 1e3 * r.Worst.Edge, Nodewise: 1e3 * r.Worst.Node, Tolerance: 1e3 * limits.Penetration, Checks: len(r.Samples),
		Energy: 1e3 * r.Strain, Work: 1e3 * r.Work, Loss: 1e3 * r.Loss, Created: 1e3 * r.Created, EnergyLimit: limits.Energy,
		Force: r.Force, NotConverged: r.Unsolved, Iterations: r.Iterations, NotFinite: r.NotFinite, Behind: 1e3 * r.Behind,
		Broken: r.Check(limits),
	}
	if out.Broken == nil {
		out.Broken = []string{} // not null
	}
	if r.Strain > 0 {
		out.Drift = r.Created / r.Strain
	}
	infos := p.World.Bodies()
	out.Bodies, out.Nodes = len(infos), p.World.Nodes()
	if r.Worst.A >= 0 {
		out.Where = fmt.Sprintf("%s in %s at %.3f s", infos[r.Worst.A].Name, infos[r.Worst.B].Name, r.WorstTime)
	}
	var wall, cpu, contacts []float64
	for i, n := range r.Contacts {
		if n > 0 {
			wall, cpu, contacts = append(wall, r.StepMS[i]), append(cpu, r.CPUMS[i]), append(contacts, float64(n))
		}
	}
	out.stepTimes, out.CPU = timesOf(wall), timesOf(cpu)
	out.Contacts, out.Most = int(output.Rank(contacts, 0.5)), int(output.Rank(contacts, 1))
	refusal.Need(plotBodies(c.File("bodies-"+scene.Scene+".png"), scene.Scene, r, hand.Marks(), limits))
	return out
}

// timesOf sums up what steps took, ms.
func timesOf(ms []float64) (t stepTimes) {
	t.Median, t.P99, t.Max = output.Rank(ms, 0.5), output.Rank(ms, 0.99), output.Rank(ms, 1)
	t.Rate, t.RateP1 = perSecond(t.Median), perSecond(t.P99)
	return t
}

// perSecond is a rate, Hz, from a time, ms.
func perSecond(ms float64) float64 {
	if ms > 0 {
		return 1e3 / ms
	}
	return 0
}

var bodiesHeads = []string{"scene", "bodies", "nodes", "contacts (most)", "ms", "p99", "CPU ms", "p99", "Hz", "p1", "CPU Hz", "p1",
	"deepest mm (nodes)", "of", "energy mJ", "from nowhere", "force N", "unsolved"}

func (p *Point) cells() []string {
	return []string{p.Scene, strconv.Itoa(p.Bodies), strconv.Itoa(p.Nodes), fmt.Sprintf("%d (%d)", p.Contacts, p.Most),
		fmt.Sprintf("%.3f", p.Median), fmt.Sprintf("%.2f", p.P99), fmt.Sprintf("%.3f", p.CPU.Median), fmt.Sprintf("%.2f", p.CPU.P99),
		fmt.Sprintf("%.0f", p.Rate), fmt.Sprintf("%.0f", p.RateP1), fmt.Sprintf("%.0f", p.CPU.Rate), fmt.Sprintf("%.0f", p.CPU.RateP1),
		fmt.Sprintf("%.3f (%.3f)", p.Penetration, p.Nodewise), fmt.Sprintf("%g", p.Tolerance),
		fmt.Sprintf("%.1f", p.Energy), fmt.Sprintf("%.3f (%.2f %%)", p.Created, 100*p.Drift), fmt.Sprintf("%.2f", p.Force),
		fmt.Sprintf("%d of %d", p.NotConverged, p.Steps)}
}

// Summary prints the table and fails where a bound was broken.
func (r *Report) Summary() error {
	t := app.Table(app.Stdout)
	fmt.Fprintln(t, strings.Join(bodiesHeads, "\t")+"\t")
	var broken []string
	for _, p := range r.Points {
		fmt.Fprintln(t, strings.Join(p.cells(), "\t")+"\t")
		for _, b := range p.Broken {
			broken = append(broken, p.Scene+": "+b)
		}
	}
	t.Flush()
	if len(broken) > 0 {
		return fmt.Errorf("bench bodies: %s", strings.Join(broken, "; "))
	}
	fmt.Fprintln(app.Stdout, "every bound held")
	return nil
}

// plotBodies draws what was found over time: force, depth, energy, contacts.
func plotBodies(file, name string, r *probing.Report, marks []probing.Mark, l probing.Limits) error {
	if len(r.Samples) < 2 {
		return nil
	}
	type curve struct {
		name string
		y    func(*probing.Sample) float64
	}
	panels := []struct {
		unit   string
		limit  float64
		curves []curve
	}{
		{"force, N", 0, []curve{{"on the stylus", func(s *probing.Sample) float64 { return s.Force }}}},
		{"penetration, mm", 1e3 * l.Penetration, []curve{{"of edges", func(s *probing.Sample) float64 { return 1e3 * s.Edge }}, {"of nodes", func(s *probing.Sample) float64 { return 1e3 * s.Node }}}},
		{"energy, mJ", 0, []curve{{"elastic", func(s *probing.Sample) float64 { return 1e3 * s.Strain }}, {"work less friction's", func(s *probing.Sample) float64 { return 1e3 * (s.Work - s.Loss) }}}},
		{"contacts", 0, []curve{{"near", func(s *probing.Sample) float64 { return float64(s.Contacts) }}, {"loaded", func(s *probing.Sample) float64 { return float64(s.Loaded) }}}},
	}
	const width, height = 26 * vg.Centimeter, 5.2 * vg.Centimeter
	canvas := vgimg.NewWith(vgimg.UseWH(width, vg.Length(len(panels))*height), vgimg.UseDPI(110))
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadY: 0.2 * vg.Centimeter, PadLeft: 0.2 * vg.Centimeter, PadRight: 0.5 * vg.Centimeter}
	column := make([][]*plot.Plot, len(panels))
	for i, panel := range panels {
		p := figure.New("", panel.unit)
		if i == 0 {
			p.Title.Text = fmt.Sprintf("%s, probed for %g s", name, r.Seconds)
		}
		if i == len(panels)-1 {
			p.X.Label.Text = "s"
		}
		p.Legend.Left = false
		p.Legend.TextStyle.Font.Size = vg.Points(8)
		for k, c := range panel.curves {
			xy := make(plotter.XYs, len(r.Samples))
			for n := range r.Samples {
				xy[n] = plotter.XY{X: r.Samples[n].Time, Y: c.y(&r.Samples[n])}
			}
			line := p.Line(c.name, xy)
			figure.Mark(line, nil, k, false)
			line.Width = vg.Points(0.8)
		}
		if panel.limit > 0 {
			line := p.Line("tolerance", plotter.XYs{{X: 0, Y: panel.limit}, {X: r.Seconds, Y: panel.limit}})
			figure.Mark(line, nil, 6, true)
			p.Y.Max = max(p.Y.Max, panel.limit*1.15)
		}
		p.Y.Min = min(0, p.Y.Min)
		if i == 0 {
			gestures(p, marks, r.Seconds)
		}
		if p.Err != nil {
			return p.Err
		}
		p.Y.Max *= 1.25 // room for legend and gestures
		p.X.Min, p.X.Max = 0, r.Seconds
		column[i] = []*plot.Plot{p.Plot}
	}
	for i, row := range plot.Align(column, tiles, draw.New(canvas)) {
		column[i][0].Draw(row[0])
	}
	return figure.WritePNG(canvas, file)
}

// gestures writes what the hand does where it begins to.
func gestures(p *figure.Plot, marks []probing.Mark, until float64) {
	l := plotter.XYLabels{}
	for i, m := range marks { // in two rows: some are short
		if m.Time < until {
			l.XYs = append(l.XYs, plotter.XY{X: m.Time, Y: (1.04 + 0.08*float64(i%2)) * math.Max(p.Y.Max, 1e-9)})
			l.Labels = append(l.Labels, m.What)
		}
	}
	labels := p.Words(l)
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font.Size = vg.Points(6.5)
	}
}
