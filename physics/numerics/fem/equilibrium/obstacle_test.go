package equilibrium

import "github.com/go-gl/mathgl/mgl64"

// Obstacle is a rigid thing that bodies run into. share, 0 to 1, is how far it is on its way.
type Obstacle interface {
	// Gap is the distance of a place from the surface, m, below 0 inside, and the direction in which it grows.
	Gap(p mgl64.Vec3, share float64) (gap float64, normal mgl64.Vec3)
	// Moved is how far the obstacle's material at p goes between two shares, m.
	Moved(p mgl64.Vec3, from, to float64) mgl64.Vec3
}

// Ball is a sphere that moves without turning.
type Ball struct {
	Centre mgl64.Vec3 // at share 0, m
	Radius float64    // m
	Way    mgl64.Vec3 // from share 0 to 1, m
}

// Gap is the distance from the sphere.
func (b Ball) Gap(x mgl64.Vec3, share float64) (float64, mgl64.Vec3) {
	d := x.Sub(b.Centre).Sub(b.Way.Mul(share))
	l := d.Len()
	if l == 0 {
		return -b.Radius, mgl64.Vec3{0, 0, 1}
	}
	return l - b.Radius, d.Mul(1 / l)
}

// Core is the ball's centre.
func (b Ball) Core(share float64) (from, to mgl64.Vec3, radius float64) {
	c := b.Centre.Add(b.Way.Mul(share))
	return c, c, b.Radius
}

// Moved is that of the ball.
func (b Ball) Moved(_ mgl64.Vec3, from, to float64) mgl64.Vec3 { return b.Way.Mul(to - from) }
