package ui

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
	"hapco/physics/guard"
	"hapco/render"
)

const (
	keyEscape = int(glfw.KeyEscape)
	keyLeft   = int(glfw.KeyLeft)
	keyRight  = int(glfw.KeyRight)
	keyDown   = int(glfw.KeyDown)
	keyUp     = int(glfw.KeyUp)

	keyPageUp   = int(glfw.KeyPageUp)
	keyPageDown = int(glfw.KeyPageDown)

	frameTime = time.Second / 60 // where vertical sync does not pace the loop
	idleTime  = time.Second / 10 // while the window is iconified
	maxScale  = 4.0
	minScale  = 0.75
)

// traceEvery is the time between two traces. Tests are less patient.
var traceEvery = time.Second

// app is the running window. Everything in it belongs to the main thread.
type app struct {
	opt     *Options
	win     *window
	paint   *painter
	render  *render.Renderer
	context *imgui.Context
	faces   *typeface
	gui     gui
	scale   float64 // framebuffer pixels per design pixel
	zoom    float64 // the user's part of it
	width   int     // framebuffer, pixels
	height  int

	home       gallery
	demo       demo
	memory     memory
	question   question
	studying   studying
	rounds     int // that a recorded hand has begun again
	opening    opening
	tools      []physics.Tool // of the scene
	indent     indentation
	export     exporting
	hold       bool // the plots stay as they are
	support    support
	slots      [slotCount]slot
	slot       int   // of slots
	now        state // see present
	find       string
	naming     bool // rows of bodies name them: they stand under no heading
	findFocus  bool // the search takes the keyboard in the next frame
	cameras    int
	sideWide   float64 // of the column of smaller cameras, pixels
	clip       clip
	bare       bool // neither panel nor plots
	loading    *loading
	abandoned  guard.Group // scenes given up while they were opening
	session    Session
	current    string                           // name of the scene on screen
	wanted     string                           // one picked from the list; "" otherwise
	made       func() (scene string, err error) // makes the one that is wanted; nil otherwise
	springHome float64                          // stiffness of the pointer's spring at the start, N/m
	depthLine  bool
	info       *physics.Info
	bodies     []physics.SurfaceInfo // of info
	driven     []bool                // by body
	keys       []physics.Key
	values     []float64 // of keys, as the panel shows them
	defaults   []float64 // of keys
	paused     bool
	snap       *physics.Frame // newest without noise; nil until the session's first
	raw        *physics.Frame // the same as the session gave it
	shown      physics.Frame  // what snap points to
	noise      noise
	status     HapticsStatus
	plotted    HapticsStatus // status without noise
	stylus     uint32        // its buttons, at the last look
	meter      energyMeter

	cam     render.Camera
	view    render.Options
	mode    int     // of modeNames
	colours string  // name of the field that colours the surfaces; "": their own
	docks   []dock  // of this frame
	cardY   float32 // where the next card of the scene goes, pixels
	scene   lens    // the scene's part of the window, this frame
	centre  mgl64.Vec3
	size    float64    // diagonal of the bodies at the start, m
	grip    mgl64.Vec3 // the point of the tool that the mouse holds, stylus frame, m
	reach   float64    // from there to the tool's tip along the needle, m
	mouse   sceneMouse
	zooming bool // on contact

	pages               []*plotPage
	page                int // of pages
	showPlots, showHelp bool
	folded              bool    // the panel is out of the way
	panelWide           float32 // its width in this frame, design pixels
	wishWide            float64 // the user's; 0: none
	sizing              bool    // its edge is being dragged

	fps      float64
	fine     resolution
	lastDraw time.Time
	notice   notice
	told     string // the device's last message
	toldAt   time.Time
	quit     bool
	shots    []string  // pictures to write after this frame
	start    time.Time // of the first drawn snapshot
	met      time.Time // when the scene on screen was first drawn
	frames   int
	traced   time.Time
	trace    string
}

