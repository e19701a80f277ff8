package touch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hapco/collision"
	"hapco/physics/frame"
)

// A folded sheet, a ball, a capsule and a block that the hand turns, and a folded slab, alone and with another body, are
// pushed at random, more than a thousand times. Whatever
// Bound lets pass, no surface goes through another, nor through itself, and the tool is in none: by exact predicates.
// The same pushes without it make many cross. And Bound is not needlessly short: it comes to 0.8 of the first crossing
// that is found by looking often.
func TestBoundLetsNothingThrough(t *testing.T) {
	flat, triangles := sheet(10)
	folded := slices.Clone(flat)
	for i, p := range flat { // over itself, 0.04 apart, and a wave on it
		angle := math.Pi * min(1, max(0, p[0]/0.063+0.5))
		straight := max(0, math.Abs(p[0])-0.0315)
		folded[i] = vec{0.02*math.Sin(angle) - straight, 0.02*math.Cos(angle) + 0.003*math.Sin(20*p[2]), p[2]}
	}
	box, boxTriangles := block(3, vec{-0.15, 0.1, -0.15}, vec{0.1, 0.25, 0.1})
	slab, slabTriangles := foldedSlab(6)
	high, highTriangles := block(3, vec{-0.15, 0.13, -0.15}, vec{0.1, 0.28, 0.1})
	scenes := []func() *Set{
		func() *Set {
			return newSet(t, []*Surface{surface(folded, triangles)}, []Pairing{{0, 0}, {0, -1}}, Tool{Round: 0.1, Pose: frame.At(vec{-0.2, 0.14, 0.03})}, Options{Thickness: 0.005})
		},
		func() *Set {
			return newSet(t, []*Surface{surface(folded, triangles)}, []Pairing{{0, 0}, {0, -1}}, Tool{Core: [2]vec{{0, 0, 0}, {0.1, 0.3, 0}}, Round: 0.05, Pose: frame.At(vec{-0.2, 0.1, 0.03})}, Options{Thickness: 0.005})
		},
		func() *Set {
			tool := surface(box, boxTriangles)
			tool.Tool = true
			return newSet(t, []*Surface{surface(folded, triangles), tool}, []Pairing{{0, 0}, {1, 0}}, Tool{Pose: frame.At(vec{0, 0.2, 0})}, Options{Thickness: 0.005})
		},
		func() *Set {
			return newSet(t, []*Surface{surface(slab, slabTriangles)}, []Pairing{{0, 0}, {0, -1}}, Tool{Round: 0.1, Pose: frame.At(vec{-0.2, 0.23, 0.03})}, Options{Thickness: 0.005})
		},
		func() *Set {
			return newSet(t, []*Surface{surface(slab, slabTriangles), surface(high, highTriangles)}, []Pairing{{0, 0}, {1, 0}}, Tool{Pose: frame.At(vec{0, 0.2, 0})}, Options{Thickness: 0.005})
		},
	}
	chains, each := 17, 20
	if testing.Short() {
		chains, each = 1, 16
	}
	random := rand.New(rand.NewPCG(11, 12))
	noise := func(size float64) vec {
		return vec{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.Mul(size)
	}
	pushes, would, stopped, looked, known := 0, 0, 0, 0, 0
	for chain := range chains * len(scenes) {
		s := scenes[chain%len(scenes)]()
		if n := crossings(s); n > 0 {
			t.Fatalf("scene %d begins with %d crossings", chain%len(scenes), n)
		}
		for push := range each {
			if push%3 == 0 { // what was listed before has to do for the others
				s.Collect([]float64{0.06, 0.002}[chain%2])
			}
			size := math.Exp2(-2 - 8*random.Float64())
			m := &Motion{Way: noise(0.5 * size).Sub(vec{0, size, 0}), Turn: noise(2 * size)}
			a, b, shift := noise(size), noise(size), noise(9)
			for _, f := range s.Surfaces {
				to := slices.Clone(f.X)
				for i, x := range to {
					to[i] = x.Add(a.Mul(math.Sin(shift[0] + 9*x[0]))).Add(b.Mul(math.Sin(shift[1] + 9*x[1] + 5*x[2]))).Add(noise(0.05 * size))
				}
				m.To = append(m.To, to)
			}
			share, bindings := s.Bound(m, nil)
			x, pose := save(s)
			move(s, m, 1)
			all := crossings(s) > 0
			restore(s, x, pose)
			if any, _ := s.ways(m); !any {
				known++
			}
			if pushes++; all {
				would++
			}
			if push < 2 && share < 1 { // before they are jammed
				first := 1.0
				for n := 1; n <= 60 && first == 1; n++ {
					move(s, m, float64(n)/60)
					if crossings(s) > 0 {
						first = float64(n) / 60
					}
					restore(s, x, pose)
				}
				part := 0.8
				if share < 1 && s.contact(bindings[0].Key).Gap < 2*spare*s.Options.Thickness { // half of it is kept
					part /= 2
				}
				if looked++; first < 1 && share < part*(first-1./60) {
					t.Errorf("chain %d, push %d: it stops at %g, the first crossing is at %g, of %+v", chain, push, share, first, bindings[0].Key.pair())
				}
			}
			if (share < 1) != (len(bindings) > 0) {
				t.Fatalf("a share of %g with %d bindings", share, len(bindings))
			}
			if share < 1 {
				stopped++
			}
			move(s, m, share)
			if n := crossings(s); n > 0 {
				t.Fatalf("chain %d, push %d, a share of %g: %d crossings", chain, push, share, n)
			}
			if s.crossed {
				t.Fatal("the set thinks that surfaces cross")
			}
		}
	}
	t.Logf("%d pushes, %d of them would cross, %d are bounded, of %d it was looked where; of %d the pairs were listed", pushes, would, stopped, looked, known)
	if would < pushes/3 || known < pushes/10 {
		t.Errorf("of %d pushes %d would cross, and of %d the pairs were listed", pushes, would, known)
	}
}

// foldedSlab is a closed body, bent back over itself, 0.1 apart.
func foldedSlab(n int) (x []vec, triangles [][3]int32) {
	const radius = 0.08
	x, triangles = block(n, vec{-0.3, -0.03, -0.1}, vec{0.3, 0.03, 0.1})
	for i, p := range x {
		angle := min(math.Pi, max(0, p[0]/radius+math.Pi/2))
		straight := max(0, math.Abs(p[0])-math.Pi/2*radius)
		r := radius + p[1]
		x[i] = vec{r*math.Sin(angle) - straight, r * math.Cos(angle), p[2]}
	}
	return x, triangles
}

// Of closed surfaces pairs that do not face each other are left out: never the nearest one of two bodies, and of a body
// with itself most.
func TestWhatDoesNotFaceEachOtherIsNotNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	slab, slabTriangles := foldedSlab(6)
	box, boxTriangles := block(4, vec{-0.05, -0.05, -0.05}, vec{0.05, 0.05, 0.05})
	all, facing := 0, 0
	for n := range 20 {
		shift, size := 9*random.Float64(), 0.02*random.Float64()
		bend := func(x []vec) []vec {
			y := slices.Clone(x)
			for i, p := range y {
				y[i] = p.Add(vec{math.Sin(shift + 20*p[1]), math.Sin(2*shift + 15*p[2]), math.Sin(3*shift + 15*p[0])}.Mul(size))
			}
			return y
		}
		low := bend(slab)
		high := bend(box)
		turn := frame.Exp(vec{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()})
		for i, p := range high {
			high[i] = turn.Rotate(p).Add(vec{-0.2 + 0.2*random.Float64(), 0.22, 0.1 * math.Sin(float64(n))})
		}
		s := newSet(t, []*Surface{surface(low, slabTriangles), surface(high, boxTriangles)}, []Pairing{{0, 1}}, Tool{Pose: frame.Identity()}, Options{Thickness: 1e-4})
		a, b := s.Surfaces[0], s.Surfaces[1]
		a.shape.Fit(low, low, 0.1)
		b.shape.Fit(high, high, 0.1)
		a.shape.Face(nil)
		b.shape.Face(nil)
		nearest := func(look func(*collision.Surface, []collision.Pair, *collision.Surface) []collision.Pair) (gap float64, count int) {
			gap = math.Inf(1)
			for _, c := range s.searchPairs(nil, 0, look) {
				gap = min(gap, s.apart(&c.pair, false))
				count++
			}
			return gap, count
		}
		every, k := nearest((*collision.Surface).Pairs)
		gap, m := nearest((*collision.Surface).Facing)
		if gap > every*(1+1e-12) || m > k {
			t.Errorf("%d: %g m apart, %g m of those that face each other", n, every, gap)
		}
		a.shape.Fit(low, low, 0.02)
		all += len(a.shape.Pairs(nil, a.shape))
		facing += len(a.shape.Facing(nil, a.shape))
	}
	t.Logf("of %d pairs %d face each other", all, facing)
	if facing > all/4 || facing == 0 {
		t.Errorf("of %d pairs %d face each other", all, facing)
	}
}

