package collision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// solids are those that the tests below run over, each with a test of its own
// for what lies inside.
var solids = []struct {
	name   string
	solid  *Solid
	inside func(p mgl64.Vec3) bool
}{
	{"sphere", Sphere(0.7), func(p mgl64.Vec3) bool { return p.Len() <= 0.7 }},
	{"capsule", Capsule(0.3, 1.1), func(p mgl64.Vec3) bool {
		return p[0]*p[0]+p[2]*p[2] <= 0.09 && p[1] >= 0 && p[1] <= 1.1 || p.Len() <= 0.3 || p.Sub(mgl64.Vec3{0, 1.1, 0}).Len() <= 0.3
	}},
	{"cylinder", Cylinder(0.5, 0.8), func(p mgl64.Vec3) bool {
		return p[0]*p[0]+p[2]*p[2] <= 0.25 && p[1] >= 0 && p[1] <= 0.8
	}},
	{"disc", Cylinder(0.6, 0.15), func(p mgl64.Vec3) bool {
		return p[0]*p[0]+p[2]*p[2] <= 0.36 && p[1] >= 0 && p[1] <= 0.15
	}},
	{"box", Box(mgl64.Vec3{1, 0.6, 0.8}, 0), func(p mgl64.Vec3) bool {
		return math.Abs(p[0]) <= 0.5 && math.Abs(p[1]) <= 0.3 && math.Abs(p[2]) <= 0.4
	}},
	{"rounded box", Box(mgl64.Vec3{1, 0.6, 0.8}, 0.2), func(p mgl64.Vec3) bool {
		e := mgl64.Vec3{math.Abs(p[0]) - 0.3, math.Abs(p[1]) - 0.1, math.Abs(p[2]) - 0.2}
		out := mgl64.Vec3{max(e[0], 0), max(e[1], 0), max(e[2], 0)}
		return out.Len() <= 0.2
	}},
	{"pill", Box(mgl64.Vec3{1, 0.4, 0.8}, 0.2), func(p mgl64.Vec3) bool { // a core without an inside
		e := mgl64.Vec3{math.Abs(p[0]) - 0.3, math.Abs(p[1]), math.Abs(p[2]) - 0.2}
		out := mgl64.Vec3{max(e[0], 0), e[1], max(e[2], 0)}
		return out.Len() <= 0.2
	}},
}

// onSurface is where the ray from centre along u leaves a star-shaped solid,
// found by its own inside.
func onSurface(inside func(mgl64.Vec3) bool, centre, u mgl64.Vec3) mgl64.Vec3 {
	lo, hi := 0.0, 4.0
	for range 44 {
		if mid := (lo + hi) / 2; inside(centre.Add(u.Mul(mid))) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return centre.Add(u.Mul(lo))
}

// triangulate makes a fine surface of a solid: a cube's grid blown up to it. sag
// is about how far triangles are from the surface at most.
func triangulate(inside func(mgl64.Vec3) bool, centre mgl64.Vec3, n int) (tri [][3]int32, pos []mgl64.Vec3, sag float64) {
	ids := map[[3]int]int32{}
	id := func(g [3]int) int32 {
		i, ok := ids[g]
		if !ok {
			i = int32(len(pos))
			ids[g] = i
			u := mgl64.Vec3{float64(2*g[0] - n), float64(2*g[1] - n), float64(2*g[2] - n)}
			pos = append(pos, onSurface(inside, centre, u.Normalize()))
		}
		return i
	}
	for axis := range 3 {
		for _, side := range [2]int{0, n} {
			for i := range n {
				for j := range n {
					at := func(a, b int) int32 {
						var g [3]int
						g[axis], g[(axis+1)%3], g[(axis+2)%3] = side, i+a, j+b
						return id(g)
					}
					a, b, c, d := at(0, 0), at(1, 0), at(1, 1), at(0, 1)
					if side == 0 {
						b, d = d, b
					}
					tri = append(tri, [3]int32{a, b, c}, [3]int32{a, c, d})
				}
			}
		}
	}
	for _, t := range tri {
		a, b, c := pos[t[0]], pos[t[1]], pos[t[2]]
		for _, m := range []mgl64.Vec3{a.Add(b).Mul(0.5), b.Add(c).Mul(0.5), c.Add(a).Mul(0.5), a.Add(b).Add(c).Mul(1.0 / 3)} {
			u := m.Sub(centre)
			sag = max(sag, onSurface(inside, centre, u.Normalize()).Sub(m).Len())
		}
	}
	return tri, pos, sag
}

func randomPoint(rng *rand.Rand, half float64) mgl64.Vec3 {
	return mgl64.Vec3{rng.Float64()*2 - 1, rng.Float64()*2 - 1, rng.Float64()*2 - 1}.Mul(half)
}

func TestSolidAgreesWithItsTriangulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range solids {
		tri, pos, sag := triangulate(c.inside, c.solid.Centre, 24)
		if !(sag < 0.08) {
			t.Fatalf("%s: triangles are %g from the surface", c.name, sag)
		}
		tree := NewTree(tri, pos)
		// sample points are on the surface
		for _, x := range pos {
			if _, _, d := c.solid.Closest(x); math.Abs(d) > 1e-12 {
				t.Fatalf("%s: %v is on the surface, distance %g", c.name, x, d)
			}
		}
		for range 3000 {
			p := randomPoint(rng, 1.5).Add(c.solid.Centre)
			hit, _ := tree.Closest(pos, p, math.Inf(1), -1)
			want := math.Sqrt(hit.Dist2)
			if c.inside(p) {
				want = -want
			}
			q, n, d := c.solid.Closest(p)
			if math.Abs(d-want) > 1.5*sag {
				t.Fatalf("%s: distance of %v is %g, that of its triangles %g (sag %g)", c.name, p, d, want, sag)
			}
			if e := q.Add(n.Mul(d)).Sub(p).Len(); e > 1e-12 {
				t.Fatalf("%s: q + d n misses %v by %g", c.name, p, e)
			}
			if _, _, onto := c.solid.Closest(q); math.Abs(onto) > 1e-12 {
				t.Fatalf("%s: the closest point %v of %v is %g off the surface", c.name, q, p, onto)
			}
			if e := c.solid.AtLeast(p); e != d {
				t.Fatalf("%s: at least %g, distance %g", c.name, e, d)
			}
		}
	}
}

