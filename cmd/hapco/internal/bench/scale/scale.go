// Package scale measures a step of linear tissue over nodes and contacts.
package scale

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/cmd/hapco/internal/bench/solvers"
	"hapco/physics/files/mesh"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/worlds/tissue"
)

// Command measures a physics step and its parts over the size of the body and the number of contacts, on cubes of soft
// tissue that a flat rigid tool presses and drags over, and on given meshes.
type Command struct {
	output.Flags
	Mesh []string `help:"A volume mesh to measure as well; repeatable. SOFA's times stand beside liver.msh and liver2.msh." type:"path" placeholder:"FILE"`
	app.UnitFlag
	Nodes    int `help:"Most nodes of a cube." default:"50653" in:"512..1000000"`
	Contacts int `help:"Most contacts." default:"1024" in:"36..4096"`
}

// Point is what was measured on one body with one tool.
type Point struct {
	Name      string  `json:"name"`
	Nodes     int     `json:"nodes"`
	Contacts  int     `json:"contacts"`              // of the tool; the median of the steps
	Loaded    int     `json:"loaded"`                // of those with a force, median
	Wanted    int     `json:"peer_loaded,omitempty"` // that SOFA's tool loaded, where this one was pressed for as many
	Solved    int     `json:"solved"`                // of those that the problem was solved for, median
	Reduction float64 `json:"reduction_m"`           // how deep contacts that were left out lay inside, most
	Tolerance float64 `json:"tolerance"`
	Steps     int     `json:"steps"`

	Median float64   `json:"ms_median"`
	P99    float64   `json:"ms_p99"`
	Max    float64   `json:"ms_max"`
	CPU    stepTimes `json:"cpu"` // the same in processor time of the thread: what other programs do not disturb
	Parts  partTimes `json:"parts"`

	Precompute float64 `json:"precompute_s"` // factorisation and compliance
	Memory     float64 `json:"memory_MB"`    // of the compliance
	FirstTouch float64 `json:"first_touch_ms"`
	FirstCPU   float64 `json:"first_touch_cpu_ms"`
	Converged  bool    `json:"converged"` // every step
	Peer       float64 `json:"peer_ms_median,omitempty"`
	PeerP99    float64 `json:"peer_ms_p99,omitempty"`
	PeerS      float64 `json:"peer_precompute_s,omitempty"`
}

type stepTimes struct {
	Median float64 `json:"ms_median"`
	P99    float64 `json:"ms_p99"`
	Max    float64 `json:"ms_max"`
}

// partTimes are medians of the parts of a step, ms.
type partTimes struct {
	Collision    float64 `json:"collision"`
	Free         float64 `json:"free"`
	Assemble     float64 `json:"assemble"`
	Contact      float64 `json:"contact"`
	Displacement float64 `json:"displacement"`
}

type report struct {
	Machine          string  `json:"machine"`
	Points           []Point `json:"points"`
	Larger           []Point `json:"over_nodes"`      // larger bodies of the same elements
	Finer            []Point `json:"over_refinement"` // the same body of smaller elements
	OverContacts     []Point `json:"over_contacts"`
	Whole            []Point `json:"over_contacts_whole"` // the same without contact reduction
	Scenes           []Point `json:"scenes"`
	Meshes           []Point `json:"meshes"`
	ExponentNodes    float64 `json:"exponent_nodes"`        // of the median step time, larger bodies
	ExponentFiner    float64 `json:"exponent_refinement"`   // the same, finer ones
	ExponentContacts float64 `json:"exponent_contacts"`     // from 36 contacts on
	ExponentCPU      float64 `json:"exponent_nodes_cpu"`    // the same in processor time
	ExponentBuild    float64 `json:"exponent_precompute"`   // of the precomputation over the nodes
	ExponentCCPU     float64 `json:"exponent_contacts_cpu"` // of processor time over the contacts
	ExponentFCPU     float64 `json:"exponent_refinement_cpu"`
}

// Run measures, tabulates and plots.
func (c *Command) Run(ctx context.Context) error {
	return c.MeasureOnThread(func() { c.measureAll(ctx) })
}

