package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/render"
)

// app is the running window: its parts, and what they are asked to do together. A part reaches those below it and none
// above: it asks by intents, which the app carries out.
type app struct {
	base
	shell    *shell
	viewport *viewport
	plots    *plots
	haptic   *haptic
	timeline *timeline
	study    *study
	library  *library
	changes  *changes
	panel    *panel
}

// assemble makes the parts, from the lowest to the highest.
func assemble(opt *Options, win *window) *app {
	b := base{intents: &intents{}, scene: &scene{}, gui: &gui{span: usualSpan, sections: map[string]bool{}}, opt: opt, win: win}
	a := &app{base: b}
	a.shell = &shell{base: b, zoom: 1}
	a.viewport = newViewport(b)
	a.plots = &plots{base: b, viewport: a.viewport, shown: true, indent: indentation{depth: indentDepth, speed: indentSpeed}}
	a.haptic = &haptic{base: b, viewport: a.viewport}
	a.timeline = &timeline{base: b, plots: a.plots}
	a.study = &study{base: b, viewport: a.viewport, haptic: a.haptic}
	a.library = &library{base: b, viewport: a.viewport, study: a.study}
	a.changes = &changes{base: b, viewport: a.viewport}
	a.panel = &panel{base: b, viewport: a.viewport, plots: a.plots, haptic: a.haptic, study: a.study, library: a.library, changes: a.changes}
	return a
}

// Run shows the window until it is closed, ctx ends, a script closes it or Options.Seconds have passed. It must be
// called from the main goroutine. A first scene that cannot be opened is an error; later ones only a message.
func Run(ctx context.Context, opt Options) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a, err := newApp(&opt)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, a.close()) }()
	if opt.Study != nil {
		a.study.turnStudyPage()
	} else if opt.Scene == "" {
		a.library.showGallery()
	} else {
		a.library.open(ctx, opt.Scene)
	}
	for a.perform(); !a.shell.quit; {
		if err := a.frame(ctx); err != nil {
			return err
		}
	}
	return nil
}

func newApp(opt *Options) (*app, error) {
	if opt.Open == nil {
		panic("ui: Options.Open is nil")
	}
	restore := opt.Width <= 0 || opt.Height <= 0
	if restore {
		opt.Width, opt.Height = 1280, 800
	}
	zoom, err := userScale(opt.UIScale, os.Getenv("HAPCO_UI_SCALE"))
	if err != nil {
		return nil, err
	}
	win, err := openWindow("HapCo", opt.Width, opt.Height, zoom)
	if err != nil {
		return nil, err
	}
	a := assemble(opt, win)
	a.shell.zoom, a.shell.trace = zoom, os.Getenv("HAPCO_UI_TRACE")
	if every, err := time.ParseDuration(os.Getenv("HAPCO_UI_TRACE_EVERY")); err == nil {
		traceEvery = every
	}
	a.viewport.render, err = render.New()
	if err != nil {
		win.close()
		return nil, fmt.Errorf("%w: %w", ErrNoOpenGL, err)
	}
	if err := a.shell.open(); err != nil {
		a.viewport.render.Close()
		win.close()
		return nil, err
	}
	if opt.Memory == "" {
		return a, nil
	}
	m, known, err := readMemory(opt.Memory)
	if err != nil {
		a.warn(err.Error())
	}
	if a.library.memory = m; known {
		a.recall(&m)
		if restore {
			win.restore(m.Window)
		}
	}
	return a, nil
}

// frame builds, draws and shows one picture.
func (a *app) frame(ctx context.Context) error {
	now, dt := a.shell.tick()
	if a.scene.snap != nil && a.library.loading == nil && a.opt.Script == nil {
		a.viewport.fine.step(dt, a.viewport.lens.w*a.viewport.lens.h)
	}
	dt = min(dt, 0.1) // a stall must not throw the stylus
	if err := a.openWanted(ctx); err != nil {
		return err
	}
	a.shell.quit = a.shell.quit || a.win.glfw.ShouldClose() || ctx.Err() != nil
	if a.gui.width, a.gui.height = a.win.glfw.GetFramebufferSize(); a.gui.width <= 0 || a.gui.height <= 0 {
		return nil
	}
	a.shell.fitScale()
	a.read(now)
	a.library.play(now)
	a.plots.indentStep()
	if a.opt.Script != nil && a.scene.session != nil && a.scene.snap != nil {
		f := Frame{Time: now.Sub(a.shell.start).Seconds(), Number: a.shell.frames, Session: a.scene.session, Seen: a.scene.raw, Haptics: a.scene.status, app: a}
		a.opt.Script(&f)
	}
	if err := a.build(ctx, dt); err != nil {
		return err
	}
	a.draw()
	a.shell.quit = a.shell.quit || a.opt.Seconds > 0 && !a.shell.start.IsZero() && now.Sub(a.shell.start).Seconds() >= a.opt.Seconds
	a.library.exportState()
	if err := a.shell.show(); err != nil {
		return err
	}
	if a.scene.snap != nil {
		a.shell.frames++
	}
	return a.writeTrace(now)
}

