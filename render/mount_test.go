package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// A plate lies behind the nodes that cannot move where these are a flat side of the body, whichever it is, and nowhere
// else; it and the body's shadow go when the body is hidden, and the ground lies below it.
func TestFlatSidesAreMounted(t *testing.T) {
	g := newStage(t, 2)
	bodies, s := fakeBlocks()
	if err := g.r.SetScene(&physics.Info{Surfaces: bodies}); err != nil {
		t.Fatal(err)
	}
	g.s = s
	ground := func(o *Options) { plain(o); o.Ground, o.Shadow = true, true }
	g.draw("mount", ground)
	sc := &g.r.scene
	if len(sc.mounts.runs) != 1 || sc.mounts.runs[0][0] != 1 || !sc.mounts.held[1] || sc.mounts.held[0] || !(sc.ground.y < -0.02) {
		t.Fatalf("plates %v, ground at %g m", sc.mounts.runs, sc.ground.y)
	}
	hidden := func(o *Options) { ground(o); o.Bodies = []BodyView{{Hidden: true}, {Hidden: true}} }
	x, y := g.at(mgl64.Vec3{0, sc.ground.y, 0})
	dark := func(o *Options) { hidden(o); o.Shadow = false }
	if a, b := mean(g.draw("", hidden), x, y, 4), mean(g.draw("", dark), x, y, 4); distance(a, b) > 3 {
		t.Errorf("where all is hidden the ground is %v, without shadows %v", a, b)
	}
	block := s.Surfaces[1].Vertices
	for axis := range 3 {
		for _, up := range []bool{false, true} {
			fixed := make([]bool, len(block))
			end := mgl64.Vec3{-0.04, -0.02, -0.04}
			if up {
				end = end.Mul(-1)
			}
			for i, p := range block {
				fixed[i] = math.Abs(p[axis]-end[axis]) < 1e-6
			}
			lo, hi, at, thick := flatPart(block, fixed)
			if thick == 0 || at != axis || up && math.Abs(lo[axis]-end[axis]) > 1e-9 || !up && math.Abs(hi[axis]-end[axis]) > 1e-9 {
				t.Errorf("axis %d, %t: a plate from %v to %v across axis %d", axis, up, lo, hi, at)
			}
			fixed[len(fixed)/2] = true // one more that is elsewhere
			if _, _, _, thick := flatPart(block, fixed); thick != 0 && !(math.Abs(block[len(fixed)/2][axis]-end[axis]) < 1e-6) {
				t.Errorf("axis %d, %t: nodes that lie in no plane have a plate", axis, up)
			}
		}
	}
	if _, _, _, thick := flatPart(block, make([]bool, len(block))); thick != 0 {
		t.Error("a free body has a plate")
	}
}

// A grain knows on which side its neighbours are and how many; alone it has none and is drawn small. What flies far
// away costs no more than a coarser grid.
func TestGrainsKnowTheirNeighbours(t *testing.T) {
	code := func(p physics.Point) (sum mgl64.Vec3, count float64) {
		c := int(p.Scalar)
		for a := range 3 {
			sum[2-a] = float64(c>>(6*a)&63)/31.5 - 1
		}
		return sum, float64(c>>18) / 63 * 12
	}
	var h grains
	points := []physics.Point{{Radius: 1}, {Position: [3]float32{2, 0, 0}, Radius: 1}, {Position: [3]float32{-1, 1.7, 0}, Radius: 1}, {Position: [3]float32{1e6, 3, 0}, Radius: 1}}
	for range 2 { // buffers are used again
		got := h.build(points, 1.5)
		sum, n := code(got[0])
		if math.Abs(n-2) > 0.2 || math.Abs(sum[0]-0.1) > 0.04 || math.Abs(sum[1]-0.17) > 0.04 || math.Abs(sum[2]) > 0.04 {
			t.Errorf("the first has %.2f neighbours towards %.2f", n, sum)
		}
		if sum, n := code(got[1]); math.Abs(n-1) > 0.2 || math.Abs(sum[0]+0.2) > 0.04 {
			t.Errorf("the second has %.2f neighbours towards %.2f", n, sum)
		}
		if _, n := code(got[3]); n != 0 || got[3].Radius != 0.8 || points[3].Radius != 1 || len(h.head) > 65*65*65 {
			t.Errorf("one alone has %.2f neighbours and is %g wide; %d cells", n, got[3].Radius, len(h.head))
		}
	}
}

// Sand, snow, water and each material look like themselves: another picture than that of plain paint, and no error of
// the driver.
func TestMaterialsDiffer(t *testing.T) {
	g := newStage(t, 2)
	x, tris := ball(1)
	show := func(material, grains string) {
		info := &physics.Info{Shapes: []physics.Shape{{Vertices: x, Triangles: tris, Material: material}}}
		if err := g.r.SetScene(info); err != nil {
			t.Fatal(err)
		}
		g.s = heap(300)
		g.s.Grains = grains
		g.s.Instances = []physics.Instance{{Pose: frame.At(mgl64.Vec3{14, 6, 6}), Color: mgl64.Vec3{0.7, 0.3, 0.2}}}
		lo, hi, _ := Bounds(g.s, nil, info.Shapes...)
		g.cam.FitBounds(lo, hi, 1.6)
	}
	show("", "")
	paint := g.draw("paint", plain)
	for _, m := range physics.ShapeMaterials[1:] {
		show(m, "")
		if n := differing(paint, g.draw(m, plain)); n < 300 {
			t.Errorf("%s differs from paint in %d pixels", m, n)
		}
	}
	for grains := range grainKinds {
		show("", grains)
		if n := differing(paint, g.draw(grains, plain)); n < 3000 {
			t.Errorf("%s differs from balls in %d pixels", grains, n)
		}
	}
}
