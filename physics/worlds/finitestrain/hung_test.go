package finitestrain

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
)

// touchSpring is the coupling of a device of 3.3 N at most, for a tool of a lever in m.
func touchSpring(lever float64) physics.Coupling {
	return physics.Coupling{Stiffness: 400, Angle: 400 * lever * lever, Limit: 1.05 * 3.3}
}

// Nearly all steps come to equilibrium by two corrections with a tangent that is four steps old, and the tool stays at
// the spring's stretch from the hand.
func TestHungSettles(t *testing.T) {
	testkit.Slow(t)
	for _, law := range []string{"corotational", "neo-hookean"} {
		l := liveBody(t, 14, law, func(o *LiveOptions) { o.Lag, o.Corrections = 4, 2 })
		const radius, h = 0.02, 1. / 150
		hand := hostile(3)
		at := hand(0)
		at[2] = math.Max(at[2], 0.101+radius)
		l.Put(frame.At(at))
		steps, settled, reached := 0, 0, 0
		var lags []float64
		for s := h; s < 0.6; s += h {
			r := l.Step(frame.At(hand(s)), touchSpring(radius))
			if steps++; r.Settled {
				settled++
			}
			if r.Reached {
				reached++
			}
			lags = append(lags, hand(s).Sub(l.tool.at.Position).Len())
		}
		share := float64(reached) / float64(steps)
		t.Logf("%s: %d steps, %d settled, %.0f %% reached; the tool is %.1f mm from the hand in the median, %.1f at the 95th percentile", law, steps, settled, 100*share, 1e3*quantile(lags, 0.5), 1e3*quantile(lags, 0.95))
		if share < 0.9 {
			t.Errorf("%s: %.0f %% of the steps come to equilibrium with the hand by two corrections, want 90", law, 100*share)
		}
		if far := quantile(lags, 0.95); far > 0.006 {
			t.Errorf("%s: the tool is %.1f mm behind the hand", law, 1e3*far)
		}
		l.Close()
	}
}

// springForce is that of the hand's spring on the tool that is shown, at the scene's E, N.
func (w *world) springForce(c physics.Coupling, hand frame.Pose) mgl64.Vec3 {
	e := hand.Position.Sub(w.shown.tool.Position)
	k := c.Stiffness
	if far := e.Len(); k*far > c.Limit {
		k = c.Limit / far
	}
	return e.Mul(k)
}

// hostileSteps lets a hostile hand at a scene, and looks at each step.
func (w *world) hostileSteps(c physics.Coupling, seconds float64, each func(hand frame.Pose, r *physics.Report)) {
	way := hostile(5)
	for s := 0.0; s < seconds; s += 1. / 150 {
		p := way(s)
		hand := frame.Pose{Position: mgl64.Vec3{p[0], p[2] + 0.01, p[1]}, Rotation: mgl64.QuatRotate(0.6*math.Sin(9*s), mgl64.Vec3{0.6, 0, 0.8})}
		if s == 0 {
			hand = w.info.Start
		}
		r := w.Step(physics.Input{Target: hand, Hand: hand, Coupling: c})
		each(hand, &r)
	}
}

// What the tool meets is what the hand's spring gives, no more than it can, whatever the hand does; each contact is in
// its cone at the mu that is set, in every step; where nothing is near the tool is where the hand is; and at the end all
// is at rest.
func TestHungForceIsTheSprings(t *testing.T) {
	w := openWorld(t, "x.toml", block(t)+"kind = \"capsule\"\nlength = 0.04\n", "friction=0.3")
	c := touchSpring(w.info.Lever)
	c.Limit = 0.7
	pressed, full, turned, reached, steps := 0, 0, 0, 0, 0
	check := func(hand frame.Pose, r *physics.Report) {
		f, spring := r.Force.Mul(-1), w.springForce(c, hand)
		steps++
		// but for what the tool misses to equilibrium, where a step has not come to one
		if most := c.Limit*(1+w.now.Tolerance*3) + w.stiffer()*w.engine.misses().size(); f.Len() > most {
			t.Fatalf("step %d: %g N, and the spring bears %g", w.steps.count, f.Len(), c.Limit)
		}
		if r.Reached {
			reached++
			if off := f.Sub(spring).Len(); off > w.now.Tolerance*w.steps.last.Pressed*w.stiffer()*1.001+1e-9 {
				t.Fatalf("step %d: the tool meets %v N and its spring has %v", w.steps.count, f, spring)
			}
		}
		if f.Len() > 0.1 {
			pressed++
			if spring.Len() > 0.999*c.Limit {
				full++
			}
			if w.shown.tool.Rotation.Dot(hand.Rotation) < 1-1e-9 {
				turned++
			}
		}
		for i := range w.engine.Shown.constraints {
			row := &w.engine.Shown.constraints[i]
			if n, t1 := row.pressing(); n < 0 || t1 > w.now.Friction*n*(1+1e-6) {
				t.Fatalf("step %d: a contact bears %g and %g N at mu %g", w.steps.count, n, t1, w.now.Friction)
			}
		}
		if least, _ := w.engine.body.MinJ(w.engine.Shown.X); !(least > 0) {
			t.Fatalf("step %d: an element is turned over", w.steps.count)
		}
	}
	w.hostileSteps(c, 1.2, check)
	if pressed < 20 || full < 3 || turned < 10 || reached < steps/2 {
		t.Errorf("%d of %d steps press, %d with all that the spring has, %d turn the tool, %d come to equilibrium: this test shows little", pressed, steps, full, turned, reached)
	}
	free := w.info.Start
	free.Position[1] += 0.03
	for range 20 {
		w.Step(physics.Input{Hand: free, Coupling: c})
	}
	for i := range 5 { // in free air at 1.5 m/s
		free.Position[0] += 0.01
		free.Rotation = mgl64.QuatRotate(0.1*float64(i), mgl64.Vec3{0, 0, 1})
		if r := w.Step(physics.Input{Hand: free, Coupling: c}); w.shown.tool != free || r.Force != (mgl64.Vec3{}) || !r.Reached {
			t.Errorf("in free air the tool is at %v and the hand at %v; %v N", w.shown.tool, free, r.Force)
		}
	}
	if far := longest(triples(displacements(w.engine.body, w.engine.Shown.X))); far > 1e-9 {
		t.Errorf("at the end a node is %g m from rest", far)
	}
}

