// Package collision measures proximity queries, beside FCL where it is installed.
package collision

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/files/mesh"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
)

// Command measures proximity queries over the number of triangles: near and far points of a surface that deforms as it
// does under a tool, the detection of a physics step, and FCL on the same queries where it is installed.
type Command struct {
	output.Flags
	Mesh      []string `help:"A surface or volume mesh to measure as well; repeatable." type:"path" placeholder:"FILE"`
	Triangles int      `help:"Most triangles." default:"200000" in:"1000..10000000"`
	NoFCL     bool     `name:"no-fcl" help:"Leave the comparison with FCL out."`
	NoCache   bool     `help:"Neither read nor write the cache of compliances." env:"HAPCO_NO_CACHE"`
}

// Point is one kind of query on one surface. Times are in microseconds of a step: all of its queries, and what makes
// the boxes right again.
type Point struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Triangles int    `json:"triangles"`
	Boxes     int    `json:"boxes,omitempty"` // in place of triangles
	Queries   int    `json:"queries"`         // a step
	Near      int    `json:"near"`            // of those with an answer within reach; contacts, in the physics step; median
	Steps     int    `json:"steps"`

	Median  float64       `json:"us_median"`
	P99     float64       `json:"us_p99"`
	P10     float64       `json:"us_p10"` // what a machine without other work would show more often
	CPU     collisionTime `json:"cpu"`    // the same in processor time of the thread: what other programs do not disturb
	Refit   float64       `json:"refit_us"`
	Rate    float64       `json:"queries_per_s"` // from the processor time where it is known
	Located int           `json:"nodes_located"` // nodes whose position a step asks for, median

	FCL       float64 `json:"fcl_us,omitempty"` // median of its fastest kind of volume
	FCLCPU    float64 `json:"fcl_cpu_us,omitempty"`
	FCLRefit  float64 `json:"fcl_refit_us,omitempty"`
	FCLVolume string  `json:"fcl_volume,omitempty"`
	Ratio     float64 `json:"ratio,omitempty"`      // of the processor times, FCL's over ours
	Differ    float64 `json:"difference,omitempty"` // largest between its distances and ours, over the surface's size
}

type collisionTime struct {
	Median float64 `json:"us_median"`
	P99    float64 `json:"us_p99"`
}

// Report is collision.json.
type Report struct {
	Machine   string             `json:"machine"`
	Command   string             `json:"command"`
	Points    []Point            `json:"points"`
	Exponents map[string]float64 `json:"exponents"` // of the processor time over triangles or boxes, by kind; given meshes are left out
	Peers     []PeerResult       `json:"fcl"`       // every kind of volume
	PeerNote  string             `json:"fcl_note,omitempty"`
}

// The kinds of queries.
const (
	KindPress     = "press"
	KindSway      = "sway"
	KindRefit     = "full refit"
	KindStill     = "still"
	KindStillCold = "still, no hints"
	KindApart     = "far"
	kindEdges     = "edges"
	kindCapsule   = "capsule"
	KindClosed    = "closed form"
	KindField     = "distance field"
	KindSweep     = "pairs of boxes"
	KindWorld     = "physics step"
	kindWorldFull = "physics step, both ways and edges"
)

// Kinds are all of them; docs/collision.md tells what each is.
var Kinds = []string{KindWorld, kindWorldFull, KindPress, KindSway, KindRefit, KindStill, KindStillCold, KindApart, kindEdges, kindCapsule, KindClosed, KindField, KindSweep}

// Queries is how many points a step asks for: the contacts of the thesis's benches.
const Queries = 36

// Run measures, tabulates and plots.
func (c *Command) Run(ctx context.Context) error { return c.MeasureOnThread(func() { c.measure(ctx) }) }

func (c *Command) measure(ctx context.Context) {
	surfaces := c.surfaces()
	r := &Report{Machine: app.Machine(), Command: "hapco bench collision" + output.Either(c.Quick, " --quick", "")}
	var peer *fclPeer
	if !c.NoFCL {
		var err error
		if peer, err = BuildPeer(ctx); err != nil {
			r.PeerNote = err.Error()
			app.Note("%s", r.PeerNote)
		} else {
			defer peer.Remove()
		}
	}

	for _, kind := range []string{KindWorld, kindWorldFull} {
		r.Points = append(r.Points, c.world(ctx, kind))
	}
	for _, s := range surfaces {
		refusal.Need(ctx.Err())
		fmt.Fprintf(os.Stderr, "hapco: %s, %d triangles\n", s.name, len(s.Triangles))
		points, peers := c.surface(ctx, s, peer)
		r.Points, r.Peers = append(r.Points, points...), append(r.Peers, peers...)
	}
	r.Points = append(append(r.Points, c.fields()...), c.sweeps()...)
	r.fit()
	c.WriteAll("collision", r, output.Table(r.Points))
	refusal.Need(r.plot(c.File("collision.png")))
	refusal.Need(r.Summary(app.Stdout))
}

// surfaces are the sheets and the given meshes.
func (c *Command) surfaces() (out []*testSurface) {
	all := []int{1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000}
	for _, n := range output.Either(c.Quick, []int{1000, 5000, 20000}, all) {
		if n <= c.Triangles {
			out = append(out, Sheet(n))
		}
	}
	for _, file := range c.Mesh {
		m, s, err := mesh.Read(file)
		refusal.Need(app.BadInput(err))
		t := &testSurface{name: filepath.Base(file)}
		if m != nil {
			surface := m.Split().Surface()
			t.Triangles = surface.Triangles
			for _, node := range surface.Nodes {
				t.rest = append(t.rest, m.Nodes[node])
			}
		} else {
			t.Triangles, t.rest = s.Triangles, s.Nodes
		}
		if len(t.Triangles) == 0 {
			refusal.Need(app.BadInput(fmt.Errorf("%s: no triangles (cure: a mesh with a surface)", file)))
		}
		t.measure()
		out = append(out, t)
	}
	return out
}

