package finitestrain

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

// hinge is an edge of the surface as a body may fold about it: the node of one of its triangles, the one that is nearer
// to the edge at rest, must stay before the plane of the other. Triangles that share an edge are too near to each other
// for other rows to tell which side is which.
type hinge struct {
	node       int32 // of own that is not on the edge
	own, other int32 // triangles
	rest       bool  // the node is before the plane, or in it, at rest
	held, now  bool  // it was before it in the last equilibrium, and at the last look
	closes     bool  // and there is a row
}

// hingeSlack is how far a node is behind a plane, over the edge's length, and yet before it: what is flat at rest may
// fold either way, but nothing bends round its own tissue at once.
const hingeSlack = 1e-3

// hinges are all of a surface whose nodes may move.
func hinges(edges []collision.Edge, triangles [][3]int32, x []mgl64.Vec3, free func(node int32) bool) (all []hinge) {
	for i := range edges {
		a, b := edges[i].Face[0], edges[i].Face[1]
		if b < 0 {
			continue
		}
		from, to := x[edges[i].Node[0]], x[edges[i].Node[1]]
		far := func(t int32) (node int32, height float64) {
			for _, n := range triangles[t] {
				if n != edges[i].Node[0] && n != edges[i].Node[1] {
					node = n
				}
			}
			return node, x[node].Sub(from).Cross(to.Sub(from)).LenSqr()
		}
		h := hinge{own: a, other: b}
		n, nearA := far(a)
		m, nearB := far(b)
		if h.node = n; nearB < nearA {
			h.node, h.own, h.other = m, b, a
		}
		if free(h.node) {
			c := triangles[h.other]
			h.rest = x[h.node].Sub(x[c[0]]).Dot(collision.FaceNormal(x[c[0]], x[c[1]], x[c[2]])) > -hingeSlack*to.Sub(from).Len()
			all = append(all, h)
		}
	}
	return all
}

// row is a hinge's, where it is folded by more than a right angle to the side on which the node was before. Nothing
// else folds so far in a step.
func (h *hinge) row(s *itself) (row liveRow, ok bool) {
	a, b := s.triangles[h.own], s.triangles[h.other]
	normal := s.at[b[1]].Sub(s.at[b[0]]).Cross(s.at[b[2]].Sub(s.at[b[0]]))
	own := s.at[a[1]].Sub(s.at[a[0]]).Cross(s.at[a[2]].Sub(s.at[a[0]]))
	p := s.at[h.node]
	gap := p.Sub(s.at[b[0]]).Dot(normal)
	ok = own.Dot(normal) < 0 && (gap > 0 || h.held)
	if h.now = gap > 0 || ok; !ok {
		return row, false
	}
	size := normal.Len()
	w := onPlane(p, s.at[b[0]], s.at[b[1]], s.at[b[2]])
	row = liveRow{own: true, gap: gap / size, spot: spot{[4]int32{h.node, b[0], b[1], b[2]}, [4]float64{1, -w[0], -w[1], -w[2]}}}
	row.frame[0] = normal.Mul(1 / size)
	return row, true
}

// onPlane is the place of a triangle's plane that is closest to p, by the corners' shares, which may be below 0.
func onPlane(p, a, b, c mgl64.Vec3) [3]float64 {
	n := b.Sub(a).Cross(c.Sub(a))
	v := p.Sub(a).Cross(c.Sub(a)).Dot(n) / n.LenSqr()
	w := b.Sub(a).Cross(p.Sub(a)).Dot(n) / n.LenSqr()
	return [3]float64{1 - v - w, v, w}
}