// Where the hand holds still, near the body or pressed into it, steps come to cost nothing; whatever changes then is felt
// in the next one.
func TestRestCostsNothing(t *testing.T) {
	for _, down := range []float64{-1e-3, 6e-3} {
		w := openWorld(t, "x.toml", block(t))
		c, hand := touchSpring(w.info.Lever), w.info.Start
		step := func() {
			w.Step(physics.Input{Target: hand, Hand: hand, Coupling: c})
		}
		set := func(name string, x float64) {
			keys := w.Keys()
			if err := keys[physics.Place(keys, name)].Set(x); err != nil {
				t.Fatal(err)
			}
		}
		hand.Position[1] -= down
		rest := func(what string) {
			t.Helper()
			for l, i := w.engine, 0; !l.rest.resting || l.tangents.working || !l.tangents.newest; i++ {
				if step(); i == 400 {
					t.Fatalf("%g mm down, %s: no rest in 400 steps: %+v", 1e3*down, what, w.steps.last)
				}
			}
			before, shown := w.felt.force, slices.Clone(w.engine.Shown.X)
			if step(); w.steps.last.Corrections != 0 || w.steps.last.Shows || !w.steps.last.Reached || w.felt.force != before || !slices.Equal(shown, w.engine.Shown.X) {
				t.Errorf("%g mm down, %s: a step at rest: %+v", 1e3*down, what, w.steps.last)
			}
		}
		rest("held still")
		kept := slices.Clone(w.felt.model.W)
		w.engine.Wake()
		step()
		for i, x := range w.felt.model.W {
			if len(kept) != len(w.felt.model.W) || math.Abs(x-kept[i]) > 0.02*w.felt.model.W[0] {
				t.Fatalf("%g mm down: at rest the hand's model yields %v m/N, in a step %v", 1e3*down, kept, w.felt.model.W)
			}
		}
		for _, change := range []struct {
			what string
			do   func()
		}{
			{"the hand", func() { hand.Position[0] += 1e-5 }},
			{"the spring", func() { c.Stiffness *= 1.1 }},
			{"E", func() { set("body.E", 6000) }},
			{"gravity", func() { set("gravity", 9.81) }},
			{"friction", func() { set("friction", 0.01) }},
		} {
			change.do()
			if step(); !w.steps.last.Shows {
				t.Errorf("%g mm down: %s has changed, and nothing is done", 1e3*down, change.what)
			}
			rest(change.what)
		}
		if w.engine.rest.invalid != 0 {
			t.Errorf("%g mm down: %d states at rest are not valid", 1e3*down, w.engine.rest.invalid)
		}
		hand.Position[0] += 1e-5
		step()
		rest("moved")
		w.engine.rest.validated, w.engine.Shown.X[0] = false, math.NaN()
		step()
		step()
		if w.engine.rest.invalid != 1 {
			t.Errorf("%g mm down: a state that is no number is counted %d times, want once", 1e3*down, w.engine.rest.invalid)
		}
	}
}

// What is recorded of a step makes it again to the last bit: the hand, and its spring.
func TestHungStepsRepeat(t *testing.T) {
	var last []float64
	for range 2 {
		w := openWorld(t, "x.toml", block(t))
		w.hostileSteps(touchSpring(w.info.Lever), 0.6, func(frame.Pose, *physics.Report) {})
		if last != nil && !slices.Equal(last, w.engine.Shown.X) {
			t.Error("the second time is not like the first")
		}
		last = slices.Clone(w.engine.Shown.X)
	}
}

