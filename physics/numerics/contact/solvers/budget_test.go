package solvers

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"hapco/physics/machinery/cputime"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

// TestBudget: with any budget the forces are admissible, and the errors that
// are reported are those of the forces returned.
func TestBudget(t *testing.T) {
	for _, name := range []string{"auto", "nsgs-newton", "nsgs", "uzawa"} {
		s := contacttest.New(t, name)
		for _, np := range contacttest.Thesis(t) {
			p := np.P
			r, x := make([]float64, 3*p.N), make([]float64, 3*p.N)
			for _, us := range []int{1, 5, 20, 50, 200, 1000} {
				opt := contact.DefaultOptions()
				opt.Tolerance, opt.Criterion = 1e-13, contact.NaturalMap
				opt.Budget = time.Duration(us) * time.Microsecond
				for _, start := range []float64{0, -1, 1e9} {
					for i := range r {
						r[i] = start
					}
					res := s.Solve(p, r, &opt)
					if err := contacttest.Admissible(r, p.Mu); err != nil {
						t.Errorf("%s, %s, %d us: %v", name, np.Name, us, err)
					}
					if e := res.NaturalError; !math.IsNaN(e) {
						p.Displacements(x, r)
						if d := p.Errors(r, x).Natural; !(math.Abs(d-e) <= 1e-9*d+1e-15) {
							t.Errorf("%s, %s, %d us: says e = %g, is %g", name, np.Name, us, e, d)
						}
					} else if res.Converged {
						t.Errorf("%s, %s, %d us: converged without errors", name, np.Name, us)
					}
				}
			}
		}
	}
}

// BenchmarkBudget reports by how much deadline mode overshoots, as seen by the
// caller but without the time that other programs took from its thread, and the errors that the budget buys from a cold start.
func BenchmarkBudget(b *testing.B) {
	problems := contacttest.Thesis(b)
	if contacttest.HavePublic() {
		problems = append(problems, contacttest.Public(b)[33:]...)
	}
	for _, np := range problems {
		for _, us := range []int{20, 50, 100, 500, 2000} {
			b.Run(fmt.Sprintf("%s/%dus", np.Name, us), func(b *testing.B) {
				s := contacttest.New(b, "auto")
				p := np.P
				r := make([]float64, 3*p.N)
				opt := contact.DefaultOptions()
				opt.Tolerance, opt.Criterion = 1e-13, contact.NaturalMap
				opt.Budget = time.Duration(us) * time.Microsecond
				n := max(b.N, 100)
				over := make([]float64, n)
				var res contact.Result
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				for i := range over {
					clear(r)
					cpu, start := cputime.Thread(), time.Now()
					res = s.Solve(p, r, &opt)
					wall := time.Since(start)
					// What the thread did not run is the machine's delay, not ours.
					stolen := max(0, wall-(cputime.Thread()-cpu))
					over[i] = max(0, float64(wall-stolen-opt.Budget)/1e3)
				}
				slices.Sort(over)
				b.ReportMetric(over[n*99/100], "us-over-p99")
				b.ReportMetric(over[n/2], "us-over-p50")
				b.ReportMetric(res.ScaledError, "e_s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
