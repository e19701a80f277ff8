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

// Renormal is q, normalised: products of unit quaternions leave the unit sphere by rounding only, so one Newton step
// for the square root is exact.
func Renormal(q mgl64.Quat) mgl64.Quat { return q.Scale(1.5 - 0.5*q.Dot(q)) }

// Turned is R exp(Theta).
func Turned(r mgl64.Quat, theta mgl64.Vec3) mgl64.Quat { return Renormal(r.Mul(Renormal(Exp(theta)))) }

// Unturn is exp(-Theta) p. It takes the quaternion by which Turned multiplies, so that its rounding turns attitude and
// momentum alike.
func Unturn(theta, p mgl64.Vec3) mgl64.Vec3 { return Unrotate(Renormal(Exp(theta)), p) }

// Rotate carries a vector from body to space.
func Rotate(q mgl64.Quat, v mgl64.Vec3) mgl64.Vec3 {
	c := q.V.Cross(v)
	return v.Add(c.Mul(2 * q.W)).Add(q.V.Cross(c).Mul(2))
}

// Unrotate carries a vector from space to body.
func Unrotate(q mgl64.Quat, v mgl64.Vec3) mgl64.Vec3 {
	c := v.Cross(q.V)
	return v.Add(c.Mul(2 * q.W)).Add(c.Cross(q.V).Mul(2))
}
