package fem

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// A uniform gradient has its strains everywhere, whatever the element; a mirrored
// body is turned over throughout.
func TestStrainsOfUniformGradients(t *testing.T) {
	for _, kind := range []mesh.ElementType{mesh.Tet4, mesh.Hex8} {
		m := unitElement(t, kind)
		s := NewStress(m)
		for _, c := range []struct {
			h        [3][3]float64
			inverted int
			beyond   int
			largest  float64
		}{
			{[3][3]float64{}, 0, 0, 0},
			{[3][3]float64{{0, -0.3, 0}, {0.3, 0, 0}, {}}, 0, 0, 0},            // a small rotation
			{[3][3]float64{{-0.4, 0, 0}, {0, 0.1, 0}, {0, 0, 0.2}}, 0, 1, 0.4}, // compressed
			{[3][3]float64{{0, 0.18, 0}, {}, {}}, 0, 0, 0.09},                  // not yet
			{[3][3]float64{{0, 0.6, 0}, {}, {}}, 0, 1, 0.3},                    // simple shear: half of it
			{[3][3]float64{{-1.5, 0, 0}, {}, {}}, 1, 1, 1.5},                   // turned over
		} {
			u := make([]float64, 3*len(m.Nodes))
			for i, x := range m.Nodes {
				for r := range 3 {
					u[3*i+r] = c.h[r][0]*x[0] + c.h[r][1]*x[1] + c.h[r][2]*x[2]
				}
			}
			inverted, beyond, largest := s.Strains(u)
			marks := make([]float64, len(m.Nodes))
			s.Beyond(marks, u)
			for n, mark := range marks {
				if mark != float64(c.beyond) {
					t.Errorf("%v, %v: node %d is marked %g", kind, c.h, n, mark)
				}
			}
			if inverted != c.inverted || beyond != c.beyond || math.Abs(largest-c.largest) > 1e-12 {
				t.Errorf("%v, %v: %d elements, %d beyond, strain %g, want %d, %d, %g", kind, c.h, inverted, beyond, largest, c.inverted, c.beyond, c.largest)
			}
		}
	}
}

func unitElement(t *testing.T, kind mesh.ElementType) *mesh.Mesh {
	t.Helper()
	m := &mesh.Mesh{Nodes: []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}}
	nodes := []int32{0, 1, 2, 3, 4, 5, 6, 7}
	if kind == mesh.Tet4 {
		m.Nodes = []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		nodes = nodes[:4]
	}
	m.Blocks = []mesh.Block{{Type: kind, Nodes: nodes}}
	return m
}
