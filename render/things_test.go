package render

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// Triangles of a frame's own show in the colours of their corners, may be others in the
// next frame, count for the bounds, and are left out where a corner is missing.
func TestLooseTriangles(t *testing.T) {
	g := newStage(t, 2)
	var lo, hi mgl64.Vec3
	quad := func(y float64, color [3]float32) {
		g.s.Vertices = g.s.Vertices[:0]
		for _, c := range [4][2]float32{{-1, -1}, {-1, 1}, {1, 1}, {1, -1}} {
			g.s.Vertices = append(g.s.Vertices, physics.Vertex{Position: [3]float32{0.05 * c[0], float32(y), 0.05 * c[1]}, Color: color})
		}
		g.s.Triangles = append(g.s.Triangles[:0], [3]uint32{0, 1, 2}, [3]uint32{0, 2, 3})
	}
	hide := func(o *Options) { plain(o); o.Bodies = []BodyView{{Hidden: true}, {Hidden: true}} }
	x, y := g.at(mgl64.Vec3{0, 0.1, 0})
	empty := mean(g.draw("", hide), x, y, 2)

	quad(0.1, [3]float32{0.9, 0.1, 0.1})
	red := mean(g.draw("loose", hide), x, y, 2)
	if red[0] < red[2]+60 || distance(red, empty) < 60 {
		t.Errorf("a red square is %v on %v", red, empty)
	}
	if lo, hi, _ = Bounds(g.s, nil); hi[1] < 0.0999 || lo[0] > -0.0499 {
		t.Errorf("bounds %v to %v", lo, hi)
	}
	quad(0.1, [3]float32{0.1, 0.1, 0.9})
	g.s.Vertices = append(g.s.Vertices, physics.Vertex{Position: [3]float32{0, 0.15, 0}, Color: [3]float32{0.1, 0.1, 0.9}})
	g.s.Triangles = append(g.s.Triangles, [3]uint32{0, 1, 4})
	if blue := mean(g.draw("", hide), x, y, 2); blue[2] < blue[0]+60 {
		t.Errorf("a blue square is %v", blue)
	}
	g.s.Triangles = append(g.s.Triangles, [3]uint32{0, 1, 5})
	if none := mean(g.draw("", hide), x, y, 2); distance(none, empty) > 3 {
		t.Errorf("a corner that does not exist was drawn: %v", none)
	}
}