// A tool that the hand swings about goes along an arc, and meets what lies on that but not between its ends.
func TestBoundAlongAnArc(t *testing.T) {
	x, triangles := sheet(4)
	for i := range x {
		x[i] = vec{0, 1 + 0.1*x[i][0], 0.1 * x[i][2]}
	}
	box, boxTriangles := block(1, vec{0.98, -0.02, -0.02}, vec{1.02, 0.02, 0.02})
	swung := surface(box, boxTriangles)
	swung.Tool = true
	for what, s := range map[string]*Set{
		"block": newSet(t, []*Surface{surface(x, triangles), swung}, []Pairing{{1, 0}}, Tool{Pose: frame.Identity()}, Options{Thickness: 1e-3}),
		"ball":  newSet(t, []*Surface{surface(x, triangles)}, []Pairing{{0, -1}}, Tool{Core: [2]vec{{1, 0, 0}, {1, 0, 0}}, Round: 0.02, Pose: frame.Identity()}, Options{Thickness: 1e-3}),
	} {
		s.Collect(0.01)
		m := &Motion{To: [][]vec{s.Surfaces[0].X, nil}, Turn: vec{0, 0, math.Pi}}
		if share, _ := s.Bound(m, nil); !(share > 0.48 && share < 0.5) {
			t.Errorf("%s: a share of %g", what, share)
		}
	}
}