// The gradient of a signed distance has length 1 and is the normal, but where
// several points are equally close.
func TestSolidGradientIsItsNormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const h = 1e-6
	for _, c := range solids {
		kinks := 0
		for range 3000 {
			p := randomPoint(rng, 1.2).Add(c.solid.Centre)
			_, n, d := c.solid.Closest(p)
			if math.Abs(n.Len()-1) > 1e-12 {
				t.Fatalf("%s: normal %v", c.name, n)
			}
			var g mgl64.Vec3
			smooth := true
			for k := range 3 {
				var e mgl64.Vec3
				e[k] = h
				_, np, dp := c.solid.Closest(p.Add(e))
				_, nm, dm := c.solid.Closest(p.Sub(e))
				g[k] = (dp - dm) / (2 * h)
				smooth = smooth && np.Sub(nm).Len() < 1e-3
				if math.Abs(dp-d) > h*(1+1e-6) {
					t.Fatalf("%s: the distance changes faster than the point at %v", c.name, p)
				}
			}
			if !smooth {
				kinks++
				continue
			}
			if g.Sub(n).Len() > 1e-4 {
				t.Fatalf("%s: gradient %v, normal %v at %v", c.name, g, n, p)
			}
		}
		if kinks > 30 {
			t.Errorf("%s: %d of 3000 points have no gradient", c.name, kinks)
		}
	}
}

// The mean curvature is half the divergence of the normal.
func TestSolidMeanCurvature(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	const h = 1e-5
	for _, c := range solids {
		seen := map[bool]int{}
		for range 2000 {
			q, n, _ := c.solid.Closest(randomPoint(rng, 1.2).Add(c.solid.Centre))
			divergence, smooth := 0.0, true
			for k := range 3 {
				var e mgl64.Vec3
				e[k] = h
				_, np, _ := c.solid.Closest(q.Add(e))
				_, nm, _ := c.solid.Closest(q.Sub(e))
				divergence += (np[k] - nm[k]) / (2 * h)
				smooth = smooth && np.Sub(n).Len() < 1e-3 && nm.Sub(n).Len() < 1e-3
			}
			if !smooth || c.solid.Round == 0 && c.solid.OnRidge(q) {
				continue
			}
			if got := c.solid.MeanCurvature(q); math.Abs(got-divergence/2) > 1e-3*(1+got) {
				if math.Abs(got-divergence/2) < got && near(c.solid, q, 3*h) {
					continue // where two kinds of surface meet
				}
				t.Fatalf("%s: mean curvature %g at %v, half the divergence %g", c.name, got, q, divergence/2)
			}
			seen[divergence > 0.01]++
		}
		if seen[true]+seen[false] < 300 {
			t.Errorf("%s: %v points looked at", c.name, seen)
		}
	}
}

