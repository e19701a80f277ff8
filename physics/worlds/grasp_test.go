package worlds

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
)

// highest is the highest place of what is no tool in a frame, a little off its middle.
func highest(info *physics.Info, f *physics.Frame) (at mgl64.Vec3) {
	at[1] = math.Inf(-1)
	look := func(x mgl64.Vec3) {
		if x[1] > at[1] {
			at = x
		}
	}
	for i := range f.Surfaces {
		if !info.Surfaces[i].Driven && !info.Surfaces[i].Second && !info.Surfaces[i].Rigid {
			for n, x := range f.Surfaces[i].Vertices {
				if fixed := info.Surfaces[i].Fixed; len(fixed) == 0 || !fixed[n] {
					look(x)
				}
			}
		}
	}
	for i := range f.Instances {
		for _, x := range info.Shapes[f.Instances[i].Shape].Vertices {
			look(f.Instances[i].Pose.Point(x))
		}
	}
	for i := range f.Points {
		p := &f.Points[i]
		look(mgl64.Vec3{float64(p.Position[0]), float64(p.Position[1]) + float64(p.Radius), float64(p.Position[2])})
	}
	return at
}

// aFloe is a place just beside the first of ice-billiard's triangle: a pointer that is the tool is on none.
func aFloe(*physics.Info, *physics.Frame) mgl64.Vec3 { return mgl64.Vec3{0.0285, 0.01, 0} }

// In every kind of world a grasp begins without a force but for what it takes to stop what moves, draws what is held after the stylus, which
// feels that force and no other, in the step and in the model of the hand, and ends when it is let go and when the world
// is put back. Steps with it allocate nothing.
func TestGraspOfEveryKind(t *testing.T) {
	if testkit.Race {
		t.Skip("it allocates, and takes long")
	}
	for _, c := range []struct {
		scene string
		long  bool
		steps int // of the way
		way   mgl64.Vec3
		comes float64 // share of the way that what is held comes, at least
		at    func(*physics.Info, *physics.Frame) mgl64.Vec3
	}{
		{"block-linear", false, 40, mgl64.Vec3{2e-3, 10e-3, 0}, 0.3, highest},
		{"block-neo-hookean", false, 60, mgl64.Vec3{2e-3, 10e-3, 0}, 0.3, highest},
		{"dominoes", false, 300, mgl64.Vec3{0, 0.1, 0}, 0.5, highest},
		{"ice-billiard", false, 300, mgl64.Vec3{0.02, 0, 0}, 0.3, aFloe},
		{"packing", false, 200, mgl64.Vec3{0, 0.02, 0}, 0.3, highest},
		{"swing", true, 400, mgl64.Vec3{0, 0, 0.02}, 0.2, highest},
		{"two-hands", true, 300, mgl64.Vec3{0, 0.1, 0}, 0.5, highest},
		{"sandbox", true, 200, mgl64.Vec3{0, 0.03, 0}, 0.3, highest},
		{"liver", true, 60, mgl64.Vec3{0, 10e-3, 0}, 0.2, highest},
		{"liver-linear", true, 60, mgl64.Vec3{0, 10e-3, 0}, 0.2, highest},
	} {
		if c.long && testing.Short() {
			continue
		}
		t.Run(c.scene, func(t *testing.T) {
			s, err := physics.Load(c.scene)
			if err != nil {
				t.Fatal(err)
			}
			w, _, err := physics.OpenScene(t.Context(), s, physics.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			info, dt := w.Info(), 0.0
			if timed, ok := w.(physics.Timed); ok && info.Advances {
				dt = max(2e-3, timed.OwnStep())
			}
			in := physics.Input{Target: info.Start, Hand: info.Start, Dt: dt}
			if info.Second != nil {
				in.Second = *info.Second
			}
			var f physics.Frame
			var m local.Model
			local.Make(&m, 0)
			var r physics.Report
			var owed physics.Owed
			step := func() {
				in.Hand = in.Target
				r = owed.Step(w, in)
				w.Draw(&f)
				w.Local(&m)
			}
			for range 5 {
				step()
			}
			in.Grasp = physics.Grasp{Number: 7, At: c.at(info, &f)}
			step()
			if !f.Held.On || f.Held.At.Sub(in.Grasp.At).Len() > 0.02 {
				t.Fatalf("at %v is held: %+v", in.Grasp.At, f.Held)
			}
			begun, from := f.Held.Force.Len(), f.Held.At
			for range c.steps {
				in.Target.Position = in.Target.Position.Add(c.way.Mul(1 / float64(c.steps)))
				step()
			}
			for range c.steps / 2 {
				step()
			}
			came := f.Held.At.Sub(from).Dot(c.way) / c.way.LenSqr()
			t.Logf("force %.3g at first, then %v; it came %.2f of the way", begun, f.Held.Force, came)
			if pulled := f.Held.Force.Len(); !(pulled > 0) || begun > 0.5*pulled || !(came > c.comes && came < 1.2) {
				t.Errorf("%.3g N at first, then %.3g N; it came %.2f of the way", begun, pulled, came)
			}
			felt, _ := m.Resultant(m.R)
			size := f.Held.Force.Len()
			if d := r.Force.Add(f.Held.Force).Len(); d > 0.15*size || f.Force.Sub(r.Force).Len() > 1e-9*size {
				t.Errorf("the stylus gets %v, in the frame %v, the body %v", r.Force, f.Force, f.Held.Force)
			}
			if d := felt.Sub(r.Force).Len(); d > 0.15*size {
				t.Errorf("the model of the hand says %v, the step %v", felt, r.Force)
			}
			most := 0.0
			if c.scene == "swing" { // its steps begin a new tangent on the second thread each
				most = 4
			}
			if n := testing.AllocsPerRun(5, step); n > most {
				t.Errorf("%g allocations a step", n)
			}
			in.Grasp.Number, from = 0, f.Held.At
			for range 3 {
				step()
			}
			if f.Held.On || r.Force.Len() > 1e-3*size {
				t.Errorf("let go, %+v; the stylus gets %v", f.Held, r.Force)
			}
			in.Grasp = physics.Grasp{Number: 8, At: from}
			step()
			if !f.Held.On {
				t.Error("nothing is held the second time")
			}
			w.Reset()
			step()
			if f.Held.On {
				t.Error("what was put back is held")
			}
		})
	}
}
