package finitestrain

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"hapco/physics/numerics/fem/solid"
)

// presetScene is a small block of a preset.
const presetScene = `
kind = "finite-strain"
[units]
length = "mm"
[body]
name = "block"
nu = 0.45
clamp = "bottom"
material = "%s"
[body.box]
origin = [0, 0, 0]
size = [20, 20, 20]
elements = [2, 2, 2]
[tool]
radius = 5
position = [10, 30, 10]
`

// What a preset names acts in a scene, or the scene says in one line that it does not: every
// preset, and every field that it has.
func TestPresetActsOrSaysSo(t *testing.T) {
	const nu = 0.45
	text := map[string]bool{"Name": true, "Source": true, "Remark": true, "Checked": true}
	for _, p := range solid.Presets() {
		open := func(set ...string) (*world, string) {
			s, err := Read("preset.toml", fmt.Appendf(nil, presetScene, p.Name))
			if err != nil {
				t.Fatal(err)
			}
			for _, assignment := range set {
				if err := s.Set(assignment); err != nil {
					t.Fatal(err)
				}
			}
			w, notes, err := s.(*SceneFile).open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { w.Close() })
			line := ""
			for _, n := range notes {
				if strings.Contains(n, "does not act") {
					if line != "" {
						t.Errorf("%s: more than one line: %q", p.Name, notes)
					}
					line = n
				}
			}
			if !strings.Contains(w.info.Surfaces[1].About, line) {
				t.Errorf("%s: the card says %q, not %q", p.Name, w.info.Surfaces[1].About, line)
			}
			return w, line
		}
		weightless, line := open()
		heavy, other := open("gravity=1", "body.E=1e9")
		mass := 0.0
		for _, m := range heavy.material.mass {
			mass += m
		}
		// The law at the scene's Poisson's ratio, of the preset's own numbers.
		f := solid.Mat3{1.2, 0.1, 0, 0, 0.9, 0.05, 0, 0, 1}
		var got, want solid.Mat3
		weightless.material.laws[0].Stress(&got, &f)
		lambda, mu := solid.Lame(2*p.Shear()*(1+nu), nu)
		kappa := lambda + 2*mu/3
		if law := solid.Law(solid.Ogden{Mu: p.Mu, Alpha: p.Alpha, Kappa: kappa}); len(p.Mu) == 1 && p.Alpha[0] == 2 {
			solid.NeoHookeanLog{Lambda: lambda, Mu: mu}.Stress(&want, &f)
		} else {
			law.Stress(&want, &f)
		}
		stress := 0.0
		for k := range got {
			stress = math.Max(stress, math.Abs(got[k]-want[k])/mu)
		}
		says := func(line string, words ...any) bool {
			for _, w := range words {
				if !strings.Contains(line, fmt.Sprint(w)) {
					return false
				}
			}
			return true
		}
		acts := map[string]bool{
			"Mu":      stress < 1e-9 && says(other, "its E of"), // and where another E is given it says so
			"Alpha":   stress < 1e-9,
			"Poisson": says(line, "Poisson", p.Poisson, nu),
			"Density": math.Abs(mass/(p.Density*8e-6)-1) < 1e-9 && !says(other, "density") && says(line, "density"),
			"Prony":   (weightless.engine.relaxing != nil) == (len(p.Prony.G) > 0) && weightless.info.Advances == (len(p.Prony.G) > 0),
		}
		still := weightless.scene.Organ
		if still.Body.Rigid = true; !says(still.left(true), p.Name, "rigid") {
			t.Errorf("%s of a rigid body: %q", p.Name, still.left(true))
		}
		for i := range reflect.TypeFor[solid.Preset]().NumField() {
			if name := reflect.TypeFor[solid.Preset]().Field(i).Name; !text[name] && !acts[name] {
				t.Errorf("%s: %s neither acts nor is named: %q, %q", p.Name, name, line, other)
			}
		}
	}
	for _, set := range []string{"body.material=custom", "body.material=custom body.law=ogden"} {
		s, err := Read("preset.toml", fmt.Appendf(nil, presetScene, "liver"))
		if err != nil {
			t.Fatal(err)
		}
		for _, assignment := range strings.Fields(set) {
			if err := s.Set(assignment); err != nil {
				t.Fatal(err)
			}
		}
		w, notes, err := s.(*SceneFile).open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		if len(notes) > 0 {
			t.Errorf("%s: %q", set, notes)
		}
	}
}
