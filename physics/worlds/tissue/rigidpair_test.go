package tissue_test

import (
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/worlds/tissue"
)

// The lump is there to be felt: once the slab is dented so far, the probe meets more over it than beside it.
func TestTheHiddenLumpIsFelt(t *testing.T) {
	s, err := scene.Load("testdata/lump.toml")
	if err != nil {
		t.Fatal(err)
	}
	w, notes, err := tissue.New(t.Context(), s, nil)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	slab, lump := &s.Bodies[1].Shape.Box, &s.Bodies[2].Shape.Box
	over := lump.Origin.Add(lump.Size.Mul(0.5))
	press := func(x, deep float64) float64 { // under the slab's top
		w.Reset()
		target := w.StartPose()
		for _, at := range []mgl64.Vec3{{x, target.Position[1], over[2]}, {x, slab.Origin[1] + slab.Size[1] + s.Bodies[0].Shape.Tool.Radius - deep, over[2]}} {
			target.Position = at
			for n := 0; n < 1000 && !w.Step(target); n++ {
			}
		}
		force, _ := w.Force()
		return force[1]
	}
	cover := slab.Origin[1] + slab.Size[1] - lump.Origin[1] - lump.Size[1]
	for _, c := range []struct{ deep, least, most float64 }{{0.6 * cover, 0.7, 1.4}, {cover + 5e-3, 2, 30}, {cover + 10e-3, 3, 30}} {
		if on, off := press(over[0], c.deep), press(-over[0], c.deep); !(on > c.least*off) || !(on < c.most*off) {
			t.Errorf("%g mm deep: %.3g N over the lump, %.3g N beside it", 1e3*c.deep, on, off)
		}
	}
}

// Two rigid bodies do nothing to each other: a pair of them is refused, and a tool that goes through one says so.
func TestARigidBodyThatTheToolPassesIsSaid(t *testing.T) {
	for pair, want := range map[string]string{
		"": "note: lump: it is rigid, as tool is, which goes through it",
		"[[pair]]\nbodies = [\"lump\", \"tool\"]\ncontact = \"none\"\n": "",
		"[[pair]]\nbodies = [\"lump\", \"tool\"]\ncontact = \"full\"\n": "lump and tool are both rigid",
		"[[pair]]\nbodies = [\"tool\", \"lump\"]\nfriction = 0.1\n":     "tool and lump are both rigid",
		"[[pair]]\nbodies = [\"slab\", \"lump\"]\n":                     "note: lump: it is rigid, as tool is",
		"[[pair]]\nbodies = [\"slab\", \"slab\"]\ncontact = \"both\"\n": "note: lump: it is rigid, as tool is",
	} {
		text := `
[[body]]
name = "tool"
role = "driven"
position = [0, 40, 0]
tool = { kind = "sphere", radius = 5 }
[[body]]
name = "slab"
E = 8
nu = 0.4
clamp = "bottom"
box = { origin = [-20, 0, -20], size = [40, 20, 40], elements = [2, 2, 2] }
[[body]]
name = "lump"
rigid = true
box = { origin = [-5, 5, -5], size = [10, 10, 10], elements = [1, 1, 1] }
[units]
length = "mm"
pressure = "kPa"
` + pair
		got := ""
		s, err := scene.Parse("lump.toml", []byte(text))
		if err == nil {
			var notes []string
			if _, notes, err = tissue.New(t.Context(), s, nil); len(notes) > 0 {
				got = "note: " + strings.Join(notes, "; ")
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", pair, got, want)
		}
	}
}
