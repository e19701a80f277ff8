package frame

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Sinc is sin(x)/x.
func Sinc(x float64) float64 {
	if math.Abs(x) < 1e-3 {
		x2 := x * x
		return 1 - x2/6*(1-x2/20)
	}
	return math.Sin(x) / x
}

// Exp is the rotation by a rotation vector, rad.
func Exp(theta mgl64.Vec3) mgl64.Quat {
	half := theta.Len() / 2
	return mgl64.Quat{W: math.Cos(half), V: theta.Mul(Sinc(half) / 2)}
}

// Log is the rotation vector of a quaternion, the short way round, rad: Exp's inverse.
func Log(q mgl64.Quat) mgl64.Vec3 {
	sin := q.V.Len()
	if sin == 0 {
		return mgl64.Vec3{}
	}
	return q.V.Mul(2 * math.Atan2(math.Copysign(sin, q.W), math.Abs(q.W)) / sin)
}

// Renormal is q, normalised: products of unit quaternions leave the unit sphere by rounding only, so one Newton step
// for the square root is exact.
func Renormal(q mgl64.Quat) mgl64.Quat { return q.Scale(1.5 - 0.5*q.Dot(q)) }

// exp is that, normalised, in numbers of their own: the compiler keeps arrays in memory.
func exp(theta mgl64.Vec3) (w, x, y, z float64) {
	half := theta.Len() / 2
	w, f := math.Cos(half), Sinc(half)/2
	x, y, z = theta[0]*f, theta[1]*f, theta[2]*f
	f = 1.5 - 0.5*(w*w+x*x+y*y+z*z)
	return w * f, x * f, y * f, z * f
}

// Turned is R exp(Theta).
func Turned(r mgl64.Quat, theta mgl64.Vec3) mgl64.Quat {
	w, x, y, z := exp(theta)
	return Renormal(r.Mul(mgl64.Quat{W: w, V: mgl64.Vec3{x, y, z}}))
}

// Unturn is exp(-Theta) p. It takes the quaternion by which Turned multiplies, so that its rounding turns attitude and
// momentum alike.
func Unturn(theta, p mgl64.Vec3) mgl64.Vec3 {
	w, x, y, z := exp(theta)
	return turn(-x, -y, -z, 2*w, p)
}

// Rotate carries a vector from body to space.
func Rotate(q mgl64.Quat, v mgl64.Vec3) mgl64.Vec3 {
	return turn(q.V[0], q.V[1], q.V[2], 2*q.W, v)
}

// turn is v + w q x v + 2 q x (q x v).
func turn(x, y, z, w float64, v mgl64.Vec3) mgl64.Vec3 {
	a, b, c := y*v[2]-z*v[1], z*v[0]-x*v[2], x*v[1]-y*v[0]
	return mgl64.Vec3{v[0] + a*w + (y*c-z*b)*2, v[1] + b*w + (z*a-x*c)*2, v[2] + c*w + (x*b-y*a)*2}
}

// Unrotate carries a vector from space to body.
func Unrotate(q mgl64.Quat, v mgl64.Vec3) mgl64.Vec3 {
	return turn(-q.V[0], -q.V[1], -q.V[2], 2*q.W, v)
}
