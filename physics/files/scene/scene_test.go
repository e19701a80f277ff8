package scene

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
	"hapco/physics/numerics/contact"
)

// small is a scene with one of everything, to be varied by the tests.
const small = `title = "Small"
about = "A block over a slab"
friction = 0.4
gravity = [0, -9.81, 0]

[units]
length = "mm"
pressure = "MPa"

[[body]]
name = "block"
role = "driven"
E = 1.5
nu = 0.3
clamp = "top"
contact_surface = "bottom"
color = [0.1, 0.2, 0.3]
position = [0, 35, 0]
rotation = [0, 90, 0]
[body.box]
origin = [-5, 0, -5]
size = [10, 40, 10]
elements = [2, 3, 2]

[[body]]
name = "slab"
material = "tissue"
clamp = { min = [-100, -1, -100], max = [100, 1, 100] }
[body.box]
size = [80, 25, 35]
elements = [4, 2, 3]

[[pair]]
bodies = ["block", "slab"]
friction = 0.2

[contact]
criterion = "physical"
tolerance = 0.01
ddc_tolerance = inf
newton_tolerance = 0.5
normals = "face"
anchored = false
drop_overhang = false

[device]
workspace = [100, 50, 60]

[camera]
eye = [0, 100, 200]
fov = 45

[probes]
far = { body = "slab", at = [80, 25, 0] }

[[path.press]]
direction = [0, -2, 0]
steps = 3
step = 0.5
[[path.press]]
direction = [1, 0, 0]
steps = 2
step = 1
`

