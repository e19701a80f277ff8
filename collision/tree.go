package collision

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

type box struct{ lo, hi mgl64.Vec3 }

// node is one box of the hierarchy. Children of an inner node i are i+1 and right; a leaf holds
// order[first:first+count].
type node struct {
	box
	right        int32
	first, count int32
}

// Tree is a hierarchy of boxes over the triangles of one surface. It keeps a reference to the triangles but not to the
// positions: they are passed to each call, since they move. Queries from several goroutines are safe while no Refit
// runs.
type Tree struct {
	triangles [][3]int32
	nodes     []node
	order     []int32
	last      int32   // greatest node of a triangle
	tie       float64 // in squared length: see tieShare
}

// NewTree builds the hierarchy over triangles, which index into positions. An empty surface gives a tree that answers
// nothing.
func NewTree(triangles [][3]int32, positions []mgl64.Vec3) *Tree {
	t := &Tree{triangles: triangles, order: make([]int32, len(triangles))}
	centroids := make([]mgl64.Vec3, len(triangles))
	for i, tri := range triangles {
		t.order[i] = int32(i)
		t.last = max(t.last, tri[0], tri[1], tri[2])
		centroids[i] = positions[tri[0]].Add(positions[tri[1]]).Add(positions[tri[2]]).Mul(1.0 / 3)
	}
	if len(triangles) > 0 {
		t.nodes = make([]node, 0, 2*(len(triangles)/leafSize+1))
		t.build(0, len(triangles), centroids)
		t.Refit(positions, 0)
		d := t.nodes[0].hi.Sub(t.nodes[0].lo)
		if tie := tieShare * d.Dot(d); tie < math.MaxFloat64 { // a surface may have no finite place
			t.tie = tie
		}
	}
	return t
}

// build adds the subtree over order[lo:hi], split at the median of the longest extent of the centroids.
func (t *Tree) build(lo, hi int, centroids []mgl64.Vec3) {
	self := len(t.nodes)
	t.nodes = append(t.nodes, node{first: int32(lo), count: int32(hi - lo)})
	if hi-lo <= leafSize {
		return
	}
	b := emptyBox()
	for _, id := range t.order[lo:hi] {
		b.add(centroids[id])
	}
	axis, extent := 0, b.hi.Sub(b.lo)
	if extent[1] > extent[axis] {
		axis = 1
	}
	if extent[2] > extent[axis] {
		axis = 2
	}
	slices.SortFunc(t.order[lo:hi], func(i, j int32) int {
		if d := centroids[i][axis] - centroids[j][axis]; d != 0 {
			return int(math.Copysign(1, d))
		}
		return int(i - j)
	})
	mid := (lo + hi) / 2
	t.build(lo, mid, centroids)
	right := int32(len(t.nodes))
	t.build(mid, hi, centroids)
	t.nodes[self].right, t.nodes[self].count = right, 0
}

// Refit updates the boxes to new positions and widens them by margin on all sides: they stay valid until a node has
// moved by more than that. The hierarchy stays as built.
func (t *Tree) Refit(positions []mgl64.Vec3, margin float64) {
	if len(t.nodes) > 0 {
		t.refit(positions, margin)
	}
}

// Hit is the point of a surface closest to a query point.
type Hit struct {
	Triangle int32
	Weights  [3]float64 // barycentric, of the triangle's three nodes; >= 0, sum 1
	Dist2    float64    // squared distance
}

// Closest finds the point of the surface closest to p, no farther than maxDist (+Inf for no limit); ok is false when
// there is none. Among triangles within rounding (tieShare) of the smallest squared distance the lowest id wins. hint
// is a triangle thought to be near, or -1: a good one prunes early.
func (t *Tree) Closest(positions []mgl64.Vec3, p mgl64.Vec3, maxDist float64, hint int32) (hit Hit, ok bool) {
	return t.ClosestExcept(positions, p, maxDist, hint, nil)
}

// ClosestExcept is Closest with some triangles left out: a body's node that looks for other parts of the same body must
// not find its own surroundings. except is sorted; the hint must not be in it.
func (t *Tree) ClosestExcept(positions []mgl64.Vec3, p mgl64.Vec3, maxDist float64, hint int32, except []int32) (hit Hit, ok bool) {
	if len(t.nodes) == 0 {
		return Hit{}, false
	}
	q := query{limit: maxDist * maxDist, tie: t.tie, except: except}
	if hint >= 0 && int(hint) < len(t.triangles) {
		q.try(t.triangles[hint], hint, positions, p)
	}
	var stack [maxDepth]visit
	nodes := t.nodes
	top := 1 // stack[0] is the root
	for top > 0 {
		top--
		v := &stack[top]
		if v.dist2 > q.limit {
			continue
		}
		i := v.node
		n := &nodes[i]
		if n.count > 0 {
			for _, id := range t.order[n.first : n.first+n.count] {
				if id != hint {
					q.try(t.triangles[id], id, positions, p)
				}
			}
			continue
		}
		near, far := visit{i + 1, nodes[i+1].dist2(p)}, visit{n.right, nodes[n.right].dist2(p)}
		if far.dist2 < near.dist2 {
			near, far = far, near
		}
		if !(far.dist2 > q.limit) {
			stack[top] = far
			top++
		}
		if !(near.dist2 > q.limit) {
			stack[top] = near
			top++
		}
	}
	return q.lowest()
}

