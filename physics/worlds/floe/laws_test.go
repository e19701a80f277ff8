package floe

import (
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics/machinery/testkit"
)

// alone skips what has one goroutine from the race detector, under which it takes
// minutes.
func alone(t *testing.T) {
	t.Helper()
	if testkit.Race {
		t.Skip("one goroutine")
	}
}

// regular is a regular polygon about the origin.
func regular(n int, radius float64) []Vec2 {
	out := make([]Vec2, n)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / float64(n))
		out[i] = Vec2{radius * cos, radius * sin}
	}
	return out
}

func square(half float64) []Vec2 {
	return []Vec2{{-half, -half}, {half, -half}, {half, half}, {-half, half}}
}

// randomCluster puts floes at random and joins them by contacts at random, as a
// pile of ice may: a world whose contacts are given.
func randomCluster(t *testing.T, r *rand.Rand, law string) *World {
	t.Helper()
	n := 2 + r.IntN(5)
	c := Config{Friction: r.Float64(), Restitution: r.Float64(), Collision: 1e-6, Repairs: Recommended, Law: law, Threads: 1}
	for range n {
		c.Floes = append(c.Floes, Floe{Outline: regular(3+r.IntN(5), 0.5+r.Float64()), Thickness: 0.1 + 2*r.Float64(), Density: 917,
			Position: Vec2{5 * r.NormFloat64(), 5 * r.NormFloat64()}, Velocity: Vec2{r.NormFloat64(), r.NormFloat64()}, Rate: r.NormFloat64()})
	}
	w, err := newWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	w.started = true
	for range 1 + r.IntN(2*n) {
		a, b := r.IntN(n), r.IntN(n)
		if a == b {
			continue
		}
		x := &w.bodies[a]
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		w.contacts = append(w.contacts, Contact{A: a, B: b, Point: x.g.Add(Vec2{cos, sin}.Mul(x.Radius)), Normal: Vec2{cos, sin}})
	}
	w.group()
	return w
}

// Momentum and angular momentum survive every collision to round-off, kinetic
// energy never grows, the account of energy closes, and floes do not approach
// afterwards, whichever law solves the contacts.
func TestCollisionsConserve(t *testing.T) {
	alone(t)
	for _, law := range []string{LawLCP, LawSweeps, "nsgs"} {
		r := rand.New(rand.NewPCG(1, 2))
		collisions, left := 0, 0
		for k := range 2000 {
			if law == "nsgs" && k == 200 {
				break
			}
			w := randomCluster(t, r, law)
			p0, l0 := w.momentum()
			e0 := w.Kinetic()
			scale, turn := 0.0, 0.0
			for i := range w.bodies {
				b := &w.bodies[i]
				scale += b.mass * (b.v.Len() + math.Abs(b.rate)*b.Radius)
				turn += b.mass*(b.v.Len()+math.Abs(b.rate)*b.Radius)*(b.g.Len()+b.Radius) + b.inertia*math.Abs(b.rate)
			}
			for i := range len(w.groups.first) - 1 {
				list := w.groups.sorted[w.groups.first[i]:w.groups.first[i+1]]
				c := &w.jobs.solvers[0]
				c.outcome = outcome{}
				if err := c.collide(w, list); err != nil {
					t.Fatalf("%s, cluster %d: %v", law, k, err)
				}
				collisions += c.Collisions
				w.energy.Impact += c.impact
				w.energy.Friction += c.friction
				c.take(w, list)
				c.speeds()
				if a := c.approach(); a > max(1e-8, 10*c.tolerance)*fastest(w) {
					left++ // the energy allowed no more: the next step goes on
				}
			}
			p1, l1 := w.momentum()
			e := w.Energy()
			if d := p1.Sub(p0).Len(); d > 1e-12*scale {
				t.Errorf("%s, cluster %d: momentum is off by %.2g of its scale", law, k, d/scale)
			}
			if d := math.Abs(l1 - l0); d > 1e-12*turn {
				t.Errorf("%s, cluster %d: angular momentum is off by %.2g of its scale", law, k, d/turn)
			}
			if e.Kinetic > e0*(1+1e-9) {
				t.Errorf("%s, cluster %d: kinetic energy grows from %g to %g", law, k, e0, e.Kinetic)
			}
			if d := math.Abs(e.Kinetic - (e0 - e.Impact - e.Friction - e.Fracture)); d > 1e-9*e0 {
				t.Errorf("%s, cluster %d: %g J of %g are in no account", law, k, d, e0)
			}
			w.Close()
		}
		if left > 0 && law == LawLCP || left > collisions/200 {
			t.Errorf("%s: floes approach after %d of %d collisions", law, left, collisions)
		}
		if collisions < 100 {
			t.Errorf("%s: %d collisions only", law, collisions)
		}
	}
}

