package tissue

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/fem"
)

func loadWorld(t *testing.T, name string, set ...string) *World {
	t.Helper()
	if testkit.Race {
		t.Skip("one goroutine, many steps")
	}
	s, err := scene.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, assignment := range set {
		if err := scene.Set(s, assignment); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// gesture calls see after every half millimetre of a way through offsets from the
// start, mm.
func gesture(t *testing.T, w *World, way []mgl64.Vec3, see func(offset mgl64.Vec3)) {
	t.Helper()
	var at mgl64.Vec3
	for _, to := range way {
		from := at
		steps := math.Ceil(to.Sub(from).Len() / 0.5)
		for i := 1.0; i <= steps; i++ {
			at = from.Add(to.Sub(from).Mul(i / steps))
			pose := w.StartPose()
			pose.Position = pose.Position.Add(at.Mul(1e-3))
			if err := w.Move(pose, 1000); err != nil {
				t.Fatal(err)
			}
			see(at)
		}
		at = to
	}
}

// A step that has no time left ends with forces that obey both laws, says so, and
// the next goes on from them.
func TestDeadlineEndsASolveWithAdmissibleForces(t *testing.T) {
	w := loadWorld(t, "spatula", "contact.solver=nsgs", "contact.tolerance=1e-9", "contact.deadline=1e-9")
	w.Deadline(physics.AnswersAgain([]uint32{0, 1})) // late whenever it is asked
	late, unsolved := 0, 0
	gesture(t, w, []mgl64.Vec3{{0, -16, 0}, {10, -16, 0}}, func(mgl64.Vec3) {
		st := w.Stats()
		if st.Late {
			late++
			if !st.Solve.Converged {
				unsolved++
			}
		}
		if st.Rounds > 1 {
			t.Fatalf("%d solves in a step without any time", st.Rounds)
		}
		for i := range w.contacts {
			r := w.r[3*i : 3*i+3]
			if r[0] < 0 || math.Hypot(r[1], r[2]) > w.mu[i]*r[0]*(1+1e-9)+1e-15 {
				t.Fatalf("force %v with mu = %g", r, w.mu[i])
			}
		}
	})
	if late == 0 || unsolved == 0 {
		t.Errorf("%d steps were late, %d of them unsolved", late, unsolved)
	}
	w = loadWorld(t, "spatula", "contact.solver=nsgs", "contact.tolerance=1e-9", "contact.deadline=0")
	gesture(t, w, []mgl64.Vec3{{0, -12, 0}}, func(mgl64.Vec3) {
		if w.Stats().Late {
			t.Fatal("late without a deadline")
		}
	})
}

// Deep under the tool linear elasticity turns elements over. That is counted, at
// any strain that comes with it, and gone when the tool is.
func TestStrainsAreCounted(t *testing.T) {
	w := loadWorld(t, "liver-linear")
	most, strain := 0, 0.0
	gesture(t, w, []mgl64.Vec3{{0, -30, 0}}, func(at mgl64.Vec3) {
		n, beyond, e := w.Strains()
		if most = max(most, n); n > 0 && !(e > 0.5) {
			t.Errorf("at %v: %d elements turned over by strains of %g", at, n, e)
		}
		if (beyond > 0) != (e > fem.LinearLimit) || beyond < n {
			t.Errorf("at %v: %d elements turned over, %d beyond a linear body, by strains of %g", at, n, beyond, e)
		}
		strain = max(strain, e)
	})
	if most == 0 || !(strain > 0.5 && strain < 20) {
		t.Errorf("%d elements, strain %g, 24 mm deep", most, strain)
	}
	gesture(t, w, []mgl64.Vec3{{0, 20, 0}}, func(mgl64.Vec3) {})
	if n, beyond, e := w.Strains(); n != 0 || beyond != 0 || e != 0 {
		t.Errorf("after the lift: %d elements, strain %g", n, e)
	}
}

// A tool that is deeper in a body than linear elasticity holds for says so, and
// names what holds.
func TestBeyondLinearIsSuggested(t *testing.T) {
	for overlap, want := range map[float64]bool{0.1: false, 0.5: false, 0.7: true} {
		var f physics.Frame
		f.Numbers = make([]float64, len(numbers))
		s := Snapshot{}
		s.Stats.Overlap = overlap
		Show(&f, &s, &Params{})
		if got := strings.Contains(f.Status, "try scene liver"); got != want {
			t.Errorf("overlap %g: %q", overlap, f.Status)
		}
		s.Stats.Overlap, s.Field, s.Beyond = 0, beyondField, 1 // where it is coloured any element is enough
		if Show(&f, &s, &Params{}); !strings.Contains(f.Status, "try scene liver") {
			t.Errorf("an element beyond: %q", f.Status)
		}
	}
}

// spring is that of an ordinary device, for a tool of that world.
func (w *World) springOf() physics.Coupling {
	return physics.Coupling{Stiffness: 400, Angle: 400 * w.Lever() * w.Lever(), Limit: 3.5}
}

// hold lets a tool hang on a hand that does not move, until nothing does.
func hold(w *World, hand frame.Pose) {
	for range 200 {
		w.StepHung(hand, w.springOf())
	}
}

// A tool on a spring is in equilibrium with the hand, wherever that is: the spring bears what the contacts do, moments
// too, and never more than the tissue is meant to.
func TestHungToolBalancesItsSpring(t *testing.T) {
	for _, name := range []string{"block-linear", "liver-linear"} {
		w := loadWorld(t, name, "contact.tolerance=1e-8")
		for _, down := range []float64{0, 9e-3, 12e-3, 30e-3} {
			hand := w.StartPose()
			hand.Position[1] -= down
			hand.Rotation = mgl64.QuatRotate(math.Min(down, 15e-3)*15, mgl64.Vec3{1, 0, 1}.Normalize()).Mul(hand.Rotation)
			hold(w, hand)
			force, torque := w.Force()
			pull := w.pull(w.Pose())
			off := force.Add(mgl64.Vec3(pull[:3])).Len()
			turning := torque.Mul(1 / w.Lever()).Add(mgl64.Vec3(pull[3:])).Len()
			size := math.Max(force.Len(), torque.Len()/w.Lever())
			if !(math.Max(off, turning) <= 0.02*size+1e-9) {
				t.Errorf("%s, %g m down: contacts give %v N, the spring misses %g N and %g of the moment", name, down, force, off, turning)
			}
			if most := min(w.bearable(), w.springOf().Limit); !(force.Len() <= 1.02*most) || down == 30e-3 && !(force.Len() > 0.9*most) {
				t.Errorf("%s, %g m down: %g N of %g", name, down, force.Len(), most)
			}
			if far := w.Pose().Position.Sub(hand.Position).Len(); (far < 1e-12) != (force.Len() == 0) {
				t.Errorf("%s, %g m down: the tool is %g m from the hand, with %v N", name, down, far, force)
			}
		}
	}
}

// What the hand feels of a hung tool is the bodies and not the spring, about the pose of the tool: with the same spring
// beside it the servo finds the forces of the step.
func TestHungToolIsFeltWithoutItsSpring(t *testing.T) {
	w := loadWorld(t, "block-linear", "contact.tolerance=1e-9")
	hand := w.StartPose()
	hand.Position[1] -= 9e-3
	hand.Position[0] += 2e-3
	hold(w, hand)
	var m local.Model
	local.Make(&m, 0)
	w.Model(&m)
	if m.Origin != w.Pose().Position || m.N == 0 {
		t.Fatalf("%d contacts about %v, the tool is at %v", m.N, m.Origin, w.Pose().Position)
	}
	x := make([]float64, 3*m.N)
	felt := contact.Problem{N: m.N, W: m.W, Q: m.Free, Mu: m.Mu}
	felt.Displacements(x, m.R)
	if e := felt.Errors(m.R, x); !(e.Scaled < 1e-3) {
		t.Errorf("the forces of the step are off the laws of the hand's model by %g", e.Scaled)
	}
	got, _ := m.Resultant(m.R)
	if force, _ := w.Force(); got.Sub(force).Len() > 1e-12 {
		t.Errorf("felt %v, %v N in the step", got, force)
	}
}

// A tool that is clear of the undeformed tissue touches nothing, and the tissue is at rest: whatever the hand did
// before. Here it goes deep under a lobe, sideways, and straight up.
func TestToolClearOfTheUndeformedTissueIsFree(t *testing.T) {
	w := loadWorld(t, "organs-linear", "friction=1")
	hand := w.StartPose()
	clear, touched := 0, 0
	for _, leg := range []mgl64.Vec3{{0, -45, 0}, {-40, 0, 20}, {60, 0, -40}, {0, 120, 0}} {
		steps := int(leg.Len())
		for range steps {
			hand.Position = hand.Position.Add(leg.Mul(1e-3 / float64(steps)))
			before := w.outside()
			w.StepHung(hand, w.springOf())
			force, _ := w.Force()
			switch {
			case before && w.outside():
				if clear++; force.Len() != 0 {
					t.Fatalf("%v N on a tool at %v, clear of the tissue at rest", force, w.Pose().Position)
				}
			case force.Len() > 0:
				touched++
			}
		}
	}
	if touched < 50 || clear < 20 {
		t.Errorf("%d steps touch, in %d the tool is clear", touched, clear)
	}
	hold(w, hand)
	for _, b := range w.bodies {
		if len(b.deformed.now.nodes) > 0 || w.Pose().Position != hand.Position {
			t.Errorf("%s carries forces", b.info.Name)
		}
	}
}

// outside tells that the tool is clear of all tissue at rest.
func (w *World) outside() bool {
	for _, x := range w.bodies[w.driven].rest {
		d := w.bodies[w.driven]
		at := d.pose.Position.Add(d.rotation.Mul3x1(x))
		for _, b := range w.bodies {
			if !b.info.Rigid && !(b.undeformed(at, 0) > w.params.DDCTolerance) {
				return false
			}
		}
	}
	return true
}

// Steps of a hung tool allocate nothing.
func TestHungStepsDoNotAllocate(t *testing.T) {
	w := loadWorld(t, "block-linear")
	hand, spring, k := w.StartPose(), w.springOf(), 0
	from := hand.Position
	step := func() {
		k++
		hand.Position = from.Add(mgl64.Vec3{5e-3 * math.Sin(float64(k)/9), -20e-3 * math.Abs(math.Sin(float64(k)/25)), 0})
		w.StepHung(hand, spring)
	}
	for range 400 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%g allocations a step", n)
	}
}
