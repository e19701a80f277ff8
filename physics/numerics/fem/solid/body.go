package solid

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
)

// Body is a mesh with its materials. Its places and forces are flat, 3 a node, over all nodes. A Body serves one
// goroutine; Twin makes one for another.
type Body struct {
	Mesh   *mesh.Mesh
	blocks []*block
	w      work
	where  [][]int32 // by block: where in Values a pair of an element's nodes goes; see Bind
	bound  *fem.Matrix
	cells  *Cells
}

// New makes a body of one material.
func New(m *mesh.Mesh, kind Formulation, law Law) (*Body, error) {
	laws := make([]Law, len(m.Blocks))
	for i := range laws {
		laws[i] = law
	}
	return NewOf(m, kind, laws)
}

// NewOf makes a body with a material for each block of the mesh.
func NewOf(m *mesh.Mesh, kind Formulation, laws []Law) (*Body, error) {
	if len(laws) != len(m.Blocks) {
		panic("solid: NewOf: one material a block")
	}
	b := &Body{Mesh: m}
	first := 0
	for i := range m.Blocks {
		blk, err := newBlock(m, &m.Blocks[i], kind, laws[i], first)
		if err != nil {
			return nil, err
		}
		b.blocks = append(b.blocks, blk)
		first += blk.len()
	}
	return b, nil
}

// SetLaw changes the material of a block, for all twins, none of which may be at work. Of elements that turn as a whole
// it cannot be changed.
func (b *Body) SetLaw(block int, law Law) {
	if b.blocks[block].kind == ElementRotation {
		panic("solid: SetLaw: an element that turns as a whole")
	}
	b.blocks[block].take(law)
	if b.cells != nil {
		b.cells.runs[block].take()
	}
}

// Momentary lets the body's tangents leave out the stresses that stay: another thread may then change them.
func (b *Body) Momentary() *Body {
	b.w.momentary = true
	return b
}

// Cells is the body in its fast form, which Bind makes.
func (b *Body) Cells() *Cells { return b.cells }

// Shear is the shear modulus of a block at rest, Pa: that of the plane xy.
func (b *Body) Shear(block int) float64 {
	var a Mat9
	b.blocks[block].law.Tangent(&a, &Identity)
	return a[9*1+1]
}

// Twin shares everything but the scratch.
func (b *Body) Twin() *Body {
	t := *b
	return &t
}

// Rest is the places at rest.
func (b *Body) Rest() []float64 {
	x := make([]float64, 0, 3*len(b.Mesh.Nodes))
	for _, p := range b.Mesh.Nodes {
		x = append(x, p[:]...)
	}
	return x
}

// Energy of the places x, J; infinite where a law or an element is not defined.
func (b *Body) Energy(x []float64) float64 {
	sum := 0.0
	for _, blk := range b.blocks {
		for e := range blk.len() {
			b.w.gather(blk, e, x, nil)
			sum += blk.energy(e, &b.w)
		}
	}
	return sum
}

// Forces writes the internal forces at the places x to dst, N: the gradient of the energy. Not finite where a law or an
// element is not defined.
func (b *Body) Forces(dst, x []float64) {
	if len(dst) != 3*len(b.Mesh.Nodes) || len(x) != len(dst) {
		panic("solid: Forces: wrong lengths")
	}
	clear(dst)
	for _, blk := range b.blocks {
		for e := range blk.len() {
			b.w.gather(blk, e, x, nil)
			blk.forces(e, &b.w)
			for a, n := range blk.element(e) {
				for i := range 3 {
					dst[3*int(n)+i] += b.w.force[a][i]
				}
			}
		}
	}
}

// ElementTangent is K = df/dx of element e at the places x, (3n)x(3n) by rows, N/m. The slice is the body's own and
// holds until its next call.
func (b *Body) ElementTangent(e int, x []float64, approximate bool) []float64 {
	for _, blk := range b.blocks {
		if e < blk.len() {
			b.w.gather(blk, e, x, nil)
			blk.tangent(e, &b.w, approximate)
			return b.w.k[:9*blk.nodes*blk.nodes]
		}
		e -= blk.len()
	}
	panic("solid: ElementTangent: no such element")
}

