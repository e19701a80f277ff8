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
	a := &app{session: s, keys: s.keys, values: make([]float64, 2)}
	for i, step := range []struct {
		buttons uint32
		want    float64
	}{{0, 0}, {1, 0}, {3, 1}, {2, 1}, {0, 1}, {2, 0}, {0, 0}} {
		a.stylusPressed(step.buttons)
		if a.values[1] != step.want || a.values[0] != 0 {
			t.Errorf("%d: buttons %b: %v", i, step.buttons, a.values)
		}
	}
	a.slots[0].now, a.slots[1].now = &state{}, &state{}
	if a.stylusPressed(0); a.slot != 0 {
		t.Error("a button that goes up turns the slot")
	}
	if a.stylusPressed(2); a.slot != 0 || a.values[1] != 1 {
		t.Errorf("the switch has the button, but slot %d, %v", a.slot, a.values)
	}
	a.stylusPressed(0)
	a.stylusPressed(2)
	a.stylusPressed(0)
	p := s.Servo().Params()
	p.DeadMan = stylusButton
	s.Servo().SetParams(p)
	if a.stylusPressed(2); a.values[1] != 0 {
		t.Error("the button that must be held for force turns the switch")
	}
}
