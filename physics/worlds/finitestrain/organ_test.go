package finitestrain

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/local"
)

// twoBlocks is a scene of two soft blocks, the one 1 mm above the other and held at its
// left side, and a rigid block beneath the upper one's free end.
const twoBlocks = `
kind = "finite-strain"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[body]
name = "upper"
E = 20
nu = 0.4
clamp = "left"
[body.box]
origin = [0, 0, 0]
size = [100, 20, 60]
elements = [8, 2, 5]
[[organ]]
name = "lower"
law = "corotational"
E = 6
nu = 0.3
clamp = "bottom"
position = [2, -31, 3]
[organ.box]
size = [70, 30, 50]
elements = [6, 3, 4]
[[organ]]
name = "table"
rigid = true
[organ.box]
origin = [80, -12, -5]
size = [60, 10, 70]
elements = [1, 1, 1]
[[pair]]
bodies = ["lower", "upper"]
friction = 0.1
[tool]
radius = 10
position = [90, 32, 31]
`

// The upper block comes to lie on the rigid one, which does not move and which it does not
// enter; where the pair does not touch it goes through.
func TestRigidOrgan(t *testing.T) {
	lowest := func(set string) (y float64) {
		w := openWorld(t, "x.toml", twoBlocks+set)
		info := w.Info().Surfaces
		if len(info) != 4 || info[1].Name != "upper" || info[2].Material != "corotational" || !info[3].Rigid || info[3].Name != "table" || info[2].Rigid {
			t.Fatalf("%+v", info)
		}
		target := w.info.Start
		for range 14 {
			target.Position[1] -= 1e-3
			w.reach(t, target)
		}
		var f physics.Frame
		w.Draw(&f)
		for _, x := range f.Surfaces[3].Vertices {
			if x[1] != -0.012 && x[1] != -0.002 {
				t.Fatalf("the rigid block is at %v", x)
			}
		}
		y = 1
		for _, x := range f.Surfaces[1].Vertices {
			if x[0] > 0.085 {
				y = math.Min(y, x[1])
			}
		}
		return y
	}
	if y := lowest(""); y < -0.002-5e-5 || y > -0.0019 {
		t.Errorf("the lowest place over the rigid block is at %g mm, its top at -2", 1e3*y)
	}
	if y := lowest("[[pair]]\nbodies = [\"upper\", \"table\"]\ncontact = \"none\"\n"); y > -0.005 {
		t.Errorf("a pair that does not touch stops at %g mm", 1e3*y)
	}
}

// E of a body that is changed while the world runs, or by --set, is as if the scene had
// had it from the start.
func TestYoungOfSeveralBodies(t *testing.T) {
	exact := []string{"equilibrium.tolerance=1e-4", "equilibrium.corrections=30"}
	live := openWorld(t, "x.toml", twoBlocks, exact...)
	file := openWorld(t, "x.toml", strings.Replace(strings.Replace(twoBlocks, "E = 6", "E = 15", 1), "E = 20", "E = 40", 1), exact...)
	set := openWorld(t, "x.toml", twoBlocks, append(exact, "lower.E=15", "body.E=40000 Pa")...)
	target := live.info.Start
	target.Position[0] = 0.06
	move := func(w *world, by float64) mgl64.Vec3 {
		r := w.reach(t, target)
		for range int(math.Abs(by) / 1e-3) {
			target.Position[1] += math.Copysign(1e-3, by)
			r = w.reach(t, target)
		}
		return r.Force
	}
	start := target.Position
	soft := move(live, -0.01)
	target.Position = start
	want := move(file, -0.01)
	target.Position = start
	if got := move(set, -0.01); got.Sub(want).Len() > 2e-3*want.Len() {
		t.Errorf("--set gives %v N, the file %v", got, want)
	}
	for _, k := range live.Keys() {
		if k.Name == "lower.E" && k.Body == "lower" {
			if err := k.Set(15e3); err != nil {
				t.Fatal(err)
			}
		}
		if k.Name == "body.E" && k.Body == "upper" {
			if err := k.Set(40e3); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got mgl64.Vec3
	for range 20 { // factors of the new law
		got = live.reach(t, target).Force
	}
	if got.Sub(want).Len() > 1e-2*want.Len() || soft.Len() > 0.8*want.Len() {
		t.Errorf("changed while pressed: %v N, with that E from the start %v N, before %v N", got, want, soft)
	}
}

// Where a body becomes a million times stiffer or softer under the tool, forces and compliance of the hand's model are
// those of the new law from the first step on.
func TestALawThatChangesUnderTheToolIsFelt(t *testing.T) {
	scene := strings.NewReplacer("origin = [80, -12, -5]", "origin = [80, -112, -5]", "position = [90, 32, 31]", "position = [90, -16, 28]").Replace(twoBlocks)
	for _, by := range []float64{1e6, 1e-6} {
		w := openWorld(t, "x.toml", scene)
		c := touchSpring(w.info.Lever)
		hand := w.info.Start
		for range 10 {
			hand.Position[0] -= 1.5e-3
			w.Step(physics.Input{Target: hand, Hand: hand, Coupling: c})
		}
		if f := w.felt.force.Len() * w.stiffer(); f < 0.05 {
			t.Fatalf("the tool meets %g N", f)
		}
		var m local.Model
		local.Make(&m, 64)
		w.Local(&m)
		want := m.W[0] / by
		keys := w.Keys()
		if err := keys[physics.Place(keys, "lower.E")].Set(6e3 * by); err != nil {
			t.Fatal(err)
		}
		w.Step(physics.Input{Target: hand, Hand: hand, Coupling: c})
		if w.Local(&m); m.N == 0 || m.W[0] < 0.2*want || m.W[0] > 5*want {
			t.Errorf("E times %g: the hand's model yields %g m/N in %d contacts, want about %g", by, m.W[0], m.N, want)
		}
	}
}

// Steps of two bodies that touch repeat to the last bit where factors come after a fixed
// number of them.
func TestBodiesRepeat(t *testing.T) {
	run := func() (forces []mgl64.Vec3) {
		w := openWorld(t, "x.toml", twoBlocks)
		target := w.info.Start
		target.Position[0] = 0.06
		for range 60 {
			target.Position[1] -= 0.4e-3
			forces = append(forces, w.Step(physics.Input{Target: target}).Force)
		}
		return forces
	}
	a, b := run(), run()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("step %d: %v and %v N", i, a[i], b[i])
		}
	}
	if a[len(a)-1].Len() < 0.5 {
		t.Errorf("pressed with %v N only", a[len(a)-1])
	}
}

