package physics_test

import (
	"context"
	"testing"

	"hapco/physics"
	"hapco/physics/bench/probing"
	"hapco/physics/testkit"
)

// A hand presses, slides, circles, tilts, taps and swipes for seconds
// over organs that touch each other and themselves: nothing passes into
// anything, energy comes from the hand alone, every contact problem is solved.
// `hapco bench bodies` does the same for a minute a scene.
func TestProbingKeepsBodiesApart(t *testing.T) {
	if testing.Short() || testkit.Race {
		t.Skip("several seconds")
	}
	for _, c := range probing.Cases() {
		t.Run(c.Scene, func(t *testing.T) {
			p, err := c.Prepare(context.Background(), physics.Builder{})
			if err != nil {
				t.Fatal(err)
			}
			const seconds = 1.7
			hand := probing.NewQuickHand(p.World.StartPose(), p.Sites, seconds)
			r, err := probing.Run(context.Background(), p.World, p.Checker, hand, probing.Options{Seconds: seconds, Every: 40})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range r.Check(probing.DefaultLimits()) {
				t.Error(b)
			}
			// it was worth checking
			if !(r.Force > 0.5) || !(r.Strain > 1e-3) || !(r.Loss > 0) || len(r.Samples) < 40 {
				t.Errorf("the hand felt %g N, stored %g J, lost %g J; %d checks", r.Force, r.Strain, r.Loss, len(r.Samples))
			}
			if r.Late > 0 {
				t.Errorf("the stylus was behind the hand in %d steps, by %g m", r.Late, r.Behind)
			}
			between := false // bodies other than the tool touched
			for i := range r.Pairs {
				n := len(p.World.Bodies())
				between = between || i/n > 0 && i%n > 0 && r.Pairs[i].Edge > 0
			}
			if !between {
				t.Error("no organ touched another or itself")
			}
		})
	}
}
