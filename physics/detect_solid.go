package physics

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/scene"
)

// form is the surface of a rigid body as others touch it where that is not its
// mesh: a closed form, or the signed distance of the mesh. Its frame is the body's.
type form struct {
	shape collision.Shape
	solid *collision.Solid // the same, of a closed form
	// What the triangles of the other body meet where they are coarse: of a sphere
	// or capsule the points and segments that it is round about, else nodes of the
	// body's mesh.
	round    float64 // the radius, m
	points   []mgl64.Vec3
	segments [][2]mgl64.Vec3
	nodes    []int32
	detail   float64 // triangles with no edge longer than this are fine, m; 0: than the edges at the node
}

// How much coarser than a form's rounding a surface may be and still be touched
// by its nodes alone: over an edge as long as half the radius, a sphere sinks
// between the nodes by a thirtieth of the radius; under a triangle, the middle is
// a little farther from them.
const (
	fineTriangle = 1. / 3
	fineEdge     = 1. / 2
)

// leastRounding of a box's or cylinder's edges, as a share of the shortest
// extent: normals of contacts turn about an edge and do not jump.
const leastRounding = 1. / 50

// takeForm gives a rigid body the form that its scene asks for.
func (b *body) takeForm(solid *scene.Solid, smooth bool) {
	switch {
	case solid.Solid != nil:
		lo, hi := solid.Solid.Bounds()
		d := hi.Sub(lo)
		blunt := solid.Solid.Blunt(leastRounding * min(d[0], d[1], d[2]))
		f := &form{shape: blunt, solid: blunt, round: blunt.Round, detail: fineTriangle * blunt.Round}
		f.points, f.segments = blunt.Skeleton()
		for i, x := range b.rest {
			if blunt.OnRidge(x) {
				f.nodes = append(f.nodes, int32(i))
			}
		}
		b.form, b.low, b.high = f, lo, hi
	case solid.Field != nil:
		f := &form{shape: solid.Field, nodes: b.region}
		if smooth {
			f.shape = solid.Field.Smoothed()
		}
		b.measureSpacing()
		b.form = f
	}
}

// formMeeting is what meeting a body with a form takes: P is on that body, Q on
// the other.
type formMeeting struct {
	coarse []bool // facets of the other body with an edge above the form's detail; nil: none
	// bulge of each of its nodes times the form's mean curvature is how far flat
	// triangles are from the form on average where they touch it at their nodes, m^2.
	bulge  []float64
	facets []int32 // workspace: facets within reach, and their nodes
	nodes  []int32
}

// facetPoint is a point of a facet.
type facetPoint struct {
	facet   int32
	weights [3]float64
	corners int     // weights that are not 0
	dist2   float64 // to what it was asked for
}

// meetForm makes two bodies meet by the form of one of them, the impactor.
func (w *World) meetForm(m *meeting, tool, other *body) {
	f := tool.form
	m.form = &formMeeting{
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
		m.form.coarse = coarse
	}
	if len(f.points) == 0 {
		coarse = nil
	}
	m.form.bulge = other.bulges(coarse)
	w.forms.reserve(maxReserved)
	w.nextForms.reserve(maxReserved)
}

// longestOf a facet's edges, at rest, m.
func (b *body) longestOf(facet int32) (longest float64) {
	t := &b.facets.triangles[facet]
	for k := range 3 {
		longest = max(longest, b.rest[t[k]].Sub(b.rest[t[(k+1)%3]]).Len())
	}
	return longest
}

// bulges are of each surface node the mean over the triangles around it of how
// far a paraboloid of mean curvature 1 is below the triangle on average whose
// corners lie on it: the sum of the edges' squares over 24. Coarse triangles
// bulge by nothing: they are touched themselves.
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

// formMemory is what a contact with a form remembers: both material points, and
// how far apart they were along the surface when they did not slip.
type formMemory struct {
	stuck  bool
	p, q   side
	n      mgl64.Vec3 // tool frame
	offset [2]float64
	force  mgl64.Vec3 // world, N
}

// What meets what, in the identity of a contact with a form.
const (
	nodeOnForm uint64 = iota // a node of the other body
	pointOnFacet
	segmentOnEdge
)

