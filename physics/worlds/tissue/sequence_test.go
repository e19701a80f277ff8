package tissue_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
	"hapco/physics/worlds/tissue"
)

// plate is a flat rigid tool with a given number of nodes a side over a cube of
// soft tissue; lengths in mm.
const plate = `
title = "plate"
about = "a flat tool on a cube"
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
origin = [%[2]g, 0, %[2]g]
size = [%[3]g, 4, %[3]g]
elements = [%[1]d, 1, %[1]d]
[[body]]
name = "cube"
E = 20
nu = 0.4
clamp = "bottom"
contact_surface = "top"
[body.box]
origin = [-40, -40, -40]
size = [80, 40, 80]
elements = [14, 6, 14]
[contact]
ddc_tolerance = 2
anchored = true
normals = "smooth"
`

// sequence is the contact problems of the steps of a world, in copies.
type sequence []*contact.Problem

// record drives the stylus of w along points, in m from its start, and keeps the
// problem of each step from the step skip on.
func record(tb testing.TB, w *tissue.World, points []mgl64.Vec3, skip int) (s sequence) {
	tb.Helper()
	start := w.StartPose()
	for k, at := range points {
		w.Step(frame.Pose{Position: start.Position.Add(at), Rotation: start.Rotation})
		p, _ := w.Problem()
		if k < skip || p.N == 0 {
			continue
		}
		s = append(s, &contact.Problem{N: p.N, W: slices.Clone(p.W), Q: slices.Clone(p.Q), Mu: slices.Clone(p.Mu), ID: slices.Clone(p.ID)})
	}
	return s
}

// stroke is a way down by depth and on along the surface there, in steps, all in m.
func stroke(into mgl64.Vec3, depth float64, along mgl64.Vec3, step float64) (points []mgl64.Vec3) {
	down := int(math.Ceil(depth / step))
	for k := 1; k <= down; k++ {
		points = append(points, into.Mul(depth*float64(k)/float64(down)))
	}
	n := int(math.Ceil(along.Len() / step))
	for k := 1; k <= n; k++ {
		points = append(points, into.Mul(depth).Add(along.Mul(float64(k)/float64(n))))
	}
	return points
}

// replay solves the problems one after the other, each from the last forces of
// its contacts, and tells each solve to visit.
func (s sequence) replay(solver contact.Solver, opt *contact.Options, visit func(k int, p *contact.Problem, r []float64, res contact.Result, cpu time.Duration)) {
	last, next := map[uint64][3]float64{}, map[uint64][3]float64{}
	var hot contact.Problem // in the cache, as after the assembly of a step
	hot.ID = []uint64{}
	var r []float64
	for k, p := range s {
		hot.Resize(p.N)
		copy(hot.W, p.W)
		copy(hot.Q, p.Q)
		copy(hot.Mu, p.Mu)
		copy(hot.ID, p.ID)
		r = r[:0]
		for _, id := range p.ID {
			f := last[id]
			r = append(r, f[:]...)
		}
		before := cputime.Thread()
		res := solver.Solve(&hot, r, opt)
		visit(k, p, r, res, cputime.Thread()-before)
		clear(next)
		for c, id := range p.ID {
			next[id] = [3]float64(r[3*c:])
		}
		last, next = next, last
	}
}

