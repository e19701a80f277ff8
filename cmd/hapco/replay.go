package main

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/haptics"
	"hapco/haptics/pointer"
	"hapco/haptics/record"
	"hapco/haptics/servo"
	"hapco/physics"
	"hapco/physics/files/export"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/telemetry"
)

// replayCommand reads a recording of the haptic loop: a summary, a table and a picture; with a window, the recorded
// hand moves the stylus again.
type replayCommand struct {
	File     string   `arg:"" help:"Recording: from --record, or of the flight recorder." type:"path"`
	Headless bool     `help:"No window: a summary, --csv, --png; with --set or --scene the same hand feels again."`
	CSV      string   `name:"csv" help:"Write every tick, CSV." type:"path"`
	PNG      string   `name:"png" help:"Draw forces, positions and energy over time." type:"path"`
	Scene    string   `help:"Scene of the window; the recording's own when left out."`
	Exact    bool     `help:"With --headless: make every step again and compare forces bit for bit."`
	Against  string   `help:"With --headless: the same hand in this other scene." placeholder:"SCENE"`
	Set      []string `help:"What would the hand have felt with this key changed?" placeholder:"KEY=VALUE" sep:"none"`

	vtuFlag
	VTURate float64 `name:"vtu-rate" help:"States a second that --vtu, --stl and --npz write; 0: every step." default:"25" in:"0|1e-6..1e6"`

	Seconds    float64 `help:"Close the window after this long; 0: never." default:"0" in:"0..604800"`
	Screenshot string  `help:"Write a picture of the window at the end." type:"path"`
	Width      int     `help:"Width of the window." default:"1280" in:"320..16384"`
	Height     int     `help:"Height of the window." default:"800" in:"240..16384"`
	UIScale    float64 `name:"ui-scale" help:"Size of the panel's text; 0: as the display asks." default:"0" in:"0|0.5..4"`
}

// Run reads the file first: a bad one opens no window.
func (c *replayCommand) Run(ctx context.Context) error {
	app.EndsItself.Store(true)
	if c.Exact || c.Against != "" {
		if !c.Headless || c.Exact && (c.Scene != "" || c.VTU != "" || c.STL != "" || c.NPZ != "" || c.PNG != "" || c.Against != "") {
			return app.BadInput(errors.New("replay: --exact, --against (cure: with --headless; --exact with no more than --set and --csv)"))
		}
		if c.Exact {
			return c.exact(ctx)
		}
	}
	f, err := readFlight(c.File)
	if err != nil {
		return app.BadInput(err)
	}
	if (c.VTU != "" || c.STL != "" || c.NPZ != "") && !c.Headless {
		return app.BadInput(errors.New("replay: --vtu, --stl, --npz (cure: with --headless)"))
	}
	again := c.Headless && (len(c.Set) > 0 || c.Scene != "" || c.Against != "" || c.VTU != "" || c.STL != "" || c.NPZ != "")
	if !c.Headless || again { // bad input before anything is written
		if _, err := c.sceneOf(f, c.Set); err != nil {
			return app.BadInput(err)
		}
		if c.Scene == "" {
			tellChanged(f.notes)
		}
	}
	if c.Against != "" {
		other := app.SceneFlags{Scene: c.Against}
		if _, err := other.Read(); err != nil {
			return err
		}
	}
	if f.cut != "" {
		app.Note("%s", f.cut)
	}
	if again {
		if err := c.check(); err != nil {
			return err
		}
		return c.again(ctx, f)
	}
	if c.CSV != "" {
		if err := app.WriteOut(c.CSV, f.writeCSV); err != nil {
			return err
		}
	}
	if c.PNG != "" {
		if err := f.draw(c.PNG); err != nil {
			return err
		}
	}
	if err := f.writeSummary(app.Stdout); err != nil || c.Headless {
		return err
	}
	return c.window(ctx, f)
}

// tellChanged names the files of a recording that are others now: what is felt then is not what it was made with.
func tellChanged(notes map[string]string) {
	for _, name := range app.Changed(notes) {
		app.Note("%s is another now than when it was recorded", name)
	}
}

// sceneOf chooses the scene that the hand is to feel: the recording's own, as it was changed then, or the one that is
// asked for; set changes it further.
func (c *replayCommand) sceneOf(f *flight, set []string) (app.SceneFlags, error) {
	flags := app.SceneFlags{Scene: c.Scene}
	if c.Scene == "" {
		if flags = app.Noted(f.notes); flags.Scene == "" {
			return flags, fmt.Errorf("replay: %s does not say its scene (cure: --scene NAME, or --headless without --set)", c.File)
		}
	}
	if _, err := flags.Read(); err != nil {
		return flags, fmt.Errorf("%w (cure: --scene NAME, or --headless without --set)", err)
	}
	flags.Set = slices.Concat(flags.Set, set)
	_, err := flags.Read()
	return flags, err
}

