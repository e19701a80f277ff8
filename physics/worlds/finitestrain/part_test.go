package finitestrain

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/frame"
)

// A column hangs from its top by its weight, whose lower half is another material: each half grows longer as the load on
// it over its own E says, whatever the element, and as E is changed while it lives.
func TestPartsInSeries(t *testing.T) {
	const length, upper, lower, density, g = 0.2, 2e5, 5e4, 1000, 9.81
	for _, element := range elements {
		text := fmt.Sprintf("kind = \"finite-strain\"\ngravity = %g\n[body]\nlaw = \"corotational\"\nbox.size = [0.02, %g, 0.02]\nbox.elements = [2, 20, 2]\nE = %g\nnu = 0\ndensity = %d\nclamp = \"top\"\nelement = %q\n"+
			"[tool]\nradius = 0.02\nposition = [0.2, 0, 0]\n[[part]]\nname = \"lump\"\ncentre = [0.01, -999.9, 0.01]\nradius = 1000\nE = %g\n", g, length, upper, density, element, lower)
		long := func(w *world) float64 {
			sum, count := 0.0, 0.0
			for n, x := range w.engine.body.Mesh.Nodes {
				if x[1] == 0 {
					sum, count = sum-w.engine.Shown.X[3*n+1], count+1
				}
			}
			return sum / count
		}
		way := func(lower float64) float64 { return density * g * length * length * (3./8/upper + 1./8/lower) }
		for _, young := range []float64{lower, 2 * lower} {
			w := openWorld(t, "x.toml", text, fmt.Sprintf("lump.E=%g", young))
			if got := long(w); math.Abs(got/way(young)-1) > 0.02 {
				t.Errorf("%s: %g m longer, want %g", element, got, way(young))
			}
			key := -1
			for i, k := range w.Keys() {
				if k.Name == "lump.E" {
					key = i
				}
			}
			if key < 0 {
				t.Fatal("the part has no key")
			}
		}
	}
}

// The lump of scene hidden-lump is there to be felt: a press meets twice as much over it as beside it, and more.
func TestTheHiddenLumpIsFelt(t *testing.T) {
	text, err := assets.Scene("hidden-lump")
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read("hidden-lump", text)
	if err != nil {
		t.Fatal(err)
	}
	lump := read.(*SceneFile).Parts[0].Centre
	for _, deep := range []float64{1e-3, 4e-3, 9e-3} {
		press := func(x float64) float64 {
			w := openWorld(t, "hidden-lump", "")
			down := frame.At(mgl64.Vec3{x, w.info.Start.Position[1], lump[2]})
			w.reach(t, down)
			down.Position[1] = 0.039 - deep // a probe of 5 mm on a slab of 34 mm
			return w.reach(t, down).Force[1]
		}
		on, off := press(lump[0]), press(-lump[0])
		if !(on > 2*off) {
			t.Errorf("%g mm deep: %.3g N over the lump, %.3g N beside it", 1e3*deep, on, off)
		}
	}
}

// Parts that cannot be are told in one line.
func TestPartsRefuse(t *testing.T) {
	const head = "kind = \"finite-strain\"\n[body]\nbox.size = [0.1, 0.1, 0.1]\nbox.elements = [2, 2, 2]\nE = 5000\n[tool]\nradius = 0.02\nposition = [0.2, 0, 0]\n[[part]]\n"
	for text, want := range map[string]string{
		"radius = 0.02\n": "E",
		"E = 100\n":       "radius",
		"E = 100\nradius = 0.1\nbody = \"stomach\"\n":   "body",
		"E = 100\nradius = 0.1\nnu = 0.5\n":             "nu",
		"E = 100\nradius = 0.1\nname = \"organ\"\n":     "name",
		"E = 100\nset = \"a\"\nradius = 0.1\n":          "radius",
		"E = 100\nset = \"a\"\n":                        "element sets",
		"E = 100\nradius = 0.001\ncentre = [9, 9, 9]\n": "no element is in it",
	} {
		s, err := Read("x.toml", []byte(head+text))
		if err == nil {
			_, _, err = s.(*SceneFile).open(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(strings.TrimSpace(err.Error()), "\n") {
			t.Errorf("%q: %v, want one line about %q", text, err, want)
		}
	}
}

// A skin makes a hanging column stiffer by its E times its thickness times the girth, and by up to a third more where
// it is held across.
func TestSkinHolds(t *testing.T) {
	const length, side, young, skin, thickness = 0.2, 0.02, 1e5, 1e6, 2e-4
	long := func(set ...string) float64 {
		w := openWorld(t, "x.toml", fmt.Sprintf("kind = \"finite-strain\"\ngravity = 9.81\n[body]\nbox.size = [%g, %g, %g]\nbox.elements = [2, 20, 2]\nE = %g\nnu = 0\nclamp = \"top\"\nelement = \"hex8\"\n"+
			"[tool]\nradius = 0.02\nposition = [0.2, 0, 0]\n", side, length, side, young), set...)
		low := 0.0
		for n, x := range w.engine.body.Mesh.Nodes {
			if x[1] == 0 {
				low -= w.engine.Shown.X[3*n+1]
			}
		}
		return low
	}
	bare := long()
	for _, more := range []float64{1, 3} {
		least := more * skin * 4 * side * thickness / (young * side * side)
		got := bare/long(fmt.Sprintf("body.skin_E=%g", more*skin), fmt.Sprintf("body.skin_thickness=%g", thickness)) - 1
		if got < 0.95*least || got > 1.4*least {
			t.Errorf("E of the skin %g: stiffer by %.3f, want %.3f to a third more", more*skin, got, least)
		}
	}
}

// Another E of a skin acts while it lives, as one from the start does; steps with a skin and a part allocate nothing.
func TestSkinLives(t *testing.T) {
	const text = "kind = \"finite-strain\"\nfriction = 0\n[body]\nbox.size = [0.1, 0.05, 0.1]\nbox.elements = [6, 3, 6]\nE = 5000\nnu = 0.4\nclamp = \"bottom\"\nskin_E = 1e5\nskin_thickness = 1e-3\n" +
		"[tool]\nkind = \"sphere\"\nradius = 0.02\nposition = [0.05, 0.071, 0.05]\n[[part]]\nname = \"lump\"\ncentre = [0.05, 0.02, 0.05]\nradius = 0.02\nE = 3e4\n"
	press := func(w *world) float64 {
		return w.reach(t, frame.At(w.info.Start.Position.Add(mgl64.Vec3{0, -0.006, 0}))).Force.Len()
	}
	w := openWorld(t, "x.toml", text)
	soft := press(w)
	right := press(openWorld(t, "x.toml", text, "body.skin_E=1e6", "lump.E=6e4"))
	w.now.Skin.Young, w.now.Parts[0].Young = 1e6, 6e4
	w.apply()
	for range 40 {
		w.Step(physics.Input{Target: w.shown.tool})
	}
	if got := press(w); math.Abs(got/right-1) > 0.02 || soft > 0.8*right {
		t.Errorf("%g N, then %g, from the start %g", soft, got, right)
	}
	w.engine.Options.Refresh = false
	at, i := w.shown.tool, 0
	step := func() {
		p := at
		p.Position[0] += 1e-4 * float64(i%2)
		i++
		w.Step(physics.Input{Target: p})
	}
	for range 30 {
		step()
	}
	if n := testing.AllocsPerRun(20, step); n > 0 {
		t.Errorf("%g allocations a step", n)
	}
}
