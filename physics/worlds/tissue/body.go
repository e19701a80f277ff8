package tissue

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/flex"
)

// body is one solid: what it is made of, and how it is deformed now.
//
// Elastic displacements u are total, from the undeformed body, in the body's own frame: the global corotational
// approach (1.8), U = U_rigid + R u.
type body struct {
	info    physics.SurfaceInfo
	density float64    // kg/m^3
	gravity mgl64.Vec3 // world, m/s^2
	mesh    *mesh.Mesh
	fixed   []int32      // mesh nodes with u = 0
	surface []int32      // mesh node of each surface node
	rest    []mgl64.Vec3 // surface nodes, body frame, m

	region []int32     // surface nodes that may touch another body
	facets *facets     // triangles that may be touched, and their box tree
	links  []flex.Link // where this step's contacts hold on to this body
	active activeNodes // the surface nodes under those contacts, numbered from 0
	slots  []int32     // their places in the patch of the compliance
	rowsOf []int32     // and in the compliance itself

	young, poisson float64
	flexibility    flexibility // empty for a rigid body, and for one whose first compliance is being computed
	apart          bool        // nothing touches it: that compliance is not there yet
	transition     *transition // on the way to another elasticity; else nil
	grasp          *grasp      // that holds it; else nil
	plan           *flex.Plan  // of its first factorisation where that had to be looked at before; else nil

	rows         []int32    // of each surface node: its place in the compliance, -1 without; nil: the same
	chosen       []int32    // the surface nodes of the compliance where that is not of all
	pose         frame.Pose // that the stylus gives it; the rest follows at the end of the step
	rotation     mgl64.Mat3 // of pose
	load         mgl64.Vec3 // own weight in that pose, acceleration over E, body frame, m/s^2/Pa; zero without
	force        []float64  // 3 an active node, contact forces over E, body frame, N/Pa
	deformed     deformed
	normals      vertexNormals // at the surface nodes
	smooth       cornerNormals // at the facets' corners, not smoothed over creases
	loose        []int32       // nodes of region that are no corner of a facet
	strains      strains
	marked       marks         // workspace of World.candidates: surface nodes
	longest      float64       // edge of a facet, at rest, m
	spacing      []float64     // length of the shortest edge at each surface node, at rest, m; nil unless detection needs it
	rigidSurface *rigidSurface // how others touch a rigid body, where that is not by its mesh
	radius       float64       // of the sphere about the frame origin that holds the body at rest, m

	low, high mgl64.Vec3 // of the box that does, body frame, m
}

// flexibility is what a step needs to know of an elastic body: K^-1 restricted to the surface, at E = 1 Pa.
type flexibility struct {
	compliance *flex.Compliance
	factor     *lazyFactor  // for what only the eye needs, off the physics goroutine
	weight     [3][]float64 // surface displacements under an acceleration of 1 m/s^2 along each body axis at E = 1 Pa; nil without gravity
	heaviest   [3]float64   // the longest of each
	poisson    float64
	soft       []float64   // of each surface node that may touch: it moves no farther than soft * sqrt(f^T C f) under forces f; see flex.SelfCompliance
	softest    float64     // the largest of these
	share      []float64   // of the softest
	transition *transition // on the way from another elasticity; else nil
}

func (f *flexibility) elastic() bool { return f.compliance != nil }

// material of the body as it is now.
func (b *body) material() fem.Material {
	return fem.Material{Young: b.young, Poisson: b.poisson, Density: b.density}
}

// marks are a set of small numbers that is emptied at once.
type marks struct {
	stamp []uint32
	now   uint32
}

func newMarks(n int) marks { return marks{make([]uint32, n), 1} }

func (m *marks) reset() {
	if m.now++; m.now == 0 { // wrapped around: old stamps could match again
		clear(m.stamp)
		m.now = 1
	}
}

func (m *marks) has(i int32) bool { return m.stamp[i] == m.now }

// take marks a number, and tells that it was not.
func (m *marks) take(i int32) bool {
	if m.stamp[i] == m.now {
		return false
	}
	m.stamp[i] = m.now
	return true
}

// activeNodes numbers the few surface nodes that contacts hold on to.
type activeNodes struct {
	marks
	nodes []int32
	slot  []int32 // of each marked surface node
}

func newActiveNodes(surfaceNodes int) activeNodes {
	return activeNodes{newMarks(surfaceNodes), make([]int32, 0, surfaceNodes), make([]int32, surfaceNodes)}
}

func (a *activeNodes) reset() {
	a.nodes = a.nodes[:0]
	a.marks.reset()
}

// add returns the number of a node, giving it the next one when it is new.
func (a *activeNodes) add(node int32) int32 {
	if a.take(node) {
		a.slot[node] = int32(len(a.nodes))
		a.nodes = append(a.nodes, node)
	}
	return a.slot[node]
}

// find returns the number of a node that has one.
func (a *activeNodes) find(node int32) (slot int32, ok bool) {
	return a.slot[node], a.has(node)
}

// facets are the triangles of a body that may be touched.
type facets struct {
	triangles [][3]int32 // in surface nodes
	tree      *collision.Moving
	edges     []collision.Edge
	sides     [][3]int32 // of each triangle: its edges, from corner k to k+1
	owned     [][3]int32 // those that belong to it; see collision.Edges
	// Open edges of the contact region: bit k of openEdge is the edge from corner k to k+1, bit 3+k is corner k. A
	// closed surface has none.
	openEdge []uint8
	// Creases are edges, and the nodes they end in, where the undeformed surface turns by more than creaseAngle: no
	// normal is smoothed over them.
	crease     []bool     // of each edge
	creaseNode []bool     // of each surface node
	creased    bool       // there are any
	cones      []edgeCone // of each edge, found when asked for; nil until edges may touch. See body.cone
	spans      []edgeSpan // the same: see body.span
}

