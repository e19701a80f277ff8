package doctor

import (
	"cmp"
	"fmt"
	"maps"
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
	e.label, e.parts = m.Components()
	e.elements()
	e.twins()
	e.faces()
	e.coincidentNodes()
	e.unused()
	e.separate()
	e.support()
	e.bending()
	low, high := m.Bounds()
	r.unit(low, high, unit)
	return r
}

type volumeExam struct {
	r *Report
	m *mesh.Mesh
	// label is the part of each node, of those that share none.
	label []int32
	parts int
}

func (e *volumeExam) found(kind string, grade Grade, bad []int32, text, cure string) {
	e.r.add(Finding{Kind: kind, Grade: grade, Count: len(bad), Of: "elements", IDs: ids(bad, e.m.ElementNumber),
		elements: bad, Text: text, Cure: cure})
}

// coordinates are numbers; false when not.
func (e *volumeExam) coordinates() bool {
	var bad []int32
	for n, x := range e.m.Nodes {
		if d := x.Sub(x); d != (mgl64.Vec3{}) { // NaN and infinities
			bad = append(bad, int32(n))
		}
	}
	e.r.add(Finding{Kind: "coordinates", Grade: Error, Count: len(bad), Of: "nodes", IDs: ids(bad, e.m.NodeNumber),
		Text: fmt.Sprintf("the coordinates of %s are no numbers", plural(len(bad), "node")), Cure: "correct or remove them"})
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
	var places [mesh.MaxNodes]mgl64.Vec3
	for number, el := range e.m.All() {
		t, x := el.Type, e.m.Places(el.Nodes, &places)
		total[t]++
		f := faults[number]
		by[f] = append(by[f], int32(number))
		if f == mesh.Inverted {
			mirrored[t]++
		}
		quality := mesh.Quality(t, x)
		q.Least, q.Mean = math.Min(q.Least, quality), q.Mean+quality
		least, greatest := mesh.DihedralAngles(t, x)
		q.Smallest, q.Greatest = math.Min(q.Smallest, least), math.Max(q.Greatest, greatest)
		if f == mesh.Sound && !(quality >= sliverQuality && least >= sliverAngle && greatest <= 180-sliverAngle) {
			slivers = append(slivers, sliver{int32(number), quality})
		}
	}
	q.Mean /= float64(max(1, len(faults)))
	if sum := q.Least + q.Mean + q.Smallest + q.Greatest; sum-sum == 0 { // finite: JSON knows nothing else
		e.r.Quality = &q
	}
	e.inverted(by[mesh.Inverted], total, mirrored)
	with := func(kind string, bad []int32, what, cure string) {
		e.found(kind, Error, bad, fmt.Sprintf("%s of %d with %s", plural(len(bad), "element"), len(faults), what), cure)
	}
	with("collapsed", by[mesh.RepeatedNode], "the same node twice", "remove them or mesh the part again")
	with("flat", by[mesh.Flat], "no volume", "remove them, collapse their shortest edge, or mesh the part again")
	if len(slivers) == 0 {
		return
	}
	slices.SortStableFunc(slivers, func(a, b sliver) int { return cmp.Compare(a.quality, b.quality) })
	var worst []int32
	for _, s := range slivers {
		worst = append(worst, s.element)
	}
	e.found("sliver", Warning, worst,
		fmt.Sprintf("%s of %d %s nearly flat (quality below %g, or an angle between faces below %g or above %g degrees); the worst has quality %.2g",
			plural(len(worst), "element"), len(faults), are(len(worst)), sliverQuality, sliverAngle, 180-sliverAngle, slivers[0].quality),
		"mesh again with optimisation on, or `hapco mesh tetrahedralize` this file: it fills the boundary anew")
}

// inverted sorts out types that the file numbers the other way round throughout.
func (e *volumeExam) inverted(bad []int32, total, mirrored map[mesh.ElementType]int) {
	turned := 0
	var rest []int32
	k := 0
	for number, el := range e.m.All() {
		if k == len(bad) || int(bad[k]) != number {
			continue
		}
		k++
		if mirrored[el.Type] == total[el.Type] && len(bad) > 1 {
			turned++
		} else {
			rest = append(rest, int32(number))
		}
	}
	e.r.add(Finding{Kind: "mirrored", Grade: Note, Count: turned, Of: "elements",
		Text: fmt.Sprintf("all %d elements of a type are numbered inside out", turned), Cure: "none needed: they are turned on loading"})
	e.found("inverted", Error, rest, fmt.Sprintf("%s of %d turned inside out or folded at a corner", plural(len(rest), "element"), e.r.Elements),
		"swap two of their nodes if only the numbering is wrong, otherwise move the nodes or mesh the part again")
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
	seen := map[[mesh.MaxNodes]int32]bool{}
	var twin []int32
	for number, el := range e.m.All() {
		var key [mesh.MaxNodes]int32
		corners := key[:copy(key[:], el.Nodes[:el.Type.Corners()])]
		slices.Sort(corners)
		for i := range corners {
			corners[i]++ // 0 is for no node
		}
		if seen[key] {
			twin = append(twin, int32(number))
		}
		seen[key] = true
	}
	e.found("twin", Warning, twin, plural(len(twin), "element")+" on the same nodes as another: its stiffness counts twice",
		"remove them")
}

