package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// ClosestOnTriangle finds the point of triangle abc closest to p, as barycentric weights of a, b and c (all >= 0,
// sum 1) and the squared distance.
//
// The orthogonal projection is taken where all its weights are >= 0; otherwise the closest edge point, edges tried in
// the order ab, bc, ca and a later one taken only when strictly closer. A degenerate triangle counts as its edges, and
// of a thin one the closer of both is taken.
func ClosestOnTriangle(p, a, b, c mgl64.Vec3) (weights [3]float64, dist2 float64) {
	abx, aby, abz := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	acx, acy, acz := c[0]-a[0], c[1]-a[1], c[2]-a[2]
	apx, apy, apz := p[0]-a[0], p[1]-a[1], p[2]-a[2]

	d00 := abx*abx + aby*aby + abz*abz
	d01 := abx*acx + aby*acy + abz*acz
	d11 := acx*acx + acy*acy + acz*acz
	d20 := apx*abx + apy*aby + apz*abz
	d21 := apx*acx + apy*acy + apz*acz

	det := d00*d11 - d01*d01
	if det > thin*d00*d11 {
		v := (d11*d20 - d01*d21) / det
		w := (d00*d21 - d01*d20) / det
		u := 1 - v - w
		if u >= 0 && v >= 0 && w >= 0 {
			x := apx - v*abx - w*acx
			y := apy - v*aby - w*acy
			z := apz - v*abz - w*acz
			return [3]float64{u, v, w}, x*x + y*y + z*z
		}
	}

	s, best := closestOnSegment(p, a, b)
	weights = [3]float64{1 - s, s, 0}
	if s, d := closestOnSegment(p, b, c); d < best {
		best, weights = d, [3]float64{0, 1 - s, s}
	}
	if s, d := closestOnSegment(p, c, a); d < best {
		best, weights = d, [3]float64{s, 0, 1 - s}
	}
	if !(det > thin*d00*d11) {
		if w, d := projectOnThin(p, a, b, c); d < best {
			return w, d
		}
	}
	return weights, best
}

// projectOnThin is the orthogonal projection on a triangle with a small angle or one near 180 degrees, from the corner
// across the longest edge, where that can be helped, and by cross products, which lose half of the digits that det
// does. The distance is infinite where the projection lies outside or is not defined. What rounding leaves of the rest
// does not matter: the edges are near.
func projectOnThin(p, a, b, c mgl64.Vec3) (weights [3]float64, dist2 float64) {
	corner := [3]mgl64.Vec3{a, b, c}
	first, longest := 0, c.Sub(b).LenSqr()
	if l := a.Sub(c).LenSqr(); l > longest {
		first, longest = 1, l
	}
	if l := b.Sub(a).LenSqr(); l > longest {
		first = 2
	}
	second, third := (first+1)%3, (first+2)%3
	e, f, q := corner[second].Sub(corner[first]), corner[third].Sub(corner[first]), p.Sub(corner[first])
	n := e.Cross(f)
	l := n.LenSqr()
	v, w := q.Cross(f).Dot(n)/l, e.Cross(q).Dot(n)/l
	u := 1 - v - w
	if !(u >= 0 && v >= 0 && w >= 0) {
		return weights, math.Inf(1)
	}
	weights[first], weights[second], weights[third] = u, v, w
	return weights, q.Sub(e.Mul(v)).Sub(f.Mul(w)).LenSqr()
}

// closestOnSegment returns the parameter of the closest point, 0 at a and 1 at b, and the squared distance.
func closestOnSegment(p, a, b mgl64.Vec3) (s, dist2 float64) {
	ex, ey, ez := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	px, py, pz := p[0]-a[0], p[1]-a[1], p[2]-a[2]
	if l := ex*ex + ey*ey + ez*ez; l > 0 {
		s = (px*ex + py*ey + pz*ez) / l
		if !(s > 0) {
			s = 0
		} else if s > 1 {
			s = 1
		}
	}
	x, y, z := px-s*ex, py-s*ey, pz-s*ez
	return s, x*x + y*y + z*z
}
