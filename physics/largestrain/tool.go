package largestrain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
)

// closed is a tool of closed form: all within radius of a line from its origin along
// its own y axis. It goes from one pose to another.
type closed struct {
	radius, length float64 // m
	from, to       frame.Pose

	at    frame.Pose // at the share that was asked last
	asked float64
	axis  mgl64.Vec3
}

// pose is where the tool stands at a share of its way.
func (c *closed) pose(share float64) frame.Pose {
	switch share {
	case 0:
		return c.from
	case 1:
		return c.to
	}
	return frame.Pose{
		Position: c.from.Position.Add(c.to.Position.Sub(c.from.Position).Mul(share)),
		Rotation: mgl64.QuatNlerp(c.from.Rotation, c.to.Rotation, share),
	}
}

// aim sets the way.
func (c *closed) aim(from, to frame.Pose) {
	if from.Rotation.Dot(to.Rotation) < 0 { // the shorter way round
		from.Rotation = from.Rotation.Scale(-1)
	}
	c.from, c.to, c.asked = from, to, math.NaN()
}

// far is how far the tool's ends go at most, m.
func (c *closed) far() float64 {
	end := mgl64.Vec3{0, c.length, 0}
	return math.Max(c.to.Position.Sub(c.from.Position).Len(), c.to.Point(end).Sub(c.from.Point(end)).Len())
}

// Gap is the distance from the surface.
func (c *closed) Gap(p mgl64.Vec3, share float64) (float64, mgl64.Vec3) {
	if share != c.asked { // all nodes are asked at one share
		c.asked, c.at = share, c.pose(share)
		c.axis = c.at.Vector(mgl64.Vec3{0, 1, 0})
	}
	d := p.Sub(c.at.Position)
	d = d.Sub(c.axis.Mul(min(max(d.Dot(c.axis), 0), c.length)))
	l := d.Len()
	if l == 0 {
		return -c.radius, c.at.Vector(mgl64.Vec3{0, -1, 0})
	}
	return l - c.radius, d.Mul(1 / l)
}

// Moved is how far the tool's material at p goes.
func (c *closed) Moved(p mgl64.Vec3, from, to float64) mgl64.Vec3 {
	return c.pose(to).Point(c.pose(from).InversePoint(p)).Sub(p)
}

// Core is what all of the tool is within its radius of.
func (c *closed) Core(share float64) (from, to mgl64.Vec3, radius float64) {
	p := c.pose(share)
	return p.Position, p.Point(mgl64.Vec3{0, c.length, 0}), c.radius
}
