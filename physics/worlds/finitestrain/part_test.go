package finitestrain

import (
	"fmt"
	"math"
	"strings"
	"testing"
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
					sum, count = sum-w.engine.Shown[3*n+1], count+1
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
