package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/haptics"
	"hapco/haptics/record"
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
		if !c.Headless || c.Exact && (c.Scene != "" || c.asked() || c.PNG != "" || c.Against != "") {
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
	if c.asked() && !c.Headless {
		return app.BadInput(errors.New("replay: --vtu, --stl, --npz (cure: with --headless)"))
	}
	again := c.Headless && (len(c.Set) > 0 || c.Scene != "" || c.Against != "" || c.asked())
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
	if err := app.WriteWanted(c.CSV, f.writeCSV); err != nil {
		return err
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
	run := runCommand{SceneFlags: flags, Seconds: c.Seconds, Screenshot: c.Screenshot, Width: c.Width, Height: c.Height, UIScale: c.UIScale}
	f.holds(&run.DeviceFlags)
	return run.Run(ctx)
}

// holds makes the recorded hand the device, at its rate.
func (f *flight) holds(d *app.DeviceFlags) {
	d.Hand, d.SecondHand, d.RateHz = f.ticks, f.second, min(max(math.Round(f.rate), haptics.MinRate), haptics.MaxRate)
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