// formIdentity is that of a contact of a node; or of a point or segment of the
// form, below 2^16, and a facet or edge, below 2^24.
func formIdentity(pair int32, what uint64, part, feature int32) uint64 {
	return uint64(pair)<<44 | uint64(withForm)<<42 | what<<40 | uint64(part)<<24 | uint64(feature)
}

// detectForm finds the contacts of a body with a form: the nodes of the other
// body that are near it, and where that is coarse, the form's points, segments
// and nodes near its triangles and edges.
func (w *World) detectForm(m *meeting) {
	p, s := &w.pairs[m.forward], m.form
	tool, other := w.bodies[p.impactor], w.bodies[p.obstacle]
	pose := &tool.shape.now
	s.facets = other.facets.tree.Reaching(s.facets[:0], other.shape.position, tool.form.shape, pose.rotation, pose.origin, w.params.DDCTolerance)
	s.nodes = w.nodesOf(s.nodes[:0], s.facets, other.loose, other)
	c := contactPoint{pair: m.forward, kind: withForm, node: noFeature, triangle: noFeature, mu: w.frictionOf(p)}
	for _, node := range s.nodes {
		c.id = formIdentity(m.forward, nodeOnForm, node>>24, node&(1<<24-1))
		w.nodeOnForm(c, s, tool, other, node)
	}
	if s.coarse == nil {
		return
	}
	for i := range tool.form.points {
		w.pointOnFacets(c, s, tool, other, int32(i))
	}
	for i := range tool.form.segments {
		w.segmentOnEdges(c, s, tool, other, int32(i))
	}
	if len(tool.form.nodes) > 0 {
		w.ridgesOnFacets(m, tool, other)
	}
}

// nodesOf lists the nodes of some facets, and more, ascending.
func (w *World) nodesOf(list, facets, more []int32, b *body) []int32 {
	w.newStamp()
	for _, facet := range facets {
		for _, node := range &b.facets.triangles[facet] {
			if b.marked[node] != w.stamp {
				b.marked[node] = w.stamp
				list = append(list, node)
			}
		}
	}
	list = append(list, more...)
	slices.Sort(list)
	return list
}

// sameWay is the cosine between the outward normals of two surfaces above which
// they do not face each other: what is near lies behind, through a thin body.
const sameWay = 0.2

// flatEnough is the greatest bulge, times curvature, that counts: beyond it a
// triangle is coarse, and a paraboloid is no likeness of the form.
const flatEnough = 0.01

// nodeOnForm makes a node touch the form. Where the form is round, the triangles
// around the node would be inside it if the node lay on it; so the node stays
// outside by what they would be on average. Without that the force on a sphere
// falls short by as much as if it were held higher by that length.
func (w *World) nodeOnForm(c contactPoint, s *formMeeting, tool, other *body, node int32) {
	pose := &tool.shape.now
	x := other.at(node)
	local := pose.rotation.Transpose().Mul3x1(x.Sub(pose.origin))
	q, n, d := tool.form.shape.Closest(local)
	if !(d <= w.params.DDCTolerance) {
		return
	}
	out := pose.rotation.Mul3x1(n)
	if other.vertexNormal(node).Dot(out) > sameWay {
		return
	}
	if f := tool.form.solid; f != nil {
		k := f.MeanCurvature(q)
		if bulge := s.bulge[node] * k; bulge*k < flatEnough {
			q = q.Add(n.Mul(bulge))
		}
	}
	c.p, c.q = side{point: q}, nodeSide(node)
	w.keep(&c, tool, other, out.Mul(-1))
}

// sameDirection is the cosine of how much a normal may turn while a contact keeps
// its material points: rolling on a ball, they would part from the points that
// are closest by a thousandth of its radius.
const sameDirection = 1 - 1e-3

// keep makes c a contact with the normal n, from the other body to the tool. One
// that sticks stays on its material points.
func (w *World) keep(c *contactPoint, tool, other *body, n mgl64.Vec3) {
	c.axes(n)
	d := tool.pointOf(&c.p).Sub(other.pointOf(&c.q))
	c.offset = [2]float64{d.Dot(c.t1), d.Dot(c.t2)}
	if m := w.forms.get(c.id); m != nil && m.stuck && w.anchored && tool.shape.now.rotation.Mul3x1(m.n).Dot(n) > sameDirection {
		d := tool.pointOf(&m.p).Sub(other.pointOf(&m.q))
		if d.LenSqr() <= w.params.DDCTolerance*w.params.DDCTolerance {
			c.p, c.q, c.offset = m.p, m.q, m.offset
		}
	}
	w.contacts = append(w.contacts, *c)
}

