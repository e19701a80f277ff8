package finitestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/numerics/contact"
)

// value is what the world's account says under a name.
func value(t *testing.T, w *world, name string) float64 {
	t.Helper()
	for _, e := range w.Account(false) {
		if e.Name == name {
			return e.Value.(float64)
		}
	}
	t.Fatalf("no %s in the account", name)
	return 0
}

func setKey(t *testing.T, w *world, name string, x float64) {
	t.Helper()
	for _, k := range w.Keys() {
		if k.Name == name {
			if err := k.Set(x); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no key %s", name)
}

// A hand presses and drags while the panel changes mu, to both ends and back: no state is shown
// in which a contact is outside the cone of the mu that it was found with, each new one obeys the
// mu that is set, nothing is reached before that, and it takes some steps at most.
func TestFrictionIsWhatIsSet(t *testing.T) {
	if testing.Short() {
		t.Skip("600 steps")
	}
	for _, scene := range []string{"block-neo-hookean", "organs"} {
		w := openWorld(t, scene, "")
		w.engine.Options.Lag = 2
		target := w.info.Start
		changes := []float64{1, 0, 0.3, 0.9, 0.05, 0.6, 10, 0.2}
		late, most, slid, stuck, lags := 0, 0, 0, 0, 0
		for step := range 300 {
			s := float64(step) / 150
			target.Position = w.info.Start.Position.Add(mgl64.Vec3{0.012 * math.Max(0, s-0.7), -0.018 * math.Min(1, s/0.7), 0})
			if step > 60 && step%12 == 0 {
				setKey(t, w, "friction", changes[step/12%len(changes)])
				if lag := value(t, w, "friction_lag"); lag > 0 {
					lags++
				}
			}
			r := w.Step(physics.Input{Target: target, Hand: target})
			lag := value(t, w, "friction_lag")
			if late++; lag == 0 {
				late = 0
			}
			most = max(most, late)
			if w.steps.last.Settled && lag != 0 || r.Reached && lag != 0 {
				t.Fatalf("%s, step %d: a new state, and mu is %g from what is set", scene, step, lag)
			}
			if v := value(t, w, "cone_violation"); !(v <= 1e-9) {
				t.Fatalf("%s, step %d: a force leaves the cone by %g of its size", scene, step, v)
			}
			if e := value(t, w, "contact_error_N"); !(e <= w.now.Tolerance*value(t, w, "pressed_N")+1e-9) {
				t.Fatalf("%s, step %d: %g N are missing to Coulomb's law, of %g", scene, step, e, value(t, w, "pressed_N"))
			}
			for i := range w.felt.rows { // what is drawn and felt is of the same law
				mu, r := w.felt.model.Mu[i], w.felt.model.R[3*i:3*i+3]
				if lag == 0 && mu != w.now.Friction && w.felt.holds[i] == 0 || math.Hypot(r[1], r[2]) > mu*r[0]*(1+1e-9)+1e-12 {
					t.Fatalf("%s, step %d: the hand's contact %v has mu %g, set is %g", scene, step, r, mu, w.now.Friction)
				}
				switch w.felt.status[i].String() {
				case "stick":
					stuck++
				case "slip", "slide":
					slid++
				}
			}
		}
		t.Logf("%s: %d steps at most until the mu that is set is shown, after %d of the changes; %d contacts stuck, %d slid", scene, most, lags, stuck, slid)
		if most > 60 {
			t.Errorf("%s: no state with the mu that is set for %d steps", scene, most)
		}
		if lags == 0 || stuck == 0 {
			t.Errorf("%s: the test has met nothing: %d changes that left a cone, %d contacts stuck", scene, lags, stuck)
		}
	}
}

// lessFriction is a solver that takes half of the friction that it is given.
type lessFriction struct{ contact.Solver }

func (s *lessFriction) Solve(p *contact.Problem, r []float64, o *contact.Options) contact.Result {
	other := *p
	other.Mu = nil
	for _, mu := range p.Mu {
		other.Mu = append(other.Mu, mu/2)
	}
	return s.Solver.Solve(&other, r, o)
}

// What slides with less friction than is set stays inside its cone, and is no equilibrium all the same: a tool is drawn
// over a block by a solver that takes half of it.
func TestLessFrictionIsNoEquilibrium(t *testing.T) {
	slides := [2]int{}
	for less := range slides {
		w := openWorld(t, "block-neo-hookean", "", "friction=0.2")
		w.engine.Options.Lag = 1
		if less == 1 {
			w.engine.problem.solver = &lessFriction{w.engine.problem.solver}
		}
		target := w.info.Start
		for step := range 150 {
			target.Position = w.info.Start.Position.Add(mgl64.Vec3{4e-4 * float64(max(0, step-70)), -1.2e-4 * float64(min(step, 70)), 0})
			w.Step(physics.Input{Target: target, Hand: target})
			if e := value(t, w, "coulomb_error"); !(e <= 1) {
				t.Fatalf("step %d: an equilibrium breaks the laws by %g of what the tolerance allows", step, e)
			}
			for _, s := range w.felt.status {
				if step > 80 && s != contact.Open && w.steps.last.Settled {
					slides[less]++
					break
				}
			}
		}
	}
	if slides[0] < 30 || slides[1] > slides[0]/5 {
		t.Errorf("%d steps settle with the friction that is set, %d with half of it", slides[0], slides[1])
	}
}

// A tool that rests on held nodes, and leans on them sideways, stays where it is: what a support
// has given way along the tool is no slip, and comes back.
func TestRestingContactOnASupportDoesNotCreep(t *testing.T) {
	w := openWorld(t, "block-neo-hookean", "", "friction=0.8", `body.clamp="top"`)
	target := w.info.Start
	low := 0.0
	for step := 0; step < 200 && w.felt.force.Len() == 0; step++ {
		low += 0.0005
		target.Position = w.info.Start.Position.Sub(mgl64.Vec3{0, low, 0})
		w.Step(physics.Input{Target: target, Hand: target})
	}
	target.Position = target.Position.Add(mgl64.Vec3{2e-5, -2e-4, 0})
	for try := 0; try < 20 && !w.Step(physics.Input{Target: target, Hand: target}).Reached; try++ {
	}
	for range 10 { // from an equilibrium to the tolerance to a better one
		w.Step(physics.Input{Target: target, Hand: target})
	}
	first := w.felt.force
	if side := math.Hypot(first[0], first[2]); !(side > 0.01*first.Len()) {
		t.Fatalf("the tool does not lean: %v N", first)
	}
	for range 50 {
		w.Step(physics.Input{Target: target, Hand: target})
	}
	if w.felt.force.Sub(first).Len() > 1e-3*first.Len() {
		t.Errorf("%v N became %v N in 50 steps at rest", first, w.felt.force)
	}
}

// Without friction a force is along its normal but for rounding, and that is no state that breaks a law.
func TestStatesWithoutFrictionAreValid(t *testing.T) {
	w := openWorld(t, "block-neo-hookean", "", "friction=0")
	target, pressed := w.info.Start, 0
	for step := range 40 {
		target.Position = w.info.Start.Position.Add(mgl64.Vec3{0.0002 * float64(step), -0.0006 * float64(step), 0})
		w.Step(physics.Input{Target: target})
		if reason := w.engine.Validate(); reason != Valid {
			t.Fatalf("step %d: %v", step, reason)
		}
		if w.felt.force.Len() > 0 {
			pressed++
		}
	}
	if pressed < 5 {
		t.Errorf("%d steps press: this test shows little", pressed)
	}
}
