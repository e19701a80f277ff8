package tissue_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"hapco/assets"
	"hapco/physics/machinery/testkit"
	"hapco/physics/measure/bench/probing"
	"hapco/physics/worlds/tissue"
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
			p, err := c.Prepare(context.Background(), tissue.Builder{})
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

// The same with a box in closed form for the probe: it presses its edges over
// those of coarse tissue, where nodes of neither touch the other.
func TestProbingWithABoxKeepsItOutside(t *testing.T) {
	if testing.Short() || testkit.Race {
		t.Skip("several seconds")
	}
	probe := regexp.MustCompile(`(?m)^\[body\.tool\]\nkind = "probe"\n(\w+ = .*\n)+`)
	for _, c := range probing.Cases()[:2] { // those of organ on organ
		text, err := assets.Scene(c.Scene)
		if err != nil {
			t.Fatal(err)
		}
		if len(probe.FindAll(text, -1)) != 1 {
			t.Fatalf("%s has no probe", c.Scene)
		}
		text = probe.ReplaceAll(text, []byte("tool = { kind = \"box\", size = [12, 12, 12] }\n"))
		name := c.Scene
		c.Scene = filepath.Join(t.TempDir(), "box.toml")
		if err := os.WriteFile(c.Scene, text, 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := c.Prepare(context.Background(), tissue.Builder{})
		if err != nil {
			t.Fatal(err)
		}
		const seconds = 1.75
		hand := probing.NewQuickHand(p.World.StartPose(), p.Sites, seconds)
		r, err := probing.Run(context.Background(), p.World, p.Checker, hand, probing.Options{Seconds: seconds, Every: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range r.Check(probing.DefaultLimits()) {
			t.Errorf("%s: %s", name, b)
		}
		if !(r.Force > 2) || len(r.Samples) < 150 {
			t.Errorf("%s: the hand felt %g N; %d checks", name, r.Force, len(r.Samples))
		}
	}
}
