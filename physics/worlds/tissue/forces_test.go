package tissue_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
)

// traced is what the program computed on a path of one of the thesis's benches before
// worlds had kinds.
type traced struct {
	Unique int         // increments before the first that has several solutions
	Forces [][]forceOf // of each increment
}

// forceOf is the total force on the impactor, N.
type forceOf = mgl64.Vec3

// The linear body's forces on the 54 reference trajectories are those of the program
// before worlds had kinds, to 1e-12. That program is off from itself by up to 3.6e-12 on
// four of them when its BLAS has other kernels, other tiles or another number of threads: there an
// increment has several forces in the file, and the bound is wider by how far they are
// apart. Where an increment has several solutions, ours has to be one of them.
func TestForcesStayTheSame(t *testing.T) {
	const tolerance = 1e-12
	for name, want := range readTraced(t) {
		if !testkit.Long() && !strings.HasPrefix(name, "A16_alu-tissue_bottom_pen") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			part := strings.Split(name, "_")
			mu, err := strconv.ParseFloat(strings.TrimPrefix(part[4], "mu"), 64)
			if err != nil {
				t.Fatal(err)
			}
			w := benchWorld(t, part[0], part[1], part[2], mu, tolerance)
			path := w.Scene().Path(map[string]string{"pen": "penetration", "slide": "sliding"}[part[3]])
			start := w.StartPose()
			for i, offset := range path.Offsets() {
				w.Step(frame.Pose{Position: start.Position.Add(offset), Rotation: start.Rotation})
				res := w.Stats().Solve
				if !res.Converged || !(res.NaturalError <= tolerance) || !(res.ScaledError <= tolerance) {
					t.Fatalf("increment %d: errors %.2g and %.2g", i+1, res.NaturalError, res.ScaledError)
				}
				force, _ := w.Force()
				if off, bound := apart(force, want.Forces[i]); i < want.Unique && !(off <= tolerance+bound) {
					t.Fatalf("increment %d: force %v N, was %v: off by %.2g", i+1, force, want.Forces[i][0], off)
				}
			}
		})
	}
}

func readTraced(t *testing.T) (all map[string]traced) {
	t.Helper()
	f, err := os.Open("testdata/forces.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 54 {
		t.Fatalf("%d trajectories", len(all))
	}
	return all
}

// apart is how far a force is from the nearest of some, and how far those are from each
// other, as shares of the first.
func apart(force forceOf, some []forceOf) (off, spread float64) {
	size := some[0].Len()
	off = force.Sub(some[0]).Len() / size
	for i, a := range some {
		off = min(off, force.Sub(a).Len()/size)
		for _, b := range some[:i] {
			spread = max(spread, a.Sub(b).Len()/size)
		}
	}
	return off, spread
}
