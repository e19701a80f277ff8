package collision

import "github.com/go-gl/mathgl/mgl64"

// Surface is a triangle mesh whose features, corners, edges and triangles, are looked through for pairs that may meet
// or cross. Fit says where its nodes are, and where they go; it must have been called before a search. The triangles
// are kept, and the places until the next Fit.
//
// One goroutine uses it at a time.
type Surface struct {
	Triangles [][3]int32
	Edges     []Edge

	edges    [][3]int32 // of each triangle, those that are its own: each edge is of one; -1: no more
	corners  [][3]int32 // the same of nodes
	tree     *Tree
	boxes    []box // of triangles
	sides    []box // of edges, once they are asked for
	sided    bool  // they are of the places that are fitted
	from, to []mgl64.Vec3
	margin   float64
	only     []bool     // of nodes; nil: all
	lively   []bool     // of the tree's boxes: one of these nodes is in it
	counts   []bool     // the same of triangles
	leaves   [][2]int32 // workspace: pairs of triangles
	rise     rise
}

// NewSurface lists the features of triangles, and divides them up by their places.
func NewSurface(triangles [][3]int32, positions []mgl64.Vec3) *Surface {
	s := &Surface{Triangles: triangles, tree: NewTree(triangles, positions)}
	s.boxes, s.corners = make([]box, len(triangles)), make([][3]int32, len(triangles))
	s.Edges, _, s.edges = Edges(triangles)
	taken := make([]bool, len(positions))
	for t, tri := range triangles {
		s.corners[t] = [3]int32{-1, -1, -1}
		n := 0
		for _, node := range tri {
			if !taken[node] {
				taken[node] = true
				s.corners[t][n] = node
				n++
			}
		}
	}
	s.Fit(positions, positions, 0)
	return s
}

// Fit says that nodes go straight from one place to another, or no farther from such a line than margin. Where they
// only are, both places are the same, and the margins of two surfaces are together how near each other they are looked
// for.
func (s *Surface) Fit(from, to []mgl64.Vec3, margin float64) {
	s.from, s.to, s.margin, s.sided = from, to, margin, false
	for t := range s.Triangles {
		s.boxes[t] = s.boxOf(s.Triangles[t][:])
	}
	s.enclose()
}

// Refit is Fit once more where of the nodes those marked alone have other places.
func (s *Surface) Refit(nodes []bool) {
	for t := range s.Triangles {
		if x := &s.Triangles[t]; nodes[x[0]] || nodes[x[1]] || nodes[x[2]] {
			s.boxes[t] = s.boxOf(x[:])
		}
	}
	for e := range s.Edges {
		if x := &s.Edges[e].Node; s.sided && (nodes[x[0]] || nodes[x[1]]) {
			s.sides[e] = s.boxOf(x[:])
		}
	}
	s.enclose()
}

// enclose makes the tree's boxes right.
func (s *Surface) enclose() {
	nodes := s.tree.nodes
	for i := len(nodes) - 1; i >= 0; i-- { // children come after their parent
		n := &nodes[i]
		if n.count == 0 {
			n.box = nodes[i+1].box
			n.unite(&nodes[n.right].box)
			continue
		}
		n.box = emptyBox()
		for _, id := range s.tree.order[n.first : n.first+n.count] {
			n.unite(&s.boxes[id])
		}
	}
}

// side makes the boxes of edges right.
func (s *Surface) side() {
	if s.sided {
		return
	}
	if s.sided = true; s.sides == nil {
		s.sides = make([]box, len(s.Edges))
	}
	for e := range s.Edges {
		s.sides[e] = s.boxOf(s.Edges[e].Node[:])
	}
}

// Only lets Pairs find those alone that have one of some nodes, as marked for each node of this surface or of the
// other; nil: all. The marks are kept.
func (s *Surface) Only(nodes []bool) {
	s.only = nodes
	if nodes == nil {
		return
	}
	if s.lively == nil {
		s.lively, s.counts = make([]bool, len(s.tree.nodes)), make([]bool, len(s.Triangles))
	}
	for t := range s.Triangles {
		x := &s.Triangles[t]
		s.counts[t] = nodes[x[0]] || nodes[x[1]] || nodes[x[2]]
	}
	for i := len(s.lively) - 1; i >= 0; i-- {
		n := &s.tree.nodes[i]
		s.lively[i] = n.count == 0 && (s.lively[i+1] || s.lively[n.right])
		for _, t := range s.tree.order[n.first : n.first+n.count] {
			s.lively[i] = s.lively[i] || s.counts[t]
		}
	}
}

