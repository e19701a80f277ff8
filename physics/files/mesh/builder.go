package mesh

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/budget"
)

// builder gathers what a reader finds and turns it into a Mesh: nodes are renumbered, those that no element uses are
// dropped, sets are sorted.
type builder struct {
	file, format string
	nodeTable
	base int64

	blocks         []Block
	elementNumbers []int64
	elementLines   []int32
	facets         int        // faces seen: all that a surface file has
	triangles      [][3]int32 // the same as triangles

	nodeSets    map[string][]int32
	elementSets map[string][]int32
	notes       []string

	memory budget.Memory // for what a few bytes of the file can stand for
}

// nodeTable are nodes with numbers of their own.
type nodeTable struct {
	nodes   []mgl64.Vec3
	numbers []int64         // the file's number of each node
	index   map[int64]int32 // node of each of the file's numbers; nil: numbered from a base on
}

// addNode adds a node under the file's number; false when that is taken.
func (t *nodeTable) addNode(number int64, x mgl64.Vec3) bool {
	if _, taken := t.index[number]; taken {
		return false
	}
	t.index[number] = int32(len(t.nodes))
	t.nodes = append(t.nodes, x)
	t.numbers = append(t.numbers, number)
	return true
}

// newBuilder is for a file of size bytes.
func newBuilder(file, format string, size int) *builder {
	b := &builder{
		file: file, format: format,
		nodeTable:   nodeTable{index: map[int64]int32{}},
		nodeSets:    map[string][]int32{},
		elementSets: map[string][]int32{},
		memory:      budget.For(int64(size)),
	}
	b.memory.Take(int64(size) * budget.Ratio / 2) // nodes, elements and sets written out take less
	return b
}

// take asks for the memory of a list of count entries that a reader makes of less than as many bytes; line as in
// errorAt.
func (b *builder) take(line, count int, what string) {
	const entry = 16 // bytes: the list while it grows, and the set made of it
	if b.memory.Take(entry * int64(count)) {
		return
	}
	panic(errorAt(b.file, line, fmt.Sprintf("%s take more memory than a file of this size may ask for, which is %d times its size and %d MB", what, budget.Ratio, budget.SpareMemory>>20), "give each node and element fewer sets"))
}

func (b *builder) find(number int64) (int32, bool) {
	if b.index == nil {
		n := number - b.base
		return int32(n), n >= 0 && n < int64(len(b.nodes))
	}
	n, ok := b.index[number]
	return n, ok
}

// setNodes gives all nodes so far, numbered from base on.
func (b *builder) setNodes(x []mgl64.Vec3, base int64) {
	b.nodes, b.base, b.index = x, base, nil
	b.numbers = slices.Grow(b.numbers, max(0, len(x)-len(b.numbers)))
	for i := len(b.numbers); i < len(x); i++ {
		b.numbers = append(b.numbers, base+int64(i))
	}
}

// addFacet adds a plane polygon as a fan of triangles; nodes are builder indices.
func (b *builder) addFacet(nodes []int32) {
	b.facets++
	for k := 2; k < len(nodes); k++ {
		b.triangles = append(b.triangles, [3]int32{nodes[0], nodes[k-1], nodes[k]})
	}
}

// addElement adds a volume element; nodes are builder indices and are copied. order, where it is not nil, tells which
// of them its nodes are. It returns the element's index.
func (b *builder) addElement(t ElementType, number int64, line int, nodes []int32, order []int8) int32 {
	if k := len(b.blocks); k == 0 || b.blocks[k-1].Type != t {
		b.blocks = append(b.blocks, Block{Type: t})
	}
	last := &b.blocks[len(b.blocks)-1]
	if order == nil {
		last.Nodes = append(last.Nodes, nodes[:t.NodeCount()]...)
	}
	for _, k := range order {
		last.Nodes = append(last.Nodes, nodes[k])
	}
	b.elementNumbers = append(b.elementNumbers, number)
	b.elementLines = append(b.elementLines, int32(min(line, math.MaxInt32)))
	return int32(len(b.elementNumbers) - 1)
}

