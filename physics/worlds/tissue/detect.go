package tissue

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

// direction is one way in which two bodies may touch: nodes of the impactor against triangles of the obstacle. Where
// edges touch, the impactor has the one that P is on.
type direction struct {
	impactor, obstacle int
	friction           float64 // own value; NaN takes Params.Friction
	after              int32   // the direction the other way round that is looked at before; -1: none
	memory             []nodeMemory
	touched            []int32 // nodes in contact in the last step
	// near lists, for a body against itself, the triangles around each node that do not count; nil for two bodies.
	near *collision.Around
	// loose are the nodes of the impactor's region that no facet of it has.
	loose []int32
}

// bodyPair is two bodies, or one and itself, with all the ways in which they touch.
type bodyPair struct {
	a, b     int        // bodies; a <= b
	forward  int32      // direction
	backward int32      // the direction the other way round; -1: none
	edges    bool       // edges on edges, too: with the forward direction
	rigid    *rigidPair // the forward direction's impactor has a surface of its own; nil: it has not

	// Of a body against itself: see World.closeToItself.
	close []closeList
}

// detection is the state and workspace of World.detect.
type detection struct {
	bodyPairs  []bodyPair
	bodyPairOf []int32 // of bodies i < j, at i*len(bodies)+j; -1: none
	alone      []int32 // pairs of bodies with themselves
	round      uint64  // counts calls of detect
	sweep      *collision.Sweep
	live, due  []int32 // pairs with contacts in the last step; with boxes that overlap in this one

	memory, nextMemory identities[memory] // of all contacts but those of nodes

	close    [][2]int32 // pairs of triangles, of the impactor and the obstacle
	nodes    []int32
	crossing []uint64 // identities of pairs of edges
}

// openRim is the tangential distance above which a point over an open edge counts as hanging over it, as a share of the
// edge's triangle: rounding (the benches have 1e-6 mm for triangles of some mm).
const openRim = 1e-7

// How many DDC tolerances from the surface a node is still found, so that one inside a body is told from one outside:
// generously for a node that touched in the last step, which a change of E or nu may have left behind; with a little
// room for the others, as an increment moves nothing by more than half of one.
const (
	captureTouching = 4
	captureOthers   = 1.5
)

// fewNodes is how many nodes of an impactor are gone through one by one; of more, only those near the obstacle are
// looked for.
const fewNodes = 512

// detect finds the contacts of the step to come, in the configuration at the end of the last one (DDC, section 4.2):
// the closest point Q of the obstacle to each impactor node P, the pairs of edges that cross, and the frames there.
// Bodies whose boxes are apart cost nothing.
func (w *World) detect() {
	w.contacts = w.contacts[:0]
	for i, b := range w.bodies {
		lo, hi := b.box()
		w.sweep.Set(i, lo, hi)
	}
	w.due = append(w.due[:0], w.alone...)
	for _, p := range w.sweep.Overlaps(captureOthers * w.params.DDCTolerance) {
		if i := w.bodyPairOf[int(p[0])*len(w.bodies)+int(p[1])]; i >= 0 {
			w.due = append(w.due, i)
		}
	}
	slices.Sort(w.due)
	for _, i := range w.live {
		if _, due := slices.BinarySearch(w.due, i); !due {
			w.part(&w.bodyPairs[i])
		}
	}
	w.live = w.live[:0]
	w.round++
	for _, i := range w.due {
		w.locateAllNodes(&w.bodyPairs[i])
	}
	for _, drop := range w.adhesion.drop {
		if drop {
			w.adhesion.released++
		}
	}
	for _, i := range w.due {
		if m := &w.bodyPairs[i]; w.bodies[m.a].apart || w.bodies[m.b].apart {
			continue // see body.apart
		}
		if w.dropped(&w.bodyPairs[i]) {
			w.part(&w.bodyPairs[i])
			continue
		}
		before := len(w.contacts)
		w.meet(&w.bodyPairs[i])
		if len(w.contacts) > before {
			w.live = append(w.live, i)
		}
	}
	w.touching = len(w.contacts)
	w.limitStrains()
}

// part forgets the contacts of two bodies that have come apart.
func (w *World) part(m *bodyPair) {
	for _, index := range []int32{m.forward, m.backward} {
		if index < 0 {
			continue
		}
		p := &w.directions[index]
		for _, node := range p.touched {
			p.memory[node] = nodeMemory{}
		}
		p.touched = p.touched[:0]
	}
}

