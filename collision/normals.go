package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// FaceNormal is the unit normal of triangle abc, to the side from which it
// runs counter-clockwise; zero for a degenerate triangle.
func FaceNormal(a, b, c mgl64.Vec3) mgl64.Vec3 {
	n := b.Sub(a).Cross(c.Sub(a))
	l := n.Len()
	if !(l > 0) {
		return mgl64.Vec3{}
	}
	return n.Mul(1 / l)
}

// VertexNormals fills dst, one entry a position, with angle-weighted unit
// normals: the pseudonormals whose sign tells inside from outside at a vertex
// (Baerentzen and Aanaes, Signed distance computation using the angle weighted
// pseudonormal, 2005). Nodes of no triangle get zero.
func VertexNormals(dst []mgl64.Vec3, triangles [][3]int32, positions []mgl64.Vec3) {
	clear(dst)
	for _, tri := range triangles {
		n := FaceNormal(positions[tri[0]], positions[tri[1]], positions[tri[2]])
		for k := range 3 {
			e := positions[tri[(k+1)%3]].Sub(positions[tri[k]])
			f := positions[tri[(k+2)%3]].Sub(positions[tri[k]])
			if l := e.Len() * f.Len(); l > 0 {
				angle := math.Acos(min(1, max(-1, e.Dot(f)/l)))
				dst[tri[k]] = dst[tri[k]].Add(n.Mul(angle))
			}
		}
	}
	for i, n := range dst {
		if l := n.Len(); l > 0 {
			dst[i] = n.Mul(1 / l)
		}
	}
}

// OpenEdges finds the edges that belong to one triangle only, as pairs of
// nodes in that triangle's order. A closed surface has none.
func OpenEdges(triangles [][3]int32) [][2]int32 {
	uses := make(map[[2]int32]int, 3*len(triangles)/2)
	key := func(i, j int32) [2]int32 { return [2]int32{min(i, j), max(i, j)} }
	for _, t := range triangles {
		for k := range 3 {
			uses[key(t[k], t[(k+1)%3])]++
		}
	}
	var open [][2]int32
	for _, t := range triangles {
		for k := range 3 {
			if i, j := t[k], t[(k+1)%3]; uses[key(i, j)] == 1 {
				open = append(open, [2]int32{i, j})
			}
		}
	}
	return open
}
