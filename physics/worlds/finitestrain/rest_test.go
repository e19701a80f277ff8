package finitestrain

import (
	"math"

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

// solveSmall solves a positive definite system in place, by Cholesky.
func solveSmall(a, b []float64, n int) bool {
	for j := range n {
		d := a[j*n+j]
		for k := range j {
			d -= a[j*n+k] * a[j*n+k]
		}
		if !(d > 1e-12*a[j*n+j]) {
			return false
		}
		d = math.Sqrt(d)
		a[j*n+j] = d
		for i := j + 1; i < n; i++ {
			v := a[i*n+j]
			for k := range j {
				v -= a[i*n+k] * a[j*n+k]
			}
			a[i*n+j] = v / d
		}
	}
	for i := range n {
		for k := range i {
			b[i] -= a[i*n+k] * b[k]
		}
		b[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= a[k*n+i] * b[k]
		}
		b[i] /= a[i*n+i]
	}
	return true
}