// inRange looks once more at every index, after all sections are read: what the rest of the package does with them
// relies on it.
func (b *builder) inRange() *builder {
	check := func(list []int32, count int, what string, line func(k int) int) {
		k := slices.IndexFunc(list, func(n int32) bool { return n < 0 || int(n) >= count })
		if k >= 0 {
			said := fmt.Sprintf("%s %d is named, but the file has %d", what, list[k], count)
			panic(errorAt(b.file, line(k), said, "export the mesh again"))
		}
	}
	nowhere := func(int) int { return 0 }
	first := 0
	for i := range b.blocks {
		block := &b.blocks[i]
		check(block.Nodes, len(b.nodes), "node", func(k int) int {
			return int(b.elementLines[first+k/block.Type.NodeCount()])
		})
		first += block.Len()
	}
	for i := range b.triangles {
		check(b.triangles[i][:], len(b.nodes), "node", nowhere)
	}
	for _, set := range b.nodeSets {
		check(set, len(b.nodes), "node", nowhere)
	}
	for _, set := range b.elementSets {
		check(set, len(b.elementNumbers), "element", nowhere)
	}
	return b
}

// finish makes the mesh, and refuses a file without volume elements.
func (b *builder) finish() *Mesh {
	switch {
	case len(b.elementNumbers) == 0 && b.facets > 0:
		panic(errorAt(b.file, 0, fmt.Sprintf("the file holds a surface (%d facets) and no volume element", b.facets),
			"fill it first with `hapco mesh tetrahedralize`"))
	case len(b.elementNumbers) == 0:
		panic(errorAt(b.file, 0, "the file holds no volume element", "export the tetrahedra or hexahedra as well"))
	}
	m := b.kept()
	if dropped := len(m.Unused); dropped > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d of %d nodes belong to no volume element and were left out", dropped, len(b.nodes)))
	}
	return m
}

// kept is the mesh of the nodes that elements use, with the sets on them.
func (b *builder) kept() *Mesh {
	used := make([]bool, len(b.nodes))
	for _, block := range b.blocks {
		for _, n := range block.Nodes {
			used[n] = true
		}
	}
	keep, old := renumber(used)
	m := &Mesh{File: b.file, Format: b.format, Blocks: b.blocks, Notes: b.notes,
		ElementNumbers: b.elementNumbers, elementLines: b.elementLines,
		NodeSets: map[string][]int32{}, ElementSets: map[string][]int32{}}
	for n, k := range keep {
		if k < 0 {
			m.Unused = append(m.Unused, b.numbers[n])
		}
	}
	for _, n := range old {
		m.Nodes = append(m.Nodes, b.nodes[n])
		m.NodeNumbers = append(m.NodeNumbers, b.numbers[n])
	}
	for _, block := range m.Blocks {
		for i, n := range block.Nodes {
			block.Nodes[i] = keep[n]
		}
	}
	for name, set := range b.nodeSets {
		kept := make([]int32, 0, len(set))
		for _, n := range set {
			if keep[n] >= 0 {
				kept = append(kept, keep[n])
			}
		}
		if len(kept) > 0 {
			slices.Sort(kept)
			m.NodeSets[name] = slices.Compact(kept)
		}
	}
	on := make([]bool, len(m.Nodes))
	for name, set := range b.elementSets {
		if len(set) == 0 {
			continue
		}
		m.ElementSets[name] = sortedSet(set)
		// Supports are given by nodes: every element set is a node set too.
		if m.NodeSets[name] == nil {
			m.NodeSets[name] = m.nodesOf(m.ElementSets[name], on)
		}
	}
	return m
}

// nodesOf lists the nodes of some elements (ascending), ascending. on has room for all nodes, and is false everywhere
// before and after.
func (m *Mesh) nodesOf(elements []int32, on []bool) []int32 {
	var nodes []int32
	first, k := 0, 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for ; k < len(elements) && int(elements[k]) < first+b.Len(); k++ {
			for _, n := range b.Element(int(elements[k]) - first) {
				if !on[n] {
					on[n] = true
					nodes = append(nodes, n)
				}
			}
		}
		first += b.Len()
	}
	for _, n := range nodes {
		on[n] = false
	}
	slices.Sort(nodes)
	return nodes
}
