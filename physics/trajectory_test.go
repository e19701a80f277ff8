package physics_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/scene"
)

// trajectory is a reference result of an independent implementation: one of
// the thesis's benches, each increment solved to 1e-12. Lengths in mm, forces in N.
type trajectory struct {
	Name, Bench, Pair, Clamp, Path string
	Mu                             float64
	Increments                     []struct {
		D                 [3]float64
		N                 int
		Force             [3]float64
		RNorm             float64
		Stick, Slip, Open int
		U                 map[string][3]float64
		P                 []int32
		Tri               []int32
		R                 []float64
		Flag              string
	}
}

func readTrajectory(t *testing.T, file string) *trajectory {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	tr := &trajectory{}
	if err := json.NewDecoder(z).Decode(tr); err != nil {
		t.Fatal(err)
	}
	return tr
}

// benchWorld builds the bench scene of a trajectory.
func benchWorld(t testing.TB, bench, pair, clamp string, mu, tolerance float64) *physics.World {
	t.Helper()
	scenes := map[string]string{"A36": "bench-a-36", "A16": "bench-a-16", "B66": "bench-b-66", "C36": "bench-c-36", "C16": "bench-c-16"}
	materials := map[string]string{"alu": "aluminium", "tissue": "tissue", "rubber": "rubber"}
	s, err := scene.Load(scenes[bench])
	if err != nil {
		t.Fatal(err)
	}
	impactor, obstacle, _ := strings.Cut(pair, "-")
	for _, set := range []string{
		"impactor.material=" + materials[impactor], "obstacle.material=" + materials[obstacle],
		"obstacle.clamp=" + clamp, fmt.Sprintf("friction=%g", mu), fmt.Sprintf("contact.tolerance=%g", tolerance),
	} {
		if err := scene.Set(s, set); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := physics.New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestTrajectories follows every reference trajectory: total force, obstacle
// displacements and |r| to 1e-6, and the same statuses, on every increment
// whose solution is known to be unique.
func TestTrajectories(t *testing.T) {
	files, err := filepath.Glob("testdata/trajectories/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no reference trajectories: %v", err)
	}
	for _, file := range files {
		tr := readTrajectory(t, file)
		if testing.Short() && !strings.HasPrefix(tr.Name, "A16_alu-tissue") {
			continue
		}
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			follow(t, tr)
		})
	}
}

func follow(t *testing.T, tr *trajectory) {
	const tolerance = 1e-6
	path := map[string]string{"pen": "penetration", "slide": "sliding"}[tr.Path]
	w := benchWorld(t, tr.Bench, tr.Pair, tr.Clamp, tr.Mu, 1e-12)
	offsets := w.Scene().Path(path).Offsets()
	if len(offsets) != len(tr.Increments) {
		t.Fatalf("path %s has %d steps, the reference %d", path, len(offsets), len(tr.Increments))
	}
	start := w.StartPose()
	for i, want := range tr.Increments {
		w.Step(frame.Pose{Position: start.Position.Add(offsets[i]), Rotation: start.Rotation})
		st := w.Stats()
		if want.Flag != "" {
			return // later increments inherit the choice made here
		}
		fail := func(format string, args ...any) {
			t.Fatalf("increment %d (%v mm): "+format, append([]any{i + 1, want.D}, args...)...)
		}
		if !st.Solve.Converged {
			fail("the contact solve did not converge: %+v", st.Solve)
		}
		if got := st.Stick + st.Slip + st.Open; got != want.N {
			fail("%d contacts, want %d", got, want.N)
		}
		force, _ := w.Force()
		if e := relative(force, want.Force, 1); !(e <= tolerance) {
			fail("force %v N, want %v: relative error %.2g", force, want.Force, e)
		}
		for name, u := range want.U {
			got, ok := w.Probe(name)
			if !ok {
				fail("no probe %s", name)
			}
			if e := relative(got, u, 1000); !(e <= tolerance) {
				fail("displacement of %s %v m, want %v mm: relative error %.2g", name, got, u, e)
			}
		}
		if e := math.Abs(w.RNorm()-want.RNorm) / want.RNorm; !(e <= tolerance) {
			fail("|r| = %g N, want %g: relative error %.2g", w.RNorm(), want.RNorm, e)
		}
		if st.Stick != want.Stick || st.Slip != want.Slip || st.Open != want.Open {
			fail("stick/slip/open %d/%d/%d, want %d/%d/%d", st.Stick, st.Slip, st.Open, want.Stick, want.Slip, want.Open)
		}
	}
}

// relative is |scale*got - want| / |want|.
func relative(got mgl64.Vec3, want [3]float64, scale float64) float64 {
	v := mgl64.Vec3(want)
	return got.Mul(scale).Sub(v).Len() / v.Len()
}
