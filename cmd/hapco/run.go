package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/setting"
	"hapco/render/xvfb"
	"hapco/ui"
)

func init() { runtime.LockOSThread() } // the window belongs to the main thread

// runCommand opens a scene in the window, or runs it without one.
type runCommand struct {
	sceneFlags
	deviceFlags
	Headless   bool    `help:"No window: a scripted stylus walks the scene's path."`
	Seconds    float64 `help:"Stop after this long; 0: never (headless: 8)."`
	Path       string  `help:"Path of the scripted stylus; without it sliding, or the scene's first path."`
	Screenshot string  `help:"Write a PNG picture of scene and panel before stopping; headless, on a virtual display." type:"path"`
	CSV        string  `name:"csv" help:"Write what the scripted stylus felt over time to this CSV file." type:"path"`
	Width      int     `help:"Width of the window." default:"1280"`
	Height     int     `help:"Height of the window." default:"800"`
	UIScale    float64 `name:"ui-scale" help:"Size of the panel's text; 0: as the display asks." default:"0"`

	taking  sync.Mutex // one scene takes the device at a time
	current *session   // the one that took it last
}

// Run opens the window, or does the headless run.
func (c *runCommand) Run(ctx context.Context) error {
	if !(c.Seconds >= 0) || math.IsInf(c.Seconds, 0) {
		return badInput(fmt.Errorf("run: --seconds %g (cure: 0 or more)", c.Seconds))
	}
	if c.Width < 320 || c.Height < 240 || c.Width > 16384 || c.Height > 16384 {
		return badInput(fmt.Errorf("run: window of %dx%d (cure: --width and --height from 320x240 to 16384x16384)", c.Width, c.Height))
	}
	if c.UIScale != 0 && !(c.UIScale >= 0.5 && c.UIScale <= 4) {
		return badInput(fmt.Errorf("run: --ui-scale %g (cure: 0.5 to 4)", c.UIScale))
	}
	if err := errors.Join(c.writable("screenshot", c.Screenshot), c.writable("csv", c.CSV)); err != nil {
		return badInput(err)
	}
	s, err := c.load()
	if err != nil {
		return err
	}
	c.deviceFlags.notes = c.sceneFlags.notes(s)
	if c.Headless {
		return c.headless(ctx, s)
	}
	return c.window(ctx, s)
}

// writable finds out early that a file cannot be written: a run may be long.
func (c *runCommand) writable(flag, file string) error {
	if file == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return fmt.Errorf("run: --%s %s: there is no folder %s (cure: make it first)", flag, file, filepath.Dir(file))
	}
	return nil
}

// opener opens scenes for the window's scene picker.
func (c *runCommand) opener(first physics.Scene) ui.Opener {
	return func(ctx context.Context, name string, progress func(float64, string)) (ui.Session, error) {
		s := first
		if name != first.Common().Name {
			flags := sceneFlags{Scene: name}
			var err error
			if s, err = flags.load(); err != nil {
				return nil, err
			}
		}
		// What closed and abandoned scenes held is free before the new one asks for
		// memory: factors are CHOLMOD's, and no reason for Go's collector to hurry.
		runtime.GC()
		// A scripted hand does not wait for a compliance, nor does it do with a coarse one.
		world, notes, err := s.Open(ctx, physics.Options{NoCache: c.NoCache, Beside: !c.Headless, Progress: progress})
		if err != nil {
			return nil, badInput(err)
		}
		for _, note := range notes {
			fmt.Fprintln(os.Stderr, "hapco: "+note)
		}
		return c.take(ctx, s.Common(), world)
	}
}

// take gives the device to a new scene. A device serves one scene at a time: the
// scene that has it is closed first, be it on screen or given up meanwhile. A
// scene that was given up itself takes nothing.
func (c *runCommand) take(ctx context.Context, of *setting.Setting, world physics.World) (ui.Session, error) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	flags := c.deviceFlags
	if c.current != nil {
		flags.later = true
		if c.current.pointer == nil {
			_ = c.current.Close() // whose scene it is hears of an error
		}
	}
	s, err := openSession(of, world, &flags)
	if err != nil {
		return nil, err // not a nil *session in an interface
	}
	c.current = s
	return s, nil
}

// options are what every window of this command has in common.
func (c *runCommand) options(s physics.Scene) (ui.Options, error) {
	list, err := physics.List()
	if err != nil {
		return ui.Options{}, err
	}
	o := ui.Options{
		Scene: s.Common().Name, Open: c.opener(s),
		Width: c.Width, Height: c.Height, UIScale: c.UIScale,
		Seconds: c.Seconds, Screenshot: c.Screenshot,
	}
	known := false
	for _, l := range list {
		o.Scenes = append(o.Scenes, ui.Scene{Name: l.Name, About: l.About})
		known = known || l.Name == s.Common().Name
	}
	if !known {
		o.Scenes = append([]ui.Scene{{Name: s.Common().Name, About: s.Common().About}}, o.Scenes...)
	}
	return o, nil
}

