package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
)

func TestNormalsOfABall(t *testing.T) {
	x, tris := ball(4)
	s := newSurface(tris, x)
	s.update(&physics.Surface{Vertices: x}, 0, 0)
	if len(s.node) != len(x) {
		t.Fatalf("a smooth ball of %d nodes became %d vertices", len(x), len(s.node))
	}
	for i, n := range s.node {
		o := s.verts[vertexFloats*i:]
		got := mgl64.Vec3{float64(o[4]), float64(o[5]), float64(o[6])}
		if got.Sub(x[n]).Len() > 0.01 {
			t.Fatalf("normal at %v is %v", x[n], got)
		}
		if o[7] >= 0 {
			t.Fatalf("a ball has no dents, yet its cavity at %v is %g", x[n], o[7])
		}
	}
	// A dent is hollow in the middle.
	for i := range x {
		x[i][1] -= 0.5 * math.Exp(-(x[i][0]*x[i][0]+x[i][2]*x[i][2])/0.02) * math.Max(0, x[i][1])
	}
	s.update(&physics.Surface{Vertices: x}, 0, 0)
	deepest, off := 0, math.Inf(1)
	for i, n := range s.node {
		if d := math.Hypot(x[n][0], x[n][2]); x[n][1] > 0 && d < off {
			deepest, off = i, d
		}
	}
	if c := s.verts[vertexFloats*deepest+7]; c <= 0.05 {
		t.Errorf("cavity in the dent is %g", c)
	}
}

// A brick keeps its edges sharp, and the diagonals of its faces stay hidden.
func TestBrickStaysSharp(t *testing.T) {
	bodies, snap := fakeBlocks()
	x := snap.Surfaces[0].Vertices
	s := newSurface(bodies[0].Triangles, x)
	s.update(&snap.Surfaces[0], 0, 0)
	if want := 6 * 25; len(s.node) != want {
		t.Errorf("a 4x4x4 brick has %d vertices, want %d", len(s.node), want)
	}
	for i := range s.node {
		o := s.verts[vertexFloats*i+4:][:3]
		if m := max(math.Abs(float64(o[0])), math.Abs(float64(o[1])), math.Abs(float64(o[2]))); m < 1-1e-6 {
			t.Fatalf("normal %v is not that of a face", o)
		}
	}
	hidden := 0
	for i := 0; i < len(s.corner); i += cornerFloats {
		for k := range 3 {
			own := float32(0)
			if i/cornerFloats%3 == k {
				own = 1
			}
			if s.corner[i+1+k] > own {
				hidden++
			}
		}
	}
	// Each triangle hides one edge, and says so at its three corners.
	if want := 3 * len(bodies[0].Triangles); hidden != want {
		t.Errorf("%d marks for hidden diagonals, want %d", hidden, want)
	}
	if b := newSurface(ballTris()); b != nil {
		for i := 0; i < len(b.corner); i += cornerFloats {
			if c := b.corner[i+1] + b.corner[i+2] + b.corner[i+3]; c != 1 {
				t.Fatal("an edge of a ball is hidden")
			}
		}
	}
}

func ballTris() ([][3]int32, []mgl64.Vec3) {
	x, tris := ball(2)
	return tris, x
}

func TestBounds(t *testing.T) {
	_, s := fakeBlocks()
	lo, hi, ok := Bounds(s, []bool{true, false})
	if !ok || lo != (mgl64.Vec3{-0.04, -0.02, -0.04}) || hi.Sub(mgl64.Vec3{0.04, 0.02, 0.04}).Len() > 1e-12 {
		t.Errorf("bounds of the obstacle: %v %v %v", lo, hi, ok)
	}
	if _, hi, _ = Bounds(s, nil); math.Abs(hi[1]-0.04) > 1e-12 {
		t.Errorf("bounds of all end at %v", hi)
	}
	if _, hi, ok = Bounds(s, []bool{true, true}); !ok || math.Abs(hi[1]-0.04) > 1e-12 {
		t.Errorf("bounds of nothing but driven bodies: %v %v", hi, ok)
	}
	if _, _, ok = Bounds(&physics.Frame{}, nil); ok {
		t.Error("an empty snapshot has bounds")
	}
}

func TestBuildAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	bodies, s := fake(3)
	var sc scene
	sc.outlines.on = true
	sc.reset(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "von Mises stress", Unit: "Pa"}}})
	cam := fitted(s, 1.6)
	opt := DefaultOptions()
	opt.Normals = true
	opt.Selected = 6
	opt.Bodies = []BodyView{{Field: true, Mode: Transparent}}
	vp := Viewport{Width: 1280, Height: 800}
	sc.build(s, &cam, &opt, vp)
	if n := testing.AllocsPerRun(50, func() { sc.build(s, &cam, &opt, vp) }); n != 0 {
		t.Errorf("building a frame allocates %g times", n)
	}
}

// Arrows keep their scale while forces vary a little, never outgrow the scene,
// and shrink back when forces fade.
func TestArrowScaleIsSteady(t *testing.T) {
	var a autoScale
	const full = 0.05
	last, changes := 0.0, 0
	for i := range 400 {
		top := 2 + 1.9*math.Sin(float64(i)/50)*math.Exp(-float64(i)/1000)
		k := a.fit(top, full)
		if k*top > full*(1+1e-9) {
			t.Fatalf("an arrow of %g m at %g N", k*top, top)
		}
		if k != last {
			changes++
		}
		last = k
	}
	if changes > 8 {
		t.Errorf("the scale changed %d times over one swing", changes)
	}
	if k := a.fit(1e-3, full); k*1e-3 < 0.25*full {
		t.Errorf("small forces are drawn %g m long", k*1e-3)
	}
	for _, bad := range []float64{0, math.NaN(), math.Inf(1), -1} {
		if k := a.fit(bad, full); !(k > 0) || math.IsInf(k, 0) {
			t.Errorf("after %g the scale is %g", bad, k)
		}
	}
}

// A snapshot that has gone wrong must not reach the GPU as NaN arrows.
func TestNaNIsNotDrawn(t *testing.T) {
	bodies, s := fake(2)
	nan := mgl64.Vec3{math.NaN(), 0, 0}
	s.Contacts[0].Force = nan
	s.Contacts[1].P = nan
	s.Contacts[2].N = mgl64.Vec3{math.Inf(1), 0, 0}
	s.Force = nan
	s.Target.Position = nan
	var sc scene
	sc.reset(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "von Mises stress", Unit: "Pa"}}})
	cam := fitted(s, 1.6)
	opt := DefaultOptions()
	opt.Normals = true
	sc.build(s, &cam, &opt, Viewport{Width: 640, Height: 400})
	for name, list := range map[string][]float32{"arrows": sc.glyphs.arrows, "points": sc.glyphs.points, "lines": sc.glyphs.lines} {
		for _, v := range list {
			if v-v != 0 {
				t.Errorf("%s hold %g", name, v)
				break
			}
		}
	}
	if len(sc.glyphs.points) == 0 || len(sc.glyphs.arrows) == 0 {
		t.Error("nothing is left of the sound contacts")
	}
}

func TestPick(t *testing.T) {
	bodies, s := fakeBlocks()
	var sc scene
	sc.reset(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "von Mises stress", Unit: "Pa"}}})
	cam := DefaultCamera()
	lo, hi, _ := Bounds(s, nil)
	cam.FitBounds(lo, hi, 1.6)
	opt := DefaultOptions()
	sc.build(s, &cam, &opt, Viewport{Width: 1280, Height: 800})
	for _, c := range s.Contacts {
		x, y, _, _ := cam.project(c.P, 1280, 800)
		if id, ok := sc.pickAt(x+2, y-2, 8); !ok || id != c.ID {
			t.Errorf("a click beside contact %d found %d, %v", c.ID, id, ok)
		}
	}
	if id, ok := sc.pickAt(5, 5, 8); ok || id != 0 {
		t.Errorf("a click on nothing found %d", id)
	}
	// Of two contacts behind each other, the nearer is meant.
	sc.pick = append(sc.pick[:0], picked{100, 100, 2, 7}, picked{100.2, 100, 1, 8}, picked{100, 100.1, 3, 9})
	if id, _ := sc.pickAt(100, 100, 6); id != 8 {
		t.Errorf("picked %d behind the nearest", id)
	}
}

