package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"hapco/assets"
	"hapco/cmd/hapco/internal/app"
	"hapco/haptics/audio"
	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/numerics/contact"
	"hapco/render/xvfb"
	"hapco/telemetry"
	"hapco/ui"
)

func init() { runtime.LockOSThread() } // the window belongs to the main thread

// runCommand opens a scene in the window, or runs it without one.
type runCommand struct {
	app.SceneFlags
	app.DeviceFlags
	app.DumpFlags
	Headless   bool    `help:"No window: a scripted stylus walks the scene's path."`
	Seconds    float64 `help:"Stop after this long; 0: never (headless: 8)." in:"0..604800"`
	Path       string  `help:"Path of the scripted stylus; without it sliding, or the first."`
	Screenshot string  `help:"Write a picture of the window at the end." type:"path"`
	CSV        string  `name:"csv" help:"Write the scripted stylus's force over time." type:"path"`
	Serve      string  `help:"Serve live messages for Foxglove; 8765 is ws://localhost:8765, this machine only." placeholder:"ADDRESS"`
	Width      int     `help:"Width of the window; 0: as it was last, else 1280." in:"0|320..16384"`
	Height     int     `help:"Height of the window; 0: as it was last, else 800." in:"0|240..16384"`
	UIScale    float64 `name:"ui-scale" help:"Size of the panel's text; 0: as the display asks." default:"0" in:"0|0.5..4"`

	Gallery bool    `help:"Begin with the start page."`
	Fresh   bool    `help:"Neither read nor write the window's settings."`
	Idle    float64 `help:"Seconds without a touch until the gallery plays by itself; 0: never." default:"60" in:"0..604800"`

	taking  sync.Mutex   // one scene takes the device at a time
	current *app.Session // the one that took it last
	dump    *contact.Dump
}

