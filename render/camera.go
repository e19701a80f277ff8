package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Camera looks at Target from a distance, orbiting about the world's +Y axis. The zero value is not usable; start from
// DefaultCamera. Safe from any goroutine as long as only one uses it.
type Camera struct {
	view
	Fov float64 // vertical angle of view, rad

	center mgl64.Vec3 // of the scene's bounds, for the clipping planes
	radius float64    // of the scene's bounds, m

	home  view // what Reset goes back to
	goal  view // what Update moves towards
	back  view // what ZoomBack goes back to
	moves bool // goal not reached yet
	close bool // between ZoomTo and ZoomBack
}

type view struct {
	Target   mgl64.Vec3 // point looked at, world, m
	Distance float64    // from Target to the eye, m
	Yaw      float64    // about +Y, rad; 0 looks along -Z
	Pitch    float64    // rad, positive looks down from above, within +-pitchLimit
}

const (
	pitchLimit = 89.0 * math.Pi / 180 // beyond it "up" would flip
	// settle is the time constant of smooth camera motion, s. Short enough to stay out of the way, long enough for the
	// eye to follow.
	settle = 0.12
)

// DefaultCamera looks at the origin from the front, right and above, 0.5 m away.
func DefaultCamera() Camera {
	v := view{Distance: 0.5, Yaw: 0.6, Pitch: 0.45}
	return Camera{view: v, home: v, Fov: 40 * math.Pi / 180, radius: 0.25}
}

// Backward is the unit vector from Target to the eye.
func (c *Camera) Backward() mgl64.Vec3 {
	sy, cy := math.Sincos(c.Yaw)
	sp, cp := math.Sincos(c.Pitch)
	return mgl64.Vec3{cp * sy, sp, cp * cy}
}

// Right is the unit vector that points right on the screen.
func (c *Camera) Right() mgl64.Vec3 {
	sy, cy := math.Sincos(c.Yaw)
	return mgl64.Vec3{cy, 0, -sy}
}

// Up is the unit vector that points up on the screen.
func (c *Camera) Up() mgl64.Vec3 { return c.Backward().Cross(c.Right()) }

// Eye is the point the camera looks from, world, m.
func (c *Camera) Eye() mgl64.Vec3 { return c.Target.Add(c.Backward().Mul(c.Distance)) }

// viewMatrix maps world to eye coordinates (x right, y up, z backward).
func (c *Camera) viewMatrix() mgl64.Mat4 {
	r, u, b, e := c.Right(), c.Up(), c.Backward(), c.Eye()
	return mgl64.Mat4{
		r[0], u[0], b[0], 0,
		r[1], u[1], b[1], 0,
		r[2], u[2], b[2], 0,
		-r.Dot(e), -u.Dot(e), -b.Dot(e), 1,
	}
}

// clip returns the near and far distances, m. Far covers the scene and the ground around it from wherever the eye is;
// near stays a fixed fraction of the viewing distance, which keeps a 24-bit depth buffer precise at the target.
func (c *Camera) clip() (near, far float64) {
	reach := c.Eye().Sub(c.center).Len() + 12*c.radius
	near = max(0.02*c.Distance, 2e-4*reach)
	return near, max(reach, 10*near)
}

// projection maps eye to clip coordinates for a viewport of the given width/height ratio.
func (c *Camera) projection(aspect float64) mgl64.Mat4 {
	near, far := c.clip()
	return mgl64.Perspective(c.Fov, aspect, near, far)
}

// SetBounds tells the camera how large the scene is, without moving it.
func (c *Camera) SetBounds(lo, hi mgl64.Vec3) {
	c.center = lo.Add(hi).Mul(0.5)
	c.radius = max(hi.Sub(lo).Len()/2, 1e-6)
}

// FitBounds moves the camera, keeping its direction, so that the box from lo to hi fills the viewport with a margin,
// and makes that the view Reset returns to.
func (c *Camera) FitBounds(lo, hi mgl64.Vec3, aspect float64) {
	c.SetBounds(lo, hi)
	c.Target = c.center
	// The eight corners have to lie inside the four side planes of the view:
	// |x| <= (d - z) tan(fov/2) aspect and |y| <= (d - z) tan(fov/2).
	tan := math.Tan(c.Fov / 2)
	right, up, back := c.Right(), c.Up(), c.Backward()
	d := 0.0
	for i := range 8 {
		p := lo
		for a := range 3 {
			if i>>a&1 == 1 {
				p[a] = hi[a]
			}
		}
		p = p.Sub(c.center)
		z := p.Dot(back)
		d = max(d, z+math.Abs(p.Dot(right))/(tan*aspect), z+math.Abs(p.Dot(up))/tan)
	}
	c.Distance = max(1.12*d, 1e-6)
	c.home = c.view
	c.moves, c.close = false, false
}

