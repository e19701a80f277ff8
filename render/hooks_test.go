// What only tests ask.

package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Zoomed reports whether ZoomTo is in force.
func (c *Camera) Zoomed() bool { return c.close }

// Ray is the half-line from the eye through pixel (x, y) of a viewport of
// width x height pixels; dir is a unit vector.
func (c *Camera) Ray(x, y float64, width, height int) (origin, dir mgl64.Vec3) {
	tan := math.Tan(c.Fov / 2)
	w, h := float64(width), float64(height)
	sx := (2*x/w - 1) * tan * w / h
	sy := (1 - 2*y/h) * tan
	d := c.Right().Mul(sx).Add(c.Up().Mul(sy)).Sub(c.Backward())
	return c.Eye(), d.Normalize()
}

// colorScale is the meaning of the colours of the field in the last Draw; ok is false
// when none were shown.
func (r *Renderer) Legend() (l colorScale, ok bool) { return r.scene.field.legend, r.scene.field.shown }

// SceneSize is the radius of what stays in place, m: a measure for distances
// such as the one for Camera.ZoomTo. 0 before the first snapshot.
func (r *Renderer) SceneSize() float64 { return r.scene.size }

// Grid is the side of the ground's cells, m; 0 before the first snapshot.
func (r *Renderer) Grid() float64 { return r.scene.ground.cell }