// window shows the recorded hand at work in its scene.
func (c *replayCommand) window(ctx context.Context, f *flight) error {
	flags, err := c.sceneOf(f, c.Set)
	if err != nil {
		return app.BadInput(err)
	}
	run := runCommand{
		SceneFlags:  flags,
		DeviceFlags: app.DeviceFlags{RateHz: min(max(math.Round(f.rate), haptics.MinRate), haptics.MaxRate), Hand: f.ticks, SecondHand: f.second},
		Seconds:     c.Seconds, Screenshot: c.Screenshot, Width: c.Width, Height: c.Height, UIScale: c.UIScale,
	}
	return run.Run(ctx)
}

// flight is a recording in memory.
type flight struct {
	file   string
	ticks  []haptics.Record
	second []haptics.Record // of a second hand, where there was one
	notes  map[string]string
	rate   float64 // Hz
	cut    string  // that the file ends before its end; "": it does not
}

// readFlight reads a recording. One that a crash cut short is as good as it is long.
func readFlight(file string) (*flight, error) {
	f := &flight{file: file}
	var err error
	f.ticks, f.notes, err = record.Read(file)
	switch {
	case errors.Is(err, record.ErrTruncated) && len(f.ticks) > 0:
		f.cut = fmt.Sprintf("%s is cut short: its first %d ticks are good", file, len(f.ticks))
	case errors.Is(err, record.ErrTruncated):
		return nil, fmt.Errorf("replay: %w (cure: a recording that lasted longer than half a second)", err)
	case err != nil:
		return nil, fmt.Errorf("replay: %w (cure: a file of 'hapco run --record FILE.mcap' or of the flight recorder)", err)
	case len(f.ticks) == 0:
		return nil, fmt.Errorf("replay: %s has no ticks on %s (cure: a file of 'hapco run --record FILE.mcap')", file, record.Topic)
	}
	if f.second, err = record.ReadSecond(file); err != nil && f.cut == "" {
		return nil, fmt.Errorf("replay: %w", err)
	}
	slices.SortFunc(f.ticks, func(a, b haptics.Record) int { return int(min(max(a.Time-b.Time, -1), 1)) })
	if hz, err := strconv.ParseFloat(f.notes["rate_hz"], 64); err == nil && hz >= 1 && hz <= 1e5 {
		f.rate = hz
	} else {
		f.rate = f.usualRate()
	}
	return f, nil
}

// usualRate is one over the median time between ticks, Hz.
func (f *flight) usualRate() float64 {
	var d []int64
	for i := 1; i < len(f.ticks); i++ {
		if dt := f.ticks[i].Time - f.ticks[i-1].Time; dt > 0 {
			d = append(d, dt)
		}
	}
	if len(d) == 0 {
		return 1000
	}
	slices.Sort(d)
	return 1e9 / float64(d[len(d)/2])
}

// seconds is the time of tick i since the first.
func (f *flight) seconds(i int) float64 { return float64(f.ticks[i].Time-f.ticks[0].Time) * 1e-9 }

// flightSums are what the summary tells.
type flightSums struct {
	seconds         float64
	rate            float64 // measured, Hz
	missed          int     // deadlines without a tick
	unrecorded      uint64  // ticks that the file does not hold
	worstLate, work float64 // s
	touching        float64 // part of the time with contacts that press
	meanSent        float64 // N, over that time
	sent, raw       float64 // largest, N
	jump            float64 // largest change of the force sent from tick to tick, N
	lowest          float64 // energy, J
	began           [len(haptics.FlagNames)]int
	lasted          [len(haptics.FlagNames)]int // ticks
}

func (f *flight) sums() flightSums {
	var s flightSums
	s.seconds = f.seconds(len(f.ticks) - 1)
	var last haptics.Record
	pressing, sum := 0, 0.0
	for i := range f.ticks {
		r := &f.ticks[i]
		sent, raw := mgl64.Vec3(r.Force).Len(), mgl64.Vec3(r.Raw).Len()
		s.sent, s.raw = max(s.sent, sent), max(s.raw, raw)
		if raw > 0 {
			pressing++
			sum += sent
		}
		s.worstLate, s.work = max(s.worstLate, float64(r.Late)*1e-9), max(s.work, float64(r.Work)*1e-9)
		s.lowest = min(s.lowest, r.Energy)
		for k := range s.began {
			if r.Flags&(1<<k) != 0 {
				s.lasted[k]++
				if last.Flags&(1<<k) == 0 {
					s.began[k]++
				}
			}
		}
		if i > 0 {
			s.jump = max(s.jump, mgl64.Vec3(r.Force).Sub(last.Force).Len())
			skipped := uint64(0)
			if r.Tick > last.Tick+1 {
				skipped = r.Tick - last.Tick - 1
			}
			s.unrecorded += skipped
			s.missed += max(0, int(math.Round(float64(r.Time-last.Time)*1e-9*f.rate))-1-int(min(skipped, 1e9)))
		}
		last = *r
	}
	if s.seconds > 0 {
		s.rate = float64(len(f.ticks)-1) / s.seconds
	}
	s.touching = float64(pressing) / float64(len(f.ticks))
	if pressing > 0 {
		s.meanSent = sum / float64(pressing)
	}
	return s
}

