package tissue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
)

// Two ridges that have passed through each other are pushed apart: the normal
// does not turn round with the sign of the gap.
func TestPenetratingEdgesKeepTheirSide(t *testing.T) {
	w := worldOf(t, crossedBars("full", 90))
	a, b := w.bodies[0], w.bodies[1]
	contactAt := func(depth float64) *contactPoint {
		a.pose.Position[1] = w.StartPose().Position[1] - (14.2e-3 - 10e-3*math.Sqrt2) - depth // the ridges touch at a depth of 0
		a.place(a.pose)
		a.restart()
		b.restart()
		w.forget()
		w.detect()
		var found *contactPoint
		for i := range w.contacts {
			if c := &w.contacts[i]; c.kind == edgeEdge {
				if found != nil {
					t.Fatalf("depth %g: two pairs of edges", depth)
				}
				found = c
			}
		}
		return found
	}
	for _, depth := range []float64{-0.9e-3, -1e-5, -1e-9, 0, 1e-9, 1e-5, 1e-4, 0.6e-3} {
		c := contactAt(depth)
		if c == nil {
			t.Fatalf("depth %g: no contact", depth)
		}
		if !(c.n[1] > 0.999) {
			t.Errorf("depth %g: normal %v", depth, c.n)
		}
		gap := a.pointOf(&c.p).Sub(b.pointOf(&c.q)).Dot(c.n)
		if math.Abs(gap+depth) > 1e-6 {
			t.Errorf("depth %g: gap %g", depth, gap)
		}
	}
	if c := contactAt(-1.1e-3); c != nil {
		t.Error("a contact beyond the DDC tolerance")
	}
}

// squares are a square block that stands on another, turned by some degrees.
const squares = `
title = "squares"
about = "flat on flat, corners over edges"
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "upper"
role = "driven"
E = 20
nu = 0.3
clamp = "top"
rotation = [0, %[1]g, 0]
position = [0, 10.1, 0]
[body.box]
origin = [-10, 0, -10]
size = [20, 10, 20]
elements = [4, 2, 4]
[[body]]
name = "lower"
E = 20
nu = 0.3
clamp = "bottom"
[body.box]
origin = [-10, 0, -10]
size = [20, 10, 20]
elements = [4, 2, 4]
[contact]
ddc_tolerance = 0.5
`

// Edges inside flat faces never meet; the rims of two flat faces do where they
// cross: the corners of the polygon that both faces share.
func TestFlatEdgesDoNotCount(t *testing.T) {
	// In places a node says the same; squares on top of each other share corners.
	for turn, want := range map[float64][2]int{0: {0, 4}, 45: {8, 8}, 30: {4, 8}, 2: {4, 8}} {
		w := worldOf(t, fmt.Sprintf(squares, turn))
		w.detect()
		edges := 0
		for i := range w.contacts {
			c := &w.contacts[i]
			// nodes that hang over a rim are pushed off it
			if sign, _ := w.onStylus(c); (c.kind == edgeEdge || turn == 0) && !(sign*c.n[1] > 0.999) {
				t.Errorf("turned by %g degrees: normal %v", turn, c.n)
			}
			if c.kind == edgeEdge {
				edges++
			}
		}
		if edges < want[0] || edges > want[1] {
			t.Errorf("turned by %g degrees: %d pairs of edges, want %d to %d", turn, edges, want[0], want[1])
		}
	}
}

// A hollow corner has no edge contact: a ridge in a groove touches its faces.
func TestHollowEdgesDoNotCount(t *testing.T) {
	w := worldOf(t, crossedBars("full", 90))
	b := w.bodies[1]
	hollow, flat, ridges := 0, 0, 0
	for e := range b.facets.edges {
		if c := b.cone(int32(e)); c.Turn < flatEdge {
			ridges++
			// a normal of the edge: outward of both faces, into neither
			if n := c.Out.Normalize(); !c.Allows(n, 1e-12) || c.Allows(n.Mul(-1), 1e-12) {
				t.Fatalf("edge %d: its normal is %v", e, n)
			}
		} else if c.Flat(nearlyFlat) {
			flat++
		} else {
			hollow++
		}
	}
	// 12 edges of a box with elements [6 2 2]
	if want := 4 * (6 + 2 + 2); ridges != want || hollow != 0 || flat == 0 {
		t.Errorf("%d ridges, %d hollow, %d flat edges; want %d ridges", ridges, hollow, flat, want)
	}
	// the same surface inside out is a hollow box
	for i, t := range b.facets.triangles {
		b.facets.triangles[i] = [3]int32{t[0], t[2], t[1]}
	}
	inverted := newFacets(b.facets.triangles, b.rest, func(int32) {})
	b.facets = inverted
	b.prepareEdges()
	for e := range inverted.edges {
		if c := b.cone(int32(e)); c.Turn < flatEdge {
			t.Fatalf("edge %d of a hollow box is a ridge", e)
		}
	}
}

