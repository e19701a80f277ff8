package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Edge is an edge of a triangle surface.
type Edge struct {
	Node [2]int32 // in the order in which the first triangle runs
	// Face are the triangles on both sides: the first has the edge from Node[0] to Node[1], the second the other way
	// round. The second is -1 at a rim. Both are -1 where the surface has no two sides: three or more triangles, or two
	// that run the same way, or one that folds back on itself.
	Face [2]int32
}

// Edges lists the edges of a surface, each once, in the order in which the triangles name them, and for each triangle
// its own: sides[t][k] is the edge from corner k to corner k+1, -1 where these are the same node. An edge belongs to
// the first triangle that has it: owned[t] are those of t, from 0 to 3.
func Edges(triangles [][3]int32) (edges []Edge, sides, owned [][3]int32) {
	known := make(map[[2]int32]int32, 3*len(triangles)/2)
	uses := make([]int8, 0, 3*len(triangles)/2)
	sides, owned = make([][3]int32, len(triangles)), make([][3]int32, len(triangles))
	for t, corners := range triangles {
		sides[t], owned[t] = [3]int32{-1, -1, -1}, [3]int32{-1, -1, -1}
		first := 0
		for k := range 3 {
			i, j := corners[k], corners[(k+1)%3]
			if i == j {
				continue
			}
			key := [2]int32{min(i, j), max(i, j)}
			e, ok := known[key]
			switch {
			case !ok:
				e = int32(len(edges))
				known[key] = e
				edges = append(edges, Edge{Node: [2]int32{i, j}, Face: [2]int32{int32(t), -1}})
				uses = append(uses, 1)
				owned[t][first] = e
				first++
			case uses[e] == 1 && edges[e].Node[0] == j && edges[e].Face[0] != int32(t):
				edges[e].Face[1] = int32(t)
				uses[e] = 2
			default:
				edges[e].Face = [2]int32{-1, -1}
				uses[e] = 3
			}
			sides[t][k] = e
		}
	}
	return edges, sides, owned
}

// ClosestSegments finds the points of segments p and q that are closest to each other, as parameters from 0 (first end)
// to 1 (second), and their squared distance. Of parallel segments it gives one of the closest pairs. A segment without
// length is a point. (Ericson, section 5.1.9; the ends are tried one by one where the lines' closest points are not
// inside both segments, so that nearly parallel segments lose no accuracy.)
func ClosestSegments(p0, p1, q0, q1 mgl64.Vec3) (s, t, dist2 float64) {
	if s, t, ok := Crossing(p0, p1, q0, q1); ok {
		d := p0.Add(p1.Sub(p0).Mul(s)).Sub(q0.Add(q1.Sub(q0).Mul(t)))
		return s, t, d.LenSqr()
	}
	dist2 = math.Inf(1)
	if x, d := closestOnSegment(p0, q0, q1); d < dist2 {
		s, t, dist2 = 0, x, d
	}
	if x, d := closestOnSegment(p1, q0, q1); d < dist2 {
		s, t, dist2 = 1, x, d
	}
	if x, d := closestOnSegment(q0, p0, p1); d < dist2 {
		s, t, dist2 = x, 0, d
	}
	if x, d := closestOnSegment(q1, p0, p1); d < dist2 {
		s, t, dist2 = x, 1, d
	}
	return s, t, dist2
}

// ClosestLines gives the parameters of the closest points of the lines through p0 and p1, q0 and q1, 0 at the first
// point and 1 at the second; ok is false for parallel or undefined lines.
func ClosestLines(p0, p1, q0, q1 mgl64.Vec3) (s, t float64, ok bool) {
	d1, d2, r := p1.Sub(p0), q1.Sub(q0), p0.Sub(q0)
	a, e, b := d1.LenSqr(), d2.LenSqr(), d1.Dot(d2)
	c, f := d1.Dot(r), d2.Dot(r)
	// |d1 x d2|^2 by the product: a*e - b*b loses it where they are nearly parallel
	det := d1.Cross(d2).LenSqr()
	if !(det > parallel*a*e) {
		return 0, 0, false
	}
	return (b*f - c*e) / det, (a*f - b*c) / det, true
}

// Crossing is ClosestLines of two segments; ok is false, too, where the closest points are not inside both.
func Crossing(p0, p1, q0, q1 mgl64.Vec3) (s, t float64, ok bool) {
	s, t, ok = ClosestLines(p0, p1, q0, q1)
	return s, t, ok && s >= 0 && s <= 1 && t >= 0 && t <= 1
}

// Near appends to dst the pairs of triangles, one of t and one of o, whose boxes are within reach of each other, each
// pair once; for t and o the same, pairs of two triangles, the lower id first. The nodes of these triangles are
// located. Of what is far apart nothing is looked at. positions are those of t's surface, others those of o's.
func (t *Moving) Near(dst [][2]int32, positions []mgl64.Vec3, o *Moving, others []mgl64.Vec3, reach float64) [][2]int32 {
	if len(t.tree.nodes) == 0 || len(o.tree.nodes) == 0 {
		return dst
	}
	return t.near(dst, positions, o, others, reach, 0, 0, nil)
}