func (f *flight) writeSummary(w io.Writer) error {
	s := f.sums()
	t := app.List(w)
	row := func(what, format string, args ...any) { fmt.Fprintf(t, what+"\t"+format+"\n", args...) }
	for _, note := range []string{"scene", "device", "reason"} {
		if v := f.notes[note]; v != "" {
			row(note, "%s", v)
		}
	}
	row("duration", "%.3f s, %d ticks at %.1f Hz (of %g)", s.seconds, len(f.ticks), s.rate, f.rate)
	row("missed deadlines", "%d", s.missed)
	if s.unrecorded > 0 {
		row("ticks not recorded", "%d", s.unrecorded)
	}
	row("wake-up, work, worst", "%.0f us, %.0f us", 1e6*s.worstLate, 1e6*s.work)
	row("in contact", "%.1f %% of the ticks", 100*s.touching)
	row("force sent, largest", "%.3f N", s.sent)
	row("force sent, mean in contact", "%.3f N", s.meanSent)
	row("contact force, largest", "%.3f N", s.raw)
	row("force sent, largest step", "%.4f N", s.jump)
	row("energy, lowest", "%.3g mJ", 1e3*s.lowest)
	none := true
	for k, name := range haptics.FlagNames {
		if s.began[k] > 0 {
			row("intervention: "+name, "%d times, %.1f %% of the ticks", s.began[k], 100*float64(s.lasted[k])/float64(len(f.ticks)))
			none = false
		}
	}
	if none {
		row("interventions", "none")
	}
	return t.Flush()
}

// flightColumns are the table's, with their units.
var flightColumns = []string{"time_s", "tick", "model", "late_us", "work_us", "flags", "interventions", "buttons", "contacts", "sweeps",
	"hand_x_mm", "hand_y_mm", "hand_z_mm", "rotation_x", "rotation_y", "rotation_z", "rotation_w", "stylus_x_mm", "stylus_y_mm", "stylus_z_mm",
	"velocity_x_mm_per_s", "velocity_y_mm_per_s", "velocity_z_mm_per_s", "raw_x_N", "raw_y_N", "raw_z_N", "sent_x_N", "sent_y_N", "sent_z_N",
	"torque_x_Nm", "torque_y_Nm", "torque_z_Nm", "model_age_ms", "gain", "energy_mJ", "alpha_Ns_per_m", "heat", "residual"}

func (f *flight) writeCSV(w io.Writer) error {
	return app.CSV(w, func(row func(...string)) {
		row(flightColumns...)
		var cells []string
		number := func(scale float64, values ...float64) {
			for _, v := range values {
				cells = app.Numbers(cells, 9, scale*v)
			}
		}
		for i := range f.ticks {
			r := &f.ticks[i]
			cells = append(cells[:0], strconv.FormatFloat(f.seconds(i), 'f', 6, 64), strconv.FormatUint(r.Tick, 10),
				strconv.FormatUint(r.Model, 10))
			number(1e-3, float64(r.Late), float64(r.Work))
			cells = append(cells, strconv.FormatUint(uint64(r.Flags), 10), r.Flags.String(),
				strconv.FormatUint(uint64(r.Buttons), 10), strconv.Itoa(int(r.Contacts)), strconv.Itoa(int(r.Sweeps)))
			number(1e3, r.Position[:]...)
			number(1, r.Rotation[:]...)
			number(1e3, r.Tool[:]...)
			number(1e3, r.Velocity[:]...)
			number(1, r.Raw[:]...)
			number(1, r.Force[:]...)
			number(1, r.Torque[:]...)
			number(1e3, r.Age)
			number(1, r.Gain)
			number(1e3, r.Energy)
			number(1, r.Alpha, r.Heat, r.Residual)
			row(cells...)
		}
	})
}

// plotColumns is how many columns along time a curve is drawn in, so that a spike of one tick is seen, and the picture
// of an hour takes no longer than that of a minute.
const plotColumns = 1500

