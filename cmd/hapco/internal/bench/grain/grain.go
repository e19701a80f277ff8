// Package grain measures packed grains, beside LAMMPS where it is installed.
package grain

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/files/atomicfile"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/worlds/grain"
)

// Command measures a step of packed grains.
type Command struct {
	output.Flags
	Grains  int `help:"Largest number of grains." default:"1000000" in:"100..67108864"`
	Threads int `help:"Most threads; 0: one a processor." default:"0" in:"0..1024"`
}

// grainPoint is what a step cost at one size, with one thread.
type grainPoint struct {
	Grains   int     `json:"grains"`
	Steps    int     `json:"steps"`        // of a round
	CPU      float64 `json:"cpu_ns"`       // processor time of a grain and step, median of the rounds
	Wall     float64 `json:"wall_ns"`      //
	Rate     float64 `json:"grains_per_s"` // grain-steps a second of processor time
	Listed   float64 `json:"neighbours"`   // listed of a grain: fewer in a small block, which has more surface
	Listings int     `json:"listings"`     // times that neighbours were listed in the last round
}

// grainThreads is what a step of the largest size cost with several threads.
type grainThreads struct {
	Grains  int     `json:"grains"`
	Threads int     `json:"threads"`
	Wall    float64 `json:"wall_ns"` // of a grain and step
	Speedup float64 `json:"speedup"`
}

// grainPeer is LAMMPS beside ours: the same grains, force and steps, in turn.
type grainPeer struct {
	Version    string    `json:"version"`
	Grains     int       `json:"grains"`
	Steps      int       `json:"steps"`
	Theirs     float64   `json:"lammps_grains_per_s"` // grain-steps a second of processor time, median
	Ours       float64   `json:"grains_per_s"`        //
	Ratio      float64   `json:"ratio"`               // median of the rounds' ratios
	Ratios     []float64 `json:"ratios"`
	Difference float64   `json:"potential_difference"` // of the energy at the start, relative
}

type Report struct {
	Machine  string         `json:"machine"`
	Quick    bool           `json:"quick"`
	Points   []grainPoint   `json:"points"`
	Exponent float64        `json:"exponent"`            // of the cost of a step over grains
	PerPair  float64        `json:"exponent_neighbours"` // over listed neighbours
	Threads  []grainThreads `json:"threads"`
	Peer     *grainPeer     `json:"lammps"` // null where it is not installed
	Note     string         `json:"note,omitempty"`
}

// The state measured is a block of grains on a face-centred lattice a little wider than rest, free on all sides, with
// some heat: sigma, epsilon and the mass are 1, as in the input for LAMMPS.
const (
	blockDensity     = 1.006571 // grains per sigma^3: neighbours are 1.12 sigma apart
	blockTemperature = 0.1      // m <v_x^2> / epsilon
	blockStep        = 0.005
	blockSteps       = 150
)

// block has 4 nx ny nz grains.
func block(nx, ny, nz int) grain.Config {
	c := grain.Config{Step: blockStep, Interaction: grain.Interaction{Sigma: 1, Epsilon: 1}, Threads: 1}
	a := math.Cbrt(4 / blockDensity)
	rng := rand.New(rand.NewPCG(1, 2))
	const r = 0.5
	density := 1 / (4.0 / 3 * math.Pi * r * r * r)
	v := math.Sqrt(blockTemperature)
	corners := [4]mgl64.Vec3{{}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}
	for i := range nx * ny * nz {
		cell := mgl64.Vec3{float64(i % nx), float64(i / nx % ny), float64(i / nx / ny)}
		for _, corner := range corners {
			c.Grains = append(c.Grains, grain.Grain{Radius: r, Density: density, Position: cell.Add(corner).Mul(a),
				Velocity: mgl64.Vec3{v * rng.NormFloat64(), v * rng.NormFloat64(), v * rng.NormFloat64()}})
		}
	}
	return c
}

// cubeBlock is a block of about n grains.
func cubeBlock(n int) grain.Config {
	side := max(1, int(math.Cbrt(float64(n)/4)))
	return block(side, side, max(1, int(math.Round(float64(n)/float64(4*side*side)))))
}

// Run measures and writes grain.json and grain.csv.
func (b *Command) Run(ctx context.Context) error { return b.Measure(func() { b.measure(ctx) }) }

func (b *Command) measure(ctx context.Context) {
	refuse(grain.CheckNumber(b.Grains))
	r := &Report{Machine: app.Machine(), Quick: b.Quick}
	b.sizes(ctx, r)
	b.cores(ctx, r)
	b.peer(ctx, r)
	b.WriteAll("grain", r, output.Table(r.Points))
	r.print()
}

// refuse ends the measurement where the number of grains is none.
func refuse(err error) {
	if err != nil {
		refusal.Need(app.BadInput(fmt.Errorf("bench grain: %w", err)))
	}
}

// world is a block under way.
func world(c grain.Config) *grain.World {
	w, err := grain.New(c)
	refuse(err)
	return w
}

