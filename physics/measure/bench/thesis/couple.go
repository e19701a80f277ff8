package thesis

import (
	"context"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/bench"
	"hapco/physics/numerics/contact"
	mcfs "hapco/physics/numerics/contact/thesis"
	"hapco/physics/numerics/num"
)

// Couple compares, along one path, the solver with the Delassus operator and the one without (4.2.2): Uzawa global, the
// same rho_min.
type Couple struct {
	Case    bench.Case `json:"case"`
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

func timeR(c *Coupling) float64 { return c.R }
func timeU(c *Coupling) float64 { return c.U }

// couple walks along the path with the Delassus solver's own forces, as the thesis did.
func (res *Results) couple(ctx context.Context, run *bench.Run, e effort) {
	with := refusal.Must(contact.New("uzawa"))
	var without mcfs.Generic
	out := &Couple{Case: run.Case}
	for k := 0; run.Next(); {
		refusal.Need(ctx.Err())
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
		a, b := Coupling{Increment: k}, Coupling{Increment: k}
		a.Assembly = least(e.repeats, run.Reassemble)
		a.R = a.Assembly + least(e.repeats, func() {
			clear(r)
			a.Sweeps = with.Solve(&run.Problem, r, &opt).Iterations
		})
		a.describe(run, r)

		opt.Rho = run.Problem.RhoMin()
		s := make([]float64, len(r))
		bodies, joints := run.BlackBoxes()
		b.R = least(e.repeats, func() {
			clear(s)
			b.Sweeps = without.Solve(bodies, joints, s, &opt).Iterations
		})
		b.describe(run, s)
		b.Deviation = 100 * distance(s, r)

		b.U = least(e.repeats, func() { run.Accept(s) })
		a.U = least(e.repeats, func() { run.Accept(r) })
		out.With, out.Without = append(out.With, a), append(out.Without, b)
	}
	res.Couplers = append(res.Couplers, out)
}

func (c *Coupling) describe(run *bench.Run, r []float64) {
	c.Sticking, c.Sliding = statuses(&run.Problem, r)
	c.Norm = num.Norm(r)
}
