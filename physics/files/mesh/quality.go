package mesh

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Quality measures an element's shape by its corners: 1 for the ideal shape (regular tetrahedron, cube, prism and
// pyramid of equal edges), towards 0 as it collapses, not positive when it is flat or inverted.
//
// A tetrahedron's is the mean ratio 12 (3 V)^(2/3) / sum of squared edges [Liu, Joe 1994, BIT 34]; another element's is
// the least over its corners of 3 D^(2/3) / sum of squared edges, with D the determinant of the three edges that leave
// the corner, as a share of the ideal shape's.
func Quality(t ElementType, x []mgl64.Vec3) float64 {
	s := t.shape()
	if s.corners == 4 {
		edges := 0.0
		for _, e := range tetEdges {
			edges += x[e[1]].Sub(x[e[0]]).LenSqr()
		}
		return 12 * signedPower(3*tetVolume(x[0], x[1], x[2], x[3])) / edges
	}
	least := math.Inf(1)
	for _, c := range s.frames {
		a, b, d := x[c[1]].Sub(x[c[0]]), x[c[2]].Sub(x[c[0]]), x[c[3]].Sub(x[c[0]])
		q := 3 * signedPower(a.Dot(b.Cross(d))) / (a.LenSqr() + b.LenSqr() + d.LenSqr())
		if !(q >= least) { // NaN takes over
			least = q
		}
	}
	switch t.linear() {
	case Wedge6:
		least /= signedPower(math.Sqrt(3) / 2)
	case Pyramid5:
		least /= signedPower(math.Sqrt(0.5))
	}
	return least
}

// signedPower is v^(2/3) with the sign of v.
func signedPower(v float64) float64 { return math.Copysign(math.Pow(math.Abs(v), 2.0/3), v) }

// DihedralAngles is the least and the greatest angle between two faces of an element, degrees. A bent quadrangle counts
// with its mean plane. A regular tetrahedron has 70.5 throughout, a cube 90.
func DihedralAngles(t ElementType, x []mgl64.Vec3) (least, greatest float64) {
	faces := t.shape().faces
	var normal [6]mgl64.Vec3
	for k, f := range faces {
		if len(f) == 3 {
			normal[k] = x[f[1]].Sub(x[f[0]]).Cross(x[f[2]].Sub(x[f[0]]))
		} else {
			normal[k] = x[f[2]].Sub(x[f[0]]).Cross(x[f[3]].Sub(x[f[1]]))
		}
	}
	least, greatest = math.Inf(1), math.Inf(-1)
	for i := range faces {
		for j := range i {
			if !sharesEdge(faces[i], faces[j]) {
				continue
			}
			// The inner angle is what the outward normals lack to a half turn.
			a, b := normal[i], normal[j]
			angle := 180 - math.Atan2(a.Cross(b).Len(), a.Dot(b))*180/math.Pi
			least, greatest = math.Min(least, angle), math.Max(greatest, angle)
		}
	}
	return least, greatest
}

func sharesEdge(a, b []int8) bool {
	common := 0
	for _, n := range a {
		if slices.Contains(b, n) {
			common++
		}
	}
	return common == 2
}
