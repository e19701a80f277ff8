package finitestrain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/solid"
)

// tetBox is a box of tetrahedra.
func tetBox(t testing.TB, size mgl64.Vec3, cells [3]int) *mesh.Mesh {
	t.Helper()
	hex, err := mesh.Box(mgl64.Vec3{}, size, cells)
	if err != nil {
		t.Fatal(err)
	}
	tet := &mesh.Mesh{Nodes: hex.Nodes, NodeSets: hex.NodeSets, Blocks: []mesh.Block{{Type: mesh.Tet4}}}
	b := &hex.Blocks[0]
	for e := range b.Len() {
		n := b.Element(e)
		ring := []int32{n[1], n[2], n[3], n[7], n[4], n[5], n[1]}
		for k := range 6 {
			tet.Blocks[0].Nodes = append(tet.Blocks[0].Nodes, n[0], ring[k], ring[k+1], n[6])
		}
	}
	return tet
}

func liveLaw(name string) solid.Law {
	lambda, mu := solid.Lame(5000, 0.4)
	if name == "corotational" {
		return solid.Barrier{Law: solid.Corotational{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu}
	}
	return solid.Barrier{Law: solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu}
}

// liveBody is a box of 10 cm with about n nodes, clamped below, and a ball of 2 cm above it.
func liveBody(t testing.TB, cells int, law string, options func(*LiveOptions)) *Live {
	t.Helper()
	return liveBodyOf(t, cells, law, &Shape{Round: 0.02}, options)
}

func liveBodyOf(t testing.TB, cells int, law string, tool *Shape, options func(*LiveOptions)) *Live {
	t.Helper()
	m := tetBox(t, mgl64.Vec3{0.1, 0.1, 0.1}, [3]int{cells, cells, cells})
	b, err := solid.New(m, solid.Full, liveLaw(law))
	if err != nil {
		t.Fatal(err)
	}
	var surface []int32
	for i, on := range m.Surface().Index {
		if on >= 0 {
			surface = append(surface, int32(i))
		}
	}
	o := DefaultLiveOptions(0.1)
	if options != nil {
		options(&o)
	}
	l, err := NewLive(b, m.NodeSets["back"], surface, tool, o)
	if err != nil {
		t.Fatal(err)
	}
	l.Put(frame.At(mgl64.Vec3{0.05, 0.05, 0.3}))
	return l
}

// lead is a step with the tool led to a place.
func (l *Live) lead(to mgl64.Vec3) LiveReport { return l.Step(frame.At(to), physics.Coupling{}) }

// reach leads the tool to a place until it is there, in equilibrium.
func (l *Live) reach(t testing.TB, to mgl64.Vec3) (r LiveReport) {
	t.Helper()
	for range 300 {
		if r = l.lead(to); r.Reached {
			return r
		}
	}
	t.Fatalf("the tool does not reach %v: %+v", to, r)
	return r
}

// hostile is a hand that presses, drags, shakes and lets go: the place of the
// tool's centre at a time, s.
func hostile(seed uint64) func(s float64) mgl64.Vec3 {
	rng := rand.New(rand.NewPCG(seed, 1))
	var a [3][4][3]float64
	for k := range 3 {
		for j := range 4 {
			a[k][j] = [3]float64{rng.Float64(), 0.4 + 2.2*rng.Float64(), 6.28 * rng.Float64()}
		}
	}
	return func(s float64) (p mgl64.Vec3) {
		for k := range 3 {
			for j := range 4 {
				p[k] += a[k][j][0] / 4 * math.Sin(6.28*a[k][j][1]*s+a[k][j][2])
			}
		}
		return mgl64.Vec3{0.05 + 0.06*p[0], 0.05 + 0.06*p[1], 0.105 + 0.05*p[2]}
	}
}

// liveRun is what a hand has met.
type liveRun struct {
	steps, settled, pressed        int
	residual, corrections, seconds []float64
	lag                            []float64 // of the tool behind the hand, m
	gaps                           []float64 // from one equilibrium to the next, s
	least, strongest               float64
	last                           LiveReport
}

// drive lets a hand, with the tool on a spring in it, at the body for a time in steps of h, or one after the other in real
// time where h is 0; what a step takes is processor time of this thread. Where l has a deadline each step has that limit.
// No state that is shown has surfaces or elements that go through each other.
func drive(t testing.TB, l *Live, hand func(s float64) mgl64.Vec3, spring physics.Coupling, h, duration float64, limit time.Duration) liveRun {
	run := liveRun{least: 1}
	at := hand(0)
	at[2] = math.Max(at[2], 0.121) // begins clear of it
	l.Put(frame.At(at))
	begin, last := time.Now(), 0.0
	for s := h; s < duration; s += h {
		if h == 0 {
			s = time.Since(begin).Seconds()
		}
		begin := threadSeconds()
		if l.Deadline != nil {
			l.Deadline.Begin(limit)
		}
		rep := l.Step(frame.At(hand(s)), spring)
		run.seconds = append(run.seconds, threadSeconds()-begin)
		run.steps++
		run.corrections = append(run.corrections, float64(rep.Corrections))
		if h > 0 { // in real time that is too long
			if reason := l.Validate(); reason != Valid {
				t.Fatalf("%g s: %v", s, reason)
			}
		}
		if rep.Contacts > 0 {
			run.pressed++
		}
		if run.least = math.Min(run.least, rep.LeastJ); rep.Settled {
			run.settled++
			run.gaps, last = append(run.gaps, s-last), s
			if rep.Contacts > 0 {
				run.residual = append(run.residual, rep.Residual/rep.Pressed)
				run.strongest = math.Max(run.strongest, rep.Force.Len())
			}
		}
		run.lag = append(run.lag, hand(s).Sub(rep.Tool.Position).Len())
		run.last = rep
	}
	if l.Err() != nil {
		t.Error(l.Err())
	}
	return run
}

// threadSeconds is the processor time of this thread.
func threadSeconds() float64 {
	var ts syscall.Timespec
	const threadClock = 3
	if _, _, e := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return math.NaN()
	}
	return float64(ts.Nano()) / 1e9
}

