package tissue

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/frame"
)

func worldOf(t testing.TB, text string, set ...string) *World {
	t.Helper()
	s, err := scene.Parse("test.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, assignment := range set {
		if err := scene.Set(s, assignment); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// moveTo brings the stylus to its start plus d, mm, turned by degrees about the vertical.
func moveTo(t testing.TB, w *World, d mgl64.Vec3, turn float64) {
	t.Helper()
	start := w.StartPose()
	target := frame.Pose{Position: start.Position.Add(d.Mul(1e-3)),
		Rotation: mgl64.QuatRotate(turn*math.Pi/180, mgl64.Vec3{0, 1, 0}).Mul(start.Rotation)}
	for range 1000 {
		if w.Step(target) {
			return
		}
	}
	t.Fatalf("the stylus does not reach %v", d)
}

// bars are two bars that lie on their edges, one over the other and across it.
// Where the ridges cross, both have the middle of an edge. mode and turn (of the
// upper bar about the vertical, degrees) are to be filled in.
const bars = `
title = "bars"
about = "edge on edge"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "upper"
role = "driven"
E = 60
nu = 0.3
clamp = "top"
rotation = [45, %[2]g, 0]
position = [%[3]g, 14.2, %[4]g]
[body.box]
origin = [-30, -5, -5]
size = [60, 10, 10]
elements = [6, 2, 2]
[[body]]
name = "lower"
E = 20
nu = 0.4
clamp = "bottom"
rotation = [45, 0, 0]
[body.box]
origin = [-30, -5, -5]
size = [60, 10, 10]
elements = [6, 2, 2]
[[pair]]
bodies = ["upper", "lower"]
contact = "%[1]s"
[contact]
tolerance = 1e-8
ddc_tolerance = 1
normals = "smooth"
`

// crossedBars fills in bars so that the ridges cross 5 mm from the middle of each.
func crossedBars(mode string, turn float64) string {
	sin, cos := math.Sincos(turn * math.Pi / 180)
	return fmt.Sprintf(bars, mode, turn, 5-5*cos, 5*sin)
}

// overlap tells whether some edge of one surface passes through a triangle of
// the other, after shift has been added to the first: by brute force.
func overlap(a, b []mgl64.Vec3, ta, tb [][3]int32, shift mgl64.Vec3) bool {
	through := func(x, y []mgl64.Vec3, tx, ty [][3]int32, sx, sy mgl64.Vec3) bool {
		for _, t := range tx {
			for k := range 3 {
				p, q := x[t[k]].Add(sx), x[t[(k+1)%3]].Add(sx)
				for _, u := range ty {
					if pierces(p, q, y[u[0]].Add(sy), y[u[1]].Add(sy), y[u[2]].Add(sy)) {
						return true
					}
				}
			}
		}
		return false
	}
	return through(a, b, ta, tb, shift, mgl64.Vec3{}) || through(b, a, tb, ta, mgl64.Vec3{}, shift)
}

// pierces tells whether segment pq passes through triangle abc, by the signs of
// five volumes.
func pierces(p, q, a, b, c mgl64.Vec3) bool {
	volume := func(a, b, c, d mgl64.Vec3) float64 { return b.Sub(a).Cross(c.Sub(a)).Dot(d.Sub(a)) }
	if volume(a, b, c, p)*volume(a, b, c, q) >= 0 {
		return false
	}
	x, y, z := volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)
	return x > 0 && y > 0 && z > 0 || x < 0 && y < 0 && z < 0
}

func TestPierces(t *testing.T) {
	a, b, c := mgl64.Vec3{0, 0, 0}, mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 1, 0}
	for _, x := range []struct {
		p, q mgl64.Vec3
		want bool
	}{
		{mgl64.Vec3{0.2, 0.2, -1}, mgl64.Vec3{0.2, 0.2, 1}, true},
		{mgl64.Vec3{0.2, 0.2, 1}, mgl64.Vec3{0.3, 0.1, -0.1}, true},
		{mgl64.Vec3{0.2, 0.2, 0.1}, mgl64.Vec3{0.2, 0.2, 1}, false},
		{mgl64.Vec3{0.8, 0.8, -1}, mgl64.Vec3{0.8, 0.8, 1}, false},
		{mgl64.Vec3{-0.1, 0.2, -1}, mgl64.Vec3{-0.1, 0.2, 1}, false},
	} {
		if got := pierces(x.p, x.q, a, b, c); got != x.want {
			t.Errorf("%v to %v: %v", x.p, x.q, got)
		}
	}
}

