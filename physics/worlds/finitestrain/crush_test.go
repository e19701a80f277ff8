package finitestrain

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// A ball that is led into tissue beside its clamp, and deep into it elsewhere, is pressed with no more than the force that
// there is, stays behind its hand then and says so, and comes out again.
func TestNoMoreForceThanThereIs(t *testing.T) {
	const limit = 4.0 // N
	for _, c := range []struct {
		name  string
		at    mgl64.Vec3 // over the block, m
		way   mgl64.Vec3 // of a step, m
		steps int
	}{
		{"along a side into the clamp", mgl64.Vec3{0.05, 0.121, 0.06}, mgl64.Vec3{0, -0.4e-3, -1.2e-3}, 45},
		{"straight down", mgl64.Vec3{0.05, 0.05, 0.122}, mgl64.Vec3{0, 0, -1.5e-3}, 60},
	} {
		l := liveBody(t, 5, "neo-hookean", func(o *LiveOptions) { o.Lag = 3 })
		l.Put(frame.At(c.at))
		at, behind, most := c.at, 0, 0.0
		step := func(way mgl64.Vec3) {
			at = at.Add(way)
			r := l.Step(frame.At(at), physics.Coupling{Limit: limit})
			most = max(most, r.Force.Len())
			if r.Settled && !r.Reached && r.Force.Len() > 0.9*limit {
				behind++
			}
			if there := r.Settled && r.Tool.Position == at; r.Reached && !there || r.Pressed > 0 && r.Reached != there {
				t.Fatalf("%s: the tool is at %v, the hand at %v: %+v", c.name, r.Tool.Position, at, r)
			}
			if reason := l.Validate(); reason != Valid {
				t.Fatalf("%s: %v", c.name, reason)
			}
		}
		for range c.steps {
			step(c.way)
		}
		if most > 1.1*limit || behind < 5 {
			t.Errorf("%s: pressed with %.2f N, where there are %g, in equilibrium behind its hand in %d steps", c.name, most, limit, behind)
		}
		for range 2 * c.steps {
			step(c.way.Mul(-1))
		}
		if r := l.report; !r.Reached || r.Contacts > 0 {
			t.Errorf("%s: the ball does not come out: it is at %v m", c.name, r.Tool.Position)
		}
		l.Close()
	}
}

// Where a body is held it is met, too: a ball does not go into its support, and is let go.
func TestWhatHoldsABodyIsMet(t *testing.T) {
	l := liveBody(t, 5, "neo-hookean", func(o *LiveOptions) { o.Lag = 3 })
	defer l.Close()
	at, felt := mgl64.Vec3{0.045, 0.055, -0.022}, 0.0
	l.Put(frame.At(at))
	for n := range 120 {
		if at[2] += 1e-3; n >= 60 {
			at[2] -= 2e-3
		}
		r := l.Step(frame.At(at), physics.Coupling{Limit: 5})
		felt = max(felt, r.Force.Len())
		if r.Tool.Position[2] > -0.02 {
			t.Fatalf("the ball is %.2f mm in the support", 1e3*(r.Tool.Position[2]+0.02))
		}
	}
	if r := l.report; !(felt > 0.1 && felt < 5.5) || r.Contacts > 0 || !r.Reached {
		t.Errorf("%g N at most, at the end %+v", felt, r)
	}
}

// A deadline ends the contact problem, too. Whatever it leaves, what is shown is free of crossings, and the body gets to
// an equilibrium once there is time.
func TestADeadlineEndsTheContactProblem(t *testing.T) {
	l := liveBody(t, 5, "neo-hookean", func(o *LiveOptions) { o.Lag = 3 })
	defer l.Close()
	at := mgl64.Vec3{0.05, 0.05, 0.122}
	l.Put(frame.At(at))
	for n := range 60 {
		if l.Deadline = nil; n < 40 {
			l.Deadline = physics.AnswersAgain([]uint32{1, 1 << 20}) // one correction begins, and its contact problem ends at once
		}
		if n < 20 {
			at[2] -= 1e-3
		}
		r := l.lead(at)
		if r.Corrections > 0 && (l.problem.laws.Watch != nil) != (l.Deadline != nil) || r.Late && l.Deadline == nil {
			t.Fatalf("late %v, %d corrections with a deadline %v", r.Late, r.Corrections, l.Deadline != nil)
		}
		if reason := l.Validate(); reason != Valid {
			t.Fatalf("step %d: %v", n, reason)
		}
	}
	if r := l.report; !r.Reached || r.Tool.Position != at {
		t.Errorf("at the end %+v", r)
	}
}
