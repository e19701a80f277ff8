package collision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
)

// at is where a corner is at a share, by another formula than Advance's: a quaternion.
func (w *Swept) at(i int, share float64) mgl64.Vec3 {
	x := w.At[i].Add(w.Way[i].Mul(share))
	if angle := w.Turn.Len(); angle > 0 {
		x = x.Add(mgl64.QuatRotate(share*angle, w.Turn.Normalize()).Rotate(w.Arm[i])).Sub(w.Arm[i])
	}
	return x
}

// met looks for the first share at which two features go through each other: by the sign of the volume of their four
// corners, exact, where that changes in many small parts of the step, and by bisection there. sure is false where the
// place is so near an end that it may be taken for either.
func met(a, b *Swept) (share float64, found, sure bool) {
	corners := func(s float64) (c [4]mgl64.Vec3) {
		n := 0
		for i := range a.Count {
			c[n] = a.at(i, s)
			n++
		}
		for i := range b.Count {
			c[n] = b.at(i, s)
			n++
		}
		return c
	}
	side := func(s float64) int { c := corners(s); return Orient(c[0], c[1], c[2], c[3]) }
	const parts = 400
	last := side(0)
	for n := 1; n <= parts; n++ {
		low, high := float64(n-1)/parts, float64(n)/parts
		now := side(high)
		if now == last || last == 0 {
			last = now
			continue
		}
		for range 60 {
			if mid := (low + high) / 2; side(mid) == last {
				low = mid
			} else {
				high = mid
			}
		}
		last = now
		c := corners(low)
		var w []float64
		if a.Count == 2 {
			s, t, _ := ClosestLines(c[0], c[1], c[2], c[3])
			w = []float64{s, 1 - s, t, 1 - t}
		} else {
			normal := c[2].Sub(c[1]).Cross(c[3].Sub(c[1]))
			for k := range 3 {
				w = append(w, normal.Dot(c[1+(k+1)%3].Sub(c[0]).Cross(c[1+(k+2)%3].Sub(c[0])))/normal.LenSqr())
			}
		}
		least := math.Inf(1)
		for _, x := range w {
			least = min(least, x)
		}
		if math.Abs(least) < 1e-3 || !(least == least) {
			return low, false, false
		}
		if least > 0 {
			return low, true, true
		}
	}
	return 1, false, true
}

// nearest is the least distance of two features in a step, by looking often.
func nearest(a, b *Swept) (least, first float64) {
	least = math.Inf(1)
	for n := range 2001 {
		var p, q placed
		p.count, q.count = a.Count, b.Count
		for i := range a.Count {
			p.x[i] = a.at(i, float64(n)/2000)
		}
		for i := range b.Count {
			q.x[i] = b.at(i, float64(n)/2000)
		}
		d := closest(&p, &q).Len()
		if n == 0 {
			first = d
		}
		least = min(least, d)
	}
	return least, first
}

func randomSwept(random *rand.Rand, count int, size, way, turn float64) (w Swept) {
	vec := func(x float64) mgl64.Vec3 {
		return mgl64.Vec3{random.Float64() - 0.5, random.Float64() - 0.5, random.Float64() - 0.5}.Mul(2 * x)
	}
	w.Count = count
	middle, common := vec(1), vec(way)
	w.Turn = vec(turn)
	pivot := vec(2)
	for i := range count {
		w.At[i] = middle.Add(vec(size))
		w.Way[i] = common.Add(vec(way / 4))
		if turn > 0 {
			w.Arm[i], w.Way[i] = w.At[i].Sub(pivot), common
		}
	}
	return w
}

// aimed lets a go to where b is, or past that.
func aimed(random *rand.Rand, a, b *Swept) {
	way := b.At[0].Add(b.At[1]).Mul(0.5).Sub(a.At[0]).Mul(0.8 + 2*random.Float64())
	for i := range a.Count {
		a.Way[i] = a.Way[i].Add(way)
	}
}

