package solvers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/batch"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/exact"
	"hapco/physics/worlds/tissue"
)

// variant is "auto" without a stage, or all of it.
type variant struct {
	Hard       int `json:"random_problems"`
	HardSolved int `json:"random_solved"`

	Name   string `json:"without"`
	Of     int    `json:"problems"`
	Solved int    `json:"solved"`
	// Ratios are processor times over those of all of auto, in one run.
	Cold        float64            `json:"cold_ratio"` // geometric mean over the problems that both solve
	ColdWorst   float64            `json:"cold_worst_ratio"`
	ColdWorstOn string             `json:"cold_worst_problem"`
	Steps       int                `json:"steps"`
	StepsFailed int                `json:"steps_not_solved"`
	Warm        float64            `json:"warm_ratio"` // geometric mean over the sequences
	WarmWorst   float64            `json:"warm_worst_ratio"`
	WarmWorstOn string             `json:"warm_worst_sequence"`
	WarmSlowest float64            `json:"slowest_step_ratio"` // of the slowest step, geometric mean over the sequences
	Sequences   map[string]float64 `json:"warm_ratios"`        // of each sequence
	off         exact.Stages
	cold, warm  []float64 // ratios
	slowest     []float64
}

func variants() []variant {
	out := []variant{{Name: "nothing left out"}}
	for bit := exact.BlockStorage; exact.StageNames[bit] != ""; bit <<= 1 {
		out = append(out, variant{Name: exact.StageNames[bit], off: bit})
	}
	return out
}

// Patience with a problem, and the time up to which solves are repeated.
const (
	ablationPatience = 2 * time.Second
	ablationRepeats  = 7
	ablationLong     = 50 * time.Millisecond
)

// timedSolve solves within patience and tells the processor time.
func timedSolve(s contact.Solver, p *contact.Problem, r []float64, opt contact.Options) (ok bool, spent time.Duration) {
	var watch contact.Watch
	var deadline physics.Deadline
	deadline.Begin(ablationPatience)
	watch.When(func() bool { return deadline.Late(0) })
	opt.Watch = &watch
	start := cputime.Thread()
	ok = s.Solve(p, r, &opt).Converged
	return ok, cputime.Thread() - start
}

// coldSolves solves the problem from r = 0 with every variant in turns.
func coldSolves(all []variant, name string, p *contact.Problem, tol float64) {
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion, opt.MaxIterations = tol, contact.NaturalMap, 100000
	r := make([]float64, 3*p.N)
	least, solved := make([]time.Duration, len(all)), make([]bool, len(all))
	solvers := make([]contact.Solver, len(all))
	for k := range all {
		solvers[k] = exact.Without(all[k].off)
	}
	for round := range ablationRepeats {
		for i := range solvers {
			k := (i + round) % len(solvers) // each of them is the first at times
			s := solvers[k]
			if round > 0 && (!solved[k] || least[k] > ablationLong) {
				continue
			}
			clear(r)
			ok, t := timedSolve(s, p, r, opt)
			solved[k] = ok
			if round == 0 || t < least[k] {
				least[k] = t
			}
		}
	}
	for k := range all {
		v := &all[k]
		v.Of++
		if !solved[k] {
			continue
		}
		v.Solved++
		if !solved[0] {
			continue
		}
		ratio := float64(least[k]) / float64(least[0])
		v.cold = append(v.cold, ratio)
		if ratio > v.ColdWorst {
			v.ColdWorst, v.ColdWorstOn = ratio, fmt.Sprintf("%s at %g", name, tol)
		}
	}
}

// Random problems are hard: W of low rank, so that forces are not unique, or much friction, so that solutions may be
// few or none.
const (
	hardProblems   = 400
	hardIterations = 3000
)

// hardSolves counts how many random problems every variant solves.
func hardSolves(ctx context.Context, all []variant, problems int) {
	rng := rand.New(rand.NewPCG(1, 2))
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-8, contact.NaturalMap, hardIterations
	var p contact.Problem
	for range problems {
		randomProblem(rng, &p, 2+rng.IntN(30))
		r := make([]float64, 3*p.N)
		for k := range all {
			if ctx.Err() != nil {
				return
			}
			clear(r)
			ok, _ := timedSolve(exact.Without(all[k].off), &p, r, opt)
			if all[k].Hard++; ok {
				all[k].HardSolved++
			}
		}
	}
}