// sizes measures a step over the number of grains, size after size in each round, so that a disturbance meets them all.
func (b *Command) sizes(ctx context.Context, r *Report) {
	rounds, work := output.Either(b.Quick, 3, 7), output.Either(b.Quick, 1e6, 4e6) // grain-steps of a round
	var worlds []*grain.World
	defer func() {
		for _, w := range worlds {
			w.Close()
		}
	}()
	for n := 1000; n <= b.Grains || len(worlds) == 0; n *= 10 {
		w := world(cubeBlock(min(n, b.Grains)))
		worlds = append(worlds, w)
		r.Points = append(r.Points, grainPoint{Grains: w.N(), Steps: max(20, int(work)/w.N())})
		w.Step(5)
	}
	cpu, wall := make([][]float64, len(worlds)), make([][]float64, len(worlds))
	for range rounds {
		for i, w := range worlds {
			p := &r.Points[i]
			listed := w.Report().Listings
			c, t := timeSteps(ctx, w, p.Steps)
			p.Listings = w.Report().Listings - listed // of the last round
			cpu[i] = append(cpu[i], c)
			wall[i] = append(wall[i], t)
		}
	}
	for i := range r.Points {
		p := &r.Points[i]
		p.CPU, p.Wall = output.Median(cpu[i]), output.Median(wall[i])
		p.Rate = 1e9 / p.CPU
		p.Listed = float64(worlds[i].Report().Listed) / float64(p.Grains)
	}
	cost := func(p *grainPoint) float64 { return p.CPU * float64(p.Grains) }
	r.Exponent = output.LogSlope(r.Points, func(p *grainPoint) float64 { return float64(p.Grains) }, cost)
	r.PerPair = output.LogSlope(r.Points, func(p *grainPoint) float64 { return float64(p.Grains) * p.Listed }, cost)
}

// timeSteps is the processor time of this thread and the wall time of a grain and step, ns.
func timeSteps(ctx context.Context, w *grain.World, steps int) (cpu, wall float64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := cputime.Thread()
	wall = wallSteps(ctx, w, steps)
	return float64((cputime.Thread() - used).Nanoseconds()) / (float64(w.N()) * float64(steps)), wall
}

// wallSteps is the wall time of a grain and step, ns.
func wallSteps(ctx context.Context, w *grain.World, steps int) float64 {
	start := time.Now()
	for done := 0; done < steps; done += 10 {
		refusal.Need(ctx.Err())
		w.Step(min(10, steps-done))
	}
	return float64(time.Since(start).Nanoseconds()) / (float64(w.N()) * float64(steps))
}

// cores measures a step of many grains with 1, 2, 4 and more threads.
func (b *Command) cores(ctx context.Context, r *Report) {
	most := b.Threads
	if most == 0 {
		most = runtime.GOMAXPROCS(0)
	}
	n, steps, rounds := min(b.Grains, output.Either(b.Quick, 100_000, 1_000_000)), 10, 8
	var counts []int
	for k := 1; k < most; k *= 2 {
		counts = append(counts, k)
	}
	counts = append(counts, most)
	for _, k := range counts {
		c := cubeBlock(n)
		c.Threads = k
		r.Threads = append(r.Threads, onCores(ctx, c, rounds, steps))
		last := &r.Threads[len(r.Threads)-1]
		last.Speedup = r.Threads[0].Wall / last.Wall
	}
}

// onCores is the fastest of some rounds.
func onCores(ctx context.Context, c grain.Config, rounds, steps int) grainThreads {
	w := world(c)
	defer w.Close()
	var wall []float64
	for range rounds {
		w.Step(2)
		refusal.Need(app.Loose(func() error {
			t, err := refusal.Caught(func() float64 { return wallSteps(ctx, w, steps) })
			wall = append(wall, t)
			return err
		}))
	}
	return grainThreads{Grains: w.N(), Threads: c.Threads, Wall: slices.Min(wall)}
}

//go:embed block.in
var lammpsInput string

