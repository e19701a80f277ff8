package thesis

import (
	"context"
	"math"
	"time"

	"hapco/physics/bench"
	"hapco/physics/contact"
)

// Couple compares, along one path, the solver with the Delassus operator and
// the one without (4.2.2): Uzawa global, the same rho_min.
type Couple struct {
	Case    bench.Case `json:"-"`
	Name    string     `json:"case"`
	With    []Coupling `json:"with"`
	Without []Coupling `json:"without"`
}

// Coupling is one increment of one of the two.
type Coupling struct {
	Increment int     `json:"increment"`
	Sweeps    int     `json:"sweeps"`
	R         float64 `json:"R_ms"` // contact forces; with Delassus: W and the free displacements included
	Assembly  float64 `json:"assembly_ms"`
	U         float64 `json:"U_ms"` // elastic displacements
	Norm      float64 `json:"norm_N"`
	Sliding   int     `json:"sliding"`
	Sticking  int     `json:"sticking"`
	Deviation float64 `json:"deviation_percent"` // from the other (4.4)
}

func meanOf(cs []Coupling, value func(*Coupling) float64) float64 {
	sum := 0.0
	for i := range cs {
		sum += value(&cs[i])
	}
	return sum / float64(len(cs)) // NaN where there are none
}

func timeR(c *Coupling) float64 { return c.R }
func timeU(c *Coupling) float64 { return c.U }

// couple walks along the path with the Delassus solver's own forces, as the
// thesis did.
func (res *Results) couple(ctx context.Context, run *bench.Run, e effort) error {
	with, err := contact.New("uzawa")
	if err != nil {
		return err
	}
	var without contact.Generic
	out := &Couple{Case: run.Case, Name: run.Case.String()}
	for k := 0; run.Next(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		opt := coarse("uzawa").options()
		r := make([]float64, 3*run.Problem.N)
		if run.Press || k%e.stride != e.stride-1 {
			with.Solve(&run.Problem, r, &opt)
			run.Accept(r)
			if !run.Press {
				k++
			}
			continue
		}
		k++
		a, b := Coupling{Increment: k, Assembly: math.Inf(1), R: math.Inf(1)}, Coupling{Increment: k, R: math.Inf(1)}
		solve := math.Inf(1)
		for range e.repeats + 1 {
			start := time.Now()
			run.Reassemble()
			a.Assembly = math.Min(a.Assembly, milliseconds(time.Since(start)))
			clear(r)
			sol := with.Solve(&run.Problem, r, &opt)
			solve = math.Min(solve, milliseconds(sol.Elapsed))
			a.Sweeps, opt.Rho = sol.Iterations, 0
		}
		a.R = a.Assembly + solve
		a.describe(run, r)

		opt.Rho = run.Problem.RhoMin()
		s := make([]float64, len(r))
		bodies, joints := run.BlackBoxes()
		for range e.repeats + 1 {
			clear(s)
			sol := without.Solve(bodies, joints, s, &opt)
			b.R = math.Min(b.R, milliseconds(sol.Elapsed))
			b.Sweeps = sol.Iterations
		}
		b.describe(run, s)
		b.Deviation = 100 * distance(s, r)

		a.U, b.U = math.Inf(1), math.Inf(1)
		for range e.repeats + 1 { // the same work for both; measured for both
			b.U = math.Min(b.U, accept(run, s))
			a.U = math.Min(a.U, accept(run, r))
		}
		out.With, out.Without = append(out.With, a), append(out.Without, b)
	}
	res.Couplers = append(res.Couplers, out)
	return nil
}

func accept(run *bench.Run, r []float64) (ms float64) {
	start := time.Now()
	run.Accept(r)
	return milliseconds(time.Since(start))
}

func (c *Coupling) describe(run *bench.Run, r []float64) {
	status := make([]contact.Status, run.Problem.N)
	c.Sticking, c.Sliding, _ = contact.Statuses(status, r, run.Problem.Mu)
	c.Norm = norm(r)
}

func (r *Results) coupled(c bench.Case) *Couple {
	for _, x := range r.Couplers {
		if x.Case == c {
			return x
		}
	}
	return nil
}
