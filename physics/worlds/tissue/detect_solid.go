package tissue

import (
	"math"
	"slices"

	"hapco/collision"
	"hapco/physics/files/scene"
)

// rigidSurface is the surface of a rigid body as others touch it where that is not its mesh: a closed form, or the
// signed distance of the mesh. Its frame is the body's.
type rigidSurface struct {
	shape collision.Shape
	solid *collision.Solid // the same, of a closed form
	// nodes of the body's mesh that triangles of the other body meet where they are coarse: of a sphere or capsule all,
	// of a cylinder or box those on its edges.
	nodes  []int32
	detail float64 // triangles with no edge longer than this are fine, m; 0: than the edges at the node
	round  bool    // round all over
}

// fineTriangle is how long the edges of a triangle may be, in radii of the surface's rounding, for it to be touched by
// its nodes alone.
const fineTriangle = 1. / 3

// leastRounding of a box's or cylinder's edges, as a share of the shortest extent: normals of contacts turn about an
// edge and do not jump.
const leastRounding = 1. / 50

// takeRigidSurface gives a rigid body the surface that its scene asks for.
func (b *body) takeRigidSurface(solid *scene.Solid, smooth bool) {
	switch {
	case solid.Solid != nil:
		lo, hi := solid.Solid.Bounds()
		d := hi.Sub(lo)
		blunt := solid.Solid.Blunt(leastRounding * min(d[0], d[1], d[2]))
		f := &rigidSurface{shape: blunt, solid: blunt, detail: fineTriangle * blunt.Round,
			round: blunt.Core == collision.PointCore || blunt.Core == collision.SegmentCore}
		for i, x := range b.rest {
			if f.round || blunt.OnRidge(x) {
				f.nodes = append(f.nodes, int32(i))
			}
		}
		b.rigidSurface, b.low, b.high = f, lo, hi
	case solid.Field != nil:
		f := &rigidSurface{shape: solid.Field, nodes: b.region}
		if smooth {
			f.shape = solid.Field.Smoothed()
		}
		b.measureSpacing()
		b.rigidSurface = f
	}
}

// rigidPair is what touching a body with such a surface takes: P is on that body, Q on the other.
type rigidPair struct {
	coarse []bool // facets of the other body with an edge above the surface's detail; nil: none
	// bulge of each of its nodes times the surface's mean curvature is how far flat triangles are from the surface on
	// average where they touch it at their nodes, m^2.
	bulge  []float64
	facets []int32 // workspace: facets within reach, and their nodes
	nodes  []int32
}

// pairRigid makes two bodies touch by the rigid surface of one of them, the impactor.
func (w *World) pairRigid(m *bodyPair, tool, other *body) {
	f := tool.rigidSurface
	m.rigid = &rigidPair{
		facets: make([]int32, 0, min(len(other.facets.triangles), 4096)),
		nodes:  make([]int32, 0, min(len(other.rest), 4096)),
	}
	coarse, any := make([]bool, len(other.facets.triangles)), false
	least := f.detail
	if least == 0 {
		least = math.Inf(1)
		for _, node := range f.nodes {
			least = min(least, tool.spacing[node])
		}
	}
	for i := range coarse {
		coarse[i] = other.longestOf(int32(i)) > least
		any = any || coarse[i]
	}
	if any {
		m.rigid.coarse = coarse
	}
	if !f.round {
		coarse = nil
	}
	m.rigid.bulge = other.bulges(coarse)

}

// longestOf a facet's edges, at rest, m.
func (b *body) longestOf(facet int32) (longest float64) {
	t := &b.facets.triangles[facet]
	for k := range 3 {
		longest = max(longest, b.rest[t[k]].Sub(b.rest[t[(k+1)%3]]).Len())
	}
	return longest
}

