package rigid

import (
	"math"
	"testing"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/numerics/contact"
)

// The problems that a step publishes are those that it has solved: its impulses solve them to
// the step's tolerance, and so do those of a solver that knows nothing, to the same motion.
func TestProblemsAreThoseSolved(t *testing.T) {
	again, err := contact.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dominoes", "rattleback", "top", "two-hands"} { // with contacts and few joints
		text, err := assets.Scene(name)
		if err != nil {
			t.Fatal(err)
		}
		l := openLive(t, name, string(text))
		w := l.world
		at := l.info.Start
		looked, worst := 0, 0.0
		for step := range 60 {
			at.Position[1] -= 2e-4 // the tool comes down on what is there
			l.Step(physics.Input{Target: at, Hand: at, Dt: w.Config.Step})
			if step%4 != 0 || !w.stats.Solved {
				continue
			}
			w.Problems(func(p *contact.Problem, r []float64) bool {
				x := make([]float64, len(r))
				p.Displacements(x, r)
				if e := p.Errors(r, x); !(e.Scaled <= 2*w.Config.Tolerance) {
					t.Errorf("step %d, %d contacts: the impulses are off by %.2g", step, p.N, e.Scaled)
				}
				other, y := make([]float64, len(r)), make([]float64, len(r))
				opt := contact.DefaultOptions()
				opt.Criterion, opt.Tolerance, opt.MaxIterations = contact.Scaled, 1e-9, 20000
				if !again.Solve(p, other, &opt).Converged {
					return true
				}
				p.Displacements(y, other)
				d, size := 0.0, 0.0
				for i := range r {
					d += (r[i] - other[i]) * (x[i] - y[i])
					size += r[i] * (x[i] - p.Q[i])
				}
				if looked++; size > 0 {
					worst = max(worst, math.Sqrt(max(0, d)/size))
				}
				return !t.Failed()
			})
		}
		t.Logf("%s: %d problems; energy of the difference %.2g", name, looked, worst)
		if looked == 0 || !(worst < 1e-4) {
			t.Errorf("%s: %d problems, the impulses differ by %.2g", name, looked, worst)
		}
	}
}
