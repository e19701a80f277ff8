package tissue

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// freeHand is an ordinary device's spring.
var freeHand = physics.Coupling{Stiffness: 400, Angle: 400 * 0.05 * 0.05, Limit: 3.465}

// A tool that hangs on the hand is with it in free air, and at rest as far from it as the contact forces draw
// the spring: never farther than it saturates, whatever it is pressed on. What the hand feels between steps is
// the problem of a tool in its place.
func TestToolHangsOnTheHand(t *testing.T) {
	for _, c := range []struct {
		scene string
		set   []string
		way   []mgl64.Vec3 // mm
	}{
		{"liver-linear", nil, []mgl64.Vec3{{0, -26, 0}, {14, -26, 30}}},
		{"block-linear", nil, []mgl64.Vec3{{0, -90, 0}}},                                    // onto its held bottom
		{"stiff-corner", []string{"friction=0.9"}, []mgl64.Vec3{{0, -40, 0}, {60, -40, 0}}}, // far into what is held
	} {
		w := loadWorld(t, c.scene, c.set...)
		w.Hang(freeHand)
		var m local.Model
		local.Make(&m, 0)
		touched, drawn := 0, 0.0
		gesture(t, w, c.way, func(at mgl64.Vec3) {
			hand := w.StartPose().Position.Add(at.Mul(1e-3))
			force, _ := w.Force()
			stretch := hand.Sub(w.Pose().Position)
			if drawn = max(drawn, force.Len()); !(force.Len() <= freeHand.Limit*1.01) {
				t.Fatalf("%s at %v: %g N", c.scene, at, force.Len())
			}
			if force.Len() == 0 {
				if w.Stats().Open == 0 && stretch.Len() > 1e-12 {
					t.Fatalf("%s at %v: %v m behind the hand in free air", c.scene, at, stretch)
				}
				return
			}
			touched++
			if want := min(freeHand.Limit, freeHand.Stiffness*stretch.Len()); w.last.reached && math.Abs(force.Len()-want) > 0.02*want+1e-6 {
				t.Fatalf("%s at %v: %g N on a spring that is drawn %g N", c.scene, at, force.Len(), want)
			}
			w.Model(&m)
			if m.Extra > 0 {
				return
			}
			felt, _ := m.Resultant(m.R)
			if felt.Sub(force).Len() > 1e-9 {
				t.Fatalf("%s at %v: %v N are felt, and are %v", c.scene, at, felt, force)
			}
			for a := range 3 * m.N {
				x := m.Free[a]
				for b, r := range m.R[:3*m.N] {
					x += m.W[3*m.N*a+b] * r
				}
				if want := w.set.x[3*int(w.hand.mine[a/3])+a%3]; math.Abs(x-want) > 1e-9 {
					t.Fatalf("%s at %v: contact %d is at %g m in the hand's model, and at %g", c.scene, at, a/3, x, want)
				}
			}
		})
		if touched < 10 || drawn < 0.1 {
			t.Errorf("%s: touched in %d steps, %g N", c.scene, touched, drawn)
		}
	}
}

// A turn of the hand turns the tool as far as the spring does.
func TestToolHangsByItsTurn(t *testing.T) {
	w := loadWorld(t, "liver-linear")
	w.Hang(freeHand)
	gesture(t, w, []mgl64.Vec3{{0, -12, 0}}, func(mgl64.Vec3) {})
	hand := w.StartPose()
	hand.Position[1] -= 12e-3
	hand.Rotation = frame.Renormal(frame.Exp(mgl64.Vec3{0, 0, 0.3}).Mul(hand.Rotation))
	for range 200 {
		w.Step(hand)
	}
	_, moment := w.Force()
	turn := frame.Log(hand.Rotation.Mul(w.Pose().Rotation.Conjugate()))
	if off := turn.Mul(freeHand.Angle).Add(moment).Len(); !(off < 1e-3*moment.Len()) || moment.Len() < 1e-4 {
		t.Errorf("%v rad behind with %v N m", turn, moment)
	}
}

// Where a hand pulls out at once the tool comes no faster than contacts are found, and then is with it.
func TestHungToolMakesSteps(t *testing.T) {
	w := loadWorld(t, "liver-linear")
	w.Hang(freeHand)
	gesture(t, w, []mgl64.Vec3{{0, -26, 0}}, func(mgl64.Vec3) {})
	hand := w.StartPose()
	hand.Position[1] += 30e-3
	n := 0
	for last := w.Pose(); !w.Step(hand) || w.Pose() != hand; last = w.Pose() {
		if way := w.Pose().Position.Sub(last.Position).Len(); !(way <= w.allowed(way)*(1+1e-9)) {
			t.Fatalf("%g m in a step", way)
		}
		if n++; n > 500 {
			t.Fatal("the tool does not come to the hand")
		}
	}
}

// A hung tool costs no memory in steady steps.
func TestHungStepsDoNotAllocate(t *testing.T) {
	w := loadWorld(t, "liver-linear")
	w.Hang(freeHand)
	gesture(t, w, []mgl64.Vec3{{0, -20, 0}, {10, -20, 0}, {0, -20, 0}}, func(mgl64.Vec3) {})
	hand, n := w.StartPose(), 0
	hand.Position[1] -= 20e-3
	if mean := testing.AllocsPerRun(100, func() {
		n++
		hand.Position[0] += 1e-4 * float64(1-n%3)
		w.Step(hand)
	}); mean != 0 {
		t.Errorf("%g allocations a step", mean)
	}
}
