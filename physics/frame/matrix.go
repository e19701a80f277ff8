package frame

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Inverse is the inverse of m, of whatever size its entries are; ok is false, and the result is 0, where m has none:
// its determinant is 0, or it is no matrix of finite numbers.
//
// mgl64's own Inv gives 0 for every determinant below 1e-20. That is a length, a mass or an inertia in some power: the
// inertia of a die of 15 mm has no inverse there.
func Inverse(m mgl64.Mat3) (inverse mgl64.Mat3, ok bool) {
	size := 0.0
	for _, x := range m {
		size = max(size, math.Abs(x))
	}
	if !(size > 0) || math.IsInf(size, 0) {
		return mgl64.Mat3{}, false
	}
	// A power of 2 brings the entries near 1: products neither vanish nor overflow, and nothing is rounded.
	_, e := math.Frexp(size)
	one := math.Ldexp(1, -e)
	if math.IsInf(one, 0) || one == 0 {
		return mgl64.Mat3{}, false // nor has its inverse finite entries
	}
	for i := range m {
		m[i] *= one
	}
	det := m.Det()
	if det == 0 || math.IsNaN(det) {
		return mgl64.Mat3{}, false
	}
	inverse = mgl64.Mat3{
		m[4]*m[8] - m[5]*m[7], m[2]*m[7] - m[1]*m[8], m[1]*m[5] - m[2]*m[4],
		m[5]*m[6] - m[3]*m[8], m[0]*m[8] - m[2]*m[6], m[2]*m[3] - m[0]*m[5],
		m[3]*m[7] - m[4]*m[6], m[1]*m[6] - m[0]*m[7], m[0]*m[4] - m[1]*m[3],
	}
	for i, x := range inverse {
		inverse[i] = x / det * one
	}
	return inverse, true
}

// Unit is v/|v|, and false where v has no direction: it is 0 or no vector of finite numbers. mgl64's Normalize then
// gives no number.
func Unit(v mgl64.Vec3) (unit mgl64.Vec3, ok bool) {
	size := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	if !(size > 0) || math.IsInf(size, 0) {
		return mgl64.Vec3{}, false
	}
	_, e := math.Frexp(size)
	for i := range v {
		v[i] = math.Ldexp(v[i], -e) // squares neither vanish nor overflow
	}
	l := v.Len()
	if math.IsNaN(l) {
		return mgl64.Vec3{}, false
	}
	return v.Mul(1 / l), true
}
