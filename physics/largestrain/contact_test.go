package largestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/fem/solid"
	"hapco/physics/mesh"
	"hapco/physics/testkit"
	"hapco/physics/verify"
)

// The four punches through unilateral contact: a plate that only pushes gives at
// every depth the force that prescribed displacements do, with and without new
// detection at each iteration.
func TestPunchThroughContact(t *testing.T) {
	if testkit.Race || testing.Short() {
		t.Skip("slow")
	}
	for _, name := range []string{"punch_hex8_md_neo_hookean_isovol_bonded", "punch_hex8_md_neo_hookean_isovol_frictionless",
		"punch_hex8_neo_hookean_log_bonded", "punch_hex8_neo_hookean_log_frictionless"} {
		var c struct {
			Mesh     meshInput     `json:"mesh"`
			Material materialInput `json:"material"`
			Fixed    []int         `json:"fixed_nodes"`
			Punch    []int         `json:"punch_nodes"`
			Axes     []int         `json:"prescribed_axes"`
			Expected struct {
				Path []struct {
					Depth float64    `json:"depth_m"`
					Force [3]float64 `json:"force_on_box_N"`
					Least float64    `json:"min_pressing_force_N"`
				} `json:"path"`
			} `json:"expected"`
		}
		readTable(t, name, &c)
		b, err := c.Mesh.body(&c.Material)
		if err != nil {
			t.Fatal(err)
		}
		fixed, _ := nodeList("", c.Fixed, len(c.Mesh.Nodes))
		punch, _ := nodeList("", c.Punch, len(c.Mesh.Nodes))
		last := c.Expected.Path[len(c.Expected.Path)-1].Depth
		mu := 0.0
		if len(c.Axes) == 3 { // nodes that stick from the first touch on
			mu = 50
		}
		top := c.Mesh.Nodes[c.Punch[0]][2]
		p, err := NewContact(b, fixed, punch, []Obstacle{Plate{mgl64.Vec3{0, 0, top}, mgl64.Vec3{0, 0, -1}, mgl64.Vec3{0, 0, -last}}}, mu)
		if err != nil {
			t.Fatal(err)
		}
		p.DetectOnce = len(c.Axes) == 3
		for _, want := range c.Expected.Path {
			if err := p.Go(t.Context(), want.Depth/last); err != nil {
				t.Fatalf("%s at %g m: %v", name, want.Depth, err)
			}
			f, least := p.Total(0), math.Inf(1)
			for i := range punch {
				least = math.Min(least, -p.Force[0][3*i+2])
			}
			if math.Abs(f[2]-want.Force[2]) > 1e-6*math.Abs(want.Force[2]) || math.Abs(least-want.Least) > 1e-6*math.Abs(want.Force[2]) {
				t.Errorf("%s at %g m: force %.9g N, want %.9g; least %.9g N, want %.9g", name, want.Depth, f[2], want.Force[2], least, want.Least)
			}
		}
		p.Close()
	}
}

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

// Near the solution each iteration about doubles the digits that are right.
func TestQuadraticConvergence(t *testing.T) {
	for _, name := range []string{"static_box_hex8_ce_corotational_element", "static_box_hex8_md_neo_hookean_isovol", "static_box_tet4_corotational", "static_box_hex8_ogden2", "static_box_hex8_stvk"} {
		c, err := verify.Load("testdata/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		var in staticInput
		if err := c.Input.Decode(&in); err != nil {
			t.Fatal(err)
		}
		b, err := in.Mesh.body(&in.Material)
		if err != nil {
			t.Fatal(err)
		}
		fixed, _ := nodeList("", in.Fixed, len(in.Mesh.Nodes))
		s, err := NewStatics(b, fixed)
		if err != nil {
			t.Fatal(err)
		}
		if err := nodalForces(s.Load, in.Forces); err != nil {
			t.Fatal(err)
		}
		load := size(s.Load)
		var history []float64
		s.Trace = func(share float64, iteration int, r float64) {
			if iteration == 0 {
				history = history[:0]
			}
			history = append(history, r/load)
		}
		if err := s.Solve(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		seen := 0
		for i := 1; i+1 < len(history); i++ {
			// e' <= C e^2 with one C for the last iterations, above rounding
			if a, b := history[i], history[i+1]; a < 1e-2 && a > 1e-7 {
				seen++
				if b > 1e-12 && math.Log(b) > 1.6*math.Log(a)+3 {
					t.Errorf("%s: residuals %.2g", name, history)
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s: no iteration near the solution in %.2g", name, history)
		}
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
		off := longest(triples(displacements(b, d.X)))
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
