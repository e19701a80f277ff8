// Package solvers times the contact solvers on files of problems, auto without its stages, and auto beside Siconos.
package solvers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/solvers"
	"hapco/physics/worlds/tissue"
)

// Command solves every problem of a folder with every solver, cold start, to two tolerances on the natural-map error.
type Command struct {
	output.Flags
	Problems string   `arg:"" help:"Folder of .fc3d files; its index.tsv may have a peer's times." type:"path"`
	Solver   []string `help:"Only these solvers; repeatable. All by default." placeholder:"NAME"`
	Ablation bool     `help:"Measure auto without each of its stages instead."`
	Peer     string   `help:"Measure auto in turns with this other program instead." enum:",siconos" default:"" placeholder:"siconos"`
}

// solverRun is one line of the results.
type solverRun struct {
	app.SolveResult
	PeerMS  float64 `json:"peer_ms,omitempty"`        // the best of the peer's settings on its machine
	Speedup float64 `json:"peer_over_ours,omitempty"` // PeerMS / MSMedian, where ours converged
}

type solversReport struct {
	Machine string             `json:"machine"`
	Results []solverRun        `json:"results"`
	Means   map[string]float64 `json:"auto_speedup_geometric_mean"`
	Sweeps  []sweepRate        `json:"sweeps"`
	Scaling *scaling           `json:"scaling"`
}

// sweepRate compares a Gauss-Seidel sweep with one pass through W as it is stored, dense or by blocks: a sweep cannot
// be faster than that, but for the open contacts that it passes over.
type sweepRate struct {
	Problem   string  `json:"problem"`
	Contacts  int     `json:"contacts"`
	Stored    string  `json:"stored"`
	Bytes     int     `json:"bytes"`
	SweepUS   float64 `json:"sweep_us"`
	ReadUS    float64 `json:"read_us"` // of a dot product over all that is stored
	Bandwidth float64 `json:"fraction_of_bandwidth"`
}

// peerThesis are a peer's best times on the thesis's problems, which its index file does not list, ms at e <= 1e-4 and
// 1e-8: the best of about twenty Siconos solver settings, dense storage, cold start, one thread of an AMD EPYC Zen 4.
var peerThesis = map[string][2]float64{
	"A16_alu-tissue_bottom_pen_mu0.3_inc04":   {0.089, 0.175},
	"A36_alu-tissue_end_slide_mu0.3_inc12":    {0.247, 0.388},
	"A36_alu-rubber_end_slide_mu0.3_inc11":    {0.331, 0.526},
	"A36_tissue-tissue_end_pen_mu0.3_inc04":   {0.803, 0.803},
	"B66_tissue-tissue_end_slide_mu0.3_inc10": {0.550, 1.989},
}

// BenchTolerances are those that the peer was measured at.
var BenchTolerances = [2]float64{1e-4, 1e-8}

// Run solves, tabulates and plots.
func (c *Command) Run(ctx context.Context) error {
	return c.Measure(func() {
		names := c.Solver
		if len(names) == 0 {
			names = contact.Names()
		}
		for _, n := range names {
			_, err := contact.New(n)
			refusal.Need(app.BadInput(err))
		}
		files, err := problemFiles(c.Problems)
		refusal.Need(app.BadInput(err))
		switch {
		case c.Ablation:
			c.ablate(ctx, files)
		case c.Peer != "":
			c.comparePeer(ctx, files)
		default:
			c.compare(ctx, names, files)
		}
		refusal.Need(app.OverTime(ctx, "bench solvers", "what was measured by then is in "+c.Out))
	})
}

// load is the problem of a file.
func load(file string) *contact.Problem {
	p, _, err := contact.LoadFC3D(file)
	refusal.Need(app.BadInput(err))
	return p
}

// compare measures solvers on all problems, and how the time of some grows.
func (c *Command) compare(ctx context.Context, names, files []string) {
	peer, err := readPeer(filepath.Join(c.Problems, "index.tsv"))
	refusal.Need(app.BadInput(err))
	report := solversReport{Machine: app.Machine(), Means: map[string]float64{}}
	for _, file := range files {
		if ctx.Err() != nil {
			break // what is measured is written
		}
		p, problem := load(file), problemName(file)
		for _, name := range names {
			for k, tol := range BenchTolerances {
				run := c.measure(ctx, p, name, tol)
				if ctx.Err() != nil {
					break
				}
				run.Problem = problem
				if t := peer[problem][k]; t > 0 {
					run.PeerMS = t
					if run.Converged {
						run.Speedup = t / run.MSMedian
					}
				}
				report.Results = append(report.Results, run)
			}
		}
		if rate, ok := sweepPace(p); ok && ctx.Err() == nil {
			rate.Problem = problem
			report.Sweeps = append(report.Sweeps, rate)
		}
	}
	report.average()
	report.Scaling = c.scale(ctx)
	c.WriteAll("solvers", report, output.Table(report.Results))
	report.Scaling.plot(c.File("solvers-scaling.png"))
	report.plot(c.File("solvers.png"))
	report.summary()
}