// collisionTimer collects the times of steps.
type collisionTimer struct {
	wall, cpu, refit []float64 // us
}

// step times one step: refit, then query.
func (t *collisionTimer) step(refit, query func()) {
	c0, t0 := cputime.Thread(), time.Now()
	refit()
	t1 := time.Now()
	query()
	t2, c1 := time.Now(), cputime.Thread()
	t.wall = append(t.wall, float64(t2.Sub(t0))/1e3)
	t.refit = append(t.refit, float64(t1.Sub(t0))/1e3)
	t.cpu = append(t.cpu, float64(c1-c0)/1e3)
}

// report fills a point.
func (t *collisionTimer) report(p *Point) {
	p.Steps = len(t.wall)
	p.Median, p.P99 = output.Rank(t.wall, 0.5), output.Rank(t.wall, 0.99)
	p.P10 = output.Rank(t.wall, 0.1)
	p.CPU = collisionTime{output.Rank(t.cpu, 0.5), output.Rank(t.cpu, 0.99)}
	p.Refit = output.Rank(t.refit, 0.5)
	p.Rate = 1e6 * float64(p.Queries) / p.CPU.Median
}

// fit finds the exponents, over the sheets: the meshes differ in more than size.
func (r *Report) fit() {
	r.Exponents = map[string]float64{}
	for _, k := range Kinds {
		if points := r.series(k); len(points) > 1 {
			r.Exponents[k] = output.LogSlope(points, sizeOf, cpuOf)
		}
	}
	for _, kind := range []string{KindSway, KindStill} {
		points := slices.DeleteFunc(r.series(kind), func(p Point) bool { return !(p.FCLCPU > 0) })
		if len(points) > 1 {
			r.Exponents["FCL, "+kind] = output.LogSlope(points, sizeOf, func(p *Point) float64 { return p.FCLCPU })
		}
	}
}

// series are the points of a kind on what was built for it, by size.
func (r *Report) series(kind string) (points []Point) {
	for _, p := range r.Points {
		if p.Kind == kind && (p.Name == SheetName || p.Name == fieldName || p.Name == sweepName) {
			points = append(points, p)
		}
	}
	return points
}

func sizeOf(p *Point) float64 { return float64(p.Triangles + p.Boxes) }
func cpuOf(p *Point) float64  { return p.CPU.Median }

// Summary prints the largest of each surface and kind, and the exponents over all.
func (r *Report) Summary(w io.Writer) error {
	t := app.Table(w)
	fmt.Fprint(t, "surface\tkind\ttriangles or boxes\tqueries (near)\tus\tcpu us\tp99\tnodes asked\t")
	if len(r.Peers) > 0 {
		fmt.Fprint(t, "FCL us\tcpu us\tratio\t")
	}
	fmt.Fprintln(t)
	for i := range r.Points {
		p := &r.Points[i]
		if slices.ContainsFunc(r.Points[i+1:], func(q Point) bool { return q.Name == p.Name && q.Kind == p.Kind }) {
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%.0f\t%d (%d)\t%.1f\t%.1f\t%.1f\t%d\t", p.Name, p.Kind, sizeOf(p), p.Queries, p.Near, p.Median, p.CPU.Median, p.CPU.P99, p.Located)
		switch {
		case p.FCL > 0:
			fmt.Fprintf(t, "%.0f\t%.0f\t%.1f (%s)\t", p.FCL, p.FCLCPU, p.Ratio, p.FCLVolume)
		case len(r.Peers) > 0:
			fmt.Fprint(t, "\t\t\t")
		}
		fmt.Fprintln(t)
	}
	refusal.Need(t.Flush())
	fmt.Fprintln(w, r.exponentLine())
	if line := r.agreement(); line != "" {
		fmt.Fprintln(w, line)
	}
	return nil
}

func (r *Report) exponentLine() string {
	var parts []string
	for _, k := range Kinds {
		if e, ok := r.Exponents[k]; ok {
			parts = append(parts, fmt.Sprintf("%s %.2f", k, e))
		}
	}
	for _, kind := range []string{KindSway, KindStill} {
		if e, ok := r.Exponents["FCL, "+kind]; ok {
			parts = append(parts, fmt.Sprintf("FCL (%s) %.2f", kind, e))
		}
	}
	return "exponents of the processor time over triangles: " + strings.Join(parts, ", ")
}

// agreement says how far FCL's distances are from ours.
func (r *Report) agreement() string {
	if len(r.Peers) == 0 {
		return r.PeerNote
	}
	worst, missed := 0.0, 0
	for i := range r.Peers {
		worst = max(worst, r.Peers[i].Difference)
		missed += r.Peers[i].Missed
	}
	return fmt.Sprintf("FCL's distances differ from ours by at most %.1e of the surface's size; points that only one of them finds within reach: %d", worst, missed)
}

// plot draws the processor time of a step over triangles.
func (r *Report) plot(file string) error {
	var curves []figure.Curve
	for _, k := range []string{KindPress, KindSway, KindRefit, KindStillCold, KindStill, KindApart} {
		curves = append(curves, figure.CurveOf(k, r.series(k), sizeOf, cpuOf))
	}
	for _, k := range []struct{ name, kind string }{{"FCL, refit and queries", KindSway}, {"FCL, queries", KindStill}} {
		c := figure.CurveOf(k.name, r.series(k.kind), sizeOf, func(p *Point) float64 { return p.FCLCPU })
		c.Peer = true
		curves = append(curves, c)
	}
	return figure.SaveLogLog(file, "36 points near a deforming surface: processor time of a step", "triangles", "us", curves)
}
