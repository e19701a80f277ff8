package render

import (
	"errors"
	"image"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
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

func newRenderer(tb testing.TB, bodies []physics.SurfaceInfo) *Renderer {
	tb.Helper()
	r, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.Close)
	if err := r.SetScene(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "von Mises stress", Unit: "Pa"}}}); err != nil {
		tb.Fatal(err)
	}
	return r
}

// fitted is a camera that shows the resting bodies and some room above.
func fitted(s *physics.Frame, aspect float64) Camera {
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

// stage is a window, a renderer and the fake scene.
type stage struct {
	tb   testing.TB
	r    *Renderer
	s    *physics.Frame
	cam  Camera
	view Viewport
}

func newStage(t *testing.T, level int) *stage {
	openWindow(t, 1280, 800)
	bodies, s := fake(level)
	return &stage{t, newRenderer(t, bodies), s, fitted(s, 1.6), Viewport{Width: 1280, Height: 800}}
}

// draw draws a frame and reads it back, under a name to keep it by.
func (g *stage) draw(name string, edit func(*Options)) *image.NRGBA {
	g.tb.Helper()
	opt := DefaultOptions()
	if edit != nil {
		edit(&opt)
	}
	g.r.shadow.age = -1
	g.r.Draw(g.s, &g.cam, &opt, g.view)
	img := ReadPixels(0, 0, 1280, 800)
	if e := gl.GetError(); e != gl.NO_ERROR {
		g.tb.Fatalf("%s: OpenGL error 0x%x", name, e)
	}
	keep(g.tb, name, img)
	return img
}

// at is the pixel where a point of the world appears.
func (g *stage) at(p mgl64.Vec3) (x, y int) {
	fx, fy, _, ok := g.cam.project(p, g.view.Width, g.view.Height)
	if !ok {
		g.tb.Fatalf("%v is not in the picture", p)
	}
	return int(fx), int(fy)
}

// onLiver is a point of the organ's front that nothing covers.
func (g *stage) onLiver() (x, y int) { return g.at(mgl64.Vec3{-0.03, 0, 0.055}) }

// mean is the mean colour of the square of half-width r round (x, y).
func mean(img *image.NRGBA, x, y, r int) (c [3]float64) {
	n := 0.0
	for j := y - r; j <= y+r; j++ {
		for i := x - r; i <= x+r; i++ {
			p := img.NRGBAAt(i, j)
			c[0], c[1], c[2], n = c[0]+float64(p.R), c[1]+float64(p.G), c[2]+float64(p.B), n+1
		}
	}
	for k := range c {
		c[k] /= n
	}
	return c
}

// differing counts the pixels that differ by more than a little.
func differing(a, b *image.NRGBA) (n int) {
	for i := 0; i < len(a.Pix); i += 4 {
		for c := range 3 {
			if d := int(a.Pix[i+c]) - int(b.Pix[i+c]); d > 12 || d < -12 {
				n++
				break
			}
		}
	}
	return n
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// plain shows the bodies and nothing else.
func plain(o *Options) { *o = Options{} }

func TestModes(t *testing.T) {
	g := newStage(t, 4)
	x, y := g.onLiver()
	empty := g.draw("", func(o *Options) { plain(o); o.Bodies = []BodyView{{Hidden: true}, {Hidden: true}} })
	behind := mean(empty, x, y, 3)

	solid := g.draw("", plain)
	red := mean(solid, x, y, 3)
	if !(red[0] > 90 && red[0] > 2*red[1] && red[0] > 2*red[2]) {
		t.Errorf("the liver's front is drawn in %v, not in its red", red)
	}
	if c := mean(solid, 40, 40, 3); distance(c, mean(empty, 40, 40, 3)) > 2 {
		t.Errorf("beside the liver the background is %v", c)
	}
	if top, low := mean(empty, 640, 20, 3), mean(empty, 640, 780, 3); !(top[1] > low[1]+20) {
		t.Errorf("the background runs from %v to %v", top, low)
	}

	if g.r.info.Software { // on a row, the border passes through a mixed colour
		mixed := 0
		for j := y - 100; j <= y+100; j += 10 {
			i := 300
			for distance(mean(solid, i, j, 0), mean(empty, i, j, 0)) < 6 {
				i++
			}
			from, to := mean(empty, i-2, j, 0), mean(solid, i+2, j, 0)
			if c := mean(solid, i, j, 0); c[0] < from[0]+0.85*(to[0]-from[0]) {
				mixed++
			}
		}
		if mixed < 10 {
			t.Errorf("the outline is smooth in %d of 21 rows", mixed)
		}
	}

	glass := mean(g.draw("", func(o *Options) { plain(o); o.Bodies = []BodyView{{Mode: Transparent}} }), x, y, 3)
	if distance(glass, red) < 20 || distance(glass, behind) < 20 || !(glass[0] > behind[0]) {
		t.Errorf("transparent: %v between the surface's %v and the background's %v", glass, red, behind)
	}

	edges := g.draw("", func(o *Options) { plain(o); o.Bodies = []BodyView{{Mode: Edges}} })
	if n := differing(solid, edges); n < 10000 || n > 100000 {
		t.Errorf("mesh lines changed %d pixels", n)
	}
	if c := mean(edges, x, y, 20); !(c[0] < red[0]-4 && c[0] > 0.5*red[0]) {
		t.Errorf("the surface under the mesh is %v, without mesh %v", c, red)
	}

	wire := g.draw("", func(o *Options) { plain(o); o.Bodies = []BodyView{{Mode: Wireframe}} })
	holes, lines := 0, 0
	for j := y - 20; j < y+20; j++ {
		for i := x - 20; i < x+20; i++ {
			if distance(mean(wire, i, j, 0), mean(empty, i, j, 0)) < 12 {
				holes++
			} else {
				lines++
			}
		}
	}
	if holes < 120 || lines < 300 {
		t.Errorf("wireframe: %d pixels of lines and %d between them", lines, holes)
	}

	if n := differing(solid, empty); n < 60000 {
		t.Errorf("hiding the bodies changed %d pixels only", n)
	}
}

func TestStressColours(t *testing.T) {
	g := newStage(t, 4)
	img := g.draw("", func(o *Options) { o.Bodies = []BodyView{{Field: true}}; o.FieldMax = 8000 })
	// Low stress far away is blue to violet.
	x, y := g.onLiver()
	if c := mean(img, x, y, 3); !(c[2] > 1.5*c[0] && c[2] > 1.5*c[1]) {
		t.Errorf("unloaded tissue is %v", c)
	}
	// Close to the probe it is green.
	nearest, best := mgl64.Vec3{}, math.Inf(1)
	for i, p := range g.s.Surfaces[0].Vertices {
		if d := math.Abs(g.s.Surfaces[0].Scalar[i] - 4200); d < best && p[2] > g.s.Stylus.Position[2] && p[1] > 0 {
			nearest, best = p, d
		}
	}
	x, y = g.at(nearest)
	if c := mean(img, x, y, 1); !(c[1] > 1.5*c[0]) {
		t.Errorf("loaded tissue is %v", c)
	}
	l, ok := g.r.Legend()
	if !ok || l.Unit != "kPa" || l.Max != 8 {
		t.Errorf("legend %+v, %v", l, ok)
	}
	// The bar's ends, in the colours of the map.
	hi, lo := mean(img, 1280-76+7, 52+3, 1), mean(img, 1280-76+7, 52+217, 1)
	for _, e := range []struct {
		got  [3]float64
		want [3]uint8
	}{{hi, colorMap[251]}, {lo, colorMap[4]}} {
		if d := distance(e.got, [3]float64{float64(e.want[0]), float64(e.want[1]), float64(e.want[2])}); d > 12 {
			t.Errorf("the legend shows %v for %v", e.got, e.want)
		}
	}
	bare := g.draw("", nil)
	if _, ok := g.r.Legend(); ok {
		t.Error("a legend without stress colours")
	}
	if c := mean(bare, 1280-76+7, 160, 1); distance(c, mean(bare, 1280-140, 160, 1)) > 12 {
		t.Error("the legend stays when stress colours go")
	}
}

func TestContactGlyphs(t *testing.T) {
	openWindow(t, 1280, 800)
	bodies, s := fakeBlocks()
	cam := DefaultCamera()
	lo, hi, _ := Bounds(s, nil)
	cam.FitBounds(lo, hi, 1.6)
	s.Contacts[20].Status, s.Contacts[20].Force, s.Contacts[20].R = physics.Open, mgl64.Vec3{}, [3]float64{}
	g := &stage{t, newRenderer(t, bodies), s, cam, Viewport{Width: 1280, Height: 800}}
	base := func(o *Options) { plain(o); o.Bodies = []BodyView{{Hidden: true}, {Hidden: true}} }

	points := g.draw("", func(o *Options) { base(o); o.Points = true })
	for i, c := range s.Contacts {
		x, y := g.at(c.P)
		got, want := mean(points, x, y, 1), statusColor(c.Status)
		if c.Status == physics.Open { // a ring: dark in its middle
			if got[0]+got[1]+got[2] > 150 {
				t.Errorf("the open contact's middle is %v", got)
			}
			continue
		}
		if d := distance(got, [3]float64{255 * float64(want[0]), 255 * float64(want[1]), 255 * float64(want[2])}); d > 40 {
			t.Errorf("contact %d (%v) is drawn in %v", i, c.Status, got)
		}
	}

	forces := g.draw("", func(o *Options) { base(o); o.Forces = true })
	scale, none := g.r.ForceScales()
	if !(scale > 0) || none != 0 {
		t.Fatalf("scales of arrows: %g and %g", scale, none)
	}
	for _, i := range []int{4, 14, 24} {
		c := s.Contacts[i]
		x, y := g.at(c.P.Add(c.Force.Mul(0.4 * scale)))
		got, want := mean(forces, x, y, 1), statusColor(c.Status)
		if k := 255 * float64(want[2]-want[0]); math.Signbit(k) != math.Signbit(got[2]-got[0]) || math.Abs(got[2]-got[0]) < 40 {
			t.Errorf("the force on contact %d (%v) is drawn in %v", i, c.Status, got)
		}
	}
	resultant := g.draw("", func(o *Options) { base(o); o.Resultant = true; o.ResultantScale = 0.001 })
	var middle mgl64.Vec3
	weight := 0.0
	for _, c := range s.Contacts {
		middle, weight = middle.Add(c.P.Mul(c.Force.Len())), weight+c.Force.Len()
	}
	x, y := g.at(middle.Mul(1 / weight).Add(s.Force.Mul(0.0005)))
	if c := mean(resultant, x, y, 1); !(c[0] > c[2]+60 && c[1] > c[2]+60) {
		t.Errorf("the resultant is drawn in %v", c)
	}

	before := g.draw("", func(o *Options) { base(o); o.Points = true })
	cone := g.draw("cone-blocks", func(o *Options) { base(o); o.Points = true; o.Selected = 13 })
	if n := differing(before, cone); n < 800 {
		t.Errorf("the cone of the selected contact changed %d pixels", n)
	}
	normals := g.draw("", func(o *Options) { base(o); o.Points = true; o.Normals = true })
	if n := differing(before, normals); n < 1000 {
		t.Errorf("normals changed %d pixels", n)
	}
	// Behind a solid body contacts still show, fainter, and not without x-ray.
	seen := g.draw("", func(o *Options) { plain(o); o.Forces, o.XRay = true, true })
	hidden := g.draw("", func(o *Options) { plain(o); o.Forces = true })
	c := s.Contacts[12]
	x, y = g.at(c.P.Add(c.Force.Mul(0.4 * scale)))
	if d := distance(mean(seen, x, y, 1), mean(hidden, x, y, 1)); d < 15 {
		t.Errorf("x-ray changes a covered arrow by %g", d)
	}
}

func TestStylusAndGround(t *testing.T) {
	g := newStage(t, 3)
	pen := func(o *Options) { plain(o); o.Handle = true }
	without, with := g.draw("", plain), g.draw("", pen)
	x, y := g.at(g.s.Stylus.Point(g.r.scene.handle.grip))
	if d := distance(mean(with, x, y, 2), mean(without, x, y, 2)); d < 15 || differing(with, without) < 3000 {
		t.Error("no pen at the stylus")
	}
	ghost := g.draw("", func(o *Options) { pen(o); o.Ghost = true })
	if n := differing(with, ghost); n < 1500 {
		t.Errorf("the ghost of the target changed %d pixels", n)
	}
	far := g.s.Target
	g.s.Target = g.s.Stylus
	if n := differing(with, g.draw("", func(o *Options) { pen(o); o.Ghost = true })); n != 0 {
		t.Errorf("a target that is reached still shows in %d pixels", n)
	}
	g.s.Target = far

	grid := g.draw("", func(o *Options) { plain(o); o.Ground = true })
	shade := g.draw("", func(o *Options) { plain(o); o.Ground, o.Shadow = true, true })
	darker, brighter := 0, 0
	for i := 0; i < len(grid.Pix); i += 4 {
		switch d := int(shade.Pix[i+1]) - int(grid.Pix[i+1]); {
		case d < -4:
			darker++
		case d > 4:
			brighter++
		}
	}
	if darker < 15000 || brighter > 50 {
		t.Errorf("the shadow darkens %d pixels and brightens %d", darker, brighter)
	}
	// A line of the grid, where five cells make a strong one.
	cell := g.r.Grid()
	if !(cell > 0.005 && cell < 0.05) {
		t.Fatalf("grid cells of %g m for a scene of %g m", cell, g.r.SceneSize())
	}
	line, field := 0.0, 0.0
	for i := range 20 {
		z := cell * (3.2 + 0.03*float64(i))
		lx, ly := g.at(mgl64.Vec3{-5 * cell, g.r.scene.ground.y, z})
		fx, fy := g.at(mgl64.Vec3{-5.5 * cell, g.r.scene.ground.y, z})
		line, field = line+mean(grid, lx, ly, 0)[1], field+mean(grid, fx, fy, 0)[1]
	}
	if line < field+20*4 {
		t.Errorf("grid lines of brightness %g on %g", line/20, field/20)
	}

	axes := g.draw("", func(o *Options) { plain(o); o.Triad, o.Overlay = true, true })
	if n := differing(without, axes); n < 400 {
		t.Errorf("axes and their labels changed %d pixels", n)
	}
	at := triadLabels(&g.cam, g.view)
	for i := range at { // the arrow itself, halfway
		px, py := int(0.5*(at[i][0]+46)), int(0.5*(at[i][1]+800-46))
		c := mean(axes, px, py, 1)
		if c[i] < c[(i+1)%3]+15 || c[i] < c[(i+2)%3]+15 {
			t.Errorf("axis %c is drawn in %v", "XYZ"[i], c)
		}
	}
}
