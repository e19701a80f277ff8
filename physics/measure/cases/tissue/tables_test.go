package tissue

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/solid"
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
		tip, _ := planeStrain(t.Context(), m, form, law, fixed, loads, corner)
		return tip
	}
	const n = 8
	hex, fixed, loads, corner := cookMembrane(n, table.Nonlinear.Total)
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
	q, _ := tet.Quadratic()
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
