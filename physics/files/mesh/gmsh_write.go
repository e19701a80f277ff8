package mesh

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

var gmshType = map[ElementType]int64{Tet4: 4, Hex8: 5, Wedge6: 6, Pyramid5: 7, Tet10: 11, Hex20: 17, Wedge15: 18, Pyramid13: 19}

// WriteGmsh writes the mesh as Gmsh 4.1 text, all digits kept. Element sets become physical volumes and node sets
// physical points; an element or node in several sets belongs to an entity that carries all of them.
func (m *Mesh) WriteGmsh(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n")

	volumes, points := sortedNames(m.ElementSets), m.ownNodeSets()
	if len(volumes)+len(points) > 0 {
		fmt.Fprintf(out, "$PhysicalNames\n%d\n", len(volumes)+len(points))
		for i, name := range points {
			fmt.Fprintf(out, "0 %d \"%s\"\n", i+1, oneLine(name))
		}
		for i, name := range volumes {
			fmt.Fprintf(out, "3 %d \"%s\"\n", i+1, oneLine(name))
		}
		fmt.Fprintf(out, "$EndPhysicalNames\n")
	}

	ofNode, nodeGroups := combinations(m.NodeSets, points, len(m.Nodes))
	ofElement, elementGroups := combinations(m.ElementSets, volumes, m.Elements())
	low, high := m.Bounds()
	fmt.Fprintf(out, "$Entities\n%d 0 0 %d\n", len(nodeGroups)-1, len(elementGroups))
	for g, tags := range nodeGroups[1:] {
		fmt.Fprintf(out, "%d %v %v %v %s\n", g+1, low[0], low[1], low[2], tagList(tags))
	}
	for g, tags := range elementGroups {
		fmt.Fprintf(out, "%d %v %v %v %v %v %v %s 0\n", g+1, low[0], low[1], low[2], high[0], high[1], high[2], tagList(tags))
	}
	fmt.Fprintf(out, "$EndEntities\n")

	nodes := m.outNumbers(m.NodeNumbers, len(m.Nodes))
	first, last := extremes(nodes)
	fmt.Fprintf(out, "$Nodes\n1 %d %d %d\n3 1 0 %d\n", len(nodes), first, last, len(nodes))
	for _, n := range nodes {
		fmt.Fprintln(out, n)
	}
	for _, x := range m.Nodes {
		fmt.Fprintln(out, x[0], x[1], x[2])
	}
	fmt.Fprintf(out, "$EndNodes\n")

	m.gmshElements(out, nodes, ofNode, ofElement, len(nodeGroups))
	return out.Flush()
}

// gmshElements writes the element section: runs of one type and entity, then a point element for each node that is in a
// set.
func (m *Mesh) gmshElements(out *bufio.Writer, nodes []int64, ofNode, ofElement []int32, nodeGroups int) {
	numbers := m.outNumbers(m.ElementNumbers, m.Elements())
	type run struct {
		block           *Block
		from, to, first int // elements of the block, and of the mesh
	}
	var runs []run
	e := 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for k := range b.Len() {
			if k == 0 || ofElement[e] != ofElement[e-1] {
				runs = append(runs, run{block: b, from: k, first: e})
			}
			runs[len(runs)-1].to = k + 1
			e++
		}
	}
	byGroup := make([][]int, nodeGroups)
	marked, groups := 0, 0
	for n, g := range ofNode {
		if g == 0 {
			continue
		}
		if len(byGroup[g]) == 0 {
			groups++
		}
		byGroup[g] = append(byGroup[g], n)
		marked++
	}
	first, last := extremes(numbers)
	fmt.Fprintf(out, "$Elements\n%d %d %d %d\n", len(runs)+groups, len(numbers)+marked, min(first, last+1), last+int64(marked))
	for _, r := range runs {
		fmt.Fprintf(out, "3 %d %d %d\n", ofElement[r.first]+1, gmshType[r.block.Type], r.to-r.from)
		order := gmshElements[gmshType[r.block.Type]].order
		var theirs [MaxNodes]int32
		for k := r.from; k < r.to; k++ {
			fmt.Fprint(out, numbers[r.first+k-r.from])
			conn := r.block.Element(k)
			copy(theirs[:], conn)
			for ours, o := range order {
				theirs[o] = conn[ours]
			}
			for _, n := range theirs[:len(conn)] {
				fmt.Fprint(out, " ", nodes[n])
			}
			fmt.Fprintln(out)
		}
	}
	for g, list := range byGroup {
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(out, "0 %d 15 %d\n", g, len(list))
		for _, n := range list {
			last++
			fmt.Fprintln(out, last, nodes[n])
		}
	}
	fmt.Fprintf(out, "$EndElements\n")
}

// combinations finds which sets each thing is in: of[i] is its combination, and groups[c] lists the sets (numbered
// from 1) of combination c. Combination 0 is "in no set".
func combinations(sets map[string][]int32, names []string, count int) (of []int32, groups [][]int) {
	of = make([]int32, count)
	groups = [][]int{nil}
	for i, name := range names {
		next := map[int32]int32{} // combination without this set -> with it
		for _, k := range sets[name] {
			c, ok := next[of[k]]
			if !ok {
				c = int32(len(groups))
				next[of[k]] = c
				groups = append(groups, append(append([]int(nil), groups[of[k]]...), i+1))
			}
			of[k] = c
		}
	}
	return of, groups
}

func tagList(tags []int) string {
	s := fmt.Sprint(len(tags))
	for _, t := range tags {
		s += fmt.Sprint(" ", t)
	}
	return s
}

// outNumbers are the numbers to write: the file's own when they are positive and each stands once, 1, 2, 3 ...
// otherwise.
func (m *Mesh) outNumbers(numbers []int64, count int) []int64 {
	seen := make(map[int64]bool, count)
	own := len(numbers) == count
	for _, n := range numbers {
		own = own && n > 0 && !seen[n]
		seen[n] = true
	}
	if own {
		return numbers
	}
	plain := make([]int64, count)
	for i := range plain {
		plain[i] = int64(i) + 1
	}
	return plain
}

func extremes(v []int64) (least, most int64) {
	if len(v) == 0 {
		return 0, 0
	}
	return slices.Min(v), slices.Max(v)
}

// oneLine makes a name safe between quotes on one line.
func oneLine(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' {
			return '_'
		}
		return r
	}, name))
}
