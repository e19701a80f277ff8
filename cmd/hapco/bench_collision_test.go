package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	benchcollision "hapco/cmd/hapco/internal/bench/collision"
	"hapco/collision"
)

func TestBenchCollisionWritesWhatScriptsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("several seconds")
	}
	dir := t.TempDir()
	if status := run(context.Background(), []string{"bench", "collision", "--quick", "--no-fcl", "--triangles", "5000", "--out", dir}); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	data, err := os.ReadFile(filepath.Join(dir, "collision.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Points    []map[string]any
		Exponents map[string]float64
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, p := range report.Points {
		kind := p["kind"].(string)
		kinds[kind]++
		for _, k := range []string{"name", "kind", "queries", "steps", "us_median", "us_p99", "queries_per_s"} {
			if v, ok := p[k]; !ok || v == 0.0 {
				t.Errorf("%s: %s = %v", kind, k, v)
			}
		}
		if kind != benchcollision.KindSweep && kind != benchcollision.KindClosed && !(p["triangles"].(float64) > 500) {
			t.Errorf("%s of %v triangles", kind, p["triangles"])
		}
		if p["us_p99"].(float64) < p["us_median"].(float64) {
			t.Errorf("%s: p99 %v below the median %v", kind, p["us_p99"], p["us_median"])
		}
		switch kind {
		case benchcollision.KindPress, benchcollision.KindSway, benchcollision.KindRefit, benchcollision.KindStill, benchcollision.KindStillCold, benchcollision.KindField, benchcollision.KindClosed:
			if p["near"] != 36.0 {
				t.Errorf("%s: %v points are near", kind, p["near"])
			}
		case benchcollision.KindApart:
			if p["near"] != 0.0 {
				t.Errorf("%v far points are near", p["near"])
			}
		case benchcollision.KindWorld:
			if n := p["near"].(float64); n < 30 || n > 36 {
				t.Errorf("%v contacts", n)
			}
		}
	}
	for _, k := range benchcollision.Kinds {
		if kinds[k] == 0 {
			t.Errorf("no points of %q", k)
		}
	}
	for _, k := range []string{benchcollision.KindPress, benchcollision.KindRefit, benchcollision.KindStill} {
		if _, ok := report.Exponents[k]; !ok {
			t.Errorf("no exponent of %q", k)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "collision.png")); err != nil || info.Size() < 10000 {
		t.Errorf("no plot: %v", err)
	}
	for _, bad := range [][]string{{"--triangles", "3"}, {"--mesh", filepath.Join(dir, "none.stl")}} {
		if status := run(context.Background(), append([]string{"bench", "collision", "--quick", "--no-fcl", "--out", dir}, bad...)); status != exitBadInput {
			t.Errorf("%v: exit status %d", bad, status)
		}
	}
}

// The motion of the benchmark is what it claims: bounds that hold, points on the
// outside and within reach, a dent that leaves most of the surface alone.
func TestCollisionMotionIsWhatItClaims(t *testing.T) {
	s := benchcollision.Sheet(2000)
	for _, sway := range []float64{0, benchcollision.SwayDepth} {
		m := s.Move(sway)
		for f, now := range m.Surface {
			before := m.Surface[(f+benchcollision.Frames-1)%benchcollision.Frames]
			moved := 0
			for i := range now {
				d := now[i].Sub(before[i]).Len()
				if d > m.Drift[f] {
					t.Fatalf("frame %d: node %d moved by %g, at most %g were promised", f, i, d, m.Drift[f])
				}
				if d > 0 {
					moved++
				}
			}
			if share := float64(moved) / float64(len(now)); sway == 0 && (share == 0 || share > 0.3) || sway > 0 && share < 1 {
				t.Errorf("sway %g, frame %d: %.2f of the nodes moved", sway, f, share)
			}
			tree := collision.NewTree(s.Triangles, now)
			for _, p := range m.Points[f] {
				hit, ok := tree.Closest(now, p, benchcollision.Reach*s.Size, -1)
				if d := math.Sqrt(hit.Dist2); !ok || !(d > 0.5*benchcollision.Nearest*s.Size && d < 1.1*benchcollision.Farthest*s.Size) {
					t.Fatalf("frame %d: a point at %g", f, d)
				}
				tri := s.Triangles[hit.Triangle]
				a, b, c := now[tri[0]], now[tri[1]], now[tri[2]]
				if p.Sub(benchcollision.Weighted(a, b, c, hit.Weights)).Dot(collision.FaceNormal(a, b, c)) <= 0 {
					t.Fatalf("frame %d: a point inside", f)
				}
			}
		}
	}
	triangles, nodes := benchcollision.Ball(1000)
	if _, err := collision.NewField(triangles, nodes); err != nil {
		t.Errorf("ball: %v", err)
	}
}

// FCL finds what we find.
func TestFCLAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	ctx := context.Background()
	peer, err := benchcollision.BuildPeer(ctx)
	if err != nil {
		t.Skip(err)
	}
	defer peer.Remove()
	s := benchcollision.Sheet(1000)
	for _, sway := range []float64{0, benchcollision.SwayDepth} {
		m := s.Move(sway)
		results, err := peer.Measure(ctx, s, m, 0.01)
		if err != nil {
			t.Fatal(err)
		}
		if len(results) != 4 {
			t.Fatalf("%d kinds of volumes", len(results))
		}
		for _, r := range results {
			if len(r.Distances) != benchcollision.Frames*benchcollision.Queries || !(r.CPU > 0 && r.Refit > 0 && r.Query > 0 && r.Build > 0) {
				t.Errorf("%s: %d distances, times %v", r.Volume, len(r.Distances), r)
			}
			r.Compare(s.Truth(m), s.Size)
			if r.Missed > 0 || !(r.Difference < 1e-12) {
				t.Errorf("%s: distances differ by %g, %d points in the reach of one alone", r.Volume, r.Difference, r.Missed)
			}
		}
	}
	// what a difference looks like
	wrong := benchcollision.PeerResult{Distances: []float64{0.5, -1, 0.25}}
	wrong.Compare([][]float64{{0.5, 0.1}, {0.5}}, 0.5)
	if wrong.Missed != 1 || wrong.Difference != 0.5 {
		t.Errorf("%d missed, difference %g", wrong.Missed, wrong.Difference)
	}
}

// Without compiler or headers one line says so, and how to get them.
func TestNoFCLIsOneLine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := exec.LookPath("g++"); err == nil {
		t.Skip("a compiler in no folder")
	}
	peer, err := benchcollision.BuildPeer(context.Background())
	if err == nil || peer != nil || !strings.Contains(err.Error(), "apt-get install") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	var out bytes.Buffer
	r := benchcollision.Report{PeerNote: err.Error(), Points: []benchcollision.Point{{Name: benchcollision.SheetName, Kind: benchcollision.KindPress, Triangles: 1000, Median: 1}}}
	if err := r.Summary(&out); err != nil || !strings.Contains(out.String(), "libfcl-dev") {
		t.Errorf("summary %q, %v", out.String(), err)
	}
}
