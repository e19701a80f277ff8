package rigid

import (
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/team"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

func newWorld(t testing.TB, change func(c *Config)) *World {
	t.Helper()
	c := DefaultConfig()
	if change != nil {
		change(&c)
	}
	w, err := NewWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func add(t testing.TB, w *World, b *Body) *Body {
	t.Helper()
	if b.Mass == 0 && !b.Fixed {
		b.Mass, b.Inertia = b.Form.Solid(1000)
	}
	if err := w.Add(b); err != nil {
		t.Fatal(err)
	}
	return b
}

func floor(t testing.TB, w *World, mu, e float64) *Body {
	return add(t, w, &Body{Name: "floor", Form: Plane(vec3{0, 1, 0}), Fixed: true, Friction: mu, Restitution: e})
}

func run(w *World, seconds float64) {
	for range int(math.Round(seconds / w.Config.Step)) {
		w.Step()
	}
}

// A ball that falls rebounds to e^2 of its height; without restitution it stays,
// and with 1 no energy is lost.
func TestRebound(t *testing.T) {
	for _, e := range []float64{0, 0.5, 0.8, 1} {
		w := newWorld(t, nil)
		floor(t, w, 0.5, e)
		b := add(t, w, &Body{Form: Ball(0.05), X: vec3{0, 0.55, 0}, Friction: 0.5})
		hit, top := false, 0.0
		for range 1200 {
			w.Step()
			hit = hit || b.V[1] >= 0 && w.time > 0.1
			if hit {
				top = max(top, b.X[1]-0.05)
			}
			if b.X[1] < 0.05-1e-6 {
				t.Fatalf("e = %g: %g m deep", e, 0.05-b.X[1])
			}
		}
		if math.Abs(top-e*e*0.5) > 0.01 {
			t.Errorf("e = %g: rebounds to %.4g m of 0.5", e, top)
		}
	}
}

// A brick on a slope sticks below the angle of friction, and slides above it with
// g (sin a - mu cos a).
func TestSlope(t *testing.T) {
	for _, mu := range []float64{0.3, 0.9} {
		const a = 0.5
		w := newWorld(t, nil)
		q := expQuat(vec3{0, 0, a})
		n := rotate(q, vec3{0, 1, 0})
		add(t, w, &Body{Form: Plane(n), Fixed: true, Friction: mu})
		b := add(t, w, &Body{Form: Box(0.2, 0.1, 0.2), X: n.Mul(0.05), Q: q, Friction: mu})
		start := b.X
		run(w, 1)
		way := start.Sub(b.X).Len()
		want := max(0, 9.81*(math.Sin(a)-mu*math.Cos(a))/2)
		if want == 0 {
			run(w, 9)
			way = start.Sub(b.X).Len()
		}
		t.Logf("mu = %g: %.3g m, %.3g expected", mu, way, want)
		if math.Abs(way-want) > 1e-3*want+1e-8 {
			t.Errorf("mu = %g: %.6g m, want %.6g", mu, way, want)
		}
	}
}

// A ball that slides comes to roll at 5/7 of its speed.
func TestRolling(t *testing.T) {
	w := newWorld(t, nil)
	floor(t, w, 0.2, 0)
	b := add(t, w, &Body{Form: Ball(0.1), X: vec3{0, 0.1, 0}, V: vec3{2, 0, 0}, Friction: 0.2})
	run(w, 2)
	if slip := b.pointVelocity(unrotate(b.Q, vec3{0, -0.1, 0})).Len(); slip > 1e-7 || math.Abs(b.V[0]-2*5./7) > 2e-3 {
		t.Errorf("v = %.6g, slip %.2g", b.V[0], slip)
	}
}

// Boxes, balls, cylinders, capsules and a mesh thrown together: the energy never
// grows, whatever the restitution.
func TestEnergyNeverGrows(t *testing.T) {
	for _, e := range []float64{0, 0.6, 0.95} {
		w := newWorld(t, nil)
		floor(t, w, 0.4, e)
		heap(t, w, e)
		kin, pot := w.energy()
		last := kin + pot
		start, worst := last, 0.0
		for range 3000 {
			w.Step()
			kin, pot := w.energy()
			if grown := kin + pot - last; grown > worst && w.stats.Overlap == 0 {
				worst = grown
			}
			last = kin + pot
		}
		t.Logf("e = %g: energy from %.4g to %.4g J, growth in a step at most %.2g; deepest %.2g m, %d contacts", e, start, last, worst, w.stats.Deepest, w.stats.Contacts)
		if worst > 1e-7*start || last > start || !(w.stats.Deepest > -2e-3) {
			t.Errorf("e = %g: energy grew by %.2g J of %.2g in a step; deepest %.2g m", e, worst, start, w.stats.Deepest)
		}
	}
}

// heap lets a dozen bodies of all forms fall on the floor.
func heap(t testing.TB, w *World, e float64) {
	tetra, _, volume, inertia, err := Mesh([]vec3{{0, 0, 0}, {0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.2}}, [][3]int32{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	forms := []*Form{Box(0.1, 0.15, 0.2), Ball(0.08), Capsule(0.05, 0.2), Cylinder(0.07, 0.1)}
	for i := range 12 {
		x := vec3{0.05 * float64(i%3), 0.3 + 0.2*float64(i), 0.04 * float64(i%2)}
		b := &Body{Form: forms[i%4], X: x, Q: expQuat(vec3{float64(i), 0.3 * float64(i), 0.1}), W: vec3{1, float64(i % 5), 0}, Friction: 0.5, Restitution: e}
		if i == 5 {
			b.Form, b.Mass, b.Inertia = tetra, 1000*volume, inertia.Mul(1000)
		}
		add(t, w, b)
	}
}

// The same world twice, bit by bit.
func TestRepeats(t *testing.T) {
	var ends [2]vec3
	for k := range ends {
		w := newWorld(t, nil)
		floor(t, w, 0.4, 0.3)
		heap(t, w, 0.3)
		run(w, 1)
		for _, b := range w.bodies {
			ends[k] = ends[k].Add(b.X).Add(b.V).Add(b.W)
		}
	}
	if ends[0] != ends[1] {
		t.Errorf("%v and %v", ends[0], ends[1])
	}
}

func TestWorldAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	w := newWorld(t, nil)
	floor(t, w, 0.4, 0.3)
	heap(t, w, 0.3)
	run(w, 2)
	if n := testing.AllocsPerRun(200, w.Step); n != 0 {
		t.Errorf("%g allocations a step", n)
	}
}

// Without contact a thrown body keeps its energy and angular momentum.
func TestThrow(t *testing.T) {
	w := newWorld(t, nil)
	b := add(t, w, &Body{Form: Box(0.1, 0.2, 0.3), V: vec3{1, 5, 0}, W: vec3{0.01, 8, 0.02}})
	kin, pot := w.energy()
	l := b.spin()
	run(w, 10)
	k2, p2 := w.energy()
	if d := math.Abs(k2 + p2 - kin - pot); d > 1e-9*kin || b.spin().Sub(l).Len() > 1e-12*l.Len()*100 {
		t.Errorf("energy changes by %.2g J, momentum by %.2g", d, b.spin().Sub(l).Len())
	}
}

// What no body can be is refused in one line; bodies that start in each other are
// moved apart and gain no speed.
func TestBadBodies(t *testing.T) {
	w := newWorld(t, nil)
	i := mgl64.Ident3()
	for name, b := range map[string]*Body{
		"zero mass":       {Form: Ball(1), Inertia: i},
		"negative mass":   {Form: Ball(1), Mass: -1, Inertia: i},
		"triangle":        {Form: Ball(1), Mass: 1, Inertia: mat3{5, 0, 0, 0, 10, 0, 0, 0, 1}},
		"no inertia":      {Form: Ball(1), Mass: 1},
		"size":            {Form: Box(0, 1, 1), Mass: 1, Inertia: i},
		"falling plane":   {Form: Plane(vec3{0, 1, 0}), Mass: 1, Inertia: i},
		"nowhere":         {Form: Ball(1), Mass: 1, Inertia: i, X: vec3{math.NaN(), 0, 0}},
		"restitution":     {Form: Ball(1), Mass: 1, Inertia: i, Restitution: 1.1},
		"rough like a no": {Form: Ball(1), Mass: 1, Inertia: i, Friction: -1},
	} {
		if err := w.Add(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if len(w.bodies) != 0 {
		t.Errorf("%d bodies", len(w.bodies))
	}
	floor(t, w, 0.5, 0.5)
	a := add(t, w, &Body{Form: Box(0.2, 0.2, 0.2), X: vec3{0, 0.08, 0}, Friction: 0.5, Restitution: 0.5})
	b := add(t, w, &Body{Form: Box(0.2, 0.2, 0.2), X: vec3{0.15, 0.1, 0.02}, Friction: 0.5, Restitution: 0.5})
	fastest := 0.0
	for range 2000 {
		w.Step()
		fastest = max(fastest, a.V.Len(), b.V.Len())
	}
	t.Logf("deepest %.2g m, fastest %.2g m/s", w.stats.Deepest, fastest)
	if w.stats.Deepest < -2e-5 || fastest > 0.05 {
		t.Errorf("deepest %.2g m, fastest %.2g m/s", w.stats.Deepest, fastest)
	}
}

// Painleve's rod, pushed along its lean on a rough floor, where rigid bodies have
// forces without a solution: impulses have one. The rod stops or hops, and gains no
// energy. A rod in a tight box stays in it.
func TestParadoxes(t *testing.T) {
	q := expQuat(vec3{0, 0, 0.6})
	rod := &Body{Form: Capsule(0.002, 1), Q: q, Friction: 2, V: vec3{-3, 0, 0}}
	rod.X = vec3{0, rotate(q, vec3{0, 0.5, 0})[1] + 0.002, 0}
	rod.Mass, rod.Inertia = rod.Form.Solid(1000)
	rod2 := *rod
	rod2.V[0] = 3
	for _, b := range []*Body{rod, &rod2} {
		w := newWorld(t, nil)
		floor(t, w, 2, 0)
		add(t, w, b)
		k, p := w.energy()
		for range 3000 {
			w.Step()
			k2, p2 := w.energy()
			if k2+p2 > k+p+1e-9 || !num.AllFinite(b.X[:]...) {
				t.Fatalf("energy %.9g of %.9g J at %.3g s", k2+p2, k+p, w.time)
			}
		}
		if b.V.Len() > 1e-3 {
			t.Errorf("the rod still moves at %.2g m/s", b.V.Len())
		}
	}
	box := newWorld(t, nil)
	for _, n := range []vec3{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}} {
		add(t, box, &Body{Form: Plane(n), X: n.Mul(-0.3), Fixed: true, Friction: 0.3})
	}
	in := add(t, box, &Body{Form: Capsule(0.01, 0.7), Q: expQuat(vec3{0.6, 0, 0.7}), W: vec3{1, 2, 3}, Friction: 0.3})
	for range 3000 {
		box.Step()
		if num.MaxAbs(in.X) > 0.3 || !num.AllFinite(in.X[:]...) || box.stats.Deepest < -1e-3 {
			t.Fatalf("the rod is at %v, %.2g m deep", in.X, box.stats.Deepest)
		}
	}
}

// The problems of a heap are solved by "auto" to the same impulses' errors, and what
// sweeps do is what W does.
func TestProblems(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Dense, c.Sweeps = 0, 2000 })
	floor(t, w, 0.4, 0)
	heap(t, w, 0)
	solver, _ := contact.New("auto")
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion = 1e-9, contact.Scaled
	solved := 0
	for i := range 1500 {
		w.Step()
		if i%50 != 0 || w.stats.Contacts == 0 {
			continue
		}
		worst := contact.Errors{}
		for p, r := range w.Problems {
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			x := make([]float64, len(r))
			p.Displacements(x, r)
			e := p.Errors(r, x)
			worst.Scaled, worst.Natural = max(worst.Scaled, e.Scaled), max(worst.Natural, e.Natural)
			clear(r)
			res := solver.Solve(p, r, &opt)
			if !(res.Errors.Scaled < 1e-8 && res.Errors.Natural < 1e-8) {
				t.Errorf("step %d: %d contacts: errors %v", i, p.N, res.Errors)
			}
			solved++
		}
		if math.Abs(worst.Scaled-w.stats.Errors.Scaled) > 1e-9+1e-3*worst.Scaled {
			t.Fatalf("step %d: errors %v by W, %v by sweeps", i, worst, w.stats.Errors)
		}
	}
	if solved < 10 {
		t.Errorf("%d problems only", solved)
	}
}

// bricks is a wall, and its bricks.
func bricks(t testing.TB, columns, rows int) (*World, []*Body) {
	t.Helper()
	w, err := Wall(columns, rows, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	return w, w.bodies[1:]
}

// Bodies that touch each other are a problem of their own: a stack moves to the last bit
// as if another one, which is knocked over, were not there, and at rest needs no sweeps.
// Once a beam lies on both they are one.
func TestIslands(t *testing.T) {
	build := func(other bool) (*World, []*Body) {
		w := newWorld(t, nil)
		floor(t, w, 0.5, 0)
		stack := func(x float64) (all []*Body) {
			for i := range 3 {
				all = append(all, add(t, w, &Body{Form: Box(0.1, 0.05, 0.1), X: vec3{x, 0.025 + 0.05*float64(i), 0}, Friction: 0.5}))
			}
			return all
		}
		mine := stack(0)
		if other {
			stack(1)
			add(t, w, &Body{Form: Ball(0.05), X: vec3{1.2, 0.1, 0}, V: vec3{-3, 0, 0}, Friction: 0.5})
		}
		return w, mine
	}
	alone, a := build(false)
	both, b := build(true)
	most := 0
	for i := range 400 {
		alone.Step()
		both.Step()
		most = max(most, both.stats.Sweeps)
		for k := range a {
			if a[k].X != b[k].X || a[k].Q != b[k].Q || a[k].V != b[k].V || a[k].W != b[k].W {
				t.Fatalf("step %d: brick %d is at %v with a neighbour, at %v alone", i, k, b[k].X, a[k].X)
			}
		}
	}
	if alone.stats.Islands != 1 || both.stats.Islands < 2 || alone.stats.Sweeps != 0 || most == 0 {
		t.Errorf("%d and %d islands, %d sweeps at rest, at most %d beside", alone.stats.Islands, both.stats.Islands, alone.stats.Sweeps, most)
	}
	w, _ := build(true)
	add(t, w, &Body{Form: Box(1.2, 0.05, 0.1), X: vec3{0.5, 0.175, 0}, Friction: 0.5})
	w.Step()
	if w.stats.Islands != 1 {
		t.Errorf("%d islands under a beam", w.stats.Islands)
	}
}

// A team shares the islands: the motion is the same to the last bit, whoever solves them.
func TestIslandsOnThreads(t *testing.T) {
	build := func(workers int) *World {
		w := newWorld(t, nil)
		floor(t, w, 0.5, 0.3)
		forms := []*Form{Box(0.1, 0.05, 0.1), Capsule(0.02, 0.06), Cylinder(0.04, 0.05), Box(0.06, 0.06, 0.06)}
		for n := range 12 {
			x := 0.5 * float64(n)
			for i := range 5 {
				add(t, w, &Body{Form: forms[(n*i)%4], X: vec3{x, 0.03 + 0.07*float64(i), 0}, Q: expQuat(vec3{0, 0.3 * float64(n), 0}), Friction: 0.5})
			}
			add(t, w, &Body{Form: Ball(0.03), X: vec3{x + 0.1, 0.1, 0}, V: vec3{-2, 0, 0}, Friction: 0.5})
		}
		if workers > 0 {
			w.Team = team.New(workers)
			t.Cleanup(w.Team.Close)
		}
		return w
	}
	alone, two, three := build(0), build(2), build(3)
	most := 0
	for i := range 120 {
		for _, w := range []*World{alone, two, three} {
			w.Step()
		}
		most = max(most, alone.stats.Islands)
		for k, a := range alone.bodies {
			for _, w := range []*World{two, three} {
				if b := w.bodies[k]; a.X != b.X || a.Q != b.Q || a.V != b.V || a.W != b.W {
					t.Fatalf("step %d: body %d is at %v alone, at %v with a team", i, k, a.X, b.X)
				}
			}
		}
	}
	denses := 0
	for i := range two.system.islands {
		if two.system.islands[i].dense != nil {
			denses++
		}
	}
	if two.job == nil || most < 8 || denses == 0 {
		t.Errorf("%d islands, %d of them solved with W formed; shared: %v", most, denses, two.job != nil)
	}
}

// wallSeconds is how long walls are watched: HAPCO_WALL_SECONDS, of which 60 take some
// minutes, or else.
func wallSeconds(t *testing.T, or float64) float64 {
	s := os.Getenv("HAPCO_WALL_SECONDS")
	if s == "" {
		return or
	}
	seconds, err := strconv.ParseFloat(s, 64)
	if err != nil || !(seconds > 0) {
		t.Fatalf("HAPCO_WALL_SECONDS=%s", s)
	}
	return seconds
}

// A wall of bricks at rest neither creeps nor trembles.
func TestWall(t *testing.T) {
	seconds, columns, rows := 0.5, 20, 10
	if testkit.Long() {
		seconds = wallSeconds(t, 5)
	}
	if testing.Short() || testkit.Race {
		columns, rows = 6, 4
	}
	w, all := bricks(t, columns, rows)
	var at []vec3
	for _, b := range all {
		at = append(at, b.X)
	}
	crept, fastest, sweeps := 0.0, 0.0, 0
	for i := range int(seconds / w.Config.Step) {
		w.Step()
		sweeps += w.stats.Sweeps
		if i%50 != 0 && i > 150 {
			continue
		}
		for k, b := range all {
			crept = max(crept, b.X.Sub(at[k]).Len())
			if i > 150 {
				fastest = max(fastest, b.V.Len())
			}
		}
	}
	t.Logf("%d bricks, %d contacts, %g s: crept %.2g m, fastest %.2g m/s, %.3g sweeps a step, errors %.2g", len(all), w.stats.Contacts, seconds, crept, fastest, float64(sweeps)/float64(w.steps), w.stats.Errors.Scaled)
	if crept > 1e-4 || fastest > 1e-4 {
		t.Errorf("crept %.2g m, moves at %.2g m/s", crept, fastest)
	}
}
