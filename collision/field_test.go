package collision

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// ballMesh is a sphere of radius r with bumps, 12 n^2 triangles.
func ballMesh(n int, r, bumps float64) ([][3]int32, []mgl64.Vec3) {
	inside := func(p mgl64.Vec3) bool {
		l := p.Len()
		if l == 0 {
			return true
		}
		u := p.Mul(1 / l)
		return l <= r*(1+bumps*math.Sin(5*u[0])*math.Cos(4*u[1]+3*u[2]))
	}
	tri, pos, _ := triangulate(inside, mgl64.Vec3{}, n)
	return tri, pos
}

// torusMesh turns a circle of radius r at the distance R from the Y axis.
func torusMesh(n int, R, r float64) (tri [][3]int32, pos []mgl64.Vec3) {
	for i := range n {
		a := 2 * math.Pi * float64(i) / float64(n)
		for j := range n {
			b := 2 * math.Pi * float64(j) / float64(n)
			c := R + r*math.Cos(b)
			pos = append(pos, mgl64.Vec3{c * math.Cos(a), r * math.Sin(b), c * math.Sin(a)})
		}
	}
	id := func(i, j int) int32 { return int32(i%n*n + j%n) }
	for i := range n {
		for j := range n {
			tri = append(tri, [3]int32{id(i, j), id(i, j+1), id(i+1, j+1)}, [3]int32{id(i, j), id(i+1, j+1), id(i+1, j)})
		}
	}
	return tri, pos
}

// join puts two surfaces side by side.
func join(tri [][3]int32, pos []mgl64.Vec3, tri2 [][3]int32, pos2 []mgl64.Vec3, shift mgl64.Vec3) ([][3]int32, []mgl64.Vec3) {
	tri, pos = slices.Clone(tri), slices.Clone(pos)
	first := int32(len(pos))
	for _, x := range pos2 {
		pos = append(pos, x.Add(shift))
	}
	for _, t := range tri2 {
		tri = append(tri, [3]int32{t[0] + first, t[1] + first, t[2] + first})
	}
	return tri, pos
}

// sliced replaces triangle 0, abc, by one that is split at the middle m of its
// edge ab, and a triangle without area between that edge and its neighbour.
func sliced(tri [][3]int32, pos []mgl64.Vec3) ([][3]int32, []mgl64.Vec3) {
	tri, pos = slices.Clone(tri), slices.Clone(pos)
	a, b, c := tri[0][0], tri[0][1], tri[0][2]
	m := int32(len(pos))
	pos = append(pos, pos[a].Add(pos[b]).Mul(0.5))
	tri[0] = [3]int32{a, m, c}
	return append(tri, [3]int32{m, b, c}, [3]int32{a, b, m}), pos
}

var spiky = func() ([][3]int32, []mgl64.Vec3) { // a needle on a plate: obtuse and acute corners
	pos := []mgl64.Vec3{{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}, {0.1, 2, 0}, {0, -0.1, 0}}
	var tri [][3]int32
	for k := range int32(4) {
		tri = append(tri, [3]int32{k, 4, (k + 1) % 4}, [3]int32{k, (k + 1) % 4, 5})
	}
	return tri, pos
}

