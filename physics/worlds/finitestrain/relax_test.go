package finitestrain

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/solid"
)

// relaxing is a block under a ball, whose shear modulus relaxes as prony says.
func relaxing(t *testing.T, element, law string, young, nu float64, prony string) *world {
	return openWorld(t, "x.toml", fmt.Sprintf("kind = \"finite-strain\"\nfriction = 0\n[body]\nbox.size = [0.1, 0.06, 0.1]\nbox.elements = [3, 2, 3]\nE = %g\nnu = %g\nlaw = %q\nelement = %q\nclamp = \"bottom\"\n%s"+
		"[tool]\nradius = 2\nposition = [0.05, 2.0605, 0.05]\n", young, nu, law, element, prony))
}

// holdDown lets a tool go down so far, and stand there for so many seconds.
func (w *world) holdDown(t *testing.T, deep, seconds float64) float64 {
	t.Helper()
	to := w.info.Start
	to.Position[1] -= deep
	force := 0.0
	for range int(math.Round(seconds / relaxStep)) {
		r := w.Step(physics.Input{Target: to, Hand: to, Dt: relaxStep})
		if force = r.Force[1]; r.Advanced != relaxStep {
			t.Fatalf("a step advances by %g s", r.Advanced)
		}
	}
	return force
}

// A block that is pressed answers as its law at first; held, the force falls as the relaxation function says, to that
// of the law with what is left of its shear modulus and the same bulk modulus; let go, it comes back to where it was.
func TestBodiesRelax(t *testing.T) {
	const young, nu, deep = 10e3, 0.48, 0.006
	prony := solid.Prony{G: []float64{0.3, 0.4}, Tau: []float64{0.1, 0.5}}
	const text = "prony = [[0.3, 0.1], [0.4, 0.5]]\n"
	lambda, mu := solid.Lame(young, nu)
	kappa, left := lambda+2*mu/3, mu*prony.Infinity()
	slackYoung, slackNu := 9*kappa*left/(3*kappa+left), (3*kappa-2*left)/(2*(3*kappa+left))
	for _, c := range [][2]string{{"hex8", "neo-hookean"}, {"tet4", "corotational"}, {"tet4", "ogden"}} {
		if testing.Short() && c[0] != "hex8" {
			continue
		}
		still := relaxing(t, c[0], c[1], young, nu, "")
		to := still.info.Start
		to.Position[1] -= deep
		first := still.reach(t, to).Force[1]
		w := relaxing(t, c[0], c[1], young, nu, text)
		if got := w.holdDown(t, deep, 0.004); math.Abs(got/first-1) > 0.04 {
			t.Errorf("%s: at first %.4g N, the law says %.4g", c, got, first)
		}
		times, forces := []float64{0.1, 0.3, 0.8}, []float64{}
		for _, now := range times {
			forces = append(forces, w.holdDown(t, deep, now-w.steps.time))
		}
		last := w.holdDown(t, deep, 10)
		for i, now := range times {
			got, want := (forces[i]-last)/(first-last), (prony.At(now)-prony.Infinity())/(1-prony.Infinity())
			if math.Abs(got-want) > 0.07 {
				t.Errorf("%s: after %g s %.3g of what relaxes is left, not %.3g", c, now, got, want)
			}
		}
		slack, n := relaxing(t, c[0], c[1], slackYoung, slackNu, ""), len(w.engine.Shown.X)
		got, want := make([]float64, n), make([]float64, n)
		w.engine.cells.Forces(got, w.engine.Shown.X)
		slack.engine.cells.Forces(want, w.engine.Shown.X)
		off, most := 0.0, 0.0
		for i := range want {
			off, most = math.Max(off, math.Abs(got[i]-want[i])), math.Max(most, math.Abs(want[i]))
		}
		if off > 2e-3*most {
			t.Errorf("%s: in the end forces are off by %.3g of %.3g N", c, off, most)
		}
		if got, want := w.engine.Energy(), slack.engine.body.Energy(w.engine.Shown.X); math.Abs(got/want-1) > 0.02 {
			t.Errorf("%s: in the end %.4g J are stored, not %.4g", c, got, want)
		}
		if got := w.holdDown(t, -0.01, 8); got != 0 || longest(triples(displacements(w.engine.body, w.engine.Shown.X))) > 0.02*deep {
			t.Errorf("%s: let go, %g N and %g m are left", c, got, longest(triples(displacements(w.engine.body, w.engine.Shown.X))))
		}
		w.Reset()
		if got := w.holdDown(t, deep, 0.004); math.Abs(got/first-1) > 0.04 {
			t.Errorf("%s: after a reset %.4g N, not %.4g", c, got, first)
		}
	}
}

