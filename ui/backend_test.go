package ui

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/scene"
	"hapco/physics/testkit"
	"hapco/render"
)

func press(code int, down bool) event { return event{kind: buttonEvent, code: code, down: down} }
func move(x, y float64) event         { return event{kind: moveEvent, x: x, y: y} }

func TestClickWithinOneFrameIsSeen(t *testing.T) {
	var q eventQueue
	var in input
	q.add(move(10, 10))
	q.add(press(0, true))
	q.add(press(0, false))
	q.take(&in)
	if !in.buttons[0] || !in.pressed[0] || in.x != 10 {
		t.Fatalf("first frame: the press is lost: %+v", in)
	}
	q.take(&in)
	if in.buttons[0] || !in.released[0] {
		t.Fatal("second frame: the release is lost")
	}
	q.take(&in)
	if in.pressed[0] || in.released[0] {
		t.Fatal("edges must last one frame")
	}
}

func TestDragWithinOneFrameReachesItsEnd(t *testing.T) {
	var q eventQueue
	var in input
	for _, e := range []event{move(10, 10), press(0, true), move(50, 12), move(90, 14), press(0, false), move(300, 300)} {
		q.add(e)
	}
	var downAt []float64
	for range 6 {
		q.take(&in)
		if in.buttons[0] {
			downAt = append(downAt, in.x)
		}
		if in.released[0] && in.x != 90 {
			t.Fatalf("released at %g, want 90", in.x)
		}
	}
	if want := []float64{10, 90}; !slices.Equal(downAt, want) {
		t.Fatalf("held at x = %v, want %v", downAt, want)
	}
	if in.x != 300 || len(q.events) != 0 {
		t.Fatalf("the pointer ends at %g with %d events left", in.x, len(q.events))
	}
}

// Whatever comes in, nothing is lost: every press is seen for a frame, in order.
func TestEventQueueLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var q eventQueue
		var in input
		down := [buttonCount]bool{}
		presses, wheel, typed := 0, 0.0, 0
		for range 60 {
			switch r.IntN(5) {
			case 0:
				q.add(move(r.Float64(), r.Float64()))
			case 1, 2:
				b := r.IntN(buttonCount)
				down[b] = !down[b]
				if down[b] {
					presses++
				}
				q.add(press(b, down[b]))
			case 3:
				q.add(event{kind: wheelEvent, y: 1})
				wheel++
			case 4:
				q.add(event{kind: textEvent, text: 'a'})
				typed++
			}
		}
		for range 200 {
			q.take(&in)
			for b := range in.pressed {
				if in.pressed[b] {
					presses--
				}
			}
			wheel -= in.wheelY
			typed -= len(in.text)
		}
		if presses != 0 || wheel != 0 || typed != 0 || len(q.events) != 0 || in.buttons != down {
			t.Fatalf("lost %d presses, %g notches, %d letters; %d events left", presses, wheel, typed, len(q.events))
		}
	}
}

func TestBlurLetsEverythingGo(t *testing.T) {
	var q eventQueue
	var in input
	q.add(press(0, true))
	q.add(event{kind: keyEvent, code: 32, down: true})
	q.take(&in)
	q.add(event{kind: blurEvent})
	q.take(&in)
	if in.buttons[0] || !in.released[0] || in.keys[32] || len(in.keyEdges) != 1 {
		t.Fatalf("still held after the window lost the keyboard: %+v", in.keyEdges)
	}
}

func TestEventQueueAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	var q eventQueue
	var in input
	frame := func() {
		for i := range 20 {
			q.add(move(float64(i), 1))
			q.add(press(i%2, i%4 < 2))
			q.add(event{kind: keyEvent, code: 65 + i, down: i%2 == 0})
		}
		for range 60 {
			q.take(&in)
		}
	}
	frame()
	if n := testing.AllocsPerRun(100, frame); n != 0 {
		t.Fatalf("%g allocations a frame", n)
	}
}