// Orbit turns the camera about its target, rad. Positive yaw moves the eye to the right, positive pitch upward.
func (c *Camera) Orbit(yaw, pitch float64) {
	c.Yaw = math.Remainder(c.Yaw+yaw, 2*math.Pi)
	c.Pitch = mgl64.Clamp(c.Pitch+pitch, -pitchLimit, pitchLimit)
	c.goal.Yaw, c.goal.Pitch = c.Yaw, c.Pitch
	c.back.Yaw, c.back.Pitch = c.Yaw, c.Pitch
}

// Pan shifts the view so that the point under the pointer follows it: dx, dy in pixels of a viewport height pixels
// high, y down.
func (c *Camera) Pan(dx, dy float64, height int) {
	d := c.motion(dx, dy, c.Distance, height).Mul(-1)
	c.Target = c.Target.Add(d)
	c.goal.Target = c.goal.Target.Add(d)
}

// Dolly multiplies the viewing distance; below 1 moves closer.
func (c *Camera) Dolly(factor float64) {
	if !(factor > 0) {
		return
	}
	lo, hi := 1e-3*c.radius, 50*c.radius
	c.Distance = mgl64.Clamp(c.Distance*factor, lo, hi)
	c.goal.Distance = mgl64.Clamp(c.goal.Distance*factor, lo, hi)
}

// ZoomTo starts a smooth motion towards point, viewed from distance m (the thesis's zoom on contact, section 4.5). Call
// it again each frame to follow a moving contact. Update carries it out.
func (c *Camera) ZoomTo(point mgl64.Vec3, distance float64) {
	if !c.close {
		c.back = c.view
		c.close = true
		c.goal.Distance = distance
	}
	if !c.moves {
		c.goal.Yaw, c.goal.Pitch = c.Yaw, c.Pitch
	}
	c.goal.Target = point
	c.moves = true
}

// ZoomBack starts a smooth motion to the view before ZoomTo.
func (c *Camera) ZoomBack() {
	if c.close {
		c.goal, c.moves, c.close = c.back, true, false
	}
}

// Reset starts a smooth motion to the view of the last FitBounds or SetHome.
func (c *Camera) Reset() { c.goal, c.moves, c.close = c.home, true, false }

// Look starts a smooth motion to another direction of view, rad, about the same target.
func (c *Camera) Look(yaw, pitch float64) {
	if !c.moves {
		c.goal = c.view
	}
	c.goal.Yaw, c.goal.Pitch = yaw, mgl64.Clamp(pitch, -pitchLimit, pitchLimit)
	c.back.Yaw, c.back.Pitch = c.goal.Yaw, c.goal.Pitch
	c.moves = true
}

// SetHome makes the present view the one that Reset returns to.
func (c *Camera) SetHome() {
	c.home = c.view
	c.moves, c.close = false, false
}

// Update moves the camera dt seconds further towards the goal of ZoomTo, ZoomBack or Reset and reports whether it is
// still on the way.
func (c *Camera) Update(dt float64) bool {
	if !c.moves || !(dt > 0) {
		return c.moves
	}
	k := 1 - math.Exp(-dt/settle)
	g := &c.goal
	c.Target = c.Target.Add(g.Target.Sub(c.Target).Mul(k))
	// Distances are judged as ratios, so they move geometrically.
	c.Distance *= math.Pow(g.Distance/c.Distance, k)
	c.Yaw += math.Remainder(g.Yaw-c.Yaw, 2*math.Pi) * k
	c.Pitch += (g.Pitch - c.Pitch) * k

	near := 1e-3 * g.Distance
	if g.Target.Sub(c.Target).Len() < near && math.Abs(g.Distance-c.Distance) < near &&
		math.Abs(math.Remainder(g.Yaw-c.Yaw, 2*math.Pi)) < 1e-3 && math.Abs(g.Pitch-c.Pitch) < 1e-3 {
		c.view = *g
		c.moves = false
	}
	return c.moves
}

// depth is the distance of p from the eye along the viewing direction, m.
func (c *Camera) depth(p mgl64.Vec3) float64 { return c.Eye().Sub(p).Dot(c.Backward()) }

// motion maps a pointer motion of (dx, dy) pixels, y down, to a motion in the plane of the view at the given depth
// (from Depth), in a viewport height pixels high, world, m.
func (c *Camera) motion(dx, dy, depth float64, height int) mgl64.Vec3 {
	k := 2 * depth * math.Tan(c.Fov/2) / float64(height)
	return c.Right().Mul(dx * k).Add(c.Up().Mul(-dy * k))
}

// project gives the pixel where p appears in a viewport of width x height pixels and its Depth; ok is false behind the
// eye.
func (c *Camera) project(p mgl64.Vec3, width, height int) (x, y, depth float64, ok bool) {
	d := p.Sub(c.Eye())
	depth = -d.Dot(c.Backward())
	if !(depth > 0) {
		return 0, 0, depth, false
	}
	w, h := float64(width), float64(height)
	f := h / (2 * math.Tan(c.Fov/2) * depth) // pixels per metre at this depth
	return w/2 + d.Dot(c.Right())*f, h/2 - d.Dot(c.Up())*f, depth, true
}
