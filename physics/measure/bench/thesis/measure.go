package thesis

import (
	"context"
	"math"
	"runtime"
	"slices"

	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/bench"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/solvers"
	"hapco/physics/numerics/num"
)

// Method is a solver with its settings.
type Method struct {
	Solver    string  `json:"solver"`     // its name in package contact
	Tolerance float64 `json:"tolerance"`  // on the relative change (2.72)
	Limit     int     `json:"max_sweeps"` //
	Factor    float64 `json:"rho_factor"` // on rho_min or (rho_n, rho_t)
}

// Answer is what a method gave on one increment.
type Answer struct {
	Increment   int     `json:"increment"` // of the path, from 1; a drag counts from its own start
	Sweeps      int     `json:"sweeps"`
	Stopped     bool    `json:"stopped"` // the criterion was met
	MS          float64 `json:"ms"`
	Norm        float64 `json:"norm_N"` // |r|
	Sliding     int     `json:"sliding"`
	Sticking    int     `json:"sticking"`
	Deviation   float64 `json:"deviation_percent"` // from Uzawa global* at 1e-8, the thesis's reference (3.4)
	Error       float64 `json:"error_percent"`     // from the exact solution
	Penetration float64 `json:"penetration_m"`     // largest
}

// Run is one method on the increments of one case.
type Run struct {
	Case    bench.Case `json:"case"`
	Method  Method     `json:"method"`
	Answers []Answer   `json:"answers"`
	Left    int        `json:"left_out"` // increments not tried after the method had diverged on several in a row
}

// Mean values over the increments that were tried.
func (r *Run) mean(value func(*Answer) float64) float64 {
	if r == nil {
		return math.NaN()
	}
	return meanOf(r.Answers, value)
}

// meanOf is the mean of a value; NaN where there are none.
func meanOf[T any](all []T, value func(*T) float64) float64 {
	sum := 0.0
	for i := range all {
		sum += value(&all[i])
	}
	return sum / float64(len(all))
}

func (r *Run) meanMS() float64     { return r.mean(timeMS) }
func (r *Run) meanSweeps() float64 { return r.mean(sweeps) }
func (r *Run) meanNorm() float64   { return r.mean(forceNorm) }
func (r *Run) deviation() float64  { return r.mean(deviationOf) }
func (r *Run) meanError() float64  { return r.mean(errorOf) }

// most is the largest value.
func (r *Run) most(value func(*Answer) float64) float64 {
	if r == nil || len(r.Answers) == 0 {
		return math.NaN()
	}
	m := math.Inf(-1)
	for i := range r.Answers {
		m = math.Max(m, value(&r.Answers[i]))
	}
	return m
}

// diverged counts the increments whose criterion was not met; those left out count.
func (r *Run) diverged() int {
	n := r.Left
	for i := range r.Answers {
		if !r.Answers[i].Stopped {
			n++
		}
	}
	return n
}

// total is the number of increments, those left out included.
func (r *Run) total() int { return len(r.Answers) + r.Left }

// Path holds what does not depend on the method, one value per increment.
type Path struct {
	Case      bench.Case `json:"case"`
	Increment []int      `json:"increment"` // as in Answer
	Contacts  []int      `json:"contacts"`
	RhoMin    []float64  `json:"rho_min_N_per_m"` // (3.1)
	Norm      []float64  `json:"norm_N"`          // of the exact forces
	Sliding   []int      `json:"sliding"`         // exactly
	Sticking  []int      `json:"sticking"`
}

// Results are all measurements.
type Results struct {
	Quick    bool      `json:"quick"`
	Paths    []*Path   `json:"paths"`
	Runs     []*Run    `json:"runs"`
	Couplers []*Couple `json:"with_and_without_delassus"`
}

// run finds the measurements of a method; nil where there are none.
func (r *Results) run(c bench.Case, m Method) *Run {
	return find(r.Runs, func(x *Run) bool { return x.Case == c && x.Method == m })
}

func (r *Results) path(c bench.Case) *Path {
	return find(r.Paths, func(x *Path) bool { return x.Case == c })
}

func (r *Results) coupled(c bench.Case) *Couple {
	return find(r.Couplers, func(x *Couple) bool { return x.Case == c })
}

// find is the first that is looked for; nil: there is none.
func find[T any](all []*T, is func(*T) bool) *T {
	if k := slices.IndexFunc(all, is); k >= 0 {
		return all[k]
	}
	return nil
}

// reference is the thesis's: Uzawa global* at 1e-8.
var reference = Method{"uzawa-star", 1e-8, 10000, 1}

// effort: after so many increments in a row on which a method diverges, its patience, the rest of the path is left out;
// stride leads from one increment that is measured to the next; limit caps the sweeps. Only solves that took longer than
// costly (ms) wear the patience out.
type effort struct {
	repeats, patience, stride, limit int
	costly                           float64
}

func effortOf(quick bool) effort {
	if quick {
		return effort{repeats: 1, patience: 1, stride: 5, limit: 2000, costly: 10}
	}
	return effort{repeats: 5, patience: 3, stride: 1, limit: 10000, costly: 100}
}

// Measure makes all runs. quick measures every fifth increment, once; progress hears of each path that begins.
func Measure(ctx context.Context, quick bool, progress func(done, of int, what string)) (*Results, error) {
	res := &Results{Quick: quick}
	walks := plan()
	couples := couplings()
	e := effortOf(quick)
	return refusal.Caught(func() *Results {
		var run *bench.Run
		for i, w := range walks {
			refusal.Need(ctx.Err())
			progress(i, len(walks)+len(couples), w.c.String())
			run = next(run, w.c)
			res.walk(ctx, run, w, e)
		}
		for i, c := range couples {
			progress(len(walks)+i, len(walks)+len(couples), c.String())
			run = next(run, c)
			res.couple(ctx, run, e)
		}
		return res
	})
}

