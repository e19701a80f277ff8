package collision

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
)

// sheet is a square of n by n cells of unit size about the origin.
func sheet(n int) (x []mgl64.Vec3, triangles [][3]int32) {
	for i := range n + 1 {
		for j := range n + 1 {
			x = append(x, mgl64.Vec3{float64(i) - float64(n)/2, 0, float64(j) - float64(n)/2})
		}
	}
	for i := range int32(n) {
		for j := range int32(n) {
			a := i*int32(n+1) + j
			b, c, d := a+1, a+int32(n)+1, a+int32(n)+2
			triangles = append(triangles, [3]int32{a, b, d}, [3]int32{a, d, c})
		}
	}
	return x, triangles
}

func share2(a, b []int32) bool {
	return slices.ContainsFunc(a, func(n int32) bool { return slices.Contains(b, n) })
}

// The pairs of a search by boxes are those of trying all, each once.
func TestPairsAreAllThatMayMeet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	noise := func(x []mgl64.Vec3, size float64) []mgl64.Vec3 {
		y := slices.Clone(x)
		for i := range y {
			y[i] = y[i].Add(mgl64.Vec3{random.Float64() - 0.5, random.Float64() - 0.5, random.Float64() - 0.5}.Mul(size))
		}
		return y
	}
	x, triangles := sheet(5)
	for n := range 6 {
		from := noise(x, 2)
		a := NewSurface(triangles, from)
		a.Fit(from, noise(from, 0.5), 0.05)
		b := a
		if n%2 == 0 {
			other := noise(x, 3)
			b = NewSurface(triangles[7:], other)
			b.Fit(other, noise(other, 1), 0.1)
		}
		want := map[Pair]bool{}
		put := func(p Pair, ok bool) {
			if ok {
				want[p] = true
			}
		}
		for f, tri := range b.Triangles {
			for node := range int32(len(x)) {
				used := slices.ContainsFunc(a.Triangles, func(tri [3]int32) bool { return slices.Contains(tri[:], node) })
				box := a.boxOf([]int32{node})
				put(Pair{NodeFace, node, int32(f)}, used && box.meets(&b.boxes[f]) && !(a == b && slices.Contains(tri[:], node)))
			}
		}
		if a != b {
			for f := range a.Triangles {
				for node := range int32(len(x)) {
					used := slices.ContainsFunc(b.Triangles, func(tri [3]int32) bool { return slices.Contains(tri[:], node) })
					box := b.boxOf([]int32{node})
					put(Pair{FaceNode, int32(f), node}, used && box.meets(&a.boxes[f]))
				}
			}
		}
		for i, e := range a.Edges {
			for j, f := range b.Edges {
				if a == b && (i == j || share2(e.Node[:], f.Node[:])) {
					continue
				}
				p, q := a.boxOf(e.Node[:]), b.boxOf(f.Node[:])
				pair := Pair{EdgeEdge, int32(i), int32(j)}
				if a == b {
					pair.A, pair.B = min(pair.A, pair.B), max(pair.A, pair.B)
				}
				put(pair, p.meets(&q))
			}
		}
		got := map[Pair]bool{}
		for _, p := range a.Pairs(nil, b) {
			if a == b && p.Kind == EdgeEdge {
				p.A, p.B = min(p.A, p.B), max(p.A, p.B)
			}
			if got[p] {
				t.Fatalf("search %d: %v twice", n, p)
			}
			if got[p] = true; !want[p] {
				t.Fatalf("search %d: %v is found, and should not be", n, p)
			}
		}
		if len(got) != len(want) || len(want) < 50 {
			t.Fatalf("search %d: %d pairs, want %d", n, len(got), len(want))
		}
	}
}

