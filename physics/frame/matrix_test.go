package frame

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// The inverse is that of any size: it scales with 1/size to the last bit, and M M^-1 = 1.
func TestInverseAtAnyScale(t *testing.T) {
	m := mgl64.Mat3{2, 0.3, -0.1, 0.3, 1, 0.2, -0.1, 0.2, 0.5}
	want, ok := Inverse(m)
	if !ok {
		t.Fatal("no inverse")
	}
	for i, x := range m.Mul3(want) {
		if one := float64((3 - i%4) / 3); math.Abs(x-one) > 1e-15 {
			t.Errorf("M M^-1 = %v", m.Mul3(want))
		}
	}
	for _, e := range []int{-400, -60, -25, 25, 60, 400} {
		got, ok := Inverse(m.Mul(math.Ldexp(1, e)))
		if !ok || got != want.Mul(math.Ldexp(1, -e)) {
			t.Errorf("2^%d: %v", e, got)
		}
	}
	// A needle's: moments of 1e-12 and 1e-6 kg m^2
	if got, ok := Inverse(mgl64.Diag3(mgl64.Vec3{1e-12, 1e-6, 1e-6})); !ok || math.Abs(got[0]*1e-12-1) > 1e-15 {
		t.Errorf("needle: %v", got)
	}
	nan := mgl64.Ident3()
	nan[5] = math.NaN()
	for _, m := range []mgl64.Mat3{{}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, nan, mgl64.Ident3().Mul(math.Inf(1))} {
		if got, ok := Inverse(m); ok || got != (mgl64.Mat3{}) {
			t.Errorf("%v has an inverse: %v", m, got)
		}
	}
}

func TestUnit(t *testing.T) {
	for _, e := range []int{-1000, -600, 0, 600, 1000} {
		u, ok := Unit(mgl64.Vec3{3, 0, -4}.Mul(math.Ldexp(1, e)))
		if !ok || u.Sub(mgl64.Vec3{0.6, 0, -0.8}).Len() > 1e-15 {
			t.Errorf("2^%d: %v", e, u)
		}
	}
	for _, v := range []mgl64.Vec3{{}, {math.NaN(), 1, 0}, {math.Inf(1), 0, 0}} {
		if u, ok := Unit(v); ok {
			t.Errorf("%v: %v", v, u)
		}
	}
}