func (c *Command) measureAll(ctx context.Context) {
	refusal.Need(c.Check())
	r := &report{Machine: app.Machine()}

	larger := output.Either(c.Quick, []int{7, 12, 16}, []int{7, 9, 12, 16, 21, 27, 36})
	finer := output.Either(c.Quick, []int{7, 12}, []int{7, 12, 21, 36})
	teeth := output.Either(c.Quick, []int{1, 2, 4, 6, 12}, []int{1, 2, 3, 4, 6, 9, 12, 16, 22, 32})
	const cell = 4.0 // mm, also between the nodes of the tool
	for _, series := range []struct {
		name   string
		cubes  []int
		teeth  []int
		size   func(n int) float64
		set    string
		points *[]Point
	}{
		{"larger", larger, []int{6}, func(n int) float64 { return cell * float64(n) }, "", &r.Larger},
		{"finer", finer, []int{6}, func(int) float64 { return 100 }, "", &r.Finer},
		{"contacts", []int{20}, teeth, func(int) float64 { return 80 }, "", &r.OverContacts},
		{"all contacts", []int{20}, teeth[4:], func(int) float64 { return 80 }, "contact.reduction=0", &r.Whole},
	} {
		for _, n := range series.cubes {
			for _, k := range series.teeth {
				if (n+1)*(n+1)*(n+1) > c.Nodes || k*k > c.Contacts {
					continue
				}
				name := fmt.Sprintf("%s: %d^3 elements", series.name, n)
				*series.points = append(*series.points, c.cube(ctx, name, n, k, series.size(n), cell, series.set))
			}
		}
	}
	for _, file := range c.Mesh {
		r.Meshes = append(r.Meshes, c.organ(ctx, file)...)
	}
	if len(c.Mesh) > 0 {
		r.Meshes = append(r.Meshes, c.blocks(ctx)...)
	}
	r.Scenes = c.scenes(ctx)
	r.Points = slices.Concat(r.Larger, r.Finer, r.OverContacts, r.Whole, r.Meshes, r.Scenes)
	r.fit()
	c.WriteAll("scale", r, output.Table(r.Points))
	r.plot(c)
	r.summary()
}

// slab is a scene of soft tissue under a flat rigid tool. Lengths in mm.
const slab = `
title = "slab"
about = "a flat tool on a slab"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "tool"
role = "driven"
rigid = true
position = [-3, 0.05, -0.6]
contact_surface = "bottom"
[body.box]
origin = [%[1]g, 0, %[1]g]
size = [%[2]g, 4, %[2]g]
elements = [%[3]d, 1, %[3]d]
[[body]]
name = "slab"
E = 20
nu = 0.4
clamp = "bottom"
contact_surface = "top"
[body.box]
origin = [%[4]g, %[6]g, %[4]g]
size = [%[5]g, %[7]g, %[5]g]
elements = [%[8]d, %[9]d, %[8]d]
[[pair]]
bodies = ["tool", "slab"]
contact = %[10]q
[contact]
tolerance = 1e-4
ddc_tolerance = 2
anchored = true
normals = "smooth"
`

// Slab is a block of soft tissue, clamped below, of that width and height, mm, in so many cells, under a flat rigid tool
// of the given side, mm, and cells. contact is how the pair touches.
func Slab(toolSide float64, toolCells int, width, height float64, cells, layers int, contact string) *scene.Scene {
	return refusal.Must(scene.Parse("slab.toml", fmt.Appendf(nil, slab, -toolSide/2, toolSide, toolCells,
		-width/2, width, -height, height, cells, layers, contact)))
}

// cube measures a cube of n^3 elements and of that size, mm, under a tool of k^2 nodes, which are spacing apart, closer
// where there are many.
func (c *Command) cube(ctx context.Context, name string, n, k int, size, spacing float64, set string) Point {
	spacing = min(spacing, 60/float64(max(1, k-1)))
	cells, side := k-1, spacing*float64(k-1)
	if k == 1 {
		cells, side = 1, 2
	}
	s := Slab(side, cells, size, size, n, n, "one")
	if set != "" {
		refusal.Need(scene.Set(s, set))
	}
	if k == 1 { // one corner of the tool alone may touch
		s.Bodies[0].Surface = scene.Selector{Kind: scene.SelectNodes, Nodes: []int32{0}}
	}
	return c.measure(ctx, name, s, SlabPath)
}

// SlabPath is how the tool of a slab is moved.
var SlabPath = Path{Down: 2e-3, Along: mgl64.Vec3{6e-3, 0, 1.2e-3}, Times: 2, Away: 0.05e-3, Step: 0.05e-3}