// anyOf tells that one of some nodes counts for Only.
func (s *Surface) anyOf(nodes []int32) bool {
	if s.only == nil {
		return true
	}
	for _, n := range nodes {
		if s.only[n] {
			return true
		}
	}
	return false
}

// looked tells that a box has nodes that count for Only.
func (s *Surface) looked(i int32) bool { return s.only == nil || s.lively[i] }

func (b box) widened(margin float64) box {
	for k := range 3 {
		b.lo[k] -= margin
		b.hi[k] += margin
	}
	return b
}

// boxOf is the box of the way of a few nodes.
func (s *Surface) boxOf(nodes []int32) box {
	b := emptyBox()
	for _, n := range nodes {
		b.add(s.from[n])
		b.add(s.to[n])
	}
	return b.widened(s.margin)
}

func (b *box) meets(c *box) bool {
	return b.lo[0] <= c.hi[0] && c.lo[0] <= b.hi[0] &&
		b.lo[1] <= c.hi[1] && c.lo[1] <= b.hi[1] &&
		b.lo[2] <= c.hi[2] && c.lo[2] <= b.hi[2]
}

// near lists pairs of triangles of two surfaces, or of one with itself, whose boxes meet, each once.
// With facing those are left out that cannot be where the surfaces face each other.
func (s *Surface) near(o *Surface, facing bool) [][2]int32 {
	s.leaves = s.leaves[:0]
	if len(s.tree.nodes) == 0 || len(o.tree.nodes) == 0 {
		return s.leaves
	}
	var stack [3 * maxDepth][2]int32 // stack[0] is both roots
	top := 1
	for top > 0 {
		top--
		i, j := stack[top][0], stack[top][1]
		a, b := &s.tree.nodes[i], &o.tree.nodes[j]
		switch {
		case !a.meets(&b.box) || !s.looked(i) && !o.looked(j) || facing && s.rise.tree[i]&o.rise.tree[j] != 0:
		case a.count > 0 && b.count > 0:
			for _, t := range s.tree.order[a.first : a.first+a.count] {
				for _, u := range o.tree.order[b.first : b.first+b.count] {
					if (s != o || i != j || t < u) && (s.only == nil || s.counts[t] || o.counts[u]) && s.boxes[t].meets(&o.boxes[u]) &&
						!(facing && s.rise.whole[t]&o.rise.whole[u] != 0) {
						s.leaves = append(s.leaves, [2]int32{t, u})
					}
				}
			}
		case s == o && i == j:
			stack[top], stack[top+1], stack[top+2] = [2]int32{i + 1, i + 1}, [2]int32{a.right, a.right}, [2]int32{i + 1, a.right}
			top += 3
		case b.count > 0 || a.count == 0 && a.extent() >= b.extent():
			stack[top], stack[top+1] = [2]int32{i + 1, j}, [2]int32{a.right, j}
			top += 2
		default:
			stack[top], stack[top+1] = [2]int32{i, j + 1}, [2]int32{i, b.right}
			top += 2
		}
	}
	return s.leaves
}

// PairKind says which features make a pair.
type PairKind uint8

// The kinds of pairs: a node of the first surface and a triangle of the second, the other way round, an edge of each.
const (
	NodeFace PairKind = iota
	FaceNode
	EdgeEdge
)

// Pair is a feature of one surface and one of another, or of the same.
type Pair struct {
	Kind PairKind
	A, B int32 // node, edge or triangle of the first and of the second surface
}

// Pairs appends to dst the pairs of features of s and o whose boxes meet on their ways, each once: with all others of
// the kinds of pairs, surfaces that are clear of each other cannot cross. For s and o the same, features with a common
// node are no pairs, and there are no pairs of kind FaceNode.
func (s *Surface) Pairs(dst []Pair, o *Surface) []Pair { return s.pairs(dst, o, false) }

// Facing is Pairs without those that can neither meet first nor be nearest each other, because the surfaces do not face
// each other there: Face says when.
func (s *Surface) Facing(dst []Pair, o *Surface) []Pair {
	return s.pairs(dst, o, s.rise.tree != nil && o.rise.tree != nil)
}

