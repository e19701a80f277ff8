package bench

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
)

// Elastic is a finite element body that solves its equilibrium by conjugate
// gradients, as the bodies of the thesis's SOFA experiment do (section 4.3). It
// answers for all nodes at the cost of one, and starts each solve from the last
// answer. It serves one goroutine.
type Elastic struct {
	mesh  *mesh.Mesh
	k     *fem.Matrix
	young float64
	own   []float64 // the body's own load, N

	Tolerance float64 // on the residual, relative to the load; NewElastic sets 1e-10

	b, u, r, z, p, ap, inv []float64 // 3 per free node
	Steps                  int       // conjugate gradient steps so far
}

// NewElastic makes a body from a mesh whose fixed nodes do not move, under a
// volume force density (N/m^3), such as its weight.
func NewElastic(m *mesh.Mesh, fixed []int32, material elasticity, density vec) (*Elastic, error) {
	if !(material.Young > 0) || math.IsInf(material.Young, 0) {
		return nil, fmt.Errorf("bench: Young's modulus %g Pa (give a finite one above 0)", material.Young)
	}
	if len(fixed) == 0 {
		return nil, errors.New("bench: no node of the body is fixed, it would float (fix some)")
	}
	k, err := fem.Assemble(m, fixed, material.Poisson)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	e := &Elastic{mesh: m, k: k, young: material.Young, own: make([]float64, 3*len(m.Nodes)), Tolerance: 1e-10}
	fem.BodyForce(e.own, m, density)
	e.b, e.u, e.r = make([]float64, k.N), make([]float64, k.N), make([]float64, k.N)
	e.z, e.p, e.ap, e.inv = make([]float64, k.N), make([]float64, k.N), make([]float64, k.N), make([]float64, k.N)
	for j := range k.N {
		// the diagonal is the last entry of its column
		e.inv[j] = 1 / (k.Value[k.ColPtr[j+1]-1] * material.Young)
	}
	return e, nil
}

// Points implements thesis.BlackBox: the points are the mesh's nodes.
func (e *Elastic) Points() int { return len(e.mesh.Nodes) }

// Stiffness implements thesis.BlackBox: unknown, the solver tries.
func (e *Elastic) Stiffness() float64 { return 0 }

// Positions implements thesis.BlackBox.
func (e *Elastic) Positions(dst []vec, points []int32, f []vec) {
	same := true // most questions of a sweep come with the forces of the one before
	for i, node := range e.k.FreeNode {
		for d := range 3 {
			b := e.own[3*int(node)+d] + f[node][d]
			same = same && b == e.b[3*i+d]
			e.b[3*i+d] = b
		}
	}
	if !same {
		e.solve()
	}
	for k, i := range points {
		dst[k] = e.mesh.Nodes[i]
		if j := e.k.Index[i]; j >= 0 {
			dst[k] = dst[k].Add(vec{e.u[3*j], e.u[3*j+1], e.u[3*j+2]})
		}
	}
}

// solve brings u to K u = b by conjugate gradients, preconditioned by the diagonal.
func (e *Elastic) solve() {
	e.times(e.ap, e.u)
	size, rz := 0.0, 0.0
	for i, b := range e.b {
		e.r[i] = b - e.ap[i]
		e.z[i] = e.inv[i] * e.r[i]
		e.p[i] = e.z[i]
		size += b * b * e.inv[i]
		rz += e.r[i] * e.z[i]
	}
	for step := 0; rz > e.Tolerance*e.Tolerance*size && step < 20*e.k.N; step++ {
		e.Steps++
		e.times(e.ap, e.p)
		pap := 0.0
		for i, p := range e.p {
			pap += p * e.ap[i]
		}
		if !(pap > 0) {
			return
		}
		a, next := rz/pap, 0.0
		for i, p := range e.p {
			e.u[i] += a * p
			e.r[i] -= a * e.ap[i]
			e.z[i] = e.inv[i] * e.r[i]
			next += e.r[i] * e.z[i]
		}
		for i := range e.p {
			e.p[i] = e.z[i] + next/rz*e.p[i]
		}
		rz = next
	}
}

