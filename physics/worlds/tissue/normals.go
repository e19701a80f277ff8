package tissue

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/machinery/unionfind"
)

// creaseAngle is how much the undeformed surface turns at an edge, rad, from which on the edge is sharp on purpose:
// that of a box or an instrument, not of a rounded surface's triangulation.
const creaseAngle = 50 * math.Pi / 180

// findCreases marks the sharp edges of the undeformed surface.
func (f *facets) findCreases(rest []mgl64.Vec3) {
	f.crease, f.creaseNode = make([]bool, len(f.edges)), make([]bool, len(rest))
	normal := func(t int32) mgl64.Vec3 {
		tri := f.triangles[t]
		return collision.FaceNormal(rest[tri[0]], rest[tri[1]], rest[tri[2]])
	}
	for i := range f.edges {
		e := &f.edges[i]
		if e.Face[1] < 0 {
			continue
		}
		m, n := normal(e.Face[0]), normal(e.Face[1])
		if m == (mgl64.Vec3{}) || n == (mgl64.Vec3{}) || !(m.Dot(n) < math.Cos(creaseAngle)) {
			continue
		}
		f.creased, f.crease[i] = true, true
		f.creaseNode[e.Node[0]], f.creaseNode[e.Node[1]] = true, true
	}
}

// vertexNormals are normals of the surface at its nodes, found when first asked for after the body moved: a step needs
// those of a few triangles only.
type vertexNormals struct {
	node   []int32   // at which each normal is; nil: node i for normal i
	around [][]int32 // facets that each one is the mean of
	ring   [][]int32 // their nodes
	normal []mgl64.Vec3
	stamp  []uint32 // of the configuration that normal belongs to
}

func newVertexNormals(nodes int, triangles [][3]int32) vertexNormals {
	v := vertexNormals{around: collision.TrianglesAt(nodes, triangles), normal: make([]mgl64.Vec3, nodes), stamp: make([]uint32, nodes)}
	v.findRings(triangles)
	return v
}

// findRings lists the nodes of the facets around.
func (v *vertexNormals) findRings(triangles [][3]int32) {
	v.ring = make([][]int32, len(v.around))
	for i, around := range v.around {
		for _, t := range around {
			for _, node := range triangles[t] {
				if !slices.Contains(v.ring[i], node) {
					v.ring[i] = append(v.ring[i], node)
				}
			}
		}
	}
}

// normalAt is the i-th of v, angle-weighted, of unit length.
func (b *body) normalAt(v *vertexNormals, i int32) mgl64.Vec3 {
	if v.stamp[i] != b.deformed.state {
		v.stamp[i] = b.deformed.state
		for _, node := range v.ring[i] {
			b.locate(node)
		}
		node := i
		if v.node != nil {
			node = v.node[i]
		}
		v.normal[i] = collision.VertexNormal(node, v.around[i], b.facets.triangles, b.deformed.position)
	}
	return v.normal[i]
}

// vertexNormal is the angle-weighted unit normal at a surface node.
func (b *body) vertexNormal(node int32) mgl64.Vec3 { return b.normalAt(&b.normals, node) }

// cornerNormals are the normals that are interpolated over a facet. A node on a crease has several: one for each side.
type cornerNormals struct {
	of     [][3]int32 // for each facet's corners: which of normals; nil: those of the nodes
	normal vertexNormals
}

// newCornerNormals groups the facets around each node by the creases between them. A surface without creases needs no
// groups.
func newCornerNormals(f *facets, nodes *vertexNormals) cornerNormals {
	if !f.creased {
		return cornerNormals{}
	}
	group := unionfind.New(3 * len(f.triangles)) // of corners 3 t + k
	corner := func(t, node int32) int32 {
		for k, n := range f.triangles[t] {
			if n == node {
				return 3*t + int32(k)
			}
		}
		panic("physics: an edge's triangle does not have its node")
	}
	for i := range f.edges {
		e := &f.edges[i]
		if e.Face[1] < 0 || f.crease[i] {
			continue
		}
		for _, node := range e.Node {
			group.Join(corner(e.Face[0], node), corner(e.Face[1], node))
		}
	}
	c := cornerNormals{of: make([][3]int32, len(f.triangles))}
	number := map[int32]int32{}
	for t, tri := range f.triangles {
		for k, node := range tri {
			root := group.Find(int32(3*t + k))
			if !f.creaseNode[node] { // one normal, whatever the triangles around it look like
				root = -1 - node
			}
			id, ok := number[root]
			if !ok {
				id = int32(len(number))
				number[root] = id
				c.normal.node = append(c.normal.node, node)
				c.normal.around = append(c.normal.around, nil)
				if root < 0 {
					c.normal.around[id] = nodes.around[node]
				}
			}
			if root >= 0 {
				c.normal.around[id] = append(c.normal.around[id], int32(t))
			}
			c.of[t][k] = id
		}
	}
	c.normal.findRings(f.triangles)
	c.normal.normal, c.normal.stamp = make([]mgl64.Vec3, len(number)), make([]uint32, len(number))
	return c
}

