package fem

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// Stress computes von Mises stresses of one mesh again and again without allocating: the gradients at the elements'
// points are kept. One goroutine at a time.
type Stress struct {
	elements []stressElement
	share    []float64    // 1 over the number of elements at each node
	strain   [][6]float64 // scratch: xx, yy, zz, xy, yz, zx at each node
}

// stressElement is one node of one element: gradients there.
type stressElement struct {
	nodes [linearNodes]int32
	grad  [linearNodes]mgl64.Vec3
	count int32 // nodes of the element
	place int32 // the element's node at which grad holds, -1: grad is constant over the element
}

// NewStress prepares the stresses of a mesh of linear elements in its undeformed shape.
func NewStress(m *mesh.Mesh) *Stress {
	s := &Stress{share: make([]float64, len(m.Nodes)), strain: make([][6]float64, len(m.Nodes))}
	var x [maxNodes]mgl64.Vec3
	var atPoint [linearNodes][maxNodes]mgl64.Vec3 // by point
	for b, nodes := range elements(m) {
		r := rules[b.Type]
		if r == nil || r.nodes > linearNodes {
			panic("fem: NewStress: no element for a " + b.Type.String())
		}
		el := stressElement{count: int32(len(nodes)), place: -1}
		copy(el.nodes[:], nodes)
		for _, id := range nodes {
			s.share[id]++
		}
		at := placesOf(x[:], m, nodes)
		for g := range r.points {
			r.points[g].gradients(at, &atPoint[g])
		}
		if len(r.points) == 1 {
			copy(el.grad[:], atPoint[0][:])
			s.elements = append(s.elements, el)
			continue
		}
		for a := range nodes {
			el.place = int32(a)
			for k := range nodes {
				el.grad[k] = mgl64.Vec3{}
				for g := range r.points {
					el.grad[k] = el.grad[k].Add(atPoint[g][k].Mul(r.nodal[a][g]))
				}
			}
			s.elements = append(s.elements, el)
		}
	}
	for n, count := range s.share {
		if count > 0 {
			s.share[n] = 1 / count
		}
	}
	return s
}

// VonMises computes the von Mises stress at each node, in Pa. Strains are taken at the quadrature points, where they
// are most accurate, extrapolated to the element's nodes and averaged there over the elements of the node, component by
// component; the von Mises stress is that of the average. CalculiX does the same. u are displacements in m, flat, 3 a
// node. Allocates nothing.
func (s *Stress) VonMises(dst []float64, material Material, u []float64) {
	s.recover("VonMises", len(dst), u)
	_, mu := lame(material.Poisson)
	mu *= material.Young
	for n := range dst {
		dst[n] = vonMises(&s.strain[n], mu*s.share[n])
	}
}

// Pressure computes the mean of the normal stresses at each node, in Pa, compression above 0; strains are those of
// VonMises. Allocates nothing.
func (s *Stress) Pressure(dst []float64, material Material, u []float64) {
	s.recover("Pressure", len(dst), u)
	lambda, mu := lame(material.Poisson)
	bulk := material.Young * (lambda + 2*mu/3)
	for n := range dst {
		e := &s.strain[n]
		dst[n] = -bulk * s.share[n] * (e[0] + e[1] + e[2])
	}
}

// Largest computes the largest principal strain at each node, by amount; strains are those of VonMises. Allocates
// nothing.
func (s *Stress) Largest(dst, u []float64) {
	s.recover("Largest", len(dst), u)
	for n := range dst {
		dst[n] = principal(&s.strain[n]) * s.share[n]
	}
}

// Tensors computes strain and stress at each node, stress in Pa: components of the tensors xx, yy, zz, xy, yz, zx,
// averaged as VonMises says. Allocates nothing.
func (s *Stress) Tensors(strain, stress [][6]float64, material Material, u []float64) {
	s.check("Tensors", len(stress), u)
	s.recover("Tensors", len(strain), u)
	lambda, mu := lame(material.Poisson)
	for n := range strain {
		e, t := &strain[n], &stress[n]
		for k, v := range s.strain[n] {
			e[k] = v * s.share[n]
			t[k] = 2 * mu * material.Young * e[k]
		}
		spread := lambda * material.Young * (e[0] + e[1] + e[2])
		for k := range 3 {
			t[k] += spread
		}
	}
}

// check panics where a caller gives room for another number of nodes than the mesh has.
func (s *Stress) check(caller string, nodes int, u []float64) {
	if nodes != len(s.share) || len(u) != 3*nodes {
		panic("fem: " + caller + ": wrong lengths")
	}
}