// peer runs LAMMPS and ours in turn on the same 100 000 grains, one thread each.
func (b *Command) peer(ctx context.Context, r *Report) {
	program, err := exec.LookPath("lmp")
	if err != nil {
		r.Note = "no comparison with LAMMPS: no lmp (cure: apt-get install lammps)"
		return
	}
	rounds, nx, ny, nz := output.Either(b.Quick, 2, 5), 25, 25, 40
	for 4*nx*ny*nz > b.Grains {
		nx, ny, nz = max(1, nx/2), max(1, ny/2), max(1, nz/2)
	}
	folder := refusal.Must(os.MkdirTemp("", "hapco-lammps-"))
	defer os.RemoveAll(folder)
	input := strings.NewReplacer("NX", strconv.Itoa(nx), "NY", strconv.Itoa(ny), "NZ", strconv.Itoa(nz), "DENSITY", fmt.Sprint(blockDensity),
		"HEAT", fmt.Sprint(blockTemperature), "STEPS", strconv.Itoa(blockSteps), "STEP", fmt.Sprint(blockStep)).Replace(lammpsInput)
	refusal.Need(atomicfile.Write(filepath.Join(folder, "block.in"), atomicfile.Bytes([]byte(input))))
	refusal.Need(app.WriteOut(filepath.Join(folder, "grain.table"), writeForceTable))
	p := &grainPeer{Steps: blockSteps}
	var theirs, ours []float64
	for range rounds {
		w := world(block(nx, ny, nz))
		p.Grains = w.N()
		start := w.Sums().Potential / float64(w.N())
		cpu, _ := timeSteps(ctx, w, blockSteps)
		w.Close()
		run := exec.CommandContext(ctx, program, "-in", "block.in", "-log", "log", "-screen", "none")
		run.Dir = folder
		run.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
		out, err := run.CombinedOutput()
		refusal.Need(ctx.Err())
		log, _ := os.ReadFile(filepath.Join(folder, "log")) // an empty one has no times
		seconds, potential, version, ok := ReadLammps(string(log))
		if err != nil || !ok {
			r.Note = fmt.Sprintf("no comparison with LAMMPS: it gave no times (%v %s)", err, strings.TrimSpace(string(out)))
			return
		}
		p.Version = version
		p.Difference = math.Abs(start-potential) / math.Abs(potential)
		their := float64(p.Grains) * blockSteps / seconds
		our := 1e9 / cpu
		theirs, ours, p.Ratios = append(theirs, their), append(ours, our), append(p.Ratios, our/their)
	}
	p.Theirs, p.Ours, p.Ratio = output.Median(theirs), output.Median(ours), output.Median(p.Ratios)
	r.Peer = p
}

// writeForceTable writes our force as a table for LAMMPS: distances whose squares are evenly spaced.
func writeForceTable(out io.Writer) error {
	a := grain.Interaction{Sigma: 1, Epsilon: 1}
	const n, low = 20000, 1e-2
	if _, err := fmt.Fprintf(out, "# grains\n\nGRAIN\nN %d RSQ %g %g\n\n", n, low, grain.CutOff); err != nil {
		return err
	}
	for i := range n {
		r := math.Sqrt(low*low + (grain.CutOff*grain.CutOff-low*low)*float64(i)/(n-1))
		if _, err := fmt.Fprintf(out, "%d %.15g %.15g %.15g\n", i+1, r, a.Potential(r), -a.Force(r)); err != nil {
			return err
		}
	}
	return nil
}

// ReadLammps takes the processor time of the steps, s, the potential energy of a grain at the start and the version
// from a log.
func ReadLammps(log string) (seconds, potential float64, version string, ok bool) {
	version, _, _ = strings.Cut(log, "\n")
	wall, use, energy := math.NaN(), math.NaN(), math.NaN()
	for line := range strings.Lines(log) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "Loop time of ") && len(words) > 3:
			wall, _ = strconv.ParseFloat(words[3], 64)
		case strings.Contains(line, "% CPU use") && len(words) > 0:
			use, _ = strconv.ParseFloat(strings.TrimSuffix(words[0], "%"), 64)
		case len(words) == 2 && words[0] == "0" && math.IsNaN(energy):
			energy, _ = strconv.ParseFloat(words[1], 64)
		}
	}
	seconds = wall * use / 100
	return seconds, energy, strings.TrimSpace(version), seconds > 0 && !math.IsNaN(energy)
}

func (r *Report) print() {
	out := app.Stdout
	t := app.Table(out)
	fmt.Fprintln(t, "grains\tneighbours\tns a grain and step\tof wall time\tgrain-steps a second\t")
	for _, p := range r.Points {
		fmt.Fprintf(t, "%d\t%.1f\t%.1f\t%.1f\t%.3g\t\n", p.Grains, p.Listed, p.CPU, p.Wall, p.Rate)
	}
	t.Flush()
	fmt.Fprintf(out, "one thread, processor time, median; cost grows as grains^%.3f, as neighbours^%.3f\n\n", r.Exponent, r.PerPair)
	fmt.Fprintln(t, "threads\tns a grain and step\tspeedup\t")
	for _, p := range r.Threads {
		fmt.Fprintf(t, "%d\t%.1f\t%.2f\t\n", p.Threads, p.Wall, p.Speedup)
	}
	t.Flush()
	if p := r.Peer; p != nil {
		fmt.Fprintf(out, "%d grains, wall time\n\n%s, %d grains: %.3g grain-steps a second, ours %.2f times as many (%.2f to %.2f); energies differ by %.1e\n",
			r.Threads[0].Grains, p.Version, p.Grains, p.Theirs, p.Ratio, slices.Min(p.Ratios), slices.Max(p.Ratios), p.Difference)
	} else {
		fmt.Fprintf(out, "%d grains, wall time\n\n%s\n", r.Threads[0].Grains, r.Note)
	}
}
