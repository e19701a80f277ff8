// Package rigid holds the reference cases of rigid and vibrating bodies: integrators alone, and motions under smooth
// forces and joints against a refined solution.
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

// none is no torque.
type none struct{}

func (none) Moment(float64, quat) vec3 { return vec3{} }

// inverse of a matrix, or 0 where it has none.
func inverse(m mat3) mat3 {
	inv, _ := frame.Inverse(m)
	return inv
}

// solve is J^-1 y, refined: J times the rounded inverse is not quite 1, which as a factor of every step would let
// momentum and energy drift.
func solve(j, inv *mat3, y vec3) vec3 {
	w := inv.Mul3x1(y)
	for i := range 3 {
		for k := range 3 {
			y[i] = math.FMA(-j[3*k+i], w[k], y[i])
		}
	}
	return w.Add(inv.Mul3x1(y))
}
