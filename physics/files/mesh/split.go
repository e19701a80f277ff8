package mesh

import (
	"fmt"
	"slices"
)

// Split makes a mesh of the elements that the solver has, 4-node tetrahedra and 8-node hexahedra. It returns m itself
// when there is nothing to do; otherwise a new mesh on the same nodes, less those that are no longer used, with its
// sets carried over and a note of what was done. Parts fit together afterwards: every quadrangle between two elements
// is split along the diagonal from its lowest node.
//
//   - A quadratic tetrahedron becomes eight linear ones on its ten nodes, unless
//     the mesh has other quadratic elements: then all keep their corners only.
//   - A wedge becomes three tetrahedra, a pyramid two, and in a mesh that has
//     either a hexahedron becomes six: left whole it would not fit its neighbours.
func (m *Mesh) Split() *Mesh { return m.split(false) }

// Tetrahedra is Split, but every hexahedron becomes six tetrahedra, too.
func (m *Mesh) Tetrahedra() *Mesh { return m.split(true) }

func (m *Mesh) split(hexahedra bool) *Mesh {
	var has [len(shapes)]int
	for i := range m.Blocks {
		has[m.Blocks[i].Type] += m.Blocks[i].Len()
	}
	if has[Tet4] == m.Elements() || !hexahedra && has[Tet4]+has[Hex8] == m.Elements() {
		return m
	}
	middles := has[Tet10] > 0 && has[Hex20]+has[Wedge15]+has[Pyramid13] == 0 && has[Tet10] == m.Elements()
	wedges := has[Wedge6]+has[Pyramid5]+has[Wedge15]+has[Pyramid13] > 0
	cut := wedges || hexahedra

	s := &splitter{m: m, parts: make([]int32, 1, m.Elements()+1)}
	for _, e := range m.All() {
		switch t := e.Type.linear(); {
		case middles:
			s.refine(e.Nodes)
		case t == Tet4, t == Hex8 && !cut:
			s.add(t, e.Nodes[:t.NodeCount()])
		default:
			s.cone(t, e.Nodes)
		}
		s.parts = append(s.parts, s.count)
	}
	out := s.mesh()
	quadratic := has[Tet10] + has[Hex20] + has[Wedge15] + has[Pyramid13]
	switch {
	case middles:
		out.Notes = append(out.Notes, fmt.Sprintf("%d quadratic tetrahedra were split into %d linear ones on the same nodes", quadratic, out.Elements()))
	case quadratic > 0:
		out.Notes = append(out.Notes, fmt.Sprintf("%d quadratic elements keep their corners only: %d mid-edge nodes were left out", quadratic, len(m.Nodes)-len(out.Nodes)))
	}
	if wedges {
		out.Notes = append(out.Notes, fmt.Sprintf("wedges and pyramids, and hexahedra beside them, were split: %d tetrahedra now", out.Elements()))
	}
	return out
}

// splitter gathers the new elements; parts[e] to parts[e+1] are those of old element e.
type splitter struct {
	m      *Mesh
	blocks []Block
	parts  []int32
	count  int32
}

func (s *splitter) add(t ElementType, nodes []int32) {
	if k := len(s.blocks); k == 0 || s.blocks[k-1].Type != t {
		s.blocks = append(s.blocks, Block{Type: t})
	}
	last := &s.blocks[len(s.blocks)-1]
	last.Nodes = append(last.Nodes, nodes...)
	s.count++
}

// cone joins the lowest corner to the triangles of the faces that it is not on. The faces that it is on then are split
// along its diagonals by themselves.
func (s *splitter) cone(t ElementType, nodes []int32) {
	e := Element{t, nodes[:t.NodeCount()]}
	tip := slices.Min(e.Nodes)
	for _, local := range t.Faces() {
		f := e.face(local, 0)
		switch {
		case slices.Contains(f.Corners(), tip):
		case len(local) == 3:
			s.add(Tet4, []int32{tip, f.Nodes[0], f.Nodes[1], f.Nodes[2]})
		default:
			first, second := halves(f.Nodes)
			s.add(Tet4, []int32{tip, first[0], first[1], first[2]})
			s.add(Tet4, []int32{tip, second[0], second[1], second[2]})
		}
	}
}

