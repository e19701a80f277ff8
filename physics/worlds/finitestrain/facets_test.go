package finitestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
)

// A ball that is smaller than the triangles presses the middle of one: it meets no node,
// and the triangle bears it.
func TestBallBetweenNodesIsMet(t *testing.T) {
	const radius = 0.006
	for _, law := range []string{"corotational", "neo-hookean"} {
		l := liveBodyOf(t, 5, law, &Shape{Round: radius}, func(o *LiveOptions) { o.Lag = 3 })
		at, strongest := mgl64.Vec3{0.047, 0.053, 0.107}, 0.0
		for range 70 {
			at[2] -= 2e-4
			strongest = math.Max(strongest, l.lead(at).Force.Len())
			if reason := l.Validate(); reason != Valid {
				t.Fatalf("%s, %v: %v", law, at, reason)
			}
		}
		if l.report.Tool.Position[2] > 0.095 || strongest < 0.5 {
			t.Errorf("%s: pressed to %g m by %g N", law, at[2], strongest)
		}
		for range 40 {
			l.lead(at.Add(mgl64.Vec3{0, 0, 0.2}))
		}
		if far := longest(triples(displacements(l.body, l.Shown.X))); far > 1e-6 {
			t.Errorf("%s: %g m from rest after the ball has left", law, far)
		}
		l.Close()
	}
}

// A small ball in a hostile hand never gets inside, and leaves nothing behind.
func TestSmallBallStaysOutside(t *testing.T) {
	if testkit.Race {
		t.Skip("slow; TestLiveThread covers what threads share")
	}
	const radius = 0.008
	l := liveBodyOf(t, 5, "neo-hookean", &Shape{Round: radius}, func(o *LiveOptions) { o.Lag = 5 })
	defer l.Close()
	for _, spring := range []physics.Coupling{{}, touchSpring(radius)} {
		if r := drive(t, l, hostile(4), spring, 0.003, 0.9, 0); r.pressed < 50 {
			t.Errorf("pressed in %d steps: the test shows little", r.pressed)
		}
		for range 60 {
			l.Step(frame.At(mgl64.Vec3{0.05, 0.05, 0.3}), spring)
		}
		if far := longest(triples(displacements(l.body, l.Shown.X))); far > 1e-6 {
			t.Errorf("%g m from rest after the ball has left", far)
		}
	}
}