// notice is a line about what just happened.
type notice struct {
	text  string
	bad   bool
	until time.Time
}

func (a *app) say(text string) { a.notice = notice{text, false, time.Now().Add(5 * time.Second)} }
func (a *app) warn(text string) {
	a.notice = notice{text, true, time.Now().Add(20 * time.Second)}
}

func (a *app) noticeShows() bool { return a.notice.text != "" && time.Now().Before(a.notice.until) }

// Run shows the window until it is closed, ctx ends, a script closes it or
// Options.Seconds have passed. It must be called from the main goroutine. A
// first scene that cannot be opened is an error; later ones only a message.
func Run(ctx context.Context, opt Options) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a, err := newApp(&opt)
	if err != nil {
		return err
	}
	defer func() {
		if e := a.close(); err == nil {
			err = e
		}
	}()
	if opt.Study != nil {
		a.turnStudyPage()
	} else if opt.Scene == "" {
		a.showGallery()
	} else {
		a.open(ctx, opt.Scene)
	}
	for !a.quit {
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
	a := &app{opt: opt, win: win, zoom: zoom, showPlots: true, depthLine: true, trace: os.Getenv("HAPCO_UI_TRACE")}
	a.render, err = render.New()
	if err != nil {
		win.close()
		return nil, fmt.Errorf("%w: %w", ErrNoOpenGL, err)
	}
	//lint:ignore SA1019 this binding says so of every function
	a.context = imgui.CreateContext(nil)
	win.attach(imgui.CurrentIO())
	if a.paint, err = newPainter(); err != nil {
		a.render.Close()
		a.context.Destroy()
		win.close()
		return nil, err
	}
	a.faces = newTypeface()
	glfw.SwapInterval(1)

	a.view = render.DefaultOptions()
	a.cam = render.DefaultCamera()
	a.cameras = 1
	a.gui.span = historySpan
	a.indent.depth, a.indent.speed = indentDepth, indentSpeed
	a.gui.sections = map[string]bool{}
	if opt.Memory != "" {
		m, known, err := readMemory(opt.Memory)
		if err != nil {
			a.warn(err.Error())
		}
		if a.memory = m; known {
			a.recall(&m)
			if restore {
				win.restore(m.Window)
			}
		}
	}
	return a, nil
}

// userScale is the user's own factor: the option, else the environment's, else 1.
func userScale(option float64, env string) (float64, error) {
	s := option
	if s == 0 && env != "" {
		v, err := strconv.ParseFloat(env, 64)
		if err != nil {
			return 0, fmt.Errorf("ui: %w: HAPCO_UI_SCALE=%q is not a number (cure: a factor such as 1.5)", ErrScale, env)
		}
		s = v
	}
	if s == 0 {
		s = 1
	}
	if !(s >= 0.5 && s <= maxScale) {
		return 0, fmt.Errorf("ui: %w: %g is outside 0.5 to %g (cure: --ui-scale 1.5, for instance)", ErrScale, s, maxScale)
	}
	return s, nil
}

