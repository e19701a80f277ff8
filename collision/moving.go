package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Moving is a Tree over a surface of which a query works out only what it needs: the positions of nodes are asked for
// when a triangle is looked at, and boxes are refitted where queries pass. Far from all queries nothing is touched.
//
// What keeps it exact is a bound: Drift and Bend say how far any node may have come in all, and a box that was right at
// some time is right now when it is widened by the way since. Boxes that grow so wide that they reach a query are
// looked at, and are tight again. An answer never depends on how tight the boxes were.
//
// One goroutine uses it at a time.
type Moving struct {
	tree   *Tree
	fitted []fitting
	parts  []int32 // see NearPart
	found  []int32 // workspace of NearSome
	now    way
	locate func(node int32) // makes positions[node] current
}

// way bounds how far nodes have come: drift, and of bend each its share.
type way struct{ drift, bend float64 }

// fitting is when a box was right, and the largest share of its nodes in Bend.
type fitting struct {
	way
	share float64
}

// NewMoving builds the hierarchy over triangles in their present positions. locate is called with each node before its
// position is read in a query, often more than once; it must make the position current.
func NewMoving(triangles [][3]int32, positions []mgl64.Vec3, locate func(node int32)) *Moving {
	t := NewTree(triangles, positions)
	m := &Moving{tree: t, fitted: make([]fitting, len(t.nodes)), parts: partsOf(t.nodes), locate: locate}
	m.Share(nil)
	return m
}

// Drift tells that nodes may have moved, none by more than distance.
func (t *Moving) Drift(distance float64) { t.now.drift += distance }

// Bend tells that nodes may have moved, none by more than its share of distance.
func (t *Moving) Bend(distance float64) { t.now.bend += distance }

// Share sets the nodes' shares in Bend, each from 0 to 1; nil makes all 1. Stiff parts of a surface then stay known
// while soft ones swing.
func (t *Moving) Share(shares []float64) {
	nodes := t.tree.nodes
	for i := len(nodes) - 1; i >= 0; i-- { // children come after their parent
		f, n := &t.fitted[i], &nodes[i]
		f.drift -= f.share * (t.now.bend - f.bend) // what was under way
		f.bend = t.now.bend
		switch {
		case shares == nil:
			f.share = 1
		case n.count == 0:
			f.share = max(t.fitted[i+1].share, t.fitted[n.right].share)
		default:
			f.share = 0
			for _, id := range t.tree.order[n.first : n.first+n.count] {
				for _, node := range t.tree.triangles[id] {
					f.share = max(f.share, shares[node])
				}
			}
		}
	}
}

// stale tells that nodes in a box may have moved since it was right.
func (t *Moving) stale(i int32) bool { return t.fitted[i].way != t.now }

// slack bounds how far they have come.
func (t *Moving) slack(i int32) float64 {
	f := &t.fitted[i]
	return (t.now.drift - f.drift) + f.share*(t.now.bend-f.bend)
}

// Refit makes all boxes tight; all positions must be current.
func (t *Moving) Refit(positions []mgl64.Vec3) {
	t.tree.Refit(positions, 0)
	t.now = way{}
	for i := range t.fitted {
		t.fitted[i].way = way{}
	}
}

// Closest is Tree.ClosestExcept on the present surface.
func (t *Moving) Closest(positions []mgl64.Vec3, p mgl64.Vec3, maxDist float64, hint int32, except Except) (hit Hit, ok bool) {
	nodes := t.tree.nodes
	if len(nodes) == 0 {
		return Hit{}, false
	}
	q := query{limit: maxDist * maxDist, tie: t.tree.tie, except: except.triangles}
	if hint >= 0 && int(hint) < len(t.tree.triangles) {
		t.find(&t.tree.triangles[hint])
		q.try(t.tree.triangles[hint], hint, positions, p)
	}
	var stack [maxDepth]visit
	top := 1 // stack[0] is the root
	for top > 0 {
		top--
		v := &stack[top]
		if rounded*v.dist2 > q.limit {
			continue
		}
		i := v.node
		if except.boxes != nil && except.boxes.has(i) {
			continue
		}
		n := &nodes[i]
		if n.count > 0 {
			t.fit(i, positions)
			if rounded*n.dist2(p) > q.limit {
				continue
			}
			for _, id := range t.tree.order[n.first : n.first+n.count] {
				if id != hint {
					q.try(t.tree.triangles[id], id, positions, p)
				}
			}
			continue
		}
		near, far := t.descend(i, p)
		if !(rounded*far.dist2 > q.limit) {
			stack[top] = far
			top++
		}
		if !(rounded*near.dist2 > q.limit) {
			stack[top] = near
			top++
		}
	}
	return q.lowest()
}

