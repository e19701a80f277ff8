package mesh

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
)

// isTetGen: these files have no mark of their own, so here the name decides.
func isTetGen(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".node" || ext == ".ele"
}

// readTetGen reads the pair NAME.node and NAME.ele, given either of them.
func readTetGen(path string) *builder {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	base := filepath.Base(stem)
	var data [2][]byte
	for k, ext := range []string{".node", ".ele"} {
		text, err := budget.Mesh.Read(stem + ext)
		if err == nil {
			data[k], err = plainText(text)
		}
		if err != nil {
			panic(refusal.Of("mesh: %w (TetGen writes NAME.node and NAME.ele: keep both together)", err))
		}
	}
	return parseTetGen(base+".node", data[0], base+".ele", data[1]).inRange()
}

func parseTetGen(nodeName string, nodes []byte, eleName string, elements []byte) *builder {
	b := newBuilder(eleName, "TetGen", len(nodes)+len(elements))
	tetgenNodes(newScanner(nodeName, stripComments(nodes)), b)
	tetgenElements(newScanner(eleName, stripComments(elements)), b)
	return b
}

// tetgenNodes reads: count 3 attributes markers, then number x y z ... marker.
func tetgenNodes(s *scanner, b *builder) {
	n := s.count("nodes", 8)
	dimension := s.integer("the dimension")
	if dimension != 3 {
		panic(s.fail("use a mesh in space", "the mesh has %d dimensions", dimension))
	}
	attributes := s.count("attributes", 1)
	markers := s.count("markers", 1)
	for range n {
		number := s.integer("a node number")
		var x mgl64.Vec3
		for k := range 3 + attributes {
			v := s.float("a coordinate or attribute")
			if k < 3 {
				x[k] = v
			}
		}
		if !b.addNode(number, x) {
			panic(s.fail("give every node its own number", "node %d is defined twice", number))
		}
		if markers == 0 {
			continue
		}
		marker := s.integer("a boundary marker")
		if marker != 0 {
			set := fmt.Sprintf("point-%d", marker)
			b.nodeSets[set] = append(b.nodeSets[set], int32(len(b.nodes)-1))
		}
	}
	s.ended("nodes")
}

// tetgenElements reads: count nodes attributes, then number nodes ... region.
func tetgenElements(s *scanner, b *builder) {
	n := s.count("tetrahedra", 8)
	size := s.integer("the number of nodes of a tetrahedron")
	kind := map[int64]ElementType{4: Tet4, 10: Tet10}[size]
	if kind == 0 {
		panic(s.fail("use linear or quadratic tetrahedra", "the tetrahedra have %d nodes", size))
	}
	attributes := s.count("attributes", 1)
	var nodes [10]int32
	for range n {
		number := s.integer("a tetrahedron's number")
		line := s.line
		for k := range int(size) {
			v := s.integer("a node number")
			node, ok := b.find(v)
			if !ok {
				panic(s.fail("keep the .node and .ele files of one run together", "tetrahedron %d names node %d, which the .node file does not define", number, v))
			}
			nodes[k] = node
		}
		if kind == Tet10 {
			b.sortMiddles(&nodes)
		}
		e := b.addElement(kind, number, line, nodes[:], nil)
		for k := range attributes {
			region := s.float("an attribute")
			if k == attributes-1 && region != 0 {
				set := fmt.Sprintf("volume-%g", region)
				b.elementSets[set] = append(b.elementSets[set], e)
			}
		}
	}
	s.ended("tetrahedra")
}

// sortMiddles puts the mid-edge nodes of a tetrahedron in our order by where they lie: versions of TetGen order them
// differently.
func (b *builder) sortMiddles(nodes *[10]int32) {
	for k, e := range tetEdges {
		middle := b.nodes[nodes[e[0]]].Add(b.nodes[nodes[e[1]]]).Mul(0.5)
		best := 4 + k
		for j := best + 1; j < 10; j++ {
			if b.nodes[nodes[j]].Sub(middle).LenSqr() < b.nodes[nodes[best]].Sub(middle).LenSqr() {
				best = j
			}
		}
		nodes[4+k], nodes[best] = nodes[best], nodes[4+k]
	}
}
