package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"hapco/physics/contact"
)

// solveCommand solves one frictional contact problem from a file.
type solveCommand struct {
	File string `arg:"" optional:"" help:"A .fc3d file, plain or gzipped."`
	solverFlags
	TimeLimit time.Duration `help:"Stop after this time with the best admissible forces found by then, and exit status 1; 0: none." default:"0s"`
	Repeat    int           `help:"Solve this many times from a cold start; the median time is reported." default:"1"`
	JSON      bool          `name:"json" help:"Print JSON."`
	Out       string        `help:"Write the forces: a contact a line, n t1 t2." type:"path"`
	List      bool          `help:"Name every solver with one line each."`
}

// solverFlags choose a solver and when it stops.
type solverFlags struct {
	Solver    string  `help:"Name of the solver; --list names them." default:"auto"`
	Tol       float64 `help:"Tolerance on the criterion." default:"1e-8"`
	Criterion string  `help:"What falls below the tolerance: natural, scaled, relative (2.72), physical (4.4.2), status." default:"natural"`
	MaxIter   int     `help:"Most iterations." default:"100000"`
	BudgetUS  float64 `name:"budget-us" help:"Deadline, microseconds; 0: none. The best admissible forces by then are the answer." default:"0"`
	RhoFactor float64 `help:"Factor on the calculated rho." default:"1"`
	Rho       float64 `help:"Imposed rho_min, N/m; 0: calculated from the Delassus operator (3.1)." default:"0"`
}

var criteria = map[string]contact.Criterion{
	"natural": contact.NaturalMap, "scaled": contact.Scaled, "relative": contact.RelativeChange,
	"physical": contact.Physical, "status": contact.SameStatus,
}

// options checks the flags.
func (f *solverFlags) options() (contact.Options, error) {
	o := contact.DefaultOptions()
	c, ok := criteria[f.Criterion]
	switch {
	case !ok:
		return o, fmt.Errorf("solve: criterion %q is unknown (cure: natural, scaled, relative, physical or status)", f.Criterion)
	case !(f.Tol > 0) || math.IsInf(f.Tol, 0):
		return o, fmt.Errorf("solve: --tol %g (cure: a value above 0)", f.Tol)
	case f.MaxIter < 1:
		return o, fmt.Errorf("solve: --max-iter %d (cure: 1 or more)", f.MaxIter)
	case !(f.BudgetUS >= 0) || f.BudgetUS > 1e12:
		return o, fmt.Errorf("solve: --budget-us %g (cure: 0 or more)", f.BudgetUS)
	case !(f.RhoFactor > 0) || !(f.Rho >= 0):
		return o, fmt.Errorf("solve: --rho %g --rho-factor %g (cure: rho 0 or more, the factor above 0)", f.Rho, f.RhoFactor)
	}
	o.Criterion, o.Tolerance, o.MaxIterations = c, f.Tol, f.MaxIter
	o.Budget = time.Duration(f.BudgetUS * float64(time.Microsecond))
	o.Rho, o.RhoFactor = f.Rho, f.RhoFactor
	return o, nil
}

// solveResult is the JSON of a solve; see section 8 of the design. Errors that
// no time was left for are null.
type solveResult struct {
	Problem        string   `json:"problem,omitempty"`
	Contacts       int      `json:"contacts"`
	Solver         string   `json:"solver"`
	Tol            float64  `json:"tol"`
	Criterion      string   `json:"criterion"`
	Iterations     int      `json:"iterations"`
	Converged      bool     `json:"converged"`
	NaturalError   *float64 `json:"natural_map_error"`
	ScaledError    *float64 `json:"scaled_error"`
	RelativeChange *float64 `json:"relative_change"`
	RhoMin         *float64 `json:"rho_min_N_per_m"`
	MSMedian       float64  `json:"ms_median"`
	RNorm          float64  `json:"r_norm"`
	SumNormal      float64  `json:"sum_normal"`
	Sticking       int      `json:"sticking"`
	Sliding        int      `json:"sliding"`
	Open           int      `json:"open"`
}

