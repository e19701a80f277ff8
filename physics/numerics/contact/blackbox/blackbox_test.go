package blackbox

import (
	"errors"
	"math"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

// modelOf answers with a known operator.
func modelOf(p *contact.Problem) Model {
	n := 3 * p.N
	return func(x, r []float64, columns int) error {
		for k := range columns {
			for i := range n {
				s := 0.0
				for j, w := range p.W[i*n : (i+1)*n] {
					s += w * r[k*n+j]
				}
				x[k*n+i] = s
			}
		}
		return nil
	}
}

// Each form finds what auto finds with the operator written down, on the thesis's problems, and
// the Krylov form asks far fewer times than there are contacts in a sweep of Gauss-Seidel.
func TestFormsFindTheForcesOfTheWrittenOperator(t *testing.T) {
	for _, p := range contacttest.Thesis(t) {
		want := make([]float64, 3*p.P.N)
		auto, err := contact.New("auto")
		if err != nil {
			t.Fatal(err)
		}
		opt := contact.DefaultOptions()
		opt.Criterion, opt.Tolerance, opt.MaxIterations = contact.NaturalMap, 1e-10, 100000
		if res := auto.Solve(p.P, want, &opt); !res.Converged {
			t.Fatalf("%s: auto: %+v", p.Name, res)
		}
		for _, form := range []Form{Krylov, Jacobi, GaussSeidel} {
			if form != Krylov && testing.Short() {
				continue // up to 200 000 calls
			}
			s := Solver{Form: form}
			r := make([]float64, 3*p.P.N)
			res, err := s.Solve(modelOf(p.P), p.P.Q, p.P.Mu, r, &opt)
			most, size := 0.0, 0.0
			for i := range r {
				most, size = max(most, math.Abs(r[i]-want[i])), max(size, math.Abs(want[i]))
			}
			t.Logf("%s %v: %d iterations, %d calls, %d columns, e %.1e, difference %.1e, %v", p.Name, form, res.Iterations, s.Calls, s.Asked, res.NaturalError, most/size, res.Elapsed)
			if err != nil || !res.Converged || most > 1e-5*size || form == Krylov && most > 1e-12*size {
				t.Errorf("%s %v: %v, %+v", p.Name, form, err, res)
			}
			if form == Krylov && s.Calls > 3*p.P.N/DefaultColumns+4 {
				t.Errorf("%s: %d calls for %d unknowns", p.Name, s.Calls, 3*p.P.N)
			}
		}
	}
}

// What the model refuses or cannot say is an error, and the forces stay.
func TestModelErrors(t *testing.T) {
	own := errors.New("no")
	for _, form := range []Form{Krylov, Jacobi, GaussSeidel} {
		for name, model := range map[string]Model{
			"refuses": func(_, _ []float64, _ int) error { return own },
			"NaN":     func(x, _ []float64, _ int) error { x[0] = math.NaN(); return nil },
		} {
			opt := contact.DefaultOptions()
			r := []float64{1, 0, 0}
			s := Solver{Form: form}
			res, err := s.Solve(model, []float64{-1, 0, 0}, []float64{0.3}, r, &opt)
			if err == nil || r[0] != 1 || res.Converged {
				t.Errorf("%v %s: %v %v", form, name, err, r)
			}
		}
	}
}
