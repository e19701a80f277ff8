package sweep

import (
	"fmt"
	"strings"
	"testing"
)

const sheetText = "scene = \"bench-a-16\"\npath = \"penetration\"\nsteps = 5\n[set]\nobstacle.nu = 0.4\n[grid]\nobstacle.E = [\"6 kPa\", \"9 kPa\"]\nfriction = [0, 0.3, 1]\n"

// seeds of the fuzzing, and how many runs each makes.
func seeds() map[string]int {
	return map[string]int{
		sheetText: 6,
		"scene = \"bench-a-16\"\n[[run]]\nfriction = 0.1\n[[run]]\nfriction = 0.2\nsteps = 3\n": 2,
		"scene = \"bench-a-16\"\n[grid]\n" + manyAxes(10):                                       1024,
	}
}

// The seeds of the fuzzing are good.
func TestSeeds(t *testing.T) {
	for text, runs := range seeds() {
		if s, err := parse([]byte(text), ""); err != nil || len(s.Runs) != runs {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// manyAxes are axes of a grid of two values each.
func manyAxes(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("k%d = [1, 2]\n", i)
	}
	return text
}

// A few lines make a grid that would fill the memory: it is refused before it is made. Seeds of the fuzzing are good.
func TestSheetsOfManySettings(t *testing.T) {
	runs := func(n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("[[run]]\nk%d = 1\n", i)
		}
		return text
	}
	for _, c := range []struct {
		text string
		good bool
	}{
		{"[grid]\n" + manyAxes(16), true}, {"[grid]\n" + manyAxes(18), false}, {runs(100), true}, {runs(2001), false},
	} {
		s, err := parse([]byte("scene = \"bench-a-16\"\n"+c.text), "")
		if (err == nil) != c.good || err != nil && !strings.Contains(err.Error(), "settings each") {
			t.Errorf("%.30q: %v", c.text, err)
		}
		if err == nil && len(s.Runs[0].Values) != len(s.Columns) {
			t.Errorf("%.30q: %d values of %d", c.text, len(s.Runs[0].Values), len(s.Columns))
		}
	}
}

// Whatever a sheet holds, it is refused or makes a bounded number of runs.
func FuzzSheet(f *testing.F) {
	for text := range seeds() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parse(text, "")
		if err == nil && len(s.Runs) > 1_000_000 {
			t.Errorf("%d runs", len(s.Runs))
		}
	})
}
