package tissue

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

// Edges meet where two ridges cross and no node is near: the case that node-face contacts miss (thesis, section 5).
// Such a contact has P inside an edge of the impactor and Q inside one of the obstacle. Its normal is perpendicular to
// both and must keep both bodies apart: it lies between the normals of the faces on either side of the obstacle's edge,
// and turned round, of the impactor's (their Voronoi regions). Hollow edges have no such normals, flat ones only one:
// they count where the edge of a coarse tool lies across a fine surface, with no node to carry it. Which way a normal
// points is decided by the faces, not by the gap, so that edges that have passed through each other a little are pushed
// apart, not together.

const (
	// flatEdge is the cosine of how much a surface turns, at least, at an edge that counts: half a degree. One that
	// touched counts longer. Two surfaces that turn by an angle at edges of a length reach into each other by about a
	// quarter of their product where these are left out.
	flatEdge, flatTouching = 0.99996, 0.99999
	// sharpEdge is the cosine of how much a surface turns at an edge that meets flat ones, too: 30 degrees. These are
	// shorter, and turn by less than 10 degrees either way.
	sharpEdge, sharpTouching   = 0.866, 0.88
	nearlyFlat, nearlyTouching = 0.985, 0.98
	// parallelEdges is the sine of the angle below which two edges are left to the contacts of their nodes.
	parallelEdges, parallelTouching = 0.1, 0.08
	// outsideCone is how far a normal may turn out of an edge's cone, as a sine.
	outsideCone, outsideTouching = 0.02, 0.05
	flatSlack                    = 0.2 // the same for flat edges: what they may turn, and a little
	// loadedSlack is outsideCone for edges that carry a load.
	loadedSlack = 0.3
	// An edge that is new may be inside by a share of that reach: more than a step can bring.
	newInside = 1.0
)

// edgeCone is what the surface does at an edge.
type edgeCone struct {
	collision.EdgeCone
	stamp uint32 // of the configuration that the rest belongs to
	sort  edgeSort
}

// edgeSort tells which edges can meet at all: two ridges, or a sharp and a flat one. The sum of two sorts says so: it
// is at least that of the latter.
type edgeSort uint8

const (
	uselessEdge edgeSort = iota
	flatEdgeSort
	ridgeSort     = 2
	sharpEdgeSort = 3
)

// cone of an edge on the body's present configuration.
func (b *body) cone(edge int32) *edgeCone {
	c := &b.facets.cones[edge]
	if c.stamp != b.deformed.state {
		*c = b.shapeOfEdge(edge)
	}
	return c
}

// shapeOfEdge finds what cone keeps.
func (b *body) shapeOfEdge(edge int32) (c edgeCone) {
	c.stamp, c.Turn, c.Hollow = b.deformed.state, 1, 1
	e := &b.facets.edges[edge]
	if e.Face[1] < 0 {
		return c
	}
	m, n := collision.FaceNormal(b.corners(e.Face[0])), collision.FaceNormal(b.corners(e.Face[1]))
	c.EdgeCone = collision.ConeOf(m, n, b.at(e.Node[1]).Sub(b.at(e.Node[0])))
	switch {
	case c.Turn < sharpTouching:
		c.sort = sharpEdgeSort
	case c.Turn < flatTouching:
		c.sort = ridgeSort
	case c.Flat(nearlyTouching):
		c.sort = flatEdgeSort
	}
	return c
}

// edgeSpan is the box of an edge.
type edgeSpan struct {
	stamp  uint32 // of the configuration that it belongs to
	lo, hi mgl64.Vec3
}

// span of an edge on the body's present configuration.
func (b *body) span(edge int32) *edgeSpan {
	s := &b.facets.spans[edge]
	if s.stamp != b.deformed.state {
		nodes := &b.facets.edges[edge].Node
		s.stamp, s.lo, s.hi = b.deformed.state, b.at(nodes[0]), b.at(nodes[1])
		for k := range 3 {
			if s.lo[k] > s.hi[k] {
				s.lo[k], s.hi[k] = s.hi[k], s.lo[k]
			}
		}
	}
	return s
}

// apart tells that two edges are farther from each other than reach, the squared distance; by their boxes, so that it
// may be false for some that are.
func (s *edgeSpan) apart(o *edgeSpan, reach float64) bool {
	d := 0.0
	for k := range 3 {
		if gap := s.lo[k] - o.hi[k]; gap > 0 {
			d += gap * gap
		} else if gap := o.lo[k] - s.hi[k]; gap > 0 {
			d += gap * gap
		}
	}
	return d > reach*(1+1e-9)
}

// edgeReach is how far apart two bodies' edges meet at most, m: no farther than either's facets are long, whatever the
// DDC tolerance. Beyond that the line between two edges leads through a body, not across a gap.
func (w *World) edgeReach(a, b *body) float64 {
	return min(w.params.DDCTolerance, max(a.longest, b.longest))
}