// The pen belongs to rigid tips only, and its normals point outward.
func TestHandle(t *testing.T) {
	bodies, s := fake(2)
	var sc scene
	build := func() {
		sc.reset(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "von Mises stress", Unit: "Pa"}}})
		cam := fitted(s, 1.6)
		opt := DefaultOptions()
		sc.build(s, &cam, &opt, Viewport{Width: 640, Height: 400})
	}
	build()
	if len(sc.handle.tris) == 0 || !sc.handle.shown {
		t.Fatal("a rigid probe has no pen")
	}
	at := func(i uint32) (p, n mgl64.Vec3) {
		o := sc.handle.verts[vertexFloats*i:]
		return mgl64.Vec3{float64(o[0]), float64(o[1]), float64(o[2])}, mgl64.Vec3{float64(o[4]), float64(o[5]), float64(o[6])}
	}
	for i := 0; i < len(sc.handle.tris); i += 3 {
		a, n := at(sc.handle.tris[i])
		b, _ := at(sc.handle.tris[i+1])
		c, _ := at(sc.handle.tris[i+2])
		face := b.Sub(a).Cross(c.Sub(a))
		if face.Len() > 1e-12 && face.Dot(n) < 0 {
			t.Fatalf("triangle %d of the pen is inside out", i/3)
		}
	}
	bodies[1].Rigid = false
	build()
	if sc.handle.shown {
		t.Error("an elastic body carries a pen")
	}
	bodies, s = fakeBlocks()
	bodies[0].Rigid = true
	build()
	if sc.handle.shown {
		t.Error("a block as large as the obstacle carries a pen")
	}
}

func TestRoundNumbers(t *testing.T) {
	for _, c := range []struct{ x, down, up float64 }{
		{1, 1, 1}, {0.999, 0.5, 1}, {3, 2, 5}, {7e-5, 5e-5, 1e-4}, {5, 5, 5}, {1.2e6, 1e6, 2e6}, {0.2, 0.2, 0.2},
	} {
		if d, u := roundDown(c.x), RoundUp(c.x); math.Abs(d-c.down) > 1e-12*c.down || math.Abs(u-c.up) > 1e-12*c.up {
			t.Errorf("%g rounds to %g and %g, want %g and %g", c.x, d, u, c.down, c.up)
		}
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if roundDown(bad) != 0 || RoundUp(bad) != 0 {
			t.Errorf("%g was rounded to %g", bad, roundDown(bad))
		}
	}
	for _, c := range []struct {
		v    float64
		want string
	}{{0, "0"}, {0.02, "20 mm"}, {1.5, "1.5 m"}, {0.0005, "0.5 mm"}, {2e-5, "20 µm"}} {
		got := string(appendLength(nil, c.v))
		if c.v == 0 {
			got = string(appendRound(nil, 0))
		}
		if got != c.want {
			t.Errorf("%g is written %q, want %q", c.v, got, c.want)
		}
	}
}

func TestLegendUnits(t *testing.T) {
	fields := namesOf([]physics.Field{{Name: "von Mises stress", Unit: "Pa"}, {Name: "displacement", Unit: "m"}, {Name: "strain"}, {Name: "pressure", Unit: "Pa", Signed: true}})
	for _, c := range []struct {
		field int
		max   float64
		unit  string
		top   float64
		low   float64
	}{{0, 500, "Pa", 500, 0}, {0, 20e3, "kPa", 20, 0}, {0, 5e6, "MPa", 5, 0}, {1, 0.005, "mm", 5, 0}, {1, 2e-10, "nm", 0.2, 0}, {2, 0.05, "", 0.05, 0}, {3, 2e3, "kPa", 2, -2}} {
		l := legend(c.max, &fields[c.field])
		if l.Unit != c.unit || math.Abs(l.Max-c.top) > 1e-9 || math.Abs(l.Min-c.low) > 1e-9 {
			t.Errorf("%s of %g: %+v", l.Title, c.max, l)
		}
		if n := (l.Max - l.Min) / l.Step; n < 3.9 || n > 10 {
			t.Errorf("%s of %g: %g ticks", l.Title, c.max, n)
		}
	}
}

