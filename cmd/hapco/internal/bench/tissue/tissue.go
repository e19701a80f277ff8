// Package tissue measures a step of a body at large strains.
package tissue

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/worlds/finitestrain"
)

// Command measures a step of a live body at large strains, over its nodes and over its contacts, beside SOFA's times
// for the same laws.
type Command struct {
	output.Flags
	Nodes   int     `help:"Most nodes of a body." default:"10143" in:"180..1000000"`
	Seconds float64 `help:"Processor time spent on each body, s." default:"5" in:"0.001..3600"`
}

// tissuePoint is what was measured of one body under one tool.
type tissuePoint struct {
	Law         string  `json:"law"`
	Nodes       int     `json:"nodes"`
	Contacts    int     `json:"contacts"` // of the problem, at most
	Loaded      float64 `json:"loaded"`   // of those that carry, median
	Steps       int     `json:"steps"`
	Settled     float64 `json:"settled"`      // share of the steps that end in a new equilibrium
	Residual    float64 `json:"residual"`     // of those, over the sum of the contact forces, median
	ResidualMax float64 `json:"residual_max"` // the same, largest
	ResidualN   float64 `json:"residual_N"`   // the same in newtons, median
	Corrections float64 `json:"corrections"`  // mean
	Age         float64 `json:"factor_age"`   // steps, median
	Median      float64 `json:"cpu_ms_median"`
	P99         float64 `json:"cpu_ms_p99"`
	PerState    float64 `json:"cpu_ms_a_state"` // processor time for each new equilibrium, mean
	LeastJ      float64 `json:"least_J"`
	Strain      float64 `json:"largest_strain"`
	Inverted    int     `json:"inverted_elements"`
	Peer        float64 `json:"peer_ms,omitempty"`      // SOFA's best with contacts, direct
	PeerFree    float64 `json:"peer_free_ms,omitempty"` // its best without contacts
}

type tissueReport struct {
	Machine  string             `json:"machine"`
	Quick    bool               `json:"quick"`
	Nodes    []tissuePoint      `json:"over_nodes"`     // 36 contacts
	Contacts []tissuePoint      `json:"over_contacts"`  // of 512 nodes
	Exponent map[string]float64 `json:"exponent_nodes"` // of the median, by law
}

// sofaTissue are SOFA's best times of a step, ms (medians), by law and our nodes: with 36 frictional contacts, and
// without contacts. Measured on 2026-11-22 with SOFA 26.12.99, git 2a278d8, built with -O3, double precision, on one
// thread of a machine with two shared cores of an AMD EPYC: implicit Euler, steps of 10 ms, bodies of 0.2 m with one
// end held, E 5 kPa, nu 0.45. Its meshes have 181, 507, 3000 and 10 125 nodes.
//
// With contacts: friction 0.3, 15 to 22 loaded, LCP to 1e-8, linear-solver constraint correction, the faster of a
// direct factor and of one made asynchronously; corotational is TetrahedronFEM or FastTetrahedralCorotational. Without:
// a load at 2 Hz, 25 conjugate gradients, which stop 20 % short of the direct solution. 0: not measured.
var sofaTissue = map[string]map[int][2]float64{
	"corotational": {180: {0, 0.28}, 512: {9.8, 0.63}, 2940: {350, 7.2}, 10143: {0, 21.6}},
	"neo-hookean":  {180: {0, 0.72}, 512: {11.0, 1.68}, 2940: {183, 14.5}, 10143: {0, 62}},
}

var laws = []string{"corotational", "neo-hookean"}

// Run measures, tabulates and plots.
func (c *Command) Run(ctx context.Context) error { return c.MeasureOnThread(func() { c.measure(ctx) }) }