// openWanted begins to open what the parts asked for, and takes over what has opened.
func (a *app) openWanted(ctx context.Context) error {
	if a.wanted != "" {
		a.library.open(ctx, a.wanted)
		a.wanted = ""
	}
	if make := a.made; make != nil {
		a.made = nil
		a.library.openMade(ctx, a.scene.name, func(context.Context, func(float64, string)) (string, error) { return make() })
	}
	if err := a.adopt(ctx); err != nil {
		return err
	}
	a.library.takeFound(ctx)
	return nil
}

// build lays out one frame of the window's content and lets mouse and keyboard act.
func (a *app) build(ctx context.Context, dt float64) error {
	a.win.queue.fieldComes = a.gui.focusing > 0
	a.win.feed(imgui.CurrentIO(), a.gui.width, a.gui.height, dt)
	imgui.NewFrame()
	a.gui.begin(a.win.in.wheelY, a.shell.trace != "")
	switch {
	case a.study.page != nil:
		if err := a.studyFrame(dt); err != nil {
			return err
		}
	case a.library.home.open:
		a.library.galleryPage()
		a.shortcuts(inGallery)
		a.gui.cardX, a.gui.cardY = float32(a.gui.width)/2, float32(a.gui.height)/2
		a.library.loadingCard()
	default:
		a.layout()
		a.steer(dt)
		a.overlay()
	}
	a.library.openDialogs(ctx)
	a.perform()
	if a.study.page == nil && !a.library.home.open {
		a.changes.watch()
	}
	imgui.PopFont()
	imgui.Render()
	a.win.showCursor(imgui.MouseCursor())
	return nil
}

// steer lets mouse and keyboard act on the scene.
func (a *app) steer(dt float64) {
	if a.scene.session != nil && a.scene.snap != nil {
		a.haptic.panicKey()
		in := inScene
		switch {
		case a.study.page != nil:
			in = inStudy
		case a.library.asks(): // what is typed is not for the scene
			in = inDialog
		}
		if !a.gui.typing() {
			a.shortcuts(in)
		}
	}
	a.viewport.steer(dt, a.panel.column.sizing, a.library.demo.on || a.plots.indent.on)
}

// read takes the newest of everything from the session.
func (a *app) read(now time.Time) {
	sc := a.scene
	if sc.session == nil {
		return
	}
	sc.status = sc.session.Haptics()
	if a.study.page == nil {
		a.stylusPressed(a.haptic.pressed())
	}
	a.haptic.read(now)
	s, newer := sc.session.Seen()
	if s == nil || len(s.Surfaces) != len(sc.info.Surfaces) {
		return
	}
	first := sc.snap == nil
	if first {
		sc.met = now
	}
	sc.raw, sc.snap = s, &sc.shown
	sc.counts = sc.counts || len(s.Contacts) > 0
	if !first {
		sc.noise = noiseOf(s.Softest, sc.session.Servo().Params().MaxForce, sc.bounds.size)
	}
	sc.noise.quiet(sc.snap, s, sc.info)
	if first {
		a.meet()
		if a.shell.start.IsZero() {
			a.shell.start = now
		}
	}
	if newer || first {
		a.plots.record(sc.snap)
	}
}

// draw paints the scene and the panel into the window's framebuffer.
func (a *app) draw() {
	a.shell.clear(a.scene.snap == nil) // later docks and scene cover everything
	if a.scene.snap != nil && !a.library.home.open && !a.study.covers() {
		a.viewport.draw()
	}
	a.shell.paint.paint(imgui.RenderedDrawData(), a.gui.width, a.gui.height)
}

func (a *app) close() error {
	err := a.keepMemory()
	a.library.close()
	if a.scene.session != nil {
		err = errors.Join(a.scene.session.Close(), err)
	}
	a.viewport.render.Close()
	a.shell.close()
	a.win.close()
	return err
}

// adopt puts a scene that has finished opening on screen.
func (a *app) adopt(ctx context.Context) error {
	l := a.library.loading
	if l == nil {
		return nil
	}
	var o opened
	select {
	case o = <-l.done:
	default:
		return nil
	}
	a.library.loading = nil
	l.cancel()
	if o.err != nil {
		return a.library.keep(ctx, l.scene, o.err)
	}
	info, support := paintable(o.session.Info())
	if err := a.viewport.render.SetScene(info); err != nil {
		return a.library.keep(ctx, l.scene, errors.Join(err, o.session.Close()))
	}
	a.library.endExport()
	if old := a.scene.session; old != nil {
		if err := old.Close(); err != nil {
			a.warn(err.Error())
		}
	}
	a.scene.adopt(o.session, o.scene, info)
	a.library.adopt()
	a.haptic.anew()
	a.timeline.rounds = 0
	a.plots.adopt()
	a.changes.slots, a.panel.query.text = [slotCount]slot{}, ""
	a.viewport.adopt(support)
	a.gui.entry, a.gui.complaint = entry{}, ""
	if a.study.page == nil {
		a.win.glfw.SetTitle("HapCo – " + a.scene.session.Title())
	}
	return nil
}

// meet looks at a scene for the first time.
func (a *app) meet() {
	a.viewport.meet()
	a.changes.forget()
	if a.study.page != nil {
		a.study.studyMeets()
		return
	}
	a.study.beginQuestion()
	a.plots.meet()
}