// A tool that is told where to be after it has hung on the hand gets there, and feels what it would have felt.
func TestHungToolIsToldWhereToBe(t *testing.T) {
	w, plain := openWorld(t, "x.toml", block(t), "friction=0"), openWorld(t, "x.toml", block(t), "friction=0")
	c := touchSpring(w.info.Lever)
	hand := w.info.Start
	for range 40 {
		hand.Position[1] -= 2.5e-4
		w.Step(physics.Input{Hand: hand, Coupling: c})
	}
	if w.shown.tool == hand || w.felt.force[1] < 0.1 {
		t.Fatalf("the tool is at %v and feels %v N", w.shown.tool, w.felt.force)
	}
	got, want := w.reach(t, hand), plain.reach(t, hand)
	// a point that touches is one of the tissue, and stays until the surface comes nearer beside it by 0.3 of its gap: so
	// far its normal may be from that of the nearest point
	turned := math.Sqrt(2 * 0.3 * layerThick * w.engine.Options.Reach / 0.02)
	if off := got.Force.Sub(want.Force).Len(); off > turned*want.Force.Len() {
		t.Errorf("%v N, and %v where it never hung", got.Force, want.Force)
	}
	for range 3 {
		w.Step(physics.Input{Hand: hand, Coupling: c})
	}
	if off := w.felt.force.Sub(w.springForce(c, hand).Mul(-1)).Len(); off > 0.02*w.felt.force.Len() {
		t.Errorf("hung again it feels %v N off its spring's", off)
	}
}

// A grip holds tissue to a tool that hangs on the hand, lets go at its strength, and a step allocates nothing.
func TestHungGrip(t *testing.T) {
	const strength = 0.3
	w := openWorld(t, "x.toml", block(t), "grip.strength=0.3")
	c := touchSpring(w.info.Lever)
	w.put(t, "grip.closed", 1)
	hand, most := w.info.Start, 0.0
	move := func(by float64) {
		hand.Position[1] += by
		w.Step(physics.Input{Hand: hand, Coupling: c})
	}
	for range 30 {
		move(-4e-4)
	}
	gripped, _ := w.engine.Gripped()
	w.engine.Options.Refresh = false // to begin a tangent allocates
	i := 0
	if n := testing.AllocsPerRun(40, func() { i++; move(1e-5 * float64(1-2*(i%2))) }); n > 0 {
		t.Errorf("a step allocates %g times", n)
	}
	w.engine.Options.Refresh = true
	for range 100 {
		move(4e-4)
		most = math.Max(most, -w.felt.force[1])
	}
	if now, lost := w.engine.Gripped(); gripped < 1 || now != 0 || lost != gripped || most > 1.001*strength || most < strength/4 {
		t.Errorf("%d places gripped, %d came off and %d did not, at up to %g N, strength %g N", gripped, lost, now, most, strength)
	}
	if far := longest(triples(displacements(w.engine.body, w.engine.Shown.X))); w.felt.force != (mgl64.Vec3{}) || w.shown.tool != hand || far > 1e-9 {
		t.Errorf("the tool feels %v N and the block is %g m from rest", w.felt.force, far)
	}
}

// A correction knows where a ball rolls to: its contacts bear what their layers do there, and the tool is in balance with
// them, as far as the body's own law is linear.
func TestContactsAreWhereTheToolRolls(t *testing.T) {
	const radius = 0.02
	l := liveBody(t, 7, "corotational", func(o *LiveOptions) { o.Refresh, o.Patch, o.Friction = false, 0, 1 })
	defer l.Close()
	spring := touchSpring(radius)
	spring.Angle /= 10 // friction turns the ball
	hand := mgl64.Vec3{0.05, 0.05, 0.121}
	l.Put(frame.At(hand))
	for range 40 {
		if hand[2] > 0.115 {
			hand[2] -= 1e-3
		}
		l.Step(frame.At(hand), spring)
	}
	hand[0] += 1e-3
	l.Options.Corrections = 1
	before := l.tool.at
	r := l.Step(frame.At(hand), spring)
	if way := l.tool.from(before); r.Contacts < 4 || way.part(0).Len() < 3e-4 || way.part(1).Len() < 3e-4 {
		t.Fatalf("%d contacts, the tool goes %v: the test shows little", r.Contacts, way)
	}
	for i := range l.constraints {
		if c := &l.constraints[i]; c.force != (mgl64.Vec3{}) {
			if off := c.gap + c.soft*c.force.Dot(c.frame[0]); math.Abs(off) > 3e-6 {
				t.Errorf("a layer bears %.3g N at %.1f um, which is off by %.1f", c.force.Len(), 1e6*c.gap, 1e6*off)
			}
		}
	}
	if off := l.misses().size(); off > 0.005*r.Pressed {
		t.Errorf("the tool misses %.2g N of %.2g", off, r.Pressed)
	}
}