// meet finds the contacts of two bodies whose boxes overlap.
func (w *World) meet(m *bodyPair) {
	if m.rigid != nil {
		w.detectRigid(m)
		return
	}
	forward, a, b := w.direction(m.forward)
	tolerance := w.params.DDCTolerance
	if m.a == m.b {
		w.meetItself(m, forward, a, tolerance)
		return
	}
	switch {
	case math.IsInf(tolerance, 1):
		w.detectNodes(m.forward, a.region, false)
		if m.backward >= 0 {
			w.detectNodes(m.backward, b.region, false)
		}
		if m.edges {
			w.close = a.facets.tree.Near(w.close[:0], a.deformed.position, b.facets.tree, b.deformed.position, w.edgeReach(a, b))
		}
	case len(a.region) <= fewNodes && m.backward < 0 && !m.edges:
		w.detectNodes(m.forward, a.region, false)
	default:
		// A node that is new and deeper inside than the tolerance is found by its triangles, which cross the obstacle's
		// surface nearby.
		w.close = a.facets.tree.Near(w.close[:0], a.deformed.position, b.facets.tree, b.deformed.position, tolerance)
		w.detectNodes(m.forward, w.candidates(forward, a, 0), true)
		if m.backward >= 0 {
			w.detectNodes(m.backward, w.candidates(&w.directions[m.backward], b, 1), true)
		}
	}
	if m.edges {
		w.detectEdges(m, w.close)
	}
}

// meetItself finds where a body touches itself.
func (w *World) meetItself(m *bodyPair, p *direction, b *body, tolerance float64) {
	if math.IsInf(tolerance, 1) {
		w.closeToItself(m, p, b, b.longest)
		w.detectNodes(m.forward, b.region, false)
	} else {
		w.closeToItself(m, p, b, tolerance)
		b.marked.reset()
		list := w.nodes[:0]
		for i := range m.close {
			list = b.gatherNew(list, m.close[i].nodes)
		}
		w.detectNodes(m.forward, w.withTouched(list, p, b), true)
	}
	if m.edges {
		w.detectEdges(m, w.close)
	}
}

// gatherNew appends the nodes that are not marked yet, and marks them.
func (b *body) gatherNew(list, nodes []int32) []int32 {
	for _, node := range nodes {
		if b.marked.take(node) {
			list = append(list, node)
		}
	}
	return list
}

// candidates are the nodes of an impactor that may be near the obstacle, ascending: the corners of its triangles in
// w.close, and what touched in the last step.
func (w *World) candidates(p *direction, b *body, side int) []int32 {
	b.marked.reset()
	list := w.nodes[:0]
	last := int32(-1)
	for i := range w.close {
		facet := w.close[i][side]
		if facet == last {
			continue
		}
		last = facet
		list = b.gatherNew(list, b.facets.triangles[facet][:])
	}
	return w.withTouched(list, p, b)
}

// withTouched adds what touched in the last step and what no facet has, and sorts.
func (w *World) withTouched(list []int32, p *direction, b *body) []int32 {
	w.nodes = b.gatherNew(b.gatherNew(list, p.touched), p.loose)
	slices.Sort(w.nodes)
	return w.nodes
}

// direction is one, with its impactor and its obstacle.
func (w *World) direction(index int32) (p *direction, a, b *body) {
	p = &w.directions[index]
	return p, w.bodies[p.impactor], w.bodies[p.obstacle]
}

// detectNodes finds the contacts of some nodes of the impactor, of which it may be known that they are close to the
// obstacle, with its triangles.
func (w *World) detectNodes(index int32, nodes []int32, close bool) {
	p, a, b := w.direction(index)
	p.touched = p.touched[:0]

	mu := w.frictionOf(p)
	tolerance := w.params.DDCTolerance
	travel := a.deformed.travel + b.deformed.travel
	for _, node := range nodes {
		m := &p.memory[node]
		if travel < m.far {
			continue
		}
		c := contactPoint{
			id: nodeIdentity(index, node), direction: index, kind: nodeFace,
			node: node, triangle: noFeature, p: nodeSide(node), mu: mu,
		}
		if w.given.anchored && m.stuck && w.anchor(&c, m, a, b, tolerance) {
			if w.duplicates(&c, m, a, b) {
				*m = nodeMemory{}
				continue
			}
			w.add(&c, m)
			continue
		}
		hint, reach := int32(-1), captureOthers*tolerance
		if m.touching {
			hint, reach = m.triangle, captureTouching*tolerance
		}
		var near collision.Except
		if p.near != nil {
			near = p.near.Except(node)
		}
		at := a.at(node)
		if !m.touching && !close {
			if apart := b.facets.tree.Apart(at, reach); apart > reach {
				m.far = travel + apart - tolerance
				continue
			}
		}
		hit, ok := b.facets.tree.Closest(b.deformed.position, at, reach, hint, near)
		if !ok {
			*m = nodeMemory{far: travel + reach - tolerance}
			continue
		}
		c.land(b, hit.Triangle, hit.Weights)
		if p.near != nil && !b.faces(node, hit.Triangle) {
			*m = nodeMemory{}
			continue
		}
		if !w.frame(&c, a, b) || !w.offset(&c, a, b, hit.Dist2, tolerance) {
			*m = nodeMemory{far: travel + math.Sqrt(hit.Dist2) - tolerance}
			continue
		}
		if w.duplicates(&c, m, a, b) {
			*m = nodeMemory{}
			continue
		}
		w.add(&c, m)
	}
}