// Colours that people with impaired colour vision tell apart [Okabe, Ito 2008].
var curveColors = []color.RGBA{{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {213, 94, 0, 255}, {204, 121, 167, 255}}

// flightCurve is a value of each tick.
type flightCurve struct {
	name string
	of   func(r *haptics.Record) float64
}

// draw writes a picture of the whole recording: forces, positions, energy, punctuality and interventions, one below the
// other.
func (f *flight) draw(file string) error {
	norm := func(v [3]float64) float64 { return mgl64.Vec3(v).Len() }
	const unknown = haptics.DeviceLost | haptics.BadInput // where the hand is
	start := slices.IndexFunc(f.ticks, func(r haptics.Record) bool { return r.Flags&unknown == 0 })
	axis := func(k int) func(r *haptics.Record) float64 {
		return func(r *haptics.Record) float64 {
			if r.Flags&unknown != 0 {
				return math.NaN()
			}
			return 1e3 * (r.Position[k] - f.ticks[start].Position[k])
		}
	}
	rows := []*plot.Plot{}
	for _, row := range []struct {
		label  string
		curves []flightCurve
	}{
		{"force, N", []flightCurve{
			{"contact", func(r *haptics.Record) float64 { return norm(r.Raw) }},
			{"sent", func(r *haptics.Record) float64 { return norm(r.Force) }}}},
		{"hand since the start, mm", []flightCurve{{"x", axis(0)}, {"y", axis(1)}, {"z", axis(2)}}},
		{"energy, mJ", []flightCurve{{"absorbed", func(r *haptics.Record) float64 { return 1e3 * r.Energy }}}},
		{"late, at work, ms", []flightCurve{
			{"wake-up", func(r *haptics.Record) float64 { return 1e-6 * float64(r.Late) }},
			{"work", func(r *haptics.Record) float64 { return 1e-6 * float64(r.Work) }}}},
	} {
		p := figure.New("", row.label)
		for i, c := range row.curves {
			e := f.curve(c.of)
			e.color = curveColors[i]
			p.Add(e)
			p.Legend.Add(c.name, e)
		}
		rows = append(rows, p.Plot)
	}
	rows = append(rows, f.spans())
	heights := []vg.Length{6, 6, 4.5, 4.5, 5}
	total := vg.Length(0)
	for i, p := range rows {
		p.X.Min, p.X.Max = 0, max(f.seconds(len(f.ticks)-1), 1e-3)
		p.X.Padding = 0
		heights[i] *= vg.Centimeter
		total += heights[i]
	}
	rows[0].Title.Text = f.notes["scene"] + "   " + f.notes["device"] + "   " + f.notes["reason"]
	rows[len(rows)-1].X.Label.Text = "time, s"

	c := vgimg.New(26*vg.Centimeter, total+figure.Margin)
	all := draw.New(c)
	// one left edge for all: the widest labels are those of the interventions
	top := all.Max.Y - figure.Margin
	for i, p := range rows {
		row := draw.Crop(all, figure.Margin, -figure.Margin, top-heights[i]-all.Min.Y, top-all.Max.Y)
		left := p.DataCanvas(row).Min.X
		row.Min.X += labelRoom - (left - row.Min.X)
		p.Draw(row)
		top -= heights[i]
	}
	return figure.WritePNG(c, file)
}

// labelRoom is left of every row for its axis.
const labelRoom = 4.2 * vg.Centimeter

// envelope is a curve as pictures of long signals show it: in each column along time the band from the smallest to the
// largest value. A signal that buzzes costs no more than one that is still.
type envelope struct {
	at, lo, hi []float64 // s, and values; NaN where a column has none
	color      color.Color
}

// columns splits n ticks evenly: column c has those from first(c) up to first(c+1).
func columns(n int) (count int, first func(c int) int) {
	count = min(n, plotColumns)
	return count, func(c int) int { return int(int64(c) * int64(n) / int64(count)) }
}

// curve is the envelope of a value of each tick.
func (f *flight) curve(of func(r *haptics.Record) float64) *envelope {
	e := &envelope{}
	count, first := columns(len(f.ticks))
	for c := range count {
		lo, hi := math.Inf(1), math.Inf(-1)
		for k := first(c); k < first(c+1); k++ {
			if v := of(&f.ticks[k]); !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if lo > hi {
			lo, hi = math.NaN(), math.NaN()
		}
		e.at, e.lo, e.hi = append(e.at, f.seconds(first(c))), append(e.lo, lo), append(e.hi, hi)
	}
	return e
}

// DataRange is that of the band.
func (e *envelope) DataRange() (xmin, xmax, ymin, ymax float64) {
	ymin, ymax = math.Inf(1), math.Inf(-1)
	for i := range e.at {
		if e.lo[i] <= e.hi[i] {
			ymin, ymax = min(ymin, e.lo[i]), max(ymax, e.hi[i])
		}
	}
	if ymin > ymax {
		ymin, ymax = 0, 0
	}
	if n := len(e.at); n > 0 {
		xmin, xmax = e.at[0], e.at[n-1]
	}
	return xmin, xmax, ymin, ymax
}

// half is half the width of the line that a band is at least.
const half = vg.Length(0.5)

// Plot fills the band, from one column to the next.
func (e *envelope) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i := range e.at {
		if !(e.lo[i] <= e.hi[i]) {
			continue
		}
		left, right := x(e.at[i]), x(e.at[i])+half
		lo, hi := y(e.lo[i]), y(e.hi[i])
		next, above := lo, hi
		if i+1 < len(e.at) && e.lo[i+1] <= e.hi[i+1] {
			right, next, above = x(e.at[i+1]), y(e.lo[i+1]), y(e.hi[i+1])
			// Bands that do not meet are joined by a steep line.
			if next > hi {
				next = hi
			} else if above < lo {
				above = lo
			}
		}
		c.FillPolygon(e.color, c.ClipPolygonXY([]vg.Point{{X: left, Y: lo - half}, {X: right, Y: next - half}, {X: right, Y: above + half}, {X: left, Y: hi + half}}))
	}
}

// Thumbnail is the curve's mark in a legend.
func (e *envelope) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.FillPolygon(e.color, []vg.Point{{X: c.Min.X, Y: y - half}, {X: c.Max.X, Y: y - half}, {X: c.Max.X, Y: y + half}, {X: c.Min.X, Y: y + half}})
}

// bars are the times during which interventions acted, one row each.
type bars struct {
	from, to []float64 // s
	row      []int
	names    []string // of the rows
}

