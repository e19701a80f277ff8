package tissue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/latest"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/flex"
)

// cubed is a cube of n^3 elements under a round probe.
func cubed(t testing.TB, n int, friction float64, build Builder, open func(Builder, context.Context, *scene.Scene, Progress) (*World, []string, error)) *World {
	t.Helper()
	text := fmt.Sprintf(`
title = "cubed"
about = "a probe on a cube"
friction = %g
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "probe"
role = "driven"
position = [47.3, 106.5, 53.9]
[body.tool]
kind = "probe"
radius = 6
length = 60
spacing = 2
[[body]]
name = "cube"
E = 12
nu = 0.4
clamp = "bottom"
[body.box]
size = [100, 100, 100]
elements = [%d, %d, %d]
[contact]
tolerance = 1e-8
ddc_tolerance = 2
normals = "smooth"
`, friction, n, n, n)
	s, err := scene.Parse("cubed.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := open(build, context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// jobOf begins the preparation of a world's second body by hand.
func jobOf(t testing.TB, w *World) *job {
	t.Helper()
	b := w.bodies[1]
	p := newPreparation(1, b.poisson, false)
	p.look(w)
	j := &job{build: w.build, body: b, p: p, order: newOrder(b, b.poisson), ctx: context.Background(), life: context.Background()}
	j.hand = func(f flexibility, coarse bool) { p.next.Store(&stage{f, coarse}) }
	if err := j.first(); err != nil {
		t.Fatal(err)
	}
	return j
}

// pushTo moves the probe down by a depth beside its start and waits for rest.
func pushTo(t testing.TB, w *World, x, depth float64) mgl64.Vec3 {
	t.Helper()
	start := w.StartPose()
	to := func(x, y float64) {
		at := frame.Pose{Position: start.Position.Add(mgl64.Vec3{x, y, 0}), Rotation: start.Rotation}
		if err := w.Move(at, 1000); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			w.Step(at)
		}
	}
	to(0, 0.005)
	to(x, 0.005)
	for y := 0.0; y < depth; y += 0.0005 {
		to(x, -y)
	}
	to(x, -depth)
	f, _ := w.Force()
	return f
}

// Every node follows sources with weights that leave a shift as it is, and
// away from the support a tilt as well, nearly; sources follow themselves.
func TestCoarseNodesFollow(t *testing.T) {
	w := cubed(t, 8, 0.3, Builder{}, Builder.New)
	b := w.bodies[1]
	c := newCoarseNodes(b)
	chosen := c.farthest(60)
	chosen = append(chosen, c.nearest(mgl64.Vec3{0.05, 0.1, 0.05}, []int32{chosen[0], 3, 5}, 12, 12)...)
	c.admit(chosen)
	spread := c.spread()
	apart := math.Inf(1)
	for i, a := range chosen[:60] {
		if s := spread[a]; s.Count != 1 || s.Ready[0] != int32(i) || s.Weight[0] != 1 {
			t.Fatalf("source %d follows %+v", a, s)
		}
		for _, b := range chosen[:i] {
			apart = min(apart, c.rest[a].Sub(c.rest[b]).Len())
		}
	}
	if apart < 0.012 {
		t.Errorf("sources %g m from each other", apart)
	}
	worst := 0.0
	for i := range spread {
		s := &spread[i]
		if c.held[i] {
			if s.Count != 0 {
				t.Fatalf("held node %d follows %+v", i, s)
			}
			continue
		}
		sum, size := 0.0, 0.0
		var at mgl64.Vec3
		for k := range s.Count {
			sum += s.Weight[k]
			size += math.Abs(s.Weight[k])
			at = at.Add(c.rest[c.ready[s.Ready[k]]].Mul(s.Weight[k]))
		}
		if !(size <= 2) {
			t.Fatalf("node %d: weights of %g in all", i, size)
		}
		if c.rest[i][1] < 0.05 { // some follow the support
			continue
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("node %d: weights sum to %g", i, sum)
		}
		worst = max(worst, at.Sub(c.rest[i]).Len())
	}
	// Around an edge of the cube the sources lie on two sides, and a node between
	// them on the edge.
	if worst > 0.02 {
		t.Errorf("a node follows what is %g m away on average", worst)
	}
}

// The coarse compliance is symmetric and positive semidefinite, exact between
// nodes that are ready and at the support, whose reaction balances what presses:
// its forces are those of the ready nodes. It becomes the compliance as all
// nodes become ready.
func TestCoarseCompliance(t *testing.T) {
	w := cubed(t, 8, 0.3, Builder{Later: 1}, Builder.Open)
	j := jobOf(t, w)
	b := w.bodies[1]
	full, err := Builder{}.compute(context.Background(), b, b.poisson, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	scale := full.softest * full.softest
	check := func() (mean float64) { // error
		c := flex.Condense(j.nodes.spread(), j.ready)
		n := int32(c.N)
		for a := range n {
			for d := range n {
				x, y, want := c.Block(a, d), c.Block(d, a), full.compliance.Block(a, d)
				exact := j.nodes.source[a] >= 0 && j.nodes.source[d] >= 0 || j.nodes.held[a]
				for k := range x {
					if math.Abs(x[k]-y[3*(k%3)+k/3]) > 1e-12*scale {
						t.Fatalf("not symmetric: %v, %v", x, y)
					}
					if exact && math.Abs(x[k]-want[k]) > 1e-10*scale {
						t.Fatalf("nodes %d, %d: %v, want %v", a, d, x, want)
					}
					mean += math.Abs(x[k]-want[k]) / scale / float64(9*n*n)
				}
			}
		}
		return mean
	}
	first := check()
	if err := j.compute(j.nodes.farthest(60)); err != nil {
		t.Fatal(err)
	}
	second := check()
	if err := j.compute(j.nodes.farthest(1000)); err != nil {
		t.Fatal(err)
	}
	if last := check(); !(first > second && second > last && last < 1e-10) {
		t.Errorf("errors %g, %g, %g as nodes become ready", first, second, last)
	}
}

// On a cube of 10 000 nodes: pressed where the stylus was when the first nodes
// were chosen, the force is that of the full compliance to 3 %; elsewhere it is
// to 25 %, and to 3 % again once the nodes there are ready.
func TestCoarseForce(t *testing.T) {
	if testing.Short() || testkit.Race {
		t.Skip("takes seconds")
	}
	w := cubed(t, 20, 0.3, Builder{Later: 1}, Builder.Open)
	if n := len(w.bodies[1].mesh.Nodes); n < 9000 {
		t.Fatalf("%d nodes", n)
	}
	j := jobOf(t, w)
	b := w.bodies[1]
	b.applyFlexibility(j.p.next.Load().flexibility)
	b.apart = false
	here, there := pushTo(t, w, 0, 0.004), pushTo(t, w, 0.031, 0.004)
	j.p.look(w)
	for chosen := j.near(); len(chosen) > 0; chosen = j.near() {
		if err := j.compute(chosen); err != nil {
			t.Fatal(err)
		}
	}
	j.publish(true)
	b.applyFlexibility(j.p.next.Load().flexibility)
	near := pushTo(t, w, 0.031, 0.004)
	full, err := Builder{}.compute(context.Background(), b, b.poisson, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.applyFlexibility(full.flexibility)
	wantHere, wantThere := pushTo(t, w, 0, 0.004), pushTo(t, w, 0.031, 0.004)
	for _, c := range []struct {
		what      string
		got, want mgl64.Vec3
		most      float64
	}{{"under the stylus", here, wantHere, 0.03}, {"elsewhere", there, wantThere, 0.25}, {"elsewhere, refined", near, wantThere, 0.03}} {
		off := c.got.Sub(c.want).Len() / c.want.Len()
		t.Logf("%s: %.4f N, %.4f N with all nodes: %.2f %%", c.what, c.got.Len(), c.want.Len(), 100*off)
		if !(off <= c.most) || c.want.Len() < 0.05 {
			t.Errorf("%s: %v N, want %v N", c.what, c.got, c.want)
		}
	}
}

// running is a world's Runner with a hand that the test moves.
type running struct {
	t    *testing.T
	r    *Runner
	hand atomic.Pointer[frame.Pose]
	stop func() // the loop: the world may be looked at then
}

func start(t *testing.T, w *World) *running {
	t.Helper()
	h := &running{t: t}
	begin := w.StartPose()
	h.hand.Store(&begin)
	models := latest.New(func(m *local.Model) { local.Make(m, 0) })
	h.r = NewRunner(w, models, func() (frame.Pose, frame.Pose, uint64) {
		p := *h.hand.Load()
		return p, p, 1
	})
	ctx, cancel := context.WithCancel(context.Background())
	var loop sync.WaitGroup
	loop.Go(func() { h.r.Run(ctx) })
	h.stop = func() { cancel(); loop.Wait() }
	t.Cleanup(h.stop)
	return h
}

func (h *running) move(w *World, x, y float64) {
	p := w.StartPose()
	p.Position = p.Position.Add(mgl64.Vec3{x, y, 0})
	h.hand.Store(&p)
}

func (h *running) await(what string, ok func(*Snapshot) bool) {
	h.t.Helper()
	testkit.Eventually(h.t, what, func() bool { s, newer := h.r.Snapshots().Get(); return newer && ok(s) })
}

func ready(s *Snapshot) Readiness {
	if len(s.Preparing) == 0 {
		return Exact
	}
	return s.Preparing[0].Ready
}

// A world opens before anything is factorised and says so; nothing is felt of the
// body. Then it is touched with a coarse compliance before all of it is begun,
// then with all.
func TestOpensAtOnce(t *testing.T) {
	gates := map[string]chan struct{}{"factorise": make(chan struct{}), "all": make(chan struct{})}
	build := Builder{Later: 1, gate: func(what string) { <-gates[what] }}
	w := cubed(t, 8, 0.3, build, Builder.Open)
	if c := w.bodies[1].flexibility.compliance; c != nil {
		t.Fatal("a compliance before the world is there")
	}
	h := start(t, w)
	h.await("a plan", func(s *Snapshot) bool {
		return ready(s) == Untouchable && s.Preparing[0].Plan != "" && s.Message != "" && s.Progress < 1
	})
	h.move(w, 0, -0.004)
	h.await("the stylus in the body, without a force", func(s *Snapshot) bool {
		return s.Stylus.Position == h.hand.Load().Position && len(s.Contacts) == 0
	})
	close(gates["factorise"])
	h.await("a body that waits for the stylus to leave it", func(s *Snapshot) bool { return ready(s) == Inside && s.Force.Len() == 0 })
	h.move(w, 0, 0.004)
	h.await("a coarse compliance", func(s *Snapshot) bool { return ready(s) == Coarse })
	h.move(w, 0, -0.004)
	coarse := 0.0
	h.await("a force", func(s *Snapshot) bool {
		coarse = s.Force[1]
		return coarse > 0.05 && ready(s) == Coarse && s.Preparing[0].Fraction > 0 && s.Stylus.Position == h.hand.Load().Position
	})
	close(gates["all"])
	h.await("all of it", func(s *Snapshot) bool {
		return ready(s) == Exact && s.Message == "" && s.Progress == 1 && s.Force[1] > 0.8*coarse
	})

	// another nu, by way of a coarse compliance again; and back before it is there
	p := w.DefaultParams()
	p.Bodies[1].Poisson = 0.45
	h.r.SetParams(p)
	h.await("a preparation", func(s *Snapshot) bool { return len(s.Preparing) == 1 })
	h.r.SetParams(w.DefaultParams())
	h.await("nothing to prepare", func(s *Snapshot) bool { return len(s.Preparing) == 0 && s.Force[1] > 0.8*coarse })
	h.r.SetParams(p)
	h.await("the other nu", func(s *Snapshot) bool { return len(s.Preparing) == 1 })
	h.await("all of it", func(s *Snapshot) bool { return len(s.Preparing) == 0 && s.Force[1] > 0.8*coarse })
}

// What does not fit into memory is computed near the stylus and as far as it
// goes; where not even the factor fits, the world is refused.
func TestComputesOnDemand(t *testing.T) {
	probe := cubed(t, 10, 0.3, Builder{Later: 1}, Builder.Open)
	plan, err := flex.NewPlan(probe.bodies[1].mesh, probe.bodies[1].fixed, 0.4, nil)
	if err != nil {
		t.Fatal(err)
	}
	surface := len(probe.bodies[1].surface)
	limit := plan.Cost.FactorBytes + flex.ReadyBytes(surface*6/10)
	w := cubed(t, 10, 0.3, Builder{Later: 1, MemoryLimit: limit}, Builder.Open)
	h := start(t, w)
	h.await("a plan on demand", func(s *Snapshot) bool { return len(s.Preparing) == 1 && s.Preparing[0].OnDemand })
	h.await("a coarse compliance", func(s *Snapshot) bool { return ready(s) == Coarse })
	h.move(w, 0.02, -0.004)
	h.await("a force, and all that memory holds", func(s *Snapshot) bool {
		return s.Force[1] > 0.05 && strings.Contains(s.Preparing[0].What, "memory")
	})
	h.stop()
	if got := w.ComplianceBytes(); got > limit {
		t.Errorf("%d bytes, the limit is %d", got, limit)
	}

	_, _, err = Builder{Later: 1, MemoryLimit: plan.Cost.FactorBytes / 2}.Open(context.Background(), w.scene, nil)
	if err == nil || !strings.Contains(err.Error(), "cube") || !strings.Contains(err.Error(), "cure") {
		t.Errorf("error %v", err)
	}
}

// steadyForce is the largest change of the hand's force in a step of 1 ms while a
// pressed body turns to another elasticity, N. A device of the kind that these
// scenes are for is asked for 0.4 N a millisecond at most.
const steadyForce = 0.005

// A body that is pressed turns to another nu, and from a coarse compliance to all
// of it, without a jolt: the force on the hand changes by little in each step, no
// contact is lost, and in the end it is that of a world that was built so.
func TestTurnsWithoutAJolt(t *testing.T) {
	turn := func(t *testing.T, w *World, x float64, f flexibility) (before, after mgl64.Vec3) {
		b := w.bodies[1]
		before = pushTo(t, w, x, 0.005)
		pose, last := w.Pose(), before
		touching := func() (n int) {
			for i := range w.contacts {
				if w.r[3*i] > 0 {
					n++
				}
			}
			return n
		}
		at, most := touching(), 0.0
		if at == 0 {
			t.Fatal("nothing touches")
		}
		b.turnTo(f)
		steps := 0
		for ; b.turning(); steps++ {
			if steps > 5000 {
				t.Fatal("never turned")
			}
			w.fade(time.Millisecond)
			w.Step(pose)
			now, _ := w.Force()
			most = max(most, now.Sub(last).Len())
			last = now
			if n := touching(); n < at/2 {
				t.Fatalf("step %d: %d contacts of %d left", steps, n, at)
			}
		}
		for range 50 {
			w.Step(pose)
		}
		after, _ = w.Force()
		t.Logf("%.4f N to %.4f N in %d steps, most in one %.5f N", before.Len(), after.Len(), steps, most)
		if !(most < steadyForce) {
			t.Errorf("%g N in a step", most)
		}
		if steps < int(fadeTime/time.Millisecond) {
			t.Errorf("turned in %d steps", steps)
		}
		return before, after
	}
	for _, mu := range []float64{0, 0.3} {
		if testing.Short() && mu == 0 {
			continue
		}
		t.Run(fmt.Sprint("nu, friction ", mu), func(t *testing.T) {
			w := cubed(t, 8, mu, Builder{}, Builder.New)
			f, err := Builder{}.flexibility(context.Background(), w.bodies[1], 0.45, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			before, after := turn(t, w, 0, f)
			if d := after.Sub(before).Len(); d < 1e-3*before.Len() {
				t.Errorf("the force changed by %g N only", d)
			}
			fresh := cubed(t, 8, mu, Builder{}, Builder.New)
			fresh.bodies[1].applyFlexibility(f)
			fresh.Reset()
			want := pushTo(t, fresh, 0, 0.005)
			if mu == 0 { // friction remembers the way
				if d := after.Sub(want).Len(); d > 1e-5*want.Len() {
					t.Errorf("force %v N, of a fresh world %v N", after, want)
				}
			}
			if again := pushTo(t, w, 0, 0.005); again.Sub(want).Len() > 1e-9*want.Len() {
				t.Errorf("pressed again: force %v N, of a fresh world %v N", again, want)
			}
		})
	}
	t.Run("coarse", func(t *testing.T) {
		w := cubed(t, 12, 0.3, Builder{Later: 1}, Builder.Open)
		j := jobOf(t, w)
		b := w.bodies[1]
		j.nodes, j.ready = newCoarseNodes(b), flex.Ready{} // coarse under the stylus, too
		if err := j.compute(j.nodes.farthest(60)); err != nil {
			t.Fatal(err)
		}
		j.publish(true)
		b.applyFlexibility(j.p.next.Load().flexibility)
		b.apart = false
		full, err := Builder{}.compute(context.Background(), b, b.poisson, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		before, after := turn(t, w, 0, full.flexibility)
		if d := after.Sub(before).Len(); d < 0.01*before.Len() {
			t.Errorf("the force changed by %g N only", d)
		}
		fresh := cubed(t, 12, 0.3, Builder{}, Builder.New)
		got, want := pushTo(t, w, 0, 0.005), pushTo(t, fresh, 0, 0.005)
		if got.Sub(want).Len() > 1e-7*want.Len() {
			t.Errorf("force %v N, of a fresh world %v N", got, want)
		}
	})
}

// A heavy body bends under its weight little by little when its compliance comes.
func TestWeightFadesIn(t *testing.T) {
	w := probedWorld(t)
	b := w.bodies[1]
	want := b.at(int32(b.nearest(mgl64.Vec3{0, 0.02, 0}))).Sub(b.rest[b.nearest(mgl64.Vec3{0, 0.02, 0})])
	f := b.flexibility
	node := int32(b.nearest(mgl64.Vec3{0, 0.02, 0}))
	b.flexibility, b.load = flexibility{}, mgl64.Vec3{}
	b.restart()
	b.turnTo(f)
	last, most := mgl64.Vec3{}, 0.0
	for b.turning() {
		w.fade(time.Millisecond)
		now := b.at(node).Sub(b.rest[node])
		most = max(most, now.Sub(last).Len())
		last = now
		w.Step(w.StartPose())
	}
	if !(most < 0.05*want.Len()) || want.Len() == 0 {
		t.Errorf("moved by %g m at once, by %g m in all", most, want.Len())
	}
	if d := b.at(node).Sub(b.rest[node]).Sub(want).Len(); d > 1e-12 {
		t.Errorf("%g m off in the end", d)
	}
}

// What cannot be stopped is left to itself when the context ends.
func TestAbandonsWhatCannotStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	hold := make(chan struct{})
	defer close(hold)
	if _, err := abandonable(ctx, func() (int, error) { cancel(); <-hold; return 1, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if v, err := abandonable(context.Background(), func() (int, error) { return 1, nil }); v != 1 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}