func parse(t *testing.T, text string) *Scene {
	t.Helper()
	s, err := Parse("small.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b)) }

func TestParseConvertsToSI(t *testing.T) {
	s := parse(t, small)
	block, slab := &s.Bodies[0], &s.Bodies[1]
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"E", block.Young, 1.5e6},
		{"preset's E", slab.Young, 2e4},
		{"size", slab.Shape.Box.Size[0], 0.08},
		{"origin", block.Shape.Box.Origin[2], -0.005},
		{"position", block.Pose.Position[1], 0.035},
		{"box selector", slab.Clamp.Max[0], 0.1},
		{"physical tolerance", s.Contact.Tolerance, 1e-5},
		{"Newton tolerance", s.Contact.NewtonTolerance, 5e-4},
		{"workspace", s.Device.Workspace[1], 0.05},
		{"eye", s.Camera.Eye[2], 0.2},
		{"field of view", s.Camera.FieldOfView, math.Pi / 4},
		{"probe", s.Probes[0].Point[0], 0.08},
		{"step", s.Paths[0].Moves[0].Step, 5e-4},
		{"direction", s.Paths[0].Moves[0].Direction[1], -1},
		{"gravity", s.Gravity[1], -9.81},
		{"pair", s.PairFriction("slab", "block"), 0.2},
		{"other pair", s.PairFriction("slab", "other"), 0.4},
	} {
		if !near(c.got, c.want) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	if !math.IsInf(s.Contact.DDCTolerance, 1) {
		t.Errorf("ddc_tolerance = %v, want +Inf", s.Contact.DDCTolerance)
	}
	if s.Contact.Criterion != contact.Physical || s.Contact.Anchored || s.Contact.DropOverhang || s.Contact.Normals != FaceNormals {
		t.Errorf("contact = %+v", s.Contact)
	}
	if block.Material != Custom || slab.Material != "tissue" || block.Role != Driven || slab.Role != Fixed {
		t.Errorf("materials %q, %q, roles %v, %v", block.Material, slab.Material, block.Role, slab.Role)
	}
	if d := block.Pose.Rotation.Rotate(mgl64.Vec3{1, 0, 0}).Sub(mgl64.Vec3{0, 0, -1}).Len(); d > 1e-12 {
		t.Errorf("90 degrees about y should take x to -z; off by %g", d)
	}
}

func TestRotationTurnsAboutXThenYThenZ(t *testing.T) {
	q, err := setting.ReadRotation([]any{int64(90), int64(0), 90.0})
	if err != nil {
		t.Fatal(err)
	}
	// y -> z by the turn about x, and z stays by the turn about z.
	if d := q.Rotate(mgl64.Vec3{0, 1, 0}).Sub(mgl64.Vec3{0, 0, 1}).Len(); d > 1e-12 {
		t.Errorf("off by %g", d)
	}
}

func TestOffsetsAreMultiples(t *testing.T) {
	p := setting.Path{Moves: []setting.Move{
		{Direction: mgl64.Vec3{0, -1, 0}, Steps: 10, Step: 1e-3},
		{Direction: mgl64.Vec3{1, 0, 0}, Steps: 3, Step: 1e-3},
	}}
	o := p.Offsets()
	if len(o) != 13 || o[9] != (mgl64.Vec3{0, -10 * 1e-3, 0}) || o[12] != (mgl64.Vec3{3 * 1e-3, -10 * 1e-3, 0}) {
		t.Errorf("offsets %v", o)
	}
}

// A file in mm and the same file in m say the same scene.
func TestUnitsDoNotChangeTheScene(t *testing.T) {
	mm := parse(t, small)
	r := strings.NewReplacer(`length = "mm"`, `length = "cm"`, `pressure = "MPa"`, `pressure = "kPa"`,
		"E = 1.5", "E = 1500", "[0, 35, 0]", "[0, 3.5, 0]", "[-5, 0, -5]", "[-0.5, 0, -0.5]", "[10, 40, 10]", "[1, 4, 1]",
		"min = [-100, -1, -100], max = [100, 1, 100]", "min = [-10, -0.1, -10], max = [10, 0.1, 10]", "[80, 25, 35]", "[8, 2.5, 3.5]",
		"tolerance = 0.01", "tolerance = 0.001", "newton_tolerance = 0.5", "newton_tolerance = 0.05", "[100, 50, 60]", "[10, 5, 6]",
		"[0, 100, 200]", "[0, 10, 20]", "[80, 25, 0]", "[8, 2.5, 0]", "step = 0.5", "step = 0.05", "step = 1\n", "step = 0.1\n")
	cm := parse(t, r.Replace(small))
	for i := range mm.Bodies {
		a, b := mm.Bodies[i], cm.Bodies[i]
		if !near(a.Young, b.Young) || a.Shape.Box.Size.Sub(b.Shape.Box.Size).Len() > 1e-12 || a.Pose.Position.Sub(b.Pose.Position).Len() > 1e-12 || a.Clamp.Max.Sub(b.Clamp.Max).Len() > 1e-12 {
			t.Errorf("bodies differ:\n%+v\n%+v", a, b)
		}
	}
	if !near(mm.Contact.Tolerance, cm.Contact.Tolerance) || !near(mm.Contact.NewtonTolerance, cm.Contact.NewtonTolerance) || !near(mm.Paths[0].Moves[1].Step, cm.Paths[0].Moves[1].Step) {
		t.Errorf("contact or path differ: %+v, %+v", mm.Contact, cm.Contact)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		line           int
		want           string
	}{
		{"empty file", small, "", 1, "has no body"},
		{"not TOML", "friction = 0.4", "friction = = 4", 3, "(correct that line"},
		{"unknown key", "friction = 0.4", "fricton = 0.4", 3, `unknown key "fricton" (did you mean friction?)`},
		{"unknown key of a body", "contact_surface = ", "contact_surfaec = ", 16, "did you mean contact_surface?"},
		{"unknown key of a box", "elements = [2, 3, 2]", "element = [2, 3, 2]", 23, `unknown key "box.element" (did you mean box.elements?)`},
		{"unknown table", "[device]", "[divice]", 46, `unknown key "divice" (did you mean device?)`},
		{"unknown key of a selection", "max = [100, 1, 100]", "mex = [100, 1, 100]", 28, `unknown key "mex"`},
		{"wrong type", "friction = 0.4", `friction = "high"`, 3, "friction: the text \"high\" does not fit (give a number)"},
		{"wrong type of a table", "[device]\nworkspace = [100, 50, 60]", "device = 3", 46, `unknown key "contact.device"`},
		{"two numbers for three", "[100, 50, 60]", "[100, 50]", 47, "device.workspace: a list of 2 does not fit"},
		{"half an element", "elements = [2, 3, 2]", "elements = [2, 3.5, 2]", 23, "whole number"},
		{"negative E", "E = 1.5", "E = -1.5", 13, "E: -1.5 is out of range (from 1e-09 to 1e+09 MPa)"},
		{"nan", "E = 1.5", "E = nan", 13, "nan is not a number"},
		{"infinite friction", "friction = 0.4", "friction = inf", 3, "friction: +Inf is out of range (from 0 to 10)"},
		{"nu of 0.5", "nu = 0.3", "nu = 0.5", 14, "out of range (from -0.99 to 0.4999)"},
		{"nu of -1", "nu = 0.3", "nu = -1", 14, "out of range (from -0.99 to 0.4999)"},
		{"negative friction", "friction = 0.4", "friction = -0.4", 3, "from 0 to 10"},
		{"negative friction of a pair", "friction = 0.2", "friction = -0.2", 35, "at least 0"},
		{"pair with a stranger", `["block", "slab"]`, `["block", "table"]`, 34, `there is no body "table"`},
		{"floating body", `clamp = { min = [-100, -1, -100], max = [100, 1, 100] }`, "", 25, "would float away"},
		{"no material", `material = "tissue"`, "", 25, "has no material"},
		{"unknown material", `"tissue"`, `"tisue"`, 27, `unknown material "tisue"`},
		{"no shape", "[body.box]\nsize = [80, 25, 35]\nelements = [4, 2, 3]", "", 25, "has no shape"},
		{"two shapes", "[body.box]\nsize = [80", "mesh = \"a.msh\"\n[body.box]\nsize = [80", 30, "one shape"},
		{"two driven bodies", `material = "tissue"`, "material = \"tissue\"\nrole = \"driven\"", 28, "one body only"},
		{"no driven body", `role = "driven"`, "", 10, "drives no body"},
		{"twice the same name", `name = "slab"`, `name = "block"`, 26, "two bodies"},
		{"reserved name", `name = "slab"`, `name = "device"`, 26, "key of the scene"},
		{"bad name", `name = "slab"`, `name = "a.b"`, 26, "character"},
		{"unknown unit", `length = "mm"`, `length = "furlong"`, 7, "unknown unit of length"},
		{"zero tolerance", "\ntolerance = 0.01", "\ntolerance = 0", 39, "above 0"},
		{"unknown solver", "criterion = ", "solver = \"uzaawa\"\ncriterion = ", 38, `unknown solver "uzaawa" (did you mean uzawa`},
		{"unknown criterion", `"physical"`, `"fysical"`, 38, "physical"},
		{"camera in its target", "eye = [0, 100, 200]", "eye = [0, 0, 0]", 50, "stands in"},
		{"camera along up", "eye = [0, 100, 200]", "eye = [0, 100, 0]", 49, "own up"},
		{"probe on a stranger", `body = "slab"`, `body = "slob"`, 54, `no body "slob"`},
		{"no direction", "direction = [1, 0, 0]", "direction = [0, 0, 0]", 61, "direction"},
		{"no steps", "steps = 2", "steps = 0", 62, "steps = 0 is out of range (at least 1"},
		{"step missing", "step = 1\n", "", 60, "has no step"},
		{"colour", "[0.1, 0.2, 0.3]", "[0.1, 0.2, 3]", 17, "from 0 to 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(small, c.old) {
				t.Fatalf("the scene does not hold %q", c.old)
			}
			_, err := Parse("small.toml", []byte(strings.Replace(small, c.old, c.new, 1)))
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error()
			if !strings.Contains(text, c.want) || strings.Contains(text, "\n") {
				t.Errorf("error %q does not say %q", text, c.want)
			}
			if want := "scene: small.toml:" + itoa(c.line) + ": "; !strings.HasPrefix(text, want) {
				t.Errorf("error %q does not start with %q", text, want)
			}
		})
	}
}

