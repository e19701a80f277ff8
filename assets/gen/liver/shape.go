package main

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

type vec = mgl64.Vec3

// The organ lies on its visceral side as a surgeon sees it: +Y up, the patient's
// head away from the viewer (-Z), the large right lobe on the viewer's left
// (-X), the left lobe tapering to +X. All lengths in mm.
//
// The shape is the zero level of a field that is negative inside: blobs joined
// with smooth minima, with smooth cuts for the visceral side and the notch.

// ellipsoid is nearly the signed distance to an ellipsoid.
func ellipsoid(p, center, radii vec) float64 {
	d := p.Sub(center)
	k0 := math.Sqrt(sq(d[0]/radii[0]) + sq(d[1]/radii[1]) + sq(d[2]/radii[2]))
	k1 := math.Sqrt(sq(d[0]/sq(radii[0])) + sq(d[1]/sq(radii[1])) + sq(d[2]/sq(radii[2])))
	if k1 < 1e-12 {
		return -min(radii[0], radii[1], radii[2])
	}
	return k0 * (k0 - 1) / k1
}

func sq(x float64) float64 { return x * x }

// join is the union of two fields, rounded over a width k.
func join(a, b, k float64) float64 {
	h := max(k-math.Abs(a-b), 0) / k
	return min(a, b) - h*h*k/4
}

// cut takes b away from a, rounded over a width k.
func cut(a, b, k float64) float64 { return -join(-a, b, k) }

// turnY rotates a point about the vertical through center.
func turnY(p, center vec, degrees float64) vec {
	d := p.Sub(center)
	s, c := math.Sincos(degrees * math.Pi / 180)
	return center.Add(vec{c*d[0] + s*d[2], d[1], -s*d[0] + c*d[2]})
}

// liver is the field of the organ.
func liver(p vec) float64 {
	right := ellipsoid(p, vec{-34, 1, -7}, vec{52, 44, 47})
	lower := ellipsoid(turnY(p, vec{-42, -4, 21}, -12), vec{-42, -4, 21}, vec{40, 33, 36})
	middle := ellipsoid(p, vec{10, -1, -6}, vec{50, 33, 42})
	leftCenter := vec{51, 0, -8}
	left := ellipsoid(turnY(p, leftCenter, 14), leftCenter, vec{46, 19, 31})
	f := join(join(right, lower, 22), join(middle, left, 24), 24)

	// The visceral side: a slope that meets the domed side in the sharp lower
	// edge, and the hollows where stomach and kidney lie.
	slope := (p[1]+30)*0.88 - (p[2]+14)*0.47
	f = cut(f, slope, 9)
	f = cut(f, ellipsoid(p, vec{46, -54, 16}, vec{60, 46, 50}), 14)
	f = cut(f, ellipsoid(p, vec{-34, -52, 24}, vec{26, 34, 32}), 14)

	// The notch of the round ligament in the lower edge, and the faint line of
	// the falciform ligament from there over the dome.
	f = cut(f, ellipsoid(turnY(p, vec{20, 0, 40}, 12), vec{20, 0, 40}, vec{7, 40, 24}), 10)
	f = cut(f, ellipsoid(turnY(p, vec{15, 36, 0}, 12), vec{15, 38, 0}, vec{3, 9, 60}), 7)
	return f
}

// gradient of the field by central differences.
func gradient(p vec) vec {
	const h = 0.05
	var g vec
	for k := range 3 {
		a, b := p, p
		a[k] += h
		b[k] -= h
		g[k] = (liver(a) - liver(b)) / (2 * h)
	}
	return g
}

// project moves a point onto the surface along the gradient.
func project(p vec) vec {
	for range 12 {
		g := gradient(p)
		f := liver(p)
		if math.Abs(f) < 1e-6 || g.LenSqr() < 1e-12 {
			break
		}
		step := g.Mul(-f / g.LenSqr())
		if l := step.Len(); l > 3 {
			step = step.Mul(3 / l)
		}
		p = p.Add(step)
	}
	return p
}

// wanted is the edge that surface triangles should have, mm: fine on the dome
// of the right lobe, where the tip of a tool starts, so that a dent can follow
// the tip; fairly fine along the thin edges, which show; coarse on the visceral side.
func wanted(p vec) float64 {
	const fine, grading = 3.6, 0.16
	n := gradient(p).Normalize()
	coarse := 8.5
	if n[1] < 0 {
		coarse = 10.5
	}
	const thin, probe = 5.2, 12
	depth := -liver(p.Sub(n.Mul(probe))) / probe // 1 in the thick, less along an edge
	coarse = thin + (coarse-thin)*min(1, max(0, (depth-0.5)/0.5))
	away := p.Sub(vec{-32, 42, 2}).Len() - 25
	return min(max(fine, fine+grading*away), coarse)
}