// near tells whether the core's closest point is within d of where it changes
// from face to edge or corner.
func near(s *Solid, q mgl64.Vec3, d float64) bool {
	x := q.Sub(s.Centre)
	for k := range x {
		if math.Abs(math.Abs(x[k])-s.Half[k]) < d {
			return true
		}
	}
	return false
}

// Each solid is its own mirror image.
func TestSolidIsSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, c := range solids {
		for range 500 {
			x := randomPoint(rng, 1.2)
			_, n, d := c.solid.Closest(c.solid.Centre.Add(x))
			for k := range 3 {
				y := x
				y[k] = -y[k]
				_, m, e := c.solid.Closest(c.solid.Centre.Add(y))
				m[k] = -m[k]
				if math.Abs(d-e) > 1e-12 || n.Sub(m).Len() > 1e-9 {
					t.Fatalf("%s: %v has distance %g and normal %v, its mirror image %g and %v", c.name, x, d, n, e, m)
				}
			}
			if c.solid.Core != BoxCore { // and turns about its axis
				turn := mgl64.Rotate3DY(2 * math.Pi * rng.Float64())
				_, m, e := c.solid.Closest(c.solid.Centre.Add(turn.Mul3x1(x)))
				if math.Abs(d-e) > 1e-12 || turn.Mul3x1(n).Sub(m).Len() > 1e-9 {
					t.Fatalf("%s: %v changes when turned", c.name, x)
				}
			}
		}
	}
}

// On axes, in the middle, on faces, edges and corners the answer is one of the
// closest points, and always the same.
func TestSolidWhereSeveralPointsAreClosest(t *testing.T) {
	for _, c := range []struct {
		name  string
		solid *Solid
		p     mgl64.Vec3
		n     mgl64.Vec3
		d     float64
	}{
		{"centre of a sphere", Sphere(2), mgl64.Vec3{}, mgl64.Vec3{0, -1, 0}, -2},
		{"tip's centre of a capsule", Capsule(2, 5), mgl64.Vec3{}, mgl64.Vec3{0, -1, 0}, -2},
		{"axis of a capsule", Capsule(2, 5), mgl64.Vec3{0, 3, 0}, mgl64.Vec3{1, 0, 0}, -2},
		{"upper centre of a capsule", Capsule(2, 5), mgl64.Vec3{0, 5, 0}, mgl64.Vec3{0, 1, 0}, -2},
		{"below a capsule", Capsule(2, 5), mgl64.Vec3{0, -3, 0}, mgl64.Vec3{0, -1, 0}, 1},
		{"axis of a long cylinder", Cylinder(2, 10), mgl64.Vec3{0, 5, 0}, mgl64.Vec3{1, 0, 0}, -2},
		{"centre of a disc", Cylinder(2, 1), mgl64.Vec3{0, 0.5, 0}, mgl64.Vec3{0, -1, 0}, -0.5},
		{"rim of a cylinder", Cylinder(2, 1), mgl64.Vec3{2, 1, 0}, mgl64.Vec3{0, 1, 0}, 0},
		{"off the rim of a cylinder", Cylinder(2, 1), mgl64.Vec3{5, 5, 0}, mgl64.Vec3{0.6, 0.8, 0}, 5},
		{"face of a cylinder", Cylinder(2, 1), mgl64.Vec3{0.1, 0, 0.2}, mgl64.Vec3{0, -1, 0}, 0},
		{"centre of a cube", Box(mgl64.Vec3{2, 2, 2}, 0), mgl64.Vec3{}, mgl64.Vec3{0, -1, 0}, -1},
		{"corner of a cube", Box(mgl64.Vec3{2, 2, 2}, 0), mgl64.Vec3{1, 1, 1}, mgl64.Vec3{0, 1, 0}, 0},
		{"off the corner of a cube", Box(mgl64.Vec3{2, 2, 2}, 0), mgl64.Vec3{2, 3, 3}, mgl64.Vec3{1. / 3, 2. / 3, 2. / 3}, 3},
		{"centre of a plate", Box(mgl64.Vec3{2, 4, 6}, 0), mgl64.Vec3{}, mgl64.Vec3{1, 0, 0}, -1},
		{"within the rounding", Box(mgl64.Vec3{4, 4, 4}, 0.5), mgl64.Vec3{1.75, 0, 0}, mgl64.Vec3{1, 0, 0}, -0.25},
	} {
		q, n, d := c.solid.Closest(c.p)
		if math.Abs(d-c.d) > 1e-12 || n.Sub(c.n).Len() > 1e-12 || q.Add(n.Mul(d)).Sub(c.p).Len() > 1e-12 {
			t.Errorf("%s: closest %v, normal %v, distance %g; want %v and %g", c.name, q, n, d, c.n, c.d)
		}
	}
	// just off the surface rounding makes the distance, but not the direction
	rng := rand.New(rand.NewPCG(11, 12))
	s := Cylinder(0.5, 0.8)
	for range 1000 {
		a, y := 2*math.Pi*rng.Float64(), 0.1+0.6*rng.Float64()
		p := mgl64.Vec3{0.5 * math.Cos(a), y, 0.5 * math.Sin(a)}
		if _, n, _ := s.Closest(p); n.Sub(mgl64.Vec3{math.Cos(a), 0, math.Sin(a)}).Len() > 1e-9 {
			t.Fatalf("normal %v on a cylinder at %v", n, p)
		}
	}
}

