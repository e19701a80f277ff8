package finitestrain

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/fem/solid"
)

// displacements are those of the nodes from rest, m.
func displacements(b *solid.Body, x []float64) []float64 {
	u := make([]float64, len(x))
	for i, p := range b.Mesh.Nodes {
		for k := range 3 {
			u[3*i+k] = x[3*i+k] - p[k]
		}
	}
	return u
}

func triples(v []float64) [][3]float64 {
	out := make([][3]float64, len(v)/3)
	for i := range out {
		copy(out[i][:], v[3*i:])
	}
	return out
}

func longest(u [][3]float64) float64 {
	far := 0.0
	for _, v := range u {
		far = max(far, mgl64.Vec3(v).Len())
	}
	return far
}
