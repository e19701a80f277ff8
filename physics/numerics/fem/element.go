package fem

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

const (
	maxNodes    = 20 // of the element types computed here
	linearNodes = 8  // of the linear ones
)

// rule is an element's quadrature.
type rule struct {
	nodes  int
	points []Point
	// what the value at each point counts for at each node, [node][point]; nil where there is one point
	nodal [][]float64
}

// Point is a quadrature point of an element: the shape functions there, their derivatives by the element's own
// coordinates, and the weight.
type Point struct {
	N      [maxNodes]float64    // -
	DN     [maxNodes][3]float64 // by xi, eta, zeta
	Weight float64
}

// place is where a quadrature point is in an element's own coordinates.
type place struct {
	x [3]float64
	w float64
}

// rules holds the quadrature of each type that has one.
var rules = map[mesh.ElementType]*rule{
	mesh.Tet4:  {nodes: 4, points: tet4(place{[3]float64{0.25, 0.25, 0.25}, 1.0 / 6})}, // constant strain
	mesh.Hex8:  hex8Rule(),
	mesh.Tet10: {nodes: 10, points: tet10(tetPoints4()...)},
	mesh.Hex20: hex20Rule(),
}

func noElement(t mesh.ElementType) error {
	return fmt.Errorf("fem: no element for a %s (split the mesh with mesh.Split)", t)
}

// Points are the quadrature points of linear hexahedra, 2x2x2 of Gauss, and of tetrahedra, linear or quadratic, at these
// places, which share the volume alike.
func Points(t mesh.ElementType, at ...[3]float64) []Point {
	places := make([]place, len(at))
	for i, x := range at {
		places[i] = place{x, 1 / (6 * float64(len(at)))}
	}
	switch t {
	case mesh.Tet4:
		return tet4(places...)
	case mesh.Tet10:
		return tet10(places...)
	}
	return rules[mesh.Hex8].points
}

func tet4(at ...place) (points []Point) {
	for _, p := range at {
		x := p.x
		points = append(points, Point{
			N:      [maxNodes]float64{1 - x[0] - x[1] - x[2], x[0], x[1], x[2]},
			DN:     [maxNodes][3]float64{{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
			Weight: p.w,
		})
	}
	return points
}

// hexCorner is the place of the thesis's nodes N1..N8 on the cube [-1,1]^3.
var hexCorner = [8][3]float64{{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}

// hex8Rule: trilinear, 2x2x2 Gauss points.
func hex8Rule() *rule {
	at := func(xi [3]float64, w float64) Point {
		p := Point{Weight: w}
		for a, c := range hexCorner {
			f := [3]float64{1 + c[0]*xi[0], 1 + c[1]*xi[1], 1 + c[2]*xi[2]}
			p.N[a] = f[0] * f[1] * f[2] / 8
			p.DN[a] = [3]float64{c[0] * f[1] * f[2] / 8, f[0] * c[1] * f[2] / 8, f[0] * f[1] * c[2] / 8}
		}
		return p
	}
	r := &rule{nodes: 8}
	g := 1 / math.Sqrt(3)
	for _, c := range hexCorner {
		r.points = append(r.points, at([3]float64{g * c[0], g * c[1], g * c[2]}, 1))
		// The points are the corners of a cube of half side g: the trilinear function through them, taken at the
		// element's corner.
		n := at([3]float64{c[0] / g, c[1] / g, c[2] / g}, 0).N
		r.nodal = append(r.nodal, n[:])
	}
	return r
}

// gradients maps the derivatives at a point to x, y, z. It returns the determinant of the mapping, not positive for an
// inverted element.
func (p *Point) gradients(x []mgl64.Vec3, grad *[maxNodes]mgl64.Vec3) float64 {
	// J = dx/dxi, columns by xi; grad = J^-T dn.
	var j [3]mgl64.Vec3
	for a := range x {
		for c := range 3 {
			j[c] = j[c].Add(x[a].Mul(p.DN[a][c]))
		}
	}
	r0, r1, r2 := j[1].Cross(j[2]), j[2].Cross(j[0]), j[0].Cross(j[1])
	det := j[0].Dot(r0)
	inv := 1 / det
	for a := range x {
		d := &p.DN[a]
		grad[a] = r0.Mul(d[0] * inv).Add(r1.Mul(d[1] * inv)).Add(r2.Mul(d[2] * inv))
	}
	return det
}

// Stiffness computes the stiffness matrix of one element at E = 1 Pa.
//
//	K_ab = integral( lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I )
//
// with g_a the gradient of node a's shape function: B^T D B written out for an isotropic D [Hughes 2000, 3.10]. x are
// the node positions in m, dst gets the (3n)x(3n) matrix in N/m, row-major, dof 3a+c. It fails when the element is
// inverted or of a type that has no rule.
func Stiffness(dst []float64, t mesh.ElementType, x []mgl64.Vec3, nu float64) error {
	r := rules[t]
	if r == nil {
		return noElement(t)
	}
	n := 3 * r.nodes
	if len(dst) != n*n || len(x) != r.nodes {
		panic("fem: Stiffness: wrong lengths")
	}
	lambda, mu := lame(nu)
	clear(dst)
	var g [maxNodes]mgl64.Vec3
	for i := range r.points {
		det := r.points[i].gradients(x, &g)
		if !(det > 0) {
			return fmt.Errorf("fem: a %s is inverted (repair the mesh)", t)
		}
		w := det * r.points[i].Weight
		for a := range r.nodes {
			for b := range r.nodes {
				dot := mu * g[a].Dot(g[b])
				for c := range 3 {
					row := dst[(3*a+c)*n+3*b : (3*a+c)*n+3*b+3 : (3*a+c)*n+3*b+3]
					for d := range 3 {
						row[d] += w * (lambda*g[a][c]*g[b][d] + mu*g[a][d]*g[b][c])
					}
					row[c] += w * dot
				}
			}
		}
	}
	return nil
}
