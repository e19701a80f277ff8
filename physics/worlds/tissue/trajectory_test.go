package tissue_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	cases "hapco/physics/measure/cases/tissue"
	"hapco/physics/measure/verify"
	"hapco/physics/worlds/tissue"
)

// benchWorld builds one of the thesis's benches.
func benchWorld(t testing.TB, bench, pair, clamp string, mu, tolerance float64) *tissue.World {
	t.Helper()
	b := cases.Bench{Bench: bench, Pair: pair, Clamp: clamp, Mu: mu}
	w, err := b.World(context.Background(), tolerance)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestTrajectories follows every reference trajectory, results of an
// independent implementation that solved each increment to 1e-12: total force,
// obstacle displacements and |r| to 1e-6, and the same statuses, on every
// increment whose solution is known to be unique.
func TestTrajectories(t *testing.T) {
	files, err := filepath.Glob("testdata/trajectories/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no reference trajectories: %v", err)
	}
	for _, file := range files {
		c, err := verify.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && !strings.HasPrefix(c.Name, "A16_alu-tissue") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			res, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range res.Checks {
				if !k.Passed() {
					t.Fatalf("%s = %g, want %g: error %.2g, tolerance %.2g", k.Name, k.Ours, k.Expected, k.Error, k.Tolerance)
				}
			}
		})
	}
}
