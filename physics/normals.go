package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

// creaseAngle is how much the undeformed surface turns at an edge, rad, from
// which on the edge is sharp on purpose: that of a box or an instrument, not of
// a rounded surface's triangulation.
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

// vertexNormals are normals of the surface at its nodes, found when first asked
// for after the body moved: a step needs those of a few triangles only.
type vertexNormals struct {
	node   []int32   // at which each normal is; nil: node i for normal i
	around [][]int32 // facets that each one is the mean of
	normal []mgl64.Vec3
	stamp  []uint32 // of the shape that normal belongs to
}

func newVertexNormals(nodes int, triangles [][3]int32) vertexNormals {
	v := vertexNormals{around: make([][]int32, nodes), normal: make([]mgl64.Vec3, nodes), stamp: make([]uint32, nodes)}
	for i, t := range triangles {
		for _, node := range t {
			v.around[node] = append(v.around[node], int32(i))
		}
	}
	return v
}

// normalAt is the i-th of v, angle-weighted, of unit length.
func (b *body) normalAt(v *vertexNormals, i int32) mgl64.Vec3 {
	if v.stamp[i] != b.shape.state {
		v.stamp[i] = b.shape.state
		for _, t := range v.around[i] {
			b.corners(t)
		}
		node := i
		if v.node != nil {
			node = v.node[i]
		}
		v.normal[i] = collision.VertexNormal(node, v.around[i], b.facets.triangles, b.shape.position)
	}
	return v.normal[i]
}

// vertexNormal is the angle-weighted unit normal at a surface node.
func (b *body) vertexNormal(node int32) mgl64.Vec3 { return b.normalAt(&b.normals, node) }

// cornerNormals are the normals that are interpolated over a facet. A node on a
// crease has several: one for each side.
type cornerNormals struct {
	of     [][3]int32 // for each facet's corners: which of normals; nil: those of the nodes
	normal vertexNormals
}

// newCornerNormals groups the facets around each node by the creases between
// them. A surface without creases needs no groups.
func newCornerNormals(f *facets, nodes *vertexNormals) cornerNormals {
	if !f.creased {
		return cornerNormals{}
	}
	group := make([]int32, 3*len(f.triangles)) // union-find over corners 3 t + k
	for i := range group {
		group[i] = int32(i)
	}
	find := func(i int32) int32 {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
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
			x, y := find(corner(e.Face[0], node)), find(corner(e.Face[1], node))
			group[max(x, y)] = min(x, y)
		}
	}
	c := cornerNormals{of: make([][3]int32, len(f.triangles))}
	number := map[int32]int32{}
	for t, tri := range f.triangles {
		for k, node := range tri {
			root := find(int32(3*t + k))
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
	c.normal.normal, c.normal.stamp = make([]mgl64.Vec3, len(number)), make([]uint32, len(number))
	return c
}

// smoothNormal is the normal at a point of a facet, interpolated between its
// corners; the length tells how much these agree.
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

// creaseNormal is the mean normal at a point that lies on a crease, of unit
// length; ok is false elsewhere.
func (b *body) creaseNormal(facet int32, weights *[3]float64) (n mgl64.Vec3, ok bool) {
	f := b.facets
	t := &f.triangles[facet]
	for k := range 3 {
		first, second, zero := weights[k] != 0, weights[(k+1)%3] != 0, weights[(k+2)%3] == 0
		switch {
		case !zero || !first:
		case second:
			e := f.sides[facet][k]
			if e < 0 || !f.crease[e] {
				return n, false
			}
			face := f.edges[e].Face
			n = collision.FaceNormal(b.corners(face[0])).Add(collision.FaceNormal(b.corners(face[1])))
			l := n.Len()
			return n.Mul(1 / l), l > 1e-3
		case f.creaseNode[t[k]]:
			n = b.vertexNormal(t[k])
			return n, n != mgl64.Vec3{}
		}
	}
	return n, false
}

// roundCrease is how far from a crease, as a share of the DDC tolerance, the
// normal of a contact with it has come from where it was to where the node is.
const roundCrease = 0.1

// turnOnCrease gives the normal of a contact of a node at P with a point Q on a
// crease, where any direction between the sides' normals keeps the bodies apart.
// That is the direction from Q to P; as P comes close and it says nothing, the
// contact keeps its last normal, at first the mean one of the crease. So the
// normal turns with a node that slides over the crease, and does not jump.
func turnOnCrease(d, mean, last mgl64.Vec3, tolerance float64) mgl64.Vec3 {
	if !(last.Dot(mean) > 0.1) {
		last = mean
	}
	if d.Dot(mean) < 0 {
		d = d.Mul(-1) // P is inside
	}
	n := d.Add(last.Mul(roundCrease * tolerance))
	if l := n.Len(); l > 0 && !math.IsInf(l, 1) {
		return n.Mul(1 / l)
	}
	return last
}
