package equilibrium

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/solid"
)

// A block that stands on one plate is pressed by another to 40 % of its height, with friction, in
// one call, and with little of it slips past a limit of its branch. Afterwards both laws hold at
// every node, nothing is turned over, and the plates' forces are in balance.
func TestCompressionWithFriction(t *testing.T) {
	if testkit.Race {
		t.Skip("slow")
	}
	for friction, want := range map[float64]func(touching, sliding, rolled int) bool{
		0.08: func(_, sliding, _ int) bool { return sliding > 12 },
		0.8:  func(touching, sliding, _ int) bool { return touching == 25 && sliding == 0 },
	} {
		compress(t, friction, want)
	}
}

func compress(t *testing.T, friction float64, want func(touching, sliding, rolled int) bool) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.02, 0.02, 0.02}, [3]int{4, 4, 6})
	if err != nil {
		t.Fatal(err)
	}
	lambda, mu := solid.Lame(5000, 0.4)
	b, err := solid.New(m, solid.Full, solid.NeoHookeanLog{Lambda: lambda, Mu: mu})
	if err != nil {
		t.Fatal(err)
	}
	var surface []int32
	for i, on := range m.Surface().Index {
		if on >= 0 {
			surface = append(surface, int32(i))
		}
	}
	plate := Plate{mgl64.Vec3{0, 0, 0.02}, mgl64.Vec3{0, 0, -1}, mgl64.Vec3{0, 0, -0.012}}
	table := Plate{mgl64.Vec3{0, 0, 0}, mgl64.Vec3{0, 0, 1}, mgl64.Vec3{}}
	c, err := NewContact(b, m.NodeSets["back"], surface, []Obstacle{table, plate}, friction)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Go(t.Context(), 1); err != nil {
		t.Fatalf("stopped at %g of the way: %v", c.Share, err)
	}
	least, inverted := b.MinJ(c.X)
	f := c.Total(1)
	t.Logf("60 %%: force %.4f N, least J %.3f", f[2], least)
	if inverted > 0 || !(f[2] < 0) {
		t.Errorf("%d elements turned over, force %v N", inverted, f)
	}
	touching, sliding, rolled := 0, 0, 0 // rolled: came from the sides
	for i, n := range c.Nodes {
		r := mgl64.Vec3(c.Force[1][3*i : 3*i+3])
		gap, normal := plate.Gap(mgl64.Vec3(c.X[3*n:3*n+3]), 1)
		rn := r.Dot(normal)
		rt := r.Sub(normal.Mul(rn)).Len()
		if gap < -1e-9 || rn < 0 || gap > 1e-9 && rn > 1e-9 || rt > friction*rn*(1+1e-9)+1e-12 {
			t.Errorf("node %d: gap %g m, force %g N, friction %g N", n, gap, rn, rt)
		}
		if rn > 0 {
			touching++
			if rt > friction*rn*(1-1e-6) {
				sliding++
			}
			if m.Nodes[n][2] < 0.02 {
				rolled++
			}
		}
	}
	t.Logf("%d nodes touch the plate, %d of them slide, %d came from the sides", touching, sliding, rolled)
	if touching < 9 || !want(touching, sliding, rolled) {
		t.Errorf("friction %g: %d nodes touch, %d slide, %d came from the sides", friction, touching, sliding, rolled)
	}
	// the body is in balance under all of that
	load := make([]float64, len(c.X))
	c.spread(load)
	c.Body.Forces(c.force, c.X)
	size, r := c.imbalance(c.force, load)
	if !(r <= 1e-9*size) {
		t.Errorf("out of balance by %g of %g N", r, size)
	}
}