// overlapOf is the least of some shifts along direction that takes the driven
// body (the first) out of the other, m; infinite where none of them does.
func overlapOf(w *World, direction mgl64.Vec3) float64 {
	var s Snapshot
	w.Snapshot(&s)
	for _, shift := range []float64{0, 1e-6, 5e-6, 2e-5, 1e-4, 1e-3} {
		if !overlap(s.Surfaces[0].Vertices, s.Surfaces[1].Vertices, w.bodies[0].info.Triangles, w.bodies[1].info.Triangles, direction.Mul(shift)) {
			return shift
		}
	}
	return math.Inf(1)
}

// Two bars across each other touch where no node is: edge on edge, with the
// force along the common normal of the edges, and nothing passes through.
func TestCrossedBarsMeetEdgeOnEdge(t *testing.T) {
	for _, turn := range []float64{90, 45, 120} {
		t.Run(fmt.Sprint(turn), func(t *testing.T) {
			w, nodes := worldOf(t, crossedBars("full", turn)), worldOf(t, crossedBars("both", turn))
			for i := 1; i <= 20; i++ {
				down := mgl64.Vec3{0, -0.1 * float64(i), 0}
				moveTo(t, w, down, 0)
				moveTo(t, nodes, down, 0)
			}
			for range 3 { // normals are those of where a step began
				moveTo(t, w, mgl64.Vec3{0, -2, 0}, 0)
			}
			force, _ := w.Force()
			if !(force[1] > 0.01) {
				t.Fatalf("force %v N", force)
			}
			onEdges := 0.0
			for i := range w.contacts {
				if c := &w.contacts[i]; c.kind == edgeEdge {
					onEdges += w.r[3*i] * c.n[1]
					a, b := w.bodies[0], w.bodies[1]
					d1 := a.at(c.p.node[1]).Sub(a.at(c.p.node[0]))
					d2 := b.at(c.q.node[1]).Sub(b.at(c.q.node[0]))
					if math.Abs(c.n.Dot(d1))+math.Abs(c.n.Dot(d2)) > 1e-3*(d1.Len()+d2.Len()) {
						t.Errorf("normal %v is not perpendicular to the edges %v %v", c.n, d1, d2)
					}
				}
			}
			if !(onEdges > 0.95*force[1]) {
				t.Errorf("edges carry %g of %g N", onEdges, force[1])
			}
			if !(math.Hypot(force[0], force[2]) < 0.3*force[1]) {
				t.Errorf("force %v N leaves the cone about the vertical", force)
			}
			if d := overlapOf(w, mgl64.Vec3{0, 1, 0}); !(d <= 2e-5) {
				t.Errorf("the bars overlap by more than %g m", d)
			}
			// without edges the ridges pass through each other
			if d := overlapOf(nodes, mgl64.Vec3{0, 1, 0}); !(d > 1e-4) {
				t.Errorf("nodes alone keep the bars apart: the test tests nothing (%g m)", d)
			}
		})
	}
}

