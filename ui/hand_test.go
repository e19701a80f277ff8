package ui

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/render"
)

func handFrame(l lens, x, y float64) handInput {
	return handInput{lens: l, x: x, y: y, follow: true, dt: 1.0 / 60, size: 0.3, reach: 0.01}
}

// gap is how far the hand is from the pointer on screen, pixels.
func gap(h *hand, in *handInput) float64 {
	x, y, _ := in.lens.project(h.place)
	return math.Hypot(x-in.x, y-in.y)
}

// floor is a tissue that fills everything below a height, for a ball as tool.
type floor struct {
	height float64
	normal mgl64.Vec3 // zero: upwards
}

func (f floor) sight(from, dir mgl64.Vec3, radius float64) sighting {
	n := f.normal
	if n == (mgl64.Vec3{}) {
		n = mgl64.Vec3{0, 1, 0}
	}
	slope := -dir.Dot(n)
	t := (from.Dot(n) - f.height) / slope
	if !(t > 0 && slope > 0) {
		return sighting{room: math.Inf(1), at: math.Inf(1)}
	}
	return sighting{room: t - radius/slope, at: t, normal: n}
}

func (f floor) toward(mgl64.Vec3) mgl64.Vec3 { return f.normal.Mul(-1) }

func (f floor) ahead(dir mgl64.Vec3) float64 { return 0 }

func (f floor) clearance(mgl64.Vec3) float64 { return 0.01 }

func (f floor) aimAt(_, _ mgl64.Vec3) {}

func (f floor) aimed() bool { return true }

func (f floor) gone(_, _ mgl64.Vec3) mgl64.Vec3 { return mgl64.Vec3{} }

// Over nothing, the hand is where the pointer is, in the plane of the view.
func TestHandIsUnderThePointer(t *testing.T) {
	l := testLens()
	var h hand
	h.set(mgl64.Vec3{0.02, 0.05, 0.01})
	depth := l.depth(h.place)
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		in := handFrame(l, 20+900*r.Float64(), 30+600*r.Float64())
		for range 60 {
			h.step(&in)
		}
		if g := gap(&h, &in); g > 1e-6 {
			t.Fatalf("the hand is %g pixels from the pointer", g)
		}
		if d := l.depth(h.place) - depth; math.Abs(d) > 1e-9 {
			t.Fatalf("it left its plane by %g m", d)
		}
	}
}

// Over a body, the hand is where the pointer is, just before what it shows; the wheel moves
// it along the sight line; and no camera parts them.
func TestHandIsBeforeTheSurface(t *testing.T) {
	cam := render.DefaultCamera()
	aim(&cam, View{Eye: mgl64.Vec3{0.1, 0.3, 0.5}, Target: mgl64.Vec3{0.01, 0.02, 0}, Up: mgl64.Vec3{0, 1, 0}, FieldOfView: 0.6})
	r := rand.New(rand.NewPCG(5, 6))
	var h hand
	h.set(mgl64.Vec3{0, 0.2, 0})
	for i := range 200 {
		if i%3 == 0 {
			cam.Orbit(0.1*r.NormFloat64(), 0.02*r.NormFloat64())
		}
		l := newLens(&cam, 20, 30, 900, 600)
		x, y, ok := l.project(mgl64.Vec3{0.3 * (r.Float64() - 0.5), 0, 0.3 * (r.Float64() - 0.5)})
		if !ok {
			continue
		}
		in := handFrame(l, x, y)
		in.bodies = floor{}
		for range 80 {
			h.step(&in)
		}
		if g := gap(&h, &in); g > 1e-6 {
			t.Fatalf("the hand is %g pixels from the pointer", g)
		}
		if h.place[1] < in.reach || i > 20 && h.place[1] > in.reach+3*hover*in.size {
			t.Fatalf("the hand is %g m over the floor", h.place[1])
		}
	}
	l := newLens(&cam, 20, 30, 900, 600)
	x, y, _ := l.project(mgl64.Vec3{})
	in := handFrame(l, x, y)
	in.bodies = floor{}
	for range 80 {
		h.step(&in)
	}
	before := h.place
	in.notches = -3
	h.step(&in)
	if d := before.Sub(h.place).Len(); math.Abs(d-3*notch*in.size) > 1e-9 || gap(&h, &in) > 1e-6 {
		t.Errorf("three notches moved the hand by %g m, %g pixels off", d, gap(&h, &in))
	}
	in.notches = 0
	for range 80 {
		in.x += 0.01
		h.step(&in)
	}
	if d := before.Sub(h.place).Len(); d < 2.9*notch*in.size {
		t.Errorf("it did not stay up: %g m", d)
	}
	in.notches = -1e6
	h.step(&in)
	if l.depth(h.place) <= 0 {
		t.Error("the hand went behind the eye")
	}
}