// bars are those of the interventions that occur.
func (f *flight) bars() *bars {
	b := &bars{}
	for k, name := range haptics.FlagNames {
		open := -1
		seen := false
		count, first := columns(len(f.ticks))
		for c := range count {
			on := slices.ContainsFunc(f.ticks[first(c):first(c+1)], func(r haptics.Record) bool { return r.Flags&(1<<k) != 0 })
			if on && open < 0 {
				open = first(c)
			}
			if last := c == count-1; open >= 0 && (!on || last) {
				end := first(c)
				if last {
					end = len(f.ticks) - 1
				}
				b.from, b.to, b.row = append(b.from, f.seconds(open)), append(b.to, f.seconds(end)), append(b.row, len(b.names))
				open, seen = -1, true
			}
		}
		if seen {
			b.names = append(b.names, name)
		}
	}
	return b
}

// spans makes the plot of the interventions.
func (f *flight) spans() *plot.Plot {
	p, b := plot.New(), f.bars()
	names := b.names
	if len(names) == 0 {
		names = []string{"no intervention"}
	}
	ticks := make([]plot.Tick, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	p.Add(b)
	return p
}

// Plot draws the bars.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := (y(1) - y(0)) * 0.35 // of a bar
	for i := range b.from {
		left, right := x(b.from[i]), x(b.to[i])
		right = max(right, left+vg.Points(0.7)) // one tick is seen
		at := y(float64(b.row[i]))
		c.FillPolygon(curveColors[b.row[i]%len(curveColors)], c.ClipPolygonXY([]vg.Point{{X: left, Y: at - half}, {X: right, Y: at - half}, {X: right, Y: at + half}, {X: left, Y: at + half}}))
	}
}

// What would the same hand have felt? The recorded hand goes through servo and physics once more, in simulated time:
// one physics step wherever the recording has a new contact model, as long after its pose as a step lasts. The scene is
// that of the recording first, which shows how far the two agree, then the changed one.

// felt is what one way through physics gave, a record for each of the recording's.
type felt struct {
	name  string
	ticks []haptics.Record
}

// coupled are the servo's parameters for a recording felt again: the coupling that it was made with, or what the scene
// asks for, and no limit that a device would set.
func (f *flight) coupled(s *setting.Setting) haptics.Params {
	dev := app.NewReplayDevice(f.ticks)
	p := app.NewTuning(dev, f.rate, &s.Device, 0).Home
	p.AngleStiffness = 0
	if f.notes["device"] == (*pointer.Device)(nil).Name() {
		p.Stiffness = s.Device.Stiffness
	}
	if f.notes[app.NoteCoupling] == haptics.Direct.String() {
		p.Coupling = haptics.Direct
	}
	for _, n := range []struct {
		note string
		at   *float64
	}{{app.NoteStiffness, &p.Stiffness}, {app.NoteDamping, &p.Damping}, {app.NoteAngle, &p.AngleStiffness}} {
		if x, err := strconv.ParseFloat(f.notes[n.note], 64); err == nil && x > 0 && !math.IsInf(x, 0) {
			*n.at = x
		}
	}
	p.AngleDamping = p.AngleStiffness * p.Damping / max(p.Stiffness, 1e-9)
	p.Passivity, p.Budget, p.Continuous = false, 0, 0
	p.MaxForce, p.Reducer, p.Ramp = s.Device.MaxForce, 1, time.Millisecond
	return p
}

// settleSteps bring the stylus from the scene's start to the first recorded pose.
const settleSteps = 10000

// feel takes the recorded hand through a world.
func (f *flight) feel(ctx context.Context, name string, of *setting.Setting, w physics.World, told func(seconds float64) error) (*felt, error) {
	kernel := servo.NewKernel(f.rate, 0)
	defer kernel.Close()
	var model, next local.Model
	local.Make(&model, 0)
	local.Make(&next, 0)
	dev := app.NewReplayDevice(f.ticks)
	p := f.coupled(of)
	out := &felt{name: name, ticks: make([]haptics.Record, len(f.ticks))}
	models := f.ticks[len(f.ticks)-1].Model - f.ticks[0].Model
	period := f.seconds(len(f.ticks)-1) / float64(max(1, models))
	stylus := frame.Pose(dev.State(0).Pose)
	hand, spring := stylus, physics.Coupling{}
	if p.Coupling == haptics.Virtual {
		spring = app.CouplingOf(&haptics.Sample{Stiffness: p.Stiffness, AngleStiffness: p.AngleStiffness, MaxForce: p.MaxForce})
	}
	for k := 0; k < settleSteps && !w.Step(physics.Input{Target: stylus, Hand: hand, Coupling: spring}).Reached; k++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	var last haptics.Record
	var owed physics.Owed
	for i := range f.ticks {
		r := &f.ticks[i]
		fresh := i == 0 || models == 0 || r.Model != last.Model
		if fresh {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if i > 0 { // the answer to the pose of one step ago
				next.CopyTo(&model)
			}
			owed.Step(w, physics.Input{Target: stylus, Hand: hand, Coupling: spring, Dt: min(period, physics.LongestAdvance)})
			w.Local(&next)
			next.Strengthen(of.Device.ForceScale)
			next.Sequence, next.Tick, next.Period = uint64(i)+1, r.Tick, time.Duration(period*1e9)
			if i == 0 {
				next.CopyTo(&model)
			}
			if err := told(f.seconds(i)); err != nil {
				return nil, err
			}
		}
		in := haptics.Input{State: dev.State(time.Duration(r.Time - f.ticks[0].Time)), Time: r.Time - f.ticks[0].Time}
		kernel.Tick(&in, &model, fresh, &p, &out.ticks[i])
		stylus, hand = kernel.Tool(in.Pose), in.Pose
		out.ticks[i].Tick, out.ticks[i].Time = r.Tick, r.Time
		last = *r
	}
	return out, nil
}

