package tissue

import (
	"math"
	"testing"

	"hapco/physics/measure/verify"
	"hapco/physics/numerics/fem/equilibrium"
)

// Near the solution each iteration about doubles the digits that are right.
func TestQuadraticConvergence(t *testing.T) {
	for _, name := range []string{"static_box_hex8_ce_corotational_element", "static_box_hex8_md_neo_hookean_isovol", "static_box_tet4_corotational", "static_box_hex8_ogden2", "static_box_hex8_stvk"} {
		c, err := verify.Load("testdata/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		var in staticInput
		if err := c.Input.Decode(&in); err != nil {
			t.Fatal(err)
		}
		b := in.body()
		fixed := nodeList("", in.Fixed, len(in.Mesh.Nodes))
		s, err := equilibrium.NewStatics(b, fixed)
		if err != nil {
			t.Fatal(err)
		}
		nodalForces(s.Load, in.Forces)
		load := equilibrium.Norm(s.Load)
		var history []float64
		s.Trace = func(share float64, iteration int, r float64) {
			if iteration == 0 {
				history = history[:0]
			}
			history = append(history, r/load)
		}
		if err := s.Solve(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		seen := 0
		for i := 1; i+1 < len(history); i++ {
			// e' <= C e^2 with one C for the last iterations, above rounding
			if a, b := history[i], history[i+1]; a < 1e-2 && a > 1e-7 {
				seen++
				if b > 1e-12 && math.Log(b) > 1.6*math.Log(a)+3 {
					t.Errorf("%s: residuals %.2g", name, history)
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s: no iteration near the solution in %.2g", name, history)
		}
	}
}