// bulges are of each surface node the mean over the triangles around it of how far a paraboloid of mean curvature 1 is
// below the triangle on average whose corners lie on it: the sum of the edges' squares over 24. Coarse triangles bulge
// by nothing: they are touched themselves.
func (b *body) bulges(coarse []bool) []float64 {
	sum, count := make([]float64, len(b.rest)), make([]float64, len(b.rest))
	for i, t := range b.facets.triangles {
		squares := 0.0
		for k := range 3 {
			squares += b.rest[t[k]].Sub(b.rest[t[(k+1)%3]]).LenSqr()
		}
		for _, node := range t {
			count[node]++
			if coarse == nil || !coarse[i] {
				sum[node] += squares / 24
			}
		}
	}
	for i := range sum {
		sum[i] /= max(count[i], 1)
	}
	return sum
}

// detectRigid finds the contacts of a body with a rigid surface: the nodes of the other body that are near it, and
// where that is coarse, nodes of the surface's mesh near its triangles.
func (w *World) detectRigid(m *bodyPair) {
	p, tool, other := w.direction(m.forward)
	s, pose := m.rigid, &tool.deformed.now
	s.facets = other.facets.tree.Reaching(s.facets[:0], other.deformed.position, tool.rigidSurface.shape, pose.rotation, pose.origin, w.params.DDCTolerance)
	s.nodes = w.nodesOf(s.nodes[:0], s.facets, other.loose, other)
	c := contactPoint{direction: m.forward, kind: onRigidSurface, node: noFeature, triangle: noFeature, mu: w.frictionOf(p)}
	for _, node := range s.nodes {
		c.id = identity(m.forward, onRigidSurface, node/maxFeatures, node%maxFeatures)
		w.nodeOnRigid(c, s, tool, other, node)
	}
	if s.coarse != nil {
		w.rigidOnFacets(m, tool, other)
	}
}

// nodesOf lists the nodes of some facets, and more, ascending.
func (w *World) nodesOf(list, facets, more []int32, b *body) []int32 {
	b.marked.reset()
	for _, facet := range facets {
		list = b.gatherNew(list, b.facets.triangles[facet][:])
	}
	list = append(list, more...)
	slices.Sort(list)
	return list
}

// flatEnough is the greatest bulge, times curvature, that counts: beyond it a triangle is coarse, and a paraboloid is
// no likeness of the surface.
const flatEnough = 0.01

// sameDirection is the cosine of how much a normal may turn while a sticking contact keeps its point of the surface:
// rolling on a ball, that would part from the closest one by a thousandth of its radius.
const sameDirection = 1 - 1e-3

// nodeOnRigid makes a node touch the surface. Where that is round, the triangles around the node would be inside it if
// the node lay on it; so the node stays outside by what they would be on average. Without that the force on a sphere
// falls short by as much as if it were held higher by that length.
func (w *World) nodeOnRigid(c contactPoint, s *rigidPair, tool, other *body, node int32) {
	pose := &tool.deformed.now
	x := other.at(node)
	local := pose.rotation.Transpose().Mul3x1(x.Sub(pose.origin))
	q, n, d := tool.rigidSurface.shape.Closest(local)
	if !(d <= w.params.DDCTolerance) {
		return
	}
	if f := tool.rigidSurface.solid; f != nil {
		k := f.MeanCurvature(q)
		if bulge := s.bulge[node] * k; bulge*k < flatEnough {
			q = q.Add(n.Mul(bulge))
		}
	}
	c.p, c.q = side{point: q}, nodeSide(node)
	towards := pose.rotation.Mul3x1(n).Mul(-1)
	m := w.memory.get(c.id)
	if m != nil {
		towards = w.steady(towards, &m.facing)
	}
	c.set(towards)
	c.offset = c.across(tool.pointOf(&c.p).Sub(x))
	// what sticks stays on the point of the surface that it stuck to
	if m != nil && m.stuck && w.given.anchored && pose.rotation.Mul3x1(m.n).Dot(c.n) > sameDirection {
		stuck := side{point: m.point}
		if tool.pointOf(&stuck).Sub(x).LenSqr() <= w.params.DDCTolerance*w.params.DDCTolerance {
			c.p, c.offset = stuck, m.offset
		}
	}
	w.contacts = append(w.contacts, c)
}