// again feels the recording again, as it was and changed, and writes all three.
func (c *replayCommand) again(ctx context.Context, f *flight) error {
	as := []string{"the same scene"}
	sets := [][]string{nil}
	if len(c.Set) > 0 {
		as, sets = append(as, strings.Join(c.Set, ", ")), append(sets, c.Set)
	}
	if c.Scene != "" {
		as[0] = "scene " + c.Scene
	}
	if c.Against != "" {
		as, sets = append(as, "against "+c.Against), append(sets, nil)
	}
	all := []*felt{{"recorded", f.ticks}}
	for i := range as {
		flags, err := c.sceneOf(f, sets[i])
		if c.Against != "" && i == len(as)-1 {
			flags, err = app.SceneFlags{Scene: c.Against}, nil
		}
		if err != nil {
			return app.BadInput(err)
		}
		s, err := flags.Read()
		if err != nil {
			return err
		}
		app.Echo(s, sets[i])
		w, err := app.BuildWorld(ctx, s, physics.Options{NoCache: flags.NoCache})
		if err != nil {
			return err
		}
		var states *export.States // of the last way through physics
		if i == len(as)-1 {
			if states, err = c.begin(flags.Scene, w); err != nil {
				return err
			}
		}
		written := 0
		said := time.Now()
		g, err := f.feel(ctx, as[i], s.Common(), w, func(seconds float64) error {
			if time.Since(said) > app.LongSolve {
				said = time.Now()
				fmt.Fprintf(os.Stderr, "hapco: %s: %.1f of %.1f s\n", as[i], seconds, f.seconds(len(f.ticks)-1))
			}
			n := int(seconds * c.VTURate)
			if c.VTURate > 0 && n == written || seconds == 0 {
				return nil
			}
			written = n
			return states.Add(seconds)
		})
		err = errors.Join(err, states.Close(), w.Close())
		if err != nil {
			return err
		}
		all = append(all, g)
	}
	if c.CSV != "" {
		if err := app.WriteOut(c.CSV, func(w io.Writer) error { return writeFelt(w, f, all) }); err != nil {
			return err
		}
	}
	if c.PNG != "" {
		if err := drawFelt(c.PNG, f, all); err != nil {
			return err
		}
	}
	compareFelt(f, all)
	return nil
}

func contactForce(r *haptics.Record) float64 { return mgl64.Vec3(r.Raw).Len() }

// lag is how far the stylus is from the hand, m.
func lag(r *haptics.Record) float64 { return mgl64.Vec3(r.Tool).Sub(r.Position).Len() }

// compareFelt tabulates one column for each.
func compareFelt(f *flight, all []*felt) {
	t := app.List(app.Stdout)
	defer t.Flush()
	row := sideBySide(t, all)
	row("", func(g *felt) string { return g.name })
	sums := func(of func(s *flightSums) string) func(g *felt) string {
		return func(g *felt) string {
			s := (&flight{ticks: g.ticks, rate: f.rate}).sums()
			return of(&s)
		}
	}
	row("in contact", sums(func(s *flightSums) string { return fmt.Sprintf("%.1f %% of the ticks", 100*s.touching) }))
	row("contact force, largest", sums(func(s *flightSums) string { return fmt.Sprintf("%.3f N", s.raw) }))
	row("contact force, mean in contact", func(g *felt) string {
		sum, n := 0.0, 0
		for i := range g.ticks {
			if x := contactForce(&g.ticks[i]); x > 0 {
				sum, n = sum+x, n+1
			}
		}
		return fmt.Sprintf("%.3f N", sum/float64(max(1, n)))
	})
	row("stylus from hand, largest", func(g *felt) string {
		most := 0.0
		for i := range g.ticks {
			most = max(most, lag(&g.ticks[i]))
		}
		return fmt.Sprintf("%.2f mm", 1e3*most)
	})
	row("differs from the recording by, RMS", func(g *felt) string {
		sum := 0.0
		for i := range g.ticks {
			sum += mgl64.Vec3(g.ticks[i].Raw).Sub(f.ticks[i].Raw).LenSqr()
		}
		return fmt.Sprintf("%.3f N", math.Sqrt(sum/float64(len(g.ticks))))
	})
}