// Cuts are those of trying all edges with all triangles.
func TestCutsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	x, triangles := sheet(8)
	fold := func(turn float64) []mgl64.Vec3 { // rolled up about z: from some angle on through itself
		y := slices.Clone(x)
		for i, p := range y {
			angle := p[0] * turn
			r := 1 + 0.4*random.Float64()
			y[i] = mgl64.Vec3{r * math.Cos(angle), r * math.Sin(angle), p[2]}
		}
		return y
	}
	count := func(a, b *Surface) int {
		want := 0
		try := func(a, b *Surface) {
			for _, e := range a.Edges {
				for _, tri := range b.Triangles {
					if a == b && share2(e.Node[:], tri[:]) {
						continue
					}
					if SegmentTriangle(a.to[e.Node[0]], a.to[e.Node[1]], b.to[tri[0]], b.to[tri[1]], b.to[tri[2]]) == Crosses {
						want++
					}
				}
			}
		}
		if try(a, b); a != b {
			try(b, a)
		}
		return want
	}
	for n, turn := range []float64{0.3, 0.6, 0.75, 0.9, 1.2} {
		a := NewSurface(triangles, fold(turn))
		if got, want := len(a.Cuts(nil, a)), count(a, a); got != want || (want > 0) != (n > 2) {
			t.Errorf("rolled up by %g: %d cuts of itself, want %d", turn, got, want)
		}
		b := NewSurface(triangles, fold(0.4))
		if got, want := len(a.Cuts(nil, b)), count(a, b); got != want || want == 0 {
			t.Errorf("rolled up by %g: %d cuts of another, want %d", turn, got, want)
		}
	}
	// surfaces that lie on each other do not cut, and one that is flat is clear of itself
	a, b := NewSurface(triangles, x), NewSurface(triangles, x)
	if n := len(a.Cuts(nil, b)) + len(a.Cuts(nil, a)); n > 0 {
		t.Errorf("%d cuts of sheets that lie on each other", n)
	}
	var cuts []Cut
	var pairs []Pair
	y := fold(0.9)
	search := func() {
		a.Fit(y, y, 0)
		cuts, pairs = a.Cuts(cuts[:0], a), a.Pairs(pairs[:0], a)
	}
	search()
	if n := testing.AllocsPerRun(5, search); n != 0 && !testkit.Race {
		t.Errorf("%g allocations", n)
	}
}

// FuzzAdvance reads a node and a triangle, or two edges, on their ways from bytes: any numbers. An advance is a share,
// and where the numbers are moderate, what was on one side of the other still is there.
func FuzzAdvance(f *testing.F) {
	seed := func(numbers ...float64) {
		var b []byte
		for _, x := range numbers {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		f.Add(b, false)
		f.Add(b, true)
	}
	seed(0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -2)
	seed(0.2, 0.2, 1e-9, 0, 0, 0, 1, 1e-12, 0, 1, 1e-12, 0, 3, 3, -2, 3, 3)
	seed(0.5, 1e-200, math.NaN(), 1e300, math.Inf(1), 0, 1, 0, 0, 0, 1, 0, 0, 0, -2)
	seed(1e9, 1, 1, 1e9, 1, 1, 1e9, 2, 1, 1e9, 1, 3, 1e9, 1, 1, 1e9, 2, 2)
	f.Fuzz(func(t *testing.T, data []byte, edges bool) {
		moderate := true
		vec := func() (v mgl64.Vec3) {
			for k := range v {
				if len(data) >= 8 {
					v[k] = math.Float64frombits(binary.LittleEndian.Uint64(data))
					data = data[8:]
				}
				moderate = moderate && (v[k] == 0 || math.Abs(v[k]) > 1e-20 && math.Abs(v[k]) < 1e6)
			}
			return v
		}
		a, b := Swept{Count: 1}, Swept{Count: 3}
		if edges {
			a.Count, b.Count = 2, 2
		}
		for i := range a.Count {
			a.At[i] = vec()
		}
		for i := range b.Count {
			b.At[i] = vec()
		}
		for i := range a.Count {
			a.Way[i] = vec()
		}
		for i := range b.Count {
			b.Way[i] = vec()
		}
		share := Advance(&a, &b, 0)
		if !(share >= 0 && share <= 1) {
			t.Fatalf("an advance of %g", share)
		}
		if !moderate || share == 0 {
			return
		}
		for n := range 65 { // all the way up to there they are clear of each other
			s := share * float64(n) / 64
			var p, q [3]mgl64.Vec3
			for k := range 3 {
				p[k], q[k] = a.At[k].Add(a.Way[k].Mul(s)), b.At[k].Add(b.Way[k].Mul(s))
			}
			met := SegmentTriangle(p[0], p[0], q[0], q[1], q[2])
			if edges {
				met = SegmentTriangle(p[0], p[1], q[0], q[1], q[1])
			}
			if met != Clear {
				t.Fatalf("at a share of %g of %g they meet", s, share)
			}
		}
	})
}

func BenchmarkCuts(b *testing.B) {
	x, triangles := sheet(30)
	s := NewSurface(triangles, x)
	for i := range x {
		x[i][1] = math.Sin(x[i][0]) * math.Cos(x[i][2])
	}
	var cuts []Cut
	b.ReportAllocs()
	for b.Loop() {
		s.Fit(x, x, 0)
		cuts = s.Cuts(cuts[:0], s)
	}
}