// onFacet is the point of a facet closest to x. Weights that are but rounding
// count as 0.
func (b *body) onFacet(facet int32, x mgl64.Vec3) facetPoint {
	t := facetPoint{facet: facet}
	p, q, r := b.corners(facet)
	t.weights, t.dist2 = collision.ClosestOnTriangle(x, p, q, r)
	for k := range t.weights {
		if t.weights[k] > 1e-9 {
			t.corners++
		} else {
			t.weights[k] = 0
		}
	}
	return t
}

// outward is the pseudonormal at a point of a facet: that of the face, the edge
// or the node there. edge is the edge, -1 elsewhere.
func (b *body) outward(t *facetPoint) (n mgl64.Vec3, edge int32) {
	f := b.facets
	for k := range 3 {
		if t.corners == 1 && t.weights[k] != 0 {
			return b.vertexNormal(f.triangles[t.facet][k]), -1
		}
		if t.corners == 2 && t.weights[(k+2)%3] == 0 {
			edge = f.sides[t.facet][k]
			return b.edgeNormal(&f.edges[edge]), edge
		}
	}
	return collision.FaceNormal(b.corners(t.facet)), -1
}

// edgeNormal is the pseudonormal of an edge, not of unit length.
func (b *body) edgeNormal(e *collision.Edge) (n mgl64.Vec3) {
	for _, face := range e.Face {
		if face >= 0 {
			n = n.Add(collision.FaceNormal(b.corners(face)))
		}
	}
	return n
}

// pointOnFacets makes a sphere about a point of the form touch the triangles
// below it: wherever their distance from the point has a minimum that is not at a
// node, and where it may come to have one. Inside the other body it is only the
// closest of all.
func (w *World) pointOnFacets(c contactPoint, s *formMeeting, tool, other *body, point int32) {
	at := tool.form.points[point]
	x := tool.pointOf(&side{point: at})
	round := tool.form.round
	reach := round + w.params.DDCTolerance
	nearest := facetPoint{dist2: math.Inf(1)}
	for _, facet := range s.facets {
		if t := other.onFacet(facet, x); t.dist2 < nearest.dist2 {
			nearest = t
		}
	}
	if math.IsInf(nearest.dist2, 1) {
		return
	}
	out, _ := other.outward(&nearest)
	outside := x.Sub(other.pointAt(&nearest)).Dot(out) >= 0
	for _, facet := range s.facets {
		if !s.coarse[facet] || !outside && facet != nearest.facet {
			continue
		}
		t := other.onFacet(facet, x)
		if t.corners < 2 || !(t.dist2 <= reach*reach) {
			continue
		}
		out, edge := other.outward(&t)
		q := other.pointAt(&t)
		n := x.Sub(q)
		l := n.Len()
		if edge >= 0 && !w.lowest(s, other, &t, edge, x) {
			face := collision.FaceNormal(other.corners(facet))
			h := n.Dot(face)
			if !outside || !other.valley(facet, edge, face) || !(l*l-h*h <= nextDoor*nextDoor*round*round) {
				continue
			}
			n, l, out = face.Mul(h), h, face
		}
		if n.Dot(out) < 0 == outside {
			continue // the far side of a thin body
		}
		if !(l > 1e-9*round) {
			n, l = out, out.Len()
		} else if !outside {
			l = -l
		}
		if n = n.Mul(1 / l); !finiteVector(n) {
			continue
		}
		c.id = formIdentity(c.pair, pointOnFacet, point, facet)
		c.p = side{point: at.Sub(tool.shape.now.rotation.Transpose().Mul3x1(n).Mul(round))}
		c.q = faceSide(other.facets.triangles[facet], t.weights)
		w.keep(&c, tool, other, n)
	}
}

// nextDoor is how far beside a facet at the bottom of a valley a point may be,
// in radii, and still be kept above the facet's plane: it may come over the facet
// in this step, and the plane goes on below what is beside it.
const nextDoor = 0.5

