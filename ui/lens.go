package ui

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/render"
)

// lens is the camera as the mouse needs it: which ray a pixel looks along and which pixel a point falls on. Pixels are
// those of the framebuffer, y down; X, Y, W, H is the scene's part of it.
type lens struct {
	eye                mgl64.Vec3 // world, m
	right, up, forward mgl64.Vec3 // unit
	tanY               float64    // of half the vertical field of view
	x, y, w, h         float64    // viewport, pixels
}

func newLens(c *render.Camera, x, y, w, h float64) lens {
	return lens{
		eye: c.Eye(), right: c.Right(), up: c.Up(), forward: c.Backward().Mul(-1),
		tanY: math.Tan(c.Fov / 2), x: x, y: y, w: max(w, 1), h: max(h, 1),
	}
}

// aim turns and moves a camera to a scene's view. The camera keeps +Y up, as everything in the scene does.
func aim(c *render.Camera, v View) {
	back := v.Eye.Sub(v.Target)
	d := back.Len()
	if !(d > 0) {
		return
	}
	c.Target, c.Distance = v.Target, d
	c.Yaw = math.Atan2(back[0], back[2])
	c.Pitch = math.Asin(mgl64.Clamp(back[1]/d, -1, 1))
	if v.FieldOfView > 0 {
		c.Fov = v.FieldOfView
	}
}

// direction of the ray through a pixel, scaled to advance 1 m along forward.
func (l *lens) direction(px, py float64) mgl64.Vec3 {
	k := 2 * l.tanY / l.h
	return l.forward.
		Add(l.right.Mul(k * (px - l.x - l.w/2))).
		Add(l.up.Mul(k * (l.y + l.h/2 - py)))
}

// depth of a point in front of the eye, m.
func (l *lens) depth(p mgl64.Vec3) float64 { return p.Sub(l.eye).Dot(l.forward) }

// project returns the pixel of a point; ok is false behind the eye.
func (l *lens) project(p mgl64.Vec3) (px, py float64, ok bool) {
	d := p.Sub(l.eye)
	z := d.Dot(l.forward)
	if !(z > 1e-9) {
		return 0, 0, false
	}
	k := l.h / (2 * l.tanY * z)
	return l.x + l.w/2 + k*d.Dot(l.right), l.y + l.h/2 - k*d.Dot(l.up), true
}

// contains says whether a pixel is in the scene's part of the window.
func (l *lens) contains(px, py float64) bool {
	return px >= l.x && px < l.x+l.w && py >= l.y && py < l.y+l.h
}

// castRay returns the distance along dir (in lengths of dir) at which a ray first meets
// the front of a triangle, and the triangle; +Inf and -1 where it meets none.
func castRay(from, dir mgl64.Vec3, positions []mgl64.Vec3, triangles [][3]int32) (t float64, triangle int) {
	best, found := math.Inf(1), -1
	for i, tri := range triangles {
		if int(max(tri[0], tri[1], tri[2])) >= len(positions) {
			continue // a snapshot of another scene cannot hurt
		}
		if d := meet(from, dir, positions[tri[0]], positions[tri[1]], positions[tri[2]]); d < best {
			best, found = d, i
		}
	}
	return best, found
}

// meet is where a ray meets the front of a triangle, in lengths of dir; +Inf: nowhere. Corners are seen along the ray,
// in a plane: there triangles that share an edge or a corner agree on which side of an edge the ray is, but for a zero, and
// no ray goes between them. [Woop, Benthin, Wald 2013]
func meet(from, dir, a, b, c mgl64.Vec3) float64 {
	z := 0
	for k := range 3 {
		if math.Abs(dir[k]) > math.Abs(dir[z]) {
			z = k
		}
	}
	x, y := (z+1)%3, (z+2)%3
	if dir[z] < 0 {
		x, y = y, x
	}
	a, b, c = a.Sub(from), b.Sub(from), c.Sub(from)
	see := func(p mgl64.Vec3) mgl64.Vec2 {
		return mgl64.Vec2{p[x] - dir[x]/dir[z]*p[z], p[y] - dir[y]/dir[z]*p[z]}
	}
	side := func(p, q mgl64.Vec2) float64 { return float64(p[1]*q[0]) - float64(p[0]*q[1]) }
	pa, pb, pc := see(a), see(b), see(c)
	u, v, w := side(pb, pc), side(pc, pa), side(pa, pb)
	if det := u + v + w; u >= 0 && v >= 0 && w >= 0 && det > 0 {
		if t := (u*a[z] + v*b[z] + w*c[z]) / (det * dir[z]); t > 0 {
			return t
		}
	}
	return math.Inf(1)
}
