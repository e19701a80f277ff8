package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Reaching appends to dst the triangles that may have points within reach of a shape: none that has one is left out, a
// few that have none may be there. The frame of the shape stands at origin, turned by rotation. The nodes of these
// triangles are located. Of what is far from the shape nothing is looked at.
func (t *Moving) Reaching(dst []int32, positions []mgl64.Vec3, s Shape, rotation mgl64.Mat3, origin mgl64.Vec3, reach float64) []int32 {
	nodes := t.tree.nodes
	if len(nodes) == 0 {
		return dst
	}
	inverse := rotation.Transpose()
	convex, _ := s.(*Solid)
	around := boxAround(s, &rotation, origin)
	far := func(n *node, slack float64) bool {
		for k := range 3 {
			if n.lo[k]-slack > around.hi[k]+reach || n.hi[k]+slack < around.lo[k]-reach {
				return true
			}
		}
		middle := inverse.Mul3x1(n.lo.Add(n.hi).Mul(0.5).Sub(origin))
		half := n.hi.Sub(n.lo).Mul(0.5)
		if convex == nil {
			return s.AtLeast(middle)-(half.Len()+math.Sqrt(3)*slack)*(2-rounded) > reach
		}
		// all of a convex shape lies behind the plane at the point closest to the middle, and no point of the box is
		// farther before it than its extent along the normal
		_, out, d := convex.Closest(middle)
		out = rotation.Mul3x1(out)
		for k := range 3 {
			d -= math.Abs(out[k]) * (half[k] + slack) * (2 - rounded)
		}
		return d > reach
	}
	return t.within(dst, positions, far)
}

// within appends to dst the triangles in the boxes that are not far, where slack is how much a box may have grown. The
// nodes of these triangles are located.
func (t *Moving) within(dst []int32, positions []mgl64.Vec3, far func(n *node, slack float64) bool) []int32 {
	nodes := t.tree.nodes
	var stack [maxDepth]int32
	top := 1 // stack[0] is the root
	for top > 0 {
		top--
		i := stack[top]
		n := &nodes[i]
		if n.count == 0 && t.stale(i) {
			t.tighten(i)
		}
		if far(n, eager*t.slack(i)) {
			continue
		}
		if n.count == 0 {
			stack[top], stack[top+1] = n.right, i+1
			top += 2
			continue
		}
		t.fit(i, positions)
		if !far(n, 0) {
			dst = append(dst, t.tree.order[n.first:n.first+n.count]...)
		}
	}
	return dst
}

// boxAround a shape in the world, a little wider than need be.
func boxAround(s Shape, rotation *mgl64.Mat3, origin mgl64.Vec3) (b box) {
	lo, hi := s.Bounds()
	middle := rotation.Mul3x1(lo.Add(hi).Mul(0.5)).Add(origin)
	half := hi.Sub(lo).Mul(0.5 * (2 - rounded))
	for k := range 3 {
		h := math.Abs(rotation.At(k, 0))*half[0] + math.Abs(rotation.At(k, 1))*half[1] + math.Abs(rotation.At(k, 2))*half[2]
		b.lo[k], b.hi[k] = middle[k]-h, middle[k]+h
	}
	return b
}
