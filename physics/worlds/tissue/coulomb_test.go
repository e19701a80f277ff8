package tissue

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
)

// lessFriction is a solver that takes a share of the friction that it is given.
type lessFriction struct {
	contact.Solver
	share float64
}

func (s *lessFriction) Solve(p *contact.Problem, r []float64, o *contact.Options) contact.Result {
	other := *p
	other.Mu = nil
	for _, mu := range p.Mu {
		other.Mu = append(other.Mu, s.share*mu)
	}
	return s.Solver.Solve(&other, r, o)
}

// A tool is drawn over a block: the account says that its contacts obey the friction that is set, to
// the tolerance. Contacts that slide with less stay inside their cones, those with more leave them: it
// says so of both.
func TestAccountTellsTheFrictionThatActs(t *testing.T) {
	for share, kept := range map[float64]bool{1: true, 0.9: false, 0.5: false, 0: false, 1.1: false} {
		s, err := scene.Load("block-linear")
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := New(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.solving.solver = &lessFriction{w.solving.solver, share}
		start := w.StartPose()
		slid, off := 0, 0.0
		for step := range 120 {
			d := mgl64.Vec3{0, -0.2e-3 * float64(min(step, 60)), 0}
			d[0] = 0.3e-3 * float64(max(0, step-60))
			w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
			violation, lag, e := w.Coulomb()
			if lag != 0 {
				t.Fatalf("mu is %g from what is set", lag)
			}
			if violation > 1e-9 {
				e = max(e, 2)
			}
			off = max(off, e)
			slid += w.Stats().Slip
		}
		if kept && slid == 0 {
			t.Error("no contact slides: the test does not bite")
		}
		if (off <= 1) != kept {
			t.Errorf("%g of the friction that is set: the laws are broken by %.3g of what the tolerance allows", share, off)
		}
	}
}
