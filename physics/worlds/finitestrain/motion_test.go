package finitestrain

import (
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/fem/solid"
)

// beam is a neo-Hookean cantilever of 8 cm, held at its back, that may move in time.
func beam(t testing.TB, m Motion) (l *Live, tip int32) {
	t.Helper()
	mesh := tetBox(t, mgl64.Vec3{0.02, 0.02, 0.08}, [3]int{2, 2, 8})
	lambda, mu := solid.Lame(8000, 0.4)
	b, err := solid.New(mesh, solid.Full, solid.Barrier{Law: solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu})
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultLiveOptions(0.08)
	o.Lag = 3
	m.Mass, m.Heavier = b.LumpedMass(1000), 1
	o.Motion = m
	l, err = NewLive(b, mesh.NodeSets["back"], mesh.NodeSets["front"], nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, mesh.NodeSets["front"][0]
}

// weigh puts a weight along x on the body, m/s^2.
func (l *Live) weigh(m Motion, g float64) {
	for n, mass := range m.Mass {
		l.Load[3*n] = mass * g
	}
}

// A body that nothing touches moves as the exact solution of each time step does.
func TestLiveMovesAsDynamics(t *testing.T) {
	for _, m := range []Motion{
		{Step: 0.005},
		{Step: 0.005, Scheme: equilibrium.AverageAcceleration},
		{Step: 0.005, Scheme: equilibrium.AverageAcceleration, Alpha: 3, Beta: 0.004},
		{Step: 0.02, Alpha: 1},
	} {
		l, tip := beam(t, m)
		m = l.Options.Motion
		l.weigh(m, 4)
		d, err := equilibrium.NewDynamics(l.body.Twin(), fixedOf(l), m.Scheme, m.Step, 1000, true, m.Alpha, m.Beta)
		if err != nil {
			t.Fatal(err)
		}
		copy(d.Load, l.Load)
		d.Tolerance = 1e-10
		far, off, corrections := 0.0, 0.0, 0
		for i := range 120 {
			if err := d.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := l.lead(mgl64.Vec3{0, 10, 0})
			for try := 0; !r.Settled && try < 10; try++ {
				r = l.lead(mgl64.Vec3{0, 10, 0})
			}
			corrections += r.Corrections
			if !r.Settled {
				t.Fatalf("%+v: step %d does not settle: %+v", m.Scheme, i, r)
			}
			far = math.Max(far, math.Abs(d.X[3*tip]-l.start.x[3*tip]))
			off = math.Max(off, math.Abs(d.X[3*tip]-l.Shown.X[3*tip]))
		}
		d.Close()
		t.Logf("h = %g, Newmark %v: the tip moves by %.1f mm, %.3f mm off, %d corrections", m.Step, m.Scheme.Newmark, 1e3*far, 1e3*off, corrections)
		if far < 0.01 || off > 0.005*far {
			t.Errorf("h = %g s, Newmark %v, alpha %g, beta %g: the tip is %.3f mm off of %.1f mm", m.Step, m.Scheme.Newmark, m.Alpha, m.Beta, 1e3*off, 1e3*far)
		}
	}
}

func fixedOf(l *Live) (fixed []int32) {
	for n, i := range l.k.Index {
		if i < 0 {
			fixed = append(fixed, int32(n))
		}
	}
	return fixed
}

// column is a soft column that hangs from its top, and a ball beside its end.
const column = `kind = "finite-strain"
friction = 0.5
gravity = 9.81
[units]
length = "mm"
[body]
box.origin = [-10, 0, -10]
box.size = [20, 80, 20]
box.elements = [2, 8, 2]
E = 8000
nu = 0.4
clamp = "top"
[tool]
radius = 8
position = [-19, 6, 0]
`

// for a time, s, the stylus is at an offset that way tells, m; each step is told.
func (w *world) swing(seconds float64, way func(s float64) mgl64.Vec3, each func(s float64)) {
	h := w.engine.Options.Motion.Step
	for s := h; s < seconds; s += h {
		target := w.info.Start
		target.Position = target.Position.Add(way(s))
		w.Step(physics.Input{Target: target, Dt: h})
		each(s)
	}
}

// energy is the whole of it, J.
func (w *world) energy() float64 {
	return w.stiffer()*w.engine.body.Energy(w.engine.Shown.X) + w.engine.Kinetic() + w.potential()
}

func away(float64) mgl64.Vec3 { return mgl64.Vec3{-0.1, 0, 0} }

// A scene with gravity opens as the exact equilibrium says that the body hangs; what its weight
// is too much for is refused.
func TestOrganSags(t *testing.T) {
	w := openWorld(t, "x.toml", column)
	l := w.engine
	s, err := equilibrium.NewStatics(l.body.Twin(), fixedOf(l))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	copy(s.Load, l.Load)
	if err := s.Solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	sag, off := 0.0, 0.0
	for i, x := range s.X {
		sag = math.Max(sag, math.Abs(x-l.body.Rest()[i]))
		off = math.Max(off, math.Abs(x-l.Shown.X[i]))
	}
	if sag < 0.003 || off > 1e-5*sag {
		t.Errorf("it sags by %.2f mm, %.2g mm off the exact equilibrium", 1e3*sag, 1e3*off)
	}
	// Half of E: the same as another scene with it; and back.
	soft := openWorld(t, "x.toml", column, "body.E=4000")
	keys := w.Keys()
	for _, c := range []struct {
		key  string
		x    float64
		like *world
	}{{"body.E", 4000, soft}, {"body.E", 8000, nil}, {"gravity", 0, nil}} {
		if err := keys[physics.Place(keys, c.key)].Set(c.x); err != nil {
			t.Fatal(err)
		}
		w.reach(t, w.info.Start)
		off := 0.0
		for i, x := range w.engine.Shown.X {
			want := s.X[i]
			switch {
			case c.like != nil:
				want = c.like.engine.Shown.X[i]
			case c.key == "gravity":
				want = l.body.Rest()[i]
			}
			off = math.Max(off, math.Abs(x-want))
		}
		if off > 1e-4*sag {
			t.Errorf("%s = %g: %.2g mm off", c.key, c.x, 1e3*off)
		}
	}

	scene, err := Read("x.toml", []byte(column))
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"body.E=3", "gravity=900"} {
		if err := scene.Set(set); err != nil {
			t.Fatal(err)
		}
	}
	if w, _, err := scene.Open(t.Context(), physics.Options{}); err == nil {
		w.Close()
		t.Error("3 Pa bear 900 m/s^2")
	} else if !strings.Contains(err.Error(), "cure: gravity nearer to 0") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// A body that a grip has drawn aside swings back when it is let go, to the other side, and
// comes to rest. Meanwhile its energy falls and no element turns over. The force that draws
// it is steady: it does not change to and fro from step to step.
func TestOrganSwingsBack(t *testing.T) {
	for _, set := range [][]string{
		{"motion.scheme=implicit-euler", "motion.alpha=2"},
		{"motion.scheme=newmark", "motion.alpha=4", "motion.beta=0.002"},
		{"motion.scheme=newmark", "motion.alpha=4", "gravity=0", "motion.step=0.002"},
	} {
		w := openWorld(t, "x.toml", column, append([]string{"grip.closed=true", "grip.strength=20"}, set...)...)
		l := w.engine
		end := bottom(l)
		var force, shook, most float64
		w.swing(0.9, func(s float64) mgl64.Vec3 {
			if s < 0.15 {
				return mgl64.Vec3{0.02 * s, 0, 0} // on to it
			}
			return mgl64.Vec3{0.003 - 0.05*(s-0.15), 0, 0}
		}, func(s float64) {
			now := w.felt.force.Len()
			if s > 0.6 {
				shook, most = math.Max(shook, math.Abs(now-force)), math.Max(most, now)
			}
			force = now
		})
		drawn := l.Shown.X[3*end] - l.start.x[3*end]
		if drawn > -0.02 || shook > 0.15*most {
			t.Fatalf("%v: drawn by %.1f mm with up to %.3f N, which changes by %.3f N in a step", set, 1e3*drawn, most, shook)
		}
		keys := w.Keys()
		if err := keys[physics.Place(keys, "grip.closed")].Set(0); err != nil {
			t.Fatal(err)
		}
		last, other, grew := math.Inf(1), 0.0, 0.0
		first := 0.0
		w.swing(6, away, func(s float64) {
			if _, inverted := l.body.MinJ(l.Shown.X); inverted > 0 {
				t.Fatalf("%v: %d elements turned over", set, inverted)
			}
			if w.felt.force != (mgl64.Vec3{}) || !w.steps.last.Settled { // still led by the ball, or under way to an equilibrium
				return
			}
			e := w.energy()
			if math.IsInf(last, 1) {
				first = e
			}
			grew = math.Max(grew, e-last)
			last = math.Min(e, last)
			other = math.Max(other, l.Shown.X[3*end]-l.start.x[3*end])
		})
		far := 0.0
		for i, x := range l.Shown.X {
			far = math.Max(far, math.Abs(x-l.start.x[i]))
		}
		if other < -0.25*drawn || grew > 1e-4*(first-last) || far > 1e-3*-drawn {
			t.Errorf("%v: drawn by %.1f mm, %.1f mm to the other side, energy grew by %.2g J of %.2g, at the end %.3f mm from rest",
				set, 1e3*drawn, 1e3*other, grew, first-last, 1e3*far)
		}
		w.Reset()
		if w.steps.time != 0 || w.engine.Kinetic() != 0 || l.Shown.X[3*end] != l.start.x[3*end] {
			t.Errorf("%v: reset at %g s with %g J", set, w.steps.time, w.engine.Kinetic())
		}
	}
}

// bottom is the lowest node at rest.
func bottom(l *Live) (low int) {
	rest := l.body.Rest()
	for n := range l.body.Mesh.Nodes {
		if rest[3*n+1] < rest[3*low+1] {
			low = n
		}
	}
	return low
}

// Another E of a body that moves is another scene's with that E.
func TestYoungOfAMovingBody(t *testing.T) {
	var centres [2]mgl64.Vec3
	for i, set := range []string{"body.E=8000", "body.E=16000"} {
		w := openWorld(t, "x.toml", column, "motion.scheme=implicit-euler", "gravity=0", "motion.beta=0.001", set)
		keys := w.Keys()
		for key, x := range map[string]float64{"body.E": 16000, "gravity": 9.81} {
			if err := keys[physics.Place(keys, key)].Set(x); err != nil {
				t.Fatal(err)
			}
		}
		for try := 0; w.steps.time < 0.0899 && try < 60; try++ {
			w.Step(physics.Input{Target: frame.At(w.info.Start.Position.Add(away(0))), Dt: w.OwnStep()})
		}
		centres[i] = w.centre(0)
	}
	if d := centres[0].Sub(centres[1]).Len(); d > 1e-3*centres[1].Sub(mgl64.Vec3{0, 0.04, 0}).Len() {
		t.Errorf("the centres of mass are %v and %v m", centres[0], centres[1])
	}
}

func TestMotionAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	w := openWorld(t, "x.toml", column, "motion.scheme=implicit-euler", "motion.beta=0.005", "motion.alpha=20")
	w.engine.Options.Refresh = false
	var f physics.Frame
	i := 0
	step := func() {
		p := w.info.Start
		p.Position[0] += 0.003 + 1e-6*float64(i%2)
		i++
		w.Step(physics.Input{Target: p, Dt: 0.005})
		w.Draw(&f)
	}
	for range 60 {
		step()
	}
	if n := testing.AllocsPerRun(40, step); n > 0 {
		t.Errorf("%g allocations a step", n)
	}
	if f.Time < 0.3 || w.felt.force.Len() == 0 {
		t.Errorf("after %g s the force is %v N", f.Time, w.felt.force)
	}
}