// From a state with elements turned over, a body of an extended law finds back to
// rest, and a body of the plain law says that it cannot.
func TestTurnedOverFindsBack(t *testing.T) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.02, 0.02, 0.02}, [3]int{2, 2, 2})
	if err != nil {
		t.Fatal(err)
	}
	lambda, mu := solid.Lame(5000, 0.4)
	kappa := lambda + 2*mu/3
	for name, law := range map[string]solid.Law{
		"log":           solid.NeoHookeanLog{Lambda: lambda, Mu: mu, Floor: 0.2},
		"mooney-rivlin": solid.MooneyRivlin{C10: 0.3 * mu, C01: 0.2 * mu, Kappa: kappa, Floor: 0.2},
		"plain":         solid.NeoHookeanLog{Lambda: lambda, Mu: mu},
	} {
		b, err := solid.New(m, solid.Full, law)
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDynamics(b, m.NodeSets["back"], Scheme{}, 0.005, 1000, true, 20, 0)
		if err != nil {
			t.Fatal(err)
		}
		d.Tolerance, d.MaxIterations = 1e-6, 60
		for _, n := range m.NodeSets["front"] { // through the bottom
			d.X[3*n+2] = -0.004
		}
		if _, inverted := b.MinJ(d.X); inverted == 0 {
			t.Fatal("nothing is turned over")
		}
		err = nil
		for step := 0; step < 400 && err == nil; step++ {
			err = d.Advance(t.Context())
		}
		_, inverted := b.MinJ(d.X)
		off := 0.0
		for i, p := range m.Nodes {
			off = max(off, mgl64.Vec3(d.X[3*i:3*i+3]).Sub(p).Len())
		}
		d.Close()
		if name == "plain" {
			if err == nil {
				t.Error("the plain law moved on from a state that it does not know")
			}
			continue
		}
		if err != nil || inverted > 0 || off > 1e-3 {
			t.Errorf("%s: %v, %d elements turned over, %g m from rest", name, err, inverted, off)
		}
	}
}

// A cantilever that is let go swings with the period of its lowest frequency; the
// average acceleration keeps its energy, implicit Euler loses some of it.
func TestSwing(t *testing.T) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.01, 0.01, 0.05}, [3]int{1, 1, 6})
	if err != nil {
		t.Fatal(err)
	}
	lambda, mu := solid.Lame(5000, 0.3)
	fixed, tips := m.NodeSets["back"], m.NodeSets["front"]
	law := solid.StVenantKirchhoff{Lambda: lambda, Mu: mu}
	b, err := solid.New(m, solid.Full, law)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Frequencies(t.Context(), b, fixed, 1000, true, 2)
	if err != nil {
		t.Fatal(err)
	}
	period := 2 * math.Pi / w[0]
	for how, keeps := range map[Scheme]bool{AverageAcceleration: true, {}: false} {
		s, err := NewStatics(b, fixed)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range tips {
			s.Load[3*n] = 2e-5
		}
		if err := s.Solve(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := b.Energy(s.X)
		d, err := NewDynamics(b, fixed, how, period/100, 1000, true, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		copy(d.X, s.X)
		s.Close()
		d.Tolerance = 1e-10
		if err := d.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := d.X[3*tips[0]] - m.Nodes[tips[0]][0]
		for range 50 {
			if err := d.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		half := d.X[3*tips[0]] - m.Nodes[tips[0]][0]
		total := b.Energy(d.X) + d.Kinetic()
		d.Close()
		if keeps && (math.Abs(total-start) > 1e-3*start || math.Abs(half+first) > 0.03*first) {
			t.Errorf("average acceleration: energy %g J of %g, tip %g m after %g", total, start, half, first)
		}
		if !keeps && !(total < 0.95*start && total > 0.3*start) {
			t.Errorf("implicit Euler: energy %g J of %g", total, start)
		}
	}
}

// The element that turns as a whole has a tangent that is not symmetric: a time
// step converges all the same, and moves like points that turn one by one.
func TestDynamicsOfTurningElements(t *testing.T) {
	lambda, mu := solid.Lame(5000, 0.4)
	var tips [2]float64
	for i, form := range []solid.Formulation{solid.Full, solid.ElementRotation} {
		m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.02, 0.02, 0.06}, [3]int{2, 2, 5})
		if err != nil {
			t.Fatal(err)
		}
		b, err := solid.New(m, form, solid.Corotational{Lambda: lambda, Mu: mu})
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDynamics(b, m.NodeSets["back"], Scheme{}, 0.01, 1000, true, 1, 0.001)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range m.NodeSets["front"] {
			d.Load[3*n] = 0.01
		}
		iterations := 0
		d.Trace = func(float64, int, float64) { iterations++ }
		for range 12 {
			if err := d.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		d.Close()
		n := m.NodeSets["front"][0]
		tips[i] = d.X[3*n] - m.Nodes[n][0]
		if iterations > 12*7 {
			t.Errorf("formulation %d: %d iterations for 12 steps", form, iterations)
		}
	}
	if math.Abs(tips[0]-tips[1]) > 0.02*tips[0] || tips[0] < 0.005 {
		t.Errorf("tips at %g and %g m", tips[0], tips[1])
	}
}
