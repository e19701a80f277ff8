package modes

import (
	"fmt"

	"hapco/physics/files/mesh"
)

var (
	tetEdges = [][2]int{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}
	hexEdges = [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}
)

// Quadratic is the mesh with a node in the middle of every edge: 4-node tetrahedra and 8-node hexahedra become
// quadratic ones. The old nodes keep their numbers, the new ones follow; parents are the two ends of each. The mesh's
// own sides stay straight.
func Quadratic(m *mesh.Mesh) (out *mesh.Mesh, parents [][2]int32, err error) {
	out = &mesh.Mesh{Nodes: append(m.Nodes[:0:0], m.Nodes...), NodeSets: m.NodeSets, ElementSets: m.ElementSets}
	middle := map[[2]int32]int32{}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		var edges [][2]int
		var to mesh.ElementType
		switch b.Type {
		case mesh.Tet4:
			edges, to = tetEdges, mesh.Tet10
		case mesh.Hex8:
			edges, to = hexEdges, mesh.Hex20
		default:
			return nil, nil, fmt.Errorf("modes: no middles for a %s (split the mesh with mesh.Split)", b.Type)
		}
		block := mesh.Block{Type: to}
		for e := range b.Len() {
			nodes := b.Element(e)
			block.Nodes = append(block.Nodes, nodes...)
			for _, ab := range edges {
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
	return out, parents, nil
}
