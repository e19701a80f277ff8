package tissue_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
	"hapco/physics/worlds/tissue"
)

// slab is a soft block held at its base under a rigid ball-tipped probe.
const slab = `
title = "slab"
about = "a rigid probe on a soft slab"
friction = 0.4

[units]
length = "mm"
pressure = "kPa"

[[body]]
name = "probe"
role = "driven"
rigid = true
position = [0, 25.2, 0]
[body.tool]
kind = "probe"
radius = 5
length = 60

[[body]]
name = "slab"
role = "fixed"
E = 20
nu = 0.4
clamp = "bottom"
[body.box]
origin = [-40, 0, -40]
size = [80, 20, 80]
elements = [12, 3, 12]

[contact]
tolerance = 1e-6
ddc_tolerance = 2
anchored = true
normals = "smooth"
`

func parseWorld(t testing.TB, text string, set ...string) *tissue.World {
	t.Helper()
	s, err := scene.Parse("test.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, assignment := range set {
		if err := scene.Set(s, assignment); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := tissue.New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// drive moves the stylus to its start plus d, in mm, and fails if it does not get there.
func drive(t testing.TB, w *tissue.World, dx, dy, dz float64) {
	t.Helper()
	target := frame.Pose{
		Position: w.StartPose().Position.Add(mgl64.Vec3{dx, dy, dz}.Mul(1e-3)),
		Rotation: w.StartPose().Rotation,
	}
	for range 10000 {
		if w.Step(target) {
			return
		}
	}
	t.Fatalf("the stylus does not reach %v", target.Position)
}

func TestLawsUnderTheProbe(t *testing.T) {
	w := parseWorld(t, slab)
	for i := range 12 {
		drive(t, w, 0.5*float64(i), -2-0.5*float64(i), 0.3*float64(i))
		var s tissue.Snapshot
		w.Snapshot(&s)
		var sum mgl64.Vec3
		largest := 0.0
		for _, c := range s.Contacts {
			largest = max(largest, c.R[0])
			sum = sum.Add(c.Force)
		}
		for _, c := range s.Contacts {
			if c.R[0] < 0 || math.Hypot(c.R[1], c.R[2]) > c.Mu*c.R[0]*(1+1e-12) {
				t.Fatalf("force %v leaves the cone", c.R)
			}
			if c.X[0] < -1e-6 {
				t.Fatalf("penetration of %g m", -c.X[0])
			}
			if c.R[0] > 1e-3*largest && c.X[0] > 1e-6 {
				t.Fatalf("r_n %g N acts over a gap of %g m", c.R[0], c.X[0])
			}
			if slip := c.R[1]*c.X[1] + c.R[2]*c.X[2]; slip > 1e-9*largest {
				t.Fatalf("friction does positive work %g J", slip)
			}
			// the frame is right-handed and orthonormal
			if d := c.N.Cross(c.T1).Sub(c.T2).Len() + math.Abs(c.N.Len()-1); d > 1e-12 {
				t.Fatalf("frame %v %v %v", c.N, c.T1, c.T2)
			}
		}
		if sum.Sub(s.Force).Len() > 1e-12*sum.Len() || s.Force[1] <= 0 {
			t.Fatalf("resultant %v, sum of contact forces %v", s.Force, sum)
		}
	}
}

// The geometry after a step must agree with what the solver was told: P - Q in
// the contact frame is x, for impactor and obstacle deformed.
func TestGeometryAgreesWithTheSolution(t *testing.T) {
	for name, w := range map[string]*tissue.World{
		"rigid probe": parseWorld(t, slab),
		"bench":       benchWorld(t, "A16", "tissue-tissue", "end", 0.3, 1e-8),
	} {
		for i := range 5 {
			drive(t, w, float64(i), -1-float64(i), 0)
			var s tissue.Snapshot
			w.Snapshot(&s)
			for _, c := range s.Contacts {
				if gap := c.P.Sub(c.Q).Dot(c.N); math.Abs(gap-c.X[0]) > 1e-12 {
					t.Fatalf("%s, step %d: gap of the shapes %g m, x_n %g m", name, i, gap, c.X[0])
				}
			}
		}
	}
}

// A resting, sticking contact must not creep although each solve stops at a
// loose tolerance: the tangential force stays as the contact is held.
func TestStickingContactDoesNotCreep(t *testing.T) {
	w := parseWorld(t, slab, "contact.tolerance=1e-3", "contact.solver=uzawa")
	drive(t, w, 0, -6, 0)
	drive(t, w, 0.3, -6, 0)
	hold := w.Pose()
	for range 50 {
		w.Step(hold)
	}
	before, _ := w.Force()
	for range 3000 {
		w.Step(hold)
	}
	after, _ := w.Force()
	if before[0] >= 0 {
		t.Fatalf("no friction to lose: %v N", before)
	}
	if d := after.Sub(before).Len() / before.Len(); d > 0.01 {
		t.Errorf("3000 steps at rest changed the force by %.2g %%: %v to %v N", 100*d, before, after)
	}
}

// Nothing passes through however fast the hand moves.
func TestFastStylusDoesNotTunnel(t *testing.T) {
	w := parseWorld(t, slab)
	target := w.StartPose()
	target.Position = target.Position.Add(mgl64.Vec3{0, -0.012, 0})
	steps := 0
	for !w.Step(target) {
		if steps++; steps > 1000 {
			t.Fatal("the stylus does not arrive")
		}
		if p := w.Stats().Penetration; p > 1e-4 {
			t.Fatalf("penetration of %g m on the way", p)
		}
	}
	force, _ := w.Force()
	slow := parseWorld(t, slab)
	for i := 1; i <= 48; i++ {
		drive(t, slow, 0, -0.25*float64(i), 0)
	}
	want, _ := slow.Force()
	if d := math.Abs(force[1]-want[1]) / want[1]; !(d < 0.05) {
		t.Errorf("force %g N after one jump, %g N after small steps", force[1], want[1])
	}
}

func TestHostilePosesChangeNothing(t *testing.T) {
	w, undisturbed := parseWorld(t, slab), parseWorld(t, slab)
	drive(t, w, 0, -4, 0)
	drive(t, undisturbed, 0, -4, 0)
	for _, p := range []frame.Pose{
		{Position: mgl64.Vec3{math.NaN(), 0, 0}, Rotation: mgl64.QuatIdent()},
		{Position: mgl64.Vec3{math.Inf(1), 0, 0}, Rotation: mgl64.QuatIdent()},
		{Position: w.Pose().Position, Rotation: mgl64.Quat{W: math.NaN()}},
		{Position: w.Pose().Position},
	} {
		if w.Step(p) {
			t.Errorf("%v was reached", p)
		}
		undisturbed.Step(undisturbed.Pose())
	}
	got, _ := w.Force()
	want, _ := undisturbed.Force()
	if got != want || !(want.Len() > 0) {
		t.Errorf("force %v N, without them %v", got, want)
	}
}

// Forces scale with E, statuses do not; and E acts at once. The tolerance is tight,
// as a contact on the brink of slipping may be said to stick or to slip, and only
// one that sticks keeps its point.
func TestForcesScaleWithYoung(t *testing.T) {
	soft, stiff := parseWorld(t, slab, "contact.tolerance=1e-8"), parseWorld(t, slab, "contact.tolerance=1e-8")
	p := stiff.DefaultParams()
	p.Bodies[1].Young *= 7
	if err := stiff.SetParams(p); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		drive(t, soft, 0.4*float64(i), -1-float64(i), 0)
		drive(t, stiff, 0.4*float64(i), -1-float64(i), 0)
		a, _ := soft.Force()
		b, _ := stiff.Force()
		if d := b.Sub(a.Mul(7)).Len() / b.Len(); d > 1e-3 {
			t.Errorf("step %d: %v N at E, %v N at 7 E", i, a, b)
		}
	}
}

// Turning the whole scene turns the forces: the global corotational frame of
// the driven body (1.8) and the contact frames favour no direction. Here the
// impactor alone is deformable and rotated by a full turn in steps.
func TestRigidRotationMakesNoForce(t *testing.T) {
	w := parseWorld(t, strings.Replace(slab, "rigid = true", "rigid = true", 1))
	start := w.StartPose()
	for i := range 36 {
		q := mgl64.QuatRotate(float64(i)*math.Pi/18, mgl64.Vec3{0, 1, 0})
		w.Step(frame.Pose{Position: start.Position.Add(mgl64.Vec3{0, 0.01, 0}), Rotation: q})
		if f, _ := w.Force(); f.Len() != 0 {
			t.Fatalf("force %v N in free space", f)
		}
	}
}

func TestResetForgetsEverything(t *testing.T) {
	w := parseWorld(t, slab)
	var first, again tissue.Snapshot
	w.Snapshot(&first)
	drive(t, w, 1, -5, 2)
	w.Reset()
	w.Snapshot(&again)
	for i := range first.Surfaces {
		for k, x := range first.Surfaces[i].Vertices {
			if again.Surfaces[i].Vertices[k] != x {
				t.Fatalf("body %d node %d is at %v, not %v", i, k, again.Surfaces[i].Vertices[k], x)
			}
		}
	}
	if len(again.Contacts) != 0 || again.Force.Len() != 0 {
		t.Errorf("contacts or force left after a reset: %d, %v", len(again.Contacts), again.Force)
	}
}

// Own weight: the slab sags, and by what the elastic column predicts.
func TestGravity(t *testing.T) {
	w := parseWorld(t, strings.Replace(slab, "nu = 0.4", "nu = 0\ndensity = 1000", 1), "gravity=[0,-9.81,0]")
	w.Step(w.StartPose())
	var s tissue.Snapshot
	w.Snapshot(&s)
	lowest := 0.0
	for _, x := range s.Surfaces[1].Vertices {
		if math.Abs(x[0]) < 1e-9 && math.Abs(x[2]) < 1e-9 {
			lowest = x[1]
		}
	}
	const h = 0.02
	want := h - 1000*9.81*h*h/(2*20e3) // column of height h under rho g
	if math.Abs(lowest-want) > 0.02*(h-want) {
		t.Errorf("top at %g m, want %g", lowest, want)
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	for name, w := range map[string]*tissue.World{
		"probe":      parseWorld(t, slab),
		"bench-a-36": benchWorld(t, "A36", "alu-tissue", "end", 0.3, 1e-4),
	} {
		start := w.StartPose()
		rng := rand.New(rand.NewPCG(1, 2))
		i := 0
		step := func() {
			i++
			d := mgl64.Vec3{0.002 * rng.Float64(), -0.004 - 0.002*rng.Float64(), 0.001 * rng.Float64()}
			w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
		}
		for range 300 {
			step()
		}
		if n := testing.AllocsPerRun(200, step); n != 0 {
			t.Errorf("%s: %g allocations a step", name, n)
		}
		var s tissue.Snapshot
		w.Snapshot(&s)
		if n := testing.AllocsPerRun(50, func() { w.Snapshot(&s) }); n != 0 {
			t.Errorf("%s: %g allocations a snapshot", name, n)
		}
	}
}

func TestUnknownSolverLeavesTheOldOne(t *testing.T) {
	w := parseWorld(t, slab)
	p := w.DefaultParams()
	p.Solver, p.Friction = "no such solver", 0.9
	if err := w.SetParams(p); err == nil {
		t.Fatal("an unknown solver was accepted")
	}
	if w.Params().Friction == 0.9 {
		t.Error("half of the parameters were applied")
	}
	drive(t, w, 0, -4, 0)
}

func BenchmarkStep(b *testing.B) {
	for _, pair := range []string{"alu-tissue", "tissue-tissue", "alu-rubber"} {
		for _, bench := range []string{"A16", "A36", "B66"} {
			b.Run(fmt.Sprintf("bench=%s/%s", bench, pair), func(b *testing.B) {
				w := benchWorld(b, bench, pair, "end", 0.3, 1e-4)
				start := w.StartPose()
				var sum tissue.Timing
				i := 0
				for b.Loop() {
					// press 5 mm, then to and fro in 0.1 mm steps
					s := 0.1e-3 * float64(i%200)
					if i/200%2 == 1 {
						s = 20e-3 - s
					}
					w.Step(frame.Pose{Position: start.Position.Add(mgl64.Vec3{s, -0.005, 0}), Rotation: start.Rotation})
					i++
					t := w.Stats().Timing
					sum.Collision += t.Collision
					sum.Free += t.Free
					sum.Assemble += t.Assemble
					sum.Contact += t.Contact
					sum.Displacement += t.Displacement
				}
				us := func(name string, ns int64) { b.ReportMetric(float64(ns)/1e3/float64(i), name) }
				us("collision-us", int64(sum.Collision))
				us("assemble-us", int64(sum.Assemble+sum.Free))
				us("contact-us", int64(sum.Contact))
				us("displace-us", int64(sum.Displacement))
			})
		}
	}
}

// BenchmarkLiver presses and drags the probe over the linear liver.
func BenchmarkLiver(b *testing.B) {
	s, err := scene.Load("liver-linear")
	if err != nil {
		b.Fatal(err)
	}
	w, _, err := tissue.New(context.Background(), s, nil)
	if err != nil {
		b.Fatal(err)
	}
	offsets := s.Path("sliding").Offsets()
	start := w.StartPose()
	var sum tissue.Timing
	contacts, i := 0, 0
	for b.Loop() {
		// forth and back along the path, ten increments to a step of it
		n := i % (20 * (len(offsets) - 1))
		if n >= 10*(len(offsets)-1) {
			n = 20*(len(offsets)-1) - 1 - n
		}
		s := float64(n%10) / 10
		d := offsets[n/10].Mul(1 - s).Add(offsets[n/10+1].Mul(s))
		w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
		i++
		st := w.Stats()
		contacts += st.Stick + st.Slip
		sum.Collision += st.Timing.Collision
		sum.Assemble += st.Timing.Assemble
		sum.Contact += st.Timing.Contact
		sum.Displacement += st.Timing.Displacement
	}
	us := func(name string, ns int64) { b.ReportMetric(float64(ns)/1e3/float64(i), name) }
	us("collision-us", int64(sum.Collision))
	us("assemble-us", int64(sum.Assemble))
	us("contact-us", int64(sum.Contact))
	us("displace-us", int64(sum.Displacement))
	b.ReportMetric(float64(contacts)/float64(i), "loaded")
}
