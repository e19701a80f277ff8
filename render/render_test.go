package render

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/render/xvfb"
)

var screen struct {
	once    sync.Once
	display *xvfb.Display
	err     error
}

func TestMain(m *testing.M) {
	status := m.Run()
	if screen.display != nil {
		screen.display.Stop()
	}
	os.Exit(status)
}

// openWindow makes a hidden window's context current on this goroutine's thread, on a
// virtual display. The test is skipped where there is no Xvfb or no OpenGL.
func openWindow(tb testing.TB, width, height int) *glfw.Window {
	tb.Helper()
	runtime.LockOSThread()
	tb.Cleanup(runtime.UnlockOSThread)
	screen.once.Do(func() {
		if screen.display, screen.err = xvfb.Start(2600, 1700); screen.err != nil {
			return
		}
		screen.display.Setenv()
		screen.err = glfw.Init()
	})
	if errors.Is(screen.err, xvfb.ErrMissing) {
		tb.Skip(screen.err)
	}
	if screen.err != nil {
		tb.Fatal(screen.err)
	}
	glfw.WindowHint(glfw.ContextVersionMajor, 3)
	glfw.WindowHint(glfw.ContextVersionMinor, 3)
	glfw.WindowHint(glfw.OpenGLProfile, glfw.OpenGLCoreProfile)
	glfw.WindowHint(glfw.OpenGLForwardCompatible, glfw.True)
	glfw.WindowHint(glfw.Visible, glfw.False)
	w, err := glfw.CreateWindow(width, height, "render test", nil, nil)
	if err != nil {
		tb.Skipf("no OpenGL 3.3 window: %v", err)
	}
	w.MakeContextCurrent()
	glfw.SwapInterval(0)
	tb.Cleanup(func() {
		glfw.DetachCurrentContext()
		w.Destroy()
	})
	return w
}

func newRenderer(tb testing.TB, bodies []physics.BodyInfo) *Renderer {
	tb.Helper()
	r, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.Close)
	if err := r.SetScene(bodies); err != nil {
		tb.Fatal(err)
	}
	return r
}

// fitted is a camera that shows the resting bodies and some room above.
func fitted(s *physics.Snapshot, aspect float64) Camera {
	c := DefaultCamera()
	lo, hi, _ := Bounds(s, []bool{false, true})
	c.FitBounds(lo, hi.Add(mgl64.Vec3{0, 0.35 * (hi[0] - lo[0]), 0}), aspect)
	return c
}

// keep writes a picture where HAPCO_RENDER_OUT says, for looking at.
func keep(tb testing.TB, name string, img image.Image) {
	tb.Helper()
	dir := os.Getenv("HAPCO_RENDER_OUT")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	if err := WritePNG(f, img); err != nil {
		tb.Fatal(err)
	}
}

func TestPictures(t *testing.T) {
	openWindow(t, 1280, 800)
	bodies, s := fake(4)
	r := newRenderer(t, bodies)
	t.Log(r.Info())
	cam := fitted(s, 1.6)
	opt := DefaultOptions()
	r.Draw(s, &cam, &opt, Viewport{Width: 1280, Height: 800})
	keep(t, "window", ReadPixels(0, 0, 1280, 800))
}