func fastest(w *World) float64 {
	v := 0.0
	for i := range w.bodies {
		v = max(v, w.bodies[i].v.Len()+math.Abs(w.bodies[i].rate)*w.bodies[i].Radius)
	}
	return v
}

// ring is a scene with the symmetry of a square: four squares that meet in the
// middle of a basin and bounce back from its walls.
func ring() Config {
	c := Config{Friction: 0.3, Restitution: 1, Collision: 1e-6, Repairs: Recommended, Threads: 1,
		Floes: Banks(Vec2{-4, -4}, Vec2{4, 4}, 1, 0)}
	x, v := Vec2{2, 0}, Vec2{-1, 0}
	for range 4 {
		c.Floes = append(c.Floes, Floe{Outline: square(0.5), Thickness: 1, Density: 917, Position: x, Velocity: v})
		x, v = turned(x), turned(v)
	}
	return c
}

// A symmetric scene stays symmetric over a thousand collisions.
func TestSymmetryStays(t *testing.T) {
	alone(t)
	w, err := New(ring())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	worst := 0.0
	for w.Report().Collisions < 1000 {
		if w.Step(1); w.Err() != nil {
			t.Fatal(w.Err())
		}
		if w.Report().Steps > 100000 {
			t.Fatalf("%d collisions in %d steps", w.Report().Collisions, w.Report().Steps)
		}
		for i := range 4 {
			a, b := w.State(4+i), w.State(4+(i+1)%4)
			worst = max(worst, turned(a.Position).Sub(b.Position).Len(), turned(a.Velocity).Sub(b.Velocity).Len(), math.Abs(a.Rate-b.Rate), math.Abs(a.Angle-b.Angle))
		}
	}
	if worst > 1e-12 {
		t.Errorf("the symmetry is off by %.2g", worst)
	}
	e := w.Energy()
	if math.Abs(e.Kinetic-e.Start) > 1e-9*e.Start {
		t.Errorf("kinetic energy %g, %g at the start", e.Kinetic, e.Start)
	}
}

// storm is a field that wind drives into each other and against banks.
func storm(t *testing.T, floes int, cover float64) Config {
	t.Helper()
	size := 10 * math.Sqrt(float64(floes))
	f := Field{Floes: floes, Hi: Vec2{size, size}, Cover: cover, Exponent: 2, Spread: 5, Thick: [2]float64{0.5, 1.5}, Seed: 7}
	all, err := f.Make()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range all {
		all[i].Velocity = Vec2{0.5 * r.NormFloat64(), 0.5 * r.NormFloat64()}
		all[i].Rate = 0.02 * r.NormFloat64()
	}
	return Config{Floes: append(Banks(f.Lo, f.Hi, 10, 1), all...), Friction: 0.3, Restitution: 0.3, Collision: 0.01, Repairs: Recommended,
		Environment: Environment{Air: Flow{Density: 1.3, Drag: 1.5e-3, Velocity: Vec2{15, 5}}, Water: Flow{Density: 1025, Drag: 5.5e-3}, Coriolis: 1.4e-4}}
}

// Results do not depend on the number of threads nor on the order of the floes, to
// the last bit: from event to event, and in windows with floes that break.
func TestThreadsAndOrder(t *testing.T) {
	floes := 250
	if testing.Short() {
		floes = 120
	}
	t.Run("events", func(t *testing.T) { sameEverywhere(t, storm(t, floes, 0.7)) })
	t.Run("windows", func(t *testing.T) {
		c := storm(t, floes, 0.8)
		for i := range c.Floes {
			c.Floes[i].Velocity = c.Floes[i].Velocity.Mul(4)
		}
		c.Window, c.Fracture = 0.1, &Fracture{Young: 9e9, Poisson: 0.3, Strength: 2e5, Duration: 0.01, Smallest: 4, Triangles: 60}
		sameEverywhere(t, c)
	})
}