// Equal steps of value have to be equal steps of lightness, which is what makes
// the map readable without colours.
func TestColorMapIsEven(t *testing.T) {
	lightness := func(c [3]uint8) float64 {
		lin := [3]float64{decode(float64(c[0]) / 255), decode(float64(c[1]) / 255), decode(float64(c[2]) / 255)}
		l := math.Cbrt(0.4122214708*lin[0] + 0.5363325363*lin[1] + 0.0514459929*lin[2])
		m := math.Cbrt(0.2119034982*lin[0] + 0.6806995451*lin[1] + 0.1073969566*lin[2])
		s := math.Cbrt(0.0883024619*lin[0] + 0.2817188376*lin[1] + 0.6299787005*lin[2])
		return 0.2104542553*l + 0.7936177850*m - 0.0040720468*s
	}
	const stride = 15
	first, last := lightness(colorMap[0]), lightness(colorMap[255])
	want := (last - first) / 255 * stride
	if want < 0.03 {
		t.Fatalf("lightness runs from %g to %g only", first, last)
	}
	for i := stride; i < 256; i += stride {
		if d := lightness(colorMap[i]) - lightness(colorMap[i-stride]); math.Abs(d-want) > 0.2*want {
			t.Errorf("step at %d is %g, want %g", i, d, want)
		}
	}
}

func TestShapeOfSnapshotIsChecked(t *testing.T) {
	bodies, s := fake(2)
	var sc scene
	sc.reset(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "von Mises stress", Unit: "Pa"}}})
	cam := fitted(s, 1.6)
	opt := DefaultOptions()
	vp := Viewport{Width: 640, Height: 400}
	short := *s
	short.Surfaces = []physics.Surface{{Vertices: s.Surfaces[0].Vertices[:10]}, s.Surfaces[1]}
	for name, bad := range map[string]*physics.Frame{"nil": nil, "no bodies": {}, "too few nodes": &short} {
		if sc.build(bad, &cam, &opt, vp); sc.ready {
			t.Errorf("%s was drawn", name)
		}
	}
	if !sc.build(s, &cam, &opt, vp) || !sc.ready {
		t.Error("the right snapshot was not drawn afterwards")
	}
	if sc.build(&short, &cam, &opt, vp); sc.ready {
		t.Error("too few nodes were drawn once surfaces stood")
	}
}

// The outline of a ball seen from afar is its great circle across the line of
// sight; every node on it is reached and left once.
func TestOutlineOfABall(t *testing.T) {
	tris, x := ballTris()
	s := newSurface(tris, x)
	s.update(&physics.Surface{Vertices: x}, 0, 0)
	eye := mgl64.Vec3{300, 200, 500}
	list := s.outline.append(nil, s.verts, s.tri, eye)
	n := len(list) / ribbonFloats
	if n < 16 {
		t.Fatalf("an outline of %d edges", n)
	}
	along := eye.Normalize()
	balance := map[[3]float32]int{}
	for i := range n {
		e := list[ribbonFloats*i:][:ribbonFloats]
		for _, o := range [2]int{0, vertexFloats} {
			p := mgl64.Vec3{float64(e[o]), float64(e[o+1]), float64(e[o+2])}
			if off := math.Abs(p.Dot(along)); off > 0.35 {
				t.Errorf("outline node %v lies %g in front of the great circle", p, off)
			}
		}
		balance[[3]float32(e[:3])]++
		balance[[3]float32(e[vertexFloats:][:3])]--
	}
	for p, b := range balance {
		if b != 0 {
			t.Errorf("the outline is broken at %v", p)
		}
	}
	if again := s.outline.append(list[:0], s.verts, s.tri, eye); len(again) != len(list) {
		t.Errorf("the second time the outline has %d floats instead of %d", len(again), len(list))
	}
}

func TestPairEdges(t *testing.T) {
	tris, x := ballTris()
	edges := pairEdges(tris)
	if len(edges) != len(tris)*3/2 || len(x)-len(edges)+len(tris) != 2 {
		t.Errorf("%d nodes, %d edges, %d triangles: not a closed surface", len(x), len(edges), len(tris))
	}
	// Three triangles on one edge, and two borders each.
	fan := pairEdges([][3]int32{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}})
	paired := 0
	for _, e := range fan {
		if e.tb >= 0 {
			paired++
		}
	}
	if len(fan) != 8 || paired != 1 {
		t.Errorf("a fan has %d edges, %d of them paired", len(fan), paired)
	}
}

