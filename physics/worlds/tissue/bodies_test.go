package tissue_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/worlds/tissue"
)

// shelf is a cantilever over a block: the probe bends the one onto the other.
const shelf = `
title = "shelf"
about = "organ on organ"
friction = 0.3

[units]
length = "mm"
pressure = "kPa"

[[body]]
name = "probe"
role = "driven"
position = [0, 25.2, 0]
[body.tool]
kind = "probe"
radius = 5
length = 60

[[body]]
name = "shelf"
role = "fixed"
E = 60
nu = 0.3
clamp = "left"
[body.box]
origin = [-40, 12, -12]
size = [60, 8, 24]
elements = [15, 2, 6]

[[body]]
name = "block"
role = "fixed"
E = 20
nu = 0.4
clamp = "bottom"
[body.box]
origin = [-20, -10, -20]
size = [60, 20, 40]
elements = [12, 4, 8]

[contact]
tolerance = 1e-6
ddc_tolerance = 0.5
normals = "smooth"
`

// interpenetration is the largest depth, m, of the surface nodes of one body
// below the top of an axis-parallel block that another one was, by sampling
// contacts: the solver's own x_n.
func interpenetration(s *tissue.Snapshot) float64 {
	worst := 0.0
	for _, c := range s.Contacts {
		worst = max(worst, -c.P.Sub(c.Q).Dot(c.N))
	}
	return worst
}

func TestOrganOnOrgan(t *testing.T) {
	w := parseWorld(t, shelf)
	start := w.StartPose()
	both := 0
	var s tissue.Snapshot
	for i := range 140 {
		d := mgl64.Vec3{0.002 * math.Sin(float64(i)/20), -0.00008 * float64(i), 0.001 * math.Cos(float64(i)/30)}
		w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
		w.Snapshot(&s)
		if depth := interpenetration(&s); depth > 2e-5 {
			t.Fatalf("step %d: bodies overlap by %.3g m", i, depth)
		}
		if !s.Stats.Solve.Converged {
			t.Fatalf("step %d: %+v", i, s.Stats.Solve)
		}
		// the force on the stylus is that of its own contacts only
		var sum mgl64.Vec3
		between := 0.0
		for _, c := range s.Contacts {
			if c.P.Sub(s.Stylus.Position).Len() < 0.0055 { // nodes of the tip
				sum = sum.Add(c.Force)
			} else {
				between += c.Force.Len()
			}
		}
		if d := sum.Sub(s.Force).Len(); d > 1e-9*(1+sum.Len()) {
			t.Fatalf("step %d: resultant %v, contacts of the stylus %v", i, s.Force, sum)
		}
		if between > 0.01 {
			both++
		}
	}
	if both < 30 {
		t.Errorf("the shelf leaned on the block in %d steps only", both)
	}
	// lifting the probe lets go of everything, the block included
	for i := range 400 {
		w.Step(frame.Pose{Position: start.Position.Add(mgl64.Vec3{0, -0.011 + 0.00005*float64(i), 0}), Rotation: start.Rotation})
	}
	w.Snapshot(&s)
	if s.Force.Len() != 0 {
		t.Errorf("force %v N after lifting", s.Force)
	}
	for i, b := range s.Surfaces {
		for k, x := range b.Vertices {
			if i > 0 && math.IsNaN(x[0]+x[1]+x[2]) {
				t.Fatalf("body %d node %d is nowhere", i, k)
			}
		}
	}
}

// With the shelf resting on the block, the hand feels both: more than the shelf alone.
func TestContactBehindTheContactIsFelt(t *testing.T) {
	press := func(set ...string) float64 {
		w := parseWorld(t, shelf, set...)
		for i := 1; i <= 100; i++ {
			w.Step(frame.Pose{Position: w.StartPose().Position.Add(mgl64.Vec3{0, -0.0001 * float64(i), 0}), Rotation: w.StartPose().Rotation})
		}
		f, _ := w.Force()
		return f[1]
	}
	with := press()
	without := press("block.position=[0,-30,0]")
	if !(with > 1.1*without) || !(without > 0) {
		t.Errorf("%g N with the block below, %g N without", with, without)
	}
}

// clamp is a C of elements: two arms with a gap that a press closes.
func clampMesh(t *testing.T) string {
	t.Helper()
	m, err := mesh.Box(mgl64.Vec3{0, 0, 0}, mgl64.Vec3{60, 22, 16}, [3]int{15, 11, 4})
	if err != nil {
		t.Fatal(err)
	}
	// leave out the elements of the slit: x > 12, 10 < y < 12
	kept := m.Blocks[0]
	kept.Nodes = nil
	for e := range m.Blocks[0].Len() {
		ids := m.Blocks[0].Element(e)
		var c mgl64.Vec3
		for _, n := range ids {
			c = c.Add(m.Nodes[n].Mul(1.0 / 8))
		}
		if !(c[0] > 12 && c[1] > 10 && c[1] < 12) {
			kept.Nodes = append(kept.Nodes, ids...)
		}
	}
	m.Blocks[0] = kept
	file := filepath.Join(t.TempDir(), "c.msh")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := m.WriteGmsh(f); err != nil {
		t.Fatal(err)
	}
	return file
}