// add makes c a contact of this step.
func (w *World) add(c *contactPoint, m *nodeMemory) {
	m.contact = int32(len(w.contacts))
	w.contacts = append(w.contacts, *c)
}

// contactOf is the contact of a node of a direction's impactor in this step, nil where it has none.
func (w *World) contactOf(pair, node int32) *contactPoint {
	if i := w.directions[pair].memory[node].contact; int(i) < len(w.contacts) {
		if c := &w.contacts[i]; c.direction == pair && c.node == node {
			return c
		}
	}
	return nil
}

func (w *World) frictionOf(p *direction) float64 {
	if p.friction != p.friction {
		return w.params.Friction
	}
	return p.friction
}

// land sets the point of the obstacle that a node meets.
func (c *contactPoint) land(b *body, triangle int32, weights [3]float64) {
	c.triangle, c.q = triangle, faceSide(b.facets.triangles[triangle], weights)
}

// anchor keeps a sticking contact on the material point it stuck to, so that what a loose tolerance leaves of slip is
// taken back in the next step instead of being forgotten: a resting contact does not creep.
func (w *World) anchor(c *contactPoint, m *nodeMemory, a, b *body, tolerance float64) bool {
	c.land(b, m.triangle, m.weights)
	c.offset = m.offset
	if !w.frame(c, a, b) {
		return false
	}
	d := a.pointOf(&c.p).Sub(b.pointOf(&c.q))
	return d.LenSqr() <= tolerance*tolerance
}

// frame gives a node's contact its axes: n from the obstacle's surface outward, that of the triangle or interpolated,
// rounded off at a sharp edge. It is false for a degenerate triangle.
func (w *World) frame(c *contactPoint, a, b *body) bool {
	var n mgl64.Vec3
	if w.given.smoothNormals {
		n = b.smoothNormal(c.triangle, &c.q.weight)
	}
	if l := n.Len(); l > 1e-3 {
		n = n.Mul(1 / l)
	} else {
		n = collision.FaceNormal(b.corners(c.triangle))
	}
	if b.facets.creased {
		n = b.roundOff(n, c.triangle, &c.q.weight, a, c.node, roundCrease*w.params.DDCTolerance)
	}
	if n == (mgl64.Vec3{}) {
		return false
	}
	c.set(w.steady(n, &w.directions[c.direction].memory[c.node].facing))
	return true
}

// offset sets the tangential position that counts as no slip, x_t(t_n) = 0 (2.17), and tells whether the pair is close
// enough to count.
func (w *World) offset(c *contactPoint, a, b *body, dist2, tolerance float64) bool {
	d := a.pointOf(&c.p).Sub(b.pointOf(&c.q))
	if outside := d.Dot(c.n) >= 0; outside && !(dist2 <= tolerance*tolerance) {
		return false
	}
	c.offset = c.across(d)
	if w.given.dropOverhang && b.facets.onOpenEdge(c.triangle, c.q.weight) && math.Hypot(c.offset[0], c.offset[1]) > openRim*b.edge(c.triangle) {
		return false
	}
	return true
}

// faces tells whether a node of a body looks at a triangle of the same body: only then are they two sides of a gap.
func (b *body) faces(node, triangle int32) bool {
	n := collision.FaceNormal(b.corners(triangle))
	return b.vertexNormal(node).Dot(n) < 0
}

// surroundings lists for each surface node the facets around it, ascending: those with a corner that is closer than
// radius along the surface. Across a slit that is far, however narrow the slit.
func (b *body) surroundings(radius float64) [][]int32 {
	facetsAt := b.normals.around
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