func TestQuantityText(t *testing.T) {
	for _, c := range []struct {
		q    quantity
		v    float64
		want string
	}{
		{pressure, 20e3, "20.0 kPa"}, {pressure, 999.6e3, "1.00 MPa"}, {pressure, 69e9, "69.0 GPa"},
		{length, 5e-3, "5.00 mm"}, {length, 1e-6, "1.00 µm"}, {length, 0, "0 mm"}, {length, math.Inf(1), "∞ mm"},
		{force, 0, "0 N"}, {force, 3.3, "3.30 N"}, {force, 0.0421, "42.1 mN"}, {force, -2, "-2.00 N"},
		{plain, 0.3, "0.300"}, {plain, 1e-4, "1e-4"}, {plain, 2.5e-7, "2.5e-7"}, {plain, 5000, "5000"}, {plain, 1e5, "1e5"},
		{plain, 0.9996, "1.00"}, {plain, 9.996, "10.0"}, {plain, 99.96, "100"},
		{stiffness, 118, "118 N/m"}, {stiffness, 2.5e6, "2.50 MN/m"}, {frequency, 998.2, "998 Hz"}, {duration, 1.25e-3, "1.25 ms"},
		{force, math.NaN(), "not a number N"},
	} {
		if got := c.q.text(c.v); got != c.want {
			t.Errorf("%v of quantity %d reads %q, want %q", c.v, c.q, got, c.want)
		}
	}
}

func TestQuantityParse(t *testing.T) {
	kPa := unit{"kPa", 1e3}
	for _, c := range []struct {
		q    quantity
		in   string
		want float64
	}{
		{pressure, "20", 20e3}, {pressure, "20 kPa", 20e3}, {pressure, "0.02MPa", 20e3}, {pressure, " 2e4 Pa ", 2e4},
		{pressure, "0,5 mpa", 5e5}, {length, "12 um", 12e-6}, {length, "12 μm", 12e-6}, {length, "3 m", 3},
		{stiffness, "5 mN/m", 5e-3}, {stiffness, "5 MN/m", 5e6}, {plain, "1e-6", 1e-6}, {length, "inf", math.Inf(1)},
	} {
		shown := kPa
		if c.q != pressure {
			shown = unit{"", 1}
		}
		got, err := c.q.parse(c.in, shown)
		if err != nil || math.Abs(got-c.want) > 1e-12*math.Abs(c.want) && got != c.want {
			t.Errorf("%q reads as %v, %v; want %v", c.in, got, err, c.want)
		}
	}
	for _, s := range []string{"", "soft", "nan", "12 furlongs", "3 N", "1.2.3"} {
		if v, err := pressure.parse(s, kPa); err == nil {
			t.Errorf("%q was taken for %v", s, v)
		}
	}
}

// What a number shows can be typed back, within the digits shown.
func TestQuantityRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		q := quantity(r.IntN(len(units)))
		v := math.Pow(10, r.Float64()*20-10)
		got, err := q.parse(q.text(v), unit{"", 1})
		if err != nil || math.Abs(got-v) > 0.06*v {
			t.Fatalf("quantity %d: %v shows %q and reads back as %v, %v", q, v, q.text(v), got, err)
		}
	}
}

// allControls are the window's own and those of a tissue world.
var allControls = func() []*control {
	list := []*control{&ctlMaxForce, &ctlReducer, &ctlStiffness, &ctlForceScale, &ctlResultantScale,
		&ctlScene, &ctlFps, &ctlHFps, &ctlDisplay, &ctlHapticForce, &ctlDevice, &ctlMissed}
	keys := newFake("x").keys
	for i := range keys {
		if keys[i].Section == "" {
			continue
		}
		c := controlOf(&keys[i])
		list = append(list, &c)
	}
	return list
}()

func TestSliderMapping(t *testing.T) {
	for _, c := range allControls {
		b := &c.bounds
		if b.max == 0 && b.min == 0 {
			continue // no slider
		}
		if !(b.max > b.min) || b.log && !(b.min > 0) {
			t.Errorf("%s: bounds %+v", c.label, *b)
			continue
		}
		last := math.Inf(-1)
		for i := range 201 {
			v := b.at(float64(i) / 200)
			if v < last || v > b.max || v < b.min && !(b.zero && v == 0) {
				t.Fatalf("%s: position %d gives %v after %v", c.label, i, v, last)
			}
			last = v
			if back := b.at(b.position(v)); math.Abs(back-v) > 0.06*math.Abs(v)+b.step/2 {
				t.Fatalf("%s: %v comes back as %v", c.label, v, back)
			}
		}
		if b.at(1) != b.max || b.at(2) != b.max || b.position(b.max) != 1 {
			t.Errorf("%s: the right end is %v, not %v", c.label, b.at(1), b.max)
		}
		if low := b.at(0); low != b.min && !(b.zero && low == 0) {
			t.Errorf("%s: the left end is %v", c.label, low)
		}
		if v := b.admit(math.Inf(-1)); v > b.min || math.IsInf(v, 0) {
			t.Errorf("%s: the least value to type is %v, above the slider's %v", c.label, v, b.min)
		}
		if v := b.admit(math.Inf(1)); v < b.max {
			t.Errorf("%s: the largest value to type is %v, below the slider's %v", c.label, v, b.max)
		}
	}
}

