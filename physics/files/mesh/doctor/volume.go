package doctor

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/unionfind"
)

// What counts as a sliver: its stiffness is off by orders of magnitude, which harms the conditioning of K and the
// stresses around it.
const (
	sliverQuality = 0.1 // mesh.Quality below which an element is a sliver
	sliverAngle   = 5.0 // degrees: least angle between faces; 180 less this the greatest
)

// coincident is the distance, as a share of the diagonal, within which two nodes are at the same place.
const coincident = 1e-8

// Examine examines a volume mesh whose lengths are in the unit of that name, "" when it is unknown.
func Examine(m *mesh.Mesh, unit string) *Report {
	r := &Report{File: m.File, Format: m.Format, Nodes: len(m.Nodes), Elements: m.Elements()}
	e := &volumeExam{r: r, m: m}
	if !e.coordinates() {
		return r // the rest needs numbers
	}
	e.elements()
	e.twins()
	e.faces()
	e.coincidentNodes()
	e.unused()
	e.parts()
	e.support()
	e.bending()
	low, high := m.Bounds()
	r.unit(low, high, unit)
	return r
}

type volumeExam struct {
	r *Report
	m *mesh.Mesh
}

// each calls f with every element: its number in the mesh, type, nodes, places.
func (e *volumeExam) each(f func(element int32, t mesh.ElementType, nodes []int32, x []mgl64.Vec3)) {
	var x [20]mgl64.Vec3
	element := int32(0)
	for i := range e.m.Blocks {
		b := &e.m.Blocks[i]
		for k := range b.Len() {
			nodes := b.Element(k)
			for j, n := range nodes {
				x[j] = e.m.Nodes[n]
			}
			f(element, b.Type, nodes, x[:len(nodes)])
			element++
		}
	}
}

func (e *volumeExam) elementIDs(elements []int32) []int64 {
	var ids []int64
	for _, k := range elements[:min(maxIDs, len(elements))] {
		ids = append(ids, e.m.ElementNumber(int(k)))
	}
	return ids
}

func (e *volumeExam) nodeIDs(nodes []int32) []int64 {
	var ids []int64
	for _, n := range nodes[:min(maxIDs, len(nodes))] {
		ids = append(ids, e.m.NodeNumber(int(n)))
	}
	return ids
}

// coordinates are numbers; false when not.
func (e *volumeExam) coordinates() bool {
	var bad []int32
	for n, x := range e.m.Nodes {
		if d := x.Sub(x); d != (mgl64.Vec3{}) { // NaN and infinities
			bad = append(bad, int32(n))
		}
	}
	if len(bad) > 0 {
		e.r.add(Finding{Kind: "coordinates", Grade: Error, Count: len(bad), Of: "nodes", IDs: e.nodeIDs(bad),
			Text: fmt.Sprintf("the coordinates of %s are no numbers", plural(len(bad), "node")), Cure: "correct or remove them"})
	}
	return len(bad) == 0
}

