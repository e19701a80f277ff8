package ui

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/inkyblackness/imgui-go/v4"
)

// window owns the GLFW window, its OpenGL context and the events of both. Everything here runs on the main thread.
type window struct {
	glfw    *glfw.Window
	queue   eventQueue
	in      input
	cursors [imgui.MouseCursorCount]*glfw.Cursor
	cursor  imgui.MouseCursorID
	dropped []string // files, since the last frame
	back    [4]int   // place and size that a full window goes back to
	moved   bool     // the window changed place or size: its cursor did, without the mouse
}

// What a machine lacks when no window can be opened on it: a screen, or a driver that draws as this program needs it.
// ErrScale is a size of text that cannot be had.
var (
	ErrNoDisplay = errors.New("no display")
	ErrNoOpenGL  = errors.New("no OpenGL 3.3")
	ErrScale     = errors.New("scale of the window")
)

const cureHeadless = "cure: log in to a desktop, set DISPLAY, or run with --headless"

// checkDisplay finds a missing X server before GLFW is asked: glfw.Init reports success without one, and the call after
// it panics. The connection it returns (nil where none was needed) is to be closed once GLFW has its own: a server
// without clients may start over, and refuse them meanwhile.
func checkDisplay(goos string, env func(string) string) (net.Conn, error) {
	if goos != "linux" && !strings.HasSuffix(goos, "bsd") {
		return nil, nil
	}
	name := env("DISPLAY")
	if name == "" {
		return nil, fmt.Errorf("ui: %w: DISPLAY is not set (%s)", ErrNoDisplay, cureHeadless)
	}
	probe, ok := answers(name)
	if !ok {
		return nil, fmt.Errorf("ui: %w: nothing answers at DISPLAY=%s (%s)", ErrNoDisplay, name, cureHeadless)
	}
	return probe, nil
}

// answers tries the sockets of an X display, [host]:number[.screen].
func answers(name string) (probe net.Conn, ok bool) {
	host, rest, ok := strings.Cut(name, ":")
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || strings.HasPrefix(name, "/") {
		return nil, true // a form that we do not know: leave it to GLFW
	}
	type address struct{ network, at string }
	var try []address
	if host == "" || host == "unix" {
		socket := "/tmp/.X11-unix/X" + number
		try = []address{{"unix", socket}, {"unix", "@" + socket}}
		host = "localhost"
	}
	try = append(try, address{"tcp", net.JoinHostPort(host, strconv.Itoa(6000+n))})
	for _, a := range try {
		if c, err := net.DialTimeout(a.network, a.at, 3*time.Second); err == nil {
			return c, true
		}
	}
	return nil, false
}

// openWindow opens a window with a current OpenGL 3.3 core context. width and height are for a screen of ordinary
// density; scale is the user's own factor.
func openWindow(title string, width, height int, scale float64) (w *window, err error) {
	probe, err := checkDisplay(runtime.GOOS, os.Getenv)
	if err != nil {
		return nil, err
	}
	if probe != nil {
		defer probe.Close()
	}
	defer func() {
		// The binding panics where GLFW was not initialised after all, as with a DISPLAY that nobody listens on.
		if p := recover(); p != nil {
			w, err = nil, fmt.Errorf("ui: %w: %q does not answer: %v (%s)", ErrNoDisplay, os.Getenv("DISPLAY"), p, cureHeadless)
		}
	}()
	if err := glfw.Init(); err != nil {
		return nil, fmt.Errorf("ui: %w: %v (%s)", ErrNoDisplay, err, cureHeadless)
	}
	glfw.WindowHint(glfw.ContextVersionMajor, 3)
	glfw.WindowHint(glfw.ContextVersionMinor, 3)
	glfw.WindowHint(glfw.OpenGLProfile, glfw.OpenGLCoreProfile)
	glfw.WindowHint(glfw.OpenGLForwardCompatible, glfw.True)
	glfw.WindowHint(glfw.ScaleToMonitor, glfw.True)
	glfw.WindowHint(glfw.DepthBits, 24)
	glfw.WindowHint(glfw.Samples, 0) // render smooths edges where that is cheap
	glfw.WindowHintString(glfw.X11ClassName, "hapco")

	width, height = int(float64(width)*scale), int(float64(height)*scale)
	if m := glfw.GetPrimaryMonitor(); m != nil {
		if _, _, mw, mh := m.GetWorkarea(); mw > 0 && mh > 0 {
			sx, sy := m.GetContentScale() // the window is enlarged by it
			width, height = min(width, int(float32(mw)/max(sx, 1))), min(height, int(float32(mh)/max(sy, 1)))
		}
	}
	g, err := glfw.CreateWindow(width, height, title, nil, nil)
	if err != nil {
		glfw.Terminate()
		return nil, fmt.Errorf("ui: %w: %v (cure: update the graphics driver, set LIBGL_ALWAYS_SOFTWARE=1, or run with --headless)", ErrNoOpenGL, err)
	}
	w = &window{glfw: g}
	g.SetSizeLimits(640, 400, glfw.DontCare, glfw.DontCare)
	g.MakeContextCurrent()
	w.listen()
	return w, nil
}

