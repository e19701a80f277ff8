package finitestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

func (w *world) put(t *testing.T, name string, x float64) {
	t.Helper()
	keys := w.Keys()
	i := physics.Place(keys, name)
	if i < 0 {
		t.Fatalf("there is no key %s", name)
	}
	if err := keys[i].Set(x); err != nil {
		t.Fatal(err)
	}
}

// wander goes to a place in small steps, and looks at every one that is shown.
func (w *world) wander(t *testing.T, to mgl64.Vec3, look func(r physics.Report)) {
	t.Helper()
	from := w.shown.tool.Position
	n := int(math.Ceil(to.Sub(from).Len() / 5e-4))
	for i := range n {
		r := w.reach(t, frame.At(from.Add(to.Sub(from).Mul(float64(i+1)/float64(n)))))
		if look != nil {
			look(r)
		}
	}
}

// A grip pulls the body along, is felt with its own force by the hand, too, and lets all
// go when it is opened.
func TestGripPulls(t *testing.T) {
	for _, law := range laws[:2] {
		w := openWorld(t, "x.toml", block(t), "body.law="+law, "grip.strength=50")
		start := w.info.Start.Position
		w.wander(t, start.Add(mgl64.Vec3{0, -0.012, 0}), nil)
		pressed := w.felt.force[1]
		w.put(t, "grip.closed", 1)
		most := 0.0
		var m local.Model
		local.Make(&m, 0)
		w.wander(t, start.Add(mgl64.Vec3{0, 0.008, 0}), func(r physics.Report) {
			most = math.Min(most, r.Force[1])
			w.Local(&m)
			if felt, turn := m.Resultant(m.R); felt.Sub(r.Force).Len() > 1e-9 || turn.Sub(r.Torque).Len() > 1e-9 {
				t.Fatalf("the hand feels %v N and %v N m, the step has %v and %v", felt, turn, r.Force, r.Torque)
			}
		})
		gripped, lost := w.engine.Gripped()
		if gripped < 1 || lost > 0 || !(pressed > 0.02) || !(w.felt.force[1] < -0.1) {
			t.Fatalf("%s: pressed %g N; pulled by 9 mm: %v N by %d nodes, %d came off", law, pressed, w.felt.force, gripped, lost)
		}
		var f physics.Frame
		f.Want.Field = 1
		w.Draw(&f)
		sum := mgl64.Vec3{}
		for i := range f.Contacts {
			sum = sum.Add(f.Contacts[i].Force)
		}
		if sum.Sub(f.Force).Len() > 1e-9 || f.Numbers[w.info.Number("gripped")] != float64(gripped) {
			t.Errorf("the contacts that are shown sum up to %v N of %v, %g gripped", sum, f.Force, f.Numbers[w.info.Number("gripped")])
		}
		// to the side: what is gripped goes along
		w.wander(t, start.Add(mgl64.Vec3{0.01, 0.008, 0}), nil)
		if !(w.felt.force[0] < -0.05) {
			t.Errorf("%s: dragged to +x the tool feels %v N", law, w.felt.force)
		}
		// pressed flat under a closed grip, and up again
		w.wander(t, start.Add(mgl64.Vec3{0, -0.016, 0}), nil)
		if !(w.felt.force[1] > 0.1) {
			t.Errorf("%s: pressed with a closed grip the tool feels %v N", law, w.felt.force)
		}
		w.put(t, "grip.closed", 0)
		w.wander(t, start, nil)
		r := w.reach(t, w.info.Start)
		for range 20 {
			r = w.Step(physics.Input{Target: w.info.Start})
		}
		if far := longest(triples(displacements(w.engine.body, w.engine.Shown.X))); r.Force != (mgl64.Vec3{}) || far > 1e-6 {
			t.Errorf("%s: let go, the tool feels %v N and the block is %g m from rest", law, r.Force, far)
		}
	}
}

// A grip lets go near its strength, all comes to rest while it is still closed, and it
// grips again once it has been opened.
func TestGripLetsGo(t *testing.T) {
	const strength = 0.3
	w := openWorld(t, "x.toml", block(t), "grip.strength=0.3")
	start := w.info.Start.Position
	for range 2 {
		w.put(t, "grip.closed", 1)
		w.wander(t, start.Add(mgl64.Vec3{0, -0.012, 0}), nil)
		gripped, _ := w.engine.Gripped()
		most := 0.0
		w.wander(t, start.Add(mgl64.Vec3{0, 0.04, 0}), func(r physics.Report) { most = math.Max(most, -r.Force[1]) })
		now, lost := w.engine.Gripped()
		if gripped < 1 || now != 0 || lost != gripped || most > strength*1.001 || most < strength/4 {
			t.Fatalf("%d nodes gripped, %d of them came off and %d did not, at up to %g N, strength %g N", gripped, lost, now, most, strength)
		}
		for range 20 {
			w.Step(physics.Input{Target: w.shown.tool})
		}
		if far := longest(triples(displacements(w.engine.body, w.engine.Shown.X))); w.felt.force != (mgl64.Vec3{}) || far > 1e-6 {
			t.Errorf("the tool feels %v N and the block is %g m from rest", w.felt.force, far)
		}
		w.wander(t, start.Add(mgl64.Vec3{0, -0.012, 0}), nil)
		if again, _ := w.engine.Gripped(); again != 0 {
			t.Errorf("%d nodes gripped before the grip was opened", again)
		}
		w.put(t, "grip.closed", 0)
		w.wander(t, start, nil)
	}
}
