package touch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/exact"
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

func surface(x []vec, triangles [][3]int32, firm float64) *Surface {
	f := &Surface{Triangles: triangles, Rest: slices.Clone(x), X: slices.Clone(x)}
	if firm > 0 {
		for range x {
			f.Firm = append(f.Firm, firm)
		}
	}
	return f
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
			core := s.Tool.core()
			for t := range f.Triangles {
				if _, _, d := s.faceToCore(f, int32(t), &core); !(math.Sqrt(d) > s.Tool.Round) {
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

// A folded sheet, a ball, a capsule and a block that the hand turns are pushed at random, a thousand times. Whatever
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
	scenes := []func() *Set{
		func() *Set {
			return newSet(t, []*Surface{surface(folded, triangles, 1)}, []Pairing{{0, 0, 0.3}, {0, -1, 0.3}}, Tool{Round: 0.1, Pose: frame.At(vec{-0.2, 0.14, 0.03})}, Options{Thickness: 0.005, Layer: 1})
		},
		func() *Set {
			return newSet(t, []*Surface{surface(folded, triangles, 1)}, []Pairing{{0, 0, 0.3}, {0, -1, 0.3}}, Tool{Core: [2]vec{{0, 0, 0}, {0.1, 0.3, 0}}, Round: 0.05, Pose: frame.At(vec{-0.2, 0.1, 0.03})}, Options{Thickness: 0.005, Layer: 1})
		},
		func() *Set {
			tool := surface(box, boxTriangles, 0)
			tool.Tool = true
			return newSet(t, []*Surface{surface(folded, triangles, 1), tool}, []Pairing{{0, 0, 0.3}, {1, 0, 0.3}}, Tool{Pose: frame.At(vec{0, 0.2, 0})}, Options{Thickness: 0.005, Layer: 1})
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
			if s.ways(m) {
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
				if looked++; first < 1 && share < 0.8*(first-1./60) {
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
			if s.Crossed() {
				t.Fatal("the set thinks that surfaces cross")
			}
		}
	}
	t.Logf("%d pushes, %d of them would cross, %d are bounded, of %d it was looked where; of %d the pairs were listed", pushes, would, stopped, looked, known)
	if would < pushes/3 || known < pushes/10 {
		t.Errorf("of %d pushes %d would cross, and of %d the pairs were listed", pushes, would, known)
	}
}

// A tool that the hand swings about goes along an arc, and meets what lies on that but not between its ends.
func TestBoundAlongAnArc(t *testing.T) {
	x, triangles := sheet(4)
	for i := range x {
		x[i] = vec{0, 1 + 0.1*x[i][0], 0.1 * x[i][2]}
	}
	box, boxTriangles := block(1, vec{0.98, -0.02, -0.02}, vec{1.02, 0.02, 0.02})
	swung := surface(box, boxTriangles, 0)
	swung.Tool = true
	for what, s := range map[string]*Set{
		"block": newSet(t, []*Surface{surface(x, triangles, 1), swung}, []Pairing{{1, 0, 0.3}}, Tool{Pose: frame.Identity()}, Options{Thickness: 1e-3, Layer: 1}),
		"ball":  newSet(t, []*Surface{surface(x, triangles, 1)}, []Pairing{{0, -1, 0.3}}, Tool{Core: [2]vec{{1, 0, 0}, {1, 0, 0}}, Round: 0.02, Pose: frame.Identity()}, Options{Thickness: 1e-3, Layer: 1}),
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
	surfaces := []*Surface{surface(x, triangles, 1), surface(low, lowTriangles, 1)}
	pairings := []Pairing{{0, 0, 0.3}, {0, 1, 0.2}, {1, -1, 0.1}, {0, -1, 0.1}}
	tool := Tool{Round: 0.1, Pose: frame.At(vec{0, 0.15, 0})}
	s := newSet(t, surfaces, pairings, tool, Options{Thickness: 1e-3, Layer: 1})
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
			fresh = append(fresh, surface(f.X, f.Triangles, 1))
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

// bed is surfaces whose nodes hang on springs at their places at rest, and a tool on one.
type bed struct {
	*Set
	spring float64 // N/m
	hand   vec
	tool   Coupling
	solver contact.Solver
	p      contact.Problem
	joined int
}

func newBed(t testing.TB, s *Set, spring float64, tool Coupling) *bed {
	solver, err := contact.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	return &bed{Set: s, spring: spring, tool: tool, solver: solver, hand: s.Tool.Pose.Position}
}

// side is what a node gets of a contact's force.
func side(c *Contact, surface, node int32) (share float64) {
	for k := range c.P.Count {
		if c.P.Surface == surface && c.P.Node[k] == node {
			share += c.P.Weight[k]
		}
	}
	for k := range c.Q.Count {
		if c.Q.Surface == surface && c.Q.Node[k] == node {
			share -= c.Q.Weight[k]
		}
	}
	return share
}

// correct makes a correction, no more than a share of it, and tells the one that it took.
func (b *bed) correct(t testing.TB, most float64) (share float64) {
	var m *Motion
	for round := 0; ; round++ {
		n := len(b.Contacts)
		w, q := make([]float64, 9*n*n), make([]float64, 3*n)
		for i := range b.Contacts {
			for j := range b.Contacts {
				both := 0.0
				for s, f := range b.Surfaces {
					if f.Firm == nil {
						continue
					}
					for node := range int32(len(f.X)) {
						both += side(&b.Contacts[i], int32(s), node) * side(&b.Contacts[j], int32(s), node) / b.spring
					}
				}
				for k, u := range b.Contacts[i].Frame {
					for l, v := range b.Contacts[j].Frame {
						w[(3*i+k)*3*n+3*j+l] = both * u.Dot(v)
					}
				}
			}
			c := &b.Contacts[i]
			var free vec // of P - Q, without forces
			for s, f := range b.Surfaces {
				if f.Firm == nil {
					continue
				}
				for node, x := range f.X {
					free = free.Add(f.Rest[node].Sub(x).Mul(side(c, int32(s), int32(node))))
				}
			}
			if c.Q.Count == 0 {
				free = free.Sub(b.hand.Sub(b.Tool.Pose.Position))
			}
			for k, u := range c.Frame {
				q[3*i+k] = u.Dot(free)
			}
		}
		b.p.W, b.p.Q = w, q
		b.Problem(&b.p, b.tool)
		r := make([]float64, 3*n)
		opt := contact.DefaultOptions()
		opt.Tolerance, opt.MaxIterations = 1e-10, 5000
		if res := b.solver.Solve(&b.p, r, &opt); !res.Converged {
			t.Fatalf("%d contacts are not solved: %+v", n, res)
		}
		for i := range b.Contacts {
			b.Contacts[i].Bear(r[3*i], r[3*i+1], r[3*i+2])
		}
		m = &Motion{}
		for s, f := range b.Surfaces {
			to := slices.Clone(f.Rest)
			for node := range to {
				for i := range b.Contacts {
					to[node] = to[node].Add(b.Contacts[i].Force.Mul(side(&b.Contacts[i], int32(s), int32(node)) / b.spring))
				}
				if f.Firm == nil {
					to[node] = f.X[node]
				}
			}
			m.To = append(m.To, to)
		}
		force, torque := b.ToolForce()
		m.Way = b.hand.Sub(b.Tool.Pose.Position)
		if b.tool.Stiffness > 0 {
			m.Way = m.Way.Add(force.Mul(1 / b.tool.Stiffness))
		}
		if b.tool.Turn > 0 {
			m.Turn = torque.Mul(1 / b.tool.Turn)
		}
		var bindings []Binding
		share, bindings = b.Bound(m, nil)
		n = 0
		if share < 1 && round < 3 {
			n = b.Join(bindings, 24)
		}
		if b.joined += n; n == 0 {
			break
		}
	}
	if share < 1 {
		share *= 0.9
	}
	share = min(share, most)
	move(b.Set, m, share)
	b.Refresh()
	return share
}

// press goes on until corrections change nothing, by half each: how the closest point of a flat triangle turns with it
// is not in the problem.
func (b *bed) press(t testing.TB, corrections int) (broken float64) {
	for range corrections {
		b.correct(t, 0.5)
		if n := crossings(b.Set); n > 0 {
			t.Fatalf("%d crossings", n)
		}
	}
	return b.Broken(&b.p)
}

// A ball pressed into a bed of springs sinks in until they carry it; each contact bears what its layer asks for, within
// its cone, none pulls, and the tool's spring holds what they add up to. Taken away, all is as it was.
func TestABallOnABed(t *testing.T) {
	x, triangles := sheet(12)
	for i := range x {
		x[i][1] += 0.01 * math.Sin(7*x[i][0])
	}
	s := newSet(t, []*Surface{surface(x, triangles, 2)}, []Pairing{{0, -1, 0.4}}, Tool{Round: 0.2, Pose: frame.At(vec{0.03, 0.3, 0.02})}, Options{Thickness: 0.01, Layer: 1})
	b := newBed(t, s, 100, Coupling{Stiffness: 400})
	for _, down := range []float64{0.25, 0.2, 0.15, 0.1} {
		b.hand = vec{0.03 + 0.3*(0.25-down), down, 0.02}
		b.Collect(0.05)
		broken := b.press(t, 60)
		force, _ := b.ToolForce()
		bearing := 0
		for i := range b.Contacts {
			c := &b.Contacts[i]
			r := c.R()
			if !(r[0] >= 0 && math.Hypot(r[1], r[2]) <= 0.4*r[0]+1e-3*force.Len()) { // the frames have turned since, by what is left of a correction
				t.Errorf("%v bears %v", c.Key.pair(), r)
			}
			if r[0] > 0 {
				bearing++
			}
			if d := math.Abs(r[0] - c.Pressure()); d > 1e-3*force.Len() {
				t.Errorf("at %g: %v bears %g, its layer asks for %g", down, c.Key.pair(), r[0], c.Pressure())
			}
		}
		spring := b.hand.Sub(b.Tool.Pose.Position).Mul(400).Add(force)
		if !(broken <= 1e-3*force.Len()) || spring.Len() > 1e-3*force.Len() || (bearing >= 3) != (down < 0.18) {
			t.Errorf("at %g: %d contacts bear %v, laws broken by %g, the tool is off by %v", down, bearing, force, broken, spring)
		}
		b.Commit()
	}
	t.Logf("%d contacts, %d of them joined", len(b.Contacts), b.joined)
	b.hand = vec{0.03, 0.6, 0.02}
	for range 6 {
		b.Collect(0.05)
		b.correct(t, 1)
		b.Commit()
	}
	for i, p := range b.Surfaces[0].X {
		if p.Sub(b.Surfaces[0].Rest[i]).Len() > 1e-12 {
			t.Fatalf("node %d is %v from rest", i, p.Sub(b.Surfaces[0].Rest[i]))
		}
	}
	if b.Collect(0.05); len(b.Contacts) > 0 {
		t.Errorf("%d contacts with a tool that is away", len(b.Contacts))
	}
}

// Two blocks pressed on each other, one of them turned: faces, edges and corners carry; what binds joins, keeps its key
// and stays as long as it bears, whatever is near by then, and goes when it does not.
func TestTwoBlocks(t *testing.T) {
	low, lowTriangles := block(3, vec{-0.2, -0.2, -0.2}, vec{0.2, 0, 0.2})
	high, highTriangles := block(2, vec{-0.1, -0.1, -0.1}, vec{0.1, 0.1, 0.1})
	turn := mgl64.QuatRotate(-0.35, vec{0, 0, 1}).Mul(mgl64.QuatRotate(0.7, vec{1, 0, 0})) // an edge down, that slopes down beyond the other block
	for i, x := range high {
		high[i] = turn.Rotate(x).Add(vec{0.22, 0.149, 0.01})
	}
	s := newSet(t, []*Surface{surface(low, lowTriangles, 1), surface(high, highTriangles, 1)}, []Pairing{{0, 1, 0.2}}, Tool{Pose: frame.Identity()}, Options{Thickness: 0.004, Layer: 1})
	if crossings(s) > 0 {
		t.Fatal("they cross at the start")
	}
	b := newBed(t, s, 50, Coupling{})
	rest := slices.Clone(b.Surfaces[1].Rest)
	kinds, joined := map[kind]int{}, 0
	for step := range 14 {
		for i := range rest { // where the springs of the upper one hang goes down, and up again
			b.Surfaces[1].Rest[i] = rest[i].Sub(vec{0, 0.012 * float64(min(step, 14-step)), 0})
		}
		if step == 13 {
			for i := range rest {
				b.Surfaces[1].Rest[i] = rest[i].Add(vec{0, 0.2, 0})
			}
		}
		var bore []Key
		for i := range b.Contacts {
			if b.Contacts[i].bears() {
				bore = append(bore, b.Contacts[i].Key)
			}
		}
		b.Collect(0.002)
		for _, key := range bore {
			if !slices.ContainsFunc(b.Contacts, func(c Contact) bool { return c.Key == key && c.bears() }) {
				t.Fatalf("step %d: %v bore, and is forgotten", step, key.pair())
			}
		}
		before := b.joined
		broken := b.press(t, 10)
		joined += b.joined - before
		sum := 0.0
		for i := range b.Contacts {
			c := &b.Contacts[i]
			if c.bears() {
				kinds[c.Key.pair().kind]++
				sum += c.R()[0]
			}
			if back := c.Key.pair(); back.key() != c.Key || c.Key == 0 {
				t.Errorf("key %x says %+v", c.Key, back)
			}
		}
		if broken > 0.02*sum {
			t.Errorf("step %d: the laws are broken by %g of %g N, %d contacts", step, broken, sum, len(b.Contacts))
		}
		if !slices.IsSortedFunc(b.Contacts, byKey) {
			t.Error("the contacts are not in order")
		}
		b.Commit()
	}
	t.Logf("bearing: %v, joined: %d", kinds, joined)
	if kinds[nodeFace] == 0 || kinds[edgeEdge] == 0 || joined == 0 {
		t.Errorf("bearing: %v, joined: %d", kinds, joined)
	}
	if b.Collect(0.002); len(b.Contacts) > 0 {
		t.Errorf("%d contacts of blocks that have parted", len(b.Contacts))
	}
}

// A pair that joins stays through Refresh as it is, and through Collect only if it bears, however far it is.
func TestWhatJoinsStaysWhileItBears(t *testing.T) {
	x, triangles := sheet(4)
	s := newSet(t, []*Surface{surface(x, triangles, 2)}, []Pairing{{0, -1, 0.4}}, Tool{Round: 0.1, Pose: frame.At(vec{0.05, 0.3, 0.06})}, Options{Thickness: 0.01, Layer: 1})
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
		s := newSet(t, []*Surface{surface(x, triangles, 1)}, []Pairing{{0, -1, 0.4}}, Tool{Round: 0.08, Pose: frame.At(c.at)}, Options{Thickness: 0.01, Layer: 1})
		s.Collect(0.05)
		if len(s.Contacts) != 1 || s.Contacts[0].Key.pair().kind != c.want {
			t.Errorf("a ball at %v: %d contacts, the first %+v, want one of kind %d", c.at, len(s.Contacts), s.Contacts, c.want)
			continue
		}
		at := &s.Contacts[0]
		gap := s.At(&at.P).Sub(s.At(&at.Q))
		if d := gap.Sub(at.Frame[0].Mul(at.Gap)).Len(); d > 1e-15 || at.Gap < 0 || s.Energy() != 0 {
			t.Errorf("a ball at %v: P - Q is %v, the gap %g along %v", c.at, gap, at.Gap, at.Frame[0])
		}
	}
}

// A body does not touch itself through itself, nor a feature its neighbours, however near they are; and another one it
// touches from outside.
func TestNothingTouchesThroughABody(t *testing.T) {
	slab, triangles := block(4, vec{-0.2, -0.01, -0.2}, vec{0.2, 0.01, 0.2})
	for i, p := range slab {
		slab[i][1] += 0.02 * math.Sin(7*p[0]) * math.Cos(5*p[2])
	}
	s := newSet(t, []*Surface{surface(slab, triangles, 1)}, []Pairing{{0, 0, 0.3}}, Tool{Pose: frame.Identity()}, Options{Thickness: 0.004, Layer: 1})
	if s.Collect(0.1); len(s.Contacts) > 0 || len(s.pairs) < 1000 {
		t.Errorf("%d contacts of %d pairs: %+v", len(s.Contacts), len(s.pairs), s.Contacts)
	}
	peg, pegTriangles := block(1, vec{0.03, 0.04, 0.03}, vec{0.05, 0.06, 0.05})
	s = newSet(t, []*Surface{s.Surfaces[0], surface(peg, pegTriangles, 1)}, []Pairing{{0, 1, 0.3}}, Tool{Pose: frame.Identity()}, Options{Thickness: 0.004, Layer: 1})
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

// The layer's force is minus the slope of its energy, its secant leads from the thickness to the gap, and a few secants
// lead to the force that bisection finds.
func TestLayer(t *testing.T) {
	s := &Set{Contacts: []Contact{{Thick: 0.01, Firm: 3, Frame: [3]vec{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}}}
	c := &s.Contacts[0]
	for _, gap := range []float64{1e-5, 1e-3, 5e-3, 9.9e-3, 0.02} {
		energy := func(g float64) float64 { c.Gap = g; return s.Energy() }
		h := 1e-6 * gap
		slope := (energy(gap+h) - energy(gap-h)) / (2 * h)
		c.Gap = gap
		if r := c.Pressure(); math.Abs(slope+r) > 1e-5*max(r, 1e-3) {
			t.Errorf("at a gap of %g: a slope of %g, a force of %g", gap, slope, r)
		}
		if c.Bear(c.Pressure(), 0, 0); gap < c.Thick {
			if g := c.Thick - c.Soft()*c.R()[0]; math.Abs(g-gap) > 1e-12 {
				t.Errorf("a gap of %g, by the secant %g", gap, g)
			}
		}
	}
	// a spring that would go 0.03 beyond the surface
	const spring, beyond = 100, 0.03
	low, high := 1e-9, c.Thick
	for range 100 {
		if c.Gap = (low + high) / 2; spring*(beyond+c.Gap) > c.Pressure() {
			high = c.Gap
		} else {
			low = c.Gap
		}
	}
	want := c.Pressure()
	c.Bear(0, 0, 0)
	for pass := range 4 {
		c.Bear((beyond+c.Thick)/(1./spring+c.Soft()), 0, 0)
		if miss := math.Abs(c.R()[0]/want - 1); miss > []float64{0.2, 0.05, 0.01, 0.002}[pass] {
			t.Errorf("pass %d: %g N, want %g", pass, c.R()[0], want)
		}
	}
}

// Friction takes hold of material points. A contact that sticks has slipped by what they have gone since, also over
// several states; one that slides begins anew, less what its layer gives back.
func TestSlip(t *testing.T) {
	x, triangles := sheet(2)
	s := newSet(t, []*Surface{surface(x, triangles, 1)}, []Pairing{{0, -1, 0.4}}, Tool{Round: 0.08, Pose: frame.At(vec{0.1, 0.085, 0.2})}, Options{Thickness: 0.01, Layer: 1})
	s.Collect(0.05)
	along := func(c *Contact) vec {
		slip := s.Slip(c)
		return c.Frame[1].Mul(slip[0]).Add(c.Frame[2].Mul(slip[1]))
	}
	c := &s.Contacts[0]
	if along(c).Len() != 0 {
		t.Errorf("a new contact has slipped by %v", along(c))
	}
	go1 := func(way vec) {
		s.Place(frame.At(s.Tool.Pose.Position.Add(way)))
		s.Refresh()
		s.Collect(0.05)
		c = &s.Contacts[0]
	}
	c.Bear(1, 0, 0)
	for n := 1; n <= 3; n++ {
		go1(vec{0.01, 0, 0})
		if d := along(c).Sub(vec{-0.01 * float64(n), 0, 0}).Len(); d > 1e-12 {
			t.Errorf("state %d: it has slipped by %v", n, along(c))
		}
		c.Bear(1, 0.1, 0)
		s.Commit()
	}
	if w := s.Loss(); math.Abs(w-0.4*c.R()[0]*along(c).Add(c.Frame[1].Mul(c.Soft()*0.1)).Len()) > 1e-12 {
		t.Errorf("friction takes %g", w)
	}
	c.Bear(1, 0, 0.4)
	s.Commit()
	if d := along(c).Add(c.Frame[2].Mul(0.4 * c.Soft())).Len(); d > 1e-12 {
		t.Errorf("after it slid it has slipped by %v", along(c))
	}
	if s.Loss() > 1e-12 {
		t.Errorf("friction takes %g of nothing", s.Loss())
	}
	go1(vec{0, 0.2, 0})
	if s.Commit(); along(c).Len() > c.Soft() {
		t.Errorf("open, it has slipped by %v", along(c))
	}
}

// Surfaces that go through each other at the start do not act there and may part; once they have, they stay apart.
func TestWhatCrossesAtTheStartMayPart(t *testing.T) {
	low, triangles := block(3, vec{-0.2, -0.2, -0.2}, vec{0.2, 0, 0.2})
	high, highTriangles := block(3, vec{-0.11, -0.03, -0.12}, vec{0.13, 0.1, 0.11})
	s := newSet(t, []*Surface{surface(low, triangles, 1), surface(high, highTriangles, 1)}, []Pairing{{0, 1, 0.2}}, Tool{Pose: frame.Identity()}, Options{Thickness: 0.002, Layer: 1})
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
		if s.Collect(0.01); s.Crossed() != (n < 6) {
			t.Errorf("after %d mm they cross: %v", 5*n, s.Crossed())
		}
		if share := lift(0.005 + 1e-6); share != 1 {
			t.Errorf("after %d mm they are held at a share of %g", 5*n, share)
		}
	}
	if share := lift(-0.02); !(share > 0.45 && share < 0.51) || crossings(s) > 0 {
		t.Errorf("back at it they go %g of the way, to %d crossings", share, crossings(s))
	}
	// a tool that begins inside
	s = newSet(t, []*Surface{surface(low, triangles, 1)}, []Pairing{{0, -1, 0.4}}, Tool{Round: 0.1, Pose: frame.At(vec{0, 0.05, 0})}, Options{Thickness: 0.002, Layer: 1})
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

// The tool gives way as a whole: its block in W is what a force at one contact moves it by at another.
func TestToolInTheProblem(t *testing.T) {
	x, triangles := sheet(3)
	s := newSet(t, []*Surface{surface(x, triangles, 1)}, []Pairing{{0, -1, 0.4}}, Tool{Core: [2]vec{{-0.3, 0, 0}, {0.3, 0, 0}}, Round: 0.08, Pose: frame.At(vec{0.01, 0.1, 0.02})}, Options{Thickness: 0.03, Layer: 1})
	s.Collect(0.05)
	n := len(s.Contacts)
	if n < 2 {
		t.Fatalf("%d contacts", n)
	}
	p := contact.Problem{W: make([]float64, 9*n*n), Q: make([]float64, 3*n)}
	k := Coupling{Stiffness: 300, Turn: 2}
	s.Problem(&p, k)
	for j := range n {
		for i := range s.Contacts {
			s.Contacts[i].Bear(0, 0, 0)
		}
		soft := s.Contacts[j].Soft()
		for l := range 3 {
			var r [3]float64
			r[l] = 1
			s.Contacts[j].Bear(r[0], r[1], r[2])
			force, torque := s.ToolForce()
			way, turn := force.Mul(1/k.Stiffness), torque.Mul(1/k.Turn)
			for i := range s.Contacts {
				c := &s.Contacts[i]
				went := way.Add(turn.Cross(s.At(&c.Q).Sub(s.Tool.Pose.Position))).Mul(-1) // of P - Q
				for m, u := range c.Frame {
					want := u.Dot(went)
					if i == j && l == m {
						want += soft
					}
					if got := p.W[(3*i+m)*3*n+3*j+l]; math.Abs(got-want) > 1e-15 {
						t.Fatalf("W of %d,%d by %d,%d is %g, want %g", i, m, j, l, got, want)
					}
				}
			}
			s.Contacts[j].Bear(0, 0, 0)
		}
	}
	for i := range s.Contacts {
		if c := &s.Contacts[i]; p.Q[3*i] != c.Gap-c.Thick || p.Mu[i] != 0.4 || p.ID[i] != uint64(c.Key) {
			t.Errorf("contact %d: q %g, mu %g", i, p.Q[3*i], p.Mu[i])
		}
	}
}

func TestAStepAllocatesNothing(t *testing.T) {
	x, triangles := sheet(10)
	for i := range x {
		x[i][1] = 0.2 * math.Cos(6*x[i][0])
	}
	s := newSet(t, []*Surface{surface(x, triangles, 1)}, []Pairing{{0, 0, 0.3}, {0, -1, 0.3}}, Tool{Round: 0.1, Pose: frame.At(vec{0, 0.305, 0})}, Options{Thickness: 0.01, Layer: 1})
	m := &Motion{To: [][]vec{slices.Clone(x)}, Way: vec{0, -0.01, 0}, Turn: vec{0.1, 0, 0}}
	for i := range m.To[0] {
		m.To[0][i] = m.To[0][i].Add(vec{0, 0.1, 0})
	}
	bindings := make([]Binding, 0, 1000)
	w, q := make([]float64, 9*400*400), make([]float64, 3*400)
	p := contact.Problem{Mu: make([]float64, 0, 400), ID: make([]uint64, 0, 400)}
	step := func() {
		s.Collect(0.05)
		_, bindings = s.Bound(m, bindings[:0])
		s.Join(bindings, 24)
		s.Refresh()
		p.W, p.Q = w[:9*len(s.Contacts)*len(s.Contacts)], q[:3*len(s.Contacts)]
		s.Problem(&p, Coupling{Stiffness: 100})
		for i := range s.Contacts {
			s.Contacts[i].Bear(1, 0, 0)
		}
		s.Broken(&p)
		s.Commit()
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
	s := newSet(b, []*Surface{surface(x, triangles, 1)}, []Pairing{{0, 0, 0.3}, {0, -1, 0.3}}, Tool{Round: 0.1, Pose: frame.At(vec{0, 0.305, 0})}, Options{Thickness: 0.002, Layer: 1})
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