func (c *Command) measure(ctx context.Context) {
	seconds := c.Seconds
	if c.Quick {
		seconds = math.Min(seconds, 1)
	}
	r := &tissueReport{Machine: app.Machine(), Quick: c.Quick, Exponent: map[string]float64{}}
	for _, law := range laws {
		from := len(r.Nodes)
		for _, cells := range [][3]int{{4, 5, 5}, {7, 7, 7}, {13, 14, 13}, {20, 22, 20}} {
			n := (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1)
			if n > c.Nodes || c.Quick && n > 600 {
				continue
			}
			r.Nodes = append(r.Nodes, measureTissue(ctx, law, cells, 36, seconds))
		}
		if of := r.Nodes[from:]; len(of) > 1 {
			r.Exponent[law] = output.LogSlope(of, nodesOf, func(p *tissuePoint) float64 { return p.Median })
		}
		for _, contacts := range []int{9, 18, 36, 66} {
			if c.Quick && contacts > 18 {
				continue
			}
			r.Contacts = append(r.Contacts, measureTissue(ctx, law, [3]int{7, 7, 7}, contacts, seconds))
		}
	}
	c.WriteAll("tissue", r, output.Table(r.all()))
	contacts := func(p *tissuePoint) float64 { return float64(p.Contacts) }
	plotTissue(c.File("tissue-nodes.png"), "36 contacts: a step over nodes", "nodes", r.Nodes, nodesOf)
	plotTissue(c.File("tissue-contacts.png"), "512 nodes: a step over contacts", "contacts", r.Contacts, contacts)
	r.print()
}

// tissueBody is a block 0.2 m wide of cells in six tetrahedra each, held below.
func tissueBody(law string, cells [3]int, contacts int, radius float64) (*finitestrain.Live, *solid.Body) {
	const size = 0.2
	hex := refusal.Must(mesh.Box(mgl64.Vec3{}, mgl64.Vec3{size, size, size}, cells))
	tet := &mesh.Mesh{Nodes: hex.Nodes, NodeSets: hex.NodeSets, Blocks: []mesh.Block{{Type: mesh.Tet4}}}
	for e := range hex.Blocks[0].Len() {
		n := hex.Blocks[0].Element(e)
		ring := []int32{n[1], n[2], n[3], n[7], n[4], n[5], n[1]}
		for k := range 6 {
			tet.Blocks[0].Nodes = append(tet.Blocks[0].Nodes, n[0], ring[k], ring[k+1], n[6])
		}
	}
	lambda, mu := solid.Lame(5000, 0.45)
	var own solid.Law = solid.NeoHookeanLog{Lambda: lambda, Mu: mu}
	if law == "corotational" {
		own = solid.Corotational{Lambda: lambda, Mu: mu}
	}
	body := refusal.Must(solid.New(tet, solid.Full, solid.Barrier{Law: own, Stiffness: 2 * mu}))
	var surface []int32
	for n, on := range tet.Surface().Index {
		if on >= 0 {
			surface = append(surface, int32(n))
		}
	}
	o := finitestrain.DefaultLiveOptions(size)
	o.Contacts = contacts
	shape := &finitestrain.Shape{Round: radius}
	return refusal.Must(finitestrain.NewLive(body, tet.NodeSets["back"], surface, shape, o)), body.Twin()
}

// measureTissue presses a ball into a body, drags it to and fro and lifts it again, at the speed that the engine
// allows.
func measureTissue(ctx context.Context, law string, cells [3]int, contacts int, seconds float64) tissuePoint {
	out := tissuePoint{Law: law, Nodes: (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1), Contacts: contacts, LeastJ: 1}
	if peer, ok := sofaTissue[law][out.Nodes]; ok {
		out.PeerFree = peer[1]
		if contacts == 36 {
			out.Peer = peer[0]
		}
	}
	fmt.Fprintf(os.Stderr, "hapco: %s, %d nodes, %d contacts\n", law, out.Nodes, contacts)
	// As many nodes of the top as contacts are asked for come under the ball.
	spacing := 0.2 / float64(cells[0])
	radius := math.Max(0.04, 1.1*spacing*math.Sqrt(float64(contacts)/math.Pi))
	depth := math.Min(0.04, 0.5*radius)
	live, body := tissueBody(law, cells, contacts, radius)
	defer live.Close()
	live.Put(frame.At(mgl64.Vec3{0.1, 0.1, 0.2 + radius + 1e-3}))
	target := func(k int) mgl64.Vec3 { // a round of pressing, dragging and lifting, 1 mm a step
		s := float64(k%400) / 400
		down := depth * math.Min(1, 6*math.Min(s, 1-s))
		return mgl64.Vec3{0.1 + 0.04*math.Sin(4*math.Pi*s), 0.1 + 0.02*math.Sin(8*math.Pi*s), 0.2 + radius + 1e-3 - down - 1e-3}
	}
	var ms, residual, newtons, loaded, ages []float64
	total, corrections, settled := 0.0, 0, 0
	const least = 150 // steps: the press and the start of the drag, however short the time
	for k := 0; total < 1e3*seconds || out.Steps < least; k++ {
		if k%16 == 0 {
			refusal.Need(ctx.Err())
		}
		hand := frame.At(target(out.Steps))
		begin := cputime.Thread()
		rep := live.Step(hand, physics.Coupling{})
		took := float64(cputime.Thread()-begin) / 1e6
		total += took
		if out.Steps++; rep.Settled {
			j, inverted := body.MinJ(live.Shown.X)
			out.LeastJ, out.Inverted = math.Min(out.LeastJ, j), out.Inverted+inverted
			settled++
		}
		if out.Steps <= 10 { // warming up
			continue
		}
		ms, corrections, ages = append(ms, took), corrections+rep.Corrections, append(ages, float64(rep.Age))
		if rep.Settled && rep.Pressed > 0 {
			residual, newtons = append(residual, rep.Residual/rep.Pressed), append(newtons, rep.Residual)
			loaded = append(loaded, float64(rep.Contacts))
			if out.Steps%50 == 0 {
				out.Strain = math.Max(out.Strain, largestStrain(body, live.Shown.X))
			}
		}
	}
	refusal.Need(live.Err())
	out.Settled = float64(settled) / float64(out.Steps)
	out.Corrections = float64(corrections) / float64(len(ms))
	out.PerState = total / math.Max(1, float64(settled))
	out.Median, out.P99 = output.Rank(ms, 0.5), output.Rank(ms, 0.99)
	out.Residual, out.ResidualMax = output.Rank(residual, 0.5), output.Rank(residual, 1)
	out.ResidualN, out.Loaded, out.Age = output.Rank(newtons, 0.5), output.Rank(loaded, 0.5), output.Rank(ages, 0.5)
	return out
}