// faces: how the elements fit together, and the boundary they leave.
func (e *volumeExam) faces() {
	of := map[[4]int32][]mesh.Face{}
	for f := range e.m.Faces() {
		of[f.Key()] = append(of[f.Key()], f)
	}
	joined := unionfind.New(e.m.Elements())
	var crowded []int32
	var boundary []mesh.Face
	for _, list := range of {
		for _, f := range list[1:] {
			joined.Join(list[0].Element, f.Element)
		}
		switch {
		case len(list) == 1:
			boundary = append(boundary, list[0])
		case len(list) > 2:
			for _, f := range list {
				crowded = append(crowded, f.Element)
			}
		}
	}
	slices.Sort(crowded)
	crowded = slices.Compact(crowded)
	e.found("overlap", Warning, crowded, fmt.Sprintf("%s share a side that two others have already: they fill the same place", plural(len(crowded), "element")),
		"remove those that are there twice, or mesh the part again")
	boundary = e.mismatched(boundary, joined)
	e.manifold(boundary)
	e.hinges(joined)
}

// mismatched finds quadrangles that lie against two triangles: the nodes are shared but the displacements between them
// are not. It returns the true boundary.
func (e *volumeExam) mismatched(boundary []mesh.Face, joined unionfind.Sets) (kept []mesh.Face) {
	triangles := map[[4]int32]int{}
	for i := range boundary {
		if boundary[i].Nodes[3] < 0 {
			triangles[boundary[i].Key()] = i
		}
	}
	inside := make([]bool, len(boundary))
	var bad []int32
	for i := range boundary {
		f := &boundary[i]
		if f.Nodes[3] < 0 {
			continue
		}
		for d := range 2 {
			a := mesh.Face{Nodes: [4]int32{f.Nodes[d], f.Nodes[d+1], f.Nodes[d+2], -1}}
			b := mesh.Face{Nodes: [4]int32{f.Nodes[d+2], f.Nodes[(d+3)%4], f.Nodes[d], -1}}
			i1, ok1 := triangles[a.Key()]
			i2, ok2 := triangles[b.Key()]
			if !ok1 || !ok2 {
				continue
			}
			inside[i], inside[i1], inside[i2] = true, true, true
			bad = append(bad, f.Element)
			joined.Join(f.Element, boundary[i1].Element)
			joined.Join(f.Element, boundary[i2].Element)
			break
		}
	}
	slices.Sort(bad)
	e.found("mismatched", Warning, bad, fmt.Sprintf("%s where a quadrangle lies against two triangles: the mesh does not fit together there", plural(len(bad), "side")),
		"put pyramids between hexahedra and tetrahedra, or mesh the part with one type")
	for i := range boundary {
		if !inside[i] {
			kept = append(kept, boundary[i])
		}
	}
	return kept
}

// manifold: each edge of the boundary belongs to two of its faces.
func (e *volumeExam) manifold(boundary []mesh.Face) {
	count := map[[2]int32]int{}
	for i := range boundary {
		c := boundary[i].Corners()
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
	e.r.add(Finding{Kind: "non-manifold", Grade: Warning, Count: len(bad), Of: "nodes", IDs: ids(sortedEdges(bad), e.m.NodeNumber), edges: bad,
		Text: fmt.Sprintf("the boundary touches itself along %s: its normal, and so contact, is undefined there", plural(len(bad), "edge")),
		Cure: "join the elements there by a side, or give each its own nodes"})
}

// edge is a node pair, ascending.
func edge(a, b int32) [2]int32 { return [2]int32{min(a, b), max(a, b)} }

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
	size := make([]int, len(joined)) // of each block
	for i := range joined {
		size[joined.Find(int32(i))]++
	}
	largest := map[int32]int32{} // block of each part
	for number, el := range e.m.All() {
		part, block := e.label[el.Nodes[0]], joined.Find(int32(number))
		if most, ok := largest[part]; !ok || size[block] > size[most] {
			largest[part] = block
		}
	}
	var loose []int32
	blocks := map[int32]bool{}
	for number, el := range e.m.All() {
		if block := joined.Find(int32(number)); block != largest[e.label[el.Nodes[0]]] {
			loose = append(loose, int32(number))
			blocks[block] = true
		}
	}
	e.found("hinge", Warning, loose, fmt.Sprintf("%s with %s hang on the rest by a node or an edge only and can turn there", plural(len(blocks), "block"), plural(len(loose), "element")),
		"join them by a side or remove them")
}

