package app

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"hapco/physics/machinery/cputime"
	"hapco/physics/numerics/contact"
)

// SolveResult is the JSON of a solve. Errors that no time was left for are null.
type SolveResult struct {
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

// shortSolve is the time up to which a solve is timed by the clock: asking for the processor time takes a microsecond,
// and the median drops what was interrupted.
const shortSolve = 100 * time.Microsecond

// TimeSolve solves from a cold start repeat times and leaves the forces in r. Times are of the processor: solvers work
// on one thread, and other programs do not count. A solve that takes long says where it stands; the end of ctx ends it.
func TimeSolve(ctx context.Context, name string, solver contact.Solver, p *contact.Problem, r []float64, opt contact.Options, repeat int) SolveResult {
	var watch contact.Watch
	opt.Watch = &watch
	defer context.AfterFunc(ctx, watch.Halt)()
	measure, _ := contact.Describe(name).Recorded(&opt, 0, 0)
	defer reportLong(name, p.N, measure, &watch)()
	runtime.LockOSThread() // times are the thread's
	defer runtime.UnlockOSThread()
	times := make([]float64, 0, repeat)
	var res contact.Result
	for range repeat {
		clear(r)
		used, start := cputime.Thread(), time.Now()
		res = solver.Solve(p, r, &opt)
		took := time.Since(start)
		if took > shortSolve {
			took = min(took, cputime.Thread()-used)
		}
		times = append(times, Milliseconds(took))
		if ctx.Err() != nil {
			break
		}
	}
	slices.Sort(times)
	out := SolveResult{
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