// randomProblem has n contacts with W = G G', G of a random rank, the same friction up to 1.5 at all of them, and a
// mixture of pressed and open contacts.
func randomProblem(rng *rand.Rand, p *contact.Problem, n int) {
	p.Resize(n)
	rank := 3 + rng.IntN(3*n)
	mu := 1.5 * rng.Float64()
	g := make([]float64, 3*n*rank)
	for i := range g {
		g[i] = rng.NormFloat64() / math.Sqrt(float64(rank))
	}
	for i := range 3 * n {
		for j := range 3 * n {
			p.W[i*3*n+j] = floats.Dot(g[i*rank:(i+1)*rank], g[j*rank:(j+1)*rank])
		}
	}
	for c := range n {
		p.Mu[c] = mu
		p.Q[3*c], p.Q[3*c+1], p.Q[3*c+2] = rng.NormFloat64()-0.5, rng.NormFloat64(), rng.NormFloat64()
	}
}

// ablationScenes are embedded scenes whose steps give sequences of problems, each with a path and the length of a step
// in mm.
var ablationScenes = []struct {
	scene, path string
	step        float64
}{
	{"bench-a-36", "sliding", 0.1}, {"bench-b-66", "sliding", 0.1}, {"bench-c-36", "sliding", 0.1},
	{"liver-linear", "sliding", 0.5}, {"loop-linear", "sliding", 0.5}, {"organs-linear", "sliding", 0.5},
}

// mostSteps of a sequence are taken, so that it stays in memory.
const mostSteps = 250

// recordProblems drives the stylus of a scene and copies the contact problem of each step.
func recordProblems(ctx context.Context, name, path string, step float64) (list []*contact.Problem, err error) {
	s, err := scene.Load(name)
	if err != nil {
		return nil, err
	}
	s.Contact.Solver, s.Contact.Tolerance = "auto", 1e-8
	way := batch.Way{Path: path, StepMM: step}
	offsets, err := way.Offsets(&s.Setting)
	if err != nil {
		return nil, err
	}
	return recordSteps(ctx, s, offsets)
}

// recordPlate drives a rigid plate of nx by nz nodes 1 mm into a slab and on along it.
func recordPlate(ctx context.Context, nx, nz int) ([]*contact.Problem, error) {
	s := plateScene(nx, nz)
	s.Contact.Anchored = true
	var way []mgl64.Vec3
	for k := range 10 {
		way = append(way, mgl64.Vec3{0, -1e-4 * float64(k+1), 0})
	}
	for k := range 30 {
		way = append(way, mgl64.Vec3{1e-4 * float64(k+1), -1e-3, 0})
	}
	return recordSteps(ctx, s, batch.Unturned(way))
}