func sameEverywhere(t *testing.T, c Config) {
	steps, some := 300, 50
	if c.Window > 0 {
		steps = 60
	}
	if testkit.Race {
		steps, some = 40, 1
	}
	run := func(c Config) ([]State, Energy, Report) {
		w, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for range steps {
			w.Step(0.5)
		}
		if w.Err() != nil {
			t.Fatal(w.Err())
		}
		out := make([]State, w.count())
		for i := range out {
			out[i] = w.State(i)
		}
		return out, w.Energy(), w.Report()
	}
	c.Threads = 1
	want, energy, report := run(c)
	if report.Collisions < some || c.Fracture != nil && report.Cracks < some/25 {
		t.Fatalf("%d collisions and %d cracks only", report.Collisions, report.Cracks)
	}
	c.Threads = 4
	got, e, _ := run(c)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("floe %d with four threads is at %v, with one at %v", i, got[i], want[i])
		}
	}
	if e != energy {
		t.Errorf("energies with four threads %v, with one %v", e, energy)
	}
	order := rand.New(rand.NewPCG(3, 4)).Perm(len(c.Floes))
	mixed := c
	mixed.Floes = make([]Floe, len(c.Floes))
	for i, j := range order {
		mixed.Floes[j] = c.Floes[i]
	}
	got, e, _ = run(mixed)
	if e != energy {
		t.Errorf("energies in another order %v, before %v", e, energy)
	}
	if len(got) != len(want) {
		t.Fatalf("%d floes in another order, %d before", len(got), len(want))
	}
	for i, j := range order {
		if got[j] != want[i] {
			t.Fatalf("floe %d in another order is at %v, before at %v", i, got[j], want[i])
		}
	}
	sum := energy.Start + energy.Wind + energy.Water + energy.Body + energy.Coriolis - energy.Impact - energy.Friction - energy.Fracture
	if math.Abs(sum-energy.Kinetic) > 1e-9*(energy.Start+energy.Wind) {
		t.Errorf("the account of energy gives %g J, the floes have %g", sum, energy.Kinetic)
	}
}

// Floes never overlap, and a step allocates nothing once the lists have found their
// size.
func TestFieldStaysApart(t *testing.T) {
	alone(t)
	c := storm(t, 150, 0.8)
	c.Threads = 1
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for k := range 400 {
		if w.Step(1) == 0 || w.Err() != nil {
			t.Fatalf("step %d stands still: %v", k, w.Err())
		}
		if k%20 == 0 {
			for _, p := range w.near.pairs {
				if overlap(&w.bodies[p.a].placed, &w.bodies[p.b].placed) {
					t.Fatalf("floes %d and %d overlap at %g s", p.a, p.b, w.Time())
				}
			}
		}
	}
	t.Logf("%+v at %g s", w.Report(), w.Time())
	if n := testing.AllocsPerRun(50, func() { w.Step(1) }); n > 0 {
		t.Errorf("%g allocations a step", n)
	}
}

// Ten thousand floes in a storm, in windows: none overlap, time goes on at the pace of the
// windows, and the account of energy closes.
func TestTenThousandFloes(t *testing.T) {
	testkit.Slow(t)
	alone(t)
	c := storm(t, 10000, 0.8)
	c.Window = 1. / 30
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 30 {
		w.Step(c.Window)
	}
	for _, p := range w.near.pairs {
		if overlap(&w.bodies[p.a].placed, &w.bodies[p.b].placed) {
			t.Fatalf("floes %d and %d overlap", p.a, p.b)
		}
	}
	e, r := w.Energy(), w.Report()
	sum := e.Start + e.Wind + e.Water + e.Coriolis - e.Impact - e.Friction - e.Fracture
	if w.Err() != nil || w.Time() < 0.95 || r.Contacts < 100 || math.Abs(sum-e.Kinetic) > 1e-9*e.Start {
		t.Errorf("%v; %g s, %d contacts; the account of energy gives %g J, the floes have %g J", w.Err(), w.Time(), r.Contacts, sum, e.Kinetic)
	}
}

