package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/numerics/contact"
)

// LongSolve is the time after which a solve says where it stands, and again each time that this has passed.
const LongSolve = 2 * time.Second

// measureNames are what a solver watches, in words.
var measureNames = map[contact.Criterion]string{
	contact.RelativeChange: "relative change", contact.Physical: "change in m", contact.NaturalMap: "natural-map error",
	contact.Scaled: "scaled error", contact.SameStatus: "contacts that changed status",
}

// reportLong follows solves on standard error until the function that it returns is called.
func reportLong(name string, contacts int, measure contact.Criterion, w *contact.Watch) (stop func()) {
	start, done := time.Now(), make(chan struct{})
	failsafe.Go(func() {
		t := time.NewTicker(LongSolve)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				n, value := w.At()
				reached := ""
				if !math.IsNaN(value) {
					reached = fmt.Sprintf(", %s %.2g", measureNames[measure], value)
				}
				fmt.Fprintf(os.Stderr, "%s, %d contacts: %.0f s, %d iterations%s (--time-limit ends it)\n",
					name, contacts, time.Since(start).Seconds(), n, reached)
			}
		}
	})
	return func() { close(done) }
}

var ErrTimeLimit = errors.New("stopped by --time-limit")

// WithTimeLimit is a context that ends after limit; 0: it does not.
func WithTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w after %v", ErrTimeLimit, limit))
}

// OverTime is the error of work that the time limit has ended, with what became of it; nil when it has not, and what
// ended it otherwise.
func OverTime(ctx context.Context, what, outcome string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w (%s)", what, context.Cause(ctx), outcome)
	}
	return ctx.Err()
}

// Share has n jobs done by so many goroutines, until ctx ends. Each begins once, and then does jobs by their numbers.
func Share(ctx context.Context, goroutines, n int, begin func() (do func(i int))) {
	var group failsafe.Group
	var next atomic.Int64
	for range min(goroutines, n) {
		group.Go(func() {
			do := begin()
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

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

// Loose runs f on a goroutine that is locked to no thread, as the main one is: one that is waits for others at a high
// price, where several threads share the work.
func Loose(f func() error) error {
	done := make(chan error, 1)
	failsafe.Go(func() { done <- f() })
	return <-done
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