// recorded lists the sequences: the thesis's benches with both bodies of tissue
// and with an impactor of aluminium, a flat tool, a round probe pressed flat,
// and an organ, where it is there, under a flat tool that mostly hovers.
func recorded(b *testing.B, tolerance float64) []struct {
	name string
	make func(b *testing.B) sequence
} {
	bench := func(bench, pair string, depth float64) func(*testing.B) sequence {
		return func(b *testing.B) sequence {
			return record(b, benchWorld(b, bench, pair, "end", 0.3, tolerance), stroke(mgl64.Vec3{0, -1, 0}, depth, mgl64.Vec3{6e-3, 0, 0}, 1e-4), 0)
		}
	}
	scene := func(text string, depth, step float64, skip int) func(*testing.B) sequence {
		return func(b *testing.B) sequence {
			w := parseWorld(b, text, fmt.Sprintf("contact.tolerance=%g", tolerance))
			return record(b, w, stroke(mgl64.Vec3{0, -1, 0}, depth, mgl64.Vec3{3e-3, 0, 6e-4}, step), skip)
		}
	}
	probe := fmt.Sprintf(slabOf, 20.0, 1.5)
	return []struct {
		name string
		make func(b *testing.B) sequence
	}{
		{"A36-tissue-tissue", bench("A36", "tissue-tissue", 5e-3)},
		{"A36-alu-tissue", bench("A36", "alu-tissue", 5e-3)},
		{"B66-tissue-tissue", bench("B66", "tissue-tissue", 3e-3)},
		{"B66-alu-tissue", bench("B66", "alu-tissue", 3e-3)},
		{"plate-144", scene(fmt.Sprintf(plate, 11, -22.0, 44.0), 1e-3, 5e-5, 0)},
		{"plate-400", scene(fmt.Sprintf(plate, 19, -28.0, 56.0), 1e-3, 1e-4, 10)},
		{"probe", scene(probe, 5e-3, 2e-4, 0)},
		{"liver2-64", func(b *testing.B) sequence { return hovering(b, tolerance) }},
	}
}

// slabOf is a slab under a round probe of a radius and with nodes at a spacing, mm.
const slabOf = `
title = "slab"
about = "a round probe on a soft slab"
friction = 0.4
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "probe"
role = "driven"
rigid = true
position = [0, 40.1, 0]
[body.tool]
kind = "probe"
radius = %g
length = 60
spacing = %g
[[body]]
name = "slab"
E = 20
nu = 0.4
clamp = "bottom"
[body.box]
origin = [-40, 0, -40]
size = [80, 20, 80]
elements = [14, 4, 14]
[contact]
ddc_tolerance = 2
anchored = true
normals = "smooth"
`

// hovering is the organ of hapco bench scale under 64 nodes of which few touch.
func hovering(b *testing.B, tolerance float64) sequence {
	file := testkit.Shared(b, "data", "meshes", "liver2.msh")
	m, err := mesh.Load(file)
	if err != nil {
		b.Fatal(err)
	}
	m.Scale(1e-2)
	lo, hi := m.Bounds()
	size := hi.Sub(lo).Len()
	surface := m.Surface()
	var at, normal mgl64.Vec3
	most := 0.0
	for _, t := range surface.Triangles {
		a, b, c := m.Nodes[surface.Nodes[t[0]]], m.Nodes[surface.Nodes[t[1]]], m.Nodes[surface.Nodes[t[2]]]
		if n := b.Sub(a).Cross(c.Sub(a)); n.Len() > most && n[1] > 0.7*n.Len() {
			most, at, normal = n.Len(), a.Add(b).Add(c).Mul(1.0/3), n.Normalize()
		}
	}
	side := 1e3 * 0.16 * size
	s, err := scene.Parse("plate.toml", fmt.Appendf(nil, plate, 7, -side/2, side))
	if err != nil {
		b.Fatal(err)
	}
	tool, body := &s.Bodies[0], &s.Bodies[1]
	tool.Pose = frame.Pose{Position: at.Add(normal.Mul(1e-4 * size)), Rotation: mgl64.QuatBetweenVectors(mgl64.Vec3{0, 1, 0}, normal)}
	body.Shape = scene.Shape{Kind: scene.MeshShape, File: file, Unit: "cm"}
	body.Clamp = scene.Selector{Kind: scene.SelectDefault}
	body.Surface = scene.Selector{Kind: scene.SelectAll}
	s.Contact.Tolerance, s.Contact.DDCTolerance = tolerance, 0.04*size
	w, _, err := tissue.Builder{WholeSurface: 1}.New(context.Background(), s, nil)
	if err != nil {
		b.Fatal(err)
	}
	along := normal.Cross(mgl64.Vec3{0, 0, 1}).Normalize().Mul(0.06 * size)
	return record(b, w, stroke(normal.Mul(-1), 0.05*size, along, 5e-4*size), 0)
}

