package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The bench of bodies at large strains writes what scripts read, and what it measured is
// equilibrium without an element turned over.
func TestBenchTissueWritesWhatScriptsRead(t *testing.T) {
	dir := t.TempDir()
	args := []string{"bench", "tissue", "--quick", "--seconds", "0.05", "--nodes", "200", "--out", dir}
	status := 0
	captured(t, func() { status = run(context.Background(), args) })
	if status != 0 {
		t.Fatalf("exit status %d", status)
	}
	data, err := os.ReadFile(filepath.Join(dir, "tissue.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Nodes, Contacts []struct {
			Law         string
			Nodes       int
			Loaded      float64
			Settled     float64
			ResidualMax float64 `json:"residual_max"`
			Median      float64 `json:"cpu_ms_median"`
			P99         float64 `json:"cpu_ms_p99"`
			Inverted    int     `json:"inverted_elements"`
		}
	}
	for over, to := range map[string]any{"over_nodes": &r.Nodes, "over_contacts": &r.Contacts} {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(all[over], to); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Nodes) != 2 || len(r.Contacts) != 4 {
		t.Fatalf("%d and %d points", len(r.Nodes), len(r.Contacts))
	}
	for _, p := range append(r.Nodes, r.Contacts...) {
		if !(p.Settled > 0.5) || !(p.Loaded >= 3) || !(p.ResidualMax <= 0.0101) || !(p.Median > 0 && p.P99 >= p.Median) || p.Inverted != 0 {
			t.Errorf("%+v", p)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, filepath.Join(dir, "tissue.csv")))).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Errorf("%d rows: %v", len(rows), err)
	}
	if info, err := os.Stat(filepath.Join(dir, "tissue-contacts.png")); err != nil || info.Size() < 5000 {
		t.Errorf("no plot: %v", err)
	}
	if status := run(context.Background(), []string{"bench", "tissue", "--seconds", "0", "--out", dir}); status != exitBadInput {
		t.Errorf("no time: status %d", status)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
