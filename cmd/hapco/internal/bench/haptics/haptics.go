// Package haptics measures the haptic loop: punctuality, stability, stiffest walls.
package haptics

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/schollz/progressbar/v3"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/haptics"
	"hapco/haptics/bench"
	"hapco/haptics/servo"
	"hapco/haptics/virtual"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/batch"
)

// Command measures what the hand depends on: the servo's punctuality, the stability of contact, and how stiff a wall
// each device can render.
type Command struct {
	output.Flags
	Seconds float64  `help:"Seconds of each measurement of time; 0: 60, or 3 with --quick." default:"0" in:"0|0.5..3600"`
	Scene   []string `help:"Measure with this scene instead of the thesis's experiments; repeatable, the first is the load." placeholder:"NAME"`
}

// Report is haptics.json.
type Report struct {
	Machine   string         `json:"machine"`
	Quick     bool           `json:"quick"`
	Timing    TimingReport   `json:"timing"`
	Stability []StabilityRow `json:"stability"`
	ZWidth    []bench.ZPoint `json:"zwidth"`
	ForcePath []forcePath    `json:"force_path"`
	Verdicts  []verdict      `json:"verdicts"`
	bounces   [2]bench.Outcome
}

// verdict is a claim and whether the measurement bears it out.
type verdict struct {
	Claim    string `json:"claim"`
	Measured string `json:"measured"`
	Holds    bool   `json:"holds"`
}

// Run measures, writes and sums up.
func (c *Command) Run(ctx context.Context) error { return c.Measure(func() { c.measure(ctx) }) }

func (c *Command) measure(ctx context.Context) {
	c.Seconds = cmp.Or(c.Seconds, output.Either(c.Quick, 3.0, 60))
	r := &Report{Machine: app.Machine(), Quick: c.Quick}
	if len(c.Scene) > 0 {
		r.Stability = playScenes(ctx, sceneCells(c.Scene, c.Quick))
		r.Timing = measureTiming(ctx, c.Seconds, c.Scene[0])
	} else {
		r.Timing = measureTiming(ctx, c.Seconds, "liver-linear")
		r.ForcePath = measureForcePaths(ctx, c.Quick)
		cells := MatrixCells(c.Quick)
		bar := progressbar.NewOptions(len(cells), progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionSetVisibility(app.IsTerminal(os.Stderr)), progressbar.OptionSetDescription("stability"), progressbar.OptionClearOnFinish())
		rows, err := playMatrix(ctx, cells, func(finished int) { _ = bar.Set(finished) })
		_ = bar.Finish()
		refusal.Need(err)
		r.Stability, r.bounces, r.ZWidth = rows, playBounces(ctx), measureZWidth(ctx, c.Quick)
	}
	r.Judge()
	c.WriteJSON("haptics", r)
	c.WriteCSV("haptics-timing", r.timingTable())
	c.WriteCSV("haptics-stability", output.Table(r.Stability))
	if len(r.ZWidth) > 0 {
		c.WriteCSV("haptics-zwidth", r.zwidthTable())
		c.WriteCSV("haptics-force-path", r.forcePathTable())
	}
	r.draw(c)
	refusal.Need(r.summary(app.Stdout, c.Out))
}

// bounceCell is the pair that the thesis saw bounce (4.5), at the rate that it reached.
var bounceCell = MatrixCell{pair: matrixPairs[len(matrixPairs)-1], mu: 0.3, epsGS: 1e-4, epsNR: 1, contacts: 36, physicsHz: 100, hand: matrixGrip}

// playBounces plays bounceCell with the direct and the virtual coupling.
func playBounces(ctx context.Context) (out [2]bench.Outcome) {
	refusal.Need(eachCell(ctx, len(out), func(ctx context.Context, b workbench, i int) {
		c := bounceCell
		c.coupling = haptics.Coupling(i)
		out[i] = refusal.Must(b.play(ctx, &c)).Outcome
	}))
	return out
}

// forcePath is the force over the path of penetration, as in figures 4.26 and 4.27: the hand presses to the depth and
// the tool's depth and the force sent are noted at every step of physics; for hz 0 the tool is moved there without a
// hand, and the force is that of the contacts.
type forcePath struct {
	Contacts int       `json:"contacts"`
	YoungPa  float64   `json:"young_Pa"` // of the tissue
	Mu       float64   `json:"mu"`
	EpsGS    float64   `json:"eps_gs"`
	Hz       float64   `json:"physics_hz"`
	Coupling string    `json:"coupling,omitempty"`
	Depth    []float64 `json:"depth_m"`
	Force    []float64 `json:"force_N"`
}

