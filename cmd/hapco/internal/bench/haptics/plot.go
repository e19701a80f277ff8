package haptics

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/haptics"
	"hapco/haptics/bench"
	"hapco/physics/machinery/refusal"
)

// draw writes the pictures.
func (r *Report) draw(c *Command) {
	pictures := []struct {
		name  string
		title string
		make  func() []*figure.Plot
	}{
		{"haptics-timing", "Wake-up after the deadline", r.plotTiming},
		{"haptics-stability", "Stability of the thesis's matrix (table 4.25): share of stable cells, and the worst of each", r.plotStability},
		{"haptics-bounces", fmt.Sprintf("Pressing and dragging %s, %d contacts, physics at %g Hz", bounceCell.pair.name, bounceCell.contacts, bounceCell.physicsHz), r.plotBounces},
		{"haptics-force-path", "Force over penetration, aluminium on tissue: figures 4.26 (36 contacts) and 4.27 (16), made anew", r.plotForcePaths},
		{"haptics-zwidth", "Stiffest stable wall, light grip", r.plotZWidth},
	}
	if len(r.ZWidth) == 0 { // scenes alone
		pictures = pictures[:1]
	}
	for _, picture := range pictures {
		refusal.Need(figure.SavePlots(c.File(picture.name+".png"), picture.title, picture.make()...))
	}
}

// plotTiming draws the quantiles of the wake-up latency.
func (r *Report) plotTiming() []*figure.Plot {
	p := figure.New("", "us")
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decadeTicks{}
	p.NominalX("median", "p99", "p99.9", "longest")
	top := 0.0
	for i, x := range r.timings() {
		q := &x.t.Wakeup
		pts := plotter.XYs{{X: 0, Y: q.P50}, {X: 1, Y: q.P99}, {X: 2, Y: q.P999}, {X: 3, Y: q.Max}}
		for k := range pts {
			pts[k].Y = math.Max(pts[k].Y, 0.1) // a logarithm needs something
			top = math.Max(top, pts[k].Y)
		}
		l, s := p.LinePoints(x.who+", "+x.load, pts)
		figure.Mark(l, s, i/2, x.who == "cyclictest")
	}
	p.X.Min, p.X.Max = -0.3, 3.3
	p.Y.Max = 8 * top // room for the legend
	return []*figure.Plot{p}
}

// plotStability draws, over the rate of physics, the share of stable cells and the worst energy and jitter of each pair
// of materials.
func (r *Report) plotStability() []*figure.Plot {
	panels := []struct {
		title string
		unit  string
		log   bool
		value func(t *tally) float64
	}{
		{"stable cells", "%", false, func(t *tally) float64 { return 100 * float64(t.stable) / float64(t.cells) }},
		{"energy put out, at most (less is drawn at 1e-6)", "J", true, func(t *tally) float64 { return math.Max(t.energy, 1e-6) }},
		{"jitter while the hand holds still, at most (less is drawn at 1e-4)", "N", true, func(t *tally) float64 { return math.Max(t.jitter, 1e-4) }},
	}
	names := &figure.Plot{Plot: plot.New()} // a panel that holds the legend, where it covers nothing
	names.HideAxes()
	names.Legend.Top, names.Legend.Left = true, true
	names.Legend.Padding = vg.Points(4)
	var plots []*figure.Plot
	for k, panel := range panels {
		p := figure.New("rate of physics, Hz", panel.unit)
		p.Title.Text = panel.title
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, ticksAt(matrixRates...)
		p.X.Min, p.X.Max = 40, 1250
		if panel.log {
			p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decadeTicks{}
		}
		for i, pair := range matrixPairs {
			for _, c := range []haptics.Coupling{haptics.Direct, haptics.Virtual} {
				var pts plotter.XYs
				for _, hz := range matrixRates {
					t := r.tally(func(row *StabilityRow) bool {
						return row.Materials == pair.name && row.Coupling == c.String() && row.PhysicsHz == hz
					})
					if t.cells > 0 {
						pts = append(pts, plotter.XY{X: hz, Y: panel.value(&t)})
					}
				}
				l, s := p.LinePoints("", pts)
				figure.Mark(l, s, i, c == haptics.Direct)
				if k == 0 {
					names.Legend.Add(pair.name+", "+c.String(), l, s)
				}
			}
		}
		if !panel.log {
			p.Y.Min, p.Y.Max = -2, 102
		}
		plots = append(plots, p)
	}
	return append(plots, names)
}

// ticksAt are ticks at some rates, Hz.
func ticksAt(rates ...float64) (ticks plot.ConstantTicks) {
	for _, hz := range rates {
		ticks = append(ticks, plot.Tick{Value: hz, Label: number(hz)})
	}
	return ticks
}

// decadeTicks label the powers of ten of a logarithmic axis.
type decadeTicks struct{}