// detectEdges finds the contacts of edges among pairs of triangles.
func (w *World) detectEdges(m *bodyPair, close [][2]int32) {
	p, a, b := w.direction(m.forward)
	reach := w.edgeReach(a, b)
	w.crossing = w.crossing[:0]
	for _, pair := range close {
		for _, e := range &a.facets.owned[pair[0]] {
			if e < 0 {
				continue
			}
			around := a.span(e)
			for _, f := range &b.facets.owned[pair[1]] {
				if f < 0 || around.apart(b.span(f), reach*reach) {
					continue
				}
				// in the order of their cost
				first := a.cone(e).sort
				if first == uselessEdge {
					break
				}
				if second := b.cone(f).sort; second == uselessEdge || first+second < flatEdgeSort+sharpEdgeSort {
					continue
				}
				if a.crosses(e, b, f, reach) {
					w.crossing = append(w.crossing, identity(m.forward, edgeEdge, e, f))
				}
			}
		}
	}
	// what carries a load stays in question, whatever the load has made of its edges
	for i, id := range w.memory.keys {
		if id != 0 && pairOf(id) == m.forward && kindOf(id) == edgeEdge && w.memory.values[i].force != (mgl64.Vec3{}) {
			w.crossing = append(w.crossing, id)
		}
	}
	// in an order that does not depend on how the trees were gone through
	slices.Sort(w.crossing)
	w.crossing = slices.Compact(w.crossing)
	for _, id := range w.crossing {
		c := contactPoint{id: id, direction: m.forward, kind: edgeEdge, node: noFeature, triangle: noFeature, mu: w.frictionOf(p)}
		e, f := int32(id>>21&(maxFeatures-1)), int32(id&(maxFeatures-1))
		if w.cross(&c, a, e, b, f) && !w.duplicatesNodes(&c, m, a, b) {
			w.contacts = append(w.contacts, c)
		}
	}
}

// crosses tells whether the lines of two edges come closest inside both and within reach there.
func (a *body) crosses(e int32, b *body, f int32, reach float64) bool {
	x, y := &a.facets.edges[e].Node, &b.facets.edges[f].Node
	p0, p1, q0, q1 := a.at(x[0]), a.at(x[1]), b.at(y[0]), b.at(y[1])
	s, t, ok := collision.Crossing(p0, p1, q0, q1)
	if !ok {
		return false
	}
	d := p0.Add(p1.Sub(p0).Mul(s)).Sub(q0.Add(q1.Sub(q0).Mul(t)))
	return d.LenSqr() <= reach*reach
}

// closeList is what of a body is close to another part of it while the body's travel is no more than until: pairs of
// triangles, of which no node is near the other along the surface, and nodes and triangles that are not near each
// other.
type closeList struct {
	pairs [][2]int32
	nodes []int32
	until float64
}

// closeToItself lists in w.close the triangles of a body that are close to each other in space but not along the
// surface. Every triangle is near its neighbours, so that this takes long: the lists are made for a wider reach, and
// again when the body has moved by as much. They are made one after another, a part of the pairs each, so that no step
// has to make all of them, unless the body is fast.
func (w *World) closeToItself(m *bodyPair, p *direction, b *body, reach float64) {
	travel := b.deformed.travel
	oldest, made := 0, false
	for i := range m.close {
		if !(travel <= m.close[i].until) {
			w.listClose(m, p, b, i, reach)
			made = true
		}
		if m.close[i].until < m.close[oldest].until {
			oldest = i
		}
	}
	if !made && len(m.close) > 0 && m.close[oldest].until-travel < reach/8 {
		w.listClose(m, p, b, oldest, reach)
	}
	w.close = w.close[:0]
	for i := range m.close {
		w.close = append(w.close, m.close[i].pairs...)
	}
}

// listClose makes one of the lists of closeToItself.
func (w *World) listClose(m *bodyPair, p *direction, b *body, part int, reach float64) {
	list := &m.close[part]
	w.close = b.facets.tree.NearPart(w.close[:0], b.deformed.position, part, 2*reach, p.near)
	list.until = b.deformed.travel + reach/2 // two triangles, each by half of it
	list.pairs, list.nodes = list.pairs[:0], list.nodes[:0]
	b.marked.reset()
	for _, pair := range w.close {
		var near [2]int
		for side := range near {
			for _, node := range &b.facets.triangles[pair[side]] {
				if p.near.Near(node, pair[1-side]) {
					near[side]++
				} else if b.marked.take(node) {
					list.nodes = append(list.nodes, node)
				}
			}
		}
		if near[0] == 0 {
			list.pairs = append(list.pairs, pair)
		}
	}
}