// Of figures 4.26 and 4.27. Written as 45 MPa, the modulus must be 45 kPa: only so are the forces the 3 and 4.5 N that
// the text tells.
const (
	pathYoung = 45e3
	pathDepth = 0.015 // m
	pathSteps = 30
	pathPress = 3.0 // time of the hand's way down, s
)

// pathTextForces are the largest forces of the thesis's text by friction, N.
var pathTextForces = map[float64]float64{0.3: 3, 0.7: 4.5}

// measureForcePaths presses without and with a hand.
func measureForcePaths(ctx context.Context, quick bool) (out []forcePath) {
	for _, n := range matrixContacts {
		for _, mu := range matrixFriction {
			out = append(out, forcePath{Contacts: n, YoungPa: pathYoung, Mu: mu, EpsGS: 1e-8})
			for _, hz := range []float64{50, 100, 1000} {
				if quick && hz != 100 {
					continue
				}
				gs := 1e-4
				if hz == 100 {
					gs = 1e-2 // with which the thesis reached it
				}
				out = append(out, forcePath{Contacts: n, YoungPa: pathYoung, Mu: mu, EpsGS: gs, Hz: hz, Coupling: haptics.Virtual.String()})
			}
		}
	}
	refusal.Need(eachCell(ctx, len(out), func(ctx context.Context, b workbench, i int) { b.walk(ctx, &out[i]) }))
	return out
}

// walk fills one path.
func (b workbench) walk(ctx context.Context, f *forcePath) {
	c := MatrixCell{
		pair: matrixPair{"", "aluminium", 69e9, "tissue", f.YoungPa}, mu: f.Mu, epsGS: f.EpsGS, epsNR: 1,
		contacts: f.Contacts, physicsHz: f.Hz, coupling: haptics.Virtual,
	}
	w, world := b.prepare(ctx, &c)
	if f.Hz == 0 {
		pose := w.StartPose()
		for k := range pathSteps + 1 {
			depth := pathDepth * float64(k) / pathSteps
			pose.Position = world.origin.Sub(mgl64.Vec3{0, depth, 0})
			refusal.Need(w.Move(pose, batch.MaxIncrements))
			force, _ := w.Force()
			f.Depth, f.Force = append(f.Depth, depth), append(f.Force, force.Len())
		}
		return
	}
	hand := virtual.Hands["firm"]
	hand.Path = []virtual.Point{
		{Time: 0.4, Position: mgl64.Vec3{0, matrixHeight, 0}},
		{Time: 0.4 + pathPress, Position: mgl64.Vec3{0, -1.6 * pathDepth, 0}}, // the force holds it back
	}
	felt := feel(world, c.physicsHz, servoParams(c.coupling), hand, [2]float64{}, 0.4+pathPress)
	f.Depth, f.Force = alongDepth(world.depth, felt.Force, matrixRate/f.Hz)
}

// alongDepth pairs the tool's depth at each step of physics, on the way down, with the force sent in the same tick.
func alongDepth(steps, force []float64, ticks float64) (depth, sent []float64) {
	deepest := 0.0
	for k, d := range steps {
		i := int(math.Ceil(float64(k)*ticks - 1e-9))
		if i < len(force) && d >= deepest && d <= pathDepth {
			deepest = d
			depth, sent = append(depth, d), append(sent, force[i])
		}
	}
	return depth, sent
}

// measureZWidth finds the stiffest stable wall of each device model at each rate.
func measureZWidth(ctx context.Context, quick bool) (out []bench.ZPoint) {
	rates := output.Either(quick, []float64{1000}, []float64{500, 1000, 2000, 4000})
	for _, name := range slices.Sorted(maps.Keys(virtual.Devices)) {
		for _, c := range []haptics.Coupling{haptics.Direct, haptics.Virtual} {
			for _, hz := range rates {
				out = append(out, bench.ZPoint{Device: name, Rate: hz, Coupling: c.String()})
			}
		}
	}
	refusal.Need(eachCell(ctx, len(out), func(_ context.Context, _ workbench, i int) {
		z := &out[i]
		c := refusal.Must(haptics.ParseCoupling(z.Coupling))
		var kernels []*servo.Kernel
		defer func() {
			for _, k := range kernels {
				k.Close()
			}
		}()
		*z = refusal.Must(bench.ZWidth(z.Device, virtual.Devices[z.Device], z.Rate, c, "pinch", func() bench.Kernel {
			kernels = append(kernels, servo.NewKernel(z.Rate, 4))
			return kernels[len(kernels)-1]
		}))
	}))
	return out
}

