package main

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// The table of a headless run has a column for each number that its world tells, once, and
// no others: a nonlinear organ has a residual and no solver's iterations.
func TestHeadlessTableOfAWorld(t *testing.T) {
	for _, c := range []struct {
		scene     string
		has, hasn []string
	}{
		{"block-neo-hookean", []string{"residual_N", "energy_J", "least_J"}, []string{"iterations", "collision_ms"}},
		{"block-linear", []string{"iterations", "collision_ms", "energy_J"}, []string{"residual_N"}},
		{"hourglass", []string{"world_time_s", "grains"}, []string{"iterations"}},
	} {
		file := filepath.Join(t.TempDir(), "run.csv")
		if status := run(context.Background(), []string{"run", c.scene, "--headless", "--seconds", "0.5", "--csv", file}); status != 0 {
			t.Fatalf("%s: status %d", c.scene, status)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s: %d rows, %v", c.scene, len(rows), err)
		}
		head := rows[0]
		for _, name := range c.has {
			if at := slices.Index(head, name); at < 0 {
				t.Errorf("%s: no column %s in %v", c.scene, name, head)
			} else if _, err := strconv.ParseFloat(rows[1][at], 64); err != nil {
				t.Errorf("%s: %v", c.scene, err)
			}
		}
		for _, name := range c.hasn {
			if slices.Contains(head, name) {
				t.Errorf("%s has a column %s", c.scene, name)
			}
		}
		slices.Sort(head)
		if len(slices.Compact(head)) != len(rows[1]) {
			t.Errorf("%s: columns of one name: %v", c.scene, rows[0])
		}
	}
}
