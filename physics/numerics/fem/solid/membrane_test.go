package solid

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// A balloon of a stretch of l resists with p = 2 mu t/R (1/l - 1/l^7): its forces do the work of that pressure. On a
// sheet that is drawn to l along x and held across the force is mu t (l - 1/l^3) a width.
func TestMembraneInClosedForm(t *testing.T) {
	const mu, thickness, side = 4e5, 1e-3, 0.02
	hex := boxMesh(t, [3]int{3, 3, 3}, mesh.Hex8, 0)
	soft := Corotational{Mu: 1e-9, Lambda: 1e-9}
	surface := hex.Surface()
	var all, lid [][3]int32
	area, lids := 0.0, 0.0
	for _, tri := range surface.Triangles {
		n := [3]int32{surface.Nodes[tri[0]], surface.Nodes[tri[1]], surface.Nodes[tri[2]]}
		a := hex.Nodes[n[1]].Sub(hex.Nodes[n[0]]).Cross(hex.Nodes[n[2]].Sub(hex.Nodes[n[0]])).Len() / 2
		all, area = append(all, n), area+a
		if hex.Nodes[n[0]][1] == 0 && hex.Nodes[n[1]][1] == 0 && hex.Nodes[n[2]][1] == 0 {
			lid, lids = append(lid, n), lids+a
		}
	}
	turned := mgl64.Rotate3DY(0.4).Mul3(mgl64.Rotate3DX(1.1))
	for _, l := range []float64{0.8, 1, 1.4, 2} {
		for name, c := range map[string]struct {
			triangles [][3]int32
			stretch   mgl64.Vec3
			work      float64 // dW/dl
		}{
			"balloon": {all, mgl64.Vec3{l, l, l}, 2 * mu * thickness * area * (l - math.Pow(l, -5))}, // = p dV/dl of a sphere of that area
			"sheet":   {lid, mgl64.Vec3{l, 1, 1}, mu * thickness * lids * (l - math.Pow(l, -3))},
		} {
			b, err := New(hex, Full, soft)
			if err != nil {
				t.Fatal(err)
			}
			block, err := b.AddMembrane(c.triangles, thickness, Membrane{mu})
			if err != nil || block != 1 {
				t.Fatal(block, err)
			}
			x, f := b.Rest(), make([]float64, 3*len(hex.Nodes))
			work := 0.0
			for n, at := range hex.Nodes {
				p := turned.Mul3x1(mgl64.Vec3{c.stretch[0] * at[0], c.stretch[1] * at[1], c.stretch[2] * at[2]})
				copy(x[3*n:], p[:])
			}
			b.Forces(f, x)
			for n, at := range hex.Nodes {
				way := at
				if name == "sheet" {
					way = mgl64.Vec3{at[0], 0, 0}
				}
				work += mgl64.Vec3(f[3*n : 3*n+3]).Dot(turned.Mul3x1(way))
			}
			if math.Abs(work-c.work) > 1e-9*mu*thickness*area {
				t.Errorf("%s, stretch %g: work %g N, want %g", name, l, work, c.work)
			}
		}
	}
}

// The forces of a body with a membrane are the slope of its energy, its tangent that of the forces, in lanes and
// assembled, too; det F is that of the body.
func TestMembraneDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	m := boxMesh(t, [3]int{1, 1, 1}, mesh.Tet10, 0)
	b, err := New(m, Best, Barrier{NeoHookeanLog{Lambda: 8e3, Mu: 2e3}, 4e3})
	if err != nil {
		t.Fatal(err)
	}
	s := m.Split().Surface()
	var triangles [][3]int32
	for _, tri := range s.Triangles {
		triangles = append(triangles, [3]int32{s.Nodes[tri[0]], s.Nodes[tri[1]], s.Nodes[tri[2]]})
	}
	x := bent(b, rng)
	least, _ := b.MinJ(x)
	if _, err := b.AddMembrane(triangles, 1e-3, Membrane{5e4}); err != nil {
		t.Fatal(err)
	}
	testDerivatives(t, "membrane", b, x)
	got, want := make([]float64, len(x)), make([]float64, len(x))
	b.Forces(want, x)
	c := newCells(b)
	if j := c.Forces(got, x); math.Abs(j-least) > 1e-12 {
		t.Errorf("smallest det F %g, want %g", j, least)
	}
	for i := range want {
		near(t, "force", got[i], want[i], 1e-9, 1)
	}
}