// smoothNormal is the normal at a point of a facet, interpolated between its corners; the length tells how much these
// agree.
func (b *body) smoothNormal(facet int32, weights *[3]float64) (n mgl64.Vec3) {
	for k, node := range b.facets.triangles[facet] {
		if weights[k] == 0 {
			continue
		}
		if b.smooth.of != nil {
			n = n.Add(b.normalAt(&b.smooth.normal, b.smooth.of[facet][k]).Mul(weights[k]))
		} else {
			n = n.Add(b.vertexNormal(node).Mul(weights[k]))
		}
	}
	return n
}

// A node that slides over a crease meets one face before, the other after, and between them the crease, where any
// direction between the faces' normals keeps the bodies apart. Which it is, the contact takes from both bodies, so that
// its normal turns and does not jump: as the node comes within a small radius of the crease, the face's normal gives
// way to the node's own, turned round, as far as the crease has such a normal; and to the direction in which the node
// lies where it hangs above. Without that a node would catch on the faces of a ridge that it could slide over.
//
// roundCrease gives that radius, as a share of the DDC tolerance and of the facet's size.
const roundCrease = 0.25

// roundOff gives the normal of a contact with a facet that is near a crease of the body: n elsewhere, the facet's. The
// contact is that of a node of the body a.
func (b *body) roundOff(n mgl64.Vec3, facet int32, weights *[3]float64, a *body, node int32, radius float64) mgl64.Vec3 {
	f := b.facets
	t := &f.triangles[facet]
	if !(f.creaseNode[t[0]] || f.creaseNode[t[1]] || f.creaseNode[t[2]]) {
		return n
	}
	x, y, z := b.corners(facet)
	corner := [3]mgl64.Vec3{x, y, z}
	double := y.Sub(x).Cross(z.Sub(x)).Len() // twice the area
	radius = min(radius, roundCrease*math.Sqrt(double))
	distance, edge, vertex := radius, int32(-1), int32(-1)
	for k := range 3 {
		if e := f.sides[facet][k]; e >= 0 && f.crease[e] {
			if h := weights[(k+2)%3] * double / corner[(k+1)%3].Sub(corner[k]).Len(); h < distance {
				distance, edge = h, e
			}
		}
	}
	q := x.Mul(weights[0]).Add(y.Mul(weights[1])).Add(z.Mul(weights[2]))
	for k := range 3 {
		if f.creaseNode[t[k]] && (edge < 0 || weights[k] == 1) {
			if h := q.Sub(corner[k]).Len(); h < distance || weights[k] == 1 {
				distance, vertex = h, t[k]
			}
		}
	}
	var between mgl64.Vec3
	switch {
	case !(distance < radius):
	case vertex >= 0:
		between = b.betweenEdges(vertex, a.vertexNormal(node).Mul(-1))
	case edge >= 0:
		between = b.betweenFaces(edge, a.vertexNormal(node).Mul(-1))
	}
	if between == (mgl64.Vec3{}) {
		return n
	}
	share := distance / radius
	m := n.Mul(share).Add(between.Mul(1 - share)).Mul(radius)
	if d := a.at(node).Sub(q); d.Dot(m) > 0 {
		m = m.Add(d)
	}
	if l := m.Len(); l > 0 {
		return m.Mul(1 / l)
	}
	return n
}

// betweenFaces is the normal of an edge that is closest to m; zero where the edge is hollow and has none.
func (b *body) betweenFaces(edge int32, m mgl64.Vec3) mgl64.Vec3 {
	c := b.shapeOfEdge(edge)
	if c.Turn == 1 {
		return mgl64.Vec3{}
	}
	m = m.Sub(c.Along.Mul(c.Along.Dot(m)))
	for _, inside := range c.Inside {
		if s := inside.Dot(m); s > 0 {
			m = m.Sub(inside.Mul(s))
		}
	}
	if !(m.Dot(c.Out) > 0.2*c.Out.Len()) {
		m = c.Out
	}
	if l := m.Len(); l > 0 {
		return m.Mul(1 / l)
	}
	return mgl64.Vec3{}
}

// betweenEdges is a normal of a node on a crease that is close to m: one that points along none of the edges there.
// That is m itself, else the best of those of the creases that meet in the node; the node's mean normal where none of
// these will do.
func (b *body) betweenEdges(node int32, m mgl64.Vec3) mgl64.Vec3 {
	if b.isNormal(node, m) {
		return m
	}
	best, found := -1.0, mgl64.Vec3{}
	for _, t := range b.normals.around[node] {
		for _, e := range &b.facets.sides[t] {
			if e < 0 || !b.facets.crease[e] {
				continue
			}
			if ends := b.facets.edges[e].Node; ends[0] != node && ends[1] != node {
				continue
			}
			n := b.betweenFaces(e, m)
			if s := n.Dot(m); s > best && b.isNormal(node, n) {
				best, found = s, n
			}
		}
	}
	if best > -1 {
		return found
	}
	return b.vertexNormal(node)
}

// isNormal tells whether n points along no edge at a node, by more than a little.
func (b *body) isNormal(node int32, n mgl64.Vec3) bool {
	if n == (mgl64.Vec3{}) {
		return false
	}
	const little = 0.02
	x := b.at(node)
	for _, t := range b.normals.around[node] {
		for _, other := range &b.facets.triangles[t] {
			if e := b.at(other).Sub(x); e.Dot(n) > little*e.Len() {
				return false
			}
		}
	}
	return true
}