// Path is how a tool is moved: down from the start by away, where it just touches, and on by down; along the surface
// there and back.
type Path struct {
	Away, Down float64    // m
	into       mgl64.Vec3 // unit: which way is down; zero: -Y
	Along      mgl64.Vec3
	Times      int
	Step       float64 // m

	given []mgl64.Vec3 // the way itself, where it is a scene's: from the start, m
}

func (p *Path) Points() []mgl64.Vec3 {
	if p.given != nil {
		return p.given
	}
	var out []mgl64.Vec3
	into := p.into
	if into == (mgl64.Vec3{}) {
		into = mgl64.Vec3{0, -1, 0}
	}
	down := int(math.Ceil(p.Down / p.Step))
	for i := 1; i <= down; i++ {
		out = append(out, into.Mul(p.Away+p.Down*float64(i)/float64(down)))
	}
	last := into.Mul(p.Away + p.Down)
	n := int(math.Ceil(p.Along.Len() / p.Step))
	for i := 1; i <= 2*n*max(1, p.Times); i++ {
		s := float64(i%(2*n)) / float64(n)
		if s > 1 {
			s = 2 - s
		}
		out = append(out, last.Add(p.Along.Mul(s)))
	}
	return out
}

// measure builds a world and drives its tool.
func (c *Command) measure(ctx context.Context, name string, s *scene.Scene, p Path) Point {
	out := Point{Name: name, Tolerance: s.Contact.Tolerance, Converged: true}
	refusal.Need(ctx.Err())
	fmt.Fprintf(os.Stderr, "hapco: %s\n", name)
	start := time.Now()
	// Only what may touch is precomputed: the tops of the cubes.
	w, _, err := tissue.Builder{WholeSurface: 1}.New(ctx, s, nil)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			err = app.BadInput(fmt.Errorf("bench scale: %s: %w", name, err))
		}
		refusal.Need(err)
	}
	out.Precompute = time.Since(start).Seconds()
	out.Nodes = w.Nodes()
	out.Memory = float64(w.ComplianceBytes()) / 1e6
	runtime.GC()

	var wall, cpu, loaded, contacts, solved []float64
	var parts [5][]float64
	step := func(at mgl64.Vec3) (wallMS, cpuMS float64) {
		pose := w.StartPose()
		pose.Position = pose.Position.Add(at)
		c0, t0 := cputime.Thread(), time.Now()
		w.Step(frame.Pose{Position: pose.Position, Rotation: pose.Rotation})
		t, c := time.Since(t0), cputime.Thread()-c0
		return float64(t) / 1e6, float64(c) / 1e6
	}
	points := p.Points()
	touches := 12
	if k := w.Contactable(); k > 300 {
		touches = 2
		points = append(points[:30:30], points[len(points)/2:len(points)/2+30]...) // seconds a step, maybe
	}
	// First touch: of the precomputed data, whose pages and caches are cold, and after a lift somewhere else again.
	lead, ways := 0, []mgl64.Vec3{points[0], p.Along.Add(points[0])}
	if p.given != nil {
		for lead < len(points) && w.Stats().Open+w.Stats().Stick+w.Stats().Slip == 0 {
			step(points[lead])
			lead++
		}
		lead, ways = max(0, lead-4), ways[:1]
		w.Reset()
	}
	for _, at := range ways {
		for k := range lead {
			step(at.Add(points[k].Sub(points[0])))
		}
		coldCaches()
		for k := lead; k < min(lead+touches, len(points)); k++ {
			t, c := step(at.Add(points[k].Sub(points[0])))
			out.FirstTouch, out.FirstCPU = max(out.FirstTouch, t), max(out.FirstCPU, c)
		}
		w.Reset()
	}
	for i, at := range points {
		if i%64 == 0 {
			refusal.Need(ctx.Err())
		}
		t, c := step(at)
		st := w.Stats()
		out.Converged = out.Converged && st.Solve.Converged
		if i < 20 || p.given != nil && st.Open+st.Stick+st.Slip == 0 {
			continue // warming up, or on the way to the body
		}
		solved, out.Reduction = append(solved, float64(st.Solved)), max(out.Reduction, st.Reduction)
		wall, cpu = append(wall, t), append(cpu, c)
		loaded, contacts = append(loaded, float64(st.Stick+st.Slip)), append(contacts, float64(st.Stick+st.Slip+st.Open))
		for k, d := range []time.Duration{st.Timing.Collision, st.Timing.Free, st.Timing.Assemble, st.Timing.Contact, st.Timing.Displacement} {
			parts[k] = append(parts[k], float64(d)/1e6)
		}
	}
	out.Steps = len(wall)
	out.Median, out.P99, out.Max = output.Rank(wall, 0.5), output.Rank(wall, 0.99), output.Rank(wall, 1)
	out.CPU = stepTimes{output.Rank(cpu, 0.5), output.Rank(cpu, 0.99), output.Rank(cpu, 1)}
	out.Contacts, out.Loaded = int(output.Rank(contacts, 0.5)), int(output.Rank(loaded, 0.5))
	out.Solved = int(output.Rank(solved, 0.5))
	half := func(k int) float64 { return output.Rank(parts[k], 0.5) }
	out.Parts = partTimes{half(0), half(1), half(2), half(3), half(4)}
	return out
}

