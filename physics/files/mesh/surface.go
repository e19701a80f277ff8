package mesh

import "slices"

// Surface is the boundary of a mesh as triangles.
type Surface struct {
	Triangles [][3]int32 // indices into Nodes of this Surface, counter-clockwise seen from outside
	Nodes     []int32    // mesh node of each surface node, ascending
	Index     []int32    // surface node of each mesh node, -1 inside
}

// Surface extracts the boundary: the element faces that no second element shares.
//
// The order is fixed: faces in element order, each quadrangle split along the diagonal from its lowest node; of its two
// triangles the one whose third corner (the neighbour of the lowest node) has the lower id comes first. Every triangle
// starts at its lowest node. Mid-edge nodes of quadratic elements are left out: Split such a mesh first.
func (m *Mesh) Surface() *Surface {
	s := &Surface{Index: make([]int32, len(m.Nodes))}
	faces := m.boundaryFaces()

	on := make([]bool, len(m.Nodes))
	for _, f := range faces {
		for _, n := range f.corners() {
			on[n] = true
		}
	}
	for n := range s.Index {
		s.Index[n] = -1
		if on[n] {
			s.Index[n] = int32(len(s.Nodes))
			s.Nodes = append(s.Nodes, int32(n))
		}
	}

	s.Triangles = make([][3]int32, 0, 2*len(faces))
	for _, f := range faces {
		// Surface ids ascend with mesh ids, so "lowest" means the same in both.
		c := [4]int32{-1, -1, -1, -1}
		for i, n := range f.corners() {
			c[i] = s.Index[n]
		}
		if c[3] < 0 {
			s.Triangles = append(s.Triangles, lowestFirst(c[0], c[1], c[2]))
			continue
		}
		low := 0
		for i := range c {
			if c[i] < c[low] {
				low = i
			}
		}
		a, b, opposite, d := c[low], c[(low+1)&3], c[(low+2)&3], c[(low+3)&3]
		first, second := [3]int32{a, b, opposite}, [3]int32{a, opposite, d}
		if d < b {
			first, second = second, first
		}
		s.Triangles = append(s.Triangles, first, second)
	}
	return s
}

// lowestFirst turns a triangle so that it starts at its lowest corner.
func lowestFirst(a, b, c int32) [3]int32 {
	switch {
	case a < b && a < c:
		return [3]int32{a, b, c}
	case b < c:
		return [3]int32{b, c, a}
	}
	return [3]int32{c, a, b}
}

// face is one side of an element: three or four corners (then node[3] is -1), counter-clockwise seen from outside.
type face struct {
	node    [4]int32
	element int32
}

func (f *face) corners() []int32 {
	if f.node[3] < 0 {
		return f.node[:3]
	}
	return f.node[:]
}

// key is the same for the two elements that share a face.
func (f *face) key() [4]int32 {
	k := f.node
	slices.Sort(k[:])
	return k
}

// boundaryFaces lists the faces that belong to exactly one element, in element order.
func (m *Mesh) boundaryFaces() []face {
	all, count := m.countedFaces()
	boundary := make([]face, 0, len(all)/4)
	for i := range all {
		if count[all[i].key()] == 1 {
			boundary = append(boundary, all[i])
		}
	}
	return boundary
}

// countedFaces lists every face of every element, and how many elements have each.
func (m *Mesh) countedFaces() (all []face, count map[[4]int32]int32) {
	total := 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		total += b.Len() * len(b.Type.shape().faces)
	}
	all = make([]face, 0, total)
	count = make(map[[4]int32]int32, total)
	element := int32(0)
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for e := range b.Len() {
			nodes := b.Element(e)
			for _, local := range b.Type.shape().faces {
				f := face{node: [4]int32{-1, -1, -1, -1}, element: element}
				for j, c := range local {
					f.node[j] = nodes[c]
				}
				all = append(all, f)
				count[f.key()]++
			}
			element++
		}
	}
	return all, count
}
