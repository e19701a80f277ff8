package mesh

import "github.com/go-gl/mathgl/mgl64"

// ElementType names a finite element by its shape and node count.
type ElementType uint8

// The element types that meshes may hold. Corner nodes come first, bottom ring then top ring; mid-edge nodes follow in
// the order of edges().
const (
	Tet4      ElementType = iota + 1 // 4-node tetrahedron
	Hex8                             // 8-node hexahedron, thesis order: bottom ring N1..N4, then top ring
	Wedge6                           // 6-node triangular prism: bottom triangle, then top
	Pyramid5                         // 5-node pyramid: base ring, then apex
	Tet10                            // quadratic tetrahedron
	Hex20                            // quadratic (serendipity) hexahedron
	Wedge15                          // quadratic (serendipity) wedge
	Pyramid13                        // quadratic pyramid
)

const maxNodes = 20 // of any element type

// elementShape is what the package knows about an element type.
type elementShape struct {
	name    string
	nodes   int
	corners int
	faces   [][]int8  // corner nodes, counter-clockwise seen from outside
	edges   [][2]int8 // corner pairs, in the order of the mid-edge nodes
	mirror  []int8    // node order that turns an inverted element right
}

var (
	tetFaces   = [][]int8{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}
	hexFaces   = [][]int8{{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}
	wedgeFaces = [][]int8{{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}
	pyrFaces   = [][]int8{{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}

	// The mid-edge orders are those of VTK and Abaqus.
	tetEdges   = [][2]int8{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}
	hexEdges   = [][2]int8{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}
	wedgeEdges = [][2]int8{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}
	pyrEdges   = [][2]int8{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}
)

var shapes = [...]elementShape{
	Tet4:      {name: "tetrahedron", nodes: 4, corners: 4, faces: tetFaces, mirror: []int8{0, 2, 1, 3}},
	Hex8:      {name: "hexahedron", nodes: 8, corners: 8, faces: hexFaces, mirror: []int8{0, 3, 2, 1, 4, 7, 6, 5}},
	Wedge6:    {name: "wedge", nodes: 6, corners: 6, faces: wedgeFaces, mirror: []int8{0, 2, 1, 3, 5, 4}},
	Pyramid5:  {name: "pyramid", nodes: 5, corners: 5, faces: pyrFaces, mirror: []int8{0, 3, 2, 1, 4}},
	Tet10:     {name: "quadratic tetrahedron", nodes: 10, corners: 4, faces: tetFaces, edges: tetEdges},
	Hex20:     {name: "quadratic hexahedron", nodes: 20, corners: 8, faces: hexFaces, edges: hexEdges},
	Wedge15:   {name: "quadratic wedge", nodes: 15, corners: 6, faces: wedgeFaces, edges: wedgeEdges},
	Pyramid13: {name: "quadratic pyramid", nodes: 13, corners: 5, faces: pyrFaces, edges: pyrEdges},
}

// linear is the type of the corners alone.
func (t ElementType) linear() ElementType {
	switch t {
	case Tet10:
		return Tet4
	case Hex20:
		return Hex8
	case Wedge15:
		return Wedge6
	case Pyramid13:
		return Pyramid5
	}
	return t
}

// shape is nil for a type that does not exist.
func (t ElementType) shape() *elementShape {
	if t == 0 || int(t) >= len(shapes) {
		return nil
	}
	return &shapes[t]
}

// NodeCount is the number of nodes of one element, 0 for an unknown type.
func (t ElementType) NodeCount() int {
	if s := t.shape(); s != nil {
		return s.nodes
	}
	return 0
}

// Corners is the number of corner nodes, which come first.
func (t ElementType) Corners() int {
	if s := t.shape(); s != nil {
		return s.corners
	}
	return 0
}

// Faces lists the element's sides by their corners (places in the element), counter-clockwise seen from outside. Not to
// be changed.
func (t ElementType) Faces() [][]int8 {
	if s := t.shape(); s != nil {
		return s.faces
	}
	return nil
}

// String is the type's name in words, such as "tetrahedron".
func (t ElementType) String() string {
	if s := t.shape(); s != nil {
		return s.name
	}
	return "unknown element"
}

// mirrored is the node order of the element with its sense reversed.
func (t ElementType) mirrored() []int8 {
	s := t.shape()
	if s.edges == nil {
		return s.mirror
	}
	corner := t.linear().shape().mirror
	order := append(make([]int8, 0, s.nodes), corner...)
	for _, e := range s.edges {
		// The mid-edge node of the mirrored edge.
		a, b := corner[e[0]], corner[e[1]]
		for k, other := range s.edges {
			if other == [2]int8{a, b} || other == [2]int8{b, a} {
				order = append(order, int8(s.corners+k))
			}
		}
	}
	return order
}

// volume is the signed volume of the element with the given node positions, exact for its corner element with plane or
// bilinear faces.
func volume(t ElementType, x []mgl64.Vec3) float64 {
	if t.linear() == Tet4 {
		return tetVolume(x[0], x[1], x[2], x[3])
	}
	// Divergence theorem, V = 1/3 sum over faces of the flux of position. A bilinear quad's flux is the mean of its two
	// triangulations'.
	o := x[0]
	sum := 0.0
	for _, f := range t.shape().faces {
		a, b, c := x[f[0]].Sub(o), x[f[1]].Sub(o), x[f[2]].Sub(o)
		if len(f) == 3 {
			sum += a.Dot(b.Cross(c))
			continue
		}
		d := x[f[3]].Sub(o)
		sum += (a.Dot(b.Cross(c)) + a.Dot(c.Cross(d)) + b.Dot(c.Cross(d)) + a.Dot(b.Cross(d))) / 2
	}
	return sum / 6
}

// tetVolume is the signed volume of a tetrahedron, positive when a, b, c turn counter-clockwise seen from d's far side
// (the usual numbering).
func tetVolume(a, b, c, d mgl64.Vec3) float64 {
	return b.Sub(a).Dot(c.Sub(a).Cross(d.Sub(a))) / 6
}