// coldCaches fills the processor's caches with something else.
func coldCaches() {
	x := make([]byte, 96<<20)
	for i := 0; i < len(x); i += 64 {
		x[i] = byte(i)
	}
	runtime.KeepAlive(x)
}

// sofaMeasured are SOFA's times of a step on the same meshes, with precomputed compliance: the median and 99th
// percentile, ms, and the precomputation, s, on its machine (an AMD EPYC Zen 4, one thread), LCP tolerance 1e-8.
var sofaMeasured = map[string]map[int][3]float64{
	"liver.msh":  {10: {2.07, 2.24, 1.0}, 36: {2.65, 4.41, 1.0}, 66: {3.21, 3.52, 1.0}},
	"liver2.msh": {10: {6.85, 8.92, 9.3}, 36: {7.71, 9.87, 9.3}, 66: {9.15, 13.1, 9.3}},
	"blocks":     {36: {26.9, 34.7, 73}},
}

// sofaLoaded are how many of so many contacts SOFA's tool loaded on these meshes.
var sofaLoaded = map[string]map[int]int{
	"liver.msh":  {36: 8},
	"liver2.msh": {36: 19, 66: 40},
}

// organ measures a mesh under flat rigid tools of 9, 36 and 64 nodes, to two tolerances; where SOFA's tool is known to
// load more of its nodes, once more pressed so deep, and so wide, that this one loads as many, if need be with one more
// node in a row.
func (c *Command) organ(ctx context.Context, file string) (out []Point) {
	m, err := mesh.Load(file)
	refusal.Need(app.BadInput(err))
	unit, scale, err := c.UnitOfMesh(m)
	refusal.Need(err)
	m.Scale(scale)
	lo, hi := m.Bounds()
	diagonal := hi.Sub(lo).Len()
	base := filepath.Base(file)
	at, normal := landing(m)
	along := normal.Cross(mgl64.Vec3{0, 0, 1}).Normalize()
	for _, near := range []int{10, 36, 66} {
		k := int(math.Round(math.Sqrt(float64(near))))
		press := func(k int, deeper, wide, tolerance float64) Point {
			side := 1e3 * wide * diagonal           // mm
			s := Slab(side, k-1, 1, 1, 1, 1, "one") // whose body gives way to the mesh
			tool, body := &s.Bodies[0], &s.Bodies[1]
			tool.Pose = frame.Pose{Position: at.Add(normal.Mul(1e-4 * diagonal)), Rotation: mgl64.QuatBetweenVectors(mgl64.Vec3{0, 1, 0}, normal)}
			body.Shape = scene.Shape{Kind: scene.MeshShape, File: file, Unit: unit}
			body.Clamp = scene.Selector{Kind: scene.SelectDefault}
			if base == "liver.msh" { // held where SOFA's scenes hold it
				body.Clamp = scene.Selector{Kind: scene.SelectNodes, Nodes: []int32{3, 39, 64}}
			}
			body.Surface = scene.Selector{Kind: scene.SelectAll}
			s.Contact.Tolerance = tolerance
			s.Contact.DDCTolerance = 0.04 * diagonal // SOFA counts what is near, too
			name := base
			if deeper != 1 {
				name += fmt.Sprintf(", tool of %.2g, %.2g deep", wide, 0.05*deeper)
			}
			p := c.measure(ctx, name, s, Path{
				into: normal.Mul(-1), Down: 0.05 * deeper * diagonal, Along: along.Mul(0.06 * diagonal), Times: 2,
				Away: 1e-4 * diagonal, Step: 5e-4 * diagonal})
			p.peer(base, near)
			return p
		}
		const width = 0.16 // of the tool, a share of the body's diagonal
		for _, tolerance := range solvers.BenchTolerances {
			out = append(out, press(k, 1, width, tolerance))
		}
		want := sofaLoaded[base][near]
		var most Point
		for _, try := range []struct {
			more         int // nodes in a row
			deeper, wide float64
		}{{0, 4.5, 1.6}, {0, 5, 2.2}, {1, 5, 2.3}} {
			if most.Loaded >= want {
				break
			}
			if p := press(k+try.more, try.deeper, try.wide*width, solvers.BenchTolerances[1]); p.Loaded > most.Loaded {
				most = p
			}
		}
		if want > 0 {
			most.Wanted = want
			out = append(out, most)
		}
	}
	return out
}