// A hundred thousand cracks, five thousand where there is little time, conserve mass,
// momentum, angular momentum and energy.
func TestSplitsConserve(t *testing.T) {
	alone(t)
	r := rand.New(rand.NewPCG(8, 9))
	sums := func(floes ...Floe) (mass float64, p Vec2, l, e float64) {
		for i := range floes {
			b, err := floes[i].body()
			if err != nil {
				t.Fatal(err)
			}
			mass += b.mass
			p = p.Add(b.v.Mul(b.mass))
			l += b.mass*cross(b.g, b.v) + b.inertia*b.rate
			e += (b.mass*b.v.LenSqr() + b.inertia*b.rate*b.rate) / 2
		}
		return mass, p, l, e
	}
	var floe Floe
	splits, most := 0, 5000
	if testkit.Long() {
		most = 100000
	}
	for splits < most {
		if splits%20 == 0 {
			floe = Floe{Outline: regular(3+r.IntN(9), 1+10*r.Float64()), Thickness: 0.2 + r.Float64(), Density: 917,
				Position: Vec2{20 * r.NormFloat64(), 20 * r.NormFloat64()}, Angle: r.NormFloat64(), Velocity: Vec2{r.NormFloat64(), r.NormFloat64()}, Rate: r.NormFloat64()}
		}
		at := Vec2{}
		for _, p := range floe.Outline {
			at = at.Add(p.Mul(r.Float64() / float64(len(floe.Outline))))
		}
		sin, cos := math.Sincos(floe.Angle)
		at = Vec2{cos*at[0] - sin*at[1], sin*at[0] + cos*at[1]}
		angle := 2 * math.Pi * r.Float64()
		parts, err := floe.Split(floe.Position.Add(at), Vec2{math.Cos(angle), math.Sin(angle)})
		if err != nil {
			t.Fatal(err)
		}
		splits++
		m0, p0, l0, e0 := sums(floe)
		m1, p1, l1, e1 := sums(parts[:]...)
		scale := m0 * (floe.Position.Len() + 20) * (floe.Velocity.Len() + 20*math.Abs(floe.Rate))
		if math.Abs(m1-m0) > 1e-12*m0 || p1.Sub(p0).Len() > 1e-12*scale || math.Abs(l1-l0) > 1e-12*scale || math.Abs(e1-e0) > 1e-11*e0 {
			t.Fatalf("split %d: mass %g, momentum %g, angular momentum %g, energy %g are off", splits, m1-m0, p1.Sub(p0), l1-l0, e1-e0)
		}
		// The fragment that is nearer to round goes on, so that slivers do not.
		floe = parts[0]
		if a, b := SectionOf(parts[0].Outline), SectionOf(parts[1].Outline); b.Area/(b.Radius*b.Radius) > a.Area/(a.Radius*a.Radius) {
			floe = parts[1]
		}
	}
}

// Stresses of the Brazilian test and of a bar that is pushed at one end, on a mesh
// of 2000 triangles, are within 1 % of their closed forms.
func TestClosedFormStresses(t *testing.T) {
	ice := Elastic{Young: 9e9, Poisson: 0.3, Thickness: 1.2, Density: 917}
	const force = 1e5
	outline := regular(240, 3)
	top := outline[59].Add(outline[60]).Mul(0.5)
	loads := []PointForce{{top, Vec2{0, -force}}, {top.Mul(-1), Vec2{0, force}}}
	p, err := NewPlate(outline, ice, 2000, []Vec2{loads[0].At, loads[1].At})
	if err != nil {
		t.Fatal(err)
	}
	if n := p.Triangles(); n < 1500 || n > 2200 {
		t.Errorf("%d triangles", n)
	}
	if err := p.Load(loads, nil, false); err != nil {
		t.Fatal(err)
	}
	d := 2 * top.Len()
	unit := 2 * force / (math.Pi * d * ice.Thickness)
	for _, y := range []float64{0, 0.5, -1, 1.5} {
		s, _ := p.At(Vec2{0, y})
		r := d / 2
		want := Stress{unit, unit * (1 - 2*r/(r-y) - 2*r/(r+y)), 0}
		want[1] = -unit * (2*r/(r-y) + 2*r/(r+y) - 1) // 2P/(pi t) (1/(R-y) + 1/(R+y) - 1/D), compressive
		for k := range s {
			if math.Abs(s[k]-want[k]) > 0.01*math.Abs(want[1]) {
				t.Errorf("disc at y = %g: stress %v, closed form %v", y, s, want)
				break
			}
		}
		if y == 0 && (math.Abs(s[0]/unit-1) > 0.01 || math.Abs(s[1]/unit+3) > 0.03) {
			t.Errorf("centre of the disc: %v, closed form %v", s, want)
		}
	}

	length, width := 8.0, 2.0
	bar := []Vec2{{-length / 2, -width / 2}, {length / 2, -width / 2}, {length / 2, width / 2}, {-length / 2, width / 2}}
	if p, err = NewPlate(bar, ice, 2000, nil); err != nil {
		t.Fatal(err)
	}
	push := EdgeForce{bar[3], bar[0], Vec2{2e5, 0}, Vec2{2e5, 0}}
	if err := p.Load(nil, []EdgeForce{push}, true); err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{-3, -1, 0, 2} {
		s, _ := p.At(Vec2{x, 0.3})
		if want := -2e5 * (1 - (x+length/2)/length); math.Abs(s[0]-want) > 0.01*2e5 || math.Abs(s[1]) > 2e3 || math.Abs(s[2]) > 2e3 {
			t.Errorf("pushed bar at x = %g: %v, closed form %g", x, s, want)
		}
	}
}

