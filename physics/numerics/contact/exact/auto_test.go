package exact

import (
	"fmt"
	"os"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

// TestAutoReference: from a cold start every reference problem is solved to
// e <= 1e-8 and e_s <= 1e-7, by the solver's word and by an evaluation of ours.
func TestAutoReference(t *testing.T) {
	for _, name := range []string{"auto", "nsgs-newton"} {
		s := contacttest.New(t, name)
		for _, np := range append(contacttest.Thesis(t), contacttest.Public(t)...) {
			t.Run(name+"/"+np.Name, func(t *testing.T) {
				p := np.P
				r, x := make([]float64, 3*p.N), make([]float64, 3*p.N)
				opt := contact.DefaultOptions()
				opt.Tolerance, opt.Criterion = 1e-8, contact.NaturalMap
				res := s.Solve(p, r, &opt)
				p.Displacements(x, r)
				e := p.Errors(r, x)
				if os.Getenv("V") != "" {
					fmt.Printf("%-12s %-45s it=%d newton=%d %v e=%.2g es=%.2g conv=%v %v\n", name, np.Name, res.Iterations, res.Newton, res.Route, e.Natural, e.Scaled, res.Converged, res.Elapsed)
				}
				if !res.Converged || !(e.Natural <= 1e-8) || !(e.Scaled <= 1e-7) {
					t.Errorf("converged %v, e = %g, e_s = %g after %d iterations (%v)", res.Converged, e.Natural, e.Scaled, res.Iterations, res.Route)
				}
			})
		}
	}
}
