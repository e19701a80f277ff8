package touch

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
)

type vec = mgl64.Vec3

// sheet is a square of n by n cells, 1 long, about the origin, in the plane across Y.
func sheet(n int) (x []vec, triangles [][3]int32) {
	for i := range n + 1 {
		for j := range n + 1 {
			x = append(x, vec{float64(i)/float64(n) - 0.5, 0, float64(j)/float64(n) - 0.5})
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

// block is a closed box with sides of n by n cells.
func block(n int, low, high vec) (x []vec, triangles [][3]int32) {
	number := map[[3]int]int32{}
	node := func(i, j, k int) int32 {
		key := [3]int{i, j, k}
		if at, ok := number[key]; ok {
			return at
		}
		number[key] = int32(len(x))
		p := vec{float64(i) / float64(n), float64(j) / float64(n), float64(k) / float64(n)}
		for c := range p {
			p[c] = low[c] + (high[c]-low[c])*p[c]
		}
		x = append(x, p)
		return number[key]
	}
	for axis := range 3 {
		for _, end := range []int{0, n} {
			for i := range n {
				for j := range n {
					at := func(u, v int) int32 {
						var c [3]int
						c[axis], c[(axis+1)%3], c[(axis+2)%3] = end, u, v
						return node(c[0], c[1], c[2])
					}
					a, b, c, d := at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)
					if end == 0 {
						b, d = d, b
					}
					triangles = append(triangles, [3]int32{a, b, c}, [3]int32{a, c, d})
				}
			}
		}
	}
	return x, triangles
}

func surface(x []vec, triangles [][3]int32) *Surface {
	return &Surface{Triangles: triangles, Rest: slices.Clone(x), X: slices.Clone(x)}
}

func newSet(t testing.TB, surfaces []*Surface, pairings []Pairing, tool Tool, o Options) *Set {
	t.Helper()
	s, err := NewSet(surfaces, pairings, tool, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// crossings counts the edges of surfaces that go through triangles, exactly, and the triangles that the tool is in.
func crossings(s *Set) (n int) {
	for _, p := range s.Pairings {
		f := s.Surfaces[p.A]
		if p.B < 0 {
			for t := range f.Triangles {
				if _, _, d := s.faceToCore(f, int32(t)); !(math.Sqrt(d) > s.Tool.Round) {
					n++
				}
			}
			continue
		}
		a := collision.NewSurface(f.Triangles, f.X)
		b := a
		if p.A != p.B {
			b = collision.NewSurface(s.Surfaces[p.B].Triangles, s.Surfaces[p.B].X)
		}
		n += len(a.Cuts(nil, b))
	}
	return n
}

// move takes a set along a share of a motion.
func move(s *Set, m *Motion, share float64) {
	for i, f := range s.Surfaces {
		if f.Tool {
			continue
		}
		for k, x := range f.X {
			if share == 1 {
				f.X[k] = m.To[i][k]
			} else {
				f.X[k] = x.Add(m.To[i][k].Sub(x).Mul(share))
			}
		}
	}
	s.Place(m.At(s.Tool.Pose, share))
}

func save(s *Set) (x [][]vec, pose frame.Pose) {
	for _, f := range s.Surfaces {
		x = append(x, slices.Clone(f.X))
	}
	return x, s.Tool.Pose
}

func restore(s *Set, x [][]vec, pose frame.Pose) {
	for i, f := range s.Surfaces {
		copy(f.X, x[i])
	}
	s.Place(pose)
}

// A pair that joins stays through Refresh as it is, and through Collect only if it bears, however far it is.
func TestWhatJoinsStaysWhileItBears(t *testing.T) {
	x, triangles := sheet(4)
	s := newSet(t, []*Surface{surface(x, triangles)}, []Pairing{{0, -1}}, Tool{Round: 0.1, Pose: frame.At(vec{0.05, 0.3, 0.06})}, Options{Thickness: 0.01})
	m := &Motion{To: [][]vec{s.Surfaces[0].X}, Way: vec{0.1, -0.4, 0}}
	for _, bears := range []bool{false, true} {
		if s.Collect(0.02); len(s.Contacts) > 0 {
			t.Fatalf("%d contacts of a tool that is away", len(s.Contacts))
		}
		share, bindings := s.Bound(m, nil)
		if want := 0.5; math.Abs(share-want) > 1e-3 || len(bindings) < 2 || bindings[0].Share != share {
			t.Fatalf("a share of %g, want %g; %+v", share, want, bindings)
		}
		if n := s.Join(bindings, 1); n != 1 || s.Contacts[0].Key != bindings[0].Key {
			t.Fatalf("%d joined, %+v", n, s.Contacts)
		}
		if n := s.Join(bindings[:1], 9); n != 0 {
			t.Errorf("%d joined twice", n)
		}
		c := &s.Contacts[0]
		if gap := c.Gap; gap < 0.19 || gap > 0.25 {
			t.Errorf("its gap is %g", gap)
		}
		if bears {
			c.Bear(1, 0, 0)
		}
		key := c.Key
		s.Place(frame.At(s.Tool.Pose.Position.Add(vec{0.02, -0.01, 0})))
		if s.Refresh(); len(s.Contacts) != 1 || s.Contacts[0].Key != key {
			t.Errorf("after Refresh: %+v", s.Contacts)
		}
		if s.Collect(0.02); len(s.Contacts) == 1 != bears {
			t.Errorf("it bears: %v, after Collect there are %d contacts", bears, len(s.Contacts))
		}
		s.Reset()
		s.Place(frame.At(vec{0.05, 0.3, 0.06}))
	}
}

// What of a coarse triangle is nearest to a ball is its contact, once: so that neither a face nor an edge lets it in
// between nodes.
func TestOneContactWhereABallIsNearest(t *testing.T) {
	x, triangles := sheet(2)
	for _, c := range []struct {
		at   vec
		want kind
	}{
		{vec{0, 0.1, 0}, nodeTool},
		{vec{0.25, 0.1, 0}, edgeTool},
		{vec{0.25, 0.1, 0.25}, edgeTool}, // on a diagonal
		{vec{0.1, 0.1, 0.2}, faceTool},
		{vec{0.55, 0.09, 0}, nodeTool}, // beside the sheet
		{vec{0.55, 0.09, 0.1}, edgeTool},
	} {
		s := newSet(t, []*Surface{surface(x, triangles)}, []Pairing{{0, -1}}, Tool{Round: 0.08, Pose: frame.At(c.at)}, Options{Thickness: 0.01})
		s.Collect(0.05)
		if len(s.Contacts) != 1 || s.Contacts[0].Key.pair().kind != c.want {
			t.Errorf("a ball at %v: %d contacts, the first %+v, want one of kind %d", c.at, len(s.Contacts), s.Contacts, c.want)
			continue
		}
		at := &s.Contacts[0]
		gap := s.At(&at.P).Sub(s.At(&at.Q))
		if d := gap.Sub(at.Frame[0].Mul(at.Gap)).Len(); d > 1e-15 || at.Gap < 0 {
			t.Errorf("a ball at %v: P - Q is %v, the gap %g along %v", c.at, gap, at.Gap, at.Frame[0])
		}
	}
}

// What binds a motion is a contact at the place where it binds, however near another one of the same triangle is: else
// nothing there would bear, and neither body could move.
func TestWhatBindsIsAContactWhereItBinds(t *testing.T) {
	const round, gap, tilt = 0.1, 1e-7, 1.4e-3 // gap - round tilt^2/2: fifty times nearer where the triangle leans
	x, triangles := sheet(1)
	at := vec{0.1, round + gap, 0.3}
	s := newSet(t, []*Surface{surface(x, triangles)}, []Pairing{{0, -1}}, Tool{Round: round, Pose: frame.At(at)}, Options{Thickness: 0.01})
	s.Collect(0.02)
	if len(s.Contacts) != 1 || s.Contacts[0].Key.pair().kind != faceTool {
		t.Fatalf("%+v", s.Contacts)
	}
	s.Contacts[0].Bear(1, 0, 0)
	for i := range s.Surfaces[0].X {
		p := &s.Surfaces[0].X[i]
		p[1] += math.Tan(tilt) * (p[0] - at[0])
	}
	s.Refresh()
	share, bindings := s.Bound(&Motion{To: [][]vec{s.Surfaces[0].X}, Way: vec{0, -1e-4, 0}}, nil)
	if share > 1e-4 {
		t.Fatalf("goes on by %g", share)
	}
	n, least := s.Join(bindings, 1), 1.0
	for i := range s.Contacts {
		least = min(least, s.Contacts[i].Gap)
	}
	if n != 1 || least > 0.03*gap {
		t.Errorf("%d joined, the nearest has a gap of %g", n, least)
	}
}

// A body does not touch itself through itself, nor a feature its neighbours, however near they are; and another one it
// touches from outside.
func TestNothingTouchesThroughABody(t *testing.T) {
	slab, triangles := block(4, vec{-0.2, -0.01, -0.2}, vec{0.2, 0.01, 0.2})
	for i, p := range slab {
		slab[i][1] += 0.02 * math.Sin(7*p[0]) * math.Cos(5*p[2])
	}
	s := newSet(t, []*Surface{surface(slab, triangles)}, []Pairing{{0, 0}}, Tool{Pose: frame.Identity()}, Options{Thickness: 0.004})
	if s.Collect(0.1); len(s.Contacts) > 0 || len(s.pairs) < 1000 {
		t.Errorf("%d contacts of %d pairs: %+v", len(s.Contacts), len(s.pairs), s.Contacts)
	}
	peg, pegTriangles := block(1, vec{0.03, 0.04, 0.03}, vec{0.05, 0.06, 0.05})
	s = newSet(t, []*Surface{s.Surfaces[0], surface(peg, pegTriangles)}, []Pairing{{0, 1}}, Tool{Pose: frame.Identity()}, Options{Thickness: 0.004})
	s.Collect(0.05)
	for i := range s.Contacts {
		c := &s.Contacts[i]
		up := c.Frame[0][1]
		if c.P.Surface == 0 {
			up = -up
		}
		if !(up > 0.5) {
			t.Errorf("%+v along %v", c.Key.pair(), c.Frame[0])
		}
	}
	if len(s.Contacts) < 4 {
		t.Errorf("%d contacts of a peg over a slab", len(s.Contacts))
	}
}

func TestAStepAllocatesNothing(t *testing.T) {
	x, triangles := sheet(10)
	for i := range x {
		x[i][1] = 0.2 * math.Cos(6*x[i][0])
	}
	s := newSet(t, []*Surface{surface(x, triangles)}, []Pairing{{0, 0}, {0, -1}}, Tool{Round: 0.1, Pose: frame.At(vec{0, 0.305, 0})}, Options{Thickness: 0.01})
	m := &Motion{To: [][]vec{slices.Clone(x)}, Way: vec{0, -0.01, 0}, Turn: vec{0.1, 0, 0}}
	for i := range m.To[0] {
		m.To[0][i] = m.To[0][i].Add(vec{0, 0.1, 0})
	}
	bindings := make([]Binding, 0, 1000)
	step := func() {
		s.Collect(0.05)
		_, bindings = s.Bound(m, bindings[:0])
		s.Join(bindings, 24)
		s.Refresh()
		for i := range s.Contacts {
			s.Contacts[i].Bear(1, 0, 0)
		}
	}
	step()
	step()
	if len(bindings) == 0 || len(s.Contacts) == 0 {
		t.Fatalf("%d bindings, %d contacts", len(bindings), len(s.Contacts))
	}
	if n := testing.AllocsPerRun(5, step); n != 0 && !testkit.Race {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkStep(b *testing.B) {
	x, triangles := sheet(30)
	for i := range x {
		x[i][1] = 0.2 * math.Cos(6*x[i][0])
	}
	s := newSet(b, []*Surface{surface(x, triangles)}, []Pairing{{0, 0}, {0, -1}}, Tool{Round: 0.1, Pose: frame.At(vec{0, 0.305, 0})}, Options{Thickness: 0.002})
	m := &Motion{To: [][]vec{slices.Clone(x)}, Way: vec{0, -0.003, 0}}
	for i, p := range x { // a hollow under the tool
		m.To[0][i][1] -= 0.004 * math.Exp(-p.LenSqr()/0.01)
	}
	b.Run("collect", func(b *testing.B) {
		for b.Loop() {
			s.margin = 0
			s.Collect(0.03)
		}
		b.ReportMetric(float64(len(s.pairs)), "pairs")
	})
	b.Run("collect again", func(b *testing.B) {
		for b.Loop() {
			s.Collect(0.03)
		}
	})
	b.Run("collect where a tenth has moved", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			for i, p := range x {
				if p.LenSqr() < 0.03 {
					s.Surfaces[0].X[i][1] = p[1] - 0.01*float64(n%2)
				}
			}
			s.Collect(0.03)
		}
		copy(s.Surfaces[0].X, x)
		s.Collect(0.03)
	})
	b.Run("bound", func(b *testing.B) {
		for b.Loop() {
			s.Bound(m, nil)
		}
	})
}
