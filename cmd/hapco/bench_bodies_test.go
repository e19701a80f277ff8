package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBenchBodiesWritesWhatScriptsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	dir := t.TempDir()
	table := filepath.Join(dir, "table.md")
	if err := os.WriteFile(table, []byte("before\n<!-- bench bodies -->\nold\n<!-- end -->\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"bench", "bodies", "--quick", "--seconds", "0.5", "--scene", "loop", "--out", dir}
	if status := run(context.Background(), append(args, "--markdown", table)); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	data, err := os.ReadFile(filepath.Join(dir, "bodies.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Machine, Command string
		Points           []map[string]any
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	if report.Machine == "" || report.Command == "" || len(report.Points) != 1 {
		t.Fatalf("%q, %q, %d points", report.Machine, report.Command, len(report.Points))
	}
	p := report.Points[0]
	for _, k := range []string{"scene", "bodies", "nodes", "seconds", "contacts_median", "contacts_max", "rate_Hz_median", "rate_Hz_p1",
		"ms_median", "ms_p99", "cpu", "tolerance_mm", "energy_mJ_max", "energy_drift_limit", "force_N_max", "checks"} {
		if v, ok := p[k]; !ok || v == 0.0 || v == "" {
			t.Errorf("%s = %v", k, v)
		}
	}
	for _, k := range []string{"penetration_mm_max", "energy_created_mJ", "energy_drift", "not_converged", "not_finite", "broken"} {
		if _, ok := p[k]; !ok {
			t.Errorf("no %s", k)
		}
	}
	if p["scene"] != "loop" || p["bodies"] != 2.0 || p["not_converged"] != 0.0 || len(p["broken"].([]any)) > 0 {
		t.Errorf("point %v", p)
	}
	if p["penetration_mm_max"].(float64) > p["tolerance_mm"].(float64) || p["rate_Hz_p1"].(float64) > p["rate_Hz_median"].(float64) {
		t.Errorf("point %v", p)
	}
	for _, name := range []string{"bodies.csv", "bodies-loop.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(table); err != nil || !strings.HasPrefix(string(text), "before\n<!-- bench bodies -->\n`hapco bench bodies") ||
		!strings.Contains(string(text), "| loop | 2 |") || !strings.HasSuffix(string(text), "<!-- end -->\nafter\n") || strings.Contains(string(text), "old") {
		t.Errorf("%s, %v", text, err)
	}
	for _, bad := range [][]string{{"--scene", "liver"}, {"--seconds", "-1"}, {"--every", "0"}} {
		if status := run(context.Background(), append([]string{"bench", "bodies", "--quick", "--out", dir}, bad...)); status != exitBadInput {
			t.Errorf("%v: exit status %d", bad, status)
		}
	}
}

// A bound that is broken is told, and fails the run.
func TestBenchBodiesFailsWhereABoundIsBroken(t *testing.T) {
	r := bodiesReport{Points: []bodiesPoint{{Scene: "loop", Broken: []string{"too deep"}}}}
	if err := r.summary(); err == nil || !strings.Contains(err.Error(), "loop: too deep") {
		t.Errorf("%v", err)
	}
}