// crowd are blocks in a row on a soft floor, each near its neighbours, and a
// tool: most pairs of bodies never meet.
func crowd(blocks int) string {
	var s strings.Builder
	s.WriteString(`
title = "crowd"
about = "many bodies"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "tool"
role = "driven"
rigid = true
position = [-3, 10.2, 1]
[body.box]
origin = [-4, 0, -4]
size = [8, 8, 8]
elements = [2, 2, 2]
`)
	for i := range blocks {
		fmt.Fprintf(&s, `
[[body]]
name = "b%d"
E = 20
nu = 0.3
clamp = "bottom"
[body.box]
origin = [%g, 0, -6]
size = [9.7, 10, 12]
elements = [4, 3, 4]
`, i, 10*float64(i))
	}
	s.WriteString(`
[contact]
tolerance = 1e-6
ddc_tolerance = 0.5
`)
	return s.String()
}

// Pairs of bodies whose boxes are apart are left out, and nothing else is: the
// contacts are those that a look at all pairs finds, as the tool goes along the
// row and presses blocks against each other.
func TestBodiesApartAreLeftOut(t *testing.T) {
	const blocks = 7
	w := worldOf(t, crowd(blocks))
	if len(w.bodyPairs) != blocks*(blocks+1)/2 {
		t.Fatalf("%d meetings of %d bodies", len(w.bodyPairs), blocks+1)
	}
	sum, steps, met := 0, 0, map[int32]bool{}
	for i := range 130 {
		s := float64(i)
		moveTo(t, w, mgl64.Vec3{0.5 * s, -min(0.1*s, 0.5), 0.5 * math.Sin(s/9)}, 0.1*s)
		sum += len(w.due)
		steps++
		for _, m := range w.live {
			met[m] = true
		}
		if i%5 != 0 {
			continue
		}
		restore := remembered(w)
		w.detect()
		w.contacts = w.contacts[:w.touching]
		got := ids(w)
		restore()
		w.contacts = w.contacts[:0]
		for k := range w.bodyPairs {
			w.meet(&w.bodyPairs[k])
		}
		if want := ids(w); !slices.Equal(got, want) {
			t.Fatalf("step %d: contacts %v, with all pairs %v", i, got, want)
		}
		restore()
	}
	if mean := float64(sum) / float64(steps); mean > 0.5*float64(len(w.bodyPairs)) {
		t.Errorf("%.1f of %d meetings at a time", mean, len(w.bodyPairs))
	}
	if len(met) < blocks+3 {
		t.Errorf("%d meetings had contacts", len(met))
	}
	// what has come apart is forgotten
	for i := range 100 {
		moveTo(t, w, mgl64.Vec3{65, -0.5 + 0.1*float64(i), 0}, 0)
	}
	for i := range w.directions {
		p := &w.directions[i]
		for node := range p.memory {
			if p.memory[node].touching && (w.bodies[p.impactor].info.Driven || w.bodies[p.obstacle].info.Driven) {
				t.Fatalf("node %d of pair %d still touches", node, i)
			}
		}
	}
}

// remembered keeps what nodes remember, which detection changes, and gives it back.
func remembered(w *World) (restore func()) {
	var memory [][]nodeMemory
	var touched [][]int32
	for i := range w.directions {
		memory = append(memory, slices.Clone(w.directions[i].memory))
		touched = append(touched, slices.Clone(w.directions[i].touched))
	}
	return func() {
		for i := range w.directions {
			copy(w.directions[i].memory, memory[i])
			w.directions[i].touched = append(w.directions[i].touched[:0], touched[i]...)
		}
	}
}

func ids(w *World) []uint64 {
	list := make([]uint64, len(w.contacts))
	for i := range w.contacts {
		list[i] = w.contacts[i].id
	}
	return list
}

// No step allocates, with edges, nodes of both bodies and many bodies.
func TestDetectionAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	for name, text := range map[string]string{
		"bars":    crossedBars("full", 60),
		"squares": fmt.Sprintf(squares, 33.0),
		"tool":    fmt.Sprintf(pressing, "full", 1, 14, 1.3, "smooth"),
		"crowd":   crowd(4),
	} {
		w := worldOf(t, text)
		start := w.StartPose()
		rng := rand.New(rand.NewPCG(1, 2))
		edges := 0
		step := func() {
			d := mgl64.Vec3{2e-3 * rng.Float64(), -1e-3 - 5e-4*rng.Float64(), 1e-3 * rng.Float64()}
			q := mgl64.QuatRotate(0.05*rng.Float64(), mgl64.Vec3{0, 1, 0})
			w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: q.Mul(start.Rotation)})
			for i := range w.contacts {
				if w.contacts[i].kind == edgeEdge {
					edges++
				}
			}
		}
		warm, runs := 300, 200
		if testing.Short() {
			warm, runs = 100, 50
		}
		for range warm {
			step()
		}
		if n := testing.AllocsPerRun(runs, step); n != 0 {
			t.Errorf("%s: %g allocations a step", name, n)
		}
		if edges == 0 {
			t.Errorf("%s: no edges met", name)
		}
	}
}
