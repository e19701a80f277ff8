package collision

import "github.com/go-gl/mathgl/mgl64"

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
