package tissue

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/exact"
)

// A step that leaves contacts out ends where one with all contacts does, whatever
// the margin: what is left out is open, and what closes joins.
func TestTheActiveSetSolvesTheWholeProblem(t *testing.T) {
	const tolerance = 1e-9
	for name, narrow := range map[string]bool{"margin": false, "no margin": true} {
		some, all := probedWorld(t), probedWorld(t)
		p := some.DefaultParams()
		p.Tolerance = tolerance
		for _, w := range []*World{some, all} {
			if err := w.SetParams(p); err != nil {
				t.Fatal(err)
			}
		}
		all.set.all = true
		if narrow {
			some.set.share, some.set.steps = 0, -100
		}
		start := some.StartPose()
		left, rounds, contacts := 0, 0, 0
		for step := range 400 {
			s := float64(step) / 6
			d := mgl64.Vec3{0.012 * math.Sin(s/30), -0.003 - 0.003*math.Sin(s/9), 0.01 * math.Cos(s/35)}
			pose := frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation}
			some.Step(pose)
			all.Step(pose)
			st := some.Stats()
			left += len(some.contacts) - st.Solved
			contacts += len(some.contacts)
			rounds += st.Rounds - 1
			if len(some.contacts) != len(all.contacts) || st.Open+st.Stick+st.Slip != some.touching {
				t.Fatalf("%s, step %d: %d contacts, %d with all", name, step, len(some.contacts), len(all.contacts))
			}
			// the laws hold at the contacts that were left out, too
			whole := contact.Problem{N: len(all.contacts), W: all.posed.problem.W, Q: all.free, Mu: all.mu}
			x := make([]float64, len(some.r))
			whole.Displacements(x, some.r)
			e := whole.Errors(some.r, x)
			if !(e.Natural < 1e-6 && e.Scaled < 1e-6) {
				t.Fatalf("%s, step %d: errors %g and %g of the whole problem", name, step, e.Natural, e.Scaled)
			}
			a, _ := some.Force()
			b, _ := all.Force()
			if !(a.Sub(b).Len() <= 1e-5*b.Len()) {
				t.Fatalf("%s, step %d: force %v N, %v with all", name, step, a, b)
			}
			for i := range some.contacts {
				if d := math.Abs(some.x[3*i] - all.x[3*i]); d > 1e-8 {
					t.Fatalf("%s, step %d: contact %d has a gap of %g m, %g with all", name, step, i, some.x[3*i], all.x[3*i])
				}
				if some.r[3*i] == 0 && some.x[3*i] < -1e-9 {
					t.Fatalf("%s, step %d: an open contact is %g m inside", name, step, -some.x[3*i])
				}
			}
		}
		t.Logf("%s: of %d contacts %d were left out, %d rounds to add some", name, contacts, left, rounds)
		if left < contacts/5 {
			t.Errorf("%s: only %d of %d contacts were left out", name, left, contacts)
		}
		if narrow && rounds == 0 {
			t.Error("nothing ever had to be added")
		}
	}
}

// Which problem is solved follows the solver's traits and the tolerance: exact solvers
// leave open contacts out, the thesis's and approximate ones have all of them, and
// a tight tolerance is for comparison with others. A second solver changes nothing.
func TestTheSolverSaysWhichProblemIsSolved(t *testing.T) {
	sizes := map[string]int{}
	for i, name := range append(contact.Names(), "tight tolerance", "second solver") {
		if strings.HasPrefix(name, "test-") || testing.Short() && i%4 > 0 && contact.Describe(name).Family != contact.FamilyExact {
			continue
		}
		w := probedWorld(t)
		p := w.DefaultParams()
		subset := true
		switch name {
		case "tight tolerance":
			p.Tolerance, subset = 1e-10, false
		case "second solver":
			p.Shadow = "uzawa"
		default:
			p.Solver, subset = name, contact.Describe(name).Family == contact.FamilyExact
			p.MaxIterations = 500
		}
		if err := w.SetParams(p); err != nil {
			t.Fatal(err)
		}
		start := w.StartPose()
		for i := range 20 {
			w.Step(frame.Pose{Position: start.Position.Add(mgl64.Vec3{0, -1e-4 * float64(i), 0}), Rotation: start.Rotation})
		}
		st := w.Stats()
		if (st.Solved < len(w.contacts)) != subset || st.Solved == 0 || w.posed.problem.N != st.Solved {
			t.Errorf("%s: %d of %d contacts", name, st.Solved, len(w.contacts))
		}
		if subset {
			sizes[name] = st.Solved
		}
	}
	for name, n := range sizes {
		if n != sizes["auto"] {
			t.Errorf("%s: a problem of %d contacts, auto's has %d", name, n, sizes["auto"])
		}
	}
	if len(sizes) < 4 {
		t.Errorf("only %v leave contacts out", sizes)
	}
}

// counting is an exact solver that counts its solves.
type counting struct{ exact.Exact }

var solves int

func (c *counting) Solve(p *contact.Problem, r []float64, opt *contact.Options) contact.Result {
	solves++
	return c.Exact.Solve(p, r, opt)
}

func init() {
	contact.Register(contact.Description{Name: "test-counting", Title: "counts", Note: "for tests"}, func() contact.Solver { return new(counting) })
}

// Bodies are linear: no problem is solved twice, whatever an old scene file says of
// Newton-Raphson.
func TestNoProblemIsSolvedTwice(t *testing.T) {
	g := newRig(t, "contact.solver=test-counting", "contact.newton_tolerance=1e-12")
	forces := 0
	for i := range 30 {
		solves = 0
		g.push(0.05*float64(i), -0.1*float64(i))
		if st := g.world().Stats(); solves != st.Rounds {
			t.Fatalf("step %d: %d solves in %d rounds", i, solves, st.Rounds)
		}
		if f, _ := g.world().Force(); f.Len() > 0 {
			forces++
		}
	}
	if forces < 15 {
		t.Errorf("%d steps with a force: the test does not bite", forces)
	}
}

// The contacts that a hand may close within its next milliseconds are in the
// model that it feels.
func TestTheModelKnowsWhatMayClose(t *testing.T) {
	w := probedWorld(t)
	rng := rand.New(rand.NewPCG(3, 4))
	start := w.StartPose()
	near := 0
	for i := range 120 {
		d := mgl64.Vec3{0.002 * rng.Float64(), -0.0002 - 3e-5*float64(i), 0.002 * rng.Float64()}
		w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
		var m local.Model
		local.Make(&m, 256)
		w.Model(&m)
		if m.N != w.posed.problem.N {
			t.Fatalf("step %d: %d of %d contacts in the model", i, m.N, w.posed.problem.N)
		}
		in := map[int32]bool{}
		for _, k := range w.Solved() {
			in[k] = true
		}
		for k := range w.contacts {
			if gap := w.x[3*k]; gap < 0.4*marginShare*w.params.DDCTolerance {
				if near++; !in[int32(k)] {
					t.Errorf("step %d: contact %d with a gap of %g m is not in the model", i, k, gap)
				}
			}
		}
	}
	if near < 100 {
		t.Errorf("%d near contacts", near)
	}
}
