package rigid

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
)

type (
	vec3 = mgl64.Vec3
	mat3 = mgl64.Mat3
	quat = mgl64.Quat
)

// xyz is a vec3 for long expressions: the compiler keeps structures in registers, and arrays in memory, of which it
// makes copies.
type xyz struct{ x, y, z float64 }

func of(v vec3) xyz               { return xyz{v[0], v[1], v[2]} }
func (a xyz) vec() vec3           { return vec3{a.x, a.y, a.z} }
func (a xyz) put(v *vec3)         { v[0], v[1], v[2] = a.x, a.y, a.z }
func (a xyz) plus(b xyz) xyz      { return xyz{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a xyz) minus(b xyz) xyz     { return xyz{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a xyz) times(f float64) xyz { return xyz{a.x * f, a.y * f, a.z * f} }
func (a xyz) dot(b xyz) float64   { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a xyz) cross(b xyz) xyz     { return xyz{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x} }
func (a xyz) length() float64     { return math.Sqrt(a.dot(a)) }

// The rotation group is package frame's; these names are short since they are everywhere.

func sinc(x float64) float64 { return frame.Sinc(x) }

func turned(r quat, theta vec3) quat { return frame.Turned(r, theta) }
func unturn(theta, p vec3) vec3      { return frame.Unturn(theta, p) }
func rotate(q quat, v vec3) vec3     { return frame.Rotate(q, v) }
func unrotate(q quat, v vec3) vec3   { return frame.Unrotate(q, v) }

// matrixOf is R of a unit quaternion.
func matrixOf(q quat) mat3 { return q.Mat4().Mat3() }

// inverse of a matrix, or 0 where it has none: what has no inertia then does not turn, and Newton's method stays where
// it is and says that it failed.
func inverse(m mat3) mat3 {
	inv, _ := frame.Inverse(m)
	return inv
}

// hat is the matrix of v x.
func hat(v vec3) mat3 {
	return mat3{0, v[2], -v[1], -v[2], 0, v[0], v[1], -v[0], 0}
}

// dexp is T with exp(Theta + d) = exp(Theta) exp(T d) to first order in d.
func dexp(theta vec3) mat3 {
	a := theta.Len()
	s := sinc(a / 2)
	c := 1.0/6 - a*a/120
	if a > 0.05 {
		c = (1 - sinc(a)) / (a * a)
	}
	h := hat(theta)
	return mgl64.Ident3().Sub(h.Mul(s * s / 2)).Add(h.Mul3(h).Mul(c))
}
