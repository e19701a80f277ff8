package ui

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/render"
)

func handFrame(l lens, x, y float64) handInput {
	return handInput{lens: l, x: x, y: y, follow: true, dt: 1.0 / 60, scale: 1, size: 0.3, needle: mgl64.Vec3{0, -1, 0}}
}

func TestHandFollowsTheCursorInThePlaneOfTheView(t *testing.T) {
	l := testLens()
	var h hand
	start := mgl64.Vec3{0.02, 0.05, 0.01}
	h.set(start)
	x, y := 400.0, 300.0
	in := handFrame(l, x, y)
	h.step(&in)
	if h.position().Sub(start).Len() > 1e-12 {
		t.Fatal("the stylus leapt to the cursor")
	}
	for range 400 {
		x, y = x+2, y+1
		if x > 800 {
			x, y = 400, 300
		}
		in := handFrame(l, x, y)
		h.step(&in)
	}
	px, py, _ := l.project(h.position())
	if math.Hypot(px-x, py-y) > 2 {
		t.Errorf("the stylus is %g pixels from the cursor", math.Hypot(px-x, py-y))
	}
	if d := l.depth(h.position()) - l.depth(start); math.Abs(d) > 1e-12 {
		t.Errorf("it left its plane by %g m", d)
	}
	// away and back: it must not leap
	before := h.position()
	away := handFrame(l, 2000, 100)
	away.follow = false
	h.step(&away)
	back := handFrame(l, 100, 100)
	h.step(&back)
	if h.position().Sub(before).Len() > 1e-12 {
		t.Error("it moved while the cursor was elsewhere")
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
	p := h.position()
	if math.Abs(p[1]-start[1]) > 1e-15 || p[0] < start[0]+0.02 || p[2] > start[2]-0.02 {
		t.Errorf("right and up on screen, the hand went from %v to %v", start, p)
	}
	in := handFrame(l, x, y)
	in.level, in.notches = true, -2
	h.step(&in)
	for range 30 {
		in := handFrame(l, x, y)
		in.level = true
		h.step(&in)
	}
	if q := h.position(); math.Abs(q[1]-start[1]-2*notch*0.3) > 1e-12 || q[0] != p[0] || q[2] != p[2] {
		t.Errorf("two notches lift the hand from %v to %v", p, q)
	}
}

func TestHandDepth(t *testing.T) {
	l := testLens()
	var h hand
	h.set(mgl64.Vec3{0.02, 0.05, 0.01})
	x, y, _ := l.project(h.place)
	in := handFrame(l, x, y)
	h.step(&in)
	before := l.depth(h.place)
	in.notches = 3
	h.step(&in)
	moved := l.depth(h.place) - before
	if moved < 0.5*3*notch*in.size || moved > 3*notch*in.size*1.001 {
		t.Errorf("three notches moved the stylus by %g m", moved)
	}
	px, py, _ := l.project(h.place)
	if math.Hypot(px-x, py-y) > 1e-6 {
		t.Error("depth must not move the stylus on screen")
	}
	in.notches = -1e6
	h.step(&in)
	if l.depth(h.place) <= 0 {
		t.Error("the stylus went behind the eye")
	}
}

func TestHandPushesGently(t *testing.T) {
	l := testLens()
	var h hand
	start := mgl64.Vec3{0.02, 0.05, 0.01}
	h.set(start)
	x, y, _ := l.project(start)
	in := handFrame(l, x, y)
	in.button = true
	h.step(&in)
	if h.pushing {
		t.Fatal("a click is not a push")
	}
	last := 0.0
	for range 120 {
		h.step(&in)
		d := start.Sub(h.position())
		if math.Abs(d[0])+math.Abs(d[2]) > 1e-12 || d[1] < last {
			t.Fatalf("it moved by %v", d)
		}
		if d[1]-last > 1.01*pushSpeed*in.size*in.dt {
			t.Fatalf("it leapt by %g m", d[1]-last)
		}
		last = d[1]
	}
	if last < 0.02 {
		t.Errorf("two seconds push only %g m", last)
	}
	in.button = false
	for range 60 {
		h.step(&in)
	}
	if h.position().Sub(start).Len() > 1e-9 {
		t.Error("it did not come back")
	}
}

// The mouse holds a tool where it is, also one whose frame lies in a corner of
// the scene, as the thesis's benches have it.
func TestGripIsOnTheTool(t *testing.T) {
	f := newFake("x")
	bodies, down := f.info.Surfaces, mgl64.Vec3{0, -1, 0}
	if g := gripOf(&f.frame, bodies, down).at; g != (mgl64.Vec3{}) {
		t.Errorf("a ball with its origin inside is held at %v", g)
	}
	far := mgl64.Vec3{0.3, 0.2, -0.1}
	for i := range f.snap.Bodies[0].Positions {
		f.snap.Bodies[0].Positions[i] = f.snap.Bodies[0].Positions[i].Add(far)
	}
	want := far.Sub(mgl64.Vec3{0, ballRadius, 0}) // its lower end
	if g := gripOf(&f.frame, bodies, down).at; g.Sub(want).Len() > 0.1*ballRadius {
		t.Errorf("held at %v, its end is at %v", g, want)
	}
}

// floor is a tissue that fills everything below a height.
type floor struct {
	eye    mgl64.Vec3
	height float64
}

func (f floor) under(dir mgl64.Vec3) (point, normal mgl64.Vec3, ok bool) {
	t := (f.height - f.eye[1]) / dir[1]
	return f.eye.Add(dir.Mul(t)), mgl64.Vec3{0, 1, 0}, t > 0
}

func (f floor) near(mgl64.Vec3) (mgl64.Vec3, bool) { return mgl64.Vec3{0, 1, 0}, true }

func (f floor) ahead(p, dir mgl64.Vec3) bool { return dir[1] < 0 }

// edge is a floor whose front is under the cursor.
type edge struct{ floor }

func (e edge) under(mgl64.Vec3) (point, normal mgl64.Vec3, ok bool) {
	return mgl64.Vec3{}, mgl64.Vec3{0, 0, 1}, true
}

func TestHandOnTheSurface(t *testing.T) {
	l := testLens()
	var h hand
	h.set(mgl64.Vec3{0, 0.1, 0})
	x, y, _ := l.project(h.place)
	in := handFrame(l, x, y)
	in.hover, in.reach, in.bodies = true, 0.01, floor{eye: l.eye}
	h.step(&in)
	in.x++
	dir := l.direction(in.x, in.y)
	point := l.eye.Add(dir.Mul(-l.eye[1] / dir[1])) // on the plane y = 0
	for range 200 {
		h.step(&in)
	}
	want := point.Add(mgl64.Vec3{0, 0.01 + hover*in.size, 0})
	if h.position().Sub(want).Len() > 1e-9 {
		t.Fatalf("hovers at %v, want %v", h.position(), want)
	}
	in.button = true
	for range 100 {
		h.step(&in)
	}
	if h.position()[1] >= want[1]-0.01 || math.Abs(h.place[1]-want[1]) > 1e-9 {
		t.Error("the button does not press it in")
	}
	// sliding keeps the depth although the surface under the cursor is dented
	in.x, in.bodies = in.x+40, floor{eye: l.eye, height: -0.02}
	push := h.push
	h.step(&in)
	h.step(&in)
	if math.Abs(h.place[1]-want[1]) > 1e-9 || h.push < push {
		t.Errorf("sliding left the plane: %v", h.place)
	}
}

// Whichever way a tool lies, the button pushes it into the surface.
func TestButtonPushesIntoTheSurface(t *testing.T) {
	l := testLens()
	for _, c := range []struct {
		hover  bool
		bodies surfaces
	}{{false, floor{eye: l.eye}}, {true, floor{eye: l.eye}}, {false, edge{floor{eye: l.eye}}}} {
		hover := c.hover
		var h hand
		start := mgl64.Vec3{0.02, 0.05, 0.01}
		h.set(start)
		x, y, _ := l.project(start)
		in := handFrame(l, x, y)
		in.needle = mgl64.Vec3{1, 0, 0} // a blade that lies flat
		in.hover, in.bodies, in.button = hover, c.bodies, true
		for range 60 {
			h.step(&in)
		}
		if d := h.position().Sub(start); !(d[1] < -0.01) || math.Abs(d[0])+math.Abs(d[2]) > 1e-12 {
			t.Errorf("hover %v: pushed by %v, not into the floor", hover, d)
		}
	}
}

// The hand stays where it is in the world while the camera, the scene's part of
// the window or anything but the mouse moves, and goes on from there.
func TestOnlyTheMouseMovesTheHand(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	cam := render.DefaultCamera()
	aim(&cam, View{Eye: mgl64.Vec3{0.1, 0.3, 0.5}, Target: mgl64.Vec3{0.01, 0.02, 0}, Up: mgl64.Vec3{0, 1, 0}, FieldOfView: 0.6})
	w, high := 900.0, 600.0
	see := func() lens { return newLens(&cam, 0, 0, w, high) }
	for _, pushed := range []bool{false, true} {
		for _, hover := range []bool{false, true} {
			var h hand
			h.set(mgl64.Vec3{0.02, 0.05, 0.01})
			l := see()
			x, y, _ := l.project(h.place)
			for i := range 30 {
				in := handFrame(l, x+float64(i), y)
				in.hover, in.bodies, in.button = hover, floor{eye: l.eye}, pushed
				h.step(&in)
			}
			x += 29
			for range 40 { // what the mouse began comes to its end
				in := handFrame(see(), x, y)
				in.button, in.bodies = pushed, floor{}
				h.step(&in)
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
				in.hover, in.bodies, in.button = hover, floor{eye: in.lens.eye}, pushed
				h.step(&in)
				if d := h.place.Sub(before).Len(); d > 0 {
					t.Fatalf("hover %v, pushed %v, frame %d: moved by %g m", hover, pushed, i, d)
				}
			}
		}
	}
}

// With the cursor away from the hand, a motion of the mouse moves the hand in its
// own direction and not farther than itself, until the cursor has caught up.
func TestHandMovesFromWhereItIs(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	l := testLens()
	for round := range 100 {
		var h hand
		h.set(mgl64.Vec3{0.1 * (r.Float64() - 0.5), 0.05, 0.01})
		x, y := 900*r.Float64(), 600*r.Float64()
		in := handFrame(l, x, y)
		in.dt = 1 // no limit of speed
		h.step(&in)
		if round%2 == 0 { // the cursor comes back to the hand, which waits for it
			before := h.place
			gx, gy, _ := l.project(before)
			for i := range 20 {
				f := float64(i+1) / 20
				in.x, in.y = x+f*(gx-x), y+f*(gy-y)
				h.step(&in)
			}
			if d := h.place.Sub(before).Len(); d > 1e-9 {
				t.Fatalf("the hand moved by %g m while the cursor came to it", d)
			}
		}
		h.parted = false // as after a motion of the camera
		in.x, in.y = in.x+100, in.y-30
		h.x, h.y = in.x, in.y
		for range 50 {
			px, py, _ := l.project(h.place)
			gap := math.Hypot(px-in.x, py-in.y)
			dx, dy := 6*r.NormFloat64(), 6*r.NormFloat64()
			in.x, in.y = in.x+dx, in.y+dy
			h.step(&in)
			qx, qy, _ := l.project(h.place)
			mx, my := qx-px, qy-py
			if far, d := math.Hypot(mx, my), math.Hypot(dx, dy); far > d+1e-6 || mx*dx+my*dy < 0 {
				t.Fatalf("the mouse moved by %g, %g, the hand by %g, %g with %g pixels between them", dx, dy, mx, my, gap)
			}
			if now := math.Hypot(qx-in.x, qy-in.y); now > gap+1e-6 {
				t.Fatalf("cursor and hand part: %g pixels, then %g", gap, now)
			}
		}
		px, py, _ := l.project(h.place)
		for i := 1; i <= 400; i++ { // a sweep over the hand, to and fro
			f := math.Abs(math.Mod(float64(i)/25, 2) - 1)
			in.x, in.y = px+200*(f-0.5), py+200*(f-0.5)
			h.step(&in)
			in.y = py
			h.step(&in)
		}
		if px, py, _ = l.project(h.place); math.Hypot(px-in.x, py-in.y) > 1 {
			t.Fatalf("the cursor never caught up: %g pixels", math.Hypot(px-in.x, py-in.y))
		}
	}
}

func TestHandIsNeverFasterThanItsLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	l := testLens()
	var h hand
	h.set(mgl64.Vec3{0, 0.05, 0})
	for range 3000 {
		in := handFrame(l, r.Float64()*920, r.Float64()*640)
		in.follow, in.button = r.IntN(4) > 0, r.IntN(2) == 0
		before := h.place
		h.step(&in)
		if d := h.place.Sub(before).Len(); !(d <= topSpeed*in.size*in.dt*1.0001) {
			t.Fatalf("%g m in a frame", d)
		}
	}
}