// coincidentNodes: two nodes at one place are a crack.
func (e *volumeExam) coincidentNodes() {
	second := coincidentNodes(e.m.Nodes)
	e.r.add(Finding{Kind: "duplicate", Grade: Warning, Count: len(second), Of: "nodes", IDs: ids(second, e.m.NodeNumber), nodes: second,
		Text: fmt.Sprintf("%s at the place of another: the mesh is cracked there", plural(len(second), "node")),
		Cure: "merge coincident nodes before export, unless the parts are meant to slide on each other"})
}

// coincidentNodes lists the nodes that have an earlier one at their place.
func coincidentNodes(x []mgl64.Vec3) (second []int32) {
	low, high := mesh.Bounds(x)
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

// unused nodes are dropped by the readers.
func (e *volumeExam) unused() {
	unused := e.m.Unused
	e.r.add(Finding{Kind: "unused", Grade: Note, Count: len(unused), Of: "nodes", IDs: unused[:min(maxIDs, len(unused))],
		Text: fmt.Sprintf("no volume element uses %s", plural(len(unused), "node")), Cure: "none needed: they are left out on loading"})
}

// firstNodes are those of the parts, which are numbered by them.
func (e *volumeExam) firstNodes() (first []int32) {
	for n, l := range e.label {
		if int(l) == len(first) {
			first = append(first, int32(n))
		}
	}
	return first
}

// elementsOf are the elements of some of the parts.
func (e *volumeExam) elementsOf(wanted func(part int32) bool) (elements []int32) {
	for number, el := range e.m.All() {
		if wanted(e.label[el.Nodes[0]]) {
			elements = append(elements, int32(number))
		}
	}
	return elements
}

// separate: parts that share no node.
func (e *volumeExam) separate() {
	if e.parts < 2 {
		return
	}
	elements := make([]int, e.parts)
	largest := int32(0)
	for _, el := range e.m.All() {
		l := e.label[el.Nodes[0]]
		elements[l]++
		if elements[l] > elements[largest] {
			largest = l
		}
	}
	e.r.add(Finding{Kind: "parts", Grade: Warning, Count: e.parts, Of: "nodes", IDs: ids(e.firstNodes(), e.m.NodeNumber),
		elements: e.elementsOf(func(part int32) bool { return part != largest }),
		Text:     fmt.Sprintf("the mesh falls into %d parts that share no node (of %s elements); the numbers are each part's first node", e.parts, counts(elements)),
		Cure:     "keep one part a file, or support each of them: hapco holds the lowest nodes of every part"})
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
	if name == "" {
		nodes, _ := mesh.DefaultSupport(e.m)
		sets := "the mesh has no node sets"
		if names := setNames(e.m); names != "" {
			sets = "its node sets are " + names
		}
		e.r.add(Finding{Kind: "floating", Grade: Note, Count: e.parts, Of: "nodes", IDs: ids(nodes, e.m.NodeNumber), nodes: nodes,
			Text: fmt.Sprintf("no node set says by its name that it is a support (%s): hapco holds the %s lowest along Y", sets, plural(len(nodes), "node")),
			Cure: `name a set support, fixed or clamp, or choose one in the scene (clamp = "NAME")`})
		return
	}
	by := make([][]int32, e.parts)
	for _, n := range held {
		by[e.label[n]] = append(by[e.label[n]], n)
	}
	var floating []int32
	floats := make([]bool, e.parts)
	for part, n := range e.firstNodes() {
		if floats[part] = !e.m.Spans(by[part]); floats[part] {
			floating = append(floating, n)
		}
	}
	e.r.add(Finding{Kind: "floating", Grade: Warning, Count: len(floating), Of: "nodes", IDs: ids(floating, e.m.NodeNumber),
		elements: e.elementsOf(func(part int32) bool { return floats[part] }),
		Text:     fmt.Sprintf("%s of %d would float: the set %q does not hold three nodes there that span a plane; the numbers are each part's first node", plural(len(floating), "part"), e.parts, name),
		Cure:     "add nodes of each part to the set, or remove the part"})
}

func setNames(m *mesh.Mesh) string {
	names := slices.Sorted(maps.Keys(m.NodeSets))
	if len(names) > 5 {
		names = append(names[:5], "...")
	}
	return strings.Join(names, ", ")
}