func TestFieldAgreesWithBruteForce(t *testing.T) {
	bumpyTri, bumpyPos := ballMesh(8, 0.8, 0.3)
	torusTri, torusPos := torusMesh(14, 0.7, 0.25)
	smallTri, smallPos := ballMesh(4, 0.3, 0)
	twoTri, twoPos := join(torusTri, torusPos, smallTri, smallPos, mgl64.Vec3{0.02, 0.1, -0.03})
	cubeTri, cubePos, _ := triangulate(solids[4].inside, mgl64.Vec3{}, 2)
	slicedTri, slicedPos := sliced(cubeTri, cubePos)
	slicedTri, slicedPos = sliced(slicedTri, slicedPos)
	spikyTri, spikyPos := spiky()
	for _, c := range []struct {
		name string
		tri  [][3]int32
		pos  []mgl64.Vec3
	}{
		{"bumpy ball", bumpyTri, bumpyPos},
		{"torus", torusTri, torusPos},
		{"two parts", twoTri, twoPos},
		{"cube", cubeTri, cubePos},
		{"triangles without area", slicedTri, slicedPos},
		{"needle", spikyTri, spikyPos},
	} {
		f, err := NewField(c.tri, c.pos)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		rng := rand.New(rand.NewPCG(1, 7))
		for i := range 4000 {
			p := randomPoint(rng, 1.5)
			switch i % 4 {
			case 0: // close to the surface
				tri := c.tri[rng.IntN(len(c.tri))]
				p = c.pos[tri[0]].Mul(0.3).Add(c.pos[tri[1]].Mul(0.3)).Add(c.pos[tri[2]].Mul(0.4)).Add(randomPoint(rng, 1e-3))
			case 1: // close to a node
				p = c.pos[rng.IntN(len(c.pos))].Add(randomPoint(rng, 1e-2))
			}
			want := math.Inf(1)
			for _, tri := range c.tri {
				_, d := ClosestOnTriangle(p, c.pos[tri[0]], c.pos[tri[1]], c.pos[tri[2]])
				want = min(want, math.Sqrt(d))
			}
			turns := f.winding(p)
			if math.Abs(turns-math.Round(turns)) > 1e-6 {
				t.Fatalf("%s: winding number %g at %v", c.name, turns, p)
			}
			if math.Round(turns) == 1 {
				want = -want
			}
			q, n, d := f.Closest(p)
			if math.Abs(d-want) > 1e-9 {
				t.Fatalf("%s: distance %g at %v, want %g", c.name, d, p, want)
			}
			if math.Abs(n.Len()-1) > 1e-12 || q.Add(n.Mul(d)).Sub(p).Len() > 1e-9 {
				t.Fatalf("%s: %v: closest %v, normal %v, distance %g", c.name, p, q, n, d)
			}
			least := f.AtLeast(p)
			if least > d+1e-12 {
				t.Fatalf("%s: at least %g at %v, distance %g", c.name, least, p, d)
			}
			if lo, hi := f.Bounds(); (box{lo, hi}).has(p) && least < d-2*f.Error() {
				t.Fatalf("%s: at least %g at %v, distance %g, error bound %g", c.name, least, p, d, f.Error())
			}
		}
		// far away nothing but a bound of the box is asked for
		if least := f.AtLeast(mgl64.Vec3{100, 0, 0}); !(least > 98 && least < 100) {
			t.Errorf("%s: at least %g, 100 away", c.name, least)
		}
		if b := f.Bytes(); b > 1<<20 {
			t.Errorf("%s: %d bytes for %d triangles", c.name, b, len(c.tri))
		}
	}
}

func (b box) has(p mgl64.Vec3) bool { return b.dist2(p) == 0 }