func (decadeTicks) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range (plot.LogTicks{}).Ticks(lo, hi) {
		if t.Label != "" {
			t.Label = strconv.FormatFloat(t.Value, 'g', 3, 64)
		}
		if t.Value >= lo*(1-1e-9) && t.Value <= hi { // one outside would take room
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// plotBounces draws the force sent over time with both couplings.
func (r *Report) plotBounces() (plots []*figure.Plot) {
	for i := range r.bounces {
		o := &r.bounces[i]
		p := figure.New("s", "force sent to the hand, N")
		p.Title.Text = haptics.Coupling(i).String() + " coupling: " + describeOutcome(o)
		p.X.Max = float64(len(o.Force)) / matrixRate
		p.Y.Min, p.Y.Max = 0, 8
		pts := make(plotter.XYs, len(o.Force))
		for k, f := range o.Force {
			pts[k] = plotter.XY{X: float64(k) / matrixRate, Y: f}
		}
		l := p.Line("", pts)
		l.Color, l.Width = app.SeriesColors[1-i], vg.Points(0.8)
		plots = append(plots, p)
	}
	return plots
}

func describeOutcome(o *bench.Outcome) string {
	word := "unstable"
	if o.Stable {
		word = "stable"
	}
	jitter := "below 1 mN"
	if o.Jitter >= 1e-3 {
		jitter = fmt.Sprintf("%.3g N", o.Jitter)
	}
	return fmt.Sprintf("%s, jitter %s, %d bounces", word, jitter, o.Bounces)
}

// plotForcePaths draws the force over the path of penetration.
func (r *Report) plotForcePaths() (plots []*figure.Plot) {
	for k := len(matrixContacts) - 1; k >= 0; k-- { // 4.26 has 36
		p := figure.New("penetration, mm", "force, N")
		p.Title.Text = fmt.Sprintf("%d contacts, tissue of %g kPa", matrixContacts[k], 1e-3*pathYoung)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1e3*pathDepth, 0, 7
		p.Legend.TextStyle.Font.Size = vg.Points(8)
		for i, mu := range matrixFriction {
			told := p.Line(fmt.Sprintf("the thesis's text, mu %g: up to %g N", mu, pathTextForces[mu]),
				plotter.XYs{{X: 0, Y: pathTextForces[mu]}, {X: 1e3 * pathDepth, Y: pathTextForces[mu]}})
			told.Color, told.Width = color.Gray{160}, vg.Points(1)
			told.Dashes = []vg.Length{vg.Points(float64(1 + 4*i)), vg.Points(3)}
		}
		for i, n := 0, 0; i < len(r.ForcePath); i++ {
			f := &r.ForcePath[i]
			if f.Contacts != matrixContacts[k] {
				continue
			}
			pts := make(plotter.XYs, len(f.Depth))
			for j := range pts {
				pts[j] = plotter.XY{X: 1e3 * f.Depth[j], Y: f.Force[j]}
			}
			name := fmt.Sprintf("mu %g, felt: physics at %g Hz, eps_GS %g", f.Mu, f.Hz, f.EpsGS)
			if f.Hz == 0 {
				name = fmt.Sprintf("mu %g, without a hand", f.Mu)
			}
			l := p.Line(name, pts)
			figure.Mark(l, nil, n, false)
			if f.Hz == 0 {
				l.Color, l.Width = color.Black, vg.Points(2.5)
				if f.Mu > matrixFriction[0] {
					l.Dashes = []vg.Length{vg.Points(6), vg.Points(4)}
				}
			} else {
				n++
			}
		}
		plots = append(plots, p)
	}
	return plots
}

// plotZWidth draws the stiffest stable wall over the rate.
func (r *Report) plotZWidth() []*figure.Plot {
	p := figure.New("rate of the servo, Hz", "N/m")
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticksAt(500, 1000, 2000, 4000), decadeTicks{}
	p.X.Min, p.X.Max = 400, 5000
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	top := 0.0
	for i := 0; i < len(r.ZWidth); {
		first := &r.ZWidth[i]
		var pts plotter.XYs
		for ; i < len(r.ZWidth) && r.ZWidth[i].Device == first.Device && r.ZWidth[i].Coupling == first.Coupling; i++ {
			pts = append(pts, plotter.XY{X: r.ZWidth[i].Rate, Y: r.ZWidth[i].Stiffness})
			top = math.Max(top, r.ZWidth[i].Stiffness)
		}
		l, s := p.LinePoints(first.Device+", "+first.Coupling, pts)
		device := 0
		for k := range r.ZWidth[:i] {
			if k > 0 && r.ZWidth[k].Device != r.ZWidth[k-1].Device {
				device++
			}
		}
		figure.Mark(l, s, device, first.Coupling == haptics.Direct.String())
	}
	p.Y.Max = 30 * top // room for the legend
	return []*figure.Plot{p}
}
