package mesh

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// A bar of so many cells across says so, as hexahedra and as tetrahedra, whichever way it lies and
// wherever it is held at its end.
func TestThinnestCountsTheCellsAcross(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for axis := range 3 {
			if axis > 0 && n != 3 {
				continue
			}
			size, cells := mgl64.Vec3{0.01, 0.01, 0.01}, [3]int{n, n, n}
			size[axis], cells[axis] = 0.08, 8*n
			box, err := Box(mgl64.Vec3{1, 2, 3}, size, cells)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*Mesh{box, box.Tetrahedra()} {
				thin, ok := m.thinnest(m.NodeSets[[3]string{"left", "bottom", "back"}[axis]])
				if !ok || math.Abs(thin.Thickness-0.01) > 1e-9 || math.Abs(thin.Extent-0.08) > 1e-9 || math.Abs(thin.Cells-float64(n)) > 0.01*float64(n) {
					t.Errorf("%d cells along axis %d: %+v, %v", n, axis, thin, ok)
				}
			}
		}
	}
}

// What is compact, or lies on a support over all its width, does not bend.
func TestThinnestIsSilentOnCompactBodies(t *testing.T) {
	for _, c := range []struct {
		size  mgl64.Vec3
		cells [3]int
		held  string
		bends bool
	}{
		{mgl64.Vec3{1, 1, 1}, [3]int{3, 3, 3}, "bottom", false},
		{mgl64.Vec3{2, 1, 1}, [3]int{6, 3, 3}, "", false},
		{mgl64.Vec3{1, 0.1, 1}, [3]int{20, 2, 20}, "bottom", false},
		{mgl64.Vec3{1, 0.1, 1}, [3]int{20, 2, 20}, "left", true},
	} {
		m, err := Box(mgl64.Vec3{}, c.size, c.cells)
		if err != nil {
			t.Fatal(err)
		}
		if thin, ok := m.thinnest(m.NodeSets[c.held]); ok != c.bends {
			t.Errorf("%v held at %q: %+v, bends %v", c.size, c.held, thin, ok)
		}
	}
}
