package rigid

import (
	"math"
	"testing"

	"hapco/assets"
	"hapco/physics"
)

// What moves when a world is made anew around its bodies, as some keys ask for, was there
// before: it does not come from nowhere.
func TestWorldMadeAnewKeepsItsAccount(t *testing.T) {
	text, err := assets.Scene("two-hands")
	if err != nil {
		t.Fatal(err)
	}
	l := openLive(t, "two-hands", string(text))
	unexplained := func() float64 {
		for _, e := range l.Account(false) {
			if e.Name == physics.EnergyUnexplained {
				return e.Value.(float64)
			}
		}
		t.Fatal("no account of energy")
		return 0
	}
	step := func(n int) {
		for range n {
			l.Step(physics.Input{Target: l.info.Start, Hand: l.info.Start, Dt: l.world.Config.Step})
		}
	}
	step(1)
	for i := range l.parts { // everything is under way
		l.parts[i].body.V = vec3{0.3, 0, 0}
	}
	if err := l.rebuild(); err != nil {
		t.Fatal(err)
	}
	step(5)
	if k, _ := l.world.energy(); !(k > 0) {
		t.Fatal("nothing moves")
	} else if e := unexplained(); e > 1e-6*k {
		t.Errorf("%g J come from nowhere, of %g J", e, k)
	}
}

// Energy adds up in worlds with joints, to rounding where nothing strikes; and where no hand tears
// them apart joints give next to none themselves, in shocks, too.
func TestJointsAreAccountedFor(t *testing.T) {
	for scene, strikes := range map[string]bool{"sliding-pendulum": false, "double-pendulum": true, "newton-rods": true} {
		text, err := assets.Scene(scene)
		if err != nil {
			t.Fatal(err)
		}
		l := openLive(t, scene, string(text))
		w := l.world
		joints, gave := 0.0, 0.0
		for range 1500 {
			l.Step(physics.Input{Target: l.info.Start, Hand: l.info.Start, Dt: w.Config.Step})
			joints += w.stats.Joints
			gave = max(gave, joints)
		}
		moved, left := w.given.moved, w.kinetic()-w.kinetic0-w.given.sum
		t.Logf("%s: %.3g J moved, joints gave %.3g J at most, %.3g J in all, %.3g J are left", scene, moved, gave, joints, left)
		if !(moved > 0.01) || joints == 0 || gave > 1e-3*moved {
			t.Errorf("%s: joints gave %g J of %g", scene, gave, moved)
		}
		if left > 1e-9*moved || !strikes && left < -1e-9*moved || strikes && !(left < 0) {
			t.Errorf("%s: %g J of %g are left", scene, left, moved)
		}
	}
}

// A tool that is slowed down or driven on while it strikes gives what it gives, and no more comes up.
func TestToolsThatStrikeAreAccountedFor(t *testing.T) {
	text, err := assets.Scene("newton-rods")
	if err != nil {
		t.Fatal(err)
	}
	l := openLive(t, "newton-rods", string(text))
	w, hand := l.world, l.info.Start
	struck, most, last := 0, 0.0, 0.0
	for n := range 2000 { // before the last ball, to and fro, at 10 Hz and 0.75 m/s at most
		s := w.Config.Step * float64(n)
		hand.Position = vec3{0.112 + 0.012*math.Cos(2*math.Pi*10*s), 0.06, 0}
		l.Step(physics.Input{Target: hand, Hand: hand, Dt: w.Config.Step})
		if w.stats.Loaded > 0 && w.hands[0].reaction.force.Len() > 0 {
			struck++
		}
		left := w.kinetic() - w.kinetic0 - w.given.sum
		most, last = max(most, left-last), left
	}
	t.Logf("struck in %d steps, %.3g J moved, %.3g J too much in a step at most", struck, w.given.moved, most)
	if struck < 5 || !(most <= 1e-9*w.given.moved) {
		t.Errorf("struck in %d steps, %g J of %g came from nowhere", struck, most, w.given.moved)
	}
}

// A tool that is shaken while it presses a body against another drags it by friction, and gives what it gives.
func TestToolsThatRubAreAccountedFor(t *testing.T) {
	text, err := assets.Scene("two-hands")
	if err != nil {
		t.Fatal(err)
	}
	l := openLive(t, "two-hands", string(text))
	w, hand := l.world, l.info.Start
	pressed, most, last := 0, 0.0, 0.0
	for n := range 2000 { // down on the box, and to and fro on it, at 200 Hz
		s := w.Config.Step * float64(n)
		hand.Position = vec3{0.002 * math.Cos(2*math.Pi*200*s), 0.081 + 0.003*math.Cos(2*math.Pi*90*s), 0.03 * s}
		l.Step(physics.Input{Target: hand, Hand: hand, Dt: w.Config.Step})
		if w.hands[0].reaction.force.Len() > 0 {
			pressed++
		}
		left := w.kinetic() - w.kinetic0 - w.given.sum
		most, last = max(most, left-last), left
	}
	t.Logf("pressed in %d steps, %.3g J moved, %.3g J too much in a step at most", pressed, w.given.moved, most)
	if pressed < 100 || !(most <= 1e-9*w.given.moved) {
		t.Errorf("pressed in %d steps, %g J of %g came from nowhere", pressed, most, w.given.moved)
	}
}