// A drag over the whole slider is a factor of ten, from wherever it begins.
func TestDecadeSlider(t *testing.T) {
	keys := newFake("x").keys
	young := controlOf(&keys[physics.Place(keys, "liver.E")])
	b := &young.bounds
	if !b.decade {
		t.Fatal("the slider of Young's modulus runs over nine decades")
	}
	for _, c := range []struct{ from, part, want float64 }{
		{12e3, 1, 120e3}, {12e3, -1, 1.2e3}, {12e3, 0.5, 37.9e3}, {2e11, 1, 1e11}, {150, -1, 100}, {70e9, 0.01, 71.6e9},
	} {
		if got := b.dragged(c.from, c.part); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%g dragged by %g: %g, want %g", c.from, c.part, got, c.want)
		}
	}
	for v, want := range map[float64]float64{12e3: 0.5, 37.94733e3: 1, 3.794733e3: 0, 1e9: 1, 1: 0} {
		if got := b.about(v, 12e3); math.Abs(got-want) > 1e-6 {
			t.Errorf("%g lies at %g, want %g", v, got, want)
		}
	}
}

// Arrow keys take every slider from end to end, one small step at a time.
func TestArrowKeysOnSliders(t *testing.T) {
	for _, c := range allControls {
		b := &c.bounds
		if b.max == 0 && b.min == 0 {
			continue
		}
		for _, coarse := range []bool{false, true} {
			v := b.at(0)
			for n := 0; v < b.max; n++ {
				next := b.nudged(v, true, coarse)
				if !(next > v) || n > 4000 {
					t.Fatalf("%s: stuck at %g going up, coarse %v", c.label, v, coarse)
				}
				if !coarse && b.log && v > 0 && next > v*1.05 && next-v > b.step {
					t.Fatalf("%s: leaps from %g to %g", c.label, v, next)
				}
				v = next
			}
			for n := 0; v > b.at(0); n++ {
				next := b.nudged(v, false, coarse)
				if !(next < v) || n > 4000 {
					t.Fatalf("%s: stuck at %g going down, coarse %v", c.label, v, coarse)
				}
				v = next
			}
		}
	}
}

// Plots wrap; none is left out or too narrow to be read.
func TestPlotsWrap(t *testing.T) {
	for count := 1; count <= 6; count++ {
		for w := float32(100); w < 4000; w += 7 {
			columns, rows := plotGrid(count, w, 6, leastPlot)
			if columns < 1 || columns*rows < count || columns*(rows-1) >= count {
				t.Fatalf("%d plots, %g pixels: %d columns, %d rows", count, w, columns, rows)
			}
			if each := (w - 6*float32(columns-1)) / float32(columns); each < leastPlot && columns > 1 {
				t.Fatalf("%d plots, %g pixels: %g each", count, w, each)
			}
			if w >= float32(count)*(leastPlot+6) && rows != 1 {
				t.Fatalf("%d plots, %g pixels: %d rows where one would do", count, w, rows)
			}
		}
	}
	fake := newFake("x")
	pages := newPages(fake.info, fake.keys)
	for _, page := range append(pages, newPages(&physics.Info{}, nil)...) {
		if len(page.pictures) < 2 && page.depth == nil {
			t.Errorf("page %s has %d plots", page.title, len(page.pictures))
		}
	}
}

