package collision

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// tetrahedron is the least closed surface.
var tetrahedron = [][3]int32{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}

func TestEdgesOfASurface(t *testing.T) {
	edges, sides, owned := Edges(tetrahedron)
	if len(edges) != 6 {
		t.Fatalf("%d edges, want 6", len(edges))
	}
	for id, e := range edges {
		for k, f := range e.Face {
			tri := tetrahedron[f]
			at := slices.Index(sides[f][:], int32(id))
			from, to := tri[at], tri[(at+1)%3]
			if k == 1 {
				from, to = to, from
			}
			if from != e.Node[0] || to != e.Node[1] {
				t.Errorf("edge %v does not run along triangle %v", e, tri)
			}
		}
		if !slices.Contains(owned[e.Face[0]][:], int32(id)) {
			t.Errorf("edge %d does not belong to its first triangle", id)
		}
	}
	count := 0
	for _, o := range owned {
		for _, id := range o {
			if id >= 0 {
				count++
			}
		}
	}
	if count != 6 {
		t.Errorf("%d edges belong to a triangle, want 6", count)
	}

	// rims, a fin of three triangles, and triangles that are none
	tri := [][3]int32{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {5, 5, 5}, {5, 6, 5}, {7, 8, 9}}
	edges, sides, _ = Edges(tri)
	for id, e := range edges {
		key := [2]int32{min(e.Node[0], e.Node[1]), max(e.Node[0], e.Node[1])}
		want := [2]int32{e.Face[0], -1}
		if key == [2]int32{0, 1} || key == [2]int32{5, 6} {
			want = [2]int32{-1, -1}
		}
		if e.Face != want {
			t.Errorf("edge %d %v: faces %v, want %v", id, e.Node, e.Face, want)
		}
	}
	if sides[3] != [3]int32{-1, -1, -1} {
		t.Errorf("a triangle of one node has edges %v", sides[3])
	}
}

// Every edge of a triangulated grid has its rims where OpenEdges has them.
func TestEdgesAgreeWithOpenEdges(t *testing.T) {
	tri, _ := bumpyGrid(6, 0.1)
	edges, _, _ := Edges(tri)
	open := 0
	for _, e := range edges {
		if e.Face[1] < 0 {
			open++
			if !slices.Contains(OpenEdges(tri), e.Node) {
				t.Errorf("edge %v is no rim", e.Node)
			}
		}
	}
	if want := len(OpenEdges(tri)); open != want {
		t.Errorf("%d rims, want %d", open, want)
	}
	if want := 3*36 + 12; len(edges) != want {
		t.Errorf("%d edges, want %d", len(edges), want)
	}
}

// The closest points are feasible, and no other pair is closer: the distance is
// convex in both parameters, so that a descent from them finds nothing. Short,
// parallel, nearly parallel and meeting segments included.
func TestClosestSegments(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	vec := func(size float64) mgl64.Vec3 {
		return mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(size)
	}
	for i := range 20000 {
		p0, q0 := vec(1), vec(1)
		d1, d2 := vec(1), vec(1)
		switch i % 8 {
		case 1:
			d2 = d1.Mul(rng.NormFloat64()) // parallel
		case 2:
			d2 = d1.Add(vec(math.Pow(10, -12*rng.Float64()))) // nearly
		case 3:
			d1 = mgl64.Vec3{} // a point
		case 4:
			d1, d2 = mgl64.Vec3{}, mgl64.Vec3{}
		case 5:
			d1 = vec(1e-9)
		case 6: // they meet
			q0 = p0.Add(d1.Mul(rng.Float64())).Sub(d2.Mul(rng.Float64()))
		}
		p1, q1 := p0.Add(d1), q0.Add(d2)
		s, u, dist2 := ClosestSegments(p0, p1, q0, q1)
		if !(s >= 0 && s <= 1 && u >= 0 && u <= 1) {
			t.Fatalf("case %d: parameters %g %g", i%8, s, u)
		}
		at := func(s, u float64) mgl64.Vec3 {
			return p0.Add(p1.Sub(p0).Mul(s)).Sub(q0.Add(q1.Sub(q0).Mul(u)))
		}
		d := at(s, u)
		if e := math.Abs(d.LenSqr() - dist2); e > 1e-12*(1+dist2) {
			t.Fatalf("case %d: squared distance %g, the points have %g", i%8, dist2, d.LenSqr())
		}
		// Karush-Kuhn-Tucker: no feasible direction comes closer
		slack := 1e-7 * (1 + d.Len()) * (d1.Len() + d2.Len())
		if g := d.Dot(d1); s < 1 && -g > slack || s > 0 && g > slack {
			t.Fatalf("case %d: moving along the first segment comes closer: s %g, gradient %g", i%8, s, g)
		}
		if g := -d.Dot(d2); u < 1 && -g > slack || u > 0 && g > slack {
			t.Fatalf("case %d: moving along the second segment comes closer: t %g, gradient %g", i%8, u, g)
		}
	}
}

func TestNearFindsAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, size := range []int{1, 3, 9} {
		tri, now := bumpyGrid(size, 0.2)
		tri = append(tri, [3]int32{0, 0, 0}, [3]int32{0, 1, 0})
		other, far := bumpyGrid(5, 0.3)
		for i := range far {
			far[i] = far[i].Mul(0.4).Add(mgl64.Vec3{0.3, 0.2, 0.2})
		}
		a := &shifting{now: now, known: slices.Clone(now)}
		b := &shifting{now: far, known: slices.Clone(far)}
		ta, tb := NewMoving(tri, a.known, a.locate), NewMoving(other, b.known, b.locate)
		fitA, fitB := NewTree(tri, now), NewTree(other, far)
		var found [][2]int32
		lists := surroundings(tri, len(now), 1)
		around := ta.NewAround(lists)
		for range 150 {
			const most = 4e-3
			for _, x := range [][]mgl64.Vec3{now, far} {
				for i := range x {
					d := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
					x[i] = x[i].Add(d.Mul(most * rng.Float64() / d.Len()))
				}
			}
			ta.Drift(most)
			tb.Drift(most)
			reach := 0.15 * rng.Float64()

			found = ta.Near(found[:0], a.known, tb, b.known, reach)
			both := func(yield func(i, j int32)) {
				for i := range tri {
					for j := range other {
						x, y := triangleBox(&tri[i], now), triangleBox(&other[j], far)
						if x.gap2(&y, 0) <= reach*reach {
							yield(int32(i), int32(j))
						}
					}
				}
			}
			check(t, found, both)
			fitA.Refit(now, 0)
			fitB.Refit(far, 0)
			check(t, fitA.pairsNear(nil, now, fitB, far, reach), both)
			for _, p := range found {
				for _, node := range tri[p[0]] {
					if a.known[node] != now[node] {
						t.Fatal("a node of a pair is not where it says")
					}
				}
			}

			found = ta.Near(found[:0], a.known, ta, a.known, reach)
			itself := func(yield func(i, j int32)) {
				for i := range tri {
					for j := range i {
						x, y := triangleBox(&tri[i], now), triangleBox(&tri[j], now)
						if x.gap2(&y, 0) <= reach*reach {
							yield(int32(j), int32(i))
						}
					}
				}
			}
			check(t, found, itself)
			found = found[:0]
			for part := range ta.Parts() {
				found = ta.NearPart(found, a.known, part, reach, nil)
			}
			check(t, found, itself)

			// with what is around each other left out
			found = found[:0]
			for part := range ta.Parts() {
				found = ta.NearPart(found, a.known, part, reach, around)
			}
			neighbours := func(i, j int32) bool {
				return slices.ContainsFunc(tri[i][:], func(node int32) bool { return around.Near(node, j) })
			}
			found = slices.DeleteFunc(found, func(p [2]int32) bool { return neighbours(p[0], p[1]) })
			check(t, found, func(yield func(i, j int32)) {
				itself(func(i, j int32) {
					if !neighbours(i, j) {
						yield(i, j)
					}
				})
			})
			node := int32(rng.IntN(len(now)))
			hit, ok := ta.Closest(a.known, now[node], reach, -1, around.Except(node))
			want, there := NewTree(tri, now).ClosestExcept(now, now[node], reach, -1, lists[node])
			if hit != want || ok != there {
				t.Fatalf("node %d: %v %v, want %v %v", node, hit, ok, want, there)
			}

			var some []int32
			for i := range other {
				if rng.IntN(3) == 0 {
					some = append(some, int32(i))
				}
			}
			check(t, ta.NearSome(nil, a.known, tb, b.known, some, reach), func(yield func(i, j int32)) {
				for i := range tri {
					for _, j := range some {
						x, y := triangleBox(&tri[i], now), triangleBox(&other[j], far)
						if x.gap2(&y, 0) <= reach*reach {
							yield(int32(i), j)
						}
					}
				}
			})
		}
	}
}

// surroundings lists for each node the triangles within some rings around it: with one, those
// that have a corner in one of its own.
func surroundings(tri [][3]int32, nodes, rings int) [][]int32 {
	at := make([][]int32, nodes)
	for i, t := range tri {
		for _, node := range t {
			at[node] = append(at[node], int32(i))
		}
	}
	lists := slices.Clone(at)
	for range rings {
		wider := make([][]int32, nodes)
		for node := range lists {
			for _, f := range lists[node] {
				for _, other := range tri[f] {
					wider[node] = append(wider[node], at[other]...)
				}
			}
			slices.Sort(wider[node])
			wider[node] = slices.Compact(wider[node])
		}
		lists = wider
	}
	return lists
}