// In a flat world the mouse moves the hand at its height, and the wheel lifts it.
func TestHandStaysLevel(t *testing.T) {
	l := testLens()
	var h hand
	start := mgl64.Vec3{0.02, 0.01, 0.01}
	h.set(start)
	x, y := 400.0, 300.0
	for range 100 {
		x, y = x+1, y-1
		in := handFrame(l, x, y)
		in.level, in.button = true, true
		h.step(&in)
	}
	in := handFrame(l, x, y)
	in.level = true
	for range 60 {
		h.step(&in)
	}
	p := h.position()
	if math.Abs(p[1]-start[1]) > 1e-12 || gap(&h, &in) > 1e-6 {
		t.Errorf("the hand went from %v to %v, %g pixels from the pointer", start, p, gap(&h, &in))
	}
	in.notches = -2
	h.step(&in)
	if q := h.position(); math.Abs(q[1]-start[1]-2*notch*0.3) > 1e-9 {
		t.Errorf("two notches lift the hand from %v to %v", p, q)
	}
}

// The button pushes into the surface that the pointer shows, gently, and gives back what it
// pushed; along the view where no surface faces the eye.
func TestButtonPushesIntoTheSurface(t *testing.T) {
	l := testLens()
	front := mgl64.Vec3{0, 0.6, 0.8}
	for name, c := range map[string]struct {
		bodies surfaces
		along  mgl64.Vec3
	}{
		"floor": {floor{}, mgl64.Vec3{0, -1, 0}},
		"front": {floor{normal: front}, front.Mul(-1)},
		"void":  {nil, mgl64.Vec3{}},
	} {
		var h hand
		h.set(mgl64.Vec3{0.02, 0.05, 0.01})
		x, y, _ := l.project(h.place)
		in := handFrame(l, x+1, y)
		in.bodies = c.bodies
		for range 200 {
			h.step(&in)
			in.x += 0.1
		}
		h.step(&in)
		start := h.position()
		if c.bodies == nil {
			c.along = start.Sub(l.eye).Normalize()
		}
		in.button = true
		h.step(&in)
		if h.pushing {
			t.Fatalf("%s: a click is not a push", name)
		}
		for range 60 { // on its way to the surface
			if start = h.position(); h.heldFor+in.dt >= pushDelay && h.left <= hover*in.size {
				break
			}
			h.step(&in)
		}
		last := 0.0
		for range 120 {
			h.step(&in)
			way := h.position().Sub(start)
			d := way.Dot(c.along)
			if way.Sub(c.along.Mul(d)).Len() > 1e-9 || d < last {
				t.Fatalf("%s: it moved by %v, not along %v", name, way, c.along)
			}
			if d-last > 1.01*pushSpeed*in.size*in.dt {
				t.Fatalf("%s: it leapt by %g m", name, d-last)
			}
			last = d
		}
		if last < 0.02 {
			t.Errorf("%s: two seconds push only %g m", name, last)
		}
		in.button = false
		for range 60 {
			h.step(&in)
		}
		if h.position().Sub(start).Len() > 1e-9 {
			t.Errorf("%s: it did not come back", name)
		}
	}
}

