package main

import (
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// A world of rigid bodies is traced: the book turns over, its momentum stays.
func TestRigidSceneIsTraced(t *testing.T) {
	out := filepath.Join(t.TempDir(), "trace.json")
	if status := run(context.Background(), []string{"trace", "book-toss", "--path", "away", "--seconds", "4", "--every", "0.02", "--json", "--out", out}); status != exitBadInput {
		t.Errorf("a path that is not there: status %d", status)
	}
	if status := run(context.Background(), []string{"trace", "book-toss", "--set", "tool.position=[2000, 0, 0]", "--seconds", "4", "--every", "0.02", "--json", "--out", out}); status != 0 {
		t.Fatalf("status %d", status)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Samples []struct {
			Energy   float64    `json:"energy_J"`
			Momentum [3]float64 `json:"angular_momentum_kg_m2_s"`
			Book     struct {
				Spin [3]float64 `json:"spin_1_s"`
			} `json:"book"`
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	first, flips, last := got.Samples[0], 0, 1.0
	for _, s := range got.Samples {
		for k := range 3 {
			if math.Abs(s.Momentum[k]-first.Momentum[k]) > 1e-12 {
				t.Fatalf("momentum %v, then %v", first.Momentum, s.Momentum)
			}
		}
		if math.Abs(s.Energy/first.Energy-1) > 1e-10 {
			t.Fatalf("energy %g J, then %g J", first.Energy, s.Energy)
		}
		if x := s.Book.Spin[0]; x*last < 0 && math.Abs(x) > 3 {
			flips, last = flips+1, x
		}
	}
	if flips == 0 {
		t.Error("the book does not turn over")
	}
}

// It is felt at 1 kHz by a simulated hand, recorded, and felt again; the force stays
// within the device's limit.
func TestRigidSceneIsRecorded(t *testing.T) {
	dir := t.TempDir()
	file, felt, again := filepath.Join(dir, "r.mcap"), filepath.Join(dir, "felt.csv"), filepath.Join(dir, "again.csv")
	const enough = 100
	for seconds := 1; ; seconds *= 2 { // a busy machine makes few steps in a second
		if status := run(context.Background(), []string{"run", "dominoes", "--headless", "--seconds", strconv.Itoa(seconds), "--record", file, "--csv", felt}); status != 0 {
			t.Fatalf("run: status %d", status)
		}
		if len(readTable(t, felt)) >= enough {
			break
		}
		if seconds > 30 {
			t.Fatal("hardly anything is recorded within a minute")
		}
	}
	if status := run(context.Background(), []string{"replay", file, "--headless", "--set", "friction=0.6", "--csv", again}); status != 0 {
		t.Fatalf("replay: status %d", status)
	}
	for _, name := range []string{felt, again} {
		rows := readTable(t, name)
		if len(rows) < enough {
			t.Fatalf("%s: %d rows", name, len(rows))
		}
		for _, r := range rows[1:] {
			for c, cell := range r {
				if x, err := strconv.ParseFloat(cell, 64); err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
					t.Fatalf("%s: %s is %v", name, rows[0][c], x)
				}
			}
		}
	}
}

// readTable is a CSV file.
func readTable(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return rows
}

// The contact problems that a scene meets are written, and solved from their files.
func TestDumpProblems(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "problems")
	trace := []string{"trace", "dominoes", "--seconds", "0.05", "--every", "0.05", "--out", filepath.Join(t.TempDir(), "t"), "--dump-problems", dir}
	if status := run(t.Context(), append(trace, "--dump-most", "7")); status != 0 {
		t.Fatalf("status %d", status)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.fc3d.gz"))
	if len(files) != 7 {
		t.Fatalf("%d files", len(files))
	}
	if status := run(t.Context(), []string{"solve", files[3], "--solver", "auto", "--tol", "1e-8"}); status != 0 {
		t.Errorf("solve: status %d", status)
	}
	if status := run(t.Context(), append(trace, "--dump-every", "0")); status != exitBadInput {
		t.Errorf("every 0 steps: status %d", status)
	}
}

// What is struck is heard: a WAV file of the last seconds. A scene without bodies that ring
// has no sound.
func TestTraceWritesSound(t *testing.T) {
	dir := t.TempDir()
	wav := filepath.Join(dir, "fork.wav")
	args := []string{"--seconds", "1", "--every", "0.5", "--out", filepath.Join(dir, "t"), "--wav", wav}
	if status := run(t.Context(), append([]string{"trace", "tuning-fork", "--path", "sliding"}, args...)); status != 0 {
		t.Fatalf("status %d", status)
	}
	data, err := os.ReadFile(wav)
	if err != nil {
		t.Fatal(err)
	}
	loudest := int16(0)
	for i := 44; i+1 < len(data); i += 2 {
		loudest = max(loudest, int16(binary.LittleEndian.Uint16(data[i:])))
	}
	if len(data) != 44+2*48000 || loudest < 8000 {
		t.Errorf("%d bytes, loudest %d", len(data), loudest)
	}
	if status := run(t.Context(), append([]string{"trace", "dominoes"}, args...)); status != exitBadInput {
		t.Errorf("dominoes: status %d", status)
	}
}
