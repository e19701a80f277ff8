package finitestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/solid"
)

// shelf is a pair of blocks, the upper one held at its left side 1 mm above the lower one,
// which is held below and has another law; with far the lower one is a metre away.
type shelf struct {
	*Live
	held [2][]int32 // of the upper, of the lower
	cut  int        // first node of the lower
}

func newShelf(t testing.TB, far, alone bool, options func(*LiveOptions)) *shelf {
	t.Helper()
	upper := tetBox(t, mgl64.Vec3{0.1, 0.1, 0.03}, [3]int{6, 6, 2})
	lower := tetBox(t, mgl64.Vec3{0.1, 0.1, 0.05}, [3]int{5, 5, 3})
	down := 0.0
	if far {
		down = -1
	}
	for i := range upper.Nodes {
		upper.Nodes[i] = upper.Nodes[i].Add(mgl64.Vec3{0, 0, 0.051})
	}
	for i := range lower.Nodes { // no node lies above another
		lower.Nodes[i] = lower.Nodes[i].Add(mgl64.Vec3{0.004, 0.003, down})
	}
	lambda, mu := solid.Lame(12000, 0.4)
	laws := []solid.Law{solid.Barrier{Law: solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu}}
	lambda, mu = solid.Lame(5000, 0.3)
	laws = append(laws, solid.Barrier{Law: solid.Corotational{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu})
	if alone {
		return newPair(t, []*mesh.Mesh{upper}, laws[:1], [][]int32{upper.NodeSets["left"]}, options)
	}
	return newPair(t, []*mesh.Mesh{upper, lower}, laws, [][]int32{upper.NodeSets["left"], lower.NodeSets["back"]}, options)
}

// newPair makes one body or two of meshes, laws, and what holds them.
func newPair(t testing.TB, bodies []*mesh.Mesh, laws []solid.Law, held [][]int32, options func(*LiveOptions)) *shelf {
	t.Helper()
	s := &shelf{cut: len(bodies[0].Nodes)}
	m := &mesh.Mesh{}
	var skins []Skin
	var nodes, fixed []int32
	for i, from := range bodies {
		first := int32(len(m.Nodes))
		m.Nodes = append(m.Nodes, from.Nodes...)
		conn := mesh.Block{Type: mesh.Tet4}
		for _, n := range from.Blocks[0].Nodes {
			conn.Nodes = append(conn.Nodes, n+first)
		}
		m.Blocks = append(m.Blocks, conn)
		for _, n := range held[i] {
			s.held[i] = append(s.held[i], n+first)
		}
		fixed = append(fixed, s.held[i]...)
		skins = append(skins, skinOf(from, int(first)))
		for _, tri := range skins[i].Triangles {
			nodes = append(nodes, tri[:]...)
		}
	}
	var met []Meeting
	if len(bodies) > 1 {
		met = []Meeting{{A: 0, B: 1, Friction: 0.2}}
	}
	b, err := solid.NewOf(m, solid.Full, laws)
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultLiveOptions(0.1)
	o.Lag, o.Contacts = 4, contacts
	if options != nil {
		options(&o)
	}
	s.Live, err = NewLiveOf(b, skins, met, fixed, sorted(nodes), &Shape{Round: 0.012}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func sorted(nodes []int32) (out []int32) {
	seen := map[int32]bool{}
	for _, n := range nodes {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

func skinOf(m *mesh.Mesh, first int) Skin {
	s := m.Surface()
	out := Skin{Friction: math.NaN()}
	for _, t := range s.Triangles {
		out.Triangles = append(out.Triangles, [3]int32{s.Nodes[t[0]] + int32(first), s.Nodes[t[1]] + int32(first), s.Nodes[t[2]] + int32(first)})
	}
	return out
}

// reach leads a ball of 12 mm to a place in steps of half a reach, until it is there. Nothing crosses on its way.
func (s *shelf) reach(t testing.TB, from, to mgl64.Vec3) (r LiveReport) {
	t.Helper()
	n := math.Ceil(to.Sub(from).Len() / (s.Options.Reach / 2))
	for k := 1.0; k <= n; k++ {
		r = s.Live.reach(t, from.Add(to.Sub(from).Mul(k/n)))
		if reason := s.Validate(); reason != Valid {
			t.Fatalf("%v: %v", r.Tool.Position, reason)
		}
	}
	return r
}

// support is the force of a body's support on it, N.
func (s *shelf) support(body int) (f mgl64.Vec3) {
	force := make([]float64, len(s.X))
	s.cells.Forces(force, s.Shown.X)
	for _, n := range s.held[body] {
		f = f.Add(mgl64.Vec3(force[3*n : 3*n+3]))
	}
	return f
}

// A tool presses the upper block onto the lower one: what the tool takes both supports
// take together, what comes through the gap the lower one's support. The blocks stay out
// of each other, and let go they are as before.
func TestBlockIsPressedOnBlock(t *testing.T) {
	s := newShelf(t, false, false, nil)
	start := mgl64.Vec3{0.075, 0.052, 0.095}
	s.Put(frame.At(start))
	for _, way := range []mgl64.Vec3{{0, 0, -0.03}, {0.012, 0.01, -0.035}} {
		r := s.reach(t, start, start.Add(way))
		var through mgl64.Vec3 // on the lower one
		loaded := 0
		for i := range s.constraints {
			row := &s.constraints[i]
			if !row.other || row.force == (mgl64.Vec3{}) {
				continue
			}
			loaded++
			if int(row.nodes[0]) >= s.cut {
				through = through.Add(row.force)
			} else {
				through = through.Sub(row.force)
			}
		}
		upper, lower := s.support(0), s.support(1)
		miss := r.Residual * math.Sqrt(float64(len(s.k.FreeNode)))
		if off := upper.Add(lower).Add(r.Force).Len(); off > miss || r.Force.Len() < 0.5 {
			t.Errorf("the tool presses with %v N, the supports with %v and %v: %.2g N off", r.Force, upper, lower, off)
		}
		if off := lower.Add(through).Len(); off > miss || lower.Len() < 0.2 || loaded < 3 {
			t.Errorf("%d contacts press the lower block with %v N, its support with %v: %.2g N off", loaded, through, lower, off)
		}
		t.Logf("tool %.3v N, through the gap %.3v N by %d contacts, residual %.1g N", r.Force, through, loaded, r.Residual)
		s.reach(t, start.Add(way), start)
	}
	far := 0.0
	for i, x := range s.body.Rest() {
		far = math.Max(far, math.Abs(s.Shown.X[i]-x))
	}
	if far > 1e-6 {
		t.Errorf("let go, a node is %g m from rest", far)
	}
}

// Where there are more contacts than rows the tool may have to wait, but nothing crosses.
func TestBodiesWithTooFewRows(t *testing.T) {
	s := newShelf(t, false, false, func(o *LiveOptions) { o.Contacts = 12 })
	at := mgl64.Vec3{0.075, 0.052, 0.095}
	s.Put(frame.At(at))
	full := 0
	for range 60 {
		at[2] -= 5e-4
		s.lead(at)
		if reason := s.Validate(); reason != Valid {
			t.Fatalf("%v: %v", at, reason)
		}
		if len(s.constraints) == 36 {
			full++
		}
	}
	if full == 0 {
		t.Error("there was room for all contacts: the test shows nothing")
	}
}

// With another body in the mesh, out of reach, a body has the same forces as alone.
func TestBodyBesideAnotherIsAsAlone(t *testing.T) {
	exact := func(o *LiveOptions) { o.Tolerance, o.Accept, o.Corrections = 1e-6, 1e-5, 60 }
	alone, beside := newShelf(t, false, true, exact), newShelf(t, true, false, exact)
	at := mgl64.Vec3{0.075, 0.052, 0.095}
	alone.Put(frame.At(at))
	beside.Put(frame.At(at))
	for _, way := range []mgl64.Vec3{{0, 0, -0.012}, {0.004, 0.003, -0.016}} {
		to := at.Add(way)
		want, got := alone.reach(t, at, to), beside.reach(t, at, to)
		if got.Force.Sub(want.Force).Len() > 1e-3*want.Force.Len() || want.Force.Len() < 0.05 {
			t.Errorf("%v N, alone %v N", got.Force, want.Force)
		}
		for i, x := range alone.Shown.X {
			if math.Abs(beside.Shown.X[i]-x) > 1e-6 {
				t.Fatalf("node %d is at %v m, alone at %v m", i/3, beside.Shown.X[i/3*3:i/3*3+3], alone.Shown.X[i/3*3:i/3*3+3])
			}
		}
		alone.reach(t, to, at)
		beside.reach(t, to, at)
	}
}

// A step of two bodies that press on each other allocates nothing.
func TestBodiesAllocateNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	s := newShelf(t, false, false, func(o *LiveOptions) { o.Refresh = false })
	start := mgl64.Vec3{0.075, 0.052, 0.095}
	s.Put(frame.At(start))
	at, i := start.Add(mgl64.Vec3{0, 0, -0.03}), 0
	s.reach(t, start, at)
	step := func() { i++; s.lead(at.Add(mgl64.Vec3{0, 0, 1e-4 * float64(i%2)})) }
	for range 20 {
		step()
	}
	if n := testing.AllocsPerRun(20, step); n > 0 {
		t.Errorf("%g allocations a step", n)
	}
}