// energyNone is energy that counts as none, J: encoder steps alone make some.
const energyNone = 1e-3

// Judge fills the verdicts.
func (r *Report) Judge() {
	add := func(claim string, holds bool, format string, args ...any) {
		r.Verdicts = append(r.Verdicts, verdict{claim, fmt.Sprintf(format, args...), holds})
	}
	for _, p := range []struct {
		name string
		t    *TimingPair
	}{{"idle", &r.Timing.Idle}, {"under load", &r.Timing.Loaded}} {
		s, c := &p.t.Servo, p.t.Cyclictest
		if c == nil {
			continue
		}
		add("wake-up p99 "+p.name+" within 1.5x of cyclictest's", s.Wakeup.P99 <= 1.5*c.Wakeup.P99, "%.1f us, cyclictest %.1f us: %.2fx", s.Wakeup.P99, c.Wakeup.P99, s.Wakeup.P99/c.Wakeup.P99)
		share := func(t *bench.Timing) float64 { return 100 * float64(t.Missed) / float64(max(1, t.Ticks)) }
		add("missed ticks "+p.name+" at most cyclictest's plus 0.01 %", share(s) <= share(c)+0.01, "%d of %d (%.4f %%), cyclictest %d of %d (%.4f %%)", s.Missed, s.Ticks, share(s), c.Missed, c.Ticks, share(c))
	}
	with := func(c haptics.Coupling) tally {
		return r.tally(func(row *StabilityRow) bool { return row.Coupling == c.String() })
	}
	direct, virt := with(haptics.Direct), with(haptics.Virtual)
	add("every cell with virtual coupling is stable", virt.stable == virt.cells, "%d of %d; with direct coupling %d of %d", virt.stable, virt.cells, direct.stable, direct.cells)
	add("virtual coupling generates no energy", virt.energy <= energyNone, "at most %.3g mJ put out beyond what the hand had put in (below %g mJ counts as none); direct coupling %.3g mJ", 1e3*virt.energy, 1e3*energyNone, 1e3*direct.energy)
	add("no bounces with virtual coupling", virt.bounces == 0, "%d in all cells; direct coupling %d", virt.bounces, direct.bounces)
	low := math.Inf(1)
	which := ""
	for _, z := range r.ZWidth {
		if z.Coupling != haptics.Virtual.String() {
			continue
		}
		if g := haptics.DeriveGains(virtual.Devices[z.Device], z.Rate); z.Stiffness/g.Stiffness < low {
			low, which = z.Stiffness/g.Stiffness, fmt.Sprintf("%s at %g Hz", z.Device, z.Rate)
		}
	}
	if len(r.ZWidth) == 0 { // scenes alone
		return
	}
	add("the derived coupling is softer than the stiffest stable one", low > 1, "least margin %.2fx, %s", low, which)
}

// tally sums cells of one coupling.
type tally struct {
	cells, stable, bounces int
	energy, jitter         float64
	peak, steepest         float64
}

// tally sums up the rows that are asked for.
func (r *Report) tally(of func(row *StabilityRow) bool) (t tally) {
	for i := range r.Stability {
		row := &r.Stability[i]
		if !of(row) {
			continue
		}
		t.cells++
		if row.Stable {
			t.stable++
		}
		t.bounces += row.Bounces
		t.energy, t.jitter = math.Max(t.energy, row.Energy), math.Max(t.jitter, row.Jitter)
		t.peak, t.steepest = math.Max(t.peak, row.Peak), math.Max(t.steepest, row.Steepest)
	}
	return t
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }

// timingRow is one measurement of time.
type timingRow struct {
	load, who string
	t         *bench.Timing
}

func (r *Report) timings() []timingRow {
	var rows []timingRow
	for _, p := range []struct {
		name string
		t    *TimingPair
	}{{"idle", &r.Timing.Idle}, {"loaded", &r.Timing.Loaded}} {
		rows = append(rows, timingRow{p.name, "servo", &p.t.Servo})
		if p.t.Cyclictest != nil {
			rows = append(rows, timingRow{p.name, "cyclictest", p.t.Cyclictest})
		}
	}
	return rows
}

func (r *Report) timingTable() [][]string {
	type row struct {
		Load         string `json:"load"`
		Loop         string `json:"loop"`
		bench.Timing        // cyclictest does no work
	}
	var rows []row
	for _, x := range r.timings() {
		rows = append(rows, row{x.load, x.who, *x.t})
	}
	return output.Table(rows)
}