func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[min(len(v)-1, int(q*float64(len(v))))]
}

func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}

// A hostile hand leads a ball: nothing crosses and no element is turned over in any state that is shown; most are
// equilibria, to 1 % of the contact forces; and once the tool is gone all is at rest again.
func TestLiveHostileHand(t *testing.T) {
	if testkit.Race {
		t.Skip("slow; TestLiveThread covers what threads share")
	}
	for _, law := range []string{"corotational", "neo-hookean"} {
		for seed := range uint64(2) {
			// relaxations of small parts, and none: this body is too small for the usual ones
			l := liveBody(t, 6, law, func(o *LiveOptions) { o.Lag, o.Patch = 5, 300-240*int(seed) })
			run := drive(t, l, hostile(seed+1), physics.Coupling{}, 0.003, 1.2, 0)
			if worst := quantile(run.residual, 1); worst > 0.01 {
				t.Errorf("%s, hand %d: an equilibrium with a residual of %g of the contact forces", law, seed, worst)
			}
			if len(run.residual) < 30 || run.settled < run.steps/2 || run.strongest < 1 {
				t.Errorf("%s, hand %d: %d of %d steps settled, %d of them in contact, up to %g N: the test shows little", law, seed, run.settled, run.steps, len(run.residual), run.strongest)
			}
			for range 40 {
				l.lead(mgl64.Vec3{0.05, 0.05, 0.3})
			}
			u := displacements(l.body, l.Shown.X)
			if far := longest(triples(u)); far > 1e-6 {
				t.Errorf("%s, hand %d: %g m from rest after the tool has left", law, seed, far)
			}
			if l.Close(); t.Failed() {
				return
			}
		}
	}
}

// Relaxations around the contacts save corrections of all nodes, and more states come to
// equilibrium with as many.
func TestLiveRelaxes(t *testing.T) {
	var corrections, settled [2]float64
	for i, patch := range []int{0, 80} {
		l := liveBody(t, 7, "neo-hookean", func(o *LiveOptions) { o.Lag, o.Patch = 20, 2*patch })
		run := drive(t, l, hostile(3), touchSpring(0.02), 0.004, 0.8, 0)
		corrections[i], settled[i] = mean(run.corrections), float64(run.settled)/float64(run.steps)
		l.Close()
	}
	if corrections[1] > 0.8*corrections[0] || settled[1] < settled[0] {
		t.Errorf("%.2f corrections a step with relaxations and %.2f without, %.2f and %.2f of the steps settle", corrections[1], corrections[0], settled[1], settled[0])
	}
}

// A relaxation takes in as many nodes as there are far from equilibrium: fewer after a short
// way of the tool than after a long one.
func TestLiveRelaxesWhatMisses(t *testing.T) {
	const most = 160
	sizes := func(way float64) (mean float64) {
		l := liveBody(t, 7, "neo-hookean", func(o *LiveOptions) { o.Refresh, o.Patch = false, most })
		defer l.Close()
		at, n := mgl64.Vec3{0.05, 0.05, 0.121}, 0
		for at[2] > 0.113 {
			at[2] -= way
			if l.lead(at).Relaxed > 0 {
				mean, n = mean+float64(l.patch.move), n+1
			}
		}
		if n == 0 {
			t.Fatal("nothing is relaxed: the test misses something")
		}
		return mean / float64(n)
	}
	short, long := sizes(3e-4), sizes(1.5e-3)
	if short > 0.7*long {
		t.Errorf("%.0f nodes are relaxed after a short way and %.0f after a long one, at most %d", short, long, most)
	}
}

