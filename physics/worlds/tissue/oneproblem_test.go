package tissue_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
	"hapco/physics/measure/bench/probing"
	"hapco/physics/numerics/contact"
	"hapco/physics/worlds/tissue"
)

// witness is a solver that keeps what it was given, and what it said.
type witness struct {
	contact.Solver
	given contact.Problem
	said  []float64
}

var lastWitness *witness

func init() {
	d := contact.Describe("auto")
	d.Name = "test-witness"
	contact.Register(d, func() contact.Solver {
		s, err := contact.New("auto")
		if err != nil {
			panic(err)
		}
		lastWitness = &witness{Solver: s}
		return lastWitness
	})
}

func (s *witness) Solve(p *contact.Problem, r []float64, opt *contact.Options) contact.Result {
	s.given = contact.Problem{N: p.N, W: append(s.given.W[:0], p.W...), Q: append(s.given.Q[:0], p.Q...), Mu: append(s.given.Mu[:0], p.Mu...)}
	res := s.Solver.Solve(p, r, opt)
	s.said = append(s.said[:0], r...)
	return res
}

// once follows a world and looks whether its steps are of one problem.
type once struct {
	t        *testing.T
	w        *tissue.World
	again    contact.Solver
	model    local.Model
	snapshot tissue.Snapshot
	friction []float64 // as the user set it, of all pairs and of single ones

	loaded, sunk, several, answers int // steps: with forces, of tools that have sunk in, that are solved to other forces, whose model is
}

func newOnce(t *testing.T, w *tissue.World) *once {
	t.Helper()
	p := w.Params()
	p.Solver = "test-witness"
	p.Bodies = slices.Clone(p.Bodies)
	if err := w.SetParams(p); err != nil {
		t.Fatal(err)
	}
	s, err := contact.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	o := &once{t: t, w: w, again: s, friction: []float64{p.Friction}}
	for i := range w.Scene().Pairs {
		o.friction = append(o.friction, w.Scene().Pairs[i].Friction)
	}
	local.Make(&o.model, 1024)
	return o
}

// look is called after each step.
func (o *once) look(what string, step int) {
	o.t.Helper()
	p, r := o.w.Problem()
	given := &lastWitness.given
	if p.N != given.N || !slices.Equal(p.W, given.W) || !slices.Equal(p.Q, given.Q) || !slices.Equal(p.Mu, given.Mu) {
		o.t.Fatalf("%s, step %d: the problem is not the one that was solved last", what, step)
	}
	force, _ := o.w.Force()
	st := o.w.Stats()
	if st.Late { // a facet would have turned over
		return
	}
	if !slices.Equal(r, lastWitness.said) {
		o.t.Fatalf("%s, step %d: the forces are not those that were found", what, step)
	}
	if st.Stick+st.Slip == 0 || !st.Solve.Converged {
		return
	}
	o.loaded++
	if st.Penetration > 1e-5 {
		o.sunk++
	}
	tolerance := o.w.Params().Tolerance
	// shown: both laws, with the user's friction
	o.w.Snapshot(&o.snapshot)
	for i := range o.snapshot.Contacts {
		c := &o.snapshot.Contacts[i]
		if !slices.Contains(o.friction, c.Mu) {
			o.t.Fatalf("%s, step %d: a contact's friction is %g, the user's %g", what, step, c.Mu, o.friction)
		}
		if rt := math.Hypot(c.R[1], c.R[2]); rt > c.Mu*c.R[0]*(1+1e-9) || c.R[0] < 0 {
			o.t.Fatalf("%s, step %d: a force of %v outside the cone", what, step, c.R)
		}
	}
	for a, i := range o.w.Solved() {
		if int(i) < len(o.snapshot.Contacts) && [3]float64(r[3*a:3*a+3]) != o.snapshot.Contacts[i].R {
			o.t.Fatalf("%s, step %d: other forces are shown", what, step)
		}
	}
	// solved again, by a solver that knows nothing
	if e := o.solve(p, r, tolerance); e > 0.01 {
		o.several++
	}
	// felt
	m := &o.model
	o.w.Model(m)
	felt := &contact.Problem{N: m.N, W: m.W, Q: m.Free, Mu: m.Mu}
	x := make([]float64, 3*m.N)
	felt.Displacements(x, m.R)
	if got, _ := m.Resultant(m.R); got.Sub(force).Len() > 1e-9*o.w.RNorm() {
		o.t.Fatalf("%s, step %d: the model's force is %v N, the step's %v", what, step, got, force)
	}
	if e := felt.Errors(m.R, x); !(e.Scaled <= 20*max(tolerance, st.Solve.ScaledError)) {
		o.t.Fatalf("%s, step %d: the forces of the hand's model are off by %g", what, step, e.Scaled)
	}
	other := make([]float64, 3*m.N)
	o.again.Solve(felt, other, tight())
	if got, _ := m.Resultant(other); got.Sub(force).Len() > 0.01*max(force.Len(), 0.01*o.w.RNorm()) {
		o.answers++
	}
}