// landing is where a flat tool meets a surface: the middle of the largest triangle that looks upwards, and its normal.
func landing(m *mesh.Mesh) (at, normal mgl64.Vec3) {
	s := m.Surface()
	most := 0.0
	for _, t := range s.Triangles {
		a, b, c := m.Nodes[s.Nodes[t[0]]], m.Nodes[s.Nodes[t[1]]], m.Nodes[s.Nodes[t[2]]]
		n := b.Sub(a).Cross(c.Sub(a))
		if area := n.Len(); area > most && n[1] > 0.7*area {
			most, at, normal = area, a.Add(b).Add(c).Mul(1.0/3), n.Mul(1/area)
		}
	}
	return at, normal
}

func (p *Point) peer(name string, contacts int) {
	if t, ok := sofaMeasured[name][contacts]; ok {
		p.Peer, p.PeerP99, p.PeerS = t[0], t[1], t[2]
	}
}

// blocks measures the thesis's bench A with both bodies deformable.
func (c *Command) blocks(ctx context.Context) (out []Point) {
	for i := range 2 * len(solvers.BenchTolerances) {
		impactor, tolerance := []string{"aluminium", "tissue"}[i/2], solvers.BenchTolerances[i%2]
		s := refusal.Must(scene.Load("bench-a-36"))
		refusal.Need(scene.Set(s, "impactor.material="+impactor))
		s.Contact.Tolerance = tolerance
		p := c.measure(ctx, "blocks, "+impactor+" on tissue", s, Path{Down: 5e-3, Along: mgl64.Vec3{15e-3, 0, 0}, Step: 0.1e-3})
		p.peer("blocks", 36)
		out = append(out, p)
	}
	return out
}

// handStep is how far a hand at 100 mm/s moves in a millisecond, m.
const handStep = 1e-4

// scenes are those that operators meet: paths over the program's own organs, at the speed of a hand.
func (c *Command) scenes(ctx context.Context) (out []Point) {
	const name = "liver-linear"
	s := refusal.Must(scene.Load(name))
	for _, p := range s.Paths {
		var offsets []mgl64.Vec3
		last := mgl64.Vec3{}
		for _, at := range p.Offsets() {
			n := max(1, int(math.Ceil(at.Sub(last).Len()/handStep)))
			for k := 1; k <= n; k++ {
				offsets = append(offsets, last.Add(at.Sub(last).Mul(float64(k)/float64(n))))
			}
			last = at
		}
		if c.Quick {
			offsets = offsets[:min(len(offsets), 400)]
		}
		out = append(out, c.measure(ctx, "scene "+name+", "+p.Name, s, Path{given: offsets}))
	}
	return out
}

// NodesOf is what exponents and plots over nodes have along X.
func NodesOf(p *Point) float64 { return float64(p.Nodes) }

func contactsOf(p *Point) float64 { return float64(max(1, p.Contacts)) }

