package finitestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/equilibrium"
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
		met = []Meeting{{Nodes: 0, Triangles: 1, Friction: 0.2}, {Nodes: 1, Triangles: 0, Friction: 0.2}}
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
	s.Live, err = NewLiveOf(b, skins, met, fixed, sorted(nodes), o)
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

// reach moves a ball of 12 mm until it is where it should be.
func (s *shelf) reach(t testing.TB, from, to mgl64.Vec3) LiveReport {
	t.Helper()
	at := from
	for range 2000 {
		way := to.Sub(at)
		if n := way.Len(); n > s.Options.Reach/2 {
			way = way.Mul(s.Options.Reach / 2 / n)
		}
		r := s.Step(equilibrium.Ball{Centre: at, Radius: 0.012, Way: way})
		if !r.Settled {
			continue
		}
		if j, inverted := s.body.MinJ(s.Shown); inverted > 0 {
			t.Fatalf("%d elements turned over, J %g", inverted, j)
		}
		ball := r.Tool.(equilibrium.Ball)
		if at = ball.Centre.Add(ball.Way.Mul(r.Share)); at.Sub(to).Len() < 1e-12 {
			return r
		}
	}
	t.Fatalf("the ball does not reach %v: it is at %v, %+v", to, at, s.report)
	return LiveReport{}
}

// support is the force of a body's support on it, N.
func (s *shelf) support(body int) (f mgl64.Vec3) {
	force := make([]float64, len(s.X))
	s.cells.Forces(force, s.Shown)
	for _, n := range s.held[body] {
		f = f.Add(mgl64.Vec3(force[3*n : 3*n+3]))
	}
	return f
}

// inside is how deep a node of either body is in the other, m, or with edges a point of an
// edge: through the body, the nearest place of its surface.
func (s *shelf) inside(edges bool) (deepest float64) {
	at := make([]mgl64.Vec3, len(s.X)/3)
	for n := range at {
		at[n] = mgl64.Vec3(s.Shown[3*n : 3*n+3])
	}
	for i := range s.itself {
		deepest = math.Max(deepest, insideOf(at, s.itself[i].triangles, s.itself[1-i].triangles, edges))
	}
	return deepest
}

// insideOf is how deep a node, or with edges a point of an edge, of the triangles from is in on.
func insideOf(at []mgl64.Vec3, on, from [][3]int32, edges bool) (deepest float64) {
	var points []mgl64.Vec3
	for _, t := range from {
		for i, n := range t {
			points = append(points, at[n])
			way := at[t[(i+1)%3]].Sub(at[n])
			for k := 1; k < 16 && edges; k++ {
				points = append(points, at[n].Add(way.Mul(float64(k)/16)))
			}
		}
	}
	tree := collision.NewTree(on, at)
	for _, p := range points {
		hit, _ := tree.Closest(at, p, math.Inf(1), -1)
		if d := math.Sqrt(hit.Dist2); d > deepest && turns(on, at, p) > 0.5 {
			deepest = d
		}
	}
	return deepest
}

// turns is how often a surface goes round a point: once where that is inside.
func turns(triangles [][3]int32, at []mgl64.Vec3, p mgl64.Vec3) (turns float64) {
	for _, t := range triangles {
		a, b, c := at[t[0]].Sub(p), at[t[1]].Sub(p), at[t[2]].Sub(p)
		turns += math.Atan2(a.Dot(b.Cross(c)), a.Len()*b.Len()*c.Len()+a.Dot(b)*c.Len()+b.Dot(c)*a.Len()+c.Dot(a)*b.Len()) / (2 * math.Pi)
	}
	return turns
}

