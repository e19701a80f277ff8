package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The program traces a body at large strains.
func TestNonlinearWorldIsTraced(t *testing.T) {
	out := filepath.Join(t.TempDir(), "trace.json")
	if status := run(context.Background(), []string{"trace", "liver", "--steps", "18", "--set", "body.E=6 kPa", "--json", "--out", out}); status != 0 {
		t.Fatalf("status %d", status)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Steps []struct {
			Force    [3]float64 `json:"force_N"`
			Inverted *int       `json:"inverted_elements"`
			Strain   *float64   `json:"largest_strain"`
			Residual *float64   `json:"residual_N"`
			Pressed  float64    `json:"pressed_N"`
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Steps) != 18 {
		t.Fatalf("%d steps", len(got.Steps))
	}
	for i, s := range got.Steps {
		if s.Inverted == nil || *s.Inverted != 0 || s.Strain == nil || s.Residual == nil || *s.Residual > 0.01*s.Pressed+1e-6 {
			t.Fatalf("step %d: %s", i+1, data)
		}
	}
	last := got.Steps[17]
	if !(last.Force[1] > 0.8 && last.Force[1] < 1.6) || !(*last.Strain > 0.3) || got.Steps[4].Force[1] != 0 {
		t.Errorf("12 mm deep: %v N, strain %g; before the touch %v N", last.Force, *last.Strain, got.Steps[4].Force)
	}
	for _, bad := range []string{"body.law=rubber", "body.nu=0.5", "tool.kind=spatula", "liver.E=3"} {
		if status := run(context.Background(), []string{"trace", "liver", "--set", bad}); status != exitBadInput {
			t.Errorf("--set %s: status %d", bad, status)
		}
	}
	if status := run(context.Background(), []string{"trace", "liver", "--set", "body.mesh=no.msh"}); status != exitBadInput {
		t.Errorf("no mesh: status %d", status)
	}
}