// writeFelt writes every tick: the hand, then stylus and contact force of each.
func writeFelt(w io.Writer, f *flight, all []*felt) error {
	head := []string{"time_s", "hand_x_mm", "hand_y_mm", "hand_z_mm"}
	for i, g := range all {
		name := [...]string{"recorded", "same", "changed", "against"}[i]
		if strings.HasPrefix(g.name, "against ") {
			name = "against"
		}
		for _, v := range []string{"stylus_x_mm", "stylus_y_mm", "stylus_z_mm", "raw_x_N", "raw_y_N", "raw_z_N"} {
			head = append(head, name+"_"+v)
		}
	}
	return app.CSV(w, func(row func(...string)) {
		row(head...)
		for i := range f.ticks {
			at := mgl64.Vec3(f.ticks[i].Position).Mul(1e3)
			cells := app.Numbers([]string{strconv.FormatFloat(f.seconds(i), 'f', 6, 64)}, 9, at[:]...)
			for _, g := range all {
				stylus := mgl64.Vec3(g.ticks[i].Tool).Mul(1e3)
				cells = app.Numbers(app.Numbers(cells, 9, stylus[:]...), 9, g.ticks[i].Raw[:]...)
			}
			row(cells...)
		}
	})
}

// drawFelt draws force, difference and stylus of all over time.
func drawFelt(file string, f *flight, all []*felt) error {
	c := vgimg.New(26*vg.Centimeter, 24*vg.Centimeter)
	canvas := draw.New(c)
	rows := []struct {
		label string
		of    func(g *felt) func(r *haptics.Record) float64
	}{
		{"contact force, N", func(*felt) func(r *haptics.Record) float64 { return contactForce }},
		{"stylus below its start, mm", func(*felt) func(r *haptics.Record) float64 {
			return func(r *haptics.Record) float64 { return 1e3 * (f.ticks[0].Position[1] - r.Tool[1]) }
		}},
		{"stylus from hand, mm", func(*felt) func(r *haptics.Record) float64 {
			return func(r *haptics.Record) float64 { return 1e3 * lag(r) }
		}},
	}
	height := (canvas.Max.Y - canvas.Min.Y) / vg.Length(len(rows))
	for i, row := range rows {
		p := figure.New("", row.label)
		for k, g := range all {
			e := (&flight{ticks: g.ticks}).curve(row.of(g))
			e.color = curveColors[k]
			p.Add(e)
			p.Legend.Add(g.name, e)
		}
		if i == 0 {
			p.Title.Text = f.notes["scene"] + ": what the same hand feels"
		}
		if i == len(rows)-1 {
			p.X.Label.Text = "time, s"
		}
		top := canvas.Max.Y - vg.Length(i)*height
		p.Draw(draw.Crop(canvas, figure.Margin, -figure.Margin, top-height-canvas.Min.Y, top-canvas.Max.Y))
	}
	return figure.WritePNG(c, file)
}

// The recorded steps, made again: each from what it started from, whatever force came of the step before. On the
// program and machine of the recording each gives the same force to the last bit, where the recording begins with the
// scene; to rounding, where it begins in the middle and the bodies were put back; and another where a deadline ended a
// solve, in a recording of a program that did not keep what it answered. With --set the stylus goes exactly where it
// went, and the forces tell what the change makes of them.

// exactly is one way through the recorded steps.
type exactly struct {
	name    string
	forces  [][3]float64 // of each step, N
	same    int          // steps with the recorded force and torque to the last bit
	first   int          // the first step that differs; -1: none
	largest float64      // difference of a force from the recorded one, N
}

// rms is the root of the mean square of the forces, N.
func (e *exactly) rms() float64 {
	sum := 0.0
	for _, f := range e.forces {
		sum += f[0]*f[0] + f[1]*f[1] + f[2]*f[2]
	}
	return math.Sqrt(sum / float64(max(1, len(e.forces))))
}

// difference is the root of the mean square of the difference from other forces, N.
func (e *exactly) difference(o *exactly) float64 {
	sum := 0.0
	for i, f := range e.forces {
		for k := range f {
			sum += (f[k] - o.forces[i][k]) * (f[k] - o.forces[i][k])
		}
	}
	return math.Sqrt(sum / float64(max(1, len(e.forces))))
}

// rounding is the difference, over the largest force, up to which forces count as the same: a world that was put back
// in the middle adds in another order.
const rounding = 1e-9

// most is the largest force, N.
func (e *exactly) most() (most float64) {
	for _, f := range e.forces {
		most = max(most, math.Sqrt(f[0]*f[0]+f[1]*f[1]+f[2]*f[2]))
	}
	return most
}

// exact makes the recorded steps again and compares.
func (c *replayCommand) exact(ctx context.Context) error {
	m, err := telemetry.ReadMotion(c.File)
	switch {
	case errors.Is(err, record.ErrTruncated) && len(m.Steps) > 0:
		app.Note("%s is cut short: its first %d steps are good", c.File, len(m.Steps))
	case err != nil:
		return app.BadInput(fmt.Errorf("replay: %w", err))
	}
	tellChanged(m.Notes)
	f := &flight{file: c.File, notes: m.Notes}
	recorded := &exactly{name: "recorded", first: -1, same: len(m.Steps)}
	late := 0
	for i := range m.Steps {
		recorded.forces = append(recorded.forces, m.Steps[i].Force)
		if m.Steps[i].Late && !m.Steps[i].Kept {
			late++
		}
	}
	all := []*exactly{recorded}
	for _, set := range [][]string{nil, c.Set} {
		if set == nil && len(all) > 1 {
			break
		}
		e, err := c.exactOnce(ctx, f, m, set)
		if err != nil {
			return err
		}
		all = append(all, e)
	}
	if c.CSV != "" {
		if err := app.WriteOut(c.CSV, func(w io.Writer) error { return writeExact(w, all) }); err != nil {
			return err
		}
	}
	printExact(m, all, late)
	if again := all[1]; again.largest > rounding*max(1e-3, again.most()) || len(again.forces) == 0 {
		return fmt.Errorf("replay: %d of %d steps give another force, from step %d on%s", len(m.Steps)-again.same, len(m.Steps), again.first+1, why(m, late))
	}
	return nil
}

