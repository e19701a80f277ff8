package collision

import "github.com/go-gl/mathgl/mgl64"

// ClosestOnTriangle finds the point of triangle abc closest to p, as
// barycentric weights of a, b and c (all >= 0, sum 1) and the squared distance.
//
// The orthogonal projection is taken where all its weights are >= 0; otherwise
// the closest edge point, edges tried in the order ab, bc, ca and a later one
// taken only when strictly closer. A degenerate triangle counts as its edges.
func ClosestOnTriangle(p, a, b, c mgl64.Vec3) (weights [3]float64, dist2 float64) {
	abx, aby, abz := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	acx, acy, acz := c[0]-a[0], c[1]-a[1], c[2]-a[2]
	apx, apy, apz := p[0]-a[0], p[1]-a[1], p[2]-a[2]

	d00 := abx*abx + aby*aby + abz*abz
	d01 := abx*acx + aby*acy + abz*acz
	d11 := acx*acx + acy*acy + acz*acz
	d20 := apx*abx + apy*aby + apz*abz
	d21 := apx*acx + apy*acy + apz*acz

	if det := d00*d11 - d01*d01; det > 1e-24*d00*d11 {
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
	return weights, best
}

// closestOnSegment returns the parameter of the closest point, 0 at a and 1 at
// b, and the squared distance.
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
