package fem_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/flex"
)

// cantilever is how far a load at the end of a clamped bar, 8 x 1 x 1 with n cells across, moves
// that end in its own direction, m/N at E = 1.
func cantilever(t *testing.T, n int, nu float64, tets bool) float64 {
	t.Helper()
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{8, 1, 1}, [3]int{8 * n, n, n})
	if err != nil {
		t.Fatal(err)
	}
	if tets {
		m = m.Tetrahedra()
	}
	f, err := flex.Factorize(m, m.NodeSets["left"], nu)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	load, u := make([]float64, 3*len(m.Nodes)), make([]float64, 3*len(m.Nodes))
	for _, node := range m.NodeSets["right"] { // a uniform shear on the end
		share := 1 / float64(n*n)
		for c := 1; c < 3; c++ {
			if x := m.Nodes[node][c]; x < 1e-9 || x > 1-1e-9 {
				share /= 2
			}
		}
		load[3*node+1] = share
	}
	f.Solve(u, load)
	way := 0.0
	for i := range u {
		way += load[i] * u[i]
	}
	return way
}

// What mesh.BendingExcess states is what the elements do at the end of a cantilever. The right answer
// is that of hexahedra, extrapolated from 4 and 6 cells, and within 4 % of Timoshenko's beam, whose
// clamped end is free to narrow.
func TestBendingIsAsStiffAsStated(t *testing.T) {
	ratios, counts := []float64{0, 0.3, 0.45}, []int{1, 2, 3, 4, 6}
	if testing.Short() {
		ratios, counts = []float64{0.3}, []int{1, 2, 3}
	}
	for _, nu := range ratios {
		coarse, fine := cantilever(t, 4, nu, false), cantilever(t, 6, nu, false)
		right := fine + (fine-coarse)/(36./16-1)
		shear := 10 * (1 + nu) / (12 + 11*nu)
		beam := 8.*8*8/3*12 + 8*2*(1+nu)/shear
		if math.Abs(right/beam-1) > 0.04 {
			t.Errorf("nu %g: %g m/N, a beam %g", nu, right, beam)
		}
		for _, n := range counts {
			for _, c := range []struct {
				element mesh.ElementType
				margin  float64
			}{{mesh.Tet4, 0.2}, {mesh.Hex8, 1. / 3}} {
				excess := right/cantilever(t, n, nu, c.element == mesh.Tet4) - 1
				stated := mesh.BendingExcess(c.element, float64(n), nu)
				t.Logf("nu %g, %d cells of %v: %.3f, stated %.3f", nu, n, c.element, excess, stated)
				if math.Abs(excess-stated) > c.margin*stated {
					t.Errorf("nu %g, %d cells of %v: too stiff by %.3f, stated %.3f", nu, n, c.element, excess, stated)
				}
			}
		}
	}
}
