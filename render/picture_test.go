package render

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/go-gl/gl/v3.3-core/gl"

	"hapco/physics"
	"hapco/physics/machinery/testkit"
)

// A viewport beside a panel must leave the panel alone.
func TestViewportLeavesTheRestAlone(t *testing.T) {
	g := newStage(t, 2)
	gl.ClearColor(1, 0, 1, 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	g.view = Viewport{X: 300, Y: 100, Width: 900, Height: 600}
	img := g.draw("", nil)
	for _, p := range [][2]int{{10, 10}, {299, 400}, {1200, 400}, {700, 99}, {700, 700}} {
		if c := img.NRGBAAt(p[0], p[1]); c.R != 255 || c.G != 0 || c.B != 255 {
			t.Errorf("pixel %v outside the viewport became %v", p, c)
		}
	}
	for _, p := range [][2]int{{300, 400}, {1199, 400}, {700, 100}, {700, 699}} {
		if c := img.NRGBAAt(p[0], p[1]); c.R == 255 && c.G == 0 {
			t.Errorf("pixel %v inside the viewport was not drawn", p)
		}
	}
	for name, cap := range map[string]uint32{"blending": gl.BLEND, "depth test": gl.DEPTH_TEST, "culling": gl.CULL_FACE, "scissor": gl.SCISSOR_TEST} {
		if gl.IsEnabled(cap) {
			t.Errorf("Draw leaves %s on", name)
		}
	}
	g.r.Draw(g.s, &g.cam, &Options{}, Viewport{}) // a minimised window
}

func TestScreenshot(t *testing.T) {
	g := newStage(t, 4)
	opt := DefaultOptions()
	opt.Bodies = []BodyView{{Field: true}}
	small, err := g.r.Screenshot(g.s, &g.cam, &opt, 1280, 800, 1)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, "screenshot", small)
	large, err := g.r.Screenshot(g.s, &g.cam, &opt, 2560, 1600, 2)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, "screenshot-2x", large)
	if small.Rect.Dx() != 1280 || small.Rect.Dy() != 800 || large.Rect.Dx() != 2560 {
		t.Fatalf("pictures of %v and %v", small.Rect, large.Rect)
	}
	// The same picture at either size: the right way up, text and lines scaled.
	if n := differing(small, halve(large)); n > 1280*800/40 {
		t.Errorf("at double scale %d pixels differ", n)
	}
	var out int32
	if gl.GetIntegerv(gl.FRAMEBUFFER_BINDING, &out); out != 0 {
		t.Error("the window's framebuffer is not bound any more")
	}
	window := g.draw("window", func(o *Options) { *o = opt })
	if n := differing(small, window); n > 1280*800/20 {
		t.Errorf("the picture differs from the window's in %d pixels", n)
	}
	for _, size := range [][2]int{{0, 100}, {100, -1}, {1 << 20, 100}} {
		if _, err := g.r.Screenshot(g.s, &g.cam, &opt, size[0], size[1], 1); err == nil {
			t.Errorf("a picture of %v pixels was drawn", size)
		}
	}
	var buf bytes.Buffer
	if err := WritePNG(&buf, small); err != nil {
		t.Fatal(err)
	}
	if back, err := png.Decode(&buf); err != nil || back.Bounds() != small.Rect {
		t.Errorf("the PNG reads back as %v, %v", back, err)
	}
}

// Where a GPU draws, the frame goes through a multisampled framebuffer. The CPU
// can do that too, only slowly: the picture has to be the same but for edges.
func TestMultisampledFrame(t *testing.T) {
	g := newStage(t, 3)
	g.view = Viewport{X: 200, Y: 100, Width: 800, Height: 500}
	edit := func(o *Options) { o.Bodies = []BodyView{{Mode: Edges}}; o.Selected = 10 }
	plain := g.draw("", edit)
	g.r.info.Software, g.r.scene.outlines.on = false, false
	smooth := g.draw("multisampled", edit)
	if n := differing(plain, smooth); n == 0 || n > 800*500/12 {
		t.Errorf("multisampling changes %d pixels", n)
	}
	x, y := 640, 450
	if a, b := mean(plain, x, y, 12), mean(smooth, x, y, 12); distance(a, b) > 6 {
		t.Errorf("the body is %v, multisampled %v", a, b)
	}
	if g.r.aside.fbo == 0 {
		t.Error("no multisampled framebuffer was made")
	}
}

// A coarser picture is the same picture, in the same place, with sharp text, and
// leaves the rest of the window alone.
func TestLowerResolution(t *testing.T) {
	g := newStage(t, 3)
	g.view = Viewport{X: 200, Y: 100, Width: 800, Height: 500}
	edit := func(o *Options) { o.Bodies = []BodyView{{Mode: Edges}}; o.Selected = 10 }
	fine := g.draw("", edit)
	for _, part := range []float64{0.7, 0.5, 0.25} {
		g.view.Resolution = part
		coarse := g.draw("coarse", edit)
		if n := differing(fine, coarse); n == 0 || float64(n) > 800*500*(1-part) {
			t.Errorf("resolution %g changes %d pixels", part, n)
		}
		for _, at := range [][2]int{{640, 450}, {500, 250}, {330, 560}} {
			if a, b := mean(fine, at[0], at[1], 12), mean(coarse, at[0], at[1], 12); distance(a, b) > 12 {
				t.Errorf("resolution %g: %v at %v, should be %v", part, b, at, a)
			}
		}
		for _, at := range [][2]int{{100, 300}, {1100, 300}} { // outside the viewport
			if a, b := mean(fine, at[0], at[1], 12), mean(coarse, at[0], at[1], 12); a != b {
				t.Errorf("resolution %g draws outside its part of the window", part)
			}
		}
		if w, h := g.r.aside.width, g.r.aside.height; math.Abs(float64(w)-800*part) > 1 || math.Abs(float64(h)-500*part) > 1 {
			t.Errorf("resolution %g draws %dx%d pixels", part, w, h)
		}
	}
}