// scale is how many framebuffer pixels the system wants for one design pixel.
func (w *window) scale() float64 {
	sx, sy := w.glfw.GetContentScale()
	if s := float64(max(sx, sy)); s > 0.1 {
		return s
	}
	return 1
}

// ratio is framebuffer pixels per screen coordinate; 1 except on macOS.
func (w *window) ratio() (x, y float64) {
	fw, fh := w.glfw.GetFramebufferSize()
	sw, sh := w.glfw.GetSize()
	if sw <= 0 || sh <= 0 {
		return 1, 1
	}
	return float64(fw) / float64(sw), float64(fh) / float64(sh)
}

// listen queues the window's events.
func (w *window) listen() {
	g, q := w.glfw, &w.queue
	g.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) {
		rx, ry := w.ratio()
		q.add(event{kind: moveEvent, x: x * rx, y: y * ry})
	})
	g.SetCursorEnterCallback(func(_ *glfw.Window, entered bool) {
		if !entered {
			q.add(event{kind: leaveEvent})
			return
		}
		x, y := g.GetCursorPos()
		rx, ry := w.ratio()
		q.add(event{kind: moveEvent, x: x * rx, y: y * ry})
	})
	g.SetMouseButtonCallback(func(_ *glfw.Window, b glfw.MouseButton, a glfw.Action, _ glfw.ModifierKey) {
		q.add(event{kind: buttonEvent, code: int(b), down: a == glfw.Press})
	})
	g.SetScrollCallback(func(_ *glfw.Window, x, y float64) {
		q.add(event{kind: wheelEvent, x: x, y: y})
	})
	g.SetKeyCallback(func(_ *glfw.Window, k glfw.Key, _ int, a glfw.Action, _ glfw.ModifierKey) {
		q.add(event{kind: keyEvent, code: int(k), down: a != glfw.Release, repeat: a == glfw.Repeat})
	})
	g.SetPosCallback(func(*glfw.Window, int, int) { w.moved = true })
	g.SetSizeCallback(func(*glfw.Window, int, int) { w.moved = true })
	g.SetCharCallback(func(_ *glfw.Window, r rune) { q.add(event{kind: textEvent, text: r}) })
	g.SetDropCallback(func(_ *glfw.Window, files []string) { w.dropped = append(w.dropped, files...) })
	g.SetFocusCallback(func(_ *glfw.Window, focused bool) {
		if !focused {
			q.add(event{kind: blurEvent})
		}
	})
}

// Text and SetText are the system's clipboard, as imgui wants it.
func (w *window) Text() (string, error) { return glfw.GetClipboardString(), nil }
func (w *window) SetText(s string)      { glfw.SetClipboardString(s) }

var imguiKeys = [...]struct{ imgui, glfw int }{
	{imgui.KeyTab, int(glfw.KeyTab)},
	{imgui.KeyLeftArrow, int(glfw.KeyLeft)}, {imgui.KeyRightArrow, int(glfw.KeyRight)},
	{imgui.KeyUpArrow, int(glfw.KeyUp)}, {imgui.KeyDownArrow, int(glfw.KeyDown)},
	{imgui.KeyPageUp, int(glfw.KeyPageUp)}, {imgui.KeyPageDown, int(glfw.KeyPageDown)},
	{imgui.KeyHome, int(glfw.KeyHome)}, {imgui.KeyEnd, int(glfw.KeyEnd)},
	{imgui.KeyInsert, int(glfw.KeyInsert)}, {imgui.KeyDelete, int(glfw.KeyDelete)},
	{imgui.KeyBackspace, int(glfw.KeyBackspace)}, {imgui.KeySpace, int(glfw.KeySpace)},
	{imgui.KeyEnter, int(glfw.KeyEnter)}, {imgui.KeyEscape, int(glfw.KeyEscape)},
	{imgui.KeyKeyPadEnter, int(glfw.KeyKPEnter)},
	{imgui.KeyA, int(glfw.KeyA)}, {imgui.KeyC, int(glfw.KeyC)}, {imgui.KeyV, int(glfw.KeyV)},
	{imgui.KeyX, int(glfw.KeyX)}, {imgui.KeyY, int(glfw.KeyY)}, {imgui.KeyZ, int(glfw.KeyZ)},
}

