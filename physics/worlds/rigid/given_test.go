package rigid

import (
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
	if k, _ := l.world.Energy(); !(k > 0) {
		t.Fatal("nothing moves")
	} else if e := unexplained(); e > 1e-6*k {
		t.Errorf("%g J come from nowhere, of %g J", e, k)
	}
}
