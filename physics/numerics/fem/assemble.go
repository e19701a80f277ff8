package fem

import (
	"fmt"
	"iter"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// Matrix is a sparse symmetric matrix in compressed columns, upper triangle with the diagonal, rows ascending: what
// CHOLMOD takes as it is. Its unknowns are the displacements of the free nodes.
type Matrix struct {
	N        int       // rows and columns, 3 a free node
	ColPtr   []int64   // N+1
	Row      []int64   // row of each entry
	Value    []float64 // N/m at E = 1 Pa
	Nodes    int       // nodes of the mesh
	FreeNode []int32   // mesh node of each free node, ascending
	Index    []int32   // free node of each mesh node, -1 when fixed
}

// Assemble builds the stiffness matrix of a mesh at E = 1 Pa, without the rows and columns of the fixed nodes (u = 0
// there). Entries of zero value stay in the pattern, which depends on the mesh and the fixed nodes alone.
func Assemble(m *mesh.Mesh, fixed []int32, nu float64) (*Matrix, error) {
	if err := checkPoisson(nu); err != nil {
		return nil, err
	}
	k, err := Pattern(m, fixed)
	if err != nil {
		return nil, err
	}

	var x [maxNodes]mgl64.Vec3
	var ke [9 * maxNodes * maxNodes]float64
	element := 0
	for b, nodes := range elements(m) {
		if rules[b.Type] == nil {
			return nil, noElement(b.Type)
		}
		n := len(nodes)
		if err := Stiffness(ke[:9*n*n], b.Type, placesOf(x[:], m, nodes), nu); err != nil {
			return nil, fmt.Errorf("%w: element %d", err, element)
		}
		k.add(nodes, ke[:9*n*n])
		element++
	}
	return k, nil
}

// elements gives the nodes of all elements of a mesh in turn, and the blocks that they are of.
func elements(m *mesh.Mesh) iter.Seq2[*mesh.Block, []int32] {
	return func(yield func(*mesh.Block, []int32) bool) {
		for i := range m.Blocks {
			for e := range m.Blocks[i].Len() {
				if !yield(&m.Blocks[i], m.Blocks[i].Element(e)) {
					return
				}
			}
		}
	}
}

// placesOf writes where nodes are to dst.
func placesOf(dst []mgl64.Vec3, m *mesh.Mesh, nodes []int32) []mgl64.Vec3 {
	for a, id := range nodes {
		dst[a] = m.Nodes[id]
	}
	return dst[:len(nodes)]
}

// Pattern is the matrix of a mesh with all its entries zero: those of the nodes that share an element, without the
// fixed nodes.
func Pattern(m *mesh.Mesh, fixed []int32) (*Matrix, error) {
	k := &Matrix{Nodes: len(m.Nodes), Index: make([]int32, len(m.Nodes))}
	for _, n := range fixed {
		if n < 0 || int(n) >= len(m.Nodes) {
			return nil, fmt.Errorf("fem: fixed node %d does not exist: the mesh has nodes 0 to %d (correct the set)", n, len(m.Nodes)-1)
		}
		k.Index[n] = -1
	}
	for n := range k.Index {
		if k.Index[n] < 0 {
			continue
		}
		k.Index[n] = int32(len(k.FreeNode))
		k.FreeNode = append(k.FreeNode, int32(n))
	}
	k.pattern(m)
	return k, nil
}

// Find is the place, in each of the three columns of free node col, of the first row of free node row, row <= col: the
// block's entry (d, c) is Value[ColPtr[3*col+c] + Find(row, col) + d].
func (k *Matrix) Find(row, col int32) int64 {
	rows := k.Row[k.ColPtr[3*col+2]:k.ColPtr[3*col+3]]
	at, _ := slices.BinarySearch(rows, 3*int64(row))
	return int64(at)
}

// pattern fills ColPtr and Row.
func (k *Matrix) pattern(m *mesh.Mesh) {
	free := len(k.FreeNode)
	// for each free node, the free nodes not above it that it shares an element with, ascending and with itself last
	above := make([][]int32, free)
	for _, nodes := range elements(m) {
		for _, p := range nodes {
			col := k.Index[p]
			if col < 0 {
				continue
			}
			for _, q := range nodes {
				if row := k.Index[q]; row >= 0 && row <= col {
					above[col] = append(above[col], row)
				}
			}
		}
	}
	k.N = 3 * free
	k.ColPtr = make([]int64, k.N+1)
	entries := int64(0)
	for col := range above {
		slices.Sort(above[col])
		above[col] = slices.Compact(above[col])
		if len(above[col]) == 0 {
			above[col] = []int32{int32(col)} // a node without element: the zero pivot is reported by the factorisation
		}
		for c := range 3 {
			k.ColPtr[3*col+c] = entries
			entries += int64(3*(len(above[col])-1) + c + 1)
		}
	}
	k.ColPtr[k.N] = entries
	k.Row = make([]int64, entries)
	k.Value = make([]float64, entries)
	for col, rows := range above {
		for c := range 3 {
			at := k.ColPtr[3*col+c]
			for _, row := range rows {
				for d := 0; d < 3 && 3*int(row)+d <= 3*col+c; d++ {
					k.Row[at] = 3*int64(row) + int64(d)
					at++
				}
			}
		}
	}
}

// add scatters an element matrix into the upper triangle.
func (k *Matrix) add(nodes []int32, ke []float64) {
	n := 3 * len(nodes)
	for b, q := range nodes {
		for a, p := range nodes {
			row, col := k.Index[p], k.Index[q]
			if row < 0 || row > col {
				continue
			}
			place := k.Find(row, col)
			for c := range 3 {
				at := k.ColPtr[3*int(col)+c] + place
				for d := 0; d < 3 && (row < col || d <= c); d++ {
					k.Value[at+int64(d)] += ke[(3*a+d)*n+3*b+c]
				}
			}
		}
	}
}

// AddAlike adds the matrix of an element that is the same along each axis, n x n by rows for its n nodes.
func (k *Matrix) AddAlike(nodes []int32, own []float64) {
	for b, q := range nodes {
		for a, p := range nodes {
			row, col := k.Index[p], k.Index[q]
			if row < 0 || row > col {
				continue
			}
			place := k.Find(row, col)
			for c := range 3 {
				k.Value[k.ColPtr[3*int(col)+c]+place+int64(c)] += own[a*len(nodes)+b]
			}
		}
	}
}

// MulVec computes dst = K u for displacements of the free dofs, at E = 1 Pa.
func (k *Matrix) MulVec(dst, u []float64) {
	if len(dst) != k.N || len(u) != k.N {
		panic("fem: MulVec: wrong lengths")
	}
	clear(dst)
	for col := range k.N {
		sum := 0.0
		for at := k.ColPtr[col]; at < k.ColPtr[col+1]; at++ {
			row := k.Row[at]
			v := k.Value[at]
			if int(row) == col {
				sum += v * u[col]
				continue
			}
			sum += v * u[row]
			dst[row] += v * u[col]
		}
		dst[col] += sum
	}
}

// BodyForce computes the consistent nodal loads of a uniform force per volume, such as density times gravity. f in
// N/m^3, dst flat, 3 a node, in N.
func BodyForce(dst []float64, m *mesh.Mesh, f mgl64.Vec3) {
	if len(dst) != 3*len(m.Nodes) {
		panic("fem: BodyForce: wrong length")
	}
	clear(dst)
	var x, g [maxNodes]mgl64.Vec3
	for b, nodes := range elements(m) {
		r := rules[b.Type]
		if r == nil {
			panic("fem: BodyForce: no element for a " + b.Type.String())
		}
		at := placesOf(x[:], m, nodes)
		for q := range r.points {
			p := &r.points[q]
			w := p.gradients(at, &g) * p.Weight
			for a, id := range nodes {
				for c := range 3 {
					dst[3*int(id)+c] += w * p.N[a] * f[c]
				}
			}
		}
	}
}