// However nodes wander from step to step, the pairs that are known are all that a set knows that begins there, and none
// is believed farther apart than it is.
func TestPairsAreFoundAnewWhereNodesWander(t *testing.T) {
	x, triangles := sheet(8)
	low, lowTriangles := block(2, vec{-0.2, -0.3, -0.2}, vec{0.2, -0.01, 0.2})
	surfaces := []*Surface{surface(x, triangles), surface(low, lowTriangles)}
	pairings := []Pairing{{0, 0}, {0, 1}, {1, -1}, {0, -1}}
	tool := Tool{Round: 0.1, Pose: frame.At(vec{0, 0.15, 0})}
	s := newSet(t, surfaces, pairings, tool, Options{Thickness: 1e-3})
	random := rand.New(rand.NewPCG(13, 14))
	const reach = 0.05
	anew, all := 0, 0
	for step := range 40 {
		middle := vec{random.Float64() - 0.5, 0, random.Float64() - 0.5}
		for _, f := range surfaces {
			for i, p := range f.X {
				near := math.Exp(-p.Sub(middle).LenSqr() / 0.01)
				f.X[i] = p.Add(vec{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.Mul(0.03 * near))
			}
		}
		s.Place(frame.At(s.Tool.Pose.Position.Add(vec{0.004 * random.NormFloat64(), 0, 0.004 * random.NormFloat64()})))
		s.crossed = false // that is not what is looked at
		s.Collect(reach)
		for _, f := range surfaces {
			all += len(f.X)
			for _, stray := range f.stray {
				if stray {
					anew++
				}
			}
		}
		if step%4 != 3 {
			continue
		}
		known := map[pair]float64{}
		for i := range s.pairs {
			c := &s.pairs[i]
			if _, twice := known[c.pair]; twice {
				t.Fatalf("step %d: %+v twice", step, c.pair)
			}
			known[c.pair] = c.apart - s.wayOf(&c.pair)
		}
		var fresh []*Surface
		for _, f := range surfaces {
			fresh = append(fresh, surface(f.X, f.Triangles))
		}
		tool.Pose = s.Tool.Pose
		other := newSet(t, fresh, pairings, tool, s.Options)
		other.crossed = false
		other.Collect(reach)
		for i := range other.pairs {
			c := &other.pairs[i]
			least, ok := known[c.pair]
			if c.apart < reach && !ok || ok && least > c.apart+1e-15 {
				t.Fatalf("step %d: %+v, %g apart, is known: %v, as %g at least", step, c.pair, c.apart, ok, least)
			}
		}
	}
	t.Logf("%d of %d nodes were listed anew", anew, all)
	if anew > all/2 || anew < all/20 {
		t.Errorf("%d of %d nodes were listed anew", anew, all)
	}
}

// Surfaces that go through each other at the start do not act there and may part; once they have, they stay apart.
func TestWhatCrossesAtTheStartMayPart(t *testing.T) {
	low, triangles := block(3, vec{-0.2, -0.2, -0.2}, vec{0.2, 0, 0.2})
	high, highTriangles := block(3, vec{-0.11, -0.03, -0.12}, vec{0.13, 0.1, 0.11})
	s := newSet(t, []*Surface{surface(low, triangles), surface(high, highTriangles)}, []Pairing{{0, 1}}, Tool{Pose: frame.Identity()}, Options{Thickness: 0.002})
	lift := func(way float64) float64 {
		s.Collect(0.01)
		m := &Motion{To: [][]vec{slices.Clone(s.Surfaces[0].X), slices.Clone(s.Surfaces[1].X)}}
		for i := range m.To[1] {
			m.To[1][i][1] += way
		}
		share, _ := s.Bound(m, nil)
		move(s, m, share)
		return share
	}
	for n := range 8 {
		if s.Collect(0.01); s.crossed != (n < 6) {
			t.Errorf("after %d mm they cross: %v", 5*n, s.crossed)
		}
		if share := lift(0.005 + 1e-6); share != 1 {
			t.Errorf("after %d mm they are held at a share of %g", 5*n, share)
		}
	}
	if share := lift(-0.02); !(share > 0.45 && share < 0.51) || crossings(s) > 0 {
		t.Errorf("back at it they go %g of the way, to %d crossings", share, crossings(s))
	}
	// a tool that begins inside
	s = newSet(t, []*Surface{surface(low, triangles)}, []Pairing{{0, -1}}, Tool{Round: 0.1, Pose: frame.At(vec{0, 0.05, 0})}, Options{Thickness: 0.002})
	if s.Collect(0.01); len(s.Contacts) > 0 {
		for _, c := range s.Contacts {
			if c.Gap <= 0 {
				t.Errorf("%+v acts from inside", c.Key.pair())
			}
		}
	}
	m := &Motion{To: [][]vec{s.Surfaces[0].X}, Way: vec{0, 0.1, 0}}
	if share, _ := s.Bound(m, nil); share != 1 {
		t.Errorf("a tool that begins inside is held at %g", share)
	}
}