// With factors that come after a fixed number of steps, everything repeats to the
// last bit.
func TestLiveRepeats(t *testing.T) {
	var last []float64
	for range 2 {
		l := liveBody(t, 4, "neo-hookean", func(o *LiveOptions) { o.Lag = 4 })
		drive(t, l, hostile(7), physics.Coupling{}, 0.004, 0.8, 0)
		if last != nil && !slices.Equal(last, l.Shown.X) {
			t.Error("the second time is not like the first")
		}
		last = l.Shown.X
		l.Close()
	}
}

// The second thread's factors come into use, and Close ends it.
func TestLiveThread(t *testing.T) {
	ended := testkit.Goroutines(t)
	l := liveBody(t, 4, "corotational", nil)
	fresh := 0
	at := mgl64.Vec3{0.05, 0.05, 0.121}
	testkit.Eventually(t, "three new factors", func() bool {
		if at[2] -= 1e-4; at[2] < 0.115 {
			at[2] += 3e-3
		}
		if l.lead(at).Fresh {
			fresh++
		}
		return fresh >= 3
	})
	l.Close()
	ended()
}

// While the tool hovers or holds still the second thread rests; once it goes on, that works again.
func TestLiveThreadRests(t *testing.T) {
	l := liveBody(t, 4, "neo-hookean", func(o *LiveOptions) { o.Lag = 3 })
	defer l.Close()
	at := mgl64.Vec3{0.05, 0.05, 0.124} // 4 mm over the body, its nodes within five times the reach
	for _, phase := range []struct {
		what         string
		down         float64
		steps, fresh int // factors that come into use in the second half; -1: some
	}{{"hovers", 0, 40, 0}, {"presses", 2e-4, 80, -1}, {"holds still", 0, 40, 0}, {"presses on", 1e-4, 20, -1}} {
		fresh := 0
		for i := range phase.steps {
			at[2] -= phase.down
			if l.lead(at).Fresh && 2*i >= phase.steps {
				fresh++
			}
		}
		if phase.fresh == 0 && fresh > 0 || phase.fresh < 0 && fresh == 0 {
			t.Errorf("the tool %s at %.1f mm: %d factors in %d steps", phase.what, 1e3*at[2], fresh, phase.steps/2)
		}
	}
}

// While the tool rests and slides among the same nodes, a step allocates nothing.
func TestLiveAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	l := liveBody(t, 4, "corotational", func(o *LiveOptions) { o.Refresh, o.Patch, o.Accept = false, 40, 1e-4 })
	defer l.Close()
	at := mgl64.Vec3{0.05, 0.05, 0.121}
	for range 20 {
		at[2] -= 3e-4
		l.reach(t, at)
	}
	i, relaxed := 0, 0
	step := func() {
		i++
		relaxed += l.lead(at.Add(mgl64.Vec3{1e-4 * float64(i%2), 0, 0})).Relaxed
	}
	for range 20 {
		step()
	}
	if n := testing.AllocsPerRun(50, step); n > 0 {
		t.Errorf("%g allocations a step", n)
	}
	if relaxed == 0 {
		t.Error("nothing is relaxed: the test misses something")
	}
}

// The rates of docs/tissue.md: what a step takes under a hostile hand in real time, with a deadline of four fifths of
// what the rate asked for leaves, in processor time of the thread; and how often there is a new equilibrium.
//
//	go test ./physics/worlds/finitestrain -run - -bench LiveRates -benchtime 1x
func BenchmarkLiveRates(b *testing.B) {
	for _, c := range []struct {
		cells int
		law   string
		rate  float64 // asked for, Hz
	}{
		{7, "corotational", 500}, {14, "corotational", 150}, {21, "corotational", 40},
		{7, "neo-hookean", 500}, {14, "neo-hookean", 150}, {21, "neo-hookean", 40},
	} {
		nodes := (c.cells + 1) * (c.cells + 1) * (c.cells + 1)
		b.Run(fmt.Sprintf("%s/nodes=%d", c.law, nodes), func(b *testing.B) {
			runtime.LockOSThread()
			for b.Loop() {
				l := liveBody(b, c.cells, c.law, nil)
				l.Deadline = new(physics.Deadline)
				r := drive(b, l, hostile(3), touchSpring(0.02), 0, 2, time.Duration(0.8e9/c.rate))
				b.ReportMetric(c.rate, "Hz_asked")
				b.ReportMetric(1/quantile(r.seconds, 0.5), "Hz_median")
				b.ReportMetric(1/quantile(r.seconds, 0.99), "Hz_p1")
				b.ReportMetric(100*float64(r.settled)/float64(r.steps), "%settled")
				b.ReportMetric(float64(r.settled)/2, "Hz_new")
				b.ReportMetric(1/quantile(r.gaps, 0.99), "Hz_new_p1")
				b.ReportMetric(100*quantile(r.residual, 1), "%residual_most")
				l.Close()
			}
		})
	}
}