// NearSome is Near for some triangles of o: it costs as much as there are of those.
func (t *Moving) NearSome(dst [][2]int32, positions []mgl64.Vec3, o *Moving, others []mgl64.Vec3, some []int32, reach float64) [][2]int32 {
	if len(t.tree.nodes) == 0 {
		return dst
	}
	limit := reach * reach
	for _, other := range some {
		o.find(&o.tree.triangles[other])
		b := triangleBox(&o.tree.triangles[other], others)
		t.found = t.within(t.found[:0], positions, func(n *node, slack float64) bool { return rounded*n.gap2(&b, slack) > limit })
		for _, id := range t.found {
			if own := triangleBox(&t.tree.triangles[id], positions); !(rounded*own.gap2(&b, 0) > limit) {
				dst = append(dst, [2]int32{id, other})
			}
		}
	}
	return dst
}

// Parts is in how many parts NearPart finds the pairs of a surface with itself.
func (t *Moving) Parts() int { return len(t.parts) }

// NearPart is Near of t and itself for one part of the pairs, 0 to Parts()-1: of all parts together, each pair once.
// They take about the same time. Of pairs that are around each other it leaves out most; nil: none.
func (t *Moving) NearPart(dst [][2]int32, positions []mgl64.Vec3, part int, reach float64, around *Around) [][2]int32 {
	// each subtree with itself and with half of the others, in a circle
	n := len(t.parts)
	for d := 0; 2*d <= n; d++ {
		if 2*d < n || part < d {
			dst = t.near(dst, positions, t, positions, reach, t.parts[part], t.parts[(part+d)%n], around)
		}
	}
	return dst
}

// partsOf lists subtrees that have all triangles between them: those at a depth.
func partsOf(nodes []node) (parts []int32) {
	if len(nodes) == 0 {
		return nil
	}
	parts = []int32{0}
	for range 4 {
		var next []int32
		for _, i := range parts {
			if nodes[i].count > 0 {
				next = append(next, i)
			} else {
				next = append(next, i+1, nodes[i].right)
			}
		}
		parts = next
	}
	return parts
}

// near is Near for a subtree of each, without boxes that are around each other.
func (t *Moving) near(dst [][2]int32, positions []mgl64.Vec3, o *Moving, others []mgl64.Vec3, reach float64, first, second int32, around *Around) [][2]int32 {
	var stack [4 * maxDepth][2]int32
	stack[0] = [2]int32{first, second}
	top, limit := 1, reach*reach
	for top > 0 {
		top--
		i, j := stack[top][0], stack[top][1]
		if around.around(i, j) {
			continue
		}
		a, b := &t.tree.nodes[i], &o.tree.nodes[j]
		slack := 0.0
		if t.stale(i) {
			if a.count == 0 {
				t.tighten(i)
			}
			slack = t.slack(i)
		}
		if o.stale(j) {
			if b.count == 0 {
				o.tighten(j)
			}
			slack += o.slack(j)
		}
		if rounded*a.gap2(&b.box, eager*slack) > limit {
			continue
		}
		switch {
		case a.count > 0 && b.count > 0:
			t.fit(i, positions)
			o.fit(j, others)
			if slack > 0 && rounded*a.gap2(&b.box, 0) > limit {
				continue
			}
			dst = t.tree.nearLeaves(dst, positions, a, o.tree, others, b, limit)
		case t == o && i == j:
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
	return dst
}

// nearLeaves appends the pairs of two leaves, by the boxes of their triangles.
func (t *Tree) nearLeaves(dst [][2]int32, positions []mgl64.Vec3, a *node, o *Tree, others []mgl64.Vec3, b *node, limit float64) [][2]int32 {
	var boxes [leafSize]box
	second := o.order[b.first : b.first+b.count]
	for k, id := range second {
		boxes[k] = triangleBox(&o.triangles[id], others)
	}
	for _, id := range t.order[a.first : a.first+a.count] {
		own := triangleBox(&t.triangles[id], positions)
		for k, other := range second {
			if rounded*own.gap2(&boxes[k], 0) > limit {
				continue
			}
			switch {
			case t != o:
				dst = append(dst, [2]int32{id, other})
			case a != b:
				dst = append(dst, [2]int32{min(id, other), max(id, other)})
			case id < other:
				dst = append(dst, [2]int32{id, other})
			}
		}
	}
	return dst
}

func triangleBox(t *[3]int32, positions []mgl64.Vec3) box {
	p, q, r := &positions[t[0]], &positions[t[1]], &positions[t[2]]
	return box{
		lo: mgl64.Vec3{min(p[0], q[0], r[0]), min(p[1], q[1], r[1]), min(p[2], q[2], r[2])},
		hi: mgl64.Vec3{max(p[0], q[0], r[0]), max(p[1], q[1], r[1]), max(p[2], q[2], r[2])},
	}
}

// gap2 is the squared distance of two boxes, one of them widened by slack on all sides; 0 where they overlap.
func (b *box) gap2(c *box, slack float64) (d float64) {
	x := max(max(b.lo[0]-c.hi[0], c.lo[0]-b.hi[0])-slack, 0)
	y := max(max(b.lo[1]-c.hi[1], c.lo[1]-b.hi[1])-slack, 0)
	z := max(max(b.lo[2]-c.hi[2], c.lo[2]-b.hi[2])-slack, 0)
	return x*x + y*y + z*z
}

func (b *box) extent() float64 {
	return b.hi[0] - b.lo[0] + b.hi[1] - b.lo[1] + b.hi[2] - b.lo[2]
}
