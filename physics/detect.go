package physics

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/contact"
)

// pair is two bodies that may touch: nodes of the impactor against triangles
// of the obstacle.
type pair struct {
	impactor, obstacle int
	friction           float64 // own value; NaN takes Params.Friction
	memory             []nodeMemory
	// near lists, for a body against itself, the triangles around each node that
	// do not count; nil for two bodies.
	near [][]int32
}

// nodeMemory is what one impactor node remembers of its contact from step to
// step: the force, to start the next solve from, and where it stuck.
type nodeMemory struct {
	touching bool
	stuck    bool
	triangle int32
	weights  [3]float64
	offset   [2]float64 // tangential P - Q that counts as no slip, m
	force    mgl64.Vec3 // world, N
	far      float64    // not within reach before the two bodies' travel exceeds this, m
}

// contactKind says which features of the two bodies meet.
type contactKind uint8

const (
	nodeFace contactKind = iota + 1 // a node of the impactor, a triangle of the obstacle
	edgeEdge                        // an edge of each
)

// contactPoint is one contact of the current step, with the geometry that
// stays frozen while the step is solved.
type contactPoint struct {
	id       uint64 // the same from step to step for the same features
	pair     int32
	kind     contactKind
	node     int32      // nodeFace: of the impactor's surface; others: -1
	triangle int32      // nodeFace: of the obstacle's facets; others: -1
	p, q     side       // P on the impactor, Q on the obstacle
	n        mgl64.Vec3 // from obstacle to impactor
	t1, t2   mgl64.Vec3
	offset   [2]float64
	mu       float64
}

// side is a contact point as one body has it: a weighted mean of surface nodes,
// or a point of a rigid body that has no nodes there.
type side struct {
	count  int8
	node   [3]int32
	weight [3]float64 // sum 1; some may be 0
	point  mgl64.Vec3 // where count is 0: body frame, m
}

func nodeSide(node int32) side {
	return side{count: 1, node: [3]int32{node}, weight: [3]float64{1}}
}

func faceSide(triangle [3]int32, weights [3]float64) side {
	return side{count: 3, node: triangle, weight: weights}
}

// identity names a contact by its features, from 0: what does not change while
// they touch. Pairs are told apart up to 2^20, features up to 2^42, and up to
// 2^21 where there are two. No identity is 0.
func identity(pair int32, kind contactKind, impactor, obstacle int32) uint64 {
	return uint64(pair)<<44 | uint64(kind)<<42 | uint64(impactor)<<21 | uint64(obstacle)
}

// openRim is the tangential distance above which a point over an open edge
// counts as hanging over it, m (1e-6 mm, the benches' convention).
const openRim = 1e-9

// How many DDC tolerances from the surface a node is still found, so that one
// inside a body is told from one outside: generously for a node that touched in
// the last step, which a change of E or nu may have left behind; with a little
// room for the others, as an increment moves nothing by more than half of one.
const (
	captureTouching = 4
	captureOthers   = 1.5
)

// detect finds the contacts of the step to come, in the configuration at the
// end of the last one (DDC, section 4.2): the closest point Q of the obstacle
// to each impactor node P, and the frame there.
func (w *World) detect() {
	w.contacts = w.contacts[:0]
	for i := range w.pairs {
		w.detectPair(int32(i))
	}
}

func (w *World) detectPair(index int32) {
	p := &w.pairs[index]
	a, b := w.bodies[p.impactor], w.bodies[p.obstacle]

	mu := p.friction
	if mu != mu {
		mu = w.params.Friction
	}
	tolerance := w.params.DDCTolerance
	travel := a.shape.travel + b.shape.travel
	for _, node := range a.region {
		m := &p.memory[node]
		if travel < m.far {
			continue
		}
		c := contactPoint{
			id: identity(index, nodeFace, node>>21, node&(1<<21-1)), pair: index, kind: nodeFace,
			node: node, triangle: -1, p: nodeSide(node), mu: mu,
		}
		if w.anchored && m.stuck && w.anchor(&c, m, a, b, tolerance) {
			w.contacts = append(w.contacts, c)
			continue
		}
		hint, reach := int32(-1), captureOthers*tolerance
		if m.touching {
			hint, reach = m.triangle, captureTouching*tolerance
		}
		var near []int32
		if p.near != nil {
			near = p.near[node]
		}
		at := a.at(node)
		if !m.touching {
			if apart := b.facets.tree.Apart(at, reach); apart > reach {
				m.far = travel + apart - tolerance
				continue
			}
		}
		hit, ok := b.facets.tree.Closest(b.shape.position, at, reach, hint, near)
		if !ok {
			*m = nodeMemory{far: travel + reach - tolerance}
			continue
		}
		c.land(b, hit.Triangle, hit.Weights)
		if p.near != nil && !b.faces(node, hit.Triangle) {
			*m = nodeMemory{}
			continue
		}
		if !w.frame(&c, b) || !w.offset(&c, a, b, hit.Dist2, tolerance) {
			*m = nodeMemory{far: travel + math.Sqrt(hit.Dist2) - tolerance}
			continue
		}
		w.contacts = append(w.contacts, c)
	}
}

// land sets the point of the obstacle that a node meets.
func (c *contactPoint) land(b *body, triangle int32, weights [3]float64) {
	c.triangle, c.q = triangle, faceSide(b.facets.triangles[triangle], weights)
}