func itoa(n int) string {
	var b []byte
	for ; n > 0; n /= 10 {
		b = append([]byte{byte('0' + n%10)}, b...)
	}
	return string(b)
}

func TestLoadUnknownScene(t *testing.T) {
	_, err := Load("kidney")
	if err == nil || !strings.Contains(err.Error(), `there is no scene "kidney" (give a .toml file or one of liver, `) {
		t.Errorf("error %v", err)
	}
}

func TestSet(t *testing.T) {
	s := parse(t, small)
	for _, a := range []string{"slab.material=aluminium", "slab.clamp=end", "friction=0.7", "contact.tolerance=1e-3", "contact.criterion=relative",
		"block.E=3", "block.position=[1, 2, 3]", "contact.anchored=true", "slab.box.elements=[1,1,1]", "about=a = b", "device.max_force = 8"} {
		if err := Set(s, a); err != nil {
			t.Fatal(err)
		}
	}
	slab := &s.Bodies[1]
	if slab.Material != "aluminium" || slab.Young != 69e9 || slab.Clamp.Kind != SelectSide || slab.Clamp.Side != Left || slab.Shape.Box.Elements != [3]int{1, 1, 1} {
		t.Errorf("slab = %+v", slab)
	}
	if s.Friction != 0.7 || s.Bodies[0].Young != 3e6 || !near(s.Bodies[0].Pose.Position[2], 0.003) || !s.Contact.Anchored || s.About != "a = b" || s.Device.MaxForce != 8 {
		t.Errorf("scene = %+v", s)
	}
	if !near(s.Contact.Tolerance, 1e-3) {
		t.Errorf("tolerance = %v: the number that was given last should stay when the criterion changes its unit", s.Contact.Tolerance)
	}
}

