package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
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