// Run opens the window, or does the headless run.
func (c *runCommand) Run(ctx context.Context) (err error) {
	if (c.Width != 0) != (c.Height != 0) {
		return app.BadInput(errors.New("run: --width or --height alone (cure: both)"))
	}
	if err := errors.Join(c.writable("screenshot", c.Screenshot), c.writable("csv", c.CSV)); err != nil {
		return app.BadInput(err)
	}
	var s physics.Scene // nil: the gallery
	name := "hapco"
	if !c.Gallery || c.Headless || c.Scene != "" || c.Mesh != "" {
		if s, err = c.Load(); err != nil {
			return err
		}
		c.DeviceFlags.Notes = c.SceneFlags.Notes(s)
		name += " " + s.Common().Name
	}
	if c.dump, err = c.DumpFlags.Begin(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Say(os.Stderr, c.dump)) }()
	if c.Serve != "" {
		c.Server, err = telemetry.Serve(c.Serve, name, telemetry.All)
		if err != nil {
			return app.BadInput(fmt.Errorf("run: --serve: %w", err))
		}
		defer c.Server.Close()
		app.Note("sending to ws://%s, which Foxglove opens", c.Server.Address())
	}
	if c.Headless {
		return c.headless(ctx, s)
	}
	if s == nil {
		app.TellNotes()
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

// opener opens scenes for the window's scene picker. First is one that is read already, or nil.
func (c *runCommand) opener(first physics.Scene) ui.Opener {
	return func(ctx context.Context, name string, progress func(float64, string)) (ui.Session, error) {
		if filepath.Ext(name) == ".mcap" {
			return c.openRecording(ctx, name, progress)
		}
		s := first
		if s == nil || name != s.Common().Name {
			flags := app.SceneFlags{Scene: name}
			var err error
			if s, err = flags.Load(); err != nil {
				return nil, err
			}
		}
		// What closed and abandoned scenes held is free before the new one asks for memory: factors are CHOLMOD's, and
		// no reason for Go's collector to hurry.
		runtime.GC()
		// A scripted hand does not wait for a compliance, nor does it do with a coarse one.
		options := physics.Options{NoCache: c.NoCache, Beside: !c.Headless, Progress: progress, Dump: c.dump}
		if !c.Headless {
			options.Speaker = func(rate int) physics.Speaker { return audio.Open(rate) }
		}
		world, notes, err := physics.OpenScene(ctx, s, options)
		if err != nil {
			return nil, app.BadInput(err)
		}
		app.NoteAll(notes)
		app.TellNotes()
		return c.take(ctx, c.DeviceFlags, s.Common(), world)
	}
}

// openRecording opens the scene of a recording with the recorded hand.
func (c *runCommand) openRecording(ctx context.Context, file string, progress func(float64, string)) (ui.Session, error) {
	f, err := readFlight(file)
	if err != nil {
		return nil, err
	}
	replay := replayCommand{File: file}
	flags, err := replay.sceneOf(f, nil)
	if err != nil {
		return nil, err
	}
	s, err := flags.Read()
	if err != nil {
		return nil, err
	}
	world, _, err := physics.OpenScene(ctx, s, physics.Options{NoCache: c.NoCache, Progress: progress})
	if err != nil {
		return nil, err
	}
	app.TellNotes()
	device := c.DeviceFlags
	device.Record = ""
	f.holds(&device)
	return c.take(ctx, device, s.Common(), world)
}

// files are what the window does with files: a mesh becomes a scene in the user's folder of data.
func (c *runCommand) files() ui.Files {
	_, answers := userFiles(true)
	dir := filepath.Join(filepath.Dir(answers), "opened")
	return ui.Files{
		Examine:   app.Examine,
		SavePlots: savePlots,
		Export:    func(scene string, info *physics.Info) (ui.Exporter, error) { return app.NewExport(".", scene, info) },
		Tools:     app.Tools,
		TakeTool: func(scene string, tool *physics.Tool, own string) (string, error) {
			return app.TakeTool(dir, scene, tool, own)
		},
		Import: func(ctx context.Context, file string, choice ui.ImportChoice, progress func(float64, string)) (string, error) {
			return app.Import(ctx, dir, file, choice, progress)
		},
		Check: func(ctx context.Context, file string) (string, error) {
			res, err := runCase(ctx, file)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%s: %d of %d expected numbers agree (hapco verify shows each).",
				filepath.Base(file), passed(res), len(res.Checks)), nil
		},
		Hold: func(scene string, held []ui.Held) (string, error) { return app.Hold(dir, scene, held) },
		Save: func(scene string, changes []string, held []ui.Held) (file, said string, err error) {
			supports, err := app.Held(scene, held)
			if err != nil {
				return "", "", err
			}
			file, left, err := app.SaveScene(".", scene, append(changes, supports...), false)
			if len(left) > 0 {
				said = "; a scene file has no key for " + strings.Join(left, ", ")
			}
			return file, said, err
		},
	}
}

// take gives the device to a new scene. A device serves one scene at a time: the scene that has it is closed first, be
// it on screen or given up meanwhile. A scene that was given up itself takes nothing.
func (c *runCommand) take(ctx context.Context, flags app.DeviceFlags, of *setting.Setting, world physics.World) (ui.Session, error) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, world.Close())
	}
	if c.current != nil {
		flags.Later = true
		if c.current.Exclusive() {
			_ = c.current.Close() // whose scene it is hears of an error
		}
	}
	s, err := app.OpenSession(of, world, &flags)
	if err != nil {
		return nil, err // not a nil *session in an interface
	}
	c.current = s
	return s, nil
}

// options are what every window of this command has in common. Without a scene it begins with the gallery.
func (c *runCommand) options(s physics.Scene) (ui.Options, error) {
	list, err := physics.List()
	if err != nil {
		return ui.Options{}, err
	}
	o := ui.Options{
		Open:  c.opener(s),
		Files: c.files(),
		Width: c.Width, Height: c.Height, UIScale: c.UIScale,
		Seconds: c.Seconds, Screenshot: c.Screenshot,
	}
	known := s == nil
	for _, l := range list {
		o.Scenes = append(o.Scenes, ui.Scene{Name: l.Name, Title: l.Title, About: l.About, Group: l.Group, Tags: l.Tags, Picture: assets.Picture(l.Name)})
		known = known || l.Name == s.Common().Name
	}
	if s != nil {
		o.Scene = s.Common().Name
	}
	if !known {
		o.Scenes = append([]ui.Scene{{Name: s.Common().Name, Title: s.Common().Title, About: s.Common().About}}, o.Scenes...)
	}
	return o, nil
}