// within appends to dst the triangles in the boxes that meet another, those of which are.
func (t *Tree) within(dst []int32, around *box, are func(triangle int32) bool) []int32 {
	if len(t.nodes) == 0 {
		return dst
	}
	var stack [maxDepth]int32 // stack[0] is the root
	for top := 1; top > 0; {
		top--
		i := stack[top]
		n := &t.nodes[i]
		switch {
		case !n.meets(around):
		case n.count == 0:
			stack[top], stack[top+1] = n.right, i+1
			top += 2
		default:
			for _, id := range t.order[n.first : n.first+n.count] {
				if are(id) {
					dst = append(dst, id)
				}
			}
		}
	}
	return dst
}

// query collects the triangles that tie for closest.
type query struct {
	limit  float64 // squared distance below which a triangle still matters
	tie    float64
	except []int32
	ties   [16]Hit
	n      int
}

func (q *query) try(tri [3]int32, id int32, positions []mgl64.Vec3, p mgl64.Vec3) {
	if len(q.except) > 0 { // mostly what is near a node is its own surroundings
		if _, found := slices.BinarySearch(q.except, id); found {
			return
		}
	}
	w, d := ClosestOnTriangle(p, positions[tri[0]], positions[tri[1]], positions[tri[2]])
	if !(d <= q.limit) {
		return
	}
	if d+q.tie < q.limit {
		q.limit = d + q.tie
	}
	if q.n == len(q.ties) {
		q.compact()
	}
	q.ties[q.n] = Hit{Triangle: id, Weights: w, Dist2: d}
	q.n++
}

// compact drops what is no longer within the limit, and when all are, the highest id: it cannot win.
func (q *query) compact() {
	kept, highest := 0, 0
	for _, h := range q.ties[:q.n] {
		if h.Dist2 <= q.limit {
			q.ties[kept] = h
			kept++
		}
	}
	if kept == len(q.ties) {
		for i := range q.ties {
			if q.ties[i].Triangle > q.ties[highest].Triangle {
				highest = i
			}
		}
		kept--
		q.ties[highest] = q.ties[kept]
	}
	q.n = kept
}

func (q *query) lowest() (hit Hit, ok bool) {
	for _, h := range q.ties[:q.n] {
		if h.Dist2 <= q.limit && (!ok || h.Triangle < hit.Triangle) {
			hit, ok = h, true
		}
	}
	return hit, ok
}

func emptyBox() box {
	inf := math.Inf(1)
	return box{lo: mgl64.Vec3{inf, inf, inf}, hi: mgl64.Vec3{-inf, -inf, -inf}}
}

// Comparisons instead of min and max, which cost more: they have to mind NaN.
func (b *box) add(p mgl64.Vec3) {
	for k := range 3 {
		if p[k] < b.lo[k] {
			b.lo[k] = p[k]
		}
		if p[k] > b.hi[k] {
			b.hi[k] = p[k]
		}
	}
}

func (b *box) unite(c *box) {
	for k := range 3 {
		if c.lo[k] < b.lo[k] {
			b.lo[k] = c.lo[k]
		}
		if c.hi[k] > b.hi[k] {
			b.hi[k] = c.hi[k]
		}
	}
}

// dist2 is the squared distance from p to the box, 0 inside.
func (b *box) dist2(p mgl64.Vec3) float64 {
	x := max(b.lo[0]-p[0], p[0]-b.hi[0], 0)
	y := max(b.lo[1]-p[1], p[1]-b.hi[1], 0)
	z := max(b.lo[2]-p[2], p[2]-b.hi[2], 0)
	return x*x + y*y + z*z
}

//go:generate go run asm/kernels.go -out kernels_amd64.s -stubs kernels_stubs_amd64.go -pkg collision

// refitGo makes the boxes of all nodes right, widened by margin. It has a twin in assembly for processors with AVX2,
// with the same result to the last bit.
func (t *Tree) refitGo(positions []mgl64.Vec3, margin float64) {
	// children come after their parent
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		if n.count == 0 {
			n.box = t.nodes[i+1].box
			n.unite(&t.nodes[n.right].box)
			continue
		}
		n.box = emptyBox()
		for _, id := range t.order[n.first : n.first+n.count] {
			for _, node := range &t.triangles[id] {
				n.add(positions[node])
			}
		}
		for k := range 3 {
			n.lo[k] -= margin
			n.hi[k] += margin
		}
	}
}