// frame builds, draws and shows one picture.
func (a *app) frame(ctx context.Context) error {
	a.pace()
	glfw.PollEvents()
	now := time.Now()
	dt := now.Sub(a.lastDraw).Seconds()
	if a.lastDraw.IsZero() {
		dt = 1.0 / 60
	} else if dt > 0 {
		a.fps += (1/dt - a.fps) * min(1, 2*dt)
	}
	a.lastDraw = now
	if a.snap != nil && a.loading == nil && a.opt.Script == nil {
		a.fine.step(dt, a.scene.w*a.scene.h)
	}
	dt = min(dt, 0.1) // a stall must not throw the stylus

	if a.wanted != "" {
		a.open(ctx, a.wanted)
		a.wanted = ""
	}
	if make := a.made; make != nil {
		a.made = nil
		a.openMade(ctx, a.current, func(context.Context, func(float64, string)) (string, error) { return make() })
	}
	if err := a.adopt(ctx); err != nil {
		return err
	}
	a.takeFound(ctx)
	a.width, a.height = a.win.glfw.GetFramebufferSize()
	if a.width <= 0 || a.height <= 0 {
		a.quit = a.quit || a.win.glfw.ShouldClose() || ctx.Err() != nil
		return nil
	}
	a.fitScale()
	a.read(now)
	a.play(now)
	a.indentStep()
	if a.opt.Script != nil && a.session != nil && a.snap != nil {
		f := Frame{Time: now.Sub(a.start).Seconds(), Number: a.frames, Session: a.session, Seen: a.raw, Haptics: a.status, app: a}
		a.opt.Script(&f)
	}

	a.win.feed(imgui.CurrentIO(), a.width, a.height, dt)
	if a.trace != "" {
		a.gui.spots = map[string]rect{}
	}
	imgui.NewFrame()
	imgui.PushFont(a.gui.fonts.text)
	a.gui.arrows = false
	a.gui.wheel = a.win.in.wheelY
	if a.studying.page != nil {
		if err := a.studyFrame(dt); err != nil {
			return err
		}
	} else if a.home.open {
		a.docks = a.docks[:0]
		a.galleryPage()
		a.cardY = float32(a.height) / 2
		a.loadingCard()
	} else {
		a.layout()
		a.steer(dt)
		a.overlay()
		a.watchChanges()
	}
	a.openDialogs(ctx)
	imgui.PopFont()
	imgui.Render()
	a.win.showCursor(imgui.MouseCursor())

	a.draw()
	a.quit = a.quit || a.win.glfw.ShouldClose() || ctx.Err() != nil
	if a.opt.Seconds > 0 && !a.start.IsZero() && now.Sub(a.start).Seconds() >= a.opt.Seconds {
		a.quit = true
	}
	if a.quit && a.opt.Screenshot != "" {
		a.shots = append(a.shots, a.opt.Screenshot)
	}
	a.exportState()
	for _, path := range a.shots {
		if err := a.screenshot(path); err != nil && path != a.opt.Screenshot && a.opt.Script == nil {
			a.warn(err.Error()) // a key was pressed: no reason to end
		} else if err != nil {
			return err
		}
	}
	a.shots = a.shots[:0]
	a.win.glfw.SwapBuffers()
	if a.snap != nil {
		a.frames++
	}
	return a.writeTrace(now)
}

// pace keeps the loop from spinning where the driver does not wait for the screen.
func (a *app) pace() {
	most := frameTime
	if a.win.glfw.GetAttrib(glfw.Iconified) == glfw.True {
		most = idleTime
	}
	if left := most - time.Since(a.lastDraw); left > 500*time.Microsecond && !a.lastDraw.IsZero() {
		time.Sleep(left)
	}
}

// fitScale follows the monitor and the user.
func (a *app) fitScale() {
	s := textScale(a.win.scale(), a.zoom, a.width, a.height)
	if s == a.scale {
		return
	}
	a.scale = s
	atlas := imgui.CurrentIO().Fonts()
	set, rebuilt := a.faces.at(s, atlas)
	if rebuilt {
		a.paint.setAtlas(atlas)
	}
	styleFor(s)
	a.gui.fonts, a.gui.scale = set, float32(s)
}

// textScale is framebuffer pixels per design pixel: what the monitor wants times
// the user's factor. Many large monitors want nothing and would show a page of
// text in a corner, so a window larger than 1920x1080 counts as well.
func textScale(monitor, zoom float64, width, height int) float64 {
	window := min(float64(width)/1920, float64(height)/1080)
	s := math.Round(max(monitor, window)*zoom*20) / 20
	return min(max(s, minScale), maxScale)
}

