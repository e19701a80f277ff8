package stepped

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/telemetry"
)

// A world gives the same forces for the same calls, after a reset, after a snapshot, and when its
// recording is made again, and refuses what is no pose and no time.
func TestWorld(t *testing.T) {
	drive := func(w *World, n int) (out [][3]float64) {
		for i := range n {
			p := w.Info.Start
			p.Position[1] -= 1e-4 * float64(i%60)
			if err := w.Step(&p, 1.3*w.OwnStep()); err != nil {
				t.Fatal(err)
			}
			out = append(out, w.report.Force)
		}
		return out
	}
	for _, scene := range []string{"gyroscope", "ice-billiard"} {
		w, err := Open(scene, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "a.mcap")
		if err := w.Record(file); err != nil {
			t.Fatal(err)
		}
		first := drive(w, 50)
		s := w.Snapshot()
		if err := w.Restore(s); err == nil {
			t.Error("a recording went back")
		}
		if err := w.RecordEnd(); err != nil {
			t.Fatal(err)
		}
		after := drive(w, 50)
		if err := w.Restore(s); err != nil || !slices.Equal(drive(w, 50), after) {
			t.Errorf("%s: another after a snapshot (%v)", scene, err)
		}
		again, err := Open(scene, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(drive(again, 50), first) {
			t.Errorf("%s: another with the same calls", scene)
		}
		m, err := telemetry.ReadMotion(file)
		if err != nil || len(m.Steps) != 50 {
			t.Fatal(err)
		}
		replayed, err := Open(scene, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Again(replayed.Sim, nil, func(i int, r *physics.Report) error {
			if [3]float64(r.Force) != first[i] {
				t.Errorf("%s: the recording's step %d gives %v, not %v", scene, i, r.Force, first[i])
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		bad := frame.Identity()
		bad.Position[0] = math.NaN()
		for _, err := range []error{w.Step(&bad, 0), w.Step(&frame.Pose{}, 0), w.Step(nil, math.NaN()), w.Step(nil, -1), w.Step(nil, 1e300), w.Restore(&Snapshot{of: again})} {
			if c, _ := Classify(err); c != CodeInvalid {
				t.Errorf("%s: %v", scene, err)
			}
		}
		for _, w := range []*World{w, again, replayed} {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