// cross makes the contact of two edges; false where they do not touch.
func (w *World) cross(c *contactPoint, a *body, e int32, b *body, f int32) bool {
	m := w.memory.get(c.id)
	flat, sharp, nearly, parallel, outside, inside := flatEdge, sharpEdge, nearlyFlat, parallelEdges, outsideCone, newInside
	if m != nil {
		flat, sharp, nearly, parallel, outside, inside = flatTouching, sharpTouching, nearlyTouching, parallelTouching, outsideTouching, captureTouching
	}
	x, y := a.facets.edges[e].Node, b.facets.edges[f].Node
	p0, p1, q0, q1 := a.at(x[0]), a.at(x[1]), b.at(y[0]), b.at(y[1])
	d1, d2 := p1.Sub(p0), q1.Sub(q0)
	long, short := d1.Len(), d2.Len()
	first, second := a.cone(e), b.cone(f)
	slack := [2]float64{outside, outside}
	// A load presses its own edges flat, and a little hollow. It keeps the contact that carries it: else that would
	// come and go from step to step.
	loaded := m != nil && m.force != (mgl64.Vec3{})
	switch {
	case loaded:
		slack = [2]float64{loadedSlack, loadedSlack}
	case first.Turn < flat && second.Turn < flat:
	case first.Turn < sharp && second.Flat(nearly) && long > short:
		slack[1] = flatSlack
	case second.Turn < sharp && first.Flat(nearly) && short > long:
		slack[0] = flatSlack
	default:
		return false
	}
	n, ok := collision.EdgeNormal(d1, d2, &first.EdgeCone, &second.EdgeCone, parallel, slack)
	if !ok {
		return false
	}
	s, t, ok := collision.Crossing(p0, p1, q0, q1)
	if !ok {
		return false
	}
	if m != nil {
		n = w.steady(n, &m.facing)
	}
	tolerance := w.edgeReach(a, b)
	stuck := w.given.anchored && m != nil && m.stuck
	if stuck {
		s, t = m.s, m.t
	}
	c.p, c.q = edgeSide(x, s), edgeSide(y, t)
	d := a.pointOf(&c.p).Sub(b.pointOf(&c.q))
	gap := d.Dot(n)
	if !(gap <= tolerance) || !(gap >= -inside*tolerance) {
		return false
	}
	c.set(n)
	c.offset = c.across(d)
	if stuck && d.LenSqr() <= tolerance*tolerance {
		c.offset = m.offset
	}
	return true
}

// Two contacts say the same where their points are closer than sameSpot of the shortest edge there, their normals agree
// to sameNormal (a cosine), and their gaps to sameGap of the DDC tolerance. A contact that was there in the last step
// goes later than a new one comes, so that it does not come and go.
const (
	sameSpot   = 0.2
	sameNormal = 0.98
	sameGap    = 0.02
	lingering  = 0.7 // see lingers
)

// lingers is the factor on these for a contact that was there or not.
func lingers(was bool) float64 {
	if was {
		return lingering
	}
	return 1
}

// duplicates tells whether a contact of the backward direction repeats one of the forward direction: a flat face on a
// flat face would count twice.
func (w *World) duplicates(c *contactPoint, m *nodeMemory, a, b *body) bool {
	first := w.directions[c.direction].after
	if first < 0 {
		return false
	}
	factor := lingers(m.touching)
	q := b.pointOf(&c.q)
	gap := a.pointOf(&c.p).Sub(q).Dot(c.n)
	for _, node := range &b.facets.triangles[c.triangle] {
		if w.repeats(first, node, b, a, q, c.n.Mul(-1), gap, factor*sameSpot*min(a.spacing[c.node], b.spacing[node]), factor) {
			return true
		}
	}
	return false
}

// duplicatesNodes is duplicates for a contact of edges and those of their nodes.
func (w *World) duplicatesNodes(c *contactPoint, m *bodyPair, a, b *body) bool {
	factor := lingers(w.memory.get(c.id) != nil)
	p, q := a.pointOf(&c.p), b.pointOf(&c.q)
	gap := p.Sub(q).Dot(c.n)
	for _, node := range c.p.node[:2] {
		if w.repeats(m.forward, node, a, b, p, c.n, gap, factor*sameSpot*a.spacing[node], factor) {
			return true
		}
	}
	back := m.backward
	if m.a == m.b {
		back = m.forward
	}
	for _, node := range c.q.node[:2] {
		if back >= 0 && w.repeats(back, node, b, a, q, c.n.Mul(-1), gap, factor*sameSpot*b.spacing[node], factor) {
			return true
		}
	}
	return false
}

// repeats tells whether a node of a, in that direction, has a contact with b that says what another does: one at a place
// no farther than near from the node, of that normal, out of b, and gap.
func (w *World) repeats(direction, node int32, a, b *body, place, n mgl64.Vec3, gap, near, factor float64) bool {
	other := w.contactOf(direction, node)
	if other == nil {
		return false
	}
	at := a.at(node)
	if !(at.Sub(place).LenSqr() <= near*near && 1-n.Dot(other.n) <= factor*(1-sameNormal)) {
		return false
	}
	between := math.Abs(gap - at.Sub(b.pointOf(&other.q)).Dot(other.n))
	return between <= factor*sameGap*w.params.DDCTolerance
}
