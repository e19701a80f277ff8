package ui

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/inkyblackness/imgui-go/v4"

	files "hapco/physics/files/atomicfile"
	"hapco/render"
)

const (
	frameTime = time.Second / 60 // where vertical sync does not pace the loop
	idleTime  = time.Second / 10 // while the window is iconified
	maxScale  = 4.0
	minScale  = 0.75
)

// shell is the window around everything: its loop, its size of text, its pictures on file.
type shell struct {
	base
	paint   *painter
	context *imgui.Context
	faces   *typeface
	zoom    float64 // the user's part of the scale

	lastDraw time.Time
	due      time.Time // of the next frame, see pace
	start    time.Time // of the first drawn snapshot
	frames   int
	quit     bool
	shots    []string // pictures to write after this frame
	trace    string   // file, see tracePicture; "": none
	traced   time.Time
}

// open makes what imgui needs.
func (sh *shell) open() (err error) {
	//lint:ignore SA1019 this binding says so of every function
	sh.context = imgui.CreateContext(nil)
	sh.win.attach(imgui.CurrentIO())
	if sh.paint, err = newPainter(); err != nil {
		sh.context.Destroy()
		return err
	}
	sh.faces = newTypeface()
	glfw.SwapInterval(1)
	return nil
}

func (sh *shell) close() {
	sh.paint.delete()
	sh.context.Destroy()
	sh.faces.ranges.Free()
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
	s = cmp.Or(s, 1)
	if !(s >= 0.5 && s <= maxScale) {
		return 0, fmt.Errorf("ui: %w: %g is outside 0.5 to %g (cure: --ui-scale 1.5, for instance)", ErrScale, s, maxScale)
	}
	return s, nil
}

// tick begins a frame: it tells the time, and how long the last one took, s.
func (sh *shell) tick() (now time.Time, dt float64) {
	sh.pace()
	glfw.PollEvents()
	now = time.Now()
	dt = now.Sub(sh.lastDraw).Seconds()
	if sh.lastDraw.IsZero() {
		dt = 1.0 / 60
	} else if dt > 0 {
		sh.gui.displayHz += (1/dt - sh.gui.displayHz) * min(1, 2*dt)
	}
	sh.lastDraw = now
	return now, dt
}

// pace keeps the loop from spinning where the driver does not wait for the screen. Frames are due on a grid of times, so
// that what one begins late is not lost to all that follow; after a whole frame of delay the grid begins anew.
func (sh *shell) pace() {
	most := pick(sh.win.glfw.GetAttrib(glfw.Iconified) == glfw.True, idleTime, frameTime)
	now := time.Now()
	wait, due := nextFrame(sh.due, now, most)
	time.Sleep(wait)
	sh.due = due
}

// nextFrame is how long to wait now for the frame that is due, and when the one after it is due. A screen that is a
// little faster than the grid sets the pace itself.
func nextFrame(due, now time.Time, every time.Duration) (wait time.Duration, next time.Time) {
	if wait = due.Sub(now); wait > every || wait < -every || wait > 0 && wait <= 500*time.Microsecond {
		wait, due = 0, now
	}
	return max(wait, 0), due.Add(every)
}

// fitScale follows the monitor and the user.
func (sh *shell) fitScale() {
	s := textScale(sh.win.scale(), sh.zoom, sh.gui.width, sh.gui.height)
	if float32(s) == sh.gui.scale {
		return
	}
	atlas := imgui.CurrentIO().Fonts()
	set, rebuilt := sh.faces.at(s, atlas)
	if rebuilt {
		sh.paint.setAtlas(atlas)
	}
	styleFor(s)
	sh.gui.fonts, sh.gui.scale = set, float32(s)
}

// textScale is framebuffer pixels per design pixel: what the monitor wants times the user's factor. Many large monitors
// want nothing and would show a page of text in a corner, so a window larger than 1920x1080 counts as well.
func textScale(monitor, zoom float64, width, height int) float64 {
	window := min(float64(width)/1920, float64(height)/1080)
	s := math.Round(max(monitor, window)*zoom*20) / 20
	return min(max(s, minScale), maxScale)
}

// zoomText changes the size of text and controls by steps of an eighth.
func (sh *shell) zoomText(by int) {
	z := math.Round(sh.zoom*8)/8 + float64(by)/8
	sh.zoom = min(max(z, 0.75), maxScale/sh.win.scale())
}

// clear paints the background of the docks, and of the whole window where all is set.
func (sh *shell) clear(all bool) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, 0)
	gl.Viewport(0, 0, int32(sh.gui.width), int32(sh.gui.height))
	gl.Disable(gl.SCISSOR_TEST)
	if all {
		clearColor(deepColor)
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	gl.Enable(gl.SCISSOR_TEST)
	for _, d := range sh.gui.docks { // imgui would blend them, which takes a processor longer than the scene
		clearColor(d.color)
		gl.Scissor(int32(d.x), int32(float32(sh.gui.height)-d.y-d.h), int32(d.w), int32(d.h))
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	gl.Disable(gl.SCISSOR_TEST)
}

func clearColor(hex uint32) {
	c := rgb(hex)
	gl.ClearColor(c.X, c.Y, c.Z, 1)
}

// show writes the pictures that were asked for and puts the frame on the screen.
func (sh *shell) show() error {
	if sh.quit && sh.opt.Screenshot != "" {
		sh.shots = append(sh.shots, sh.opt.Screenshot)
	}
	for _, path := range sh.shots {
		picture := render.ReadPixels(0, 0, sh.gui.width, sh.gui.height)
		err := files.Write(path, func(w io.Writer) error { return render.WritePNG(w, picture) })
		switch {
		case err == nil:
		case path == sh.opt.Screenshot || sh.opt.Script != nil:
			return fmt.Errorf("ui: screenshot: %w", err)
		default: // a key was pressed: no reason to end
			sh.warn("ui: screenshot: " + err.Error())
		}
	}
	sh.shots = sh.shots[:0]
	sh.win.glfw.SwapBuffers()
	return nil
}

// shoot saves a screenshot under a name of its own.
func (sh *shell) shoot() {
	path := "hapco-" + time.Now().Format("20060102-150405.000") + ".png"
	sh.shots = append(sh.shots, path)
	sh.say("Saved " + path)
}