// solverPatience is the time after which a solver counts as not converging.
const solverPatience = 2 * time.Second

// measure times one solver on one problem. Solvers that take long, or do not converge, are timed once.
func (c *Command) measure(ctx context.Context, p *contact.Problem, name string, tol float64) solverRun {
	solver, err := contact.New(name)
	if err != nil {
		panic(err) // checked by Run
	}
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion = tol, contact.NaturalMap
	// what a dense sweep costs grows with N^2: the same patience for all sizes
	opt.MaxIterations = max(1000, min(100000, int(2e9/(9*math.Pow(float64(p.N), 2)+1))))
	if name != "auto" { // what it picks must not depend on the clock
		opt.Budget = output.Either(c.Quick, solverPatience/10, solverPatience)
	}
	r := make([]float64, 3*p.N)
	first := app.TimeSolve(ctx, name, solver, p, r, opt, 1)
	wanted := output.Either(c.Quick, 20.0, 200) // ms of measuring
	repeat := int(min(201, wanted/max(first.MSMedian, 1e-4)))
	if first.Converged && repeat >= 3 {
		first = app.TimeSolve(ctx, name, solver, p, r, opt, repeat)
	}
	first.Solver, first.Criterion = name, "natural"
	return solverRun{SolveResult: first}
}

// sweepPace measures a sweep of the exact Gauss-Seidel solver.
func sweepPace(p *contact.Problem) (sweepRate, bool) {
	solver, err := contact.New("nsgs")
	if err != nil || p.N < 4 {
		return sweepRate{}, false
	}
	opt := contact.DefaultOptions()
	opt.Criterion, opt.Tolerance = contact.RelativeChange, 1e-300
	r := make([]float64, 3*p.N)
	timeFor := func(sweeps int) float64 {
		opt.MaxIterations = sweeps
		return 1e3 * app.TimeSolve(context.Background(), "nsgs", solver, p, r, opt, 9).MSMedian
	}
	few, many := timeFor(10), timeFor(60)
	out := sweepRate{Contacts: p.N, SweepUS: (many - few) / 50, Stored: "dense"}
	stored := p.W
	if p.Blocks != nil {
		out.Stored, stored = "blocks", p.Blocks.Val
	}
	out.Bytes = 8 * len(stored)
	reads := make([]float64, 15)
	sink := 0.0
	for i := range reads {
		start := time.Now()
		sink += floats.Dot(stored, stored)
		reads[i] = float64(time.Since(start)) / 1e3
	}
	slices.Sort(reads)
	runtime.KeepAlive(sink)
	out.ReadUS = reads[len(reads)/2]
	out.Bandwidth = out.ReadUS / out.SweepUS
	return out, out.SweepUS > 0
}

func problemFiles(dir string) ([]string, error) {
	var files []string
	for _, pattern := range []string{"*.fc3d", "*.fc3d.gz"} {
		m, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, m...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("bench solvers: no .fc3d files in %s (cure: a folder with contact problems)", dir)
	}
	slices.Sort(files)
	return files, nil
}

func problemName(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".gz"), ".fc3d")
}

// readPeer reads the peer's best times from a table with the columns name, ms at 1e-4 (9th) and ms at 1e-8 (12th), as
// far as it is there.
func readPeer(file string) (map[string][2]float64, error) {
	peer := maps.Clone(peerThesis)
	f, err := budget.Table.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return peer, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	var at4, at8 int
	for line := 1; scan.Scan(); line++ {
		cells := strings.Split(scan.Text(), "\t")
		if line == 1 {
			at4, at8 = column(cells, "1e-4"), column(cells, "1e-8")
			if at4 < 0 || at8 < 0 {
				return nil, fmt.Errorf("%s:1: no columns of times at 1e-4 and 1e-8 (cure: remove the file)", file)
			}
			continue
		}
		if len(cells) <= max(at4, at8) {
			return nil, fmt.Errorf("%s:%d: %d columns (cure: as many as the first line has)", file, line, len(cells))
		}
		a, errA := strconv.ParseFloat(cells[at4], 64)
		b, errB := strconv.ParseFloat(cells[at8], 64)
		if errA == nil && errB == nil {
			peer[cells[0]] = [2]float64{a, b}
		}
	}
	return peer, scan.Err()
}

