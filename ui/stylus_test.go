package ui

import (
	"testing"

	"hapco/physics"
)

// The second button of a stylus turns a switch that has a key of its own, once a press;
// the first does not, nor one that must be held for force.
func TestStylusButtonTurnsSwitch(t *testing.T) {
	s := newFake("grip")
	s.keys = []physics.Key{{Name: "plain", Switch: true}, {Name: "grip", Label: "Grip", Switch: true, Press: "X"}}
	a := assemble(&Options{}, nil)
	a.scene.session, a.scene.keys, a.scene.values = s, s.keys, make([]float64, 2)
	press := func(buttons uint32) {
		a.scene.status.Last.Buttons = buttons
		a.stylusPressed(a.haptic.pressed())
	}
	for i, step := range []struct {
		buttons uint32
		want    float64
	}{{0, 0}, {1, 0}, {3, 1}, {2, 1}, {0, 1}, {2, 0}, {0, 0}} {
		press(step.buttons)
		if a.scene.values[1] != step.want || a.scene.values[0] != 0 {
			t.Errorf("%d: buttons %b: %v", i, step.buttons, a.scene.values)
		}
	}
	a.changes.slots[0].now, a.changes.slots[1].now = &state{}, &state{}
	if press(0); a.changes.slot != 0 {
		t.Error("a button that goes up turns the slot")
	}
	if press(2); a.changes.slot != 0 || a.scene.values[1] != 1 {
		t.Errorf("the switch has the button, but slot %d, %v", a.changes.slot, a.scene.values)
	}
	press(0)
	press(2)
	press(0)
	p := s.Servo().Params()
	p.DeadMan = stylusButton
	s.Servo().SetParams(p)
	if press(2); a.scene.values[1] != 0 {
		t.Error("the button that must be held for force turns the switch")
	}
}
