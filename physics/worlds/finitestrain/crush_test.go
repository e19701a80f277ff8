package finitestrain

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/numerics/fem/equilibrium"
)

// A ball that is pushed into tissue beside its clamp, and deep into it elsewhere, is never
// felt with more than the tissue bears and than the step before, or a little more on its way
// out, and comes out again.
func TestNoMoreForceThanTissueBears(t *testing.T) {
	for _, c := range []struct {
		name  string
		at    mgl64.Vec3 // over the block, m
		way   mgl64.Vec3 // of a step, m
		steps int
	}{
		{"along a side into the clamp", mgl64.Vec3{0.05, 0.12, 0.06}, mgl64.Vec3{0, -0.4e-3, -1.2e-3}, 80},
		{"straight down", mgl64.Vec3{0.05, 0.05, 0.122}, mgl64.Vec3{0, 0, -1.5e-3}, 60},
	} {
		l := liveBody(t, 5, "neo-hookean", func(o *LiveOptions) { o.Lag = 3 })
		at, before, loaded := c.at, 0.0, false
		step := func(way mgl64.Vec3) LiveReport {
			r := l.Step(equilibrium.Ball{Centre: at, Radius: 0.02, Way: way})
			if r.Settled {
				at = at.Add(way.Mul(r.Share))
				pressed, borne, _ := l.push()
				most := before
				if way == c.way.Mul(-1) {
					most *= rises
				}
				if pressed > bears*borne && pressed > most {
					t.Fatalf("%s: the ball presses with %.2f N, where %.2f N are borne", c.name, pressed, bears*borne)
				}
				before, loaded = pressed, loaded || pressed > 0
			}
			return r
		}
		crushed := false
		for range c.steps {
			r := step(c.way)
			crushed = crushed || r.Crushed
		}
		if !loaded || !crushed {
			t.Errorf("%s: the ball touched it: %v, pressed harder than it bears: %v", c.name, loaded, crushed)
		}
		for range 400 {
			if step(c.way.Mul(-1)); max(at[1], at[2]) > 0.14 {
				break
			}
		}
		if max(at[1], at[2]) <= 0.14 {
			t.Errorf("%s: the ball does not come out: it is at %v m", c.name, at)
		}
		l.Close()
	}
}

// Where a body is held it is met, too: a ball does not go into its support, and is let go.
func TestWhatHoldsABodyIsMet(t *testing.T) {
	l := liveBody(t, 5, "neo-hookean", func(o *LiveOptions) { o.Lag = 3 })
	defer l.Close()
	const radius, most = 0.02, 3e-3 // the ball's, and how deep it may be, m
	at, felt := mgl64.Vec3{0.045, 0.055, -0.022}, 0.0
	for n := range 120 {
		way := mgl64.Vec3{0, 0, 1e-3}
		if n >= 60 {
			way[2] = -1e-3
		}
		if r := l.Step(equilibrium.Ball{Centre: at, Radius: radius, Way: way}); r.Settled {
			at = at.Add(way.Mul(r.Share))
			felt = max(felt, r.Force.Len())
		}
		if at[2]+radius > most {
			t.Fatalf("the ball is %.1f mm in the support", 1e3*(at[2]+radius))
		}
	}
	if force, _, _ := l.push(); !(felt > 0.1) || force != 0 || at[2] > -0.03 {
		t.Errorf("%g N at most, %g N at the end, %.1f mm away", felt, force, 1e3*(-at[2]-radius))
	}
}

// A tool that presses harder than tissue bears may go on to where it presses harder still
// only against what meets it: in a wedge the way out may press harder for a moment.
func TestTheWayBackIsFree(t *testing.T) {
	l := liveBody(t, 5, "neo-hookean", func(o *LiveOptions) { o.Lag = 3 })
	defer l.Close()
	at := mgl64.Vec3{0.05, 0.05, 0.122}
	for range 200 {
		if l.pressed > 0 && at[2] < 0.115 {
			break
		}
		if r := l.Step(equilibrium.Ball{Centre: at, Radius: 0.02, Way: mgl64.Vec3{0, 0, -1e-3}}); r.Settled {
			at[2] -= 1e-3 * r.Share
		}
	}
	if !(l.pressed > 0) {
		t.Fatal("the ball does not touch the block")
	}
	l.Options.Bears = 1e-6 // it bears nothing
	l.pressed *= 0.9       // and bore less
	for _, c := range []struct {
		way     mgl64.Vec3
		crushed bool
	}{{mgl64.Vec3{0, 0, -1e-3}, true}, {mgl64.Vec3{0, 0, 1e-3}, false}} {
		if crushed := l.crushed(equilibrium.Ball{Centre: at, Radius: 0.02, Way: c.way}); crushed != c.crushed {
			t.Errorf("on the way %v m tissue is crushed: %v", c.way, crushed)
		}
	}
}

// A deadline ends the contact problem, too. Whatever it leaves, what is shown is an
// equilibrium, and the body gets to the next one.
func TestADeadlineEndsTheContactProblem(t *testing.T) {
	l := liveBody(t, 5, "neo-hookean", func(o *LiveOptions) { o.Lag = 3 })
	defer l.Close()
	at, way := mgl64.Vec3{0.05, 0.05, 0.122}, mgl64.Vec3{0, 0, -1e-3}
	for n := range 60 {
		if l.Deadline = nil; n < 40 {
			l.Deadline = physics.AnswersAgain([]uint32{1, 1 << 20}) // one correction begins, and its contact problem ends at once
		}
		r := l.Step(equilibrium.Ball{Centre: at, Radius: 0.02, Way: way})
		if r.Corrections > 0 && (l.laws.Watch != nil) != (l.Deadline != nil) || r.Late && l.Deadline == nil {
			t.Fatalf("late %v, %d corrections with a deadline %v", r.Late, r.Corrections, l.Deadline != nil)
		}
		if !r.Settled {
			continue
		}
		at = at.Add(way.Mul(r.Share))
		if !(r.Residual <= l.Options.Accept*r.Pressed+l.nothing()) || !(r.LeastJ > 0) {
			t.Fatalf("step %d: %g N of %g N are missing, least J %g", n, r.Residual, r.Pressed, r.LeastJ)
		}
	}
	if at[2] > 0.11 {
		t.Errorf("the ball has come to a height of %g mm only", 1e3*at[2])
	}
}
