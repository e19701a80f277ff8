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
	s, err := physics.Load("block-neo-hookean")
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewArenaOf(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	// Gestures by seed and number; the last has left the body hanging 29 mm from rest.
	made := [][2]uint64{{1, 1}, {1, 2}, {1, 3}, {1, 0}, {2, 2}, {5, 8}}
	if testing.Short() {
		made = made[3:]
	}
	for _, made := range made {
		seed, n := made[0], made[1]
		g := a.Gesture(seed, n)
		v, err := a.Judge(t.Context(), &g, JudgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.2f N at most, by %.2f N in an increment at most, a straight press %.2f N, turned over in %d of %d", &g, v.Force, v.Jump, v.Press, v.Frames, len(v.StepMS))
		for _, b := range v.Breaches {
			t.Errorf("seed %d, gesture %d, %s: %s: %s", seed, n, &g, b.Cause, b.Text)
		}
	}
}
