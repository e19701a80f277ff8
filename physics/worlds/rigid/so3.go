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
func (a xyz) by(m *mat3) xyz {
	return xyz{m[0]*a.x + m[3]*a.y + m[6]*a.z, m[1]*a.x + m[4]*a.y + m[7]*a.z, m[2]*a.x + m[5]*a.y + m[8]*a.z}
}
func (a xyz) length() float64 { return math.Sqrt(a.dot(a)) }

// The rotation group is package frame's; these names are short since they are everywhere.

func sinc(x float64) float64 { return frame.Sinc(x) }

func turned(r quat, theta vec3) quat { return frame.Turned(r, theta) }
func unturn(theta, p vec3) vec3      { return frame.Unturn(theta, p) }
func rotate(q quat, v vec3) vec3     { return frame.Rotate(q, v) }
func unrotate(q quat, v vec3) vec3   { return frame.Unrotate(q, v) }

// matrixOf is R of a unit quaternion.
func matrixOf(q quat) mat3 {
	w, x, y, z := q.W, q.V[0], q.V[1], q.V[2]
	return mat3{
		1 - 2*y*y - 2*z*z, 2*x*y + 2*w*z, 2*x*z - 2*w*y,
		2*x*y - 2*w*z, 1 - 2*x*x - 2*z*z, 2*y*z + 2*w*x,
		2*x*z + 2*w*y, 2*y*z - 2*w*x, 1 - 2*x*x - 2*y*y,
	}
}

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

// implicit is J - h/2 hat(y) T, where exp(Theta + d) = exp(Theta) exp(T d) to first order in d.
func implicit(j mat3, theta, y xyz, h float64) mat3 {
	a := theta.length()
	s := sinc(a / 2)
	c := 1.0/6 - a*a/120
	if a > 0.05 {
		c = (1 - sinc(a)) / (a * a)
	}
	for k, e := range [3]xyz{{x: 1}, {y: 1}, {z: 1}} {
		b := theta.cross(e)
		d := y.cross(e.minus(b.times(s * s / 2)).plus(theta.cross(b).times(c))).times(h / 2)
		j[3*k], j[3*k+1], j[3*k+2] = j[3*k]-d.x, j[3*k+1]-d.y, j[3*k+2]-d.z
	}
	return j
}
