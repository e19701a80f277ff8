package finitestrain

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/equilibrium"
)

// openWorld opens a scene by name or, where text is given, from it; factors come after a
// fixed number of steps, so that tests repeat.
func openWorld(t testing.TB, name, text string, set ...string) *world {
	t.Helper()
	if text == "" {
		_, data, err := setting.FileText(name)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	s, err := Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range append([]string{"equilibrium.deadline=0", "equilibrium.lag=4"}, set...) {
		if err := s.Set(a); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := s.Open(context.Background(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w.(*world)
}

// block is a scene with a box of 10 cm of tetrahedra, held below, and a ball 1 mm above it.
func block(t *testing.T) string {
	t.Helper()
	m := tetBox(t, mgl64.Vec3{0.1, 0.1, 0.1}, [3]int{5, 5, 5})
	file := filepath.Join(t.TempDir(), "block.msh")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := m.WriteGmsh(out); err != nil {
		t.Fatal(err)
	}
	return "kind = \"nonlinear\"\n[body]\nmesh = '" + file + "'\nfile_unit = \"m\"\nE = 5000\nnu = 0.4\nclamp = \"bottom\"\n" +
		"[tool]\nradius = 0.02\nposition = [0.052, 0.121, 0.047]\n"
}

// reach steps until the tool is where it should be.
func (w *world) reach(t *testing.T, target frame.Pose) physics.Report {
	t.Helper()
	for range 1000 {
		r := w.Step(physics.Input{Target: target})
		if _, inverted := w.engine.body.MinJ(w.engine.Shown.X); inverted > 0 {
			t.Fatalf("%d elements turned over", inverted)
		}
		if r.Reached {
			return r
		}
	}
	t.Fatalf("the tool does not reach %v: it is at %v, %+v", target.Position, w.shown.tool.Position, w.steps.last)
	return physics.Report{}
}

// The liver is pressed 20 mm deep, stroked and let go: no element turns over, and all is
// at rest again.
func TestLiverIsPressedStrokedAndLetGo(t *testing.T) {
	for _, law := range laws[:2] {
		w := openWorld(t, "liver", "", "body.law="+law)
		target := w.info.Start
		target.Position = target.Position.Add(mgl64.Vec3{0, -0.026, 0})
		r := w.reach(t, target)
		if up := r.Force[1]; !(up > 2) || w.engine.Validate() != Valid {
			t.Errorf("%s: 20 mm deep the tool feels %v N: %v", law, r.Force, w.engine.Validate())
		}
		target.Position[0] += 0.01
		if r = w.reach(t, target); !(r.Force[0] < -0.3) {
			t.Errorf("%s: stroked to +x the tool feels %v N", law, r.Force)
		}
		for range 3 {
			r = w.reach(t, w.info.Start)
		}
		u := displacements(w.engine.body, w.engine.Shown.X)
		if far := longest(triples(u)); r.Force != (mgl64.Vec3{}) || far > 1e-6 {
			t.Errorf("%s: let go, the tool feels %v N and the liver is %g m from rest", law, r.Force, far)
		}
	}
}

// A thin lobe gives way to the first touch at once: where it bends, what is missing to equilibrium
// grows before it falls, and a tool that stands still for that is 3.6 mm behind.
func TestThinLobeFollowsTheFirstTouch(t *testing.T) {
	w := openWorld(t, "organs", "")
	const way = 0.95e-3 // m a step: a hand at 95 mm/s, 100 steps a second
	target, behind := w.shown.tool, 0.0
	for touched := 0; touched < 12 && target.Position[1] > -0.05; {
		target.Position[1] -= way
		w.Step(physics.Input{Target: target, Hand: target})
		behind = max(behind, w.shown.tool.Position[1]-target.Position[1])
		if w.steps.last.Contacts > 0 {
			touched++
		}
	}
	if w.felt.force.Len() < 1 {
		t.Errorf("%.2f N: the tool is not in the lobe", w.felt.force.Len())
	}
	if behind > 1.5*way {
		t.Errorf("the tool is %.2f mm behind, a step is %.2f mm", 1e3*behind, 1e3*way)
	}
}

// A plate presses a block that sticks to it: as the layer gets thin, what the world shows and feels is what Newton's method
// finds with the block's top moved as the plate is.
func TestWorldForceIsNewtons(t *testing.T) {
	const depth = 0.01
	for _, law := range laws[:2] {
		w := openWorld(t, "x.toml", block(t), "friction=10", "equilibrium.tolerance=1e-4", "equilibrium.corrections=30", "tool.size=[0.2, 0.02, 0.2]",
			"tool.radius=0.001", "tool.kind=box", "tool.position=[0.052, 0.111, 0.047]", "body.law="+law)
		l := w.engine
		l.contacts.set.Options.Thickness *= 1e-2
		target, shift := w.info.Start, mgl64.Vec3{0.002, -depth, 0.001}
		target.Position[1] -= 0.001
		start := target.Position
		target.Position[1] += 1e-5
		r := w.reach(t, target)
		for k := range 5 {
			target.Position = start.Add(shift.Mul(float64(k+1) / 5))
			r = w.reach(t, target)
		}
		top := fixedOf(l)
		for n, x := range l.body.Mesh.Nodes {
			if x[1] > 0.1-1e-9 {
				top = append(top, int32(n))
			}
		}
		s, err := equilibrium.NewStatics(l.body.Twin(), top)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		held := len(fixedOf(l))
		for k := range 5 {
			for _, n := range top[held:] {
				for c, x := range l.body.Mesh.Nodes[n].Add(shift.Mul(float64(k+1) / 5)) {
					s.X[3*int(n)+c] = x
				}
			}
			if err := s.Solve(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		force, want := make([]float64, len(s.X)), mgl64.Vec3{}
		l.cells.Forces(force, s.X)
		for _, n := range top[held:] {
			want = want.Sub(mgl64.Vec3(force[3*n : 3*n+3]))
		}
		if r.Force.Sub(want).Len() > 2e-3*want.Len() || want.Len() < 3 {
			t.Errorf("%s: %v N, Newton's method: %v N", law, r.Force, want)
		}
		off := 0.0
		for i, x := range s.X {
			off = math.Max(off, math.Abs(x-l.Shown.X[i]))
		}
		if off > 2e-3*depth {
			t.Errorf("%s: a node is %g m from where Newton's method has it", law, off)
		}
	}
}

// The hand's model has the step's force and torque, and tells how they grow when the
// tool goes on.
func TestHandFeelsTheStepAndItsTangent(t *testing.T) {
	w := openWorld(t, "x.toml", block(t), "friction=0", "equilibrium.tolerance=1e-4", "equilibrium.corrections=30", "tool.length=0.04", "tool.kind=capsule", "tool.rotation=[0, 0, 20]")
	target := w.info.Start
	var m local.Model
	local.Make(&m, 0)
	w.Local(&m)
	if f, _ := m.Resultant(m.R); f != (mgl64.Vec3{}) {
		t.Errorf("before the touch the hand feels %v N", f)
	}
	for range 10 {
		target.Position[1] -= 1e-3
		w.reach(t, target)
	}
	for range 10 { // a factor of this very state
		w.reach(t, target)
	}
	r := w.reach(t, target)
	w.Local(&m)
	f, torque := m.Resultant(m.R)
	if f.Sub(r.Force).Len() > 1e-12*f.Len() || torque.Sub(r.Torque).Len() > 1e-12*torque.Len() || torque.Len() == 0 || !m.Finite() {
		t.Errorf("the hand feels %v N, %v N m, the step %v N, %v N m", f, torque, r.Force, r.Torque)
	}
	if w.steps.last.Force.Add(r.Force).Len() > 1e-9*r.Force.Len() {
		t.Errorf("the body feels %v N, the tool %v N", w.steps.last.Force, r.Force)
	}
	// the contacts that carry something stay closed: dr = -W^-1 J d
	const deeper = 2e-4
	var closed []int
	for i := range m.N {
		if m.R[3*i] > 0 {
			closed = append(closed, i)
		}
	}
	n := len(closed)
	a, b := make([]float64, n*n), make([]float64, n)
	for i, p := range closed {
		for j, q := range closed {
			a[i*n+j] = m.W[3*p*3*m.N+3*q]
		}
		b[i] = deeper * m.J[18*p+1]
	}
	if !solveSmall(a, b, n) {
		t.Fatal("W of the closed contacts is not positive definite")
	}
	grows := 0.0
	for i, p := range closed {
		grows += b[i] * m.J[18*p+1]
	}
	target.Position[1] -= deeper
	if got := w.reach(t, target).Force[1] - r.Force[1]; math.Abs(got-grows) > 0.1*grows || !(grows > 0) {
		t.Errorf("0.2 mm deeper the force grows by %g N, the hand's model says %g N", got, grows)
	}
}

// E scales what is felt, at once and just as if the scene had had it from the start.
func TestKeysOfTheWorld(t *testing.T) {
	w := openWorld(t, "x.toml", block(t))
	other := openWorld(t, "x.toml", block(t), "body.E=8000 Pa")
	down := frame.At(w.info.Start.Position.Add(mgl64.Vec3{0, -0.01, 0}))
	soft := w.reach(t, down).Force
	hard := other.reach(t, down).Force
	keys := w.Keys()
	set := func(name string, x float64) {
		t.Helper()
		i := physics.Place(keys, name)
		if i < 0 {
			t.Fatalf("there is no key %s", name)
		}
		if err := keys[i].Set(x); err != nil {
			t.Fatal(err)
		}
	}
	set("body.E", 8000)
	var f physics.Frame
	w.Draw(&f)
	if f.Force.Sub(soft.Mul(1.6)).Len() > 1e-12 || f.Force.Sub(hard).Len() > 0.01*hard.Len() || f.Softest != 8000 {
		t.Errorf("E = 8000 Pa: %v N, at 5000 Pa %v N, opened with it %v N", f.Force, soft, hard)
	}
	var m local.Model
	local.Make(&m, 0)
	w.Local(&m)
	if felt, _ := m.Resultant(m.R); felt.Sub(f.Force).Len() > 1e-12 {
		t.Errorf("the hand feels %v N", felt)
	}
	set("friction", 0)
	set("equilibrium.tolerance", 1e-3)
	set("equilibrium.corrections", 20)
	down.Position[0] += 0.004
	w.reach(t, down)
	if w.steps.last.Residual > 1e-3*w.steps.last.Pressed {
		t.Errorf("residual %g of %g N", w.steps.last.Residual, w.steps.last.Pressed)
	}
	w.Draw(&f)
	for i := range f.Contacts {
		if c := &f.Contacts[i]; math.Hypot(c.R[1], c.R[2]) > 1e-9 {
			t.Errorf("without friction a contact has the force %v N", c.R)
		}
	}
}

// A step that its deadline ends says what that has cost, in newtons; what is shown is in
// equilibrium all the same, and the tool comes where it should.
func TestDeadlineShortensSteps(t *testing.T) {
	w := openWorld(t, "x.toml", block(t), "equilibrium.deadline=1e-9", "equilibrium.tries=40" /* of older files */)
	given := 0
	number := physics.Place(w.Keys(), "equilibrium.deadline")
	if number < 0 {
		t.Fatal("the deadline does not live")
	}
	target := frame.At(w.info.Start.Position.Add(mgl64.Vec3{0.004, -0.02, 0}))
	var f physics.Frame
	var deadline physics.Deadline
	for step := 0; ; step++ {
		deadline.Begin(0)
		r := w.Step(physics.Input{Target: target, Deadline: &deadline})
		if w.steps.last.Corrections > 1 {
			t.Fatalf("%d corrections in a step without time", w.steps.last.Corrections)
		}
		w.Draw(&f)
		switch left := f.Numbers[w.info.Number("given_up_N")]; {
		case w.steps.last.Settled && (left != 0 || w.shown.report.Residual > 0.01*w.shown.report.Pressed+1e-9):
			t.Fatalf("%g N were given up, %g of %g N are missing in a state that is shown", left, w.shown.report.Residual, w.shown.report.Pressed)
		case !w.steps.last.Settled && left > 0:
			given++
		}
		if r.Reached {
			break
		}
		if step > 500 {
			t.Fatalf("the tool does not come: %+v", w.steps.last)
		}
	}
	if given == 0 {
		t.Error("no step was ended by its deadline: the test shows nothing")
	}
}

// A reset puts everything back, also while the tool is deep inside.
func TestWorldIsReset(t *testing.T) {
	w := openWorld(t, "x.toml", block(t))
	down := frame.At(w.info.Start.Position.Add(mgl64.Vec3{0.005, -0.02, 0}))
	first := w.reach(t, down).Force
	w.Step(physics.Input{Target: frame.At(down.Position.Add(mgl64.Vec3{0.02, 0, 0}))})
	w.Reset()
	var f physics.Frame
	f.Want.Field = 1
	w.Draw(&f)
	for i, n := range w.bodies.surfaces[0].Nodes {
		if f.Surfaces[1].Vertices[i] != w.engine.body.Mesh.Nodes[n] || f.Surfaces[1].Scalar[i] > 1e-12 {
			t.Fatalf("node %d is at %v with a strain of %g", n, f.Surfaces[1].Vertices[i], f.Surfaces[1].Scalar[i])
		}
	}
	if f.Force != (mgl64.Vec3{}) || f.Stylus != w.info.Start || f.Numbers[w.info.Number("energy_J")] > 1e-12 || len(f.Contacts) > 0 {
		t.Errorf("%v N at %v, %g J, %d contacts", f.Force, f.Stylus, f.Numbers[w.info.Number("energy_J")], len(f.Contacts))
	}
	if again := w.reach(t, down).Force; again.Sub(first).Len() > 0.02*first.Len() {
		t.Errorf("%v N, the first time %v N", again, first)
	}
}

// Targets that are no numbers leave the tool where it is.
func TestWorldStandsBadTargets(t *testing.T) {
	w := openWorld(t, "x.toml", block(t))
	for _, bad := range []frame.Pose{{Position: mgl64.Vec3{math.NaN(), 0, 0}, Rotation: mgl64.QuatIdent()}, {Position: mgl64.Vec3{0, math.Inf(-1), 0}, Rotation: mgl64.QuatIdent()}, {}} {
		if r := w.Step(physics.Input{Target: bad}); r.Force != (mgl64.Vec3{}) || w.shown.tool != w.info.Start {
			t.Errorf("%v: %v N at %v", bad, r.Force, w.shown.tool)
		}
	}
}

// Scene files that make no sense are refused with one line that names the key.
func TestNonlinearSceneIsChecked(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "body.mesh",
		"[body]\nmesh = \"a.msh\"\nE = 0\n": "x.toml:4: body.E",
		"[body]\nmesh = \"a.msh\"\nE=1\nnu=1\n[tool]\nradius=1\n":                     "x.toml:5: nu",
		"[body]\nlaw = \"rubber\"\n":                                                  "corotational, neo-hookean",
		"[tool]\nkind = \"fork\"\n":                                                   "sphere, capsule",
		"[tool]\nradius = -1\n[body]\nmesh = \"a.msh\"\nE = 1\n":                      "x.toml:3: tool.radius",
		"friction = -1\n[body]\nmesh = \"a.msh\"\nE = 1\n[tool]\nradius = 1\n":        "friction",
		"[equilibrium]\nlag = -1\n[body]\nmesh = \"a.msh\"\nE = 1\n":                  "equilibrium.lag",
		"[equilibrium]\ndeadline = -1\n[body]\nmesh = \"a.msh\"\nE = 1\n":             "equilibrium.deadline",
		"[body]\nstiffness = 1000\n":                                                  "stiffness",
		"gravity = 2000\n[body]\nmesh = \"a.msh\"\nE = 1\n[tool]\nradius = 1\n":       "x.toml:2: gravity",
		"[motion]\nscheme = \"verlet\"\n":                                             "none, implicit-euler, newmark",
		"[motion]\nstep = 0\n[body]\nmesh = \"a.msh\"\nE = 1\n[tool]\nradius = 1\n":   "x.toml:3: motion.step",
		"[motion]\nalpha = -1\n[body]\nmesh = \"a.msh\"\nE = 1\n[tool]\nradius = 1\n": "x.toml:3: motion.alpha",
		"[motion]\nbeta = nan\n[body]\nmesh = \"a.msh\"\nE = 1\n[tool]\nradius = 1\n": "motion.beta",
	} {
		_, err := Read("x.toml", []byte("kind = \"nonlinear\"\n"+text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	s, err := Read("x.toml", []byte(block(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"body.clamp=lid", "body.mesh=no.msh"} {
		if err := s.Set(bad); err != nil {
			continue
		}
		if w, _, err := s.Open(context.Background(), physics.Options{}); err == nil {
			w.Close()
			t.Errorf("%s: the world opens", bad)
		}
	}
}

// Close waits for the second thread.
func TestWorldClosesItsThread(t *testing.T) {
	ended := testkit.Goroutines(t)
	w := openWorld(t, "x.toml", block(t))
	w.engine.Options.Lag = 0
	w.reach(t, frame.At(w.info.Start.Position.Add(mgl64.Vec3{0, -0.01, 0})))
	for range 3 {
		w.Close()
	}
	ended()
}

func TestWorldAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	w := openWorld(t, "x.toml", block(t))
	w.engine.Options.Refresh = false
	down := frame.At(w.info.Start.Position.Add(mgl64.Vec3{0, -0.01, 0}))
	w.reach(t, down)
	var f physics.Frame
	f.Want.Field = 1
	var m local.Model
	local.Make(&m, 0)
	i := 0
	step := func() {
		p := down
		p.Position[0] += 1e-4 * float64(i%2)
		i++
		w.Step(physics.Input{Target: p})
		w.Local(&m)
		w.Draw(&f)
	}
	for range 40 {
		step()
	}
	if n := testing.AllocsPerRun(40, step); n > 0 {
		t.Errorf("%g allocations a step", n)
	}
}

// Every law and every preset is pressed and let go: no element turns over, nothing stays
// behind; and a mesh file takes the body's place.
func TestEveryLawLives(t *testing.T) {
	text := block(t)
	for _, set := range [][]string{{"body.law=mooney-rivlin"}, {"body.law=ogden", "body.exponent=6"}, {"body.law=saint-venant-kirchhoff"},
		{"body.law=fibres", "body.fibre_stiffness=20 kPa", "body.fibre=[0, 0, 1]"}, {"body.material=brain"}, {"body.material=liver"}} {
		w := openWorld(t, "x.toml", text, set...)
		r := w.reach(t, frame.At(w.info.Start.Position.Add(mgl64.Vec3{0.002, -0.012, 0})))
		if up := r.Force[1]; !(up > 0.1 && up < 5) || w.strains() < 0.1 || w.strain.beyond == 0 {
			t.Errorf("%v: 11 mm deep: %v N, strain %g, %d elements beyond a tenth", set, r.Force, w.strains(), w.strain.beyond)
		}
		w.reach(t, w.info.Start)
		for range 20 {
			r = w.Step(physics.Input{Target: w.info.Start})
		}
		if far := longest(triples(displacements(w.engine.body, w.engine.Shown.X))); r.Force != (mgl64.Vec3{}) || far > 1e-6 || w.strains() > 1e-4 {
			t.Errorf("%v: let go, %v N, %g m from rest", set, r.Force, far)
		}
	}
	s, err := Read("x.toml", []byte(strings.Replace(text, "E = 5000\n", "", 1)))
	if err == nil || !strings.Contains(err.Error(), "body.E") {
		t.Errorf("without E: %v, %v", s, err)
	}
	opened, err := Read("x.toml", []byte(strings.Replace(text, "E = 5000", "material = \"liver\"", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if e := opened.(*SceneFile).Body.Young; math.Abs(e-2*2000*1.4) > 1e-9 {
		t.Errorf("the liver's E is %g Pa", e)
	}
	if err := opened.Set("body.material=fat"); err != nil {
		t.Fatal(err)
	}
	if e := opened.(*SceneFile).Body.Young; e == 2*2000*1.4 {
		t.Errorf("fat has the liver's E, %g Pa", e)
	}
}

// A mesh is looked for beside its scene, and told to who watches files.
func TestMeshIsBesideTheScene(t *testing.T) {
	text := "kind = \"nonlinear\"\n[body]\nmesh = \"organ.msh\"\nE = 5000\n[tool]\nkind = \"sphere\"\nradius = 5\n"
	s, err := Read(filepath.Join("scenes", "x.toml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if files := s.(physics.Filer).Files(); len(files) != 1 || files[0] != filepath.Join("scenes", "organ.msh") {
		t.Errorf("files %q", files)
	}
}

// A mesh file takes the place of the body, with a tool of its size above it.
func TestMeshTakesTheBodysPlace(t *testing.T) {
	text := block(t)
	_, data, err := setting.FileText("liver")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read("liver", data)
	if err != nil {
		t.Fatal(err)
	}
	file := text[strings.Index(text, "mesh = '")+8:]
	file = file[:strings.Index(file, "'")]
	m, err := mesh.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	mesher := s.(physics.MeshScener)
	supports, materials := mesher.MeshChoices()
	for _, c := range []*physics.MeshScene{
		{Support: supports[0].Name, Material: materials[0].Name},
		{Support: "box", Box: [2]mgl64.Vec3{{-1, -1, -1}, {1, 1e-3, 1}}, Material: materials[1].Name},
	} {
		c.File, c.Unit, c.Nodes = file, "m", m.Nodes
		text, err := mesher.MeshText(c)
		if err != nil {
			t.Fatal(err)
		}
		w := openWorld(t, "mesh.toml", string(text))
		if w.scene.Material != c.Material || !(w.scene.Body.Young > 100) || len(w.engine.k.FreeNode) != 180 {
			t.Errorf("%s: %d of 216 nodes are free, E = %g Pa", text, len(w.engine.k.FreeNode), w.scene.Body.Young)
		}
	}
	if err := s.(physics.Mesher).TakeMesh(file, "m", m.Nodes); err != nil {
		t.Fatal(err)
	}
	opened, _, err := s.Open(context.Background(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	w := opened.(*world)
	if len(w.engine.body.Mesh.Nodes) != len(m.Nodes) || w.info.Start.Position[1] < 0.1+w.scene.Tool.Shape.Tool.Radius || s.Common().Title != "block.msh" {
		t.Errorf("%d nodes, the tool starts at %v, title %q", len(w.engine.body.Mesh.Nodes), w.info.Start.Position, s.Common().Title)
	}
}
