package rigid

import (
	"testing"

	"hapco/physics"
)

// A tool that lets go of a body that it is in leaves it without a blow, and meets it again once it has been out.
func TestLettingGoIsNoBlow(t *testing.T) {
	l := openLive(t, "leave.toml", "kind = \"rigid\"\nstep = \"1 ms\"\ngravity = 0\n[tool]\nradius = 0.02\nposition = [0.1, 0, 0]\n[[body]]\nname = \"b\"\nform = \"ball\"\nradius = 0.03\ndensity = 1000\nposition = [0, 0, 0]\n")
	w, g := l.world, l.world.hands[0]
	b := w.moved[0]
	to := l.Info().Start
	step := func(x float64, n int) {
		for range n {
			to.Position[0] += (x - to.Position[0]) / 20
			l.Step(physics.Input{Target: to, Hand: to, Dt: 1e-3})
		}
	}
	g.take(b, vec3{})
	step(0.06, 100)
	b.X = g.Tool.X.Sub(vec3{0.035, 0, 0}) // drawn 15 mm into it
	b.V, b.W = vec3{}, vec3{}
	g.Release()
	step(to.Position[0]-0.005, 20)
	if v := b.V.Len(); v > 1e-6 {
		t.Errorf("let go in the tool, the body flies off at %.3g m/s", v)
	}
	step(b.X[0]+0.08, 200) // out
	step(b.X[0]+0.045, 200)
	if gap := g.Tool.X.Sub(b.X).Len() - 0.05; gap < -1e-3 || b.V.Len() == 0 {
		t.Errorf("pushed from outside it moves at %.3g m/s, %.3g m in the tool", b.V.Len(), -gap)
	}
}

// A world that is made anew for another step, gravity or integrator goes on with what the hand holds. A tool that is in
// a body which touched nothing till then meets it only once it is out.
func TestAHandGoesOnInAWorldMadeAnew(t *testing.T) {
	l := openLive(t, "anew.toml", "kind = \"rigid\"\nstep = \"1 ms\"\ngravity = 0\nintegrator = \"C1\"\n[tool]\nradius = 0.02\nposition = [0.1, 0, 0]\n[[body]]\nname = \"b\"\nform = \"ball\"\nradius = 0.03\ndensity = 1000\nposition = [0, 0, 0]\nintegrator = \"scene\"\n")
	set := func(key string, v float64) {
		t.Helper()
		keys := l.Keys()
		if err := keys[physics.Place(keys, key)].Set(v); err != nil {
			t.Fatal(key, err)
		}
	}
	to := l.Info().Start
	to.Position[0] = 0.04
	for range 200 {
		l.Step(physics.Input{Target: to, Hand: to, Dt: 1e-3})
	}
	set("integrator", 0)
	for range 20 {
		l.Step(physics.Input{Target: to, Hand: to, Dt: 1e-3})
	}
	b := l.world.moved[0]
	if v := b.V.Len(); v > 1e-6 || len(l.world.hands[0].left) != 1 {
		t.Errorf("the body that touches from now on flies off at %.3g m/s", v)
	}
	l.world.hands[0].grabAt(vec3{0, 0.03, 0})
	before := *l.world.hands[0]
	set("gravity", 1)
	set("step", 0.5e-3)
	after := l.world.hands[0]
	if after.held != l.world.moved[0] || after.at != before.at || after.on != before.on || after.k != before.k || !after.swings || len(after.left) != 1 {
		t.Errorf("of %+v is left %+v", before, *after)
	}
}