func (c *runCommand) window(ctx context.Context, s physics.Scene) error {
	o, err := c.options(s)
	if err != nil {
		return err
	}
	return windowError(ui.Run(ctx, o))
}

// windowError makes a missing display or an old OpenGL the user's to cure.
func windowError(err error) error {
	if errors.Is(err, ui.ErrNoDisplay) || errors.Is(err, ui.ErrNoOpenGL) || errors.Is(err, ui.ErrScale) {
		return badInput(err)
	}
	return err
}

// headless runs the loops with a scripted stylus and sums up what was felt.
func (c *runCommand) headless(ctx context.Context, s physics.Scene) error {
	if c.Seconds == 0 {
		c.Seconds = 8
	}
	script, err := newScript(s.Common(), c.Path, c.Seconds)
	if err != nil {
		return badInput(err)
	}
	if c.Screenshot != "" {
		err = c.pictured(ctx, s, script)
	} else {
		err = c.blind(ctx, s, script)
	}
	if err != nil {
		return err
	}
	if c.CSV != "" {
		if err := writeOut(c.CSV, script.writeCSV); err != nil {
			return err
		}
	}
	return script.writeSummary(os.Stdout, s.Common().Name)
}

// pictured drives the real window on a display, a virtual one where there is none.
func (c *runCommand) pictured(ctx context.Context, s physics.Scene, script *script) error {
	if os.Getenv("DISPLAY") == "" {
		d, err := xvfb.Start(c.Width, c.Height)
		if err != nil {
			return badInput(err)
		}
		defer d.Stop()
		defer d.Setenv()()
	}
	o, err := c.options(s)
	if err != nil {
		return err
	}
	o.Script = func(f *ui.Frame) {
		if f.Seen == nil {
			return
		}
		script.start = f.Session.Info().Start.Position
		if session, ok := f.Session.(*session); ok {
			session.hand(script.hand(f.Time))
		}
		script.record(f.Time, f.Seen, f.Session.Info(), f.Haptics)
	}
	return windowError(ui.Run(ctx, o))
}

// sampleEvery is how often a run without pictures notes what is felt.
const sampleEvery = 10 * time.Millisecond

// blind drives the loops without any window.
func (c *runCommand) blind(ctx context.Context, s physics.Scene, script *script) (err error) {
	world, err := buildWorld(ctx, s, physics.Options{NoCache: c.NoCache})
	if err != nil {
		return err
	}
	session, err := openSession(s.Common(), world, &c.deviceFlags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	script.start = world.Info().Start.Position
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	start := time.Now()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		t := time.Since(start).Seconds()
		session.hand(script.hand(t))
		if f, newer := session.Seen(); newer {
			script.record(t, f, session.Info(), session.Haptics())
		}
		if t >= c.Seconds {
			return nil
		}
	}
}

// script moves the hand along a path of the scene and keeps what is felt.
type script struct {
	start   mgl64.Vec3   // of the hand, world, m
	corners []mgl64.Vec3 // of the hand's way from there, m
	lengths []float64    // from the start to each corner, m
	walk    float64      // time for the way, s
	samples []sample
}

// sample is one reading of a scripted run.
type sample struct {
	t               float64
	hand, stylus    mgl64.Vec3
	force           mgl64.Vec3
	sent            mgl64.Vec3
	open            int
	stick, slip     int
	iterations      int
	change          float64
	stepMS          float64
	collisionMS     float64
	contactMS       float64
	physics, haptic float64 // rates, Hz
	missed          uint64
}

// newScript plans a walk along the scene's path that takes nine tenths of the
// time; at its end the hand rests.
func newScript(s *setting.Setting, name string, seconds float64) (*script, error) {
	p, err := s.ChoosePath(name, "sliding")
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	out := &script{corners: []mgl64.Vec3{{}}, lengths: []float64{0}, walk: 0.9 * seconds}
	total := 0.0
	for _, m := range p.Moves {
		d := m.Direction.Mul(float64(m.Steps) * m.Step)
		total += d.Len()
		out.corners = append(out.corners, out.corners[len(out.corners)-1].Add(d))
		out.lengths = append(out.lengths, total)
	}
	return out, nil
}