// While the tool touches, the hand moves in the plane of what it touches, although what the
// pointer shows is dented; and nothing but the mouse moves it.
func TestHandSlidesOnWhatItTouches(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	cam := render.DefaultCamera()
	aim(&cam, View{Eye: mgl64.Vec3{0.1, 0.3, 0.5}, Target: mgl64.Vec3{0.01, 0.02, 0}, Up: mgl64.Vec3{0, 1, 0}, FieldOfView: 0.6})
	w, high := 900.0, 600.0
	see := func() lens { return newLens(&cam, 0, 0, w, high) }
	var h hand
	h.set(mgl64.Vec3{0.02, 0.05, 0.01})
	l := see()
	x, y, _ := l.project(h.place)
	for i := range 60 {
		in := handFrame(l, x+float64(i), y)
		in.bodies = floor{}
		h.step(&in)
	}
	x += 59
	press := handFrame(l, x, y)
	press.bodies, press.notches = floor{}, 2 // the wheel presses it in
	h.step(&press)
	height := h.place[1]
	for i := range 40 {
		in := handFrame(l, x+float64(i), y)
		in.bodies, in.touched = floor{height: -0.02}, true
		h.step(&in)
	}
	x += 39
	if math.Abs(h.place[1]-height) > 1e-9 {
		t.Errorf("sliding left the plane by %g m", h.place[1]-height)
	}
	before := h.place
	for i := range 200 {
		switch r.IntN(4) {
		case 0:
			cam.Orbit(0.1*r.NormFloat64(), 0.1*r.NormFloat64())
		case 1:
			cam.Dolly(math.Exp(0.05 * r.NormFloat64()))
		case 2:
			w, high = 500+1500*r.Float64(), 300+900*r.Float64()
		case 3:
			cam.Pan(5*r.NormFloat64(), 5*r.NormFloat64(), int(high))
		}
		in := handFrame(see(), x, y)
		in.bodies, in.touched = floor{}, true
		h.step(&in)
		if d := h.place.Sub(before).Len(); d > 0 {
			t.Fatalf("frame %d: moved by %g m", i, d)
		}
	}
	in := handFrame(see(), x, y)
	in.follow, in.touched = false, true // over the panel
	h.step(&in)
	in.follow, in.x, in.y = true, 300, 200
	h.step(&in)
	if h.place != before {
		t.Error("a pointer that comes back moves a hand that touches")
	}
}

// A mouse that is flicked to and fro faster than a hand may be leaves a hand that presses where it was under the
// pointer.
func TestHandCatchesUpWithAFlick(t *testing.T) {
	l := testLens()
	var h hand
	h.set(mgl64.Vec3{0, 0.05, 0})
	x, y, _ := l.project(h.place)
	frame := func(x, y float64) {
		in := handFrame(l, x, y)
		in.bodies, in.button, in.touched = floor{}, true, h.push > 0
		h.step(&in)
	}
	for range 30 {
		frame(x, y)
	}
	if !h.pushing {
		t.Fatal("it does not press")
	}
	px, py, _ := l.project(h.place)
	for i := range 60 {
		frame(x+float64(i*97%260), y+float64(i*53%120))
	}
	for range 60 {
		frame(x+40, y+20)
	}
	if nx, ny, _ := l.project(h.place); math.Hypot(nx-px-40, ny-py-20) > 0.1 {
		t.Errorf("after a flick it is (%.1f, %.1f) pixels from where it was under the pointer", nx-px-40, ny-py-20)
	}
	before := h.place
	if frame(x+40, y+20); h.place != before {
		t.Error("a pointer at rest moves it")
	}
}

func TestHandIsNeverFasterThanItsLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	l := testLens()
	var h hand
	h.set(mgl64.Vec3{0, 0.05, 0})
	for range 3000 {
		in := handFrame(l, r.Float64()*920, r.Float64()*640)
		in.follow, in.button, in.touched = r.IntN(4) > 0, r.IntN(2) == 0, r.IntN(3) == 0
		x, y, _ := l.project(h.place)
		before, depth := h.place, l.depth(h.place)
		h.step(&in)
		nx, ny, _ := l.project(h.place)
		if d := math.Hypot(nx-x, ny-y) * 2 * l.tanY / l.h * depth; !(d <= topSpeed*in.size*in.dt*1.01) {
			t.Fatalf("%g m in a frame, from %v to %v", d, before, h.place)
		}
	}
}

// The mouse holds a tool where it is, also one whose frame lies in a corner of
// the scene, as the thesis's benches have it.
func TestGripIsOnTheTool(t *testing.T) {
	f := newFake("x")
	bodies, down := f.info.Surfaces, mgl64.Vec3{0, -1, 0}
	mine := func(i int) bool { return bodies[i].Driven }
	if g := gripOf(&f.snap.Frame, bodies, mine, down).at; g != (mgl64.Vec3{}) {
		t.Errorf("a ball with its origin inside is held at %v", g)
	}
	far := mgl64.Vec3{0.3, 0.2, -0.1}
	for i := range f.snap.Surfaces[0].Vertices {
		f.snap.Surfaces[0].Vertices[i] = f.snap.Surfaces[0].Vertices[i].Add(far)
	}
	want := far.Sub(mgl64.Vec3{0, ballRadius, 0}) // its lower end
	if g := gripOf(&f.snap.Frame, bodies, mine, down).at; g.Sub(want).Len() > 0.1*ballRadius {
		t.Errorf("held at %v, its end is at %v", g, want)
	}
}

// hollow is a floor under a tool whose rim is before it, while what it may touch is deeper.
type hollow struct {
	floor
	h    *hand
	deep float64 // of the first touch below the floor's plane, m
}

func (f hollow) ahead(dir mgl64.Vec3) float64 { return f.h.position()[1] + f.deep }

// post is steep and narrow: a tool that is held off it meets it along one direction alone.
type post struct {
	floor
	only mgl64.Vec3
}

func (p post) ahead(dir mgl64.Vec3) float64 {
	if dir.Dot(p.only) > 0.999 {
		return 0.01
	}
	return math.Inf(1)
}

// What is pressed is what the pointer shows: where a push into its surface would pass by, it goes along the sight line.
func TestPushLeadsToWhatIsPointedAt(t *testing.T) {
	l := testLens()
	n := mgl64.Vec3{0.8, 0, 0.6}
	var h hand
	h.set(mgl64.Vec3{0.02, 0.05, 0.01})
	x, y, _ := l.project(h.place)
	in := handFrame(l, x, y)
	sight := h.place.Sub(l.eye).Normalize()
	for _, only := range []mgl64.Vec3{n.Mul(-1), sight} {
		in.bodies = post{floor{normal: n}, only}
		if d := h.against(&in); d.Dot(only) < 0.999 {
			t.Errorf("the push goes along %v, it is met along %v", d, only)
		}
	}
}

// A push goes quickly through what is empty, and gently from where the tool is before something on.
func TestPushIsQuickThroughTheEmpty(t *testing.T) {
	l := testLens()
	var h hand
	h.set(mgl64.Vec3{0.02, 0.05, 0.01})
	x, y, _ := l.project(h.place)
	in := handFrame(l, x+1, y)
	in.bodies = hollow{h: &h, deep: 0.03}
	for range 200 {
		in.x += 0.1
		h.step(&in)
	}
	in.button = true
	seconds := 0.0
	for h.position()[1] > -0.03+hover*in.size+1e-9 && seconds < 1 {
		h.step(&in)
		seconds += in.dt
	}
	if seconds > 0.9 { // more than two at the speed of a push
		t.Fatalf("%.2f s on the way to the touch", seconds)
	}
	before := h.position()
	if h.step(&in); before.Sub(h.position()).Len() > 1.01*pushSpeed*in.size*in.dt {
		t.Errorf("a step of %v there", before.Sub(h.position()))
	}
}
