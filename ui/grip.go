package ui

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/render"
)

// gripOf is how the mouse holds the tool of a scene.
func gripOf(s *physics.Frame, bodies []physics.SurfaceInfo, mine func(i int) bool, needle mgl64.Vec3) grip {
	driven, others := make([]bool, len(bodies)), make([]bool, len(bodies))
	for i := range bodies {
		driven[i], others[i] = mine(i), !bodies[i].Driven
	}
	each := func(f func(p mgl64.Vec3)) {
		for i := range s.Surfaces {
			if driven[i] {
				for _, p := range s.Surfaces[i].Vertices {
					f(p)
				}
			}
		}
	}
	g := grip{at: gripPoint(s, others, each, needle)}
	held := s.Stylus.Point(g.at)
	each(func(p mgl64.Vec3) { g.reach = max(g.reach, p.Sub(held).Dot(needle)) })
	g.round = isRound(held, needle, each)
	return g
}

// isRound tells whether a tool is as wide in all directions about its needle.
func isRound(held, needle mgl64.Vec3, each func(func(p mgl64.Vec3))) bool {
	u := needle.Cross(mgl64.Vec3{1, 0, 0})
	if v := needle.Cross(mgl64.Vec3{0, 0, 1}); v.Len() > u.Len() {
		u = v
	}
	u = u.Normalize()
	v := needle.Cross(u)
	var wide [8]float64
	each(func(p mgl64.Vec3) {
		for k := range wide {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(len(wide)))
			wide[k] = max(wide[k], p.Sub(held).Dot(u)*cos+p.Sub(held).Dot(v)*sin)
		}
	})
	least, most := wide[0], wide[0]
	for _, w := range wide {
		least, most = min(least, w), max(most, w)
	}
	return least > 0.9*most // facets of a generated tool differ by some per cent
}

// gripPoint is where the mouse holds the tool, in the stylus's frame: its origin,
// or, where that is not in the tool but a corner of the scene, the middle of the
// tool's end. each goes through the tool's vertices.
func gripPoint(s *physics.Frame, others []bool, each func(func(p mgl64.Vec3)), needle mgl64.Vec3) mgl64.Vec3 {
	lo, hi, ok := render.Bounds(s, others)
	at := s.Stylus.Position
	inside := true
	for k := range 3 {
		inside = inside && at[k] >= lo[k] && at[k] <= hi[k]
	}
	if !ok || inside {
		return mgl64.Vec3{}
	}
	end, far := math.Inf(-1), math.Inf(1)
	each(func(p mgl64.Vec3) { end, far = max(end, p.Dot(needle)), min(far, p.Dot(needle)) })
	var sum mgl64.Vec3
	n := 0.0
	each(func(p mgl64.Vec3) {
		if p.Dot(needle) >= end-0.05*(end-far) {
			sum, n = sum.Add(p), n+1
		}
	})
	if !(n > 0) {
		return mgl64.Vec3{}
	}
	return s.Stylus.InversePoint(sum.Mul(1 / n))
}