func (s *Surface) pairs(dst []Pair, o *Surface, facing bool) []Pair {
	s.side()
	o.side()
	for _, pair := range s.near(o, facing) {
		t, u := pair[0], pair[1]
		dst = s.nodesOn(dst, t, o, u, NodeFace, facing)
		if s == o {
			dst = o.nodesOn(dst, u, s, t, NodeFace, facing)
		} else {
			dst = o.nodesOn(dst, u, s, t, FaceNode, facing)
		}
		for _, e := range s.edges[t] {
			if e < 0 {
				break
			}
			a := s.Edges[e].Node
			lively := s.anyOf(a[:])
			mine := &s.sides[e]
			if !mine.meets(&o.boxes[u]) {
				continue
			}
			for _, f := range o.edges[u] {
				if f < 0 {
					break
				}
				b := o.Edges[f].Node
				if !lively && !o.anyOf(b[:]) || s == o && (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) {
					continue
				}
				if facing && s.rise.node[a[0]]&s.rise.node[a[1]]&o.rise.node[b[0]]&o.rise.node[b[1]] != 0 {
					continue
				}
				if mine.meets(&o.sides[f]) {
					dst = append(dst, Pair{EdgeEdge, e, f})
				}
			}
		}
	}
	return dst
}

// nodesOn appends pairs of the own nodes of a triangle and another triangle.
func (s *Surface) nodesOn(dst []Pair, t int32, o *Surface, u int32, kind PairKind, facing bool) []Pair {
	tri, around := &o.Triangles[u], &o.boxes[u]
	lively := o.anyOf(tri[:])
	for k, node := range s.corners[t] {
		if node < 0 {
			break
		}
		if !lively && !s.anyOf(s.corners[t][k:k+1]) || s == o && has(tri, node) || facing && s.rise.node[node]&o.rise.whole[u] != 0 {
			continue
		}
		if b := s.boxOf(s.corners[t][k : k+1]); b.meets(around) {
			if kind == FaceNode {
				dst = append(dst, Pair{kind, u, node})
			} else {
				dst = append(dst, Pair{kind, node, u})
			}
		}
	}
	return dst
}

// Cut is an edge that goes through a triangle.
type Cut struct {
	Edge, Triangle int32
	Second         bool // the edge is of the second surface, the triangle of the first
}

// Cuts appends to dst where the edges of two surfaces, or of one, go through triangles, where the nodes are at the end
// of the way of Fit: exactly, each pair once, without those that have a common node. Surfaces that only touch do not
// cut each other.
func (s *Surface) Cuts(dst []Cut, o *Surface) []Cut {
	for _, pair := range s.near(o, false) {
		t, u := pair[0], pair[1]
		if s == o && neighbours(&s.Triangles[t], &s.Triangles[u]) || !s.splits(t, o, u) || !o.splits(u, s, t) {
			continue
		}
		dst = s.through(dst, t, o, u, false)
		dst = o.through(dst, u, s, t, s != o)
	}
	return dst
}

func has(t *[3]int32, node int32) bool { return node == t[0] || node == t[1] || node == t[2] }

// neighbours tells that two triangles have a common side: then each side of one has a corner of the other.
func neighbours(a, b *[3]int32) bool {
	common := 0
	for _, n := range a {
		if has(b, n) {
			common++
		}
	}
	return common > 1
}

// splits tells that the plane of a triangle has corners of another one on both sides. A common corner is in the plane.
func (s *Surface) splits(t int32, o *Surface, u int32) bool {
	x := &s.Triangles[t]
	side := 0
	for _, node := range &o.Triangles[u] {
		if s == o && has(x, node) {
			continue
		}
		now := Orient(s.to[x[0]], s.to[x[1]], s.to[x[2]], o.to[node])
		if now*side < 0 {
			return true
		}
		side += now
	}
	return false
}

// through appends the own edges of a triangle that go through another.
func (s *Surface) through(dst []Cut, t int32, o *Surface, u int32, second bool) []Cut {
	tri := &o.Triangles[u]
	for _, e := range s.edges[t] {
		if e < 0 {
			break
		}
		n := s.Edges[e].Node
		if s == o && (has(tri, n[0]) || has(tri, n[1])) {
			continue
		}
		if b := s.boxOf(n[:]); !b.meets(&o.boxes[u]) {
			continue
		}
		if SegmentTriangle(s.to[n[0]], s.to[n[1]], o.to[tri[0]], o.to[tri[1]], o.to[tri[2]]) == Crosses {
			dst = append(dst, Cut{e, u, second})
		}
	}
	return dst
}

// Within appends to dst the triangles whose boxes meet the box from lo to hi.
func (s *Surface) Within(dst []int32, lo, hi mgl64.Vec3) []int32 {
	around := box{lo, hi}
	return s.tree.within(dst, &around, func(t int32) bool { return s.boxes[t].meets(&around) })
}