// anchor keeps a sticking contact on the material point it stuck to, so that
// what a loose tolerance leaves of slip is taken back in the next step instead
// of being forgotten: a resting contact does not creep.
func (w *World) anchor(c *contactPoint, m *nodeMemory, a, b *body, tolerance float64) bool {
	c.land(b, m.triangle, m.weights)
	c.offset = m.offset
	if !w.frame(c, b) {
		return false
	}
	d := a.pointOf(&c.p).Sub(b.pointOf(&c.q))
	return d.LenSqr() <= tolerance*tolerance
}

// frame gives the contact its axes: n from the obstacle's surface outward, t1
// along the world's X as far as it can be, t2 = n x t1. It is false for a
// degenerate triangle.
func (w *World) frame(c *contactPoint, b *body) bool {
	t := b.facets.triangles[c.triangle]
	n := collision.FaceNormal(b.corners(c.triangle))
	if w.smoothNormals {
		var s mgl64.Vec3
		for k, node := range t {
			if c.q.weight[k] != 0 {
				s = s.Add(b.vertexNormal(node).Mul(c.q.weight[k]))
			}
		}
		if l := s.Len(); l > 1e-3 {
			n = s.Mul(1 / l)
		}
	}
	if n == (mgl64.Vec3{}) {
		return false
	}
	axis := mgl64.Vec3{1, 0, 0}
	if math.Abs(n[0]) > 0.999 {
		axis = mgl64.Vec3{0, 0, 1}
	}
	c.n = n
	c.t1 = axis.Sub(n.Mul(axis.Dot(n))).Normalize()
	c.t2 = n.Cross(c.t1)
	return true
}

// offset sets the tangential position that counts as no slip, x_t(t_n) = 0
// (2.17), and tells whether the pair is close enough to count.
func (w *World) offset(c *contactPoint, a, b *body, dist2, tolerance float64) bool {
	d := a.pointOf(&c.p).Sub(b.pointOf(&c.q))
	if outside := d.Dot(c.n) >= 0; outside && !(dist2 <= tolerance*tolerance) {
		return false
	}
	c.offset = [2]float64{d.Dot(c.t1), d.Dot(c.t2)}
	if w.dropOverhang && b.facets.onOpenEdge(c.triangle, c.q.weight) && math.Hypot(c.offset[0], c.offset[1]) > openRim {
		return false
	}
	return true
}

// pointOf is where a contact point is on the body's shape, world, m.
func (b *body) pointOf(s *side) (x mgl64.Vec3) {
	if s.count == 0 {
		return b.shape.now.rotation.Mul3x1(s.point).Add(b.shape.now.origin)
	}
	for k := range s.count {
		if s.weight[k] != 0 {
			x = x.Add(b.at(s.node[k]).Mul(s.weight[k]))
		}
	}
	return x
}

// freeOf is where it would be in the present pose without contact forces.
func (b *body) freeOf(s *side) (x mgl64.Vec3) {
	if s.count == 0 {
		return b.rotation.Mul3x1(s.point).Add(b.pose.Position)
	}
	for k := range s.count {
		if s.weight[k] != 0 {
			x = x.Add(b.free(s.node[k]).Mul(s.weight[k]))
		}
	}
	return x
}

// remember keeps for the next step what the contacts learnt in this one.
func (w *World) remember() {
	for i := range w.contacts {
		c := &w.contacts[i]
		r := w.r[3*i : 3*i+3]
		m := &w.pairs[c.pair].memory[c.node]
		m.touching = true
		m.stuck = w.status[i] == contact.Stick
		m.triangle, m.weights, m.offset = c.triangle, c.q.weight, c.offset
		m.force = c.n.Mul(r[0]).Add(c.t1.Mul(r[1])).Add(c.t2.Mul(r[2]))
	}
}

// faces tells whether a node of a body looks at a triangle of the same body:
// only then are they two sides of a gap.
func (b *body) faces(node, triangle int32) bool {
	n := collision.FaceNormal(b.corners(triangle))
	return b.vertexNormal(node).Dot(n) < 0
}

// surroundings lists for each surface node the facets around it, ascending:
// those with a corner that is closer than radius along the surface. Across a
// slit that is far, however narrow the slit.
func (b *body) surroundings(radius float64) [][]int32 {
	facetsAt := make([][]int32, len(b.rest))
	for i, t := range b.facets.triangles {
		for _, node := range t {
			facetsAt[node] = append(facetsAt[node], int32(i))
		}
	}
	near := make([][]int32, len(b.rest))
	for _, start := range b.region {
		// Bellman-Ford from the node outward: the neighbourhood is small
		way := map[int32]float64{start: 0}
		front := []int32{start}
		for len(front) > 0 {
			node := front[0]
			front = front[1:]
			for _, f := range facetsAt[node] {
				for _, next := range b.facets.triangles[f] {
					d := way[node] + b.rest[next].Sub(b.rest[node]).Len()
					if old, seen := way[next]; d <= radius && (!seen || d < old) {
						way[next] = d
						front = append(front, next)
					}
				}
			}
		}
		for node := range way {
			near[start] = append(near[start], facetsAt[node]...)
		}
		slices.Sort(near[start])
		near[start] = slices.Compact(near[start])
	}
	return near
}
