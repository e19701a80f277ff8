package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// FaceNormal is the unit normal of triangle abc, to the side from which it runs counter-clockwise; zero for a
// degenerate triangle.
func FaceNormal(a, b, c mgl64.Vec3) mgl64.Vec3 {
	n := b.Sub(a).Cross(c.Sub(a))
	l := n.Len()
	if !(l > 0) {
		return mgl64.Vec3{}
	}
	return n.Mul(1 / l)
}

// VertexNormal is the angle-weighted unit normal at a node: the pseudonormal whose sign tells inside from outside there
// (Baerentzen and Aanaes, Signed distance computation using the angle weighted pseudonormal, 2005). around lists the
// triangles that have the node as a corner; without any it is zero.
func VertexNormal(node int32, around []int32, triangles [][3]int32, positions []mgl64.Vec3) mgl64.Vec3 {
	var sum mgl64.Vec3
	for _, id := range around {
		t := &triangles[id]
		p, q := t[1], t[2]
		switch node {
		case t[0]:
		case t[1]:
			p, q = t[2], t[0]
		default:
			p, q = t[0], t[1]
		}
		at, b, c := &positions[node], &positions[p], &positions[q]
		e0, e1, e2 := b[0]-at[0], b[1]-at[1], b[2]-at[2]
		f0, f1, f2 := c[0]-at[0], c[1]-at[1], c[2]-at[2]
		n0, n1, n2 := e1*f2-e2*f1, e2*f0-e0*f2, e0*f1-e1*f0
		if l := math.Sqrt(n0*n0 + n1*n1 + n2*n2); l > 0 {
			by := math.Atan2(l, e0*f0+e1*f1+e2*f2) / l
			sum[0] += n0 * by
			sum[1] += n1 * by
			sum[2] += n2 * by
		}
	}
	if l := sum.Len(); l > 0 {
		return sum.Mul(1 / l)
	}
	return mgl64.Vec3{}
}

// TrianglesAt lists the triangles around each node of a surface, ascending.
func TrianglesAt(nodes int, triangles [][3]int32) [][]int32 {
	around := make([][]int32, nodes)
	for i, t := range triangles {
		for _, node := range t {
			around[node] = append(around[node], int32(i))
		}
	}
	return around
}

// OpenEdges finds the edges that belong to one triangle only, as pairs of nodes in that triangle's order. A closed
// surface has none.
func OpenEdges(triangles [][3]int32) [][2]int32 {
	uses := usesOf(triangles)
	var open [][2]int32
	for _, t := range triangles {
		for k := range 3 {
			if e := [2]int32{t[k], t[(k+1)%3]}; uses[ascending(e)] == 1 {
				open = append(open, e)
			}
		}
	}
	return open
}

func ascending(e [2]int32) [2]int32 { return [2]int32{min(e[0], e[1]), max(e[0], e[1])} }

// usesOf counts the triangles of each edge.
func usesOf(triangles [][3]int32) map[[2]int32]int {
	uses := make(map[[2]int32]int, 3*len(triangles)/2)
	for _, t := range triangles {
		for k := range 3 {
			uses[ascending([2]int32{t[k], t[(k+1)%3]})]++
		}
	}
	return uses
}

// EdgeCone is what a surface does at an edge: which normals it can have there.
type EdgeCone struct {
	Turn   float64       // cosine of the angle between the two faces' normals; 1 where hollow or no true edge
	Hollow float64       // the same where hollow; 1 elsewhere
	Out    mgl64.Vec3    // sum of these normals; 0 at no true edge
	Along  mgl64.Vec3    // unit
	Inside [2]mgl64.Vec3 // within each face, away from the edge: a normal of the edge points along neither
}

// ConeOf is that of an edge along a vector, in the order in which its first face runs, with the unit normals m and n of
// its two faces.
func ConeOf(m, n, along mgl64.Vec3) (c EdgeCone) {
	c.Turn, c.Hollow = 1, 1
	l := along.Len()
	if !(l > 0) || m == (mgl64.Vec3{}) || n == (mgl64.Vec3{}) {
		return c
	}
	c.Along = along.Mul(1 / l)
	c.Inside = [2]mgl64.Vec3{m.Cross(c.Along), c.Along.Cross(n)}
	if c.Inside[0].Dot(n) < 0 { // the first face falls away below the second: no hollow
		c.Turn = m.Dot(n)
	} else {
		c.Hollow = m.Dot(n)
	}
	c.Out = m.Add(n)
	return c
}

// Flat tells that the surface hardly turns at a true edge, by less than a limit, a cosine.
func (c *EdgeCone) Flat(limit float64) bool {
	return c.Out != (mgl64.Vec3{}) && c.Turn > limit && c.Hollow > limit
}

// Allows tells whether n is a normal of the edge, to within slack.
func (c *EdgeCone) Allows(n mgl64.Vec3, slack float64) bool {
	return c.Inside[0].Dot(n) <= slack && c.Inside[1].Dot(n) <= slack
}

// EdgeNormal is the unit normal, out of the second, of two edges of two bodies that cross: perpendicular to both, and
// one of the second edge, and turned round of the first, to within their slacks. Which way it points is decided by the
// faces, not by the gap, so that edges that have passed through each other a little are pushed apart, not together. ok
// is false where there is none, or the sine of the angle between the edges, d1 and d2, is less than parallel.
func EdgeNormal(d1, d2 mgl64.Vec3, first, second *EdgeCone, parallel float64, slack [2]float64) (n mgl64.Vec3, ok bool) {
	n = d1.Cross(d2)
	l := n.Len()
	if !(l > parallel*d1.Len()*d2.Len()) {
		return n, false
	}
	n = n.Mul(1 / l)
	if n.Dot(second.Out) < n.Dot(first.Out) {
		n = n.Mul(-1)
	}
	return n, second.Allows(n, slack[1]) && first.Allows(n.Mul(-1), slack[0])
}