func (e *Elastic) times(dst, u []float64) {
	e.k.MulVec(dst, u)
	for i := range dst {
		dst[i] *= e.young
	}
}

// Springs is a network of springs between neighbouring points of a lattice, along
// its edges and the diagonals of its faces, the lowest layer fixed: a body
// without any stiffness matrix, and not linear either, since the springs turn
// with the points. It finds its equilibrium by relaxing point after point. It
// serves one goroutine.
type Springs struct {
	rest   []vec
	x      []vec // the last equilibrium
	fixed  []bool
	first  []int32   // start of each point's springs in ends; one more at the end
	ends   []int32   // the other points
	length []float64 // rest lengths, m
	rate   float64   // N/m
	inv    []mgl64.Mat3
	tol    float64 // residual force of a point that counts as none, N
}

// NewSprings makes a lattice of n cells of size cell (m) along each axis, from
// origin upwards (Y), of springs of the given rate (N/m).
func NewSprings(origin vec, cell float64, n [3]int, rate float64) (*Springs, error) {
	if !(cell > 0) || !(rate > 0) || n[0] < 1 || n[1] < 1 || n[2] < 1 {
		return nil, fmt.Errorf("bench: springs: cell %g m, rate %g N/m, cells %v (give values above 0)", cell, rate, n)
	}
	s := &Springs{rate: rate, tol: 1e-11 * rate * cell}
	id := func(i, j, k int) int32 { return int32(i + (n[0]+1)*(j+(n[1]+1)*k)) }
	inside := func(i, j, k int) bool { return i >= 0 && i <= n[0] && j >= 0 && j <= n[1] && k >= 0 && k <= n[2] }
	for k := range n[2] + 1 {
		for j := range n[1] + 1 {
			for i := range n[0] + 1 {
				s.rest = append(s.rest, origin.Add(vec{float64(i), float64(j), float64(k)}.Mul(cell)))
				s.fixed = append(s.fixed, j == 0)
				s.first = append(s.first, int32(len(s.ends)))
				var stiff mgl64.Mat3
				for c := range 27 {
					d := [3]int{c%3 - 1, c/3%3 - 1, c/9 - 1}
					away := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
					if away == 0 || away == 3 || !inside(i+d[0], j+d[1], k+d[2]) {
						continue
					}
					s.ends = append(s.ends, id(i+d[0], j+d[1], k+d[2]))
					s.length = append(s.length, cell*math.Sqrt(float64(away)))
					e := vec{float64(d[0]), float64(d[1]), float64(d[2])}.Normalize()
					stiff = stiff.Add(e.OuterProd3(e).Mul(rate))
				}
				s.inv = append(s.inv, stiff.Inv())
			}
		}
	}
	s.first = append(s.first, int32(len(s.ends)))
	s.x = append([]vec(nil), s.rest...)
	return s, nil
}

// Points implements thesis.BlackBox: the lattice's points, X running fastest,
// then Y.
func (s *Springs) Points() int { return len(s.rest) }

// Stiffness implements thesis.BlackBox: a corner of the lattice hangs on three
// edges and three diagonals, of which about two springs act along any direction.
// In series with what lies below it gives about a third of that.
func (s *Springs) Stiffness() float64 { return s.rate / 3 }

// Positions implements thesis.BlackBox.
func (s *Springs) Positions(dst []vec, points []int32, f []vec) {
	const sweeps = 10000
	for range sweeps {
		worst := 0.0
		for i := range s.x {
			if s.fixed[i] {
				continue
			}
			g := f[i]
			for k := s.first[i]; k < s.first[i+1]; k++ {
				d := s.x[s.ends[k]].Sub(s.x[i])
				l := d.Len()
				g = g.Add(d.Mul(s.rate * (l - s.length[k]) / l))
			}
			s.x[i] = s.x[i].Add(s.inv[i].Mul3x1(g))
			worst = math.Max(worst, g.Len())
		}
		if !(worst > s.tol) {
			break
		}
	}
	for k, i := range points {
		dst[k] = s.x[i]
	}
}
