package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A scene of floes is traced: time passes, momentum comes from the hand alone, and what
// is wrong is refused.
func TestFloesAreTraced(t *testing.T) {
	out := filepath.Join(t.TempDir(), "trace.json")
	if status := run(context.Background(), []string{"trace", "ice-breaking", "--seconds", "4", "--every", "0.1", "--set", "fracture.strength=300 kPa", "--json", "--out", out}); status != 0 {
		t.Fatalf("status %d", status)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Samples []struct {
			T       float64
			SeaS    float64 `json:"sea_s"`
			Kinetic float64 `json:"kinetic_J"`
			Hand    float64 `json:"hand_J"`
			Splits  int
			Floes   [][3]float64
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	last := got.Samples[len(got.Samples)-1]
	if len(got.Samples) != 41 || math.Abs(last.SeaS-1.5*last.T) > 0.05 || !(last.Kinetic > 0 && last.Kinetic < last.Hand) || last.Splits < 1 || len(last.Floes) != len(got.Samples[0].Floes)+last.Splits {
		t.Errorf("%d samples, the last: t %g, sea %g, %g J of %g J, %d cracks, %d floes", len(got.Samples), last.T, last.SeaS, last.Kinetic, last.Hand, last.Splits, len(last.Floes))
	}
	for _, bad := range [][]string{{"--set", "restitution=2"}, {"--set", "wind=3"}, {"--set", "tool.position=[0, 6]"}} {
		if status := run(context.Background(), append([]string{"trace", "ice-breaking", "--seconds", "1", "--every", "0.1"}, bad...)); status != exitBadInput {
			t.Errorf("trace %v: status %d", bad, status)
		}
	}
}

// Outlines that are no floes end the program with one line that says what, where and how
// to cure it, and status 2; those that can be mended are, with a word.
func TestBadFloes(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct {
		floes, says string
		status      int
	}{
		{"[[floe]]\noutline = [[20, 0], [23, 3], [22, 0], [20, 1]]\n", "cross", exitBadInput},
		{"[[floe]]\noutline = [[20, 0], [21, 0], [22, 0]]\n", "no area", exitBadInput},
		{"[[floe]]\noutline = [[20, 0], [21, 0]]\n", "at least 3", exitBadInput},
		{"[[floe]]\nradius = 3\nposition = [20, 0]\n[[floe]]\nradius = 3\nposition = [24, 0]\n", "floes 0 and 1 overlap", exitBadInput},
		{"[[floe]]\noutline = [[20, 0], [20, 4], [24, 4], [24, 0]]\n", "turned counter-clockwise", 0},
		{"[[floe]]\noutline = [[20, 0], [24, 0], [24, 0], [24, 4], [20, 4]]\n", "repeated vertices dropped", 0},
	} {
		file := filepath.Join(dir, fmt.Sprintf("%d.toml", i))
		if err := os.WriteFile(file, []byte("kind = \"floe\"\n"+c.floes+"[[path.sliding]]\ndirection = [1, 0, 0]\nsteps = 2\nstep = 0.001\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, text := hapco(t, "trace", file, "--seconds", "0.1", "--every", "0.1", "--json", "--out", filepath.Join(dir, "out.json"))
		if status != c.status || strings.Count(strings.TrimSpace(text), "\n") != 0 || !strings.Contains(text, c.says) {
			t.Errorf("%q: status %d, says %q, want one line with %q", c.floes, status, text, c.says)
		}
	}
}

// It is felt and recorded, and the recording can be felt again with other ice.
func TestFloesAreRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "floes.mcap")
	if status := run(context.Background(), []string{"run", "ice-breaking", "--headless", "--seconds", "2", "--record", file}); status != 0 {
		t.Fatalf("run: status %d", status)
	}
	csv := filepath.Join(t.TempDir(), "again.csv")
	if status := run(context.Background(), []string{"replay", file, "--headless", "--set", "restitution=0.9", "--csv", csv}); status != 0 {
		t.Fatalf("replay: status %d", status)
	}
	if info, err := os.Stat(csv); err != nil || info.Size() < 10000 {
		t.Errorf("%v, %v", info, err)
	}
}
