// Package frame holds rigid poses: where a body-fixed frame stands in the world.
//
// Right-handed, +Y up, metres. Everything is a value; nothing allocates.
package frame

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Pose maps body coordinates to world coordinates: x_world = R x_body + t.
type Pose struct {
	Position mgl64.Vec3 // t, m
	Rotation mgl64.Quat // R, unit quaternion
}

// Identity is the pose of a body frame that coincides with the world's.
func Identity() Pose { return Pose{Rotation: mgl64.QuatIdent()} }

// At is an unrotated pose with its origin at p, in m.
func At(p mgl64.Vec3) Pose { return Pose{Position: p, Rotation: mgl64.QuatIdent()} }

// Farthest is how far a place may be from the origin, m: the squares of its coordinates still say where it is.
const Farthest = 1e6

// Proper tells whether p is a pose at all: a place within Farthest, and a rotation of length 1 to a thousandth. What
// comes from a device or a file may be none; worlds ignore it then.
func (p Pose) Proper() bool {
	for _, x := range p.Position {
		if !(math.Abs(x) <= Farthest) {
			return false
		}
	}
	return math.Abs(p.Rotation.Dot(p.Rotation)-1) <= 2e-3
}

// Point maps a point from body to world coordinates.
func (p Pose) Point(x mgl64.Vec3) mgl64.Vec3 { return p.Rotation.Rotate(x).Add(p.Position) }

// Vector rotates a direction from body to world coordinates.
func (p Pose) Vector(v mgl64.Vec3) mgl64.Vec3 { return p.Rotation.Rotate(v) }

// InversePoint maps a point from world to body coordinates.
func (p Pose) InversePoint(x mgl64.Vec3) mgl64.Vec3 {
	return p.Rotation.Conjugate().Rotate(x.Sub(p.Position))
}

// InverseVector rotates a direction from world to body coordinates.
func (p Pose) InverseVector(v mgl64.Vec3) mgl64.Vec3 { return p.Rotation.Conjugate().Rotate(v) }

// Matrix is the rotation as a 3x3 matrix (column-major, as mgl64 stores it).
func (p Pose) Matrix() mgl64.Mat3 { return p.Rotation.Mat4().Mat3() }

// Reach is how far the farthest of points is from their origin, m.
func Reach(points []mgl64.Vec3) (r float64) {
	for _, x := range points {
		r = max(r, x.Len())
	}
	return r
}

// Orthogonal tells whether the axes of m are of length 1 and at right angles, to 1e-9. The library's own comparison
// asks for more than rounding allows where a zero is expected.
func Orthogonal(m mgl64.Mat3) bool {
	p := m.Mul3(m.Transpose())
	for i := range 3 {
		for j := range 3 {
			want := 0.0
			if i == j {
				want = 1
			}
			if !(math.Abs(p.At(i, j)-want) <= 1e-9) {
				return false
			}
		}
	}
	return true
}