// visit is a box that a query has yet to look into.
type visit struct {
	node  int32
	dist2 float64 // squared distance to the box, widened by the drift
}

// descend gives the children of an inner box, the nearer one first, and makes the box itself tighter.
func (t *Moving) descend(i int32, p mgl64.Vec3) (near, far visit) {
	nodes := t.tree.nodes
	if t.stale(i) {
		t.tighten(i)
	}
	left, right := i+1, nodes[i].right
	near = visit{left, t.reaches(left, &p)}
	far = visit{right, t.reaches(right, &p)}
	if far.dist2 < near.dist2 {
		return far, near
	}
	return near, far
}

// reaches is the squared distance to a box that counts as wider than it must be.
func (t *Moving) reaches(i int32, p *mgl64.Vec3) float64 {
	n, wide := &t.tree.nodes[i], float64(eager)
	if n.count > 0 {
		wide = eagerLeaf
	}
	return n.widened2(p, wide*t.slack(i))
}

// Apart is a lower bound of the distance from p to the surface, from boxes alone: no position is asked for. It is 0
// where the bound would be no more than enough. An empty surface is infinitely far.
func (t *Moving) Apart(p mgl64.Vec3, enough float64) float64 {
	nodes := t.tree.nodes
	if len(nodes) == 0 {
		return math.Inf(1)
	}
	least, stop := math.Inf(1), enough*enough
	var stack [maxDepth]visit
	top := 1
	for top > 0 {
		top--
		v := &stack[top]
		if v.dist2 >= least {
			continue
		}
		if nodes[v.node].count > 0 {
			if least = v.dist2; !(least > stop) {
				return 0
			}
			continue
		}
		near, far := t.descend(v.node, p)
		if !(far.dist2 >= least) {
			stack[top] = far
			top++
		}
		if !(near.dist2 >= least) {
			stack[top] = near
			top++
		}
	}
	return math.Sqrt(rounded * least)
}

// fit makes a leaf's box tight and its triangles' positions current.
func (t *Moving) fit(i int32, positions []mgl64.Vec3) {
	if !t.stale(i) {
		return // located when it was fitted, and not moved since
	}
	n := &t.tree.nodes[i]
	n.box = emptyBox()
	for _, id := range t.tree.order[n.first : n.first+n.count] {
		tri := &t.tree.triangles[id]
		t.find(tri)
		n.add(positions[tri[0]])
		n.add(positions[tri[1]])
		n.add(positions[tri[2]])
	}
	t.fitted[i].way = t.now
}

// tighten makes an inner box that of its children, widened by their drift, where that is tighter than its own.
func (t *Moving) tighten(i int32) {
	slack := t.slack(i)
	n := &t.tree.nodes[i]
	left, right := i+1, n.right
	a, b := &t.tree.nodes[left], &t.tree.nodes[right]
	sa, sb := t.slack(left), t.slack(right)
	if !(sa < slack || sb < slack) {
		return // nothing below was looked at since
	}
	n.lo = mgl64.Vec3{min(a.lo[0]-sa, b.lo[0]-sb), min(a.lo[1]-sa, b.lo[1]-sb), min(a.lo[2]-sa, b.lo[2]-sb)}
	n.hi = mgl64.Vec3{max(a.hi[0]+sa, b.hi[0]+sb), max(a.hi[1]+sa, b.hi[1]+sb), max(a.hi[2]+sa, b.hi[2]+sb)}
	t.fitted[i].way = t.now
}

func (t *Moving) find(tri *[3]int32) {
	t.locate(tri[0])
	t.locate(tri[1])
	t.locate(tri[2])
}

// widened2 is dist2 of the box widened by slack on all sides.
func (b *box) widened2(p *mgl64.Vec3, slack float64) float64 {
	x := max(max(b.lo[0]-p[0], p[0]-b.hi[0])-slack, 0)
	y := max(max(b.lo[1]-p[1], p[1]-b.hi[1])-slack, 0)
	z := max(max(b.lo[2]-p[2], p[2]-b.hi[2])-slack, 0)
	return x*x + y*y + z*z
}