// known is x where it is a number, else null.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Run solves the file's problem, or lists the solvers.
func (c *solveCommand) Run(ctx context.Context) error {
	if c.List {
		t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
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
		return badInput(errors.New("solve: no file (cure: hapco solve FILE.fc3d, or --list)"))
	}
	if c.Repeat < 1 {
		return badInput(fmt.Errorf("solve: --repeat %d (cure: 1 or more)", c.Repeat))
	}
	opt, err := c.options()
	if err != nil {
		return badInput(err)
	}
	solver, err := contact.New(c.Solver)
	if err != nil {
		return badInput(err)
	}
	p, _, err := contact.LoadFC3D(c.File)
	if err != nil {
		return badInput(err)
	}
	limited, stop, err := withTimeLimit(ctx, c.TimeLimit)
	if err != nil {
		return badInput(fmt.Errorf("solve: %w", err))
	}
	defer stop()
	r := make([]float64, 3*p.N)
	result := timeSolve(limited, c.Solver, solver, p, r, opt, c.Repeat)
	result.Solver, result.Criterion = c.Solver, c.Criterion
	if c.Out != "" {
		if err := writeOut(c.Out, func(w io.Writer) error { return writeForces(w, r) }); err != nil {
			return err
		}
	}
	if c.JSON {
		return errors.Join(json.NewEncoder(os.Stdout).Encode(result), overTime(limited, "solve", "the forces are admissible and no solution"))
	}
	verdict := "converged"
	if !result.Converged {
		verdict = "NOT converged"
	}
	fmt.Printf("%s: %d contacts (%d stick, %d slide, %d open), %s: %s in %d iterations, %.4g ms\n",
		c.File, p.N, result.Sticking, result.Sliding, result.Open, c.Solver, verdict, result.Iterations, result.MSMedian)
	fmt.Printf("natural-map error %s, scaled error %s, relative change %s, |r| = %.6g, sum of normal forces %.6g\n",
		shown(result.NaturalError), shown(result.ScaledError), shown(result.RelativeChange), result.RNorm, result.SumNormal)
	return overTime(limited, "solve", "the forces are admissible and no solution")
}

func shown(x *float64) string {
	if x == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.2e", *x)
}

// timeSolve solves from a cold start repeat times and leaves the forces in r. A
// solve that takes long says where it stands; the end of ctx ends it.
func timeSolve(ctx context.Context, name string, solver contact.Solver, p *contact.Problem, r []float64, opt contact.Options, repeat int) solveResult {
	var watch contact.Watch
	opt.Watch = &watch
	defer context.AfterFunc(ctx, watch.Halt)()
	measure, _ := contact.Recorded(solver, &opt, 0, 0)
	defer reportLong(name, p.N, measure, &watch)()
	times := make([]float64, 0, repeat)
	var res contact.Result
	for range repeat {
		clear(r)
		start := time.Now()
		res = solver.Solve(p, r, &opt)
		times = append(times, milliseconds(time.Since(start)))
		if ctx.Err() != nil {
			break
		}
	}
	slices.Sort(times)
	out := solveResult{
		Contacts: p.N, Tol: opt.Tolerance, Iterations: res.Iterations, Converged: res.Converged,
		NaturalError: known(res.NaturalError), ScaledError: known(res.ScaledError),
		RelativeChange: known(res.RelativeChange), RhoMin: known(res.RhoMin),
		MSMedian: times[len(times)/2],
	}
	sum := 0.0
	for i, x := range r {
		sum += x * x
		if i%3 == 0 {
			out.SumNormal += x
		}
	}
	out.RNorm = math.Sqrt(sum)
	status := make([]contact.Status, p.N)
	out.Sticking, out.Sliding, out.Open = contact.Statuses(status, r, p.Mu)
	return out
}

func writeForces(w io.Writer, r []float64) error {
	b := bufio.NewWriter(w)
	for i := 0; i+2 < len(r); i += 3 {
		fmt.Fprintln(b, strings.TrimSpace(fmt.Sprintf("%.17g %.17g %.17g", r[i], r[i+1], r[i+2])))
	}
	return b.Flush()
}
