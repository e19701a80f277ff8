package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hapco/physics"
	"hapco/physics/worlds/floe"
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

// What a trace leaves, as a table of numbers and as a map, is read again: the floes of the
// map start where those of the trace ended.
func TestFloesLeaveTableAndMap(t *testing.T) {
	dir := t.TempDir()
	table, sea, again := filepath.Join(dir, "t.csv"), filepath.Join(dir, "sea.geojson"), filepath.Join(dir, "again.geojson")
	if status := run(context.Background(), []string{"trace", "ice-billiard", "--seconds", "0.5", "--every", "0.1", "--csv", "--out", table, "--geojson", sea}); status != 0 {
		t.Fatalf("status %d", status)
	}
	f, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, name := range []string{"t", "force_N.x", "sea_s", "tool_m.y", "kinetic_J", "fracture_J", "touching"} {
		if at := slices.Index(rows[0], name); at < 0 {
			t.Errorf("no column %s in %v", name, rows[0])
		} else if _, err := strconv.ParseFloat(rows[6][at], 64); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	scene := filepath.Join(dir, "again.toml")
	if err := os.WriteFile(scene, []byte("kind = \"floe\"\n[[floe]]\nfile = \"sea.geojson\"\n[tool]\nposition = [-13, -6]\nlength = 0.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := physics.Load(scene)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := opened.Open(t.Context(), physics.Options{}) // as the map has it, before any step
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	out, err := os.Create(again)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.(physics.Mapper).WriteGeoJSON(out), out.Close()); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []floe.Floe {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		l, err := floe.ReadGeoJSON(f, floe.GeoOptions{})
		if err != nil || len(l.Notes) > 0 {
			t.Fatal(l.Notes, err)
		}
		return l.Floes
	}
	before, after := read(sea), read(again)
	if len(before) != 20 || len(after) != 20 { // sixteen floes and four walls
		t.Fatalf("%d floes, then %d", len(before), len(after))
	}
	for i := range before {
		if d := before[i].Position.Sub(after[i].Position).Len(); d > 1e-9 || before[i].Velocity != after[i].Velocity || before[i].Fixed != after[i].Fixed {
			t.Errorf("floe %d is %g m off, and goes at %v instead of %v", i, d, after[i].Velocity, before[i].Velocity)
		}
	}
	if status := run(context.Background(), []string{"trace", "rattleback", "--seconds", "0.1", "--every", "0.1", "--geojson", again}); status != exitBadInput {
		t.Errorf("a map of rigid bodies: status %d", status)
	}
}