// Sliding a ridge along another, over the nodes of both: the force has no jump.
func TestEdgeSlidesAcrossEdges(t *testing.T) {
	w := worldOf(t, crossedBars("full", 90.0), "friction=0")
	for i := 1; i <= 10; i++ {
		moveTo(t, w, mgl64.Vec3{0, -0.1 * float64(i), 0}, 0)
	}
	last, _ := w.Force()
	worst, sideways, least, most := 0.0, 0.0, last[1], last[1]
	handed := map[uint64]bool{}
	for i := 1; i <= 240; i++ {
		s := 0.05 * float64(i)
		moveTo(t, w, mgl64.Vec3{s, -1, 0.7 * s}, 0)
		force, _ := w.Force()
		worst = max(worst, math.Abs(force[1]-last[1])/last[1])
		sideways = max(sideways, force.Sub(last).Len()/last.Len())
		least, most = min(least, force[1]), max(most, force[1])
		last = force
		for k := range w.contacts {
			if w.contacts[k].kind == edgeEdge && w.r[3*k] > 0 {
				handed[w.contacts[k].id] = true
			}
		}
		if i%20 == 0 {
			if d := overlapOf(w, mgl64.Vec3{0, 1, 0}); !(d <= 1e-4) {
				t.Fatalf("at %g mm the bars overlap by more than %g m", s, d)
			}
		}
	}
	t.Logf("force from %.4g to %.4g N, largest change in a step %.2g %%, sideways %.2g %%, %d pairs of edges", least, most, 100*worst, 100*sideways, len(handed))
	if !(worst < 0.05) {
		t.Errorf("the force jumps by %.2g %%", 100*worst)
	}
	// A dented ridge has a kink at each node, of 9 degrees on both sides here: as
	// the load goes over it, a force without friction turns by that much.
	if !(sideways < 0.2) {
		t.Errorf("the force turns by %.2g %% of it", 100*sideways)
	}
	if len(handed) < 3 {
		t.Errorf("the load went over %d pairs of edges only", len(handed))
	}
}

// Every contact has its own identity, and keeps it while it touches.
func TestContactIdentitiesPersist(t *testing.T) {
	w := worldOf(t, crossedBars("full", 45.0), "contact.ddc_tolerance=3")
	var before []uint64
	for i := 1; i <= 40; i++ {
		moveTo(t, w, mgl64.Vec3{0, -0.1 * float64(min(i, 20)), 0}, 0)
		var ids []uint64
		for k := range w.contacts {
			ids = append(ids, w.contacts[k].id)
		}
		slices.Sort(ids)
		if n := len(slices.Compact(slices.Clone(ids))); n != len(w.contacts) || slices.Contains(ids, 0) {
			t.Fatalf("step %d: %d identities of %d contacts", i, n, len(w.contacts))
		}
		if i > 30 && !slices.Equal(ids, before) {
			t.Fatalf("step %d at rest: contacts came and went: %v, then %v", i, before, ids)
		}
		before = ids
	}
	if len(before) < 2 {
		t.Fatalf("%d contacts", len(before))
	}
	// the next step starts from the forces of this one
	force, _ := w.Force()
	w.detect()
	w.resize(len(w.contacts))
	w.warmStart()
	var again mgl64.Vec3
	for i := range w.contacts {
		c := &w.contacts[i]
		sign, _ := w.onStylus(c)
		again = again.Add(c.n.Mul(sign * w.r[3*i])).Add(c.t1.Mul(sign * w.r[3*i+1])).Add(c.t2.Mul(sign * w.r[3*i+2]))
	}
	if d := again.Sub(force).Len(); !(d < 1e-9*force.Len()) {
		t.Errorf("the next step starts from %v N, not %v", again, force)
	}
}

