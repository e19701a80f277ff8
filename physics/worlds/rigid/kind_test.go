package rigid

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
)

func openLive(t *testing.T, name, text string, set ...string) *live {
	t.Helper()
	s, err := Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range set {
		if err := s.Set(a); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := s.Open(context.Background(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w.(*live)
}

// eachScene runs a test on each embedded scene of this kind.
func eachScene(t *testing.T, f func(t *testing.T, l *live)) {
	for _, name := range assets.Scenes() {
		text, err := assets.Scene(name)
		if err != nil {
			t.Fatal(err)
		}
		if setting.KindOf(text) == "rigid" {
			t.Run(name, func(t *testing.T) { f(t, openLive(t, name, string(text))) })
		}
	}
}

// Every scene opens and bears ten seconds of probing: along its path and back, then by
// catching and swinging what is near, then left alone. Nothing gets lost, forces stay
// bounded, and what is left alone gains no energy.
func TestScenesAreProbed(t *testing.T) {
	eachScene(t, func(t *testing.T, l *live) {
		seconds := 10.0
		if len(l.parts) > 50 { // 200 bricks take long
			seconds = 1
		}
		if testkit.Race || testing.Short() {
			seconds /= 20
		}
		p := l.scene.Path("sliding")
		if p == nil {
			t.Fatal("there is no path")
		}
		way := p.Offsets()
		keys := l.Keys()
		catch := &keys[physics.Place(keys, "hand.catch")]
		var m local.Model
		local.Make(&m, 0)
		var f physics.Frame
		const dt = 4e-3
		n := int(seconds / dt)
		bound := toolMass * toolSpeed / l.now.Step
		least, worst, touched := math.Inf(1), math.Inf(-1), 0
		var owed physics.Owed
		l.Draw(&f)
		start, most := f.Numbers[l.info.Number("energy_J")], 0.0
		for i := range n {
			target := l.info.Start
			switch part := float64(i) / float64(n); {
			case part < 0.5:
				k := int(part / 0.5 * 2 * float64(len(way)))
				target.Position = target.Position.Add(way[min(k, 2*len(way)-1-k)])
			case part < 0.8:
				if catch.Get() == 0 {
					if err := catch.Set(1); err != nil {
						t.Fatal(err)
					}
				}
				target.Position = target.Position.Add(mgl64.Vec3{0.02 * math.Sin(float64(i)*dt*6), 0.01, 0.02 * math.Sin(float64(i)*dt*4)})
			default:
				if catch.Get() == 1 {
					if err := catch.Set(0); err != nil {
						t.Fatal(err)
					}
				}
				target.Position = target.Position.Add(mgl64.Vec3{0, 0.5, 0}) // away
			}
			r := owed.Step(l, physics.Input{Target: target, Dt: dt})
			l.Local(&m)
			l.Draw(&f)
			most = max(most, f.Numbers[l.info.Number("energy_J")]-start)
			if l.word != "" {
				t.Fatalf("at %.3g s: %s", l.world.time, l.word)
			}
			if !m.Finite() || !(r.Force.Len() < 20*bound) {
				t.Fatalf("at %.3g s: force %v, model %+v", l.world.time, r.Force, m.Field)
			}
			if r.Force.Len() > 0 {
				touched++
			}
			if float64(i) > 0.9*float64(n) && !l.touched {
				e := f.Numbers[l.info.Number("energy_J")]
				if least < math.Inf(1) {
					worst = max(worst, (e-least)/(f.Numbers[l.info.Number("kinetic_J")]+5e-3*math.Abs(e)+1e-9))
				}
				least = min(least, e)
			}
			for _, x := range f.Numbers {
				if math.IsNaN(x) {
					t.Fatalf("numbers %v", f.Numbers)
				}
			}
			if len(f.Instances)+len(f.Surfaces)-len(l.world.hands) != len(l.parts) {
				t.Fatalf("%d of %d bodies are seen", len(f.Instances)+len(f.Surfaces)-len(l.world.hands), len(l.parts))
			}
		}
		t.Logf("%d bodies, felt in %d of %d steps; the hand gives at most %.3g J; left alone energy rises by at most %.2g of the kinetic one", len(l.parts), touched, n, most, worst)
		if most > 5 {
			t.Errorf("a light hand gave %.3g J", most)
		}
		if touched == 0 && !testkit.Race && !testing.Short() {
			t.Error("the path touches nothing")
		}
		if l.info.Number("drift C2") < 0 && worst > 0.02 {
			t.Errorf("left alone the energy rises by %.3g of the kinetic one", worst)
		}
		l.Reset()
		if b := l.parts[0].body; b.X != l.parts[0].start || l.world.time != 0 {
			t.Errorf("after a reset body 0 is at %v", b.X)
		}
	})
}

// A step, the hand's model and a picture allocate nothing once they are warm.
func TestSeamAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	eachScene(t, func(t *testing.T, l *live) {
		var f physics.Frame
		var m local.Model
		local.Make(&m, 0)
		target := l.info.Start
		step := func() {
			l.Step(physics.Input{Target: target, Dt: 4e-3})
			l.Local(&m)
			l.Draw(&f)
		}
		warm := 100
		if testkit.Long() {
			warm = 1200
		}
		if len(l.parts) > 50 {
			warm = 30
		}
		for range warm {
			step()
		}
		if n := testing.AllocsPerRun(5, step); n > 0.5 {
			t.Errorf("%g allocations a step", n)
		}
	})
}

const pressed = `kind = "rigid"
floor = true
friction = 0.4
[tool]
position = [0, 0.08, 0]
[[body]]
name = "brick"
form = "box"
size = [0.04, 0.02, 0.06]
position = [0, 0.01, 0]
`

// A body between the stylus and the floor is not crushed: the force grows with the depth
// of the stylus and stays below its bound, the body stays where it is, and the hand's
// model has the force that was found.
func TestPressedBodyIsNotCrushed(t *testing.T) {
	l := openLive(t, "x.toml", pressed)
	brick := l.parts[0].body
	var m local.Model
	local.Make(&m, 0)
	bound := toolMass * toolSpeed / l.now.Step
	press := func(y float64, n int) (force float64) {
		for range n {
			r := l.Step(physics.Input{Target: frame.At(mgl64.Vec3{0, y, 0}), Dt: 1e-3})
			l.Local(&m)
			if f, _ := m.Resultant(m.R); math.Abs(f[1]-r.Force[1]) > 1e-6*(1+r.Force[1]) {
				t.Fatalf("the model has %v, the step %v", f, r.Force)
			}
			force = r.Force[1]
		}
		return force
	}
	press(0.03, 100)
	soft := press(0.02+8e-3-1e-3, 300)
	hard := press(0, 300)
	if want := toolMass / (l.now.Step * l.now.Step) * 1e-3; math.Abs(soft/want-1) > 0.05 {
		t.Errorf("1 mm deep it presses with %.4g N, want %.4g", soft, want)
	}
	if !(hard > soft && hard <= bound*1.01) {
		t.Errorf("deep in the floor it presses with %.4g N, at most %.4g", hard, bound)
	}
	if !(math.Abs(brick.X[1]-0.01) < 5e-4) || brick.V.Len() > 1e-3 {
		t.Errorf("the brick is at %v, moves at %v", brick.X, brick.V)
	}
}

// What is caught follows the stylus, and flies on when it is let go.
func TestCatchAndThrow(t *testing.T) {
	l := openLive(t, "x.toml", pressed, "gravity=0", "floor=false", "hand.reach=0.2")
	keys := l.Keys()
	catch := &keys[physics.Place(keys, "hand.catch")]
	if err := catch.Set(1); err != nil {
		t.Fatal(err)
	}
	target := l.info.Start
	for range 500 {
		target.Position[0] += 5e-4
		l.Step(physics.Input{Target: target, Dt: 1e-3})
	}
	b := l.parts[0].body
	if l.world.hands[0].held != b || math.Abs(b.V[0]-0.5) > 0.05 {
		t.Fatalf("caught %v, it moves at %v", l.world.hands[0].held, b.V)
	}
	if err := catch.Set(0); err != nil {
		t.Fatal(err)
	}
	v := b.V
	for range 100 {
		l.Step(physics.Input{Target: target, Dt: 1e-3})
	}
	if l.world.hands[0].held != nil || b.V != v {
		t.Errorf("thrown at %v, flies at %v", v, b.V)
	}
}

// What drifts is measured against what moves at the start, or given with its unit.
func TestDriftsHaveAMeasure(t *testing.T) {
	for _, scene := range []string{"dominoes", "double-pendulum", "free-top"} {
		text, err := assets.Scene(scene)
		if err != nil {
			t.Fatal(err)
		}
		l := openLive(t, scene, string(text))
		var f physics.Frame
		for range 3 {
			l.Step(physics.Input{Target: l.info.Start, Hand: l.info.Start, Dt: l.world.Config.Step})
		}
		l.Draw(&f)
		k, _ := l.world.energy()
		_, spin := l.world.momentum()
		for name, size := range map[string]float64{"energy_error": k, "momentum_drift": spin.Len()} {
			n := l.info.Numbers[l.info.Number(name)]
			value := f.Numbers[l.info.Number(name)]
			if n.Unit == "" && value > 10 || n.Unit != "" && value > 10*size+1e-6 {
				t.Errorf("%s: %s is %.3g %s, of %.3g", scene, name, value, n.Unit, size)
			}
			if (n.Unit == "") != (scene == "free-top") {
				t.Errorf("%s: %s has the unit %q", scene, name, n.Unit)
			}
		}
	}
}

// A body that turns by itself does so by the integrator that is chosen live, goes on from
// where it is, and can be caught.
func TestIntegratorIsChosenLive(t *testing.T) {
	l := openLive(t, "x.toml", strings.Replace(pressed, "floor = true", "gravity = 0", 1)+"spin = [30, 2, 25]\nintegrator = \"scene\"\n", "step=5 ms")
	keys := l.Keys()
	key := &keys[physics.Place(keys, "integrator")]
	var f physics.Frame
	drift := map[string]float64{}
	for i, c := range key.Choices {
		before := l.parts[0].body.Q
		if err := key.Set(float64(i)); err != nil {
			t.Fatal(err)
		}
		if l.parts[0].body.Q.Sub(before).Len() > 1e-12 {
			t.Error("the body jumps")
		}
		if (l.parts[0].body.Solo != nil) != (c.Name != "contact") {
			t.Errorf("%s is not at work", c.Name)
		}
		for range 400 {
			l.Step(physics.Input{Target: l.info.Start, Dt: 5e-3})
		}
		l.Draw(&f)
		drift[c.Name] = f.Numbers[l.info.Number("energy_error")]
	}
	t.Logf("drift of the energy over 2 s: %v", drift)
	if drift["C1"] > 1e-11 || drift["contact"] > 1e-11 || drift["C2"] < 1e-5 {
		t.Errorf("drift %v", drift)
	}
	if turn := f.Numbers[l.info.Number("turn_rad")]; !(turn > cautionAngle) || l.info.Numbers[l.info.Number("turn_rad")].Warn != cautionAngle {
		t.Errorf("|W| h = %g rad without a warning", turn)
	}
	l.now.Catch, l.now.Reach = true, 0.2
	spin := l.parts[0].body.W.Len()
	for range 400 {
		l.Step(physics.Input{Target: l.info.Start, Dt: 5e-3})
	}
	if b := l.parts[0].body; b.Solo == nil || b.W.Len() > 0.1*spin {
		t.Errorf("caught, it still turns at %g of %g 1/s", b.W.Len(), spin)
	}
}

// Shapes for the eye are closed, face outwards, and have the form's volume.
func TestShapesOfForms(t *testing.T) {
	for name, f := range map[string]*Form{"ball": Ball(0.03), "box": Box(0.1, 0.2, 0.3), "capsule": Capsule(0.02, 0.1), "cylinder": Cylinder(0.05, 0.02), "ellipsoid": Ellipsoid(0.1, 0.02, 0.03)} {
		s := f.shape()
		volume, _, _ := meshInertia(s.Vertices, s.Triangles)
		want, _ := f.Solid(1)
		if !(math.Abs(volume/want-1) < 0.04) {
			t.Errorf("%s: volume %.4g m^3, want %.4g", name, volume, want)
		}
	}
}

// Scene files that make no sense are refused with one line.
func TestSceneFileIsChecked(t *testing.T) {
	body := "[[body]]\nname = \"a\"\nform = \"box\"\nposition = [0, 1, 0]\n"
	for text, want := range map[string]string{
		"step = -1\n":                          "step",
		body:                                   "size",
		body + "sise = 1\n":                    "sise",
		body + "size = [1, 1, 1]\nmass = 0\n":  "mass",
		body + "size = [1, 1, 1]\nmass = -2\n": "mass",
		body + "size = [1, 1, 1]\ninertia = [1, -1, 1]\n":                                                                      "inertia",
		body + "size = [1, 1, 1]\nintegrator = \"C3\"\n":                                                                       "C3",
		body + "size = [1, 1, 1]\n" + body + "size = [1, 1, 1]\n":                                                              "two bodies",
		body + "size = [1, 1, 1]\n[[joint]]\nkind = \"ball\"\na = \"b\"\nat = [0, 0, 0]\n":                                     "no body",
		body + "size = [1, 1, 1]\nintegrator = \"C2\"\n[[joint]]\nkind = \"rod\"\na = \"a\"\nat = [0, 1, 0]\nto = [0, 2, 0]\n": "by itself",
		body + "size = [1, 1, 1]\nmodes = 3\n":                                                                                 "modes",
	} {
		_, err := Read("x.toml", []byte("kind = \"rigid\"\n"+text))
		if err == nil {
			t.Errorf("%q was read", text)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
	s, err := Read("x.toml", []byte("kind = \"rigid\"\n"+body+"size = [1, 1, 1]\ninertia = [1, 1, 3]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Open(context.Background(), physics.Options{}); err == nil || !strings.Contains(err.Error(), "sum of the others") {
		t.Errorf("an inertia of no body: %v", err)
	}
	if err := s.Set("a.mass=2"); err != nil {
		t.Error(err)
	}
	if err := s.Set("a.mas=2"); err == nil {
		t.Error("a.mas was set")
	}
}

const stack = `kind = "rigid"
floor = true
friction = 0.6
[tool]
position = [0.05, 0.13, 0.1]
[[body]]
name = "brick"
form = "box"
size = [0.1, 0.05, 0.05]
position = [0, 0.025, 0]
repeat = [4, 4, 1]
apart = [0.1, 0.05, 0]
bond = true
`

// The problems that a wall meets, at rest and when it is pushed over, go to files. "auto"
// solves all of them to 1e-8 in both errors, though there are far more contacts than the
// bricks have freedoms.
func TestProblemsAreDumped(t *testing.T) {
	dir := t.TempDir()
	d, err := contact.NewDump(dir, 15, 100)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read("x.toml", []byte(stack))
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := s.Open(t.Context(), physics.Options{Dump: d})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 300 {
		w.Step(physics.Input{Target: frame.At(mgl64.Vec3{0.05, 0.13, 0.1 - 8e-4*float64(i)}), Dt: 1e-3})
	}
	if _, _, err := d.Done(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.fc3d.gz"))
	solver, err := contact.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.MaxIterations = 1e-8, 2000
	worst, most := 0.0, 0
	for _, f := range files {
		p, _, err := contact.LoadFC3D(f)
		if err != nil {
			t.Fatal(err)
		}
		r := make([]float64, 3*p.N)
		res := solver.Solve(p, r, &opt)
		e := max(res.Errors.Scaled, res.Errors.Natural)
		worst, most = max(worst, e), max(most, p.N)
		if !(e <= 1e-8) {
			t.Errorf("%s, %d contacts: error %.2g after %d iterations", filepath.Base(f), p.N, e, res.Iterations)
		}
	}
	t.Logf("%d problems of up to %d contacts, largest error %.2g", len(files), most, worst)
	if len(files) < 20 || most < 40 {
		t.Errorf("%d problems of up to %d contacts: too few to say anything", len(files), most)
	}
}

// A problem that no file may hold is counted, and not formed: its W would take gigabytes.
func TestHugeProblemIsNotFormed(t *testing.T) {
	w := newWorld(t, nil)
	n := contact.MaxContacts + 1
	w.system.islands = []island{{problem: problem{contacts: make([]contactConstraint, n)}}}
	for p, r := range w.Problems {
		if p.N != n || p.W != nil || r != nil {
			t.Errorf("%d contacts, W of %d numbers", p.N, len(p.W))
		}
		n = 0
	}
	if n != 0 {
		t.Error("it is not told of")
	}
}

const pinch = `kind = "rigid"
floor = true
friction = 0.6
[tool]
position = [-0.08, 0.03, 0]
second = [0.08, 0.03, 0]
radius = 0.01
[[body]]
name = "box"
form = "box"
size = [0.1, 0.06, 0.06]
mass = 0.2
position = [0, 0.03, 0]
`

// Two hands take a box from both sides and lift it, which friction alone holds. Each hand
// feels what it presses with, towards its own side, and bears its half of the weight; of a
// hand that is not told where it is, the tool stays.
func TestTwoHandsLift(t *testing.T) {
	l := openLive(t, "two.toml", pinch)
	if l.info.Second == nil || l.info.Second.Position != (mgl64.Vec3{0.08, 0.03, 0}) {
		t.Fatalf("second stylus: %v", l.info.Second)
	}
	in := physics.Input{Target: l.info.Start, Second: *l.info.Second, Dt: 1e-3}
	step := func(n int, left, right mgl64.Vec3) {
		a, b := in.Target.Position, in.Second.Position
		for i := range n {
			part := float64(i+1) / float64(n)
			in.Target.Position, in.Second.Position = a.Add(left.Mul(part)), b.Add(right.Mul(part))
			l.Step(in)
		}
	}
	step(300, mgl64.Vec3{0.0202, 0, 0}, mgl64.Vec3{-0.0202, 0, 0})
	step(500, mgl64.Vec3{0, 0.05, 0}, mgl64.Vec3{0, 0.05, 0})
	step(300, mgl64.Vec3{}, mgl64.Vec3{})
	box := l.parts[0].body
	if math.Abs(box.X[1]-0.08) > 2e-3 || box.V.Len() > 0.01 {
		t.Errorf("the box is at %v, moves at %v; want 0.08 m high and at rest", box.X, box.V)
	}
	var f physics.Frame
	l.Draw(&f)
	if !(f.Force[0] < -1) || !(f.Second.Force[0] > 1) {
		t.Errorf("the hands feel %v and %v N", f.Force, f.Second.Force)
	}
	if weight := -(f.Force[1] + f.Second.Force[1]); math.Abs(weight-0.2*9.81) > 0.05 || math.Abs(f.Force[1]-f.Second.Force[1]) > 0.1 {
		t.Errorf("they bear %.3f N, %v and %v", weight, f.Force, f.Second.Force)
	}
	var models [2]local.Model
	for k, fill := range []func(*local.Model){l.Local, l.LocalSecond} {
		local.Make(&models[k], 0)
		fill(&models[k])
		want := []mgl64.Vec3{f.Force, f.Second.Force}[k]
		if got, _ := models[k].Resultant(models[k].R); got.Sub(want).Len() > 0.05*want.Len() {
			t.Errorf("hand %d: the model has %v, the step %v N", k+1, got, want)
		}
	}
	if n := testing.AllocsPerRun(50, func() { l.Step(in); l.Local(&models[0]); l.LocalSecond(&models[1]) }); n != 0 && !testkit.Race {
		t.Errorf("%g allocations a step", n)
	}

	at := l.world.hands[1].Tool.X
	in.Second = frame.Pose{}
	step(100, mgl64.Vec3{}, mgl64.Vec3{})
	if d := l.world.hands[1].Tool.X.Sub(at).Len(); d > 1e-3 || !l.sound() {
		t.Errorf("a second hand without a pose has moved by %g m", d)
	}
	l.Reset()
	if l.parts[0].body.X[1] != 0.03 || l.world.hands[1].Tool.X != l.info.Second.Position {
		t.Error("not as at the start")
	}
}