func recordSteps(ctx context.Context, s *scene.Scene, offsets []frame.Pose) (list []*contact.Problem, err error) {
	w, _, err := tissue.New(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	start := w.StartPose()
	for _, at := range offsets {
		if ctx.Err() != nil || len(list) == mostSteps {
			break
		}
		w.Step(frame.Pose{Position: start.Position.Add(at.Position), Rotation: start.Rotation})
		if p, _ := w.Problem(); p.N > 0 {
			list = append(list, &contact.Problem{N: p.N, W: slices.Clone(p.W), Q: slices.Clone(p.Q), Mu: slices.Clone(p.Mu), ID: slices.Clone(p.ID)})
		}
	}
	return list, ctx.Err()
}

// warmSolves solves the problems one after the other, each from its contacts' last forces, with every variant in turns,
// and adds what the steps took.
func warmSolves(ctx context.Context, all []variant, name string, list []*contact.Problem, tol float64) {
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion, opt.MaxIterations = tol, contact.NaturalMap, 20000
	least, failed := make([][]time.Duration, len(all)), make([]int, len(all))
	for k := range least {
		least[k] = slices.Repeat([]time.Duration{math.MaxInt64}, len(list))
	}
	var r []float64
	for round := range len(all) / 2 {
		for i := range all {
			k := (i + 2*round) % len(all)
			s, last, unsolved := exact.Without(all[k].off), map[uint64][3]float64{}, 0
			for i, p := range list {
				if ctx.Err() != nil {
					return
				}
				r = append(r[:0], make([]float64, 3*p.N)...)
				for c := range p.N {
					f := last[identity(p, c)]
					copy(r[3*c:], f[:])
				}
				ok, t := timedSolve(s, p, r, opt)
				if least[k][i] = min(least[k][i], t); !ok {
					unsolved++
				}
				clear(last)
				for c := range p.N {
					last[identity(p, c)] = [3]float64(r[3*c:])
				}
			}
			failed[k] = unsolved
		}
	}
	total := func(k int) (sum, most time.Duration) {
		for _, t := range least[k] {
			sum, most = sum+t, max(most, t)
		}
		return sum, most
	}
	sum0, most0 := total(0)
	for k := range all {
		v := &all[k]
		v.Steps += len(list)
		v.StepsFailed += failed[k]
		sum, most := total(k)
		ratio := float64(sum) / float64(sum0)
		v.warm = append(v.warm, ratio)
		if v.Sequences == nil {
			v.Sequences = map[string]float64{}
		}
		v.Sequences[fmt.Sprintf("%s at %g", name, tol)] = ratio
		v.slowest = append(v.slowest, float64(most)/float64(most0))
		if ratio > v.WarmWorst {
			v.WarmWorst, v.WarmWorstOn = ratio, fmt.Sprintf("%s at %g", name, tol)
		}
	}
}

// identity of contact c, or its place where contacts have none.
func identity(p *contact.Problem, c int) uint64 {
	if len(p.ID) == p.N {
		return p.ID[c]
	}
	return uint64(c)
}

// ablate measures "auto" without each of its stages.
func (c *Command) ablate(ctx context.Context, files []string) {
	runtime.LockOSThread() // processor times are the thread's
	defer runtime.UnlockOSThread()
	all := variants()
	for _, file := range files {
		p := load(file)
		p.Blocks = nil // the solver looks for itself
		for _, tol := range BenchTolerances {
			if ctx.Err() == nil {
				coldSolves(all, problemName(file), p, tol)
			}
		}
	}
	hardSolves(ctx, all, output.Either(c.Quick, 10, hardProblems))
	for _, a := range output.Either(c.Quick, ablationScenes[:1], ablationScenes) {
		if ctx.Err() != nil {
			break
		}
		list, err := recordProblems(ctx, a.scene, a.path, a.step)
		refusal.NeedAt(err, "bench solvers: scene %s", a.scene)
		for _, tol := range BenchTolerances {
			warmSolves(ctx, all, a.scene, list, tol)
		}
	}
	for _, n := range [][2]int{{8, 8}, {12, 12}, {18, 18}} {
		if ctx.Err() != nil || c.Quick {
			break
		}
		list, err := recordPlate(ctx, n[0], n[1])
		refusal.NeedAt(err, "bench solvers: plate of %dx%d nodes", n[0], n[1])
		for _, tol := range BenchTolerances {
			if tol == BenchTolerances[0] || n[0] < 16 { // a tight tolerance on the largest takes minutes
				warmSolves(ctx, all, fmt.Sprintf("plate of %dx%d", n[0], n[1]), list, tol)
			}
		}
	}
	for k := range all {
		v := &all[k]
		v.Cold, v.Warm = output.GeometricMean(v.cold), output.GeometricMean(v.warm)
		v.WarmSlowest = output.GeometricMean(v.slowest)
	}
	c.WriteJSON("ablation", struct {
		Machine  string    `json:"machine"`
		Variants []variant `json:"variants"`
	}{app.Machine(), all})
	t := tabwriter.NewWriter(app.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(t, "| left out\t| solved\t| random, solved\t| cold, time\t| worst\t| warm, not solved\t| warm, time\t| worst\t| slowest step\t|")
	fmt.Fprintln(t, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, v := range all {
		fmt.Fprintf(t, "| %s\t| %d of %d\t| %d of %d\t| %.2f\t| %.1f (%s)\t| %d of %d\t| %.2f\t| %.2f (%s)\t| %.2f\t|\n", v.Name, v.Solved, v.Of, v.HardSolved, v.Hard, v.Cold,
			v.ColdWorst, v.ColdWorstOn, v.StepsFailed, v.Steps, v.Warm, v.WarmWorst, v.WarmWorstOn, v.WarmSlowest)
	}
	refusal.Need(t.Flush())
}
