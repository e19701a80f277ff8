package mesh

import "github.com/go-gl/mathgl/mgl64"

// ElementType names a finite element by its shape and node count.
type ElementType uint8

// The element types that meshes may hold.
const (
	Tet4 ElementType = iota + 1 // 4-node tetrahedron
	Hex8                        // 8-node hexahedron, thesis order: bottom ring N1..N4, then top ring
)

// NodeCount is the number of nodes of one element.
func (t ElementType) NodeCount() int {
	switch t {
	case Tet4:
		return 4
	case Hex8:
		return 8
	}
	return 0
}

// Block is a run of elements of one type.
type Block struct {
	Type  ElementType
	Nodes []int32 // flat connectivity, NodeCount indices an element
}

// Mesh is a volume mesh. Lengths are in metres once loaded.
type Mesh struct {
	Nodes    []mgl64.Vec3
	Blocks   []Block
	NodeSets map[string][]int32 // named node sets, ids ascending
}

// Surface is the boundary of a mesh as triangles.
type Surface struct {
	Triangles [][3]int32 // indices into Nodes of this Surface, counter-clockwise seen from outside
	Nodes     []int32    // mesh node of each surface node, ascending
	Index     []int32    // surface node of each mesh node, -1 inside
}
