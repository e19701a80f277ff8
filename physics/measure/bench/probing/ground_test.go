package probing

import (
	"testing"

	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
	"hapco/physics/worlds/finitestrain"
	"hapco/physics/worlds/tissue"
)

// A hand may press, drag and let go of an organ at large strains as of a linear one, and
// the same judge looks: what is wrong there is seen.
func TestNonlinearArena(t *testing.T) {
	testkit.Slow(t)
	_, text, err := setting.FileText("liver")
	if err != nil {
		t.Fatal(err)
	}
	s, err := finitestrain.Read("liver", text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewArenaOf(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	g := Gesture{At: a.start, Rotation: a.held, Friction: 0.3, Moves: []Move{{Way: vec{0, -18e-3, 0}, Row: 1e-3}, {Way: vec{8e-3, 0, 0}, Row: 1e-3}}}
	v, err := a.Judge(t.Context(), &g, JudgeOptions{})
	if err != nil || len(v.Breaches) > 0 {
		t.Fatalf("%v, %+v", err, v.Breaches)
	}
	if !(v.Press > 1) || !(v.Force > 0.5) {
		t.Fatalf("the hand felt %g N, a straight press %g", v.Force, v.Press)
	}
	a.seen = &crooked{anyGround: a.ground.(*anyGround)}
	if v, err = a.Judge(t.Context(), &g, JudgeOptions{}); err != nil || !v.has(Inverted) || !v.has(Deformed) {
		t.Errorf("%v, %+v: neither the element that is turned over nor the node that stays away is seen", err, v.Breaches)
	}
	a.ground.hang(nil)
	for _, c := range []struct {
		seen simulation
		wild bool
	}{{a.ground, false}, {&heavy{a.ground.(*anyGround)}, true}} {
		a.seen = c.seen
		if v, err = a.Judge(t.Context(), &g, JudgeOptions{}); err != nil || v.has(Force) != c.wild {
			t.Errorf("on the hand's spring: %v, %+v", err, v.Breaches)
		}
	}
}

// heavy says that the tool meets more than it does.
type heavy struct{ *anyGround }

func (h *heavy) Force() (force, torque vec) {
	force, torque = h.anyGround.Force()
	return force.Mul(1.5), torque
}

// crooked says that an element is turned over, and a node away.
type crooked struct{ *anyGround }

func (c *crooked) Step(target frame.Pose) bool { return c.anyGround.Step(target) }

func (c *crooked) Snapshot(s *tissue.Snapshot) {
	c.anyGround.Snapshot(s)
	s.Inverted = 1
	for i := range s.Surfaces {
		s.Surfaces[i].Vertices[0][0] += 1e-3
	}
}
