package grain

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/budget"
	"hapco/physics/numerics/num"
)

func openScene(t *testing.T, name string, set ...string) *live {
	t.Helper()
	_, text, err := setting.FileText(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(name, text)
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

// Grains may go between two steps: the tool and the hand meet those that are left.
func TestToolMeetsGrainsThatAreLeft(t *testing.T) {
	l := openScene(t, "packing")
	pose := l.pose
	var m local.Model
	local.Make(&m, 8)
	for n := 0; l.world.report.Walls == 0; n++ {
		if n == 1000 {
			t.Fatal("the tool meets no grain")
		}
		pose.Position[1] -= 5e-4
		l.Step(physics.Input{Dt: 2e-3, Target: pose})
	}
	for l.world.N() > 3 {
		l.world.Remove(0)
	}
	pose.Position[1] -= 5e-4
	l.presses(pose)
	for l.world.N() > 0 {
		l.world.Remove(0)
	}
	l.Local(&m)
	if l.presses(pose) {
		t.Error("the tool presses a grain that has gone")
	}
}

// A heap stays in its box, and carries the ball that is pushed into it.
func TestPackingCarriesTheTool(t *testing.T) {
	l := openScene(t, "packing", "grain.number=150", "fill.up=[24, 40, 24]", "container.size=[40, 50, 40]", "fill.low=[-14, 7, -14]", "fill.up=[14, 70, 14]")
	for range 40 {
		l.Step(physics.Input{Target: l.info.Start, Dt: 5e-3})
	}
	top := 0.0
	for i := range l.world.N() {
		p := l.world.Position(i)
		if math.Abs(p[0]) > 0.02 || math.Abs(p[2]) > 0.02 || p[1] < 0 {
			t.Fatalf("grain %d is at %v, outside the box", i, p)
		}
		top = max(top, p[1])
	}
	target := frame.At(mgl64.Vec3{0, top + l.scene.Tool.Radius, 0})
	pushed := 0.0
	var m local.Model
	local.Make(&m, 1)
	stiff := 0.0
	for i := range 60 {
		target.Position[1] -= 2e-4
		r := l.Step(physics.Input{Target: target, Dt: 5e-3})
		if i > 30 {
			pushed = max(pushed, r.Force[1])
		}
		l.Local(&m)
		if !m.Finite() || !m.Field.On {
			t.Fatalf("model %+v", m.Field)
		}
		stiff = max(stiff, m.Field.K[7])
	}
	if !(pushed > 0.01) || !(stiff > 1) {
		t.Errorf("pushed %g N, at most %g N/m", pushed, stiff)
	}
	if r := l.world.Report(); r.Lost > 0 {
		t.Errorf("%d grains were lost", r.Lost)
	}
	l.Reset()
	if p := l.world.Position(0); p != l.scene.places()[0] || l.pose != l.info.Start {
		t.Errorf("after a reset grain 0 is at %v, the tool at %v", p, l.pose)
	}
}

// The momentum that the tool gives is what it feels: Newton's third law over the seam.
func TestToolFeelsWhatItGives(t *testing.T) {
	l := openScene(t, "packing", "grain.number=60", "fluid.viscosity=0", "fluid.density=0", "gravity=0", "tool.position=[0, 9, -12]", "container.size=[400, 400, 400]")
	w := l.world
	var felt mgl64.Vec3
	before := w.Balance()
	target := l.pose
	seconds := 0.0
	for range 40 {
		target.Position[1] += 2e-4
		at := w.Time()
		r := l.Step(physics.Input{Target: target, Dt: 2e-3})
		felt = felt.Add(r.Force.Mul(w.Time() - at))
		seconds += w.Time() - at
	}
	given := w.Balance().Obstacles[l.which].Sub(before.Obstacles[l.which])
	if felt.Add(given).Len() > 1e-12+1e-9*given.Len() || given.Len() < 1e-6 {
		t.Errorf("felt %v N s, given %v N s in %g s", felt, given, seconds)
	}
}

// Scene files that make no sense are refused with one line.
func TestSceneFileIsChecked(t *testing.T) {
	for text, want := range map[string]string{
		"kind = \"grain\"\n[grain]\nradius = -1\n":          "grain.radius",
		"kind = \"grain\"\n[grain]\nnumber = 100000000\n":   "grain.number",
		"kind = \"grain\"\n[grain]\nsize = 2\n":             "size",
		"kind = \"grain\"\n[container]\nshape = \"bowl\"\n": "bowl",
	} {
		_, err := Read("x.toml", []byte(text))
		if err == nil {
			t.Errorf("%q was read", text)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSeamAllocatesNothing(t *testing.T) {
	l := openScene(t, "packing", "grain.number=100")
	var f physics.Frame
	var m local.Model
	local.Make(&m, 1)
	step := func() {
		l.Step(physics.Input{Target: l.info.Start, Dt: 1e-3})
		l.Local(&m)
		l.Draw(&f)
	}
	for range 300 {
		step()
	}
	if n := testing.AllocsPerRun(20, step); n > 0.5 {
		t.Errorf("%g allocations a step", n)
	}
}

var grainScenes = []string{"packing", "hourglass", "snowfall", "snowball", "sandbox", "flakes", "stream"}

// Every scene bears ten seconds of probing along its path, there and back: nothing is
// lost, no number is none, and the energy stays near what weight and cohesion can give.
func TestScenesBearProbing(t *testing.T) {
	for _, name := range grainScenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := openScene(t, name)
			path, err := l.scene.Common().ChoosePath("sliding", "")
			if err != nil {
				t.Fatal(err)
			}
			offsets := path.Offsets()
			var m local.Model
			local.Make(&m, 1)
			var f physics.Frame
			seconds, dt := 10.0, 10e-3
			if testing.Short() {
				seconds = 0.5
			}
			n := int(seconds / dt)
			felt := 0.0
			for i := range n {
				at := i * 4 * len(offsets) / n % (2 * len(offsets)) // there and back, twice
				if at >= len(offsets) {
					at = 2*len(offsets) - 1 - at
				}
				target := l.info.Start
				target.Position = target.Position.Add(offsets[at])
				r := l.Step(physics.Input{Target: target, Dt: dt})
				l.Local(&m)
				if !m.Finite() || !num.FiniteVec(r.Force) || !num.FiniteVec(r.Torque) {
					t.Fatalf("after %g s: force %v, torque %v, field %+v", l.world.Time(), r.Force, r.Torque, m.Field)
				}
				felt = max(felt, r.Force.Len())
				if i%50 != 49 {
					continue
				}
				l.Draw(&f)
				s := l.world.Sums()
				// what a grain may have: a fall through the whole scene, and a few bonds
				each := l.scene.Density*sphere(l.scene.Radius)*math.Abs(l.scene.Gravity)*0.2 + 12*l.scene.Epsilon
				if !(s.Kinetic >= 0 && s.Kinetic < 0.25*each*float64(1+l.world.N())) {
					t.Errorf("after %g s: %g J of motion in %d grains, %g J each are plausible", l.world.Time(), s.Kinetic, l.world.N(), each)
				}
				if left := l.world.residual(s.Momentum).Len(); !(left < 1e-9) {
					t.Errorf("after %g s: %g N s of momentum came from nowhere", l.world.Time(), left)
				}
			}
			w := l.world
			if r := w.Report(); r.Lost > 0 || w.N() == 0 {
				t.Errorf("%d grains lost, %d there", r.Lost, w.N())
			}
			if felt == 0 && !testing.Short() {
				t.Error("the tool felt nothing")
			}
			if l.scene.Source.Most == 0 && w.N() < l.scene.Number {
				t.Errorf("%d grains of %d left the scene", l.scene.Number-w.N(), l.scene.Number)
			}
			if w.Dissipated() <= 0 {
				t.Error("the fluid took no energy")
			}
			t.Logf("%d grains, step %.3g s, %d steps, at most %.3g N, %d near the bound, %d listings", w.N(), w.Dt(), w.clock.steps, felt, w.Report().Near, w.Report().Listings)
		})
	}
}

// A world that this machine has no memory for is refused before it is made.
func TestSceneNeedsMemory(t *testing.T) {
	free, ok := budget.Free()
	if !ok || free > MaxGrains*bytesPerGrain {
		t.Skip("this machine has memory for any scene")
	}
	_, text, err := setting.FileText("packing")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read("packing", text)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set(fmt.Sprint("source.most=", MaxGrains)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Open(context.Background(), physics.Options{}); err == nil || !strings.Contains(err.Error(), "MB") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%d grains: %v", MaxGrains, err)
	}
}
