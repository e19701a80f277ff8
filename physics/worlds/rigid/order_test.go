package rigid

import (
	"testing"

	"hapco/physics/numerics/contact"
)

// The problems of a wall, when it is hit, are solved by "auto" to 1e-8 in both errors.
func TestWallProblems(t *testing.T) {
	w, _ := bricks(t, 4, 3)
	add(t, w, &Body{Form: Ball(0.05), Mass: 5, Inertia: mat3{0.005, 0, 0, 0, 0.005, 0, 0, 0, 0.005}, X: vec3{0, 0.2, 0.12}, V: vec3{0, 0, -3}, Friction: 0.3})
	solver, err := contact.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-9, contact.Scaled, 5000
	worst := 0.0
	for i := range 300 {
		w.Step()
		if i%20 != 5 {
			continue
		}
		for p, r := range w.Problems {
			clear(r)
			res := solver.Solve(p, r, &opt)
			worst = max(worst, res.Errors.Scaled, res.Errors.Natural)
		}
	}
	t.Logf("largest error %.2g; %d contacts at the end", worst, w.stats.Contacts)
	if !(worst < 1e-8) {
		t.Errorf("largest error %.2g", worst)
	}
}

// BenchmarkRotor is the cost of a step of the integrators: free, and under a weight.
func BenchmarkRotor(b *testing.B) {
	for _, a := range []Algorithm{NMB, C1, C2} {
		rule := map[Algorithm]TorqueRule{NMB: End, C1: HalfRotation, C2: EndAverage}[a]
		b.Run(a.String()+"/free", func(b *testing.B) {
			r := free()
			for range b.N {
				r.Step(a, rule, 0.01, none{})
			}
		})
		b.Run(a.String()+"/weight", func(b *testing.B) {
			r, w := heavy()
			for range b.N {
				r.Step(a, rule, 0.001, w)
			}
		})
	}
}

// BenchmarkWall is a step of a wall at rest.
func BenchmarkWall(b *testing.B) {
	for _, n := range [][2]int{{5, 3}, {10, 5}, {20, 10}} {
		w, _ := bricks(b, n[0], n[1])
		for range 100 {
			w.Step()
		}
		b.Run("", func(b *testing.B) {
			for range b.N {
				w.Step()
			}
			b.ReportMetric(float64(w.stats.Contacts), "contacts")
		})
	}
}