func (c *runCommand) window(ctx context.Context, s physics.Scene) error {
	o, err := c.options(s)
	if err != nil {
		return err
	}
	if c.Screenshot == "" { // a picture shows the window as it is, not as somebody left it
		o.Idle = c.Idle
		o.Memory, o.Answers = userFiles(c.Fresh)
	}
	return windowError(ui.Run(ctx, o))
}

// userFiles are where the window keeps what it remembers, and answers to scenes' questions: in the user's folders of
// settings and of data.
func userFiles(fresh bool) (memory, answers string) {
	if dir, err := os.UserConfigDir(); err == nil && !fresh {
		memory = filepath.Join(dir, "hapco", "window.toml")
	}
	data := os.Getenv("XDG_DATA_HOME")
	if home, err := os.UserHomeDir(); err == nil && data == "" {
		data = filepath.Join(home, ".local", "share")
	}
	if data != "" {
		answers = filepath.Join(data, "hapco", "answers.csv")
	}
	return memory, answers
}

// windowError makes a missing display or an old OpenGL the user's to cure.
func windowError(err error) error {
	if errors.Is(err, ui.ErrNoDisplay) || errors.Is(err, ui.ErrNoOpenGL) || errors.Is(err, ui.ErrScale) {
		return app.BadInput(err)
	}
	return err
}

// headless runs the loops with a scripted stylus and sums up what was felt.
func (c *runCommand) headless(ctx context.Context, s physics.Scene) error {
	if c.Seconds == 0 {
		c.Seconds = 8
	}
	script, err := app.NewScript(s.Common(), c.Path, c.Seconds)
	if err != nil {
		return app.BadInput(err)
	}
	if c.Screenshot != "" {
		err = c.pictured(ctx, s, script)
	} else {
		err = c.blind(ctx, s, script)
	}
	if err != nil {
		return err
	}
	if err := app.WriteWanted(c.CSV, script.WriteCSV); err != nil {
		return err
	}
	return script.WriteSummary(app.Stdout, s.Common().Name)
}

// pictured drives the real window on a display, a virtual one where there is none.
func (c *runCommand) pictured(ctx context.Context, s physics.Scene, script *app.Script) error {
	done, err := onDisplay(cmp.Or(c.Width, 1280), cmp.Or(c.Height, 800))
	if err != nil {
		return err
	}
	defer done()
	o, err := c.options(s)
	if err != nil {
		return err
	}
	o.Script = func(f *ui.Frame) {
		if f.Seen == nil {
			return
		}
		script.Start = f.Session.Info().Start.Position
		if session, ok := f.Session.(*app.Session); ok {
			session.Hand(script.Hand(f.Time))
		}
		script.Record(f.Time, f.Seen, f.Session.Info(), f.Haptics)
	}
	return windowError(ui.Run(ctx, o))
}

// onDisplay starts a virtual display where there is none; done ends it.
func onDisplay(width, height int) (done func(), err error) {
	if os.Getenv("DISPLAY") != "" {
		return func() {}, nil
	}
	d, err := xvfb.Start(width, height)
	if err != nil {
		return nil, app.BadInput(err)
	}
	back := d.Setenv()
	return func() { back(); d.Stop() }, nil
}

// blind drives the loops without any window.
func (c *runCommand) blind(ctx context.Context, s physics.Scene, script *app.Script) (err error) {
	world, err := app.BuildWorld(ctx, s, physics.Options{NoCache: c.NoCache, Dump: c.dump})
	if err != nil {
		return err
	}
	session, err := app.OpenSession(s.Common(), world, &c.DeviceFlags)
	if err != nil {
		return err
	}
	app.TellNotes()
	defer func() { err = errors.Join(err, session.Close()) }()
	return session.Walk(ctx, script, c.Seconds, func(t float64, f *physics.Frame) {
		script.Record(t, f, session.Info(), session.Haptics())
	})
}