// On the surface itself the normal is the pseudonormal.
func TestFieldOnItsSurface(t *testing.T) {
	var pos []mgl64.Vec3
	for i := range 8 {
		pos = append(pos, mgl64.Vec3{float64(i&1) - 0.5, float64(i>>1&1) - 0.5, float64(i>>2) - 0.5})
	}
	tri := [][3]int32{
		{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, // z
		{0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, // y
		{0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}, // x
	}
	f, err := NewField(tri, pos)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ p, n mgl64.Vec3 }{
		{mgl64.Vec3{0.5, 0.05, 0.07}, mgl64.Vec3{1, 0, 0}},
		{mgl64.Vec3{0.5, 0.5, 0.07}, mgl64.Vec3{1, 1, 0}.Normalize()},
		{mgl64.Vec3{0.5, 0.5, 0.5}, mgl64.Vec3{1, 1, 1}.Normalize()},
	} {
		if _, n, d := f.Closest(c.p); math.Abs(d) > 1e-12 || n.Sub(c.n).Len() > 1e-9 {
			t.Errorf("at %v: distance %g, normal %v, want %v", c.p, d, n, c.n)
		}
	}
}

// Smoothed normals are close to those of the ball that the triangles are of, do
// not jump, and leave a cube a cube.
func TestSmoothedField(t *testing.T) {
	tri, pos := ballMesh(8, 0.8, 0)
	f, err := NewField(tri, pos)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Smoothed()
	rng := rand.New(rand.NewPCG(4, 4))
	facetted, smooth := 0.0, 0.0
	for range 2000 {
		u := randomPoint(rng, 1).Normalize()
		p := u.Mul(0.75 + 0.1*rng.Float64())
		q, n, d := f.Closest(p)
		qs, ns, ds := s.Closest(p)
		if q != qs || d != ds || math.Abs(ns.Len()-1) > 1e-12 {
			t.Fatalf("%v: %v %g, smoothed %v %g", p, q, d, qs, ds)
		}
		facetted, smooth = max(facetted, n.Sub(u).Len()), max(smooth, ns.Sub(u).Len())
		_, next, _ := s.Closest(p.Add(randomPoint(rng, 1e-6)))
		if next.Sub(ns).Len() > 1e-3 {
			t.Fatalf("the normal jumps from %v to %v at %v", ns, next, p)
		}
	}
	if !(smooth < 0.03) || !(facetted > 0.1) {
		t.Errorf("normals are off by %g, smoothed by %g", facetted, smooth)
	}
	cubeTri, cubePos, _ := triangulate(solids[4].inside, mgl64.Vec3{}, 1)
	c, err := NewField(cubeTri, cubePos)
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		p := mgl64.Vec3{0.31, 0.5*rng.Float64() - 0.25, 0.5*rng.Float64() - 0.25}
		_, n, d := c.Closest(p)
		_, ns, ds := c.Smoothed().Closest(p)
		if n.Sub(ns).Len() > 1e-9 || d != ds {
			t.Fatalf("a cube's normal %v, smoothed %v", n, ns)
		}
	}
}

func TestSurfacesWithoutInsideAreRefused(t *testing.T) {
	tri, pos := ballMesh(3, 1, 0)
	turned := slices.Clone(tri)
	for i := range turned {
		turned[i][1], turned[i][2] = turned[i][2], turned[i][1]
	}
	oneTurned := slices.Clone(tri)
	oneTurned[5][1], oneTurned[5][2] = oneTurned[5][2], oneTurned[5][1]
	double := append(slices.Clone(tri), tri[4], [3]int32{tri[4][0], tri[4][2], tri[4][1]})
	twice := append(slices.Clone(tri), [3]int32{tri[0][0], tri[0][1], tri[0][0]}, [3]int32{tri[0][1], tri[0][0], tri[0][0]})
	for _, c := range []struct {
		name string
		tri  [][3]int32
		want string
	}{
		{"nothing", nil, "no triangle"},
		{"a hole", tri[1:], "open: 3 edges"},
		{"inside out", turned, "face inwards"},
		{"one turned", oneTurned, "face opposite ways"},
		{"a flap", double, "4 triangles of the surface meet at the edge"},
		{"a node twice", twice, "names a node twice"},
	} {
		_, err := NewField(c.tri, pos)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestFieldAllocatesNothing(t *testing.T) {
	tri, pos := ballMesh(8, 0.8, 0.3)
	f, err := NewField(tri, pos)
	if err != nil {
		t.Fatal(err)
	}
	var s Shape = f
	if n := testing.AllocsPerRun(100, func() {
		s.Closest(mgl64.Vec3{0.4, 0.3, 0.6})
		s.AtLeast(mgl64.Vec3{0.4, 0.3, 0.6})
	}); n != 0 {
		t.Errorf("%g allocations a query", n)
	}
}

// BenchmarkField tells what a query costs near the surface and what a bound
// costs anywhere, and how long the grid takes.
func BenchmarkField(b *testing.B) {
	tri, pos := ballMesh(30, 0.8, 0.3)
	f, err := NewField(tri, pos)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	points := make([]mgl64.Vec3, 1000)
	for i := range points {
		points[i] = pos[rng.IntN(len(pos))].Add(randomPoint(rng, 0.02))
	}
	b.Run("closest", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			f.Closest(points[i%len(points)])
		}
	})
	b.Run("at least", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			f.AtLeast(points[i%len(points)])
		}
	})
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			if f, err = NewField(tri, pos); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(f.Bytes()), "bytes")
	})
}