// The resultant's arrow ends inside the picture, whatever the force and the view.
func TestResultantStaysInSight(t *testing.T) {
	vp := Viewport{Width: 400, Height: 300, Scale: 1}
	cam := DefaultCamera()
	cam.Pitch, cam.Distance = 0.1, 0.35
	full := roomFor(mgl64.Vec3{}, mgl64.Vec3{0, 0, -1}, 0.05, &cam, vp)
	if full != 0.05 {
		t.Errorf("an arrow with room is cut to %g m", full)
	}
	for _, at := range []mgl64.Vec3{{}, {0, 0.05, 0}, {-0.03, 0.08, 0.02}} {
		for _, force := range []mgl64.Vec3{{0, 5, 0}, {-3, 2, 0}, {0, -7, 1}} {
			l := roomFor(at, force, 0.2, &cam, vp)
			if l == 0.2 {
				continue // checked below to be rare
			}
			x, y, _, _ := cam.project(at.Add(force.Normalize().Mul(l)), vp.Width, vp.Height)
			if x < 8 || y < 8 || x > 392 || y > 292 {
				t.Errorf("force %v at %v: the tip is at pixel %g, %g", force, at, x, y)
			}
		}
	}
	if l := roomFor(mgl64.Vec3{0, 0.05, 0}, mgl64.Vec3{0, 5, 0}, 0.2, &cam, vp); l > 0.1 {
		t.Errorf("an arrow of %g m leaves the picture", l)
	}
}

// A rigid body counts with its corners, and a floor lies where the world says.
func TestBoundsTakeShapesAndFloorsTheirHeight(t *testing.T) {
	shapes := []physics.Shape{{Vertices: []mgl64.Vec3{{-1, -2, -3}, {1, 2, 3}}, Triangles: [][3]int32{{0, 1, 0}}}}
	s := &physics.Frame{Instances: []physics.Instance{{Pose: frame.At(mgl64.Vec3{10, 5, 0})}}}
	lo, hi, ok := Bounds(s, nil, shapes...)
	if !ok || lo != (mgl64.Vec3{9, 3, -3}) || hi != (mgl64.Vec3{11, 7, 3}) {
		t.Errorf("from %v to %v", lo, hi)
	}
	floor := 1.5
	for _, ground := range []*float64{nil, &floor} {
		var sc scene
		sc.reset(&physics.Info{Shapes: shapes, Ground: ground})
		sc.first(s)
		if want := 3 - 0.015*sc.size; ground == nil && sc.ground.y != want || ground != nil && sc.ground.y != floor {
			t.Errorf("the ground is at %g m", sc.ground.y)
		}
	}
}

// The zero of a field that can be negative is the middle of its colours, and a field in
// other units does not keep the range of the last one.
func TestSignedFieldHasItsZeroInTheMiddle(t *testing.T) {
	bodies := []physics.SurfaceInfo{{Name: "a", Triangles: [][3]int32{{0, 1, 2}}}}
	sc := &scene{}
	sc.reset(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "stress", Unit: "Pa"}, {Name: "pressure", Unit: "Pa", Signed: true}}})
	s := &physics.Frame{Field: 1, Surfaces: []physics.Surface{{Vertices: []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, Scalar: []float64{0, 1e6, 5e5}}}}
	opt := Options{Bodies: []BodyView{{Field: true}}}
	cam := DefaultCamera()
	for _, c := range []struct {
		field  int
		values []float64
		want   [3]float32
	}{{1, []float64{0, 1e6, 5e5}, [3]float32{0, 1, 0.5}}, {2, []float64{-10, 0, 5}, [3]float32{0, 0.5, 0.75}}, {0, []float64{1, 1, 1}, [3]float32{}}} {
		s.Field, s.Surfaces[0].Scalar = c.field, c.values
		sc.build(s, &cam, &opt, Viewport{Width: 100, Height: 100})
		f := sc.surfaces[0]
		for i, n := range f.node {
			if got := f.verts[vertexFloats*i+3]; sc.field.on[0] && math.Abs(float64(got-c.want[n])) > 1e-6 || sc.field.on[0] != (c.field > 0) {
				t.Errorf("field %d: %g is coloured %g, want %g", c.field, c.values[n], got, c.want[n])
			}
		}
	}
}

// decode is the light of a value of sRGB.
func decode(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// Of two tools the one in hand has the ghost and the handle.
func TestToolInHand(t *testing.T) {
	sc := &scene{}
	sc.reset(&physics.Info{Surfaces: []physics.SurfaceInfo{{Name: "first", Driven: true}, {Name: "body"}, {Name: "second", Driven: true, Second: true}}})
	for turned, want := range map[bool]int{false: 0, true: 2} {
		if sc.choose(turned); len(sc.driven) != 1 || sc.driven[0] != want {
			t.Errorf("turned %v: %v, want %d", turned, sc.driven, want)
		}
	}
}