// elements: faults and slivers, each element by itself.
func (e *volumeExam) elements() {
	faults := e.m.Faults()
	by := map[mesh.Fault][]int32{}
	total, mirrored := map[mesh.ElementType]int{}, map[mesh.ElementType]int{}
	q := Quality{Least: math.Inf(1), Smallest: math.Inf(1), Greatest: math.Inf(-1)}
	type sliver struct {
		element int32
		quality float64
	}
	var slivers []sliver
	e.each(func(element int32, t mesh.ElementType, _ []int32, x []mgl64.Vec3) {
		total[t]++
		f := faults[element]
		by[f] = append(by[f], element)
		if f == mesh.Inverted {
			mirrored[t]++
		}
		quality := mesh.Quality(t, x)
		q.Least, q.Mean = math.Min(q.Least, quality), q.Mean+quality
		least, greatest := mesh.DihedralAngles(t, x)
		q.Smallest, q.Greatest = math.Min(q.Smallest, least), math.Max(q.Greatest, greatest)
		if f == mesh.Sound && !(quality >= sliverQuality && least >= sliverAngle && greatest <= 180-sliverAngle) {
			slivers = append(slivers, sliver{element, quality})
		}
	})
	q.Mean /= float64(max(1, len(faults)))
	if sum := q.Least + q.Mean + q.Smallest + q.Greatest; sum-sum == 0 { // finite: JSON knows nothing else
		e.r.Quality = &q
	}
	e.inverted(by[mesh.Inverted], total, mirrored)
	for _, c := range []struct {
		fault            mesh.Fault
		kind, text, cure string
	}{
		{mesh.RepeatedNode, "collapsed", "the same node twice", "remove them or mesh the part again"},
		{mesh.Flat, "flat", "no volume", "remove them, collapse their shortest edge, or mesh the part again"},
	} {
		if bad := by[c.fault]; len(bad) > 0 {
			e.r.add(Finding{Kind: c.kind, Grade: Error, Count: len(bad), Of: "elements", IDs: e.elementIDs(bad), elements: bad,
				Text: fmt.Sprintf("%s of %d with %s", plural(len(bad), "element"), len(faults), c.text), Cure: c.cure})
		}
	}
	if len(slivers) > 0 {
		slices.SortStableFunc(slivers, func(a, b sliver) int {
			if a.quality < b.quality {
				return -1
			}
			return 1
		})
		var worst []int32
		for _, s := range slivers {
			worst = append(worst, s.element)
		}
		e.r.add(Finding{Kind: "sliver", Grade: Warning, Count: len(worst), Of: "elements", IDs: e.elementIDs(worst), elements: worst,
			Text: fmt.Sprintf("%s of %d %s nearly flat (quality below %g, or an angle between faces below %g or above %g degrees); the worst has quality %.2g",
				plural(len(worst), "element"), len(faults), are(len(worst)), sliverQuality, sliverAngle, 180-sliverAngle, slivers[0].quality),
			Cure: "mesh again with optimisation on, or `hapco mesh tetrahedralize` this file: it fills the boundary anew"})
	}
}

// inverted sorts out types that the file numbers the other way round throughout.
func (e *volumeExam) inverted(bad []int32, total, mirrored map[mesh.ElementType]int) {
	var turned []int32
	rest := bad[:0:0]
	e.each(func(element int32, t mesh.ElementType, _ []int32, _ []mgl64.Vec3) {
		if _, is := slices.BinarySearch(bad, element); !is {
			return
		}
		if mirrored[t] == total[t] && len(bad) > 1 {
			turned = append(turned, element)
		} else {
			rest = append(rest, element)
		}
	})
	if len(turned) > 0 {
		e.r.add(Finding{Kind: "mirrored", Grade: Note, Count: len(turned), Of: "elements",
			Text: fmt.Sprintf("all %d elements of a type are numbered inside out", len(turned)), Cure: "none needed: they are turned on loading"})
	}
	if len(rest) > 0 {
		e.r.add(Finding{Kind: "inverted", Grade: Error, Count: len(rest), Of: "elements", IDs: e.elementIDs(rest), elements: rest,
			Text: fmt.Sprintf("%s of %d turned inside out or folded at a corner", plural(len(rest), "element"), e.r.Elements),
			Cure: "swap two of their nodes if only the numbering is wrong, otherwise move the nodes or mesh the part again"})
	}
}

// bending: how stiff the thinnest part is where it bends, at Poisson's ratios of tissue. What holds the body is not
// known here.
func (e *volumeExam) bending() {
	if !e.r.Fine() { // what has faults has no thickness to be sure of
		return
	}
	if text, cure := e.m.Split().BendingNote(nil, 0.3, 0.45); text != "" {
		e.r.add(Finding{Kind: "bending", Grade: Note, Count: 1, Of: "parts", Text: text, Cure: cure})
	}
}

// twins: elements on the same nodes.
func (e *volumeExam) twins() {
	seen := map[[20]int32]bool{}
	var twin []int32
	e.each(func(element int32, t mesh.ElementType, nodes []int32, _ []mgl64.Vec3) {
		var key [20]int32
		corners := key[:copy(key[:], nodes[:t.Corners()])]
		slices.Sort(corners)
		for i := range corners {
			corners[i]++ // 0 is for no node
		}
		if seen[key] {
			twin = append(twin, element)
		}
		seen[key] = true
	})
	if len(twin) > 0 {
		e.r.add(Finding{Kind: "twin", Grade: Warning, Count: len(twin), Of: "elements", IDs: e.elementIDs(twin), elements: twin,
			Text: fmt.Sprintf("%s on the same nodes as another: its stiffness counts twice", plural(len(twin), "element")), Cure: "remove them"})
	}
}