// why says what is known to make steps differ.
func why(m *telemetry.Motion, late int) string {
	switch {
	case m.Missed > 0:
		return fmt.Sprintf(": the file misses %d steps", m.Missed)
	case late > 0:
		return fmt.Sprintf(": contact.deadline ended the solves of %d steps", late)
	case m.Notes["program"] != app.Facts().String():
		return ": it was recorded by " + m.Notes["program"]
	}
	return ""
}

// exactOnce makes the steps in the recording's scene with some keys set to other values.
func (c *replayCommand) exactOnce(ctx context.Context, f *flight, m *telemetry.Motion, set []string) (*exactly, error) {
	flags, err := c.sceneOf(f, set)
	if err != nil {
		return nil, app.BadInput(err)
	}
	s, err := flags.Read()
	if err != nil {
		return nil, err
	}
	app.Echo(s, set)
	w, err := app.BuildWorld(ctx, s, physics.Options{NoCache: flags.NoCache})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	e := &exactly{name: "made again", first: -1}
	var change func(keys []physics.Key, values []float64)
	if len(set) > 0 {
		e.name = strings.Join(set, ", ")
		asked := physics.Values(w.Keys())
		change = func(keys []physics.Key, values []float64) { // what is set stays, whatever the recording says
			for i := range keys {
				if slices.ContainsFunc(set, func(a string) bool {
					name, _, _ := strings.Cut(a, "=")
					return strings.TrimSpace(name) == keys[i].Name
				}) {
					values[i] = asked[i]
				}
			}
			physics.Refresh(keys, values)
		}
	}
	err = m.Again(w, change, func(i int, r *physics.Report) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		was := &m.Steps[i]
		if r.Force == was.Force && r.Torque == was.Torque {
			e.same++
		} else if e.first < 0 {
			e.first = i
		}
		e.largest = max(e.largest, r.Force.Sub(was.Force).Len())
		e.forces = append(e.forces, r.Force)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		err = app.BadInput(fmt.Errorf("replay: %w", err))
	}
	return e, err
}

// printExact tabulates one column for each way.
func printExact(m *telemetry.Motion, all []*exactly, late int) {
	t := app.List(app.Stdout)
	defer t.Flush()
	row := sideBySide(t, all)
	row("", func(e *exactly) string { return e.name })
	row("steps", func(e *exactly) string { return fmt.Sprint(len(e.forces)) })
	row("the recorded force, bit for bit", func(e *exactly) string { return fmt.Sprintf("%d of %d", e.same, len(m.Steps)) })
	row("force, RMS", func(e *exactly) string { return fmt.Sprintf("%.6g N", e.rms()) })
	row("force, largest", func(e *exactly) string { return fmt.Sprintf("%.6g N", e.most()) })
	row("differs from the recording, RMS", func(e *exactly) string { return fmt.Sprintf("%.3g N", e.difference(all[0])) })
	row("differs from the recording, largest", func(e *exactly) string { return fmt.Sprintf("%.3g N", e.largest) })
	row("times the recorded force", func(e *exactly) string {
		if all[0].rms() == 0 {
			return "-"
		}
		return fmt.Sprintf("%.4f", e.rms()/all[0].rms())
	})
	if late > 0 {
		fmt.Fprintf(t, "solves ended by contact.deadline\t%d\n", late)
	}
	if m.Missed > 0 {
		fmt.Fprintf(t, "steps that the file misses\t%d\n", m.Missed)
	}
}

// sideBySide writes rows with a column for each of several ways.
func sideBySide[T any](w io.Writer, all []T) (row func(what string, cell func(T) string)) {
	return func(what string, cell func(T) string) {
		fmt.Fprint(w, what)
		for _, x := range all {
			fmt.Fprint(w, "\t", cell(x))
		}
		fmt.Fprintln(w)
	}
}

// writeExact writes every step: the force of each way.
func writeExact(w io.Writer, all []*exactly) error {
	var b strings.Builder
	b.WriteString("step")
	for i := range all {
		name := [...]string{"recorded", "same", "changed"}[i]
		for _, axis := range "xyz" {
			fmt.Fprintf(&b, ",%s_force_%c_N", name, axis)
		}
	}
	b.WriteByte('\n')
	for i := range all[0].forces {
		fmt.Fprint(&b, i+1)
		for _, e := range all {
			for _, x := range e.forces[i] {
				fmt.Fprintf(&b, ",%.17g", x)
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
