package render

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// A body that is held by a flat side is seen to be held: a plate lies on the other side of the nodes that cannot move,
// and stands on the ground.

var mountLook = look{albedo: [3]float32{0.10, 0.11, 0.13}, gloss: 50, specular: 0.3, metal: 0.3}

// buildMounts makes the plates of all bodies in one mesh, and lowers the ground below them. A body with a plate has no
// marks on its nodes.
func (sc *scene) buildMounts(s *physics.Frame) {
	sc.mounts.held = make([]bool, len(sc.info))
	type plate struct {
		lo, hi     mgl64.Vec3
		axis, body int
		thick      float64
	}
	var plates []plate
	for i := range sc.info {
		lo, hi, axis, thick := flatPart(s.Surfaces[i].Vertices, sc.info[i].Fixed)
		if sc.drivenIs[i] || thick == 0 {
			continue
		}
		sc.mounts.held[i] = true
		plates = append(plates, plate{lo, hi, axis, i, thick})
		sc.ground.y = min(sc.ground.y, lo[1])
	}
	for i := range plates {
		p := &plates[i]
		start := int32(len(sc.mounts.tris))
		high := p.lo[1]-sc.ground.y > p.thick
		if high && p.axis != 1 {
			p.lo[1] = sc.ground.y // a wall
		}
		sc.mountBox(p.lo, p.hi)
		if high && p.axis == 1 { // an arm to a post
			post := p.hi[0] + 10*p.thick
			lo, hi := p.lo, p.hi
			lo[2], hi[2] = (p.lo[2]+p.hi[2])/2-p.thick, (p.lo[2]+p.hi[2])/2+p.thick
			lo[0], hi[0] = p.hi[0], post
			sc.mountBox(lo, hi)
			lo[1], lo[0], hi[0] = sc.ground.y, post, post+2*p.thick
			sc.mountBox(lo, hi)
		}
		sc.mounts.runs = append(sc.mounts.runs, [3]int32{int32(p.body), start, int32(len(sc.mounts.tris))})
	}
}

// drawMounts draws the plates of the bodies that are shown.
func (r *Renderer) drawMounts(opt *Options) {
	for _, run := range r.scene.mounts.runs {
		if !opt.body(int(run[0])).Hidden {
			r.mounts.drawPart(run[1], run[2])
		}
	}
}

// mountBox adds six sides of four corners each, counter-clockwise from outside.
func (sc *scene) mountBox(lo, hi mgl64.Vec3) {
	ends := [2]mgl64.Vec3{lo, hi}
	for side := range 6 {
		at := uint32(len(sc.mounts.verts) / vertexFloats)
		a, b, c, up := side/2, (side/2+1)%3, (side/2+2)%3, side%2
		for k := range 4 {
			p, n := ends[0], mgl64.Vec3{}
			p[a], n[a] = ends[up][a], float64(2*up-1)
			p[b], p[c] = ends[(k+1)/2%2][b], ends[k/2][c]
			sc.mounts.verts = appendVertex(sc.mounts.verts, p, n)
		}
		sc.mounts.tris = append(sc.mounts.tris, at, at+2-uint32(up), at+1+uint32(up), at, at+3-uint32(up), at+2+uint32(up))
	}
}

// flatPart is the plate behind the fixed ones of some nodes, where these lie in a plane across an axis, at the body's
// end along it. It is 0 thick where there is none.
func flatPart(x []mgl64.Vec3, fixed []bool) (lo, hi mgl64.Vec3, axis int, thick float64) {
	lo, hi = nowhere()
	all, allHi := bounds(x, lo, hi)
	for i, on := range fixed {
		if on {
			lo, hi = extend(x[i], lo, hi)
		}
	}
	size := allHi.Sub(all).Len()
	for a := range 3 {
		if !(hi[a]-lo[a] <= 1e-3*size) {
			continue
		}
		below := lo[a]-all[a] <= 1e-3*size
		if !below && allHi[a]-hi[a] > 1e-3*size {
			return lo, hi, a, 0
		}
		for b := range 3 {
			if b != a {
				if hi[b]-lo[b] < 0.02*size {
					return lo, hi, a, 0 // a line or a point
				}
				lo[b], hi[b] = lo[b]-0.03*size, hi[b]+0.03*size
			}
		}
		if below {
			lo[a] -= 0.045 * size
		} else {
			hi[a] += 0.045 * size
		}
		return lo, hi, a, 0.045 * size
	}
	return lo, hi, 0, 0
}
