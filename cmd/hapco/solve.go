package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/solvers"
)

// solveCommand solves one frictional contact problem from a file.
type solveCommand struct {
	File string `arg:"" optional:"" help:"A .fc3d file, plain or gzipped."`
	solverFlags
	TimeLimit time.Duration `help:"Stop after this time with the best admissible forces, exit status 1; 0: none." default:"0s" in:"0s|1ns..10000h"`
	Repeat    int           `help:"Cold starts; the median time is printed." default:"1" in:"1..1000000"`
	JSON      bool          `name:"json" help:"Print JSON."`
	Out       string        `help:"Write the forces: a contact a line, n t1 t2." type:"path"`
	List      bool          `help:"Name every solver with one line each."`
}

// solverFlags choose a solver and when it stops.
type solverFlags struct {
	Solver    string  `help:"Name of the solver; --list names them." default:"auto"`
	Tol       float64 `help:"Tolerance on the criterion." default:"1e-8" in:"1e-30..1e30"`
	Criterion string  `help:"What the tolerance bounds: natural, scaled, relative, physical, status." default:"natural"`
	MaxIter   int     `help:"Most iterations." default:"100000" in:"1..1000000000"`
	BudgetUS  float64 `name:"budget-us" help:"Deadline in microseconds; 0: none. The best admissible forces count." default:"0" in:"0..1e12"`
	RhoFactor float64 `help:"Factor on the calculated rho." default:"1" in:"1e-30..1e30"`
	Rho       float64 `help:"Imposed rho_min, N/m; 0: from the Delassus operator." default:"0" in:"0|1e-30..1e30"`
}

var criteria = map[string]contact.Criterion{
	"natural": contact.NaturalMap, "scaled": contact.Scaled, "relative": contact.RelativeChange,
	"physical": contact.Physical, "status": contact.SameStatus,
}

// options checks the flags.
func (f *solverFlags) options() (contact.Options, error) {
	o := contact.DefaultOptions()
	c, ok := criteria[f.Criterion]
	if !ok {
		return o, fmt.Errorf("solve: criterion %q is unknown (cure: natural, scaled, relative, physical or status)", f.Criterion)
	}
	o.Criterion, o.Tolerance, o.MaxIterations = c, f.Tol, f.MaxIter
	o.Budget = time.Duration(f.BudgetUS * float64(time.Microsecond))
	o.Rho, o.RhoFactor = f.Rho, f.RhoFactor
	return o, nil
}

// Run solves the file's problem, or lists the solvers.
func (c *solveCommand) Run(ctx context.Context) error {
	if c.List {
		t := app.List(app.Stdout)
		for _, d := range contact.Descriptions() {
			line := d.Title
			if d.Note != "" {
				line += ": " + d.Note
			}
			fmt.Fprintf(t, "%s\t%s\n", d.Name, line)
		}
		return t.Flush()
	}
	if c.File == "" {
		return app.BadInput(errors.New("solve: no file (cure: hapco solve FILE.fc3d, or --list)"))
	}
	opt, err := c.options()
	if err != nil {
		return app.BadInput(err)
	}
	solver, err := contact.New(c.Solver)
	if err != nil {
		return app.BadInput(err)
	}
	p, _, err := contact.LoadFC3D(c.File)
	if err != nil {
		return app.BadInput(err)
	}
	limited, stop := app.WithTimeLimit(ctx, c.TimeLimit)
	defer stop()
	r := make([]float64, 3*p.N)
	result := app.TimeSolve(limited, c.Solver, solver, p, r, opt, c.Repeat)
	result.Solver, result.Criterion = c.Solver, c.Criterion
	if err := app.WriteWanted(c.Out, func(w io.Writer) error { return writeForces(w, r) }); err != nil {
		return err
	}
	if c.JSON {
		return errors.Join(json.NewEncoder(app.Stdout).Encode(result), app.OverTime(limited, "solve", "the forces are admissible and no solution"))
	}
	verdict := "converged"
	if !result.Converged {
		verdict = "NOT converged"
	}
	fmt.Fprintf(app.Stdout, "%s: %d contacts (%d stick, %d slide, %d open), %s: %s in %d iterations, %.4g ms\n",
		c.File, p.N, result.Sticking, result.Sliding, result.Open, c.Solver, verdict, result.Iterations, result.MSMedian)
	fmt.Fprintf(app.Stdout, "natural-map error %s, scaled error %s, relative change %s, |r| = %.6g, sum of normal forces %.6g\n",
		shown(result.NaturalError), shown(result.ScaledError), shown(result.RelativeChange), result.RNorm, result.SumNormal)
	return app.OverTime(limited, "solve", "the forces are admissible and no solution")
}

func shown(x *float64) string {
	if x == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.2e", *x)
}

func writeForces(w io.Writer, r []float64) error {
	b := bufio.NewWriter(w)
	for i := 0; i+2 < len(r); i += 3 {
		fmt.Fprintf(b, "%.17g %.17g %.17g\n", r[i], r[i+1], r[i+2])
	}
	return b.Flush()
}
