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
