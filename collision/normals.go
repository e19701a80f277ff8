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
		t := triangles[id]
		k := 0
		for k < 2 && t[k] != node {
			k++
		}
		at := positions[t[k]]
		e, f := positions[t[(k+1)%3]].Sub(at), positions[t[(k+2)%3]].Sub(at)
		n := e.Cross(f)
		if l := n.Len(); l > 0 {
			sum = sum.Add(n.Mul(math.Atan2(l, e.Dot(f)) / l))
		}
	}
	if l := sum.Len(); l > 0 {
		return sum.Mul(1 / l)
	}
	return mgl64.Vec3{}
}

// OpenEdges finds the edges that belong to one triangle only, as pairs of nodes in that triangle's order. A closed
// surface has none.
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