// largestStrain is by what share the most stretched or shortened line has changed.
func largestStrain(b *solid.Body, x []float64) (most float64) {
	for _, f := range b.Gradients(nil, x) {
		for _, s := range solid.Stretches(&f) {
			most = math.Max(most, math.Abs(s-1))
		}
	}
	return most
}

func nodesOf(p *tissuePoint) float64 { return float64(p.Nodes) }

func (r *tissueReport) all() []tissuePoint { return slices.Concat(r.Nodes, r.Contacts) }

func shownTime(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g", x)
}

func (r *tissueReport) print() {
	t := app.Table(app.Stdout)
	fmt.Fprintln(t, "law\tnodes\tcontacts (loaded)\tcpu ms\tp99\ta state\tsettled\tresidual\tlargest\tN\tcorrections\tage\tstrain\tleast J\tinverted\tSOFA ms\twithout contacts\t")
	for _, p := range r.all() {
		fmt.Fprintf(t, "%s\t%d\t%d (%.0f)\t%.2f\t%.2f\t%.2f\t%.0f %%\t%.4f\t%.4f\t%.1e\t%.1f\t%.0f\t%.2f\t%.2f\t%d\t%s\t%s\t\n", p.Law, p.Nodes, p.Contacts, p.Loaded,
			p.Median, p.P99, p.PerState, 100*p.Settled, p.Residual, p.ResidualMax, p.ResidualN, p.Corrections, p.Age, p.Strain, p.LeastJ, p.Inverted, shownTime(p.Peer), shownTime(p.PeerFree))
	}
	t.Flush()
	for _, law := range laws {
		if e, ok := r.Exponent[law]; ok {
			fmt.Fprintf(app.Stdout, "%s: exponent of the step's processor time over nodes %.2f\n", law, e)
		}
	}
}

// plotTissue draws the time of a step and of a new state.
func plotTissue(file, title, x string, points []tissuePoint, at func(*tissuePoint) float64) {
	var curves []figure.Curve
	for _, law := range laws {
		of := slices.DeleteFunc(slices.Clone(points), func(p tissuePoint) bool { return p.Law != law })
		curves = append(curves,
			figure.CurveOf(law+": step", of, at, func(p *tissuePoint) float64 { return p.Median }),
			figure.CurveOf(law+": step, 99 %", of, at, func(p *tissuePoint) float64 { return p.P99 }),
			figure.CurveOf(law+": new state", of, at, func(p *tissuePoint) float64 { return p.PerState }),
			figure.CurveOf(law+": SOFA, with contacts", of, at, func(p *tissuePoint) float64 { return p.Peer }))
	}
	refusal.Need(figure.SaveLogLog(file, title, x, "processor time, ms", curves))
}