// A step in which bodies relax allocates nothing and repeats to the bit, and a material brings its own relaxation.
func TestRelaxationOfAMaterial(t *testing.T) {
	w := relaxing(t, "tet4", "neo-hookean", 3000, 0.4, "material = \"brain\"\n")
	if w.OwnStep() != relaxStep || !w.info.Advances {
		t.Fatalf("brain does not relax: own step %g s", w.OwnStep())
	}
	first := w.holdDown(t, 0.004, 0.01)
	if later := w.holdDown(t, 0.004, 1); !(later < 0.75*first) {
		t.Errorf("a second later brain bears %.3g of %.3g N", later, first)
	}
	again := relaxing(t, "tet4", "neo-hookean", 3000, 0.4, "material = \"brain\"\n")
	again.holdDown(t, 0.004, 0.01)
	again.holdDown(t, 0.004, 1)
	if !slices.Equal(again.engine.Shown.X, w.engine.Shown.X) {
		t.Error("the same steps come to other places")
	}
	to := w.info.Start
	to.Position[1] -= 0.004
	if !testkit.Race {
		n := 0.0
		for range 3 { // in the first ones nodes come into reach
			n = testing.AllocsPerRun(50, func() { w.Step(physics.Input{Target: to, Hand: to, Dt: relaxStep}) })
		}
		if n > 0 {
			t.Errorf("a step allocates %g times", n)
		}
	}
	skin := relaxing(t, "tet4", "neo-hookean", 3000, 0.4, "prony = [[0.5, 1]]\nskin_thickness = 0.5e-3\nskin_E = 1e4\n")
	before := skin.holdDown(t, 0.004, 0.2)
	for _, k := range skin.Keys() {
		if k.Name == "body.E" || k.Name == "body.skin_E" {
			if err := k.Set(2 * k.Get()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if after := skin.holdDown(t, 0.004, 0.01); math.Abs(after/(2*before)-1) > 0.03 {
		t.Errorf("twice as stiff it bears %.4g N, before %.4g", after, before)
	}
	still := relaxing(t, "tet4", "neo-hookean", 3000, 0.4, "material = \"brain\"\nprony = []\n")
	if still.OwnStep() != 0 {
		t.Error("an empty series does not turn the relaxation off")
	}
	for _, text := range []string{"prony = [0.5]\n", "prony = [[0.6, 1], [0.5, 2]]\n", "prony = [[0.5, 0]]\n", "prony = 3\n", "prony = [[-0.1, 1]]\n", "prony = [[0.1, 1, 2]]\n", "prony = [[nan, 1]]\n"} {
		if _, err := Read("x", []byte("kind = \"finite-strain\"\n[body]\nbox.size = [0.1, 0.06, 0.1]\nbox.elements = [6, 4, 6]\nE = 1000\n"+text+"[tool]\nradius = 0.03\n")); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// A body that is let go counts as in equilibrium from where its nodes stand within a share of a layer of where they come to
// rest; the tool has reached its place once they stand there.
func TestWhatIsLetGoComesToRest(t *testing.T) {
	l := liveBody(t, 7, "neo-hookean", func(o *LiveOptions) { o.Lag, o.Patch = 4, 0 })
	defer l.Close()
	hand, in := mgl64.Vec3{0.05, 0.05, 0.105}, 0
	l.reach(t, hand)
	l.Options.Corrections = 1
	far := func() float64 { return longest(triples(displacements(l.body, l.X))) }
	for range 100 {
		hand[2] = math.Min(hand[2]+1e-3, 0.15)
		if r := l.lead(hand); r.Settled && r.Pressed == 0 {
			if in++; far() > l.Options.Accept*layerThick*l.Options.Reach {
				t.Errorf("an equilibrium %.3g um from rest", 1e6*far())
			}
		}
		if l.report.Reached {
			break
		}
	}
	if in < 2 || !l.report.Reached || far() > 1e-9 {
		t.Errorf("%d equilibria until the tool is there, %g m from rest", in, far())
	}
}