// valley tells whether the surface turns up at an edge of a facet with that
// normal.
func (b *body) valley(facet, edge int32, normal mgl64.Vec3) bool {
	e := &b.facets.edges[edge]
	other := e.Face[0]
	if other == facet {
		other = e.Face[1]
	}
	if other < 0 {
		return false
	}
	foot := b.at(e.Node[0])
	for _, node := range &b.facets.triangles[other] {
		if node != e.Node[0] && node != e.Node[1] {
			d := b.at(node).Sub(foot)
			return d.Dot(normal) > 0.02*d.Len()
		}
	}
	return false
}

func finiteVector(v mgl64.Vec3) bool {
	return !math.IsNaN(v[0]+v[1]+v[2]) && !math.IsInf(v.LenSqr(), 0)
}

// pointAt is where a point of a facet is, world, m.
func (b *body) pointAt(t *facetPoint) mgl64.Vec3 {
	p, q, r := b.corners(t.facet)
	return p.Mul(t.weights[0]).Add(q.Mul(t.weights[1])).Add(r.Mul(t.weights[2]))
}

// lowest tells whether a point on an edge of a facet, the closest to x there, is
// that of the facet on the other side, too, and which of the two facets counts.
func (w *World) lowest(s *formMeeting, b *body, t *facetPoint, edge int32, x mgl64.Vec3) bool {
	face := b.facets.edges[edge].Face
	other := face[0]
	if other == t.facet {
		other = face[1]
	}
	if other < 0 { // a rim
		return !w.dropOverhang
	}
	o := b.onFacet(other, x)
	if o.corners == 3 || o.dist2 < t.dist2-collision.TieTolerance {
		return o.dist2 > t.dist2+collision.TieTolerance
	}
	return !s.coarse[other] || t.facet < other
}

// segmentOnEdges makes a rod about a segment of the form touch the long edges
// that cross below it, where neither's end is closest.
func (w *World) segmentOnEdges(c contactPoint, s *formMeeting, tool, other *body, segment int32) {
	ends := &tool.form.segments[segment]
	round := tool.form.round
	reach := round + w.params.DDCTolerance
	p0, p1 := tool.pointOf(&side{point: ends[0]}), tool.pointOf(&side{point: ends[1]})
	for _, facet := range s.facets {
		for _, edge := range &other.facets.owned[facet] {
			if edge < 0 {
				continue
			}
			e := &other.facets.edges[edge]
			i, j := e.Node[0], e.Node[1]
			if e.Face[1] < 0 && w.dropOverhang || !(other.rest[i].Sub(other.rest[j]).Len() > fineEdge*round) {
				continue
			}
			q0, q1 := other.at(i), other.at(j)
			u, v, ok := crossing(p0, p1, q0, q1)
			if !ok || u == 0 || u == 1 || v == 0 || v == 1 {
				continue
			}
			n := p0.Add(p1.Sub(p0).Mul(u)).Sub(q0.Add(q1.Sub(q0).Mul(v)))
			l := n.Len()
			if !(l <= reach) {
				continue
			}
			n = n.Mul(1 / l)
			if out := other.edgeNormal(e); !(n.Dot(out) > 0) {
				continue // the far side of a thin body, or as deep as the ends would be
			}
			c.id = formIdentity(c.pair, segmentOnEdge, segment, edge)
			axis := ends[0].Mul(1 - u).Add(ends[1].Mul(u))
			c.p = side{point: axis.Sub(tool.shape.now.rotation.Transpose().Mul3x1(n).Mul(round))}
			c.q = edgeSide(e.Node, v)
			w.keep(&c, tool, other, n)
		}
	}
}

// ridgesOnFacets makes nodes of the form's mesh touch triangles that are coarse
// there.
func (w *World) ridgesOnFacets(m *meeting, tool, other *body) {
	p, f := &w.pairs[m.forward], tool.form
	nodes := f.nodes
	if f.detail == 0 && len(nodes) > fewNodes {
		reach := captureOthers * w.params.DDCTolerance
		w.close = tool.facets.tree.Near(w.close[:0], tool.shape.position, other.facets.tree, other.shape.position, reach)
		nodes = w.candidates(p, tool, 0)
	}
	first := len(w.contacts)
	w.detectPair(m.forward, nodes)
	kept := w.contacts[:first]
	for _, c := range w.contacts[first:] {
		fine := !m.form.coarse[c.triangle]
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
}
