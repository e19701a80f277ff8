package fem

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// Under a uniform strain every node has that strain and the stress of Hooke's law.
func TestTensorsOfUniformStrain(t *testing.T) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{1, 2, 1}, [3]int{2, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	s := NewStress(m)
	h := [3][3]float64{{0.01, 0.004, -0.002}, {0, -0.003, 0.006}, {0.002, 0, 0.005}} // du_i/dx_k
	u := make([]float64, 3*len(m.Nodes))
	for n, x := range m.Nodes {
		for i := range 3 {
			for k := range 3 {
				u[3*n+i] += h[i][k] * x[k]
			}
		}
	}
	steel := Material{Young: 7e3, Poisson: 0.3}
	strain, stress := make([][6]float64, len(m.Nodes)), make([][6]float64, len(m.Nodes))
	s.Tensors(strain, stress, steel, u)
	mises := make([]float64, len(m.Nodes))
	s.VonMises(mises, steel, u)
	pressure, largest := make([]float64, len(m.Nodes)), make([]float64, len(m.Nodes))
	s.Pressure(pressure, steel, u)
	s.Largest(largest, u)
	// E = 7 kPa, nu = 0.3: lambda = 4038.46 Pa, mu = 2692.31 Pa
	lambda, mu := 7e3*0.3/(1.3*0.4), 7e3/2.6
	wantStrain := [6]float64{0.01, -0.003, 0.005, 0.002, 0.003, 0}
	for n := range m.Nodes {
		for k, e := range wantStrain {
			want := 2 * mu * e
			if k < 3 {
				want += lambda * 0.012
			}
			if math.Abs(strain[n][k]-e) > 1e-15 || math.Abs(stress[n][k]-want) > 1e-9 {
				t.Fatalf("node %d, component %d: strain %g, want %g; stress %g, want %g", n, k, strain[n][k], e, stress[n][k], want)
			}
		}
		x := &stress[n]
		same := math.Sqrt(((x[0]-x[1])*(x[0]-x[1])+(x[1]-x[2])*(x[1]-x[2])+(x[2]-x[0])*(x[2]-x[0]))/2 + 3*(x[3]*x[3]+x[4]*x[4]+x[5]*x[5]))
		if math.Abs(mises[n]-same) > 1e-9 {
			t.Fatalf("node %d: von Mises %g, of the tensor %g", n, mises[n], same)
		}
		if mean := -(x[0] + x[1] + x[2]) / 3; math.Abs(pressure[n]-mean) > 1e-9 || mean > -50 {
			t.Fatalf("node %d: pressure %g, of the tensor %g", n, pressure[n], mean)
		}
		// det(strain - l) = 0
		a, b, c, d, e, f := strain[n][0]-largest[n], strain[n][1]-largest[n], strain[n][2]-largest[n], strain[n][3], strain[n][4], strain[n][5]
		if det := a*(b*c-e*e) - d*(d*c-e*f) + f*(d*e-b*f); math.Abs(det) > 1e-18 || largest[n] < 0.01 {
			t.Fatalf("node %d: largest strain %g leaves a determinant of %g", n, largest[n], det)
		}
	}
}
