package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Tissue that moves in time is traced over time: drawn aside, let go, it swings to both sides
// of where it hangs, and time runs as asked for.
func TestTraceOfTissueThatSwings(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	out := filepath.Join(t.TempDir(), "swing.json")
	args := []string{"trace", "swing", "--path", "pull", "--seconds", "5", "--every", "0.02", "--set", "equilibrium.deadline=0", "--json", "--out", out}
	if status := run(t.Context(), args); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Samples []struct {
			T         float64    `json:"t"`
			Simulated float64    `json:"simulated_s"`
			Energy    float64    `json:"energy_J"`
			Kinetic   float64    `json:"kinetic_J"`
			Gripped   int        `json:"gripped"`
			Centre    [3]float64 `json:"column_centre_m"`
		} `json:"samples"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	first, last := r.Samples[0], r.Samples[len(r.Samples)-1]
	drawn, other, gripped := 0.0, 0.0, 0
	for _, s := range r.Samples {
		gripped = max(gripped, s.Gripped)
		drawn, other = min(drawn, s.Centre[0]-first.Centre[0]), max(other, s.Centre[0]-first.Centre[0])
	}
	if gripped == 0 || last.Gripped > 0 || drawn > -0.01 || other < 0.005 {
		t.Errorf("%d nodes gripped, %d at the end; its centre was %.1f mm to one side and %.1f mm to the other", gripped, last.Gripped, 1e3*drawn, 1e3*other)
	}
	if last.T-last.Simulated > 0.03*last.T || last.Energy < first.Energy || last.Kinetic <= 0 {
		t.Errorf("%+v, then %+v", first, last)
	}
	for _, bad := range [][]string{{"trace", "swing"}, {"trace", "swing", "--set", "motion.scheme=none", "--seconds", "1", "--every", "0.1"}} {
		if status := run(t.Context(), bad); status != exitBadInput {
			t.Errorf("%v: exit status %d, want %d", bad, status, exitBadInput)
		}
	}
}
