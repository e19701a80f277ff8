package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hapco/physics"
	"hapco/physics/worlds/bead"
)

var registerBead = sync.OnceFunc(func() { physics.Register("bead", bead.Read) })

// beadScene is a scene file of the example world.
func beadScene(t *testing.T) string {
	t.Helper()
	registerBead()
	path := filepath.Join(t.TempDir(), "bead.toml")
	text := "kind = \"bead\"\ntitle = \"Bead\"\nabout = \"Draw a bead\"\ndamping = 0.2\n[units]\nlength = \"mm\"\n" +
		"[[path.sliding]]\ndirection = [1, 0, 0]\nsteps = 10\nstep = 1\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The example of docs/adding.md is traced, changed by --set, refused where it is wrong.
func TestExampleWorldIsTraced(t *testing.T) {
	path := beadScene(t)
	out := filepath.Join(t.TempDir(), "trace.json")
	if status := run(context.Background(), []string{"trace", path, "--seconds", "3", "--every", "0.01", "--set", "damping=2", "--json", "--out", out}); status != 0 {
		t.Fatalf("status %d", status)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Scene   string
		Samples []struct {
			T    float64
			Bead [3]float64 `json:"bead_m"`
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	// at rest the two springs share the way of 10 mm as 200 to 50 N/m
	last := got.Samples[len(got.Samples)-1]
	if len(got.Samples) != 301 || math.Abs(last.T-3) > 1e-9 || math.Abs(last.Bead[0]-8e-3) > 5e-4 {
		t.Errorf("%d samples, the last %+v, want the bead at 8 mm", len(got.Samples), last)
	}
	for _, bad := range [][]string{{"--set", "mass=0"}, {"--set", "mas=1"}, {"--steps", "3"}, {"--every", "1"}} {
		if status := run(context.Background(), append([]string{"trace", path}, bad...)); status != exitBadInput {
			t.Errorf("trace %v: status %d", bad, status)
		}
	}
}

// It is felt and recorded, and the recording can be felt again.
func TestExampleWorldIsRecorded(t *testing.T) {
	path := beadScene(t)
	file := filepath.Join(t.TempDir(), "bead.mcap")
	if status := run(context.Background(), []string{"run", path, "--headless", "--seconds", "1", "--record", file}); status != 0 {
		t.Fatalf("run: status %d", status)
	}
	csv := filepath.Join(t.TempDir(), "again.csv")
	if status := run(context.Background(), []string{"replay", file, "--headless", "--set", "damping=2", "--csv", csv}); status != 0 {
		t.Fatalf("replay: status %d", status)
	}
	if info, err := os.Stat(csv); err != nil || info.Size() < 10000 {
		t.Errorf("%v, %v", info, err)
	}
}
