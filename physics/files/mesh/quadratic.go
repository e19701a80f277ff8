package mesh

// Quadratic is the mesh of tetrahedra and hexahedra with a node in the middle of every edge: it has their quadratic
// forms. The old nodes keep their numbers, the new ones follow; parents are the two ends of each, and a middle is in the
// node sets that both are in. The mesh's own sides stay straight.
func (m *Mesh) Quadratic() (out *Mesh, parents [][2]int32) {
	m = m.Split()
	out = &Mesh{Nodes: append(m.Nodes[:0:0], m.Nodes...), ElementSets: m.ElementSets, NodeSets: map[string][]int32{}, File: m.File, Format: m.Format, Notes: m.Notes}
	middle := map[[2]int32]int32{}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		edges, block := tetEdges, Block{Type: Tet10}
		if b.Type == Hex8 {
			edges, block.Type = hexEdges, Hex20
		}
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