func TestSolidBounds(t *testing.T) {
	for _, c := range solids {
		lo, hi := c.solid.Bounds()
		_, pos, _ := triangulate(c.inside, c.solid.Centre, 16)
		for k := range 3 {
			least, most := math.Inf(1), math.Inf(-1)
			for _, p := range pos {
				least, most = min(least, p[k]), max(most, p[k])
			}
			if least < lo[k]-1e-12 || most > hi[k]+1e-12 || least > lo[k]+0.02 || most < hi[k]-0.02 {
				t.Errorf("%s: bounds %v %v, axis %d runs from %g to %g", c.name, lo, hi, k, least, most)
			}
		}
	}
}

// Blunt edges change nothing but the edges, and those by less than their radius.
func TestBluntSolid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, c := range solids {
		const r = 0.02
		b := c.solid.Blunt(r)
		for range 2000 {
			p := randomPoint(rng, 1.2).Add(c.solid.Centre)
			_, n, d := c.solid.Closest(p)
			q, m, e := b.Closest(p)
			if e < d-1e-12 || e > d+0.75*r {
				t.Fatalf("%s: distance %g, blunt %g", c.name, d, e)
			}
			if !b.OnRidge(q) && (math.Abs(d-e) > 1e-12 || n.Sub(m).Len() > 1e-9) {
				t.Fatalf("%s: a face moved at %v", c.name, q)
			}
		}
	}
	for _, c := range []struct {
		solid *Solid
		p     mgl64.Vec3
		want  bool
	}{
		{Box(mgl64.Vec3{2, 2, 2}, 0), mgl64.Vec3{1, 0, 0}, false},
		{Box(mgl64.Vec3{2, 2, 2}, 0), mgl64.Vec3{1, 1, 0}, true},
		{Cylinder(1, 2), mgl64.Vec3{0, 0, 0}, false},
		{Cylinder(1, 2), mgl64.Vec3{1, 1, 0}, false},
		{Cylinder(1, 2), mgl64.Vec3{0.6, 2, 0.8}, true},
		{Sphere(1), mgl64.Vec3{1, 0, 0}, false},
		{Capsule(1, 2), mgl64.Vec3{1, 0, 0}, false},
	} {
		if got := c.solid.Blunt(0.1).OnRidge(c.p); got != c.want {
			t.Errorf("%+v: %v lies on a ridge: %v", c.solid, c.p, got)
		}
	}
}

func TestSolidsWithoutSizeAreRefused(t *testing.T) {
	for name, make := range map[string]func(){
		"sphere":        func() { Sphere(0) },
		"capsule":       func() { Capsule(1, 0) },
		"cylinder":      func() { Cylinder(-1, 2) },
		"not a number":  func() { Cylinder(math.NaN(), 2) },
		"infinite":      func() { Sphere(math.Inf(1)) },
		"box":           func() { Box(mgl64.Vec3{1, 0, 1}, 0) },
		"over-rounding": func() { Box(mgl64.Vec3{1, 1, 1}, 0.6) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was made", name)
				}
			}()
			make()
		}()
	}
}