func newFacets(triangles [][3]int32, position []mgl64.Vec3, locate func(node int32)) *facets {
	f := &facets{triangles: triangles, tree: collision.NewMoving(triangles, position, locate), openEdge: make([]uint8, len(triangles))}
	f.edges, f.sides, f.owned = collision.Edges(triangles)
	f.findCreases(position)
	corner := map[int32]bool{}
	for i := range f.edges {
		if e := &f.edges[i]; e.Face[0] >= 0 && e.Face[1] < 0 {
			corner[e.Node[0]], corner[e.Node[1]] = true, true
		}
	}
	for i, t := range triangles {
		for k := range 3 {
			if e := f.sides[i][k]; e >= 0 && f.edges[e].Face[0] >= 0 && f.edges[e].Face[1] < 0 {
				f.openEdge[i] |= 1 << k
			}
			if corner[t[k]] {
				f.openEdge[i] |= 8 << k
			}
		}
	}
	return f
}

// onOpenEdge tells whether a point of a triangle lies on the rim of the contact region. Weights below 1e-6 count as
// zero.
func (f *facets) onOpenEdge(triangle int32, w [3]float64) bool {
	const zero = 1e-6
	mask := f.openEdge[triangle]
	for k := range 3 {
		a, b, c := w[k] > zero, w[(k+1)%3] > zero, w[(k+2)%3] > zero
		switch {
		case a && b && !c && mask&(1<<k) != 0:
			return true
		case a && !b && !c && mask&(8<<k) != 0:
			return true
		}
	}
	return false
}

// place moves the undeformed body to a pose.
func (b *body) place(p frame.Pose) {
	turned := p.Rotation != b.pose.Rotation
	b.pose, b.rotation = p, p.Matrix()
	if turned {
		b.weigh()
	}
}

// corners are where those of a facet are, world, m.
func (b *body) corners(facet int32) (p, q, r mgl64.Vec3) {
	t := b.facets.triangles[facet]
	return b.at(t[0]), b.at(t[1]), b.at(t[2])
}

// edge is the length of a facet's first edge, m.
func (b *body) edge(facet int32) float64 {
	p, q, _ := b.corners(facet)
	return q.Sub(p).Len()
}

// applyFlexibility makes f the body's elasticity, at once. Its contact forces stay as they are until the next step.
func (b *body) applyFlexibility(f flexibility) {
	bulge := b.deformed.bulge
	b.take(f, 0)
	b.drifted(bulge+b.deformed.bulge, 0)
}

// take makes f the body's elasticity; no node moves farther than moved for that.
func (b *body) take(f flexibility, moved float64) {
	c := &b.deformed
	b.flexibility, b.poisson = f, f.poisson
	b.facets.tree.Share(f.share)
	c.patch.Bind(f.compliance, patchRoom)
	b.press()
	b.reshape(moved)
	b.setYoung(b.young)
}

// reshape begins a configuration of the same forces with another elasticity; no node moves farther than moved for that.
func (b *body) reshape(moved float64) {
	c := &b.deformed
	c.next()
	b.locateAll(c.now.nodes)
	bend, rest := b.flexibility.farthest(b.workOf(&c.now), c.now.load)
	c.bulge = bend + rest
	b.drifted(moved, 0)
}

// setYoung changes E: the compliance only scales, by 1/E.
func (b *body) setYoung(young float64) {
	b.young = young
	b.weigh()
}

// weigh finds the load of the body's own weight for its present E and attitude.
func (b *body) weigh() {
	if b.flexibility.weight[0] != nil {
		b.load = b.pose.InverseVector(b.gravity).Mul(1 / b.young)
	}
}

// restart gives the body the configuration without contact forces in its present pose, known throughout.
func (b *body) restart() {
	c := &b.deformed
	now := &c.now
	now.rotation, now.origin, now.load = b.rotation, b.pose.Position, b.load
	now.nodes, now.rows, now.force = now.nodes[:0], now.rows[:0], now.force[:0]
	c.next()
	clear(c.elastic)
	b.strains.forget()
	if b.flexibility.elastic() {
		b.press()
		_, c.bulge = b.flexibility.farthest(work{}, now.load)
	}
	for i := range b.rest {
		b.settle(int32(i))
	}
	b.facets.tree.Refit(c.position)
}

// sag is a surface node's displacement under the body's own weight.
func (f *flexibility) sag(node int32, load mgl64.Vec3) (u mgl64.Vec3) {
	if load == u {
		return u
	}
	return f.sagging(node, load)
}

func (f *flexibility) sagging(node int32, load mgl64.Vec3) (u mgl64.Vec3) {
	for axis, w := range &f.weight {
		if w != nil {
			at := w[3*node:][:3]
			u[0] += load[axis] * at[0]
			u[1] += load[axis] * at[1]
			u[2] += load[axis] * at[2]
		}
	}
	if f.transition != nil {
		return f.transition.sag(node, load, u)
	}
	return u
}

// solveAllNodes finds the displacements of all nodes by contact forces. It is false while that cannot be done: the
// nodes that cannot be touched then stay at rest.
func (b *body) solveAllNodes(s *configuration, f *flexibility, ws *fillWork) bool {
	if !f.elastic() || len(s.nodes) == 0 {
		return false
	}
	return ws.inside(&bodyLoad{body: b, nodes: s.nodes, force: s.force}, f.factor.solve)
}
