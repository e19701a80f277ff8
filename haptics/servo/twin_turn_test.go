package servo

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// A tool that hangs on the hand by a spring rests where spring and tissue balance, turned as well as moved. The servo
// has the same spring, so it feels the spring's force there, also of a device that sends no torque: with a stylus that
// it turned rigidly with the hand the force would be off by newtons.
func TestTurnedHoldIsTheSprings(t *testing.T) {
	const tissue, lever = 100.0, 0.1 // N/m, m
	p := testParams()
	p.Stiffness, p.Damping = 400, 4
	p.Turn(lever)
	if p.MaxTorque != 0 || math.Abs(p.AngleStiffness-4) > 1e-12 || math.Abs(p.AngleDamping-0.04) > 1e-12 {
		t.Fatalf("a device without torque turns by %g N m/rad, damped by %g", p.AngleStiffness, p.AngleDamping)
	}
	tip := mgl64.Vec3{0, -lever, 0}
	hand := frame.Pose{Rotation: mgl64.QuatRotate(math.Pi/3, mgl64.Vec3{0, 0, 1})}
	hand.Position = mgl64.Vec3{0, -0.02, 0}.Sub(hand.Rotation.Rotate(tip)) // its tip 20 mm deep, where it sticks to x = -10 mm
	stuck := mgl64.Vec3{-0.01, 0, 0}
	// Tool and tissue in balance: T = hand + force / K, turned by moment / K_rot, as twice the vector part.
	tool := hand
	var force, arm mgl64.Vec3
	for range 200 {
		arm = tool.Rotation.Rotate(tip)
		force = tool.Position.Add(arm).Sub(stuck).Mul(-tissue)
		turn := arm.Cross(force).Mul(0.5 / p.AngleStiffness)
		tool.Position = hand.Position.Add(force.Mul(1 / p.Stiffness))
		tool.Rotation = (mgl64.Quat{W: math.Sqrt(1 - turn.LenSqr()), V: turn}).Mul(hand.Rotation)
	}
	m := newWall(tissue, 0, 1, 1, 0).model
	m.SetN(1)
	m.Origin, m.Rotation, m.Arm[0], m.Mu[0] = tool.Position, tool.Rotation, arm, 1e3
	m.Frame[0] = [3]mgl64.Vec3{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}
	clear(m.W)
	for d := range 3 {
		m.R[d], m.W[4*d] = force.Dot(m.Frame[0][d]), 1/tissue
		m.Free[d] = -m.W[4*d] * m.R[d] // in balance nothing is open, and nothing slips
	}
	m.FillRigid()
	off := func(p haptics.Params) float64 {
		k := newTwin(rate, 0)
		var rec haptics.Record
		free := local.Model{}
		local.Make(&free, 1)
		free.Rotation = mgl64.QuatIdent()
		for i := range 500 {
			at := &free
			if i >= 20 { // the ramp is over
				at = &m
			}
			k.Tick(&haptics.Input{State: haptics.State{Pose: hand}}, at, i == 0 || i == 20, &p, &rec)
		}
		return mgl64.Vec3(rec.Raw).Sub(force).Len()
	}
	if x := off(p); x > 1e-3 {
		t.Errorf("the force felt is %.3f N off the spring's", x)
	}
	p.AngleStiffness = 0
	if x := off(p); x < 0.1 {
		t.Errorf("a stylus that turns rigidly feels the same to %.3f N: this test shows nothing", x)
	}
}