// TestGallery draws every view that a person should look at before a release:
// HAPCO_RENDER_OUT=dir go test ./render -run Gallery.
func TestGallery(t *testing.T) {
	if os.Getenv("HAPCO_RENDER_OUT") == "" {
		t.Skip("HAPCO_RENDER_OUT names no folder for the pictures")
	}
	g := newStage(t, 4)
	shot := func(name string, cam Camera, edit func(*Options)) {
		o := DefaultOptions()
		if edit != nil {
			edit(&o)
		}
		img, err := g.r.Screenshot(g.s, &cam, &o, 1280, 800, 1)
		if err != nil {
			t.Fatal(err)
		}
		keep(t, name, img)
	}
	cam := g.cam
	shot("shaded", cam, nil)
	shot("edges", cam, func(o *Options) { o.Bodies = []BodyView{{Mode: Edges}} })
	shot("wire", cam, func(o *Options) { o.Bodies = []BodyView{{Mode: Wireframe}} })
	shot("transparent", cam, func(o *Options) { o.Bodies = []BodyView{{Mode: Transparent}, {Mode: Transparent}}; o.Normals = true })
	shot("field", cam, func(o *Options) { o.Bodies = []BodyView{{Field: true, Mode: Edges}} })
	near := cam
	near.Target, near.Distance = g.s.Contacts[0].P, 0.11
	shot("near", near, func(o *Options) { o.Bodies = []BodyView{{Mode: Edges}} })
	shot("cone", near, func(o *Options) { o.Bodies = []BodyView{{}, {Mode: Transparent}}; o.Selected = 10 })
	below := cam
	below.Pitch = -0.5
	shot("below", below, nil)
	g.draw("window-shaded", nil)

	bodies, s := fakeBlocks()
	if err := g.r.SetScene(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "von Mises stress", Unit: "Pa"}}}); err != nil {
		t.Fatal(err)
	}
	g.s = s
	cam = DefaultCamera()
	lo, hi, _ := Bounds(s, nil)
	cam.FitBounds(lo, hi, 1.6)
	shot("blocks", cam, func(o *Options) { o.Bodies = []BodyView{{Mode: Transparent}, {Mode: Edges}} })
	shot("blocks-cone", cam, func(o *Options) { o.Selected = 13 })
}

func TestDrawAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	g := newStage(t, 3)
	opt := DefaultOptions()
	opt.Bodies = []BodyView{{Field: true, Mode: Edges}}
	opt.Selected = 6
	g.r.Draw(g.s, &g.cam, &opt, g.view)
	if n := testing.AllocsPerRun(20, func() { g.r.Draw(g.s, &g.cam, &opt, g.view) }); n != 0 {
		t.Errorf("drawing a frame allocates %g times", n)
	}
}

func TestScenesFollowEachOther(t *testing.T) {
	g := newStage(t, 2)
	first := g.draw("", nil)
	bodies, s := fakeBlocks()
	if err := g.r.SetScene(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "von Mises stress", Unit: "Pa"}}}); err != nil {
		t.Fatal(err)
	}
	g.draw("", nil) // a late snapshot of the old scene
	if g.r.scene.ready {
		t.Error("a snapshot of the old scene was drawn with the new bodies")
	}
	g.s = s
	if n := differing(first, g.draw("", nil)); n < 20000 {
		t.Errorf("the new scene changed %d pixels", n)
	}
	err := g.r.SetScene(&physics.Info{Surfaces: []physics.SurfaceInfo{{Name: "ghost"}}})
	if err == nil || !strings.Contains(err.Error(), "ghost") {
		t.Errorf("a body without surface: %v", err)
	}
}

func TestNewWithoutContext(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r, err := New(); err == nil {
		r.Close()
		t.Error("a renderer without a context")
	} else if !strings.Contains(err.Error(), "context") {
		t.Error(err)
	}
}

func TestOldOpenGLIsNamed(t *testing.T) {
	for _, v := range []string{"3.2 (Core Profile) Mesa 8.0", "2.1 INTEL-14.7.28", "1.4 APPLE"} {
		err := checkVersion(v, "some driver")
		if err == nil || !strings.Contains(err.Error(), v[:3]) || !strings.Contains(err.Error(), "3.3") || !strings.Contains(err.Error(), "some driver") {
			t.Errorf("OpenGL %s: %v", v, err)
		}
	}
	for _, v := range []string{"3.3.0 NVIDIA 390", "4.5 (Core Profile) Mesa 22.3.6"} {
		if err := checkVersion(v, ""); err != nil {
			t.Errorf("OpenGL %s: %v", v, err)
		}
	}
	if err := checkVersion("", ""); err == nil {
		t.Error("no context, no error")
	}
}
