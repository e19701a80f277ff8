package touch

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/exact"
)

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