// attach tells imgui about the window, once.
func (w *window) attach(io imgui.IO) {
	for _, k := range imguiKeys {
		io.KeyMap(k.imgui, k.glfw)
	}
	io.SetClipboard(w)
	io.SetIniFilename("") // the panel is docked: there is nothing to remember
	io.SetBackendFlags(imgui.BackendFlagsHasMouseCursors | imgui.BackendFlagsRendererHasVtxOffset)
	for id, shape := range map[imgui.MouseCursorID]glfw.StandardCursor{
		imgui.MouseCursorArrow:     glfw.ArrowCursor,
		imgui.MouseCursorTextInput: glfw.IBeamCursor,
		imgui.MouseCursorResizeNS:  glfw.VResizeCursor,
		imgui.MouseCursorResizeEW:  glfw.HResizeCursor,
		imgui.MouseCursorHand:      glfw.HandCursor,
		imgui.MouseCursorResizeAll: glfw.CrosshairCursor, // over the scene
	} {
		w.cursors[id] = glfw.CreateStandardCursor(shape)
	}
}

// feed hands this frame's events to imgui.
func (w *window) feed(io imgui.IO, width, height int, dt float64) {
	in := &w.in
	w.queue.take(in)
	io.SetDisplaySize(imgui.Vec2{X: float32(width), Y: float32(height)})
	io.SetDeltaTime(float32(max(dt, 1e-6)))
	if in.inside || in.buttons[0] || in.buttons[1] || in.buttons[2] { // a drag may leave the window
		io.SetMousePosition(imgui.Vec2{X: float32(in.x), Y: float32(in.y)})
	} else {
		const nowhere = -3.4028235e38
		io.SetMousePosition(imgui.Vec2{X: nowhere, Y: nowhere})
	}
	for b, down := range in.buttons {
		io.SetMouseButtonDown(b, down)
	}
	io.AddMouseWheelDelta(float32(in.wheelX), float32(in.wheelY))
	for _, e := range in.keyEdges {
		if e.down {
			io.KeyPress(e.key)
		} else {
			io.KeyRelease(e.key)
		}
	}
	io.KeyCtrl(int(glfw.KeyLeftControl), int(glfw.KeyRightControl))
	io.KeyShift(int(glfw.KeyLeftShift), int(glfw.KeyRightShift))
	io.KeyAlt(int(glfw.KeyLeftAlt), int(glfw.KeyRightAlt))
	io.KeySuper(int(glfw.KeyLeftSuper), int(glfw.KeyRightSuper))
	if len(in.text) > 0 {
		io.AddInputCharacters(string(in.text))
	}
}

// showCursor gives the pointer the shape that imgui asked for.
func (w *window) showCursor(id imgui.MouseCursorID) {
	if id == w.cursor || id < 0 || int(id) >= len(w.cursors) {
		return
	}
	w.cursor = id
	c := w.cursors[id]
	if c == nil {
		c = w.cursors[imgui.MouseCursorArrow]
	}
	w.glfw.SetCursor(c)
}

func (w *window) close() {
	for _, c := range w.cursors {
		if c != nil {
			c.Destroy()
		}
	}
	w.glfw.Destroy()
	glfw.Terminate()
}

// place adds where the window is to what was remembered of it: a full or maximized window keeps the place that it goes
// back to.
func (w *window) place(m windowMemory) windowMemory {
	m.Full = w.glfw.GetMonitor() != nil
	m.Maximized = w.glfw.GetAttrib(glfw.Maximized) == glfw.True
	switch {
	case m.Full:
		m.X, m.Y, m.Width, m.Height = w.back[0], w.back[1], w.back[2], w.back[3]
	case !m.Maximized:
		m.X, m.Y = w.glfw.GetPos()
		m.Width, m.Height = w.glfw.GetSize()
	}
	return m
}

// restore puts the window where it was, if a screen is still there.
func (w *window) restore(m windowMemory) {
	if m.Width <= 0 || m.Height <= 0 {
		return
	}
	for _, screen := range glfw.GetMonitors() {
		x, y, sw, sh := screen.GetWorkarea()
		if m.X >= x && m.Y >= y && m.X < x+sw-100 && m.Y < y+sh-100 {
			w.glfw.SetPos(m.X, m.Y)
			w.glfw.SetSize(min(m.Width, sw), min(m.Height, sh))
			break
		}
	}
	if m.Maximized {
		w.glfw.Maximize()
	}
	if m.Full {
		w.full()
	}
}

// full turns full screen on and off, on the screen that holds the window's middle.
func (w *window) full() {
	if w.glfw.GetMonitor() != nil {
		b := w.back
		w.glfw.SetMonitor(nil, b[0], b[1], b[2], b[3], glfw.DontCare)
		return
	}
	x, y := w.glfw.GetPos()
	wide, high := w.glfw.GetSize()
	w.back = [4]int{x, y, wide, high}
	best := glfw.GetPrimaryMonitor()
	for _, m := range glfw.GetMonitors() {
		mx, my := m.GetPos()
		if v := m.GetVideoMode(); v != nil && x+wide/2 >= mx && x+wide/2 < mx+v.Width && y+high/2 >= my && y+high/2 < my+v.Height {
			best = m
		}
	}
	if best == nil {
		return
	}
	if v := best.GetVideoMode(); v != nil {
		w.glfw.SetMonitor(best, 0, 0, v.Width, v.Height, v.RefreshRate)
	}
}
