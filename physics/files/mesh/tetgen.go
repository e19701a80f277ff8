package mesh

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/budget"
)

// isTetGen: these files have no mark of their own, so here the name decides.
func isTetGen(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".node" || ext == ".ele"
}

// readTetGen reads the pair NAME.node and NAME.ele, given either of them.
func readTetGen(path string) (*builder, error) {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	nodes, err := tetgenText(stem + ".node")
	if err != nil {
		return nil, fmt.Errorf("mesh: %w (TetGen writes NAME.node and NAME.ele: keep both together)", err)
	}
	elements, err := tetgenText(stem + ".ele")
	if err != nil {
		return nil, fmt.Errorf("mesh: %w (TetGen writes NAME.node and NAME.ele: keep both together)", err)
	}
	base := filepath.Base(stem)
	return parseTetGen(base+".node", nodes, base+".ele", elements)
}

func tetgenText(path string) ([]byte, error) {
	data, err := budget.Mesh.Read(path)
	if err != nil {
		return nil, err
	}
	return plainText(data)
}

func loadTetGen(path string) (*Mesh, error) {
	b, err := readTetGen(path)
	if err != nil {
		return nil, err
	}
	return b.sound()
}

func parseTetGen(nodeName string, nodes []byte, eleName string, elements []byte) (*builder, error) {
	b := newBuilder(eleName, "TetGen", len(nodes)+len(elements))
	if err := tetgenNodes(newScanner(nodeName, stripComments(nodes)), b); err != nil {
		return nil, err
	}
	if err := tetgenElements(newScanner(eleName, stripComments(elements)), b); err != nil {
		return nil, err
	}
	return b, b.inRange()
}

// sound is the mesh, fit for computing.
func (b *builder) sound() (*Mesh, error) {
	m, err := b.finish()
	if err != nil {
		return nil, err
	}
	m.TurnMirrored()
	if err := m.Check(); err != nil {
		return nil, err
	}
	return m, nil
}

// tetgenNodes reads: count 3 attributes markers, then number x y z ... marker.
func tetgenNodes(s *scanner, b *builder) error {
	n, err := s.count("nodes", 8)
	if err != nil {
		return err
	}
	dimension, err := s.integer("the dimension")
	if err != nil {
		return err
	}
	if dimension != 3 {
		return s.fail("use a mesh in space", "the mesh has %d dimensions", dimension)
	}
	attributes, err := s.count("attributes", 1)
	if err != nil {
		return err
	}
	markers, err := s.count("markers", 1)
	if err != nil {
		return err
	}
	for range n {
		number, err := s.integer("a node number")
		if err != nil {
			return err
		}
		var x mgl64.Vec3
		for k := range 3 + attributes {
			v, err := s.float("a coordinate or attribute")
			if err != nil {
				return err
			}
			if k < 3 {
				x[k] = v
			}
		}
		if !b.addNode(number, x) {
			return s.fail("give every node its own number", "node %d is defined twice", number)
		}
		if markers == 0 {
			continue
		}
		marker, err := s.integer("a boundary marker")
		if err != nil {
			return err
		}
		if marker != 0 {
			set := fmt.Sprintf("point-%d", marker)
			b.nodeSets[set] = append(b.nodeSets[set], int32(len(b.nodes)-1))
		}
	}
	return s.ended("nodes")
}

// tetgenElements reads: count nodes attributes, then number nodes ... region.
func tetgenElements(s *scanner, b *builder) error {
	n, err := s.count("tetrahedra", 8)
	if err != nil {
		return err
	}
	size, err := s.integer("the number of nodes of a tetrahedron")
	if err != nil {
		return err
	}
	kind := map[int64]ElementType{4: Tet4, 10: Tet10}[size]
	if kind == 0 {
		return s.fail("use linear or quadratic tetrahedra", "the tetrahedra have %d nodes", size)
	}
	attributes, err := s.count("attributes", 1)
	if err != nil {
		return err
	}
	var nodes [10]int32
	for range n {
		number, err := s.integer("a tetrahedron's number")
		if err != nil {
			return err
		}
		line := s.line
		for k := range int(size) {
			v, err := s.integer("a node number")
			if err != nil {
				return err
			}
			node, ok := b.find(v)
			if !ok {
				return s.fail("keep the .node and .ele files of one run together", "tetrahedron %d names node %d, which the .node file does not define", number, v)
			}
			nodes[k] = node
		}
		if kind == Tet10 {
			b.sortMiddles(&nodes)
		}
		e := b.addElement(kind, number, line, nodes[:size])
		for k := range attributes {
			region, err := s.float("an attribute")
			if err != nil {
				return err
			}
			if k == attributes-1 && region != 0 {
				set := fmt.Sprintf("volume-%g", region)
				b.elementSets[set] = append(b.elementSets[set], e)
			}
		}
	}
	return s.ended("tetrahedra")
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