// next reuses the factorised blocks of the last run where they are the same.
func next(run *bench.Run, c bench.Case) *bench.Run {
	if run == nil || run.Case.Bench != c.Bench || run.Case.Pair != c.Pair || run.Case.Clamp != c.Clamp {
		return refusal.Must(bench.New(c))
	}
	refusal.Need(run.SetPath(c.Path))
	run.Restart(c.Mu)
	return run
}

// prober solves one increment after the other with one method.
type prober struct {
	run    *Run
	solver contact.Solver
	row    int // diverged at some cost, in a row
}

// walk goes along the exact trajectory and tries every method on the way.
func (res *Results) walk(ctx context.Context, run *bench.Run, w walk, e effort) {
	path := &Path{Case: w.c}
	probers := make([]*prober, len(w.methods))
	for i, m := range w.methods {
		probers[i] = &prober{run: &Run{Case: w.c, Method: m}, solver: refusal.Must(contact.New(m.Solver))}
	}
	exact := refusal.Must(contact.New("nsgs-newton"))
	for k := 0; run.Next(); {
		refusal.Need(ctx.Err())
		r := trace(exact, run)
		if !run.Press {
			if k%e.stride == e.stride-1 {
				path.note(run, r, k+1)
				measure(probers, &run.Problem, r, k+1, e)
			}
			k++
		}
		run.Accept(r)
	}
	res.Paths = append(res.Paths, path)
	for _, p := range probers {
		res.Runs = append(res.Runs, p.run)
	}
}

func (p *Path) note(run *bench.Run, r []float64, increment int) {
	stick, slip := statuses(&run.Problem, r)
	p.Increment = append(p.Increment, increment)
	p.Contacts = append(p.Contacts, run.Problem.N)
	p.RhoMin = append(p.RhoMin, run.Problem.RhoMin())
	p.Norm = append(p.Norm, num.Norm(r))
	p.Sliding = append(p.Sliding, slip)
	p.Sticking = append(p.Sticking, stick)
}

// statuses are how many contacts stick and slip under forces.
func statuses(p *contact.Problem, r []float64) (stick, slip int) {
	stick, slip, _ = contact.Statuses(make([]contact.Status, p.N), r, p.Mu)
	return stick, slip
}

// measure tries every method on the present increment. The reference comes first, as the others' deviations are from
// its forces.
func measure(probers []*prober, problem *contact.Problem, exact []float64, increment int, e effort) {
	star := make([]float64, 3*problem.N)
	for _, p := range probers {
		if p.row >= e.patience && p.run.Method != reference {
			p.run.Left++
			continue
		}
		r := make([]float64, 3*problem.N)
		a := p.solve(problem, r, e)
		a.Increment = increment
		if p.run.Method == reference {
			copy(star, r)
		}
		a.Error = bounded(100 * distance(r, exact))
		a.Deviation = bounded(100 * distance(r, star))
		p.run.Answers = append(p.run.Answers, a)
		p.row++
		if a.Stopped || a.MS <= e.costly {
			p.row = 0
		}
	}
}

// solve answers from r = 0, repeatedly for the sake of the time.
func (p *prober) solve(problem *contact.Problem, r []float64, e effort) Answer {
	opt := p.run.Method.options()
	opt.MaxIterations = min(opt.MaxIterations, e.limit)
	var sol contact.Result
	ms := least(e.repeats, func() {
		clear(r)
		sol = p.solver.Solve(problem, r, &opt)
	})
	a := Answer{Sweeps: sol.Iterations, Stopped: sol.RelativeChange <= opt.Tolerance, MS: ms}
	x := make([]float64, len(r))
	problem.Displacements(x, r)
	for c := range problem.N {
		a.Penetration = math.Max(a.Penetration, -x[3*c])
	}
	a.Sticking, a.Sliding = statuses(problem, r)
	a.Norm, a.Penetration = bounded(num.Norm(r)), bounded(a.Penetration)
	return a
}

func (m Method) options() contact.Options {
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.MaxIterations, opt.RhoFactor = m.Tolerance, m.Limit, m.Factor
	return opt
}

// trace finds the exact forces of an increment.
func trace(exact contact.Solver, run *bench.Run) []float64 {
	r := make([]float64, 3*run.Problem.N)
	opt := contact.DefaultOptions()
	opt.Criterion, opt.Tolerance = contact.NaturalMap, 1e-12
	res := exact.Solve(&run.Problem, r, &opt)
	refusal.Unless(res.Converged, "thesis: %v: no exact solution (natural-map error %.2g, scaled %.2g)",
		run.Case, res.NaturalError, res.ScaledError)
	return r
}

// blown stands for values of forces that grew without bound.
const blown = 1e9

func bounded(x float64) float64 {
	if !(x < blown) {
		return blown
	}
	return x
}

// distance is |a - b| / |b|; 1 where only b vanishes.
func distance(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
	}
	if d == 0 {
		return 0
	}
	if size := num.Norm(b); size > 0 {
		return math.Sqrt(d) / size
	}
	return 1
}

// enough is the time, ms, after which a piece of work is not timed again.
const enough = 100

// least is the least processor time, ms, of a piece of work that is repeated: caches and other programs disturb only
// upwards. The first time, which warms the caches, counts as one more.
func least(repeats int, work func()) float64 {
	runtime.LockOSThread() // the time is the thread's
	defer runtime.UnlockOSThread()
	best, spent := math.Inf(1), 0.0
	for k := 0; k <= repeats && spent < enough; k++ {
		start := cputime.Thread()
		work()
		ms := float64(cputime.Thread()-start) / 1e6
		best, spent = math.Min(best, ms), spent+ms
	}
	return best
}