// A tool presses the upper block onto the lower one: what the tool takes both supports
// take together, what comes through the gap the lower one's support. The blocks stay out
// of each other, and let go they are as before.
func TestBlockIsPressedOnBlock(t *testing.T) {
	s := newShelf(t, false, false, nil)
	start := mgl64.Vec3{0.075, 0.052, 0.095}
	for _, way := range []mgl64.Vec3{{0, 0, -0.03}, {0.012, 0.01, -0.035}} {
		r := s.reach(t, start, start.Add(way))
		var through mgl64.Vec3 // on the lower one
		loaded := 0
		for i := range s.rows {
			row := &s.rows[i]
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
		deep := s.inside(false)
		if deep > 0.2e-3 {
			t.Errorf("the blocks are %.3g mm inside each other", 1e3*deep)
		}
		t.Logf("tool %.3v N, through the gap %.3v N by %d contacts, residual %.1g N, inside %.3g mm", r.Force, through, loaded, r.Residual, 1e3*deep)
		s.reach(t, start.Add(way), start)
	}
	far := 0.0
	for i, x := range s.body.Rest() {
		far = math.Max(far, math.Abs(s.Shown[i]-x))
	}
	if far > 1e-6 {
		t.Errorf("let go, a node is %g m from rest", far)
	}
}

// Where there are more contacts than rows, the tool may have to wait, but no state is shown in
// which a body is in the other.
func TestBodiesWithTooFewRows(t *testing.T) {
	s := newShelf(t, false, false, func(o *LiveOptions) { o.Contacts = 24 })
	at, shown, deepest := mgl64.Vec3{0.075, 0.052, 0.095}, 0, 0.0
	for range 90 {
		r := s.Step(equilibrium.Ball{Centre: at, Radius: 0.012, Way: mgl64.Vec3{0, 0, -0.0005}})
		if !r.Settled {
			continue
		}
		ball := r.Tool.(equilibrium.Ball)
		at = ball.Centre.Add(ball.Way.Mul(r.Share))
		if shown++; shown > 20 {
			deepest = math.Max(deepest, s.inside(false))
		}
	}
	if shown < 22 || deepest > 0.2e-3 {
		t.Errorf("in %d states that are shown a node is %.3g mm inside the other block", shown, 1e3*deepest)
	}
	t.Logf("%d states of 90, %.3g mm", shown, 1e3*deepest)
}

// With another body in the mesh, out of reach, a body has the same forces as alone.
func TestBodyBesideAnotherIsAsAlone(t *testing.T) {
	exact := func(o *LiveOptions) { o.Tolerance, o.Accept, o.Corrections = 1e-6, 1e-5, 60 }
	alone, beside := newShelf(t, false, true, exact), newShelf(t, true, false, exact)
	at := mgl64.Vec3{0.075, 0.052, 0.095}
	for _, way := range []mgl64.Vec3{{0, 0, -0.012}, {0.004, 0.003, -0.016}} {
		to := at.Add(way)
		want, got := alone.reach(t, at, to), beside.reach(t, at, to)
		if got.Force.Sub(want.Force).Len() > 1e-3*want.Force.Len() || want.Force.Len() < 0.05 {
			t.Errorf("%v N, alone %v N", got.Force, want.Force)
		}
		for i, x := range alone.Shown {
			if math.Abs(beside.Shown[i]-x) > 1e-6 {
				t.Fatalf("node %d is at %v m, alone at %v m", i/3, beside.Shown[i/3*3:i/3*3+3], alone.Shown[i/3*3:i/3*3+3])
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
	s.reach(t, start, start.Add(mgl64.Vec3{0, 0, -0.03}))
	at, up := start.Add(mgl64.Vec3{0, 0, -0.03}), mgl64.Vec3{0, 0, 1e-4}
	tools := [2]equilibrium.Obstacle{equilibrium.Ball{Centre: at, Radius: 0.012, Way: up}, equilibrium.Ball{Centre: at.Add(up), Radius: 0.012, Way: up.Mul(-1)}}
	i := 0
	step := func() { s.Step(tools[i%2]); i++ }
	for range 20 {
		step()
	}
	if n := testing.AllocsPerRun(20, step); n > 0 {
		t.Errorf("%g allocations a step", n)
	}
}