func TestSetRefusalsChangeNothing(t *testing.T) {
	for _, c := range []struct{ assignment, want string }{
		{"friction", "write KEY=VALUE"},
		{"=3", "write KEY=VALUE"},
		{"frictoin=0.3", "did you mean friction?"},
		{"slab.matreial=tissue", "did you mean slab.material?"},
		{"slap.material=tissue", "did you mean slab.material"},
		{"friction=much", "give a number"},
		{"friction=-1", "out of range"},
		{"slab.nu=0.6", "from -0.99 to 0.4999"},
		{"slab.clamp=none", "would float"},
		{"slab.name=x", "cannot be renamed"},
		{"units.length=m", "cannot be changed from outside"},
		{"probes.far=1", "cannot be set from outside"},
		{"contact.solver=newton2000-of-our-dreams", "unknown solver"},
	} {
		s := parse(t, small)
		err := Set(s, c.assignment)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "scene: --set "+c.assignment+": ") {
			t.Errorf("%s: error %v, want one that says %q", c.assignment, err, c.want)
		}
		if b := s.Bodies[1]; s.Friction != 0.4 || b.Poisson != 0.4 || b.Clamp.Kind != SelectBox || b.Name != "slab" {
			t.Errorf("%s: the scene has changed: %+v", c.assignment, b)
		}
	}
}

func TestKeysHaveHelp(t *testing.T) {
	seen := map[string]bool{}
	see := func(name, help string) {
		if name == "" || help == "" || seen[name] {
			t.Errorf("key %q: %q", name, help)
		}
		seen[name] = true
	}
	for i := range sceneFields {
		see(sceneFields[i].Name, sceneFields[i].Help)
	}
	for i := range bodyFields {
		see("BODY."+bodyFields[i].Name, bodyFields[i].Help)
	}
	for _, want := range []string{"friction", "contact.ddc_tolerance", "BODY.material", "BODY.clamp", "BODY.tool.radius"} {
		if !seen[want] {
			t.Errorf("key %q is missing", want)
		}
	}
}

func TestEmbeddedScenes(t *testing.T) {
	for _, name := range assets.Scenes() {
		_, data, err := setting.FileText(name)
		if err != nil || setting.KindOf(data) != setting.DefaultKind {
			continue
		}
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Bodies {
			if _, err := s.Solid(i); err != nil {
				t.Error(err)
			}
		}
		for _, p := range []string{"penetration", "sliding"} {
			if s.Path(p) == nil {
				t.Errorf("scene %s has no path %s", name, p)
			}
		}
	}
}