func (r *Report) zwidthTable() [][]string {
	rows := [][]string{{"device", "rate_hz", "coupling", "hand", "stiffness_N_per_m", "rule_N_per_m", "derived_N_per_m"}}
	for _, z := range r.ZWidth {
		derived := ""
		if z.Coupling == haptics.Virtual.String() {
			derived = number(haptics.DeriveGains(virtual.Devices[z.Device], z.Rate).Stiffness)
		}
		rows = append(rows, []string{z.Device, number(z.Rate), z.Coupling, z.Hand, number(z.Stiffness), number(z.Rule), derived})
	}
	return rows
}

func (r *Report) forcePathTable() [][]string {
	rows := [][]string{{"contacts", "young_Pa", "mu", "eps_gs", "physics_hz", "coupling", "depth_m", "force_N"}}
	for _, f := range r.ForcePath {
		for k := range f.Depth {
			rows = append(rows, []string{strconv.Itoa(f.Contacts), number(f.YoungPa), number(f.Mu), number(f.EpsGS), number(f.Hz), f.Coupling, number(f.Depth[k]), number(f.Force[k])})
		}
	}
	return rows
}

// summary prints the tables and the verdicts.
func (r *Report) summary(w io.Writer, folder string) error {
	out := bufio.NewWriter(w)
	t := app.Table(out)
	fmt.Fprintf(t, "wake-up, us (%g s each, %g Hz)\tp50\tp99\tp99.9\tmax\tperiod error p99\tmissed\tof\t\n", r.Timing.Seconds, r.Timing.RateHz)
	for _, x := range r.timings() {
		q := &x.t.Wakeup
		fmt.Fprintf(t, "%s, %s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%d\t%d\t\n", x.load, x.who, q.P50, q.P99, q.P999, q.Max, x.t.Period.P99, x.t.Missed, x.t.Ticks)
	}
	t.Flush()
	for _, p := range []*TimingPair{&r.Timing.Idle, &r.Timing.Loaded} {
		fmt.Fprintf(out, "%s; servo: %s; load average %s\n", p.Load, p.Servo.RealTime, p.LoadAvg)
		if p.Note != "" {
			fmt.Fprintln(out, strings.ReplaceAll(p.Note, "\n", "; "))
		}
	}

	r.stabilitySummary(out)
	r.wallSummary(out)
	held := 0
	for _, v := range r.Verdicts {
		word := "NO "
		if v.Holds {
			word = "yes"
			held++
		}
		fmt.Fprintf(out, "%s  %s: %s\n", word, v.Claim, v.Measured)
	}
	fmt.Fprintf(out, "%d of %d claims hold; haptics.json, tables and plots are in %s (%s)\n", held, len(r.Verdicts), folder, r.Machine)
	return out.Flush()
}

// wallSummary tells of walls and force paths, where they were measured.
func (r *Report) wallSummary(out io.Writer) {
	if len(r.ZWidth) == 0 {
		fmt.Fprintln(out)
		return
	}
	t := app.Table(out)
	fmt.Fprintln(t, "\nstiffest stable wall\trate, Hz\tdirect, N/m\tvirtual, N/m\tderived, N/m\t")
	for _, z := range r.ZWidth {
		if z.Coupling != haptics.Direct.String() {
			continue
		}
		i := slices.IndexFunc(r.ZWidth, func(y bench.ZPoint) bool {
			return y.Device == z.Device && y.Rate == z.Rate && y.Coupling != z.Coupling
		})
		refusal.If(i < 0, "bench haptics: a wall without its virtual coupling")
		g := haptics.DeriveGains(virtual.Devices[z.Device], z.Rate)
		fmt.Fprintf(t, "%s\t%g\t%.0f\t%.0f\t%.0f\t\n", z.Device, z.Rate, z.Stiffness, r.ZWidth[i].Stiffness, g.Stiffness)
	}
	t.Flush()
	fmt.Fprintln(out)
	for _, f := range r.ForcePath {
		if f.Hz == 0 {
			fmt.Fprintf(out, "figures 4.26, 4.27, %d contacts, mu %g, %g kPa: %.2f N at %g mm; thesis %g N\n",
				f.Contacts, f.Mu, 1e-3*f.YoungPa, f.Force[len(f.Force)-1], 1e3*pathDepth, pathTextForces[f.Mu])
		}
	}
	fmt.Fprintln(out)
}