// No advance goes past the share at which two features go through each other, found by bisection with exact predicates,
// and none is needlessly short: of features that do not nearly touch at the start it reaches 0.8 of that share at
// least, and the end of the step where they pass each other by more than a hundredth of their first distance.
func TestAdvanceComesCloseAndNoFarther(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 150
	}
	random := rand.New(rand.NewPCG(3, 4))
	hits, passes, unclear := 0, 0, 0
	worst := 1.0
	for i := range n {
		scale := math.Exp2(float64(random.IntN(30) - 20))
		way, turn := math.Exp2(float64(random.IntN(6)-3)), 0.
		if i%3 == 0 {
			turn = 1
		}
		a, b := randomSwept(random, 1, 0.5, way, 0), randomSwept(random, 3, 0.8, way, turn)
		if i%2 == 0 {
			a, b = randomSwept(random, 2, 0.7, way, 0), randomSwept(random, 2, 0.7, way, turn)
		}
		aimed(random, &a, &b)
		for k := range 3 {
			for _, w := range []*Swept{&a, &b} {
				w.At[k], w.Way[k], w.Arm[k] = w.At[k].Mul(scale), w.Way[k].Mul(scale), w.Arm[k].Mul(scale)
			}
		}
		share := Advance(&a, &b, 0)
		if turned := Advance(&b, &a, 0); math.Abs(turned-share) > 1e-2 {
			t.Fatalf("pair %d: %g one way round, %g the other", i, share, turned)
		}
		first, found, sure := met(&a, &b)
		if found && share > first {
			t.Fatalf("pair %d: an advance of %.17g, they meet at %.17g\n%+v\n%+v", i, share, first, a, b)
		}
		least, start := nearest(&a, &b)
		switch {
		case !sure || start < 1e-3*scale:
			unclear++
		case found:
			hits++
			worst = min(worst, share/first)
			if share < 0.8*first {
				t.Errorf("pair %d: an advance of %g, they meet at %g\n%+v\n%+v", i, share, first, a, b)
			}
		case least > 1e-2*start:
			passes++
			if share < 1 {
				t.Errorf("pair %d: an advance of %g of features that pass at %g of their first distance\n%+v\n%+v", i, share, least/start, a, b)
			}
		default:
			unclear++
		}
	}
	t.Logf("%d meet, %d pass, %d unclear; the shortest advance is %.3f of the way", hits, passes, unclear, worst)
	if hits < n/20 || passes < n/4 || unclear > n/4 {
		t.Error("the pairs are one-sided")
	}
}

// A round tool stops at the distance of its radius, wherever on its core and on the triangle that is.
func TestAdvanceOfARoundTool(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 80
	}
	random := rand.New(rand.NewPCG(5, 6))
	hits, worst := 0, 1.0
	for i := range n {
		turn := 0.
		if i%2 == 0 {
			turn = 0.7
		}
		a, b := randomSwept(random, 1+random.IntN(2), 1, 2, turn), randomSwept(random, 3, 0.5, 1, 0)
		aimed(random, &a, &b)
		distance := func(share float64) float64 {
			p, q := placed{count: a.Count}, placed{count: 3}
			for k := range 3 {
				p.x[k], q.x[k] = a.at(k, share), b.at(k, share)
			}
			if a.Count == 2 && SegmentTriangle(p.x[0], p.x[1], q.x[0], q.x[1], q.x[2]) != Clear {
				return 0
			}
			return closest(&p, &q).Len()
		}
		const round = 0.2
		share := Advance(&a, &b, round)
		if distance(0) <= round {
			if share != 0 {
				t.Fatalf("tool %d begins inside, and makes %g of its way", i, share)
			}
			continue
		}
		first := 1.0
		for k := 1; k <= 1000; k++ {
			if s := float64(k) / 1000; distance(s) <= round {
				low, high := s-1e-3, s
				for range 60 {
					if mid := (low + high) / 2; distance(mid) > round {
						low = mid
					} else {
						high = mid
					}
				}
				first = low
				break
			}
		}
		if share > first+1e-12 && first < 1 {
			t.Fatalf("tool %d makes %.17g of its way, and touches at %.17g\n%+v\n%+v", i, share, first, a, b)
		}
		if first < 1 {
			hits++
			worst = min(worst, share/first)
		}
		if share < 0.8*first && distance(share)-round > 1e-2*(distance(0)-round) {
			t.Errorf("tool %d makes %g of its way, and touches at %g\n%+v\n%+v", i, share, first, a, b)
		}
	}
	t.Logf("%d touch; the shortest advance is %.3f of the way", hits, worst)
	if hits < n/10 {
		t.Error("hardly one touches")
	}
}

func still(corners ...mgl64.Vec3) (w Swept) {
	w.Count = len(corners)
	copy(w.At[:], corners)
	return w
}

func (w Swept) going(way mgl64.Vec3) Swept {
	for i := range w.Count {
		w.Way[i] = way
	}
	return w
}

