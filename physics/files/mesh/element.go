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

// MaxNodes is the largest number of nodes of any element type.
const MaxNodes = 20

// elementShape is what the package knows about an element type.
type elementShape struct {
	name    string
	nodes   int
	corners int
	linear  ElementType // of the corners alone
	faces   [][]int8    // corner nodes, counter-clockwise seen from outside
	edges   [][2]int8   // corner pairs, in the order of the mid-edge nodes
	frames  [][4]int8   // of each corner: it and its three neighbours, right-handed; a pyramid's apex has four
	mirror  []int8      // node order that turns an inverted element right
}

var (
	tetFaces   = [][]int8{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}
	hexFaces   = [][]int8{{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}
	wedgeFaces = [][]int8{{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}
	pyrFaces   = [][]int8{{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}

	tetFrames   = [][4]int8{{0, 1, 2, 3}} // all four have the same volume
	hexFrames   = [][4]int8{{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7}, {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}}
	wedgeFrames = [][4]int8{{0, 1, 2, 3}, {1, 2, 0, 4}, {2, 0, 1, 5}, {3, 5, 4, 0}, {4, 3, 5, 1}, {5, 4, 3, 2}}
	pyrFrames   = [][4]int8{{0, 1, 3, 4}, {1, 2, 0, 4}, {2, 3, 1, 4}, {3, 0, 2, 4}}

	// The mid-edge orders are those of VTK and Abaqus.
	tetEdges   = [][2]int8{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}
	hexEdges   = [][2]int8{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}
	wedgeEdges = [][2]int8{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}
	pyrEdges   = [][2]int8{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}
)

var shapes = [...]elementShape{
	{name: "unknown element"},
	Tet4:      {"tetrahedron", 4, 4, Tet4, tetFaces, nil, tetFrames, []int8{0, 2, 1, 3}},
	Hex8:      {"hexahedron", 8, 8, Hex8, hexFaces, nil, hexFrames, []int8{0, 3, 2, 1, 4, 7, 6, 5}},
	Wedge6:    {"wedge", 6, 6, Wedge6, wedgeFaces, nil, wedgeFrames, []int8{0, 2, 1, 3, 5, 4}},
	Pyramid5:  {"pyramid", 5, 5, Pyramid5, pyrFaces, nil, pyrFrames, []int8{0, 3, 2, 1, 4}},
	Tet10:     {"quadratic tetrahedron", 10, 4, Tet4, tetFaces, tetEdges, tetFrames, []int8{0, 2, 1, 3, 6, 5, 4, 7, 9, 8}},
	Hex20:     {"quadratic hexahedron", 20, 8, Hex8, hexFaces, hexEdges, hexFrames, []int8{0, 3, 2, 1, 4, 7, 6, 5, 11, 10, 9, 8, 15, 14, 13, 12, 16, 19, 18, 17}},
	Wedge15:   {"quadratic wedge", 15, 6, Wedge6, wedgeFaces, wedgeEdges, wedgeFrames, []int8{0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13}},
	Pyramid13: {"quadratic pyramid", 13, 5, Pyramid5, pyrFaces, pyrEdges, pyrFrames, []int8{0, 3, 2, 1, 4, 8, 7, 6, 5, 9, 12, 11, 10}},
}

// shape is that of no nodes for a type that does not exist.
func (t ElementType) shape() *elementShape {
	if int(t) >= len(shapes) {
		t = 0
	}
	return &shapes[t]
}

// linear is the type of the corners alone.
func (t ElementType) linear() ElementType { return t.shape().linear }

// NodeCount is the number of nodes of one element, 0 for an unknown type.
func (t ElementType) NodeCount() int { return t.shape().nodes }

// Corners is the number of corner nodes, which come first.
func (t ElementType) Corners() int { return t.shape().corners }

// Faces lists the element's sides by their corners (places in the element), counter-clockwise seen from outside. Not to
// be changed.
func (t ElementType) Faces() [][]int8 { return t.shape().faces }

// Edges lists the edges of a quadratic element by their corners (places in the element), in the order of the nodes in
// their middles. Not to be changed.
func (t ElementType) Edges() [][2]int8 { return t.shape().edges }

// String is the type's name in words, such as "tetrahedron".
func (t ElementType) String() string { return t.shape().name }

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