// Edges across a body from each other do not meet, however large the DDC tolerance: nothing touches above a block, and
// in it the force is that of a smaller tolerance.
func TestEdgesOfFarSidesDoNotMeet(t *testing.T) {
	s, err := scene.Load("block-linear")
	if err != nil {
		t.Fatal(err)
	}
	var force []mgl64.Vec3
	for _, tolerance := range []string{"20", "100", "inf"} {
		if err := scene.Set(s, "contact.ddc_tolerance="+tolerance); err != nil {
			t.Fatal(err)
		}
		w, _, err := New(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		moveTo(t, w, mgl64.Vec3{0, -1, 0}, 0)
		if f, _ := w.Force(); f.Len() != 0 {
			t.Errorf("tolerance %s: %v N above the block", tolerance, f)
		}
		for i := range 5 {
			moveTo(t, w, mgl64.Vec3{0, -2 - float64(i), 0}, 0)
		}
		f, _ := w.Force()
		force = append(force, f)
	}
	for _, f := range force[1:] {
		if d := f.Sub(force[0]).Len(); !(d < 1e-3*force[0].Len()) {
			t.Errorf("%v N, not %v", f, force[0])
		}
	}
}

// The edges found by trees are those that a search through all pairs finds.
func TestEdgesAgreeWithAllPairs(t *testing.T) {
	w := worldOf(t, crossedBars("full", 30.0), "contact.ddc_tolerance=2", "upper.box.elements=[15,4,4]", "lower.box.elements=[12,3,3]")
	found := 0
	for i := 1; i <= 60; i++ {
		moveTo(t, w, mgl64.Vec3{0.13 * float64(i), -0.08 * float64(min(i, 25)), 0.1 * float64(i)}, float64(i)/2)
		if i%4 != 0 {
			continue
		}
		a, b := w.bodies[0], w.bodies[1]
		m := &w.bodyPairs[0]
		w.detect()
		got := map[uint64]bool{}
		for k := range w.contacts {
			if w.contacts[k].kind == edgeEdge {
				got[w.contacts[k].id] = true
			}
		}
		want := 0
		for e := range a.facets.edges {
			for f := range b.facets.edges {
				if a.facets.edges[e].Face[1] < 0 || b.facets.edges[f].Face[1] < 0 {
					continue
				}
				c := contactPoint{id: identity(m.forward, edgeEdge, int32(e), int32(f)), direction: m.forward, kind: edgeEdge}
				if !w.cross(&c, a, int32(e), b, int32(f)) || w.duplicatesNodes(&c, m, a, b) {
					continue
				}
				if d := a.pointOf(&c.p).Sub(b.pointOf(&c.q)); d.Len() > captureOthers*w.params.DDCTolerance {
					continue
				}
				want++
				if !got[c.id] {
					t.Fatalf("step %d: edges %d and %d were not found", i, e, f)
				}
			}
		}
		if want != len(got) {
			t.Fatalf("step %d: %d pairs of edges, want %d", i, len(got), want)
		}
		found += want
	}
	if found < 15 {
		t.Errorf("%d pairs of edges in all", found)
	}
}

// press is a flat rigid tool on a cube, with so many elements along the tool's
// lower face and the cube's edges, mm.
const pressing = `
title = "pressing"
about = "flat on flat"
friction = 0
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "tool"
role = "driven"
rigid = true
position = [%[4]g, 20.05, 1.3]
[body.box]
origin = [-8, 0, -8]
size = [16, 8, 16]
elements = [%[2]d, 1, %[2]d]
[[body]]
name = "cube"
E = 20
nu = 0.3
clamp = "bottom"
[body.box]
origin = [-20, 0, -20]
size = [40, 20, 40]
elements = [%[3]d, 3, %[3]d]
[[pair]]
bodies = ["tool", "cube"]
contact = "%[1]s"
[contact]
tolerance = 1e-8
ddc_tolerance = 1
normals = "%[5]s"
`

// pressed is the force of the tool 2 mm deep, N, and how many contacts there are.
func pressed(t *testing.T, mode string, tool, cube int, x float64, normals string) (force mgl64.Vec3, w *World) {
	t.Helper()
	w = worldOf(t, fmt.Sprintf(pressing, mode, tool, cube, x, normals))
	for i := 1; i <= 4; i++ {
		moveTo(t, w, mgl64.Vec3{0, -0.5 * float64(i), 0}, 0)
	}
	for range 5 {
		moveTo(t, w, mgl64.Vec3{0, -2, 0}, 0)
	}
	if !w.solving.result.Converged {
		t.Fatalf("%s, %d on %d: %+v", mode, tool, cube, w.solving.result)
	}
	f, _ := w.Force()
	return f, w
}

// A coarse tool, with nodes at its corners only, is felt through the nodes of a
// fine cube; a fine tool on a coarse cube through its own. Both agree with fine
// on fine.
func TestForceDoesNotDependOnWhoseNodesAreMany(t *testing.T) {
	for _, normals := range []string{"face", "smooth"} {
		fine, w := pressed(t, "one", 10, 14, 1.3, normals)
		for _, mode := range []string{"both", "full"} {
			coarse, v := pressed(t, mode, 1, 14, 1.3, normals)
			t.Logf("%s, %s: coarse tool %.4g N with %d contacts, fine tool %.4g N with %d", normals, mode, coarse, len(v.contacts), fine, len(w.contacts))
			// Without edges the tool ends where the cube's last node under it is.
			limit := map[string]float64{"both": 0.15, "full": 0.03}[mode]
			if d := math.Abs(coarse[1]-fine[1]) / fine[1]; !(d < limit) {
				t.Errorf("%s, %s: coarse tool %g N, fine tool %g N", normals, mode, coarse[1], fine[1])
			}
			if side := math.Hypot(coarse[0], coarse[2]); mode == "full" && !(side < 0.03*coarse[1]) {
				t.Errorf("%s, %s: a flat tool is pushed aside by %g of %g N", normals, mode, side, coarse[1])
			}
			if d := overlapBelow(v); !(d < 5e-5) {
				t.Errorf("%s, %s: the cube reaches %g m into the tool", normals, mode, d)
			}
			// a fine tool on a cube of elements as large as the tool
			one, _ := pressed(t, "one", 10, 5, 1.3, normals)
			other, u := pressed(t, mode, 10, 5, 1.3, normals)
			t.Logf("%s, %s: on a coarse cube %.4g N with %d contacts, one way %.4g N", normals, mode, other, len(u.contacts), one)
			if d := math.Abs(one[1]-other[1]) / one[1]; !(d < 0.02) {
				t.Errorf("%s, %s: a fine tool on a coarse cube %g N, one way %g N", normals, mode, other[1], one[1])
			}
		}
		alone, _ := pressed(t, "one", 1, 14, 1.3, normals)
		if !(alone[1] < 0.8*fine[1]) {
			t.Errorf("%s: four corners alone carry %g of %g N: the test tests nothing", normals, alone[1], fine[1])
		}
	}
}

// overlapBelow is how far nodes of the cube reach into the tool, a box, m.
func overlapBelow(w *World) float64 {
	var s Snapshot
	w.Snapshot(&s)
	deepest := 0.0
	at := s.Stylus.Position
	for _, x := range s.Surfaces[1].Vertices {
		d := x.Sub(at)
		deepest = max(deepest, min(d[1], 8e-3-math.Abs(d[0]), 8e-3-math.Abs(d[2])))
	}
	return deepest
}

// Flat on flat with both bodies' nodes in the same places: no contact counts
// twice, whichever way they are looked for, and none comes and goes.
func TestSameSpotCountsOnce(t *testing.T) {
	for _, shift := range []float64{0, 0.1, 1} { // mm; nodes of the cube are 2 mm apart
		if testing.Short() && shift == 0.1 {
			continue
		}
		one, w := pressed(t, "one", 8, 20, shift, "face")
		both, v := pressed(t, "both", 8, 20, shift, "face")
		t.Logf("shift %g mm: %d contacts one way, %d both ways; %.4g and %.4g N", shift, len(w.contacts), len(v.contacts), one[1], both[1])
		// along z, nodes of tool and cube are 0.7 mm apart
		if shift == 0 && len(v.contacts) < len(w.contacts) {
			t.Errorf("%d contacts, %d one way", len(v.contacts), len(w.contacts))
		}
		if d := math.Abs(both[1]-one[1]) / one[1]; !(d < 0.03) {
			t.Errorf("shift %g mm: %g N both ways, %g N one way", shift, both[1], one[1])
		}
	}
	// exactly the same places
	w := worldOf(t, fmt.Sprintf(pressing, "full", 8, 20, 0.0, "smooth"), "tool.position=[0.1,20.05,0.1]")
	changes, before := 0, map[uint64]bool{}
	for i := range 60 {
		// hold deep, and slide by less than a tenth of the spacing to and fro
		moveTo(t, w, mgl64.Vec3{0.1 * math.Sin(float64(i)/3), -min(0.1*float64(i), 1), 0}, 0)
		if i < 20 {
			continue
		}
		now := map[uint64]bool{}
		for k := range w.contacts {
			now[w.contacts[k].id] = true
			if len(before) > 0 && !before[w.contacts[k].id] {
				changes++
			}
		}
		before = now
	}
	if len(before) < 81 || len(before) > 150 {
		t.Errorf("%d contacts of 9 x 9 nodes on as many", len(before))
	}
	if changes > len(before)/2 {
		t.Errorf("%d contacts came while the tool slid by a tenth of a spacing", changes)
	}
}
