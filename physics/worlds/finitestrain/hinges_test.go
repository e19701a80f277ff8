package finitestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

// Two triangles that fold towards each other about their edge are held once they are about
// to close, and while they have gone through each other; two that fold away are not.
func TestHingesHoldFoldsBeforeTheyClose(t *testing.T) {
	triangles := [][3]int32{{0, 1, 2}, {1, 0, 3}}
	at := func(angle float64) []mgl64.Vec3 { // node 3 is turned about the edge, 0: flat, up to pi: onto node 2
		sin, cos := math.Sincos(angle)
		return []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0.4, 2, 0}, {0.6, -cos, sin}}
	}
	s := &itself{triangles: triangles, rest: at(0)}
	edges, _, _ := collision.Edges(triangles)
	s.hinges = hinges(edges, triangles, s.rest, func(int32) bool { return true })
	if len(s.hinges) != 1 || s.hinges[0].node != 3 {
		t.Fatalf("%+v", s.hinges)
	}
	s.forget()
	h := &s.hinges[0]
	for _, c := range []struct {
		angle float64
		row   bool
	}{{0, false}, {-1, false}, {-2, false}, {-3.1, false}, {-1, false}, {0.1, false}, {1, false}, {1.8, true}, {3, true}, {3.3, true}, {3, true}, {1, false}} {
		s.at = at(c.angle)
		row, ok := h.row(s)
		if ok != c.row {
			t.Fatalf("turned by %g: a row is %v", c.angle, ok)
		}
		if ok {
			sum := mgl64.Vec3{}
			for k, n := range row.nodes {
				sum = sum.Add(s.at[n].Mul(row.share[k]))
			}
			if want := math.Sin(c.angle); math.Abs(row.gap-want) > 1e-12 || math.Abs(sum.Dot(row.frame[0])-want) > 1e-12 || sum.Cross(row.frame[0]).Len() > 1e-12 {
				t.Errorf("turned by %g: gap %g, way %v along %v", c.angle, row.gap, sum, row.frame[0])
			}
		}
		s.keep()
	}
}