// recover sums the strains of all elements at each node.
func (s *Stress) recover(caller string, nodes int, u []float64) {
	s.check(caller, nodes, u)
	clear(s.strain)
	for i := range s.elements {
		el := &s.elements[i]
		strain := strainOf(el.gradient(u))
		if el.place >= 0 {
			add(&s.strain[el.nodes[el.place]], &strain)
			continue
		}
		for a := range el.count {
			add(&s.strain[el.nodes[a]], &strain)
		}
	}
}

// LinearLimit is the strain up to which linear elasticity is honest.
const LinearLimit = 0.1

// Strains tells how many elements the displacements u turn over, det F <= 0 at one of their nodes, how many they strain
// beyond LinearLimit there, and the largest principal strain, by amount. u is in m, flat, 3 a node. Allocates nothing.
func (s *Stress) Strains(u []float64) (inverted, beyond int, largest float64) {
	counted, over := false, false
	for i := range s.elements {
		el := &s.elements[i]
		if el.place <= 0 { // the first of its element
			counted, over = false, false
		}
		h := el.gradient(u)
		e := strainOf(h)
		own := principal(&e)
		largest = max(largest, own)
		if own > LinearLimit && !over {
			beyond++
			over = true
		}
		for k := range 3 {
			h[k][k]++
		}
		det := h[0][0]*(h[1][1]*h[2][2]-h[1][2]*h[2][1]) - h[0][1]*(h[1][0]*h[2][2]-h[1][2]*h[2][0]) + h[0][2]*(h[1][0]*h[2][1]-h[1][1]*h[2][0])
		if !(det > 0) && !counted {
			inverted++
			counted = true
		}
	}
	return inverted, beyond, largest
}

// Beyond marks the nodes of the elements that the displacements u strain beyond LinearLimit, with 1; the others get 0.
// Allocates nothing.
func (s *Stress) Beyond(dst, u []float64) {
	s.check("Beyond", len(dst), u)
	clear(dst)
	for i := range s.elements {
		el := &s.elements[i]
		if e := strainOf(el.gradient(u)); principal(&e) > LinearLimit {
			for _, n := range el.nodes[:el.count] {
				dst[n] = 1
			}
		}
	}
}

// gradient of the displacements u at the element's node, h = du/dx.
func (el *stressElement) gradient(u []float64) (h [3][3]float64) {
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
	return h
}

// strainOf a displacement gradient: xx, yy, zz, xy, yz, zx.
func strainOf(h [3][3]float64) [6]float64 {
	return [6]float64{h[0][0], h[1][1], h[2][2], (h[0][1] + h[1][0]) / 2, (h[1][2] + h[2][1]) / 2, (h[2][0] + h[0][2]) / 2}
}

// principal is the largest amount of the eigenvalues of a strain: the roots of its characteristic cubic by cosines.
func principal(e *[6]float64) float64 {
	mean := (e[0] + e[1] + e[2]) / 3
	xx, yy, zz := e[0]-mean, e[1]-mean, e[2]-mean
	p := math.Sqrt((xx*xx + yy*yy + zz*zz + 2*(e[3]*e[3]+e[4]*e[4]+e[5]*e[5])) / 6)
	if !(p > 0) {
		return math.Abs(mean)
	}
	det := xx*(yy*zz-e[4]*e[4]) - e[3]*(e[3]*zz-e[4]*e[5]) + e[5]*(e[3]*e[4]-yy*e[5])
	angle := math.Acos(max(-1, min(1, det/(2*p*p*p)))) / 3
	high, low := mean+2*p*math.Cos(angle), mean+2*p*math.Cos(angle+2*math.Pi/3)
	return max(math.Abs(high), math.Abs(low))
}

func add(sum, v *[6]float64) {
	for k := range sum {
		sum[k] += v[k]
	}
}

// VonMises is NewStress and one call of its VonMises, for use outside loops.
func VonMises(dst []float64, m *mesh.Mesh, material Material, u []float64) {
	NewStress(m).VonMises(dst, material, u)
}

// vonMises is sqrt(3/2 s:s), s the deviatoric stress 2 mu dev(strain).
func vonMises(e *[6]float64, mu float64) float64 {
	mean := (e[0] + e[1] + e[2]) / 3
	xx, yy, zz := e[0]-mean, e[1]-mean, e[2]-mean
	return 2 * mu * math.Sqrt(1.5*(xx*xx+yy*yy+zz*zz+2*(e[3]*e[3]+e[4]*e[4]+e[5]*e[5])))
}