// ElementSplit is a part of the tangent of element e of a body of Saint Venant-Kirchhoff's material: 0 that at rest, 1
// that of the stress, 2 the rest (1.16 to 1.19). The slice is the body's own and holds until its next call.
func (b *Body) ElementSplit(e int, x []float64, part int) []float64 {
	for _, blk := range b.blocks {
		if e >= blk.len() {
			e -= blk.len()
			continue
		}
		law, ok := blk.law.(StVenantKirchhoff)
		if !ok || blk.kind != Full {
			panic("solid: ElementSplit: another material or element")
		}
		w := &b.w
		w.gather(blk, e, x, nil)
		k := w.k[:9*blk.nodes*blk.nodes]
		clear(k)
		var parts [3]Mat9
		for q := range blk.points {
			at := e*blk.points + q
			law.split(&parts[0], &parts[1], &parts[2], &w.f[q])
			addTangent(k, blk.nodes, &parts[part], blk.weight[at], blk.grad[at*blk.nodes:(at+1)*blk.nodes], w)
		}
		return k
	}
	panic("solid: ElementSplit: no such element")
}

// MulTangent writes K v at the places x to dst, exactly, symmetric or not.
func (b *Body) MulTangent(dst, x, v []float64) {
	clear(dst)
	for _, blk := range b.blocks {
		for e := range blk.len() {
			b.w.gather(blk, e, x, nil)
			blk.tangent(e, &b.w, false)
			addProduct(dst, v, b.w.k[:9*blk.nodes*blk.nodes], blk.element(e), nil)
		}
	}
}

// Symmetric tells whether K is: only the element's own rotation makes it not so.
func (b *Body) Symmetric() bool {
	for _, blk := range b.blocks {
		if blk.kind == ElementRotation {
			return false
		}
	}
	return true
}

// Bind makes Tangent fill this pattern, which is fem.Pattern's of the body's mesh.
func (b *Body) Bind(k *fem.Matrix) {
	b.cells = newCells(b)
	b.bound, b.where = k, nil
	for _, blk := range b.blocks {
		places := make([]int32, 0, blk.len()*blk.nodes*blk.nodes)
		for e := range blk.len() {
			nodes := blk.element(e)
			for _, p := range nodes {
				for _, q := range nodes {
					row, col := k.Index[p], k.Index[q]
					at := int32(-1)
					if row >= 0 && col >= 0 && row <= col {
						at = int32(k.Find(row, col))
					}
					places = append(places, at)
				}
			}
		}
		b.where = append(b.where, places)
	}
}

// Tangent fills the values of the bound matrix with K = df/dx at the places x, N/m; where K is not symmetric, with an
// approximation that is: the element's rotation is held.
func (b *Body) Tangent(values, x []float64) {
	if b.bound == nil || len(values) != len(b.bound.Row) {
		panic("solid: Tangent: no matrix is bound, or another one")
	}
	clear(values)
	k := b.bound
	for i, blk := range b.blocks {
		if b.cells.tangent(i, values, x, k, b.where[i], b.w.momentary) {
			continue
		}
		n := blk.nodes
		for e := range blk.len() {
			b.w.gather(blk, e, x, nil)
			blk.tangent(e, &b.w, true)
			nodes, where := blk.element(e), b.where[i][e*n*n:(e+1)*n*n]
			for p := range n {
				for q := range n {
					place := int64(where[p*n+q])
					if place < 0 {
						continue
					}
					col := 3 * int(k.Index[nodes[q]])
					same := p == q
					for c := range 3 {
						at := k.ColPtr[col+c] + place
						last := 3
						if same {
							last = c + 1
						}
						for d := range last {
							values[at+int64(d)] += b.w.k[(3*p+d)*3*n+3*q+c]
						}
					}
				}
			}
		}
	}
}