// BenchmarkWarmSequence replays the contact problems of real worlds, each solve
// warm-started from the last, as a simulation does, and reports the processor
// time of a solve: over the steps the median, 99th percentile and maximum of the
// least that each took.
func BenchmarkWarmSequence(b *testing.B) {
	for _, tolerance := range []float64{1e-4, 1e-8} {
		for _, r := range recorded(b, tolerance) {
			b.Run(fmt.Sprintf("%s/%.0e", r.name, tolerance), func(b *testing.B) {
				s := r.make(b)
				runtime.LockOSThread() // the processor time is the thread's
				defer runtime.UnlockOSThread()
				opt := contact.DefaultOptions()
				opt.Tolerance = tolerance
				us := make([]float64, len(s))
				for k := range us {
					us[k] = math.Inf(1)
				}
				most, newton, failed := 0, 0, 0
				for b.Loop() {
					solver, err := contact.New("auto")
					if err != nil {
						b.Fatal(err)
					}
					most, newton, failed = 0, 0, 0
					s.replay(solver, &opt, func(k int, p *contact.Problem, _ []float64, res contact.Result, cpu time.Duration) {
						most = max(most, p.N)
						newton += res.Newton
						if !res.Converged {
							failed++
						}
						us[k] = min(us[k], float64(cpu)/1e3)
					})
				}
				slices.Sort(us)
				b.ReportMetric(us[len(us)/2], "us-p50")
				b.ReportMetric(us[len(us)*99/100], "us-p99")
				b.ReportMetric(us[len(us)-1], "us-max")
				b.ReportMetric(float64(newton)/float64(len(s)), "factorisations")
				b.ReportMetric(float64(most), "contacts")
				b.ReportMetric(float64(failed), "failed")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// Warm-started solves over the steps of a bench end where cold ones do: the same
// displacements, and the laws within the tolerance.
func TestWarmSequence(t *testing.T) {
	const tolerance = 1e-8
	s := record(t, benchWorld(t, "A36", "tissue-tissue", "end", 0.3, tolerance), stroke(mgl64.Vec3{0, -1, 0}, 2e-3, mgl64.Vec3{2e-3, 0, 0}, 1e-4), 0)
	solver, err := contact.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	opt := contact.DefaultOptions()
	opt.Tolerance = tolerance
	factorisations := 0
	s.replay(solver, &opt, func(k int, p *contact.Problem, r []float64, res contact.Result, _ time.Duration) {
		if !res.Converged {
			t.Fatalf("step %d: not converged", k)
		}
		factorisations += res.Newton
		fresh, err := contact.New("auto")
		if err != nil {
			t.Fatal(err)
		}
		cold := make([]float64, len(r))
		if !fresh.Solve(p, cold, &opt).Converged {
			t.Fatalf("step %d: not converged from a cold start", k)
		}
		x, y := make([]float64, len(r)), make([]float64, len(r))
		p.Displacements(x, r)
		p.Displacements(y, cold)
		if e := p.Errors(r, x); !(e.Natural <= tolerance) || !(e.Scaled <= 10*tolerance) {
			t.Errorf("step %d: errors %g and %g", k, e.Natural, e.Scaled)
		}
		apart, size := 0.0, 0.0
		for i := range x {
			apart += (x[i] - y[i]) * (x[i] - y[i])
			size += p.Q[i] * p.Q[i]
		}
		if d := math.Sqrt(apart / size); !(d <= 1e-5) {
			t.Errorf("step %d: displacements are %g of q from those of a cold start", k, d)
		}
	})
	if most := 8 * len(s); factorisations > most {
		t.Errorf("%d factorisations in %d solves", factorisations, len(s))
	}
}