// column finds the first column of milliseconds at a tolerance.
func column(head []string, tolerance string) int {
	return slices.IndexFunc(head, func(s string) bool {
		return strings.Contains(s, tolerance) && strings.Contains(s, "ms")
	})
}

// average fills the geometric means of auto's speed over the peer's.
func (r *solversReport) average() {
	speedups := map[string][]float64{}
	for _, run := range r.Results {
		if run.Solver != "auto" || run.Speedup == 0 {
			continue
		}
		size := "up to 100 contacts"
		if run.Contacts > 100 {
			size = "over 100 contacts"
		}
		key := fmt.Sprintf("%s, e <= %g", size, run.Tol)
		speedups[key] = append(speedups[key], run.Speedup)
	}
	for key, s := range speedups {
		r.Means[key] = output.GeometricMean(s)
	}
}

// plot draws auto's time at the tighter tolerance over the number of contacts, beside the peer's.
func (r *solversReport) plot(file string) {
	of := slices.DeleteFunc(slices.Clone(r.Results), func(x solverRun) bool {
		return x.Solver != "auto" || x.Tol != BenchTolerances[1] || !x.Converged
	})
	ours := figure.CurveOf("auto", of, contactsOf, medianOf)
	theirs := figure.CurveOf("the peer's best setting", of, contactsOf, func(x *solverRun) float64 { return x.PeerMS })
	ours.Dots, theirs.Dots = true, true
	const title = "Time to a natural-map error of 1e-8, cold start, one core"
	refusal.Need(figure.SaveLogLog(file, title, "contacts", "ms", []figure.Curve{ours, theirs}))
}

func contactsOf(x *solverRun) float64 { return float64(x.Contacts) }
func medianOf(x *solverRun) float64   { return x.MSMedian }

func (r *solversReport) summary() {
	t := app.Table(app.Stdout)
	fmt.Fprintf(t, "solver\tsolved to %g\tto %g\tof\t\n", BenchTolerances[0], BenchTolerances[1])
	var order []string
	solved := map[string]*[2]int{}
	problems := map[string]bool{}
	for i := range r.Results {
		x := &r.Results[i]
		problems[x.Problem] = true
		if solved[x.Solver] == nil {
			solved[x.Solver] = new([2]int)
			order = append(order, x.Solver)
		}
		if x.Converged {
			solved[x.Solver][slices.Index(BenchTolerances[:], x.Tol)]++
		}
	}
	for _, name := range order {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t\n", name, solved[name][0], solved[name][1], len(problems))
	}
	t.Flush()
	for _, k := range slices.Sorted(maps.Keys(r.Means)) {
		fmt.Fprintf(app.Stdout, "auto against the peer's best setting (its own machine), geometric mean of time ratios, %s: %.2fx\n", k, r.Means[k])
	}
	for _, s := range scalingSolvers {
		key := scalingKey(s.solver, s.tol)
		if e, ok := r.Scaling.Exponents[key]; ok {
			fmt.Fprintf(app.Stdout, "time over contacts, a rigid plate on soft tissue, %s: exponent %.2f\n", key, e)
		}
	}
	fmt.Fprintln(t, "\na sweep\tcontacts\tstored\tkB\tus\tone pass through W, us\t")
	for _, s := range r.Sweeps {
		if s.Contacts >= 16 {
			fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%.2f\t%.2f\t\n", s.Problem, s.Contacts, s.Stored, s.Bytes/1000, s.SweepUS, s.ReadUS)
		}
	}
	t.Flush()
}

// Plates are the contact patches of the scaling measurement: nodes along X and Z.
var Plates = [][2]int{{4, 4}, {6, 6}, {6, 11}, {12, 12}, {20, 20}, {25, 40}}

// scalingSolvers are timed on each plate of up to so many contacts, at the tolerance beside them. A tight tolerance on
// the largest plate, whose operator has not half the rank of its size, takes minutes.
var scalingSolvers = []struct {
	solver string
	tol    float64
	most   int
}{{"auto", 1e-4, 1000}, {"auto", 1e-8, 400}, {"nsgs", 1e-4, 1000}, {"uzawa", 1e-4, 1000}}