// hand is where the hand is at time t, s.
func (c *script) hand(t float64) mgl64.Vec3 {
	last := len(c.corners) - 1
	at := c.lengths[last] * min(1, max(0, t/c.walk))
	for i := 1; i <= last; i++ {
		if at <= c.lengths[i] && c.lengths[i] > c.lengths[i-1] {
			s := (at - c.lengths[i-1]) / (c.lengths[i] - c.lengths[i-1])
			return c.start.Add(c.corners[i-1].Mul(1 - s).Add(c.corners[i].Mul(s)))
		}
	}
	return c.start.Add(c.corners[last])
}

func (c *script) record(t float64, f *physics.Frame, info *physics.Info, h ui.HapticsStatus) {
	number := func(name string) float64 {
		if i := info.Number(name); i >= 0 {
			return f.Numbers[i]
		}
		return 0
	}
	phase := func(name string) float64 {
		if i := slices.Index(info.Phases, name); i >= 0 {
			return milliseconds(f.Report.Phases[i])
		}
		return 0
	}
	n := f.Counts()
	c.samples = append(c.samples, sample{
		t: t, hand: f.Target.Position, stylus: f.Stylus.Position, force: f.Force, sent: h.Force,
		open: n[physics.Open], stick: n[physics.Stick], slip: n[physics.Slip],
		iterations: int(number("iterations")), change: finite(number("error")),
		stepMS: milliseconds(f.Report.Total), collisionMS: phase("collision"), contactMS: phase("contact"),
		physics: f.RateHz, haptic: h.RateHz, missed: h.Missed,
	})
}

func (c *script) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"time_s", "hand_x_mm", "hand_y_mm", "hand_z_mm", "stylus_x_mm", "stylus_y_mm", "stylus_z_mm",
		"force_x_N", "force_y_N", "force_z_N", "sent_x_N", "sent_y_N", "sent_z_N", "open", "sticking", "sliding",
		"iterations", "relative_change", "step_ms", "collision_ms", "contact_ms", "physics_Hz", "haptics_Hz", "missed_ticks"}); err != nil {
		return err
	}
	for i := range c.samples {
		s := &c.samples[i]
		var row []string
		for _, x := range []float64{s.t,
			1e3 * s.hand[0], 1e3 * s.hand[1], 1e3 * s.hand[2], 1e3 * s.stylus[0], 1e3 * s.stylus[1], 1e3 * s.stylus[2],
			s.force[0], s.force[1], s.force[2], s.sent[0], s.sent[1], s.sent[2],
			float64(s.open), float64(s.stick), float64(s.slip), float64(s.iterations), s.change,
			s.stepMS, s.collisionMS, s.contactMS, s.physics, s.haptic, float64(s.missed)} {
			row = append(row, strconv.FormatFloat(x, 'g', 7, 64))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writeSummary prints the table that a headless run ends with.
func (c *script) writeSummary(w io.Writer, name string) error {
	if len(c.samples) == 0 {
		return errors.New("run: no step was seen (cure: more --seconds)")
	}
	column := func(f func(*sample) float64) []float64 {
		v := make([]float64, len(c.samples))
		for i := range c.samples {
			v[i] = f(&c.samples[i])
		}
		slices.Sort(v)
		return v
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s, %.1f s, %d samples\tmedian\tp99\tlargest\t\n", name, c.samples[len(c.samples)-1].t, len(c.samples))
	for _, row := range []struct {
		what string
		f    func(*sample) float64
	}{
		{"contact force, N", func(s *sample) float64 { return s.force.Len() }},
		{"force sent to the hand, N", func(s *sample) float64 { return s.sent.Len() }},
		{"contacts", func(s *sample) float64 { return float64(s.open + s.stick + s.slip) }},
		{"sticking", func(s *sample) float64 { return float64(s.stick) }},
		{"sliding", func(s *sample) float64 { return float64(s.slip) }},
		{"spring stretch, mm", func(s *sample) float64 { return 1e3 * s.hand.Sub(s.stylus).Len() }},
		{"solver iterations", func(s *sample) float64 { return float64(s.iterations) }},
		{"physics step, ms", func(s *sample) float64 { return s.stepMS }},
		{"  of it collision, ms", func(s *sample) float64 { return s.collisionMS }},
		{"  of it contact, ms", func(s *sample) float64 { return s.contactMS }},
		{"physics rate (Fps), Hz", func(s *sample) float64 { return s.physics }},
		{"haptic rate (H_Fps), Hz", func(s *sample) float64 { return s.haptic }},
	} {
		v := column(row.f)
		fmt.Fprintf(t, "%s\t%.3g\t%.3g\t%.3g\t\n", row.what, quantile(v, 0.5), quantile(v, 0.99), v[len(v)-1])
	}
	fmt.Fprintf(t, "missed haptic ticks\t\t\t%d\t\n", c.samples[len(c.samples)-1].missed)
	return t.Flush()
}

// quantile of sorted values.
func quantile(sorted []float64, q float64) float64 {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