func TestShortNames(t *testing.T) {
	for in, want := range map[string]string{
		"liver": "liver", "bench-a-36": "bench-a-36", "": "", "/data/meshes/liver2.msh": "liver2",
		"../a/organ.msh.gz": "organ", "mine/press.toml": "press", "left.lobe.long-name": "left.lobe.long-name",
	} {
		if got := shortName(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// Text keeps its size on a large screen, whether its monitor asks for it or not.
func TestTextScale(t *testing.T) {
	for _, c := range []struct {
		monitor, zoom float64
		w, h          int
		want          float64
	}{{1, 1, 1280, 800, 1}, {1, 1, 800, 600, 1}, {1, 1, 3840, 2160, 2}, {2, 1, 3840, 2160, 2}, {1, 1.5, 1280, 800, 1.5}, {1, 1, 3840, 800, 1}} {
		if got := textScale(c.monitor, c.zoom, c.w, c.h); got != c.want {
			t.Errorf("%+v gives %g", c, got)
		}
	}
}

// Labels, scene keys and --set keys are the same words.
func TestLabelsAreKeys(t *testing.T) {
	known := map[string]bool{}
	for _, k := range scene.Keys() {
		known[strings.Replace(k.Name, "BODY", "liver", 1)] = true
	}
	for _, c := range allControls {
		if c.label == "" || c.about == "" {
			t.Errorf("%+v has no label or no explanation", *c)
		}
		if c.key == "" {
			continue
		}
		if !known[c.key] {
			t.Errorf("%s: the scene format has no key %q", c.label, c.key)
		}
		if want := lastWord(c.key); want != c.label && want != lowered(c.label) {
			t.Errorf("label %q, key %q: not the same words", c.label, c.key)
		}
	}
}

func lastWord(key string) string {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == '.' {
			return key[i+1:]
		}
	}
	return key
}

func lowered(label string) string {
	out := []byte(label)
	for i, c := range out {
		switch {
		case c == ' ':
			out[i] = '_'
		case c >= 'A' && c <= 'Z':
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

func TestHistory(t *testing.T) {
	h := newHistory(2, 5)
	if h.nearest(1) != -1 || !math.IsNaN(h.last(0)) {
		t.Fatal("an empty history has a sample")
	}
	for i := range 8 {
		h.add(float64(i), []float64{float64(i), -float64(i)})
	}
	h.add(7, []float64{99, 99}) // the same moment again: ignored
	if h.count != 5 || h.time(0) != 3 || h.last(0) != 7 || h.value(1, 0) != -3 {
		t.Fatalf("%d samples from %g to %g", h.count, h.time(0), h.last(0))
	}
	if h.since(4.5) != 2 || h.since(-1) != 0 || h.since(9) != 5 || h.nearest(4.4) != 1 || h.nearest(99) != 4 {
		t.Fatal("looking up a time")
	}
	lo, hi, ok := h.extent(0, 2, false)
	if lo != 5 || hi != 7 || !ok {
		t.Fatalf("extent %g..%g", lo, hi)
	}
	if _, _, ok := h.extent(1, 0, true); ok {
		t.Fatal("negative values have no place on a logarithmic axis")
	}
	h.add(1, []float64{1, 1}) // the clock went back: another simulation
	if h.count != 1 {
		t.Fatal("a new simulation keeps the old one's samples")
	}
}

func TestHistoryAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	h := newHistory(3, 64)
	sample := []float64{1, 2, 3}
	now := 0.0
	if n := testing.AllocsPerRun(500, func() { now++; h.add(now, sample); h.since(now - 10) }); n != 0 {
		t.Fatalf("%g allocations a sample", n)
	}
}

func TestAxisHoldsItsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		lo := math.Pow(10, r.Float64()*12-8)
		hi := lo * (1 + r.Float64()*1000)
		for _, log := range []bool{false, true} {
			a := axis{log: log}
			a.fit(lo, hi)
			l, h := a.lo, a.hi
			if log {
				l, h = math.Pow(10, l), math.Pow(10, h)
			}
			if l > lo*(1+1e-6) || h < hi*(1-1e-6) || !(a.step > 0) || (a.hi-a.lo)/a.step > 8.01 {
				t.Fatalf("%g..%g on an axis %g..%g by %g, log %v", lo, hi, a.lo, a.hi, a.step, log)
			}
			if a.at(hi) < a.at(lo) {
				t.Fatal("upside down")
			}
		}
	}
	var a axis
	a.fit(0, 0)
	if !(a.hi > a.lo) {
		t.Fatal("an axis without height")
	}
	a = axis{}
	a.fit(0, 97)
	before := a
	if a.fit(0, 60); a != before {
		t.Fatal("the axis flutters")
	}
	if a.fit(0, 5); a == before {
		t.Fatal("the axis never narrows")
	}
}

func testLens() lens {
	c := render.DefaultCamera()
	aim(&c, View{Eye: mgl64.Vec3{0.1, 0.3, 0.5}, Target: mgl64.Vec3{0.01, 0.02, 0}, Up: mgl64.Vec3{0, 1, 0}, FieldOfView: 0.6})
	return newLens(&c, 20, 30, 900, 600)
}

func TestLensProjectsItsRays(t *testing.T) {
	l := testLens()
	if d := l.eye.Sub(mgl64.Vec3{0.1, 0.3, 0.5}).Len(); d > 1e-12 {
		t.Fatalf("the eye is off by %g m", d)
	}
	for _, p := range [][2]float64{{470, 330}, {20, 30}, {919, 629}, {100, 500}} {
		at := l.eye.Add(l.direction(p[0], p[1]).Mul(0.4))
		x, y, ok := l.project(at)
		if !ok || math.Hypot(x-p[0], y-p[1]) > 1e-9 || math.Abs(l.depth(at)-0.4) > 1e-12 {
			t.Errorf("pixel %v comes back as %g, %g at depth %g", p, x, y, l.depth(at))
		}
	}
	if _, _, ok := l.project(l.eye.Sub(l.forward)); ok {
		t.Error("a point behind the eye has a pixel")
	}
	x, y, _ := l.project(mgl64.Vec3{0.01, 0.02, 0})
	if math.Hypot(x-470, y-330) > 1e-9 {
		t.Errorf("the target is at %g, %g", x, y)
	}
}

func TestCastRay(t *testing.T) {
	s := newFake("x")
	from := mgl64.Vec3{0.03, 0.1, 0.02}
	d, k := castRay(from, mgl64.Vec3{0, -1, 0}, s.slab, s.info.Surfaces[1].Triangles)
	if k < 0 || math.Abs(d-0.1) > 1e-12 {
		t.Fatalf("the slab's top is %g m below", d)
	}
	if _, k := castRay(from, mgl64.Vec3{0, 1, 0}, s.slab, s.info.Surfaces[1].Triangles); k >= 0 {
		t.Fatal("something is above")
	}
	if _, k := castRay(from, mgl64.Vec3{0, -1, 0}, s.slab[:3], s.info.Surfaces[1].Triangles); k >= 0 {
		t.Fatal("triangles beyond the nodes")
	}
}

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
	driven := []bool{true, false}
	down := mgl64.Vec3{0, -1, 0}
	if g := gripOf(&f.frame, driven, down); g != (mgl64.Vec3{}) {
		t.Errorf("a ball with its origin inside is held at %v", g)
	}
	far := mgl64.Vec3{0.3, 0.2, -0.1}
	for i := range f.snap.Bodies[0].Positions {
		f.snap.Bodies[0].Positions[i] = f.snap.Bodies[0].Positions[i].Add(far)
	}
	want := far.Sub(mgl64.Vec3{0, ballRadius, 0}) // its lower end
	if g := gripOf(&f.frame, driven, down); g.Sub(want).Len() > 0.1*ballRadius {
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

func TestUserScale(t *testing.T) {
	for _, c := range []struct {
		option float64
		env    string
		want   float64
	}{{0, "", 1}, {2, "", 2}, {0, "1.5", 1.5}, {2, "1.5", 2}} {
		if got, err := userScale(c.option, c.env); err != nil || got != c.want {
			t.Errorf("%+v gives %g, %v", c, got, err)
		}
	}
	for _, bad := range []string{"big", "0.1", "99", "nan"} {
		if _, err := userScale(0, bad); !errors.Is(err, ErrScale) {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestNoDisplay(t *testing.T) {
	_, err := checkDisplay("linux", func(string) string { return "" })
	if !errors.Is(err, ErrNoDisplay) {
		t.Fatalf("%v", err)
	}
	for _, name := range []string{":987", "unix:987.0", ":987.1"} {
		if _, err := checkDisplay("linux", func(string) string { return name }); !errors.Is(err, ErrNoDisplay) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := checkDisplay("darwin", func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
}
