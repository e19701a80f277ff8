package fem

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// Quadratic elements bend without the stiffness that linear ones add: what vibrates is computed with them. Their nodes
// are the corners and the middles of the edges, in the order of package mesh.

// tetPoints4 integrates quadratic functions exactly: strains of a Tet10, squared.
func tetPoints4() []place {
	const a, b = 0.58541019662496845446, 0.13819660112501051518
	return []place{
		{[3]float64{b, b, b}, 1.0 / 24}, {[3]float64{a, b, b}, 1.0 / 24},
		{[3]float64{b, a, b}, 1.0 / 24}, {[3]float64{b, b, a}, 1.0 / 24},
	}
}

// tetPointsProduct integrates functions up to degree 5 exactly: squares of a Tet10's shape functions. A cube's points
// are folded into the corner at the origin.
func tetPointsProduct() (points []place) {
	x := [4]float64{-0.86113631159405257522, -0.33998104358485626480, 0.33998104358485626480, 0.86113631159405257522}
	w := [4]float64{0.34785484513745385737, 0.65214515486254614263, 0.65214515486254614263, 0.34785484513745385737}
	for i := range 4 {
		for j := range 4 {
			for k := range 4 {
				a, b, c := (1+x[i])/2, (1+x[j])/2, (1+x[k])/2
				points = append(points, place{
					[3]float64{a, b * (1 - a), c * (1 - a) * (1 - b)},
					w[i] * w[j] * w[k] / 8 * (1 - a) * (1 - a) * (1 - b)})
			}
		}
	}
	return points
}

// tet10: with barycentric coordinates l, corners l(2l - 1), middles 4 l_a l_b.
func tet10(places ...place) (points []Point) {
	slope := [4][3]float64{{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for _, at := range places {
		l := [4]float64{1 - at.x[0] - at.x[1] - at.x[2], at.x[0], at.x[1], at.x[2]}
		p := Point{Weight: at.w}
		for a := range 4 {
			p.N[a] = l[a] * (2*l[a] - 1)
			for c := range 3 {
				p.DN[a][c] = (4*l[a] - 1) * slope[a][c]
			}
		}
		for e, ab := range mesh.Tet10.Edges() {
			a, b := ab[0], ab[1]
			p.N[4+e] = 4 * l[a] * l[b]
			for c := range 3 {
				p.DN[4+e][c] = 4 * (l[a]*slope[b][c] + l[b]*slope[a][c])
			}
		}
		points = append(points, p)
	}
	return points
}

// hex20Rule: serendipity functions, 3x3x3 Gauss points.
func hex20Rule() *rule {
	r := &rule{nodes: 20}
	g := [3]float64{-math.Sqrt(0.6), 0, math.Sqrt(0.6)}
	w := [3]float64{5.0 / 9, 8.0 / 9, 5.0 / 9}
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				x := [3]float64{g[i], g[j], g[k]}
				p := Point{Weight: w[i] * w[j] * w[k]}
				for a, c := range hexCorner {
					f := [3]float64{1 + c[0]*x[0], 1 + c[1]*x[1], 1 + c[2]*x[2]}
					s := c[0]*x[0] + c[1]*x[1] + c[2]*x[2] - 2
					p.N[a] = f[0] * f[1] * f[2] * s / 8
					for d := range 3 {
						e, h := (d+1)%3, (d+2)%3
						p.DN[a][d] = c[d] * f[e] * f[h] * (s + f[d]) / 8
					}
				}
				for e, ab := range mesh.Hex20.Edges() {
					a, b := hexCorner[ab[0]], hexCorner[ab[1]]
					along := 0
					for d := range 3 {
						if a[d] != b[d] {
							along = d
						}
					}
					d1, d2 := (along+1)%3, (along+2)%3
					q, f1, f2 := 1-x[along]*x[along], 1+a[d1]*x[d1], 1+a[d2]*x[d2]
					p.N[8+e] = q * f1 * f2 / 4
					p.DN[8+e][along] = -2 * x[along] * f1 * f2 / 4
					p.DN[8+e][d1] = q * a[d1] * f2 / 4
					p.DN[8+e][d2] = q * f1 * a[d2] / 4
				}
				r.points = append(r.points, p)
			}
		}
	}
	return r
}

// massRules integrate products of shape functions exactly where the element is a parallelepiped or has flat sides.
var massRules = map[mesh.ElementType]*rule{
	mesh.Tet4:  {nodes: 4, points: tet4(tetPoints4()...)},
	mesh.Hex8:  rules[mesh.Hex8],
	mesh.Tet10: {nodes: 10, points: tet10(tetPointsProduct()...)},
	mesh.Hex20: rules[mesh.Hex20],
}

// Mass is the consistent mass matrix at a density of 1 kg/m^3, on the pattern of k, which Assemble made of the same
// mesh:
//
//	M_ab = integral( N_a N_b ) I.
func (k *Matrix) Mass(m *mesh.Mesh) *Matrix {
	out := *k
	out.Value = make([]float64, len(k.Value))
	me := make([]float64, maxNodes*maxNodes)
	for b, nodes := range elements(m) {
		elementMass(me, massRules[b.Type], m, nodes)
		out.AddAlike(nodes, me)
	}
	return &out
}

// elementMass is that along each axis.
func elementMass(dst []float64, r *rule, m *mesh.Mesh, nodes []int32) {
	var x, g [maxNodes]mgl64.Vec3
	placesOf(x[:], m, nodes)
	clear(dst)
	for q := range r.points {
		p := &r.points[q]
		w := p.gradients(x[:r.nodes], &g) * p.Weight
		for a := range r.nodes {
			for b := range r.nodes {
				dst[a*r.nodes+b] += w * p.N[a] * p.N[b]
			}
		}
	}
}
