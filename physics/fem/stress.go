package fem

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/mesh"
)

// Stress computes von Mises stresses of one mesh again and again without
// allocating: the gradients at the elements' points are kept.
type Stress struct {
	elements []stressElement
	weight   []float64 // number of elements at each node
}

// stressElement is one node of one element: gradients there.
type stressElement struct {
	nodes [maxNodes]int32
	grad  [maxNodes]mgl64.Vec3
	count int32 // nodes of the element
	place int32 // the element's node at which grad holds, -1: grad is constant over the element
}

// NewStress prepares the stresses of a mesh in its undeformed shape.
func NewStress(m *mesh.Mesh) *Stress {
	s := &Stress{weight: make([]float64, len(m.Nodes))}
	var x [maxNodes]mgl64.Vec3
	for i := range m.Blocks {
		b := &m.Blocks[i]
		r := rules[b.Type]
		if r == nil {
			panic("fem: NewStress: no element for a " + b.Type.String())
		}
		for e := range b.Len() {
			nodes := b.Element(e)
			el := stressElement{count: int32(len(nodes)), place: -1}
			copy(el.nodes[:], nodes)
			for a, id := range nodes {
				x[a] = m.Nodes[id]
				s.weight[id]++
			}
			if b.Type == mesh.Tet4 {
				r.points[0].gradients(x[:len(nodes)], &el.grad)
				s.elements = append(s.elements, el)
				continue
			}
			for a := range nodes {
				el.place = int32(a)
				r.nodal[a].gradients(x[:len(nodes)], &el.grad)
				s.elements = append(s.elements, el)
			}
		}
	}
	return s
}

// VonMises computes the von Mises stress at each node, in Pa: at every element's
// nodes from the strain there, then averaged over the elements of the node.
// u are displacements in m, flat, 3 a node. Allocates nothing.
func (s *Stress) VonMises(dst []float64, material Material, u []float64) {
	if len(dst) != len(s.weight) || len(u) != 3*len(dst) {
		panic("fem: VonMises: wrong lengths")
	}
	_, mu := lame(material.Poisson)
	mu *= material.Young
	clear(dst)
	for i := range s.elements {
		el := &s.elements[i]
		// Displacement gradient h = du/dx.
		var h [3][3]float64
		for a := range el.count {
			n := 3 * int(el.nodes[a])
			g := &el.grad[a]
			for r := range 3 {
				v := u[n+r]
				h[r][0] += v * g[0]
				h[r][1] += v * g[1]
				h[r][2] += v * g[2]
			}
		}
		v := vonMises(&h, mu)
		if el.place >= 0 {
			dst[el.nodes[el.place]] += v
			continue
		}
		for a := range el.count {
			dst[el.nodes[a]] += v
		}
	}
	for n, w := range s.weight {
		if w > 0 {
			dst[n] /= w
		}
	}
}

// VonMises is NewStress and one call of its VonMises, for use outside loops.
func VonMises(dst []float64, m *mesh.Mesh, material Material, u []float64) {
	NewStress(m).VonMises(dst, material, u)
}

// vonMises is sqrt(3/2 s:s), s the deviatoric stress 2 mu dev(strain).
func vonMises(h *[3][3]float64, mu float64) float64 {
	xx, yy, zz := h[0][0], h[1][1], h[2][2]
	mean := (xx + yy + zz) / 3
	xx, yy, zz = xx-mean, yy-mean, zz-mean
	xy, yz, zx := (h[0][1]+h[1][0])/2, (h[1][2]+h[2][1])/2, (h[2][0]+h[0][2])/2
	return 2 * mu * math.Sqrt(1.5*(xx*xx+yy*yy+zz*zz+2*(xy*xy+yz*yz+zx*zx)))
}