// The benches of sections 3.2, 3.9 and 4.2.2: nodes, contacts and paths.
func TestBenches(t *testing.T) {
	for _, c := range []struct {
		name                  string
		nodes, contacts       int
		presses, slidePresses int
		c                     mgl64.Vec3 // probe C, m
	}{
		{"bench-a-36", 324, 36, 15, 5, mgl64.Vec3{0.040, 0.025, 0.0175}},
		{"bench-a-16", 176, 16, 15, 5, mgl64.Vec3{0.040, 0.025, 0.0175}},
		{"bench-b-66", 726, 66, 15, 5, mgl64.Vec3{0.025, 0.025, 0.016}},
		{"bench-c-36", 324, 36, 5, 2, mgl64.Vec3{0.0335, 0.015, 0.0335}},
		{"bench-c-16", 176, 16, 5, 2, mgl64.Vec3{0.0335, 0.015, 0.0335}},
	} {
		s, err := Load(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Bodies[0].Name != "impactor" || s.Bodies[1].Name != "obstacle" || s.Bodies[0].Role != Driven || s.Friction != 0.3 {
			t.Errorf("%s: bodies %s, %s", c.name, s.Bodies[0].Name, s.Bodies[1].Name)
		}
		impactor, err := s.Solid(0)
		if err != nil {
			t.Fatal(err)
		}
		obstacle, err := s.Solid(1)
		if err != nil {
			t.Fatal(err)
		}
		if len(impactor.Mesh.Nodes) != c.nodes || len(impactor.Region) != c.contacts || len(impactor.Fixed) != c.contacts {
			t.Errorf("%s: impactor has %d nodes, %d in contact, %d fixed", c.name, len(impactor.Mesh.Nodes), len(impactor.Region), len(impactor.Fixed))
		}
		if len(obstacle.Mesh.Nodes) != 726 || len(obstacle.Region) != 121 || len(obstacle.Fixed) != 66 {
			t.Errorf("%s: obstacle has %d nodes, %d in contact, %d fixed", c.name, len(obstacle.Mesh.Nodes), len(obstacle.Region), len(obstacle.Fixed))
		}
		// Centred on the obstacle and touching it.
		lo, hi := impactor.Mesh.Bounds()
		olo, ohi := obstacle.Mesh.Bounds()
		gap := middleOf(lo, hi).Sub(middleOf(olo, ohi))
		if math.Abs(gap[0]) > 1e-15 || math.Abs(gap[2]) > 1e-15 || lo[1] != ohi[1] {
			t.Errorf("%s: impactor off by %v, gap %g", c.name, gap, lo[1]-ohi[1])
		}
		if o := s.Path("penetration").Offsets(); len(o) != c.presses || !near(o[len(o)-1][1], -1e-3*float64(c.presses)) {
			t.Errorf("%s: penetration %v", c.name, o)
		}
		o := s.Path("sliding").Offsets()
		if len(o) != c.slidePresses+20 || !near(o[len(o)-1][0], 0.02) || !near(o[len(o)-1][1], -1e-3*float64(c.slidePresses)) {
			t.Errorf("%s: sliding %v", c.name, o)
		}
		probe := s.Probes[0]
		if probe.Name != "C" || probe.Point.Sub(c.c).Len() > 1e-15 {
			t.Errorf("%s: probe %+v", c.name, probe)
		}
		for _, p := range s.Probes {
			best := math.Inf(1)
			for _, x := range obstacle.Mesh.Nodes {
				best = min(best, x.Sub(p.Point).Len())
			}
			if best > 1e-15 {
				t.Errorf("%s: probe %s is %g m from the nearest node", c.name, p.Name, best)
			}
		}
		if s.Contact.Anchored || !s.Contact.DropOverhang || s.Contact.Normals != FaceNormals || !math.IsInf(s.Contact.DDCTolerance, 1) {
			t.Errorf("%s: contact %+v", c.name, s.Contact)
		}
	}
}

func middleOf(low, high mgl64.Vec3) mgl64.Vec3 { return low.Add(high).Mul(0.5) }

// The organ's mesh is fit for computing, and the probe hangs free above it.
func TestLiver(t *testing.T) {
	s, err := Load("liver-linear")
	if err != nil {
		t.Fatal(err)
	}
	tool, err := s.Solid(0)
	if err != nil {
		t.Fatal(err)
	}
	organ, err := s.Solid(1)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(organ.Mesh.Nodes); n < 900 || n > 1600 {
		t.Errorf("the organ has %d nodes", n)
	}
	if n := len(organ.Fixed); n < 20 || !organ.Mesh.Spans(organ.Fixed) {
		t.Errorf("%d nodes are fixed", n)
	}
	lo, hi := organ.Mesh.Bounds()
	if d := hi.Sub(lo); d[0] < 0.15 || d[0] > 0.22 || d[1] < 0.06 || d[2] < 0.08 {
		t.Errorf("the organ measures %v m", d)
	}
	// A closed surface of the sphere's kind: nodes - edges + triangles = 2.
	if n, f := len(organ.Surface.Nodes), len(organ.Surface.Triangles); f%2 != 0 || n-3*f/2+f != 2 {
		t.Errorf("%d nodes and %d triangles do not close like a sphere", n, f)
	}
	// Twelve volumes over the cube of the longest edge is 1.41 at best; slivers are near 0.
	worst := math.Inf(1)
	block := organ.Mesh.Blocks[0]
	for e := range block.Len() {
		worst = min(worst, shapeOf(organ.Mesh, block.Element(e)))
	}
	if worst < 0.1 {
		t.Errorf("the flattest tetrahedron has the measure %g", worst)
	}
	nearest := math.Inf(1)
	b := &s.Bodies[0]
	for _, x := range tool.Mesh.Nodes {
		for _, n := range organ.Surface.Nodes {
			nearest = min(nearest, b.Pose.Point(x).Sub(organ.Mesh.Nodes[n]).Len())
		}
	}
	if nearest < s.Contact.DDCTolerance || nearest > 0.015 {
		t.Errorf("the probe starts %g m from the organ", nearest)
	}
}

func shapeOf(m *mesh.Mesh, t []int32) float64 {
	a, b, c, d := m.Nodes[t[0]], m.Nodes[t[1]], m.Nodes[t[2]], m.Nodes[t[3]]
	longest := 0.0
	for i := range 4 {
		for j := range i {
			longest = max(longest, m.Nodes[t[i]].Sub(m.Nodes[t[j]]).Len())
		}
	}
	return 12 * b.Sub(a).Dot(c.Sub(a).Cross(d.Sub(a))) / 6 / (longest * longest * longest)
}

func TestSelectors(t *testing.T) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{1, 1, 1}, [3]int{2, 2, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		toml string
		want int // nodes; -1: an error
	}{
		{`"end"`, 9}, {`"top"`, 9}, {`{ side = "front" }`, 9}, {`"all"`, 27}, {`"none"`, 0}, {`{ set = "left" }`, 9},
		{`{ min = [0, 0, 0], max = [0.5, 0.5, 0.5] }`, 8}, {`{ nodes = [3, 1, 1] }`, 2}, {`"default"`, 9},
		{`"nobody"`, -1}, {`{ nodes = [27] }`, -1}, {`{ min = [2, 2, 2], max = [3, 3, 3] }`, -1},
	} {
		sel, bad := selector(setting.CommandLineValue(c.toml), setting.Units{Length: "m", Pressure: "Pa"})
		if bad != nil {
			t.Errorf("%s: %v", c.toml, bad)
			continue
		}
		nodes, err := sel.nodesOf(m)
		if (err != nil) != (c.want < 0) || err == nil && len(nodes) != c.want {
			t.Errorf("%s: %d nodes, %v; want %d", c.toml, len(nodes), err, c.want)
		}
	}
}

