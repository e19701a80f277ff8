package collision

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// bumpyGrid is an open height field of 2*n*n triangles over the unit square.
func bumpyGrid(n int, height float64) ([][3]int32, []mgl64.Vec3) {
	var pos []mgl64.Vec3
	var tri [][3]int32
	for k := range n + 1 {
		for i := range n + 1 {
			x, z := float64(i)/float64(n), float64(k)/float64(n)
			pos = append(pos, mgl64.Vec3{x, height * math.Sin(7*x) * math.Cos(5*z), z})
		}
	}
	id := func(i, k int) int32 { return int32(i + (n+1)*k) }
	for k := range n {
		for i := range n {
			tri = append(tri, [3]int32{id(i, k), id(i+1, k+1), id(i+1, k)}, [3]int32{id(i, k), id(i, k+1), id(i+1, k+1)})
		}
	}
	return tri, pos
}

// allPairs is the slow reference: every triangle, then the lowest id that ties.
func allPairs(tri [][3]int32, pos []mgl64.Vec3, p mgl64.Vec3, maxDist float64) (Hit, bool) {
	best := math.Inf(1)
	for _, t := range tri {
		_, d := ClosestOnTriangle(p, pos[t[0]], pos[t[1]], pos[t[2]])
		best = min(best, d)
	}
	tie := NewTree(tri, pos).tie
	for id, t := range tri {
		w, d := ClosestOnTriangle(p, pos[t[0]], pos[t[1]], pos[t[2]])
		if d <= best+tie && d <= maxDist*maxDist {
			return Hit{Triangle: int32(id), Weights: w, Dist2: d}, true
		}
	}
	return Hit{}, false
}

func TestClosestAgreesWithAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 2, 7, 20} {
		tri, pos := bumpyGrid(size, 0.2)
		// degenerate triangles: a point and a line
		tri = append(tri, [3]int32{0, 0, 0}, [3]int32{0, 1, 0})
		tree := NewTree(tri, pos)
		hint, drift, margin := int32(-1), 0.0, 0.0
		for range 500 {
			// move the surface, so that the refitted boxes are tested, not the built ones
			for i := range pos {
				pos[i] = pos[i].Add(mgl64.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}.Mul(5e-3))
			}
			if drift += 0.01; drift > margin { // each move is shorter than a hundredth
				drift, margin = 0, 0.05*rng.Float64()
				tree.Refit(pos, margin)
			}
			p := mgl64.Vec3{rng.Float64()*1.4 - 0.2, rng.Float64()*0.8 - 0.4, rng.Float64()*1.4 - 0.2}
			maxDist := math.Inf(1)
			if rng.IntN(2) == 0 {
				maxDist = 0.1
			}
			want, wantOK := allPairs(tri, pos, p, maxDist)
			got, ok := tree.Closest(pos, p, maxDist, hint)
			if ok != wantOK || got != want {
				t.Fatalf("size %d, p %v, max %g: got %+v %v, want %+v %v", size, p, maxDist, got, ok, want, wantOK)
			}
			if ok {
				hint = got.Triangle
			}
		}
	}
}

func TestTiesGoToTheLowestTriangle(t *testing.T) {
	tri, pos := bumpyGrid(10, 0)
	tree := NewTree(tri, pos)
	for _, c := range []struct {
		name string
		p    mgl64.Vec3
		want int32
	}{
		{"over a node, six triangles meet", mgl64.Vec3{0.3, 0.01, 0.4}, 2 * (2 + 10*3)},
		{"over an edge along x", mgl64.Vec3{0.35, 0.01, 0.4}, 2*(3+10*3) + 1},
		{"over an edge along z", mgl64.Vec3{0.3, 0.01, 0.45}, 2 * (2 + 10*4)},
		{"over a diagonal", mgl64.Vec3{0.35, -0.01, 0.45}, 2 * (3 + 10*4)},
		{"inside the first triangle of a quad", mgl64.Vec3{0.38, 0.5, 0.42}, 2 * (3 + 10*4)},
	} {
		for hint := int32(-1); hint < int32(len(tri)); hint += 13 {
			hit, ok := tree.Closest(pos, c.p, math.Inf(1), hint)
			if !ok || hit.Triangle != c.want {
				t.Errorf("%s, hint %d: triangle %d, want %d", c.name, hint, hit.Triangle, c.want)
			}
		}
	}
}

func TestClosestPointIsFeasibleAndOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	vec := func() mgl64.Vec3 { return mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	for range 2000 {
		a, b, c, p := vec(), vec(), vec(), vec()
		w, d := ClosestOnTriangle(p, a, b, c)
		if s := w[0] + w[1] + w[2]; math.Abs(s-1) > 1e-12 || w[0] < 0 || w[1] < 0 || w[2] < 0 {
			t.Fatalf("weights %v of %v %v %v", w, a, b, c)
		}
		q := a.Mul(w[0]).Add(b.Mul(w[1])).Add(c.Mul(w[2]))
		if e := p.Sub(q).LenSqr(); math.Abs(e-d) > 1e-10*(1+d) {
			t.Fatalf("distance %g, point gives %g", d, e)
		}
		// the closest point of a convex set: no corner lies on p's side of it
		for _, v := range []mgl64.Vec3{a, b, c} {
			if p.Sub(q).Dot(v.Sub(q)) > 1e-9 {
				t.Fatalf("corner %v is on the near side", v)
			}
		}
	}
}

func TestClosestAllocatesNothing(t *testing.T) {
	tri, pos := bumpyGrid(20, 0.2)
	tree := NewTree(tri, pos)
	if n := testing.AllocsPerRun(100, func() {
		tree.Refit(pos, 0)
		tree.Closest(pos, mgl64.Vec3{0.4, 0.3, 0.6}, 1, -1)
	}); n != 0 {
		t.Errorf("%g allocations a query", n)
	}
}

func TestVertexNormalsAndOpenEdges(t *testing.T) {
	tri, pos := bumpyGrid(4, 0)
	for i := range pos {
		var around []int32
		for id, t := range tri {
			if slices.Contains(t[:], int32(i)) {
				around = append(around, int32(id))
			}
		}
		if n := VertexNormal(int32(i), around, tri, pos); !n.ApproxEqualThreshold(mgl64.Vec3{0, 1, 0}, 1e-12) {
			t.Fatalf("node %d: normal %v", i, n)
		}
	}
	// the corner of a cube, one of its faces split in two: weights are angles,
	// not triangles, so the normal is the diagonal all the same
	corner := []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}}
	faces := [][3]int32{{0, 2, 1}, {0, 3, 2}, {0, 1, 4}, {0, 4, 3}}
	want := mgl64.Vec3{-1, -1, -1}.Normalize()
	if n := VertexNormal(0, []int32{0, 1, 2, 3}, faces, corner); !n.ApproxEqualThreshold(want, 1e-12) {
		t.Errorf("corner of a cube: normal %v", n)
	}
	if got := len(OpenEdges(tri)); got != 16 {
		t.Errorf("%d open edges, want 16", got)
	}
	tetra := [][3]int32{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}
	if got := len(OpenEdges(tetra)); got != 0 {
		t.Errorf("a closed surface has %d open edges", got)
	}
}

func TestEmptySurface(t *testing.T) {
	tree := NewTree(nil, nil)
	tree.Refit(nil, 0)
	if _, ok := tree.Closest(nil, mgl64.Vec3{}, math.Inf(1), -1); ok {
		t.Error("an empty surface has a closest point")
	}
}

func BenchmarkClosest36(b *testing.B) {
	for _, size := range []int{10, 70} {
		tri, pos := bumpyGrid(size, 0.05)
		tree := NewTree(tri, pos)
		b.Run(map[int]string{10: "triangles=200", 70: "triangles=9800"}[size], func(b *testing.B) {
			for b.Loop() {
				tree.Refit(pos, 0)
				for i := range 36 {
					p := mgl64.Vec3{0.4 + 0.02*float64(i%6), 0.06, 0.4 + 0.02*float64(i/6)}
					tree.Closest(pos, p, 0.05, -1)
				}
			}
		})
	}
}