// sided is a side of an element, its corners in order from the outside.
type sided struct {
	node    [4]int32 // the fourth is -1 for a triangle
	element int32
}

func (f *sided) key() [4]int32 {
	k := f.node
	slices.Sort(k[:])
	return k
}

func (f *sided) corners() []int32 {
	if f.node[3] < 0 {
		return f.node[:3]
	}
	return f.node[:]
}

// faces: how the elements fit together, and the boundary they leave.
func (e *volumeExam) faces() {
	of := map[[4]int32][]sided{}
	e.each(func(element int32, t mesh.ElementType, nodes []int32, _ []mgl64.Vec3) {
		for _, local := range t.Faces() {
			f := sided{node: [4]int32{-1, -1, -1, -1}, element: element}
			for j, c := range local {
				f.node[j] = nodes[c]
			}
			of[f.key()] = append(of[f.key()], f)
		}
	})
	joined := unionfind.New(e.m.Elements())
	var crowded []int32
	var boundary []sided
	for _, list := range of {
		for _, f := range list[1:] {
			joined.Join(list[0].element, f.element)
		}
		switch {
		case len(list) == 1:
			boundary = append(boundary, list[0])
		case len(list) > 2:
			for _, f := range list {
				crowded = append(crowded, f.element)
			}
		}
	}
	slices.Sort(crowded)
	crowded = slices.Compact(crowded)
	if len(crowded) > 0 {
		e.r.add(Finding{Kind: "overlap", Grade: Warning, Count: len(crowded), Of: "elements", IDs: e.elementIDs(crowded), elements: crowded,
			Text: fmt.Sprintf("%s share a side that two others have already: they fill the same place", plural(len(crowded), "element")), Cure: "remove those that are there twice, or mesh the part again"})
	}
	boundary = e.mismatched(boundary, joined)
	e.manifold(boundary)
	e.hinges(joined)
}

// mismatched finds quadrangles that lie against two triangles: the nodes are shared but the displacements between them
// are not. It returns the true boundary.
func (e *volumeExam) mismatched(boundary []sided, joined unionfind.Sets) []sided {
	triangles := map[[4]int32]int{}
	for i := range boundary {
		if boundary[i].node[3] < 0 {
			triangles[boundary[i].key()] = i
		}
	}
	inside := make([]bool, len(boundary))
	var bad []int32
	for i := range boundary {
		f := &boundary[i]
		if f.node[3] < 0 {
			continue
		}
		for d := range 2 {
			a := sided{node: [4]int32{f.node[d], f.node[d+1], f.node[d+2], -1}}
			b := sided{node: [4]int32{f.node[d+2], f.node[(d+3)%4], f.node[d], -1}}
			i1, ok1 := triangles[a.key()]
			i2, ok2 := triangles[b.key()]
			if !ok1 || !ok2 {
				continue
			}
			inside[i], inside[i1], inside[i2] = true, true, true
			bad = append(bad, f.element)
			joined.Join(f.element, boundary[i1].element)
			joined.Join(f.element, boundary[i2].element)
			break
		}
	}
	if len(bad) == 0 {
		return boundary
	}
	slices.Sort(bad)
	e.r.add(Finding{Kind: "mismatched", Grade: Warning, Count: len(bad), Of: "elements", IDs: e.elementIDs(bad), elements: bad,
		Text: fmt.Sprintf("%s where a quadrangle lies against two triangles: the mesh does not fit together there", plural(len(bad), "side")),
		Cure: "put pyramids between hexahedra and tetrahedra, or mesh the part with one type"})
	var kept []sided
	for i := range boundary {
		if !inside[i] {
			kept = append(kept, boundary[i])
		}
	}
	return kept
}

