package tissue

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/numerics/fem"
)

// presetScene is a small block of a preset, under a rigid tool.
const presetScene = `
[units]
length = "mm"
[[body]]
name = "tool"
role = "driven"
position = [10, 40, 10]
tool = { kind = "sphere", radius = 5 }
[[body]]
name = "block"
clamp = "bottom"
material = "%s"
[body.box]
origin = [0, 0, 0]
size = [20, 20, 20]
elements = [2, 2, 2]
`

// What a preset names acts in a scene of linear bodies, too, or the scene says in one line that it
// does not: every preset, and every field that it has.
func TestPresetActsOrSaysSo(t *testing.T) {
	for _, p := range fem.Presets() {
		open := func(set ...string) (*World, string) {
			s, err := scene.Parse("preset.toml", fmt.Appendf(nil, presetScene, p.Name))
			if err != nil {
				t.Fatal(err)
			}
			for _, assignment := range set {
				if err := scene.Set(s, assignment); err != nil {
					t.Fatal(err)
				}
			}
			w, notes, err := New(t.Context(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			line := ""
			for _, n := range notes {
				if strings.Contains(n, "does not act") {
					if line != "" {
						t.Errorf("%s: more than one line: %q", p.Name, notes)
					}
					line = strings.TrimPrefix(n, "block: ")
				}
			}
			if about := w.seamInfo().Surfaces[1].About; !strings.Contains(about, line) {
				t.Errorf("%s: the card says %q, not %q", p.Name, about, line)
			}
			return w, line
		}
		says := func(line string, words ...any) bool {
			for _, w := range words {
				if !strings.Contains(line, fmt.Sprint(w)) {
					return false
				}
			}
			return true
		}
		// its constants are those of the world's body, and a load bends it as much as one of these constants
		plain, silent := open("gravity=[0,-1,0]")
		_, weightless := open()
		_, other := open("gravity=[0,-1,0]", "block.E=1", "block.nu=0.3", "block.density=7")
		sag := func(set ...string) float64 {
			w, _ := open(append(set, "gravity=[0,-1,0]")...)
			b := w.bodies[1]
			return b.flexibility.sag(int32(b.nearest(mgl64.Vec3{10e-3, 20e-3, 10e-3})), b.load)[1]
		}
		alone := sag()
		soft, light := sag(fmt.Sprintf("block.E=%g", p.Young/2)), sag(fmt.Sprintf("block.density=%g", p.Density/2))
		acts := map[string]bool{
			"Name":    silent == "",
			"Young":   math.Abs(soft/alone-2) < 1e-9 && says(other, "its E of", fmt.Sprintf("%.4g", p.Young/1e3)),
			"Poisson": plain.bodies[1].poisson == p.Poisson && says(other, "Poisson", p.Poisson, 0.3),
			"Density": math.Abs(light/alone-0.5) < 1e-9 && says(weightless, "density", p.Density, "gravity") && says(other, "density", p.Density, "gives 7"),
		}
		for i := range reflect.TypeFor[fem.Material]().NumField() {
			if name := reflect.TypeFor[fem.Material]().Field(i).Name; !acts[name] {
				t.Errorf("%s: %s neither acts nor is named: %q, %q, %q", p.Name, name, silent, weightless, other)
			}
		}
		if _, rigid := open("block.rigid=true"); !says(rigid, p.Name, "rigid") {
			t.Errorf("%s of a rigid body: %q", p.Name, rigid)
		}
	}
}