func (r *report) fit() {
	many := slices.DeleteFunc(slices.Clone(r.OverContacts), func(p Point) bool { return p.Contacts < 36 })
	median := func(p *Point) float64 { return p.Median }
	cpu := func(p *Point) float64 { return p.CPU.Median }
	r.ExponentNodes = output.LogSlope(r.Larger, NodesOf, median)
	r.ExponentFiner = output.LogSlope(r.Finer, NodesOf, median)
	r.ExponentCPU = output.LogSlope(r.Larger, NodesOf, cpu)
	r.ExponentBuild = output.LogSlope(r.Larger, NodesOf, func(p *Point) float64 { return p.Precompute })
	r.ExponentContacts = output.LogSlope(many, contactsOf, median)
	r.ExponentFCPU = output.LogSlope(r.Finer, NodesOf, cpu)
	r.ExponentCCPU = output.LogSlope(many, contactsOf, cpu)
}

// plot draws the step and its parts over nodes and contacts, and what comes before the first step over the nodes.
func (r *report) plot(c *Command) {
	type series struct {
		name string
		y    func(*Point) float64
	}
	parts := []series{
		{"step, median", func(p *Point) float64 { return p.Median }},
		{"step, processor time", func(p *Point) float64 { return p.CPU.Median }},
		{"the same, 99 %", func(p *Point) float64 { return p.CPU.P99 }},
		{"collision", func(p *Point) float64 { return p.Parts.Collision }},
		{"W", func(p *Point) float64 { return p.Parts.Assemble }},
		{"contact forces", func(p *Point) float64 { return p.Parts.Contact }},
		{"displacements", func(p *Point) float64 { return p.Parts.Displacement }},
	}
	before := []series{
		{"precomputation, s", func(p *Point) float64 { return p.Precompute }},
		{"compliance, MB", func(p *Point) float64 { return p.Memory }},
		{"first touch, ms", func(p *Point) float64 { return p.FirstTouch }},
	}
	for _, f := range []struct {
		file, title, x, y string
		points            []Point
		at                func(*Point) float64
		series            []series
	}{
		{"scale-nodes.png", fmt.Sprintf("36 contacts: step over nodes, larger bodies of the same elements, exponent %.2f (processor time %.2f)", r.ExponentNodes, r.ExponentCPU), "nodes", "ms", r.Larger, NodesOf, parts},
		{"scale-refinement.png", fmt.Sprintf("36 contacts: step over nodes, same body, finer elements, exponent %.2f", r.ExponentFiner), "nodes", "ms", r.Finer, NodesOf, parts},
		{"scale-contacts-whole.png", "step over contacts, all of them solved (contact.reduction=0)", "contacts", "ms", r.Whole, contactsOf, parts},
		{"scale-contacts.png", fmt.Sprintf("step over contacts, exponent %.2f from 36 on (processor time %.2f)", r.ExponentContacts, r.ExponentCCPU), "contacts", "ms", r.OverContacts, contactsOf, parts},
		{"scale-precompute.png", fmt.Sprintf("before the first step, exponent %.2f", r.ExponentBuild), "nodes", "", r.Larger, NodesOf, before},
	} {
		var curves []figure.Curve
		for _, s := range f.series {
			curves = append(curves, figure.CurveOf(s.name, f.points, f.at, s.y))
		}
		refusal.Need(figure.SaveLogLog(c.File(f.file), f.title, f.x, f.y, curves))
	}
}

func (r *report) summary() {
	t := app.Table(app.Stdout)
	fmt.Fprint(t, "body\tnodes\tcontacts (loaded)\ttolerance\tms\tcpu ms\tp99\tfirst touch ms\tprecompute s\tMB\t")
	if len(r.Meshes) > 0 {
		fmt.Fprint(t, "SOFA ms\tp99\ts\t")
	}
	fmt.Fprintln(t)
	for _, p := range r.Points {
		fmt.Fprintf(t, "%s\t%d\t%d (%d)\t%.0e\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.1f\t", p.Name, p.Nodes, p.Contacts, p.Loaded, p.Tolerance,
			p.Median, p.CPU.Median, p.CPU.P99, p.FirstTouch, p.Precompute, p.Memory)
		switch {
		case p.Peer > 0:
			fmt.Fprintf(t, "%.3g\t%.3g\t%.3g\t", p.Peer, p.PeerP99, p.PeerS)
		case len(r.Meshes) > 0:
			fmt.Fprint(t, "\t\t\t")
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintf(app.Stdout, "exponent of the step time over nodes %.2f (processor time %.2f), with finer elements %.2f, over contacts from 36 on %.2f (%.2f)\n",
		r.ExponentNodes, r.ExponentCPU, r.ExponentFiner, r.ExponentContacts, r.ExponentCCPU)
}
