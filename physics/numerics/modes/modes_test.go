package modes

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem"
)

var steel = fem.Material{Young: 210e9, Poisson: 0.3, Density: 7800}

func bar(t testing.TB, size mgl64.Vec3, n [3]int) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Box(mgl64.Vec3{}, size, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A square bar: modes of bending come in pairs, none is missing, residuals are
// rounding, and frequencies are those of Timoshenko's beam.
func TestBar(t *testing.T) {
	const l, a = 0.5, 0.02
	m := bar(t, mgl64.Vec3{l, a, a}, [3]int{30, 2, 2})
	for _, held := range []bool{false, true} {
		opt := Options{Count: 9}
		if held {
			opt.Fixed = m.NodeSets["left"]
		}
		got, err := Solve(t.Context(), m, steel, opt)
		if err != nil {
			t.Fatal(err)
		}
		if got.Below != got.Found || got.Found < 9+got.Rigid {
			t.Errorf("held %v: %d found, %d counted", held, got.Found, got.Below)
		}
		for i, r := range got.Residual {
			if r > 1e-8 {
				t.Errorf("held %v: mode %d: residual %.2g", held, i, r)
			}
		}
		for i := range got.Phi {
			if mass := modalMass(got, i, i); math.Abs(mass-1) > 1e-10 {
				t.Errorf("held %v: mode %d: modal mass %.12g", held, i, mass)
			}
			for j := range i {
				if mass := modalMass(got, i, j); math.Abs(mass) > 1e-10 {
					t.Errorf("held %v: modes %d and %d are not orthogonal: %.2g", held, i, j, mass)
				}
			}
		}
		// The first pair of bending, with shear and rotary inertia: a free beam's
		// frequency falls by about (beta r)^2 (1 + E/(k G))/2 with r^2 = a^2/12, and
		// by the terms of the ends, which are as large.
		beta := 4.730040745 / l
		if held {
			beta = 1.875104069 / l
		}
		omega := beta * beta * math.Sqrt(steel.Young*a*a/12/steel.Density)
		for _, w := range got.Omega[:2] {
			if d := w/omega - 1; math.Abs(d) > 0.012 || math.Abs(w/got.Omega[0]-1) > 1e-6 {
				t.Errorf("held %v: %.6g 1/s, %.3g off Euler-Bernoulli's %.6g", held, w, d, omega)
			}
		}
		if !held { // nothing rigid in it
			for i := range got.Phi {
				for c := range 3 {
					field := make([]float64, len(got.Phi[i]))
					for k := c; k < len(field); k += 3 {
						field[k] = 1
					}
					if p := got.Participation(i, field); math.Abs(p) > 1e-9 {
						t.Errorf("mode %d moves the centre of mass: %.2g", i, p)
					}
				}
			}
		}
	}
}

func modalMass(m *Modes, i, j int) float64 { return m.Participation(i, m.Phi[j]) }

// A cube's mesh of tetrahedra has the same modes as that of hexahedra, the more
// exactly the finer.
func TestTetrahedra(t *testing.T) {
	hex := bar(t, mgl64.Vec3{0.1, 0.1, 0.13}, [3]int{5, 5, 6})
	tet := &mesh.Mesh{Nodes: hex.Nodes}
	block := mesh.Block{Type: mesh.Tet4}
	for e := range hex.Blocks[0].Len() {
		n := hex.Blocks[0].Element(e)
		for _, k := range [6][4]int{{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}} {
			block.Nodes = append(block.Nodes, n[k[0]], n[k[1]], n[k[2]], n[k[3]])
		}
	}
	tet.Blocks = []mesh.Block{block}
	a, err := Solve(t.Context(), hex, steel, Options{Count: 8})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Solve(t.Context(), tet, steel, Options{Count: 8})
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Omega {
		if d := math.Abs(b.Omega[i]/a.Omega[i] - 1); d > 5e-3 {
			t.Errorf("mode %d: %.6g and %.6g 1/s", i, a.Omega[i], b.Omega[i])
		}
		if a.Residual[i] > 1e-8 || b.Residual[i] > 1e-8 {
			t.Errorf("mode %d: residuals %.2g, %.2g", i, a.Residual[i], b.Residual[i])
		}
	}
	if a.Below != a.Found || b.Below != b.Found {
		t.Errorf("found %d and %d, counted %d and %d", a.Found, b.Found, a.Below, b.Below)
	}
}

func TestRefuses(t *testing.T) {
	m := bar(t, mgl64.Vec3{1, 1, 1}, [3]int{1, 1, 1})
	two := &mesh.Mesh{Nodes: append(append([]mgl64.Vec3{}, m.Nodes...), m.Nodes...), Blocks: []mesh.Block{{Type: mesh.Hex8, Nodes: []int32{0, 1, 3, 2, 4, 5, 7, 6, 8, 9, 11, 10, 12, 13, 15, 14}}}}
	for name, f := range map[string]func() error{
		"no mass": func() error {
			_, err := Solve(t.Context(), m, fem.Material{Young: 1, Poisson: 0.3}, Options{Count: 1})
			return err
		},
		"no modes":    func() error { _, err := Solve(t.Context(), m, steel, Options{}); return err },
		"too many":    func() error { _, err := Solve(t.Context(), m, steel, Options{Count: 1000}); return err },
		"two parts":   func() error { _, err := Solve(t.Context(), two, steel, Options{Count: 1}); return err },
		"held at one": func() error { _, err := Solve(t.Context(), m, steel, Options{Count: 1, Fixed: []int32{0}}); return err },
		"no node": func() error {
			_, err := Solve(t.Context(), m, steel, Options{Count: 1, Fixed: []int32{99}})
			return err
		},
	} {
		if err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Twenty modes of a mesh of 10 000 nodes.
func TestTenThousandNodes(t *testing.T) {
	if testing.Short() || testkit.Race {
		t.Skip("some seconds")
	}
	m := bar(t, mgl64.Vec3{0.3, 0.25, 0.2}, [3]int{24, 20, 18})
	got, err := Solve(t.Context(), m, steel, Options{Count: 20, Linear: true})
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for _, r := range got.Residual {
		worst = max(worst, r)
	}
	t.Logf("%d nodes: residual %.2g", len(m.Nodes), worst)
	if worst > 1e-8 || got.Below != got.Found {
		t.Errorf("residual %.2g, %d of %d modes", worst, got.Found, got.Below)
	}
}