// read takes the newest of everything from the session.
func (a *app) read(now time.Time) {
	if a.session == nil {
		return
	}
	a.status = a.session.Haptics()
	if a.studying.page == nil {
		a.stylusPressed(a.status.Loop.Last.Buttons)
	}
	if a.status.Message != a.told {
		a.told, a.toldAt = a.status.Message, now
	}
	a.readServo(now)
	s, newer := a.session.Seen()
	if s == nil || len(s.Surfaces) != len(a.bodies) {
		return
	}
	first := a.snap == nil
	if first {
		a.met = now
	}
	a.raw, a.snap = s, &a.shown
	if !first {
		a.noise = noiseOf(s.Softest, a.session.Servo().Params().MaxForce, a.size)
	}
	a.noise.quiet(a.snap, s, a.info)
	if first {
		a.meet()
		if a.start.IsZero() {
			a.start = now
		}
	}
	if newer || first {
		a.record(a.snap)
	}
}

// record samples the plots.
func (a *app) record(s *physics.Frame) {
	if a.hold {
		return
	}
	a.plotted = a.status
	a.noise.zeroForce(&a.plotted.Force)
	for _, p := range a.pages {
		p.record(s, &a.plotted)
		if p.periods != nil {
			p.periods.record(a.session.Servo().Periods(), a.status.TargetHz)
		}
		if p.depth != nil {
			p.depth.record(s, a.needle())
		}
	}
}

// sent is the norm of the force on the hand, 0 where it is noise, N.
func (a *app) sent() float64 {
	f := a.status.Force
	a.noise.zeroForce(&f)
	return f.Len()
}

func (a *app) clearPlots() {
	for _, p := range a.pages {
		p.clear()
	}
}

// publish sends the panel's parameters to the simulation.
func (a *app) publish() { a.session.SetValues(a.values) }

// setPaused stops the simulation, or lets it go on.
func (a *app) setPaused(on bool) {
	a.paused = on
	a.session.Pause(on)
}

// wants asks the world for what is shown, and for no more.
func (a *app) wants() {
	a.session.SetWant(physics.Want{
		Field:  a.field(),
		Series: a.showPlots && a.page < len(a.pages) && a.pages[a.page].series != nil,
	})
}

// draw paints the scene and the panel into the window's framebuffer.
func (a *app) draw() {
	gl.BindFramebuffer(gl.FRAMEBUFFER, 0)
	gl.Viewport(0, 0, int32(a.width), int32(a.height))
	gl.Disable(gl.SCISSOR_TEST)
	if a.snap == nil { // later docks and scene cover everything
		clearColor(deepColor)
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	gl.Enable(gl.SCISSOR_TEST)
	for _, d := range a.docks { // imgui would blend them, which takes a processor longer than the scene
		clearColor(d.color)
		gl.Scissor(int32(d.x), int32(float32(a.height)-d.y-d.h), int32(d.w), int32(d.h))
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	gl.Disable(gl.SCISSOR_TEST)
	if a.snap != nil && !a.home.open && !a.studying.covers() {
		l := &a.scene
		a.view.Clip = a.clip.plane(&a.cam, a.centre, a.size)
		a.drawSides()
		a.render.Draw(a.snap, &a.cam, &a.view, render.Viewport{
			X: int(l.x), Y: a.height - int(l.y+l.h), Width: int(l.w), Height: int(l.h), Scale: a.scale, Resolution: a.fine.part()})
	}
	a.paint.paint(imgui.RenderedDrawData(), a.width, a.height)
}

func clearColor(hex uint32) {
	c := rgb(hex)
	gl.ClearColor(c.X, c.Y, c.Z, 1)
}

func (a *app) close() error {
	err := a.keepMemory()
	a.awaitExport()
	a.stopLoading()
	a.abandoned.Wait()
	if a.session != nil {
		err = errors.Join(a.session.Close(), err)
	}
	a.home.delete()
	a.render.Close()
	a.paint.delete()
	a.context.Destroy()
	a.faces.ranges.Free()
	a.win.close()
	return err
}