// A surface that is near itself everywhere: its own surroundings are passed by as whole
// boxes, so that next to no pair of them is found.
func TestWhatIsAroundIsPassedBy(t *testing.T) {
	tri, x := bumpyGrid(40, 0)
	m := NewMoving(tri, x, func(int32) {})
	around := m.NewAround(surroundings(tri, len(x), 3))
	all, left := 0, 0
	for part := range m.Parts() {
		all += len(m.NearPart(nil, x, part, 1e-3, nil))
		left += len(m.NearPart(nil, x, part, 1e-3, around))
	}
	if !(left < all/4) {
		t.Errorf("%d pairs of %d are found all the same", left, all)
	}
}

// check compares found pairs with wanted ones: each once, none missing, none else.
func check(t *testing.T, found [][2]int32, wanted func(func(i, j int32))) {
	t.Helper()
	seen := map[[2]int32]bool{}
	for _, p := range found {
		if seen[p] {
			t.Fatalf("pair %v comes twice", p)
		}
		seen[p] = true
	}
	n := 0
	wanted(func(i, j int32) {
		n++
		if !seen[[2]int32{i, j}] {
			t.Fatalf("pair %d %d is missing", i, j)
		}
	})
	if n != len(found) {
		t.Fatalf("%d pairs, want %d", len(found), n)
	}
}

// Two large surfaces that touch in one place: the work stays there.
func TestNearAsksForFewNodes(t *testing.T) {
	tri, now := bumpyGrid(100, 0)
	bowl, over := bumpyGrid(60, 0)
	for i, x := range over { // a bowl, upside down
		d := mgl64.Vec3{x[0] - 0.5, 0, x[2] - 0.5}
		over[i] = mgl64.Vec3{0.5 + d[0], 0.01 + 2*d.LenSqr(), 0.5 + d[2]}
	}
	a := &shifting{now: now, known: slices.Clone(now)}
	b := &shifting{now: over, known: slices.Clone(over)}
	ta, tb := NewMoving(tri, a.known, a.locate), NewMoving(bowl, b.known, b.locate)
	var found [][2]int32
	rng := rand.New(rand.NewPCG(3, 1))
	const steps, move = 500, 1e-4
	for range steps {
		shift := mgl64.Vec3{rng.Float64() - 0.5, 0, rng.Float64() - 0.5}.Mul(move)
		for i := range over {
			over[i] = over[i].Add(shift)
			now[i] = now[i].Sub(shift)
		}
		for i := len(over); i < len(now); i++ {
			now[i] = now[i].Sub(shift)
		}
		ta.Drift(move)
		tb.Drift(move)
		found = ta.Near(found[:0], a.known, tb, b.known, 0.012)
		if len(found) == 0 {
			t.Fatal("nothing is near")
		}
	}
	if per := float64(a.asked+b.asked) / steps; per > 600 {
		t.Errorf("%.0f nodes a step, of %d", per, len(now)+len(over))
	}
	if n := testing.AllocsPerRun(50, func() {
		ta.Drift(move)
		found = ta.Near(found[:0], a.known, tb, b.known, 0.012)
	}); n != 0 {
		t.Errorf("%g allocations a query", n)
	}
	empty := NewMoving(nil, nil, nil)
	if got := empty.Near(nil, nil, ta, a.known, 1); len(got) != 0 {
		t.Errorf("an empty surface is near %v", got)
	}
}

// pairsNear appends to dst the pairs of triangles, one of t and one of o, another surface, whose boxes are within reach of
// each other, each pair once, by the boxes alone: what Moving.Near is held against. Both trees fit their positions.
func (t *Tree) pairsNear(dst [][2]int32, positions []mgl64.Vec3, o *Tree, others []mgl64.Vec3, reach float64) [][2]int32 {
	if len(t.nodes) == 0 || len(o.nodes) == 0 {
		return dst
	}
	var stack [2 * maxDepth][2]int32 // stack[0] is both roots
	top, limit := 1, reach*reach
	for top > 0 {
		top--
		i, j := stack[top][0], stack[top][1]
		a, b := &t.nodes[i], &o.nodes[j]
		if rounded*a.gap2(&b.box, 0) > limit {
			continue
		}
		switch {
		case a.count > 0 && b.count > 0:
			dst = t.nearLeaves(dst, positions, a, o, others, b, limit)
			continue
		case b.count > 0 || a.count == 0 && a.extent() >= b.extent():
			stack[top], stack[top+1] = [2]int32{i + 1, j}, [2]int32{a.right, j}
		default:
			stack[top], stack[top+1] = [2]int32{i, j + 1}, [2]int32{i, b.right}
		}
		top += 2
	}
	return dst
}