// Where the floe turns, the drag is that of rays from the centre of rotation, summed along the edges.
func TestDragAlongEdges(t *testing.T) {
	alone(t)
	r := rand.New(rand.NewPCG(21, 22))
	p := newPlate([]Vec2{{-3, -2}, {4, -1}, {2, 0.5}, {3, 3}, {-1, 2}, {-2, 3}})
	for range 200 {
		rate := r.NormFloat64()
		u := Vec2{r.NormFloat64(), r.NormFloat64()}.Mul(math.Abs(rate) * p.Radius)
		force, torque := p.drag(u, rate)
		c := Vec2{u[1] / rate, -u[0] / rate}
		var first Vec2
		turn := 0.0
		for i, a := range p.outline {
			a, e := a.Sub(c), p.outline[(i+1)%len(p.outline)].Sub(a)
			const parts = 400
			for k := range parts {
				for _, g := range gauss {
					x := a.Add(e.Mul((float64(k) + g[0]) / parts))
					w := g[1] / parts * cross(a, e) * x.Len()
					first, turn = first.Add(turned(x).Mul(w/4)), turn+w*x.Dot(x)/5
				}
			}
		}
		f := first.Mul(-rate * math.Abs(rate))
		m := cross(c, f) - rate*math.Abs(rate)*turn
		size := rate * rate * p.Radius * p.Radius * p.Area
		if spins := math.Abs(rate)*p.Radius > 0.5*u.Len(); spins && (force.Sub(f).Len() > 1e-9*size || math.Abs(torque-m) > 1e-9*size*p.Radius) {
			t.Errorf("u = %v, rate %g: %v and %g; along the edges %v and %g", u, rate, force, torque, f, m)
		}
	}
}

// The drag of the water is that of a plain sum over many small squares, whatever
// the ratio of turning to drifting.
func TestDrag(t *testing.T) {
	alone(t)
	outline := []Vec2{{-3, -2}, {4, -1}, {2, 0.5}, {3, 3}, {-1, 2}, {-2, 3}} // not convex
	g := SectionOf(outline).Centroid
	for i := range outline {
		outline[i] = outline[i].Sub(g)
	}
	p := newPlate(outline)
	for _, c := range []struct {
		u    Vec2
		rate float64
	}{{Vec2{0, 0}, 0.3}, {Vec2{0.1, 0.05}, 0.3}, {Vec2{0.5, -0.2}, 0.3}, {Vec2{1, 2}, -0.2}, {Vec2{1, 2}, 0.01}, {Vec2{-1, 0.4}, 0}} {
		force, torque := p.drag(c.u, c.rate)
		var f Vec2
		m, h := 0.0, 0.02
		for x := -5.0; x < 5; x += h {
			for y := -5.0; y < 5; y += h {
				q := Vec2{x + h/2, y + h/2}
				if !contains(outline, q) {
					continue
				}
				v := c.u.Sub(turned(q).Mul(c.rate))
				s := v.Mul(v.Len() * h * h)
				f = f.Add(s)
				m += cross(q, s)
			}
		}
		size := c.u.Len() + math.Abs(c.rate)*p.Radius
		size *= size * p.Area
		if force.Sub(f).Len() > 2e-3*size || math.Abs(torque-m) > 2e-3*size*p.Radius {
			t.Errorf("u %v, rate %g: force %v, torque %g; the sum gives %v, %g", c.u, c.rate, force, torque, f, m)
		}
	}
}

