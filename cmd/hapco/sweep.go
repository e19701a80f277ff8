package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/schollz/progressbar/v3"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/physics"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/measure/batch"
	"hapco/physics/measure/sweep"
)

// sweepCommand makes one trace for each run of a sheet and tabulates them.
type sweepCommand struct {
	File    string `arg:"" help:"Sweep file, see docs/sweeps.md." type:"path"`
	Out     string `required:"" help:"Folder for the results; an unfinished one goes on." type:"path"`
	Jobs    int    `help:"Runs at the same time; 0: one a core." in:"0..1000"`
	Slurm   bool   `help:"Write the script of a Slurm job array instead of running."`
	Row     int    `help:"Make this run alone, from 0, and no table." default:"-1" in:"-1..1000000"`
	Stride  int    `help:"With --row: every so many runs after it, too." in:"0..1000000"`
	Merge   bool   `help:"Write the table of finished runs; make none."`
	NoCache bool   `help:"Neither read nor write the cache of compliances." env:"HAPCO_NO_CACHE"`

	units sync.Map // by mesh file: the unit of length that was guessed and said
}

// Run makes the runs that are missing, and the table.
func (c *sweepCommand) Run(ctx context.Context) error {
	fail := func(err error) error { return app.BadInput(fmt.Errorf("sweep: %w", err)) }
	switch {
	case c.Slurm && c.Merge || c.Row >= 0 && (c.Slurm || c.Merge):
		return fail(errors.New("--slurm, --row and --merge together (cure: choose one)"))
	case c.Stride > 0 && c.Row < 0:
		return fail(fmt.Errorf("--stride %d (cure: with --row)", c.Stride))
	}
	sheet, err := sweep.Read(c.File)
	if err != nil {
		return fail(err)
	}
	if c.Row >= len(sheet.Runs) {
		return fail(fmt.Errorf("--row %d: %s has %d runs (cure: 0 to %d)", c.Row, c.File, len(sheet.Runs), len(sheet.Runs)-1))
	}
	files, err := c.try(sheet)
	if err != nil {
		return fail(err)
	}
	folder, err := sheet.Open(c.Out, files)
	if err != nil {
		return fail(err)
	}
	if s, err := c.scene(&sheet.Runs[0]); err == nil { // it was read before
		app.Echo(s, sheet.Runs[0].Set)
	}
	missing := folder.Missing()
	switch {
	case c.Slurm:
		return c.writeScript(len(sheet.Runs))
	case c.Merge && len(missing) > 0:
		return fail(fmt.Errorf("--merge: %d of %d runs are not finished, the first is %d: %s (cure: leave --merge out, or wait for the jobs)",
			len(missing), len(sheet.Runs), missing[0], sheet.Title(missing[0])))
	case c.Row >= 0:
		missing = slices.DeleteFunc(missing, func(n int) bool {
			return n != c.Row && (c.Stride == 0 || n < c.Row || (n-c.Row)%c.Stride != 0)
		})
	}
	failed := c.make(ctx, sheet, folder, missing)
	if c.Row < 0 {
		if err := c.write(sheet, folder); err != nil {
			return errors.Join(failed, err)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed == nil && c.Row < 0 {
		fmt.Fprintf(app.Stdout, "%d runs, %d of them now: %s\n", len(sheet.Runs), len(missing), filepath.Join(c.Out, "sweep.csv"))
	}
	return failed
}

// try reads the scenes of a few runs that together hold every value of the sheet, so that a mistake is told before
// hours have passed. It lists the files that runs are made from.
func (c *sweepCommand) try(sheet *sweep.Sheet) (files []string, err error) {
	files = sheet.Files()
	for _, n := range sheet.Tries {
		r := sheet.Runs[n]
		s, err := c.scene(&r)
		if err == nil {
			_, err = c.way(s, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", c.File, sheet.Title(n), err)
		}
		if f, ok := s.(physics.Filer); ok {
			for _, file := range f.Files() {
				if !slices.Contains(files, file) {
					files = append(files, file)
				}
			}
		}
	}
	return files, nil
}

// scene reads the scene of a run.
func (c *sweepCommand) scene(r *sweep.Run) (physics.Scene, error) {
	f := app.SceneFlags{Scene: r.Scene, Mesh: r.Mesh, NoCache: c.NoCache, Set: r.Set}
	f.LengthUnit = r.LengthUnit
	if unit, said := c.units.Load(r.Mesh); said && r.LengthUnit == "" {
		f.LengthUnit = unit.(string)
	}
	s, err := f.Read()
	if err == nil && r.Mesh != "" && r.LengthUnit == "" {
		c.units.Store(r.Mesh, f.MeshUnit)
	}
	return s, err
}

// way is where the stylus of a run goes: a function that takes the world there and tells each of every step.
func (c *sweepCommand) way(s physics.Scene, r *sweep.Run) (func(ctx context.Context, w physics.World, each func(force mgl64.Vec3, entries []physics.Entry) error) error, error) {
	if r.Clock.On() {
		if err := r.Check(); err != nil {
			return nil, err
		}
		hand, err := handInTime(s.Common(), r.Path, r.Seconds)
		return func(ctx context.Context, w physics.World, each func(mgl64.Vec3, []physics.Entry) error) error {
			if !w.Info().Advances {
				return app.BadInput(fmt.Errorf("scene %s does not advance in time (cure: leave seconds and every out)", s.Common().Name))
			}
			return batch.InTime(ctx, w, &r.Clock, hand, func(_ float64, _ bool, p *physics.Report) error { return each(p.Force, nil) })
		}, err
	}
	offsets, err := r.Offsets(s.Common())
	return func(ctx context.Context, w physics.World, each func(mgl64.Vec3, []physics.Entry) error) error {
		if w.Info().Advances {
			return app.BadInput(fmt.Errorf("scene %s advances in time (cure: seconds = S and every = DT)", s.Common().Name))
		}
		var held batch.Held
		err := batch.Along(ctx, w, offsets, false, func(p *batch.Step) error {
			held.Add(p)
			return each(p.Force, p.Entries)
		})
		return cmp.Or(err, held.Err(w))
	}, err
}

// one makes a run.
func (c *sweepCommand) one(ctx context.Context, r sweep.Run) (*sweep.Result, error) {
	began := time.Now()
	s, err := c.scene(&r)
	if err != nil {
		return nil, err
	}
	take, err := c.way(s, &r)
	if err != nil {
		return nil, app.BadInput(err)
	}
	w, notes, err := physics.OpenScene(ctx, s, physics.Options{NoCache: c.NoCache})
	if err != nil {
		return nil, app.BadInput(err)
	}
	defer w.Close()
	app.NoteAll(notes)
	out := &sweep.Result{}
	tally := newTally(w, out)
	err = take(ctx, w, func(force mgl64.Vec3, entries []physics.Entry) error {
		out.Force, out.ForceMax = force, max(out.ForceMax, force.Len())
		tally(entries)
		return nil
	})
	out.Seconds = time.Since(began).Seconds()
	return out, err
}

// newTally counts iterations and steps that converged: from a step's account, or from the numbers of a frame where the
// world gives none.
func newTally(w physics.World, out *sweep.Result) func(entries []physics.Entry) {
	info := w.Info()
	iterations, converged := info.Number("iterations"), info.Number("converged")
	iterated := func(n int64) {
		if out.Iterations == nil {
			out.Iterations = new(int64)
		}
		*out.Iterations += n
	}
	solved := func(yes bool) { out.Converged = new(yes && (out.Converged == nil || *out.Converged)) }
	var f physics.Frame
	return func(entries []physics.Entry) {
		for _, e := range entries {
			if n, ok := e.Value.(int); ok && e.Name == "iterations" {
				iterated(int64(n))
			}
			if yes, ok := e.Value.(bool); ok && e.Name == "converged" {
				solved(yes)
			}
		}
		if entries != nil || iterations < 0 && converged < 0 {
			return
		}
		w.Draw(&f)
		if iterations >= 0 && f.Numbers[iterations] >= 0 {
			iterated(int64(f.Numbers[iterations]))
		}
		if converged >= 0 && f.Numbers[converged] >= 0 {
			solved(f.Numbers[converged] == 1)
		}
	}
}

// make makes runs on all cores. Runs that fail do not stop the others: the first error is returned with their number.
func (c *sweepCommand) make(ctx context.Context, sheet *sweep.Sheet, folder *sweep.Folder, runs []int) error {
	jobs := c.Jobs
	if jobs == 0 {
		jobs = runtime.NumCPU()
	}
	bar := progressbar.NewOptions(len(runs), progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetVisibility(app.IsTerminal(os.Stderr)),
		progressbar.OptionSetDescription("runs"), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
	lines := app.SlowLines{What: "runs"}
	if !app.IsTerminal(os.Stderr) {
		done := make(chan struct{})
		defer close(done)
		failsafe.Go(func() { lines.Write(os.Stderr, done) })
	}
	var (
		mutex        sync.Mutex
		done, failed int
		first        error
	)
	app.Share(ctx, jobs, len(runs), func() func(int) {
		return func(i int) {
			n := runs[i]
			result, err := c.one(ctx, sheet.Runs[n])
			if err == nil {
				err = folder.Keep(n, result)
			}
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil && ctx.Err() == nil {
				failed++
				first = cmp.Or(first, fmt.Errorf("sweep: run %d, %s: %w", n, sheet.Title(n), err))
			}
			done++
			_ = bar.Add(1)
			lines.Tell(float64(done)/float64(len(runs)), "runs")
		}
	})
	_ = bar.Finish()
	if failed > 1 {
		return fmt.Errorf("%w; so %d runs failed, the others are kept", first, failed)
	}
	return first
}

// write writes the table of what is finished.
func (c *sweepCommand) write(sheet *sweep.Sheet, folder *sweep.Folder) error {
	for name, write := range map[string]func(io.Writer) error{"sweep.csv": folder.WriteCSV, "sweep.parquet": folder.WriteParquet} {
		if err := app.WriteOut(filepath.Join(c.Out, name), write); err != nil {
			return err
		}
	}
	return drawSweep(filepath.Join(c.Out, "sweep.png"), sheet, folder.Results())
}

// mostTasks is the largest job array that Slurm takes unless its administrator has changed MaxArraySize.
const mostTasks = 1000

// writeScript writes the script of a job array: each job makes the run of its index, and where there are more runs than
// jobs every so many after it.
func (c *sweepCommand) writeScript(runs int) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var paths [3]string
	for i, name := range []string{program, c.File, c.Out} {
		if name, err = filepath.Abs(name); err != nil {
			return err
		}
		if strings.ContainsAny(name, "\n\r") {
			return app.BadInput(fmt.Errorf("sweep: %q cannot stand in a script (cure: a name of one line)", name))
		}
		paths[i] = quoted(name)
	}
	tasks := min(runs, mostTasks)
	stride := ""
	if runs > tasks {
		stride = fmt.Sprintf(" --stride %d", tasks)
	}
	file := filepath.Join(c.Out, "sweep.sbatch")
	err = app.WriteOut(file, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, `#!/bin/sh
#SBATCH --job-name=hapco-sweep
#SBATCH --array=0-%d
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --output=/dev/null
#SBATCH --error=/dev/null
cd %[4]s || exit 1
exec %[2]s sweep %[3]s --out %[4]s --jobs 1 --row "$SLURM_ARRAY_TASK_ID"%[5]s 2>"slurm-$SLURM_ARRAY_TASK_ID.log"
`, tasks-1, paths[0], paths[1], paths[2], stride)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(app.Stdout, "sbatch %s\n%s sweep %s --out %s --merge   # once all its jobs are done\n", quoted(file), paths[0], paths[1], paths[2])
	return nil
}

// quoted makes one word of a shell's command line.
func quoted(s string) string {
	if !strings.ContainsAny(s, " \t'\"\\$`&|;<>()*?[]#~!{}") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// A picture of a sweep has a plot for each of so many keys, and joins the runs that differ in that key alone, where
// there are no more curves than that.
const mostPlots, mostCurves = 6, 8

// drawSweep draws the largest force over each key that varies.
func drawSweep(file string, sheet *sweep.Sheet, results []*sweep.Result) error {
	var plots []*figure.Plot
	for column := range sheet.Columns {
		if p := plotKey(sheet, results, column); p != nil && len(plots) < mostPlots {
			plots = append(plots, p)
		}
	}
	if len(plots) == 0 {
		return nil
	}
	return figure.SavePlots(file, "Largest force of each run", plots...)
}

// plotKey draws the largest force over one key; nil where it has fewer than two values.
func plotKey(sheet *sweep.Sheet, results []*sweep.Result, column int) *figure.Plot {
	var words []string // where not all values are numbers
	numbers := true
	distinct := map[any]bool{}
	for n, r := range results {
		v := sheet.Runs[n].Values[column]
		if r == nil || v == nil {
			continue
		}
		if _, ok := v.(float64); !ok {
			numbers = false
		}
		if !distinct[v] {
			distinct[v] = true
			words = append(words, fmt.Sprint(v))
		}
	}
	if len(distinct) < 2 {
		return nil
	}
	curves := map[string]plotter.XYs{}
	var names []string
	for n, r := range results {
		v := sheet.Runs[n].Values[column]
		if r == nil || v == nil {
			continue
		}
		x, ok := v.(float64)
		if !numbers || !ok {
			x = float64(slices.Index(words, fmt.Sprint(v)))
		}
		var rest []string
		for i, name := range sheet.Columns {
			if w := sheet.Runs[n].Values[i]; i != column && w != nil {
				rest = append(rest, fmt.Sprintf("%s %v", name, w))
			}
		}
		name := strings.Join(rest, ", ")
		if curves[name] == nil {
			names = append(names, name)
		}
		curves[name] = append(curves[name], plotter.XY{X: x, Y: r.ForceMax})
	}
	p := figure.New(sheet.Columns[column], "force_max_N")
	if !numbers {
		p.NominalX(words...)
	}
	for i, name := range names {
		at := curves[name]
		slices.SortStableFunc(at, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		ink := curveColors[i%len(curveColors)]
		if len(names) > mostCurves {
			dots := p.Dots("", at)
			dots.Color, dots.Radius = ink, vg.Points(2)
			continue
		}
		line, dots := p.LinePoints(name, at)
		line.Color, line.Width = ink, vg.Points(1)
		dots.Color, dots.Radius = ink, vg.Points(2)
	}
	return p
}
