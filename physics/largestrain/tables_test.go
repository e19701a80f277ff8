package largestrain

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/fem/solid"
	"hapco/physics/mesh"
	"hapco/physics/modes"
	"hapco/physics/testkit"
)

// readTable reads a table of closed forms or published numbers.
func readTable(t testing.TB, name string, to any) {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(to); err != nil {
		t.Fatal(err)
	}
}

// Cook's membrane, nearly incompressible: the quadratic tetrahedron with mean dilatation, which
// nobody has computed for us, comes to the limit of the table's hexahedra.
func TestCookMembrane(t *testing.T) {
	if testkit.Race {
		t.Skip("slow under the race detector")
	}
	var table struct {
		Nonlinear struct {
			Mu, Kappa float64
			Total     float64 `json:"F_total"`
		} `json:"nonlinear"`
		Expected struct {
			Nonlinear []struct {
				MD []float64 `json:"hex8_md_tip_u"`
			} `json:"nonlinear"`
		} `json:"expected"`
	}
	readTable(t, "cook_membrane", &table)
	law := solid.NeoHookeanIsovol(table.Nonlinear.Mu, table.Nonlinear.Kappa)
	solve := func(m *mesh.Mesh, form solid.Formulation, fixed []int32, loads map[int32]float64, corner int32) mgl64.Vec3 {
		tip, _, err := planeStrain(t.Context(), m, form, law, fixed, loads, corner)
		if err != nil {
			t.Fatal(err)
		}
		return tip
	}
	const n = 8
	hex, fixed, loads, corner, err := cookMembrane(n, table.Nonlinear.Total)
	if err != nil {
		t.Fatal(err)
	}
	best := table.Expected.Nonlinear[len(table.Expected.Nonlinear)-1].MD[1]
	// tetrahedra: the same, each hexahedron split in six
	tet := &mesh.Mesh{Nodes: hex.Nodes, Blocks: []mesh.Block{{Type: mesh.Tet4}}}
	for e := range hex.Blocks[0].Len() {
		c := hex.Blocks[0].Element(e)
		ring := []int32{c[1], c[2], c[3], c[7], c[4], c[5], c[1]}
		for k := range 6 {
			tet.Blocks[0].Nodes = append(tet.Blocks[0].Nodes, c[0], ring[k], ring[k+1], c[6])
		}
	}
	linear := solve(tet, solid.Full, fixed, loads, corner)
	q, _, err := modes.Quadratic(tet)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(tet.Nodes); i < len(q.Nodes); i++ {
		if q.Nodes[i][0] == 0 {
			fixed = append(fixed, int32(i))
		}
	}
	quadratic := solve(q, solid.MeanDilatation, fixed, loads, corner)
	t.Logf("tip: linear tetrahedra %.3f, quadratic with mean dilatation %.3f, finest hexahedra %.3f", linear[1], quadratic[1], best)
	if math.Abs(quadratic[1]-best) > 0.02*best {
		t.Errorf("quadratic tetrahedra with mean dilatation: tip %.4f, want %.4f within 2 %%", quadratic[1], best)
	}
	if linear[1] > 0.7*best {
		t.Errorf("linear tetrahedra do not lock: %.4f of %.4f; the test shows nothing", linear[1], best)
	}
}

// A cantilever that is let go swings with the period of its lowest frequency; the
// average acceleration keeps its energy, implicit Euler loses some of it.
func TestSwing(t *testing.T) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.01, 0.01, 0.05}, [3]int{1, 1, 6})
	if err != nil {
		t.Fatal(err)
	}
	lambda, mu := solid.Lame(5000, 0.3)
	fixed, tips := m.NodeSets["back"], m.NodeSets["front"]
	law := solid.StVenantKirchhoff{Lambda: lambda, Mu: mu}
	b, err := solid.New(m, solid.Full, law)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Frequencies(t.Context(), b, fixed, 1000, true, 2)
	if err != nil {
		t.Fatal(err)
	}
	period := 2 * math.Pi / w[0]
	for how, keeps := range map[Scheme]bool{AverageAcceleration: true, {}: false} {
		s, err := NewStatics(b, fixed)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range tips {
			s.Load[3*n] = 2e-5
		}
		if err := s.Solve(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := b.Energy(s.X)
		d, err := NewDynamics(b, fixed, how, period/100, 1000, true, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		copy(d.X, s.X)
		s.Close()
		d.Tolerance = 1e-10
		if err := d.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := d.X[3*tips[0]] - m.Nodes[tips[0]][0]
		for range 50 {
			if err := d.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		half := d.X[3*tips[0]] - m.Nodes[tips[0]][0]
		total := b.Energy(d.X) + d.Kinetic()
		d.Close()
		if keeps && (math.Abs(total-start) > 1e-3*start || math.Abs(half+first) > 0.03*first) {
			t.Errorf("average acceleration: energy %g J of %g, tip %g m after %g", total, start, half, first)
		}
		if !keeps && !(total < 0.95*start && total > 0.3*start) {
			t.Errorf("implicit Euler: energy %g J of %g", total, start)
		}
	}
}

// The element that turns as a whole has a tangent that is not symmetric: a time
// step converges all the same, and moves like points that turn one by one.
func TestDynamicsOfTurningElements(t *testing.T) {
	lambda, mu := solid.Lame(5000, 0.4)
	var tips [2]float64
	for i, form := range []solid.Formulation{solid.Full, solid.ElementRotation} {
		m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.02, 0.02, 0.06}, [3]int{2, 2, 5})
		if err != nil {
			t.Fatal(err)
		}
		b, err := solid.New(m, form, solid.Corotational{Lambda: lambda, Mu: mu})
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDynamics(b, m.NodeSets["back"], Scheme{}, 0.01, 1000, true, 1, 0.001)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range m.NodeSets["front"] {
			d.Load[3*n] = 0.01
		}
		iterations := 0
		d.Trace = func(float64, int, float64) { iterations++ }
		for range 12 {
			if err := d.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		d.Close()
		n := m.NodeSets["front"][0]
		tips[i] = d.X[3*n] - m.Nodes[n][0]
		if iterations > 12*7 {
			t.Errorf("formulation %d: %d iterations for 12 steps", form, iterations)
		}
	}
	if math.Abs(tips[0]-tips[1]) > 0.02*tips[0] || tips[0] < 0.005 {
		t.Errorf("tips at %g and %g m", tips[0], tips[1])
	}
}
