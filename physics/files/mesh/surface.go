package mesh

import (
	"iter"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

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
	s := &Surface{}
	count := m.sides()
	faces := make([]Face, 0, len(count)/4)
	for f := range m.Faces() {
		if count[f.Key()] == 1 {
			faces = append(faces, f)
		}
	}

	on := make([]bool, len(m.Nodes))
	for _, f := range faces {
		for _, n := range f.Corners() {
			on[n] = true
		}
	}
	s.Index, s.Nodes = renumber(on)

	s.Triangles = make([][3]int32, 0, 2*len(faces))
	for _, f := range faces {
		// Surface ids ascend with mesh ids, so "lowest" means the same in both.
		c := [4]int32{-1, -1, -1, -1}
		for i, n := range f.Corners() {
			c[i] = s.Index[n]
		}
		if c[3] < 0 {
			s.Triangles = append(s.Triangles, lowestFirst(c[0], c[1], c[2]))
			continue
		}
		first, second := halves(c)
		if second[2] < first[1] {
			first, second = second, first
		}
		s.Triangles = append(s.Triangles, first, second)
	}
	return s
}

// Places are where the surface's nodes are.
func (s *Surface) Places(m *Mesh) []mgl64.Vec3 {
	x := make([]mgl64.Vec3, len(s.Nodes))
	for i, n := range s.Nodes {
		x[i] = m.Nodes[n]
	}
	return x
}

// Marked marks those of the surface's nodes that are among some of the mesh.
func (s *Surface) Marked(nodes []int32) []bool {
	marks := make([]bool, len(s.Nodes))
	for _, n := range nodes {
		if k := s.Index[n]; k >= 0 {
			marks[k] = true
		}
	}
	return marks
}

// OnMesh are the surface's triangles by nodes of the mesh.
func (s *Surface) OnMesh() [][3]int32 {
	triangles := make([][3]int32, len(s.Triangles))
	for i, t := range s.Triangles {
		triangles[i] = [3]int32{s.Nodes[t[0]], s.Nodes[t[1]], s.Nodes[t[2]]}
	}
	return triangles
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

// halves splits a quadrangle along the diagonal from its lowest corner, with which both triangles begin.
func halves(c [4]int32) (first, second [3]int32) {
	low := 0
	for i := range c {
		if c[i] < c[low] {
			low = i
		}
	}
	a, b, opposite, d := c[low], c[(low+1)&3], c[(low+2)&3], c[(low+3)&3]
	return [3]int32{a, b, opposite}, [3]int32{a, opposite, d}
}

// Face is one side of an element.
type Face struct {
	Nodes   [4]int32 // corners, counter-clockwise seen from outside; the fourth is -1 of a triangle
	Element int32
}

// Corners are the three or four corners.
func (f *Face) Corners() []int32 {
	if f.Nodes[3] < 0 {
		return f.Nodes[:3]
	}
	return f.Nodes[:]
}

// Key is the same for the two elements that share a face.
func (f *Face) Key() [4]int32 {
	k := f.Nodes
	slices.Sort(k[:])
	return k
}

// Faces are the sides of all elements, in their order.
func (m *Mesh) Faces() iter.Seq[Face] {
	return func(yield func(Face) bool) {
		for number, e := range m.All() {
			for _, local := range e.Type.Faces() {
				if !yield(e.face(local, number)) {
					return
				}
			}
		}
	}
}

func (e *Element) face(local []int8, number int) Face {
	f := Face{[4]int32{3: -1}, int32(number)}
	for j, c := range local {
		f.Nodes[j] = e.Nodes[c]
	}
	return f
}

// sides counts how many elements have each face.
func (m *Mesh) sides() map[[4]int32]int32 {
	total := 0
	for i := range m.Blocks {
		total += m.Blocks[i].Len() * len(m.Blocks[i].Type.Faces())
	}
	count := make(map[[4]int32]int32, total)
	for f := range m.Faces() {
		count[f.Key()]++
	}
	return count
}
