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

// cook is Cook's membrane of n x n cells, with the table's edge load on the nodes
// of its right side.
func cook(t testing.TB, n int, total float64) (m *mesh.Mesh, fixed []int32, loads map[int32]float64, corner int32) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{1, 1, 1}, [3]int{n, n, 1})
	if err != nil {
		t.Fatal(err)
	}
	loads = map[int32]float64{}
	for i, p := range m.Nodes {
		a, b := p[0], p[1]
		m.Nodes[i] = mgl64.Vec3{48 * a, 44*a + b*(44-28*a), p[2]}
		if a == 0 {
			fixed = append(fixed, int32(i))
		}
		if a == 1 {
			share := total / float64(2*n) // half on each face
			if b == 0 || b == 1 {
				share /= 2
			}
			loads[int32(i)] = share
			if b == 1 {
				corner = int32(i)
			}
		}
	}
	return m, fixed, loads, corner
}

// Cook's membrane, nearly incompressible: the table's displacements of the locking
// hexahedron and of that with mean dilatation; and the quadratic tetrahedron with
// mean dilatation, which nobody has computed for us, comes to the same limit.
func TestCookMembrane(t *testing.T) {
	if testkit.Race {
		t.Skip("slow under the race detector")
	}
	var table struct {
		Nonlinear struct {
			Mu, Kappa float64
			Total     float64 `json:"F_total"`
			Cells     []int   `json:"cells_per_side"`
		} `json:"nonlinear"`
		Expected struct {
			Nonlinear []struct {
				MD []float64 `json:"hex8_md_tip_u"`
				U  []float64 `json:"hex8_tip_u"`
			} `json:"nonlinear"`
		} `json:"expected"`
	}
	readTable(t, "cook_membrane", &table)
	law := solid.NeoHookeanIsovol(table.Nonlinear.Mu, table.Nonlinear.Kappa)
	solve := func(m *mesh.Mesh, form solid.Formulation, fixed []int32, loads map[int32]float64, corner int32) mgl64.Vec3 {
		b, err := solid.New(m, form, law)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewStatics(b, fixed)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i := range m.Nodes { // plane strain
			if err := s.Prescribe(int32(i), 2, 0); err != nil {
				t.Fatal(err)
			}
		}
		for n, f := range loads {
			s.Load[3*n+1] = f
		}
		if err := s.Solve(t.Context()); err != nil {
			t.Fatal(err)
		}
		u := displacements(b, s.X)
		return mgl64.Vec3{u[3*corner], u[3*corner+1], u[3*corner+2]}
	}
	for i, n := range table.Nonlinear.Cells {
		if n > 8 {
			continue
		}
		m, fixed, loads, corner := cook(t, n, table.Nonlinear.Total)
		for form, want := range map[solid.Formulation][]float64{solid.Full: table.Expected.Nonlinear[i].U, solid.MeanDilatation: table.Expected.Nonlinear[i].MD} {
			u := solve(m, form, fixed, loads, corner)
			for k, w := range want {
				if math.Abs(u[k]-w) > 1e-6*math.Abs(want[1]) {
					t.Errorf("%d cells, formulation %d: tip %v, want %v", n, form, u, want)
					break
				}
			}
		}
	}
	best := table.Expected.Nonlinear[len(table.Expected.Nonlinear)-1].MD[1]
	// tetrahedra: the same, each hexahedron split in six
	const n = 8
	hex, fixed, loads, corner := cook(t, n, table.Nonlinear.Total)
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

// Free fall and the released oscillator follow the schemes' own closed forms.
func TestDynamicsClosedForms(t *testing.T) {
	var table struct {
		Fall struct {
			V0 float64 `json:"v0_m_s"`
			Z0 float64 `json:"z0_m"`
			G  float64 `json:"g"`
			H  float64 `json:"h_s"`
			N  []int   `json:"n"`
		} `json:"free_fall"`
		Expected struct {
			Fall struct {
				Euler   []float64 `json:"implicit_euler_z_m"`
				Newmark []float64 `json:"newmark_z_m"`
			} `json:"free_fall"`
		} `json:"expected"`
	}
	readTable(t, "dyn_closed_forms", &table)
	lambda, mu := solid.Lame(5000, 0.4)
	for how, want := range map[Scheme][]float64{{}: table.Expected.Fall.Euler, AverageAcceleration: table.Expected.Fall.Newmark} {
		m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.02, 0.02, 0.02}, [3]int{2, 1, 1})
		if err != nil {
			t.Fatal(err)
		}
		b, err := solid.New(m, solid.Full, solid.NeoHookeanLog{Lambda: lambda, Mu: mu})
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDynamics(b, nil, how, table.Fall.H, 1000, true, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for i, mass := range b.LumpedMass(1000) {
			d.Load[3*i+2] = -mass * table.Fall.G
			d.V[3*i+2] = table.Fall.V0
		}
		if err := d.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		step := 0
		for i, n := range table.Fall.N {
			for ; step < n; step++ {
				if err := d.Advance(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for at := 0; at < len(d.X); at += 3 {
				if z := table.Fall.Z0 + d.X[at+2] - m.Nodes[at/3][2]; math.Abs(z-want[i]) > 1e-10 {
					t.Fatalf("%+v, step %d: z = %.12g, want %.12g", how, n, z, want[i])
				}
			}
		}
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