// scaling is how the time of a solve grows with the number of contacts.
type scaling struct {
	Points    []solverRun        `json:"points"`
	Exponents map[string]float64 `json:"exponents"` // of time over contacts, by solver and tolerance
}

// plateScene is a rigid plate of nx by nz nodes over a slab of soft tissue.
func plateScene(nx, nz int) *scene.Scene {
	s := scene.Default()
	s.Name = "plate"
	s.Contact.DDCTolerance = math.Inf(1)
	s.Contact.Anchored, s.Contact.Normals = false, scene.FaceNormals
	s.Contact.Tolerance = 1e-6
	s.Contact.Reduction = 0 // all of them are the point
	plate := scene.DefaultBody(scene.Driven)
	plate.Name, plate.Rigid = "plate", true
	plate.Shape = scene.Shape{Kind: scene.BoxShape, Box: scene.Box{
		Origin: mgl64.Vec3{0.0152, 0.02, 0.0147}, Size: mgl64.Vec3{0.03, 0.01, 0.03}, Elements: [3]int{nx - 1, 1, nz - 1},
	}}
	plate.Surface = scene.Selector{Kind: scene.SelectSide, Side: scene.Bottom}
	slab := scene.DefaultBody(scene.Fixed)
	slab.Name, slab.Material, slab.Young, slab.Poisson = "slab", scene.Custom, 0.02e6, 0.4
	slab.Shape = scene.Shape{Kind: scene.BoxShape, Box: scene.Box{
		Size: mgl64.Vec3{0.06, 0.02, 0.06}, Elements: [3]int{24, 3, 24},
	}}
	slab.Clamp = scene.Selector{Kind: scene.SelectSide, Side: scene.Bottom}
	slab.Surface = scene.Selector{Kind: scene.SelectSide, Side: scene.Top}
	s.Bodies = []scene.Body{plate, slab}
	s.Pairs = []scene.Pair{{A: "plate", B: "slab", Friction: math.NaN(), Contact: scene.ContactOne}}
	return &s
}

// PlateProblem is a rigid plate of nx by nz nodes, pressed 1 mm into a slab of soft tissue and drawn 0.5 mm along it:
// the second increment's problem.
func PlateProblem(ctx context.Context, nx, nz int) (*contact.Problem, error) {
	w, _, err := tissue.New(ctx, plateScene(nx, nz), nil)
	if err != nil {
		return nil, err
	}
	start := w.StartPose()
	for _, d := range []mgl64.Vec3{{0, -0.001, 0}, {0.0005, -0.001, 0}} {
		w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
	}
	p, _ := w.Problem()
	return p, nil
}

// scale measures the growth of time with the number of contacts.
func (c *Command) scale(ctx context.Context) *scaling {
	out := &scaling{Exponents: map[string]float64{}}
	for _, n := range output.Either(c.Quick, Plates[:4], Plates) {
		p, err := PlateProblem(ctx, n[0], n[1])
		if ctx.Err() != nil {
			break
		}
		refusal.NeedAt(err, "bench solvers: plate of %dx%d nodes", n[0], n[1])
		for _, s := range scalingSolvers {
			if p.N > s.most {
				continue
			}
			run := c.measure(ctx, p, s.solver, s.tol)
			if ctx.Err() != nil {
				break
			}
			run.Problem = fmt.Sprintf("plate %dx%d", n[0], n[1])
			out.Points = append(out.Points, run)
		}
	}
	for _, s := range scalingSolvers {
		if points := out.of(s.solver, s.tol); len(points) >= 3 {
			out.Exponents[scalingKey(s.solver, s.tol)] = output.LogSlope(points, contactsOf, medianOf)
		}
	}
	return out
}

func scalingKey(solver string, tol float64) string { return fmt.Sprintf("%s at %g", solver, tol) }

// of are the solves that a solver finished to a tolerance.
func (s *scaling) of(solver string, tol float64) []solverRun {
	return slices.DeleteFunc(slices.Clone(s.Points), func(x solverRun) bool { return !x.Converged || x.Solver != solver || x.Tol != tol })
}

// plot draws time over contacts.
func (s *scaling) plot(file string) {
	var curves []figure.Curve
	for _, solver := range scalingSolvers {
		curves = append(curves, figure.CurveOf(scalingKey(solver.solver, solver.tol), s.of(solver.solver, solver.tol), contactsOf, medianOf))
	}
	refusal.Need(figure.SaveLogLog(file, "A rigid plate on soft tissue, cold start, one core", "contacts", "ms", curves))
}
