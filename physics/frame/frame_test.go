package frame

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

func TestPoseAndItsInverse(t *testing.T) {
	p := Pose{Position: mgl64.Vec3{1, -2, 3}, Rotation: mgl64.QuatRotate(1.1, mgl64.Vec3{1, 2, -1}.Normalize())}
	x, v := mgl64.Vec3{0.3, 5, -7}, mgl64.Vec3{-1, 0.5, 2}
	if d := p.InversePoint(p.Point(x)).Sub(x).Len(); d > 1e-14 {
		t.Errorf("point and back: off by %g", d)
	}
	if d := p.InverseVector(p.Vector(v)).Sub(v).Len(); d > 1e-14 {
		t.Errorf("vector and back: off by %g", d)
	}
	if d := p.Matrix().Mul3x1(v).Sub(p.Vector(v)).Len(); d > 1e-14 {
		t.Errorf("matrix and quaternion differ by %g", d)
	}
	if d := math.Abs(p.Point(x).Sub(p.Point(v)).Len() - x.Sub(v).Len()); d > 1e-14 {
		t.Errorf("distances change by %g", d)
	}
	if got := At(mgl64.Vec3{1, 2, 3}).Point(mgl64.Vec3{1, 0, 0}); got != (mgl64.Vec3{2, 2, 3}) {
		t.Errorf("At: %v", got)
	}
	if Identity().Point(x) != x {
		t.Error("the identity moves points")
	}
}

func TestOrthogonal(t *testing.T) {
	turned := mgl64.QuatRotate(1.1, mgl64.Vec3{1, 2, -1}.Normalize()).Mat4().Mat3()
	if !Orthogonal(turned) || !Orthogonal(turned.Mul(-1)) {
		t.Error("a rotation and a reflection are orthogonal")
	}
	for _, bad := range []mgl64.Mat3{turned.Mul(1 + 1e-8), {1, 0, 0, 1, 0, 0, 0, 0, 1}, {}, turned.Mul(math.NaN())} {
		if Orthogonal(bad) {
			t.Errorf("%v passes", bad)
		}
	}
}

func TestProperPoses(t *testing.T) {
	turned := mgl64.QuatRotate(1, mgl64.Vec3{0, 0, 1})
	for _, c := range []struct {
		pose Pose
		want bool
	}{
		{Identity(), true}, {At(mgl64.Vec3{Farthest, -Farthest, 0}), true}, {Pose{Rotation: turned.Scale(-1.0005)}, true},
		{Pose{}, false}, {At(mgl64.Vec3{2 * Farthest, 0, 0}), false}, {At(mgl64.Vec3{0, math.NaN(), 0}), false}, {At(mgl64.Vec3{0, 0, math.Inf(-1)}), false},
		{Pose{Rotation: turned.Scale(0.99)}, false}, {Pose{Rotation: mgl64.Quat{W: math.NaN()}}, false}, {Pose{Rotation: mgl64.Quat{W: math.Inf(1)}}, false},
	} {
		if got := c.pose.Proper(); got != c.want {
			t.Errorf("%v: %t", c.pose, got)
		}
	}
}

// Log undoes Exp, and takes the short way round.
func TestLogUndoesExp(t *testing.T) {
	for _, v := range []mgl64.Vec3{{}, {1e-9, 0, 0}, {0.3, -0.2, 0.9}, {0, 3.1, 0}} {
		q := Exp(v)
		for _, q := range []mgl64.Quat{q, q.Scale(-1)} {
			if got := Log(q); !(got.Sub(v).Len() <= 1e-14*(1+v.Len())) {
				t.Errorf("Log(Exp(%v)) = %v", v, got)
			}
		}
	}
}