// rigidOnFacets makes nodes of the surface's mesh touch triangles that are coarse there. The closest points of a
// surface that is round would be exact, and few; but they wander over a large triangle as it tilts under them, and the
// force with them, by a tenth and more from step to step. Many points that stay where they are on the tool share the
// force steadily.
//
// A ridge of coarse tissue, such as the rim of a lobe, would fit between those points, half their distance deep: its
// edges meet those of the surface's mesh.
func (w *World) rigidOnFacets(m *bodyPair, tool, other *body) {
	p, f := &w.directions[m.forward], tool.rigidSurface
	nodes, tolerance := f.nodes, w.params.DDCTolerance
	if len(nodes) == len(tool.region) && len(nodes) > fewNodes {
		w.close = tool.facets.tree.Near(w.close[:0], tool.deformed.position, other.facets.tree, other.deformed.position, captureOthers*tolerance)
		nodes = w.candidates(p, tool, 0)
	}
	first := len(w.contacts)
	w.detectNodes(m.forward, nodes, false)
	kept := w.contacts[:first]
	for _, c := range w.contacts[first:] {
		fine := !m.rigid.coarse[c.triangle]
		if f.detail == 0 {
			fine = !(other.longestOf(c.triangle) > tool.spacing[c.node])
		}
		memory := &p.memory[c.node]
		if fine {
			*memory = nodeMemory{}
			continue
		}
		memory.contact = int32(len(kept))
		kept = append(kept, c)
	}
	w.contacts = kept
	if !m.edges {
		return
	}
	w.close = w.close[:0]
	if w.ridgesOnRigid(m.rigid, tool, other) { // new contacts of edges are no farther apart
		w.close = tool.facets.tree.NearSome(w.close, tool.deformed.position, other.facets.tree, other.deformed.position, m.rigid.facets, w.edgeReach(tool, other))
	}
	w.detectEdges(m, w.close)
}

// ridge is the cosine of how much coarse tissue turns at least at an edge that is new to those of the surface's mesh:
// 10 degrees. One that turns by less reaches in between two nodes of the mesh by less than a twentieth of their
// distance.
const ridge = 0.985

// ridgesOnRigid keeps of the facets within reach of a rigid surface those that are coarse and have a ridge there,
// ascending, and tells whether there are any.
func (w *World) ridgesOnRigid(s *rigidPair, tool, other *body) bool {
	kept, reach := s.facets[:0], w.edgeReach(tool, other)
	for _, facet := range s.facets {
		if !s.coarse[facet] {
			continue
		}
		for _, e := range &other.facets.owned[facet] {
			if e >= 0 && tool.formNear(other, e, reach) && other.cone(e).Turn < ridge {
				kept = append(kept, facet)
				break
			}
		}
	}
	slices.Sort(kept)
	s.facets = kept
	return len(kept) > 0
}

// formNear tells whether an edge of another body may be within reach of the body's surface. The distance along it is
// convex: its slope says on which side of a point the edge is nearest.
func (b *body) formNear(other *body, edge int32, reach float64) bool {
	pose, nodes := &b.deformed.now, &other.facets.edges[edge].Node
	inverse := pose.rotation.Transpose()
	from, to := inverse.Mul3x1(other.at(nodes[0]).Sub(pose.origin)), inverse.Mul3x1(other.at(nodes[1]).Sub(pose.origin))
	const halvings = 6
	for range halvings {
		middle := from.Add(to).Mul(0.5)
		_, n, d := b.rigidSurface.shape.Closest(middle)
		half := to.Sub(middle)
		if !(d > reach) {
			return true
		}
		if d > reach+half.Len() {
			return false
		}
		if n.Dot(half) > 0 {
			to = middle
		} else {
			from = middle
		}
	}
	return true
}