// The parts of a correction, of docs/tissue.md.
func BenchmarkLiveParts(b *testing.B) {
	for _, cells := range []int{7, 14, 21} {
		l := liveBody(b, cells, "neo-hookean", nil)
		for _, part := range []struct {
			name string
			do   func()
		}{
			{"first half", func() { l.tangents.now.quick.First(l.correction.residual) }},
			{"second half", func() { l.tangents.now.quick.Second(l.correction.du) }},
			{"forces", func() { l.cells.Forces(l.force, l.X) }},
			{"tangent", func() { l.body.Tangent(l.tangents.spare.values, l.X) }},
			{"refactorise", func() { _ = l.tangents.now.factor.RefactorizeSingle(l.tangents.ctx, l.tangents.now.values) }},
		} {
			b.Run(fmt.Sprintf("%s/nodes=%d", part.name, len(l.body.Mesh.Nodes)), func(b *testing.B) {
				runtime.LockOSThread()
				begin := threadSeconds()
				for b.Loop() {
					part.do()
				}
				b.ReportMetric(1e3*(threadSeconds()-begin)/float64(b.N), "cpu-ms/op")
			})
		}
		l.Close()
	}
}

// TestLiveAblation prints the table of docs/tissue.md; HAPCO_ABLATION asks for it.
func TestLiveAblation(t *testing.T) {
	if os.Getenv("HAPCO_ABLATION") == "" {
		t.Skip("takes minutes: set HAPCO_ABLATION")
	}
	runtime.LockOSThread()
	for _, c := range []struct {
		cells, lag int // what a factor takes over what a step does
		rate       float64
	}{{7, 4, 500}, {13, 10, 150}, {20, 20, 40}} {
		for _, law := range []string{"corotational", "neo-hookean"} {
			for _, v := range []struct {
				name string
				set  func(*LiveOptions)
			}{
				{"all", func(*LiveOptions) {}},
				{"one correction a step", func(o *LiveOptions) { o.Corrections = 1 }},
				{"no relaxation", func(o *LiveOptions) { o.Patch = 0 }},
				{"factor of rest", func(o *LiveOptions) { o.Refresh = false }},
				{"no relaxation, factor of rest", func(o *LiveOptions) { o.Refresh, o.Patch = false, 0 }},
			} {
				if c.cells == 7 && strings.HasPrefix(v.name, "no relaxation") {
					continue // there is none
				}
				l := liveBody(t, c.cells, law, func(o *LiveOptions) { o.Lag = c.lag; v.set(o) })
				r := drive(t, l, hostile(3), touchSpring(0.02), 1/c.rate, 1.2, 0)
				t.Logf("| %d | %s | %s | %.0f %% | %.2f | %.4f | %.1f, %.1f | %.1f | %.2f |", len(l.body.Mesh.Nodes), law, v.name, 100*float64(r.settled)/float64(r.steps),
					mean(r.corrections), quantile(r.residual, 0.5), 1e3*quantile(r.seconds, 0.5), 1e3*quantile(r.seconds, 0.99), 1e3*quantile(r.lag, 0.5), r.least)
				l.Close()
			}
		}
	}
}

// A hand on a body with room for few contacts never has more of them, and nothing crosses all the same.
func TestRowsKeepToTheirRoom(t *testing.T) {
	l := liveBody(t, 7, "corotational", func(o *LiveOptions) { o.Contacts, o.Lag = 6, 4 })
	defer l.Close()
	most := 0
	for _, hand := range []func(float64) mgl64.Vec3{hostile(3), hostile(4)} {
		l.Reset()
		l.Put(frame.At(mgl64.Vec3{0.05, 0.05, 0.14}))
		for s := 0.01; s < 3; s += 0.01 {
			l.lead(hand(s))
			if reason := l.Validate(); reason != Valid {
				t.Fatalf("%g s: %v", s, reason)
			}
			most = max(most, len(l.constraints))
		}
	}
	if most > 18 || most < 12 {
		t.Errorf("%d contacts at most, room is for 18", most)
	}
}