// The lowest node of a ball is one node; "bottom" then takes a cap that holds it.
func TestSideOfARoundMeshSpans(t *testing.T) {
	s, err := Load("liver-linear")
	if err != nil {
		t.Fatal(err)
	}
	organ, err := s.Solid(1)
	if err != nil {
		t.Fatal(err)
	}
	for side := Left; side <= Front; side++ {
		sel := Selector{Kind: SelectSide, Side: side}
		nodes, err := sel.nodesOf(organ.Mesh)
		if err != nil || !organ.Mesh.Spans(nodes) || len(nodes) > len(organ.Mesh.Nodes)/3 {
			t.Errorf("%v: %d nodes, %v", side, len(nodes), err)
		}
	}
}

// A tool's surface is closed, faces outwards, and lies where its size says.
func TestToolSurface(t *testing.T) {
	for _, tool := range []Tool{
		{Kind: ProbeTool, Radius: 0.006, Length: 0.1},
		{Kind: ProbeTool, Radius: 0.006, Length: 0.1, Spacing: 0.001},
		{Kind: ProbeTool, Radius: 0.006, Length: 0.1, Spacing: 0.006},
		{Kind: BallTool, Radius: 0.01, Length: 0.08},
		{Kind: BallTool, Radius: 0.01, Length: 0.08, Spacing: 0.001},
	} {
		nodes, triangles := tool.surface()
		edges := map[[2]int32]int{}
		volume := 0.0
		for _, tr := range triangles {
			for k := range 3 {
				edges[[2]int32{tr[k], tr[(k+1)%3]}]++
			}
			volume += nodes[tr[0]].Dot(nodes[tr[1]].Cross(nodes[tr[2]])) / 6
		}
		for e, n := range edges {
			if n != 1 || edges[[2]int32{e[1], e[0]}] != 1 {
				t.Fatalf("%+v: the edge %v is not shared by two triangles", tool, e)
			}
		}
		if len(nodes)-len(edges)/2+len(triangles) != 2 {
			t.Errorf("%+v: not closed like a sphere", tool)
		}
		shaft := tool.Radius
		sphere := 2. / 3 * math.Pi * math.Pow(tool.Radius, 3)
		if tool.Kind == BallTool {
			shaft, sphere = ballShaft*tool.Radius, 2*sphere
		}
		exact := sphere + math.Pi*shaft*shaft*tool.Length
		if volume > 1.05*exact || volume < 0.75*exact {
			t.Errorf("%+v: volume %g, about %g wanted", tool, volume, exact)
		}
		lowest, highest := math.Inf(1), math.Inf(-1)
		for _, x := range nodes {
			lowest, highest = min(lowest, x[1]), max(highest, x[1])
			if x[1] < 0 && math.Abs(x.Len()-tool.Radius) > 1e-12 {
				t.Fatalf("%+v: the tip's node %v is %g from its centre", tool, x, x.Len())
			}
		}
		if lowest != nodes[0][1] || math.Abs(lowest+tool.Radius) > 1e-12 || highest != tool.Length {
			t.Errorf("%+v: from %g to %g", tool, lowest, highest)
		}
		if n := float64(len(nodes)); n > 2*toolNodes(&tool)+200 {
			t.Errorf("%+v: %g nodes, %g estimated", tool, n, toolNodes(&tool))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	for _, name := range assets.Scenes() {
		text, err := assets.Scene(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("[[body]]\nname='''a'''\nmesh=\"x\"\nclamp={nodes=[1]}\n[path]\na=[{}]\n"))
	f.Add([]byte("[[body]]\nname='a'\nrole='driven'\ntool={kind='box',size=[1,2,3],radius=0.1,spacing=0.2}\n[[body]]\nname='b'\nrigid=true\nrigid_contact='distance'\ntool={kind='capsule',radius=1,length=2}\n"))
	f.Add([]byte("path = 3\nprobes = [1]\nbody = [{name = 1}, 2]\npair = {}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("fuzz.toml", data)
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "scene: fuzz.toml:") || strings.ContainsAny(text, "\r\n") {
				t.Fatalf("error %q", text)
			}
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("Parse accepted what Validate refuses: %v", err)
		}
	})
}

func FuzzSet(f *testing.F) {
	f.Add("friction=0.3")
	f.Add("slab.clamp={min=[0,0,0],max=[1,1,1]}")
	f.Add("block.box.elements=[1,2,3]")
	f.Fuzz(func(t *testing.T, assignment string) {
		s := parse(t, small)
		if err := Set(s, assignment); err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

// The document knows every key, and its first scene is one.
func TestDocument(t *testing.T) {
	data, err := os.ReadFile("../../../docs/scene-format.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for _, name := range append(setting.Names(sceneFields), setting.Names(bodyFields)...) {
		if name = "`" + name + "`"; !strings.Contains(doc, name) {
			t.Errorf("docs/scene-format.md does not know the key %s", name)
		}
	}
	_, example, _ := strings.Cut(doc, "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	s := parse(t, example)
	for i := range s.Bodies {
		if _, err := s.Solid(i); err != nil {
			t.Error(err)
		}
	}
	_, object, _ := strings.Cut(doc, "```\nhapco object 1")
	object, _, _ = strings.Cut(object, "```")
	if _, err := parseObject("docs", []byte("hapco object 1"+object)); err != nil {
		t.Error(err)
	}
}

// A value may name its unit; where it names none, Echo tells the one it is taken in.
func TestUnitsOfValues(t *testing.T) {
	for _, c := range []struct {
		assignment string
		want       float64
		got        func(s *Scene) float64
		echo       string
	}{
		{"slab.E=6kPa", 6e3, func(s *Scene) float64 { return s.Bodies[1].Young }, ""},
		{"slab.E=0.02 MPa", 2e4, func(s *Scene) float64 { return s.Bodies[1].Young }, ""},
		{"slab.E=6e3Pa", 6e3, func(s *Scene) float64 { return s.Bodies[1].Young }, ""},
		{"slab.E=6", 6e6, func(s *Scene) float64 { return s.Bodies[1].Young }, "slab.E = 6 MPa"},
		{"contact.ddc_tolerance=2mm", 2e-3, func(s *Scene) float64 { return s.Contact.DDCTolerance }, ""},
		{"contact.ddc_tolerance=0.2 cm", 2e-3, func(s *Scene) float64 { return s.Contact.DDCTolerance }, ""},
		{"contact.ddc_tolerance=2", 2e-3, func(s *Scene) float64 { return s.Contact.DDCTolerance }, "contact.ddc_tolerance = 2 mm"},
		{"contact.ddc_tolerance=inf", math.Inf(1), func(s *Scene) float64 { return s.Contact.DDCTolerance }, ""},
		{"device.max_force=2500mN", 2.5, func(s *Scene) float64 { return s.Device.MaxForce }, ""},
		{"device.max_force=2", 2, func(s *Scene) float64 { return s.Device.MaxForce }, "device.max_force = 2 N"},
		{"device.stiffness=0.5 N/mm", 500, func(s *Scene) float64 { return s.Device.Stiffness }, ""},
		{"slab.density=1.05g/cm^3", 1050, func(s *Scene) float64 { return s.Bodies[1].Density }, ""},
		{"contact.tolerance=1e-9", 1e-12, func(s *Scene) float64 { return s.Contact.Tolerance }, "contact.tolerance = 1e-9 mm"},
		{"friction=0.4", 0.4, func(s *Scene) float64 { return s.Friction }, ""},
	} {
		s := parse(t, small)
		if err := Set(s, c.assignment); err != nil {
			t.Errorf("%s: %v", c.assignment, err)
			continue
		}
		if got := c.got(s); !(math.Abs(got-c.want) <= 1e-12*c.want) && got != c.want {
			t.Errorf("%s gives %g, not %g", c.assignment, got, c.want)
		}
		if echo := Echo(s, c.assignment); echo != c.echo {
			t.Errorf("%s says %q, not %q", c.assignment, echo, c.echo)
		}
	}
	for assignment, says := range map[string]string{
		"slab.E=6kg":                "Pa, kPa, MPa or GPa",
		"slab.E=6mpa":               "Pa, kPa, MPa or GPa",
		"friction=0.3mm":            "a number without unit",
		"friction=nonsense":         "give a number",
		"contact.ddc_tolerance=2kN": "m, cm, mm, um or in",
	} {
		if err := Set(parse(t, small), assignment); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", assignment, err)
		}
	}
}
