package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Each stage of auto is left out once, and every variant is asked the same problems; all
// of auto solves them.
func TestAblation(t *testing.T) {
	problems, out := t.TempDir(), t.TempDir()
	const name = "A16_alu-tissue_bottom_pen_mu0.3_inc04.fc3d.gz"
	data, err := os.ReadFile(filepath.Join("../../physics/numerics/contact/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(problems, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
	if status := run(context.Background(), []string{"bench", "solvers", problems, "--ablation", "--quick", "--out", out}); status != 0 {
		t.Fatalf("status %d", status)
	}
	data, err = os.ReadFile(filepath.Join(out, "ablation.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Variants []struct {
			Without  string
			Problems int
			Solved   int
			Steps    int
			Warm     float64 `json:"warm_ratio"`
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Variants) < 8 || got.Variants[0].Solved != 2 {
		t.Errorf("%+v", got.Variants)
	}
	for _, v := range got.Variants {
		if v.Problems != 2 || v.Steps == 0 || v.Steps != got.Variants[0].Steps || !(v.Warm > 0) {
			t.Errorf("%+v", v)
		}
	}
}
