package render

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/go-gl/gl/v3.3-core/gl"
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

	shot := func(name string, cam Camera, w, h int, scale float64, edit func(*Options)) {
		o := DefaultOptions()
		if edit != nil {
			edit(&o)
		}
		img, err := r.Screenshot(s, &cam, &o, w, h, scale)
		if err != nil {
			t.Fatal(err)
		}
		keep(t, name, img)
	}
	shot("shaded", cam, 1280, 800, 1, nil)
	shot("edges", cam, 1280, 800, 1, func(o *Options) { o.Bodies = []BodyView{{Mode: Edges}} })
	shot("wire", cam, 1280, 800, 1, func(o *Options) { o.Bodies = []BodyView{{Mode: Wireframe}} })
	shot("transparent", cam, 1280, 800, 1, func(o *Options) { o.Bodies = []BodyView{{Mode: Transparent}, {Mode: Transparent}}; o.Normals = true })
	shot("stress", cam, 1280, 800, 1, func(o *Options) { o.Bodies = []BodyView{{Stress: true}} })
	shot("light", cam, 1280, 800, 1, func(o *Options) { o.Bodies = []BodyView{{Stress: true, Mode: Edges}}; o.Theme = Light })
	shot("twice", cam, 2560, 1600, 2, func(o *Options) { o.Bodies = []BodyView{{Stress: true}} })
	near := cam
	near.Target = s.Contacts[0].P
	near.Distance = 0.11
	shot("near", near, 1280, 800, 1, func(o *Options) { o.Bodies = []BodyView{{Mode: Edges}} })
	shot("cone", near, 1280, 800, 1, func(o *Options) { o.Bodies = []BodyView{{}, {Mode: Transparent}}; o.Selected = 9 })
	below := cam
	below.Pitch = -0.5
	shot("below", below, 1280, 800, 1, nil)

	bodies, s = fakeBlocks()
	if err := r.SetScene(bodies); err != nil {
		t.Fatal(err)
	}
	cam = DefaultCamera()
	lo, hi, _ := Bounds(s, nil)
	cam.FitBounds(lo, hi, 1.6)
	shot("blocks", cam, 1280, 800, 1, func(o *Options) { o.Bodies = []BodyView{{Mode: Transparent}, {Mode: Edges}} })
	shot("blocks2", cam, 1280, 800, 1, func(o *Options) { o.Selected = 12 })
}

// BenchmarkFrame draws whole frames of an organ of 2562 surface nodes, shows
// them, and waits. Its ns/op is what a window's frame costs without its panel.
func BenchmarkFrame(b *testing.B) {
	for _, c := range []struct {
		name string
		edit func(*Options)
	}{
		{"shaded", func(*Options) {}},
		{"edges", func(o *Options) { o.Bodies = []BodyView{{Mode: Edges}} }},
		{"wireframe", func(o *Options) { o.Bodies = []BodyView{{Mode: Wireframe}} }},
		{"transparent", func(o *Options) { o.Bodies = []BodyView{{Mode: Transparent}} }},
		{"stress", func(o *Options) { o.Bodies = []BodyView{{Stress: true}} }},
		{"bare", func(o *Options) { *o = Options{Selected: -1} }},
		{"noshadow", func(o *Options) { o.Shadow = false }},
		{"noground", func(o *Options) { o.Ground = false }},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := openWindow(b, 1280, 800) // here: the context belongs to this goroutine's thread
			bodies, s := fake(4)
			r := newRenderer(b, bodies)
			cam := fitted(s, 1.6)
			vp := Viewport{Width: 1280, Height: 800}
			opt := DefaultOptions()
			c.edit(&opt)
			r.Draw(s, &cam, &opt, vp) // compiles what the driver compiles late
			w.SwapBuffers()
			gl.Finish()
			before := cpuSeconds(b)
			b.ReportAllocs()
			for b.Loop() {
				r.Draw(s, &cam, &opt, vp)
				w.SwapBuffers()
				gl.Finish()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "fps")
			b.ReportMetric((cpuSeconds(b)-before)*1e3/float64(b.N), "cpu-ms/frame") // all threads; does not count what others run
		})
	}
}

// BenchmarkBuild is the CPU part alone.
func BenchmarkBuild(b *testing.B) {
	bodies, s := fake(4)
	var sc scene
	sc.reset(bodies)
	cam := fitted(s, 1.6)
	opt := DefaultOptions()
	vp := Viewport{Width: 1280, Height: 800}
	sc.build(s, &cam, &opt, vp)
	b.ReportAllocs()
	for b.Loop() {
		sc.build(s, &cam, &opt, vp)
	}
}

// cpuSeconds is the processor time this process has used.
func cpuSeconds(tb testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}
