package main

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

type vec = mgl64.Vec3

// The shapes are blobs joined with smooth minima and smooth cuts. All lengths in mm.

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

// gradient of the field by central differences.
func (o *organ) gradient(p vec) vec {
	const h = 0.05
	var g vec
	for k := range 3 {
		a, b := p, p
		a[k] += h
		b[k] -= h
		g[k] = (o.field(a) - o.field(b)) / (2 * h)
	}
	return g
}

// project moves a point onto the surface along the gradient.
func (o *organ) project(p vec) vec {
	for range 12 {
		g := o.gradient(p)
		f := o.field(p)
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
