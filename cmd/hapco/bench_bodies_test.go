package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/bodies"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/files/mesh"
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

// A gesture that breaks a law is printed with the command that makes the same one, on the spring on which it hung, and as
// short; and fails the run.
func TestHostileGestureIsPlayedAgain(t *testing.T) {
	s, err := tissueOf(&app.SceneFlags{Scene: "organs-linear"})
	if err != nil {
		t.Fatal(err)
	}
	arena, err := probing.NewArena(context.Background(), s, tissue.Builder{})
	if err != nil {
		t.Fatal(err)
	}
	c := bodies.Command{Flags: output.Flags{Out: t.TempDir()}}
	c.Seed, c.Deadline, c.Scene = 1, 5*time.Millisecond, []string{"organs-linear"}
	_, words, err := c.Arenas()
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Fail(context.Background(), arena, 2, arena.Gesture(1, 2), &probing.Verdict{Breaches: []probing.Breach{{Cause: probing.Hooked, Text: "made up"}}}, c.Deadline, "organs-linear", words[0])
	if err != nil {
		t.Fatal(err)
	}
	var again struct {
		Bodies bodies.Command `cmd:""`
	}
	parser, err := kong.New(&again)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Fields(f.Again)
	if _, err := parser.Parse(said[2:]); err != nil || said[0] != "hapco" || said[1] != "bench" {
		t.Fatalf("%s: %v", f.Again, err)
	}
	got, _, err := again.Bodies.Arenas()
	if b := &again.Bodies; err != nil || b.Seed != 1 || b.Gesture != 2 || b.Hostile != 3 || b.Tries != c.Tries || b.Deadline != c.Deadline || got[0].Scene != "organs-linear" {
		t.Errorf("%s: %v", f.Again, err)
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