// manifold: each edge of the boundary belongs to two of its faces.
func (e *volumeExam) manifold(boundary []sided) {
	count := map[[2]int32]int{}
	for i := range boundary {
		c := boundary[i].corners()
		for k := range c {
			count[edge(c[k], c[(k+1)%len(c)])]++
		}
	}
	var bad [][2]int32
	for k, n := range count {
		if n != 2 {
			bad = append(bad, k)
		}
	}
	if len(bad) == 0 {
		return
	}
	nodes := sortedEdges(bad)
	e.r.add(Finding{Kind: "non-manifold", Grade: Warning, Count: len(bad), Of: "nodes", IDs: e.nodeIDs(nodes), edges: bad,
		Text: fmt.Sprintf("the boundary touches itself along %s: its normal, and so contact, is undefined there", plural(len(bad), "edge")),
		Cure: "join the elements there by a side, or give each its own nodes"})
}

// edge is a node pair, ascending.
func edge(a, b int32) [2]int32 {
	if a > b {
		a, b = b, a
	}
	return [2]int32{a, b}
}

// sortedEdges sorts edges and lists their nodes.
func sortedEdges(edges [][2]int32) (nodes []int32) {
	slices.SortFunc(edges, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	for _, k := range edges {
		nodes = append(nodes, k[0], k[1])
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// hinges: elements that hang together by a node or an edge only can turn there.
func (e *volumeExam) hinges(joined unionfind.Sets) {
	label, _ := e.m.Components()
	size := make([]int, len(joined)) // of each block
	for i := range joined {
		size[joined.Find(int32(i))]++
	}
	largest := map[int32]int32{} // block of each part
	e.each(func(element int32, _ mesh.ElementType, nodes []int32, _ []mgl64.Vec3) {
		part, block := label[nodes[0]], joined.Find(element)
		if most, ok := largest[part]; !ok || size[block] > size[most] {
			largest[part] = block
		}
	})
	var loose []int32
	blocks := map[int32]bool{}
	e.each(func(element int32, _ mesh.ElementType, nodes []int32, _ []mgl64.Vec3) {
		if block := joined.Find(element); block != largest[label[nodes[0]]] {
			loose = append(loose, element)
			blocks[block] = true
		}
	})
	if len(loose) > 0 {
		e.r.add(Finding{Kind: "hinge", Grade: Warning, Count: len(loose), Of: "elements", IDs: e.elementIDs(loose), elements: loose,
			Text: fmt.Sprintf("%s with %s hang on the rest by a node or an edge only and can turn there", plural(len(blocks), "block"), plural(len(loose), "element")),
			Cure: "join them by a side or remove them"})
	}
}

// coincidentNodes: two nodes at one place are a crack.
func (e *volumeExam) coincidentNodes() {
	second := coincidentNodes(e.m.Nodes)
	if len(second) > 0 {
		e.r.add(Finding{Kind: "duplicate", Grade: Warning, Count: len(second), Of: "nodes", IDs: e.nodeIDs(second), nodes: second,
			Text: fmt.Sprintf("%s at the place of another: the mesh is cracked there", plural(len(second), "node")),
			Cure: "merge coincident nodes before export, unless the parts are meant to slide on each other"})
	}
}

// coincidentNodes lists the nodes that have an earlier one at their place.
func coincidentNodes(x []mgl64.Vec3) (second []int32) {
	low, high := bounds(x)
	tolerance := coincident * high.Sub(low).Len()
	if !(tolerance > 0) {
		tolerance = 1e-300
	}
	// Cells of twice the tolerance: a twin is in the same cell or in one next to it.
	cell := func(p mgl64.Vec3) [3]int64 {
		var c [3]int64
		for k := range c {
			c[k] = int64(math.Floor((p[k] - low[k]) / (2 * tolerance)))
		}
		return c
	}
	at := make(map[[3]int64]int32, len(x))
	for n, p := range x {
		c := cell(p)
		found := false
		for i := range int64(27) {
			near := [3]int64{c[0] + i%3 - 1, c[1] + i/3%3 - 1, c[2] + i/9 - 1}
			if other, ok := at[near]; ok && x[other].Sub(p).Len() <= tolerance {
				found = true
				break
			}
		}
		if found {
			second = append(second, int32(n))
			continue
		}
		if _, taken := at[c]; !taken {
			at[c] = int32(n)
		}
	}
	return second
}

func bounds(x []mgl64.Vec3) (low, high mgl64.Vec3) {
	s := mesh.Triangles{Nodes: x}
	return s.Bounds()
}

// unused nodes are dropped by the readers.
func (e *volumeExam) unused() {
	if ids := e.m.Unused; len(ids) > 0 {
		e.r.add(Finding{Kind: "unused", Grade: Note, Count: len(ids), Of: "nodes", IDs: ids,
			Text: fmt.Sprintf("no volume element uses %s", plural(len(ids), "node")), Cure: "none needed: they are left out on loading"})
	}
}

// parts that share no node.
func (e *volumeExam) parts() {
	label, count := e.m.Components()
	if count < 2 {
		return
	}
	elements := make([]int, count)
	first := make([]int32, 0, count)
	for n, l := range label {
		if int(l) == len(first) {
			first = append(first, int32(n))
		}
	}
	largest := 0
	e.each(func(_ int32, _ mesh.ElementType, nodes []int32, _ []mgl64.Vec3) {
		l := label[nodes[0]]
		elements[l]++
		if elements[l] > elements[largest] {
			largest = int(l)
		}
	})
	var other []int32
	e.each(func(element int32, _ mesh.ElementType, nodes []int32, _ []mgl64.Vec3) {
		if int(label[nodes[0]]) != largest {
			other = append(other, element)
		}
	})
	e.r.add(Finding{Kind: "parts", Grade: Warning, Count: count, Of: "nodes", IDs: e.nodeIDs(first), elements: other,
		Text: fmt.Sprintf("the mesh falls into %d parts that share no node (of %s elements); the numbers are each part's first node", count, counts(elements)),
		Cure: "keep one part a file, or support each of them: hapco holds the lowest nodes of every part"})
}

func counts(n []int) string {
	var words []string
	for i, c := range n {
		if i == 5 && len(n) > 6 {
			words = append(words, "...")
			break
		}
		words = append(words, fmt.Sprint(c))
	}
	return strings.Join(words, ", ")
}

// support: what keeps each part from floating away.
func (e *volumeExam) support() {
	name, held := mesh.NamedSupport(e.m)
	label, count := e.m.Components()
	if name == "" {
		nodes, _ := mesh.DefaultSupport(e.m)
		sets := "the mesh has no node sets"
		if names := setNames(e.m); names != "" {
			sets = "its node sets are " + names
		}
		e.r.add(Finding{Kind: "floating", Grade: Note, Count: count, Of: "nodes", IDs: e.nodeIDs(nodes), nodes: nodes,
			Text: fmt.Sprintf("no node set says by its name that it is a support (%s): hapco holds the %s lowest along Y", sets, plural(len(nodes), "node")),
			Cure: `name a set support, fixed or clamp, or choose one in the scene (clamp = "NAME")`})
		return
	}
	by := make([][]int32, count)
	for _, n := range held {
		by[label[n]] = append(by[label[n]], n)
	}
	var floating []int32
	floats := make([]bool, count)
	part := int32(0) // the next, as parts are numbered by their first node
	for n, l := range label {
		if l == part {
			part++
			if floats[l] = !e.m.Spans(by[l]); floats[l] {
				floating = append(floating, int32(n))
			}
		}
	}
	if len(floating) == 0 {
		return
	}
	var loose []int32
	e.each(func(element int32, _ mesh.ElementType, nodes []int32, _ []mgl64.Vec3) {
		if floats[label[nodes[0]]] {
			loose = append(loose, element)
		}
	})
	e.r.add(Finding{Kind: "floating", Grade: Warning, Count: len(floating), Of: "nodes", IDs: e.nodeIDs(floating), elements: loose,
		Text: fmt.Sprintf("%s of %d would float: the set %q does not hold three nodes there that span a plane; the numbers are each part's first node", plural(len(floating), "part"), count, name),
		Cure: "add nodes of each part to the set, or remove the part"})
}

func setNames(m *mesh.Mesh) string {
	var names []string
	for name := range m.NodeSets {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > 5 {
		names = append(names[:5], "...")
	}
	return strings.Join(names, ", ")
}