// refine splits a quadratic tetrahedron: one at each corner, and the octahedron between them around its shortest
// diagonal.
func (s *splitter) refine(n []int32) {
	// Mid-edge nodes 4..9: 01, 12, 20, 03, 13, 23.
	for _, t := range [4][4]int8{{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}} {
		s.add(Tet4, []int32{n[t[0]], n[t[1]], n[t[2]], n[t[3]]})
	}
	// Each diagonal joins the middles of opposite edges; the ring around it is the other four, counter-clockwise seen
	// from its end.
	octahedron := [3][6]int8{{4, 9, 7, 6, 5, 8}, {5, 7, 4, 6, 9, 8}, {6, 8, 4, 7, 9, 5}}
	best := 0
	length := func(k int) float64 {
		o := octahedron[k]
		return s.m.Nodes[n[o[0]]].Sub(s.m.Nodes[n[o[1]]]).LenSqr()
	}
	for k := 1; k < 3; k++ {
		if length(k) < length(best) {
			best = k
		}
	}
	o := octahedron[best]
	for k := range 4 {
		t := []int32{n[o[0]], n[o[1]], n[o[2+k]], n[o[2+(k+1)&3]]}
		if x := s.m.Nodes; tetVolume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]) < 0 {
			t[2], t[3] = t[3], t[2]
		}
		s.add(Tet4, t)
	}
}

func (s *splitter) mesh() *Mesh {
	b := &builder{file: s.m.File, format: s.m.Format, blocks: s.blocks, nodeSets: s.m.NodeSets}
	b.nodes, b.numbers = s.m.Nodes, s.m.NodeNumbers
	if b.numbers == nil {
		b.numbers = make([]int64, len(b.nodes))
		for i := range b.numbers {
			b.numbers[i] = int64(i)
		}
	}
	b.elementSets = map[string][]int32{}
	for name, set := range s.m.ElementSets {
		for _, e := range set {
			for k := s.parts[e]; k < s.parts[e+1]; k++ {
				b.elementSets[name] = append(b.elementSets[name], k)
			}
		}
	}
	out := b.kept()
	out.Notes = slices.Clone(s.m.Notes)
	out.Unused = s.m.Unused
	if s.m.NodeNumbers == nil {
		out.NodeNumbers = nil
	}
	return out
}

// Quadratic is the mesh of tetrahedra and hexahedra with a node in the middle of every edge: it has their quadratic
// forms. The old nodes keep their numbers, the new ones follow; parents are the two ends of each, and a middle is in the
// node sets that both are in. The mesh's own sides stay straight.
func (m *Mesh) Quadratic() (out *Mesh, parents [][2]int32) {
	m = m.Split()
	out = &Mesh{Nodes: append(m.Nodes[:0:0], m.Nodes...), ElementSets: m.ElementSets, NodeSets: map[string][]int32{}, File: m.File, Format: m.Format, Notes: m.Notes}
	middle := map[[2]int32]int32{}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		block := Block{Type: Tet10}
		if b.Type == Hex8 {
			block.Type = Hex20
		}
		for e := range b.Len() {
			nodes := b.Element(e)
			block.Nodes = append(block.Nodes, nodes...)
			for _, ab := range block.Type.Edges() {
				key := [2]int32{min(nodes[ab[0]], nodes[ab[1]]), max(nodes[ab[0]], nodes[ab[1]])}
				n, ok := middle[key]
				if !ok {
					n = int32(len(out.Nodes))
					middle[key] = n
					out.Nodes = append(out.Nodes, m.Nodes[key[0]].Add(m.Nodes[key[1]]).Mul(0.5))
					parents = append(parents, key)
				}
				block.Nodes = append(block.Nodes, n)
			}
		}
		out.Blocks = append(out.Blocks, block)
	}
	in := make([]bool, len(m.Nodes))
	for name, set := range m.NodeSets {
		clear(in)
		for _, n := range set {
			in[n] = true
		}
		all := append([]int32(nil), set...)
		for k, p := range parents {
			if in[p[0]] && in[p[1]] {
				all = append(all, int32(len(m.Nodes)+k))
			}
		}
		out.NodeSets[name] = all
	}
	return out, parents
}
