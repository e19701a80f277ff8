package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/bench/output"
	"hapco/cmd/hapco/internal/bench/scale"
)

// Tests leave the user's cache alone.
func TestMain(m *testing.M) {
	os.Setenv("HAPCO_NO_CACHE", "1")
	status := m.Run()
	if builds.dir != "" {
		os.RemoveAll(builds.dir)
	}
	os.Exit(status)
}

func TestBenchScaleWritesWhatScriptsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("several seconds")
	}
	dir := t.TempDir()
	if status := run(context.Background(), []string{"bench", "scale", "--quick", "--nodes", "512", "--contacts", "36", "--out", dir}); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	data, err := os.ReadFile(filepath.Join(dir, "scale.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Points []map[string]any
	}
	var keys map[string]any
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &keys); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"exponent_nodes", "exponent_contacts", "machine"} {
		if _, ok := keys[k]; !ok {
			t.Errorf("scale.json has no %s", k)
		}
	}
	if len(report.Points) < 2 {
		t.Fatalf("%d points", len(report.Points))
	}
	for _, p := range report.Points {
		for _, k := range []string{"nodes", "contacts", "ms_median", "ms_p99", "parts", "precompute_s", "memory_MB", "first_touch_ms"} {
			if v, ok := p[k]; !ok || v == 0.0 {
				t.Errorf("a point has %s = %v", k, v)
			}
		}
		if name := p["name"].(string); strings.HasPrefix(name, "scene ") {
			continue // another tool
		}
		if p["contacts"] != 36.0 || p["converged"] != true || p["ms_p99"].(float64) < p["ms_median"].(float64) {
			t.Errorf("point %v", p)
		}
	}
	for _, bad := range [][]string{{"--nodes", "3"}, {"--mesh", filepath.Join(dir, "none.msh")}, {"--length-unit", "parsec"}} {
		if status := run(context.Background(), append([]string{"bench", "scale", "--quick", "--nodes", "512", "--contacts", "36", "--out", dir}, bad...)); status != exitBadInput {
			t.Errorf("%v: exit status %d", bad, status)
		}
	}
}

func TestExponent(t *testing.T) {
	var points []scale.Point
	for _, n := range []int{10, 100, 5000} {
		points = append(points, scale.Point{Nodes: n, Median: 3 * math.Pow(float64(n), 0.3)})
	}
	if e := output.LogSlope(points, scale.NodesOf, func(p *scale.Point) float64 { return p.Median }); math.Abs(e-0.3) > 1e-12 {
		t.Errorf("exponent %g of x^0.3", e)
	}
	if e := output.LogSlope(points[:1], scale.NodesOf, scale.NodesOf); e != 0 {
		t.Errorf("one point has exponent %g", e)
	}
}