func tight() *contact.Options {
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion = 1e-9, contact.Scaled
	return &opt
}

// solve finds other forces for the problem, and how far they are from r: the energy of
// the difference over that of r, and its root.
func (o *once) solve(p *contact.Problem, r []float64, tolerance float64) float64 {
	other := make([]float64, len(r))
	o.again.Solve(p, other, tight())
	n := 3 * p.N
	d, w := 0.0, 0.0
	for i := range n {
		row := p.W[i*n : (i+1)*n]
		wr, wd := 0.0, 0.0
		for k, x := range row {
			wr += x * r[k]
			wd += x * (r[k] - other[k])
		}
		w += r[i] * wr
		d += (r[i] - other[i]) * wd
	}
	return math.Sqrt(max(0, d) / w)
}

// What the solver was given is what is published, and its forces are those that are shown
// and felt: in every step of a hostile hand, on every kind of linear scene.
func TestWhatIsSolvedIsDumpedShownAndFelt(t *testing.T) {
	if testkit.Race {
		t.Skip("one goroutine, many steps")
	}
	for _, c := range []struct {
		scene    string
		gestures uint64
		short    bool
	}{
		{"block-linear", 6, true}, {"liver-linear", 6, false}, {"organs-linear", 6, false}, {"loop-linear", 4, false},
		{"liver-stomach-linear", 4, false}, {"spatula", 4, false}, {"bench-a-16", 3, false}, {"bench-b-66", 2, false},
	} {
		if testing.Short() && !c.short {
			continue
		}
		t.Run(c.scene, func(t *testing.T) {
			s, err := scene.Load(c.scene)
			if err != nil {
				t.Fatal(err)
			}
			var b tissue.Builder
			a, err := probing.NewArena(context.Background(), s, b)
			if err != nil {
				t.Fatal(err)
			}
			steps, sum := 0, once{}
			for k := range c.gestures {
				if testing.Short() && k > 0 {
					break
				}
				g := a.Gesture(3400, k)
				s, err := scene.Load(c.scene)
				if err != nil {
					t.Fatal(err)
				}
				for _, set := range a.Settings(&g) {
					if err := scene.Set(s, set); err != nil {
						t.Fatal(err)
					}
				}
				w, _, err := b.New(context.Background(), s, nil)
				if err != nil {
					t.Fatal(err)
				}
				o := newOnce(t, w)
				w.Hang(physics.Coupling{Stiffness: 400, Angle: 1, Limit: 3.465}) // no effect on a bench
				start := w.StartPose()
				rows, _ := a.Rows(&g)
				for i, d := range rows {
					target := frame.Pose{Position: start.Position.Add(mgl64.Vec3(d)), Rotation: start.Rotation}
					for n := 0; n < 100 && !w.Step(target); n++ {
						o.look(g.String(), i)
						steps++
					}
					o.look(g.String(), i)
					steps++
				}
				sum.loaded += o.loaded
				sum.sunk += o.sunk
				sum.several += o.several
				sum.answers += o.answers
			}
			t.Logf("%d steps, %d with forces, %d sunk in, %d solved to other forces, %d felt so", steps, sum.loaded, sum.sunk, sum.several, sum.answers)
			if sum.loaded == 0 || sum.several+sum.answers > sum.loaded/100 { // with much friction there may be several solutions
				t.Errorf("of %d steps %d are solved to other forces, and %d felt so", sum.loaded, sum.several, sum.answers)
			}
		})
	}
}