// In windows a packed field that wind drives against a bank goes on at the pace of
// the windows, jams there, and floes never overlap.
func TestWindows(t *testing.T) {
	alone(t)
	c := storm(t, 150, 0.8)
	c.Threads, c.Window = 1, 0.1
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for k := range 600 {
		w.Step(0.1) // at most one window
		if w.Err() != nil {
			t.Fatal(w.Err())
		}
		if k%50 == 0 {
			for _, p := range w.near.pairs {
				if overlap(&w.bodies[p.a].placed, &w.bodies[p.b].placed) {
					t.Fatalf("floes %d and %d overlap at %g s", p.a, p.b, w.Time())
				}
			}
		}
	}
	e := w.Energy()
	if sum := e.Start + e.Wind + e.Water + e.Coriolis - e.Impact - e.Friction - e.Fracture; math.Abs(sum-e.Kinetic) > 1e-9*e.Start {
		t.Errorf("the account of energy gives %g J, the floes have %g", sum, e.Kinetic)
	}
	if n := testing.AllocsPerRun(50, func() { w.Step(0.1) }); n > 0 {
		t.Errorf("%g allocations a step", n)
	}
	if w.Time() < 0.95*60 {
		t.Errorf("%g s in 60 s of windows", w.Time())
	}
}

// The pivots, the sweeps and the exact cone agree on the problems of a field.
func TestLawsAgree(t *testing.T) {
	alone(t)
	c := storm(t, 80, 0.7)
	got, err := CompareLaws(c, []string{LawLCP, LawSweeps, "nsgs", "auto"}, 150)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		t.Logf("%+v", r)
		if r.Problems < 50 || r.Failed > 0 {
			t.Errorf("%s: %d problems, %d failed", r.Law, r.Problems, r.Failed)
		}
		if math.Abs(r.Lost-got[0].Lost) > 1e-3*got[0].Lost {
			t.Errorf("%s: %g J lost, by pivots %g", r.Law, r.Lost, got[0].Lost)
		}
	}
}

// When two floes meet does not depend on until when that is of interest: what others find
// meanwhile ends the search early, and changes no result.
func TestTimeOfImpactIsOne(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	met := 0
	for range 2000 {
		var s [2]moving
		var bodies [2]body
		for i := range s {
			f := Floe{Outline: regular(3+r.IntN(6), 1), Thickness: 1, Density: 917, Angle: 6 * r.Float64(), Rate: r.NormFloat64(),
				Position: Vec2{2.5 * float64(i), r.NormFloat64()}, Velocity: Vec2{r.Float64() * float64(1-2*i), 0.3 * r.NormFloat64()}}
			var err error
			if bodies[i], err = f.body(); err != nil {
				t.Fatal(err)
			}
		}
		if overlap(&bodies[0].placed, &bodies[1].placed) {
			continue
		}
		const xi, most = 0.05, 2.0
		find := func(enough float64) float64 {
			for i := range s {
				s[i].start(&bodies[i].placed, &bodies[i].plate, bodies[i].angle)
			}
			return timeOfImpact(&s[0], &s[1], xi, most, enough)
		}
		want := find(most)
		if want == most || want == 0 {
			continue
		}
		met++
		for _, more := range []float64{1e-15, 1e-6, 1e-4, 1e-3, 1e-2, 0.1} {
			if got := find(want + more); got != want {
				t.Fatalf("the floes meet after %g s, and after %g s where %g s are enough", want, got, want+more)
			}
			if got := find(max(0, want-more)); got < want-more {
				t.Fatalf("the floes meet after %g s, and after %g s where %g s are enough", want, got, want-more)
			}
		}
	}
	if met < 300 {
		t.Errorf("%d pairs met", met)
	}
}