// What is wrong with a further body is said with its line and key.
func TestOrganErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`name = "lower"`, `nam = "lower"`, `x.toml:17: unknown key "nam"`},
		{`name = "lower"`, `name = "upper"`, `two bodies are called "upper"`},
		{`name = "lower"`, `name = "grip"`, "choose another name"},
		{"E = 6\n", "", "x.toml:16: "},
		{"nu = 0.3", "nu = 0.7", "x.toml:20: "},
		{`"lower", "upper"`, `"lower", "uper"`, `there is no body "uper"`},
		{"law = \"corotational\"", "exponent = 0", "organ.0.exponent"},
		{"[organ.box]\nsize = [70, 30, 50]\nelements = [6, 3, 4]\n", "", "[[organ]]"},
		{"rigid = true", "clamp = \"none\"\nE = 1\nnu = 0.3", "float"},
	} {
		text := strings.Replace(twoBlocks, c.from, c.to, 1)
		if text == twoBlocks {
			t.Fatalf("%q is not in the scene", c.from)
		}
		if _, err := Read("x.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q for %q: %v, want %q", c.to, c.from, err, c.want)
		}
	}
	s, err := Read("x.toml", []byte(twoBlocks))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set("lower.E=-1"); err == nil || s.(*SceneFile).Organs[0].Body.Young != 6000 {
		t.Errorf("E below 0: %v, E is %g Pa", err, s.(*SceneFile).Organs[0].Body.Young)
	}
	if err := s.Set("lowr.E=1"); err == nil || !strings.Contains(err.Error(), "lower.E") {
		t.Errorf("a misspelt body: %v", err)
	}
}

// A body, a box too, is held at the marked nodes of its surface and nowhere else.
func TestHold(t *testing.T) {
	for i, body := range []string{"lobe", "organ"} {
		w := openWorld(t, "organs", "")
		marks := make([]bool, len(w.info.Surfaces[1+i].Fixed))
		for k, n := range w.bodies.surfaces[i].Nodes {
			marks[k] = w.engine.body.Mesh.Nodes[n][0] < 0 && k%2 == 0
		}
		change, err := w.scene.Hold(body, marks)
		if err != nil {
			t.Fatal(err)
		}
		after := openWorld(t, "organs", "", change)
		if !slices.Equal(after.info.Surfaces[1+i].Fixed, marks) || slices.Equal(w.info.Surfaces[1+i].Fixed, marks) {
			t.Errorf("%s is held elsewhere than painted", body)
		}
		if other := 2 - i; !slices.Equal(after.info.Surfaces[other].Fixed, w.info.Surfaces[other].Fixed) {
			t.Errorf("%s is painted, and the other body held elsewhere", body)
		}
	}
	s := openWorld(t, "organs", "").scene
	for body, says := range map[string]string{"nobody": "no body", "organ": "surface nodes"} {
		if _, err := s.Hold(body, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want a word about %s", body, err, says)
		}
	}
}

// A mesh of hexahedra is pressed as six tetrahedra each, held where it was.
func TestHexahedraBecomeTetrahedra(t *testing.T) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.06, 0.04, 0.06}, [3]int{4, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "hex.msh")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.WriteGmsh(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	w := openWorld(t, "x.toml", fmt.Sprintf("kind = \"nonlinear\"\n[body]\nmesh = %q\nE = 6000\nnu = 0.4\nclamp = \"bottom\"\n[tool]\nradius = 0.01\nposition = [0.03, 0.051, 0.03]\n", file))
	if n, free := w.engine.body.Mesh.Elements(), len(w.engine.k.FreeNode); n != 6*48 || free != 3*25 {
		t.Errorf("%d tetrahedra, %d free nodes; want 288, 75", n, free)
	}
	target := w.info.Start
	target.Position[1] -= 0.006
	if r := w.reach(t, target); !(r.Force[1] > 0.05) {
		t.Errorf("5 mm deep it feels %v N", r.Force)
	}
}

// The rigid tool goes through a rigid body: its scene says so, and a pair that would have them meet is refused.
func TestARigidOrganThatTheToolPassesIsSaid(t *testing.T) {
	for pair, want := range map[string]string{
		"": "table: it is rigid, as tool is, which goes through it",
		"[[pair]]\nbodies = [\"table\", \"tool\"]\ncontact = \"none\"\n": "",
		"[[pair]]\nbodies = [\"table\", \"tool\"]\ncontact = \"both\"\n": "table and tool are both rigid",
	} {
		got := ""
		s, err := Read("table.toml", []byte(twoBlocks+pair))
		if err == nil {
			var w *world
			var notes []string
			if w, notes, err = s.(*SceneFile).open(t.Context()); err == nil {
				w.Close()
			}
			got = strings.Join(slices.DeleteFunc(notes, func(n string) bool { return !strings.Contains(n, "goes through") }), "; ")
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", pair, got, want)
		}
	}
}