func TestAdvanceOfSpecialPairs(t *testing.T) {
	flat := still(mgl64.Vec3{0, 0, 0}, mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 1, 0})
	edge := still(mgl64.Vec3{-1, 0, 0}, mgl64.Vec3{1, 0, 0})
	point := func(x, y, z float64) Swept { return still(mgl64.Vec3{x, y, z}) }
	for _, c := range []struct {
		what      string
		a, b      Swept
		low, high float64
	}{
		{"at rest", point(0.2, 0.2, 1), flat, 1, 1},
		{"both as fast", point(0.2, 0.2, 1e-3).going(mgl64.Vec3{5, 3, -7}), flat.going(mgl64.Vec3{5, 3, -7}), 1, 1},
		{"sliding close by", point(0.2, 0.2, 1e-6).going(mgl64.Vec3{0.5, 0.3, 0}), flat, 1, 1},
		{"going away", point(0.2, 0.2, 1e-6).going(mgl64.Vec3{0.5, 0.3, 2}), flat, 1, 1},
		{"half way", point(0.2, 0.2, 1).going(mgl64.Vec3{0, 0, -2}), flat, 0.499, 0.5},
		{"to the surface", point(0.2, 0.2, 1).going(mgl64.Vec3{0, 0, -1}), flat, 0.998, 1 - 1e-6},
		{"beside it", point(0.6, 0.6, 1).going(mgl64.Vec3{0, 0, -2}), flat, 1, 1},
		{"touching, going on", point(0.2, 0.2, 0).going(mgl64.Vec3{0, 0, -1}), flat, 0, 0},
		{"in its plane, at it", point(-1, 0.5, 0).going(mgl64.Vec3{2, 0, 0}), flat, 0.499, 0.5},
		{"in its plane, past it", point(-1, 1.5, 0).going(mgl64.Vec3{2, 0, 0}), flat, 1, 1},
		{"parallel edges", edge, still(mgl64.Vec3{-1, 0, 1}, mgl64.Vec3{1, 0, 1}).going(mgl64.Vec3{0, 0, -4}), 0.2497, 0.25},
		{"parallel edges that slide", edge, still(mgl64.Vec3{-1, 0, 1e-4}, mgl64.Vec3{1, 0, 1e-4}).going(mgl64.Vec3{3, 0, 0}), 1, 1},
		{"edges on one line", edge, still(mgl64.Vec3{2, 0, 0}, mgl64.Vec3{3, 0, 0}).going(mgl64.Vec3{-2, 0, 0}), 0.499, 0.5},
		{"edges that pass end by end", edge, still(mgl64.Vec3{1.01, -1, 1}, mgl64.Vec3{1.01, 1, 1}).going(mgl64.Vec3{0, 0, -2}), 1, 1},
		{"an edge without length", edge, still(mgl64.Vec3{0, 0, 1}, mgl64.Vec3{0, 0, 1}).going(mgl64.Vec3{0, 0, -2}), 0.499, 0.5},
		{"a triangle without area", point(0.5, 0, 1).going(mgl64.Vec3{0, 0, -2}), still(mgl64.Vec3{0, 0, 0}, mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0.5, 0, 0}), 0.499, 0.5},
		{"no number", point(0.2, math.NaN(), 1).going(mgl64.Vec3{0, 0, -1}), flat, 0, 0},
		{"without end", point(0.2, 0.2, 1).going(mgl64.Vec3{0, 0, math.Inf(-1)}), flat, 0, 0},
	} {
		if got := Advance(&c.a, &c.b, 0); !(got >= c.low && got <= c.high) {
			t.Errorf("%s: an advance of %g, want from %g to %g", c.what, got, c.low, c.high)
		}
	}
	a, b := point(0.2, 0.2, 1).going(mgl64.Vec3{1, 0, -2}), flat
	b.Turn, b.Arm = mgl64.Vec3{0.3, 0.2, 0.1}, b.At
	if n := testing.AllocsPerRun(10, func() { Advance(&a, &b, 0) }); n != 0 && !testkit.Race {
		t.Errorf("%g allocations", n)
	}
}

// Far from the origin, too, an advance that ends close to a surface is on its side: places there are rounded.
func TestAdvanceFarFromTheOrigin(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		far := mgl64.Vec3{random.Float64(), random.Float64(), random.Float64()}.Mul(1000)
		b := randomSwept(random, 3, 1e-2, 1e-3, 0)
		a := randomSwept(random, 1, 1e-2, 1e-3, 0)
		middle := b.At[0].Add(b.At[1]).Add(b.At[2]).Mul(1. / 3)
		normal := FaceNormal(b.At[0], b.At[1], b.At[2])
		a.At[0] = middle.Add(normal.Mul(1e-6))
		a.Way[0] = b.Way[0].Sub(normal.Mul(1e-2))
		for k := range 3 {
			a.At[k], b.At[k] = a.At[k].Add(far), b.At[k].Add(far)
		}
		share := Advance(&a, &b, 0)
		before := Orient(b.At[0], b.At[1], b.At[2], a.At[0])
		after := Orient(b.At[0].Add(b.Way[0].Mul(share)), b.At[1].Add(b.Way[1].Mul(share)), b.At[2].Add(b.Way[2].Mul(share)), a.At[0].Add(a.Way[0].Mul(share)))
		if before != after {
			t.Fatalf("the point is on side %d after an advance of %g, before on %d", after, share, before)
		}
	}
}

func BenchmarkAdvance(b *testing.B) {
	random := rand.New(rand.NewPCG(9, 10))
	var pairs [64][2]Swept
	for i := range pairs {
		pairs[i] = [2]Swept{randomSwept(random, 2, 0.7, 1, 0), randomSwept(random, 2, 0.7, 1, 0)}
	}
	for i := range b.N {
		p := &pairs[i%len(pairs)]
		Advance(&p[0], &p[1], 0)
	}
}
