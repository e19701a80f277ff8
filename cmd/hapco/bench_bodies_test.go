package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/bodies"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/files/mesh"
	"hapco/physics/measure/batch"
	"hapco/physics/measure/bench/probing"
	"hapco/physics/worlds/tissue"
)

func TestBenchBodiesWritesWhatScriptsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	dir := t.TempDir()
	args := []string{"bench", "bodies", "--quick", "--seconds", "0.5", "--scene", "loop-linear", "--out", dir}
	if status := run(context.Background(), args); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	data, err := os.ReadFile(filepath.Join(dir, "bodies.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Machine, Command string
		Points           []map[string]any
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	if report.Machine == "" || report.Command == "" || len(report.Points) != 1 {
		t.Fatalf("%q, %q, %d points", report.Machine, report.Command, len(report.Points))
	}
	p := report.Points[0]
	for _, k := range []string{"scene", "bodies", "nodes", "seconds", "contacts_median", "contacts_max", "rate_Hz_median", "rate_Hz_p1",
		"ms_median", "ms_p99", "cpu", "tolerance_mm", "energy_mJ_max", "energy_drift_limit", "force_N_max", "checks"} {
		if v, ok := p[k]; !ok || v == 0.0 || v == "" {
			t.Errorf("%s = %v", k, v)
		}
	}
	for _, k := range []string{"penetration_mm_max", "energy_created_mJ", "energy_drift", "not_converged", "not_finite", "broken"} {
		if _, ok := p[k]; !ok {
			t.Errorf("no %s", k)
		}
	}
	if p["scene"] != "loop-linear" || p["bodies"] != 2.0 || p["not_converged"] != 0.0 || len(p["broken"].([]any)) > 0 {
		t.Errorf("point %v", p)
	}
	if p["penetration_mm_max"].(float64) > p["tolerance_mm"].(float64) || p["rate_Hz_p1"].(float64) > p["rate_Hz_median"].(float64) {
		t.Errorf("point %v", p)
	}
	for _, name := range []string{"bodies.csv", "bodies-loop-linear.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range [][]string{{"--scene", "liver"}, {"--seconds", "-1"}, {"--every", "0"}} {
		if status := run(context.Background(), append([]string{"bench", "bodies", "--quick", "--out", dir}, bad...)); status != exitBadInput {
			t.Errorf("%v: exit status %d", bad, status)
		}
	}
}

// A bound that is broken is told, and fails the run.
func TestBenchBodiesFailsWhereABoundIsBroken(t *testing.T) {
	r := bodies.Report{Points: []bodies.Point{{Scene: "loop", Broken: []string{"too deep"}}}}
	if err := r.Summary(); err == nil || !strings.Contains(err.Error(), "loop: too deep") {
		t.Errorf("%v", err)
	}
}

// A hostile hand on an organ and on a mesh: the report says what was broken, and what
// is said to replay a gesture does.
func TestBenchBodiesHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	dir := t.TempDir()
	cube := filepath.Join(dir, "cube.msh")
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{60, 30, 60}, [3]int{6, 3, 6})
	if err != nil {
		t.Fatal(err)
	}
	if err := app.WriteOut(cube, m.WriteGmsh); err != nil {
		t.Fatal(err)
	}
	for _, where := range [][]string{{"--scene", "organs-linear"}, {"--mesh", cube, "--length-unit", "mm"}} {
		args := append([]string{"bench", "bodies", "--hostile", "2", "--seed", "3", "--gesture", "1", "--tries", "1", "--out", dir}, where...)
		if status := run(context.Background(), args); status > exitFailed {
			t.Fatalf("%v: exit status %d", where, status)
		}
		data, err := os.ReadFile(filepath.Join(dir, "hostile.json"))
		if err != nil {
			t.Fatal(err)
		}
		var r bodies.HostileReport
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Scenes) != 1 || r.Scenes[0].Seed != 3 || r.Scenes[0].Gestures != 1 || r.Scenes[0].Steps < 100 || len(r.Scenes[0].Failures) != r.Scenes[0].Failed {
			t.Errorf("%v: %+v", where, r.Scenes)
		}
	}
	for _, bad := range [][]string{{"--hostile", "-1"}, {"--hostile", "2", "--gesture", "2"}, {"--hostile", "1", "--scene", "nonsense"},
		{"--hostile", "1", "--scene", "liver", "--mesh", cube}, {"--hostile", "1", "--mesh", cube, "--length-unit", "ell"}} {
		if status := run(context.Background(), append([]string{"bench", "bodies", "--out", dir}, bad...)); status != exitBadInput {
			t.Errorf("%v: exit status %d", bad, status)
		}
	}
}

// Steps are judged by their processor time, not by what other programs do.
func TestHostileStepsAreJudgedByProcessorTime(t *testing.T) {
	busy := bodies.HostileScene{P99: 50, Max: 500, CPUP99: probing.StepP99MS, CPUMax: probing.StepMaxMS}
	slow, stuck := busy, busy
	slow.CPUP99 *= 1.1
	stuck.CPUMax *= 1.1
	if !busy.InTime() || slow.InTime() || stuck.InTime() {
		t.Errorf("in time: %v, %v, %v", busy.InTime(), slow.InTime(), stuck.InTime())
	}
}

// A gesture that breaks a law is written so that trace reads it, with the settings
// that it wants; and fails the run.
func TestHostileGestureIsWrittenForTrace(t *testing.T) {
	s, err := tissueOf(&app.SceneFlags{Scene: "organs-linear"})
	if err != nil {
		t.Fatal(err)
	}
	arena, err := probing.NewArena(context.Background(), s, tissue.Builder{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := bodies.Command{Flags: output.Flags{Out: dir}}
	g := arena.Gesture(1, 0)
	f, err := c.Fail(context.Background(), arena, 0, g, &probing.Verdict{Breaches: []probing.Breach{{Cause: probing.Hooked, Text: "made up"}}}, 0, "organs-linear", "organs-linear")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(f.Again)
	var flags traceCommand
	for i := 3; i < len(words); i += 2 {
		if words[i] == "--set" {
			flags.Set = append(flags.Set, words[i+1])
		}
	}
	flags.Scene = words[2]
	if words[len(words)-2] != "--path" || words[0] != "hapco" || words[1] != "trace" {
		t.Fatal(f.Again)
	}
	if _, err := flags.Load(); err != nil {
		t.Error(err)
	}
	got, err := (&batch.Way{Path: words[len(words)-1]}).Offsets(nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := arena.Rows(&g)
	if !slices.Equal(got, batch.Unturned(want)) {
		t.Errorf("%d rows, want %d; or others", len(got), len(want))
	}
	r := bodies.HostileReport{Scenes: []bodies.HostileScene{{Scene: "organs", Gestures: 5, Failed: 1, Steps: 10, Causes: map[string]int{"hooked": 1}}}}
	if err := r.Summary(); err == nil || !strings.Contains(err.Error(), "organs: 1 of 5 gestures failed") {
		t.Errorf("%v", err)
	}
	r.Scenes[0] = bodies.HostileScene{Scene: "organs", Gestures: 5, Steps: 10, P99: 1e3, Max: 1e4} // slow is not wrong
	if err := r.Summary(); err != nil {
		t.Error(err)
	}
}
