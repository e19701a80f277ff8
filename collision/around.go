package collision

import "slices"

// Around is what each node of a surface has around itself: triangles that a query for other parts of the same surface
// leaves out. Everything is close to its own surroundings, so that such a query would look at little else; here it
// passes by whole boxes of them.
type Around struct {
	triangles [][]int32
	sets      []bitset // of each node: the same; nil: not known
	boxes     []bitset // of each node: boxes with no triangles but those; nil: not known
	pairs     []bitset // of each box: boxes with no triangle that it has not around itself
}

// Except are triangles that a query leaves out, ascending. The zero value leaves out none.
type Except struct {
	triangles []int32
	boxes     bitset
}

// NewAround takes the triangles around each node, ascending. A pair of triangles counts as around each other where each
// is in the lists of all nodes of the other.
func (t *Moving) NewAround(triangles [][]int32) *Around {
	a := &Around{triangles: triangles}
	boxes, facets := len(t.tree.nodes), len(t.tree.triangles)
	if boxes > mostBoxes {
		return a
	}
	a.sets, a.boxes = make([]bitset, len(triangles)), make([]bitset, len(triangles))
	for i, list := range triangles {
		a.sets[i] = newBitset(facets)
		for _, f := range list {
			a.sets[i].add(f)
		}
		a.boxes[i] = t.wholeBoxes(a.sets[i])
	}
	near := make([]bitset, facets) // of each triangle, either way round
	for i := range near {
		near[i] = newBitset(facets)
		near[i].add(int32(i))
	}
	all := func(corners *[3]int32, f int32) bool {
		return a.Near(corners[0], f) && a.Near(corners[1], f) && a.Near(corners[2], f)
	}
	for i := range t.tree.triangles {
		corners := &t.tree.triangles[i]
		for _, f := range triangles[corners[0]] {
			if f > int32(i) && all(corners, f) && all(&t.tree.triangles[f], int32(i)) {
				near[i].add(f)
				near[f].add(int32(i))
			}
		}
	}
	a.pairs = make([]bitset, boxes)
	for i := boxes - 1; i >= 0; i-- { // children come after their parent
		n := &t.tree.nodes[i]
		if n.count == 0 {
			a.pairs[i] = slices.Clone(a.pairs[i+1])
			a.pairs[i].keep(a.pairs[n.right])
			continue
		}
		for k, f := range t.tree.order[n.first : n.first+n.count] {
			if whole := t.wholeBoxes(near[f]); k == 0 {
				a.pairs[i] = whole
			} else {
				a.pairs[i].keep(whole)
			}
		}
	}
	return a
}

// wholeBoxes are those all of whose triangles are in a set.
func (t *Moving) wholeBoxes(set bitset) bitset {
	whole := newBitset(len(t.tree.nodes))
	for i := len(t.tree.nodes) - 1; i >= 0; i-- {
		n := &t.tree.nodes[i]
		all := n.count > 0 || whole.has(int32(i+1)) && whole.has(n.right)
		for _, f := range t.tree.order[n.first : n.first+n.count] {
			all = all && set.has(f)
		}
		if all {
			whole.add(int32(i))
		}
	}
	return whole
}

// Except is what a query for a node leaves out: its surroundings.
func (a *Around) Except(node int32) (e Except) {
	e.triangles = a.triangles[node]
	if a.boxes != nil {
		e.boxes = a.boxes[node]
	}
	return e
}

// Near tells whether a triangle is around a node.
func (a *Around) Near(node, triangle int32) bool {
	if a.sets != nil {
		return a.sets[node].has(triangle)
	}
	_, found := slices.BinarySearch(a.triangles[node], triangle)
	return found
}

// around tells that two boxes have nothing but triangles around each other.
func (a *Around) around(i, j int32) bool { return a != nil && a.pairs != nil && a.pairs[i].has(j) }

// bitset is a set of small numbers; nil is empty.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) add(i int32) { s[i>>6] |= 1 << (i & 63) }

func (s bitset) has(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }

func (s bitset) keep(o bitset) {
	for k := range s {
		s[k] &= o[k]
	}
}