// MinJ is the smallest det F at the quadrature points, and how many elements have one that is not positive.
func (b *Body) MinJ(x []float64) (least float64, inverted int) {
	least = math.Inf(1)
	for _, blk := range b.blocks {
		for e := range blk.len() {
			b.w.gather(blk, e, x, nil)
			own := blk.least(&b.w)
			if !(own > 0) {
				inverted++
			}
			least = math.Min(least, own)
		}
	}
	return least, inverted
}

// Gradients writes F at every quadrature point, element by element.
func (b *Body) Gradients(dst []Mat3, x []float64) []Mat3 {
	dst = dst[:0]
	for _, blk := range b.blocks {
		for e := range blk.len() {
			b.w.gather(blk, e, x, nil)
			blk.turnBar(e, &b.w)
			dst = append(dst, b.w.f[:blk.points]...)
		}
	}
	return dst
}

// Points is how many quadrature points an element of a block has.
func (b *Body) Points(block int) int { return b.blocks[block].points }

// Volume at rest, m^3.
func (b *Body) Volume() float64 {
	v := 0.0
	for _, blk := range b.blocks[:len(b.Mesh.Blocks)] {
		for _, w := range blk.weight {
			v += w
		}
	}
	return v
}

// LumpedMass is density, kg/m^3, times the integral of each node's shape function, kg: one
// density for all blocks, or one for each.
// Of quadratic tetrahedra, where that is negative at corners, it is each
// element's mass shared out as the diagonal of its consistent matrix.
func (b *Body) LumpedMass(density ...float64) []float64 {
	m := make([]float64, len(b.Mesh.Nodes))
	var x [maxNodes]mgl64.Vec3
	var g [maxNodes][3]float64
	for i := range b.Mesh.Blocks {
		blk := &b.Mesh.Blocks[i]
		rule := rules[blk.Type]
		density := density[min(i, len(density)-1)]
		for e := range blk.Len() {
			nodes := blk.Element(e)
			for a, n := range nodes {
				x[a] = b.Mesh.Nodes[n]
			}
			var share [maxNodes]float64
			total, sum := 0.0, 0.0
			for k := range rule {
				w := density * gradients(&rule[k], x[:len(nodes)], &g) * rule[k].Weight
				total += w
				for a := range nodes {
					v := rule[k].N[a]
					if blk.Type == mesh.Tet10 {
						v *= v
					}
					share[a] += w * v
					sum += w * v
				}
			}
			for a, n := range nodes {
				m[n] += share[a] * total / sum
			}
		}
	}
	return m
}

// ElementMass is the consistent matrix of an element, n x n for each axis, kg: density times the integral of the
// products of its shape functions.
func ElementMass(m *mesh.Mesh, blk *mesh.Block, e int, density float64) []float64 {
	nodes := blk.Element(e)
	n := len(nodes)
	out := make([]float64, n*n)
	var x [maxNodes]mgl64.Vec3
	var g [maxNodes][3]float64
	for a, id := range nodes {
		x[a] = m.Nodes[id]
	}
	rule := massRules[blk.Type]
	for k := range rule {
		w := density * gradients(&rule[k], x[:n], &g) * rule[k].Weight
		for a := range n {
			for c := range n {
				out[a*n+c] += w * rule[k].N[a] * rule[k].N[c]
			}
		}
	}
	return out
}

// ConsistentMass fills the values of the pattern k with the consistent mass matrix, kg.
func (b *Body) ConsistentMass(values []float64, k *fem.Matrix, density float64) {
	clear(values)
	mass := *k
	mass.Value = values
	for i := range b.Mesh.Blocks {
		blk := &b.Mesh.Blocks[i]
		for e := range blk.Len() {
			mass.AddAlike(blk.Element(e), ElementMass(b.Mesh, blk, e, density))
		}
	}
}
