package flex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/mesh"
)

func beam(t testing.TB) (*mesh.Mesh, []int32) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.08, 0.025, 0.035}, [3]int{10, 5, 10})
	if err != nil {
		t.Fatal(err)
	}
	return m, m.NodeSets["end"]
}

func TestComplianceAgainstSolve(t *testing.T) {
	m, fixed := beam(t)
	f, err := Factorize(m, fixed, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	nodes := m.Surface().Nodes
	c, err := f.Compliance(context.Background(), nodes, nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	force := make([]float64, 3*len(m.Nodes))
	part := make([]float64, 3*len(nodes))
	all := make([]int32, len(nodes))
	for i, n := range nodes {
		all[i] = int32(i)
		for k := range 3 {
			part[3*i+k] = rng.NormFloat64()
			force[3*int(n)+k] = part[3*i+k]
		}
	}
	want := make([]float64, len(force))
	f.Solve(want, force)
	got := make([]float64, len(part))
	c.Displace(got, all, part)
	scale, worst := 0.0, 0.0
	for i, n := range nodes {
		for k := range 3 {
			scale = math.Max(scale, math.Abs(want[3*int(n)+k]))
			worst = math.Max(worst, math.Abs(want[3*int(n)+k]-got[3*i+k]))
		}
	}
	if !(worst <= 1e-11*scale) {
		t.Errorf("worst difference %g of %g", worst, scale)
	}
}

func BenchmarkCompliance(b *testing.B) {
	m, fixed := beam(b)
	nodes := m.Surface().Nodes
	for b.Loop() {
		f, err := Factorize(m, fixed, 0.4)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Compliance(context.Background(), nodes, nil); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}
