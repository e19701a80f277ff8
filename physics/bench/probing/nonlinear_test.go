package probing

import (
	"testing"

	"hapco/physics"
	_ "hapco/physics/kinds"
	"hapco/physics/testkit"
)

// At large strains, too, tissue lets go of a hostile hand and lies as it was, no element and
// no triangle turns over, and no force is wild.
func TestNonlinearLetsGoOfAHostileHand(t *testing.T) {
	if testkit.Race {
		t.Skip("slow")
	}
	// Gestures by seed and number; the last of the block has left it hanging 29 mm from rest,
	// those of the organs run a tool into nodes that are held, leave a lobe to come back slowly,
	// or fold one organ so that a node of the other lies in the crease, or into itself; that of
	// the stomach wedges the tool between both.
	for scene, made := range map[string][][2]uint64{
		"block-neo-hookean": {{1, 0}, {2, 2}, {5, 8}, {1, 1}, {1, 2}, {1, 3}},
		"organs":            {{5, 5}, {5, 2}, {5, 16}, {5, 21}, {5, 8}, {901, 5}},
		"liver-stomach":     {{5, 2}},
	} {
		if testing.Short() {
			made = made[:len(made)/2]
		}
		if len(made) > 0 {
			letsGo(t, scene, made)
		}
	}
}

// Tissue that moves in time and hangs by its weight does so, too; it comes to rest by itself.
func TestMotionLetsGoOfAHostileHand(t *testing.T) {
	if testkit.Race {
		t.Skip("slow")
	}
	letsGo(t, "swing", [][2]uint64{{1, 4}, {1, 11}}) // these two leave it swinging
	if !testing.Short() {
		letsGo(t, "block-neo-hookean", [][2]uint64{{2, 2}, {1, 2}}, "gravity=9.81", "motion.scheme=implicit-euler", "motion.alpha=5")
	}
}

func letsGo(t *testing.T, scene string, made [][2]uint64, set ...string) {
	t.Helper()
	s, err := physics.Load(scene)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range set {
		if err := s.Set(a); err != nil {
			t.Fatal(err)
		}
	}
	a, err := NewArenaOf(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, made := range made {
		seed, n := made[0], made[1]
		g := a.Gesture(seed, n)
		v, err := a.Judge(t.Context(), &g, JudgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, %s: %.2f N at most, by %.2f N in an increment at most, a straight press %.2f N, turned over in %d of %d", scene, &g, v.Force, v.Jump, v.Press, v.Frames, len(v.StepMS))
		for _, b := range v.Breaches {
			t.Errorf("%s: seed %d, gesture %d, %s: %s: %s", scene, seed, n, &g, b.Cause, b.Text)
		}
	}
}