// slit is a probe over a body with a slit that closes under it; pair is the scene
// file's table of what touches in the slit.
func slit(t *testing.T, pair string) *tissue.World {
	return parseWorld(t, fmt.Sprintf(`
title = "clamp"
about = "a slit that closes"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "probe"
role = "driven"
position = [52, 27.2, 8]
[body.tool]
kind = "probe"
radius = 5
length = 60
[[body]]
name = "c"
role = "fixed"
E = 30
nu = 0.3
clamp = "bottom"
mesh = %q
%s
[contact]
tolerance = 1e-6
ddc_tolerance = 0.4
normals = "smooth"
`, clampMesh(t), pair))
}

func TestBodyTouchesItself(t *testing.T) {
	with, without := slit(t, "[[pair]]\nbodies = [\"c\", \"c\"]\n"), slit(t, "")
	var s tissue.Snapshot
	self := 0.0
	for i := 1; i <= 80; i++ {
		drive(t, with, 0, -0.07*float64(i), 0)
		drive(t, without, 0, -0.07*float64(i), 0)
		with.Snapshot(&s)
		for _, c := range s.Contacts {
			if c.P[1] < 0.013 {
				self = max(self, c.Force.Len())
			}
		}
		if depth := interpenetration(&s); depth > 2e-5 {
			t.Fatalf("step %d: overlap of %.3g m", i, depth)
		}
	}
	if self == 0 {
		t.Fatal("the slit never closed")
	}
	a, _ := with.Force()
	b, _ := without.Force()
	if !(a[1] > 1.02*b[1]) {
		t.Errorf("%g N with the slit closed, %g N where the arms pass through each other", a[1], b[1])
	}
}

// A soft body that the stylus drives and that touches itself: forces inside it are
// not felt, the hand has what the other bodies have.
func TestSelfContactOfTheDrivenBodyIsNotFelt(t *testing.T) {
	w := parseWorld(t, fmt.Sprintf(`
title = "clamp"
about = "a slit that closes, in the hand"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "c"
role = "driven"
E = 30
nu = 0.3
clamp = "bottom"
mesh = %q
[[body]]
name = "anvil"
role = "fixed"
rigid = true
[body.box]
origin = [44, 22.2, -10]
size = [30, 10, 36]
elements = [6, 2, 6]
[[pair]]
bodies = ["c", "c"]
[[pair]]
bodies = ["c", "anvil"]
[contact]
tolerance = 1e-6
ddc_tolerance = 0.4
normals = "smooth"
`, clampMesh(t)))
	var s tissue.Snapshot
	var m local.Model
	local.Make(&m, 0)
	self := 0.0
	for i := 1; i <= 50; i++ {
		drive(t, w, 0, 0.07*float64(i), 0)
		w.Snapshot(&s)
		for _, c := range s.Contacts {
			if c.P[1] < 0.015+0.07e-3*float64(i) {
				self = max(self, c.Force.Len())
			}
		}
		w.Model(&m)
		felt, _ := m.Resultant(m.R)
		if r := w.Reaction(); s.Force.Add(r).Len() > 1e-9*w.RNorm() || felt.Sub(s.Force).Len() > 1e-9*w.RNorm() {
			t.Fatalf("step %d: the hand has %v N, its model %v, the anvil %v", i, s.Force, felt, r)
		}
	}
	if !(self > 0.01) {
		t.Fatalf("forces of %g N in the slit: the test does not bite", self)
	}
}

// A slit that closes with edges on: nothing passes through, and the hand feels
// about what it does without edges, whose nodes are in the same places.
func TestBodyTouchesItselfWithEdges(t *testing.T) {
	world := func(mode string) *tissue.World {
		return slit(t, fmt.Sprintf("[[pair]]\nbodies = [\"c\", \"c\"]\ncontact = %q\n", mode))
	}
	full, both := world("full"), world("both")
	var s tissue.Snapshot
	edges := 0
	for i := 1; i <= 80; i++ {
		drive(t, full, 0, -0.07*float64(i), 0)
		drive(t, both, 0, -0.07*float64(i), 0)
		full.Snapshot(&s)
		for _, c := range s.Contacts {
			if c.Node < 0 {
				edges++
			}
		}
		if depth := interpenetration(&s); depth > 2e-5 {
			t.Fatalf("step %d: overlap of %.3g m", i, depth)
		}
		if !s.Stats.Solve.Converged {
			t.Fatalf("step %d: %+v", i, s.Stats.Solve)
		}
	}
	a, _ := full.Force()
	b, _ := both.Force()
	t.Logf("%v N with edges, %v N without; %d contacts of edges in all", a, b, edges)
	if d := a.Sub(b).Len() / b.Len(); !(d < 0.03) {
		t.Errorf("%v N with edges, %v N without", a, b)
	}
}
