package sweep

import "testing"

const sheetText = "scene = \"bench-a-16\"\npath = \"penetration\"\nsteps = 5\n[set]\nobstacle.nu = 0.4\n[grid]\nobstacle.E = [\"6 kPa\", \"9 kPa\"]\nfriction = [0, 0.3, 1]\n"

// The seed of the fuzzing is good.
func TestSeed(t *testing.T) {
	if s, err := parse([]byte(sheetText), ""); err != nil || len(s.Runs) != 6 {
		t.Errorf("%v", err)
	}
}

// Whatever a sheet holds, it is refused or makes a bounded number of runs.
func FuzzSheet(f *testing.F) {
	f.Add([]byte(sheetText))
	f.Add([]byte("scene = \"bench-a-16\"\n[[run]]\nfriction = 0.1\n[[run]]\nfriction = 0.2\nsteps = 3\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parse(text, "")
		if err == nil && len(s.Runs) > 1_000_000 {
			t.Errorf("%d runs", len(s.Runs))
		}
	})
}
