package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hapco/cmd/hapco/internal/bench/rigid"
)

// The bench finds what the theory says: second order, C1 exact in energy, C2 the cheapest,
// the least accurate and gaining energy at the paper's long step; and it writes figures,
// tables and contact problems.
func TestBenchRigid(t *testing.T) {
	out := t.TempDir()
	problems := filepath.Join(out, "problems")
	if got := run(t.Context(), []string{"bench", "rigid", "--quick", "--bricks", "12", "--out", out, "--dump-problems", problems, "--dump-most", "5"}); got != 0 {
		t.Fatalf("status %d", got)
	}
	data, err := os.ReadFile(filepath.Join(out, "rigid.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r rigid.Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Cost) != 3 || len(r.Errors) != 21 || len(r.Long) != 3 || len(r.Walls) != 2 {
		t.Fatalf("%s", data)
	}
	if c1, c2 := r.Cost[1], r.Cost[2]; !(c2.Free < c1.Free && c2.Weight < c1.Weight && c2.Free > 0) {
		t.Errorf("C1 %+v, C2 %+v", c1, c2)
	}
	finest := map[string]float64{}
	for i, e := range r.Errors {
		if i%7 == 6 {
			finest[e.Algorithm] = e.Attitude
			if e.Order < 1.95 || e.Order > 2.05 {
				t.Errorf("%+v", e)
			}
		}
		if e.Algorithm == "C1" && (e.Energy > 1e-12 || e.Momentum > 1e-12) {
			t.Errorf("%+v", e)
		}
		if e.Caution != (e.Step >= 0.1) {
			t.Errorf("%+v", e)
		}
	}
	if !(finest["C2"] > 3*finest["C1"]) {
		t.Errorf("errors at the finest step %v", finest)
	}
	if long := r.Long[2]; !(long.Energy > 0.5 && long.Caution) || r.Long[1].Energy > 1e-12 {
		t.Errorf("at h = 0.5 s: C1 %+v, C2 %+v", r.Long[1], long)
	}
	for _, w := range r.Walls {
		if w.Contacts < 4 || !(w.Rest > 0 && w.Pushed > 0) {
			t.Errorf("%+v", w)
		}
	}
	for _, f := range []string{"rigid.csv", "rigid-figure-1.png", "rigid-figure-2.png", "rigid-figure-3.png", "rigid-figure-accuracy.png", "rigid-figure-walls.png"} {
		if info, err := os.Stat(filepath.Join(out, f)); err != nil || info.Size() < 200 {
			t.Errorf("%s: %v", f, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(problems, "*.fc3d.gz")); len(files) != 5 {
		t.Errorf("%d problems", len(files))
	}
	if got := run(t.Context(), []string{"bench", "rigid", "--bricks", "1", "--out", out}); got != exitBadInput {
		t.Errorf("one brick: status %d", got)
	}
}
